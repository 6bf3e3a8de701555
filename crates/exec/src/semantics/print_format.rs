//! The formats of `printf`: the conversions that an H200 knows, written as the C library of the host writes them. What
//! it does not know (`%zu`, `%.*f`) stands as it is written and takes no argument.

use crate::semantics::print_number::{self, Number};

/// The widest field and the longest precision: what every C library must be able to do.
const WIDEST: usize = 4095;

/// Where the arguments come from.
pub(crate) trait Arguments {
    /// What can go wrong.
    type Fault;

    /// The next argument of 32 bits.
    fn word(&mut self) -> Result<u32, Self::Fault>;

    /// The next argument of 64 bits: long integers, pointers, and every floating-point number.
    fn double_word(&mut self) -> Result<u64, Self::Fault>;

    /// The text at an address, without its end.
    fn text(&mut self, address: u64) -> Result<Vec<u8>, Self::Fault>;
}

/// What stands between `%` and the letter.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Field {
    pub(crate) left: bool,
    pub(crate) plus: bool,
    pub(crate) space: bool,
    pub(crate) alternate: bool,
    pub(crate) zeros: bool,
    pub(crate) width: usize,
    pub(crate) precision: Option<usize>,
    length: Length,
}

/// How long an integer is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Length {
    Byte,
    Short,
    #[default]
    Plain,
    Long,
}

/// The text of a format with its arguments, and how many arguments it took.
pub(crate) fn write<A: Arguments>(format: &[u8], arguments: &mut A) -> Result<(Vec<u8>, i32), A::Fault> {
    let mut counted = Counted { arguments, taken: 0 };
    let mut out = Vec::with_capacity(format.len() + 16);
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        out.extend_from_slice(&rest[..at]);
        let mut reader = Reader { rest: &rest[at + 1..] };
        let field = reader.field(&mut counted)?;
        match reader.next() {
            Some(letter) if conversion(&mut out, letter, &field, &mut counted)? => rest = reader.rest,
            // What is no conversion stands as it is written.
            _ => {
                out.push(b'%');
                rest = &rest[at + 1..];
            }
        }
    }
    out.extend_from_slice(rest);
    Ok((out, counted.taken))
}

/// Arguments, counted.
struct Counted<'a, A> {
    arguments: &'a mut A,
    taken: i32,
}

impl<A: Arguments> Counted<'_, A> {
    fn word(&mut self) -> Result<u32, A::Fault> {
        self.taken = self.taken.saturating_add(1);
        self.arguments.word()
    }

    /// The argument of `%hhd`, which an H200 prints wrongly and does not count.
    fn uncounted(&mut self) -> Result<u32, A::Fault> {
        self.arguments.word()
    }

    fn double_word(&mut self) -> Result<u64, A::Fault> {
        self.taken = self.taken.saturating_add(1);
        self.arguments.double_word()
    }

    fn signed(&mut self, length: Length) -> Result<i64, A::Fault> {
        Ok(match length {
            Length::Long => self.double_word()?.cast_signed(),
            Length::Plain => i64::from(self.word()?.cast_signed()),
            Length::Short => i64::from(self.word()? as i16),
            Length::Byte => i64::from(self.uncounted()? as i8),
        })
    }

    fn unsigned(&mut self, length: Length) -> Result<u64, A::Fault> {
        Ok(match length {
            Length::Long => self.double_word()?,
            Length::Plain => u64::from(self.word()?),
            Length::Short => u64::from(self.word()? as u16),
            Length::Byte => u64::from(self.uncounted()? as u8),
        })
    }
}

/// A place in a format.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.rest.first() == Some(&byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn number(&mut self) -> usize {
        let mut value = 0_usize;
        while let Some(digit) = self.rest.first().filter(|byte| byte.is_ascii_digit()) {
            value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
            self.rest = &self.rest[1..];
        }
        value
    }

    /// Flags, width, precision and length.
    fn field<A: Arguments>(&mut self, arguments: &mut Counted<'_, A>) -> Result<Field, A::Fault> {
        let mut field = Field::default();
        loop {
            let flag = match self.rest.first() {
                Some(b'-') => &mut field.left,
                Some(b'+') => &mut field.plus,
                Some(b' ') => &mut field.space,
                Some(b'#') => &mut field.alternate,
                Some(b'0') => &mut field.zeros,
                _ => break,
            };
            *flag = true;
            self.rest = &self.rest[1..];
        }
        if self.eat(b'*') {
            let width = arguments.word()?.cast_signed();
            field.left |= width < 0;
            field.width = width.unsigned_abs() as usize;
        } else {
            field.width = self.number();
        }
        if self.eat(b'.') {
            field.precision = Some(self.number());
        }
        field.width = field.width.min(WIDEST);
        field.precision = field.precision.map(|precision| precision.min(WIDEST));
        field.length = self.length();
        Ok(field)
    }

    fn length(&mut self) -> Length {
        if self.eat(b'h') {
            return if self.eat(b'h') { Length::Byte } else { Length::Short };
        }
        if self.eat(b'l') {
            self.eat(b'l');
            return Length::Long;
        }
        Length::Plain
    }
}

/// Writes one conversion; false if there is none of this letter.
fn conversion<A: Arguments>(
    out: &mut Vec<u8>,
    letter: u8,
    field: &Field,
    arguments: &mut Counted<'_, A>,
) -> Result<bool, A::Fault> {
    match letter {
        b'd' | b'i' => {
            let value = arguments.signed(field.length)?;
            let number = Number::decimal(value < 0, value.unsigned_abs());
            print_number::integer(out, field, &number, true);
        }
        b'u' => {
            let number = Number::decimal(false, arguments.unsigned(field.length)?);
            print_number::integer(out, field, &number, false);
        }
        b'x' | b'X' | b'o' => {
            let number = Number::in_base(letter, arguments.unsigned(field.length)?, field);
            print_number::integer(out, field, &number, false);
        }
        b'p' => match arguments.double_word()? {
            0 => padded(out, field, b"(nil)"),
            address => {
                let field = Field { alternate: true, ..*field };
                let number = Number::in_base(b'x', address, &field);
                print_number::integer(out, &field, &number, true);
            }
        },
        b'c' => {
            let byte = arguments.word()? as u8;
            padded(out, field, &[byte]);
        }
        b's' => {
            let address = arguments.double_word()?;
            let mut text = match address {
                0 if field.precision.is_some_and(|most| most < 6) => Vec::new(),
                0 => b"(null)".to_vec(),
                _ => arguments.arguments.text(address)?,
            };
            text.truncate(field.precision.unwrap_or(usize::MAX));
            padded(out, field, &text);
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let value = f64::from_bits(arguments.double_word()?);
            print_number::float(out, field, letter, value);
        }
        b'%' => out.push(b'%'),
        _ => return Ok(false),
    }
    Ok(true)
}

/// A text in its field.
pub(crate) fn padded(out: &mut Vec<u8>, field: &Field, text: &[u8]) {
    let blanks = field.width.saturating_sub(text.len());
    if !field.left {
        out.extend(std::iter::repeat_n(b' ', blanks));
    }
    out.extend_from_slice(text);
    if field.left {
        out.extend(std::iter::repeat_n(b' ', blanks));
    }
}

#[cfg(test)]
mod tests {
    use super::{Arguments, write};

    enum Value {
        Word(u32),
        Double(u64),
    }

    /// Arguments from a list; a text's address is its index.
    struct List<'a> {
        values: std::vec::IntoIter<Value>,
        texts: &'a [&'a str],
    }

    impl Arguments for List<'_> {
        type Fault = ();

        fn word(&mut self) -> Result<u32, ()> {
            match self.values.next() {
                Some(Value::Word(word)) => Ok(word),
                _ => Err(()),
            }
        }

        fn double_word(&mut self) -> Result<u64, ()> {
            match self.values.next() {
                Some(Value::Double(word)) => Ok(word),
                _ => Err(()),
            }
        }

        fn text(&mut self, address: u64) -> Result<Vec<u8>, ()> {
            let text = usize::try_from(address).ok().and_then(|index| self.texts.get(index));
            text.map(|text| text.as_bytes().to_vec()).ok_or(())
        }
    }

    fn print(format: &str, values: Vec<Value>) -> String {
        let mut list = List { values: values.into_iter(), texts: &["", "text", "abcdef"] };
        let (bytes, _) = write(format.as_bytes(), &mut list).expect("the arguments suffice");
        String::from_utf8(bytes).expect("plain text")
    }

    fn ints(format: &str, values: &[i32]) -> String {
        print(format, values.iter().map(|value| Value::Word(value.cast_unsigned())).collect())
    }

    fn floats(format: &str, values: &[f64]) -> String {
        print(format, values.iter().map(|value| Value::Double(value.to_bits())).collect())
    }

    // The right sides are what glibc 2.39 prints.
    #[test]
    fn integers_are_printed_as_the_host_prints_them() {
        assert_eq!(ints("[%d] [%5d] [%-5d] [%05d]", &[42, 42, 42, 42]), "[42] [   42] [42   ] [00042]");
        assert_eq!(ints("[%+d] [% d] [%i] [%+d]", &[42, 42, -42, -1]), "[+42] [ 42] [-42] [-1]");
        assert_eq!(
            ints("[%x] [%X] [%#x] [%#x] [%08x]", &[48879, 48879, 48879, 0, 48879]),
            "[beef] [BEEF] [0xbeef] [0] [0000beef]"
        );
        assert_eq!(ints("[%o] [%#o] [%#o] [%u]", &[8, 8, 0, -1]), "[10] [010] [0] [4294967295]");
        assert_eq!(ints("[%hd] [%hu] [%hhd] [%hhu]", &[70000, 70000, 300, 300]), "[4464] [4464] [44] [44]");
        assert_eq!(
            ints("[%.20d] [%.0d] [%5.3d] [%05.3d]", &[5, 0, 7, 7]),
            "[00000000000000000005] [] [  007] [  007]"
        );
        assert_eq!(ints("[%*d] [%-*d] [%*d]", &[6, 42, 6, 42, -6, 42]), "[    42] [42    ] [42    ]");
        assert_eq!(ints("[%#08x] [%-#8x] [%+05d]", &[255, 255, 7]), "[0x0000ff] [0xff    ] [+0007]");
        let long = vec![Value::Double((-5_000_000_000_i64).cast_unsigned()), Value::Double(10_000_000_000)];
        assert_eq!(print("%lld %llu", long), "-5000000000 10000000000");
    }

    #[test]
    fn floating_point_numbers_are_printed_as_the_host_prints_them() {
        let pi = std::f64::consts::PI;
        assert_eq!(
            floats("[%f] [%.0f] [%8.2f] [%-8.2f]", &[pi, 2.5, pi, pi]),
            "[3.141593] [2] [    3.14] [3.14    ]"
        );
        assert_eq!(
            floats("[%+.1f] [%08.3f] [%#.0f] [%.0f]", &[1.25, -pi, 3.0, 3.5]),
            "[+1.2] [-003.142] [3.] [4]"
        );
        assert_eq!(
            floats("[%e] [%.3E] [%.0e] [%#.0e]", &[12345.678, 0.00012345, 5.0, 5.0]),
            "[1.234568e+04] [1.234E-04] [5e+00] [5.e+00]"
        );
        assert_eq!(
            floats("[%g] [%g] [%g] [%G] [%#g]", &[0.0001, 1e-5, 1234567.0, 1e-10, 1.5]),
            "[0.0001] [1e-05] [1.23457e+06] [1E-10] [1.50000]"
        );
        assert_eq!(
            floats("[%g] [%g] [%.3g] [%g] [%.0g]", &[0.0, 100000.0, 999.96, 1e100, 0.5]),
            "[0] [100000] [1e+03] [1e+100] [0.5]"
        );
        assert_eq!(
            floats("[%a] [%.2a] [%a] [%A]", &[1.0, pi, 0.0, -255.5]),
            "[0x1p+0] [0x1.92p+1] [0x0p+0] [-0X1.FFP+7]"
        );
        assert_eq!(
            floats("[%a] [%.0a] [%.1a]", &[5e-324, 1.5, 1.97]),
            "[0x0.0000000000001p-1022] [0x2p+0] [0x2.0p+0]"
        );
        assert_eq!(
            floats("[%#g] [%#.3g] [%g] [%.3a] [%10a] [%010.1a]", &[1e5, 1e5, 123456.5, 1.99999, 1.0, -2.5]),
            "[100000.] [1.00e+05] [123456] [0x2.000p+0] [    0x1p+0] [-0x01.4p+1]"
        );
        let infinite = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::INFINITY];
        assert_eq!(floats("[%f] [%E] [%6.1f] [%06f]", &infinite), "[inf] [-INF] [   nan] [   inf]");
        assert_eq!(
            floats("[%.15g] [%.17g] [%.1f] [%.1f]", &[0.1, 0.1, 0.25, 0.35]),
            "[0.1] [0.10000000000000001] [0.2] [0.3]"
        );
        assert_eq!(
            floats("[%f] [%.3f] [%g] [%5.1f]", &[1e22, 123456789.0625, 5e-324, -0.0]),
            "[10000000000000000000000.000000] [123456789.062] [4.94066e-324] [ -0.0]"
        );
    }

    #[test]
    fn texts_characters_and_pointers_are_printed_as_the_host_prints_them() {
        let texts = || vec![Value::Double(1), Value::Double(1), Value::Double(1), Value::Double(2)];
        assert_eq!(print("[%s] [%10s] [%-10s] [%.3s]", texts()), "[text] [      text] [text      ] [abc]");
        assert_eq!(ints("%c%c [%3c] [%-3c] 100%%", &[97, 98, 120, 121]), "ab [  x] [y  ] 100%");
        let pointers = vec![Value::Double(0x7f00), Value::Double(0), Value::Double(0xabc)];
        assert_eq!(print("%p %p [%10p]", pointers), "0x7f00 (nil) [     0xabc]");
        assert_eq!(print("%s", vec![Value::Double(0)]), "(null)");
    }

    #[test]
    fn what_is_no_conversion_stands_as_it_is_written() {
        assert_eq!(ints("50%% of %k, %", &[]), "50% of %k, %");
        assert_eq!(ints("[%zu] [%.*f] [%5.*d] [%d]", &[7]), "[%zu] [%.*f] [%5.*d] [7]");
        assert_eq!(ints("%d%", &[1]), "1%");
    }

    #[test]
    fn a_monstrous_width_takes_no_memory() {
        assert_eq!(ints("%1000000000d", &[1]).len(), 4095);
        assert_eq!(floats("%.2000000000f", &[1.0]).len(), 4097);
        assert_eq!(ints("%99999999999999999999999d", &[1]).len(), 4095);
        assert_eq!(ints("%*d", &[i32::MIN, 1]).len(), 4095);
    }
}

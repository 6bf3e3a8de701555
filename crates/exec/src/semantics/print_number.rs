//! Numbers as `printf` writes them.

use crate::semantics::print_format::{Field, padded};

/// An integer: what stands before its digits, and these.
pub(crate) struct Number {
    negative: bool,
    /// `0x` or nothing.
    prefix: &'static str,
    digits: String,
}

impl Number {
    pub(crate) fn decimal(negative: bool, magnitude: u64) -> Number {
        Number { negative, prefix: "", digits: magnitude.to_string() }
    }

    /// In base 16 (`x`, `X`) or 8 (`o`).
    pub(crate) fn in_base(letter: u8, value: u64, field: &Field) -> Number {
        let (prefix, digits) = match letter {
            b'x' => ("0x", format!("{value:x}")),
            b'X' => ("0X", format!("{value:X}")),
            _ if field.alternate && value != 0 => ("", format!("0{value:o}")),
            _ => ("", format!("{value:o}")),
        };
        Number { negative: false, prefix: if field.alternate && value != 0 { prefix } else { "" }, digits }
    }
}

fn sign(field: &Field, negative: bool) -> &'static str {
    match (negative, field.plus, field.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

/// An integer in its field.
pub(crate) fn integer(out: &mut Vec<u8>, field: &Field, number: &Number, signed: bool) {
    let sign = if signed { sign(field, number.negative) } else { "" };
    let digits = match field.precision {
        // Zero with no digits wanted has none.
        Some(0) if number.digits == "0" => "",
        _ => &number.digits,
    };
    let before = sign.len() + number.prefix.len();
    let least = match field.precision {
        Some(least) => least,
        None if field.zeros && !field.left => field.width.saturating_sub(before),
        None => 0,
    };
    let zeros = "0".repeat(least.saturating_sub(digits.len()));
    padded(out, field, format!("{sign}{}{zeros}{digits}", number.prefix).as_bytes());
}

/// A floating-point number in its field.
pub(crate) fn float(out: &mut Vec<u8>, field: &Field, letter: u8, value: f64) {
    let sign = sign(field, value.is_sign_negative());
    let magnitude = value.abs();
    let finite = value.is_finite();
    let body = match letter.to_ascii_lowercase() {
        _ if value.is_nan() => "nan".to_owned(),
        _ if !finite => "inf".to_owned(),
        b'f' => with_point(format!("{magnitude:.*}", field.precision.unwrap_or(6)), field.alternate),
        b'e' => exponential(magnitude, field.precision.unwrap_or(6), field.alternate),
        b'g' => general(magnitude, field),
        _ => hexadecimal(magnitude, field),
    };
    let (prefix, digits) = body.split_at(if body.starts_with("0x") { 2 } else { 0 });
    let room = field.width.saturating_sub(sign.len() + body.len());
    let zeros = "0".repeat(if field.zeros && !field.left && finite { room } else { 0 });
    let text = format!("{sign}{prefix}{zeros}{digits}");
    padded(out, field, if letter.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text }.as_bytes());
}

/// Digits with a point at the end if one is wanted and there is none.
fn with_point(digits: String, wanted: bool) -> String {
    if wanted && !digits.contains('.') { digits + "." } else { digits }
}

/// `1.234568e+04`
fn exponential(magnitude: f64, precision: usize, point: bool) -> String {
    let (digits, exponent) = scientific(magnitude, precision);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", with_point(digits, point), exponent.unsigned_abs())
}

/// One digit before the point and so many behind it, and the power of ten.
fn scientific(magnitude: f64, precision: usize) -> (String, i32) {
    let text = format!("{magnitude:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

/// The shorter of both forms, without zeros at the end.
fn general(magnitude: f64, field: &Field) -> String {
    let digits = field.precision.unwrap_or(6).max(1);
    let (_, exponent) = scientific(magnitude, digits - 1);
    // No finite number has an exponent beyond these, nor a field more digits.
    let behind = i32::try_from(digits).unwrap_or(i32::MAX).saturating_sub(1).saturating_sub(exponent);
    let plain = exponent >= -4 && behind >= 0;
    let text = if plain {
        let behind = usize::try_from(behind).unwrap_or(0);
        with_point(format!("{magnitude:.behind$}"), field.alternate)
    } else {
        exponential(magnitude, digits - 1, field.alternate)
    };
    if field.alternate {
        return text;
    }
    let (number, power) = text.split_once('e').map_or((text.as_str(), None), |(n, p)| (n, Some(p)));
    let short =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    power.map_or_else(|| short.to_owned(), |power| format!("{short}e{power}"))
}

/// `0x1.92p+1`: exact, unless a precision rounds it to even.
fn hexadecimal(magnitude: f64, field: &Field) -> String {
    const FRACTION: u32 = 52;
    let bits = magnitude.to_bits();
    let fraction = bits & ((1 << FRACTION) - 1);
    let stored = i32::try_from(bits >> FRACTION).unwrap_or(0);
    let (first, exponent) = match (stored, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        (stored, _) => (1_u64, stored - 1023),
    };
    let mut value = first << FRACTION | fraction;
    let digits = match field.precision {
        Some(digits) if digits < 13 => {
            // `digits` is less than 13, so that this is at most 52.
            let drop = FRACTION - 4 * u32::try_from(digits).unwrap_or(0);
            let half = 1_u64 << (drop - 1);
            let rest = value & ((1 << drop) - 1);
            value >>= drop;
            value += u64::from(rest > half || rest == half && value & 1 == 1);
            value <<= drop;
            digits
        }
        Some(digits) => digits,
        None => 13 - (fraction.trailing_zeros() / 4).min(13) as usize,
    };
    let all = format!("{:013x}", value & ((1 << FRACTION) - 1));
    let shown: String = all.chars().chain(std::iter::repeat('0')).take(digits).collect();
    let point = if shown.is_empty() && !field.alternate { "" } else { "." };
    format!("0x{:x}{point}{shown}p{exponent:+}", value >> FRACTION)
}

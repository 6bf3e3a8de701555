//! NumPy's array files: a head in words, then the elements. Versions 1.0 and 2.0, little-endian, rows first.

use warplab_units::ElementType;

const MAGIC: &[u8] = b"\x93NUMPY";

/// What an array file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array<'a> {
    /// The type of its elements as NumPy writes it: `<f4`.
    pub descriptor: String,
    /// How many elements there are.
    pub count: u64,
    /// The elements.
    pub data: &'a [u8],
}

impl Array<'_> {
    /// Whether the elements are of a type. NumPy has no bfloat16: two bytes of any kind stand for it.
    #[must_use]
    pub fn holds(&self, element: ElementType) -> bool {
        match element {
            ElementType::Bf16 => matches!(self.descriptor.as_str(), "<V2" | "|V2" | "<u2"),
            ElementType::U8 => matches!(self.descriptor.as_str(), "|u1" | "<u1" | "|b1"),
            ElementType::I8 => matches!(self.descriptor.as_str(), "|i1" | "<i1"),
            _ => self.descriptor == descriptor(element),
        }
    }

    /// The type of the elements.
    #[must_use]
    pub fn element(&self) -> Option<ElementType> {
        let first = |element: &ElementType| *element != ElementType::Bf16 && self.holds(*element);
        let bf16 = || self.holds(ElementType::Bf16).then_some(ElementType::Bf16);
        ElementType::ALL.into_iter().find(first).or_else(bf16)
    }
}

/// How NumPy writes a type of elements.
fn descriptor(element: ElementType) -> &'static str {
    match element {
        ElementType::I8 => "|i1",
        ElementType::U8 => "|u1",
        ElementType::I16 => "<i2",
        ElementType::U16 | ElementType::Bf16 => "<u2",
        ElementType::I32 => "<i4",
        ElementType::U32 => "<u4",
        ElementType::I64 => "<i8",
        ElementType::U64 => "<u8",
        ElementType::F16 => "<f2",
        ElementType::F32 => "<f4",
        ElementType::F64 => "<f8",
    }
}

/// Whether a path says that its file is an array file.
#[must_use]
pub(crate) fn is_npy(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("npy"))
}

/// Reads an array file.
///
/// # Errors
/// What is wrong and what was expected, to be put behind the name of the file.
pub fn read(bytes: &[u8]) -> Result<Array<'_>, String> {
    let damaged = || "is damaged: its head is cut off".to_owned();
    let rest = bytes.strip_prefix(MAGIC).ok_or("is no .npy file: it does not start with \\x93NUMPY")?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(damaged)?;
    let (length, rest) = match version {
        [1, 0] => {
            let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(damaged)?;
            (u32::from(u16::from_le_bytes(*length)), rest)
        }
        [2, 0] => {
            let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
            (u32::from_le_bytes(*length), rest)
        }
        [major, minor] => return Err(format!("is of version {major}.{minor}; 1.0 and 2.0 are read")),
    };
    let length = usize::try_from(length).map_err(|_| damaged())?;
    let (head, data) = rest.split_at_checked(length).ok_or_else(damaged)?;
    let head = std::str::from_utf8(head).map_err(|_| "has a head that is no text".to_owned())?;
    let written = text_field(head, "descr")
        .ok_or("has records or no 'descr'; arrays of one plain type are read, such as '<f4'")?
        .to_owned();
    if field(head, "fortran_order").is_none_or(|value| !value.starts_with("False")) {
        return Err("has columns first; save it with numpy.ascontiguousarray".to_owned());
    }
    let count = count(head).ok_or("has no 'shape' that can be read")?;
    let array = Array { descriptor: written, count, data };
    let Some(element) = array.element() else {
        let known = ElementType::ALL.map(descriptor).join(", ");
        return Err(format!("has elements of type '{}'; known: {known}", array.descriptor));
    };
    let expected = count.checked_mul(u64::from(element.bytes()));
    if expected != Some(data.len() as u64) {
        let found = data.len();
        return Err(format!(
            "has {found} bytes behind its head, which are not {count} elements of {element}"
        ));
    }
    Ok(array)
}

/// What follows a key of the head.
fn field<'a>(head: &'a str, key: &str) -> Option<&'a str> {
    let quoted = [format!("'{key}'"), format!("\"{key}\"")];
    let after = quoted.iter().find_map(|quoted| Some(&head[head.find(quoted)? + quoted.len()..]))?;
    after.trim_start().strip_prefix(':').map(str::trim_start)
}

fn text_field<'a>(head: &'a str, key: &str) -> Option<&'a str> {
    let value = field(head, key)?;
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    value[1..].split_once(quote).map(|(text, _)| text)
}

/// The product of the shape.
fn count(head: &str) -> Option<u64> {
    let (sizes, _) = field(head, "shape")?.strip_prefix('(')?.split_once(')')?;
    let sizes = sizes.split(',').map(str::trim).filter(|size| !size.is_empty());
    sizes
        .map(|size| size.trim_end_matches('L').parse::<u64>().ok())
        .try_fold(1, |count: u64, size| count.checked_mul(size?))
}

/// The head of an array file of one dimension; the elements follow it.
#[must_use]
pub fn head(element: ElementType, count: u64) -> Vec<u8> {
    let descriptor = descriptor(element);
    let mut text = format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({count},), }}");
    // The elements start at a multiple of 64 bytes, behind a new line.
    let before = MAGIC.len() + 4;
    while !(before + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let length = u16::try_from(text.len()).expect("a head of one dimension is short");
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend(length.to_le_bytes());
    bytes.extend(text.into_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::{head, read};
    use warplab_units::ElementType;

    fn file(head: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(head.len()).unwrap().to_le_bytes());
        bytes.extend(head.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn fault(head: &str, data: &[u8]) -> String {
        read(&file(head, data)).unwrap_err()
    }

    #[test]
    fn what_is_written_is_read_for_every_type() {
        for element in ElementType::ALL {
            let mut bytes = head(element, 3);
            assert!(bytes.len().is_multiple_of(64));
            bytes.extend(vec![7; 3 * element.bytes() as usize]);
            let array = read(&bytes).unwrap();
            assert!(array.holds(element), "{element}");
            assert_eq!(array.count, 3);
        }
    }

    #[test]
    fn the_head_of_numpy_itself_is_read() {
        let text = "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1), }          \n";
        let bytes = file(text, &[1; 16]);
        let array = read(&bytes).unwrap();
        assert_eq!((array.element(), array.count), (Some(ElementType::I64), 2));
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        assert_eq!(read(b"1,2,3").unwrap_err(), "is no .npy file: it does not start with \\x93NUMPY");
        assert_eq!(read(b"\x93NUMPY\x03\x00").unwrap_err(), "is of version 3.0; 1.0 and 2.0 are read");
        assert_eq!(
            fault("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", &[0; 16]),
            "has columns first; save it with numpy.ascontiguousarray"
        );
        assert_eq!(
            fault("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", &[0; 4]),
            "has elements of type '>f4'; known: |i1, |u1, <i2, <u2, <i4, <u4, <i8, <u8, <f2, <u2, <f4, <f8"
        );
        assert_eq!(
            fault("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", &[0; 8]),
            "has 8 bytes behind its head, which are not 3 elements of f32"
        );
        assert_eq!(
            fault("{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615, 4), }", &[]),
            "has no 'shape' that can be read"
        );
    }
}

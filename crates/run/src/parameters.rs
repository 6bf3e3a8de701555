//! Arguments to bytes: of a kernel's parameters, and of a program's variables.

use crate::buffers::{ReadFile, file_elements};
use crate::fault::Fault;
use std::path::Path;
use warplab_config::launch::{Argument, ElementType, Number};
use warplab_exec::MemoryImage;
use warplab_exec::element::encode;
use warplab_program::{Kernel, Parameter};

/// The bytes of the parameters; buffers are looked up in the image by name.
pub(crate) fn bytes(
    kernel: &Kernel,
    arguments: &[Argument],
    image: &MemoryImage,
    read: ReadFile<'_>,
) -> Result<Vec<u8>, Fault> {
    if arguments.len() != kernel.parameters.len() {
        return Err(Fault::input(wrong_count(kernel, arguments)));
    }
    let end = |parameter: &Parameter| u64::from(parameter.offset) + u64::from(parameter.bytes);
    let size = kernel.parameters.iter().map(end).max().unwrap_or(0);
    if size > MOST_BYTES {
        let name = &kernel.name;
        return Err(Fault::input(format!(
            "kernel '{name}' takes {size} bytes of parameters; at most {MOST_BYTES}"
        )));
    }
    let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
    for (number, (parameter, argument)) in kernel.parameters.iter().zip(arguments).enumerate() {
        let place = || format!("argument {} of kernel '{}'", number + 1, kernel.name);
        let value = value(argument, image, read).map_err(|message| message.within(&place()))?;
        if !fits(parameter, argument, &value) {
            return Err(Fault::input(wrong_type(&place(), parameter, argument, value.len())));
        }
        let start = parameter.offset as usize;
        let length = (parameter.bytes as usize).min(value.len());
        bytes[start..start + length].copy_from_slice(&value[..length]);
    }
    Ok(bytes)
}

/// Bytes that the parameters of a kernel may have: what CUDA allows.
const MOST_BYTES: u64 = 32_764;

/// What is wrong with a value: about itself, or a fault that says all.
#[derive(Debug)]
pub(crate) enum Wrong {
    /// To be put behind what it is about.
    Value(String),
    /// As it is.
    Fault(Fault),
}

impl Wrong {
    /// The fault of what stands at a place.
    pub(crate) fn within(self, place: &str) -> Fault {
        match self {
            Wrong::Value(message) => Fault::input(format!("{place} {message}")),
            Wrong::Fault(fault) => fault,
        }
    }
}

/// The bytes of an argument, in the order of memory.
pub(crate) fn value(argument: &Argument, image: &MemoryImage, read: ReadFile<'_>) -> Result<Vec<u8>, Wrong> {
    Ok(match *argument {
        Argument::Buffer { ref name, .. } => address(name, 0, image)?.to_le_bytes().to_vec(),
        Argument::Pointer { ref buffer, offset } => address(buffer, offset.0, image)?.to_le_bytes().to_vec(),
        Argument::Null => vec![0; 8],
        Argument::I8(value) => value.to_le_bytes().to_vec(),
        Argument::U8(value) => vec![value],
        Argument::I16(value) => value.to_le_bytes().to_vec(),
        Argument::U16(value) => value.to_le_bytes().to_vec(),
        Argument::I32(value) => value.to_le_bytes().to_vec(),
        Argument::U32(value) => value.to_le_bytes().to_vec(),
        Argument::I64(value) => value.to_le_bytes().to_vec(),
        Argument::U64(value) | Argument::Bits(value) => value.to_le_bytes().to_vec(),
        Argument::F32(value) => value.to_le_bytes().to_vec(),
        Argument::F64(value) => value.to_le_bytes().to_vec(),
        Argument::F16(value) => element(ElementType::F16, f64::from(value))?,
        Argument::Bf16(value) => element(ElementType::Bf16, f64::from(value))?,
        Argument::Struct(ref fields) => structure(fields, image, read)?,
        Argument::Array(kind, ref numbers) => {
            let elements: Result<Vec<_>, Wrong> =
                numbers.iter().map(|&number| element(kind.0, number)).collect();
            elements?.concat()
        }
        Argument::Tensor(ref spec) => crate::tensor_map::bytes(spec, image)?,
        Argument::Bytes(ref bytes) => bytes.0.clone(),
        Argument::File(ref path) => {
            let bytes = read(Path::new(path)).map_err(Wrong::Fault)?;
            file_elements(path, &bytes, None).map_err(Wrong::Fault)?.to_vec()
        }
    })
}

fn address(name: &str, offset: u64, image: &MemoryImage) -> Result<u64, Wrong> {
    let Some(buffer) = image.buffer(name) else {
        return Err(Wrong::Value(format!("points to '{name}', which is no buffer")));
    };
    if offset > buffer.bytes {
        let bytes = buffer.bytes;
        return Err(Wrong::Value(format!("points to byte {offset} of '{name}', which has {bytes}")));
    }
    Ok(buffer.base.0 + offset)
}

fn element(element: ElementType, number: f64) -> Result<Vec<u8>, Wrong> {
    let holds =
        |(low, high): (i128, i128)| number.fract() == 0.0 && (low as f64..=high as f64).contains(&number);
    if !element.range().is_none_or(holds) {
        return Err(Wrong::Value(format!("has the number {number}, which no {element} holds")));
    }
    let bits = encode(element, Number::Real(number));
    Ok(bits.to_le_bytes()[..element.bytes() as usize].to_vec())
}

/// Fields one after the other, each aligned to its own size, and the whole to that of the largest: as C++ does it.
pub(crate) fn structure(
    fields: &[Argument],
    image: &MemoryImage,
    read: ReadFile<'_>,
) -> Result<Vec<u8>, Wrong> {
    let mut bytes = Vec::new();
    for field in fields {
        let value = value(field, image, read)?;
        bytes.resize(bytes.len().next_multiple_of(alignment(field)), 0);
        bytes.extend(value);
    }
    let alignment = fields.iter().map(alignment).max().unwrap_or(1);
    bytes.resize(bytes.len().next_multiple_of(alignment), 0);
    Ok(bytes)
}

fn alignment(argument: &Argument) -> usize {
    match argument {
        Argument::Struct(fields) => fields.iter().map(alignment).max().unwrap_or(1),
        Argument::Array(element, _) => element.0.bytes() as usize,
        Argument::Tensor(_) => 64,
        Argument::Bytes(_) | Argument::File(_) => 1,
        other => scalar(other).1 as usize,
    }
}

/// What a single number or address is, in words, its bytes, and the types of parameters that take it.
fn scalar(argument: &Argument) -> (&'static str, u32, &'static [&'static str]) {
    match argument {
        Argument::Buffer { .. } => ("a buffer", 8, &["u64", "s64", "b64"]),
        Argument::Pointer { .. } => ("a pointer", 8, &["u64", "s64", "b64"]),
        Argument::Null => ("a null pointer", 8, &["u64", "s64", "b64"]),
        Argument::I8(_) => ("an i8", 1, &["s8", "u8", "b8"]),
        Argument::U8(_) => ("a u8", 1, &["u8", "s8", "b8"]),
        Argument::I16(_) => ("an i16", 2, &["s16", "u16", "b16"]),
        Argument::U16(_) => ("a u16", 2, &["u16", "s16", "b16"]),
        Argument::I32(_) => ("an i32", 4, &["s32", "u32", "b32"]),
        Argument::U32(_) => ("a u32", 4, &["u32", "s32", "b32"]),
        Argument::I64(_) => ("an i64", 8, &["s64", "u64", "b64"]),
        Argument::U64(_) => ("a u64", 8, &["u64", "s64", "b64"]),
        Argument::F16(_) => ("an f16", 2, &["f16", "b16"]),
        Argument::Bf16(_) => ("a bf16", 2, &["bf16", "b16"]),
        Argument::F32(_) => ("an f32", 4, &["f32", "b32"]),
        Argument::F64(_) => ("an f64", 8, &["f64", "b64"]),
        Argument::Bits(_) => ("bits", 8, &[]),
        Argument::Struct(_) => ("a struct", 0, &[]),
        Argument::Array(..) => ("an array", 0, &[]),
        Argument::Tensor(_) => ("a tensor map", 128, &[]),
        Argument::Bytes(_) => ("bytes", 0, &[]),
        Argument::File(_) => ("a file", 0, &[]),
    }
}

/// Whether an argument is as long as it is because of what a person wrote, and not by its type.
fn is_aggregate(argument: &Argument) -> bool {
    matches!(argument, Argument::Struct(_) | Argument::Array(..) | Argument::Bytes(_) | Argument::File(_))
}

fn fits(parameter: &Parameter, argument: &Argument, value: &[u8]) -> bool {
    if let Argument::Bits(bits) = argument {
        return match parameter.bytes {
            0..8 => bits >> (8 * parameter.bytes) == 0,
            bytes => bytes == 8,
        };
    }
    let (_, size, types) = scalar(argument);
    if is_aggregate(argument) {
        return parameter.bytes as usize == value.len();
    }
    // A struct of C++ is an array of bytes in PTX.
    let takes_all = parameter.ty.is_empty() || parameter.ty.starts_with("b8[");
    parameter.bytes == size && (takes_all || types.contains(&parameter.ty.as_str()))
}

/// A parameter as a person writes it: `n: u32`.
fn parameter_text(parameter: &Parameter) -> String {
    if parameter.ty.is_empty() {
        format!("{}: {} bytes", parameter.name, parameter.bytes)
    } else {
        format!("{}: {}", parameter.name, parameter.ty)
    }
}

fn wrong_count(kernel: &Kernel, arguments: &[Argument]) -> String {
    let (wanted, given) = (kernel.parameters.len(), arguments.len());
    let parameters: Vec<String> = kernel.parameters.iter().map(parameter_text).collect();
    let noun = if wanted == 1 { "argument" } else { "arguments" };
    let verb = if given == 1 { "is" } else { "are" };
    format!(
        "kernel '{}' takes {wanted} {noun} ({}), {given} {verb} given",
        kernel.name,
        parameters.join(", ")
    )
}

fn wrong_type(place: &str, parameter: &Parameter, argument: &Argument, length: usize) -> String {
    let what = scalar(argument).0;
    let text = parameter_text(parameter);
    if is_aggregate(argument) || (matches!(argument, Argument::Bits(_)) && parameter.bytes > 8) {
        let wanted = parameter.bytes;
        return format!("{place} is {what} of {length} bytes, but its parameter takes {wanted} ({text})");
    }
    format!("{place} is {what}, but its parameter is {text}")
}

#[cfg(test)]
mod tests {
    use super::bytes;
    use crate::fault::Fault;
    use crate::no_files;
    use warplab_config::launch::{Argument, ElementName, ElementType, HexBytes, Init, Size};
    use warplab_exec::MemoryImage;
    use warplab_program::{Kernel, Parameter};

    fn parameter(name: &str, offset: u32, bytes: u32, ty: &str) -> Parameter {
        Parameter { name: name.to_owned(), offset, bytes, ty: ty.to_owned() }
    }

    fn kernel() -> Kernel {
        Kernel {
            name: "saxpy".to_owned(),
            parameters: vec![
                parameter("n", 0, 4, "u32"),
                parameter("a", 4, 4, "f32"),
                parameter("x", 8, 8, "u64"),
            ],
            ..Kernel::default()
        }
    }

    /// A kernel that takes a struct of 16 bytes.
    fn takes_struct() -> Kernel {
        Kernel {
            name: "k".to_owned(),
            parameters: vec![parameter("p", 0, 16, "b8[16]")],
            ..Kernel::default()
        }
    }

    fn buffer() -> Argument {
        Argument::Buffer { name: "x".to_owned(), size: Size(64).into(), init: Init::Zero }
    }

    fn with_buffer() -> (MemoryImage, u64) {
        let mut image = MemoryImage::new();
        let base = image.allocate("x", 64, warplab_exec::Init::Zero);
        (image, base.0)
    }

    fn message_of(kernel: &Kernel, arguments: &[Argument]) -> String {
        match bytes(kernel, arguments, &with_buffer().0, &no_files) {
            Err(Fault::Input(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    fn message(arguments: &[Argument]) -> String {
        message_of(&kernel(), arguments)
    }

    #[test]
    fn arguments_stand_at_the_offsets_of_their_parameters() {
        let (image, base) = with_buffer();
        let arguments = [Argument::I32(-2), Argument::F32(1.0), buffer()];
        let found = bytes(&kernel(), &arguments, &image, &no_files).unwrap();
        let mut expected = vec![0xfe, 0xff, 0xff, 0xff, 0, 0, 0x80, 0x3f];
        expected.extend(base.to_le_bytes());
        assert_eq!(found, expected);
    }

    #[test]
    fn a_struct_is_laid_out_as_cpp_does_it_with_addresses_inside() {
        let (image, base) = with_buffer();
        let pointer = Argument::Pointer { buffer: "x".to_owned(), offset: Size(32) };
        let found = bytes(
            &takes_struct(),
            &[Argument::Struct(vec![Argument::U8(7), Argument::I16(-2), pointer])],
            &image,
            &no_files,
        );
        let mut expected = vec![7, 0, 0xfe, 0xff, 0, 0, 0, 0];
        expected.extend((base + 32).to_le_bytes());
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn a_value_that_is_not_as_long_as_its_struct_is_refused() {
        let fields = vec![Argument::I32(1), Argument::F32(2.0), Argument::I32(3)];
        assert_eq!(
            message_of(&takes_struct(), &[Argument::Struct(fields)]),
            "argument 1 of kernel 'k' is a struct of 12 bytes, but its parameter takes 16 (p: b8[16])"
        );
        assert_eq!(
            message_of(&takes_struct(), &[Argument::Bits(1)]),
            "argument 1 of kernel 'k' is bits of 8 bytes, but its parameter takes 16 (p: b8[16])"
        );
        assert_eq!(
            message_of(&takes_struct(), &[Argument::Bytes(HexBytes(vec![0; 17]))]),
            "argument 1 of kernel 'k' is bytes of 17 bytes, but its parameter takes 16 (p: b8[16])"
        );
        let array = Argument::Array(ElementName(ElementType::U8), vec![256.0]);
        assert_eq!(
            message_of(&takes_struct(), &[array]),
            "argument 1 of kernel 'k' has the number 256, which no u8 holds"
        );
    }

    #[test]
    fn a_pointer_outside_of_its_buffer_is_refused() {
        let pointer =
            |buffer: &str, offset| Argument::Pointer { buffer: buffer.to_owned(), offset: Size(offset) };
        let with = |pointer| message(&[Argument::I32(1), Argument::F32(1.0), pointer]);
        assert_eq!(
            with(pointer("x", 65)),
            "argument 3 of kernel 'saxpy' points to byte 65 of 'x', which has 64"
        );
        assert_eq!(with(pointer("z", 0)), "argument 3 of kernel 'saxpy' points to 'z', which is no buffer");
    }

    #[test]
    fn a_missing_argument_is_named_with_the_parameters() {
        assert_eq!(
            message(&[Argument::I32(1)]),
            "kernel 'saxpy' takes 3 arguments (n: u32, a: f32, x: u64), 1 is given"
        );
    }

    #[test]
    fn a_wrong_type_is_named_with_the_parameter() {
        assert_eq!(
            message(&[Argument::I32(1), Argument::I32(2), buffer()]),
            "argument 2 of kernel 'saxpy' is an i32, but its parameter is a: f32"
        );
        assert_eq!(
            message(&[Argument::Bits(1 << 32), Argument::F32(2.0), buffer()]),
            "argument 1 of kernel 'saxpy' is bits, but its parameter is n: u32"
        );
    }
}

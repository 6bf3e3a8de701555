//! Arguments to the bytes of a kernel's parameters.

use crate::fault::Fault;
use warplab_config::launch::Argument;
use warplab_exec::MemoryImage;
use warplab_program::{Kernel, Parameter};

/// The bytes of the parameters; buffers are looked up in the image by name.
pub(crate) fn bytes(kernel: &Kernel, arguments: &[Argument], image: &MemoryImage) -> Result<Vec<u8>, Fault> {
    if arguments.len() != kernel.parameters.len() {
        return Err(Fault::input(wrong_count(kernel, arguments)));
    }
    let size =
        kernel.parameters.iter().map(|parameter| parameter.offset + parameter.bytes).max().unwrap_or(0);
    let mut bytes = vec![0; size as usize];
    for (number, (parameter, argument)) in kernel.parameters.iter().zip(arguments).enumerate() {
        let value = value(argument, image);
        if !fits(parameter, argument) {
            return Err(Fault::input(wrong_type(kernel, number, parameter, argument)));
        }
        let start = parameter.offset as usize;
        let length = (parameter.bytes as usize).min(value.len());
        bytes[start..start + length].copy_from_slice(&value[..length]);
    }
    Ok(bytes)
}

/// The bits of an argument, in the order of memory.
fn value(argument: &Argument, image: &MemoryImage) -> [u8; 8] {
    let bits = match *argument {
        Argument::Buffer { ref name, .. } => image.buffer(name).map_or(0, |buffer| buffer.base.0),
        Argument::I32(value) => u64::from(value.cast_unsigned()),
        Argument::U32(value) => u64::from(value),
        Argument::I64(value) => value.cast_unsigned(),
        Argument::U64(value) => value,
        Argument::F32(value) => u64::from(value.to_bits()),
        Argument::F64(value) => value.to_bits(),
        Argument::Bits(value) => value,
    };
    bits.to_le_bytes()
}

/// What an argument is, in words, and the types of parameters that take it.
fn describe(argument: &Argument) -> (&'static str, u32, &'static [&'static str]) {
    match argument {
        Argument::Buffer { .. } => ("a buffer", 8, &["u64", "s64", "b64"]),
        Argument::I32(_) => ("an i32", 4, &["s32", "u32", "b32"]),
        Argument::U32(_) => ("a u32", 4, &["u32", "s32", "b32"]),
        Argument::I64(_) => ("an i64", 8, &["s64", "u64", "b64"]),
        Argument::U64(_) => ("a u64", 8, &["u64", "s64", "b64"]),
        Argument::F32(_) => ("an f32", 4, &["f32", "b32"]),
        Argument::F64(_) => ("an f64", 8, &["f64", "b64"]),
        Argument::Bits(_) => ("bits", 8, &[]),
    }
}

fn fits(parameter: &Parameter, argument: &Argument) -> bool {
    let (_, size, types) = describe(argument);
    if let Argument::Bits(bits) = argument {
        return parameter.bytes >= 8 || bits >> (8 * parameter.bytes) == 0;
    }
    parameter.bytes == size && (parameter.ty.is_empty() || types.contains(&parameter.ty.as_str()))
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

fn wrong_type(kernel: &Kernel, number: usize, parameter: &Parameter, argument: &Argument) -> String {
    format!(
        "argument {} of kernel '{}' is {}, but its parameter is {}",
        number + 1,
        kernel.name,
        describe(argument).0,
        parameter_text(parameter)
    )
}

#[cfg(test)]
mod tests {
    use super::bytes;
    use crate::fault::Fault;
    use warplab_config::launch::{Argument, Init, Size};
    use warplab_exec::MemoryImage;
    use warplab_program::{Kernel, Parameter};

    fn kernel() -> Kernel {
        let parameter = |name: &str, offset, bytes, ty: &str| Parameter {
            name: name.to_owned(),
            offset,
            bytes,
            ty: ty.to_owned(),
        };
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

    fn buffer() -> Argument {
        Argument::Buffer { name: "x".to_owned(), size: Size(64), init: Init::Zero }
    }

    fn message(arguments: &[Argument]) -> String {
        match bytes(&kernel(), arguments, &MemoryImage::new()) {
            Err(Fault::Input(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn arguments_stand_at_the_offsets_of_their_parameters() {
        let mut image = MemoryImage::new();
        let base = image.allocate("x", 64, warplab_exec::Init::Zero);
        let arguments = [Argument::I32(-2), Argument::F32(1.0), buffer()];
        let found = bytes(&kernel(), &arguments, &image).unwrap();
        let mut expected = vec![0xfe, 0xff, 0xff, 0xff, 0, 0, 0x80, 0x3f];
        expected.extend(base.0.to_le_bytes());
        assert_eq!(found, expected);
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

//! Arguments as a person types them: `buffer:x:4MiB:hash_f32:1`, `f32:2.0`.

use super::{Argument, BufferSpec, ElementName, Init, Size, parse_extent, parse_size};
use std::str::FromStr;
use warplab_diagnostics::nearest_name;
use warplab_units::ElementType;

const KINDS: [&str; 21] = [
    "buffer", "pointer", "null", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32",
    "f64", "bits", "struct", "array", "tensor", "bytes", "file",
];
const RULES: [&str; 9] =
    ["zero", "index_u32", "index", "hash_f32", "hash_i32", "chain", "uniform", "normal", "file"];

/// Structs inside structs at most.
const DEEPEST: u32 = 16;

/// Reads one argument: `buffer:NAME:SIZE:RULE[:NUMBERS]`, `pointer:NAME+BYTES`, `null`, `TYPE:VALUE`,
/// `struct:{ARGUMENT; ARGUMENT}`, `array:TYPE:N,N`, `tensor:NAME:TYPE:SIZES:BOX`, `bytes:HEX` or `file:PATH`.
///
/// # Errors
/// What is wrong with the text and what is possible, in one sentence.
pub fn parse_argument(text: &str) -> Result<Argument, String> {
    argument(text, DEEPEST)
}

/// Reads a buffer that no argument declares: `NAME:SIZE:RULE[:NUMBERS]`.
///
/// # Errors
/// What is wrong with the text and what is possible, in one sentence.
pub fn parse_buffer(text: &str) -> Result<BufferSpec, String> {
    match buffer(text, text)? {
        Argument::Buffer { name, size, init } => Ok(BufferSpec { name, size, init }),
        _ => Err(format!("'{text}' is no buffer; write NAME:SIZE:RULE")),
    }
}

/// Reads what a variable of the program holds: `NAME=ARGUMENT`.
///
/// # Errors
/// What is wrong with the text and what is possible, in one sentence.
pub fn parse_symbol(text: &str) -> Result<(String, Argument), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), parse_argument(value)?))
        }
        _ => Err(format!("'{text}' is no value of a variable; write NAME=ARGUMENT, for example n=i32:7")),
    }
}

fn argument(text: &str, deepest: u32) -> Result<Argument, String> {
    let text = text.trim();
    if text == "null" {
        return Ok(Argument::Null);
    }
    let Some((kind, rest)) = text.split_once(':') else {
        return Err(format!(
            "'{text}' is not an argument; write buffer:NAME:SIZE:RULE, for example buffer:x:4MiB:hash_f32, or TYPE:VALUE, for example f32:2.0"
        ));
    };
    match kind {
        "buffer" => buffer(text, rest),
        "pointer" => pointer(text, rest),
        "i8" => number(text, rest, "a whole number from -128 to 127").map(Argument::I8),
        "u8" => number(text, rest, "a whole number from 0 to 255").map(Argument::U8),
        "i16" => number(text, rest, "a whole number from -32768 to 32767").map(Argument::I16),
        "u16" => number(text, rest, "a whole number from 0 to 65535").map(Argument::U16),
        "i32" => number(text, rest, "a whole number from -2^31 to 2^31 - 1").map(Argument::I32),
        "u32" => number(text, rest, "a whole number from 0 to 2^32 - 1").map(Argument::U32),
        "i64" => number(text, rest, "a whole number from -2^63 to 2^63 - 1").map(Argument::I64),
        "u64" => number(text, rest, "a whole number from 0 to 2^64 - 1").map(Argument::U64),
        "f16" => number(text, rest, "a number").map(Argument::F16),
        "bf16" => number(text, rest, "a number").map(Argument::Bf16),
        "f32" => number(text, rest, "a number").map(Argument::F32),
        "f64" => number(text, rest, "a number").map(Argument::F64),
        "bits" => bits(rest).map(Argument::Bits).ok_or_else(|| {
            format!("'{rest}' in '{text}' is not a word in hexadecimal, for example 0x3f800000")
        }),
        "struct" => fields(text, rest, deepest).map(Argument::Struct),
        "array" => array(text, rest),
        "tensor" => super::tensor::tensor_map(text, rest).map(Argument::Tensor),
        "bytes" => rest.parse().map(Argument::Bytes),
        "file" if !rest.is_empty() => Ok(Argument::File(rest.to_owned())),
        "file" => Err(format!("'{text}' needs a path; write file:PATH")),
        _ => Err(unknown("type", kind, text, &KINDS)),
    }
}

fn pointer(text: &str, rest: &str) -> Result<Argument, String> {
    let (name, offset) = rest.split_once('+').unwrap_or((rest, "0"));
    if name.is_empty() {
        return Err(format!("'{text}' names no buffer; write pointer:NAME or pointer:NAME+BYTES"));
    }
    let offset = parse_size(offset).map_err(|message| format!("{message}, in '{text}'"))?;
    Ok(Argument::Pointer { buffer: name.to_owned(), offset: Size(offset.0) })
}

/// The fields of `{ARGUMENT; ARGUMENT}`.
fn fields(text: &str, rest: &str, deepest: u32) -> Result<Vec<Argument>, String> {
    if deepest == 0 {
        return Err(format!("structs are nested more than {DEEPEST} deep"));
    }
    let inside = rest.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let wrong = || format!("'{text}' is no struct; write struct:{{i32:1; f32:2.0}}");
    let inside = inside.ok_or_else(wrong)?;
    let (mut depth, mut start, mut parts) = (0_u32, 0, Vec::new());
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1).ok_or_else(wrong)?,
            ';' if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[start..]);
    parts.into_iter().filter(|part| !part.trim().is_empty()).map(|part| argument(part, deepest - 1)).collect()
}

fn array(text: &str, rest: &str) -> Result<Argument, String> {
    let (name, numbers) = rest.split_once(':').unwrap_or((rest, ""));
    let names = ElementType::ALL.map(ElementType::name);
    let element =
        ElementType::from_name(name).ok_or_else(|| unknown("type of elements", name, text, &names))?;
    let numbers = numbers.split(',').filter(|part| !part.trim().is_empty());
    let numbers: Result<Vec<f64>, String> =
        numbers.map(|part| number(text, part.trim(), "a number")).collect();
    Ok(Argument::Array(ElementName(element), numbers?))
}

fn unknown(what: &str, wrong: &str, text: &str, known: &[&str]) -> String {
    let near = nearest_name(wrong, known.iter().copied());
    let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
    format!("unknown {what} '{wrong}' in '{text}';{near} known: {}", known.join(", "))
}

fn number<T: FromStr>(text: &str, value: &str, expected: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("'{value}' in '{text}' is not {expected}"))
}

fn bits(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

fn buffer(text: &str, rest: &str) -> Result<Argument, String> {
    let mut parts = rest.splitn(4, ':');
    let name = parts.next().unwrap_or_default();
    if name.is_empty() {
        return Err(format!("the buffer of '{text}' has no name; write buffer:NAME:SIZE:RULE"));
    }
    let Some(size) = parts.next() else {
        return Err(format!("the buffer of '{text}' has no size; write buffer:{name}:SIZE:RULE"));
    };
    let size = parse_extent(size).map_err(|message| format!("{message}, in '{text}'"))?;
    let rule = parts.next().unwrap_or("zero");
    let init = init(text, rule, parts.next())?;
    Ok(Argument::Buffer { name: name.to_owned(), size, init })
}

/// A rule with its numbers, all of which have defaults except the file's name.
fn init(text: &str, rule: &str, rest: Option<&str>) -> Result<Init, String> {
    let numbers: Vec<&str> = rest.map(|rest| rest.split(':').collect()).unwrap_or_default();
    let most = match rule {
        "hash_f32" | "hash_i32" | "chain" => 1,
        "uniform" | "normal" => 3,
        _ => 0,
    };
    if rule != "file" && RULES.contains(&rule) && numbers.len() > most {
        return Err(format!("'{rule}' in '{text}' takes at most {most} numbers, not {}", numbers.len()));
    }
    let whole = |at: usize, default: u32| {
        numbers.get(at).map_or(Ok(default), |value| number(text, value, "a whole number from 0 to 2^32 - 1"))
    };
    let real = |at: usize, default: f32| {
        numbers.get(at).map_or(Ok(default), |value| number(text, value, "a number"))
    };
    Ok(match rule {
        "zero" => Init::Zero,
        "index_u32" => Init::IndexU32,
        "index" => Init::Index,
        "hash_f32" => Init::HashF32(whole(0, 0)?),
        "hash_i32" => Init::HashI32(whole(0, 0)?),
        "chain" => Init::Chain(whole(0, 1)?),
        "uniform" => Init::Uniform { low: real(0, 0.0)?, high: real(1, 1.0)?, seed: whole(2, 0)? },
        "normal" => Init::Normal { mean: real(0, 0.0)?, deviation: real(1, 1.0)?, seed: whole(2, 0)? },
        "file" => match rest {
            Some(path) if !path.is_empty() => Init::File(path.to_owned()),
            _ => return Err(format!("'file' in '{text}' needs a path; write buffer:NAME:SIZE:file:PATH")),
        },
        _ => return Err(unknown("rule", rule, text, &RULES)),
    })
}

#[cfg(test)]
mod tests {
    use super::parse_argument;
    use crate::launch::{Argument, ElementName, ElementType, Extent, HexBytes, Init, Size};

    fn buffer(init: Init) -> Result<Argument, String> {
        Ok(Argument::Buffer { name: "x".into(), size: Size(4 << 20).into(), init })
    }

    #[test]
    fn structs_pointers_and_narrow_numbers_are_read() {
        let pointer = Argument::Pointer { buffer: "x".into(), offset: Size(256) };
        assert_eq!(parse_argument("pointer:x+256"), Ok(pointer.clone()));
        assert_eq!(parse_argument("null"), Ok(Argument::Null));
        assert_eq!(parse_argument("u8:255"), Ok(Argument::U8(255)));
        assert_eq!(parse_argument("f16:1.5"), Ok(Argument::F16(1.5)));
        assert_eq!(parse_argument("bytes:00ff"), Ok(Argument::Bytes(HexBytes(vec![0, 255]))));
        let array = Argument::Array(ElementName(ElementType::F32), vec![1.0, 2.5]);
        assert_eq!(parse_argument("array:f32:1,2.5"), Ok(array.clone()));
        assert_eq!(
            parse_argument("struct:{i32:1; pointer:x+256; struct:{array:f32:1,2.5; null}}"),
            Ok(Argument::Struct(vec![
                Argument::I32(1),
                pointer,
                Argument::Struct(vec![array, Argument::Null])
            ]))
        );
        let typed = Argument::Buffer {
            name: "x".into(),
            size: Extent { bytes: 2000, element: Some(ElementType::I16) },
            init: Init::Index,
        };
        assert_eq!(parse_argument("buffer:x:1000 x i16:index"), Ok(typed.clone()));
        assert_eq!(parse_argument("buffer:x:2000 as i16:index"), Ok(typed));
        assert_eq!(
            parse_argument("u8:256").unwrap_err(),
            "'256' in 'u8:256' is not a whole number from 0 to 255"
        );
        assert_eq!(
            parse_argument("struct:i32:1").unwrap_err(),
            "'struct:i32:1' is no struct; write struct:{i32:1; f32:2.0}"
        );
    }

    #[test]
    fn buffers_and_scalars_are_read() {
        assert_eq!(parse_argument("buffer:x:4MiB:hash_f32"), buffer(Init::HashF32(0)));
        assert_eq!(parse_argument("buffer:x:4MiB:hash_f32:1"), buffer(Init::HashF32(1)));
        assert_eq!(
            parse_argument("buffer:x:2^20 x f32"),
            Ok(Argument::Buffer {
                name: "x".into(),
                size: Extent { bytes: 4 << 20, element: Some(ElementType::F32) },
                init: Init::Zero,
            })
        );
        assert_eq!(
            parse_argument("buffer:x:4MiB:uniform:-1:1:7"),
            buffer(Init::Uniform { low: -1.0, high: 1.0, seed: 7 })
        );
        assert_eq!(parse_argument("buffer:x:4MiB:file:a:b.bin"), buffer(Init::File("a:b.bin".into())));
        assert_eq!(parse_argument("f32:2.0"), Ok(Argument::F32(2.0)));
        assert_eq!(parse_argument("i32:-3"), Ok(Argument::I32(-3)));
        assert_eq!(parse_argument("bits:0x3f800000"), Ok(Argument::Bits(0x3f80_0000)));
    }

    #[test]
    fn faults_name_what_is_wrong_and_what_is_possible() {
        let message = |text| parse_argument(text).unwrap_err();
        assert_eq!(
            message("buffer:x:4MB:zero"),
            "unknown unit 'MB' of the size '4MB'; known: B, KiB, MiB, GiB, or elements such as x f32, in 'buffer:x:4MB:zero'"
        );
        assert_eq!(
            message("buffer:x:4MiB:hash32"),
            "unknown rule 'hash32' in 'buffer:x:4MiB:hash32'; did you mean 'hash_f32'? known: zero, index_u32, index, hash_f32, hash_i32, chain, uniform, normal, file"
        );
        assert_eq!(message("i32:1.5"), "'1.5' in 'i32:1.5' is not a whole number from -2^31 to 2^31 - 1");
        assert_eq!(
            message("float:1"),
            "unknown type 'float' in 'float:1'; known: buffer, pointer, null, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, bits, struct, array, tensor, bytes, file"
        );
        assert_eq!(
            message("buffer:x:1KiB:zero:3"),
            "'zero' in 'buffer:x:1KiB:zero:3' takes at most 0 numbers, not 1"
        );
    }
}

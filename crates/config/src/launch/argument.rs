//! Arguments as a person types them: `buffer:x:4MiB:hash_f32:1`, `f32:2.0`.

use super::{Argument, Init, parse_size};
use std::str::FromStr;
use warplab_diagnostics::nearest_name;

const KINDS: [&str; 8] = ["buffer", "i32", "u32", "i64", "u64", "f32", "f64", "bits"];
const RULES: [&str; 8] = ["zero", "index_u32", "hash_f32", "hash_i32", "chain", "uniform", "normal", "file"];

/// Reads one argument: `buffer:NAME:SIZE:RULE[:NUMBERS]` or `TYPE:VALUE`.
///
/// # Errors
/// What is wrong with the text and what is possible, in one sentence.
pub fn parse_argument(text: &str) -> Result<Argument, String> {
    let Some((kind, rest)) = text.split_once(':') else {
        return Err(format!(
            "'{text}' is not an argument; write buffer:NAME:SIZE:RULE, for example buffer:x:4MiB:hash_f32, or TYPE:VALUE, for example f32:2.0"
        ));
    };
    match kind {
        "buffer" => buffer(text, rest),
        "i32" => number(text, rest, "a whole number from -2^31 to 2^31 - 1").map(Argument::I32),
        "u32" => number(text, rest, "a whole number from 0 to 2^32 - 1").map(Argument::U32),
        "i64" => number(text, rest, "a whole number from -2^63 to 2^63 - 1").map(Argument::I64),
        "u64" => number(text, rest, "a whole number from 0 to 2^64 - 1").map(Argument::U64),
        "f32" => number(text, rest, "a number").map(Argument::F32),
        "f64" => number(text, rest, "a number").map(Argument::F64),
        "bits" => bits(rest).map(Argument::Bits).ok_or_else(|| {
            format!("'{rest}' in '{text}' is not a word in hexadecimal, for example 0x3f800000")
        }),
        _ => Err(unknown("type", kind, text, &KINDS)),
    }
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
    let size = parse_size(size).map_err(|message| format!("{message}, in '{text}'"))?;
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
    use crate::launch::{Argument, Init, Size};

    fn buffer(init: Init) -> Result<Argument, String> {
        Ok(Argument::Buffer { name: "x".into(), size: Size(4 << 20), init })
    }

    #[test]
    fn buffers_and_scalars_are_read() {
        assert_eq!(parse_argument("buffer:x:4MiB:hash_f32"), buffer(Init::HashF32(0)));
        assert_eq!(parse_argument("buffer:x:4MiB:hash_f32:1"), buffer(Init::HashF32(1)));
        assert_eq!(parse_argument("buffer:x:2^20 x f32"), buffer(Init::Zero));
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
            "unknown rule 'hash32' in 'buffer:x:4MiB:hash32'; did you mean 'hash_f32'? known: zero, index_u32, hash_f32, hash_i32, chain, uniform, normal, file"
        );
        assert_eq!(message("i32:1.5"), "'1.5' in 'i32:1.5' is not a whole number from -2^31 to 2^31 - 1");
        assert_eq!(
            message("float:1"),
            "unknown type 'float' in 'float:1'; known: buffer, i32, u32, i64, u64, f32, f64, bits"
        );
        assert_eq!(
            message("buffer:x:1KiB:zero:3"),
            "'zero' in 'buffer:x:1KiB:zero:3' takes at most 0 numbers, not 1"
        );
    }
}

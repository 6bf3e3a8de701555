//! One line of `NAME.cases.jsonl`.

use super::{Case, Checksum};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::BTreeMap;
use warplab_config::launch::{Argument, BufferSpec, Init, Size};
use warplab_diagnostics::{Diagnostic, Source, Span, nearest_name};
use warplab_exec::LaunchShape;

/// The rules that fill buffers.
const RULES: [&str; 7] = ["zero", "index_u32", "hash_f32", "hash_i32", "chain", "bits", "pieces"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    case: String,
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    #[serde(default)]
    dynamic_shared_bytes: u32,
    /// Bytes of a buffer that the program held beside those of the case, allocated before them.
    #[serde(default)]
    held: u64,
    /// Bytes that the profiler had written and left in L2.
    #[serde(default)]
    left_dirty: u64,
    /// Buffers that no argument declares.
    #[serde(default)]
    buffers: Vec<LineArgument>,
    args: Vec<LineArgument>,
    #[serde(default)]
    checksums: BTreeMap<String, (String, String)>,
    #[serde(default)]
    clock: Vec<u64>,
}

/// A buffer, a scalar or a struct.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LineArgument {
    buffer: Option<String>,
    bytes: u64,
    init: String,
    seed: u32,
    stride: u32,
    and: u32,
    or: u32,
    pieces: Vec<Piece>,
    i32: Option<i32>,
    u64: Option<u64>,
    r#struct: Option<Vec<Piece>>,
}

/// A piece of a struct or of a buffer.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Piece {
    /// Bytes in hexadecimal.
    Bytes { bytes: String },
    /// The address of a place in a buffer.
    Pointer { pointer: String, offset: u64 },
}

/// Reads every line; faults are added.
pub(super) fn read_all(source: &Source, faults: &mut Vec<Diagnostic>) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut start = 0;
    for text in source.text.split_inclusive('\n') {
        let span = Span::new(start, start + text.trim_end().len());
        start += text.len();
        if text.trim().is_empty() {
            continue;
        }
        match read(text, span) {
            Ok(case) if cases.iter().any(|other| other.name == case.name) => {
                faults.push(Diagnostic::error(span, format!("case '{}' is there twice", case.name)));
            }
            Ok(case) => cases.push(case),
            Err(fault) => faults.push(fault),
        }
    }
    if cases.is_empty() && faults.is_empty() {
        faults.push(Diagnostic::error(Span::new(0, 0), "there is no case"));
    }
    cases
}

fn read(text: &str, span: Span) -> Result<Case, Diagnostic> {
    let line: Line = serde_json::from_str(text).map_err(|error| {
        let at = (span.start as usize + error.column().saturating_sub(1)).min(span.end as usize);
        // The reader counts lines of the text that it was given: there is one.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Diagnostic::error(Span::new(at, span.end as usize), format!("this is no case: {message}"))
    })?;
    let fault = |message: String| Diagnostic::error(span, message);
    let arguments: Result<_, String> = line.args.into_iter().map(argument).collect();
    let checksums: Result<_, String> = line.checksums.into_iter().map(checksum).collect();
    Ok(Case {
        name: line.case,
        kernel: line.kernel,
        shape: LaunchShape {
            grid: line.grid,
            block: line.block,
            dynamic_shared_bytes: line.dynamic_shared_bytes,
        },
        buffers: buffers(line.held, line.buffers).map_err(fault)?,
        left_dirty: line.left_dirty,
        arguments: arguments.map_err(fault)?,
        checksums: checksums.map_err(fault)?,
        clock: line.clock,
        metrics: FxHashMap::default(),
    })
}

/// Buffers that no argument declares.
fn buffers(held: u64, others: Vec<LineArgument>) -> Result<Vec<BufferSpec>, String> {
    let held = BufferSpec { name: "held".to_owned(), size: Size(held).into(), init: Init::Zero };
    let mut buffers: Vec<BufferSpec> = if held.size.bytes == 0 { Vec::new() } else { vec![held] };
    for mut other in others {
        let Some(name) = other.buffer.take() else {
            return Err("a buffer is {\"buffer\": NAME, \"bytes\": N, \"init\": RULE, ...}".to_owned());
        };
        buffers.push(BufferSpec { name, size: Size(other.bytes).into(), init: init(other)? });
    }
    Ok(buffers)
}

fn argument(mut argument: LineArgument) -> Result<Argument, String> {
    match (argument.buffer.take(), argument.i32, argument.u64, argument.r#struct.take()) {
        (Some(name), None, None, None) => {
            let size = Size(argument.bytes).into();
            Ok(Argument::Buffer { name, size, init: init(argument)? })
        }
        // The bits, whatever the type of the parameter is.
        (None, Some(value), None, None) => Ok(Argument::Bits(u64::from(value.cast_unsigned()))),
        (None, None, Some(value), None) => Ok(Argument::Bits(value)),
        (None, None, None, Some(pieces)) => Ok(Argument::Struct(values(pieces)?)),
        _ => Err(
            "an argument is one of {\"buffer\": NAME, ...}, {\"i32\": N}, {\"u64\": N}, {\"struct\": [...]}"
                .to_owned(),
        ),
    }
}

/// What fills a buffer.
fn init(argument: LineArgument) -> Result<Init, String> {
    Ok(match argument.init.as_str() {
        "zero" => Init::Zero,
        "index_u32" => Init::IndexU32,
        "hash_f32" => Init::HashF32(argument.seed),
        "hash_i32" => Init::HashI32(argument.seed),
        "chain" => Init::Chain(argument.stride),
        "bits" => Init::HashBits { seed: argument.seed, keep: argument.and, set: argument.or },
        "pieces" => Init::Values(values(argument.pieces)?),
        other => {
            let near = nearest_name(other, RULES);
            let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
            return Err(format!("unknown rule '{other}';{near} known: {}", RULES.join(", ")));
        }
    })
}

fn values(pieces: Vec<Piece>) -> Result<Vec<Argument>, String> {
    let value = |piece| match piece {
        Piece::Bytes { bytes } => bytes.parse().map(Argument::Bytes),
        Piece::Pointer { pointer, offset } => Ok(Argument::Pointer { buffer: pointer, offset: Size(offset) }),
    };
    pieces.into_iter().map(value).collect()
}

fn checksum((buffer, (sum, xor)): (String, (String, String))) -> Result<Checksum, String> {
    let hexadecimal = |text: &str| {
        u64::from_str_radix(text, 16).map_err(|_| format!("the checksum '{text}' is not hexadecimal"))
    };
    Ok(Checksum { sum: hexadecimal(&sum)?, xor: hexadecimal(&xor)?, buffer })
}

#[cfg(test)]
mod tests {
    use super::read_all;
    use warplab_diagnostics::Source;

    fn messages(text: &str) -> Vec<String> {
        let source = Source::new("cases.jsonl", text);
        let mut faults = Vec::new();
        read_all(&source, &mut faults);
        let place = |at: u32| source.line(at);
        faults.iter().map(|fault| format!("{}: {}", place(fault.span.start), fault.message)).collect()
    }

    #[test]
    fn every_line_that_is_no_case_is_reported_with_its_line() {
        let good = r#"{"case":"a","kernel":"k","grid":[1,1,1],"block":[32,1,1],"args":[{"i32":1}]}"#;
        let rule =
            good.replace("\"a\"", "\"b\"").replace("{\"i32\":1}", r#"{"buffer":"x","bytes":4,"init":"zer"}"#);
        let text = format!("{good}\n{rule}\n{{\"case\":\"c\"}}\n{good}\n");
        assert_eq!(
            messages(&text),
            [
                "2: unknown rule 'zer'; did you mean 'zero'? known: zero, index_u32, hash_f32, hash_i32, chain, bits, pieces",
                "3: this is no case: missing field `kernel`",
                "4: case 'a' is there twice",
            ]
        );
    }

    #[test]
    fn an_empty_file_is_a_fault() {
        assert_eq!(messages("\n"), ["1: there is no case"]);
    }
}

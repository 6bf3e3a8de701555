//! The hardware's cases, run on lowered PTX by the functional interpreter.
#![allow(dead_code, unreachable_pub, missing_docs)]

use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use warplab_diagnostics::Source;
use warplab_exec::interpreter::{Limits, run};
use warplab_exec::{Init, LaunchShape, MemoryImage};
use warplab_lower::{Lowered, Options, lower};
use warplab_program::Program;

/// The folder of the reference.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../traces/h200")
}

pub fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap_or_else(|fault| panic!("{name}: {fault}"))
}

/// Parses and lowers PTX text; panics with the rendered faults.
pub fn lowered(name: &str, text: String, options: &Options) -> Lowered {
    let source = Source::new(name, text);
    let parsed = warplab_ptx::parse(&source);
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|it| it.is_error()).cloned().collect();
    assert!(errors.is_empty(), "{}", warplab_diagnostics::render(&source, &errors));
    match lower(&parsed.module, &source, options) {
        Ok(lowered) => lowered,
        Err(faults) => panic!("{}", warplab_diagnostics::render(&source, &faults)),
    }
}

/// One launch of the reference.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub kernel: String,
    pub value: Value,
    /// `smsp__inst_executed.sum`, if it was measured.
    pub instructions: Option<f64>,
    /// `launch__registers_per_thread`.
    pub registers: Option<f64>,
}

pub fn cases(suite: &str) -> Vec<Case> {
    let metrics = text(&format!("{suite}.metrics.csv"));
    let mut lines = metrics.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    let column = |name: &str| header.iter().position(|it| *it == name).unwrap_or(0);
    let (instructions, registers) =
        (column("smsp__inst_executed.sum"), column("launch__registers_per_thread"));
    let measured: HashMap<String, (f64, f64)> = lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let number = |at: usize| fields[at].parse().unwrap_or(0.0);
            (fields[0].to_owned(), (number(instructions), number(registers)))
        })
        .collect();
    text(&format!("{suite}.cases.jsonl"))
        .lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).expect("a case is JSON");
            let name = value["case"].as_str().unwrap_or("").to_owned();
            Case {
                kernel: value["kernel"].as_str().unwrap_or("").to_owned(),
                instructions: measured.get(&name).map(|it| it.0),
                registers: measured.get(&name).map(|it| it.1),
                name,
                value,
            }
        })
        .collect()
}

/// What became of a case.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub warp_instructions: u64,
    /// Buffers whose checksum differs from the hardware's.
    pub wrong: Vec<String>,
}

fn triple(value: &Value) -> [u32; 3] {
    std::array::from_fn(|index| value[index].as_u64().unwrap_or(1) as u32)
}

/// Runs a case.
pub fn run_case(program: &Program, case: &Case) -> Result<Outcome, String> {
    let kernel = program.kernel(&case.kernel).ok_or("no such kernel")?;
    let value = &case.value;
    let shape = LaunchShape {
        grid: triple(&value["grid"]),
        block: triple(&value["block"]),
        dynamic_shared_bytes: value["dynamic_shared_bytes"].as_u64().unwrap_or(0) as u32,
    };
    let mut image = MemoryImage::new();
    let mut parameters = Vec::new();
    for argument in value["args"].as_array().into_iter().flatten() {
        if let Some(name) = argument["buffer"].as_str() {
            let seed = argument["seed"].as_u64().unwrap_or(0) as u32;
            let init = match argument["init"].as_str().unwrap_or("") {
                "index_u32" => Init::IndexU32,
                "hash_f32" => Init::HashF32 { seed },
                "hash_i32" => Init::HashI32 { seed },
                "chain" => Init::Chain { stride: argument["stride"].as_u64().unwrap_or(0) as u32 },
                _ => Init::Zero,
            };
            let base = image.allocate(name, argument["bytes"].as_u64().unwrap_or(0), init);
            parameters.resize(parameters.len().next_multiple_of(8), 0);
            parameters.extend(base.0.to_le_bytes());
        } else {
            parameters.extend((argument["i32"].as_i64().unwrap_or(0) as i32).to_le_bytes());
        }
    }
    let limits = Limits { block_instructions: 50_000_000, ..Limits::default() };
    let statistics = run(program, kernel, shape, &parameters, &Default::default(), &image, limits)
        .map_err(|fault| fault.to_string())?;
    let mut wrong = Vec::new();
    for (name, expected) in value["checksums"].as_object().into_iter().flatten() {
        let Some(buffer) = image.buffer(name) else { continue };
        let (sum, xor) = image.checksum(buffer, 0..buffer.words());
        let expected = (expected[0].as_str().unwrap_or(""), expected[1].as_str().unwrap_or(""));
        if (format!("{sum:016x}").as_str(), format!("{xor:016x}").as_str()) != expected {
            wrong.push(name.clone());
        }
    }
    Ok(Outcome { warp_instructions: statistics.warp_instructions, wrong })
}

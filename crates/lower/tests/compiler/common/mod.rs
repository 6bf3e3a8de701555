//! The hardware's cases, run on lowered PTX by the functional interpreter.
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use warplab_diagnostics::Source;
use warplab_exec::interpreter::{Limits, run};
use warplab_exec::{Init, LaunchShape, MemoryImage};
use warplab_lower::{LowerOptions, Lowered, lower};
use warplab_program::Program;

/// The folder of the reference.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../traces/h200")
}

pub(crate) fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap_or_else(|fault| panic!("{name}: {fault}"))
}

/// All passes for the machine of the reference, as its file describes it.
pub(crate) fn options() -> LowerOptions {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../configs/gpus/h200.ron");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
    let source = Source::new("h200.ron", text);
    let faults = |faults: Vec<_>| panic!("{}", warplab_diagnostics::render(&source, &faults));
    LowerOptions::new(warplab_config::load_gpu(&source).unwrap_or_else(faults).target())
}

/// Parses and lowers PTX text; panics with the rendered faults.
pub(crate) fn lowered(name: &str, text: String, options: &LowerOptions) -> Lowered {
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
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) kernel: String,
    pub(crate) value: Value,
    /// `smsp__inst_executed.sum`, if it was measured.
    pub(crate) instructions: Option<f64>,
}

pub(crate) fn cases(suite: &str) -> Vec<Case> {
    let metrics = text(&format!("{suite}.metrics.csv"));
    let mut lines = metrics.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    let instructions = header.iter().position(|it| *it == "smsp__inst_executed.sum").expect("the column");
    let measured: HashMap<String, f64> = lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            (fields[0].to_owned(), fields[instructions].parse().unwrap_or(0.0))
        })
        .collect();
    text(&format!("{suite}.cases.jsonl"))
        .lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).expect("a case is JSON");
            let name = value["case"].as_str().unwrap_or("").to_owned();
            Case {
                kernel: value["kernel"].as_str().unwrap_or("").to_owned(),
                instructions: measured.get(&name).copied(),
                name,
                value,
            }
        })
        .collect()
}

fn triple(value: &Value) -> [u32; 3] {
    std::array::from_fn(|index| value[index].as_u64().unwrap_or(1) as u32)
}

/// Runs a case; gives the buffers whose checksum differs from the hardware's.
pub(crate) fn run_case(program: &Program, case: &Case) -> Result<Vec<String>, String> {
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
    run(program, kernel, shape, &parameters, &Default::default(), &image, limits)
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
    Ok(wrong)
}

/// Runs `operation` (PTX with `%a`, `%b` and the result `%d` of the given PTX type) on pairs of values.
pub(crate) fn compute(ty: &str, bytes: usize, operation: &str, pairs: &[(u64, u64)]) -> Vec<u64> {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{\n\
         .reg .{ty} %a, %b, %d; .reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .pred %p<3>;\n\
         ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [n];\n\
         mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;\n\
         setp.ge.u32 %p1, %r5, %r1; @%p1 bra DONE;\n\
         mul.wide.u32 %rd3, %r5, {two}; add.s64 %rd4, %rd1, %rd3;\n\
         ld.global.{ty} %a, [%rd4]; ld.global.{ty} %b, [%rd4+{bytes}];\n\
         {operation}\n\
         mul.wide.u32 %rd3, %r5, {bytes}; add.s64 %rd5, %rd2, %rd3; st.global.{ty} [%rd5], %d;\nDONE: ret; }}\n",
        two = 2 * bytes,
    );
    let lowered = lowered("precise.ptx", text, &options());
    let mut input = Vec::new();
    for &(a, b) in pairs {
        input.extend(&a.to_le_bytes()[..bytes]);
        input.extend(&b.to_le_bytes()[..bytes]);
    }
    let mut image = MemoryImage::new();
    let from = image.allocate("in", input.len() as u64, Init::Bytes(input.into()));
    let to = image.allocate("out", (pairs.len() * bytes) as u64, Init::Zero);
    let mut parameters = Vec::new();
    parameters.extend(from.0.to_le_bytes());
    parameters.extend(to.0.to_le_bytes());
    parameters.extend((pairs.len() as u32).to_le_bytes());
    let shape = LaunchShape {
        grid: [pairs.len().div_ceil(256) as u32, 1, 1],
        block: [256, 1, 1],
        dynamic_shared_bytes: 0,
    };
    let kernel = lowered.program.kernel("k").expect("the kernel");
    run(&lowered.program, kernel, shape, &parameters, &Default::default(), &image, Limits::default())
        .unwrap_or_else(|fault| panic!("{operation}: {fault}"));
    let read = image.read_bytes(to, (pairs.len() * bytes) as u64).expect("the results");
    read.chunks(bytes)
        .map(|chunk| {
            let mut word = [0; 8];
            word[..bytes].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        })
        .collect()
}

pub(crate) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let x = *state ^ *state >> 29;
    x.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ x >> 32
}

/// Edge cases with one another, and random pairs.
pub(crate) fn pairs(edges: &[u64], count: usize) -> Vec<(u64, u64)> {
    let mut pairs: Vec<(u64, u64)> = edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))).collect();
    let mut state = 12345;
    for _ in 0..count {
        let (a, b) = (random(&mut state), random(&mut state));
        pairs.push((a, b));
        // Of like size, and small.
        pairs.push((a, a ^ random(&mut state) >> 40));
        pairs.push((a >> (b & 63), b >> (a & 63)));
    }
    pairs
}

pub(crate) fn check(
    ty: &str,
    bytes: usize,
    operation: &str,
    pairs: &[(u64, u64)],
    host: impl Fn(u64, u64) -> Option<u64>,
) {
    let results = compute(ty, bytes, operation, pairs);
    let mut wrong = Vec::new();
    for (&(a, b), &got) in pairs.iter().zip(&results) {
        if let Some(expected) = host(a, b)
            && expected != got
        {
            wrong.push(format!("{operation} {a:#x} {b:#x}: {got:#x}, host {expected:#x}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong\n{}",
        wrong.len(),
        pairs.len(),
        wrong[..wrong.len().min(12)].join("\n")
    );
}

/// Lowers a text on a thread of its own and returns the listing of its first kernel; fails if that takes longer than
/// some seconds.
pub(crate) fn within(seconds: u64, text: String) -> String {
    let (done, result) = std::sync::mpsc::channel();
    let start: String = text.chars().take(400).collect();
    std::thread::spawn(move || {
        let lowered = lowered("chain.ptx", text, &options());
        let listing = warplab_program::listing::write_kernel(&lowered.program.kernels[0], &[]);
        // Nobody listens any more after the time is over.
        let _ = done.send(listing);
    });
    result
        .recv_timeout(std::time::Duration::from_secs(seconds))
        .unwrap_or_else(|_| panic!("not lowered within {seconds} s: {start}"))
}

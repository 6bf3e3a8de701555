//! The hardware reference as tests see it: cases, metrics, and how one is run.

use rustc_hash::FxHashMap;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use warplab_config::GpuConfig;
use warplab_diagnostics::Source;
use warplab_exec::{Init, LaunchShape, MemoryImage};
use warplab_gpu::{Launch, PreparedLaunch, RunOptions, RunOutcome};
use warplab_program::Program;

/// A file of the project.
#[must_use]
pub fn project_file(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// The text of a file of the project.
#[must_use]
pub fn read(path: &str) -> String {
    std::fs::read_to_string(project_file(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A machine of `configs/gpus`.
#[must_use]
pub fn gpu(name: &str) -> GpuConfig {
    let path = format!("configs/gpus/{name}.ron");
    let source = Source::new(path.clone(), read(&path));
    warplab_config::load_gpu(&source)
        .unwrap_or_else(|faults| panic!("{}", warplab_diagnostics::render(&source, &faults)))
}

/// One argument of a case.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A buffer.
    Buffer {
        /// Its name.
        name: String,
        /// Its size.
        bytes: u64,
        /// What it holds at first.
        init: Init,
    },
    /// Four bytes.
    Scalar(i32),
}

/// One launch of the hardware suite.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// The kernel.
    pub kernel: String,
    /// Grid, block and dynamic shared memory.
    pub shape: LaunchShape,
    /// The arguments, in order.
    pub arguments: Vec<Argument>,
    /// The checksums of output buffers on the hardware.
    pub checksums: Vec<(String, u64, u64)>,
    /// What the hardware read from its clock, if the kernel did.
    pub clock: Vec<u64>,
    /// What the profiler measured, by metric id; empty for kernels that read the clock.
    pub metrics: FxHashMap<String, f64>,
}

/// The cases of one suite (`suite` or `micro`).
#[must_use]
pub fn cases(suite: &str) -> Vec<Case> {
    let mut metrics = metrics(suite);
    read(&format!("traces/h200/{suite}.cases.jsonl"))
        .lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).expect("a case is JSON");
            let mut case = case(&value);
            case.metrics = metrics.remove(&case.name).unwrap_or_default();
            case
        })
        .collect()
}

fn metrics(suite: &str) -> FxHashMap<String, FxHashMap<String, f64>> {
    let text = read(&format!("traces/h200/{suite}.metrics.csv"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let row = |record: csv::StringRecord| {
        let values = header.iter().zip(&record).skip(2);
        let numbers = values.filter_map(|(id, value)| Some((id.to_owned(), value.parse().ok()?))).collect();
        (record[0].to_owned(), numbers)
    };
    reader.records().map(|record| row(record.expect("a record"))).collect()
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn case(value: &Value) -> Case {
    let three = |field: &str| [0, 1, 2].map(|axis| number(&value[field][axis]) as u32);
    let checksums = value["checksums"].as_object().expect("checksums").iter();
    let hex =
        |text: &Value| u64::from_str_radix(text.as_str().expect("a checksum"), 16).expect("hexadecimal");
    Case {
        name: value["case"].as_str().expect("a name").to_owned(),
        kernel: value["kernel"].as_str().expect("a kernel").to_owned(),
        shape: LaunchShape {
            grid: three("grid"),
            block: three("block"),
            dynamic_shared_bytes: number(&value["dynamic_shared_bytes"]) as u32,
        },
        arguments: value["args"].as_array().expect("arguments").iter().map(argument).collect(),
        checksums: checksums.map(|(name, sums)| (name.clone(), hex(&sums[0]), hex(&sums[1]))).collect(),
        clock: value["clock"].as_array().map_or(Vec::new(), |words| words.iter().map(number).collect()),
        metrics: FxHashMap::default(),
    }
}

fn argument(value: &Value) -> Argument {
    if let Some(scalar) = value.get("i32") {
        return Argument::Scalar(scalar.as_i64().expect("a scalar") as i32);
    }
    let seed = number(&value["seed"]) as u32;
    let init = match value["init"].as_str().expect("a rule") {
        "zero" => Init::Zero,
        "index_u32" => Init::IndexU32,
        "hash_f32" => Init::HashF32 { seed },
        "hash_i32" => Init::HashI32 { seed },
        "chain" => Init::Chain { stride: number(&value["stride"]) as u32 },
        other => panic!("unknown rule {other}"),
    };
    let name = value["buffer"].as_str().expect("a buffer").to_owned();
    Argument::Buffer { name, bytes: number(&value["bytes"]), init }
}

/// Device memory and parameters of a case for a kernel of a program.
#[must_use]
pub fn set_up(case: &Case) -> (MemoryImage, Vec<u8>) {
    let mut image = MemoryImage::new();
    let mut parameters = Vec::new();
    for argument in &case.arguments {
        match argument {
            Argument::Buffer { name, bytes, init } => {
                let base = image.allocate(name.as_str(), *bytes, init.clone());
                parameters.resize(parameters.len().next_multiple_of(8), 0);
                parameters.extend(base.0.to_le_bytes());
            }
            Argument::Scalar(value) => parameters.extend(value.to_le_bytes()),
        }
    }
    (image, parameters)
}

/// What a simulated case gave.
#[derive(Debug)]
pub struct Simulated {
    /// Counters.
    pub outcome: RunOutcome,
    /// Device memory afterwards.
    pub image: MemoryImage,
}

/// A case that is ready to run.
#[derive(Debug)]
pub struct Loaded {
    /// The launch.
    pub prepared: PreparedLaunch,
    /// Device memory.
    pub image: MemoryImage,
}

/// Makes a case ready to run on a machine.
///
/// # Errors
/// Why it cannot run.
pub fn load(config: &GpuConfig, program: &Program, case: &Case) -> Result<Loaded, String> {
    let (mut image, parameters) = set_up(case);
    let symbols = warplab_exec::allocate_globals(program, &mut image).map_err(|fault| fault.to_string())?;
    let launch = Launch {
        program,
        kernel: &case.kernel,
        shape: case.shape,
        parameters: &parameters,
        symbols: &symbols,
    };
    let prepared = warplab_gpu::prepare(config, &launch).map_err(|fault| fault.to_string())?;
    Ok(Loaded { prepared, image })
}

/// Runs a case on a machine.
///
/// # Errors
/// Why it did not run to its end.
pub fn simulate(config: &GpuConfig, program: &Program, case: &Case) -> Result<Simulated, String> {
    let Loaded { prepared, image } = load(config, program, case)?;
    let outcome = warplab_gpu::run(config, &prepared, &image, RunOptions::default())
        .map_err(|fault| fault.to_string())?;
    Ok(Simulated { outcome, image })
}

/// The outputs whose checksum differs from the hardware's.
#[must_use]
pub fn wrong_outputs(case: &Case, image: &MemoryImage) -> Vec<String> {
    case.checksums
        .iter()
        .filter(|(name, sum, xor)| {
            let buffer = image.buffer(name).expect("the output is a buffer");
            image.checksum(buffer, 0..buffer.bytes / 4) != (*sum, *xor)
        })
        .map(|(name, _, _)| name.clone())
        .collect()
}

/// The program of a suite, as the simulator's own compiler makes it from the PTX for a machine.
#[must_use]
pub fn suite_program(config: &GpuConfig, suite: &str) -> Program {
    compile(config, &format!("traces/h200/{suite}.ptx"))
}

/// A PTX file of the project, compiled for a machine.
#[must_use]
pub fn compile(config: &GpuConfig, path: &str) -> Program {
    let source = Source::new(path, read(path));
    let parsed = warplab_ptx::parse(&source);
    assert!(!parsed.has_errors(), "{}", warplab_diagnostics::render(&source, &parsed.diagnostics));
    let sm = &config.multiprocessor;
    let latencies = sm.latencies.table(&sm.shared, &sm.l1);
    let options = warplab_lower::Options { latencies, ..warplab_lower::Options::default() };
    warplab_lower::lower(&parsed.module, &source, &options)
        .unwrap_or_else(|faults| panic!("{}", warplab_diagnostics::render(&source, &faults)))
        .program
}

/// The case with this name of a list.
#[must_use]
pub fn case_named<'a>(cases: &'a [Case], name: &str) -> &'a Case {
    cases.iter().find(|case| case.name == name).unwrap_or_else(|| panic!("no case {name}"))
}

/// Whether the long tests run too: the environment variable `WARPLAB_LONG` is set to 1.
#[must_use]
pub fn long_tests() -> bool {
    std::env::var("WARPLAB_LONG").is_ok_and(|value| value == "1")
}

/// Warp instructions that the hardware executed; unknown for kernels that read the clock.
#[must_use]
pub fn warp_instructions(case: &Case) -> Option<u64> {
    case.metrics.get("smsp__inst_executed.sum").map(|&count| count as u64)
}

/// Whether a case belongs to the quick ones: at most two million warp instructions on the hardware.
#[must_use]
pub fn is_quick(case: &Case) -> bool {
    warp_instructions(case).is_none_or(|count| count <= 2_000_000)
}

/// Runs `work` on every case, two at a time, each on one thread; gives the results in order. The largest go first.
pub fn on_all<T: Send>(cases: &[Case], work: impl Fn(&Case) -> T + Sync) -> Vec<T> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    let size = |case: &Case| -> u64 {
        let bytes: u64 = case
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Buffer { bytes, .. } => *bytes,
                Argument::Scalar(_) => 0,
            })
            .sum();
        bytes / 128 + warp_instructions(case).unwrap_or(0)
    };
    order.sort_by_key(|&index| std::cmp::Reverse(size(&cases[index])));
    let next = AtomicUsize::new(0);
    let results = Mutex::new((0..cases.len()).map(|_| None).collect::<Vec<Option<T>>>());
    let worker = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = pool.install(|| work(&cases[index]));
            results.lock().expect("no worker failed")[index] = Some(result);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(worker);
        }
    });
    results
        .into_inner()
        .expect("no worker failed")
        .into_iter()
        .map(|result| result.expect("every case ran"))
        .collect()
}

/// Compares a text with a file of the project; writes the file instead where `WARPLAB_BLESS` is 1.
pub fn assert_golden(path: &str, text: &str) {
    if std::env::var("WARPLAB_BLESS").is_ok_and(|value| value == "1") {
        std::fs::write(project_file(path), text).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    assert_eq!(read(path), text, "{path} differs; WARPLAB_BLESS=1 writes it anew");
}

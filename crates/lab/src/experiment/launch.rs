//! Points at which a kernel is simulated.

use super::record::{self, Watch};
use super::suites::Suites;
use super::{Expectations, Host, Measured, number};
use crate::reference::CLOCK_BUFFER;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use warplab_config::experiment::{ExperimentKind, Setting, setting};
use warplab_config::launch::{
    Argument, BufferSpec, Dimensions, Expectation, Extent, parse_argument, parse_dimensions, parse_extent,
    parse_size,
};
use warplab_config::{GpuConfig, load_launch};
use warplab_diagnostics::{Source, nearest_name};
use warplab_exec::LaunchShape;
use warplab_gpu::{RunOptions, TimelineRecording};
use warplab_lower::PassSet;
use warplab_metrics::{evaluate, whole_number};
use warplab_program::{Opcode, Program};
use warplab_report::timeline_text;
use warplab_run::{
    CompileOptions, Fault, Workload, all_kernels, buffer_bytes, check_expectations, only_one, passes,
    read_program, simulate,
};
use warplab_units::LINE_BYTES;

/// What can be named in columns beside the metrics of reports.
pub(super) const METRICS: [&str; 3] = ["watch.cycle", "watch.lanes", "word"];

/// Cycles on a line of a timeline: with the names of warps it fits beside a table.
const TIMELINE_WIDTH: usize = 80;

/// A launch before its machine is known.
#[derive(Clone, Debug, Default)]
struct Draft {
    program: Option<PathBuf>,
    kernel: String,
    grid: Option<Dimensions>,
    block: Option<Dimensions>,
    cluster: Option<Dimensions>,
    dynamic_shared_bytes: u64,
    arguments: Vec<Argument>,
    expectations: Vec<Expectation>,
    buffers: Vec<BufferSpec>,
    symbols: BTreeMap<String, Argument>,
    /// The folder of the files that buffers name.
    data: PathBuf,
    gpu: Option<String>,
    changes: Vec<String>,
    passes: Option<PassSet>,
    fmad: Option<bool>,
    max_cycles: u64,
    watch: Option<Watch>,
    word: Option<Word>,
    measured: FxHashMap<String, f64>,
    /// What the hardware read from its clock: the words of the buffer `cycles`.
    clock: Vec<u64>,
    /// Blocks of the case that was measured.
    case_blocks: u64,
}

/// A word of a buffer, or how much it is more than another one.
#[derive(Clone, Debug)]
struct Word {
    buffer: String,
    index: u64,
    less: Option<u64>,
}

impl Word {
    /// Its value, given the words of the buffer.
    fn value(&self, word: impl Fn(u64) -> Option<u64>) -> Option<f64> {
        let less = self.less.map_or(Some(0), &word)?;
        Some(word(self.index)? as f64 - less as f64)
    }
}

/// For what the first multiprocessor is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Records {
    /// Columns name what it says.
    pub(super) numbers: bool,
    /// It is shown.
    pub(super) shown: bool,
}

impl Records {
    fn any(self) -> bool {
        self.numbers || self.shown
    }
}

/// A launch on a machine.
#[derive(Clone, Debug)]
pub(super) struct LaunchJob {
    /// The program.
    pub(super) program: ProgramText,
    kernel: String,
    shape: LaunchShape,
    arguments: Vec<Argument>,
    expectations: Vec<Expectation>,
    buffers: Vec<BufferSpec>,
    symbols: BTreeMap<String, Argument>,
    data: PathBuf,
    /// The machine.
    pub(super) config: GpuConfig,
    max_cycles: u64,
    records: Records,
    watch: Option<Watch>,
    word: Option<Word>,
    /// What the profiler measured for the case, by metric id.
    pub(super) measured: FxHashMap<String, f64>,
    /// Blocks of the case that was measured.
    case_blocks: u64,
}

impl LaunchJob {
    /// Bytes of all buffers.
    pub(super) fn buffer_bytes(&self) -> u64 {
        buffer_bytes(&self.arguments, &self.buffers)
    }

    /// How long it takes beside others: the warp instructions that the profiler counted for as many blocks, or else those
    /// of one way through the kernel by every warp, and every byte moved once, in lines of 128 bytes.
    pub(super) fn cost(&self, program: Option<&Program>) -> u64 {
        let kernel = program.and_then(|program| program.kernel(&self.kernel));
        let length = kernel.map_or(1, |kernel| kernel.instructions.len() as u64);
        let warps =
            u64::from(self.shape.warps(self.config.limits.warp_lanes)).saturating_mul(self.shape.blocks());
        let blocks = self.shape.blocks() as f64 / self.case_blocks.max(1) as f64;
        let counted = self.measured.get("smsp__inst_executed.sum");
        let counted = counted.map(|&count| whole_number((count * blocks).round()));
        let instructions = counted.unwrap_or(warps.saturating_mul(length));
        instructions.saturating_add(self.buffer_bytes() / LINE_BYTES)
    }
}

/// A program before it is compiled for a machine.
#[derive(Clone, Debug)]
pub(super) struct ProgramText {
    /// Its file.
    pub(super) path: PathBuf,
    /// Its text: PTX or a listing.
    pub(super) source: Source,
    /// How it is compiled.
    pub(super) options: CompileOptions,
}

impl LaunchJob {
    /// Everything that the result depends on beside the program's text.
    pub(super) fn inputs(&self) -> String {
        let LaunchJob {
            program,
            kernel,
            shape,
            arguments,
            expectations,
            config,
            max_cycles,
            records,
            watch,
            word,
            ..
        } = self;
        let (options, buffers, symbols) = (program.options, &self.buffers, &self.symbols);
        format!(
            "{kernel} {shape:?} {arguments:?} {buffers:?} {symbols:?} {expectations:?} {config:?} {max_cycles} {records:?} {watch:?} {word:?} {options:?}"
        )
    }
}

/// The launch that the settings of a point describe.
///
/// # Errors
/// What is wrong with the settings.
pub(super) fn prepare(
    settings: &BTreeMap<String, String>,
    folder: &Path,
    records: Records,
    suites: &mut Suites,
    host: &Host<'_>,
) -> Result<LaunchJob, Fault> {
    let mut draft = start(settings, folder, suites, host)?;
    let mut settings: Vec<(&String, &String)> = settings.iter().collect();
    // Arguments come first and in their own order, not in that of their names.
    settings.sort_by_key(|(name, _)| {
        let at = name.strip_prefix("argument.").and_then(|at| at.parse::<usize>().ok());
        (at.is_none(), at)
    });
    for (name, value) in settings {
        change(&mut draft, name, value, folder)?;
    }
    let machine = draft.gpu.as_deref().unwrap_or(super::DEFAULT_MACHINE);
    let config = (host.machine)(machine, &draft.changes)?;
    if let Some(word) = draft.word.as_ref().filter(|word| word.buffer == CLOCK_BUFFER) {
        let clock = |index| draft.clock.get(usize::try_from(index).ok()?).copied();
        draft.measured.extend(word.value(clock).map(|value| ("word".to_owned(), value)));
    }
    let missing = |what: &str| {
        Fault::input(format!(
            "a point needs a {what}: set \"{what}\", a \"launch\", or a \"suite\" with a \"case\""
        ))
    };
    let path = draft.program.ok_or_else(|| missing("program"))?;
    let grid = draft.grid.ok_or_else(|| missing("grid"))?;
    let block = draft.block.ok_or_else(|| missing("block"))?;
    let shared = u32::try_from(draft.dynamic_shared_bytes).map_err(|_| {
        Fault::input(format!("{} bytes of shared memory are too many", draft.dynamic_shared_bytes))
    })?;
    let source = (host.program)(&path)?;
    let options = CompileOptions {
        run: draft.passes.unwrap_or_else(PassSet::all),
        contracts: draft.fmad.unwrap_or(true),
        cluster: draft.cluster.map(Dimensions::array),
        ..CompileOptions::default()
    };
    Ok(LaunchJob {
        program: ProgramText { path, source, options },
        kernel: draft.kernel,
        shape: LaunchShape {
            grid: [grid.0, grid.1, grid.2],
            block: [block.0, block.1, block.2],
            dynamic_shared_bytes: shared,
        },
        arguments: draft.arguments,
        expectations: draft.expectations,
        buffers: draft.buffers,
        symbols: draft.symbols,
        data: draft.data,
        config,
        max_cycles: draft.max_cycles,
        records: Records { numbers: records.numbers || draft.watch.is_some(), ..records },
        watch: draft.watch,
        word: draft.word,
        measured: draft.measured,
        case_blocks: draft.case_blocks,
    })
}

/// The launch file or the case that a point starts from.
fn start(
    settings: &BTreeMap<String, String>,
    folder: &Path,
    suites: &mut Suites,
    host: &Host<'_>,
) -> Result<Draft, Fault> {
    if let Some(path) = settings.get("launch") {
        return from_launch(&folder.join(path), host);
    }
    let Some(case) = settings.get("case") else {
        return Ok(Draft { data: folder.to_owned(), ..Draft::default() });
    };
    let suite = settings.get("suite").ok_or_else(|| Fault::input("a \"case\" needs its \"suite\""))?;
    let case = suites.case(&folder.join(suite), case, host)?;
    let [x, y, z] = case.shape.grid;
    let [a, b, c] = case.shape.block;
    Ok(Draft {
        kernel: case.kernel.clone(),
        grid: Some(Dimensions(x, y, z)),
        block: Some(Dimensions(a, b, c)),
        dynamic_shared_bytes: u64::from(case.shape.dynamic_shared_bytes),
        arguments: case.arguments.clone(),
        buffers: case.buffers.clone(),
        data: folder.to_owned(),
        measured: case.metrics.clone(),
        clock: case.clock.clone(),
        case_blocks: case.shape.blocks(),
        ..Draft::default()
    })
}

fn from_launch(path: &Path, host: &Host<'_>) -> Result<Draft, Fault> {
    let bytes = (host.read)(path)?;
    let source = Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned());
    let launch = load_launch(&source).map_err(|faults| Fault::Diagnostics(source, faults))?;
    only_one(&launch, path)?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let changes = launch.changes();
    Ok(Draft {
        program: Some(folder.join(&launch.program)),
        kernel: launch.kernel,
        grid: Some(launch.grid),
        block: Some(launch.block),
        cluster: launch.cluster,
        dynamic_shared_bytes: launch.dynamic_shared_bytes.0,
        arguments: launch.arguments,
        expectations: launch.expectations,
        buffers: launch.buffers,
        symbols: launch.symbols,
        gpu: launch.gpu.map(|name| super::relative_machine(&name, &folder)),
        data: folder,
        changes,
        fmad: launch.fmad,
        max_cycles: launch.max_cycles.unwrap_or(0),
        ..Draft::default()
    })
}

fn change(draft: &mut Draft, name: &str, value: &str, folder: &Path) -> Result<(), Fault> {
    let wrong = |message: String| Fault::input(format!("{name}: {message}"));
    let what = setting(ExperimentKind::Launch, name)
        .map_err(|(message, help)| Fault::input(format!("{message}; {help}")))?;
    match what {
        Setting::Machine(path) => draft.changes.push(format!("{path}={value}")),
        Setting::Argument(at) => {
            let argument = parse_argument(value).map_err(wrong)?;
            if at > draft.arguments.len() {
                let count = draft.arguments.len();
                return Err(wrong(format!("there are {count} arguments before it; arguments have no gaps")));
            }
            match draft.arguments.get_mut(at) {
                Some(place) => *place = argument,
                None => draft.arguments.push(argument),
            }
        }
        Setting::BufferSize(buffer) => {
            let wanted = parse_extent(value).map_err(wrong)?;
            let in_arguments = draft.arguments.iter_mut().filter_map(|argument| match argument {
                Argument::Buffer { name, size, .. } if name == buffer => Some(size),
                _ => None,
            });
            let alone = draft.buffers.iter_mut().filter(|it| it.name == buffer).map(|it| &mut it.size);
            let size = in_arguments.chain(alone).next();
            let size = size.ok_or_else(|| wrong("the launch has no such buffer".to_owned()))?;
            // A size that names no type leaves that of the elements as it is.
            *size = Extent { element: wanted.element.or(size.element), ..wanted };
        }
        Setting::Named(named) => match named {
            "program" => draft.program = Some(folder.join(value)),
            "kernel" => draft.kernel = value.to_owned(),
            "grid" => draft.grid = Some(parse_dimensions(value).map_err(wrong)?),
            "block" => draft.block = Some(parse_dimensions(value).map_err(wrong)?),
            "cluster" => draft.cluster = Some(parse_dimensions(value).map_err(wrong)?),
            "dynamic_shared_bytes" => draft.dynamic_shared_bytes = parse_size(value).map_err(wrong)?.0,
            "scheduler" => draft.changes.push(format!("multiprocessor.scheduler={value}")),
            "passes" => draft.passes = Some(passes(value)?),
            "fmad" => draft.fmad = Some(switch(name, value)?),
            "max_cycles" => draft.max_cycles = number(name, value)?,
            "gpu" => draft.gpu = Some(super::relative_machine(value, folder)),
            "watch" => draft.watch = Some(watch(value)?),
            "word" => draft.word = Some(word(value)?),
            // These are what the point starts from.
            _ => {}
        },
    }
    Ok(())
}

/// Reads `on` or `off`.
fn switch(name: &str, text: &str) -> Result<bool, Fault> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(Fault::input(format!("{name}: '{text}' is neither on nor off"))),
    }
}

/// Reads `FFMA:7`.
fn watch(text: &str) -> Result<Watch, Fault> {
    let (name, count) = text.split_once(':').unwrap_or((text, "1"));
    let opcode = Opcode::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Opcode::ALL.iter().map(|opcode| opcode.name()).collect();
        let near = nearest_name(name, names.iter().copied());
        let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
        Fault::input(format!("watch: there is no machine instruction '{name}'{near}"))
    })?;
    Ok(Watch { opcode, number: number("watch", count)? })
}

/// Reads `out:7`, or `out:7-5`: word 7 less word 5.
fn word(text: &str) -> Result<Word, Fault> {
    let (buffer, index) = text.split_once(':').ok_or_else(|| {
        Fault::input(format!("word: '{text}' has no index; write BUFFER:INDEX, for example out:7"))
    })?;
    let (index, less) = index.split_once('-').map_or((index, None), |(index, less)| (index, Some(less)));
    let less = less.map(|less| number("word", less)).transpose()?;
    Ok(Word { buffer: buffer.to_owned(), index: number("word", index)?, less })
}

/// Compiles a program for a machine.
///
/// # Errors
/// The faults of its text.
pub(super) fn program(text: &ProgramText, config: &GpuConfig) -> Result<Program, Fault> {
    read_program(&text.path, &text.source, config, text.options, &all_kernels)
        .map(|compiled| compiled.program)
}

/// Simulates a launch.
///
/// # Errors
/// Why it did not run to its end.
pub(super) fn run(job: &LaunchJob, program: &Program, host: &Host<'_>) -> Result<Measured, Fault> {
    let workload = Workload {
        program,
        kernel: &job.kernel,
        shape: job.shape,
        arguments: &job.arguments,
        buffers: &job.buffers,
        symbols: &job.symbols,
    };
    if let Some(refused) = program.refusal(&job.kernel) {
        return Err(Fault::Diagnostics(job.program.source.clone(), refused.faults()));
    }
    let kernel = workload.kernel()?;
    let read = |path: &Path| (host.read)(&job.data.join(path));
    let options = RunOptions {
        max_cycles: job.max_cycles,
        timeline: job.records.any().then(TimelineRecording::default),
        interrupt: host.interrupt,
        ..RunOptions::default()
    };
    let simulated = simulate(&job.config, &workload, &read, options)?;
    if host.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
        return Err(Fault::input("interrupted"));
    }
    let checked = check_expectations(&job.expectations, &simulated.image, &read)?;
    let failed = checked.iter().filter(|checked| !checked.holds).map(|checked| checked.line.clone());
    let expectations = Expectations { checked: checked.len(), failed: failed.collect() };
    let mut measured = Measured { expectations, ..Measured::default() };
    for row in evaluate(&simulated.context(&job.config)).iter().flat_map(|section| &section.rows) {
        measured.values.extend(row.value.number().map(|value| (row.metric.id.to_owned(), value)));
    }
    if let Some(timeline) = &simulated.outcome.timeline {
        let lanes = job.config.limits.warp_lanes;
        measured.values.extend(record::values(timeline, kernel, lanes));
        if let Some(watch) = &job.watch {
            measured.values.extend(record::watched(timeline, kernel, watch));
        }
        if job.records.shown {
            measured.texts.insert("schedule".to_owned(), record::schedule(timeline, kernel));
            let shown = warplab_report::TimelineOptions { width: TIMELINE_WIDTH, ..Default::default() };
            measured.texts.insert("timeline".to_owned(), timeline_text(&timeline.intervals, &shown));
            let schedulers = job.config.limits.sub_partitions;
            measured.record.warps = Some(record::warp_record(timeline, kernel, schedulers));
        }
    }
    if let Some(word) = &job.word {
        let name = &word.buffer;
        let buffer = simulated.image.buffer(name);
        let buffer =
            buffer.ok_or_else(|| Fault::input(format!("word: the launch has no buffer '{name}'")))?;
        let read = |index| (index < buffer.words()).then(|| u64::from(buffer.word(index)));
        let value = word.value(read).ok_or_else(|| {
            let last = word.index.max(word.less.unwrap_or(0));
            Fault::input(format!("word: '{name}' has {} words, not {last}", buffer.words()))
        })?;
        measured.values.insert("word".to_owned(), value);
    }
    Ok(measured)
}

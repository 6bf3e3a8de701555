//! A run in a file: `run -o FILE`, and `run --import FILE`, which reports without simulating.
//!
//! What is kept is what reports are made of: the machine, the text of the program, the launches, and what each gave.
//! Device memory is not.

use crate::failure::Failure;
use crate::job::{Job, JobLaunch};
use crate::laboratory::VERSION;
use crate::program_text::Road;
use crate::programs::{self, ReadAs};
use crate::{page, sources};
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use warplab_config::GpuConfig;
use warplab_diagnostics::Source;
use warplab_exec::{LaunchShape, MemoryImage, PrintedLines};
use warplab_gpu::RunOutcome;
use warplab_lower::{Pass, PassSet};
use warplab_run::{Checked, CompileOptions, LaunchResult, SimulatedSequence};
use warplab_trace::LaunchCounters;
use warplab_units::Cycle;

/// How such a file begins; the build that wrote it stands behind, up to the end of the line.
const MAGIC: &[u8] = b"warplab result, ";

/// A run that has ended, with everything that reports are made of.
#[derive(Debug)]
pub(crate) struct KeptRun {
    /// What was simulated.
    pub(crate) job: Job,
    /// What it gave; device memory is empty in a run that was read.
    pub(crate) simulated: SimulatedSequence,
    /// What its threads printed.
    pub(crate) printed: PrintedLines,
    /// Its expectations.
    pub(crate) checked: Vec<Checked>,
    /// The multiprocessor and the launch of the timeline.
    pub(crate) recorded: (u16, usize),
}

/// What stands in the file.
#[derive(Serialize, Deserialize)]
struct Stored {
    /// The machine as JSON.
    machine: String,
    path: PathBuf,
    source: Text,
    passes: Vec<String>,
    contracts: bool,
    cluster: Option<[u32; 3]>,
    wanted: Option<String>,
    road: Road,
    files: Vec<Option<Text>>,
    steps: Vec<StoredStep>,
    outcomes: Vec<RunOutcome>,
    total: LaunchCounters,
    partial: bool,
    cycle: Cycle,
    printed: PrintedLines,
    checked: Vec<Checked>,
    recorded: (u16, usize),
}

#[derive(Serialize, Deserialize)]
struct Text {
    name: String,
    text: String,
}

impl Text {
    fn of(source: &Source) -> Text {
        Text { name: source.name.clone(), text: source.text.clone() }
    }

    fn source(self) -> Source {
        Source::new(self.name, self.text)
    }
}

#[derive(Serialize, Deserialize)]
struct StoredStep {
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared_bytes: u32,
}

impl KeptRun {
    /// Whether every expectation holds.
    pub(crate) fn holds(&self) -> bool {
        self.checked.iter().all(|checked| checked.holds)
    }

    /// The run as bytes.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, String> {
        let stored = stored(self).map_err(|error| error.to_string())?;
        let payload = postcard::to_allocvec(&stored).map_err(|error| error.to_string())?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(VERSION.as_bytes());
        bytes.push(b'\n');
        bytes.extend_from_slice(&hash(&payload).to_le_bytes());
        bytes.extend_from_slice(&payload);
        Ok(bytes)
    }

    /// The run that is in these bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<KeptRun, String> {
        let stored: Stored =
            postcard::from_bytes(payload(bytes)?).map_err(|fault| format!("the file is damaged: {fault}"))?;
        kept(stored).map_err(|failure| format!("the file is damaged: {}", failure.first_line()))
    }
}

/// Writes a run.
pub(crate) fn write(path: &Path, run: &KeptRun) -> Result<(), Failure> {
    let failed = |why| Failure::Output(format!("{} cannot be written: {why}", path.display()));
    sources::write_bytes(path, &run.bytes().map_err(failed)?)
}

/// Whether a file is such a run, by its beginning.
pub(crate) fn is_one(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.starts_with(MAGIC))
}

/// Reads a run.
pub(crate) fn read(path: &Path) -> Result<KeptRun, Failure> {
    let bytes = sources::bytes(path)?;
    KeptRun::from_bytes(&bytes).map_err(|fault| Failure::input(format!("{}: {fault}", path.display())))
}

/// The bytes behind the head of the file.
fn payload(bytes: &[u8]) -> Result<&[u8], String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("this is not what run -o wrote")?;
    let line = rest.iter().position(|byte| *byte == b'\n').ok_or("the file is damaged: it ends too early")?;
    let (version, rest) = rest.split_at(line);
    if version != VERSION.as_bytes() {
        return Err(format!(
            "it was written by warplab {}, and this is {VERSION}: only the same build reads it; 'run --json' writes \
             what every build compares",
            String::from_utf8_lossy(version)
        ));
    }
    let (check, payload) = rest[1..].split_first_chunk().ok_or("the file is damaged: it ends too early")?;
    if u64::from_le_bytes(*check) != hash(payload) {
        return Err("the file is damaged: its bytes have changed or some are missing".to_owned());
    }
    Ok(payload)
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn stored(run: &KeptRun) -> Result<Stored, serde_json::Error> {
    let KeptRun { job, simulated, printed, checked, recorded } = run;
    let ReadAs { path, options, wanted, road } = &job.loaded.read_as;
    let passes = Pass::ALL.iter().filter(|pass| options.run.contains(**pass));
    let steps = job.steps.iter().map(|JobLaunch { kernel, shape, .. }| StoredStep {
        kernel: kernel.clone(),
        grid: shape.grid,
        block: shape.block,
        dynamic_shared_bytes: shape.dynamic_shared_bytes,
    });
    Ok(Stored {
        machine: serde_json::to_string(&job.config)?,
        path: path.clone(),
        source: Text::of(&job.loaded.source),
        passes: passes.map(|pass| pass.name().to_owned()).collect(),
        contracts: options.contracts,
        cluster: options.cluster,
        wanted: wanted.clone(),
        road: *road,
        files: page::source_files(job).iter().map(|file| file.as_ref().map(Text::of)).collect(),
        steps: steps.collect(),
        outcomes: simulated.launches.iter().map(|launch| launch.outcome.clone()).collect(),
        total: simulated.total.clone(),
        partial: simulated.partial,
        cycle: simulated.cycle,
        printed: printed.clone(),
        checked: checked.clone(),
        recorded: *recorded,
    })
}

fn kept(stored: Stored) -> Result<KeptRun, Failure> {
    let config: GpuConfig =
        serde_json::from_str(&stored.machine).map_err(|fault| Failure::input(fault.to_string()))?;
    let mut run = PassSet::none();
    for name in &stored.passes {
        run = run.with(warplab_run::pass(name)?);
    }
    let options = CompileOptions {
        run,
        contracts: stored.contracts,
        cluster: stored.cluster,
        ..CompileOptions::default()
    };
    let read_as = ReadAs { path: stored.path, options, wanted: stored.wanted, road: stored.road };
    let (loaded, _) = programs::read_again(stored.source.source(), &config, read_as)?;
    let step = |step: StoredStep| JobLaunch {
        kernel: step.kernel,
        shape: LaunchShape {
            grid: step.grid,
            block: step.block,
            dynamic_shared_bytes: step.dynamic_shared_bytes,
        },
        arguments: Vec::new(),
    };
    let steps: Vec<JobLaunch> = stored.steps.into_iter().map(step).collect();
    let mut launches = Vec::new();
    for (step, outcome) in steps.iter().zip(stored.outcomes) {
        launches.push(LaunchResult::kept(&config, &loaded.program, &step.launch(), outcome)?);
    }
    let job = Job {
        loaded,
        steps,
        declarations: Vec::new(),
        buffers: Vec::new(),
        symbols: BTreeMap::new(),
        expectations: Vec::new(),
        folder: PathBuf::new(),
        kept_files: Some(stored.files.into_iter().map(|file| file.map(Text::source)).collect()),
        config,
        max_cycles: 0,
    };
    let simulated = SimulatedSequence {
        launches,
        total: stored.total,
        partial: stored.partial,
        image: MemoryImage::new(),
        cycle: stored.cycle,
        checkpoint: None,
    };
    Ok(KeptRun {
        job,
        simulated,
        printed: stored.printed,
        checked: stored.checked,
        recorded: stored.recorded,
    })
}

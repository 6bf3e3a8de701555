//! One call of the simulator.

use crate::checkpoint::Checkpoints;
use crate::failure::Failure;
use crate::job::Job;
use crate::laboratory::VERSION;
use crate::programs::LoadedProgram;
use crate::progress::Bar;
use crate::terminal::Terminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use warplab_exec::PrintedLines;
use warplab_gpu::{RunFault, RunOptions, TimelineRecording};
use warplab_run::{
    CheckpointOptions, Fault, SequenceOptions, SimulatedSequence, kernel_fault, simulate_sequence,
};

/// How to simulate.
#[derive(Clone, Debug, Default)]
pub(crate) struct SimulationOptions {
    /// Threads; as many as the host has if not given.
    pub(crate) jobs: Option<u16>,
    /// What to record of one launch.
    pub(crate) timeline: Option<TimelineRecording>,
    /// The launch of which a timeline is recorded, counted from 0.
    pub(crate) recorded: usize,
    /// Whether to check hazards.
    pub(crate) check_hazards: bool,
    /// Whether a grid of many alike blocks is simulated only until it is steady.
    pub(crate) sample: bool,
    /// Whether to draw a progress bar.
    pub(crate) progress: bool,
    /// Where to stop and from where to go on.
    pub(crate) checkpoints: Option<Checkpoints>,
    /// Set when the simulation is to stop.
    pub(crate) interrupt: Arc<AtomicBool>,
}

/// What is set when the user interrupts; a second interrupt ends the program.
pub(crate) fn interrupt(terminal: &Terminal) -> Arc<AtomicBool> {
    static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(stop) = terminal.stop() {
        return Arc::clone(stop);
    }
    let flag = Arc::clone(INTERRUPTED.get_or_init(Arc::default));
    let seen = Arc::clone(&flag);
    // Without a handler an interrupt ends the program at once.
    let _ = ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    });
    flag
}

/// Simulates a job; what its threads print is added to `printed`, also when it fails.
pub(crate) fn simulate(
    job: &Job,
    options: &SimulationOptions,
    printed: &mut PrintedLines,
) -> Result<SimulatedSequence, Failure> {
    in_pool(options.jobs, || run_with_bar(job, options, printed))?
}

fn run_with_bar(
    job: &Job,
    options: &SimulationOptions,
    printed: &mut PrintedLines,
) -> Result<SimulatedSequence, Failure> {
    let blocks: Vec<u64> = job.steps.iter().map(|step| step.shape.blocks()).collect();
    let mut bar = Bar::new(&blocks, options.progress);
    let mut show = |progress| bar.show(progress);
    let run_options = RunOptions {
        max_cycles: job.max_cycles,
        timeline: options.timeline,
        check_hazards: options.check_hazards,
        left_dirty: 0,
        sample: options.sample,
        progress: Some(&mut show),
        interrupt: Some(&options.interrupt),
        printed: Some(printed),
    };
    let launches = job.launches();
    let sequence = job.sequence(&launches);
    let read = |path: &Path| job.read(path);
    let checkpoint = options.checkpoints.as_ref().map(|wanted| CheckpointOptions {
        build: VERSION,
        until: wanted.until,
        resume: wanted.resume.as_deref(),
    });
    let sequence_options = SequenceOptions { recorded: options.recorded, checkpoint };
    let simulated = simulate_sequence(&job.config, &sequence, sequence_options, &read, run_options);
    bar.clear();
    simulated.map_err(|fault| match fault {
        Fault::Run(fault) => kernel_failure(&fault, &job.loaded),
        other => other.into(),
    })
}

/// Runs in a pool of so many threads.
fn in_pool<T: Send>(jobs: Option<u16>, run: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let threads = jobs.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool =
        pool.map_err(|error| Failure::input(format!("{threads} threads cannot be started: {error}")))?;
    Ok(pool.install(run))
}

/// A fault of the kernel, shown at its line of the program's text and named with its line of the CUDA source.
fn kernel_failure(fault: &RunFault, loaded: &LoadedProgram) -> Failure {
    match kernel_fault::at_line(fault, &loaded.program, &loaded.source) {
        Some(found) => Failure::KernelAt(loaded.source.clone(), vec![found]),
        None => Failure::Kernel(fault.to_string()),
    }
}

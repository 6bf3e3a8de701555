//! Runs the cases of a hardware reference and puts what the simulator counted beside what the hardware measured.
//!
//! What is compared and how is said in [`warplab_metrics::correlation`].

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod kept;
mod select;

pub use kept::KeyedCase;
pub use select::{Selection, group};

use crate::pool::{self, Limits};
use crate::reference::{CLOCK_BUFFER, Case};
use std::sync::atomic::{AtomicBool, Ordering};
use warplab_config::GpuConfig;
use warplab_exec::MemoryImage;
use warplab_gpu::RunOptions;
use warplab_metrics::correlation::{CLOCK_CYCLES, Compared, Comparison, Pair, STALL_OVERLAP};
use warplab_metrics::{Metric, metrics};
use warplab_program::Program;
use warplab_run::Simulated;
use warplab_trace::Sample;

/// One case from one program.
#[derive(Clone, Copy, Debug)]
pub struct CaseJob<'a> {
    /// The reference that the case belongs to.
    pub suite: &'a str,
    /// The case.
    pub case: &'a Case,
    /// What the program was made from: `sass` or `ptx`.
    pub isa: &'static str,
    /// The program.
    pub program: &'a Program,
}

/// Hears of a case that has ended, by its number among the jobs, from any thread.
pub type CaseEnded<'a> = &'a (dyn Fn(usize, &Comparison) + Sync);

/// How to run many cases. The results do not depend on it.
#[derive(Clone, Copy, Default)]
pub struct CorrelateOptions<'a> {
    /// What all cases together may use.
    pub limits: Limits,
    /// Whether grids of many alike blocks are simulated only until they are steady.
    pub sample: bool,
    /// Cases that have not ended when this is set are left out.
    pub interrupt: Option<&'a AtomicBool>,
    /// Called when a case has ended.
    pub finished: Option<CaseEnded<'a>>,
}

/// Runs every job on a machine and compares; in the order of the jobs, without those that were interrupted.
#[must_use]
pub fn run(config: &GpuConfig, jobs: &[CaseJob<'_>], options: CorrelateOptions<'_>) -> Vec<Comparison> {
    let numbered: Vec<(usize, &CaseJob<'_>)> = jobs.iter().enumerate().collect();
    let work = |&(number, job): &(usize, &CaseJob<'_>)| {
        let comparison = compare(config, job, &options)?;
        if let Some(finished) = options.finished {
            finished(number, &comparison);
        }
        Some(comparison)
    };
    pool::on_all(&numbered, options.limits, |(_, job)| job.case.need(), work).into_iter().flatten().collect()
}

/// Runs one job; nothing if it was interrupted.
fn compare(config: &GpuConfig, job: &CaseJob<'_>, options: &CorrelateOptions<'_>) -> Option<Comparison> {
    let interrupt = options.interrupt;
    if interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
        return None;
    }
    let run_options = RunOptions { interrupt, sample: options.sample, ..RunOptions::default() };
    let result = job.case.simulate(config, job.program, run_options);
    match result {
        Ok(simulated) if simulated.outcome.partial => None,
        result => Some(comparison(config, job, result.map_err(|fault| fault.to_string()).as_ref())),
    }
}

/// A job's simulation, or why it did not run to its end, beside what the hardware measured.
#[must_use]
pub fn comparison(
    config: &GpuConfig,
    job: &CaseJob<'_>,
    simulated: Result<&Simulated, &String>,
) -> Comparison {
    let result = simulated.map(|simulated| compared(config, job, simulated)).map_err(Clone::clone);
    comparison_of(job, result)
}

fn comparison_of(job: &CaseJob<'_>, result: Result<Compared, String>) -> Comparison {
    Comparison {
        suite: job.suite.to_owned(),
        case: job.case.name.clone(),
        kernel: job.case.kernel.clone(),
        isa: job.isa,
        group: group(&job.case.name).to_owned(),
        result,
    }
}

fn compared(config: &GpuConfig, job: &CaseJob<'_>, simulated: &Simulated) -> Compared {
    let context = simulated.context(config);
    let value = |metric: &Metric| {
        let all =
            |value| simulated.outcome.sample.map_or(value, |sample| of_all_blocks(metric.id, value, &sample));
        metric.value(&context).number().map(all)
    };
    let wrong_outputs = job.case.wrong_outputs(&simulated.image).into_iter().map(str::to_owned).collect();
    beside(job.case, wrong_outputs, clock_pair(job.case, &simulated.image), &value)
}

/// What was simulated beside what the hardware measured of a case.
fn beside(
    case: &Case,
    wrong_outputs: Vec<String>,
    clock: Option<Pair>,
    value: &dyn Fn(&Metric) -> Option<f64>,
) -> Compared {
    let measured = metrics().filter_map(|metric| {
        let hardware = *case.metrics.get(metric.id)?;
        Some(Pair { id: metric.id, hardware, simulated: value(metric) })
    });
    let mut compared = Compared { pairs: clock.into_iter().chain(measured).collect(), wrong_outputs };
    compared.pairs.extend(compared.sm_l2_hit_rate());
    if let Some(overlap) = compared.stall_overlap() {
        compared.pairs.push(Pair { id: STALL_OVERLAP, hardware: 100.0, simulated: Some(overlap) });
    }
    compared
}

/// A metric of the blocks that were simulated, for all blocks: times and sums grow, rates and shares stay.
fn of_all_blocks(id: &str, value: f64, sample: &Sample) -> f64 {
    match id {
        "gpu__time_duration.sum" | "sm__cycles_elapsed.max" | "sm__cycles_active.avg" => {
            value * sample.cycle_ratio()
        }
        _ if id.ends_with(".sum") => value * sample.block_ratio(),
        _ => value,
    }
}

/// What the kernel read from the clock last.
fn clock_pair(case: &Case, image: &MemoryImage) -> Option<Pair> {
    let hardware = hardware_clock(case)?;
    let buffer = image.buffer(CLOCK_BUFFER)?;
    let present = case.clock_readings().filter(|&word| (word as u64) < buffer.words());
    let simulated = present.map(|word| buffer.word(word as u64)).max();
    Some(Pair { id: CLOCK_CYCLES, hardware, simulated: simulated.map(f64::from) })
}

/// What the kernel read from the clock last on the hardware, if it did.
fn hardware_clock(case: &Case) -> Option<f64> {
    case.clock_readings().map(|word| case.clock[word]).max().map(|cycles| cycles as f64)
}

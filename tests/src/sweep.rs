//! The quick cases of the hardware reference, each simulated once: every test looks at the same runs.

use crate::{Case, buffer_checksums, cases, gpu, listing, long_tests, on_all, suite_program};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use warplab_config::GpuConfig;
use warplab_gpu::RunOptions;
use warplab_lab::correlate::{CaseJob, comparison};
use warplab_metrics::correlation::Comparison;
use warplab_program::Program;
use warplab_trace::LaunchCounters;

/// The suites of `traces/h200` that are simulated.
pub const SUITES: [&str; 3] = ["suite", "micro", "atomics"];

/// Cases whose hazards are checked every time have fewer warp instructions than this.
const CHECKED_INSTRUCTIONS: u64 = 100_000;
/// Blocks of a case that is simulated for its hazards alone.
const SHORT_BLOCKS: u32 = 4;
/// Cases that are simulated every time have fewer warp instructions than this.
const SIMULATED_INSTRUCTIONS: u64 = 300_000;
/// So do those that read the clock, whose instructions the hardware did not count, in buffers of at most so many bytes:
/// a chain of pointers is followed through the whole buffer before it is timed.
const SIMULATED_BYTES: u64 = 24 << 20;

/// One case of every kind of work: the laws are held against them.
pub const LAW_CASES: [&str; 8] = [
    "ilp_tlp_e2_b128_2e20",
    "copy_f2_2e20",
    "vector_add_10000",
    "matmul_tiled16_256",
    "atomic_coalesced",
    "transpose_padded_1024",
    "histogram_shared",
    "max_reduce_2e22",
];

/// One simulated case.
#[derive(Debug)]
pub struct Run {
    /// The case.
    pub case: Case,
    /// What was simulated beside what the hardware measured.
    pub comparison: Comparison,
    /// The counters; `None` if the case did not run to its end.
    pub counters: Option<LaunchCounters>,
    /// What the hazard checker says, where it looked.
    pub hazards: Option<HazardReport>,
    /// The checksums of the buffers afterwards, in the order of the arguments; none if the case did not run to its end.
    pub buffers: Vec<(u64, u64)>,
}

/// What the hazard checker says about a run.
#[derive(Clone, Debug)]
pub struct HazardReport {
    /// Reads that were checked.
    pub checked_reads: u64,
    /// The hazards, a line each.
    pub lines: Vec<String>,
}

impl Run {
    /// How the run differs from the hardware: wrong checksums, or the fault that ended it.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let name = &self.case.name;
        match &self.comparison.result {
            Ok(compared) if compared.wrong_outputs.is_empty() => None,
            Ok(compared) => {
                Some(format!("{name}: {} differs from the hardware", compared.wrong_outputs.join(", ")))
            }
            Err(fault) => Some(format!("{name}: {fault}")),
        }
    }
}

/// The quick cases below 300,000 warp instructions or 24 MiB and those of the laws, compiled from PTX; with long tests all
/// quick ones.
pub static PTX: LazyLock<Vec<Run>> = LazyLock::new(|| {
    let config = gpu("h200");
    let runs = SUITES.into_iter().flat_map(|suite| {
        let program = suite_program(&config, suite);
        sweep(&config, suite, "ptx", &program, simulated(suite))
    });
    runs.collect()
});

/// The machine code that ran on the GPU: the quick cases below 300,000 warp instructions, and the smallest of each kernel
/// that reads the clock; with long tests all quick ones.
pub static MACHINE_CODE: LazyLock<Vec<Run>> = LazyLock::new(|| {
    let config = gpu("h200");
    let runs = ["suite", "micro"].into_iter().flat_map(|suite| {
        let mut chosen = quick(suite);
        let checked = hazard_cases(suite);
        chosen.retain(|case| is_simulated_as_machine_code(case, &checked));
        sweep(&config, suite, "sass", &listing(&format!("traces/h200/{suite}.sass")), chosen)
    });
    runs.collect()
});

/// The machine code of the kernels that [`MACHINE_CODE`] leaves out: their smallest quick cases with at most
/// [`SHORT_BLOCKS`] blocks. Only the hazards count, for fewer blocks compute something else.
pub static SHORT_MACHINE_CODE: LazyLock<Vec<Run>> = LazyLock::new(|| {
    let config = gpu("h200");
    let runs = ["suite", "micro"].into_iter().flat_map(|suite| {
        let checked = hazard_cases(suite);
        let mut chosen = quick(suite);
        chosen.retain(|case| checked.contains(&case.name) && !is_simulated_as_machine_code(case, &checked));
        chosen.iter_mut().for_each(|case| shorten(case, SHORT_BLOCKS));
        sweep(&config, suite, "sass", &listing(&format!("traces/h200/{suite}.sass")), chosen)
    });
    runs.collect()
});

/// Leaves a case its first blocks.
pub fn shorten(case: &mut Case, blocks: u32) {
    let mut left = blocks;
    for extent in &mut case.shape.grid {
        *extent = (*extent).min(left);
        left /= *extent;
    }
}

fn is_simulated_as_machine_code(case: &Case, checked: &BTreeSet<String>) -> bool {
    let reads_the_clock = case.warp_instructions().is_none();
    long_tests() || is_below(case, SIMULATED_INSTRUCTIONS) || reads_the_clock && checked.contains(&case.name)
}

/// The quick cases that are simulated from PTX every time.
fn simulated(suite: &str) -> Vec<Case> {
    let small = |case: &Case| {
        let is_counted_small = |count| count < SIMULATED_INSTRUCTIONS;
        case.warp_instructions().map_or(case.buffer_bytes() <= SIMULATED_BYTES, is_counted_small)
    };
    let of_a_law = |case: &Case| suite == "suite" && LAW_CASES.contains(&case.name.as_str());
    quick(suite).into_iter().filter(|case| long_tests() || small(case) || of_a_law(case)).collect()
}

/// The quick cases of a suite.
#[must_use]
pub fn quick(suite: &str) -> Vec<Case> {
    cases(suite).into_iter().filter(Case::is_quick).collect()
}

fn is_below(case: &Case, instructions: u64) -> bool {
    case.warp_instructions().is_some_and(|count| count < instructions)
}

/// The smallest quick case of each kernel of a suite, by name.
#[must_use]
pub fn smallest_of_each_kernel(suite: &str) -> BTreeSet<String> {
    let mut quick = quick(suite);
    quick.sort_by_key(|case| (case.warp_instructions().unwrap_or(0), case.name.clone()));
    let mut kernels = BTreeSet::new();
    quick.retain(|case| kernels.insert(case.kernel.clone()));
    quick.into_iter().map(|case| case.name).collect()
}

/// The cases whose hazards are checked: each kernel's smallest, and every one below 100,000 warp instructions; with long
/// tests all quick ones. None of the atomics.
fn hazard_cases(suite: &str) -> BTreeSet<String> {
    if suite == "atomics" {
        return BTreeSet::new();
    }
    let mut names = smallest_of_each_kernel(suite);
    let more = quick(suite).into_iter().filter(|case| long_tests() || is_below(case, CHECKED_INSTRUCTIONS));
    names.extend(more.map(|case| case.name));
    names
}

/// Simulates cases of a suite; the hazards of some are checked.
#[must_use]
pub fn sweep(
    config: &GpuConfig,
    suite: &str,
    isa: &'static str,
    program: &Program,
    chosen: Vec<Case>,
) -> Vec<Run> {
    let checked = hazard_cases(suite);
    let runs = on_all(&chosen, |case| {
        let options = RunOptions { check_hazards: checked.contains(&case.name), ..RunOptions::default() };
        let result = case.simulate(config, program, options).map_err(|fault| fault.to_string());
        let comparison = comparison(config, &CaseJob { suite, case, isa, program }, result.as_ref());
        let image = result.as_ref().ok().map(|simulated| &simulated.image);
        let buffers = image.map_or_else(Vec::new, |image| buffer_checksums(case, image));
        let outcome = result.ok().map(|simulated| simulated.outcome);
        let kernel = program.kernel(&case.kernel).expect("the program has the kernel");
        let hazards = outcome.as_ref().and_then(|outcome| outcome.hazards.as_ref());
        let hazards = hazards.map(|hazards| HazardReport {
            checked_reads: hazards.checked_reads,
            lines: hazards.found.iter().map(|(place, hazard)| place.text(hazard, kernel)).collect(),
        });
        (comparison, outcome.map(|outcome| outcome.counters), hazards, buffers)
    });
    let run = |(case, (comparison, counters, hazards, buffers))| Run {
        case,
        comparison,
        counters,
        hazards,
        buffers,
    };
    chosen.into_iter().zip(runs).map(run).collect()
}

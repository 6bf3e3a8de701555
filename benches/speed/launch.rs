//! One launch that is measured.

use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Instant;
use warplab_config::{DescriptionKind, GpuConfig, apply_override, load_gpu};
use warplab_diagnostics::{Source, render};
use warplab_gpu::RunOptions;
use warplab_program::Program;
use warplab_run::{CompileOptions, Fault, Simulated, read_program};
use warplab_tests::{Case, case_named, cases, read};

/// The SMs of the machine as it is.
pub(crate) const ALL_SMS: u32 = 132;

/// A case of a suite on a machine of so many SMs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Launch {
    pub(crate) suite: String,
    pub(crate) case: String,
    pub(crate) threads: usize,
    pub(crate) sms: u32,
}

/// What a launch took.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Took {
    pub(crate) warp_instructions: u64,
    pub(crate) seconds: f64,
}

impl Launch {
    /// A case on the whole machine, with one thread.
    pub(crate) fn new(suite: &str, case: &str) -> Launch {
        Launch { suite: suite.to_owned(), case: case.to_owned(), threads: 1, sms: ALL_SMS }
    }

    /// The name in tables and in the baseline.
    pub(crate) fn name(&self) -> String {
        let sms = if self.sms == ALL_SMS { String::new() } else { format!(", {} SMs", self.sms) };
        let threads =
            if self.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", self.threads) };
        format!("{}{sms}, {threads}", self.case)
    }

    /// Runs the launch from its PTX.
    pub(crate) fn run(&self) -> Result<Took, String> {
        let config = machine(self.sms)?;
        let cases = cases(&self.suite);
        let case = case_named(&cases, &self.case);
        let program = program(&self.suite, &case.kernel, &config)?;
        let started = Instant::now();
        let simulated = measured_launch(case, &config, &program, RunOptions::default());
        let simulated = simulated.map_err(|fault| fault.to_string())?;
        let seconds = started.elapsed().as_secs_f64();
        let wrong = case.wrong_outputs(&simulated.image);
        if !wrong.is_empty() {
            return Err(format!("{}: {} is not what the hardware computed", self.case, wrong.join(", ")));
        }
        Ok(Took { warp_instructions: warp_instructions(&simulated), seconds })
    }
}

/// The warp instructions of a run.
pub(crate) fn warp_instructions(simulated: &Simulated) -> u64 {
    simulated.outcome.counters.sm.instructions.warp
}

/// What is timed and counted: buffers, launch, counters; not the compiler. Valgrind knows it by its name.
#[inline(never)]
pub(crate) fn measured_launch(
    case: &Case,
    config: &GpuConfig,
    program: &Program,
    options: RunOptions<'_>,
) -> Result<Simulated, Fault> {
    case.simulate(config, program, options)
}

/// The H200 with another number of SMs.
pub(crate) fn machine(sms: u32) -> Result<GpuConfig, String> {
    let path = "configs/gpus/h200.ron";
    let change = Source::new("a number of SMs", format!("limits.multiprocessors={sms}"));
    let source = apply_override(&Source::new(path, read(path)), DescriptionKind::Gpu, &change)
        .map_err(|faults| render(&change, &faults))?;
    load_gpu(&source).map_err(|faults| render(&source, &faults))
}

/// One kernel of a suite, compiled from its PTX.
pub(crate) fn program(suite: &str, kernel: &str, config: &GpuConfig) -> Result<Program, String> {
    let path = format!("traces/h200/{suite}.ptx");
    let source = Source::new(path.clone(), read(&path));
    let choose = |names: &[&str]| Ok(names.iter().position(|name| *name == kernel));
    let compiled = read_program(Path::new(&path), &source, config, CompileOptions::default(), &|names| {
        Ok(choose(names)?.map(|at| names[at]))
    });
    compiled.map(|compiled| compiled.program).map_err(|fault: Fault| fault.to_string())
}

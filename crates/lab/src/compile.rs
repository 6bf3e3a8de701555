//! PTX to the machine program of a machine.

use warplab_config::GpuConfig;
use warplab_diagnostics::{Diagnostic, Source};
use warplab_lower::{Lowered, Options, PassSet};

/// Registers that an instruction can name.
const MOST_REGISTERS: u32 = 255;

/// Which passes of the compiler run, and after which the code is kept.
#[derive(Clone, Copy, Debug)]
pub struct CompileOptions {
    /// Those that run.
    pub run: PassSet,
    /// Those after which the code is kept as text.
    pub dump: PassSet,
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions { run: PassSet::all(), dump: PassSet::none() }
    }
}

/// PTX to the machine program, with the warnings of both steps.
///
/// # Errors
/// All faults of the first step that has errors.
pub fn compile(
    source: &Source,
    config: &GpuConfig,
    passes: CompileOptions,
) -> Result<(Lowered, Vec<Diagnostic>), Vec<Diagnostic>> {
    let parsed = warplab_ptx::parse(source);
    if parsed.has_errors() {
        return Err(parsed.diagnostics);
    }
    let machine = &config.multiprocessor;
    let options = Options {
        latencies: machine.latencies.table(&machine.shared, &machine.l1),
        passes: passes.run,
        dump: passes.dump,
        max_registers: config.limits.registers_per_thread.min(MOST_REGISTERS),
    };
    let lowered = warplab_lower::lower(&parsed.module, source, &options)?;
    let warnings = parsed.diagnostics.into_iter().chain(lowered.warnings.iter().cloned()).collect();
    Ok((lowered, warnings))
}

//! PTX to the machine program of a machine.

use std::path::Path;
use warplab_config::GpuConfig;
use warplab_diagnostics::{Diagnostic, Source};
use warplab_lower::{Lowered, Options, PassSet};

/// Registers that an instruction can name.
const MOST_REGISTERS: u32 = 255;

/// The first compute capability that reduces a value over the lanes of a warp in one instruction.
const FIRST_WITH_REDUX: f64 = 8.0;

/// Which passes of the compiler run, and after which the code is kept.
#[derive(Clone, Copy, Debug)]
pub struct CompileOptions {
    /// Those that run.
    pub run: PassSet,
    /// Those after which the code is kept as text.
    pub dump: PassSet,
    /// Whether sums take in the products that they add, where neither names a rounding mode.
    pub contracts: bool,
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions { run: PassSet::all(), dump: PassSet::none(), contracts: true }
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
        contracts: passes.contracts,
        max_registers: config.limits.registers_per_thread.min(MOST_REGISTERS),
        reduces_lanes: !is_older(&config.architecture, FIRST_WITH_REDUX),
    };
    let lowered = warplab_lower::lower(&parsed.module, source, &options)?;
    let warnings = parsed.diagnostics.into_iter().chain(lowered.warnings.iter().cloned()).collect();
    Ok((lowered, warnings))
}

/// Whether an architecture is a compute capability below another.
fn is_older(architecture: &str, capability: f64) -> bool {
    architecture.parse::<f64>().is_ok_and(|own| own < capability)
}

/// What a program text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// PTX text.
    Ptx,
    /// A listing of the machine program.
    Listing,
}

/// Which language a text is in, by its first directive or else by the name of its file.
#[must_use]
pub fn language(path: &Path, text: &str) -> Language {
    let first = text.lines().map(str::trim_start).find(|line| line.starts_with('.'));
    let is_ptx = |line: &str| line.starts_with(".version") || line.starts_with(".target");
    let is_listing = |line: &str| [".arch", ".file", ".kernel"].iter().any(|it| line.starts_with(it));
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    match first {
        Some(line) if is_ptx(line) => Language::Ptx,
        Some(line) if is_listing(line) => Language::Listing,
        _ if extension.is_some_and(|it| it == "ptx" || it == "cu") => Language::Ptx,
        _ => Language::Listing,
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, language};
    use std::path::Path;

    #[test]
    fn the_language_is_known_by_extension_or_first_directive() {
        assert_eq!(language(Path::new("a.ptx"), ""), Language::Ptx);
        assert_eq!(language(Path::new("a.txt"), "// made by hand\n.version 8.0\n"), Language::Ptx);
        assert_eq!(language(Path::new("a.sass"), ".kernel k\n"), Language::Listing);
    }
}

//! PTX to the machine program of a machine.

use crate::fault::Fault;
use std::path::Path;
use warplab_config::GpuConfig;
use warplab_diagnostics::{Diagnostic, Source};
use warplab_lower::{LowerOptions, Lowered, PassLog, PassSet};
use warplab_program::{Kernel, Program, Reason, RefusedKernel};
use warplab_ptx::Parsed;

/// Which passes of the compiler run, and after which the code is kept.
#[derive(Clone, Copy, Debug)]
pub struct CompileOptions {
    /// Those that run.
    pub run: PassSet,
    /// Those after which the code is kept as text.
    pub dump: PassSet,
    /// Whether sums take in the products that they add, where neither names a rounding mode.
    pub contracts: bool,
    /// Blocks of a cluster that the launch asks for, for kernels that do not say it themselves.
    pub cluster: Option<[u32; 3]>,
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions { run: PassSet::all(), dump: PassSet::none(), contracts: true, cluster: None }
    }
}

/// PTX to the machine program, with the warnings of both steps.
///
/// # Errors
/// All faults of the first step that has errors, in whatever kernel.
pub fn compile(
    source: &Source,
    config: &GpuConfig,
    passes: CompileOptions,
) -> Result<(Lowered, Vec<Diagnostic>), Vec<Diagnostic>> {
    let parsed = warplab_ptx::parse(source);
    if parsed.has_errors() {
        return Err(parsed.diagnostics);
    }
    let (lowered, warnings) = compile_some(&parsed, source, config, passes, &|_| true)?;
    if lowered.program.refused.is_empty() {
        return Ok((lowered, warnings));
    }
    Err(lowered.program.refused.iter().flat_map(RefusedKernel::faults).collect())
}

/// The wanted kernels of a PTX text to the machine program, with the warnings of both steps. A kernel with faults,
/// its own or those of functions that it calls, is refused and does not keep the others from running: see
/// [`Program::refused`].
///
/// # Errors
/// The faults outside all functions.
pub fn compile_some(
    parsed: &Parsed,
    source: &Source,
    config: &GpuConfig,
    passes: CompileOptions,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<(Lowered, Vec<Diagnostic>), Vec<Diagnostic>> {
    let faults = parsed.faults();
    if !faults.file.is_empty() {
        return Err(faults.file.into_iter().cloned().collect());
    }
    let mut refused = Vec::new();
    for kernel in parsed.module.entries().filter(|kernel| wanted(&kernel.name)) {
        let reasons = faults.of(&kernel.name);
        if !reasons.is_empty() {
            let reasons = reasons.into_iter().cloned().map(Reason::from).collect();
            refused.push(RefusedKernel::named(&kernel.name, reasons));
        }
    }
    let options = LowerOptions {
        target: config.target(),
        passes: passes.run,
        dump: passes.dump,
        contracts: passes.contracts,
        cluster: passes.cluster,
    };
    let readable = |name: &str| wanted(name) && refused.iter().all(|refused| refused.kernel.name != name);
    let mut lowered = warplab_lower::lower_some(&parsed.module, source, &options, &readable)?;
    let warnings = parsed.diagnostics.iter().filter(|diagnostic| !diagnostic.is_error());
    let warnings = warnings.chain(&lowered.warnings).cloned().collect();
    lowered.program.refused.extend(refused);
    Ok((lowered, warnings))
}

/// A program that was read for a machine.
#[derive(Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// What the passes of the compiler did; empty for a listing.
    pub log: Vec<PassLog>,
    /// The warnings of the compiler.
    pub warnings: Vec<Diagnostic>,
}

/// Which kernel of a PTX text is compiled, of those that it has: one, or all.
pub type ChooseKernel<'a> = &'a dyn for<'n> Fn(&[&'n str]) -> Result<Option<&'n str>, Fault>;

/// Chooses all kernels.
///
/// # Errors
/// None.
pub fn all_kernels<'n>(_: &[&'n str]) -> Result<Option<&'n str>, Fault> {
    Ok(None)
}

/// The one way from a program's text to the program of a machine: PTX is compiled, a listing is read. A kernel with
/// faults is refused and keeps no other from running: see [`Program::refused`].
///
/// # Errors
/// The faults outside all kernels, or what `choose` says.
pub fn read_program(
    path: &Path,
    source: &Source,
    config: &GpuConfig,
    options: CompileOptions,
    choose: ChooseKernel<'_>,
) -> Result<Compiled, Fault> {
    let faulty = |faults| Fault::Diagnostics(source.clone(), faults);
    if language(path, &source.text) == Language::Listing {
        let (mut program, faults) = warplab_program::listing::read(source);
        if faults.iter().any(Diagnostic::is_error) {
            return Err(faulty(faults));
        }
        program.kernels.iter_mut().for_each(|kernel| kernel.cluster = kernel.cluster.or(options.cluster));
        return Ok(Compiled { program, log: Vec::new(), warnings: Vec::new() });
    }
    let parsed = warplab_ptx::parse(source);
    let names: Vec<&str> = parsed.module.entries().map(|kernel| kernel.name.as_str()).collect();
    let chosen = if parsed.faults().file.is_empty() { choose(&names)? } else { None };
    let wanted = |name: &str| chosen.is_none_or(|chosen| chosen == name);
    let (lowered, warnings) = compile_some(&parsed, source, config, options, &wanted).map_err(faulty)?;
    Ok(Compiled { program: lowered.program, log: lowered.log, warnings })
}

/// Whether a kernel runs in the clusters that a launch asks for, if it asks.
///
/// # Errors
/// When the kernel says itself that it has others.
pub fn check_cluster(kernel: &Kernel, asked: Option<[u32; 3]>) -> Result<(), Fault> {
    match (kernel.cluster, asked) {
        (Some([x, y, z]), Some([a, b, c])) if [x, y, z] != [a, b, c] => Err(Fault::input(format!(
            "kernel '{}' is compiled for clusters of {x} x {y} x {z} blocks, and the launch asks for {a} x {b} x {c}; leave \
             its cluster out",
            kernel.name
        ))),
        _ => Ok(()),
    }
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

//! Programs: PTX, CUDA source, cubins, listings.

use crate::arguments::Isa;
use crate::failure::Failure;
use crate::program_text::{self, ProgramText, Road};
use crate::terminal::Terminal;
use crate::{names, passes};
use std::path::{Path, PathBuf};
use warplab_config::GpuConfig;
use warplab_diagnostics::{Diagnostic, Source, nearest_name};
use warplab_lower::PassLog;
use warplab_program::{Kernel, Program, RefusedKernel};
use warplab_run::{CompileOptions, Fault, read_program};

/// A program with the text it was read from.
#[derive(Debug)]
pub(crate) struct LoadedProgram {
    /// The text.
    pub(crate) source: Source,
    /// What it says.
    pub(crate) program: Program,
    /// What the passes of the compiler did; empty for a listing.
    pub(crate) log: Vec<PassLog>,
    /// How the text was read.
    pub(crate) read_as: ReadAs,
}

/// How a text became a program: the same again gives the same program.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadAs {
    /// The name of its file, whose end may say what it is.
    pub(crate) path: PathBuf,
    /// The passes of the compiler, and whether it fuses products and sums.
    pub(crate) options: CompileOptions,
    /// The kernel that alone was compiled.
    pub(crate) wanted: Option<String>,
    /// From the file to the text.
    pub(crate) road: Road,
}

/// Why what is said of the compiler does not go with machine code.
pub(crate) const OTHER_COMPILER: &str = "--passes, --dump-after and --fmad (fmad of a launch file) are of the simulator's \
                                         own compiler; real machine code has been through another: use --isa ptx";

/// How a program file is to be read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// What is simulated, if a person says.
    pub(crate) isa: Option<Isa>,
    /// The passes of the compiler.
    pub(crate) passes: CompileOptions,
    /// Arguments for nvcc.
    pub(crate) nvcc_arguments: Vec<String>,
}

impl Reading {
    /// What a command line asks for: whoever names passes means the compiler that has them.
    pub(crate) fn parse(
        isa: Option<Isa>,
        list: Option<&str>,
        dump_after: Option<&str>,
        fmad: Option<bool>,
    ) -> Result<Reading, Failure> {
        let named = list.is_some() || dump_after.is_some() || fmad.is_some();
        if named && isa == Some(Isa::Sass) {
            return Err(Failure::input(OTHER_COMPILER));
        }
        let isa = isa.or(named.then_some(Isa::Ptx));
        let contracts = fmad.unwrap_or(true);
        let passes = CompileOptions { contracts, ..passes::parse(list, dump_after)? };
        Ok(Reading { isa, passes, nvcc_arguments: Vec::new() })
    }
}

/// A program for a machine: of PTX only the kernel that is asked for, if one is. Warnings go to the terminal.
pub(crate) fn load(
    path: &Path,
    config: &GpuConfig,
    reading: Reading,
    wanted: Option<&str>,
    terminal: &mut Terminal,
) -> Result<LoadedProgram, Failure> {
    let text = program_text::read(path, reading.isa, &reading.nvcc_arguments, config, terminal)?;
    let loaded = read_text(text, path, &reading, wanted, config, terminal)?;
    if let (Road::Ptxas, None, Some(why)) = (loaded.read_as.road, reading.isa, first_refusal(&loaded, wanted))
    {
        program_text::note_own_compiler(path, &why, terminal);
        let text = program_text::read(path, Some(Isa::Ptx), &[], config, terminal)?;
        return read_text(text, path, &reading, wanted, config, terminal);
    }
    Ok(loaded)
}

fn read_text(
    text: ProgramText,
    path: &Path,
    reading: &Reading,
    wanted: Option<&str>,
    config: &GpuConfig,
    terminal: &mut Terminal,
) -> Result<LoadedProgram, Failure> {
    let read_as = ReadAs {
        path: path.to_owned(),
        options: reading.passes,
        wanted: wanted.map(str::to_owned),
        road: text.road,
    };
    let (loaded, warnings) = read_again(text.source, config, read_as)?;
    terminal.diagnostics(&loaded.source, &warnings);
    Ok(loaded)
}

/// Why the kernel that a person means cannot run, in a line.
fn first_refusal(loaded: &LoadedProgram, wanted: Option<&str>) -> Option<String> {
    let name = find(&loaded.program.kernel_names(), wanted).ok()?;
    let refused = loaded.program.refusal(name)?;
    Some(refused.reasons.first()?.to_string())
}

/// A text that is simulated to a program, with the warnings of the compiler.
pub(crate) fn read_again(
    source: Source,
    config: &GpuConfig,
    read_as: ReadAs,
) -> Result<(LoadedProgram, Vec<Diagnostic>), Failure> {
    let ReadAs { path, options, wanted, .. } = &read_as;
    let choose = for_names(|names| wanted.as_deref().map(|name| find(names, Some(name))).transpose());
    let compiled = read_program(path, &source, config, *options, &choose)?;
    Ok((LoadedProgram { source, program: compiled.program, log: compiled.log, read_as }, compiled.warnings))
}

/// Lets the compiler infer the lifetime of the names.
fn for_names<F>(choose: F) -> F
where
    F: for<'n> Fn(&[&'n str]) -> Result<Option<&'n str>, Fault>,
{
    choose
}

/// The kernel that a person means.
pub(crate) fn kernel<'a>(loaded: &'a LoadedProgram, name: Option<&str>) -> Result<&'a Kernel, Failure> {
    let name = find(&loaded.program.kernel_names(), name)?;
    loaded.program.kernel(name).ok_or_else(|| match loaded.program.refusal(name) {
        Some(refused) => refusal(&loaded.source, refused),
        None => Failure::input(format!("there is no kernel '{name}'")),
    })
}

/// Why a kernel cannot run: places of a text are shown, addresses of machine code are named.
pub(crate) fn refusal(source: &Source, refused: &RefusedKernel) -> Failure {
    if refused.reasons.iter().any(|reason| reason.address.is_some()) {
        Failure::input(format!("{}: {refused}", source.name))
    } else {
        Failure::Diagnostics(source.clone(), refused.faults())
    }
}

/// Kernels that a message names at most.
const MOST_NAMED: usize = 20;

/// The full name that a person means: by itself, by any form of the name in the source, or the only one there is.
fn find<'a>(names: &[&'a str], name: Option<&str>) -> Result<&'a str, Fault> {
    let list =
        |names: &[&str]| names.iter().map(|name| names::demangled(name)).collect::<Vec<_>>().join(", ");
    let Some(name) = name else {
        return match names {
            [name] => Ok(name),
            [] => Err(Fault::input("the program has no kernel")),
            _ => Err(Fault::input(format!("which kernel? give --kernel; the program has: {}", list(names)))),
        };
    };
    if let Some(name) = names.iter().find(|known| **known == name) {
        return Ok(name);
    }
    let meant: Vec<&str> = names.iter().copied().filter(|kernel| names::means(name, kernel)).collect();
    match meant.as_slice() {
        [kernel] => return Ok(kernel),
        [] => {}
        several => {
            let several = list(several);
            return Err(Fault::input(format!("'{name}' is the name of several kernels: {several}")));
        }
    }
    let known: Vec<String> = names.iter().map(|name| names::demangled(name)).collect();
    let near = nearest_name(name, known.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
    let more = known.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(", and {more} more: see 'warplab check'") } else { String::new() };
    let named = known.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    Err(Fault::input(format!("there is no kernel '{name}';{near} the program has: {named}{more}")))
}

#[cfg(test)]
mod tests {
    use super::find;
    use warplab_run::Fault;

    #[test]
    fn a_kernel_is_found_by_its_cpp_name() {
        let names = ["_Z5saxpyifPKfPf", "_Z6saxpy2i"];
        assert_eq!(find(&names, Some("saxpy")).unwrap(), "_Z5saxpyifPKfPf");
        let Err(Fault::Input(message)) = find(&names, None) else { panic!() };
        assert_eq!(
            message,
            "which kernel? give --kernel; the program has: saxpy(int, float, float const*, float*), saxpy2(int)"
        );
    }

    #[test]
    fn a_wrong_name_finds_the_nearest() {
        let Err(Fault::Input(message)) = find(&["saxpy", "copy"], Some("saxpi")) else { panic!() };
        assert_eq!(message, "there is no kernel 'saxpi'; did you mean 'saxpy'? the program has: saxpy, copy");
    }
}

//! Programs: PTX, CUDA source, cubins, listings.

use crate::arguments::{Isa, Switch};
use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::{passes, roads};
use std::path::Path;
use warplab_config::GpuConfig;
use warplab_diagnostics::{Diagnostic, Source, nearest_name};
use warplab_lab::{CompileOptions, Language, compile, language};
use warplab_lower::PassLog;
use warplab_program::{Kernel, Program};

/// A program with the text it was read from.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The text.
    pub(crate) source: Source,
    /// What it says.
    pub(crate) program: Program,
    /// What the passes of the compiler did; empty for a listing.
    pub(crate) log: Vec<PassLog>,
}

/// How a program file is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    /// What is simulated, if a person says.
    pub(crate) isa: Option<Isa>,
    /// The passes of the compiler.
    pub(crate) passes: CompileOptions,
}

impl Reading {
    /// What a command line asks for: whoever names passes means the compiler that has them.
    pub(crate) fn parse(
        isa: Option<Isa>,
        list: Option<&str>,
        dump_after: Option<&str>,
        fmad: Option<Switch>,
    ) -> Result<Reading, Failure> {
        let named = list.is_some() || dump_after.is_some() || fmad.is_some();
        if named && isa == Some(Isa::Sass) {
            let message = "--passes, --dump-after and --fmad are of the simulator's own compiler; real machine code has been \
                           through another: use --isa ptx";
            return Err(Failure::input(message));
        }
        let isa = isa.or(named.then_some(Isa::Ptx));
        let contracts = fmad != Some(Switch::Off);
        Ok(Reading { isa, passes: CompileOptions { contracts, ..passes::parse(list, dump_after)? } })
    }
}

/// A program for a machine; warnings go to the terminal.
pub(crate) fn load(
    path: &Path,
    config: &GpuConfig,
    reading: Reading,
    terminal: &mut Terminal,
) -> Result<Loaded, Failure> {
    let source = roads::source(path, reading.isa, config, terminal)?;
    let (program, log, warnings) = match language(path, &source.text) {
        Language::Listing => {
            let (program, faults) = warplab_program::listing::read(&source);
            if faults.iter().any(Diagnostic::is_error) {
                return Err(Failure::Diagnostics(source, faults));
            }
            (program, Vec::new(), faults)
        }
        Language::Ptx => match compile(&source, config, reading.passes) {
            Ok((lowered, warnings)) => (lowered.program, lowered.log, warnings),
            Err(faults) => return Err(Failure::Diagnostics(source, faults)),
        },
    };
    terminal.diagnostics(&source, &warnings);
    Ok(Loaded { source, program, log })
}

/// The kernel that a person means: by its name, by the C++ name inside a mangled one, or the only one there is.
pub(crate) fn kernel<'a>(program: &'a Program, name: Option<&str>) -> Result<&'a Kernel, Failure> {
    let names: Vec<&str> = program.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    let Some(name) = name else {
        return match program.kernels.as_slice() {
            [kernel] => Ok(kernel),
            [] => Err(Failure::input("the program has no kernel")),
            _ => Err(Failure::input(format!(
                "which kernel? give --kernel; the program has: {}",
                names.join(", ")
            ))),
        };
    };
    if let Some(kernel) = program.kernel(name) {
        return Ok(kernel);
    }
    let mangled = format!("_Z{}{name}", name.len());
    let mut candidates = program.kernels.iter().filter(|kernel| kernel.name.starts_with(&mangled));
    if let (Some(kernel), None) = (candidates.next(), candidates.next()) {
        return Ok(kernel);
    }
    let near = nearest_name(name, names.iter().copied());
    let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
    Err(Failure::input(format!("there is no kernel '{name}';{near} the program has: {}", names.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::kernel;
    use crate::failure::Failure;
    use warplab_program::{Kernel, Program};

    fn program(names: &[&str]) -> Program {
        let kernels = names.iter().map(|name| Kernel { name: (*name).to_owned(), ..Kernel::default() });
        Program { kernels: kernels.collect(), ..Program::default() }
    }

    #[test]
    fn a_kernel_is_found_by_its_cpp_name() {
        let program = program(&["_Z5saxpyifPKfPf", "_Z6saxpy2i"]);
        assert_eq!(kernel(&program, Some("saxpy")).unwrap().name, "_Z5saxpyifPKfPf");
        let Err(Failure::Input(message)) = kernel(&program, None) else { panic!() };
        assert_eq!(message, "which kernel? give --kernel; the program has: _Z5saxpyifPKfPf, _Z6saxpy2i");
    }

    #[test]
    fn a_wrong_name_finds_the_nearest() {
        let Err(Failure::Input(message)) = kernel(&program(&["saxpy", "copy"]), Some("saxpi")) else {
            panic!()
        };
        assert_eq!(message, "there is no kernel 'saxpi'; did you mean 'saxpy'? the program has: saxpy, copy");
    }
}

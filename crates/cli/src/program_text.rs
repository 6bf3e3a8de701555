//! From a program file to the text that is simulated: PTX, or the listing of real machine code; and which road it took.

use crate::arguments::Isa;
use crate::cuda_tools::{Folder, Tool};
use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::{cuda_compilers, nvdisasm, sources};
use serde::{Deserialize, Serialize};
use std::path::Path;
use warplab_config::GpuConfig;
use warplab_diagnostics::Source;
use warplab_run::{Language, language};

/// The architecture that PTX is compiled for when the machine is none of CUDA's.
const DEFAULT_ARCHITECTURE: &str = "sm_90";

/// The oldest compute capability whose machine code is understood.
const OLDEST_MAJOR: u32 = 7;

/// How a program file became what is simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Road {
    /// PTX through the simulator's own compiler.
    #[default]
    OwnCompiler,
    /// PTX through ptxas.
    Ptxas,
    /// CUDA source through nvcc.
    Nvcc,
    /// A cubin as it is.
    Cubin,
    /// A listing as it is.
    Listing,
}

impl Road {
    /// What reports say of it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Road::OwnCompiler => "PTX, through the simulator's own compiler",
            Road::Ptxas => "machine code, from PTX through ptxas",
            Road::Nvcc => "machine code, from CUDA through nvcc",
            Road::Cubin => "machine code, from a cubin",
            Road::Listing => "machine code, from a listing",
        }
    }
}

/// The text that is simulated, and how it came about.
#[derive(Clone, Debug)]
pub(crate) struct ProgramText {
    /// The text.
    pub(crate) source: Source,
    /// Its road.
    pub(crate) road: Road,
}

/// What a program file holds, by the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Cuda,
    Ptx,
    Cubin,
    /// A listing, or a text that says itself what it is.
    Text,
}

fn held(path: &Path) -> Held {
    let known = [("cu", Held::Cuda), ("ptx", Held::Ptx), ("cubin", Held::Cubin)];
    let found = known.into_iter().find(|(extension, _)| sources::has_extension(path, extension));
    found.map_or(Held::Text, |(_, held)| held)
}

/// The name that compilers give to the code of a machine; `None` if it is none of CUDA's or too old.
pub(crate) fn architecture(config: &GpuConfig) -> Option<String> {
    let (major, minor) = config.architecture.split_once('.')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    (major >= OLDEST_MAJOR).then(|| format!("sm_{major}{minor}"))
}

/// The text of a program file for the simulator's own compiler, whichever tools there are; machine code as a listing.
pub(crate) fn own_source(
    path: &Path,
    config: &GpuConfig,
    terminal: &mut Terminal,
) -> Result<Source, Failure> {
    let isa = matches!(held(path), Held::Cuda | Held::Ptx).then_some(Isa::Ptx);
    Ok(read(path, isa, &[], config, terminal)?.source)
}

/// The text of a program file by the road that is wanted: real machine code as a listing, or PTX. Arguments are for nvcc,
/// where it is called.
pub(crate) fn read(
    path: &Path,
    isa: Option<Isa>,
    nvcc_arguments: &[String],
    config: &GpuConfig,
    terminal: &mut Terminal,
) -> Result<ProgramText, Failure> {
    let held = held(path);
    if !nvcc_arguments.is_empty() && held != Held::Cuda {
        let message = format!("{}: arguments for nvcc are for .cu files", path.display());
        return Err(Failure::input(message));
    }
    let cuda = Cuda { path, config, nvcc_arguments };
    match (held, isa) {
        (Held::Cuda, Some(Isa::Ptx)) => cuda.as_ptx(),
        (Held::Cuda, Some(Isa::Sass)) => cuda.as_sass(),
        (Held::Cuda, None) => cuda.by_what_is_there(terminal),
        (Held::Ptx, Some(Isa::Sass)) => assembled(path, config),
        (Held::Ptx, None) => ptx_by_what_is_there(path, config, terminal),
        (Held::Cubin | Held::Text, Some(Isa::Ptx)) if !says_ptx(path)? => Err(Failure::input(format!(
            "{} is machine code, which cannot become PTX; leave --isa out, or give the .cu or .ptx file",
            path.display()
        ))),
        (Held::Cubin, _) => Ok(ProgramText { source: nvdisasm::disassemble(path, path)?, road: Road::Cubin }),
        (Held::Ptx, Some(Isa::Ptx)) => Ok(own(sources::read(path)?)),
        (Held::Text, _) => {
            let source = sources::read(path)?;
            let is_ptx = language(path, &source.text) == Language::Ptx;
            Ok(ProgramText { source, road: if is_ptx { Road::OwnCompiler } else { Road::Listing } })
        }
    }
}

fn own(source: Source) -> ProgramText {
    ProgramText { source, road: Road::OwnCompiler }
}

/// PTX as the machine code that ptxas makes of it.
fn assembled(path: &Path, config: &GpuConfig) -> Result<ProgramText, Failure> {
    let folder = Folder::new()?;
    Tool::Nvdisasm.require(path, "use --isa ptx")?;
    let cubin = cuda_compilers::ptx_to_cubin(path, &machine_code(path, config)?, &folder.path)?;
    Ok(ProgramText { source: nvdisasm::disassemble(&cubin, path)?, road: Road::Ptxas })
}

/// PTX as machine code where ptxas and nvdisasm are found and take it, else for the simulator's own compiler.
fn ptx_by_what_is_there(
    path: &Path,
    config: &GpuConfig,
    terminal: &mut Terminal,
) -> Result<ProgramText, Failure> {
    let source = sources::read(path)?;
    if architecture(config).is_none() || Tool::Ptxas.find().is_none() {
        return Ok(own(source));
    }
    if Tool::Nvdisasm.find().is_none() {
        terminal.note(&without_disassembler(path));
        return Ok(own(source));
    }
    match assembled(path, config) {
        Ok(text) => Ok(text),
        Err(failure) => {
            note_own_compiler(path, &failure.first_lines(2), terminal);
            Ok(own(source))
        }
    }
}

/// Says why the simulator's own compiler takes what ptxas was tried on.
pub(crate) fn note_own_compiler(path: &Path, why: &str, terminal: &mut Terminal) {
    terminal.note(&format!(
        "note: {} goes through the simulator's own compiler (--isa ptx), for there is no machine code of it: {why}",
        path.display()
    ));
}

fn without_disassembler(path: &Path) -> String {
    format!(
        "note: {} is read as PTX: no nvdisasm was found; get one with 'pip install {}' to run its real machine code",
        path.display(),
        Tool::Nvdisasm.packages()
    )
}

/// Whether a text without a telling name is PTX.
fn says_ptx(path: &Path) -> Result<bool, Failure> {
    Ok(held(path) == Held::Text && language(path, &sources::read(path)?.text) == Language::Ptx)
}

/// A CUDA source, the machine it is compiled for, and how.
#[derive(Clone, Copy)]
struct Cuda<'a> {
    path: &'a Path,
    config: &'a GpuConfig,
    nvcc_arguments: &'a [String],
}

impl Cuda<'_> {
    fn by_what_is_there(self, terminal: &mut Terminal) -> Result<ProgramText, Failure> {
        if architecture(self.config).is_none() || Tool::Nvcc.find().is_none() {
            return self.as_ptx();
        }
        if Tool::Nvdisasm.find().is_none() {
            terminal.note(&without_disassembler(self.path));
            return self.as_ptx();
        }
        self.as_sass()
    }

    fn as_ptx(self) -> Result<ProgramText, Failure> {
        let architecture = architecture(self.config).unwrap_or_else(|| DEFAULT_ARCHITECTURE.to_owned());
        let folder = Folder::new()?;
        let ptx = cuda_compilers::cuda_to_ptx(self.path, &architecture, self.nvcc_arguments, &folder.path)?;
        Ok(own(Source::new(format!("{} (as PTX)", self.path.display()), sources::read(&ptx)?.text)))
    }

    fn as_sass(self) -> Result<ProgramText, Failure> {
        let folder = Folder::new()?;
        let architecture = machine_code(self.path, self.config)?;
        Tool::Nvdisasm.require(self.path, "use --isa ptx")?;
        let cubin =
            cuda_compilers::cuda_to_cubin(self.path, &architecture, self.nvcc_arguments, &folder.path)?;
        Ok(ProgramText { source: nvdisasm::disassemble(&cubin, self.path)?, road: Road::Nvcc })
    }
}

fn machine_code(path: &Path, config: &GpuConfig) -> Result<String, Failure> {
    architecture(config).ok_or_else(|| {
        Failure::input(format!(
            "{}: there is no machine code for {} (architecture {}); use --isa ptx",
            path.display(),
            config.name,
            config.architecture
        ))
    })
}

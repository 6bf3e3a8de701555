//! The program_text from a program file to a text that is simulated: PTX, or the listing of real machine code.

use crate::arguments::Isa;
use crate::cuda_tools::{Folder, Tool};
use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::{cuda_compilers, nvdisasm, sources};
use std::path::Path;
use warplab_config::GpuConfig;
use warplab_diagnostics::Source;
use warplab_run::{Language, language};

/// The architecture that PTX is compiled for when the machine is none of CUDA's.
const DEFAULT_ARCHITECTURE: &str = "sm_90";

/// The oldest compute capability whose machine code is understood.
const OLDEST_MAJOR: u32 = 7;

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

/// The text of a program file by the road that is wanted: real machine code as a listing, or PTX.
pub(crate) fn source(
    path: &Path,
    isa: Option<Isa>,
    config: &GpuConfig,
    terminal: &mut Terminal,
) -> Result<Source, Failure> {
    source_with(path, isa, &[], config, terminal)
}

/// The same with arguments for nvcc, where it is called.
pub(crate) fn source_with(
    path: &Path,
    isa: Option<Isa>,
    nvcc_arguments: &[String],
    config: &GpuConfig,
    terminal: &mut Terminal,
) -> Result<Source, Failure> {
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
        (Held::Ptx, Some(Isa::Sass)) => {
            let folder = Folder::new()?;
            Tool::Nvdisasm.require(path, "use --isa ptx")?;
            let cubin = cuda_compilers::ptx_to_cubin(path, &machine_code(path, config)?, &folder.path)?;
            nvdisasm::disassemble(&cubin, path)
        }
        (Held::Cubin | Held::Text, Some(Isa::Ptx)) if !says_ptx(path)? => Err(Failure::input(format!(
            "{} is machine code, which cannot become PTX; leave --isa out, or give the .cu or .ptx file",
            path.display()
        ))),
        (Held::Cubin, _) => nvdisasm::disassemble(path, path),
        (Held::Ptx | Held::Text, _) => Ok(sources::read(path)?),
    }
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
    fn by_what_is_there(self, terminal: &mut Terminal) -> Result<Source, Failure> {
        if architecture(self.config).is_none() || Tool::Nvcc.find().is_none() {
            return self.as_ptx();
        }
        if Tool::Nvdisasm.find().is_none() {
            terminal.note(&format!(
                "note: {} is read as PTX: no nvdisasm was found; get one with 'pip install {}' to run its real \
                 machine code",
                self.path.display(),
                Tool::Nvdisasm.packages()
            ));
            return self.as_ptx();
        }
        self.as_sass()
    }

    fn as_ptx(self) -> Result<Source, Failure> {
        let architecture = architecture(self.config).unwrap_or_else(|| DEFAULT_ARCHITECTURE.to_owned());
        let folder = Folder::new()?;
        let ptx = cuda_compilers::cuda_to_ptx(self.path, &architecture, self.nvcc_arguments, &folder.path)?;
        Ok(Source::new(format!("{} (as PTX)", self.path.display()), sources::read(&ptx)?.text))
    }

    fn as_sass(self) -> Result<Source, Failure> {
        let folder = Folder::new()?;
        let architecture = machine_code(self.path, self.config)?;
        Tool::Nvdisasm.require(self.path, "use --isa ptx")?;
        let cubin =
            cuda_compilers::cuda_to_cubin(self.path, &architecture, self.nvcc_arguments, &folder.path)?;
        nvdisasm::disassemble(&cubin, self.path)
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

//! The user's own CUDA tools: where they are, and how they are called.

use crate::failure::Failure;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Output};

/// A program of the CUDA toolkit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    /// CUDA source to PTX or machine code.
    Nvcc,
    /// PTX to machine code.
    Ptxas,
    /// Machine code to text.
    Nvdisasm,
}

impl Tool {
    /// Its name in the toolkit.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Tool::Nvcc => "nvcc",
            Tool::Ptxas => "ptxas",
            Tool::Nvdisasm => "nvdisasm",
        }
    }

    /// The packages that hold it.
    pub(crate) fn packages(self) -> &'static str {
        match self {
            Tool::Nvcc => "nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl",
            Tool::Ptxas => "nvidia-cuda-nvcc",
            Tool::Nvdisasm => "nvidia-cuda-nvdisasm",
        }
    }

    /// The environment variable that names it.
    fn variable(self) -> String {
        format!("WARPLAB_{}", self.name().to_uppercase())
    }

    /// Its path: as the environment names it, in PATH, CUDA_HOME or the packages of python3.
    pub(crate) fn find(self) -> Option<PathBuf> {
        let first = |folders: Vec<PathBuf>| first_program(self.name(), folders);
        let on_path = || env::var_os("PATH").map(|paths| env::split_paths(&paths).collect());
        let homes = || ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os);
        env::var_os(self.variable())
            .map(PathBuf::from)
            .or_else(|| first(on_path().unwrap_or_default()))
            .or_else(|| first(homes().map(|home| Path::new(&home).join("bin")).collect()))
            .or_else(|| {
                // Where the PyPI wheels put it.
                let wheels = ["nvidia/cu13/bin".to_owned(), format!("nvidia/cuda_{}/bin", self.name())];
                let packages = python_packages();
                let folders =
                    packages.iter().flat_map(|packages| wheels.iter().map(|wheel| packages.join(wheel)));
                first(folders.collect())
            })
    }

    /// Its path, or how to get it; `otherwise` says what else a person can do about the file, and may be empty.
    pub(crate) fn require(self, file: &Path, otherwise: &str) -> Result<PathBuf, Failure> {
        self.find().ok_or_else(|| {
            let (name, packages) = (self.name(), self.packages());
            let otherwise = if otherwise.is_empty() { String::new() } else { format!(", or {otherwise}") };
            Failure::input(format!(
                "{}: no {name} in {}, PATH, CUDA_HOME or the packages of python3; get one with 'pip install \
                 {packages}'{otherwise}",
                file.display(),
                self.variable()
            ))
        })
    }
}

/// Calls a tool. Failing to start is an error; a non-zero exit status is returned to the caller.
pub(crate) fn call<S: AsRef<OsStr>>(
    program: &Path,
    arguments: impl IntoIterator<Item = S>,
) -> Result<Output, Failure> {
    Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| Failure::input(format!("{} cannot be run: {error}", program.display())))
}

/// What a tool that was not content said.
pub(crate) fn complaint(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let said = if said.trim().is_empty() { String::from_utf8_lossy(&output.stdout) } else { said };
    said.trim_end().to_owned()
}

fn first_program(tool: &str, folders: Vec<PathBuf>) -> Option<PathBuf> {
    let name = format!("{tool}{}", env::consts::EXE_SUFFIX);
    folders.into_iter().map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// The folders of packages of the python3 in PATH.
fn python_packages() -> Vec<PathBuf> {
    let script =
        "import site, sysconfig; print(sysconfig.get_paths()['purelib']); print(site.getusersitepackages())";
    let Ok(output) = Command::new("python3").args(["-c", script]).output() else { return Vec::new() };
    String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from).collect()
}

/// A temporary folder that goes when it is dropped.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
}

impl Folder {
    pub(crate) fn new() -> Result<Folder, Failure> {
        let path = env::temp_dir().join(format!("warplab-{}", process::id()));
        std::fs::create_dir_all(&path)
            .map_err(|error| Failure::Output(format!("{} cannot be made: {error}", path.display())))?;
        Ok(Folder { path })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What remains in a temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

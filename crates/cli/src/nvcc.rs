//! CUDA source to PTX with the user's own nvcc.

use crate::failure::Failure;
use crate::sources;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use warplab_diagnostics::Source;

/// How to get a compiler.
const HOW_TO_GET_ONE: &str =
    "pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl";

/// Where the PyPI wheels put it, from the folder of packages.
const WHEEL_FOLDERS: [&str; 2] = ["nvidia/cu13/bin", "nvidia/cuda_nvcc/bin"];

/// Compiles a CUDA source to PTX.
pub(crate) fn compile(file: &Path) -> Result<Source, Failure> {
    let compiler = find().ok_or_else(|| {
        Failure::input(format!(
            "{}: no nvcc in PATH, CUDA_HOME or the packages of python3; get one with '{HOW_TO_GET_ONE}', or give the \
             .ptx file",
            file.display()
        ))
    })?;
    // Reading first: a missing file is not the compiler's fault.
    sources::bytes(file)?;
    let folder = Folder::new()?;
    let target = folder.path.join("kernel.ptx");
    let output = Command::new(&compiler)
        .args(["-O3", "-arch=sm_90", "-ptx", "-lineinfo", "-o"])
        .arg(&target)
        .arg(file)
        .output()
        .map_err(|error| Failure::input(format!("{} cannot be run: {error}", compiler.display())))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = if said.trim().is_empty() { String::from_utf8_lossy(&output.stdout) } else { said };
        return Err(Failure::input(format!("nvcc cannot compile {}:\n{}", file.display(), said.trim_end())));
    }
    let text = sources::read(&target)?.text;
    Ok(Source::new(format!("{} (as PTX)", file.display()), text))
}

fn find() -> Option<PathBuf> {
    let on_path = env::var_os("PATH").map(|paths| env::split_paths(&paths).collect()).unwrap_or_default();
    first_program(on_path)
        .or_else(|| {
            let homes = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os);
            first_program(homes.map(|home| Path::new(&home).join("bin")).collect())
        })
        .or_else(|| {
            let packages = python_packages();
            let folders =
                packages.iter().flat_map(|packages| WHEEL_FOLDERS.map(|folder| packages.join(folder)));
            first_program(folders.collect())
        })
}

fn first_program(folders: Vec<PathBuf>) -> Option<PathBuf> {
    let name = format!("nvcc{}", env::consts::EXE_SUFFIX);
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
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn new() -> Result<Folder, Failure> {
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

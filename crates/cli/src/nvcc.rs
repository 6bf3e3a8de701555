//! CUDA source to PTX with the user's own nvcc.

use crate::failure::Failure;
use crate::{cuda_tools, sources};
use std::env;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use warplab_diagnostics::Source;

/// How to get a compiler.
const HOW_TO_GET_ONE: &str =
    "pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl";

/// Compiles a CUDA source to PTX.
pub(crate) fn compile(file: &Path) -> Result<Source, Failure> {
    let compiler = cuda_tools::find("nvcc").ok_or_else(|| {
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

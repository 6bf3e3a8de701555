//! CUDA source and PTX through the user's own compilers.

use crate::cuda_tools::{Tool, call, complaint};
use crate::failure::Failure;
use crate::sources;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Compiles a CUDA source to PTX in a folder.
pub(crate) fn cuda_to_ptx(
    file: &Path,
    architecture: &str,
    more: &[String],
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let compiler = Tool::Nvcc.require(file, "give the .ptx file")?;
    compile(&compiler, &options("-ptx", more), file, architecture, folder.join("kernel.ptx"))
}

/// Compiles a CUDA source to machine code in a folder.
pub(crate) fn cuda_to_cubin(
    file: &Path,
    architecture: &str,
    more: &[String],
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let compiler = Tool::Nvcc.require(file, "give the .cubin file")?;
    compile(&compiler, &options("-cubin", more), file, architecture, folder.join("kernel.cubin"))
}

/// Assembles PTX to machine code in a folder.
pub(crate) fn ptx_to_cubin(file: &Path, architecture: &str, folder: &Path) -> Result<PathBuf, Failure> {
    let compiler = Tool::Ptxas.require(file, "use --isa ptx")?;
    compile(&compiler, &[], file, architecture, folder.join("kernel.cubin"))
}

/// What nvcc makes, and what a person wants of it beside that.
fn options<'a>(kind: &'a str, more: &'a [String]) -> Vec<&'a str> {
    std::iter::once(kind).chain(more.iter().map(String::as_str)).collect()
}

fn compile(
    compiler: &Path,
    kind: &[&str],
    file: &Path,
    architecture: &str,
    target: PathBuf,
) -> Result<PathBuf, Failure> {
    // Reading first: a missing file is not the compiler's fault.
    sources::bytes(file)?;
    let architecture = format!("-arch={architecture}");
    let arguments = ["-O3", architecture.as_str(), "-lineinfo"].into_iter().chain(kind.iter().copied());
    let arguments = arguments.map(OsStr::new).chain([OsStr::new("-o"), target.as_os_str(), file.as_os_str()]);
    let output = call(compiler, arguments)?;
    if output.status.success() {
        return Ok(target);
    }
    let name = compiler.file_stem().unwrap_or_default().to_string_lossy();
    Err(Failure::input(format!("{name} cannot compile {}:\n{}", file.display(), complaint(&output))))
}

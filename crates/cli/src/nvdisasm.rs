//! A cubin to a listing with the user's own nvdisasm.

use crate::failure::Failure;
use crate::{cuda_tools, sources};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use warplab_diagnostics::Source;

/// How to get a disassembler.
const HOW_TO_GET_ONE: &str = "pip install nvidia-cuda-nvdisasm";

/// The most faults that are shown.
const MOST_FAULTS: usize = 20;

/// Reads a cubin as a listing of the machine program.
pub(crate) fn disassemble(file: &Path) -> Result<Source, Failure> {
    // Reading first: a missing file is not the disassembler's fault.
    let bytes = sources::bytes(file)?;
    let named = env::var_os("WARPLAB_NVDISASM").map(PathBuf::from);
    let tool = named.or_else(|| cuda_tools::find("nvdisasm")).ok_or_else(|| {
        Failure::input(format!(
            "{}: no nvdisasm in WARPLAB_NVDISASM, PATH, CUDA_HOME or the packages of python3; get one with \
             '{HOW_TO_GET_ONE}'",
            file.display()
        ))
    })?;
    let output = Command::new(&tool)
        .arg("-json")
        .arg(file)
        .output()
        .map_err(|error| Failure::input(format!("{} cannot be run: {error}", tool.display())))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::input(format!("nvdisasm cannot read {}:\n{}", file.display(), said.trim_end())));
    }
    let json = String::from_utf8_lossy(&output.stdout);
    let program = warplab_sass::read_cubin(&bytes, &json).map_err(|faults| {
        let mut lines: Vec<String> = faults.iter().take(MOST_FAULTS).map(ToString::to_string).collect();
        if faults.len() > MOST_FAULTS {
            lines.push(format!("and {} more", faults.len() - MOST_FAULTS));
        }
        Failure::input(format!("{} cannot be read:\n{}", file.display(), lines.join("\n")))
    })?;
    let text = warplab_program::listing::write(&program);
    Ok(Source::new(format!("{} (as a listing)", file.display()), text))
}

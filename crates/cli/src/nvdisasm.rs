//! A cubin to a listing with the user's own nvdisasm.

use crate::cuda_tools::{Tool, call, complaint};
use crate::failure::Failure;
use crate::sources;
use std::ffi::OsStr;
use std::path::Path;
use warplab_diagnostics::{Diagnostic, Source, Span};
use warplab_exec::Code;
use warplab_program::{Reason, RefusedKernel};

/// Reads a cubin as a listing of the machine program; `name` is the file that a person gave.
pub(crate) fn disassemble(cubin: &Path, name: &Path) -> Result<Source, Failure> {
    // Reading first: a missing file is not the disassembler's fault.
    let bytes = sources::bytes(cubin)?;
    let architecture =
        warplab_sass::architecture(&bytes).map_err(|fault| unreadable(name, &[fault.to_string()]))?;
    let tool = Tool::Nvdisasm.require(name, "")?;
    let output = call(&tool, [OsStr::new("-json"), cubin.as_os_str()])?;
    if !output.status.success() {
        return Err(refused(&tool, name, architecture, &complaint(&output)));
    }
    let json = String::from_utf8_lossy(&output.stdout);
    let mut program = warplab_sass::read_cubin(&bytes, &json)
        .map_err(|faults| unreadable(name, &faults.iter().map(ToString::to_string).collect::<Vec<_>>()))?;
    program.refused.iter_mut().for_each(add_what_cannot_be_executed);
    let text = warplab_program::listing::write(&program);
    Ok(Source::new(format!("{} (as a listing)", name.display()), text))
}

/// Of a kernel that cannot be read in part, what cannot be executed of the rest: all reasons at once.
fn add_what_cannot_be_executed(refused: &mut RefusedKernel) {
    let Err(faults) = Code::decode(&refused.kernel) else { return };
    refused.reasons.extend(faults.into_iter().map(|fault| Reason {
        address: Some(fault.address),
        fault: Diagnostic::error(Span::default(), format!("'{}': {}", fault.instruction, fault.message)),
    }));
    refused.reasons.sort_by_key(|reason| reason.address);
}

fn unreadable(name: &Path, lines: &[String]) -> Failure {
    Failure::input(format!("{} cannot be read:\n{}", name.display(), lines.join("\n")))
}

/// Why a disassembler ended with a fault: most often it is older than the option or the code.
fn refused(tool: &Path, name: &Path, architecture: u32, said: &str) -> Failure {
    let lower = said.to_lowercase();
    let packages = Tool::Nvdisasm.packages();
    let why = if lower.contains("json") {
        format!("{} is too old: it does not know -json", tool.display())
    } else if lower.contains("architecture") || lower.contains("not supported") {
        format!("{} does not know the architecture sm_{architecture}", tool.display())
    } else {
        return Failure::input(format!("nvdisasm cannot read {}:\n{said}", name.display()));
    };
    Failure::input(format!(
        "{}: {why}; get a newer one with 'pip install --upgrade {packages}' and name it in WARPLAB_NVDISASM. It \
         said:\n{said}",
        name.display()
    ))
}

//! Real machine code to the machine program: a cubin for sm_70 to sm_90 and what `nvdisasm -json` says about it.
//!
//! The disassembly gives opcodes and operands; the cubin gives what a disassembly lacks: the control fields of every
//! encoding, registers, shared and local memory, parameters, constant banks and variables. No process is started
//! here, and damaged input is a fault, never a panic.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod banks;
mod bytes;
mod disassembly;
mod elf;
mod info;
mod kernel;
mod lines;
mod link;
mod variables;

use elf::Elf;
use lines::Lines;
use std::fmt;
use warplab_diagnostics::{Diagnostic, Span};
use warplab_program::{Kernel, Program, Reason, RefusedKernel, limits};

/// One thing that cannot be read or is not supported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SassFault {
    /// The kernel; empty when the whole file is meant.
    pub kernel: String,
    /// The address of the instruction, from the start of the kernel.
    pub address: Option<u64>,
    /// The instruction as the disassembler prints it; may be empty.
    pub text: String,
    /// What is wrong.
    pub message: String,
    /// What was expected and what to do; may be empty.
    pub help: String,
}

impl SassFault {
    pub(crate) fn file(message: impl Into<String>) -> SassFault {
        SassFault { message: message.into(), ..SassFault::default() }
    }

    pub(crate) fn kernel(kernel: &str, message: impl Into<String>) -> SassFault {
        SassFault { kernel: kernel.to_owned(), ..SassFault::file(message) }
    }

    /// The same as a reason to refuse its kernel.
    fn into_reason(self) -> Reason {
        let text = if self.text.is_empty() { String::new() } else { format!("'{}': ", self.text) };
        let fault =
            Diagnostic::error(Span::default(), format!("{text}{}", self.message)).with_help(self.help);
        Reason { address: self.address, fault }
    }
}

impl fmt::Display for SassFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.kernel.is_empty() {
            write!(f, "kernel '{}'", self.kernel)?;
            if let Some(address) = self.address {
                write!(f, " at {address:#06x}")?;
            }
            f.write_str(": ")?;
        }
        if !self.text.is_empty() {
            write!(f, "'{}': ", self.text)?;
        }
        f.write_str(&self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(f, "; {}", self.help) }
    }
}

impl std::error::Error for SassFault {}

/// The architectures that are understood: the encodings of Volta to Hopper.
pub(crate) const ARCHITECTURES: [u32; 8] = [70, 72, 75, 80, 86, 87, 89, 90];

/// The architecture that a cubin is for: 90 for sm_90.
///
/// # Errors
/// The file is damaged or no cubin.
pub fn architecture(bytes: &[u8]) -> Result<u32, SassFault> {
    Ok(Elf::read(bytes).map_err(SassFault::file)?.architecture())
}

/// Makes the machine program of a cubin and the text that `nvdisasm -json` prints for it. A kernel that holds something
/// damaged or not supported is refused alone, see [`Program::refused`].
///
/// # Errors
/// What makes the whole file unusable.
pub fn read_cubin(bytes: &[u8], disassembly_json: &str) -> Result<Program, Vec<SassFault>> {
    let elf = Elf::read(bytes).map_err(|message| vec![SassFault::file(message)])?;
    let architecture = elf.architecture();
    if !ARCHITECTURES.contains(&architecture) {
        let message = format!("the code is for sm_{architecture}, which is not supported");
        let help = "compile it with 'nvcc -arch=sm_90 -cubin'; sm_70 to sm_90 are supported".to_owned();
        return Err(vec![SassFault { help, ..SassFault::file(message) }]);
    }
    let functions = disassembly::read(disassembly_json).map_err(|fault| vec![fault])?;
    let mut faults = Vec::new();
    let (globals, wrong) = variables::read(&elf, &mut faults);
    let constants = variables::constants(&elf, &mut faults);
    let lines = lines::read(&elf).unwrap_or_else(|| {
        let help = "compile without -lineinfo".to_owned();
        let message = "the line information in .debug_line is damaged";
        faults.push(SassFault { help, ..SassFault::file(message) });
        Lines::default()
    });
    let file = kernel::File { elf: &elf, functions: &functions, lines: &lines };
    let mut program = Program { architecture: Some(architecture), globals, constants, ..Program::default() };
    for (number, section) in elf.sections.iter().enumerate() {
        let Some(name) = section.name.strip_prefix(".text.") else { continue };
        let entry = elf
            .symbols
            .iter()
            .position(|symbol| symbol.name == name && symbol.is_function() && symbol.is_entry());
        let Some(symbol) = entry else { continue };
        add(&mut program, &file, &kernel::KernelSymbol { name, section: number, symbol }, &wrong);
    }
    if program.kernels.is_empty() && program.refused.is_empty() && faults.is_empty() {
        faults.push(SassFault::file("the cubin has no kernel"));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    program.files = lines.files;
    Ok(program)
}

/// Reads a kernel and puts it where it belongs: to those that can be used, or to the others with its faults.
fn add(
    program: &mut Program,
    file: &kernel::File<'_>,
    place: &kernel::KernelSymbol<'_>,
    wrong: &variables::Wrong,
) {
    let mut faults = Vec::new();
    let kernel = kernel::read(file, place, &mut faults);
    let kernel = kernel.unwrap_or_else(|| Kernel { name: place.name.to_owned(), ..Kernel::default() });
    let own = limits::faults(&kernel).into_iter().chain(variables::faults_of(&kernel, wrong));
    faults.extend(own.map(|message| SassFault::kernel(place.name, message)));
    if faults.is_empty() {
        program.kernels.push(kernel);
    } else {
        faults.sort_by_key(|fault| fault.address);
        let reasons = faults.into_iter().map(SassFault::into_reason).collect();
        program.refused.push(RefusedKernel { kernel, reasons });
    }
}

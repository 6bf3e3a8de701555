//! Text to program: lines and kernels; directives are read in `directive.rs`, instructions in `instruction_reader.rs`.

use super::cursor::{Cursor, Fault};
use super::directive::directive;
use super::instruction_reader::instruction_line;
use crate::instruction::{INSTRUCTION_BYTES, Instruction};
use crate::kernel::{Kernel, Program, Reason, RefusedKernel};
use crate::opcode::Opcode;
use warplab_diagnostics::{Diagnostic, Source, Span};

/// Reads a listing. Faults inside a kernel refuse that kernel, see [`Program::refused`]; those outside all kernels
/// are returned, and the program must not be used then.
#[must_use]
pub fn read(source: &Source) -> (Program, Vec<Diagnostic>) {
    let mut reader = Reader::default();
    let mut offset = 0;
    for (number, line) in (1..).zip(source.text.split('\n')) {
        let cursor = Cursor { line, offset, at: 0 };
        reader.line(cursor, number);
        offset += line.len() + 1;
    }
    let (program, mut faults) = reader.finish(source);
    if program.kernels.is_empty() && program.refused.is_empty() && faults.is_empty() {
        let fault = Diagnostic::error(Span::new(0, 0), "the listing has no kernel");
        faults.push(fault.with_help("a kernel starts with a line '.kernel NAME'"));
    }
    (program, faults)
}

/// Reads one instruction, with or without control columns: for tests and small tools.
///
/// # Errors
/// The first fault of the text.
pub fn read_instruction(text: &str) -> Result<Instruction, Diagnostic> {
    let mut cursor = Cursor { line: text, offset: 0, at: 0 };
    instruction_line(&mut cursor, 0).map_err(|fault| *fault)
}

/// What has been read.
#[derive(Default)]
struct Reader {
    program: Program,
    /// The faults outside all kernels.
    faults: Vec<Diagnostic>,
    /// The faults inside kernels, by the kernel's place in the program.
    inside: Vec<(usize, Diagnostic)>,
}

impl Reader {
    fn line(&mut self, mut cursor: Cursor<'_>, number: u32) {
        if cursor.at_end() || cursor.rest().starts_with("//") {
            return;
        }
        let result = if cursor.rest().starts_with('.') {
            directive(&mut self.program, &mut cursor)
        } else {
            self.instruction(&mut cursor, number)
        };
        let Err(fault) = result else { return };
        match self.program.kernels.len().checked_sub(1) {
            Some(kernel) => self.inside.push((kernel, *fault)),
            None => self.faults.push(*fault),
        }
    }

    fn instruction(&mut self, cursor: &mut Cursor<'_>, number: u32) -> Result<(), Fault> {
        let Some(kernel) = self.program.kernels.last_mut() else {
            let help = "a kernel starts with a line '.kernel NAME'";
            return cursor.fault(0, "an instruction outside any kernel", help);
        };
        let read = instruction_line(cursor, number);
        // What cannot be read still has its place among the addresses.
        kernel
            .instructions
            .push(read.as_ref().map_or_else(|_| Instruction::new(Opcode::Nop, [], []), Clone::clone));
        let instruction = read?;
        let file = instruction.origin.source_file.unwrap_or(0);
        if instruction.origin.source_file.is_some() && usize::from(file) >= self.program.files.len() {
            let help = "files have lines '.file NUMBER NAME' before the first kernel, counted from 0";
            return cursor.fault(0, format!("there is no file {file}"), help);
        }
        Ok(())
    }

    /// Checks targets and parts the kernels that can be used from the others.
    fn finish(mut self, source: &Source) -> (Program, Vec<Diagnostic>) {
        let lines: Vec<&str> = source.text.split('\n').collect();
        let starts: Vec<usize> =
            lines.iter().scan(0, |at, line| Some(std::mem::replace(at, *at + line.len() + 1))).collect();
        for (index, kernel) in self.program.kernels.iter().enumerate() {
            let place = |line: u32| {
                let at = (line as usize).saturating_sub(1);
                let start = starts.get(at).copied().unwrap_or_default();
                Span::new(start, start + lines.get(at).map_or(0, |line| line.len()))
            };
            self.inside.extend(wrong_targets(kernel, place).map(|fault| (index, fault)));
        }
        let mut reasons: Vec<Vec<Reason>> = vec![Vec::new(); self.program.kernels.len()];
        for (kernel, fault) in self.inside {
            reasons[kernel].push(Reason::from(fault));
        }
        for (kernel, mut reasons) in std::mem::take(&mut self.program.kernels).into_iter().zip(reasons) {
            if reasons.is_empty() {
                self.program.kernels.push(kernel);
            } else {
                reasons.sort_by_key(|reason| reason.fault.span.start);
                self.program.refused.push(RefusedKernel { kernel, reasons });
            }
        }
        (self.program, self.faults)
    }
}

fn wrong_targets(kernel: &Kernel, place: impl Fn(u32) -> Span) -> impl Iterator<Item = Diagnostic> {
    kernel.instructions.iter().filter_map(move |instruction| {
        let target =
            instruction.target().filter(|_| !instruction.target_exists(kernel.instructions.len()))?;
        let address = u64::from(target) * INSTRUCTION_BYTES;
        let message = format!("the target {address:#x} is past the end of kernel '{}'", kernel.name);
        Some(Diagnostic::error(place(instruction.origin.line), message))
    })
}

//! Where in its text a kernel failed.

use warplab_diagnostics::{Diagnostic, Source, Span};
use warplab_exec::LaunchFault;
use warplab_gpu::RunFault;
use warplab_program::Program;
use warplab_program::instruction::INSTRUCTION_BYTES;

/// A fault of an instruction at its line of the text that the program was read from, with its line of the high-level
/// source; none where the fault has no such line.
#[must_use]
pub fn at_line(fault: &RunFault, program: &Program, source: &Source) -> Option<Diagnostic> {
    let RunFault::Launch(launch) = fault else { return None };
    let LaunchFault::Exec { kernel, address, line, .. } = launch.as_ref() else { return None };
    let span = line_span(source, *line)?;
    let found = Diagnostic::error(span, fault.to_string()).with_label("executed here");
    let kernel = program.kernel(kernel);
    let instruction = kernel
        .zip(usize::try_from(address / INSTRUCTION_BYTES).ok())
        .and_then(|(kernel, at)| kernel.instructions.get(at));
    Some(match instruction.and_then(|found| program.place(&found.origin)) {
        Some((file, line)) => found.with_help(format!("this is of {file}:{line}")),
        None => found,
    })
}

/// The text of a line, without the space around it.
fn line_span(source: &Source, line: u32) -> Option<Span> {
    let number = (line as usize).checked_sub(1)?;
    let start: usize = source.text.split_inclusive('\n').take(number).map(str::len).sum();
    let text = source.text.get(start..)?.lines().next()?;
    let trimmed = text.trim();
    let start = start + (text.len() - text.trim_start().len());
    (!trimmed.is_empty()).then(|| Span::new(start, start + trimmed.len()))
}

#[cfg(test)]
mod tests {
    use super::line_span;
    use warplab_diagnostics::{Source, Span};

    #[test]
    fn a_line_is_marked_without_the_space_around_it() {
        let source = Source::new("a.ptx", "ret;\r\n  \u{e9}xit; \r\n\n");
        assert_eq!(line_span(&source, 2), Some(Span::new(8, 14)));
        assert_eq!([0, 3, 9].map(|line| line_span(&source, line)), [None; 3]);
    }
}

//! The code of a kernel: machine instructions with what was counted of each, and the texts that they come from.

use serde::Serialize;
use std::ops::Range;
use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_program::listing::instruction_text;
use warplab_program::{Instruction, Kernel};
use warplab_trace::{InstructionCounts, MemoryUse};

/// Lines of a text that are shown around those that instructions come from.
const AROUND: u32 = 12;

/// The code of a kernel.
#[derive(Clone, Debug)]
pub struct Code<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The text that was read (PTX or a listing), if it is one for people.
    pub own: Option<Text<'a>>,
    /// The files of the high-level source, by the number that instructions have of them; without those that are not
    /// at hand.
    pub files: Vec<Option<Text<'a>>>,
    /// What was counted of the instructions, if anything.
    pub counts: Option<CodeCounts<'a>>,
}

/// What was counted of the instructions of a kernel on one multiprocessor.
#[derive(Clone, Copy, Debug)]
pub struct CodeCounts<'a> {
    /// The multiprocessor.
    pub sm: u32,
    /// The counts by program counter; those of the last instructions may be missing.
    pub instructions: &'a [InstructionCounts],
}

/// A text with its name.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The name of the file.
    pub name: &'a str,
    /// What it says.
    pub text: &'a str,
}

/// The code as the page shows it.
#[derive(Debug, Serialize)]
pub(crate) struct CodeDocument {
    /// The multiprocessor on which was counted.
    sm: Option<u32>,
    texts: Vec<TextDocument>,
    instructions: Vec<InstructionDocument>,
}

/// The part of a text that the kernel comes from.
#[derive(Debug, Serialize)]
struct TextDocument {
    name: String,
    /// "own" for what was read, "source" for a file of the high-level source.
    kind: &'static str,
    first_line: u32,
    lines: Vec<String>,
}

/// A machine instruction.
#[derive(Debug, Serialize)]
struct InstructionDocument {
    address: u64,
    text: String,
    pipe: String,
    /// Texts and lines that it comes from.
    places: Vec<(usize, u32)>,
    note: &'static str,
    stall: u8,
    write_barrier: Option<u8>,
    read_barrier: Option<u8>,
    wait_mask: u8,
    executed: u64,
    threads: u64,
    waited: u64,
    /// Warp-cycles in the states before it: the state's place in the document's list, cycles.
    states: Vec<(usize, u64)>,
    memory: Option<MemoryUse>,
}

impl CodeDocument {
    pub(crate) fn of(code: &Code<'_>) -> CodeDocument {
        let texts = Texts::of(code);
        let documents = code.kernel.instructions.iter().enumerate().map(|(pc, instruction)| {
            let counts = code.counts.and_then(|counts| counts.instructions.get(pc).copied());
            document(pc, instruction, texts.places(instruction), &counts.unwrap_or_default())
        });
        CodeDocument {
            sm: code.counts.map(|counts| counts.sm),
            instructions: documents.collect(),
            texts: texts.documents,
        }
    }
}

/// The texts that are shown.
struct Texts {
    documents: Vec<TextDocument>,
    /// The place of the text that was read.
    own: Option<usize>,
    /// The places of the files of the high-level source.
    files: Vec<Option<usize>>,
}

impl Texts {
    fn of(code: &Code<'_>) -> Texts {
        let instructions = &code.kernel.instructions;
        let mut texts = Texts { documents: Vec::new(), own: None, files: Vec::new() };
        texts.own = texts.add(code.own, "own", instructions.iter().map(|it| it.origin.line));
        for (number, text) in code.files.iter().enumerate() {
            let of_file = instructions
                .iter()
                .filter(|it| it.origin.source_file.map(usize::from) == Some(number))
                .map(|it| it.origin.source_line);
            let place = texts.add(*text, "source", of_file);
            texts.files.push(place);
        }
        texts
    }

    /// Adds what is around these lines of a text.
    fn add(
        &mut self,
        text: Option<Text<'_>>,
        kind: &'static str,
        lines: impl Iterator<Item = u32>,
    ) -> Option<usize> {
        let text = text?;
        let shown = around(lines)?;
        let lines = text.text.lines().skip(shown.start as usize - 1).take(shown.len());
        self.documents.push(TextDocument {
            name: text.name.to_owned(),
            kind,
            first_line: shown.start,
            lines: lines.map(str::to_owned).collect(),
        });
        Some(self.documents.len() - 1)
    }

    /// Where an instruction comes from: texts and lines.
    fn places(&self, instruction: &Instruction) -> Vec<(usize, u32)> {
        let origin = &instruction.origin;
        let file = origin.source_file.and_then(|file| *self.files.get(usize::from(file))?);
        let own = self.own.map(|text| (text, origin.line));
        let places = own.into_iter().chain(file.map(|text| (text, origin.source_line)));
        places.filter(|&(_, line)| line > 0).collect()
    }
}

/// The lines from the first to the last and some around them; lines count from 1.
fn around(lines: impl Iterator<Item = u32>) -> Option<Range<u32>> {
    let (first, last) = lines
        .filter(|line| *line > 0)
        .fold((u32::MAX, 0), |(first, last), line| (first.min(line), last.max(line)));
    (last > 0).then(|| first.saturating_sub(AROUND).max(1)..last.saturating_add(AROUND + 1))
}

fn document(
    pc: usize,
    instruction: &Instruction,
    places: Vec<(usize, u32)>,
    counts: &InstructionCounts,
) -> InstructionDocument {
    let control = &instruction.control;
    let states = counts.states.iter().copied().enumerate();
    InstructionDocument {
        address: pc as u64 * INSTRUCTION_BYTES,
        text: instruction_text(instruction),
        pipe: instruction.opcode.info().pipe.to_string(),
        places,
        note: instruction.origin.note,
        stall: control.stall,
        write_barrier: control.write_barrier,
        read_barrier: control.read_barrier,
        wait_mask: control.wait_mask,
        executed: counts.executed,
        threads: counts.threads,
        waited: counts.waited(),
        states: states.filter(|&(_, cycles)| cycles > 0).collect(),
        memory: Some(counts.memory).filter(|memory| *memory != MemoryUse::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn a_text_is_shown_from_a_little_before_its_first_line_to_a_little_behind_its_last() {
        assert_eq!(around([40, 0, 50].into_iter()), Some(28..63));
        assert_eq!(around([3].into_iter()), Some(1..16));
        assert_eq!(around([0].into_iter()), None);
    }
}

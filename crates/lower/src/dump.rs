//! Code as text, between passes.

use crate::code::Code;
use std::fmt::Write;
use warplab_program::listing::instruction_text;

/// The blocks with their instructions; branch targets are printed as sixteen times the number of the block.
pub(crate) fn text(code: &Code) -> String {
    let mut text = String::new();
    for (index, block) in code.blocks.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "block {:#x}:{}", index * 16, if block.cold { "  // cold" } else { "" });
        for instruction in &block.instructions {
            let note = instruction.origin.note;
            let note = if note.is_empty() { String::new() } else { format!(", {note}") };
            let line = instruction.origin.line;
            let _ = writeln!(text, "    {} ;  // line {line}{note}", instruction_text(instruction));
        }
    }
    text
}

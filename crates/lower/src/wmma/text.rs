//! Writes PTX instructions that have registers of their own.

use std::fmt::{Arguments, Write};

/// The instructions so far.
#[derive(Default)]
pub(super) struct Writer {
    text: String,
    /// What guards each instruction.
    guard: String,
    halves: usize,
    narrow: usize,
    wide: usize,
}

impl Writer {
    /// `guard`: `@%p` and its like, or nothing.
    pub(super) fn guarded(guard: String) -> Writer {
        Writer { guard, ..Writer::default() }
    }

    /// The declarations of the registers that were used, and the instructions.
    pub(super) fn block(&self) -> String {
        let [halves, narrow, wide] = [self.halves, self.narrow, self.wide].map(|count| count + 1);
        format!(
            "{{ .reg .b16 %wmma_h<{halves}>; .reg .b32 %wmma_n<{narrow}>; .reg .b64 %wmma_w<{wide}>;\n{}}}",
            self.text
        )
    }

    /// One instruction.
    pub(super) fn emit(&mut self, instruction: Arguments<'_>) {
        // Writing to a text cannot fail.
        let _ = writeln!(self.text, "{} {instruction};", self.guard);
    }

    /// A new register of 16 bits.
    pub(super) fn half_register(&mut self) -> String {
        self.halves += 1;
        format!("%wmma_h{}", self.halves - 1)
    }

    /// A new register of 32 bits.
    pub(super) fn register(&mut self) -> String {
        self.narrow += 1;
        format!("%wmma_n{}", self.narrow - 1)
    }

    /// A new register of 64 bits.
    pub(super) fn wide_register(&mut self) -> String {
        self.wide += 1;
        format!("%wmma_w{}", self.wide - 1)
    }

    /// An instruction with a result of 32 bits.
    pub(super) fn op(&mut self, opcode: &str, sources: Arguments<'_>) -> String {
        let to = self.register();
        self.emit(format_args!("{opcode} {to}, {sources}"));
        to
    }

    /// An instruction with a result of 64 bits.
    pub(super) fn wide_op(&mut self, opcode: &str, sources: Arguments<'_>) -> String {
        let to = self.wide_register();
        self.emit(format_args!("{opcode} {to}, {sources}"));
        to
    }
}

/// Registers in braces.
pub(super) fn listed(registers: &[String]) -> String {
    format!("{{{}}}", registers.join(", "))
}

//! What threads print: kept as the driver keeps it, in a buffer that forgets the oldest, and told block by block.

use std::collections::VecDeque;
use warplab_program::runtime::PRINT_BYTES;

/// Bytes that a call of `printf` takes in the buffer beside its text.
const ENTRY_BYTES: u64 = 16;

/// What one thread printed in one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// When, in cycles.
    pub cycle: u64,
    /// The block's number.
    pub block: u64,
    /// The thread's coordinates in its block.
    pub thread: [u32; 3],
    /// The text as formatted: bytes, for a program may print any.
    pub text: Vec<u8>,
}

/// The last that was printed, as far as the driver's buffer holds it.
#[derive(Clone, Debug, Default)]
pub struct PrintedLines {
    kept: VecDeque<Printed>,
    bytes: u64,
    lost: u64,
}

impl PrintedLines {
    /// Adds what was printed, in order of time; the oldest go when the buffer is full.
    pub fn push(&mut self, printed: Printed) {
        self.bytes += size(&printed);
        self.kept.push_back(printed);
        while self.bytes > PRINT_BYTES
            && let Some(oldest) = self.kept.pop_front()
        {
            self.bytes -= size(&oldest);
            self.lost += 1;
        }
    }

    /// Takes all out that is kept, in order of time, with how many were lost before.
    pub fn take(&mut self) -> (impl Iterator<Item = Printed> + use<>, u64) {
        self.bytes = 0;
        (std::mem::take(&mut self.kept).into_iter(), std::mem::take(&mut self.lost))
    }

    /// Counts what others have lost.
    pub fn add_lost(&mut self, calls: u64) {
        self.lost += calls;
    }

    /// Calls of `printf` whose text was lost because the buffer was full.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Whether nothing was printed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.lost == 0
    }

    /// What is kept, block by block, and in order of time within a block.
    #[must_use]
    pub fn by_block(&self) -> Vec<&Printed> {
        let mut all: Vec<&Printed> = self.kept.iter().collect();
        all.sort_by_key(|printed| printed.block);
        all
    }

    /// All of it as one text, block by block.
    #[must_use]
    pub fn text(&self) -> Vec<u8> {
        self.by_block().into_iter().flat_map(|printed| &printed.text).copied().collect()
    }
}

fn size(printed: &Printed) -> u64 {
    ENTRY_BYTES + printed.text.len() as u64
}

#[cfg(test)]
mod tests {
    use super::{Printed, PrintedLines};

    fn line(block: u64, cycle: u64, text: &str) -> Printed {
        Printed { cycle, block, thread: [0; 3], text: text.as_bytes().to_vec() }
    }

    #[test]
    fn lines_are_told_by_block_and_then_by_time() {
        let mut lines = PrintedLines::default();
        for printed in [line(1, 5, "c"), line(0, 6, "a"), line(1, 7, "d"), line(0, 8, "b")] {
            lines.push(printed);
        }
        assert_eq!(lines.text(), b"abcd");
        assert_eq!(lines.lost(), 0);
    }

    #[test]
    fn a_full_buffer_forgets_the_oldest_and_says_how_many() {
        let mut lines = PrintedLines::default();
        for cycle in 0..100_000 {
            lines.push(line(0, cycle, "16 bytes of text"));
        }
        assert_eq!(lines.by_block().len(), 32_768);
        assert_eq!(lines.lost(), 67_232);
        assert_eq!(lines.by_block()[0].cycle, 67_232);
    }
}

//! What threads print: kept as the driver keeps it, in a buffer that forgets the oldest, and told block by block.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_program::runtime::{PRINT_BYTES, PRINT_LINE_BYTES};

/// What a warp printed in one call of `printf`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// When, in cycles.
    pub cycle: u64,
    /// The block's number.
    pub block: u64,
    /// What each thread printed, in the order of lanes.
    pub lines: Vec<PrintedLine>,
}

/// What one thread printed in one call of `printf`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintedLine {
    /// The thread's coordinates in its block.
    pub thread: [u32; 3],
    /// The text as formatted: bytes, for a program may print any.
    pub text: Vec<u8>,
}

/// The lines that were printed last: as many as the driver's buffer holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PrintedLines {
    kept: VecDeque<Printed>,
    bytes: u64,
    lost: u64,
}

impl PrintedLines {
    /// Adds what a warp printed, in order of time; the oldest go when the buffer is full.
    pub fn push(&mut self, printed: Printed) {
        self.bytes += size(&printed);
        self.kept.push_back(printed);
        while self.bytes > PRINT_BYTES
            && let Some(oldest) = self.kept.pop_front()
        {
            self.bytes -= size(&oldest);
            self.lost += oldest.lines.len() as u64;
        }
    }

    /// Takes all out that is kept, in order of time, with how many lines were lost before.
    pub fn take(&mut self) -> (impl Iterator<Item = Printed> + use<>, u64) {
        self.bytes = 0;
        (std::mem::take(&mut self.kept).into_iter(), std::mem::take(&mut self.lost))
    }

    /// Adds to the number of lost lines.
    pub fn add_lost(&mut self, lines: u64) {
        self.lost += lines;
    }

    /// Lines (what one thread prints in one call) that were lost because the buffer was full.
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
    pub fn by_block(&self) -> Vec<(&Printed, &PrintedLine)> {
        let mut all: Vec<&Printed> = self.kept.iter().collect();
        all.sort_by_key(|printed| printed.block);
        all.into_iter().flat_map(|printed| printed.lines.iter().map(move |line| (printed, line))).collect()
    }

    /// All of it as one text, block by block.
    #[must_use]
    pub fn text(&self) -> Vec<u8> {
        self.by_block().into_iter().flat_map(|(_, line)| &line.text).copied().collect()
    }
}

/// Bytes of a call in the buffer.
fn size(printed: &Printed) -> u64 {
    let line = |line: &PrintedLine| {
        let text = line.text.len() as u64;
        PRINT_LINE_BYTES + if text > PRINT_LINE_BYTES { text } else { 0 }
    };
    printed.lines.iter().map(line).sum()
}

#[cfg(test)]
mod tests {
    use super::{Printed, PrintedLine, PrintedLines};

    fn line(block: u64, cycle: u64, text: &str) -> Printed {
        Printed { cycle, block, lines: vec![PrintedLine { thread: [0; 3], text: text.as_bytes().to_vec() }] }
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
        for cycle in 0..50_000 {
            lines.push(line(0, cycle, "a short text"));
        }
        assert_eq!(lines.by_block().len(), 1056 * 32);
        assert_eq!(lines.lost(), 50_000 - 1056 * 32);
        assert_eq!(lines.by_block()[0].0.cycle, 50_000 - 1056 * 32);
        // Long texts take what they take.
        lines.push(line(0, 50_000, &"x".repeat(8_000_000)));
        assert_eq!(lines.by_block().len(), 2542);
    }

    #[test]
    fn a_text_that_is_longer_than_the_buffer_is_lost() {
        let mut lines = PrintedLines::default();
        lines.push(line(0, 1, &"x".repeat(9_000_000)));
        assert_eq!((lines.by_block().len(), lines.lost()), (0, 1));
    }
}

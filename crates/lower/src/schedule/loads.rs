//! Registers for loads that are under way together.

use super::{Kind, Run};
use warplab_program::Opcode;

/// So many words are loaded together if registers are all that it takes, as ptxas does it: four loads of four words.
const WORDS_TOGETHER: usize = 16;

/// So many words at least, however many registers are taken: what is read seldom finds another place.
const FEWEST_TOGETHER: usize = 8;

/// Words that have been asked for and are not there yet.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    /// When they come, and how many.
    loads: Vec<(u64, usize)>,
}

impl UnderWay {
    /// A load of so many words has been asked for.
    pub(super) fn ask(&mut self, comes: u64, words: usize) {
        self.loads.push((comes, words));
    }

    /// Whether one more load may be under way beside those that are not there at `time`.
    pub(super) fn has_room(&mut self, time: u64) -> bool {
        self.loads.retain(|&(comes, _)| comes > time);
        self.loads.iter().map(|&(_, words)| words).sum::<usize>() < FEWEST_TOGETHER
    }
}

impl Run {
    /// The words that an instruction loads from global memory, if it does.
    pub(super) fn loaded_words(&self, index: usize) -> usize {
        let opcode = self.instructions[index].opcode;
        if !matches!(opcode, Opcode::Ldg | Opcode::Ld) {
            return 0;
        }
        let registers = self.versions.writes[index].iter();
        registers.filter(|&&number| self.versions.kinds[number as usize] == 0).count()
    }

    /// So many live registers and the results of the loads of the run that had better be under way together.
    pub(super) fn with_loads(&self, live: usize) -> usize {
        let is_load =
            |index: &usize| matches!(Kind::of(&self.instructions[*index]), Kind::Load | Kind::ConstantLoad);
        let words = |index: usize| {
            let registers = self.versions.writes[index].iter();
            registers.filter(|&&number| self.versions.kinds[number as usize] == 0).count()
        };
        let loaded: usize = (0..self.instructions.len()).filter(is_load).map(words).sum();
        live + loaded.min(WORDS_TOGETHER)
    }
}

//! Registers for loads that are under way together.

use super::{Kind, Run};

/// So many words are loaded together if registers are all that it takes, as ptxas does it: four loads of four words.
const WORDS_TOGETHER: usize = 16;

impl Run {
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

//! Registers for loads that are under way together.

use super::{Kind, Run};

/// Wide loads that are under way together if registers are all that it takes, as ptxas does it.
const LOADS_TOGETHER: usize = 4;

/// Results of loads of fewer registers fit anyway.
const WIDE: usize = 3;

impl Run {
    /// So many live registers and the results of the widest loads of the run that had better be under way together.
    pub(super) fn with_loads(&self, live: usize) -> usize {
        let results = |index: usize| {
            let is_load = Kind::of(&self.instructions[index]) == Kind::Load;
            let registers = self.versions.writes[index].iter();
            if is_load {
                registers.filter(|&&number| self.versions.kinds[number as usize] == 0).count()
            } else {
                0
            }
        };
        let mut widths: Vec<usize> =
            (0..self.instructions.len()).map(results).filter(|&width| width >= WIDE).collect();
        widths.sort_unstable_by(|one, other| other.cmp(one));
        live + widths.iter().take(LOADS_TOGETHER).sum::<usize>()
    }
}

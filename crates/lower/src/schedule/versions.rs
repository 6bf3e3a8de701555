//! Which value a register holds: live registers are counted by values.

use warplab_program::Instruction;

/// The values of a run one by one: what is written anew is another value, in the same register.
pub(super) struct Versions {
    pub(super) reads: Vec<Vec<u32>>,
    pub(super) writes: Vec<Vec<u32>>,
    pub(super) kinds: Vec<usize>,
    /// The number of each.
    numbers: Vec<u32>,
    /// The last of each number.
    last: Vec<u32>,
}

impl Versions {
    pub(super) fn new(
        instructions: &[Instruction],
        reads: &[Vec<u32>],
        writes: &[Vec<u32>],
        kinds: &[usize],
    ) -> Versions {
        let mut numbers: Vec<u32> = (0..crate::code::number(kinds.len())).collect();
        let mut last = numbers.clone();
        let (mut value_reads, mut value_writes) = (Vec::new(), Vec::new());
        for ((instruction, read), written) in instructions.iter().zip(reads).zip(writes) {
            value_reads.push(read.iter().map(|&number| last[number as usize]).collect());
            // Under a guard the other lanes keep the old value.
            if instruction.guard.is_always() {
                for &number in written {
                    last[number as usize] = crate::code::number(numbers.len());
                    numbers.push(number);
                }
            }
            value_writes.push(written.iter().map(|&number| last[number as usize]).collect());
        }
        let kinds = numbers.iter().map(|&number| kinds[number as usize]).collect();
        Versions { reads: value_reads, writes: value_writes, kinds, numbers, last }
    }

    /// Something of every value, by its number and whether it is the first and the last of it.
    pub(super) fn all(&self, of: impl Fn(usize, bool, bool) -> bool) -> Vec<bool> {
        let versions = self.numbers.iter().zip(0..);
        versions
            .map(|(&number, version)| {
                of(number as usize, version == number, self.last[number as usize] == version)
            })
            .collect()
    }

    pub(super) fn times_read(&self) -> Vec<u32> {
        let mut times = vec![0; self.numbers.len()];
        self.reads.iter().flatten().for_each(|&version| times[version as usize] += 1);
        times
    }
}

//! The execution units of a sub-partition: an instruction occupies its unit for the interval of its pipe.

use serde::{Deserialize, Serialize};
use warplab_config::gpu;
use warplab_program::Pipe;
use warplab_units::Cycle;

/// The units of a sub-partition and their intervals, by pipe.
#[derive(Clone, Debug)]
pub(crate) struct PipeSpec {
    units: [u8; Pipe::COUNT],
    intervals: [u8; Pipe::COUNT],
}

impl PipeSpec {
    pub(crate) fn new(pipes: &gpu::Pipes) -> PipeSpec {
        PipeSpec {
            units: Pipe::ALL.map(|pipe| pipes.unit(pipe) as u8),
            intervals: Pipe::ALL.map(|pipe| pipes.interval(pipe).min(255) as u8),
        }
    }

    /// The unit that executes the instructions of a pipe.
    pub(crate) fn unit(&self, pipe: Pipe) -> u8 {
        self.units[pipe as usize]
    }

    /// Cycles for which an instruction of a pipe occupies its unit.
    pub(crate) fn interval(&self, pipe: Pipe) -> u8 {
        self.intervals[pipe as usize]
    }
}

/// The unit of shared memory and lane exchange, where it takes instructions beside the load/store unit's.
pub(crate) const SHARED_UNIT: u8 = Pipe::COUNT as u8;

/// Units are numbered by the pipes that they are named after; shared memory's comes behind.
const UNITS: usize = Pipe::COUNT + 1;

/// The execution units of one sub-partition, and the ready warps that want each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Pipes {
    /// Warps that want each unit.
    wants: [u64; UNITS],
    /// Units that a warp wants.
    wanted: u16,
    /// When each unit can take its next instruction.
    free: [Cycle; UNITS],
    /// From when on every unit is free.
    all_free: Cycle,
}

impl Pipes {
    /// A ready warp wants a unit.
    #[inline]
    pub(crate) fn want(&mut self, warp: u32, unit: u8) {
        self.wants[usize::from(unit)] |= 1 << warp;
        self.wanted |= 1 << unit;
    }

    /// A warp issues to a unit, which is occupied until a cycle.
    #[inline]
    pub(crate) fn issue(&mut self, warp: u32, unit: u8, until: Cycle) {
        let wants = &mut self.wants[usize::from(unit)];
        *wants &= !(1 << warp);
        if *wants == 0 {
            self.wanted &= !(1 << unit);
        }
        self.free[usize::from(unit)] = until;
        self.all_free = self.all_free.max(until);
    }

    /// The ready warps that want a unit.
    #[inline]
    pub(crate) fn wanting(&self, unit: u8) -> u64 {
        self.wants[usize::from(unit)]
    }

    /// The warps whose unit is occupied, and when the first of these units is free.
    #[inline]
    pub(crate) fn occupied(&self, now: Cycle) -> (u64, Cycle) {
        let (mut warps, mut free) = (0, Cycle::NEVER);
        if self.all_free <= now {
            return (warps, free);
        }
        let mut rest = self.wanted;
        while rest != 0 {
            let unit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.free[unit] > now {
                warps |= self.wants[unit];
                free = free.min(self.free[unit]);
            }
        }
        (warps, free)
    }
}

#[cfg(test)]
mod tests {
    use super::Pipes;
    use warplab_units::Cycle;

    #[test]
    fn a_unit_takes_the_next_instruction_exactly_at_the_end_of_its_interval() {
        let mut pipes = Pipes::default();
        pipes.want(0, 4);
        pipes.issue(0, 4, Cycle(10 + 8));
        pipes.want(1, 4);
        assert_eq!(pipes.occupied(Cycle(17)), (0b10, Cycle(18)));
        assert_eq!(pipes.occupied(Cycle(18)), (0, Cycle::NEVER));
    }

    #[test]
    fn a_busy_unit_holds_back_only_those_that_want_it() {
        let mut pipes = Pipes::default();
        pipes.issue(0, 2, Cycle(20));
        pipes.want(1, 2);
        pipes.want(2, 2);
        pipes.want(3, 5);
        assert_eq!(pipes.occupied(Cycle(10)), (0b110, Cycle(20)));
    }

    #[test]
    fn the_first_of_several_busy_units_is_told() {
        let mut pipes = Pipes::default();
        for (warp, unit, until) in [(0, 1, 30), (1, 2, 20), (2, 3, 5)] {
            pipes.issue(warp, unit, Cycle(until));
            pipes.want(warp, unit);
        }
        assert_eq!(pipes.occupied(Cycle(10)), (0b11, Cycle(20)));
    }

    #[test]
    fn a_busy_unit_that_nobody_wants_holds_nobody_back() {
        let mut pipes = Pipes::default();
        pipes.want(0, 1);
        pipes.issue(0, 1, Cycle(30));
        assert_eq!(pipes.occupied(Cycle(10)), (0, Cycle::NEVER));
    }
}

//! The execution units of a sub-partition: an instruction occupies its unit for the interval of its pipe.

use serde::{Deserialize, Serialize};
use warplab_config::gpu;
use warplab_program::{Instruction, Modifier, Opcode, Pipe};
use warplab_units::Cycle;

/// The units of a sub-partition and their intervals, by pipe.
#[derive(Clone, Debug)]
pub(crate) struct PipeSpec {
    uses: [PipeUse; Pipe::COUNT],
    matrix: PipeUse,
    wide_product: PipeUse,
}

/// What an instruction takes of the units and of the dispatcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PipeUse {
    /// The unit that executes it.
    pub(crate) unit: u8,
    /// Cycles for which it occupies the unit.
    pub(crate) interval: u8,
    /// Cycles of the dispatcher beyond the one of its issue.
    pub(crate) hold: u8,
}

impl PipeSpec {
    pub(crate) fn new(pipes: &gpu::Pipes) -> PipeSpec {
        let short = |cycles: u32| cycles.min(u32::from(u8::MAX)) as u8;
        let of = |pipe: Pipe| {
            let (unit, interval) = match pipe {
                Pipe::Fma if pipes.fma_halves => (EITHER_HALF, 2 * pipes.interval(pipe)),
                Pipe::FmaHeavy if pipes.fma_halves => (HEAVY_HALF, pipes.interval(pipe)),
                Pipe::Fp16 if pipes.fma_halves => (BOTH_HALVES, pipes.interval(pipe)),
                _ => (pipes.unit(pipe) as u8, pipes.interval(pipe)),
            };
            PipeUse { unit, interval: short(interval), hold: 0 }
        };
        let (heavy, half) = (of(Pipe::FmaHeavy), of(Pipe::Fp16));
        PipeSpec {
            uses: Pipe::ALL.map(of),
            matrix: pipes.matrix.map_or(half, |timing| PipeUse {
                unit: timing.unit.map_or(Pipe::Fp16, gpu::PipeUnit::pipe) as u8,
                interval: short(timing.interval),
                hold: 0,
            }),
            wide_product: pipes.wide_product.map_or(heavy, |wide| PipeUse {
                unit: heavy.unit,
                interval: short(wide.interval),
                hold: short(wide.dispatch - 1),
            }),
        }
    }

    /// What an instruction takes.
    pub(crate) fn of(&self, instruction: &Instruction) -> PipeUse {
        let pipe = instruction.opcode.info().pipe;
        let wide = instruction.has(Modifier::Wide) || instruction.has(Modifier::Hi);
        match pipe {
            Pipe::Fp16 if instruction.has(Modifier::Mma) => self.matrix,
            Pipe::FmaHeavy if wide && instruction.opcode == Opcode::Imad => self.wide_product,
            _ => self.uses[pipe as usize],
        }
    }
}

/// The unit of shared memory and lane exchange, where it takes instructions beside the load/store unit's.
pub(crate) const SHARED_UNIT: u8 = Pipe::COUNT as u8;

/// The half pipes of single precision, as instructions want them: whichever is free, the heavy one, both.
const EITHER_HALF: u8 = SHARED_UNIT + 1;
const HEAVY_HALF: u8 = SHARED_UNIT + 2;
const BOTH_HALVES: u8 = SHARED_UNIT + 3;

/// Units are numbered by the pipes that they are named after; shared memory's and the half pipes come behind.
const UNITS: usize = Pipe::COUNT + 4;

/// The execution units of one sub-partition, and the ready warps that want each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Pipes {
    /// Warps that want each unit.
    wants: [u64; UNITS],
    /// Units that a warp wants.
    wanted: u16,
    /// When each unit can take its next instruction.
    free: [Cycle; UNITS],
    /// When the light half pipe can.
    light_free: Cycle,
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

    /// A warp issues `now` to a unit, which is occupied until a cycle.
    #[inline]
    pub(crate) fn issue(&mut self, warp: u32, unit: u8, now: Cycle, until: Cycle) {
        let wants = &mut self.wants[usize::from(unit)];
        *wants &= !(1 << warp);
        if *wants == 0 {
            self.wanted &= !(1 << unit);
        }
        self.all_free = self.all_free.max(until);
        if unit < EITHER_HALF {
            self.free[usize::from(unit)] = until;
        } else {
            self.take_half(unit, now, until);
        }
    }

    /// An instruction takes half pipes until a cycle.
    #[inline]
    fn take_half(&mut self, unit: u8, now: Cycle, until: Cycle) {
        let takes_light = unit == BOTH_HALVES || unit == EITHER_HALF && self.light_free <= now;
        let takes_heavy = unit != EITHER_HALF || !takes_light;
        let (mut light, mut heavy) = (self.light_free, self.free[usize::from(HEAVY_HALF)]);
        if takes_light {
            light = until;
        }
        if takes_heavy {
            heavy = until;
        }
        self.light_free = light;
        self.free[usize::from(EITHER_HALF)] = light.min(heavy);
        self.free[usize::from(HEAVY_HALF)] = heavy;
        self.free[usize::from(BOTH_HALVES)] = light.max(heavy);
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
        pipes.issue(0, 4, Cycle(10), Cycle(10 + 8));
        pipes.want(1, 4);
        assert_eq!(pipes.occupied(Cycle(17)), (0b10, Cycle(18)));
        assert_eq!(pipes.occupied(Cycle(18)), (0, Cycle::NEVER));
    }

    #[test]
    fn a_busy_unit_holds_back_only_those_that_want_it() {
        let mut pipes = Pipes::default();
        pipes.issue(0, 2, Cycle(0), Cycle(20));
        pipes.want(1, 2);
        pipes.want(2, 2);
        pipes.want(3, 5);
        assert_eq!(pipes.occupied(Cycle(10)), (0b110, Cycle(20)));
    }

    #[test]
    fn the_first_of_several_busy_units_is_told() {
        let mut pipes = Pipes::default();
        for (warp, unit, until) in [(0, 1, 30), (1, 2, 20), (2, 3, 5)] {
            pipes.issue(warp, unit, Cycle(0), Cycle(until));
            pipes.want(warp, unit);
        }
        assert_eq!(pipes.occupied(Cycle(10)), (0b11, Cycle(20)));
    }

    #[test]
    fn a_busy_unit_that_nobody_wants_holds_nobody_back() {
        let mut pipes = Pipes::default();
        pipes.want(0, 1);
        pipes.issue(0, 1, Cycle(0), Cycle(30));
        assert_eq!(pipes.occupied(Cycle(10)), (0, Cycle::NEVER));
    }
}

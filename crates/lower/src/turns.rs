//! Units that take an instruction of a warp only every few cycles: ptxas has the next one wait in the stall counts in front of it.

use warplab_program::{Instruction, Opcode, Pipe, TargetChoices};

/// A unit that takes an instruction of a warp every few cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Memory, and exchanges of lanes.
    Memory,
    /// Special functions, conversions and counts of bits.
    Function,
    /// Loads of constants, uniform reads of special registers and barriers.
    Constant,
}

impl Unit {
    /// The unit of an instruction, if it is one of these.
    pub(crate) fn of(instruction: &Instruction) -> Option<Unit> {
        match instruction.opcode {
            Opcode::Ldc | Opcode::S2ur | Opcode::Bar => Some(Unit::Constant),
            opcode => match opcode.info().pipe {
                Pipe::Lsu => Some(Unit::Memory),
                Pipe::Xu => Some(Unit::Function),
                _ => None,
            },
        }
    }

    /// Cycles between two instructions.
    fn interval(self, choices: &TargetChoices) -> u64 {
        u64::from(match self {
            Unit::Memory => choices.memory_stall,
            Unit::Function => choices.function_stall,
            Unit::Constant => choices.constant_stall,
        })
    }
}

/// When the last instruction of each unit issued.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns([Option<u64>; 3]);

impl Turns {
    /// When an instruction may issue that is ready at `time` otherwise.
    pub(crate) fn ready(&self, unit: Option<Unit>, time: u64, choices: &TargetChoices) -> u64 {
        let free = unit.and_then(|unit| Some(self.0[unit as usize]? + unit.interval(choices)));
        free.map_or(time, |free| free.max(time))
    }

    /// An instruction issues.
    pub(crate) fn take(&mut self, unit: Option<Unit>, time: u64) {
        if let Some(unit) = unit {
            self.0[unit as usize] = Some(time);
        }
    }

    /// What issued after `since` does so later.
    pub(crate) fn put_off(&mut self, since: u64, cycles: u64) {
        self.0.iter_mut().flatten().filter(|issued| **issued > since).for_each(|issued| *issued += cycles);
    }
}

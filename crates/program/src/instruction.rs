//! One machine instruction with its control fields.

use crate::modifier::Modifiers;
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::register::{Predicate, UniformPredicate};
use crate::runtime::SystemCall;
use arrayvec::ArrayVec;

/// The most operands that one instruction has.
pub(crate) const MAX_OPERANDS: usize = 10;

/// Wait counters of a warp.
pub const WAIT_COUNTERS: usize = 6;

/// Bytes of an encoded instruction: addresses in listings count in these.
pub const INSTRUCTION_BYTES: u64 = 16;

/// The condition under which a lane executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guard {
    /// `@P0` or `@!P0`; `PT` not negated means always.
    Predicate {
        /// Which.
        predicate: Predicate,
        /// Whether the lane executes when it is false.
        negate: bool,
    },
    /// `@UP0` or `@!UP0`: all lanes or none.
    Uniform {
        /// Which.
        predicate: UniformPredicate,
        /// Whether the warp executes when it is false.
        negate: bool,
    },
}

impl Guard {
    /// No condition.
    pub const ALWAYS: Guard = Guard::Predicate { predicate: Predicate::TRUE, negate: false };

    /// Holds for no lane.
    pub const NEVER: Guard = Guard::Predicate { predicate: Predicate::TRUE, negate: true };

    /// Whether there is no condition.
    #[must_use]
    pub fn is_always(self) -> bool {
        self == Guard::ALWAYS
    }
}

/// What the compiler tells the scheduler: the control fields of an encoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Control {
    /// Cycles until the warp may issue its next instruction: 0 to 15.
    pub stall: u8,
    /// The yield bit as encoded.
    pub yield_hint: bool,
    /// The wait counter that goes down when the result is there.
    pub write_barrier: Option<u8>,
    /// The wait counter that goes down when the sources have been read.
    pub read_barrier: Option<u8>,
    /// The wait counters that must be zero before this instruction issues: bit `i` is counter `i`.
    pub wait_mask: u8,
}

impl Default for Control {
    fn default() -> Control {
        Control { stall: 1, yield_hint: true, write_barrier: None, read_barrier: None, wait_mask: 0 }
    }
}

/// Where an instruction comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The line of the text that was read (PTX or listing), from 1; 0 when there is none.
    pub line: u32,
    /// The file of the high-level source (an index into [`crate::Program::files`]), from `.loc` or line information.
    pub source_file: Option<u16>,
    /// The line of that file, from 1.
    pub source_line: u32,
    /// What moved or made it, for the listing; empty when it stands where it was written.
    pub note: &'static str,
}

/// One machine instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The lanes that execute it.
    pub guard: Guard,
    /// What it does.
    pub opcode: Opcode,
    /// How exactly.
    pub modifiers: Modifiers,
    /// With what, results first.
    pub operands: ArrayVec<Operand, MAX_OPERANDS>,
    /// When.
    pub control: Control,
    /// Whence.
    pub origin: Origin,
}

impl Instruction {
    /// An instruction without guard, with default control fields.
    pub fn new(
        opcode: Opcode,
        modifiers: impl Into<Modifiers>,
        operands: impl IntoIterator<Item = Operand>,
    ) -> Self {
        Instruction {
            guard: Guard::ALWAYS,
            opcode,
            modifiers: modifiers.into(),
            operands: operands.into_iter().take(MAX_OPERANDS).collect(),
            control: Control::default(),
            origin: Origin::default(),
        }
    }

    /// The same under a guard.
    #[must_use]
    pub fn guarded(mut self, guard: Guard) -> Instruction {
        self.guard = guard;
        self
    }

    /// The same with an origin.
    #[must_use]
    pub fn with_origin(mut self, origin: Origin) -> Instruction {
        self.origin = origin;
        self
    }

    /// Whether a modifier is present.
    #[must_use]
    pub fn has(&self, modifier: crate::Modifier) -> bool {
        self.modifiers.has(modifier)
    }

    /// Whether an immediate is the upper half of a double.
    #[must_use]
    pub fn takes_doubles(&self) -> bool {
        use crate::Modifier::{Rcp64h, Rsq64h};
        self.opcode.takes_doubles() || self.has(Rcp64h) || self.has(Rsq64h)
    }

    /// Of `DEPBAR.LE SB0, 0x1`: the wait counter, and how much it may still be when the instruction issues.
    #[must_use]
    pub fn awaited_counter(&self) -> Option<(u8, u16)> {
        let (Opcode::Depbar, Some(Operand::WaitBarrier(counter))) = (self.opcode, self.operands.first())
        else {
            return None;
        };
        let most = match self.operands.get(1) {
            Some(Operand::Immediate(most)) => u16::try_from(*most).unwrap_or(u16::MAX),
            _ => 0,
        };
        Some((*counter, most))
    }

    /// Of `DEPBAR {1,0}`: the wait counters that are 0 when the instruction issues, by their bits.
    #[must_use]
    pub fn awaited_counters(&self) -> u8 {
        self.operands.iter().fold(0, |all, operand| match operand {
            Operand::WaitBarriers(mask) => all | mask,
            _ => all,
        })
    }

    /// The index of the instruction that a direct branch goes to.
    #[must_use]
    pub fn target(&self) -> Option<u32> {
        self.operands.iter().find_map(|operand| match *operand {
            Operand::Target(index) => Some(index),
            _ => None,
        })
    }

    /// The system call that a direct call goes to.
    #[must_use]
    pub fn system_call(&self) -> Option<SystemCall> {
        let target = self.target().filter(|_| self.opcode == Opcode::Call)?;
        SystemCall::at(u64::from(target) * INSTRUCTION_BYTES)
    }

    /// Whether the instruction has no target, or one among so many instructions of its kernel, or a system call.
    #[must_use]
    pub fn target_exists(&self, instructions: usize) -> bool {
        let inside = |target: u32| (target as usize) < instructions;
        self.target().is_none_or(inside) || self.system_call().is_some()
    }

    /// Whether the instruction calls a function through registers.
    #[must_use]
    pub fn calls_through_register(&self) -> bool {
        let register =
            |operand: &Operand| matches!(operand, Operand::Register { .. } | Operand::Uniform { .. });
        self.opcode == Opcode::Call && self.operands.iter().any(register)
    }

    /// Whether control can reach the instruction that follows.
    #[must_use]
    pub fn falls_through(&self) -> bool {
        use Opcode::{Bpt, Bra, Brx, Brxu, Exit, Jmp, Jmx, Kill, Ret};
        let leaves = matches!(self.opcode, Bra | Brx | Brxu | Jmp | Jmx | Ret | Exit | Kill | Bpt);
        let conditional = self.operands.first().is_some_and(|operand| {
            matches!(
                operand,
                Operand::Predicate { .. } | Operand::UniformPredicate { .. } | Operand::Uniform { .. }
            )
        });
        !leaves || !self.guard.is_always() || (self.opcode == Bra && conditional)
    }
}

impl<const N: usize> From<[crate::Modifier; N]> for Modifiers {
    fn from(modifiers: [crate::Modifier; N]) -> Modifiers {
        Modifiers::from(modifiers.as_slice())
    }
}

//! The machine program: one instruction set for both front ends, a documented subset of SASS.
//!
//! An [`Instruction`] is what a disassembler prints (guard, opcode, dotted modifiers, operands) and the control
//! fields that the compiler writes beside it. Nothing here executes: `exec` says what an instruction computes, `sm`
//! when. The PTX front end (`lower`) and the SASS front end (`sass`) both make a [`Program`].

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

pub mod access;
pub mod instruction;
pub mod kernel;
pub mod latency;
pub mod limits;
pub mod listing;
pub mod matrix;
pub mod modifier;
mod named_list;
pub mod opcode;
pub mod operand;
pub mod reader;
pub mod register;
pub mod runtime;
pub mod slot;
pub mod stalls;
pub mod target;
pub mod warpgroup;

pub use access::{Access, Resource, Role};
pub use instruction::{Control, Guard, Instruction, Origin, WAIT_COUNTERS};
pub use kernel::{
    ConstantBank, ConstantVariable, GlobalVariable, Kernel, Parameter, Program, Reason, RefusedKernel,
    Relocation,
};
pub use latency::{Latency, LatencyClass, LatencyException, LatencyTable, Pipe};
pub use modifier::{Modifier, Modifiers};
pub use opcode::Opcode;
pub use operand::{
    AddressOperand, ConstantIndex, ConstantOperand, Operand, Selector, SourceModifier, SpecialRegister,
};
pub use reader::Reader;
pub use register::{BarrierRegister, Predicate, Register, UniformPredicate, UniformRegister};
pub use runtime::{Function, SystemCall, function_address};
pub use slot::Slot;
pub use target::{Target, TargetChoices, TargetLimits};

//! Control flow, barriers, calls, and values that the SM knows.

use serde::{Deserialize, Serialize};
use warplab_program::SystemCall;
use warplab_program::operand::SpecialRegister;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Control {
    Nop,
    Branch {
        target: u32,
    },
    /// Taken by all when the active lanes are (not) exactly those of the mask.
    BranchMask {
        target: u32,
        when_equal: bool,
    },
    BranchIndirect {
        offset: i64,
        relative: bool,
    },
    Call {
        target: u32,
    },
    /// Writes a code address.
    CodeAddress {
        target: u32,
    },
    Exit,
    Open(u8),
    Converge(u8),
    Leave(u8),
    BarrierToRegister {
        barrier: u8,
        clear: bool,
    },
    RegisterToBarrier(u8),
    Synchronise {
        all: bool,
        /// Lanes that name different masks go on one group after another.
        exclusive: bool,
    },
    /// The lanes of a mask, or all that live, meet here; the collective region resumes there.
    Collect {
        resume: u32,
        all: bool,
    },
    EndCollective,
    Yield,
    Sleep,
    BlockBarrier {
        kind: BarrierKind,
        counted: bool,
    },
    /// Arrives at the barrier of the cluster, or waits for it.
    ClusterBarrier {
        waits: bool,
    },
    Fence(FenceScope),
    Trap,
    /// A branch that all lanes take if all want it, or if any does.
    BranchTogether {
        target: u32,
        any: bool,
    },
}

/// A call beside that of a named function, which is a branch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Call {
    /// Of the function whose address is in a pair of registers, plus this.
    Through { base: u64 },
    /// Of the driver, with arguments in registers from `R4` on.
    System(SystemCall),
    /// Of the driver, with arguments and result as operands.
    Operands(SystemCall),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Special {
    Read { register: SpecialRegister, wide: bool },
    Constant { bank: u8, offset: i32, bytes: u8, signed: bool },
    BarrierResult,
}

/// What a block barrier instruction wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BarrierKind {
    /// Arrives and waits.
    Sync,
    /// Arrives only.
    Arrive,
    /// Waits; the result is the conjunction of a predicate.
    ReduceAnd,
    /// Waits; the result is the disjunction of a predicate.
    ReduceOr,
    /// Waits; the result counts the threads whose predicate holds.
    ReducePopc,
}

/// Who must have seen earlier memory operations before a fence is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FenceScope {
    /// The block.
    Block,
    /// The GPU.
    Gpu,
    /// The system.
    System,
}

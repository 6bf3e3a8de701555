//! What can go wrong, in words a person can act on.

use crate::LANES;
use crate::op::Space;
use crate::semantics::warpgroup::WarpgroupFault;
use crate::state::heap::HeapFault;
use crate::state::mbarrier::MbarrierFault;
use crate::tensor_map::TensorMapFault;
use std::fmt;
use thiserror::Error;
use warplab_units::Address;

/// Why a memory access is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No allocation holds all its bytes.
    OutOfBounds,
    /// The address is no multiple of the access size.
    Misaligned,
    /// The allocation has been freed.
    Freed,
    /// It is in the heap, but of no allocation: never, or no more.
    Unallocated,
}

/// The allocation that is closest to a faulting address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearestBuffer {
    /// Its name.
    pub name: String,
    /// Its first byte.
    pub base: Address,
    /// Its size.
    pub bytes: u64,
}

/// A wrong memory access of one lane.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct MemoryFault {
    /// What is wrong with it.
    pub kind: FaultKind,
    /// The memory space.
    pub space: Space,
    /// The address that the lane asked for.
    pub address: Address,
    /// Bytes of the access.
    pub bytes: u32,
    /// The lane.
    pub lane: u8,
    /// For global memory, the allocation that is closest.
    pub nearest: Option<NearestBuffer>,
}

impl fmt::Display for MemoryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            FaultKind::OutOfBounds => "out of bounds",
            FaultKind::Misaligned => "misaligned",
            FaultKind::Freed => "to freed memory",
            FaultKind::Unallocated => "to memory of the heap that is not allocated, or no more",
        };
        write!(f, "{} access of {} bytes at {} is {what}", self.space, self.bytes, self.address)?;
        let Some(nearest) = &self.nearest else { return Ok(()) };
        let (name, base, end) = (&nearest.name, nearest.base.0, nearest.base.0 + nearest.bytes);
        if matches!(self.kind, FaultKind::Misaligned | FaultKind::Unallocated) {
            return Ok(());
        }
        if self.address.0 >= end {
            let past = self.address.0 - end;
            write!(f, ": {past} bytes past the end of '{name}' ({base:#x}, {} bytes)", nearest.bytes)
        } else if self.address.0 < base {
            let before = base - self.address.0;
            write!(f, ": {before} bytes before '{name}' ({base:#x}, {} bytes)", nearest.bytes)
        } else {
            write!(f, ": in '{name}' ({base:#x}, {} bytes)", nearest.bytes)
        }
    }
}

/// An instruction that cannot be executed: found when the kernel is loaded, before anything runs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kernel}+{address:#x} (line {line}): {instruction}: {message}")]
pub struct DecodeFault {
    /// The kernel.
    pub kernel: String,
    /// Bytes from its start.
    pub address: u64,
    /// The line of the text that it was read from, or 0.
    pub line: u32,
    /// The instruction as a listing prints it.
    pub instruction: String,
    /// What is wrong.
    pub message: String,
}

/// What `assert` says of a condition that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertionFault {
    /// The condition as written.
    pub message: String,
    /// The source file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The function.
    pub function: String,
    /// The lane.
    pub lane: u8,
    /// Lanes of the same warp for which it does not hold either.
    pub others: u32,
}

impl fmt::Display for AssertionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AssertionFault { message, file, line, function, .. } = self;
        write!(f, "{file}:{line}: {function}: assertion `{message}` failed")?;
        match self.others {
            0 => Ok(()),
            1 => write!(f, ", as in another thread of the warp"),
            others => write!(f, ", as in {others} other threads of the warp"),
        }
    }
}

/// An instruction that failed while it executed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExecFault {
    /// A wrong memory access.
    #[error(transparent)]
    Memory(#[from] MemoryFault),
    /// An indexed constant beyond its bank.
    #[error("c[{bank:#x}][{offset:#x}] is past the end of the bank ({bytes} bytes), lane {lane}")]
    Constant {
        /// The bank.
        bank: u8,
        /// The byte in it.
        offset: u32,
        /// Bytes of the bank.
        bytes: u32,
        /// The lane that asked.
        lane: u8,
    },
    /// An indirect jump or return to an address that is no instruction of the kernel.
    #[error("jump to {address:#x}, which is no instruction of the kernel, lane {lane}")]
    Jump {
        /// Bytes from the start of the kernel.
        address: u64,
        /// The lane.
        lane: u8,
    },
    /// A call through a pointer to an address that is no function.
    #[error("call of {address:#x}, which is no function of the kernel, lane {lane}")]
    Call {
        /// The code address.
        address: u64,
        /// The lane.
        lane: u8,
    },
    /// The thread's stack is full.
    #[error("the stack overflows: {bytes} bytes per thread are not enough, lane {lane}")]
    Stack {
        /// Bytes of the stack.
        bytes: u64,
        /// The lane.
        lane: u8,
    },
    /// An assertion does not hold.
    #[error("{0}")]
    Assertion(Box<AssertionFault>),
    /// A text that `printf` or `assert` is to show has no end.
    #[error("the text at {address:#x} does not end within {limit} bytes, lane {lane}")]
    EndlessText {
        /// Its address.
        address: u64,
        /// How far was read.
        limit: usize,
        /// The lane.
        lane: u8,
    },
    /// A barrier in shared memory cannot do what it is asked.
    #[error("the barrier (mbarrier) at {address:#x} of shared memory: {fault}, lane {lane}")]
    Mbarrier {
        /// What is wrong.
        fault: MbarrierFault,
        /// Where it is.
        address: u32,
        /// The lane.
        lane: u8,
    },
    /// A box of a tensor cannot be copied.
    #[error("tensor map at {:#x}: {}", .0.0, .0.1)]
    TensorMap(Box<(u64, TensorMapFault)>),
    /// A product of a warpgroup cannot be formed.
    #[error("{0}")]
    Warpgroup(Box<WarpgroupFault>),
    /// `free` of what is no allocation.
    #[error("{fault}, lane {lane}")]
    Heap {
        /// What is wrong.
        fault: HeapFault,
        /// The lane.
        lane: u8,
    },
    /// Execution ran past the last instruction.
    #[error("execution runs past the last instruction")]
    PastEnd,
}

impl ExecFault {
    /// The fault of a lane of a row, said of the warp.
    #[cold]
    #[must_use]
    pub fn of_row(mut self, row: usize) -> ExecFault {
        let first = (row * LANES) as u8;
        match &mut self {
            ExecFault::Memory(fault) => fault.lane += first,
            ExecFault::Constant { lane, .. }
            | ExecFault::Jump { lane, .. }
            | ExecFault::Call { lane, .. }
            | ExecFault::Stack { lane, .. }
            | ExecFault::EndlessText { lane, .. }
            | ExecFault::Mbarrier { lane, .. }
            | ExecFault::Heap { lane, .. } => *lane += first,
            ExecFault::Assertion(fault) => fault.lane += first,
            ExecFault::Warpgroup(_) | ExecFault::TensorMap(_) | ExecFault::PastEnd => {}
        }
        self
    }

    /// The lane of the warp that failed, where one did.
    #[must_use]
    pub fn lane(&self) -> Option<u8> {
        match self {
            ExecFault::Memory(fault) => Some(fault.lane),
            ExecFault::Constant { lane, .. }
            | ExecFault::Jump { lane, .. }
            | ExecFault::Call { lane, .. }
            | ExecFault::Stack { lane, .. }
            | ExecFault::EndlessText { lane, .. }
            | ExecFault::Mbarrier { lane, .. }
            | ExecFault::Heap { lane, .. } => Some(*lane),
            ExecFault::Assertion(fault) => Some(fault.lane),
            ExecFault::Warpgroup(_) | ExecFault::TensorMap(_) | ExecFault::PastEnd => None,
        }
    }
}

/// A launch that failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LaunchFault {
    /// The kernel holds instructions that cannot be executed.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Decode(Vec<DecodeFault>),
    /// The launch does not fit the kernel.
    #[error("{kernel}: {message}")]
    Launch {
        /// The kernel.
        kernel: String,
        /// What is wrong.
        message: String,
    },
    /// An instruction failed.
    #[error("{kernel}+{address:#x} (line {line}) {instruction}: block ({},{},{}) thread ({},{},{}): {fault}",
        .block[0], .block[1], .block[2], .thread[0], .thread[1], .thread[2])]
    Exec {
        /// The kernel.
        kernel: String,
        /// Bytes from its start.
        address: u64,
        /// The line of the text, or 0.
        line: u32,
        /// The instruction as a listing prints it.
        instruction: String,
        /// The block.
        block: [u32; 3],
        /// The thread.
        thread: [u32; 3],
        /// What failed.
        fault: ExecFault,
    },
    /// A trap instruction.
    #[error("{kernel}+{address:#x}: trap in block ({},{},{})", .block[0], .block[1], .block[2])]
    Trap {
        /// The kernel.
        kernel: String,
        /// Bytes from its start.
        address: u64,
        /// The block.
        block: [u32; 3],
    },
    /// Nothing can go on: where every path of every warp waits.
    #[error("{kernel}: no warp of block ({},{},{}) can go on{report}", .block[0], .block[1], .block[2])]
    Deadlock {
        /// The kernel.
        kernel: String,
        /// The block.
        block: [u32; 3],
        /// A line for every path that waits.
        report: String,
    },
    /// The limit on instructions was reached.
    #[error("{kernel}: block ({},{},{}) is not done after {instructions} warp instructions{report}", .block[0], .block[1], .block[2])]
    Limit {
        /// The kernel.
        kernel: String,
        /// The block.
        block: [u32; 3],
        /// Warp instructions executed.
        instructions: u64,
        /// A line for every path.
        report: String,
    },
}

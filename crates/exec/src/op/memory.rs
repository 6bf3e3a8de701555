//! Memory instructions: what they access, where and how.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The address of a memory instruction: the sum of its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AddressForm {
    pub(crate) base: u16,
    pub(crate) wide: bool,
    pub(crate) scale: u8,
    pub(crate) uniform: Option<u8>,
    pub(crate) uniform_wide: bool,
    pub(crate) offset: i32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SpaceForm {
    Global,
    Shared,
    Local,
    Generic,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) address: AddressForm,
    pub(crate) space: SpaceForm,
    pub(crate) kind: AccessKind,
    pub(crate) bytes: u8,
    pub(crate) signed: bool,
    pub(crate) policy: CachePolicy,
    pub(crate) atomic: Option<(AtomicOp, AtomicType)>,
    /// The first register of the answer, as the program names it.
    pub(crate) register: Option<u8>,
    pub(crate) form: MemoryForm,
}

impl Memory {
    /// Whether it is an operation that can say in a predicate where it was done; the program does the rest.
    pub(crate) fn tells(&self) -> bool {
        self.kind == AccessKind::Atomic && self.form == MemoryForm::Plain
    }

    /// Whether one that says so is done in a space: in global memory, and a compare-and-swap in shared memory too.
    pub(crate) fn is_done_in(&self, space: Space) -> bool {
        let compares = self.atomic.is_some_and(|(op, _)| op == AtomicOp::CompareExchange);
        space == Space::Global || space == Space::Shared && compares
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MemoryForm {
    Plain,
    Matrix {
        count: u8,
        transposed: bool,
    },
    IncrementByCount,
    /// The bytes have come to a barrier then, whose address is in the register behind that of the address.
    TellsBarrier,
    /// The answer is whether the value was stored, not the old one.
    CompareAndStore,
    SpaceQuery,
    /// What is loaded goes to shared memory at this address.
    CopyToShared {
        to: AddressForm,
        /// Bytes that are not copied become zeros.
        zero_fill: bool,
    },
}

/// A memory space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Space {
    /// Device memory.
    #[default]
    Global,
    /// The block's memory.
    Shared,
    /// The thread's memory.
    Local,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
        })
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Reads to registers.
    #[default]
    Load,
    /// Writes.
    Store,
    /// Reads and changes at once, and returns the old value.
    Atomic,
    /// Changes without an answer.
    Reduction,
    /// Adds to each word of shared memory how many lanes point at it: they share a pass.
    Count,
    /// Works on a barrier in shared memory.
    Mbarrier,
    /// Prefetch, invalidation, write-back.
    CacheControl,
    /// Loads matrix rows from shared memory; `bytes` is 16, a row a lane.
    MatrixLoad,
    /// Stores matrix rows to shared memory; `bytes` is 16, a row a lane.
    MatrixStore,
}

/// How coherent an access is, and how long its line should stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CachePolicy {
    /// `.CONSTANT`: the data does not change during the kernel; level 1 may keep it.
    pub read_only: bool,
    /// `.STRONG` with its scope; `None` is weak.
    pub strong: Option<Scope>,
    /// Eviction priority.
    pub eviction: Eviction,
    /// A copy to shared memory.
    pub copies: bool,
    /// `.BYPASS`: a copy to shared memory that leaves nothing in level 1.
    pub bypass: bool,
}

/// Who must see a strong access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The block.
    Block,
    /// The multiprocessor.
    Multiprocessor,
    /// The GPU.
    Gpu,
    /// The whole system.
    System,
}

/// How soon a line may be evicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Eviction {
    /// As usual.
    #[default]
    Normal,
    /// `.EF`: first.
    First,
    /// `.EL`: last.
    Last,
    /// `.LU`: last use.
    LastUse,
    /// `.EU`: unchanged.
    Unchanged,
    /// `.NA`: do not allocate.
    NoAllocate,
}

/// What an atomic operation does with the old value `m` and the operand `v`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AtomicOp {
    /// `m + v`
    Add,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// `m >= v ? 0 : m + 1`
    Inc,
    /// `m == 0 || m > v ? v : m - 1`
    Dec,
    /// `m & v`
    And,
    /// `m | v`
    Or,
    /// `m ^ v`
    Xor,
    /// `v`
    Exchange,
    /// `m == v ? w : m` with a second operand `w`
    CompareExchange,
}

/// The type of an atomic operation's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // Named as printed.
pub enum AtomicType {
    U32,
    S32,
    U64,
    S64,
    F32,
    F64,
    F16x2,
    Bf16x2,
    B128,
}

impl AtomicType {
    /// Whether it has a fraction.
    #[must_use]
    pub fn is_float(self) -> bool {
        use AtomicType::{Bf16x2, F16x2, F32, F64};
        matches!(self, F32 | F64 | F16x2 | Bf16x2)
    }

    /// Bytes of a value: 4, 8 or 16. A vector has several.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            AtomicType::B128 => 16,
            AtomicType::U64 | AtomicType::S64 | AtomicType::F64 => 8,
            _ => 4,
        }
    }
}

//! The compact form of a kernel: decoded once, executed many times.

use crate::atomics::{AtomicOp, AtomicType};
use crate::memory::{AccessKind, CachePolicy};
use crate::step::{BarrierKind, FenceScope};
use warplab_program::SystemCall;
use warplab_program::operand::{Selector, SpecialRegister};

/// Masks of a warp's predicate file.
pub(crate) const PREDICATES: usize = 17;
/// The predicate that takes what is written to `PT` and `UPT`.
pub(crate) const TRASH_PREDICATE: u8 = 16;
/// Where scalar writes to `URZ` go.
pub(crate) const TRASH_UNIFORM: usize = 68;

/// A kernel in the form that [`crate::step`] executes.
#[derive(Clone, Debug)]
pub struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) registers: u32,
    pub(crate) barriers: usize,
    pub(crate) local_bytes: u32,
    /// The code addresses that a call through registers may have, with the instruction of each, in ascending order.
    pub(crate) functions: Vec<(u64, u32)>,
    /// Whether the host has the vectors that `step` is also compiled for.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) wide: bool,
}

impl Code {
    /// How many instructions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there is no instruction.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Registers a thread: the kernel's, or as many as its instructions name if that is more.
    #[must_use]
    pub fn registers(&self) -> u32 {
        self.registers
    }

    /// Local memory of a thread, in bytes.
    #[must_use]
    pub fn local_bytes(&self) -> u32 {
        self.local_bytes
    }

    /// Convergence barriers that the instructions name.
    #[must_use]
    pub fn barriers(&self) -> usize {
        self.barriers
    }

    pub(crate) fn rows(&self) -> usize {
        self.registers as usize + Place::EXTRA
    }
}

/// Where rows beyond the registers are.
pub(crate) struct Place;

impl Place {
    /// Rows of zeros, from the number of registers on.
    pub(crate) const ZEROS: usize = 4;
    /// All rows beyond the registers.
    pub(crate) const EXTRA: usize = 8;
}

/// Where a source value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum From {
    /// A row.
    Row(u16),
    /// A scalar register.
    Uniform(u8),
    /// A number.
    #[default]
    Nothing,
    Immediate(u32),
    /// A word of a constant bank.
    Constant(u8, u32),
}

/// A 32-bit source: `((value & and) ^ xor) + add` of the selected part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) from: From,
    pub(crate) and: u32,
    pub(crate) xor: u32,
    pub(crate) add: u32,
    pub(crate) select: Selector,
    /// Whether the value is taken as it is.
    pub(crate) plain: bool,
}

impl Default for Source {
    fn default() -> Source {
        Source { from: From::Immediate(0), and: !0, xor: 0, add: 0, select: Selector::Whole, plain: true }
    }
}

/// A predicate that is read: a mask of the predicate file, exclusive-or-ed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PredicateSource {
    pub(crate) index: u8,
    pub(crate) xor: u32,
}

impl PredicateSource {
    pub(crate) const TRUE: PredicateSource = PredicateSource { index: 7, xor: 0 };
    pub(crate) const FALSE: PredicateSource = PredicateSource { index: 7, xor: !0 };
}

/// Where the result goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Destination {
    Row(u16),
    Uniform(u8),
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) kind: Kind,
    pub(crate) guard: PredicateSource,
    pub(crate) destination: Destination,
    /// Predicates that are written.
    pub(crate) out: [u8; 2],
    pub(crate) sources: [Source; 3],
    /// Predicates that are read.
    pub(crate) predicates: [PredicateSource; 3],
}

/// What an instruction does, by the file that does it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Alu(Alu),
    Float(Float),
    Double(Double),
    Half(Half),
    Convert(Convert),
    Special(Special),
    Memory(Memory),
    Warp(Warp),
    Control(Control),
    Call(Call),
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

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Compare {
    False,
    Lt,
    Eq,
    Le,
    Gt,
    Ne,
    Ge,
    True,
    Num,
    Nan,
    Ltu,
    Equ,
    Leu,
    Gtu,
    Neu,
    Geu,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Combine {
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Alu {
    Add3 {
        carry: bool,
    },
    Mad,
    MadWide {
        signed: bool,
    },
    MadHigh {
        signed: bool,
    },
    Lea {
        shift: u8,
        high: bool,
        extend: bool,
        carry: bool,
    },
    Lop3 {
        lut: u8,
        any: bool,
    },
    Funnel {
        left: bool,
        high: bool,
        wide: bool,
        signed: bool,
        wrap: bool,
    },
    Shift {
        left: bool,
        signed: bool,
        wrap: bool,
    },
    Compare {
        compare: Compare,
        signed: bool,
        combine: Combine,
        extended: bool,
    },
    Absolute,
    MinMax {
        signed: bool,
        relu: bool,
    },
    MinMax3 {
        signed: bool,
        relu: bool,
    },
    AddMinMax {
        signed: bool,
        relu: bool,
    },
    AbsDiff {
        signed: bool,
    },
    /// Of four bytes, or their sum plus c.
    AbsDiff4 {
        signed: bool,
        sum: bool,
    },
    Packed(Packed),
    Select,
    Permute(Permute),
    Mask {
        wrap: bool,
    },
    Extend {
        signed: bool,
        wrap: bool,
    },
    Dot {
        four: bool,
        high: bool,
        signed: [bool; 2],
    },
    CountOnes,
    FindLeading {
        signed: bool,
        shift: bool,
    },
    Reverse,
    Move,
    PredicateLogic {
        luts: [u8; 2],
    },
    PredicatesToRegister {
        byte: u8,
        uniform: bool,
    },
    RegisterToPredicates {
        byte: u8,
    },
}

/// An operation on both halves of packed 16-bit integers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    pub(crate) operation: PackedOperation,
    pub(crate) signed: bool,
    pub(crate) relu: bool,
    /// The sources that are negated, half by half: bit i is source i.
    pub(crate) negate: u8,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PackedOperation {
    Add,
    MinMax,
    MinMax3,
    AddMinMax,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Permute {
    Index,
    Forward4,
    Backward4,
    Replicate8,
    EdgeLeft,
    EdgeRight,
    Replicate16,
}

/// How a result that does not fit is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    Nearest,
    Down,
    Up,
    Zero,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatMode {
    pub(crate) round: Round,
    pub(crate) ftz: bool,
    pub(crate) saturate: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Float {
    Add(FloatMode),
    Mul(FloatMode),
    /// The product times 2 to this power, rounded once.
    MulScaled(FloatMode, i8),
    Fma(FloatMode),
    MinMax {
        ftz: bool,
        nan: bool,
    },
    Select,
    Set {
        compare: Compare,
        combine: Combine,
        ftz: bool,
        float: bool,
    },
    SetPredicate {
        compare: Compare,
        combine: Combine,
        ftz: bool,
    },
    CheckDivision,
    Mufu(Mufu),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mufu {
    Rcp,
    Rsq,
    Sqrt,
    Sin,
    Cos,
    Ex2,
    Lg2,
    Tanh,
    Rcp64h,
    Rsq64h,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Double {
    Add(Round),
    Mul(Round),
    Fma(Round),
    SetPredicate {
        compare: Compare,
        combine: Combine,
    },
    /// Whether the first source is the extreme one, and whether neither is a number.
    Extreme {
        maximum: bool,
        combine: Combine,
    },
}

/// How packed halves are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfMode {
    pub(crate) bf16: bool,
    pub(crate) ftz: bool,
    pub(crate) saturate: bool,
    pub(crate) relu: bool,
    pub(crate) single: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Half {
    Add(HalfMode),
    Mul(HalfMode),
    Fma(HalfMode),
    MinMax { mode: HalfMode, nan: bool },
    Set { mode: HalfMode, compare: Compare, combine: Combine, float: bool },
    SetPredicate { mode: HalfMode, compare: Compare, combine: Combine, both: bool },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FloatType {
    F16,
    Bf16,
    F32,
    F64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct IntType {
    pub(crate) bits: u8,
    pub(crate) signed: bool,
}

/// A float of eight bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ByteFormat {
    /// Four bits of exponent, three of fraction; no infinity, one NaN.
    E4m3,
    /// Five bits of exponent, two of fraction.
    E5m2,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Convert {
    IntToFloat {
        from: IntType,
        to: FloatType,
        round: Round,
    },
    FloatToInt {
        from: FloatType,
        to: IntType,
        round: Round,
        ftz: bool,
    },
    FloatToFloat {
        from: FloatType,
        to: FloatType,
        round: Round,
        ftz: bool,
        saturate: bool,
        integral: bool,
    },
    Pack {
        bf16: bool,
        relu: bool,
        round: Round,
    },
    /// Two floats, or two halves, as two bytes below the lower half of c.
    PackBytes {
        format: ByteFormat,
        relu: bool,
        halves: bool,
    },
    /// Two bytes as two halves.
    UnpackBytes {
        format: ByteFormat,
        relu: bool,
    },
    IntToInt {
        to: IntType,
        saturate: bool,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Special {
    Read { register: SpecialRegister, wide: bool },
    Constant { bank: u8, offset: i32, bytes: u8, signed: bool },
    BarrierResult,
}

/// The address of a memory instruction: the sum of its parts.
#[derive(Clone, Copy, Debug)]
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

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MemoryForm {
    Plain,
    Matrix {
        count: u8,
        transposed: bool,
    },
    IncrementByCount,
    /// The answer is whether the value was stored, not the old one.
    CompareAndStore,
    SpaceQuery,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Warp {
    Shuffle(ShuffleMode),
    Vote(VoteMode),
    Match { all: bool, wide: bool },
    Reduce { op: AtomicOp, signed: bool },
    Elect,
    ToUniform,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ShuffleMode {
    Index,
    Up,
    Down,
    Butterfly,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum VoteMode {
    All,
    Any,
    Equal,
}

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
    Fence(FenceScope),
    Trap,
}

//! Arithmetic: integers, floats, halves, conversions.

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
    /// d = a + b + c, of 64 bits.
    AddWide,
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
        /// Bit i: source i has a sign in the place of predicate i.
        signs: u8,
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
    /// Of the lower half, to a half.
    MufuOfHalf {
        function: Mufu,
        bf16: bool,
    },
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
    MinMax { mode: HalfMode, nan: bool, of_three: bool },
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
    /// A float with ten bits of fraction.
    Tf32 {
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
    /// Two integers of 32 bits, or floats, as bytes below the lower half of c, or as two halves.
    PackIntegers {
        to: IntType,
        floats: Option<Round>,
    },
    IntToInt {
        to: IntType,
        saturate: bool,
    },
}

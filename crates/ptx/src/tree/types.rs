//! Types and state spaces.

use super::name::named;

named! {
    /// A fundamental or packed type.
    Type {
        U8 = "u8",
        U16 = "u16",
        U32 = "u32",
        U64 = "u64",
        S8 = "s8",
        S16 = "s16",
        S32 = "s32",
        S64 = "s64",
        B8 = "b8",
        B16 = "b16",
        B32 = "b32",
        B64 = "b64",
        B128 = "b128",
        F16 = "f16",
        F16x2 = "f16x2",
        Bf16 = "bf16",
        Bf16x2 = "bf16x2",
        F32 = "f32",
        F64 = "f64",
        Tf32 = "tf32",
        E4m3x2 = "e4m3x2",
        E5m2x2 = "e5m2x2",
        E4m3 = "e4m3",
        E5m2 = "e5m2",
        U16x2 = "u16x2",
        S16x2 = "s16x2",
        U4 = "u4",
        S4 = "s4",
        B1 = "b1",
        U2 = "u2",
        S2 = "s2",
        Pred = "pred",
    }
}

impl Type {
    /// The width in bits; a predicate has one.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Type::Pred | Type::B1 => 1,
            Type::U2 | Type::S2 => 2,
            Type::U4 | Type::S4 => 4,
            Type::U8 | Type::S8 | Type::B8 | Type::E4m3 | Type::E5m2 => 8,
            Type::U16 | Type::S16 | Type::B16 | Type::F16 | Type::Bf16 | Type::E4m3x2 | Type::E5m2x2 => 16,
            Type::U32 | Type::S32 | Type::B32 | Type::F32 | Type::Tf32 => 32,
            Type::F16x2 | Type::Bf16x2 | Type::U16x2 | Type::S16x2 => 32,
            Type::U64 | Type::S64 | Type::B64 | Type::F64 => 64,
            Type::B128 => 128,
        }
    }

    /// The size in memory in bytes; types narrower than a byte take one.
    #[must_use]
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether it is a signed integer, packed ones included.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64 | Type::S16x2 | Type::S4 | Type::S2)
    }

    /// Whether it is an unsigned integer, packed ones included.
    #[must_use]
    pub(crate) fn is_unsigned(self) -> bool {
        matches!(self, Type::U8 | Type::U16 | Type::U32 | Type::U64 | Type::U16x2 | Type::U4 | Type::U2)
    }

    /// Whether it is an untyped bit pattern.
    #[must_use]
    pub(crate) fn is_bits(self) -> bool {
        matches!(self, Type::B1 | Type::B8 | Type::B16 | Type::B32 | Type::B64 | Type::B128)
    }

    /// Whether it is a floating-point type, packed ones included.
    #[must_use]
    pub fn is_float(self) -> bool {
        !(self.is_signed() || self.is_unsigned() || self.is_bits() || self == Type::Pred)
    }

    /// Whether it is a signed or unsigned integer.
    #[must_use]
    pub(crate) fn is_integer(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// Whether it holds two values in one register.
    #[must_use]
    pub fn is_packed(self) -> bool {
        matches!(self, Type::F16x2 | Type::Bf16x2 | Type::U16x2 | Type::S16x2 | Type::E4m3x2 | Type::E5m2x2)
    }
}

named! {
    /// A state space.
    Space {
        Reg = "reg",
        Param = "param",
        ParamEntry = "param::entry",
        ParamFunc = "param::func",
        Const = "const",
        Local = "local",
        Shared = "shared",
        SharedCta = "shared::cta",
        SharedCluster = "shared::cluster",
        Global = "global",
    }
}

impl Space {
    /// The space without its sub-qualifier: `.shared::cta` is `.shared`. The shared memory of a cluster stays itself.
    #[must_use]
    pub fn family(self) -> Space {
        match self {
            Space::ParamEntry | Space::ParamFunc => Space::Param,
            Space::SharedCta => Space::Shared,
            other => other,
        }
    }
}

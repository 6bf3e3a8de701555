//! The registers of a thread and of a warp.

use std::fmt;

macro_rules! register {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $fixed:ident = $number:literal, $fixed_name:literal, $fixed_doc:literal, $virtual_prefix:literal, $first_virtual:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            #[doc = $fixed_doc]
            pub const $fixed: $name = $name($number);
            /// The first number of virtual registers, which exist only before register allocation.
            pub const FIRST_VIRTUAL: u32 = $first_virtual;

            /// Whether this is the register that is always the same and cannot be written.
            #[must_use]
            pub fn is_fixed(self) -> bool {
                self == $name::$fixed
            }

            /// Whether this register exists only before register allocation.
            #[must_use]
            pub fn is_virtual(self) -> bool {
                self.0 >= $first_virtual
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                if self.is_fixed() {
                    f.write_str($fixed_name)
                } else if self.is_virtual() {
                    write!(f, concat!($virtual_prefix, "{}"), self.0 - $first_virtual)
                } else {
                    write!(f, concat!($prefix, "{}"), self.0)
                }
            }
        }
    };
}

register!(
    /// A 32-bit register of a thread: `R0` to `R254`, or `RZ`.
    Register, "R", ZERO = 255, "RZ", "Reads as zero; what is written to it is lost.", "%r", 256
);
register!(
    /// A predicate of a thread: `P0` to `P6`, or `PT`.
    Predicate, "P", TRUE = 7, "PT", "Reads as true; what is written to it is lost.", "%p", 8
);
register!(
    /// A 32-bit register of a warp: `UR0` to `UR62`, or `URZ`.
    UniformRegister, "UR", ZERO = 63, "URZ", "Reads as zero; what is written to it is lost.", "%ur", 64
);
register!(
    /// A predicate of a warp: `UP0` to `UP6`, or `UPT`.
    UniformPredicate, "UP", TRUE = 7, "UPT", "Reads as true; what is written to it is lost.", "%up", 8
);

impl Register {
    /// The register `offset` further: the upper half of a 64-bit value is at offset 1. `RZ` stays `RZ`.
    #[must_use]
    pub fn offset(self, offset: u32) -> Register {
        if self.is_fixed() { self } else { Register(self.0 + offset) }
    }
}

impl UniformRegister {
    /// The register `offset` further. `URZ` stays `URZ`.
    #[must_use]
    pub fn offset(self, offset: u32) -> UniformRegister {
        if self.is_fixed() { self } else { UniformRegister(self.0 + offset) }
    }
}

/// A convergence-barrier register of a warp: `B0` to `B15`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BarrierRegister(pub u8);

impl BarrierRegister {
    /// How many there are.
    pub const COUNT: usize = 16;
}

impl fmt::Display for BarrierRegister {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "B{}", self.0)
    }
}

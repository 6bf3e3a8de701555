//! What an instruction reads and writes, as a disassembler prints it.

use crate::register::{BarrierRegister, Predicate, Register, UniformPredicate, UniformRegister};
use std::fmt;

/// What happens to a source value before the instruction sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceModifier {
    /// `-x`: the arithmetic negative.
    pub negate: bool,
    /// `|x|`: the absolute value, taken before the negative.
    pub absolute: bool,
    /// `~x`: all bits inverted.
    pub invert: bool,
}

impl SourceModifier {
    /// The value as it is.
    pub const NONE: SourceModifier = SourceModifier { negate: false, absolute: false, invert: false };
    /// The negative.
    pub const NEGATE: SourceModifier = SourceModifier { negate: true, absolute: false, invert: false };
    /// The absolute value.
    pub const ABSOLUTE: SourceModifier = SourceModifier { negate: false, absolute: true, invert: false };

    /// Whether the value is taken as it is.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == SourceModifier::NONE
    }

    fn write(self, f: &mut fmt::Formatter<'_>, value: impl fmt::Display) -> fmt::Result {
        let sign = if self.negate { "-" } else { "" };
        let inverted = if self.invert { "~" } else { "" };
        if self.absolute {
            write!(f, "{sign}|{inverted}{value}|")
        } else {
            write!(f, "{sign}{inverted}{value}")
        }
    }
}

/// Which part of a register an operand means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named as printed.
pub enum Selector {
    /// All 32 bits, or as many registers as the instruction takes.
    #[default]
    Whole,
    /// The lower half as both halves of a packed value.
    H0H0,
    /// The upper half as both halves of a packed value.
    H1H1,
    /// Both halves as they are.
    H1H0,
    /// The halves exchanged, and the lower one negated then.
    H0NH1,
    /// The lower 16 bits.
    H0,
    /// The upper 16 bits.
    H1,
    B0,
    B1,
    B2,
    B3,
    /// A 32-bit value as both halves of a packed operation (HFMA2).
    F32,
    /// The sign bit as a predicate (PLOP3).
    Sign,
    /// A pair of registers, where the default is one.
    Pair,
    /// A matrix by rows (IMMA): as the whole.
    Row,
    /// A matrix by columns (IMMA): as the whole.
    Column,
}

impl Selector {
    /// Every selector that prints something.
    pub(crate) const PRINTED: [Selector; 15] = [
        Selector::H0H0,
        Selector::H1H1,
        Selector::H1H0,
        Selector::H0NH1,
        Selector::H0,
        Selector::H1,
        Selector::B0,
        Selector::B1,
        Selector::B2,
        Selector::B3,
        Selector::F32,
        Selector::Sign,
        Selector::Pair,
        Selector::Row,
        Selector::Column,
    ];

    /// The text with its dot; empty for the whole register.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Selector::Whole => "",
            Selector::H0H0 => ".H0_H0",
            Selector::H1H1 => ".H1_H1",
            Selector::H1H0 => ".H1_H0",
            Selector::H0NH1 => ".H0_NH1",
            Selector::H0 => ".H0",
            Selector::H1 => ".H1",
            Selector::B0 => ".B0",
            Selector::B1 => ".B1",
            Selector::B2 => ".B2",
            Selector::B3 => ".B3",
            Selector::F32 => ".F32",
            Selector::Sign => ".SIGN",
            Selector::Pair => ".64",
            Selector::Row => ".ROW",
            Selector::Column => ".COL",
        }
    }
}

/// How a constant operand finds its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstantIndex {
    /// `c[bank][offset]`.
    None,
    /// `c[bank][Rn + offset]`.
    Register(Register),
    /// `c[bank][URn + offset]`.
    Uniform(UniformRegister),
}

/// A value of a constant bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConstantOperand {
    /// The bank.
    pub bank: u8,
    /// What is added to the offset.
    pub index: ConstantIndex,
    /// Bytes from the start of the bank.
    pub offset: i32,
    /// What happens to the value.
    pub modifier: SourceModifier,
}

/// A memory address: the sum of what is present.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AddressOperand {
    /// The register (or, if `wide`, the pair of registers) that holds the address of each lane.
    pub base: Option<Register>,
    /// Whether the base is a pair of registers: a 64-bit address, printed `.64`.
    pub wide: bool,
    /// What the base is multiplied with: 1, 4, 8 or 16 (`.X4` ...).
    pub scale: u8,
    /// A register of the warp that is added.
    pub uniform: Option<UniformRegister>,
    /// Whether the uniform register is a pair.
    pub uniform_wide: bool,
    /// Bytes that are added.
    pub offset: i32,
    /// The memory descriptor, `desc[URn]`. It does not change what is computed.
    pub descriptor: Option<UniformRegister>,
}

/// What becomes of the matrices that descriptors name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MatrixSigns {
    /// `.negA`: the first with the other sign.
    pub negate_first: bool,
    /// `.negB`: the second with the other sign.
    pub negate_second: bool,
    /// `.tnspA`: the rows of the first lie beside each other, not its columns.
    pub transpose_first: bool,
    /// `.tnspB`: the columns of the second lie beside each other, not its rows.
    pub transpose_second: bool,
}

/// A field of [`MatrixSigns`].
type SignField = fn(&mut MatrixSigns) -> &mut bool;

impl MatrixSigns {
    /// What is printed behind descriptors, with the field that it sets.
    pub(crate) const NAMES: [(&str, SignField); 4] = [
        (".negA", |signs| &mut signs.negate_first),
        (".negB", |signs| &mut signs.negate_second),
        (".tnspA", |signs| &mut signs.transpose_first),
        (".tnspB", |signs| &mut signs.transpose_second),
    ];
}

/// One operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register; wider values are in the registers that follow.
    Register {
        /// The first register.
        register: Register,
        /// What happens to the value.
        modifier: SourceModifier,
        /// Which part of it.
        selector: Selector,
        /// Whether the operand collector keeps the value for the next instruction.
        reuse: bool,
    },
    /// A register of the warp.
    Uniform {
        /// The first register.
        register: UniformRegister,
        /// What happens to the value.
        modifier: SourceModifier,
        /// Which part of it.
        selector: Selector,
    },
    /// A predicate.
    Predicate {
        /// Which.
        predicate: Predicate,
        /// Whether its negative is meant: `!P0`.
        negate: bool,
    },
    /// A predicate of the warp.
    UniformPredicate {
        /// Which.
        predicate: UniformPredicate,
        /// Whether its negative is meant: `!UP0`.
        negate: bool,
    },
    /// All predicates of a thread, as `P2R` and `R2P` take them: `PR`.
    AllPredicates,
    /// All predicates of the warp, as `UP2UR` takes them: `UPR`.
    AllUniformPredicates,
    /// 32 bits: an integer, a float's bits, or the upper half of a double's bits, as the opcode takes it.
    Immediate(u32),
    /// A value of a constant bank.
    Constant(ConstantOperand),
    /// A memory address.
    Address(AddressOperand),
    /// A special register.
    Special(SpecialRegister),
    /// A convergence barrier.
    Barrier(BarrierRegister),
    /// A wait counter, as `DEPBAR` names it: `SB0`.
    WaitBarrier(u8),
    /// Wait counters by their bits, as `DEPBAR` names them that waits for all of them: `{1,0}`.
    WaitBarriers(u8),
    /// Descriptors of matrices in shared memory, `gdesc[UR8]`: a pair of registers of the warp for the first matrix and the next
    /// one for the second, of which a product with its first matrix in registers reads only the second.
    MatrixDescriptors {
        /// The first of four registers.
        registers: UniformRegister,
        /// What becomes of the matrices.
        signs: MatrixSigns,
    },
    /// What counts groups of products of warpgroups: `gsb0`.
    ProductGroup(u8),
    /// Where a branch goes: the index of an instruction of the same kernel.
    Target(u32),
}

impl Operand {
    /// `RZ`.
    pub const ZERO: Operand = Operand::register(Register::ZERO);
    /// `PT`.
    pub const TRUE: Operand = Operand::predicate(Predicate::TRUE);
    /// `!PT`.
    pub const FALSE: Operand = Operand::Predicate { predicate: Predicate::TRUE, negate: true };

    /// A register as it is.
    #[must_use]
    pub const fn register(register: Register) -> Operand {
        Operand::Register {
            register,
            modifier: SourceModifier::NONE,
            selector: Selector::Whole,
            reuse: false,
        }
    }

    /// A register with a source modifier.
    #[must_use]
    pub const fn modified(register: Register, modifier: SourceModifier) -> Operand {
        Operand::Register { register, modifier, selector: Selector::Whole, reuse: false }
    }

    /// A register of the warp as it is.
    #[must_use]
    pub const fn uniform(register: UniformRegister) -> Operand {
        Operand::Uniform { register, modifier: SourceModifier::NONE, selector: Selector::Whole }
    }

    /// A predicate as it is.
    #[must_use]
    pub const fn predicate(predicate: Predicate) -> Operand {
        Operand::Predicate { predicate, negate: false }
    }

    /// `c[bank][offset]`.
    #[must_use]
    pub const fn constant(bank: u8, offset: i32) -> Operand {
        Operand::Constant(ConstantOperand {
            bank,
            index: ConstantIndex::None,
            offset,
            modifier: SourceModifier::NONE,
        })
    }

    /// `[base + offset]`, a 32-bit address (shared, local).
    #[must_use]
    pub const fn address32(base: Option<Register>, offset: i32) -> Operand {
        Operand::Address(AddressOperand {
            base,
            wide: false,
            scale: 1,
            uniform: None,
            uniform_wide: false,
            offset,
            descriptor: None,
        })
    }

    /// The register, if the operand is one.
    #[must_use]
    pub fn as_register(&self) -> Option<Register> {
        match *self {
            Operand::Register { register, .. } => Some(register),
            _ => None,
        }
    }
}

impl fmt::Display for AddressOperand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(descriptor) = self.descriptor {
            write!(f, "desc[{descriptor}]")?;
        }
        f.write_str("[")?;
        let mut plus = "";
        if let Some(base) = self.base {
            write!(f, "{base}{}", if self.wide { ".64" } else { "" })?;
            if self.scale > 1 {
                write!(f, ".X{}", self.scale)?;
            }
            plus = "+";
        }
        if let Some(uniform) = self.uniform {
            write!(f, "{plus}{uniform}{}", if self.uniform_wide { ".64" } else { "" })?;
            plus = "+";
        }
        match self.offset {
            0 if !plus.is_empty() => {}
            offset if offset < 0 => write!(f, "{plus}-{:#x}", offset.unsigned_abs())?,
            offset => write!(f, "{plus}{offset:#x}")?,
        }
        f.write_str("]")
    }
}

impl fmt::Display for ConstantOperand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = match (self.index, self.offset) {
            (ConstantIndex::None, offset) => format!("{offset:#x}"),
            (ConstantIndex::Register(index), 0) => index.to_string(),
            (ConstantIndex::Uniform(index), 0) => index.to_string(),
            (ConstantIndex::Register(index), offset) => format!("{index}+{}", signed_hex(offset)),
            (ConstantIndex::Uniform(index), offset) => format!("{index}+{}", signed_hex(offset)),
        };
        self.modifier.write(f, format_args!("c[{:#x}][{offset}]", self.bank))
    }
}

/// `0x10` or `-0x10`.
pub(crate) fn signed_hex(value: i32) -> String {
    if value < 0 { format!("-{:#x}", value.unsigned_abs()) } else { format!("{value:#x}") }
}

impl fmt::Display for Operand {
    /// The operand as printed, an immediate as an integer; the listing prints floating-point ones by their opcode.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Operand::Register { register, modifier, selector, reuse } => {
                let reuse = if reuse { ".reuse" } else { "" };
                modifier.write(f, format_args!("{register}{}{reuse}", selector.suffix()))
            }
            Operand::Uniform { register, modifier, selector } => {
                modifier.write(f, format_args!("{register}{}", selector.suffix()))
            }
            Operand::Predicate { predicate, negate } => {
                write!(f, "{}{predicate}", if negate { "!" } else { "" })
            }
            Operand::UniformPredicate { predicate, negate } => {
                write!(f, "{}{predicate}", if negate { "!" } else { "" })
            }
            Operand::AllPredicates => f.write_str("PR"),
            Operand::AllUniformPredicates => f.write_str("UPR"),
            Operand::Immediate(bits) => f.write_str(&signed_hex(bits.cast_signed())),
            Operand::Constant(constant) => constant.fmt(f),
            Operand::Address(address) => address.fmt(f),
            Operand::Special(special) => f.write_str(special.name()),
            Operand::Barrier(barrier) => barrier.fmt(f),
            Operand::WaitBarrier(barrier) => write!(f, "SB{barrier}"),
            Operand::WaitBarriers(mask) => {
                let named = (0..8).rev().filter(|barrier| mask >> barrier & 1 != 0);
                write!(f, "{{{}}}", named.map(|barrier| barrier.to_string()).collect::<Vec<_>>().join(","))
            }
            Operand::MatrixDescriptors { registers, mut signs } => {
                write!(f, "gdesc[{registers}]")?;
                MatrixSigns::NAMES
                    .into_iter()
                    .filter(|(_, field)| *field(&mut signs))
                    .try_for_each(|(name, _)| f.write_str(name))
            }
            Operand::ProductGroup(group) => write!(f, "gsb{group}"),
            Operand::Target(index) => write!(f, "{:#x}", u64::from(index) * 16),
        }
    }
}

macro_rules! special_registers {
    ($($variant:ident = $text:literal,)*) => {
        /// A register that the machine keeps: ids, masks, clocks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // Each is documented by its text.
        pub enum SpecialRegister { $($variant,)* }

        impl SpecialRegister {
            /// Every special register.
            pub const ALL: &'static [SpecialRegister] = &[$(SpecialRegister::$variant,)*];

            /// The name as printed.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(SpecialRegister::$variant => $text,)* }
            }
        }
    };
}

special_registers! {
    TidX = "SR_TID.X", TidY = "SR_TID.Y", TidZ = "SR_TID.Z",
    CtaidX = "SR_CTAID.X", CtaidY = "SR_CTAID.Y", CtaidZ = "SR_CTAID.Z",
    NtidX = "SR_NTID.X", NtidY = "SR_NTID.Y", NtidZ = "SR_NTID.Z",
    NctaidX = "SR_NCTAID.X", NctaidY = "SR_NCTAID.Y", NctaidZ = "SR_NCTAID.Z",
    LaneId = "SR_LANEID", WarpId = "SR_VIRTID", VirtualSmId = "SR_VIRTUALSMID", SmCount = "SR_NSMID", WarpCount = "SR_NWARPID",
    LaneMaskEq = "SR_EQMASK", LaneMaskLt = "SR_LTMASK", LaneMaskLe = "SR_LEMASK", LaneMaskGt = "SR_GTMASK", LaneMaskGe = "SR_GEMASK",
    ClockLow = "SR_CLOCKLO", ClockHigh = "SR_CLOCKHI", GlobalTimerLow = "SR_GLOBALTIMERLO", GlobalTimerHigh = "SR_GLOBALTIMERHI",
    GridId = "SR_GRIDID", ActiveMask = "SR_ACTIVEMASK", Zero = "SRZ", CgaCtaId = "SR_CgaCtaId", CgaSize = "SR_CgaSize",
    SharedWindowLow = "SR_SWINLO", SharedWindowHigh = "SR_SWINHI", SharedBytes = "SR_SMEMSZ", StackLimit = "SR_LMEMHIOFF",
    Tid = "SR_TID", LaneIdAndMore = "SR_LANEMASK",
}

impl SpecialRegister {
    /// The special register with this printed name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<SpecialRegister> {
        SpecialRegister::ALL.iter().copied().find(|special| special.name() == name)
    }
}

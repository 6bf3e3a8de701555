//! Whether the type of a register fits the type that an instruction wants.

use crate::tree::Type;

/// Whether a register of one type may stand where an instruction wants another: the same width, and not a float for an
/// integer unless one of them is an untyped bit pattern.
pub(super) fn agrees(register: Type, wanted: Type) -> bool {
    register.bits() == wanted.bits() && same_class(register, wanted)
}

/// The same for `ld`, `st` and `cvt`, whose registers may be wider than the type.
pub(super) fn agrees_widened(register: Type, wanted: Type) -> bool {
    if wanted.is_float() && !is_untyped(wanted) {
        return agrees(register, wanted);
    }
    register.bits() >= wanted.bits() && same_class(register, wanted)
}

fn same_class(register: Type, wanted: Type) -> bool {
    if register == Type::Pred || wanted == Type::Pred {
        return register == wanted;
    }
    is_untyped(register) || is_untyped(wanted) || register.is_float() == wanted.is_float()
}

/// Bit patterns, and the narrow floats, which travel in integer registers.
fn is_untyped(ty: Type) -> bool {
    ty.is_bits()
        || ty.is_packed()
        || matches!(ty, Type::F16 | Type::Bf16 | Type::E4m3 | Type::E5m2 | Type::Tf32)
}

#[cfg(test)]
mod tests {
    use super::{Type, agrees, agrees_widened};

    #[test]
    fn untyped_registers_fit_every_type_of_their_width() {
        assert!(agrees(Type::B32, Type::F32));
        assert!(agrees(Type::U32, Type::S32));
        assert!(!agrees(Type::F32, Type::S32));
        assert!(!agrees(Type::B64, Type::S32));
        assert!(!agrees(Type::B32, Type::Pred));
    }

    #[test]
    fn a_load_may_fill_a_wider_register_but_a_float_never() {
        assert!(agrees_widened(Type::B32, Type::U8));
        assert!(!agrees_widened(Type::B16, Type::U32));
        assert!(!agrees_widened(Type::B64, Type::F32));
    }
}

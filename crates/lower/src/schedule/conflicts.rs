//! Which instructions of a block must keep their order, whatever their registers.

use crate::code::{has_effect, is_ordered_load};
use warplab_program::{AddressOperand, Instruction, Modifier, Opcode, Operand};

/// How an instruction is ordered with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Not at all.
    Free,
    /// A load that nothing writes to meanwhile.
    ConstantLoad,
    /// A load.
    Load,
    /// A store or an atomic operation.
    Store,
    /// With every access to memory.
    Fence,
}

impl Kind {
    pub(crate) fn of(instruction: &Instruction) -> Kind {
        use Opcode::*;
        match instruction.opcode {
            Ldg | Ld | Lds | Ldl if is_ordered_load(instruction) => Kind::Fence,
            Stg | St | Sts | Stl if is_ordered_load(instruction) => Kind::Fence,
            Ldg if instruction.has(Modifier::Constant) => Kind::ConstantLoad,
            Ldg | Ld | Lds | Ldl | Ldsm => Kind::Load,
            Stg | St | Sts | Stl | Stsm => Kind::Store,
            _ if is_atomic(instruction) => Kind::Store,
            Bssy | Nop => Kind::Free,
            _ if has_effect(instruction) => Kind::Fence,
            _ => Kind::Free,
        }
    }
}

/// Whether two instructions must keep their order.
pub(crate) fn conflict(first: &Instruction, second: &Instruction) -> bool {
    use Kind::{ConstantLoad, Fence, Free, Load, Store};
    // Who reads a sum must stay behind the wait for it, which does not name it.
    if first.opcode == Opcode::Warpgroup || second.opcode == Opcode::Warpgroup {
        return true;
    }
    match (Kind::of(first), Kind::of(second)) {
        (Free, _) | (_, Free) => false,
        (ConstantLoad, Fence) | (Fence, ConstantLoad) => is_wall(first) || is_wall(second),
        (ConstantLoad, _) | (_, ConstantLoad) | (Load, Load) => false,
        // Exchanges between lanes and products of matrices are not ordered: several chains go on beside each other.
        // But ptxas loads nothing sooner than a shuffle in front of it, of what others may write.
        (Fence, Load) if first.opcode == Opcode::Shfl && second.opcode == Opcode::Ldg => true,
        (Fence, _) | (_, Fence) if !is_exchange(first) && !is_exchange(second) => true,
        // Lanes that have parted meet for them.
        (Fence, _) | (_, Fence) => [first, second].iter().any(|it| it.opcode == Opcode::Warpsync),
        (Store, _) | (_, Store) => !disjoint(first, second),
    }
}

/// Whether even loads of constant data stay on their side: block barriers and fences.
fn is_wall(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::Bar | Opcode::Membar | Opcode::Warpsync)
}

/// Whether lanes do it together, with registers alone.
pub(crate) fn is_exchange(instruction: &Instruction) -> bool {
    use Opcode::*;
    is_product(instruction)
        || matches!(instruction.opcode, Shfl | Vote | Voteu | Match | Redux | Elect | Movm)
}

/// Whether it changes memory at once. What it orders beyond its own bytes, a fence beside it says.
fn is_atomic(instruction: &Instruction) -> bool {
    use Opcode::*;
    matches!(instruction.opcode, Atom | Atomg | Atoms | Red | Redg)
}

/// Whether it multiplies matrices.
pub(super) fn is_product(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::Hmma | Opcode::Imma | Opcode::Dmma)
}

/// The window that an access goes to.
fn space(instruction: &Instruction) -> Option<u8> {
    use Opcode::*;
    match instruction.opcode {
        Ldg | Stg | Atomg | Redg => Some(0),
        Lds | Sts | Ldsm | Stsm | Atoms => Some(1),
        Ldl | Stl => Some(2),
        _ => None,
    }
}

/// Whether two accesses may go to the same window.
pub(crate) fn same_window(first: &Instruction, second: &Instruction) -> bool {
    let (a, b) = (space(first), space(second));
    a.is_none() || b.is_none() || a == b
}

/// Whether two accesses can never touch the same byte: different windows, or the same base and other bytes.
fn disjoint(first: &Instruction, second: &Instruction) -> bool {
    if !same_window(first, second) {
        return true;
    }
    // A row of a matrix is another lane's than its elements; atomic operations keep their order.
    if [first, second].iter().any(|it| matches!(it.opcode, Opcode::Ldsm | Opcode::Stsm) || is_atomic(it)) {
        return false;
    }
    let (Some(x), Some(y)) = (address(first), address(second)) else {
        return false;
    };
    let same_base = x.base == y.base && x.wide == y.wide && x.scale == y.scale && x.uniform == y.uniform;
    let bytes = |instruction: &Instruction| i64::from(instruction.data_registers()) * 4;
    let (from, to) = (i64::from(x.offset), i64::from(y.offset));
    same_base && space(first) == space(second) && (from + bytes(first) <= to || to + bytes(second) <= from)
}

fn address(instruction: &Instruction) -> Option<AddressOperand> {
    instruction.operands.iter().find_map(|operand| match operand {
        Operand::Address(address) => Some(*address),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::disjoint;
    use warplab_program::listing::read_instruction;

    fn are_disjoint(first: &str, second: &str) -> bool {
        let read = |text: &str| read_instruction(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        disjoint(&read(first), &read(second))
    }

    #[test]
    fn the_same_base_with_other_bytes_is_disjoint() {
        assert!(are_disjoint("STG.E desc[UR4][R2.64], R5", "LDG.E R6, desc[UR4][R2.64+0x4]"));
        assert!(!are_disjoint("STG.E.64 desc[UR4][R2.64], R5", "LDG.E R6, desc[UR4][R2.64+0x4]"));
        assert!(are_disjoint("STS.128 [R2+0x10], R4", "LDS R6, [R2+0xc]"));
    }

    #[test]
    fn another_base_may_be_anywhere_but_not_in_another_window() {
        assert!(!are_disjoint("STG.E desc[UR4][R2.64], R5", "LDG.E R6, desc[UR4][R8.64+0x4]"));
        assert!(are_disjoint("STG.E desc[UR4][R2.64], R5", "LDS R6, [R8]"));
        assert!(!are_disjoint("ST.E desc[UR4][R2.64], R5", "LDS R6, [R8]"));
        assert!(are_disjoint("ATOMS.ADD R5, [R8], R6", "LDG.E R6, desc[UR4][R2.64]"));
        assert!(are_disjoint("ATOMS.ADD R5, [R8], R6", "REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R7"));
        assert!(!are_disjoint("ATOMS.ADD R5, [R8], R6", "LDS R6, [R8+0x4]"));
        assert!(!are_disjoint(
            "ATOM.E.ADD.STRONG.GPU PT, R5, desc[UR4][R2.64], R6",
            "LDG.E R6, desc[UR4][R8.64]"
        ));
    }
}

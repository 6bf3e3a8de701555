//! How large ptxas takes a loop to be: it decides whether to unroll before it makes one instruction of several, or several
//! of one. Found by compiling loops that have an instruction more of each kind until ptxas leaves them as they are.

use crate::flat::{Flat, Start, Value};
use warplab_ptx::tree::{self, Flag, Opcode, Space, Type};

/// For how many instructions one counts. What moves a value or changes its sign counts for none, what becomes a sequence for those
/// that it becomes.
pub(super) fn counts_for(flat: &Flat<'_>) -> u32 {
    use Opcode::{
        Abs, Atom, Bfe, Bfi, Clz, Cvta, Div, Ex2, Ld, Lg2, Mad, Mov, Neg, Not, Rcp, Rem, Rsqrt, Slct, Sqrt,
        St,
    };
    let tree = flat.tree;
    let ty = tree.ty();
    let is_single = ty == Some(Type::F32) && tree.rounding().is_none();
    let has_denormals = is_single && !tree.flag(Flag::Ftz);
    let is_signed = ty.is_some_and(Type::is_signed);
    match tree.opcode {
        Mov if matches!(flat.operands.get(1), Some(Value::Special(..))) => 1,
        Mov | Cvta | Neg | Abs => 0,
        Not if ty == Some(Type::Pred) => 0,
        Ld if ty.is_some_and(|it| it.bits() < 16) => 2,
        Ld if space(tree) == Some(Space::Shared) => 1,
        Ld | St if is_beside(flat) => 2,
        Ex2 | Lg2 | Rsqrt | Sqrt if has_denormals => 6,
        Div if is_single && tree.flag(Flag::Full) => 12,
        Div if is_single && tree.flag(Flag::Ftz) => 2,
        Rcp | Div if has_denormals => 7,
        Div if ty.is_some_and(|it| !it.is_float()) => {
            if is_signed {
                27
            } else {
                21
            }
        }
        Rem => {
            if is_signed {
                24
            } else {
                19
            }
        }
        Mad if tree.has(tree::Modifier::Half(tree::Half::Wide)) => 4,
        Bfe if flat.operands[2..].iter().any(|it| matches!(it, Value::Register(_))) => 2,
        Bfi | Clz | Slct => 2,
        Atom => 10,
        _ if ty.is_some_and(Type::is_packed) => 2,
        _ => 1,
    }
}

fn space(tree: &tree::Instruction) -> Option<Space> {
    tree.space().map(Space::family)
}

/// Whether an access goes beside where its register points.
fn is_beside(flat: &Flat<'_>) -> bool {
    flat.operands.iter().any(|it| matches!(it, Value::Address(Start::Register(_), offset) if *offset != 0))
}

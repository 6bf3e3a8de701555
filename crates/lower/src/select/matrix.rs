//! Products of matrices.

use super::Selector;
use crate::code::number;
use crate::flat::{Flat, Value};
use warplab_program::operand::{Selector as Part, SourceModifier};
use warplab_program::{Modifier as M, Opcode, Operand, Register};
use warplab_ptx::tree::{Flag, MatrixShape as Shape, Modifier as Dotted, Type};

impl Selector<'_, '_> {
    /// `mma`: the matrices lie in the registers as the machine takes them, so that only their groups are made.
    pub(super) fn mma(&mut self, flat: &Flat<'_>) {
        let Some((opcode, modifiers)) = product(flat) else {
            return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
        };
        let ty = if opcode == Opcode::Dmma { Type::F64 } else { Type::B32 };
        let [sum, first, second, added] = [0, 1, 2, 3].map(|index| elements(flat.operands.get(index)));
        let (first, second) = (self.gather(&first, ty), self.gather(&second, ty));
        let added = if self.are_zeros(&added, ty) { Register::ZERO } else { self.gather(&added, ty) };
        let to = self.code.register(number(sum.len()) * ty.bits() / 32);
        let factor = |register: Register, part: Part| Operand::Register {
            register,
            modifier: SourceModifier::NONE,
            selector: if opcode == Opcode::Imma { part } else { Part::Whole },
            reuse: false,
        };
        let operands = [
            Operand::register(to),
            factor(first, Part::Row),
            factor(second, Part::Column),
            Operand::register(added),
        ];
        self.op(opcode, &modifiers, operands);
        self.spread(&sum, to, ty);
    }

    /// Whether a matrix has nothing but zeros.
    fn are_zeros(&mut self, elements: &[Value], ty: Type) -> bool {
        elements.iter().all(|element| self.source(element, ty).as_constant() == Some(0))
    }
}

/// The registers of a matrix.
fn elements(operand: Option<&Value>) -> Vec<Value> {
    match operand {
        Some(Value::Vector(elements)) => elements.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    }
}

/// The machine instruction of a product; none where it has no such shape or types.
fn product(flat: &Flat<'_>) -> Option<(Opcode, Vec<M>)> {
    let tree = flat.tree;
    let shape = tree.modifiers.iter().find_map(|modifier| match modifier {
        Dotted::Matrix(shape) if !matches!(shape, Shape::Row | Shape::Col) => Some(*shape),
        _ => None,
    })?;
    let types: Vec<Type> = tree.types().collect();
    let &[sum, first, second, added] = types.as_slice() else { return None };
    if sum != added || tree.modifiers.iter().any(|it| matches!(it, Dotted::Operation(_))) {
        return None;
    }
    let halves = match shape {
        Shape::M16n8k8 => M::M16n8k8,
        Shape::M16n8k16 => M::M16n8k16,
        _ => M::M16n8k4,
    };
    Some(match (sum, first, second) {
        (Type::F32 | Type::F16, Type::F16, Type::F16) if halves != M::M16n8k4 => {
            (Opcode::Hmma, vec![halves, if sum == Type::F32 { M::F32 } else { M::F16 }])
        }
        (Type::F32, Type::Bf16, Type::Bf16) if halves != M::M16n8k4 => {
            (Opcode::Hmma, vec![halves, M::F32, M::BF16])
        }
        (Type::F32, Type::Tf32, Type::Tf32) if matches!(shape, Shape::M16n8k4 | Shape::M16n8k8) => {
            (Opcode::Hmma, vec![halves, M::F32, M::Tf32])
        }
        (Type::S32, Type::S8 | Type::U8, Type::S8 | Type::U8) => {
            let size = match shape {
                Shape::M8n8k16 => M::M8n8k16,
                Shape::M16n8k16 => M::M16n8k16,
                Shape::M16n8k32 => M::M16n8k32,
                _ => return None,
            };
            let of = |ty| if ty == Type::S8 { M::S8 } else { M::U8 };
            let saturates = tree.flag(Flag::Satfinite).then_some(M::Sat);
            (Opcode::Imma, [size, of(first), of(second)].into_iter().chain(saturates).collect())
        }
        (Type::F64, Type::F64, Type::F64) => {
            let size = match shape {
                Shape::M8n8k4 => M::M8x8x4,
                Shape::M16n8k4 => M::M16x8x4,
                Shape::M16n8k8 => M::M16x8x8,
                Shape::M16n8k16 => M::M16x8x16,
                _ => return None,
            };
            (Opcode::Dmma, vec![size])
        }
        _ => return None,
    })
}

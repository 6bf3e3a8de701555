//! Products of matrices.

use super::Selector;
use crate::code::number;
use crate::flat::{Flat, Value};
use warplab_program::matrix::MatrixShape as MachineShape;
use warplab_program::operand::{Selector as Part, SourceModifier};
use warplab_program::{Instruction, Modifier as M, Opcode, Operand, Register};
use warplab_ptx::tree::{Flag, MatrixShape as Shape, Modifier as Dotted, Type};

impl Selector<'_, '_> {
    /// `mma`: the matrices lie in the registers as the machine takes them, so that only their groups are made.
    pub(super) fn mma(&mut self, flat: &Flat<'_>) {
        if is_sparse(flat) {
            return self.sparse_product(flat);
        }
        if let Some(formats) = byte_formats(flat) {
            return self.product_of_bytes(flat, formats);
        }
        if self.product_of_nibbles(flat) {
            return;
        }
        let Some((opcode, modifiers)) = product(flat, false) else {
            return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
        };
        let ty = if opcode == Opcode::Dmma { Type::F64 } else { Type::B32 };
        let shape = MachineShape::of(&Instruction::new(opcode, modifiers.as_slice(), []));
        let count = |index| shape.map_or(0, |shape| shape.registers(index)) * 32 / ty.bits();
        let Some([sum, first, second, added]) = self.matrices(flat, [0, 1, 2, 3].map(count)) else { return };
        let (first, second) = (self.gather(&first, ty), self.gather(&second, ty));
        let added = if self.are_zeros(&added, ty) { Register::ZERO } else { self.gather(&added, ty) };
        let to = self.code.register(number(sum.len()) * ty.bits() / 32);
        let operands = product_operands(opcode, to, [first, second], added);
        self.op(opcode, &modifiers, operands);
        self.spread(&sum, to, ty);
    }

    /// A product whose first matrix has only half of its columns, which metadata names.
    fn sparse_product(&mut self, flat: &Flat<'_>) {
        let selector = flat.operands.get(5).and_then(|selector| match selector {
            Value::Immediate(selector) => {
                selector.as_int().and_then(|it| u32::try_from(it).ok()).filter(|it| *it < 4)
            }
            _ => None,
        });
        let (Some((opcode, modifiers)), Some(metadata), Some(selector)) =
            (product(flat, true), flat.operands.get(4), selector)
        else {
            return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
        };
        let shape = MachineShape::of(&Instruction::new(opcode, modifiers.as_slice(), []));
        let count = |index| shape.map_or(0, |shape| shape.registers(index));
        let Some([sum, first, second, added]) = self.matrices(flat, [0, 1, 2, 3].map(count)) else { return };
        let (first, second) = (self.gather(&first, Type::B32), self.gather(&second, Type::B32));
        let is_nothing = self.are_zeros(&added, Type::B32);
        let added = if is_nothing { Register::ZERO } else { self.gather(&added, Type::B32) };
        let metadata = self.register(metadata, Type::B32);
        let to = self.code.register(number(sum.len()));
        let [to_operand, first, second, added] = product_operands(opcode, to, [first, second], added);
        let named = [Operand::register(metadata), Operand::Immediate(selector)];
        self.op(opcode, &modifiers, [to_operand, first, second, added, named[0], named[1]]);
        self.spread(&sum, to, Type::B32);
    }

    /// A product of floats of eight bits: of the lower two of each four as halves, then of the upper two, and at the end what is
    /// added, as ptxas does it.
    fn product_of_bytes(&mut self, flat: &Flat<'_>, formats: [M; 2]) {
        let Some([sum, first, second, added]) = self.matrices(flat, [4, 4, 2, 4]) else { return };
        let mut before = Register::ZERO;
        for half in [Part::Whole, Part::H1] {
            let (first, second) =
                (self.as_halves(&first, half, formats[0]), self.as_halves(&second, half, formats[1]));
            let to = self.code.register(number(sum.len()));
            let operands = [to, first, second, before].map(Operand::register);
            self.op(Opcode::Hmma, &[M::M16n8k16, M::F32], operands);
            before = to;
        }
        let to = self.code.register(number(sum.len()));
        for (index, added) in (0..).zip(&added) {
            let added = self.source(added, Type::F32).low;
            self.op(
                Opcode::Fadd,
                &[],
                [Operand::register(to.offset(index)), added, Operand::register(before.offset(index))],
            );
        }
        self.spread(&sum, to, Type::B32);
    }

    /// Two of the four bytes of each register, as halves in registers one after another; those that a straight run has made already,
    /// if the bytes are written once.
    fn as_halves(&mut self, elements: &[Value], half: Part, format: M) -> Register {
        let registers: Vec<Register> =
            elements.iter().map(|element| self.register(element, Type::B32)).collect();
        let is_fixed =
            |element: &Value| matches!(element, Value::Register(id) if self.definitions[*id].len() == 1);
        let key = (self.guard.is_always() && elements.iter().all(is_fixed))
            .then(|| (self.runs[self.item], format, half == Part::Whole, registers.clone()));
        if let Some(&known) = key.as_ref().and_then(|key| self.bytes_as_halves.get(key)) {
            return known;
        }
        let to = self.code.register(number(elements.len()));
        for (index, register) in (0..).zip(registers) {
            let bytes =
                Operand::Register { register, modifier: SourceModifier::NONE, selector: half, reuse: false };
            self.op(
                Opcode::F2fp,
                &[M::F16, format, M::UnpackB],
                [Operand::register(to.offset(index)), bytes],
            );
        }
        if let Some(key) = key {
            self.bytes_as_halves.insert(key, to);
        }
        to
    }

    /// `movmatrix`: the transpose of a matrix.
    pub(super) fn movmatrix(&mut self, flat: &Flat<'_>) {
        let [to, from] = [0, 1].map(|index| elements(flat.operands.get(index)));
        let ([_], [from]) = (to.as_slice(), from.as_slice()) else {
            return self.unsupported("'movmatrix' takes one register");
        };
        let from = self.register(from, Type::B32);
        let register = self.code.register(1);
        self.op(Opcode::Movm, &[M::B16, M::Mt88], [Operand::register(register), Operand::register(from)]);
        self.spread(&to, register, Type::B32);
    }

    /// The registers of the sum, the factors and what is added, of which there must be so many.
    fn matrices(&mut self, flat: &Flat<'_>, counts: [u32; 4]) -> Option<[Vec<Value>; 4]> {
        let matrices = [0, 1, 2, 3].map(|index| elements(flat.operands.get(index)));
        let found = [0, 1, 2, 3].map(|index: usize| matrices[index].len() as u64);
        if found == counts.map(u64::from) {
            return Some(matrices);
        }
        let [a, b, c, d] = counts;
        self.unsupported(format!(
            "'{}' takes matrices of {a}, {b}, {c} and {d} registers",
            flat.tree.mnemonic()
        ));
        None
    }

    /// Whether a matrix has nothing but zeros.
    fn are_zeros(&mut self, elements: &[Value], ty: Type) -> bool {
        elements.iter().all(|element| self.source(element, ty).as_constant() == Some(0))
    }
}

/// Whether the first matrix of a product has only half of its columns.
fn is_sparse(flat: &Flat<'_>) -> bool {
    flat.tree.flag(Flag::Sp) || flat.tree.flag(Flag::SpOrdered)
}

/// The sum, the factors and what is added, as operands.
fn product_operands(
    opcode: Opcode,
    to: Register,
    [first, second]: [Register; 2],
    added: Register,
) -> [Operand; 4] {
    let factor = |register: Register, part: Part| Operand::Register {
        register,
        modifier: SourceModifier::NONE,
        selector: if opcode == Opcode::Imma { part } else { Part::Whole },
        reuse: false,
    };
    let factors = [factor(first, Part::Row), factor(second, Part::Column)];
    [Operand::register(to), factors[0], factors[1], Operand::register(added)]
}

/// The registers of a matrix.
pub(super) fn elements(operand: Option<&Value>) -> Vec<Value> {
    match operand {
        Some(Value::Vector(elements)) => elements.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    }
}

/// What the factors of a product of floats of eight bits are, if it is one that is known.
fn byte_formats(flat: &Flat<'_>) -> Option<[M; 2]> {
    let format = |ty: Type| match ty {
        Type::E4m3 => Some(M::E4m3),
        Type::E5m2 => Some(M::E5m2),
        _ => None,
    };
    let types: Vec<Type> = flat.tree.types().collect();
    let &[Type::F32, first, second, Type::F32] = types.as_slice() else { return None };
    let formats = [format(first)?, format(second)?];
    flat.tree.modifiers.contains(&Dotted::Matrix(Shape::M16n8k32)).then_some(formats)
}

/// The machine instruction of a product; none where it has no such shape or types.
fn product(flat: &Flat<'_>, sparse: bool) -> Option<(Opcode, Vec<M>)> {
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
    // A sparse matrix has rows twice as long.
    let [halves, bytes, single] = match (shape, sparse) {
        (Shape::M8n8k16, false) => [None, Some(M::M8n8k16), None],
        (Shape::M16n8k4, false) => [None, None, Some(M::M16n8k4)],
        (Shape::M16n8k8, false) => [Some(M::M16n8k8), None, Some(M::M16n8k8)],
        (Shape::M16n8k16, false) => [Some(M::M16n8k16), Some(M::M16n8k16), None],
        (Shape::M16n8k32, false) => [None, Some(M::M16n8k32), None],
        (Shape::M16n8k8, true) => [None, None, Some(M::M16n8k8)],
        (Shape::M16n8k16, true) => [Some(M::M16n8k16), None, Some(M::M16n8k16)],
        (Shape::M16n8k32, true) => [Some(M::M16n8k32), Some(M::M16n8k32), None],
        (Shape::M16n8k64, true) => [None, Some(M::M16n8k64), None],
        _ => [None; 3],
    };
    let (opcode, mut modifiers) = match (sum, first, second) {
        (Type::F32 | Type::F16, Type::F16, Type::F16) => {
            (Opcode::Hmma, vec![halves?, if sum == Type::F32 { M::F32 } else { M::F16 }])
        }
        (Type::F32, Type::Bf16, Type::Bf16) => (Opcode::Hmma, vec![halves?, M::F32, M::BF16]),
        (Type::F32, Type::Tf32, Type::Tf32) => (Opcode::Hmma, vec![single?, M::F32, M::Tf32]),
        (Type::S32, Type::S8 | Type::U8, Type::S8 | Type::U8) => {
            let of = |ty| if ty == Type::S8 { M::S8 } else { M::U8 };
            let saturates = tree.flag(Flag::Satfinite).then_some(M::Sat);
            (Opcode::Imma, [bytes?, of(first), of(second)].into_iter().chain(saturates).collect())
        }
        (Type::F64, Type::F64, Type::F64) if !sparse => {
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
    };
    if sparse {
        modifiers.insert(0, M::Sp);
    }
    Some((opcode, modifiers))
}

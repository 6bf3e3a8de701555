//! Stores and reductions to shared memory of a block of the cluster that tell a barrier there (`st.async`, `red.async`).

use super::Selector;
use super::bulk::operation;
use super::values::Source;
use crate::flat::{Flat, Value};
use warplab_program::{AddressOperand, Modifier as M, Opcode, Operand, Register};
use warplab_ptx::tree::{Operation, Type};

impl Selector<'_, '_> {
    pub(super) fn told_store(&mut self, flat: &Flat<'_>) {
        let ty = flat.tree.ty().unwrap_or(Type::B32);
        let elements: Vec<Value> = match &flat.operands[1] {
            Value::Vector(elements) => elements.clone(),
            one => vec![one.clone()],
        };
        let size: &[M] = match ty.bits() * crate::code::number(elements.len()) {
            32 => &[],
            64 => &[M::B64],
            128 => &[M::B128],
            _ => return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic())),
        };
        let data = self.gather(&elements, ty);
        self.tell(Opcode::Stas, size, flat, data);
    }

    pub(super) fn told_reduction(&mut self, flat: &Flat<'_>) {
        let ty = flat.tree.ty().unwrap_or(Type::B32);
        let mut modifiers = vec![operation(flat)];
        let signed = matches!(flat.tree.operation(), Some(Operation::Min | Operation::Max)) && ty.is_signed();
        match (ty.bits(), signed) {
            (32, false) => {}
            (32, true) => modifiers.push(M::S32),
            (64, false) => modifiers.push(M::B64),
            _ => return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic())),
        }
        let data = self.register(&flat.operands[1], ty);
        self.tell(Opcode::Redas, &modifiers, flat, data);
    }

    fn tell(&mut self, opcode: Opcode, modifiers: &[M], flat: &Flat<'_>, data: Register) {
        let Some(barrier) = flat.operands.get(2) else {
            return self.unsupported("names the barrier that is told, in brackets");
        };
        let places = Source { low: self.near_place(&flat.operands[0]), high: self.near_place(barrier) };
        let to = self.code.register(2);
        self.move_to(to, places, 64);
        let address = AddressOperand { base: Some(to), wide: true, scale: 1, ..AddressOperand::default() };
        self.op(opcode, modifiers, [Operand::Address(address), Operand::register(data)]);
    }
}

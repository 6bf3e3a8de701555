//! Matrices of eight rows between shared memory and the registers of a warp.

use super::Selector;
use super::memory::Window;
use crate::code::number;
use crate::flat::{Flat, Value};
use warplab_program::{Modifier as M, Opcode, Operand};
use warplab_ptx::tree::{MatrixShape, Modifier as Dotted, Type};

impl Selector<'_, '_> {
    /// `ldmatrix`: each lane gets its elements of so many matrices.
    pub(super) fn ldmatrix(&mut self, flat: &Flat<'_>) {
        let elements = registers(&flat.operands[0]);
        let place = self.address(&flat.operands[1], Window::Shared);
        let Some(modifiers) = self.matrix_modifiers(flat, elements.len(), "loads") else { return };
        let to = self.code.register(number(elements.len()));
        self.op(Opcode::Ldsm, &modifiers, [Operand::register(to), place]);
        self.spread(&elements, to, Type::B32);
    }

    /// `stmatrix`: each lane gives its elements of so many matrices.
    pub(super) fn stmatrix(&mut self, flat: &Flat<'_>) {
        let elements = registers(&flat.operands[1]);
        let Some(modifiers) = self.matrix_modifiers(flat, elements.len(), "stores") else { return };
        let from = self.gather(&elements, Type::B32);
        let place = self.address(&flat.operands[0], Window::Shared);
        self.op(Opcode::Stsm, &modifiers, [place, Operand::register(from)]);
    }

    /// The modifiers of a transfer of so many matrices; none, after a diagnostic, where there is no such transfer.
    fn matrix_modifiers(&mut self, flat: &Flat<'_>, count: usize, verb: &str) -> Option<Vec<M>> {
        if flat.tree.ty() != Some(Type::B16) {
            self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
            return None;
        }
        let has = |shape| flat.tree.has(Dotted::Matrix(shape));
        let mut modifiers = vec![M::B16, if has(MatrixShape::Trans) { M::Mt88 } else { M::M88 }];
        match count {
            1 => {}
            2 => modifiers.push(M::X2),
            4 => modifiers.push(M::X4),
            found => {
                let opcode = flat.tree.opcode;
                self.unsupported(format!("'{opcode}' {verb} 1, 2 or 4 registers, found {found}"));
                return None;
            }
        }
        Some(modifiers)
    }
}

fn registers(operand: &Value) -> Vec<Value> {
    match operand {
        Value::Vector(elements) => elements.clone(),
        one => vec![one.clone()],
    }
}

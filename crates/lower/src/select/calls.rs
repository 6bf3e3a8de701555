//! Calls that are not inlined, and what they pass on the stack.

use super::Selector;
use crate::calls::{Callee, INCOMING, StackAccess};
use crate::frames::stack;
use warplab_program::{Modifier, Opcode, Operand};
use warplab_ptx::tree::Type;

impl Selector<'_, '_> {
    /// A load or store of an argument or result.
    pub(crate) fn stack_access(&mut self, access: &StackAccess) {
        self.origin = access.origin;
        let size: Vec<Modifier> = Self::size_modifier(access.ty, 1).into_iter().collect();
        let place = stack(access.at);
        if let Some(value) = &access.stored {
            let from = Operand::register(self.register(value, access.ty));
            self.op(Opcode::Stl, &size, [place, from]);
        }
        if let Some(id) = access.loaded {
            let to = self.place(id);
            self.op(Opcode::Ldl, &size, [Operand::register(to), place]);
            if self.flat.registers[id].bits() == 64 && access.ty.bits() < 64 {
                self.widen(to, access.ty);
            }
        }
    }

    /// The call itself; the number of a function stands for where it will start.
    pub(crate) fn call(&mut self, callee: Callee) {
        match callee {
            Callee::Function(number) => {
                self.op(Opcode::Call, &[Modifier::Rel, Modifier::NoInc], [Operand::Immediate(number)]);
            }
            Callee::Pointer(id) => {
                let pointer = self.register(&crate::flat::Value::Register(id), Type::B64);
                self.op(Opcode::Call, &[Modifier::Abs, Modifier::NoInc], [Operand::register(pointer)]);
            }
        }
    }

    /// The end of a function: to the return address that the caller stored.
    pub(crate) fn give_back(&mut self) {
        let address = self.code.register(2);
        let operands = [Operand::register(address), stack(INCOMING - 8)];
        self.op(Opcode::Ldl, &[Modifier::B64], operands);
        self.op(Opcode::Ret, &[Modifier::Abs, Modifier::NoDec], [Operand::register(address)]);
    }
}

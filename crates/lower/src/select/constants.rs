//! Loads of parameters and of variables of constant memory.

use super::Selector;
use super::values::{Key, Source, constant_of, immediate, low_word};
use crate::flat::{Item, RegisterId, Start, Symbol, Value};
use std::ops::RangeInclusive;
use warplab_program::kernel::launch_constants as launch;
use warplab_program::{ConstantIndex, ConstantOperand, Modifier as M, Opcode, Operand, SourceModifier};
use warplab_ptx::tree::{Opcode as Ptx, Type};

/// What is added to an index of constants.
const CONSTANT_OFFSETS: RangeInclusive<i128> = -0x8000..=0x7f00;

/// How many steps an address is followed back.
const DEPTH: u32 = 8;

impl Selector<'_, '_> {
    /// Loads from a bank of constants: parameters or variables.
    pub(crate) fn load_constant(&mut self, elements: &[Value], address: &Value, bank: u8, ty: Type) {
        let base_offset = if bank == 0 { launch::PARAMETERS } else { 0 };
        let (mut index, mut offset) = match address {
            Value::Address(Start::Variable(Symbol::Parameter(at) | Symbol::Constant(at)), offset) => {
                (None, i128::from(*at) + i128::from(*offset))
            }
            Value::Address(Start::Absolute, offset) => (None, i128::from(*offset)),
            Value::Address(Start::Register(id), offset) => match self.fixed_address(*id, bank, 0) {
                Some(start) => (None, i128::from(start) + i128::from(*offset)),
                None => {
                    let base = self.source(&Value::Register(*id), Type::B32).low;
                    match constant_of(&base) {
                        // These addresses have 32 bits and wrap.
                        Some(bits) => (None, i128::from(low_word(*offset).wrapping_add(bits))),
                        None => {
                            let base = self.in_register(Source { low: base, high: Operand::ZERO }, 32);
                            (Some(base), i128::from(*offset))
                        }
                    }
                }
            },
            _ => return self.unsupported("this address is not supported for constants and parameters"),
        };
        offset += i128::from(base_offset);
        // Room for the elements of a vector, too.
        if let Some(base) = index.filter(|_| !CONSTANT_OFFSETS.contains(&offset)) {
            let far = low_word(i64::try_from(offset - i128::from(base_offset)).unwrap_or(0));
            let far = immediate(far);
            index = Some(self.compute(Opcode::Iadd3, &[], [Operand::register(base), far, Operand::ZERO]));
            offset = i128::from(base_offset);
        }
        for (element, number) in elements.iter().zip(0_u32..) {
            let Value::Register(id) = element else { continue };
            let offset = offset + i128::from(ty.bytes() * number);
            let Some(offset) = i32::try_from(offset).ok().filter(|&at| at >= 0 || index.is_some()) else {
                return self.unsupported(format!("constant memory has no byte {offset}"));
            };
            let wide = self.flat.registers[*id].bits() == 64;
            let plain = index.is_none() && bank == 0 && self.guard.is_always() && ty.bits() >= 32;
            if plain
                && self.definitions[*id].len() == 1
                && (ty.bits() == 64) == wide
                && self.places[*id].is_none()
            {
                let register = self.at_entry(Key::Constant(bank, offset.cast_unsigned(), ty.bytes()));
                self.places[*id] = Some(super::Place::Register(register));
                continue;
            }
            let modifiers: &[M] = match (ty.bits(), ty.is_signed()) {
                (8, true) => &[M::S8],
                (8, false) => &[M::U8],
                (16, true) => &[M::S16],
                (16, false) => &[M::U16],
                (64, _) => &[M::B64],
                _ => &[],
            };
            let constant = ConstantOperand {
                bank,
                index: index.map_or(ConstantIndex::None, ConstantIndex::Register),
                offset,
                modifier: SourceModifier::NONE,
            };
            let to = self.place(*id);
            self.op(Opcode::Ldc, modifiers, [Operand::register(to), Operand::Constant(constant)]);
            if wide && ty.bits() < 64 {
                self.widen(to, ty);
            }
        }
    }

    /// The offset in a bank that a register always holds: the address of a parameter or variable, and what was added to it.
    fn fixed_address(&self, id: RegisterId, bank: u8, depth: u32) -> Option<i64> {
        let value = self.look_through(&Value::Register(id));
        let id = match value {
            Value::Register(id) if depth < DEPTH => id,
            other => return self.fixed_start(&other, bank, DEPTH),
        };
        let Item::Instruction(flat) = &self.flat.items[self.definition(id)?] else { return None };
        match (flat.tree.opcode, flat.operands.as_slice()) {
            (Ptx::Mov, [_, from]) => self.fixed_start(from, bank, depth + 1),
            (Ptx::Add, [_, from, Value::Immediate(by)] | [_, Value::Immediate(by), from]) => {
                self.fixed_start(from, bank, depth + 1)?.checked_add(by.as_int()?)
            }
            _ => None,
        }
    }

    fn fixed_start(&self, value: &Value, bank: u8, depth: u32) -> Option<i64> {
        match value {
            Value::Register(id) if depth < DEPTH => self.fixed_address(*id, bank, depth),
            Value::Address(Start::Variable(Symbol::Parameter(at)), offset) if bank == 0 => {
                i64::from(*at).checked_add(*offset)
            }
            Value::Address(Start::Variable(Symbol::Constant(at)), offset) if bank != 0 => {
                i64::from(*at).checked_add(*offset)
            }
            _ => None,
        }
    }
}

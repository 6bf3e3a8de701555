//! Words that are turned: `x << k` and `x >> 64 - k`, put together by a sum or bit by bit, are two funnel shifts.

use super::Selector;
use crate::flat::Value;
use warplab_program::{Modifier as M, Opcode, Operand, Register};
use warplab_ptx::tree::{self, Immediate, Type};

impl Selector<'_, '_> {
    /// `to = a + b`, or any function of them where no bit meets another, if they are the two parts of a turned word.
    pub(super) fn turned(&mut self, to: Register, a: &Value, b: &Value) -> bool {
        let (left, right) = (self.shifted(a), self.shifted(b));
        let (from, count) = match (left, right) {
            (Some((tree::Opcode::Shl, x, count)), Some((tree::Opcode::Shr, y, other)))
            | (Some((tree::Opcode::Shr, y, other)), Some((tree::Opcode::Shl, x, count)))
                if x == y && count + other == 64 =>
            {
                (x, count)
            }
            _ => return false,
        };
        let from = self.source(&from, Type::B64);
        // The word whose upper bits go on in the other one.
        let (low, high) = if count < 32 { (from.low, from.high) } else { (from.high, from.low) };
        let count = count % 32;
        // Both words are made before the first is written: the result may stand where the value does.
        let [low, high] = [(low, high), (high, low)].map(|(own, other)| {
            let word = match count {
                0 => self.compute(Opcode::Mov, &[], [own]),
                _ => {
                    let modifiers = [M::L, M::W, M::U32, M::Hi];
                    self.compute(Opcode::Shf, &modifiers, [other, Operand::Immediate(count), own])
                }
            };
            Operand::register(word)
        });
        self.move_to(to, super::Source { low, high }, 64);
        true
    }

    /// The value of 64 bits and the constant by which it is shifted, and to which side; zeros take its place.
    fn shifted(&self, value: &Value) -> Option<(tree::Opcode, Value, u32)> {
        let (tree, operands, _) = self.origin_of(value)?;
        let zeros = match tree.opcode {
            tree::Opcode::Shl => true,
            tree::Opcode::Shr => !tree.ty()?.is_signed(),
            _ => false,
        };
        let &[_, ref from, Value::Immediate(Immediate::Int(count @ 1..=63))] = operands else { return None };
        let fits = zeros && tree.ty()?.bits() == 64;
        fits.then(|| (tree.opcode, self.look_through(from), super::values::low_word(count)))
    }
}

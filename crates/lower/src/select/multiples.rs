//! Which registers hold nothing but multiples of a power of two, whatever happens.

use super::Selector;
use crate::flat::{Flat, Item, RegisterId, Value};
use warplab_ptx::tree::{Flag, Half, Opcode as Ptx, Type};

/// How many steps back a value is followed.
const DEPTH: usize = 8;

/// How many registers are looked at for one value.
const LOOKS: u32 = 256;

/// How a value was come to.
struct Way {
    /// The registers that led to it, and of what each is to be a multiple.
    asked: Vec<(RegisterId, u32)>,
    /// How many more registers may be looked at.
    left: u32,
}

impl Selector<'_, '_> {
    /// Whether a value is always a multiple of `of`, a power of two of at most 32 bits.
    pub(super) fn is_multiple(&self, value: &Value, of: u32) -> bool {
        self.multiple(value, of, &mut Way { asked: Vec::new(), left: LOOKS })
    }

    /// The same; the registers on the way are taken to be multiples of what was asked of them, as they are if all that comes to them is.
    fn multiple(&self, value: &Value, of: u32, way: &mut Way) -> bool {
        match value {
            Value::Immediate(constant) => {
                constant.as_int().is_some_and(|number| number.rem_euclid(i64::from(of)) == 0)
            }
            Value::Register(id) => {
                if way.asked.contains(&(*id, of)) {
                    return true;
                }
                if way.asked.len() == DEPTH || way.left == 0 || self.definitions[*id].is_empty() {
                    return false;
                }
                way.left -= 1;
                way.asked.push((*id, of));
                let all = self.definitions[*id].iter().all(|&item| self.makes_multiple(item, of, way));
                way.asked.pop();
                all
            }
            _ => false,
        }
    }

    fn makes_multiple(&self, item: usize, of: u32, way: &mut Way) -> bool {
        match &self.flat.items[item] {
            Item::Instruction(flat) => self.computes_multiple(flat, of, way),
            Item::Copy { from, .. } => self.multiple(from, of, way),
            _ => false,
        }
    }

    fn computes_multiple(&self, flat: &Flat<'_>, of: u32, way: &mut Way) -> bool {
        let tree = flat.tree;
        let one_result = matches!(flat.operands.first(), Some(Value::Register(_)));
        if tree.types().any(|ty| ty.is_float() || ty == Type::Pred) || tree.flag(Flag::Sat) || !one_result {
            return false;
        }
        let constant = |at: usize| match flat.operands.get(at) {
            Some(Value::Immediate(constant)) => constant.as_int().and_then(|bits| u32::try_from(bits).ok()),
            _ => None,
        };
        if tree.opcode == Ptx::Shr {
            let more = constant(2).and_then(|by| of.checked_shl(by).filter(|more| more >> by == of));
            return more.is_some_and(|more| self.multiple(&flat.operands[1], more, way));
        }
        let mut of_operand = |at: usize| flat.operands.get(at).is_some_and(|it| self.multiple(it, of, way));
        match tree.opcode {
            Ptx::Mov | Ptx::Cvt => of_operand(1),
            Ptx::Selp | Ptx::Add | Ptx::Sub | Ptx::Or | Ptx::Xor | Ptx::Min | Ptx::Max => {
                of_operand(1) && of_operand(2)
            }
            Ptx::And => of_operand(1) || of_operand(2),
            Ptx::Mul if tree.half() != Some(Half::Hi) => of_operand(1) || of_operand(2),
            Ptx::Shl => constant(2).is_some_and(|by| by >= of.trailing_zeros()) || of_operand(1),
            _ => false,
        }
    }
}

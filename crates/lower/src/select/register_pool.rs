//! `setmaxnreg`: a warp gives registers back, or waits until it gets more.

use super::{Selector, unless};
use crate::flat::{Flat, Item, Value};
use warplab_program::{Modifier as M, Opcode, Operand, UniformPredicate};
use warplab_ptx::tree::{self, Operation};

/// The most registers that a kernel takes with `setmaxnreg`, if any.
pub(crate) fn most_taken(items: &[Item<'_>]) -> Option<u32> {
    let counts = items.iter().filter_map(|item| match item {
        Item::Instruction(flat) if flat.tree.opcode == tree::Opcode::Setmaxnreg => count(flat),
        _ => None,
    });
    counts.max()
}

fn count(flat: &Flat<'_>) -> Option<u32> {
    match flat.operands.first() {
        Some(Value::Immediate(count)) => u32::try_from(count.as_int()?).ok(),
        _ => None,
    }
}

impl Selector<'_, '_> {
    pub(super) fn setmaxnreg(&mut self, flat: &Flat<'_>) {
        // Nothing, where the registers at launch are not known, as ptxas has it.
        let Some(count) = count(flat).filter(|_| self.flat.sets_registers) else { return };
        if flat.tree.operation() == Some(Operation::Dec) {
            return self.op(Opcode::Usetmaxreg, &[M::Dealloc, M::Ctapool], [Operand::Immediate(count)]);
        }
        let again = self.new_label();
        self.place_label(again);
        let got = Operand::UniformPredicate { predicate: UniformPredicate(0), negate: false };
        self.op(Opcode::Usetmaxreg, &[M::TryAlloc, M::Ctapool], [got, Operand::Immediate(count)]);
        let has_them = self.code.predicate();
        self.set_predicate(has_them, got);
        self.branch_if(unless(has_them), again);
    }
}

//! What is computed of constants alone is a constant: counters of loops that have become straight code, what is shifted and added to
//! them, with the carry from one half of a number to the other, and sums and products of single-precision constants. What only they
//! are compared with is decided.

use crate::code::{Code, DefinitionCounts};
use crate::fold::become_move;
use crate::graph::Graph;
use crate::select::{constant_of, immediate, words_of};
use rustc_hash::FxHashMap;
use warplab_program::{
    Guard, Instruction, Modifier, Opcode, Operand, Predicate, Register, Resource, Role, Selector,
    SourceModifier,
};

/// Puts constants in the place of what computes them, and of values that are added to others; takes out what is never executed, and
/// says whether there was something.
pub(crate) fn known(code: &mut Code) -> bool {
    let counts = code.definition_counts();
    let mut known = Known::default();
    let mut decided = false;
    for block in Graph::new(code).dominance_order() {
        known.here.clear();
        code.blocks[block].instructions.retain_mut(|instruction| {
            let executed = known.executed(instruction);
            decided |= executed.is_some();
            if executed == Some(false) {
                return false;
            }
            known.pass(instruction, &counts);
            true
        });
    }
    decided
}

/// The predicate that takes the carry of a sum.
fn carry_out(sum: &Instruction) -> Option<Predicate> {
    match sum.operands.get(1) {
        Some(&Operand::Predicate { predicate, negate: false }) if sum.opcode == Opcode::Iadd3 => {
            Some(predicate)
        }
        _ => None,
    }
}

/// Registers and predicates that are constants.
#[derive(Default)]
struct Known {
    /// Registers that are written once.
    values: FxHashMap<Register, u32>,
    /// At a place of a block, whatever is written elsewhere.
    here: FxHashMap<Register, u32>,
    /// Predicates that are written once: carries of sums and comparisons.
    predicates: FxHashMap<Predicate, bool>,
}

impl Known {
    /// The register that is a constant after a move, and the constant.
    fn moved(&self, instruction: &Instruction) -> Option<(Register, u32)> {
        match instruction.operands[..] {
            [Operand::Register { register, .. }, value] if instruction.opcode == Opcode::Mov => {
                Some((register, self.constant(&value)?))
            }
            _ => None,
        }
    }

    /// What an instruction writes is something else from then on.
    fn forget(&mut self, instruction: &Instruction) {
        for access in instruction.accesses() {
            if let (Role::Write, Resource::Registers(first, count)) = (access.role, access.resource) {
                (0..count).for_each(|it| _ = self.here.remove(&first.offset(it)));
            }
        }
    }

    /// Whether an instruction is executed, if its guard says so for all lanes: it has none from then on.
    fn executed(&self, instruction: &mut Instruction) -> Option<bool> {
        let Guard::Predicate { predicate, negate } = instruction.guard else { return None };
        let executed = *self.predicates.get(&predicate)? != negate;
        instruction.guard = Guard::ALWAYS;
        Some(executed)
    }

    /// Goes past an instruction, which becomes a move if what it computes is known.
    fn pass(&mut self, instruction: &mut Instruction, counts: &DefinitionCounts) {
        let single = |predicate: &Predicate| counts.is_single(Resource::Predicate(*predicate));
        self.read_predicates(instruction);
        self.become_sum(instruction);
        if !instruction.guard.is_always() {
            return self.forget(instruction);
        }
        if let Some((predicate, holds)) = self.comparison(instruction).filter(|(it, _)| single(it)) {
            self.predicates.insert(predicate, holds);
        }
        let (value, carry) = self.result(instruction);
        match (value, carry_out(instruction), carry) {
            (Some(value), None, _) => become_move(instruction, immediate(value)),
            (Some(value), Some(predicate), Some(carry)) if single(&predicate) => {
                self.predicates.insert(predicate, carry);
                become_move(instruction, immediate(value));
            }
            _ => self.add_constants(instruction),
        }
        let moved = self.moved(instruction);
        self.forget(instruction);
        if let Some((register, value)) = moved {
            self.here.insert(register, value);
            if counts.is_single(Resource::Registers(register, 1)) {
                self.values.insert(register, value);
            }
        }
    }

    /// Reads predicates that are known as constants.
    fn read_predicates(&self, instruction: &mut Instruction) {
        if self.predicates.is_empty() {
            return;
        }
        let written = instruction.written_operands();
        for (index, operand) in instruction.operands.iter_mut().enumerate() {
            if let Operand::Predicate { predicate, negate } = *operand
                && written >> index & 1 == 0
                && let Some(&holds) = self.predicates.get(&predicate)
            {
                *operand = if holds != negate { Operand::TRUE } else { Operand::FALSE };
            }
        }
    }

    /// The predicate that says how two constants compare, and whether it holds.
    fn comparison(&self, instruction: &Instruction) -> Option<(Predicate, bool)> {
        let &[Operand::Predicate { predicate, negate: false }, Operand::TRUE, ref a, ref b, Operand::TRUE] =
            &instruction.operands[..]
        else {
            return None;
        };
        if instruction.opcode != Opcode::Isetp || !instruction.has(Modifier::And) {
            return None;
        }
        let (a, b) = (self.constant(a)?, self.constant(b)?);
        let order =
            if instruction.has(Modifier::U32) { a.cmp(&b) } else { a.cast_signed().cmp(&b.cast_signed()) };
        let holds = instruction.modifiers.as_slice().iter().find_map(|modifier| match modifier {
            Modifier::Lt => Some(order.is_lt()),
            Modifier::Le => Some(order.is_le()),
            Modifier::Gt => Some(order.is_gt()),
            Modifier::Ge => Some(order.is_ge()),
            Modifier::Eq => Some(order.is_eq()),
            Modifier::Ne => Some(order.is_ne()),
            _ => None,
        })?;
        Some((predicate, holds))
    }

    fn constant(&self, operand: &Operand) -> Option<u32> {
        let known = |register| self.here.get(register).or_else(|| self.values.get(register)).copied();
        match operand {
            Operand::Register {
                register, modifier: SourceModifier::NONE, selector: Selector::Whole, ..
            } if !register.is_fixed() => known(register),
            operand => constant_of(operand),
        }
    }

    /// What an instruction computes of constants, and the carry of a sum.
    fn result(&self, instruction: &Instruction) -> (Option<u32>, Option<bool>) {
        let has = |modifier| instruction.has(modifier);
        let plain = instruction.modifiers.as_slice().is_empty();
        let constants: Option<Vec<u32>> = match instruction.opcode {
            Opcode::Iadd3 | Opcode::Shf | Opcode::Fadd | Opcode::Fmul => instruction.operands[1..]
                .iter()
                .filter(|it| !matches!(it, Operand::Predicate { .. }))
                .map(|it| self.constant(it))
                .collect(),
            _ => None,
        };
        let Some(constants) = constants else { return (None, None) };
        match (instruction.opcode, &constants[..]) {
            (Opcode::Iadd3, &[a, b, c]) if plain || instruction.modifiers.as_slice() == [Modifier::X] => {
                let Some(carry_in) = carry_in(instruction) else { return (None, None) };
                let sum = u64::from(a) + u64::from(b) + u64::from(c) + u64::from(carry_in);
                let [low, carry] = words_of(sum);
                if carry <= 1 { (Some(low), Some(carry != 0)) } else { (None, None) }
            }
            (Opcode::Shf, &[low, count @ 0..32, high]) => {
                let both = u64::from(high) << 32 | u64::from(low);
                let value = match (has(Modifier::L), has(Modifier::Hi)) {
                    (true, false) if has(Modifier::U32) => Some(low << count),
                    (true, true) if has(Modifier::U64) => Some(words_of(both << count)[1]),
                    (false, true) if has(Modifier::U32) => Some(high >> count),
                    (false, true) if has(Modifier::S32) => {
                        Some((high.cast_signed() >> count).cast_unsigned())
                    }
                    _ => None,
                };
                (value, None)
            }
            (Opcode::Fadd, &[a, b]) if plain => (single(f32::from_bits(a) + f32::from_bits(b)), None),
            (Opcode::Fmul, &[a, b]) if plain => (single(f32::from_bits(a) * f32::from_bits(b)), None),
            _ => (None, None),
        }
    }

    /// A constant that is shifted and added to something else is a constant that is added.
    fn become_sum(&self, instruction: &mut Instruction) {
        if instruction.opcode != Opcode::Lea {
            return;
        }
        let (operands, modifiers) = match (instruction.modifiers.as_slice(), &instruction.operands[..]) {
            (&[], &[to, carry @ Operand::Predicate { .. }, ref value, base, Operand::Immediate(count)]) => {
                let Some(value) = self.constant(value) else { return };
                (vec![to, carry, base, immediate(value << count), Operand::ZERO], &[][..])
            }
            (&[], &[to, ref value, base, Operand::Immediate(count)]) => {
                let Some(value) = self.constant(value) else { return };
                (vec![to, base, immediate(value << count), Operand::ZERO], &[][..])
            }
            (
                &[Modifier::Hi, Modifier::X],
                &[to, ref low, base, ref high, Operand::Immediate(count), carry],
            ) => {
                let (Some(low), Some(high)) = (self.constant(low), self.constant(high)) else { return };
                let [_, value] = words_of((u64::from(high) << 32 | u64::from(low)) << count);
                let sum = vec![to, base, immediate(value), Operand::ZERO, carry, Operand::FALSE];
                (sum, &[Modifier::X][..])
            }
            _ => return,
        };
        instruction.opcode = Opcode::Iadd3;
        instruction.modifiers = modifiers.into();
        instruction.operands = operands.into_iter().collect();
    }

    /// Constants that are added to something else become part of the sum, one of them.
    fn add_constants(&self, instruction: &mut Instruction) {
        let is_immediate = |it: &Operand| matches!(it, Operand::Immediate(_));
        if instruction.opcode != Opcode::Iadd3 || instruction.operands.iter().any(is_immediate) {
            return;
        }
        let from = if carry_out(instruction).is_some() { 2 } else { 1 };
        for operand in &mut instruction.operands[from..] {
            if let (Operand::Register { .. }, Some(value)) = (&operand, self.constant(operand))
                && *operand != Operand::ZERO
            {
                *operand = immediate(value);
                return;
            }
        }
    }
}

/// What a sum takes over from the half below it, if that is known.
fn carry_in(sum: &Instruction) -> Option<u32> {
    let first = if carry_out(sum).is_some() { 5 } else { 4 };
    let carries = sum.operands[first..].iter().map(|operand| match *operand {
        Operand::TRUE => Some(1),
        Operand::FALSE => Some(0),
        _ => None,
    });
    carries.sum()
}

/// A result as bits, if it is an ordinary number or zero: of others hardware has its own bits.
fn single(value: f32) -> Option<u32> {
    (value.is_normal() || value == 0.0).then_some(value.to_bits())
}

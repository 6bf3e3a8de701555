//! Sums of a value and a constant are formed from the value that is farthest back: what is added along a chain becomes one
//! addition, and what is added to an address becomes part of the access; beyond a block, where both values are written once. Pairs
//! that are formed of the same two terms and differ by a constant count as one pair and that constant, inside a block.

use crate::code::{Code, DefinitionCounts, Groups};
use rustc_hash::FxHashMap;
use warplab_program::{
    AddressOperand, Instruction, Modifier, Opcode, Operand, Predicate, Register, Resource, Role, Selector,
    SourceModifier, UniformRegister,
};

/// Folds the offsets of every block.
pub(crate) fn offsets(code: &mut Code) {
    let groups = code.groups();
    let counts = code.definition_counts();
    let once = |it: UniformRegister| counts.is_single(Resource::Uniforms(it, 1));
    let mut places = Places::default();
    let single = |it: Register, count: u32| counts.is_single(Resource::Registers(it, count));
    let order = crate::graph::Graph::new(code).dominance_order();
    for block in order {
        let block = &mut code.blocks[block];
        let mut values = Values { places, ..Values::default() };
        let mut pairs: FxHashMap<usize, (Register, Sum)> = FxHashMap::default();
        let mut pending: FxHashMap<usize, (Register, Terms, i64)> = FxHashMap::default();
        for at in 0..block.instructions.len() {
            values.fold_address(&mut block.instructions[at]);
            values.fold_uniform(&mut block.instructions[at]);
            let narrow = values.fold_narrow(&mut block.instructions[at]);
            if let Some((upper, to, sum)) = values.fold_wide(&mut block.instructions, at, &groups) {
                pairs.insert(upper, (to, sum));
            }
            let shared = values.shared_terms(&block.instructions, at, &groups);
            let uniform = values
                .uniform_sum(&block.instructions[at])
                .filter(|(_, (sum, it))| once(*it) && counts.is_single(Resource::Registers(sum.root, 1)));
            values.write(&block.instructions[at]);
            uniform.into_iter().for_each(|(to, sum)| _ = values.uniform.insert(to, sum));
            narrow.into_iter().for_each(|(to, sum)| _ = values.narrow.insert(to, sum));
            if let Some((to, sum)) = pairs.remove(&at) {
                values.wide.insert(to, sum);
                if single(to, 2) && single(sum.root, 2) {
                    values.places.wide.insert(to, Sum { times: [0; 2], ..sum });
                }
                // The lower half alone: an address in a window.
                values.narrow.insert(to, sum);
            }
            values.note_place(&block.instructions[at], &counts);
            if let Some((last, to, terms, offset)) = shared {
                pending.insert(last, (to, terms, offset));
            }
            if let Some((to, terms, offset)) = pending.remove(&at) {
                values.note_terms(to, terms, offset);
            }
        }
        places = values.places;
    }
}

/// The stack pointer.
const STACK: Register = Register(1);

/// The largest offset of an address: it has 24 bits.
const FARTHEST: i64 = 0x7f_ffff;

/// A register, or a pair, as it was at some time, and what is added to it.
#[derive(Clone, Copy, Debug)]
struct Sum {
    root: Register,
    times: [u32; 2],
    offset: i64,
}

/// What a pair is the sum of, but for a constant: a value that other pairs may be formed from in the same way, and a
/// pair as it was at some time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Terms {
    opcode: Opcode,
    modifiers: Vec<Modifier>,
    /// The operands of the other term, and how often the registers among them had been written.
    other: Vec<(Operand, [u32; 2])>,
    root: Register,
    times: [u32; 2],
}

/// Registers, and pairs, that are written once, as sums of another one that is. The stack pointer is where local memory begins.
#[derive(Default)]
struct Places {
    narrow: FxHashMap<Register, Sum>,
    /// By the lower half of a pair.
    wide: FxHashMap<Register, Sum>,
}

/// What is known of the registers at a place of a block.
#[derive(Default)]
struct Values {
    /// What holds beyond a block.
    places: Places,
    /// How often each was written so far.
    times: FxHashMap<Register, u32>,
    narrow: FxHashMap<Register, Sum>,
    /// By the lower half of a pair.
    wide: FxHashMap<Register, Sum>,
    /// Sums with a register of the warp.
    uniform: FxHashMap<Register, (Sum, UniformRegister)>,
    /// The first pair of each sum of two terms, as it was when it was formed, and the constant in it.
    formed: FxHashMap<Terms, (Register, [u32; 2], i64)>,
}

impl Values {
    fn times(&self, register: Register) -> [u32; 2] {
        [register, register.offset(1)].map(|it| self.times.get(&it).copied().unwrap_or(0))
    }

    /// A value as a sum; of itself and nothing, if no more is known.
    fn narrow(&self, register: Register) -> Sum {
        let known = self.narrow.get(&register).filter(|it| self.times(it.root)[0] == it.times[0]);
        known.or_else(|| self.places.narrow.get(&register)).copied().unwrap_or_else(|| Sum {
            root: register,
            times: self.times(register),
            offset: 0,
        })
    }

    fn wide(&self, pair: Register) -> Sum {
        let known = self.wide.get(&pair).filter(|it| self.times(it.root) == it.times);
        let known = known.or_else(|| self.places.wide.get(&pair));
        known.copied().unwrap_or_else(|| Sum { root: pair, times: self.times(pair), offset: 0 })
    }

    /// Keeps in mind what an instruction has written, if it is a sum of what is written once.
    fn note_place(&mut self, instruction: &Instruction, counts: &DefinitionCounts) {
        let single = |register: Register| counts.is_single(Resource::Registers(register, 1));
        let Some(to) = instruction.operands.first().and_then(Operand::as_register).filter(|&to| single(to))
        else {
            return;
        };
        if instruction.opcode == Opcode::Mov && instruction.operands[1].as_register() == Some(STACK) {
            self.places.narrow.insert(to, Sum { root: to, times: [0; 2], offset: 0 });
        } else if let Some(sum) = self.narrow.get(&to).filter(|sum| single(sum.root)) {
            self.places.narrow.insert(to, Sum { times: [0; 2], ..*sum });
        }
    }

    fn write(&mut self, instruction: &Instruction) {
        for access in instruction.accesses().iter().filter(|it| it.role == Role::Write) {
            if let Resource::Registers(first, count) = access.resource {
                for register in (0..count).map(|it| first.offset(it)) {
                    *self.times.entry(register).or_insert(0) += 1;
                    self.narrow.remove(&register);
                    self.uniform.remove(&register);
                    self.wide.remove(&register);
                    self.wide.remove(&Register(register.0.wrapping_sub(1)));
                }
            }
        }
    }

    /// Makes the offset of its base a part of an address.
    fn fold_address(&self, instruction: &mut Instruction) {
        for operand in &mut instruction.operands {
            let Operand::Address(AddressOperand { base: Some(base), wide, scale: 0 | 1, offset, .. }) =
                operand
            else {
                continue;
            };
            if base.is_fixed() || !base.is_virtual() {
                continue;
            }
            let sum = if *wide { self.wide(*base) } else { self.narrow(*base) };
            let total = sum.offset + i64::from(*offset);
            if sum.root != *base
                && !sum.root.is_fixed()
                && total.abs() <= FARTHEST
                && let Ok(total) = i32::try_from(total)
            {
                (*base, *offset) = (sum.root, total);
            }
        }
    }

    /// Makes a register of the warp, which is a part of its base, a part of an address in shared memory.
    fn fold_uniform(&self, instruction: &mut Instruction) {
        if !matches!(instruction.opcode, Opcode::Lds | Opcode::Sts | Opcode::Atoms) {
            return;
        }
        for operand in &mut instruction.operands {
            let Operand::Address(address) = operand else { continue };
            if let AddressOperand {
                base: Some(base), wide: false, scale: 0 | 1, uniform: None, offset, ..
            } = *address
                && let Some(&(sum, uniform)) = self.uniform.get(&base)
                && self.times(sum.root)[0] == sum.times[0]
                && let Ok(offset) = i32::try_from(sum.offset + i64::from(offset))
                && i64::from(offset).abs() <= FARTHEST
            {
                *address =
                    AddressOperand { base: Some(sum.root), uniform: Some(uniform), offset, ..*address };
            }
        }
    }

    /// The sum of a register and a register of the warp that an instruction forms.
    fn uniform_sum(&self, instruction: &Instruction) -> Option<(Register, (Sum, UniformRegister))> {
        let is_sum = instruction.opcode == Opcode::Iadd3
            && instruction.operands.len() == 4
            && instruction.modifiers.as_slice().is_empty()
            && instruction.guard.is_always()
            && instruction.operands[3] == Operand::ZERO;
        let of = |operand: &Operand| match *operand {
            Operand::Uniform { register, modifier: SourceModifier::NONE, selector: Selector::Whole }
                if register.is_virtual() =>
            {
                Some(register)
            }
            _ => None,
        };
        if !is_sum {
            return None;
        }
        let to = instruction.operands[0].as_register().filter(|it| it.is_virtual())?;
        let (a, b) = (&instruction.operands[1], &instruction.operands[2]);
        let (term, uniform) = plain(a).zip(of(b)).or_else(|| plain(b).zip(of(a)))?;
        Some((to, (self.narrow(term), uniform)))
    }

    /// Makes a sum of 32 bits one of the value that is farthest back; returns the result as a sum.
    fn fold_narrow(&self, instruction: &mut Instruction) -> Option<(Register, Sum)> {
        let operands = &instruction.operands;
        let is_sum = matches!((instruction.opcode, operands.len()), (Opcode::Iadd3, 4) | (Opcode::Mov, 2))
            && instruction.modifiers.as_slice().is_empty()
            && instruction.guard.is_always();
        if !is_sum {
            return None;
        }
        let to = operands[0].as_register().filter(|it| it.is_virtual())?;
        let mut sum = Sum { root: Register::ZERO, times: [0; 2], offset: 0 };
        let mut constant = 0u32;
        for operand in &operands[1..] {
            match *operand {
                Operand::ZERO => {}
                Operand::Immediate(bits) => constant = constant.wrapping_add(bits),
                operand if sum.root.is_fixed() => {
                    sum = self.narrow(plain(&operand)?);
                    constant = constant.wrapping_add(low(sum.offset));
                }
                _ => return None,
            }
        }
        sum.offset = i64::from(constant.cast_signed());
        if instruction.opcode == Opcode::Iadd3 {
            let constant = if constant == 0 { Operand::ZERO } else { Operand::Immediate(constant) };
            instruction.operands = if sum.root.is_fixed() {
                instruction.opcode = Opcode::Mov;
                [Operand::register(to), constant].into_iter().collect()
            } else {
                [Operand::register(to), Operand::register(sum.root), constant, Operand::ZERO]
                    .into_iter()
                    .collect()
            };
        }
        Some((to, sum))
    }

    /// Makes a sum of 64 bits, whose lower half an instruction is, one of the pair that is farthest back; returns where
    /// the upper half is and the result as a sum.
    fn fold_wide(
        &self,
        instructions: &mut [Instruction],
        at: usize,
        groups: &Groups,
    ) -> Option<(usize, Register, Sum)> {
        let (to, pair, carry, lower) = lower_half(&instructions[at], groups)?;
        let sum = self.wide(pair);
        let watched = [to, to.offset(1), pair.offset(1), sum.root.offset(1)];
        let (upper, high) = upper_half(instructions, at, to, pair, carry, &watched)?;
        let constant = i64::from(high) << 32 | i64::from(lower);
        let total = sum.offset.wrapping_add(constant);
        if sum.root != pair {
            instructions[at].operands[2] = Operand::register(sum.root);
            instructions[at].operands[3] = number(low(total));
            instructions[upper].operands[1] = Operand::register(sum.root.offset(1));
            instructions[upper].operands[2] = number(low(total >> 32));
        }
        Some((upper, to, Sum { offset: total, ..sum }))
    }
}

impl Values {
    /// A pair that is a product or a shifted pair plus a pair, or the sum of two pairs: where it is complete, and its terms.
    fn shared_terms(
        &self,
        instructions: &[Instruction],
        at: usize,
        groups: &Groups,
    ) -> Option<(usize, Register, Terms, i64)> {
        let instruction = &instructions[at];
        let operands = instruction.operands.as_slice();
        if !instruction.guard.is_always() {
            return None;
        }
        let at_time =
            |operand: &Operand| (*operand, operand.as_register().map_or([0; 2], |it| self.times(it)));
        let is_pair = |it: &Register| it.is_virtual() && groups.is_part(*it, 2);
        match (instruction.opcode, operands) {
            (Opcode::Imad, [to, x, y, addend]) if instruction.has(Modifier::Wide) => {
                let (to, addend) = (to.as_register().filter(is_pair)?, plain(addend).filter(is_pair)?);
                let sum = self.wide(addend);
                let narrow = |it: &Operand| matches!(it, Operand::Immediate(_)) || plain(it).is_some();
                let terms = Terms {
                    opcode: Opcode::Imad,
                    modifiers: instruction.modifiers.as_slice().to_vec(),
                    other: vec![at_time(x), at_time(y)],
                    root: sum.root,
                    times: sum.times,
                };
                (narrow(x) && narrow(y)).then_some((at, to, terms, sum.offset))
            }
            (Opcode::Iadd3, &[to, carry @ Operand::Predicate { .. }, a, b, Operand::ZERO])
                if instruction.modifiers.as_slice().is_empty() =>
            {
                let to = to.as_register().filter(is_pair)?;
                let (a, b) = (plain(&a).filter(is_pair)?, plain(&b).filter(is_pair)?);
                let last = upper_sum(instructions, at, to, [a, b], carry)?;
                let (a, b) = (self.wide(a), self.wide(b));
                let (a, b) = if a.root.0 <= b.root.0 { (a, b) } else { (b, a) };
                let terms = Terms {
                    opcode: Opcode::Iadd3,
                    modifiers: Vec::new(),
                    other: vec![(Operand::register(a.root), a.times)],
                    root: b.root,
                    times: b.times,
                };
                Some((last, to, terms, a.offset.wrapping_add(b.offset)))
            }
            (Opcode::Lea, &[to, carry @ Operand::Predicate { .. }, x, base, count])
                if instruction.modifiers.as_slice().is_empty() =>
            {
                let to = to.as_register().filter(is_pair)?;
                let base = plain(&base).filter(is_pair)?;
                let (last, high) = upper_shifted(instructions, at, to, [x, count, carry], base)?;
                let sum = self.wide(base);
                let terms = Terms {
                    opcode: Opcode::Lea,
                    modifiers: Vec::new(),
                    other: [x, high, count].iter().map(at_time).collect(),
                    root: sum.root,
                    times: sum.times,
                };
                Some((last, to, terms, sum.offset))
            }
            _ => None,
        }
    }

    /// Remembers a pair that has been formed: as a sum of one that was formed of the same terms, if there is one.
    fn note_terms(&mut self, to: Register, terms: Terms, offset: i64) {
        let present =
            self.formed.get(&terms).copied().filter(|(first, times, _)| self.times(*first) == *times);
        match present {
            Some((root, times, first)) if root != to => {
                let sum = Sum { root, times, offset: offset.wrapping_sub(first) };
                self.wide.insert(to, sum);
            }
            _ => _ = self.formed.insert(terms, (to, self.times(to), offset)),
        }
    }
}

/// Where the upper half of a sum is, and what is found in it, if nothing that is watched, nor the carry, is written before.
fn upper<T>(
    instructions: &[Instruction],
    at: usize,
    carry: Operand,
    watched: &[Register],
    found: impl Fn(&Instruction) -> Option<T>,
) -> Option<(usize, T)> {
    let Operand::Predicate { predicate, .. } = carry else { return None };
    for (index, instruction) in instructions.iter().enumerate().skip(at + 1) {
        if let Some(found) = Some(instruction).filter(|it| it.guard.is_always()).and_then(&found) {
            return Some((index, found));
        }
        if writes_any(instruction, watched) || writes_predicate(instruction, predicate) {
            return None;
        }
    }
    None
}

/// Where the upper half of the sum of two pairs is, if nothing of it is written before.
fn upper_sum(
    instructions: &[Instruction],
    at: usize,
    to: Register,
    terms: [Register; 2],
    carry: Operand,
) -> Option<usize> {
    let [a, b] = terms;
    let uppers = [a, b].map(|it| Operand::register(it.offset(1)));
    let watched = [to, to.offset(1), a, b, a.offset(1), b.offset(1)];
    let is_upper = |it: &Instruction| {
        let (result, terms) = sum_with_carry(it, carry)?;
        let &[x, y, Operand::ZERO] = terms else { return None };
        (result == Operand::register(to.offset(1)) && ([x, y] == uppers || [y, x] == uppers)).then_some(())
    };
    upper(instructions, at, carry, &watched, is_upper).map(|(index, ())| index)
}

/// Where the upper half of the sum of a shifted pair and a base is, and that of the shifted pair, if nothing of it is written before.
fn upper_shifted(
    instructions: &[Instruction],
    at: usize,
    to: Register,
    [x, count, carry]: [Operand; 3],
    base: Register,
) -> Option<(usize, Operand)> {
    let expected = [Operand::register(to.offset(1)), x, Operand::register(base.offset(1))];
    let mut watched = vec![to, to.offset(1), base, base.offset(1)];
    watched.extend(plain(&x));
    let shifted = |it: &Instruction| {
        let &[to, low, base, high, by, from] = it.operands.as_slice() else { return None };
        let is_upper = it.opcode == Opcode::Lea && it.modifiers.as_slice() == [Modifier::Hi, Modifier::X];
        (is_upper && [to, low, base] == expected && (by, from) == (count, carry)).then_some(high)
    };
    let (index, high) = upper(instructions, at, carry, &watched, shifted)?;
    let is_old =
        plain(&high).is_none_or(|high| !instructions[at..index].iter().any(|it| writes_any(it, &[high])));
    is_old.then_some((index, high))
}

/// The result of a sum that takes over a carry, and its terms.
fn sum_with_carry(sum: &Instruction, carry: Operand) -> Option<(Operand, &[Operand])> {
    let is_sum = sum.opcode == Opcode::Iadd3 && sum.modifiers.as_slice() == [Modifier::X];
    match sum.operands.as_slice() {
        &[result, ref terms @ .., from, Operand::FALSE] if is_sum && from == carry => Some((result, terms)),
        _ => None,
    }
}

fn writes_predicate(instruction: &Instruction, predicate: Predicate) -> bool {
    let accesses = instruction.accesses();
    accesses.iter().any(|it| it.role == Role::Write && it.resource == Resource::Predicate(predicate))
}

fn writes_any(instruction: &Instruction, registers: &[Register]) -> bool {
    instruction.accesses().iter().filter(|it| it.role == Role::Write).any(|access| {
        matches!(access.resource, Resource::Registers(first, count)
            if registers.iter().any(|it| (first.0..first.0 + count).contains(&it.0)))
    })
}

/// The result, the pair, the carry and the constant, if an instruction adds a constant to the lower half of a pair.
fn lower_half(instruction: &Instruction, groups: &Groups) -> Option<(Register, Register, Operand, u32)> {
    if instruction.opcode != Opcode::Iadd3
        || !instruction.modifiers.as_slice().is_empty()
        || !instruction.guard.is_always()
    {
        return None;
    }
    let &[
        Operand::Register { register: to, .. },
        carry @ Operand::Predicate { .. },
        pair,
        Operand::Immediate(constant),
        Operand::ZERO,
    ] = instruction.operands.as_slice()
    else {
        return None;
    };
    let pair = plain(&pair)?;
    let are_pairs = [to, pair].iter().all(|it| it.is_virtual() && groups.is_part(*it, 2));
    are_pairs.then_some((to, pair, carry, constant))
}

/// Where the upper half of such a sum is and what it adds, if nothing that is watched is written before it.
fn upper_half(
    instructions: &[Instruction],
    at: usize,
    to: Register,
    pair: Register,
    carry: Operand,
    watched: &[Register],
) -> Option<(usize, u32)> {
    upper(instructions, at, carry, watched, |it| {
        let (result, terms) = sum_with_carry(it, carry)?;
        let &[upper, constant, Operand::ZERO] = terms else { return None };
        if result != Operand::register(to.offset(1)) || upper != Operand::register(pair.offset(1)) {
            return None;
        }
        match constant {
            Operand::ZERO => Some(0),
            Operand::Immediate(bits) => Some(bits),
            _ => None,
        }
    })
}

fn plain(operand: &Operand) -> Option<Register> {
    match operand {
        Operand::Register { register, modifier: SourceModifier::NONE, selector: Selector::Whole, .. }
            if register.is_virtual() =>
        {
            Some(*register)
        }
        _ => None,
    }
}

fn number(bits: u32) -> Operand {
    if bits == 0 { Operand::ZERO } else { Operand::Immediate(bits) }
}

/// The lower 32 bits.
fn low(value: i64) -> u32 {
    u32::try_from(value & 0xffff_ffff).unwrap_or(0)
}

//! Neighbouring loads from shared memory become one wide load, where the address is provably aligned.

use crate::code::{Code, has_effect, insert, is_ordered_load};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use warplab_program::{
    AddressOperand, Instruction, Modifier, Opcode, Operand, Register, Resource, Role, UniformRegister,
};

/// What the addresses of a group of loads have in common, and how many registers each loads.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    base: Option<Register>,
    uniform: Option<UniformRegister>,
    scale: u8,
    words: u32,
    /// How often the block has written the address by then.
    version: usize,
}

/// Joins the loads of every block.
pub(crate) fn vectorise(code: &mut Code) {
    let zeros = TrailingZeros::new(code);
    for block in 0..code.blocks.len() {
        let mut wide: Vec<(usize, Instruction)> = Vec::new();
        for run in runs(&code.blocks[block].instructions) {
            join_run(code, block, &run, &zeros, &mut wide);
        }
        insert(&mut code.blocks[block].instructions, wide);
    }
}

/// The plain loads of a block, in runs with nothing between them that may write what they read.
fn runs(instructions: &[Instruction]) -> Vec<Vec<usize>> {
    let mut runs = vec![Vec::new()];
    for (index, instruction) in instructions.iter().enumerate() {
        let last = runs.len() - 1;
        let elsewhere = matches!(instruction.opcode, Opcode::Stg | Opcode::Stl | Opcode::Bssy);
        if is_plain_load(instruction) {
            runs[last].push(index);
        } else if has_effect(instruction) && !elsewhere {
            runs.push(Vec::new());
        }
    }
    runs.retain(|run| run.len() > 1);
    runs
}

fn is_plain_load(instruction: &Instruction) -> bool {
    instruction.opcode == Opcode::Lds
        && matches!(instruction.modifiers.as_slice(), [] | [Modifier::B64])
        && instruction.guard.is_always()
        && !is_ordered_load(instruction)
}

fn address(instruction: &Instruction) -> Option<AddressOperand> {
    match instruction.operands.get(1) {
        Some(Operand::Address(address)) => Some(*address),
        _ => None,
    }
}

/// Joins what can be joined in a run: four words before two, the groups in the order of their first loads.
fn join_run(
    code: &mut Code,
    block: usize,
    run: &[usize],
    zeros: &TrailingZeros,
    wide: &mut Vec<(usize, Instruction)>,
) {
    let mut groups: FxHashMap<Key, BTreeSet<(i32, usize)>> = FxHashMap::default();
    let mut order: BTreeMap<usize, Key> = BTreeMap::new();
    let written = Written::new(&code.blocks[block].instructions);
    for &index in run {
        let Some(address) = address(&code.blocks[block].instructions[index]) else { continue };
        let words = code.blocks[block].instructions[index].data_registers();
        let AddressOperand { base, uniform, scale, .. } = address;
        let version = written.before(base, uniform, index);
        let key = Key { base, uniform, scale, words, version };
        let group = groups.entry(key).or_default();
        if group.is_empty() {
            order.insert(index, key);
        }
        group.insert((address.offset, index));
    }
    while let Some((_, key)) = order.pop_first() {
        let Some(group) = groups.get_mut(&key) else { continue };
        let aligned = zeros.of_address(key.base, key.uniform, key.scale);
        if let Some(found) = neighbours(group, key.words, aligned) {
            found.iter().for_each(|load| _ = group.remove(load));
            if let Some(first) = group.iter().map(|load| load.1).min() {
                order.insert(first, key);
            }
            widen(code, block, &found, key.words, wide);
        }
    }
}

/// The first loads of a group, of four words together or of two, that lie side by side at an aligned place.
fn neighbours(group: &BTreeSet<(i32, usize)>, words: u32, aligned: u32) -> Option<Vec<(i32, usize)>> {
    let mut loads: Vec<(i32, usize)> = group.iter().copied().collect();
    loads.dedup_by_key(|load| load.0);
    let apart = 4 * words.cast_signed();
    [4, 2].into_iter().filter(|&together| together > words).find_map(|together| {
        let bytes = 4 * together.cast_signed();
        let found = loads.windows((together / words) as usize).find(|window| {
            window.windows(2).all(|two| two[1].0.checked_sub(two[0].0) == Some(apart))
                && window[0].0 % bytes == 0
                && aligned >= bytes.trailing_zeros()
        });
        found.map(<[_]>::to_vec)
    })
}

/// Makes moves of neighbouring loads, from the registers of a wide one; what is to be put in front of which place.
fn widen(
    code: &mut Code,
    block: usize,
    loads: &[(i32, usize)],
    words: u32,
    added: &mut Vec<(usize, Instruction)>,
) {
    let all = words * crate::code::number(loads.len());
    let group = code.register(all);
    let first = loads.iter().map(|load| load.1).min().unwrap_or(0);
    let instructions = &mut code.blocks[block].instructions;
    let mut wide = instructions[loads[0].1].clone();
    wide.modifiers = if all == 4 { [Modifier::B128] } else { [Modifier::B64] }.as_slice().into();
    wide.operands[0] = Operand::register(group);
    wide.origin = instructions[first].origin;
    wide.origin.note = "neighbouring loads joined";
    added.push((first, wide));
    for (part, &(_, index)) in (0..).step_by(words as usize).zip(loads) {
        let load = &mut instructions[index];
        let Some(to) = load.operands[0].as_register() else { continue };
        let moved = |word: u32| {
            let operands = [to.offset(word), group.offset(part + word)].map(Operand::register);
            Instruction::new(Opcode::Mov, [], operands).with_origin(load.origin)
        };
        added.extend((1..words).map(|word| (index, moved(word))));
        *load = moved(0);
    }
}

/// Where a block writes registers.
struct Written(FxHashMap<Resource, Vec<usize>>);

impl Written {
    fn new(instructions: &[Instruction]) -> Written {
        let mut places: FxHashMap<Resource, Vec<usize>> = FxHashMap::default();
        for (index, instruction) in instructions.iter().enumerate() {
            writes(instruction).for_each(|it| places.entry(it).or_default().push(index));
        }
        Written(places)
    }

    /// How often the parts of an address are written before a place.
    fn before(&self, base: Option<Register>, uniform: Option<UniformRegister>, index: usize) -> usize {
        let base = base.map(|it| Resource::Registers(it, 1));
        let uniform = uniform.map(|it| Resource::Uniforms(it, 1));
        let places = base.into_iter().chain(uniform).filter_map(|it| self.0.get(&it));
        places.map(|places| places.partition_point(|&at| at < index)).sum()
    }
}

/// The registers that an instruction writes, one by one.
fn writes(instruction: &Instruction) -> impl Iterator<Item = Resource> {
    let accesses = instruction.accesses();
    let written: Vec<Resource> =
        accesses.iter().filter(|it| it.role == Role::Write).map(|it| it.resource).collect();
    written.into_iter().flat_map(|resource| match resource {
        Resource::Registers(first, count) => {
            (0..count).map(|it| Resource::Registers(first.offset(it), 1)).collect::<Vec<_>>()
        }
        Resource::Uniforms(first, count) => {
            (0..count).map(|it| Resource::Uniforms(first.offset(it), 1)).collect()
        }
        other => vec![other],
    })
}

/// How many low bits of values are known to be zero, whichever instruction wrote them last.
struct TrailingZeros(FxHashMap<Resource, u32>);

impl TrailingZeros {
    /// All bits of all values at first, then fewer until no instruction writes any that are not zero: so what a loop
    /// adds to keeps what both have.
    fn new(code: &Code) -> TrailingZeros {
        let all = code.instructions().flat_map(writes).map(|resource| (resource, 32));
        let mut it = TrailingZeros(all.collect());
        let mut changed = true;
        while changed {
            changed = false;
            for instruction in code.instructions() {
                let known = it.known(instruction).unwrap_or(0);
                for (place, resource) in writes(instruction).enumerate() {
                    let known = if place == 0 { known } else { 0 };
                    let bits = it.0.entry(resource).or_insert(32);
                    changed |= known < *bits;
                    *bits = known.min(*bits);
                }
            }
        }
        it
    }

    fn known(&self, instruction: &Instruction) -> Option<u32> {
        let of = |index: usize| instruction.operands.get(index).map_or(0, |operand| self.of(operand));
        let constant = |index: usize| match instruction.operands.get(index) {
            Some(Operand::Immediate(bits)) => Some(*bits),
            _ => None,
        };
        let plain = instruction.modifiers.as_slice().is_empty();
        match instruction.opcode {
            Opcode::Mov | Opcode::Umov => Some(of(1)),
            Opcode::Iadd3 if plain && instruction.operands.len() == 4 => Some(of(1).min(of(2)).min(of(3))),
            Opcode::Imad if plain => Some((of(1) + of(2)).min(of(3))),
            Opcode::Lea | Opcode::Ulea if plain => Some((of(1) + constant(3)?).min(of(2))),
            Opcode::Shf if instruction.has(Modifier::L) && !instruction.has(Modifier::Hi) => {
                Some(of(1) + constant(2)?)
            }
            Opcode::Lop3 if constant(4) == Some(0xc0) => Some(of(1).max(of(2))),
            _ => None,
        }
    }

    fn of(&self, operand: &Operand) -> u32 {
        match *operand {
            Operand::Immediate(bits) => bits.trailing_zeros(),
            Operand::Register { register: Register::ZERO, .. } => 32,
            Operand::Register { register, .. } => {
                self.0.get(&Resource::Registers(register, 1)).copied().unwrap_or(0)
            }
            Operand::Uniform { register, .. } => {
                self.0.get(&Resource::Uniforms(register, 1)).copied().unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn of_address(&self, base: Option<Register>, uniform: Option<UniformRegister>, scale: u8) -> u32 {
        let base = base
            .map_or(32, |base| self.of(&Operand::register(base)) + u32::from(scale.max(1)).trailing_zeros());
        base.min(uniform.map_or(32, |uniform| self.of(&Operand::uniform(uniform))))
    }
}

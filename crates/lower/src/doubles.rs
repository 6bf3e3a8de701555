//! Constants of double precision that no immediate holds: a block sets each once, in uniform registers where instructions take
//! such, as ptxas has it, and else in a pair of registers.

use crate::code::{Code, DefinitionCounts};
use crate::legal;
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_program::{Instruction, Opcode, Operand, Register, Resource, Role, UniformRegister};

/// So many constants of a block are in uniform registers at most: these are never spilled.
const MOST_UNIFORM: usize = 12;

/// The two words of a constant.
type Words = (u32, u32);

/// Sets the constants of every block once.
pub(crate) fn constants(code: &mut Code) {
    let counts = code.definition_counts();
    for block in 0..code.blocks.len() {
        let pairs = pairs(code, block, &counts);
        if !pairs.is_empty() {
            share(code, block, &pairs);
        }
    }
}

/// The pairs of registers that a block sets to constants, that nothing else sets, and that only instructions with doubles of this
/// block read.
fn pairs(code: &Code, block: usize, counts: &DefinitionCounts) -> FxHashMap<Register, Words> {
    let mut words: FxHashMap<Register, u32> = FxHashMap::default();
    for instruction in &code.blocks[block].instructions {
        if let Some((register, word)) = set_word(instruction)
            && counts.is_single(Resource::Registers(register, 1))
        {
            words.insert(register, word);
        }
    }
    let pair = |(&low, &word): (&Register, &u32)| {
        let is_pair = low.is_virtual() && code.group(low) == (low, 2);
        words.get(&low.offset(1)).filter(|_| is_pair).map(|&high| (low, (word, high)))
    };
    let mut found: FxHashMap<Register, Words> = words.iter().filter_map(pair).collect();
    if found.is_empty() {
        return found;
    }
    for (at, it) in code.blocks.iter().enumerate() {
        for instruction in &it.instructions {
            for access in instruction.accesses().iter().filter(|access| access.role == Role::Read) {
                let Resource::Registers(first, count) = access.resource else { continue };
                let whole = count == 2 && at == block && instruction.opcode.takes_doubles();
                if !whole {
                    (0..count).for_each(|part| _ = found.remove(&code.group(first.offset(part)).0));
                }
            }
        }
    }
    found
}

/// The register that an instruction sets to a constant, and that.
fn set_word(instruction: &Instruction) -> Option<(Register, u32)> {
    let (Opcode::Mov, [Operand::Register { register, .. }, value]) =
        (instruction.opcode, instruction.operands.as_slice())
    else {
        return None;
    };
    let word = match *value {
        Operand::Immediate(word) => word,
        Operand::ZERO => 0,
        _ => return None,
    };
    instruction.guard.is_always().then_some((*register, word))
}

/// Where a constant is kept.
#[derive(Clone, Copy)]
enum Kept {
    Uniform(UniformRegister),
    Pair(Register),
}

fn share(code: &mut Code, block: usize, pairs: &FxHashMap<Register, Words>) {
    let old = std::mem::take(&mut code.blocks[block].instructions);
    let mut uniforms: FxHashMap<Words, UniformRegister> = FxHashMap::default();
    let mut kept: FxHashMap<Words, Register> = FxHashMap::default();
    let mut new: Vec<Instruction> = Vec::with_capacity(old.len());
    for mut instruction in old {
        if set_word(&instruction).is_some_and(|(register, _)| pairs.contains_key(&code.group(register).0)) {
            continue;
        }
        let read: Vec<Register> = instruction
            .operands
            .iter()
            .filter_map(Operand::as_register)
            .filter(|register| pairs.contains_key(register))
            .collect();
        let mut done: FxHashSet<Register> = FxHashSet::default();
        for register in read.into_iter().filter(|&it| done.insert(it)) {
            let words = pairs[&register];
            let may = uniforms.len() < MOST_UNIFORM || uniforms.contains_key(&words);
            let uniform = uniforms.get(&words).copied();
            let named = may.then(|| uniform.unwrap_or_else(|| code.uniform(2)));
            if let Some(name) = named
                && let Some(with) = replaced(&instruction, register, Kept::Uniform(name))
            {
                if uniform.is_none() {
                    uniforms.insert(words, name);
                    let set = |part, word| {
                        let operands = [Operand::uniform(name.offset(part)), Operand::Immediate(word)];
                        Instruction::new(Opcode::Umov, [], operands).with_origin(instruction.origin)
                    };
                    new.extend([set(0, words.0), set(1, words.1)]);
                }
                instruction = with;
                continue;
            }
            let pair = *kept.entry(words).or_insert_with(|| {
                let set = |part, word| {
                    let value = if word == 0 { Operand::ZERO } else { Operand::Immediate(word) };
                    let operands = [Operand::register(register.offset(part)), value];
                    Instruction::new(Opcode::Mov, [], operands).with_origin(instruction.origin)
                };
                new.extend([set(0, words.0), set(1, words.1)]);
                register
            });
            if let Some(with) = replaced(&instruction, register, Kept::Pair(pair)) {
                instruction = with;
            }
        }
        new.push(instruction);
    }
    code.blocks[block].instructions = new;
}

/// An instruction that reads a constant from elsewhere; none if the machine has none such.
fn replaced(instruction: &Instruction, register: Register, kept: Kept) -> Option<Instruction> {
    let mut new = instruction.clone();
    for operand in &mut new.operands {
        if let Operand::Register { register: it, modifier, selector, .. } = *operand
            && it == register
        {
            *operand = match kept {
                Kept::Uniform(register) => Operand::Uniform { register, modifier, selector },
                Kept::Pair(to) => Operand::modified(to, modifier),
            };
        }
    }
    legal::make_legal_by_swapping(&mut new).then_some(new)
}

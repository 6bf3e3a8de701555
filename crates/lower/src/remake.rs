//! Values that are made again where they are read, so that fewer are alive at once: what one instruction makes of constants, or of
//! values that are alive anyway. ptxas loads a parameter in the block that reads it, and adds a constant again.

use crate::code::{Code, DefinitionCounts, map_registers};
use crate::graph::Graph;
use crate::liveness::{Liveness, step_backward};
use crate::schedule::peak;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use warplab_program::{ConstantIndex, Instruction, Opcode, Operand, Register, Resource, Role};

/// Of so many instructions that run, one may be there to make a value again.
const INSTRUCTIONS_PER_REMADE: u64 = 20;

/// So often the place is looked for where the most registers are alive.
const MOST_PEAKS: usize = 16;

/// Where the most registers are alive: in front of an instruction.
struct Peak {
    block: usize,
    at: usize,
    alive: FxHashSet<usize>,
}

/// A value that can be made again.
struct Value {
    made: (usize, usize),
    base: Register,
    count: u32,
    /// What it is made of: the first registers of groups.
    of: Vec<Register>,
    /// The blocks that read it: where first and where last.
    uses: BTreeMap<usize, (usize, usize)>,
}

/// Makes values again until no more registers than these are alive at once; whether that is so.
pub(crate) fn thin(code: &mut Code, most: usize) -> bool {
    let graph = Graph::new(code);
    let runs: u64 = code.places().map(|(block, ..)| graph.turns(block)).sum();
    let mut spare = i64::try_from(runs / INSTRUCTIONS_PER_REMADE).unwrap_or(i64::MAX);
    for _ in 0..MOST_PEAKS {
        let live = Liveness::new(code);
        let Some(peak) = highest_peak(code, &live).filter(|peak| peak.alive.len() > most) else {
            return true;
        };
        let cost = |value: &Value| {
            let again: u64 = value.uses.keys().map(|&block| graph.turns(block)).sum();
            again.cast_signed() - graph.turns(value.made.0).cast_signed()
        };
        let mut values = values(code, &live, &graph, &peak);
        values.sort_by_cached_key(|value| (cost(value) / i64::from(value.count), value.made));
        let mut excess = peak.alive.len() - most;
        // What is made again, and what that is made of, which stays.
        let (mut remade, mut kept) = (BTreeMap::new(), FxHashSet::default());
        for value in values {
            if excess == 0 || cost(&value) > spare {
                break;
            }
            if !kept.contains(&value.base) && value.of.iter().all(|it| !remade.contains_key(it)) {
                spare -= cost(&value).max(0);
                excess = excess.saturating_sub(value.count as usize);
                kept.extend(value.of.iter().copied());
                remade.insert(value.base, value);
            }
        }
        if remade.is_empty() {
            return false;
        }
        remake(code, &remade);
    }
    false
}

fn highest_peak(code: &Code, live: &Liveness) -> Option<Peak> {
    let is_register = |number: &usize| live.numbering.kind(*number) == 0;
    let mut highest: Option<(usize, usize, usize)> = None;
    for block in 0..code.blocks.len() {
        if let Some((most, at)) = peak(code, live, block)
            && highest.is_none_or(|(other, ..)| most > other)
        {
            highest = Some((most, block, at));
        }
    }
    let (_, block, at) = highest?;
    let mut alive: FxHashSet<usize> = live.live_out[block].iter().filter(is_register).collect();
    for instruction in code.blocks[block].instructions[at..].iter().rev() {
        step_backward(&live.numbering, &live.single, instruction, |number, role| {
            if is_register(&number) {
                _ = if role == Role::Read { alive.insert(number) } else { alive.remove(&number) };
            }
        });
    }
    Some(Peak { block, at, alive })
}

/// The values that are alive at the peak, and would not be if they were made again.
fn values(code: &Code, live: &Liveness, graph: &Graph, peak: &Peak) -> Vec<Value> {
    let counts = code.definition_counts();
    let mut values: BTreeMap<Register, Value> = BTreeMap::new();
    for (block, at, instruction) in code.places() {
        if let Some((base, count)) = made_again(code, instruction, live, &counts, peak) {
            let value = Value {
                made: (block, at),
                base,
                count,
                of: bases_read(code, instruction),
                uses: BTreeMap::new(),
            };
            values.insert(base, value);
        }
    }
    for (block, at, instruction) in code.places() {
        for base in bases_read(code, instruction) {
            let Some(value) = values.get_mut(&base) else { continue };
            let (made_in, made_at) = value.made;
            let comes_first = if made_in == block { made_at < at } else { graph.dominates(made_in, block) };
            if comes_first {
                value.uses.entry(block).or_insert((at, at)).1 = at;
            } else {
                values.remove(&base);
            }
        }
    }
    let leaves = |value: &Value| {
        let there = value.uses.get(&peak.block);
        !value.uses.is_empty() && there.is_none_or(|&(first, last)| first >= peak.at || last < peak.at)
    };
    values.into_values().filter(leaves).collect()
}

/// The registers that an instruction makes, if it can make them wherever they are read, of what is alive at the peak.
fn made_again(
    code: &Code,
    instruction: &Instruction,
    live: &Liveness,
    counts: &DefinitionCounts,
    peak: &Peak,
) -> Option<(Register, u32)> {
    use Opcode::*;
    let fits = matches!(instruction.opcode, Ldc | Mov | Iadd3 | Lop3 | Shf | Imad | Lea);
    let is_placed = |operand: &Operand| match operand {
        Operand::Constant(constant) => constant.index == ConstantIndex::None,
        _ => true,
    };
    if !fits || !instruction.guard.is_always() || !instruction.operands.iter().all(is_placed) {
        return None;
    }
    let is_alive = |resource| live.numbering.of(resource).all(|number| peak.alive.contains(&number));
    let mut made = None;
    for access in instruction.accesses() {
        match (access.role, access.resource) {
            (Role::Write, Resource::Registers(first, count))
                if made.is_none()
                    && first.is_virtual()
                    && code.group(first) == (first, count)
                    && counts.is_single(access.resource)
                    && is_alive(access.resource) =>
            {
                made = Some((first, count));
            }
            (Role::Read, Resource::Registers(..))
                if counts.is_single(access.resource) && is_alive(access.resource) => {}
            (Role::Read, Resource::Uniforms(..)) if counts.is_single(access.resource) => {}
            (Role::Read, Resource::Predicate(predicate)) if predicate.is_fixed() => {}
            _ => return None,
        }
    }
    made
}

/// Makes values in front of the first instruction that reads them in every block that does, instead of once.
fn remake(code: &mut Code, values: &BTreeMap<Register, Value>) {
    let places: FxHashSet<(usize, usize)> = values.values().map(|value| value.made).collect();
    let made: BTreeMap<Register, Instruction> = values
        .values()
        .map(|value| (value.base, code.blocks[value.made.0].instructions[value.made.1].clone()))
        .collect();
    for block in 0..code.blocks.len() {
        let old = std::mem::take(&mut code.blocks[block].instructions);
        let mut new = Vec::with_capacity(old.len());
        // The registers that have the values in this block.
        let mut names: BTreeMap<Register, Register> = BTreeMap::new();
        for (at, mut instruction) in old.into_iter().enumerate() {
            if places.contains(&(block, at)) {
                continue;
            }
            for base in bases_read(code, &instruction) {
                if let (Some(value), false) = (values.get(&base), names.contains_key(&base)) {
                    let register = code.register(value.count);
                    names.insert(base, register);
                    let mut again = made[&base].clone();
                    again.operands[0] = Operand::register(register);
                    new.push(again);
                }
            }
            let renamed = |it: Register| {
                let base = names.range(..=it).next_back();
                let own = base.filter(|(base, _)| it.0 < base.0 + values[*base].count);
                own.map_or(it, |(base, register)| register.offset(it.0 - base.0))
            };
            map_registers(&mut instruction, renamed, |it| it, |it| it);
            new.push(instruction);
        }
        code.blocks[block].instructions = new;
    }
}

/// The first registers of the groups that an instruction reads.
fn bases_read(code: &Code, instruction: &Instruction) -> Vec<Register> {
    let mut bases = Vec::new();
    for access in instruction.accesses().iter().filter(|access| access.role == Role::Read) {
        if let Resource::Registers(first, count) = access.resource {
            bases.extend((0..count).map(|index| code.group(first.offset(index)).0));
        }
    }
    bases.dedup();
    bases
}

#[cfg(test)]
mod tests {
    use super::thin;
    use crate::code::{Block, Code};
    use warplab_program::listing::instruction_text;
    use warplab_program::{Instruction, Opcode, Operand, Register};

    /// A thread's number, the number and 64, and four values that are stored; then the sum and the number.
    fn code() -> Code {
        let mut code = Code::default();
        let (number, sum) = (code.register(1), code.register(1));
        let values: Vec<Register> = (0..4).map(|_| code.register(1)).collect();
        let place = Operand::address32(Some(Register(1)), 0);
        let store = |value: Register| Instruction::new(Opcode::Stl, [], [place, Operand::register(value)]);
        let load = |value: Register| Instruction::new(Opcode::Ldl, [], [Operand::register(value), place]);
        let operands = [number, sum].map(Operand::register);
        let add = Instruction::new(
            Opcode::Iadd3,
            [],
            [operands[1], operands[0], Operand::Immediate(64), Operand::ZERO],
        );
        let mut instructions = vec![load(number), add];
        instructions.extend(values.iter().map(|&value| load(value)));
        instructions.extend(values.iter().chain([&sum, &number]).map(|&value| store(value)));
        instructions.push(Instruction::new(Opcode::Exit, [], []));
        code.blocks = vec![Block { instructions, ..Block::default() }];
        code
    }

    #[test]
    fn a_sum_with_a_constant_is_made_where_it_is_read_if_its_term_is_alive_there() {
        let mut code = code();
        let before: Vec<String> = code.instructions().map(instruction_text).collect();
        assert!(thin(&mut code, 5));
        let after: Vec<String> = code.instructions().map(instruction_text).collect();
        assert_eq!(before[1], "IADD3 %r1, %r0, 0x40, RZ");
        assert_eq!(after[9..], ["IADD3 %r6, %r0, 0x40, RZ", "STL [R1], %r6", "STL [R1], %r0", "EXIT"]);
    }

    #[test]
    fn what_is_loaded_from_memory_is_not_made_again() {
        assert!(!thin(&mut code(), 4));
    }
}

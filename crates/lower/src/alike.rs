//! Integers that all lanes compute or step alike go to uniform registers where lanes have few left. ptxas has them there
//! in more kernels, though not in all (`k_mlp_u16` of traces/h200, whose lanes have 32 registers, and not `k_mlp_u8`).

use crate::code::{Code, DefinitionCounts};
use crate::graph::Graph;
use crate::uniform::takes_uniform;
use crate::{counters, dead, legal};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use warplab_program::{
    ConstantIndex, Instruction, Modifier, Opcode, Operand, Register, Resource, Role, Selector,
    SpecialRegister, UniformPredicate, UniformRegister,
};

/// Values that are moved at most: uniform registers are never spilled.
const MOST: usize = 24;

/// Where something stands: the block, and which of its instructions.
type Place = (usize, usize);

/// A value of one or two words.
#[derive(Clone, Debug)]
struct Value {
    /// Where it is made.
    places: Vec<Place>,
    words: u32,
}

/// Values by their first registers.
type Values = BTreeMap<Register, Value>;

/// What all lanes have alike.
struct Alike {
    /// What is read of a constant bank or a special register.
    read: Values,
    /// What is computed of others.
    computed: Values,
}

/// The value that a register is a word of.
fn value_of(register: Register, values: &Values) -> Option<Register> {
    let (&first, value) = values.range(..=register).next_back()?;
    (register.0 < first.0 + value.words).then_some(first)
}

/// Moves what can be moved; whether anything was.
pub(crate) fn move_to_warp(code: &mut Code) -> bool {
    let graph = Graph::new(code);
    let mut alike = alike(code, &graph);
    let mut parting = BTreeMap::new();
    while let Some(bad) = obstacle(code, &graph, &alike, &mut parting) {
        bad.iter().for_each(|it| _ = alike.computed.remove(it));
    }
    if alike.computed.is_empty() {
        return false;
    }
    rewrite(code, &alike, &parting);
    dead::dead_code(code);
    true
}

/// What all lanes have alike: constants, numbers of blocks, and what is computed of them. What is written several times, or in a loop,
/// is so only where the lanes stay together.
fn alike(code: &Code, graph: &Graph) -> Alike {
    let (parted, counts) = (counters::parted(code, graph), code.definition_counts());
    let mut alike = Alike { read: BTreeMap::new(), computed: BTreeMap::new() };
    let mut others: FxHashSet<Register> = FxHashSet::default();
    for (block, at, instruction) in code.places() {
        let is_in_loop = graph.loop_of[block].is_some();
        let Some((to, words)) = whole_result(code, instruction) else {
            others.extend(registers_of(instruction, Role::Write).map(|it| code.group(it).0));
            continue;
        };
        let values = match () {
            () if !is_in_loop && is_read(instruction) => &mut alike.read,
            () if has_one(instruction, is_in_loop, &counts) => &mut alike.computed,
            () => {
                others.insert(to);
                continue;
            }
        };
        let value = values.entry(to).or_insert(Value { places: Vec::new(), words });
        value.places.push((block, at));
    }
    let computed_too = |it: &Register| alike.computed.contains_key(it);
    others.extend(alike.read.keys().filter(|it| computed_too(it)));
    alike.read.retain(|it, value| value.places.len() == 1 && !others.contains(it));
    let stays = |&(block, _): &Place| !parted[block];
    alike.computed.retain(|it, value| {
        let is_once = value.places.len() == 1 && graph.loop_of[value.places[0].0].is_none();
        !others.contains(it) && (is_once || value.places.iter().all(stays))
    });
    keep_computed_of_these(code, &mut alike);
    while let Some(more) = alike.computed.len().checked_sub(MOST).filter(|&it| it > 0) {
        (0..more.div_ceil(2)).for_each(|_| _ = alike.computed.pop_last());
        keep_computed_of_these(code, &mut alike);
    }
    alike
}

/// Takes out what is computed of what lanes do not have alike.
fn keep_computed_of_these(code: &Code, alike: &mut Alike) {
    loop {
        let is_alike = |it: Register| value_of(it, &alike.read).or(value_of(it, &alike.computed)).is_some();
        let is_bad = |value: &Value| {
            let made = value.places.iter().map(|&(block, at)| &code.blocks[block].instructions[at]);
            made.flat_map(|it| registers_of(it, Role::Read)).any(|it| !is_alike(it))
        };
        let bad: Vec<Register> =
            alike.computed.iter().filter(|(_, value)| is_bad(value)).map(|(&it, _)| it).collect();
        if bad.is_empty() {
            return;
        }
        bad.iter().for_each(|it| _ = alike.computed.remove(it));
    }
}

/// The registers that an instruction writes, if it always does and these are a value.
fn whole_result(code: &Code, instruction: &Instruction) -> Option<(Register, u32)> {
    let mut written = instruction.accesses().into_iter().filter(|it| it.role == Role::Write);
    let (Some(first), None) = (written.next(), written.next()) else { return None };
    let Resource::Registers(to, words) = first.resource else { return None };
    let is_whole = to.is_virtual() && words <= 2 && code.group(to) == (to, words);
    (is_whole && instruction.guard.is_always()).then_some((to, words))
}

fn is_read(instruction: &Instruction) -> bool {
    use SpecialRegister::{CgaCtaId, CtaidX, CtaidY, CtaidZ};
    match (instruction.opcode, &instruction.operands[1..]) {
        (Opcode::Ldc, [Operand::Constant(constant)]) => {
            matches!(instruction.modifiers.as_slice(), [] | [Modifier::B64])
                && constant.index == ConstantIndex::None
        }
        (Opcode::S2r, [Operand::Special(special)]) => {
            matches!(special, CtaidX | CtaidY | CtaidZ | CgaCtaId)
        }
        _ => false,
    }
}

/// Whether an instruction has one for the warp, and reads nothing but registers and constants.
fn has_one(instruction: &Instruction, is_in_loop: bool, counts: &DefinitionCounts) -> bool {
    let has_one = match instruction.opcode {
        Opcode::Imad => {
            instruction.modifiers.as_slice().iter().all(|it| matches!(it, Modifier::U32 | Modifier::Wide))
        }
        Opcode::Iadd3 | Opcode::Lea | Opcode::Mov => instruction.modifiers.as_slice().is_empty(),
        Opcode::Shf | Opcode::Lop3 => true,
        _ => false,
    };
    has_one
        && instruction.operands[1..].iter().all(|operand| match *operand {
            Operand::Immediate(_) => true,
            Operand::Predicate { predicate, .. } => predicate.is_fixed(),
            // Not of 64 bits, and not again and again.
            Operand::Constant(constant) => {
                constant.index == ConstantIndex::None && !instruction.has(Modifier::Wide) && !is_in_loop
            }
            Operand::Uniform { register, selector: Selector::Whole, .. } => {
                register == UniformRegister::ZERO || counts.is_single(Resource::Uniforms(register, 1))
            }
            Operand::Register { selector: Selector::Whole, .. } => true,
            _ => false,
        })
}

/// Values that cannot be moved, because something that reads them does not take them so. `parting`: where lanes get a uniform register
/// beside one of these from a register of their own.
fn obstacle(
    code: &Code,
    graph: &Graph,
    alike: &Alike,
    parting: &mut BTreeMap<Place, UniformRegister>,
) -> Option<Vec<Register>> {
    let places: FxHashSet<Place> = alike.computed.values().flat_map(|it| it.places.iter().copied()).collect();
    parting.clear();
    for (block, at, instruction) in code.places() {
        let words: Vec<Register> = registers_of(instruction, Role::Read)
            .filter(|&it| value_of(it, &alike.computed).is_some())
            .collect();
        let read = || words.iter().filter_map(|&it| value_of(it, &alike.computed)).collect::<Vec<_>>();
        if places.contains(&(block, at)) {
            let stays = |it| value_of(it, &alike.read).is_none() && value_of(it, &alike.computed).is_none();
            match instruction.operands[0].as_register() {
                Some(it) if registers_of(instruction, Role::Read).any(stays) => return Some(vec![it]),
                _ => continue,
            }
        }
        if words.is_empty() || takes_uniforms(instruction, &words, None) {
            continue;
        }
        let other = instruction.operands.iter().find_map(|it| match *it {
            Operand::Uniform { register, selector: Selector::Whole, .. } => Some(register),
            _ => None,
        });
        let is_once = graph.loop_of[block].is_none();
        match other.filter(|&it| is_once && takes_uniforms(instruction, &words, Some(it))) {
            Some(other) => _ = parting.insert((block, at), other),
            None => return Some(all_but_one(instruction, &words, read())),
        }
    }
    None
}

/// The values that must stay in registers of the lanes: all that an instruction reads but one that it takes from a uniform register.
fn all_but_one(instruction: &Instruction, words: &[Register], mut read: Vec<Register>) -> Vec<Register> {
    read.dedup();
    if read.len() > 1
        && let Some(at) = words.iter().position(|&it| takes_uniforms(instruction, &[it], None))
    {
        let kept = words[at];
        read.retain(|it| *it != kept);
    }
    read
}

/// The registers that an instruction reads or writes, without `RZ`.
fn registers_of(instruction: &Instruction, role: Role) -> impl Iterator<Item = Register> {
    let accesses = instruction.accesses().into_iter().filter(move |it| it.role == role);
    accesses.flat_map(|access| match access.resource {
        Resource::Registers(first, count) => (0..count).map(|it| first.offset(it)).collect(),
        _ => Vec::new(),
    })
}

/// Whether an instruction takes uniform registers in the place of these, and a register of the lanes in that of `parted`.
fn takes_uniforms(instruction: &Instruction, moved: &[Register], parted: Option<UniformRegister>) -> bool {
    let takes = takes_uniform(instruction.opcode) || instruction.opcode == Opcode::Mov;
    let reads_pairs = instruction.accesses().iter().any(|it| match it.resource {
        Resource::Registers(first, 2) if it.role == Role::Read => moved.contains(&first),
        _ => false,
    });
    let mut new = instruction.clone();
    if let Some(parted) = parted {
        part(&mut new, parted, Register(Register::FIRST_VIRTUAL));
    }
    let stand_in = UniformRegister(UniformRegister::FIRST_VIRTUAL);
    name(&mut new, &moved.iter().map(|&it| (it, stand_in)).collect());
    let reads_them_else = registers_of(&new, Role::Read).any(|it| moved.contains(&it));
    takes && !reads_pairs && !reads_them_else && legal::make_legal_by_swapping(&mut new)
}

/// Has an instruction read a register of the lanes in the place of a uniform one.
fn part(instruction: &mut Instruction, uniform: UniformRegister, to: Register) {
    for operand in &mut instruction.operands {
        if let Operand::Uniform { register, modifier, selector } = *operand
            && register == uniform
        {
            *operand = Operand::Register { register: to, modifier, selector, reuse: false };
        }
    }
}

/// Has an instruction read uniform registers in the place of others.
fn name(instruction: &mut Instruction, names: &FxHashMap<Register, UniformRegister>) {
    for operand in instruction.operands.iter_mut().skip(1) {
        if let Operand::Register { register, modifier, selector, .. } = *operand
            && let Some(&register) = names.get(&register)
        {
            *operand = Operand::Uniform { register, modifier, selector };
        }
    }
}

/// Computes what is moved once for the warp, and has lanes read it there.
fn rewrite(code: &mut Code, alike: &Alike, parting: &BTreeMap<Place, UniformRegister>) {
    let places_of =
        |(&it, value): (&Register, &Value)| value.places.clone().into_iter().map(move |place| (place, it));
    let moved: BTreeMap<Place, Register> = alike.computed.iter().flat_map(places_of).collect();
    // What they are computed of is read for the warp, too.
    let mut of = BTreeMap::new();
    for &(block, at) in moved.keys() {
        for register in registers_of(&code.blocks[block].instructions[at], Role::Read) {
            if let Some(first) = value_of(register, &alike.read) {
                of.insert(alike.read[&first].places[0], first);
            }
        }
    }
    let mut named = |firsts: &mut dyn Iterator<Item = Register>, values: &Values| {
        let mut names = FxHashMap::default();
        for first in firsts {
            let words = values[&first].words;
            let to = code.uniform(words);
            names.extend((0..words).map(|it| (first.offset(it), to.offset(it))));
        }
        names
    };
    let names = named(&mut alike.computed.keys().copied(), &alike.computed);
    let read = named(&mut of.values().copied(), &alike.read);
    let all: FxHashMap<Register, UniformRegister> =
        names.iter().chain(&read).map(|(&a, &b)| (a, b)).collect();
    for block in 0..code.blocks.len() {
        let old = std::mem::take(&mut code.blocks[block].instructions);
        let mut new = Vec::with_capacity(old.len());
        for (at, mut instruction) in old.into_iter().enumerate() {
            let place = (block, at);
            if let Some(register) = moved.get(&place) {
                let computed = for_warp(instruction, names[register], &all, code, &mut new);
                new.push(computed);
                continue;
            }
            if let Some(&uniform) = parting.get(&place) {
                let own = code.register(1);
                let operands = [Operand::register(own), Operand::uniform(uniform)];
                new.push(Instruction::new(Opcode::Mov, [], operands).with_origin(instruction.origin));
                part(&mut instruction, uniform, own);
            }
            name(&mut instruction, &names);
            legal::make_legal_by_swapping(&mut instruction);
            let once_more = of.get(&place).map(|register| {
                let opcode = if instruction.opcode == Opcode::Ldc { Opcode::Uldc } else { Opcode::S2ur };
                let operands = [Operand::uniform(read[register]), instruction.operands[1]];
                Instruction { opcode, operands: operands.into_iter().collect(), ..instruction.clone() }
            });
            new.push(instruction);
            new.extend(once_more);
        }
        code.blocks[block].instructions = new;
    }
}

/// An instruction of the lanes as one of the warp; what it reads of constant banks is loaded in front of it.
fn for_warp(
    mut instruction: Instruction,
    to: UniformRegister,
    names: &FxHashMap<Register, UniformRegister>,
    code: &mut Code,
    before: &mut Vec<Instruction>,
) -> Instruction {
    name(&mut instruction, names);
    instruction.operands[0] = Operand::uniform(to);
    for operand in instruction.operands.iter_mut().skip(1) {
        match *operand {
            Operand::ZERO => *operand = Operand::uniform(UniformRegister::ZERO),
            Operand::Predicate { negate, .. } => {
                *operand = Operand::UniformPredicate { predicate: UniformPredicate::TRUE, negate };
            }
            Operand::Constant(_) => {
                let loaded = Operand::uniform(code.uniform(1));
                let load = Instruction::new(Opcode::Uldc, [], [loaded, *operand]);
                before.push(load.with_origin(instruction.origin));
                *operand = loaded;
            }
            _ => {}
        }
    }
    instruction.opcode = match instruction.opcode {
        Opcode::Imad => Opcode::Uimad,
        Opcode::Iadd3 => Opcode::Uiadd3,
        Opcode::Lea => Opcode::Ulea,
        Opcode::Shf => Opcode::Ushf,
        Opcode::Mov => Opcode::Umov,
        _ => Opcode::Ulop3,
    };
    instruction
}

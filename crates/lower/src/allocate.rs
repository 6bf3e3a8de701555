//! Register allocation: every virtual register gets a real one.
//!
//! Live ranges are lists of segments over the final order of the instructions. Registers that are joined by a move
//! and never live at the same time with different values become one. Ranges take, in the order of their starts, the
//! lowest registers that are free over all their segments; groups are aligned. What finds none is spilled.

use crate::code::{Code, map_registers};
use crate::liveness::{Liveness, Numbering, step_backward};
use std::collections::BTreeMap;
use warplab_program::{
    Instruction, Opcode, Operand, Predicate, Register, Role, Selector, SourceModifier, UniformRegister,
};

/// Registers that a thread gets at least.
const LEAST: u32 = 16;

/// A half-open range of positions.
type Segment = (u32, u32);

/// Values that must be in consecutive registers, with the live segments of each.
#[derive(Clone, Debug)]
struct Class {
    /// The segments of each register of the class.
    units: Vec<Vec<Segment>>,
    kind: usize,
}

/// The classes, merged by moves.
struct Classes {
    parent: Vec<(usize, u32)>,
    classes: Vec<Option<Class>>,
}

impl Classes {
    fn find(&self, number: usize) -> (usize, u32) {
        let (mut at, mut offset) = (number, 0);
        loop {
            let (parent, delta) = self.parent[at];
            offset += delta;
            if parent == at {
                return (at, offset);
            }
            at = parent;
        }
    }
}

/// The result: how many registers are used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    /// Registers of a thread, from 0.
    pub(crate) registers: u32,
}

/// Why allocation failed.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// These registers (the first of each group) must go to memory.
    Spill(Vec<Register>),
    /// These predicates must go to registers.
    SpillPredicates(Vec<Predicate>),
    /// Uniform registers ran out.
    Uniform,
}

/// Gives every virtual register a real one, below `limit`.
pub(crate) fn allocate(code: &mut Code, limit: u32, coalesce: bool) -> Result<Used, Failure> {
    let live = Liveness::new(code);
    let segments = live_segments(code, &live);
    let numbering = live.numbering;
    let mut classes = build_classes(code, &numbering, segments);
    if coalesce {
        merge_moves(code, &numbering, &mut classes);
    }
    let mut places = assign(code, &numbering, &classes, limit, false)?;
    let mut used = Used { registers: 2 };
    for (number, place) in places.iter().enumerate() {
        if let (0, Some(place)) = (numbering.kind(number), place) {
            used.registers = used.registers.max(place + 1);
        }
    }
    // Again within the same number, or the least that a thread gets anyway, each register rested as long as possible:
    // what is still being read is then seldom overwritten.
    let roomy = used.registers.max(LEAST).min(limit);
    if let Ok(rested) = assign(code, &numbering, &classes, roomy, true) {
        places = rested;
        used.registers = roomy;
        let highest = places
            .iter()
            .enumerate()
            .filter(|(number, _)| numbering.kind(*number) == 0)
            .filter_map(|(_, place)| *place)
            .max();
        used.registers = highest.map_or(2, |highest| highest + 1).max(2);
    }
    for block in &mut code.blocks {
        for instruction in &mut block.instructions {
            rewrite(instruction, &numbering, &places);
        }
        block.instructions.retain(|instruction| !is_no_op(instruction));
    }
    Ok(used)
}

/// A move of a register to itself.
fn is_no_op(instruction: &Instruction) -> bool {
    instruction.opcode == Opcode::Mov
        && instruction.operands.len() == 2
        && matches!(
            (instruction.operands[0], instruction.operands[1]),
            (
                Operand::Register { register: to, .. },
                Operand::Register {
                    register: from,
                    modifier: SourceModifier::NONE,
                    selector: Selector::Whole,
                    ..
                },
            ) if to == from
        )
}

fn rewrite(instruction: &mut Instruction, numbering: &Numbering, places: &[Option<u32>]) {
    let place = |number: Option<usize>| number.and_then(|number| places[number]);
    map_registers(
        instruction,
        |register| match (register.is_virtual(), place(numbering.register(register))) {
            (false, _) => register,
            (true, Some(place)) => Register(place),
            (true, None) => Register::ZERO,
        },
        |predicate| match (predicate.is_virtual(), place(numbering.predicate(predicate))) {
            (false, _) => predicate,
            (true, Some(place)) => Predicate(place),
            (true, None) => Predicate::TRUE,
        },
        |register| match (register.is_virtual(), place(numbering.uniform(register))) {
            (false, _) => register,
            (true, Some(place)) => UniformRegister(place),
            (true, None) => UniformRegister::ZERO,
        },
    );
}

/// The live segments of every value. Instruction `i` reads at `2 i` and writes at `2 i + 1`.
fn live_segments(code: &Code, live: &Liveness) -> Vec<Vec<Segment>> {
    let mut segments: Vec<Vec<Segment>> = vec![Vec::new(); live.numbering.total];
    let mut end_of: Vec<Option<u32>> = vec![None; live.numbering.total];
    let mut starts = Vec::with_capacity(code.blocks.len());
    let mut position = 0;
    for block in &code.blocks {
        starts.push(position);
        position += block.instructions.len() as u32;
    }
    for index in (0..code.blocks.len()).rev() {
        let block = &code.blocks[index];
        let block_start = 2 * starts[index];
        let block_end = block_start + 2 * block.instructions.len() as u32;
        for number in live.live_out[index].iter() {
            end_of[number] = Some(block_end);
        }
        for (offset, instruction) in block.instructions.iter().enumerate().rev() {
            let at = block_start + 2 * offset as u32;
            // A result that nobody reads still takes its register for a moment.
            for access in instruction.accesses().iter().filter(|access| access.role == Role::Write) {
                for number in live.numbering.of(access.resource) {
                    if end_of[number].is_none() {
                        segments[number].push((at + 1, at + 2));
                    }
                }
            }
            step_backward(&live.numbering, &live.single, instruction, |number, role| match role {
                Role::Write => {
                    if let Some(end) = end_of[number].take() {
                        segments[number].push((at + 1, end));
                    }
                }
                Role::Read => {
                    if end_of[number].is_none() {
                        end_of[number] = Some(at + 1);
                    }
                }
            });
        }
        for (number, end) in end_of.iter_mut().enumerate() {
            if let Some(end) = end.take()
                && end > block_start
            {
                // What is read here and written only later round the loop, or never, starts with the block.
                if live.live_in[index].contains(number) {
                    segments[number].push((block_start, end));
                } else {
                    segments[number]
                        .push((first_write(block, live, number, block_start).unwrap_or(block_start), end));
                }
            }
        }
    }
    for list in &mut segments {
        list.sort_unstable();
        let mut merged: Vec<Segment> = Vec::with_capacity(list.len());
        for &(start, end) in list.iter() {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        *list = merged;
    }
    segments
}

fn first_write(block: &crate::code::Block, live: &Liveness, number: usize, start: u32) -> Option<u32> {
    block.instructions.iter().enumerate().find_map(|(offset, instruction)| {
        instruction
            .accesses()
            .iter()
            .any(|access| {
                access.role == Role::Write && live.numbering.of(access.resource).any(|it| it == number)
            })
            .then_some(start + 2 * offset as u32 + 1)
    })
}

fn build_classes(code: &Code, numbering: &Numbering, mut segments: Vec<Vec<Segment>>) -> Classes {
    let mut parent: Vec<(usize, u32)> = (0..numbering.total).map(|number| (number, 0)).collect();
    let mut classes: Vec<Option<Class>> = vec![None; numbering.total];
    let mut number = 0;
    while number < numbering.total {
        let kind = numbering.kind(number);
        let within = numbering.within(number) as u32;
        let count = match kind {
            0 => code.group(Register(within + Register::FIRST_VIRTUAL)).1,
            2 => code.uniform_group(UniformRegister(within + UniformRegister::FIRST_VIRTUAL)).1,
            _ => 1,
        } as usize;
        let units = (0..count).map(|index| std::mem::take(&mut segments[number + index])).collect();
        for index in 0..count {
            parent[number + index] = (number, index as u32);
        }
        classes[number] = Some(Class { units, kind });
        number += count;
    }
    Classes { parent, classes }
}

fn overlap(a: &[Segment], b: &[Segment]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].1 <= b[j].0 {
            i += 1;
        } else if b[j].1 <= a[i].0 {
            j += 1;
        } else {
            return true;
        }
    }
    false
}

fn joined(a: &[Segment], b: &[Segment]) -> Vec<Segment> {
    let mut all: Vec<Segment> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all
}

fn alignment(count: usize) -> u32 {
    match count {
        1 => 1,
        2 => 2,
        _ => 4,
    }
}

/// Joins the two sides of moves, those of the deepest loops first.
fn merge_moves(code: &Code, numbering: &Numbering, classes: &mut Classes) {
    let graph = crate::graph::Graph::new(code);
    let mut moves: Vec<(usize, usize, usize)> = Vec::new();
    for (index, block) in code.blocks.iter().enumerate() {
        let depth = graph.loop_depth(index);
        for instruction in &block.instructions {
            let Some((to, from)) = join_candidates(instruction) else { continue };
            if let (Some(to), Some(from)) = (numbering.register(to), numbering.register(from)) {
                moves.push((depth, to, from));
            }
        }
    }
    moves.sort_by_key(|&(weight, ..)| std::cmp::Reverse(weight));
    for (_, to, from) in moves {
        merge(classes, to, from);
    }
}

/// Pairs of registers that would better be one: the sides of a move, a sum and the term it adds to.
fn join_candidates(instruction: &Instruction) -> Option<(Register, Register)> {
    if instruction.opcode != Opcode::Mov {
        return None;
    }
    let to = instruction.operands.first()?.as_register()?;
    match instruction.operands.get(1)? {
        Operand::Register { register, modifier: SourceModifier::NONE, selector: Selector::Whole, .. } => {
            Some((to, *register))
        }
        _ => None,
    }
}

fn merge(classes: &mut Classes, a: usize, b: usize) {
    let ((root_a, offset_a), (root_b, offset_b)) = (classes.find(a), classes.find(b));
    if root_a == root_b {
        return;
    }
    // The larger keeps its place, the other lies inside it.
    let size = |root: usize| classes.classes[root].as_ref().map_or(0, |class| class.units.len() as u32);
    let (outer, inner, delta) = if offset_a >= offset_b && offset_a - offset_b + size(root_b) <= size(root_a)
    {
        (root_a, root_b, offset_a - offset_b)
    } else if offset_b >= offset_a && offset_b - offset_a + size(root_a) <= size(root_b) {
        (root_b, root_a, offset_b - offset_a)
    } else {
        return;
    };
    if delta % alignment(size(inner) as usize) != 0 {
        return;
    }
    let Some((outer_class, inner_class)) =
        classes.classes[outer].as_ref().zip(classes.classes[inner].as_ref())
    else {
        return;
    };
    let clash = inner_class
        .units
        .iter()
        .enumerate()
        .any(|(index, unit)| overlap(unit, &outer_class.units[index + delta as usize]));
    if clash || outer_class.kind != inner_class.kind {
        return;
    }
    let Some(inner_class) = classes.classes[inner].take() else { return };
    if let Some(outer_class) = &mut classes.classes[outer] {
        for (index, unit) in inner_class.units.iter().enumerate() {
            let slot = &mut outer_class.units[index + delta as usize];
            *slot = joined(slot, unit);
        }
    }
    classes.parent[inner] = (outer, delta);
}

/// What is taken of one real register.
#[derive(Clone, Debug, Default)]
struct Taken(BTreeMap<u32, u32>);

impl Taken {
    fn is_free(&self, segments: &[Segment]) -> bool {
        segments.iter().all(|&(start, end)| {
            self.0.range(..end).next_back().is_none_or(|(_, &taken_end)| taken_end <= start)
        })
    }

    /// When the register was last in use before a position; 0 if never.
    fn last_before(&self, position: u32) -> u32 {
        self.0.range(..=position).next_back().map_or(0, |(_, &end)| end)
    }

    fn take(&mut self, segments: &[Segment]) {
        for &(start, end) in segments {
            self.0.insert(start, end);
        }
    }
}

fn assign(
    code: &Code,
    numbering: &Numbering,
    classes: &Classes,
    limit: u32,
    rested: bool,
) -> Result<Vec<Option<u32>>, Failure> {
    let mut order: Vec<usize> = (0..numbering.total).filter(|&it| classes.classes[it].is_some()).collect();
    let start = |number: &usize| {
        let class = classes.classes[*number].as_ref();
        class.and_then(|class| class.units.iter().filter_map(|unit| unit.first()).map(|it| it.0).min())
    };
    // Wide groups are harder to place.
    order.sort_by_key(|number| {
        let size = classes.classes[*number].as_ref().map_or(0, |class| class.units.len());
        (start(number), std::cmp::Reverse(size))
    });
    let limits = [limit, 7, 62];
    let mut taken: [Vec<Taken>; 3] = limits.map(|limit| vec![Taken::default(); limit as usize]);
    // R1 is the stack pointer.
    taken[0][1].take(&[(0, u32::MAX)]);
    let mut places: Vec<Option<u32>> = vec![None; numbering.total];
    let mut homes: Vec<Option<u32>> = vec![None; numbering.total];
    for &number in &order {
        let Some(class) = &classes.classes[number] else { continue };
        if class.units.iter().all(Vec::is_empty) {
            continue;
        }
        let step = alignment(class.units.len());
        let first = if class.kind == 2 { 4 } else { 0 };
        let room = limits[class.kind].saturating_sub(class.units.len() as u32 - 1);
        let mut free = (first..room).step_by(step as usize).filter(|&home| {
            let units = class.units.iter().enumerate();
            units.into_iter().all(|(index, unit)| taken[class.kind][home as usize + index].is_free(unit))
        });
        let home = if rested && class.kind == 0 {
            let begin = start(&number).unwrap_or(0);
            let last_use = |home: u32| {
                let units = 0..class.units.len();
                units.map(|index| taken[0][home as usize + index].last_before(begin)).max().unwrap_or(0)
            };
            free.min_by_key(|&home| (last_use(home), home))
        } else {
            free.next()
        };
        let Some(home) = home else {
            return Err(failure(code, numbering, classes, number, class));
        };
        for (index, unit) in class.units.iter().enumerate() {
            taken[class.kind][home as usize + index].take(unit);
        }
        homes[number] = Some(home);
    }
    for (number, place) in places.iter_mut().enumerate() {
        let (root, offset) = classes.find(number);
        *place = homes[root].map(|home| home + offset);
    }
    Ok(places)
}

/// Chooses what to spill where a class found no place: what lives longest there and is used least.
fn failure(code: &Code, numbering: &Numbering, classes: &Classes, number: usize, class: &Class) -> Failure {
    if class.kind == 2 {
        return Failure::Uniform;
    }
    let mut weights = vec![0u64; numbering.total];
    let graph = crate::graph::Graph::new(code);
    for (index, block) in code.blocks.iter().enumerate() {
        let weight = 10u64.pow(graph.loop_depth(index).min(6) as u32);
        for access in block.instructions.iter().flat_map(Instruction::accesses) {
            for it in numbering.of(access.resource) {
                weights[classes.find(it).0] += weight;
            }
        }
    }
    let length = |class: &Class| -> u64 {
        class.units.iter().flatten().map(|&(start, end)| u64::from(end - start)).sum()
    };
    let whole: Vec<Segment> = class.units.iter().flatten().copied().collect();
    let mut whole = whole;
    whole.sort_unstable();
    let victim = (0..numbering.total)
        .filter(|&it| classes.classes[it].as_ref().is_some_and(|other| other.kind == class.kind))
        .filter(|&it| {
            let other = classes.classes[it].as_ref();
            other.is_some_and(|other| {
                length(other) > 12 * other.units.len() as u64
                    && other.units.iter().any(|unit| whole.iter().any(|&segment| overlap(unit, &[segment])))
            })
        })
        .min_by_key(|&it| {
            let length = classes.classes[it].as_ref().map_or(1, length).max(1);
            weights[it] * 1_000_000 / length
        })
        .unwrap_or(number);
    let members: Vec<usize> = (0..numbering.total).filter(|&it| classes.find(it).0 == victim).collect();
    if class.kind == 1 {
        let predicates = members
            .iter()
            .map(|&it| Predicate(numbering.within(it) as u32 + Predicate::FIRST_VIRTUAL))
            .collect();
        return Failure::SpillPredicates(predicates);
    }
    let mut registers: Vec<Register> =
        members.iter().map(|&it| code.group(Register(it as u32 + Register::FIRST_VIRTUAL)).0).collect();
    registers.sort_unstable();
    registers.dedup();
    Failure::Spill(registers)
}

#[cfg(test)]
mod tests {
    use super::{Failure, allocate};
    use crate::code::{Block, Code};
    use warplab_program::listing::instruction_text;
    use warplab_program::{Instruction, Modifier, Opcode, Operand, Register};

    fn store(value: Register, wide: bool) -> Instruction {
        let modifiers: &[Modifier] = if wide { &[Modifier::B64] } else { &[] };
        let place = Operand::address32(Some(Register(1)), 0);
        Instruction::new(Opcode::Stl, modifiers, [place, Operand::register(value)])
    }

    fn mov(to: Register, from: Operand) -> Instruction {
        Instruction::new(Opcode::Mov, [], [Operand::register(to), from])
    }

    fn block(instructions: Vec<Instruction>) -> Vec<Block> {
        vec![Block { instructions, ..Block::default() }]
    }

    #[test]
    fn pairs_are_aligned_and_their_moves_disappear() {
        let mut code = Code::default();
        let (low, high, pair) = (code.register(1), code.register(1), code.register(2));
        code.blocks = block(vec![
            mov(low, Operand::Immediate(1)),
            mov(high, Operand::Immediate(2)),
            mov(pair, Operand::register(low)),
            mov(pair.offset(1), Operand::register(high)),
            store(pair, true),
            Instruction::new(Opcode::Exit, [], []),
        ]);
        let used = allocate(&mut code, 255, true).expect("two registers are free");
        let text: Vec<String> = code.blocks[0].instructions.iter().map(instruction_text).collect();
        assert_eq!(text, ["MOV R2, 0x1", "MOV R3, 0x2", "STL.64 [R1], R2", "EXIT"]);
        assert_eq!(used.registers, 4);
    }

    #[test]
    fn values_that_live_together_get_different_registers_or_a_spill() {
        let mut code = Code::default();
        let values: Vec<Register> = (0..20).map(|_| code.register(1)).collect();
        let writes =
            values.iter().enumerate().map(|(index, &value)| mov(value, Operand::Immediate(index as u32)));
        let reads = values.iter().map(|&value| store(value, false));
        code.blocks = block(writes.chain(reads).chain([Instruction::new(Opcode::Exit, [], [])]).collect());
        assert!(matches!(allocate(&mut code.clone(), 16, true), Err(Failure::Spill(_))));
        let used = allocate(&mut code, 255, true).expect("there are enough");
        assert_eq!(used.registers, 21);
    }
}

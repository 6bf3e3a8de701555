//! Register allocation: every virtual register gets a real one.
//!
//! Live ranges are lists of segments over the final order of the instructions. Registers that are joined by a move
//! and never live at the same time with different values become one. Ranges take, in the order of their starts, the
//! lowest registers that are free over all their segments; groups are aligned. What finds none is spilled.

mod apart;
mod assign;
mod banks;

use crate::code::{Code, copied, is_no_op, map_registers};
use crate::liveness::{Liveness, Numbering, step_backward};
use assign::{Order, assign};
use banks::Together;
use rustc_hash::FxHashMap;
use warplab_program::{Instruction, Predicate, Register, Role, UniformRegister};

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
    /// The class of a value and its place there; the way is shortened for the next time.
    fn find(&mut self, number: usize) -> (usize, u32) {
        let (mut at, mut offset) = (number, 0);
        loop {
            let (parent, delta) = self.parent[at];
            offset += delta;
            if parent == at {
                return (at, offset);
            }
            let (above, more) = self.parent[parent];
            self.parent[at] = (above, if above == parent { delta } else { delta + more });
            if above != parent {
                offset += more;
            }
            at = above;
        }
    }
}

/// The result: how many registers are used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    /// Registers of a thread, from 0.
    pub(crate) registers: u32,
    /// So many would do.
    pub(crate) fewest: u32,
}

/// Why allocation failed.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// These registers (the first of each group) must go to memory, and these predicates to registers.
    Spill(Vec<Register>, Vec<Predicate>),
    /// Uniform registers ran out.
    Uniform,
}

/// Over how many registers values are spread where fewer suffice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    /// Over so many in any case.
    pub(crate) least: u32,
    /// Over a quarter more than suffice, up to so many.
    pub(crate) most: u32,
    /// Over a multiple of so many above that.
    pub(crate) unit: u32,
}

/// Gives every virtual register a real one, below `limit`.
pub(crate) fn allocate(
    code: &mut Code,
    limit: u32,
    spread: Spread,
    banks: u32,
    coalesce: bool,
) -> Result<Used, Failure> {
    let (numbering, mut classes) = classes(code, coalesce);
    let (mut places, order) = tightest(code, &numbering, &mut classes, limit)?;
    let fewest = registers_of(&places, &numbering);
    let mut used = Used { registers: fewest, fewest };
    // Again, over more registers where these cost nothing, each register rested as long as possible: what is still being
    // read is then seldom overwritten.
    let more = match fewest {
        fewest if fewest > spread.most => fewest.next_multiple_of(spread.unit),
        fewest => (fewest + fewest / 4).min(spread.most),
    };
    let together =
        if banks == 2 { Together::new(code, &numbering, &mut classes) } else { Together::default() };
    let roomy = spread.least.max(more).min(limit);
    if let Ok(rested) = assign(code, &numbering, &mut classes, (roomy, order), Some(&together)) {
        used.registers = registers_of(&rested, &numbering);
        places = rested;
    }
    for block in &mut code.blocks {
        for instruction in &mut block.instructions {
            rewrite(instruction, &numbering, &places);
        }
        block.instructions.retain(|instruction| !is_no_op(instruction));
    }
    Ok(used)
}

/// How many registers would do, or what must be spilled.
pub(crate) fn fewest(code: &Code, limit: u32, coalesce: bool) -> Result<u32, Failure> {
    let (numbering, mut classes) = classes(code, coalesce);
    let (places, _) = tightest(code, &numbering, &mut classes, limit)?;
    Ok(registers_of(&places, &numbering))
}

/// The values, and which of them take registers together.
fn classes(code: &Code, coalesce: bool) -> (Numbering, Classes) {
    let live = Liveness::new(code);
    let segments = live_segments(code, &live);
    let mut classes = build_classes(code, &live.numbering, segments);
    if coalesce {
        merge_moves(code, &live.numbering, &mut classes);
    }
    (live.numbering, classes)
}

/// A real register for every value, in the order in which they take the fewest.
fn tightest(
    code: &Code,
    numbering: &Numbering,
    classes: &mut Classes,
    limit: u32,
) -> Result<(Vec<Option<u32>>, Order), Failure> {
    let by_start = assign(code, numbering, classes, (limit, Order::ByStart), None);
    let wide_first = assign(code, numbering, classes, (limit, Order::WideFirst), None);
    match (by_start, wide_first) {
        (Ok(places), Ok(other)) if registers_of(&other, numbering) < registers_of(&places, numbering) => {
            Ok((other, Order::WideFirst))
        }
        (Err(_), Ok(other)) => Ok((other, Order::WideFirst)),
        (by_start, _) => by_start.map(|places| (places, Order::ByStart)),
    }
}

/// How many registers are used.
fn registers_of(places: &[Option<u32>], numbering: &Numbering) -> u32 {
    let places = places.iter().enumerate().filter(|(number, _)| numbering.kind(*number) == 0);
    places.filter_map(|(_, place)| *place).max().map_or(2, |highest| (highest + 1).max(2))
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
    let mut open: Vec<usize> = Vec::new();
    let mut starts = Vec::with_capacity(code.blocks.len());
    let mut position = 0;
    for block in &code.blocks {
        starts.push(position);
        position += crate::code::number(block.instructions.len());
    }
    for index in (0..code.blocks.len()).rev() {
        let block = &code.blocks[index];
        let block_start = 2 * starts[index];
        let block_end = block_start + 2 * crate::code::number(block.instructions.len());
        for number in live.live_out[index].iter() {
            end_of[number] = Some(block_end);
            open.push(number);
        }
        for (offset, instruction) in block.instructions.iter().enumerate().rev() {
            let at = block_start + 2 * crate::code::number(offset);
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
                        open.push(number);
                    }
                }
            });
        }
        let mut first_writes = None;
        for number in open.drain(..) {
            let Some(end) = end_of[number].take().filter(|&end| end > block_start) else { continue };
            // What is read here and written only later round the loop, or never, starts with the block.
            let start = if live.live_in[index].contains(number) {
                block_start
            } else {
                let writes = first_writes.get_or_insert_with(|| first_writes_of(block, live, block_start));
                writes.get(&number).copied().unwrap_or(block_start)
            };
            segments[number].push((start, end));
        }
    }
    apart::keep(code, live, &mut segments);
    segments.into_iter().map(merged).collect()
}

/// Segments in order, those that touch joined.
fn merged(mut list: Vec<Segment>) -> Vec<Segment> {
    list.sort_unstable();
    let mut merged: Vec<Segment> = Vec::with_capacity(list.len());
    for (start, end) in list {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

/// Where a block first writes each value.
fn first_writes_of(block: &crate::code::Block, live: &Liveness, start: u32) -> FxHashMap<usize, u32> {
    let mut writes = FxHashMap::default();
    for (offset, instruction) in block.instructions.iter().enumerate() {
        for access in instruction.accesses().iter().filter(|access| access.role == Role::Write) {
            for number in live.numbering.of(access.resource) {
                writes.entry(number).or_insert(start + 2 * crate::code::number(offset) + 1);
            }
        }
    }
    writes
}

fn build_classes(code: &Code, numbering: &Numbering, mut segments: Vec<Vec<Segment>>) -> Classes {
    let mut parent: Vec<(usize, u32)> = (0..numbering.total).map(|number| (number, 0)).collect();
    let mut classes: Vec<Option<Class>> = vec![None; numbering.total];
    let mut number = 0;
    while number < numbering.total {
        let kind = numbering.kind(number);
        let within = crate::code::number(numbering.within(number));
        let count = match kind {
            0 => code.group(Register(within + Register::FIRST_VIRTUAL)).1,
            2 => code.uniform_group(UniformRegister(within + UniformRegister::FIRST_VIRTUAL)).1,
            _ => 1,
        } as usize;
        let units = (0..count).map(|index| std::mem::take(&mut segments[number + index])).collect();
        for index in 0..count {
            parent[number + index] = (number, crate::code::number(index));
        }
        classes[number] = Some(Class { units, kind });
        number += count;
    }
    Classes { parent, classes }
}

/// Whether two lists of segments, each in order, meet: every segment of the shorter is looked up in the longer.
fn overlap(a: &[Segment], b: &[Segment]) -> bool {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    few.iter().any(|&(start, end)| {
        let next = many.partition_point(|other| other.1 <= start);
        many.get(next).is_some_and(|other| other.0 < end)
    })
}

/// Adds the segments of a list to another that they do not meet.
fn join(into: &mut Vec<Segment>, from: &[Segment]) {
    if from.len() * 8 < into.len() {
        for &segment in from {
            into.insert(into.partition_point(|other| *other < segment), segment);
        }
    } else {
        into.extend(from);
        into.sort_unstable();
    }
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
            let Some((to, from)) = copied(instruction) else { continue };
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

fn merge(classes: &mut Classes, a: usize, b: usize) {
    let ((root_a, offset_a), (root_b, offset_b)) = (classes.find(a), classes.find(b));
    if root_a == root_b {
        return;
    }
    // The larger keeps its place, the other lies inside it.
    let size = |root: usize| {
        classes.classes[root].as_ref().map_or(0, |class| crate::code::number(class.units.len()))
    };
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
            join(&mut outer_class.units[index + delta as usize], unit);
        }
    }
    classes.parent[inner] = (outer, delta);
}

/// How often the values of each class are used, loops counted ten times.
fn weights_of(code: &Code, numbering: &Numbering, parents: &[(usize, u32)]) -> Vec<u64> {
    let mut classes = Classes { parent: parents.to_vec(), classes: Vec::new() };
    let mut weights = vec![0u64; numbering.total];
    let graph = crate::graph::Graph::new(code);
    for (index, block) in code.blocks.iter().enumerate() {
        let weight = 10u64.pow(crate::code::number(graph.loop_depth(index).min(6)));
        for access in block.instructions.iter().flat_map(Instruction::accesses) {
            for it in numbering.of(access.resource) {
                weights[classes.find(it).0] += weight;
            }
        }
    }
    weights
}

/// The registers and predicates of classes, in the order of the classes.
fn spills(code: &Code, numbering: &Numbering, classes: &mut Classes, victims: &[usize]) -> Failure {
    let order: FxHashMap<usize, usize> = victims.iter().copied().zip(0..).collect();
    let mut members: Vec<(usize, usize)> = (0..numbering.total)
        .filter_map(|number| order.get(&classes.find(number).0).map(|&place| (place, number)))
        .collect();
    members.sort_unstable();
    let (mut registers, mut predicates) = (Vec::new(), Vec::new());
    for (_, number) in members {
        let within = crate::code::number(numbering.within(number));
        match numbering.kind(number) {
            0 => registers.push(code.group(Register(within + Register::FIRST_VIRTUAL)).0),
            _ => predicates.push(Predicate(within + Predicate::FIRST_VIRTUAL)),
        }
    }
    registers.dedup();
    Failure::Spill(registers, predicates)
}

#[cfg(test)]
mod tests {
    use super::{Failure, Spread, allocate};
    use crate::code::{Block, Code};
    use warplab_program::listing::instruction_text;
    use warplab_program::{Instruction, Modifier, Opcode, Operand, Register};

    const SPREAD: Spread = Spread { least: 16, most: 16, unit: 1 };

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
        let used = allocate(&mut code, 255, SPREAD, 0, true).expect("two registers are free");
        let text: Vec<String> = code.blocks[0].instructions.iter().map(instruction_text).collect();
        assert_eq!(text, ["MOV R2, 0x1", "MOV R3, 0x2", "STL.64 [R1], R2", "EXIT"]);
        assert_eq!(used.registers, 4);
    }

    #[test]
    fn values_that_live_together_get_different_registers_or_a_spill() {
        let mut code = Code::default();
        let values: Vec<Register> = (0..20).map(|_| code.register(1)).collect();
        let writes = values
            .iter()
            .enumerate()
            .map(|(index, &value)| mov(value, Operand::Immediate(crate::code::number(index))));
        let reads = values.iter().map(|&value| store(value, false));
        code.blocks = block(writes.chain(reads).chain([Instruction::new(Opcode::Exit, [], [])]).collect());
        assert!(matches!(allocate(&mut code.clone(), 16, SPREAD, 0, true), Err(Failure::Spill(..))));
        let used = allocate(&mut code, 255, SPREAD, 0, true).expect("there are enough");
        assert_eq!(used.registers, 21);
    }
}

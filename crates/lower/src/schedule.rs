//! The order of the instructions inside a block: loads early, latencies covered, registers kept in bounds.
//!
//! A list scheduler. Loads move up past stores that are provably elsewhere; barriers, fences, atomics, ordered accesses
//! and clock reads stay where they are among what they order.

use crate::code::{Code, has_effect, is_ordered_load, reads_clock};
use crate::liveness::{Liveness, Numbering, Set};
use warplab_program::{
    AddressOperand, Instruction, LatencyClass, LatencyTable, Modifier, Opcode, Operand, Register, Role,
};

/// How many registers the order may keep alive before it stops taking loads early: at least the first number, with
/// which a multiprocessor of 65,536 registers still holds 2,048 threads, and as many as the order that was written
/// keeps alive, up to the second.
const COMFORTABLE: (usize, usize) = (32, 40);

/// From so many live uniform registers on, what frees some goes first: there are 63, and they are never spilled.
const MANY_UNIFORMS: usize = 40;

/// How long a load from memory is taken to be when the order is chosen.
const FAR: u64 = 200;

/// Orders every block.
pub(crate) fn schedule(code: &mut Code, table: &LatencyTable) {
    let live = Liveness::new(code);
    for index in 0..code.blocks.len() {
        let instructions = std::mem::take(&mut code.blocks[index].instructions);
        code.blocks[index].instructions = order(instructions, &live, index, table);
    }
}

fn order(
    instructions: Vec<Instruction>,
    live: &Liveness,
    block: usize,
    table: &LatencyTable,
) -> Vec<Instruction> {
    // Clock reads and exits divide a block: nothing crosses them.
    let mut result = Vec::with_capacity(instructions.len());
    let mut run: Vec<Instruction> = Vec::new();
    let total = instructions.len();
    let mut pieces: Vec<(Vec<Instruction>, Option<Instruction>)> = Vec::new();
    for (index, instruction) in instructions.into_iter().enumerate() {
        let divides = reads_clock(&instruction)
            || instruction.operands.first() == Some(&Operand::register(Register(1)))
            || matches!(instruction.opcode, Opcode::Exit | Opcode::Bsync | Opcode::Nanosleep | Opcode::Bpt)
            || (index + 1 == total && instruction.opcode.changes_flow());
        if divides {
            pieces.push((std::mem::take(&mut run), Some(instruction)));
        } else {
            run.push(instruction);
        }
    }
    pieces.push((run, None));
    // What each piece must leave alive: what later pieces read, and what the block leaves alive.
    let numbering = &live.numbering;
    let mut after: Vec<Set> = Vec::with_capacity(pieces.len());
    let mut needed = live.live_out[block].clone();
    for (run, end) in pieces.iter().rev() {
        if let Some(end) = end {
            add_reads(numbering, end, &mut needed);
        }
        after.push(needed.clone());
        for instruction in run {
            add_reads(numbering, instruction, &mut needed);
        }
    }
    after.reverse();
    let mut alive = live.live_in[block].clone();
    for ((run, end), after) in pieces.into_iter().zip(after) {
        let written: Vec<usize> = run
            .iter()
            .chain(&end)
            .flat_map(Instruction::accesses)
            .filter(|access| access.role == Role::Write)
            .flat_map(|access| numbering.of(access.resource))
            .collect();
        result.extend(Run::new(run, numbering, table).order(&alive, &after));
        for number in written {
            if after.contains(number) {
                alive.insert(number);
            }
        }
        result.extend(end);
    }
    result
}

fn add_reads(numbering: &Numbering, instruction: &Instruction, set: &mut Set) {
    for access in instruction.accesses().iter().filter(|access| access.role == Role::Read) {
        numbering.of(access.resource).for_each(|number| set.insert(number));
    }
}

/// Instructions to be put into order.
struct Run<'a> {
    instructions: Vec<Instruction>,
    numbering: &'a Numbering,
    /// What must come before, and how many cycles before.
    before: Vec<Vec<(u32, u32)>>,
    after: Vec<Vec<(u32, u32)>>,
    /// Cycles from the issue of each to the end of the run, at best.
    height: Vec<u64>,
    reads: Vec<Vec<u32>>,
    writes: Vec<Vec<u32>>,
}

impl<'a> Run<'a> {
    fn new(instructions: Vec<Instruction>, numbering: &'a Numbering, table: &LatencyTable) -> Run<'a> {
        let count = instructions.len();
        let registers = |role: Role| -> Vec<Vec<u32>> {
            instructions
                .iter()
                .map(|instruction| {
                    let mut list: Vec<u32> = instruction
                        .accesses()
                        .iter()
                        .filter(|access| access.role == role)
                        .flat_map(|access| numbering.of(access.resource))
                        .map(|number| number as u32)
                        .collect();
                    list.sort_unstable();
                    list.dedup();
                    list
                })
                .collect()
        };
        let (reads, writes) = (registers(Role::Read), registers(Role::Write));
        let mut run = Run {
            instructions,
            numbering,
            before: vec![Vec::new(); count],
            after: vec![Vec::new(); count],
            height: vec![0; count],
            reads,
            writes,
        };
        run.depend_on_registers(table);
        run.depend_on_memory();
        for index in (0..count).rev() {
            let below =
                run.after[index].iter().map(|&(next, cycles)| u64::from(cycles) + run.height[next as usize]);
            run.height[index] = below.max().unwrap_or(0).max(1);
        }
        run
    }

    fn edge(&mut self, first: usize, second: usize, cycles: u64) {
        self.before[second].push((first as u32, cycles as u32));
        self.after[first].push((second as u32, cycles as u32));
    }

    fn depend_on_registers(&mut self, table: &LatencyTable) {
        let mut writer: Vec<Option<usize>> = vec![None; self.numbering.total];
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); self.numbering.total];
        for index in 0..self.instructions.len() {
            for number in self.reads[index].clone() {
                let number = number as usize;
                if let Some(first) = writer[number] {
                    let cycles = latency(&self.instructions[first], table);
                    self.edge(first, index, cycles);
                }
                readers[number].push(index);
            }
            for number in self.writes[index].clone() {
                let number = number as usize;
                if let Some(first) = writer[number]
                    && first != index
                {
                    self.edge(first, index, 1);
                }
                for reader in std::mem::take(&mut readers[number]) {
                    if reader != index {
                        self.edge(reader, index, 1);
                    }
                }
                writer[number] = Some(index);
            }
        }
    }

    fn depend_on_memory(&mut self) {
        let mut earlier: Vec<usize> = Vec::new();
        for index in 0..self.instructions.len() {
            let kind = Kind::of(&self.instructions[index]);
            if kind == Kind::Free {
                continue;
            }
            for &first in earlier.iter().rev() {
                if conflict(&self.instructions[first], &self.instructions[index]) {
                    self.edge(first, index, 1);
                    // What came before a full fence is ordered through it.
                    if Kind::of(&self.instructions[first]) == Kind::Fence {
                        break;
                    }
                }
            }
            earlier.push(index);
        }
    }

    /// The instructions in a good order.
    fn order(mut self, alive: &Set, after: &Set) -> Vec<Instruction> {
        let count = self.instructions.len();
        let mut missing: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut earliest = vec![0u64; count];
        let mut remaining = vec![0u32; self.numbering.total];
        for list in &self.reads {
            list.iter().for_each(|&number| remaining[number as usize] += 1);
        }
        let mut pressure = Pressure::new(&self, alive, after, remaining);
        let comfortable = pressure.clone().peak(&self).clamp(COMFORTABLE.0, COMFORTABLE.1);
        let mut ready: Vec<usize> = (0..count).filter(|&index| missing[index] == 0).collect();
        let mut time = 0;
        let mut chosen = Vec::with_capacity(count);
        while !ready.is_empty() {
            let at = self.choose(&ready, &earliest, time, &pressure, comfortable);
            let index = ready.swap_remove(at);
            time = time.max(earliest[index]) + 1;
            pressure.take(&self, index);
            for &(next, cycles) in &self.after[index] {
                let next = next as usize;
                earliest[next] = earliest[next].max(time - 1 + u64::from(cycles));
                missing[next] -= 1;
                if missing[next] == 0 {
                    ready.push(next);
                }
            }
            chosen.push(index);
        }
        self.note_moves(&chosen);
        let mut slots: Vec<Option<Instruction>> = self.instructions.into_iter().map(Some).collect();
        chosen.into_iter().filter_map(|index| slots[index].take()).collect()
    }

    fn choose(
        &self,
        ready: &[usize],
        earliest: &[u64],
        time: u64,
        pressure: &Pressure,
        comfortable: usize,
    ) -> usize {
        let tight = pressure.live >= comfortable;
        let many_uniforms = pressure.live_uniforms >= MANY_UNIFORMS;
        let mut best = 0;
        let mut best_key = None;
        for (at, &index) in ready.iter().enumerate() {
            let late = earliest[index].saturating_sub(time);
            let growth = pressure.growth(self, index, 0);
            let uniform_growth = if many_uniforms { pressure.growth(self, index, 2) } else { 0 };
            // When registers are short, first what frees some, then the order as written.
            let key = if tight {
                (-uniform_growth, -growth.max(0), -(late.min(4) as i64), -(index as i64), 0)
            } else {
                let crowd = if growth > 0 && pressure.live + 4 >= comfortable { -1 } else { 0 };
                (-uniform_growth, crowd, -(late as i64), self.height[index] as i64, -(index as i64))
            };
            if best_key.is_none_or(|other| key > other) {
                best_key = Some(key);
                best = at;
            }
        }
        best
    }

    /// Says of loads that now stand before a store that was written before them what they passed.
    fn note_moves(&mut self, chosen: &[usize]) {
        let mut latest = 0;
        for &index in chosen {
            let instruction = &self.instructions[index];
            if matches!(instruction.opcode, Opcode::Ldg | Opcode::Lds | Opcode::Ld | Opcode::Ldl) {
                let passed = (0..index).any(|earlier| {
                    matches!(
                        self.instructions[earlier].opcode,
                        Opcode::Stg | Opcode::Sts | Opcode::St | Opcode::Stl
                    ) && chosen.iter().position(|&it| it == earlier)
                        > chosen.iter().position(|&it| it == index)
                });
                if passed && count_is_small(chosen.len()) {
                    self.instructions[index].origin.note = "hoisted above a store that is elsewhere";
                }
            }
            latest = latest.max(index);
        }
    }
}

/// The notes are for people; in very long blocks they are not worth their time.
fn count_is_small(count: usize) -> bool {
    count < 2000
}

/// Which values are alive while the order is made.
#[derive(Clone)]
struct Pressure {
    live: usize,
    live_uniforms: usize,
    is_live: Set,
    keep: Set,
    remaining: Vec<u32>,
}

impl Pressure {
    fn new(run: &Run<'_>, alive: &Set, after: &Set, remaining: Vec<u32>) -> Pressure {
        let count = |kind| alive.iter().filter(|&number| run.numbering.kind(number) == kind).count();
        let (live, live_uniforms) = (count(0), count(2));
        Pressure { live, live_uniforms, is_live: alive.clone(), keep: after.clone(), remaining }
    }

    /// The most registers that the order as written keeps alive.
    fn peak(mut self, run: &Run<'_>) -> usize {
        let mut peak = self.live;
        for index in 0..run.instructions.len() {
            self.take(run, index);
            peak = peak.max(self.live);
        }
        peak
    }

    /// How many more registers of a kind are alive after an instruction.
    fn growth(&self, run: &Run<'_>, index: usize, kind: usize) -> i64 {
        let mut growth = 0;
        for &number in &run.writes[index] {
            let number = number as usize;
            if run.numbering.kind(number) == kind && !self.is_live.contains(number) {
                growth += 1;
            }
        }
        for &number in &run.reads[index] {
            let number = number as usize;
            if run.numbering.kind(number) == kind
                && self.remaining[number] == 1
                && !self.keep.contains(number)
            {
                growth -= 1;
            }
        }
        growth
    }

    fn take(&mut self, run: &Run<'_>, index: usize) {
        for &number in &run.reads[index] {
            let number = number as usize;
            self.remaining[number] -= 1;
            if self.remaining[number] == 0 && !self.keep.contains(number) && self.is_live.contains(number) {
                self.is_live.remove(number);
                if let Some(live) = self.live_of(run.numbering.kind(number)) {
                    *live = live.saturating_sub(1);
                }
            }
        }
        for &number in &run.writes[index] {
            let number = number as usize;
            if !self.is_live.contains(number) && (self.remaining[number] > 0 || self.keep.contains(number)) {
                self.is_live.insert(number);
                if let Some(live) = self.live_of(run.numbering.kind(number)) {
                    *live += 1;
                }
            }
        }
    }

    /// How many of a kind are alive, where they are counted.
    fn live_of(&mut self, kind: usize) -> Option<&mut usize> {
        match kind {
            0 => Some(&mut self.live),
            2 => Some(&mut self.live_uniforms),
            _ => None,
        }
    }
}

fn latency(instruction: &Instruction, table: &LatencyTable) -> u64 {
    match instruction.opcode.info().latency {
        LatencyClass::GlobalLoad | LatencyClass::Atomic => FAR,
        class => u64::from(table.cycles(class)),
    }
}

/// How an instruction is ordered with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Not at all.
    Free,
    /// A load that nothing writes to meanwhile.
    ConstantLoad,
    /// A load.
    Load,
    /// A store.
    Store,
    /// With every access to memory.
    Fence,
}

impl Kind {
    fn of(instruction: &Instruction) -> Kind {
        use Opcode::*;
        match instruction.opcode {
            Ldg | Ld | Lds | Ldl if is_ordered_load(instruction) => Kind::Fence,
            Stg | St | Sts | Stl if is_ordered_load(instruction) => Kind::Fence,
            Ldg if instruction.has(Modifier::Constant) => Kind::ConstantLoad,
            Ldg | Ld | Lds | Ldl | Ldsm => Kind::Load,
            Stg | St | Sts | Stl => Kind::Store,
            Bssy | Nop => Kind::Free,
            _ if has_effect(instruction) => Kind::Fence,
            _ => Kind::Free,
        }
    }
}

/// Whether two instructions must keep their order.
fn conflict(first: &Instruction, second: &Instruction) -> bool {
    use Kind::{ConstantLoad, Fence, Free, Load, Store};
    match (Kind::of(first), Kind::of(second)) {
        (Free, _) | (_, Free) => false,
        (ConstantLoad, Fence) | (Fence, ConstantLoad) => is_wall(first) || is_wall(second),
        (ConstantLoad, _) | (_, ConstantLoad) | (Load, Load) => false,
        (Fence, _) | (_, Fence) => {
            // Exchanges between lanes are ordered among themselves only.
            is_exchange(first) == is_exchange(second)
        }
        (Store, _) | (_, Store) => !disjoint(first, second),
    }
}

/// Whether even loads of constant data stay on their side: block barriers and fences.
fn is_wall(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::Bar | Opcode::Membar | Opcode::Warpsync)
}

fn is_exchange(instruction: &Instruction) -> bool {
    matches!(
        instruction.opcode,
        Opcode::Shfl | Opcode::Vote | Opcode::Voteu | Opcode::Match | Opcode::Redux | Opcode::Elect
    )
}

/// The window that an access goes to.
fn space(instruction: &Instruction) -> Option<u8> {
    use Opcode::*;
    match instruction.opcode {
        Ldg | Stg => Some(0),
        Lds | Sts | Ldsm => Some(1),
        Ldl | Stl => Some(2),
        _ => None,
    }
}

/// Whether two accesses can never touch the same byte: different windows, or the same base and other bytes.
pub(crate) fn disjoint(first: &Instruction, second: &Instruction) -> bool {
    let (a, b) = (space(first), space(second));
    if a.is_some() && b.is_some() && a != b {
        return true;
    }
    let (Some(x), Some(y)) = (address(first), address(second)) else {
        return false;
    };
    let same_base = x.base == y.base && x.wide == y.wide && x.scale == y.scale && x.uniform == y.uniform;
    let bytes = |instruction: &Instruction| i64::from(instruction.data_registers()) * 4;
    let (from, to) = (i64::from(x.offset), i64::from(y.offset));
    same_base && a == b && (from + bytes(first) <= to || to + bytes(second) <= from)
}

fn address(instruction: &Instruction) -> Option<AddressOperand> {
    instruction.operands.iter().find_map(|operand| match operand {
        Operand::Address(address) => Some(*address),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::disjoint;
    use warplab_program::listing::read_instruction;

    fn are_disjoint(first: &str, second: &str) -> bool {
        let read = |text: &str| read_instruction(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        disjoint(&read(first), &read(second))
    }

    #[test]
    fn the_same_base_with_other_bytes_is_disjoint() {
        assert!(are_disjoint("STG.E desc[UR4][R2.64], R5", "LDG.E R6, desc[UR4][R2.64+0x4]"));
        assert!(!are_disjoint("STG.E.64 desc[UR4][R2.64], R5", "LDG.E R6, desc[UR4][R2.64+0x4]"));
        assert!(are_disjoint("STS.128 [R2+0x10], R4", "LDS R6, [R2+0xc]"));
    }

    #[test]
    fn another_base_may_be_anywhere_but_not_in_another_window() {
        assert!(!are_disjoint("STG.E desc[UR4][R2.64], R5", "LDG.E R6, desc[UR4][R8.64+0x4]"));
        assert!(are_disjoint("STG.E desc[UR4][R2.64], R5", "LDS R6, [R8]"));
        assert!(!are_disjoint("ST.E desc[UR4][R2.64], R5", "LDS R6, [R8]"));
    }
}

//! The last order: once registers are given out, the instructions of a block stand where they stall least.
//!
//! No more registers are taken, as nothing moves past what overwrites its sources or reads what it overwrites.

use crate::code::Code;
use crate::schedule::{Kind, conflict, pieces};
use crate::turns::{Turns, Unit};
use warplab_program::{
    Instruction, Latency, LatencyClass, Opcode, Operand, Pipe, Reader, Resource, Role, Slot, Target,
};

/// Cycles after which the sources of an instruction whose latency is not known are taken to have been read.
const SOURCES_READ: u64 = 20;

/// What loads bring is taken to come from DRAM: what waits for it must not hold up a load behind it.
const FROM_DRAM: u64 = 1024;

/// Orders every block anew where one warp takes fewer cycles then.
pub(crate) fn settle(code: &mut Code, target: &Target) {
    for block in &mut code.blocks {
        let instructions = std::mem::take(&mut block.instructions);
        let mut so_far = Issued::default();
        for (run, end) in pieces(instructions) {
            let order = quickest(&run, end.as_ref(), target, &mut so_far);
            let mut slots: Vec<Option<Instruction>> = run.into_iter().map(Some).collect();
            block.instructions.extend(order.into_iter().filter_map(|index| slots.get_mut(index)?.take()));
            block.instructions.extend(end);
        }
    }
}

/// The better of two orders of a run, behind what has issued so far: as it stands or anew.
fn quickest(
    run: &[Instruction],
    end: Option<&Instruction>,
    target: &Target,
    so_far: &mut Issued,
) -> Vec<usize> {
    let graph = Graph::new(run, end, target);
    let written: Vec<usize> = (0..graph.missing.len()).collect();
    let listed = graph.list(so_far);
    let (before, after) = (graph.issued(&written, so_far), graph.issued(&listed, so_far));
    let is_better = (after.time, after.sum) < (before.time, before.sum);
    let (order, issued) = if is_better { (listed, after) } else { (written, before) };
    *so_far = issued;
    order
}

/// What must come before what, and by how many cycles.
struct Graph<'a> {
    target: &'a Target,
    after: Vec<Vec<(usize, u64)>>,
    missing: Vec<usize>,
    /// Cycles to the end, at best.
    height: Vec<u64>,
    pipes: Vec<(Pipe, Option<Unit>)>,
}

impl<'a> Graph<'a> {
    /// Of the instructions and, as the last one, what follows them.
    fn new(run: &[Instruction], end: Option<&Instruction>, target: &'a Target) -> Graph<'a> {
        let all: Vec<&Instruction> = run.iter().chain(end).collect();
        let mut graph = Graph {
            target,
            after: vec![Vec::new(); all.len()],
            missing: vec![0; all.len()],
            height: vec![1; all.len()],
            pipes: all.iter().map(|it| (it.opcode.info().pipe, Unit::of(it))).collect(),
        };
        graph.depend_on_registers(&all);
        graph.depend_on_memory(run);
        graph.depend_on_constants(run);
        if end.is_some() {
            (0..run.len()).for_each(|first| graph.edge(first, run.len(), 1));
        }
        for index in (0..all.len()).rev() {
            let below = graph.after[index].iter().map(|&(next, cycles)| cycles + graph.height[next]);
            graph.height[index] = below.max().unwrap_or(1);
        }
        graph
    }

    fn edge(&mut self, first: usize, second: usize, cycles: u64) {
        self.after[first].push((second, cycles));
        self.missing[second] += 1;
    }

    fn depend_on_registers(&mut self, all: &[&Instruction]) {
        let mut writers: Vec<Option<(usize, LatencyClass)>> = vec![None; Slot::COUNT];
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); Slot::COUNT];
        let table = &self.target.latencies;
        for (index, instruction) in all.iter().enumerate() {
            let accesses = instruction.accesses();
            for access in accesses.iter().filter(|access| access.role == Role::Read) {
                for (part, slot) in (0..).zip(access.resource.slots().map(Slot::index)) {
                    if let Some((first, class)) = writers[slot] {
                        let cycles = match table.latency(class) {
                            Latency::Fixed(_) => {
                                u64::from(table.cycles_to(class, Reader::of(instruction, access, part)))
                            }
                            Latency::Variable(_) if comes_from_memory(class) => FROM_DRAM,
                            Latency::Variable(cycles) => u64::from(cycles),
                        };
                        self.edge(first, index, cycles);
                    }
                    readers[slot].push(index);
                }
            }
            for access in accesses.iter().filter(|access| access.role == Role::Write) {
                for (part, slot) in (0..).zip(access.resource.slots().map(Slot::index)) {
                    let class = LatencyClass::of_result(instruction, access.resource, part);
                    if let Some((first, before)) = writers[slot]
                        && first != index
                    {
                        let cycles = u64::from(table.cycles(before)) + 1;
                        self.edge(first, index, cycles.saturating_sub(u64::from(table.cycles(class))).max(1));
                    }
                    for reader in std::mem::take(&mut readers[slot]) {
                        if reader != index {
                            let is_slow = is_slow(all[reader], access.resource, self.target);
                            self.edge(reader, index, if is_slow { SOURCES_READ } else { 1 });
                        }
                    }
                    writers[slot] = Some((index, class));
                }
            }
        }
    }

    fn depend_on_memory(&mut self, run: &[Instruction]) {
        let mut earlier: Vec<usize> = Vec::new();
        for (index, instruction) in run.iter().enumerate() {
            // Convergence barriers are no registers.
            let parts_lanes = |it: &Instruction| it.opcode.info().pipe == Pipe::Cbu;
            if Kind::of(instruction) == Kind::Free && !parts_lanes(instruction) {
                continue;
            }
            for &first in &earlier {
                let both_part_lanes = parts_lanes(&run[first]) && parts_lanes(instruction);
                if both_part_lanes || conflict(&run[first], instruction) {
                    self.edge(first, index, 1);
                }
            }
            earlier.push(index);
        }
    }

    /// What reads a constant stays behind the loads of constants before it: both may be missing, a load is waited for later, and what comes
    /// together is waited for once.
    fn depend_on_constants(&mut self, run: &[Instruction]) {
        let mut load = None;
        for (index, instruction) in run.iter().enumerate() {
            if !instruction.operands.iter().any(|operand| matches!(operand, Operand::Constant(_))) {
                continue;
            }
            if let Some(load) = load {
                self.edge(load, index, 1);
            }
            if instruction.opcode == Opcode::Ldc {
                load = Some(index);
            }
        }
    }

    /// The order in which each place is for what issues soonest, and of several for what has most behind it.
    fn list(&self, so_far: &Issued) -> Vec<usize> {
        let mut missing = self.missing.clone();
        let mut issue = Issue::new(self, so_far);
        let mut ready: Vec<usize> = (0..missing.len()).filter(|&index| missing[index] == 0).collect();
        let mut chosen = Vec::with_capacity(missing.len());
        while !ready.is_empty() {
            let key = |&(_, index): &(usize, &usize)| {
                (issue.time_of(*index), std::cmp::Reverse(self.height[*index]), *index)
            };
            let Some(at) = ready.iter().enumerate().min_by_key(key).map(|(at, _)| at) else { break };
            let index = ready.swap_remove(at);
            issue.take(index);
            for &(next, _) in &self.after[index] {
                missing[next] -= 1;
                if missing[next] == 0 {
                    ready.push(next);
                }
            }
            chosen.push(index);
        }
        chosen
    }

    /// What has issued after all instructions in an order.
    fn issued(&self, order: &[usize], so_far: &Issued) -> Issued {
        let mut issue = Issue::new(self, so_far);
        order.iter().for_each(|&index| issue.take(index));
        issue.issued
    }
}

/// What one warp has issued in a block.
#[derive(Clone, Debug, Default)]
struct Issued {
    turns: Turns,
    last: Option<Pipe>,
    /// When the next instruction may issue.
    time: u64,
    /// The times of all together: of two orders that end at once the one that issues sooner is better.
    sum: u64,
}

/// One warp that issues the instructions of a run.
struct Issue<'a> {
    graph: &'a Graph<'a>,
    earliest: Vec<u64>,
    issued: Issued,
}

impl<'a> Issue<'a> {
    fn new(graph: &'a Graph<'a>, so_far: &Issued) -> Issue<'a> {
        Issue { graph, earliest: vec![0; graph.missing.len()], issued: so_far.clone() }
    }

    /// When an instruction may issue.
    fn time_of(&self, index: usize) -> u64 {
        let (pipe, unit) = self.graph.pipes[index];
        let (target, issued) = (self.graph.target, &self.issued);
        let more = match (issued.last, pipe) {
            (Some(Pipe::Alu), Pipe::Alu) => target.integer_interval,
            (Some(Pipe::FmaHeavy), Pipe::FmaHeavy | Pipe::Fma) => target.product_interval,
            (Some(Pipe::Fp64), Pipe::Fp64) => target.choices.fp64_stall,
            _ => 1,
        };
        let next = issued.time + u64::from(more.max(1)) - 1;
        issued.turns.ready(unit, self.earliest[index].max(next), &target.choices)
    }

    fn take(&mut self, index: usize) {
        let time = self.time_of(index);
        let (pipe, unit) = self.graph.pipes[index];
        self.issued.turns.take(unit, time);
        self.issued.last = Some(pipe);
        for &(next, cycles) in &self.graph.after[index] {
            self.earliest[next] = self.earliest[next].max(time + cycles);
        }
        self.issued.time = time + 1;
        self.issued.sum += time;
    }
}

/// Whether a result comes from beyond the multiprocessor.
fn comes_from_memory(class: LatencyClass) -> bool {
    matches!(class, LatencyClass::GlobalLoad | LatencyClass::Atomic)
}

/// Whether an instruction may read a register long after it has issued.
fn is_slow(instruction: &Instruction, resource: Resource, target: &Target) -> bool {
    let class = instruction.opcode.info().latency;
    matches!(resource, Resource::Registers(..))
        && matches!(target.latencies.latency(class), Latency::Variable(_))
}

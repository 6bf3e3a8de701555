//! Control fields: stall counts for fixed latencies, wait counters for the others.

mod share;

use crate::select::{BULK_GROUPS, GROUPS};
use crate::turns::{Turns, Unit};
use share::{Shared, UnderWay, first_touches};
use warplab_program::{
    Access, Instruction, Latency, LatencyClass, LatencyTable, Opcode, Pipe, Reader, Resource, Role, Slot,
    Target, WAIT_COUNTERS,
};

/// Cycles in which a result of variable latency is taken to come, where it must not overtake one of fixed latency.
const ORDERED_WITHIN: u64 = 15;

/// The registers of an access, numbered in one row.
fn numbers(resource: Resource) -> impl Iterator<Item = usize> {
    resource.slots().map(Slot::index)
}

/// How many registers of all kinds there are.
const TOTAL: usize = Slot::COUNT;

/// Fixed-latency results that are under way inside a block.
struct Fixed {
    /// The cycle at which each register's last result was issued, and by what.
    issued: Vec<Option<(u64, LatencyClass, Resource)>>,
    cycle: u64,
    /// When each instruction before issues.
    times: Vec<u64>,
    turns: Turns,
}

/// Which wait counters guard the result, and the reading, of each register.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pending {
    writing: Vec<u8>,
    reading: Vec<u8>,
}

impl Pending {
    fn new() -> Pending {
        Pending { writing: vec![0; TOTAL], reading: vec![0; TOTAL] }
    }

    /// Barriers that still guard something.
    fn busy(&self) -> u8 {
        self.writing.iter().chain(&self.reading).fold(0, |mask, it| mask | it)
    }

    fn clear(&mut self, mask: u8) {
        if mask != 0 {
            self.writing.iter_mut().chain(&mut self.reading).for_each(|it| *it &= !mask);
        }
    }

    /// Adds what is pending elsewhere; says whether anything was new.
    fn join(&mut self, other: &Pending) -> bool {
        let mut changed = false;
        let mine = self.writing.iter_mut().chain(&mut self.reading);
        for (mine, theirs) in mine.zip(other.writing.iter().chain(&other.reading)) {
            changed |= theirs & !*mine != 0;
            *mine |= theirs;
        }
        changed
    }

    /// The barriers that an instruction must wait for.
    fn wait(&self, instruction: &Instruction) -> u8 {
        let mut wait = 0;
        for access in instruction.accesses() {
            for number in numbers(access.resource) {
                wait |= self.writing[number];
                if access.role == Role::Write {
                    wait |= self.reading[number];
                }
            }
        }
        wait
    }

    /// What an instruction leaves pending.
    fn issue(&mut self, instruction: &Instruction) {
        for access in instruction.accesses() {
            let (barrier, list) = match access.role {
                Role::Write => (instruction.control.write_barrier, &mut self.writing),
                Role::Read if matches!(access.resource, Resource::Registers(..)) => {
                    (instruction.control.read_barrier, &mut self.reading)
                }
                Role::Read => continue,
            };
            if let Some(barrier) = barrier {
                numbers(access.resource).for_each(|number| list[number] |= 1 << barrier);
            }
        }
    }
}

/// Sets the control fields of a kernel. `starts` are the first instructions of the blocks.
pub(crate) fn control(instructions: &mut [Instruction], starts: &[usize], target: &Target) {
    let table = &target.latencies;
    for instruction in instructions.iter_mut() {
        instruction.control = warplab_program::Control::default();
    }
    let ranges: Vec<(usize, usize)> = starts
        .iter()
        .enumerate()
        .map(|(index, &start)| (start, starts.get(index + 1).copied().unwrap_or(instructions.len())))
        .collect();
    assign_barriers(instructions, &ranges, target);
    set_waits(instructions, &ranges);
    for &(start, end) in &ranges {
        stalls(&mut instructions[start..end], target);
        yields(&mut instructions[start..end], table);
    }
}

/// Cycles after which a short stall lets other warps go first, too.
const TURN: u32 = 12;

/// Says of the instructions of a block which let other warps go first, as ptxas does: of those that compute at a fixed latency all
/// with a stall of three cycles or more, and with two the first after some time. The bit of the others is set.
fn yields(instructions: &mut [Instruction], table: &LatencyTable) {
    let mut since = 0;
    for instruction in instructions {
        let computes = computes(instruction.opcode.info().pipe) && !is_variable(instruction, table);
        let yields = computes
            && match instruction.control.stall {
                0 | 1 => false,
                2 => since >= TURN,
                _ => true,
            };
        instruction.control.yield_hint = !yields;
        since = if yields { 0 } else { since } + u32::from(instruction.control.stall);
    }
}

/// Whether the result comes after a time that is not known.
fn is_variable(instruction: &Instruction, table: &LatencyTable) -> bool {
    let class = instruction.opcode.info().latency;
    matches!(table.latency(class), Latency::Variable(_)) && class != LatencyClass::Barrier
}

/// Gives every instruction of unknown latency a barrier for its result, or for its sources if these may be overwritten
/// before the result is waited for.
fn assign_barriers(instructions: &mut [Instruction], ranges: &[(usize, usize)], target: &Target) {
    let table = &target.latencies;
    let touched = touched_elsewhere(instructions);
    let mut in_danger = vec![false; instructions.len()];
    for &(start, end) in ranges {
        sources_in_danger(&instructions[start..end], table, &mut in_danger[start..end]);
    }
    let reads = in_danger.contains(&true);
    let has = |opcode| instructions.iter().any(|it| it.opcode == opcode);
    let first = match (has(Opcode::Ldgdepbar), has(Opcode::Utmacmdflush)) {
        (_, true) => BULK_GROUPS + 1,
        (true, false) => GROUPS + 1,
        (false, false) => 0,
    };
    let results = first..if reads { READING } else { READING + 1 };
    let mut entry = Pending::new();
    let mut shared = Shared::default();
    for &(start, end) in ranges {
        let mut pending = entry.clone();
        let mut last = first;
        let awaited = first_touches(&instructions[start..end], start);
        for index in start..end {
            let wait = pending.wait(&instructions[index]);
            pending.clear(wait);
            shared.clear(wait);
            if !is_variable(&instructions[index], table) {
                continue;
            }
            let accesses = instructions[index].accesses();
            if accesses.iter().any(|access| access.role == Role::Write) {
                let busy = pending.busy();
                let result = UnderWay::new(&instructions[index], index, awaited[index - start], target);
                last = results
                    .clone()
                    .find(|number| busy >> number & 1 == 0)
                    .unwrap_or_else(|| shared.best(results.clone(), last, &result));
                shared.take(last, result);
                instructions[index].control.write_barrier = Some(last);
            } else if instructions[index].opcode == Opcode::Ldgdepbar {
                instructions[index].control.write_barrier = Some(GROUPS);
            } else if instructions[index].opcode == Opcode::Utmacmdflush {
                instructions[index].control.write_barrier = Some(BULK_GROUPS);
            }
            if in_danger[index] {
                instructions[index].control.read_barrier = Some(READING);
            }
            let awaited =
                accesses.iter().flat_map(|access| numbers(access.resource)).any(|number| touched[number] > 1);
            if awaited {
                pending.issue(&instructions[index]);
            }
        }
        let leaves =
            end > start && !instructions[end - 1].falls_through() && instructions[end - 1].target().is_none();
        if leaves {
            shared.clear(u8::MAX);
        }
        entry = if leaves { Pending::new() } else { pending };
    }
}

/// The barrier that guards the reading of sources, where any needs it: reading is over soon, results are not, so that
/// the two never share a barrier.
#[expect(clippy::cast_possible_truncation, reason = "there are six")]
const READING: u8 = WAIT_COUNTERS as u8 - 1;

/// How many instructions read or write each register.
fn touched_elsewhere(instructions: &[Instruction]) -> Vec<u32> {
    let mut touched = vec![0; TOTAL];
    for instruction in instructions {
        for access in instruction.accesses() {
            numbers(access.resource).for_each(|number| touched[number] += 1);
        }
    }
    touched
}

/// For each instruction of a block whose latency is unknown: whether a source may be overwritten before its result is
/// waited for (and with it the reading of its sources known to be over). From the end of the block upwards, with the
/// next place that touches each register.
fn sources_in_danger(block: &[Instruction], table: &LatencyTable, in_danger: &mut [bool]) {
    use Opcode::{Ldc, S2r, S2ur, Uldc};
    const NEVER: usize = usize::MAX;
    let (mut next_touch, mut next_write) = (vec![NEVER; TOTAL], vec![NEVER; TOTAL]);
    let mut next_exit = NEVER;
    for (index, instruction) in block.iter().enumerate().rev() {
        let accesses = instruction.accesses();
        let soonest = |next: &[usize], role: Role| {
            let wanted = accesses.iter().filter(|access| {
                access.role == role
                    && (role == Role::Write || matches!(access.resource, Resource::Registers(..)))
            });
            wanted.flat_map(|access| numbers(access.resource)).map(|number| next[number]).min()
        };
        if is_variable(instruction, table)
            && !matches!(instruction.opcode, Ldc | S2r | S2ur | Uldc)
            && let Some(overwritten) = soonest(&next_write, Role::Read)
        {
            let awaited = soonest(&next_touch, Role::Write).unwrap_or(NEVER);
            in_danger[index] = if overwritten == NEVER {
                // What follows the block may overwrite them.
                awaited == NEVER && next_exit == NEVER
            } else {
                overwritten < awaited && overwritten < next_exit
            };
        }
        for access in &accesses {
            for number in numbers(access.resource) {
                next_touch[number] = index;
                if access.role == Role::Write {
                    next_write[number] = index;
                }
            }
        }
        if instruction.opcode == Opcode::Exit && instruction.guard.is_always() {
            next_exit = index;
        }
    }
}

/// Sets the wait masks, over the whole flow of the kernel.
fn set_waits(instructions: &mut [Instruction], ranges: &[(usize, usize)]) {
    let block_at = |start: usize| ranges.binary_search_by_key(&start, |range| range.0).ok();
    let mut entries: Vec<Option<Pending>> = vec![None; ranges.len()];
    if let Some(first) = entries.first_mut() {
        *first = Some(Pending::new());
    }
    let mut work = vec![0];
    while let Some(block) = work.pop() {
        let Some(mut pending) = entries[block].clone() else { continue };
        let (start, end) = ranges[block];
        for instruction in &mut instructions[start..end] {
            let leaves = matches!(instruction.opcode, Opcode::Call | Opcode::Ret);
            let wait = if leaves { pending.busy() } else { pending.wait(instruction) };
            instruction.control.wait_mask |= wait;
            pending.clear(instruction.control.wait_mask);
            pending.issue(instruction);
        }
        let Some(last) = instructions[..end].last() else { continue };
        let mut next: Vec<usize> = Vec::new();
        if last.falls_through() && block + 1 < ranges.len() {
            next.push(block + 1);
        }
        if last.opcode == Opcode::Bra {
            next.extend(last.target().and_then(|target| block_at(target as usize)));
        }
        for next in next {
            let changed = match &mut entries[next] {
                Some(entry) => entry.join(&pending),
                slot => {
                    *slot = Some(pending.clone());
                    true
                }
            };
            if changed {
                work.push(next);
            }
        }
    }
}

/// Sets the stall counts of a block.
fn stalls(instructions: &mut [Instruction], target: &Target) {
    let choices = &target.choices;
    let most = choices.longest_stall;
    let mut fixed = Fixed {
        issued: vec![None; TOTAL],
        cycle: 0,
        times: Vec::with_capacity(instructions.len()),
        turns: Turns::default(),
    };
    for index in 0..instructions.len() {
        fixed.stretch(instructions, index, target, most);
        fixed.times.push(fixed.cycle);
        let to_waiter = if is_awaited_next(instructions, index) { choices.wait_counter_stall } else { 1 };
        let to_pipe =
            instructions.get(index + 1).map_or(1, |next| cycles_to_pipe(&instructions[index], next, target));
        let instruction = &mut instructions[index];
        instruction.control.stall = shortest(instruction, target).max(to_waiter).max(to_pipe).min(most);
        fixed.issue(instruction, target);
        fixed.cycle += u64::from(instruction.control.stall);
    }
    // What is under way at the end is covered there: nothing fixed is pending at a block's start.
    let Some(last) = instructions.len().checked_sub(1) else { return };
    let opcode = instructions[last].opcode;
    if opcode == Opcode::Exit {
        return;
    }
    // Where lanes meet and where functions are called all of it is there before, elsewhere behind the last instruction.
    let before = matches!(opcode, Opcode::Bsync | Opcode::Call) && last > 0;
    let (end, ends) = match before {
        true => (fixed.times[last], [last - 1, last]),
        false => (fixed.cycle, [last, last.saturating_sub(1)]),
    };
    let mut pending = fixed.pending(target).saturating_sub(end);
    for at in ends {
        lengthen(&mut instructions[at].control.stall, &mut pending, most);
    }
}

impl Fixed {
    /// The cycle at which an instruction may issue.
    fn ready(&self, instruction: &Instruction, target: &Target) -> u64 {
        let table = &target.latencies;
        let mut ready = self.turns.ready(Unit::of(instruction), self.cycle, &target.choices);
        for access in instruction.accesses() {
            for (part, number) in numbers(access.resource).enumerate() {
                let Some((issued, class, _)) = self.issued[number] else { continue };
                ready = ready.max(match access.role {
                    Role::Read => {
                        let reader = Reader::of(instruction, &access, crate::code::number(part));
                        issued + u64::from(table.cycles_to(class, reader))
                    }
                    // A shorter latency must not overtake a longer one.
                    Role::Write => (issued + u64::from(table.cycles(class)) + 1)
                        .saturating_sub(result_cycles(instruction, &access, part, table)),
                });
            }
        }
        ready
    }

    /// Makes the instructions before one hold it up until it is ready, the last first. What comes behind one that is held up longer issues
    /// later, too, and so do its results.
    fn stretch(&mut self, instructions: &mut [Instruction], index: usize, target: &Target, most: u8) {
        let mut at = index;
        while at > 0 {
            at -= 1;
            let mut missing = self.ready(&instructions[index], target).saturating_sub(self.cycle);
            if missing == 0 {
                return;
            }
            let wanted = missing;
            lengthen(&mut instructions[at].control.stall, &mut missing, most);
            let more = wanted - missing;
            self.cycle += more;
            if at + 1 < index && more > 0 {
                let since = self.times[at];
                let later = self.issued.iter_mut().flatten().filter(|(issued, ..)| *issued > since);
                later.for_each(|(issued, ..)| *issued += more);
                self.turns.put_off(since, more);
                self.times[at + 1..].iter_mut().for_each(|time| *time += more);
            }
        }
    }

    fn issue(&mut self, instruction: &Instruction, target: &Target) {
        let table = &target.latencies;
        let variable = is_variable(instruction, table);
        self.turns.take(Unit::of(instruction), self.cycle);
        for access in instruction.accesses().iter().filter(|access| access.role == Role::Write) {
            for (part, number) in numbers(access.resource).enumerate() {
                let class = LatencyClass::of_result(instruction, access.resource, crate::code::number(part));
                self.issued[number] = (!variable).then_some((self.cycle, class, access.resource));
            }
        }
    }

    /// When the last of the results under way is there, for whoever reads it.
    fn pending(&self, target: &Target) -> u64 {
        let ends = self
            .issued
            .iter()
            .flatten()
            .map(|&(issued, class, resource)| issued + u64::from(cycles_to_all(class, resource, target)));
        ends.max().unwrap_or(0)
    }
}

/// Cycles from an instruction until whatever stands in another block may read its result: as many as for the reader that waits longest,
/// or those that the machine wants there.
fn cycles_to_all(class: LatencyClass, resource: Resource, target: &Target) -> u16 {
    let (table, choices) = (&target.latencies, &target.choices);
    let more = match (class, resource) {
        (LatencyClass::Uniform, Resource::Uniforms(..)) => choices.uniform_end_stall,
        (_, Resource::Registers(..) | Resource::Uniforms(..)) => choices.block_end_stall,
        _ => 0,
    };
    table.most_cycles(class, resource).max(table.cycles(class) + u16::from(more))
}

/// Lengthens a stall by what is missing, as far as it goes.
fn lengthen(stall: &mut u8, missing: &mut u64, most: u8) {
    let room = most.saturating_sub(*stall);
    let more = u8::try_from(*missing).map_or(room, |missing| missing.min(room));
    *stall += more;
    *missing -= u64::from(more);
}

fn result_cycles(instruction: &Instruction, access: &Access, part: usize, table: &LatencyTable) -> u64 {
    match table.latency(LatencyClass::of_result(instruction, access.resource, crate::code::number(part))) {
        Latency::Fixed(cycles) => u64::from(cycles),
        Latency::Variable(_) => ORDERED_WITHIN,
    }
}

/// The least stall count of an instruction.
fn shortest(instruction: &Instruction, target: &Target) -> u8 {
    use Opcode::*;
    let branch = u8::try_from(target.latencies.cycles(LatencyClass::Branch)).unwrap_or(u8::MAX);
    match instruction.opcode {
        Bra | Exit | Bsync | Call | Ret => branch.min(target.choices.branch_stall).max(1),
        _ if instruction.opcode.info().latency == LatencyClass::Fp64 => target.choices.fp64_stall.max(1),
        _ => 1,
    }
}

/// Cycles for which an instruction takes the pipe of the next one: ptxas lets that wait, so that no turn is lost to the pipe.
fn cycles_to_pipe(instruction: &Instruction, next: &Instruction, target: &Target) -> u8 {
    match (instruction.opcode.info().pipe, next.opcode.info().pipe) {
        (Pipe::Alu, Pipe::Alu) => target.integer_interval,
        (Pipe::FmaHeavy, Pipe::FmaHeavy | Pipe::Fma) => target.product_interval,
        (_, pipe) if instruction.opcode == Opcode::Bar && !computes(pipe) => target.choices.barrier_stall,
        _ => 1,
    }
}

/// Whether the instructions of a pipe only compute.
fn computes(pipe: Pipe) -> bool {
    matches!(pipe, Pipe::Alu | Pipe::Fma | Pipe::FmaHeavy | Pipe::Fp16 | Pipe::Fp64 | Pipe::Uniform)
}

/// Whether an instruction sets a wait counter for which the next one waits, or may wait: a counter is up only some
/// cycles after its instruction has issued, and who waits for it must not come before.
fn is_awaited_next(instructions: &[Instruction], index: usize) -> bool {
    let control = &instructions[index].control;
    let set =
        [control.write_barrier, control.read_barrier].into_iter().flatten().fold(0, |mask, b| mask | 1 << b);
    set != 0 && instructions.get(index + 1).is_none_or(|next| next.control.wait_mask & set != 0)
}

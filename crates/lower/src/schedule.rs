//! The order of the instructions inside a block: loads early, latencies covered, registers kept in bounds.
//!
//! A list scheduler. Loads move up past stores and atomic operations that are provably elsewhere; barriers, fences, ordered accesses
//! and clock reads stay where they are among what they order.

mod conflicts;
mod hoist;
mod loads;
mod peak;
mod pressure;
mod versions;

use crate::code::{Code, reads_clock};
use crate::graph::Graph;
use crate::liveness::{Liveness, Marks};
use crate::turns::{Turns, Unit};
use conflicts::is_product;
pub(crate) use conflicts::{Kind, conflict, is_exchange, same_window};
use loads::UnderWay;
pub(crate) use peak::peak;
use peak::written_peak;
use pressure::Pressure;
use versions::Versions;
use warplab_program::{Instruction, LatencyClass, Opcode, Operand, Register, Role, Target, TargetChoices};

/// From so many live uniform registers on, what frees some goes first: there are 63, and they are never spilled.
const MANY_UNIFORMS: usize = 40;

/// Loads that pass the products of matrices in front of them, of a run of instructions: ptxas has four to nine in front of the first
/// product of twelve kernels with more, ten of `k_weights_4_bits`, and sixteen and more where products need them all (`k_lora`,
/// `k_dsyrk`; traces/h200/matrices.sass).
const LOADS_BEFORE_PRODUCTS: usize = 10;

/// Barriers that a load of what nothing writes passes: ptxas moves such loads over one (`nek_axhelm_hex3d_n7`) and more
/// (`wkv6_forward`; traces/h200/unseen), and their results take registers for so long.
const BARRIERS_PASSED: usize = 1;

/// From so many live predicates on, likewise: there are 7, and to keep one elsewhere takes two instructions.
const MANY_PREDICATES: usize = 6;

/// Cycles to the end of a block that differ by less than this are about the same.
const URGENCY_GRAIN: u64 = 64;

/// The most instructions that are put into order at once: a longer block is ordered piece by piece, so that the time
/// grows with its length and not with its square.
const MOST_AT_ONCE: usize = 2048;

/// Registers that are left for what is at hand, as long as something is.
const MARGIN: usize = 3;

/// Registers that are not counted on: groups do not fit everywhere.
const RESERVE: u32 = 8;

/// What comes next where registers are short and nothing frees one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Short {
    /// What takes the fewest.
    Fewest,
    /// What was written first.
    AsWritten,
}

/// What was found of a kernel when it was put into order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ordered {
    /// The most registers that the order as written keeps alive.
    pub(crate) written: usize,
    /// The same where loads are under way together.
    pub(crate) together: usize,
    /// The most registers that the order keeps alive.
    pub(crate) alive: usize,
    /// Cycles of one warp alone.
    pub(crate) cycles: u64,
}

/// Orders every block; a thread may have so many registers. `within`: no more than these are to be alive, where that can be done.
pub(crate) fn schedule(code: &mut Code, target: &Target, limit: u32, within: Option<usize>) -> Ordered {
    let choices = &target.choices;
    let most = choices.most_comfortable_registers.min(limit.saturating_sub(RESERVE));
    let live = Liveness::new(code);
    // What one block needs anyway, all may have.
    let written = (0..code.blocks.len()).map(|block| written_peak(code, &live, block)).max().unwrap_or(0);
    let choices = TargetChoices {
        most_comfortable_registers: most,
        comfortable_registers: choices
            .comfortable_registers
            .max(crate::code::number(roomy(written, choices)).min(most)),
        ..*choices
    };
    let target = &Target { choices, ..target.clone() };
    let mut values = BlockValues::new(&live);
    let mut found = Ordered { written, together: written, alive: 0, cycles: 0 };
    let graph = Graph::new(code);
    for index in 0..code.blocks.len() {
        let instructions = std::mem::take(&mut code.blocks[index].instructions);
        let before = std::mem::take(&mut found.cycles);
        code.blocks[index].instructions =
            order(instructions, &mut values, index, (target, within), &mut found);
        found.cycles = before + found.cycles * graph.turns(index);
    }
    found
}

/// So many live registers and some for loads, counted in eights.
fn roomy(peak: usize, choices: &TargetChoices) -> usize {
    with_spare(peak, choices).next_multiple_of(8)
}

/// So many live registers and some for loads.
fn with_spare(live: usize, choices: &TargetChoices) -> usize {
    live + live / choices.live_registers_per_spare.max(1) as usize
}

/// What is known of the values at a place of a block.
struct BlockValues<'a> {
    live: &'a Liveness,
    /// Which are alive, and how many of each kind.
    alive: Marks,
    counts: [usize; 3],
    /// Which the block leaves alive.
    left: Marks,
    /// Which are read in the block, and by what piece last.
    read: Marks,
    last_piece: Vec<usize>,
    /// The numbers of the values of a run among themselves.
    seen: Marks,
    local: Vec<u32>,
}

impl<'a> BlockValues<'a> {
    fn new(live: &'a Liveness) -> BlockValues<'a> {
        let total = live.numbering.total;
        let [alive, left, read, seen] = [(); 4].map(|()| Marks::new(total));
        let (last_piece, local) = (vec![0; total], vec![0; total]);
        BlockValues { live, alive, counts: [0; 3], left, read, last_piece, seen, local }
    }

    fn begin(&mut self, block: usize, pieces: &[(Vec<Instruction>, Option<Instruction>)]) {
        [&mut self.alive, &mut self.left, &mut self.read].into_iter().for_each(Marks::clear);
        self.counts = [0; 3];
        let live = self.live;
        live.live_in[block].iter().for_each(|number| self.becomes_alive(number));
        live.live_out[block].iter().for_each(|number| _ = self.left.insert(number));
        for (piece, (run, end)) in pieces.iter().enumerate() {
            let (own, later) = (2 * piece, 2 * piece + 1);
            let reads = run.iter().map(|it| (it, own)).chain(end.iter().map(|it| (it, later)));
            for (instruction, place) in reads {
                for access in instruction.accesses().iter().filter(|access| access.role == Role::Read) {
                    for number in live.numbering.of(access.resource) {
                        self.read.insert(number);
                        self.last_piece[number] = place;
                    }
                }
            }
        }
    }

    fn becomes_alive(&mut self, number: usize) {
        if self.alive.insert(number) {
            self.counts[self.live.numbering.kind(number)] += 1;
        }
    }

    /// Whether a value is needed after the run of a piece: by what later pieces read, or by what follows the block.
    fn is_needed_after(&self, piece: usize, number: usize) -> bool {
        self.left.contains(number) || self.read.contains(number) && self.last_piece[number] > 2 * piece
    }
}

/// A block in pieces that are put into order, each with what stands behind it: clock reads, exits, calls and waits for products of warpgroups,
/// which do not name their sums, divide a block, and nothing crosses them.
pub(crate) fn pieces(instructions: Vec<Instruction>) -> Vec<(Vec<Instruction>, Option<Instruction>)> {
    use Opcode::{Bpt, Bsync, Call, Exit, Nanosleep, Warpgroup};
    let total = instructions.len();
    let mut run: Vec<Instruction> = Vec::new();
    let mut pieces: Vec<(Vec<Instruction>, Option<Instruction>)> = Vec::new();
    for (index, instruction) in instructions.into_iter().enumerate() {
        let divides = reads_clock(&instruction)
            || instruction.operands.first() == Some(&Operand::register(Register(1)))
            || matches!(instruction.opcode, Exit | Bsync | Call | Nanosleep | Bpt | Warpgroup)
            || (index + 1 == total && instruction.opcode.changes_flow());
        if divides {
            pieces.push((std::mem::take(&mut run), Some(instruction)));
        } else {
            run.push(instruction);
            if run.len() == MOST_AT_ONCE {
                pieces.push((std::mem::take(&mut run), None));
            }
        }
    }
    pieces.push((run, None));
    pieces
}

fn order(
    instructions: Vec<Instruction>,
    values: &mut BlockValues<'_>,
    block: usize,
    (target, within): (&Target, Option<usize>),
    found: &mut Ordered,
) -> Vec<Instruction> {
    let mut result = Vec::with_capacity(instructions.len());
    let pieces = pieces(instructions);
    values.begin(block, &pieces);
    for (piece, (run, end)) in pieces.into_iter().enumerate() {
        let numbering = &values.live.numbering;
        let written: Vec<usize> = run
            .iter()
            .chain(&end)
            .flat_map(Instruction::accesses)
            .filter(|access| access.role == Role::Write)
            .flat_map(|access| numbering.of(access.resource))
            .collect();
        let run = Run::new(run, values, piece, target);
        found.together = found.together.max(run.with_loads(run.pressure.live));
        let (ordered, alive, cycles) = run.order(&target.choices, within);
        found.alive = found.alive.max(alive);
        found.cycles += cycles;
        result.extend(ordered);
        for number in written {
            if values.is_needed_after(piece, number) {
                values.becomes_alive(number);
            }
        }
        result.extend(end);
    }
    result
}

/// Instructions to be put into order. Their values have numbers of the run's own.
struct Run {
    instructions: Vec<Instruction>,
    /// What must come before, and how many cycles before.
    before: Vec<Vec<(u32, u32)>>,
    after: Vec<Vec<(u32, u32)>>,
    /// Cycles from the issue of each to the end of the run, at best.
    height: Vec<u64>,
    /// The unit of each that takes one only every few cycles.
    units: Vec<Option<Unit>>,
    reads: Vec<Vec<u32>>,
    writes: Vec<Vec<u32>>,
    /// What kind each value is.
    kinds: Vec<usize>,
    versions: Versions,
    /// What is alive at the start.
    pressure: Pressure,
}

impl Run {
    fn new(
        instructions: Vec<Instruction>,
        values: &mut BlockValues<'_>,
        piece: usize,
        target: &Target,
    ) -> Run {
        let count = instructions.len();
        let mut numbers: Vec<usize> = Vec::new();
        values.seen.clear();
        let [reads, writes] = [Role::Read, Role::Write].map(|role| {
            let list_of = |instruction: &Instruction| {
                let accesses = instruction.accesses();
                let wanted = accesses.iter().filter(|access| access.role == role);
                let mut list: Vec<u32> = Vec::new();
                for number in wanted.flat_map(|access| values.live.numbering.of(access.resource)) {
                    if values.seen.insert(number) {
                        values.local[number] = crate::code::number(numbers.len());
                        numbers.push(number);
                    }
                    list.push(values.local[number]);
                }
                list.sort_unstable();
                list.dedup();
                list
            };
            instructions.iter().map(list_of).collect::<Vec<Vec<u32>>>()
        });
        let kinds: Vec<usize> = numbers.iter().map(|&number| values.live.numbering.kind(number)).collect();
        let versions = Versions::new(&instructions, &reads, &writes, &kinds);
        let pressure = Pressure {
            live: values.counts[0],
            live_predicates: values.counts[1],
            live_uniforms: values.counts[2],
            is_live: versions.all(|number, is_first, _| is_first && values.alive.contains(numbers[number])),
            keep: versions
                .all(|number, _, is_last| is_last && values.is_needed_after(piece, numbers[number])),
            remaining: versions.times_read(),
        };
        let units = instructions.iter().map(Unit::of).collect();
        let mut run = Run {
            instructions,
            units,
            before: vec![Vec::new(); count],
            after: vec![Vec::new(); count],
            height: vec![0; count],
            reads,
            writes,
            kinds,
            versions,
            pressure,
        };
        run.depend_on_registers(target);
        run.depend_on_memory();
        for index in (0..count).rev() {
            let below =
                run.after[index].iter().map(|&(next, cycles)| u64::from(cycles) + run.height[next as usize]);
            run.height[index] = below.max().unwrap_or(0).max(1);
        }
        run
    }

    fn edge(&mut self, first: usize, second: usize, cycles: u64) {
        let cycles = u32::try_from(cycles).unwrap_or(u32::MAX);
        self.before[second].push((crate::code::number(first), cycles));
        self.after[first].push((crate::code::number(second), cycles));
    }

    fn depend_on_registers(&mut self, target: &Target) {
        let mut writer: Vec<Option<usize>> = vec![None; self.kinds.len()];
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); self.kinds.len()];
        for index in 0..self.instructions.len() {
            for number in self.reads[index].clone() {
                let number = number as usize;
                if let Some(first) = writer[number] {
                    let cycles = latency(&self.instructions[first], target);
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
        let mut loads = 0;
        for index in 0..self.instructions.len() {
            let kind = Kind::of(&self.instructions[index]);
            if kind == Kind::Free {
                continue;
            }
            let is_load = self.instructions[index].opcode == Opcode::Ldg;
            loads += usize::from(is_load);
            let is_late = is_load && loads > LOADS_BEFORE_PRODUCTS;
            let mut passed = if kind == Kind::ConstantLoad { 0 } else { BARRIERS_PASSED };
            for &first in earlier.iter().rev() {
                let before = &self.instructions[first];
                if before.opcode == Opcode::Bar && passed < BARRIERS_PASSED {
                    passed += 1;
                    continue;
                }
                let orders_all = Kind::of(before) == Kind::Fence && !is_exchange(before);
                if is_late && is_product(before) || conflict(before, &self.instructions[index]) {
                    self.edge(first, index, 1);
                    // What came before a full fence is ordered through it.
                    if orders_all {
                        break;
                    }
                }
            }
            earlier.push(index);
        }
    }

    /// The instructions in a good order, the most registers that it keeps alive, and the cycles of one warp alone.
    fn order(mut self, choices: &TargetChoices, within: Option<usize>) -> (Vec<Instruction>, usize, u64) {
        // As many live registers as the order that was written keeps alive and some for loads, within bounds.
        let peak = self.pressure.clone().peak(&self);
        let comfortable = roomy(peak.max(self.with_loads(self.pressure.live)), choices)
            .min(choices.most_comfortable_registers as usize)
            .max(choices.comfortable_registers as usize);
        let (mut chosen, most) = self.sequence(choices, comfortable, Short::Fewest);
        let spare = with_spare(comfortable, choices);
        if let Some(registers) = within {
            if most > registers {
                chosen = self.within(choices, registers).0;
            }
        } else if most > spare + spare / 2 {
            // From what seems best at each place it has come to where nothing frees a register.
            let (other, peak) = self.within(choices, spare);
            if peak < most && self.cycles(choices, &other) <= self.cycles(choices, &chosen) {
                chosen = other;
            }
        }
        if within.is_none()
            && let Some((other, _)) =
                self.much_quicker_as_written(choices, spare, self.cycles(choices, &chosen))
        {
            chosen = other;
        }
        self.note_moves(&chosen);
        let (alive, cycles) = (self.peaks(&chosen)[0], self.cycles(choices, &chosen));
        let mut slots: Vec<Option<Instruction>> = self.instructions.into_iter().map(Some).collect();
        (chosen.into_iter().filter_map(|index| slots[index].take()).collect(), alive, cycles)
    }

    /// A good order, and the most registers that it keeps alive.
    fn sequence(&self, choices: &TargetChoices, comfortable: usize, short: Short) -> (Vec<usize>, usize) {
        let count = self.instructions.len();
        let mut missing: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut earliest = vec![0u64; count];
        let mut pressure = self.pressure.clone();
        let mut most = pressure.live;
        let mut ready: Vec<usize> = (0..count).filter(|&index| missing[index] == 0).collect();
        let mut time = 0;
        let mut under_way = UnderWay::default();
        let mut turns = Turns::default();
        let mut chosen = Vec::with_capacity(count);
        while !ready.is_empty() {
            let has_room = under_way.has_room(time);
            for &index in &ready {
                earliest[index] = turns.ready(self.units[index], earliest[index], choices);
            }
            let at =
                self.choose(choices, &ready, &earliest, (time, has_room), &pressure, (comfortable, short));
            let index = ready.swap_remove(at);
            time = time.max(earliest[index]) + 1;
            turns.take(self.units[index], time - 1);
            match self.loaded_words(index) {
                0 => {}
                words => under_way.ask(time + u64::from(choices.load_cycles), words),
            }
            pressure.take(self, index);
            most = most.max(pressure.live);
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
        (chosen, most)
    }

    fn choose(
        &self,
        choices: &TargetChoices,
        ready: &[usize],
        earliest: &[u64],
        (time, has_room): (u64, bool),
        pressure: &Pressure,
        (comfortable, short): (usize, Short),
    ) -> usize {
        let tight = pressure.live >= comfortable;
        // Where a thread has many registers, a few more cost less than to wait for a load in between.
        let has_slack = comfortable > choices.few_registers as usize
            && (has_room || pressure.live < with_spare(comfortable, choices));
        // Where registers may become short, what is about as urgent goes in the order as written: chain by chain.
        let grain = if 2 * pressure.live >= comfortable { URGENCY_GRAIN } else { 1 };
        let sparing = 2 * pressure.live >= comfortable;
        // To keep a predicate elsewhere takes less than to wait for a load.
        let goes_on = |&index: &usize| {
            earliest[index].saturating_sub(time) < u64::from(choices.load_cycles) / 2
                && pressure.growth(self, index, 1) <= 0
        };
        let many_predicates = pressure.live_predicates >= MANY_PREDICATES && ready.iter().any(goes_on);
        let many_uniforms = pressure.live_uniforms >= MANY_UNIFORMS;
        // Before it waits for a load, one more is asked for.
        let must_wait = !tight
            && !ready.iter().any(|&index| {
                earliest[index].saturating_sub(time) < u64::from(choices.long_wait)
                    && pressure.growth(self, index, 0) <= 0
            });
        let crowded_from = if must_wait { comfortable + 1 } else { comfortable.saturating_sub(MARGIN) };
        let mut best = 0;
        let mut best_key = None;
        for (at, &index) in ready.iter().enumerate() {
            let signed = |cycles: u64| i64::try_from(cycles).unwrap_or(i64::MAX);
            let order = -i64::from(crate::code::number(index));
            let growth = pressure.growth(self, index, 0);
            let wait = earliest[index].saturating_sub(time);
            // Where registers become short, a load that is needed later is not worth one only because it is ready.
            let late =
                signed(if sparing && growth > 0 && wait <= u64::from(choices.patience) { 0 } else { wait });
            let uniform_growth = if many_uniforms { pressure.growth(self, index, 2) } else { 0 };
            // What frees a predicate may still wait for a load: others are under way meanwhile.
            let predicate_growth = if many_predicates { pressure.growth(self, index, 1).max(0) } else { 0 };
            let scarce_growth = predicate_growth + uniform_growth;
            // Of what takes one more of them, what was written first.
            let scarce_order = if scarce_growth > 0 { order } else { 0 };
            // When registers are short, first what frees some, then the order as written.
            let key = if tight {
                let is_long = has_slack && late >= i64::from(choices.long_wait);
                let most = if short == Short::AsWritten { 1 } else { i64::MAX };
                let cost =
                    growth.clamp(0, most) + if is_long { i64::from(choices.long_wait_registers) } else { 0 };
                (-scarce_growth, scarce_order, -cost, -late.min(4), order, 0)
            } else {
                let more = usize::try_from(growth).unwrap_or(0);
                let crowd = if more > 0 && pressure.live + more >= crowded_from { -1 } else { 0 };
                (-scarce_growth, scarce_order, crowd, -late, signed(self.height[index] / grain), order)
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
        // Of the stores that now stand behind, the one that was written first.
        let mut first_store = usize::MAX;
        for &index in chosen.iter().rev() {
            let instruction = &mut self.instructions[index];
            match instruction.opcode {
                Opcode::Ldg | Opcode::Lds | Opcode::Ld | Opcode::Ldl if first_store < index => {
                    instruction.origin.note = "hoisted above a store that is elsewhere";
                }
                Opcode::Stg | Opcode::Sts | Opcode::St | Opcode::Stl => first_store = first_store.min(index),
                _ => {}
            }
        }
    }
}

/// Cycles until a result comes, one from beyond the multiprocessor as if from level two.
pub(crate) fn latency(instruction: &Instruction, target: &Target) -> u64 {
    match instruction.opcode.info().latency {
        LatencyClass::GlobalLoad | LatencyClass::Atomic => u64::from(target.choices.load_cycles),
        class => u64::from(target.latencies.cycles(class)),
    }
}

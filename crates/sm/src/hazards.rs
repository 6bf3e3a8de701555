//! The hazard checker: whether the control fields of the code keep every read behind its result.
//!
//! It watches what issues when and changes nothing. A result of fixed latency is there so many cycles after its issue
//! as the latency table says for its reader. One of variable latency is there once a wait for its wait counter has
//! been passed, or one for a later instruction of the same in-order unit: compilers give a counter only to the last of
//! several. Values of other lanes are no business of an instruction.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use warplab_program::{
    Instruction, Kernel, LatencyClass, LatencyTable, Opcode, Pipe, Reader, Role, Slot, WAIT_COUNTERS,
};
use warplab_trace::{HazardKind, HazardPlace, Hazards, Shortfall};
use warplab_units::{Cycle, WarpMask};

/// What happens in order: when a later one is known to be over, the earlier are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Queue {
    /// Results of transcendental functions and conversions.
    TranscendentalResults,
    /// Results of shared memory.
    SharedResults,
    /// Reading of sources by transcendental functions and conversions.
    TranscendentalSources,
    /// Reading of sources by the load/store unit.
    MemorySources,
}

const QUEUES: usize = 4;

/// How many holds of a counter are remembered; the machine counts as far.
const MOST_HOLDS: usize = 64;

/// What the checker knows of the code of a launch.
#[derive(Debug)]
pub struct HazardTable {
    instructions: Vec<Checked>,
    latencies: LatencyTable,
}

/// One instruction as the checker sees it.
#[derive(Debug)]
struct Checked {
    reads: Vec<(Slot, Reader, bool)>,
    writes: Vec<(Slot, LatencyClass)>,
    /// Counters that it waits for.
    waits: u8,
    /// `DEPBAR`: this counter is at most so much afterwards.
    at_most: Option<(u8, u16)>,
    write_barrier: Option<u8>,
    read_barrier: Option<u8>,
    /// The queue in which its result comes in order.
    results: Option<Queue>,
    /// The queue in which its sources are read in order; `None` when they are read at issue.
    sources: Option<Queue>,
}

impl HazardTable {
    /// The table of a kernel on a machine with these latencies.
    #[must_use]
    pub fn new(kernel: &Kernel, latencies: &LatencyTable) -> HazardTable {
        let instructions = kernel.instructions.iter().map(checked).collect();
        HazardTable { instructions, latencies: latencies.clone() }
    }
}

fn checked(instruction: &Instruction) -> Checked {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    // No stall count nor wait counter is for sums of a warpgroup.
    let of_warpgroup = instruction.is_warpgroup_product();
    for access in instruction.accesses().into_iter().filter(|it| !of_warpgroup || it.role == Role::Read) {
        for (part, slot) in access.resource.slots().enumerate() {
            let part = part as u32;
            match access.role {
                Role::Read => {
                    let reader = Reader::of(instruction, &access, part);
                    reads.push((slot, reader, access.operand.is_none()));
                }
                Role::Write => {
                    writes.push((slot, LatencyClass::of_result(instruction, access.resource, part)))
                }
            }
        }
    }
    let info = instruction.opcode.info();
    let shared = matches!(info.latency, LatencyClass::SharedLoad)
        || matches!(instruction.opcode, Opcode::Atoms | Opcode::Sts | Opcode::Stsm);
    let variable = info.latency.is_variable();
    Checked {
        reads,
        writes,
        waits: instruction.control.wait_mask | instruction.awaited_counters(),
        at_most: instruction.awaited_counter(),
        write_barrier: instruction.control.write_barrier,
        read_barrier: instruction.control.read_barrier,
        results: match info.pipe {
            _ if !variable => None,
            Pipe::Xu => Some(Queue::TranscendentalResults),
            Pipe::Lsu if shared => Some(Queue::SharedResults),
            _ => None,
        },
        sources: match info.pipe {
            _ if !variable => None,
            Pipe::Xu => Some(Queue::TranscendentalSources),
            Pipe::Lsu => Some(Queue::MemorySources),
            _ => None,
        },
    }
}

/// A result or reading under way.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Pending {
    pc: u32,
    issued: Cycle,
    lanes: WarpMask,
    /// The class of a result.
    class: LatencyClass,
}

/// What the checker remembers of one warp slot.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Warp {
    generation: u32,
    results: Vec<SmallVec<[Pending; 1]>>,
    /// Instructions that read the register some time after their issue.
    readings: Vec<SmallVec<[Pending; 1]>>,
    /// When a wait for each counter was last passed.
    waited: [Option<Cycle>; WAIT_COUNTERS],
    /// When an instruction of each queue last held each counter for its result, and for its sources.
    held: [[Option<Cycle>; WAIT_COUNTERS]; QUEUES],
    /// The holds of each counter since it was last zero: when, and in which queue if the result comes in order.
    holds: [Vec<(Cycle, Option<Queue>)>; WAIT_COUNTERS],
    /// Of each queue, every instruction issued up to here is known to be done.
    done: [Option<Cycle>; QUEUES],
}

impl Warp {
    fn new(generation: u32) -> Warp {
        Warp {
            generation,
            results: vec![SmallVec::new(); Slot::COUNT],
            readings: vec![SmallVec::new(); Slot::COUNT],
            waited: [None; WAIT_COUNTERS],
            held: [[None; WAIT_COUNTERS]; QUEUES],
            holds: Default::default(),
            done: [None; QUEUES],
        }
    }

    /// A wait for these counters has been passed.
    fn wait(&mut self, counters: u8, now: Cycle) {
        for counter in (0..WAIT_COUNTERS).filter(|counter| counters >> counter & 1 != 0) {
            self.waited[counter] = Some(now);
            self.holds[counter].clear();
            for (done, held) in self.done.iter_mut().zip(&self.held) {
                *done = (*done).max(held[counter]);
            }
        }
    }

    /// A wait until a counter is at most `most` has been passed. With some still under way only what comes in order
    /// is known: of operations of one queue the first are over.
    fn wait_for_some(&mut self, counter: u8, most: u16, now: Cycle) {
        if most == 0 {
            return self.wait(1 << counter, now);
        }
        let Some(holds) = self.holds.get(usize::from(counter)) else { return };
        let Some(last) = holds.len().checked_sub(usize::from(most) + 1) else { return };
        let (issued, queue) = holds[last];
        if let Some(queue) = queue.filter(|_| holds.iter().all(|(_, other)| *other == queue)) {
            let done = &mut self.done[queue as usize];
            *done = (*done).max(Some(issued));
        }
    }

    fn has_waited(&self, counter: Option<u8>, issued: Cycle) -> bool {
        let waited = counter.and_then(|counter| self.waited[usize::from(counter)]);
        waited.is_some_and(|waited| waited > issued)
    }

    fn is_done(&self, queue: Option<Queue>, issued: Cycle) -> bool {
        queue.and_then(|queue| self.done[queue as usize]).is_some_and(|done| done >= issued)
    }
}

/// The checker of one SM. What it knows of the code is in the [`HazardTable`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct HazardChecker {
    warps: Vec<Warp>,
    hazards: Hazards,
}

/// A warp instruction that has just issued.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Issued {
    pub(crate) slot: usize,
    pub(crate) generation: u32,
    pub(crate) pc: u32,
    pub(crate) at: Cycle,
    /// The lanes that read the guard.
    pub(crate) active: WarpMask,
    /// The lanes that execute it.
    pub(crate) executing: WarpMask,
}

impl HazardChecker {
    /// What it has found.
    pub(crate) fn found(&self) -> &Hazards {
        &self.hazards
    }

    /// Checks an instruction and remembers what it leaves under way.
    pub(crate) fn issued(&mut self, table: &HazardTable, issued: &Issued) {
        let HazardChecker { warps, hazards } = self;
        while warps.len() <= issued.slot {
            warps.push(Warp::new(0));
        }
        let warp = &mut warps[issued.slot];
        if warp.generation != issued.generation {
            *warp = Warp::new(issued.generation);
        }
        let Some(instruction) = table.instructions.get(issued.pc as usize) else { return };
        warp.wait(instruction.waits, issued.at);
        if let Some((counter, most)) = instruction.at_most {
            warp.wait_for_some(counter, most, issued.at);
        }
        let check = Check { table, warp, issued };
        for &(slot, reader, is_guard) in &instruction.reads {
            let lanes = if is_guard { issued.active } else { issued.executing };
            hazards.checked_reads += 1;
            check.read(slot, reader, lanes, hazards);
        }
        if !issued.executing.is_empty() {
            for &(slot, class) in &instruction.writes {
                check.write(slot, class, hazards);
            }
            remember(warp, instruction, issued, table);
        }
        hold(warp, instruction, issued.at);
    }
}

/// One instruction against what is under way.
struct Check<'a> {
    table: &'a HazardTable,
    warp: &'a Warp,
    issued: &'a Issued,
}

impl Check<'_> {
    fn read(&self, slot: Slot, reader: Reader, lanes: WarpMask, hazards: &mut Hazards) {
        for result in self.results(slot, lanes) {
            let shortfall = if result.class.is_variable() {
                self.unawaited(result)
            } else {
                self.too_early(result, self.table.latencies.cycles_to(result.class, reader).into())
            };
            let kind =
                if result.class.is_variable() { HazardKind::ReadUnawaited } else { HazardKind::ReadTooEarly };
            self.add(result, slot, kind, shortfall, hazards);
        }
    }

    fn write(&self, slot: Slot, class: LatencyClass, hazards: &mut Hazards) {
        for result in self.results(slot, self.issued.executing) {
            if result.class.is_variable() {
                self.add(result, slot, HazardKind::WriteUnawaited, self.unawaited(result), hazards);
            } else if !class.is_variable() {
                // The later result must not come before the earlier, nor with it.
                let cycles = |class| u64::from(self.table.latencies.cycles(class));
                let needed = (cycles(result.class) + 1).saturating_sub(cycles(class));
                let shortfall = self.too_early(result, needed);
                self.add(result, slot, HazardKind::WriteOvertaken, shortfall, hazards);
            }
        }
        let queue = self.table.instructions[self.issued.pc as usize].sources;
        for reading in &self.warp.readings[slot.index()] {
            // What passes the same unit writes after the earlier has read.
            let in_order = queue.is_some() && queue == self.table.instructions[reading.pc as usize].sources;
            if in_order || !shares_lanes(slot, reading.lanes, self.issued.executing) {
                continue;
            }
            self.add(reading, slot, HazardKind::SourceOverwritten, self.unread(reading), hazards);
        }
    }

    fn results(&self, slot: Slot, lanes: WarpMask) -> impl Iterator<Item = &Pending> {
        let results = self.warp.results[slot.index()].iter();
        results.filter(move |result| shares_lanes(slot, result.lanes, lanes))
    }

    fn too_early(&self, result: &Pending, needed: u64) -> Option<Shortfall> {
        let passed = self.issued.at.since(result.issued);
        (passed < needed).then_some(Shortfall::Cycles { needed, passed })
    }

    /// What is missing until a result of variable latency is there.
    fn unawaited(&self, result: &Pending) -> Option<Shortfall> {
        let producer = &self.table.instructions[result.pc as usize];
        let waited = self.warp.has_waited(producer.write_barrier, result.issued);
        (!waited && !self.warp.is_done(producer.results, result.issued))
            .then(|| producer.write_barrier.map_or(Shortfall::NoCounter, Shortfall::Counter))
    }

    /// What is missing until an instruction has read its sources: these, its result, or later ones of its queue.
    fn unread(&self, reading: &Pending) -> Option<Shortfall> {
        let producer = &self.table.instructions[reading.pc as usize];
        let counters = [producer.read_barrier, producer.write_barrier];
        let waited = counters.into_iter().any(|counter| self.warp.has_waited(counter, reading.issued));
        (!waited && !self.warp.is_done(producer.sources, reading.issued)).then(|| {
            producer.read_barrier.or(producer.write_barrier).map_or(Shortfall::NoCounter, Shortfall::Counter)
        })
    }

    fn add(
        &self,
        earlier: &Pending,
        slot: Slot,
        kind: HazardKind,
        shortfall: Option<Shortfall>,
        hazards: &mut Hazards,
    ) {
        if let Some(shortfall) = shortfall {
            hazards
                .add(HazardPlace { producer: earlier.pc, consumer: self.issued.pc, slot, kind }, shortfall);
        }
    }
}

/// Whether an earlier instruction's value of a register is one of these lanes' too.
fn shares_lanes(slot: Slot, earlier: WarpMask, lanes: WarpMask) -> bool {
    !lanes.is_empty() && (slot.is_uniform() || !(earlier & lanes).is_empty())
}

/// What an instruction leaves under way.
fn remember(warp: &mut Warp, instruction: &Checked, issued: &Issued, table: &HazardTable) {
    let &Issued { pc, at, executing, .. } = issued;
    for &(slot, class) in &instruction.writes {
        warp.readings[slot.index()].clear();
        let results = &mut warp.results[slot.index()];
        // What is overwritten has been checked; what another lane waits for stays.
        results.retain(|result| !slot.is_uniform() && !result.lanes.without(executing).is_empty());
        results.push(Pending { pc, issued: at, lanes: executing, class });
    }
    if let Some(queue) = instruction.sources {
        for &(slot, reader, is_guard) in &instruction.reads {
            // Predicates are read at issue: ptxas writes one that copies read in the next instruction.
            if !is_guard && reader != Reader::Guard && !slot.is_uniform() && !slot.is_predicate() {
                let readings = &mut warp.readings[slot.index()];
                // In order: when the later one has read, the earlier has.
                readings.retain(|reading| table.instructions[reading.pc as usize].sources != Some(queue));
                readings.push(Pending { pc, issued: at, lanes: executing, class: LatencyClass::Store });
            }
        }
    }
}

/// Notes which counters an instruction holds, whatever its lanes.
fn hold(warp: &mut Warp, instruction: &Checked, at: Cycle) {
    for (queue, barrier) in
        [(instruction.results, instruction.write_barrier), (instruction.sources, instruction.read_barrier)]
    {
        if let Some(holds) = barrier.and_then(|barrier| warp.holds.get_mut(usize::from(barrier))) {
            if holds.len() == MOST_HOLDS {
                holds.remove(0);
            }
            holds.push((at, queue));
        }
    }
    for (queue, barrier) in [
        (instruction.results, instruction.write_barrier),
        (instruction.sources, instruction.write_barrier),
        (instruction.sources, instruction.read_barrier),
    ] {
        if let (Some(queue), Some(barrier)) = (queue, barrier) {
            warp.held[queue as usize][usize::from(barrier)] = Some(at);
        }
    }
}

//! One sub-partition: which of its warps can issue, and the accounts of their states.

use crate::hold::Hold;
use crate::launch::{IssueInfo, MemoryClass};
use crate::lsu::QueueFull;
use crate::pipes::{PipeUse, Pipes, QueuedUnit};
use crate::register_file::{Ports, RegisterFileSpec};
use crate::scheduler::{Candidates, Pick, Scheduler, View};
use crate::spec::SchedulerSpec;
use serde::{Deserialize, Serialize};
use warplab_trace::{SchedulerCounters, StallReason, WarpState};
use warplab_units::Cycle;

/// The most warps of a sub-partition: one bit of a mask each.
const MOST_WARPS: usize = u64::BITS as usize;

/// One sub-partition. Warps are numbered inside it; masks have bit i for warp i.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SubPartition {
    scheduler: Scheduler,
    /// Warps that wait for no dependence.
    pub(crate) ready: u64,
    /// How many these are.
    ready_warps: u32,
    pipes: Pipes,
    ports: Ports,
    /// When the dispatcher has let the last instruction go, so that the next can issue.
    dispatched: Cycle,
    /// What the warp waits for that the dispatcher holds until then.
    pub(crate) held_as: StallReason,
    /// Ready warps that want the memory queue with global or local memory.
    wants_global: u64,
    /// Ready warps that want the memory queue with shared memory or lane exchange.
    wants_shared: u64,
    /// What the memory queue can take.
    pub(crate) queue_full: QueueFull,
    /// Whether the last instruction lets other warps go first.
    yielded: bool,
    /// The warps that have become ready since a warp was last looked for.
    fresh: u64,
    /// What holds back ready warps, while an SM advances.
    #[serde(skip)]
    pub(crate) hold: Hold,
    /// The age of each warp: when it was dispatched.
    ages: Vec<u64>,
    /// Warps that are resident, and how many.
    pub(crate) resident: u64,
    pub(crate) resident_warps: u32,
    /// When the first of the resident warps came, while there is one.
    active_since: Cycle,
    pub(crate) counters: SchedulerCounters,
}

/// What delays an instruction that issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delay {
    /// Cycles for which the dispatcher holds back what comes behind it.
    pub(crate) dispatch: u64,
    /// Cycles for which it waits in its unit.
    pub(crate) unit: u64,
}

/// What the ready warps of a sub-partition do in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Readiness {
    /// Warps that can issue.
    pub(crate) eligible: u64,
    /// Warps whose unit is occupied.
    pub(crate) math: u64,
    /// Of these, warps that want the unit of transcendental functions: the profiler counts it to memory input and output.
    pub(crate) special: u64,
    /// Warps that find the memory queue full, with global or local memory.
    pub(crate) global: u64,
    /// Warps that find the memory queue full, with shared memory or lane exchange.
    pub(crate) shared: u64,
    /// Warps that could issue if the dispatcher did not hold back the instruction before.
    pub(crate) behind: u64,
    /// Warps that could issue, and that a formula holds back.
    pub(crate) held: u64,
    /// The first later cycle in which a unit becomes free that holds a ready warp back.
    pub(crate) next_free: Cycle,
}

/// Why ready warps are held back.
pub(crate) const HELD_BACK_BY: [StallReason; 4] = [
    StallReason::MathPipeThrottle,
    StallReason::LgThrottle,
    StallReason::MioThrottle,
    StallReason::DispatchStall,
];

impl Readiness {
    /// Whether anything holds back a ready warp.
    #[inline(always)]
    pub(crate) fn holds_back(&self) -> bool {
        self.math | self.global | self.shared | self.behind | self.held != 0
    }

    /// The ready warps that are held back, by the reasons of [`HELD_BACK_BY`].
    #[inline(always)]
    pub(crate) fn held_back(&self) -> [u64; 4] {
        [self.math & !self.special, self.global, self.shared | self.special, self.behind | self.held]
    }
}

impl SubPartition {
    /// An idle sub-partition; `stream` is that of its random numbers.
    pub(crate) fn new(spec: &SchedulerSpec, stream: u64) -> SubPartition {
        SubPartition {
            scheduler: Scheduler::new(spec, stream),
            ready: 0,
            ready_warps: 0,
            pipes: Pipes::default(),
            ports: Ports::default(),
            dispatched: Cycle(0),
            held_as: StallReason::DispatchStall,
            wants_global: 0,
            wants_shared: 0,
            queue_full: QueueFull::HasRoom,
            hold: Hold::default(),
            yielded: false,
            fresh: 0,
            ages: vec![0; MOST_WARPS],
            resident: 0,
            resident_warps: 0,
            active_since: Cycle(0),
            counters: SchedulerCounters::default(),
        }
    }

    /// Which ready warps can issue now, and what holds the others back.
    #[inline(always)]
    pub(crate) fn readiness(&self, now: Cycle) -> Readiness {
        let (math, next_free) = self.pipes.occupied(now);
        let (global, shared) = match self.queue_full {
            QueueFull::HasRoom => (0, 0),
            QueueFull::OfGlobal => (self.wants_global, 0),
            QueueFull::Full => (self.wants_global, self.wants_shared),
        };
        let math = math & !(global | shared);
        let free = self.ready & !(math | global | shared);
        let special = if math == 0 { 0 } else { math & self.pipes.wanting_queued() };
        let all = Readiness { eligible: free, math, special, global, shared, behind: 0, held: 0, next_free };
        if self.dispatched <= now {
            return all;
        }
        Readiness { eligible: 0, behind: free, next_free: next_free.min(self.dispatched), ..all }
    }

    /// The scheduler picks one of the eligible warps.
    #[inline(always)]
    pub(crate) fn pick(&mut self, eligible: u64, now: Cycle) -> u32 {
        self.count(eligible);
        let fresh = std::mem::take(&mut self.fresh);
        self.scheduler.pick(&Candidates { eligible, now, ages: &self.ages, yielded: self.yielded, fresh })
    }

    /// No warp is eligible: those that are ready have to wait.
    #[inline(always)]
    pub(crate) fn find_none(&mut self) {
        self.fresh = 0;
    }

    /// The formula picks one of the eligible warps, or holds all of them back; `loads` counts what a warp waits for.
    pub(crate) fn pick_by_formula(&mut self, eligible: u64, now: Cycle, loads: impl Fn(u32) -> i64) -> Pick {
        let fresh = std::mem::take(&mut self.fresh);
        let candidates = Candidates { eligible, now, ages: &self.ages, yielded: self.yielded, fresh };
        let view = View { resident: self.resident, global: self.wants_global };
        let pick = self.scheduler.pick_by_formula(&candidates, &view, loads);
        if eligible & !pick.held != 0 {
            self.count(eligible & !pick.held);
        }
        pick
    }

    /// Counts a cycle in which one of these warps issues.
    #[inline(always)]
    fn count(&mut self, eligible: u64) {
        let counters = &mut self.counters;
        counters.issue_cycles += 1;
        counters.eligible_cycles += 1;
        // Mostly every ready warp is eligible, and their number is known.
        let warps = if eligible == self.ready { self.ready_warps } else { eligible.count_ones() };
        let others = u64::from(warps) - 1;
        counters.eligible_warp_cycles += others + 1;
        counters.states[WarpState::Selected.index()] += 1;
        counters.states[WarpState::NotSelected.index()] += others;
    }

    /// Whether a warp that is held back may be let go although nothing happens.
    pub(crate) fn is_timed(&self) -> bool {
        self.scheduler.is_timed()
    }

    /// The formula that the scheduler goes by, if it does.
    pub(crate) fn formula(&self) -> Option<&str> {
        self.scheduler.formula()
    }

    /// The scheduler picks another of the warps that were eligible in this cycle.
    pub(crate) fn pick_further(&mut self, eligible: u64, now: Cycle) -> u32 {
        let counters = &mut self.counters;
        counters.further_warps += 1;
        counters.states[WarpState::Selected.index()] += 1;
        counters.states[WarpState::NotSelected.index()] -= 1;
        let (yielded, fresh) = (self.yielded, self.fresh);
        self.scheduler.pick(&Candidates { eligible, now, ages: &self.ages, yielded, fresh })
    }

    /// Charges cycles to the ready warps that a unit or the memory queue holds back.
    #[inline]
    pub(crate) fn charge(&mut self, readiness: &Readiness, cycles: u64) {
        for (reason, warps) in HELD_BACK_BY.into_iter().zip(readiness.held_back()) {
            if warps != 0 {
                self.charge_stall(reason, u64::from(warps.count_ones()) * cycles);
            }
        }
    }

    /// Charges warp-cycles to a stall reason.
    #[inline]
    pub(crate) fn charge_stall(&mut self, reason: StallReason, warp_cycles: u64) {
        self.counters.states[WarpState::Stalled(reason).index()] += warp_cycles;
    }

    /// A warp has no dependence to wait for: it wants the unit of its next instruction.
    #[inline]
    pub(crate) fn make_ready(&mut self, warp: u32, unit: u8, memory: MemoryClass) {
        let bit = 1 << warp;
        self.ready |= bit;
        self.fresh |= bit;
        self.ready_warps += 1;
        self.hold.change();
        self.pipes.want(warp, unit);
        match memory {
            MemoryClass::None | MemoryClass::CopyGroup => {}
            MemoryClass::Global => self.wants_global |= bit,
            MemoryClass::Shared => self.wants_shared |= bit,
        }
    }

    /// A ready warp issues an instruction: it is not ready any more. The instruction may wait for the ports of the register
    /// file, or take several cycles of the dispatcher. `queued` is the unit behind the queues.
    #[inline]
    pub(crate) fn issue(
        &mut self,
        warp: u32,
        info: &IssueInfo,
        file: Option<&RegisterFileSpec>,
        now: Cycle,
        queued: &mut QueuedUnit,
    ) -> Delay {
        let keep = !(1 << warp);
        self.ready &= keep;
        self.yielded = info.yields;
        self.ready_warps -= 1;
        self.wants_global &= keep;
        self.wants_shared &= keep;
        let ports = file.map_or(0, |file| self.ports.dispatch(file, warp, (&info.reads, info.result), now));
        let unit = self.pipes.issue(warp, info.taken, now.later(ports), queued);
        let dispatch = ports + u64::from(info.taken.hold);
        if dispatch > 0 {
            self.dispatched = now.later(dispatch + 1);
            self.held_as = info.held_as();
            self.charge_stall(self.held_as, dispatch);
        }
        Delay { dispatch, unit }
    }

    /// A unit does something else until a cycle.
    pub(crate) fn hold_unit(&mut self, unit: u8, until: Cycle) {
        self.pipes.hold(unit, until);
    }

    /// The constant that has been loaded last comes so many cycles late, and those behind it.
    #[inline]
    pub(crate) fn delay_constants(
        &mut self,
        taken: PipeUse,
        now: Cycle,
        cycles: u64,
        queued: &mut QueuedUnit,
    ) {
        if taken.queue > 0 && cycles > 0 {
            self.pipes.delay_queue(taken, now, cycles, queued);
        }
    }

    /// The constants that have been loaded last, from `first` on, are at several addresses, `again` cycles apart: how many cycles
    /// later the last of them comes.
    #[inline]
    pub(crate) fn pass_again(
        &mut self,
        taken: PipeUse,
        times: (Cycle, Cycle),
        passes: (u64, u8),
        queued: &mut QueuedUnit,
    ) -> u64 {
        self.pipes.pass_again(taken, times, passes, queued)
    }

    /// A warp of a block comes.
    pub(crate) fn enter(&mut self, warp: u32, age: u64, block: u64, now: Cycle) {
        if self.resident == 0 {
            self.active_since = now;
        }
        self.resident |= 1 << warp;
        self.resident_warps += 1;
        self.ages[warp as usize] = age;
        self.scheduler.enter(warp, block, now);
    }

    /// A warp goes that came at `entered`.
    pub(crate) fn leave(&mut self, warp: u32, entered: Cycle, now: Cycle) {
        self.resident &= !(1 << warp);
        self.resident_warps -= 1;
        self.scheduler.leave(warp);
        self.counters.warp_cycles += now.since(entered);
        if self.resident == 0 {
            self.counters.active_cycles += now.since(self.active_since);
        }
    }

    /// Counts the cycles in which there was a warp, up to `now`.
    pub(crate) fn settle(&mut self, now: Cycle) {
        if self.resident != 0 {
            self.counters.active_cycles += now.since(self.active_since);
            self.active_since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Readiness, SubPartition};
    use crate::launch::{IssueInfo, MemoryClass};
    use crate::lsu::QueueFull;
    use crate::pipes::{PipeUse, QueuedUnit};
    use crate::register_file::{RegisterReads, ResultTime};
    use crate::spec::SchedulerSpec;
    use warplab_config::gpu::SchedulerPolicy;
    use warplab_program::{Opcode, Pipe};
    use warplab_trace::{StallReason, WarpState};
    use warplab_units::Cycle;

    impl Readiness {
        /// No warp is ready.
        pub(crate) const NONE: Readiness = Readiness {
            eligible: 0,
            math: 0,
            special: 0,
            global: 0,
            shared: 0,
            behind: 0,
            held: 0,
            next_free: Cycle::NEVER,
        };
    }

    fn sub_partition() -> SubPartition {
        let spec = SchedulerSpec {
            policy: SchedulerPolicy::Gto,
            seed: 1,
            fetch_group: 8,
            starvation_interval: None,
        };
        let mut sub = SubPartition::new(&spec, 0);
        (0..4).for_each(|warp| sub.enter(warp, u64::from(warp) + 1, 0, Cycle(0)));
        sub
    }

    impl IssueInfo {
        /// An instruction that takes a unit for a cycle.
        pub(crate) fn example() -> IssueInfo {
            IssueInfo {
                pipe: Pipe::Alu,
                taken: PipeUse { unit: 1, interval: 1, hold: 0, lead: 0, queue: 0, late: 0, in_order: false },
                memory: MemoryClass::None,
                stall: 1,
                yields: false,
                wait_mask: 0,
                at_most: None,
                write_barrier: None,
                read_barrier: None,
                latency: 4,
                packed: 0,
                constant: None,
                opcode: Opcode::Nop,
                compares: false,
                result: ResultTime::None,
                reads: RegisterReads::default(),
                meeting: 0,
                by_value: None,
                passes_barrier: false,
                only_computes: true,
            }
        }
    }

    fn info(unit: u8, interval: u8) -> IssueInfo {
        let taken = PipeUse { unit, interval, hold: 0, lead: 0, queue: 0, late: 0, in_order: false };
        IssueInfo { taken, ..IssueInfo::example() }
    }

    #[test]
    fn a_ready_warp_is_eligible_when_its_unit_is_free() {
        let mut sub = sub_partition();
        sub.make_ready(0, 1, MemoryClass::None);
        assert_eq!(sub.readiness(Cycle(5)), Readiness { eligible: 1, ..Readiness::NONE });
    }

    #[test]
    fn a_busy_unit_is_a_math_pipe_throttle_until_it_is_free() {
        let mut sub = sub_partition();
        sub.make_ready(0, 1, MemoryClass::None);
        sub.make_ready(1, 1, MemoryClass::None);
        sub.issue(0, &info(1, 4), None, Cycle(10), &mut QueuedUnit::default());
        let held = Readiness { math: 0b10, next_free: Cycle(14), ..Readiness::NONE };
        assert_eq!(sub.readiness(Cycle(13)), held);
        assert_eq!(sub.readiness(Cycle(14)), Readiness { eligible: 0b10, ..Readiness::NONE });
    }

    #[test]
    fn a_full_memory_queue_holds_back_memory_instructions_by_their_kind() {
        let mut sub = sub_partition();
        sub.make_ready(0, 4, MemoryClass::Global);
        sub.make_ready(1, 4, MemoryClass::Shared);
        sub.make_ready(2, 1, MemoryClass::None);
        let held = Readiness { eligible: 0b100, global: 0b1, shared: 0b10, ..Readiness::NONE };
        sub.fill_queue(QueueFull::Full);
        assert_eq!(sub.readiness(Cycle(5)), held);
        sub.fill_queue(QueueFull::OfGlobal);
        assert_eq!(sub.readiness(Cycle(5)).eligible, 0b110);
        sub.fill_queue(QueueFull::HasRoom);
        assert_eq!(sub.readiness(Cycle(5)).eligible, 0b111);
    }

    #[test]
    fn a_full_queue_comes_before_a_busy_unit() {
        let mut sub = sub_partition();
        sub.make_ready(1, 4, MemoryClass::Global);
        sub.issue(1, &info(4, 8), None, Cycle(0), &mut QueuedUnit::default());
        sub.make_ready(0, 4, MemoryClass::Global);
        for (full, held) in [(QueueFull::OfGlobal, (0, 1)), (QueueFull::HasRoom, (1, 0))] {
            sub.fill_queue(full);
            let readiness = sub.readiness(Cycle(5));
            assert_eq!((readiness.math, readiness.global), held);
        }
    }

    #[test]
    fn a_pick_counts_one_selected_and_the_rest_not_selected() {
        let mut sub = sub_partition();
        assert_eq!(sub.pick(0b1110, Cycle(1)), 1);
        let states = sub.counters.states;
        assert_eq!(states[WarpState::Selected.index()], 1);
        assert_eq!(states[WarpState::NotSelected.index()], 2);
        assert_eq!(sub.counters.eligible_warp_cycles, 3);
    }

    #[test]
    fn held_back_warps_are_charged_for_every_cycle() {
        let mut sub = sub_partition();
        sub.charge(&Readiness { math: 0b11, global: 0b100, ..Readiness::NONE }, 7);
        let stalled = |reason| sub.counters.states[WarpState::Stalled(reason).index()];
        assert_eq!(stalled(StallReason::MathPipeThrottle), 14);
        assert_eq!(stalled(StallReason::LgThrottle), 7);
        assert_eq!(stalled(StallReason::MioThrottle), 0);
    }

    #[test]
    fn a_sub_partition_is_active_from_its_first_warp_to_its_last() {
        let mut sub = sub_partition();
        (0..3).for_each(|warp| sub.leave(warp, Cycle(0), Cycle(50)));
        assert_eq!(sub.counters.active_cycles, 0);
        sub.leave(3, Cycle(0), Cycle(80));
        assert_eq!((sub.counters.active_cycles, sub.counters.warp_cycles), (80, 230));
    }
}

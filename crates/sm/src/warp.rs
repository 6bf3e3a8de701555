//! The timing state of a warp slot.

use crate::constants::distinct;
use crate::copies::Copies;
use crate::inspect::WaitCounterView;
use crate::launch::IssueInfo;
use serde::{Deserialize, Serialize};
use warplab_exec::ArchitecturalState;
use warplab_program::WAIT_COUNTERS;
use warplab_trace::StallReason;
use warplab_units::{Cycle, WarpMask};

/// What a warp does between two issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// No warp is in the slot.
    Empty,
    /// The warp waits for nothing but its pipe and its turn.
    Ready,
    /// The block scheduler has not started the warp yet; then its first instruction comes at `fetched`.
    Dispatching { fetched: Option<Cycle> },
    /// The stall count of the last instruction runs; the next instruction comes at `fetched` if that is later.
    FixedLatency { fetched: Option<Cycle> },
    /// After the stall count of a taken branch its target is computed, and from cycle `fetch_from` of the phase on its
    /// instruction is fetched, which comes at `fetched` if that is later.
    BranchResolving { stall: u8, fetch_from: u16, fetched: Option<Cycle> },
    /// After the stall count of its last instruction, at `pc`, the warp leaves its slot.
    Exiting { stall: u8, pc: u32 },
    /// The next instruction is on its way from the instruction caches.
    Fetching,
    /// A constant operand is on its way from the constant caches, which is seen after so many cycles; from cycle `fetch_from` of
    /// the phase on the code is fetched again.
    FetchingConstant { seen: u8, fetch_from: u16 },
    /// `NANOSLEEP`.
    Sleeping,
    /// It sleeps until a phase of a barrier in shared memory is over, or a while.
    AtMbarrier,
    /// A call of the driver.
    SystemCall,
    /// The block barrier is complete and lets the warp go.
    LeavingBarrier,
    /// It waits at a block barrier for the other warps of its block.
    AtBlockBarrier,
    /// It waits at the barrier of its cluster.
    AtClusterBarrier,
    /// Every path waits for other lanes of the warp.
    Converging,
    /// It waits at a fence until stores are acknowledged.
    AtFence,
    /// What it has waited for at a fence is acknowledged, or nothing was under way.
    LeavingFence,
    /// It has come to a product of its warpgroup and waits for the other warps.
    AtWarpgroup,
    /// It waits for room among the products of warpgroups, or for sums.
    ForProducts,
    /// It has exited; its stores have not left the SM, or it does not know yet.
    Draining,
    /// It waits for wait counters, at least one of which counts global or local memory.
    LongCounters,
    /// It waits for wait counters of shared memory and other variable-latency units.
    ShortCounters,
}

impl Phase {
    /// The stall reason of a warp in this phase; none for an empty slot and for a ready warp.
    #[inline]
    pub(crate) fn reason(self) -> Option<StallReason> {
        Some(match self {
            Phase::Empty | Phase::Ready => return None,
            Phase::Dispatching { .. } => StallReason::DispatchStall,
            Phase::FixedLatency { .. } => StallReason::Wait,
            Phase::BranchResolving { .. } | Phase::Exiting { .. } => StallReason::BranchResolving,
            Phase::Fetching => StallReason::NoInstruction,
            Phase::FetchingConstant { .. } => StallReason::ImcMiss,
            Phase::Sleeping | Phase::AtMbarrier => StallReason::Sleeping,
            Phase::SystemCall | Phase::Converging => StallReason::Misc,
            Phase::LeavingBarrier | Phase::AtBlockBarrier | Phase::AtClusterBarrier | Phase::ForProducts => {
                StallReason::Barrier
            }
            Phase::AtFence | Phase::LeavingFence => StallReason::Membar,
            Phase::AtWarpgroup => StallReason::Gmma,
            Phase::Draining => StallReason::Drain,
            Phase::LongCounters => StallReason::LongScoreboard,
            Phase::ShortCounters => StallReason::ShortScoreboard,
        })
    }

    /// Of the first so many cycles of a phase, how many at the beginning are the stall count of the instruction before it,
    /// and how many at the end an instruction is fetched in.
    #[inline]
    pub(crate) fn stall_and_fetch(self, cycles: u64) -> (u64, u64) {
        match self {
            Phase::BranchResolving { stall, fetch_from, .. } => {
                (u64::from(stall).min(cycles), cycles.saturating_sub(u64::from(fetch_from)))
            }
            Phase::Exiting { stall, .. } => (u64::from(stall).min(cycles), 0),
            Phase::FetchingConstant { seen, fetch_from } => {
                (u64::from(seen).min(cycles), cycles.saturating_sub(u64::from(fetch_from)))
            }
            _ => (0, 0),
        }
    }

    /// The stall reason in the cycle of this number of the phase.
    pub(crate) fn reason_in(self, cycle: u64) -> Option<StallReason> {
        let (stall, fetch) = self.stall_and_fetch(cycle + 1);
        if cycle < stall {
            Some(StallReason::Wait)
        } else if fetch > 0 {
            Some(StallReason::NoInstruction)
        } else {
            self.reason()
        }
    }

    /// Whether the phase ends at a known cycle.
    #[inline]
    pub(crate) fn is_timed(self) -> bool {
        matches!(
            self,
            Phase::Dispatching { .. }
                | Phase::FixedLatency { .. }
                | Phase::BranchResolving { .. }
                | Phase::Exiting { .. }
                | Phase::Draining
                | Phase::Fetching
                | Phase::FetchingConstant { .. }
                | Phase::Sleeping
                | Phase::SystemCall
                | Phase::LeavingBarrier
                | Phase::LeavingFence
                | Phase::ForProducts
        )
    }

    /// When the next instruction comes, for a timed phase after which the warp may have to wait for it.
    #[inline]
    pub(crate) fn fetched(self) -> Option<Cycle> {
        match self {
            Phase::Dispatching { fetched }
            | Phase::FixedLatency { fetched }
            | Phase::BranchResolving { fetched, .. } => fetched,
            _ => None,
        }
    }

    /// The stall reason of a warp that waits for wait counters.
    #[inline]
    pub(crate) fn counted(self) -> Option<StallReason> {
        match self {
            Phase::LongCounters | Phase::ShortCounters => self.reason(),
            _ => None,
        }
    }
}

/// A block barrier that a warp has gone past, computing, before it was complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum BarrierBehind {
    /// None.
    #[default]
    None,
    /// Other warps have not come yet; it is at this instruction.
    Incomplete {
        /// The instruction.
        pc: u32,
    },
    /// It lets the warp go at this cycle.
    Complete(Cycle),
}

/// A warp slot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Warp {
    pub(crate) state: ArchitecturalState,
    /// The sub-partition of the slot.
    pub(crate) sub: u8,
    /// The number of the slot in its sub-partition.
    pub(crate) local: u8,
    /// The resident block that it belongs to.
    pub(crate) block: u8,
    /// Grows with every warp that comes to this slot, so that late events can be told.
    pub(crate) generation: u32,
    /// Arrivals at the barrier of its cluster.
    pub(crate) cluster_arrivals: u32,
    pub(crate) phase: Phase,
    /// The first cycle of the phase.
    pub(crate) since: Cycle,
    pub(crate) entered: Cycle,
    pub(crate) counters: WaitCounters,
    /// The barrier that holds back the next instruction that does more than compute.
    pub(crate) barrier: BarrierBehind,
    /// When the constants are there that the next instruction loads, if it passes only once, and how many addresses its lanes want.
    pub(crate) constant_ready: Cycle,
    pub(crate) constant_addresses: u8,
    /// Stores and reductions that L2 has not acknowledged.
    pub(crate) unacknowledged: u32,
    /// Stores and reductions that have not left the SM.
    pub(crate) unsent: u32,
    /// When the last of its stores to leave lets it leave its slot.
    pub(crate) drained: Cycle,
    /// Copies from global to shared memory.
    pub(crate) copies: Copies,
    /// Bulk copies to global memory.
    pub(crate) bulk: Option<Box<Copies>>,
}

impl Warp {
    /// An empty slot: number `local` of sub-partition `sub`.
    pub(crate) fn new(state: ArchitecturalState, sub: u8, local: u8) -> Warp {
        Warp {
            state,
            sub,
            local,
            block: 0,
            generation: 0,
            cluster_arrivals: 0,
            phase: Phase::Empty,
            since: Cycle(0),
            entered: Cycle(0),
            counters: WaitCounters::default(),
            barrier: BarrierBehind::None,
            constant_ready: Cycle(0),
            constant_addresses: 0,
            unacknowledged: 0,
            unsent: 0,
            drained: Cycle(0),
            copies: Copies::default(),
            bulk: None,
        }
    }

    /// How many different values some lanes have in a register.
    pub(crate) fn values_of(&self, register: Option<u8>, lanes: WarpMask) -> u8 {
        let mut values = 0;
        register.into_iter().for_each(|register| self.each_value(register, lanes, |_| values += 1));
        values
    }

    /// Calls `each` with every value that some lanes of a row have in a register, row by row.
    pub(crate) fn each_value(&self, register: u8, lanes: WarpMask, mut each: impl FnMut(u32)) {
        for row in (0..2).filter(|&row| !lanes.row(row).is_empty()) {
            distinct(&self.state.register_of(row, u32::from(register)), lanes.row(row), &mut each);
        }
    }

    /// Another warp comes to the slot, whose registers have been made anew.
    pub(crate) fn enter(&mut self, block: u8, now: Cycle) {
        self.block = block;
        self.generation += 1;
        self.cluster_arrivals = 0;
        self.counters = WaitCounters::default();
        self.barrier = BarrierBehind::None;
        self.unacknowledged = 0;
        self.unsent = 0;
        self.drained = now;
        self.copies = Copies::default();
        self.bulk = None;
        self.entered = now;
        self.since = now;
    }
}

/// The six wait counters of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WaitCounters {
    /// Operations under way for each counter.
    counts: [u16; WAIT_COUNTERS],
    /// Counters that are not zero.
    pending: u8,
    /// Of these, those that wait for global or local memory.
    long: u8,
}

/// What a wait counter waits for: the stall reason of a warp that waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitFor {
    /// Global or local memory: a long scoreboard.
    Memory,
    /// Anything else on the SM: a short scoreboard.
    Sm,
}

impl WaitCounters {
    /// An operation begins that a counter counts.
    #[inline]
    pub(crate) fn hold(&mut self, counter: u8, operation: WaitFor) {
        self.counts[usize::from(counter)] += 1;
        self.pending |= 1 << counter;
        if operation == WaitFor::Memory {
            self.long |= 1 << counter;
        }
    }

    /// An operation has ended; whether its counter is zero now.
    #[inline]
    pub(crate) fn release(&mut self, counter: u8) -> bool {
        let count = &mut self.counts[usize::from(counter)];
        *count = count.saturating_sub(1);
        if *count == 0 {
            self.pending &= !(1 << counter);
            self.long &= !(1 << counter);
        }
        *count == 0
    }

    /// The counters as they are, and which of them the next instruction waits for.
    pub(crate) fn inspect(&self, next: Option<&IssueInfo>) -> [WaitCounterView; WAIT_COUNTERS] {
        let waits = next.map_or(0, |info| self.waited_for(info));
        std::array::from_fn(|counter| WaitCounterView {
            count: self.counts[counter],
            long: self.long >> counter & 1 != 0,
            waited_for: waits >> counter & 1 != 0,
        })
    }

    /// The phase of a warp whose next instruction must wait for counters; none when it need not.
    #[inline]
    pub(crate) fn blocks(&self, info: &IssueInfo) -> Option<Phase> {
        let waits = self.waited_for(info);
        let long = waits & self.long != 0;
        (waits != 0).then_some(if long { Phase::LongCounters } else { Phase::ShortCounters })
    }

    /// Operations on global and local memory under way.
    pub(crate) fn long_operations(&self) -> i64 {
        let long = (0..WAIT_COUNTERS).filter(|counter| self.long >> counter & 1 != 0);
        long.map(|counter| i64::from(self.counts[counter])).sum()
    }

    /// The counters that keep an instruction from issuing, as bits.
    fn waited_for(&self, info: &IssueInfo) -> u8 {
        let more = |(counter, most): (u8, u16)| {
            u8::from(self.counts.get(usize::from(counter)).is_some_and(|&count| count > most)) << counter
        };
        info.wait_mask & self.pending | info.at_most.map_or(0, more)
    }
}

//! One sub-partition: which of its warps can issue, and the accounts of their states.

use crate::policy::Policy;
use crate::spec::{SmSpec, UNITS};
use serde::{Deserialize, Serialize};
use warplab_trace::{SchedulerCounters, StallReason, WarpState};
use warplab_units::Cycle;

/// One sub-partition. Warps are numbered inside it; masks have bit i for warp i.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SubPartition {
    pub(crate) policy: Policy,
    /// Warps that wait for no dependence.
    pub(crate) ready: u64,
    /// Of these, by the unit that they want.
    pub(crate) wants: [u64; UNITS],
    /// Of these, those that want the memory queue with global or local memory.
    pub(crate) wants_global: u64,
    /// Of these, those that want the memory queue with shared memory or lane exchange.
    pub(crate) wants_shared: u64,
    /// When each unit can take its next instruction.
    pub(crate) unit_free: [Cycle; UNITS],
    /// Warps that wait for a long-latency result.
    pub(crate) long_waits: u64,
    /// The age of each warp: when it was dispatched.
    pub(crate) ages: Vec<u64>,
    /// Warps that are resident.
    pub(crate) resident: u64,
    /// When the first of the resident warps came, while there is one.
    pub(crate) active_since: Cycle,
    pub(crate) counters: SchedulerCounters,
}

/// What the ready warps of a sub-partition do in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Readiness {
    pub(crate) eligible: u64,
    pub(crate) math: u64,
    pub(crate) global: u64,
    pub(crate) shared: u64,
    /// The first later cycle in which a unit becomes free that holds a ready warp back.
    pub(crate) next_free: Cycle,
}

impl SubPartition {
    pub(crate) fn new(spec: &SmSpec, sm: u64, number: u64) -> SubPartition {
        SubPartition {
            policy: Policy::new(spec.policy, spec.seed, sm * 64 + number),
            ready: 0,
            wants: [0; UNITS],
            wants_global: 0,
            wants_shared: 0,
            unit_free: [Cycle(0); UNITS],
            long_waits: 0,
            ages: vec![0; spec.warps.div_ceil(spec.sub_partitions)],
            resident: 0,
            active_since: Cycle(0),
            counters: SchedulerCounters::default(),
        }
    }

    /// Which ready warps can issue now, and what holds the others back.
    #[inline]
    pub(crate) fn readiness(&self, now: Cycle, queue_full: bool) -> Readiness {
        let mut math = 0;
        let mut next_free = Cycle::NEVER;
        for unit in 0..UNITS {
            let busy = self.unit_free[unit] > now && self.wants[unit] != 0;
            if busy {
                math |= self.wants[unit];
                next_free = next_free.min(self.unit_free[unit]);
            }
        }
        let (global, shared) = if queue_full { (self.wants_global, self.wants_shared) } else { (0, 0) };
        let math = math & !global & !shared;
        Readiness { eligible: self.ready & !math & !global & !shared, math, global, shared, next_free }
    }

    /// Charges `cycles` to the ready warps that a unit or queue holds back.
    #[inline]
    pub(crate) fn charge(&mut self, readiness: &Readiness, cycles: u64) {
        let states = &mut self.counters.states;
        let reasons = [
            (WarpState::Stalled(StallReason::MathPipeThrottle), readiness.math),
            (WarpState::Stalled(StallReason::LgThrottle), readiness.global),
            (WarpState::Stalled(StallReason::MioThrottle), readiness.shared),
        ];
        for (state, warps) in reasons {
            states[state.index()] += u64::from(warps.count_ones()) * cycles;
        }
    }

    /// A warp has no dependence to wait for: it wants a unit.
    pub(crate) fn make_ready(&mut self, warp: u32, unit: usize, memory: crate::MemoryClass) {
        let bit = 1 << warp;
        self.ready |= bit;
        self.wants[unit] |= bit;
        match memory {
            crate::MemoryClass::None => {}
            crate::MemoryClass::Global => self.wants_global |= bit,
            crate::MemoryClass::Shared => self.wants_shared |= bit,
        }
    }

    /// A warp issues: it is not ready any more.
    pub(crate) fn make_unready(&mut self, warp: u32, unit: usize) {
        let keep = !(1 << warp);
        self.ready &= keep;
        self.wants[unit] &= keep;
        self.wants_global &= keep;
        self.wants_shared &= keep;
    }

    /// A warp comes.
    pub(crate) fn enter(&mut self, warp: u32, age: u64, now: Cycle) {
        if self.resident == 0 {
            self.active_since = now;
        }
        self.resident |= 1 << warp;
        self.ages[warp as usize] = age;
    }

    /// A warp goes.
    pub(crate) fn leave(&mut self, warp: u32, now: Cycle) {
        self.resident &= !(1 << warp);
        if self.resident == 0 {
            self.counters.active_cycles += now.since(self.active_since);
        }
    }
}

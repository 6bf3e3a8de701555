//! The timing state of a place for a warp.

use crate::launch::IssueInfo;
use warplab_exec::WarpState;
use warplab_program::WAIT_BARRIERS;
use warplab_trace::StallReason;
use warplab_units::Cycle;

/// What a warp does between two issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// No warp is here.
    Empty,
    /// It waits for a known cycle; then perhaps for another, for another reason.
    Timed {
        /// Why.
        reason: StallReason,
        /// What it waits for afterwards.
        then: Option<(StallReason, Cycle)>,
    },
    /// It waits for something whose cycle is not known.
    Event(StallReason),
    /// It waits for wait counters.
    Counters(StallReason),
    /// It waits for nothing but its unit and its turn.
    Ready,
}

/// A place for a warp.
#[derive(Debug)]
pub(crate) struct Warp {
    pub(crate) state: WarpState,
    /// The resident block that it belongs to.
    pub(crate) block: u8,
    /// Grows with every warp that comes to this place, so that late events can be told.
    pub(crate) generation: u32,
    pub(crate) phase: Phase,
    /// The first cycle of the phase.
    pub(crate) since: Cycle,
    pub(crate) entered: Cycle,
    /// Operations under way for each wait counter.
    pub(crate) counters: [u16; WAIT_BARRIERS],
    /// Wait counters that are not zero.
    pub(crate) pending: u8,
    /// Of these, those that wait for global or local memory.
    pub(crate) long: u8,
    /// Stores and reductions that level two has not acknowledged.
    pub(crate) unacknowledged: u32,
    /// Stores and reductions that have not left the multiprocessor.
    pub(crate) unsent: u32,
    pub(crate) exited: bool,
}

impl Warp {
    pub(crate) fn new(state: WarpState) -> Warp {
        Warp {
            state,
            block: 0,
            generation: 0,
            phase: Phase::Empty,
            since: Cycle(0),
            entered: Cycle(0),
            counters: [0; WAIT_BARRIERS],
            pending: 0,
            long: 0,
            unacknowledged: 0,
            unsent: 0,
            exited: false,
        }
    }

    /// An operation begins that a wait counter counts.
    pub(crate) fn hold(&mut self, counter: u8, long: bool) {
        self.counters[usize::from(counter)] += 1;
        self.pending |= 1 << counter;
        if long {
            self.long |= 1 << counter;
        }
    }

    /// The wait counters that keep an instruction from issuing.
    pub(crate) fn waits_for(&self, info: &IssueInfo) -> u8 {
        let more = |(counter, most): (u8, u16)| {
            u8::from(self.counters.get(usize::from(counter)).is_some_and(|&count| count > most)) << counter
        };
        info.wait_mask & self.pending | info.at_most.map_or(0, more)
    }

    /// An operation has ended; whether its counter is zero now.
    pub(crate) fn release(&mut self, counter: u8) -> bool {
        let count = &mut self.counters[usize::from(counter)];
        *count = count.saturating_sub(1);
        if *count == 0 {
            self.pending &= !(1 << counter);
            self.long &= !(1 << counter);
        }
        *count == 0
    }
}

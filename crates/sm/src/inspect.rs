//! What an SM does in one cycle, for people to look at: plain data, taken from the state without changing it.

use crate::context::Context;
use crate::lsu::LsuView;
use crate::sm::Sm;
use crate::warp::{Phase, Warp};
use serde::Serialize;
use warplab_exec::{Path, PathStatus};
use warplab_program::WAIT_COUNTERS;
use warplab_trace::{Observer, StateInterval, WarpState};
use warplab_units::{Cycle, ROW_LANES, SmId, WarpMask, WarpSlot};

/// Lanes of a warp: a mask for each row of 32.
pub type LaneRows = [u32; 2];

/// What a warp waits for with one of its wait counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WaitCounterView {
    /// Operations under way.
    pub count: u16,
    /// Whether any of them is of global or local memory.
    pub long: bool,
    /// Whether the next instruction waits for the counter.
    pub waited_for: bool,
}

/// Lanes of a warp that execute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PathView {
    /// The instruction that they issue next, or at which they wait.
    pub pc: u32,
    /// The lanes.
    pub lanes: LaneRows,
    /// Whether it is the path that issues.
    pub current: bool,
    /// What they do: runnable, or what they wait for.
    pub status: &'static str,
}

/// A warp in its slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WarpView {
    /// The number of its block.
    pub block: u64,
    /// The block's place in the grid.
    pub coordinates: [u32; 3],
    /// The warp's number in its block.
    pub warp: u32,
    /// Its state in the cycle.
    pub state: &'static str,
    /// The letter of this state in a timeline.
    pub letter: char,
    /// The colour of this state in a timeline.
    pub colour: &'static str,
    /// The instruction that it issued in the cycle, or else waits to issue.
    pub pc: u32,
    /// The lanes that execute it.
    pub lanes: LaneRows,
    /// Cycles that it has waited so, this one included; 0 for a warp that issued.
    pub waited: u64,
    /// Its wait counters.
    pub counters: [WaitCounterView; WAIT_COUNTERS],
    /// Stores and reductions that have not left the SM.
    pub unsent: u32,
    /// Stores and reductions that L2 has not acknowledged.
    pub unacknowledged: u32,
    /// The lanes that have not exited.
    pub live: LaneRows,
    /// How its lanes have diverged: one path when they have not.
    pub paths: Vec<PathView>,
}

/// A warp slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SlotView {
    /// Its number.
    pub slot: WarpSlot,
    /// The scheduler (sub-partition) that it belongs to.
    pub scheduler: usize,
    /// The warp in it.
    pub warp: Option<WarpView>,
}

/// A warp scheduler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SchedulerView {
    /// The slots whose warps issued in the cycle: mostly one or none.
    pub selected: Vec<WarpSlot>,
    /// Warps that could have issued, the selected ones among them.
    pub eligible: u32,
    /// Warps that are resident.
    pub active: u32,
}

/// An SM in one cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SmView {
    /// The SM.
    pub sm: SmId,
    /// Its schedulers.
    pub schedulers: Vec<SchedulerView>,
    /// Its warp slots as far as they have been used, in order.
    pub slots: Vec<SlotView>,
    /// Its load/store unit and L1.
    pub lsu: LsuView,
}

/// The registers of one lane of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LaneView {
    /// The index of its thread in the block.
    pub thread: [u32; 3],
    /// `R0`, `R1`, ...
    pub registers: Vec<u32>,
    /// `P0` to `P6`.
    pub predicates: Vec<bool>,
    /// `UR0`, `UR1`, ... of its row.
    pub uniforms: Vec<u32>,
}

/// An instruction that issued: slot, program counter and lanes.
type Issue = (WarpSlot, u32, WarpMask);

/// What the warps of an SM did in one cycle. It watches while the SM advances through that cycle.
#[derive(Clone, Debug)]
pub struct CycleRecord {
    cycle: Cycle,
    issues: Vec<Issue>,
    states: Vec<(WarpSlot, WarpState)>,
}

impl CycleRecord {
    /// Nothing has been seen yet of this cycle.
    #[must_use]
    pub fn new(cycle: Cycle) -> CycleRecord {
        CycleRecord { cycle, issues: Vec::new(), states: Vec::new() }
    }

    /// The slots whose warps issued, and their instructions.
    pub fn issues(&self) -> impl Iterator<Item = (WarpSlot, u32)> {
        self.issues.iter().map(|&(slot, pc, _)| (slot, pc))
    }

    fn issue(&self, slot: WarpSlot) -> Option<&Issue> {
        self.issues.iter().find(|issue| issue.0 == slot)
    }

    fn state(&self, slot: WarpSlot) -> Option<WarpState> {
        self.states.iter().find(|state| state.0 == slot).map(|state| state.1)
    }
}

impl Observer for CycleRecord {
    fn issued(&mut self, cycle: Cycle, _sm: SmId, slot: WarpSlot, pc: u32, mask: WarpMask) {
        if cycle == self.cycle {
            self.issues.push((slot, pc, mask));
        }
    }

    fn state(&mut self, _sm: SmId, interval: StateInterval) {
        if (interval.from..interval.to).contains(&self.cycle) {
            self.states.push((interval.slot, interval.state));
        }
    }
}

impl Sm {
    /// What the SM does in the cycle that `record` saw; the SM stands at the end of that cycle. At most `sets` occupied
    /// sets of L1 are shown, from set `first` on.
    #[must_use]
    pub fn inspect(&self, context: &Context<'_>, record: &CycleRecord, first: usize, sets: usize) -> SmView {
        let slots: Vec<SlotView> = self
            .warps
            .iter()
            .enumerate()
            .map(|(slot, warp)| self.slot_view(slot, warp, context, record))
            .collect();
        let schedulers = (0..self.sub_partitions.len()).map(|number| scheduler(number, &slots));
        SmView {
            sm: self.id,
            schedulers: schedulers.collect(),
            lsu: self.lsu.inspect(&context.spec.lsu, self.now, first, sets),
            slots,
        }
    }

    /// The state of each warp slot in the cycle that `record` saw; none for an empty slot.
    #[must_use]
    pub fn states(&self, record: &CycleRecord) -> Vec<Option<WarpState>> {
        let slots = self.warps.iter().enumerate();
        slots.map(|(slot, warp)| self.state(WarpSlot(slot as u8), warp, record)).collect()
    }

    /// The registers of a lane of the warp in a slot.
    #[must_use]
    pub fn lane(&self, context: &Context<'_>, slot: WarpSlot, lane: usize) -> Option<LaneView> {
        let warp = self.warps.get(usize::from(slot.0)).filter(|warp| warp.phase != Phase::Empty)?;
        let (row, place) = (lane / ROW_LANES, lane % ROW_LANES);
        let registers = 0..context.launch.kernel.registers.min(255);
        let state = &warp.state;
        Some(LaneView {
            thread: state.thread(lane),
            registers: registers.map(|register| state.register_of(row, register)[place]).collect(),
            predicates: (0..7).map(|number| state.predicate_of(row, number).has(place)).collect(),
            uniforms: (0..63).map(|number| state.uniform_of(row, number)).collect(),
        })
    }

    fn slot_view(&self, slot: usize, warp: &Warp, context: &Context<'_>, record: &CycleRecord) -> SlotView {
        let number = WarpSlot(slot as u8);
        let view = self
            .state(number, warp, record)
            .map(|state| self.warp_view(number, warp, state, context, record));
        SlotView { slot: number, scheduler: usize::from(warp.sub), warp: view }
    }

    /// The state of a warp in the cycle of a record: what was seen, or else what it waits for, with its last instruction still
    /// held by the dispatcher or since then.
    fn state(&self, slot: WarpSlot, warp: &Warp, record: &CycleRecord) -> Option<WarpState> {
        let seen = record.issue(slot).map(|_| WarpState::Selected).or_else(|| record.state(slot));
        let waits = || match warp.phase.reason() {
            Some(_) if record.cycle < warp.since => Some(self.sub_partitions[usize::from(warp.sub)].held_as),
            _ => warp.phase.reason_in(record.cycle.since(warp.since)),
        };
        seen.or_else(|| waits().map(WarpState::Stalled))
    }

    fn warp_view(
        &self,
        slot: WarpSlot,
        warp: &Warp,
        state: WarpState,
        context: &Context<'_>,
        record: &CycleRecord,
    ) -> WarpView {
        let block = self.blocks.get(usize::from(warp.block)).and_then(Option::as_ref);
        let paths = &warp.state.paths;
        let next = paths.current().or(paths.all().first());
        let waits = next.map(|path| (path.pc, path.mask));
        let (pc, lanes) = record.issue(slot).map(|issue| (issue.1, issue.2)).or(waits).unwrap_or_default();
        let info = paths.current().and_then(|path| context.launch.issue.get(path.pc as usize));
        WarpView {
            block: block.map_or(0, |block| block.number),
            coordinates: block.map_or([0; 3], |block| block.coordinates),
            warp: warp.state.index,
            state: state.name(),
            letter: state.letter(),
            colour: state.colour(),
            pc,
            lanes: rows(lanes),
            waited: (record.cycle + 1).since(warp.since),
            counters: warp.counters.inspect(info),
            unsent: warp.unsent,
            unacknowledged: warp.unacknowledged,
            live: rows(paths.live()),
            paths: paths.all().iter().map(|path| path_view(path, paths.current())).collect(),
        }
    }
}

fn scheduler(number: usize, slots: &[SlotView]) -> SchedulerView {
    let mut view = SchedulerView::default();
    let own = slots.iter().filter(|slot| slot.scheduler == number);
    for (slot, warp) in own.filter_map(|slot| Some((slot.slot, slot.warp.as_ref()?))) {
        view.active += 1;
        if warp.state == WarpState::Selected.name() {
            view.selected.push(slot);
        }
        let eligible = [WarpState::Selected, WarpState::NotSelected].map(WarpState::name);
        view.eligible += u32::from(eligible.contains(&warp.state));
    }
    view
}

fn path_view(path: &Path, current: Option<&Path>) -> PathView {
    PathView {
        pc: path.pc,
        lanes: rows(path.mask),
        current: current == Some(path),
        status: match path.status {
            PathStatus::Runnable => "runnable",
            PathStatus::Yielded => "yielded",
            PathStatus::AtConvergence(_) => "waits to reconverge",
            PathStatus::AtWarpsync(_) => "waits at a warp barrier",
            PathStatus::AtCollective { .. } => "waits for a collective region",
            PathStatus::InCollective => "in a collective region",
            PathStatus::AtBlockBarrier(_) => "waits at a block barrier",
        },
    }
}

fn rows(lanes: WarpMask) -> LaneRows {
    [0, 1].map(|row| lanes.row(row).to_register())
}

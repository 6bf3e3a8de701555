//! A device between two of its boundaries: a copy of one SM or partition goes on alone to a cycle of the next epoch.
//! The device itself stays where it is.

use crate::device::Device;
use crate::epoch::span;
use crate::running::QueuedLaunch;
use std::sync::Arc;
use warplab_exec::{LaunchFault, MemoryImage};
use warplab_memory::PartitionView;
use warplab_program::Kernel;
use warplab_sm::{CycleRecord, LaneView, Sm, SmView};
use warplab_trace::{NoObserver, WarpState};
use warplab_units::{Cycle, PartitionId, SmId, TypedId, WarpSlot};

/// Sets of a cache that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownSets {
    /// The first set.
    pub first: usize,
    /// How many of the occupied ones from there on.
    pub most: usize,
}

impl Device {
    /// The launch that runs, or else the next one begins. Which launch that is and since when; none when every launch
    /// has ended.
    pub fn begin_launch(&mut self) -> Option<(usize, Cycle)> {
        self.start_next()?;
        self.present_launch()
    }

    /// The launch that runs, and when it began.
    #[must_use]
    pub fn present_launch(&self) -> Option<(usize, Cycle)> {
        let running = self.state.running.as_ref()?;
        Some((self.state.finished.len(), running.begin))
    }

    /// The end of the epoch that comes next: until then every SM and every partition goes on alone. None when no launch
    /// runs, or nothing can happen any more.
    #[must_use]
    pub fn next_boundary(&self) -> Option<Cycle> {
        let launch = self.launches.get(self.state.finished.len())?;
        let (start, end) = span(&self.state, &self.memory_spec, 0, launch.prepared.peer_way)?;
        (start != Cycle::NEVER).then_some(end)
    }

    /// The kernel of a launch, counted from 0.
    #[must_use]
    pub fn kernel(&self, launch: usize) -> Option<&Kernel> {
        Some(&self.launches.get(launch)?.prepared.launch.kernel)
    }

    /// Memory partitions.
    #[must_use]
    pub fn partitions(&self) -> usize {
        self.state.memory_side.len()
    }

    /// A copy of an SM that goes on alone from here, at most to the next boundary. None while no block has come to it.
    #[must_use]
    pub fn probe(&self, sm: SmId) -> Option<Probe<'_>> {
        let running = self.state.running.as_ref()?;
        let port = running.sms.get(sm.index())?.as_ref()?;
        let launch = Arc::clone(self.launches.get(self.state.finished.len())?);
        let mut sm = port.sm.clone();
        sm.watch_states();
        let record = CycleRecord::new(self.state.now);
        Some(Probe { sm, launch, memory: &self.state.memory, record, fault: None })
    }

    /// What a memory partition holds at the end of a cycle before the next boundary.
    #[must_use]
    pub fn partition_view(
        &self,
        partition: PartitionId,
        at: Cycle,
        sets: ShownSets,
    ) -> Option<PartitionView> {
        self.state.memory_side.inspect(&self.memory_spec, partition, at, sets)
    }
}

/// A copy of one SM that goes on alone.
#[derive(Clone, Debug)]
pub struct Probe<'a> {
    sm: Sm,
    launch: Arc<QueuedLaunch>,
    memory: &'a MemoryImage,
    record: CycleRecord,
    fault: Option<Box<LaunchFault>>,
}

impl Probe<'_> {
    /// Goes on to the end of cycle `cycle`, which is watched. After a fault it stands still.
    pub fn through(&mut self, cycle: Cycle) {
        if self.fault.is_some() {
            return;
        }
        let context = self.launch.context(self.memory);
        self.record = CycleRecord::new(cycle);
        let before = self.sm.advance(cycle, &context, &mut NoObserver);
        let result = before.and_then(|()| self.sm.advance(cycle + 1, &context, &mut self.record));
        self.fault = result.err();
    }

    /// What ended the launch in this SM.
    #[must_use]
    pub fn fault(&self) -> Option<&LaunchFault> {
        self.fault.as_deref()
    }

    /// The state of each warp slot in the last cycle; none for an empty slot.
    #[must_use]
    pub fn states(&self) -> Vec<Option<WarpState>> {
        self.sm.states(&self.record)
    }

    /// The slots whose warps issued in the last cycle, and the instructions.
    #[must_use]
    pub fn issues(&self) -> Vec<(WarpSlot, u32)> {
        self.record.issues().collect()
    }

    /// What the SM did in the last cycle.
    #[must_use]
    pub fn view(&self, sets: ShownSets) -> SmView {
        self.sm.inspect(&self.launch.context(self.memory), &self.record, sets.first, sets.most)
    }

    /// The registers of a lane of the warp in a slot.
    #[must_use]
    pub fn lane(&self, slot: WarpSlot, lane: usize) -> Option<LaneView> {
        self.sm.lane(&self.launch.context(self.memory), slot, lane)
    }
}

//! One epoch of the launch that runs: SMs and partitions each alone, then what they have for each other.

use crate::device::DeviceState;
use crate::fault::RunFault;
use crate::memory_side::{MemorySide, MemorySpec, PartitionPort};
use crate::parallel;
use crate::printed::collect_printed;
use crate::running::{QueuedLaunch, Running, SmPort};
use crate::stores::apply_logs;
use warplab_sm::Context;
use warplab_units::Cycle;

/// A device in one epoch.
pub(crate) struct Epoch<'a> {
    pub(crate) memory_spec: &'a MemorySpec,
    pub(crate) launch: &'a QueuedLaunch,
    pub(crate) state: &'a mut DeviceState,
}

impl Epoch<'_> {
    /// From the next event on, as long as a message takes: what is sent in an epoch arrives in a later one.
    pub(crate) fn run(self) -> Result<(), RunFault> {
        let Some(running) = &mut self.state.running else { return Ok(()) };
        let start = self.state.now.max(running.next_event().min(self.state.memory_side.next_event()));
        if start == Cycle::NEVER || running.watchdog.is_stuck(start) {
            return Err(running.hang(self.launch, start));
        }
        check_limits(running, self.launch, start)?;
        let end = start + self.memory_spec.epoch;
        self.between(start, end)
    }

    /// What happens from `start` to `end`, which is at most as much later as a message takes.
    pub(crate) fn between(self, start: Cycle, end: Cycle) -> Result<(), RunFault> {
        let Epoch { memory_spec, launch, state } = self;
        let DeviceState { now, memory, heap, memory_side, running, printed, .. } = state;
        let Some(running) = running else { return Ok(()) };
        let context = launch.context(memory);
        let busy = advance(running, memory_side, end, &context, memory_spec);
        collect_printed(running, printed);
        if let Some(fault) = running.take_fault() {
            return Err(RunFault::Launch(fault));
        }
        apply_logs(running, (start, end), &context, memory, heap)?;
        let last_reply = memory_side.exchange(running, memory_spec, end, busy);
        running.replied(last_reply, end);
        running.collect_ends(end);
        running.stop_if_steady(end, memory_side);
        running.dispatch(end, launch);
        *now = end;
        Ok(())
    }
}

/// All SMs and all partitions that have something to do, each alone, up to `end`. How many they are.
fn advance(
    running: &mut Running,
    memory_side: &mut MemorySide,
    end: Cycle,
    context: &Context<'_>,
    spec: &MemorySpec,
) -> usize {
    let mut sms = running.begin_epoch(end);
    let mut partitions = memory_side.begin_epoch(end);
    let busy = sms.len() + partitions.len();
    let advance_sm = |(port, next): &mut (&mut SmPort, &mut Cycle)| **next = port.advance(end, context);
    let advance_partition = |(port, next): &mut (&mut PartitionPort, &mut Cycle)| {
        **next = port.advance(end, spec);
    };
    if parallel::is_worth_it(busy) {
        parallel::both(
            || parallel::for_each(&mut sms, advance_sm),
            || parallel::for_each(&mut partitions, advance_partition),
        );
    } else {
        sms.iter_mut().for_each(advance_sm);
        partitions.iter_mut().for_each(advance_partition);
    }
    busy
}

/// The limit that was given, or the one that holds where none was.
fn check_limits(running: &mut Running, launch: &QueuedLaunch, now: Cycle) -> Result<(), RunFault> {
    let Running { watchdog, sms, .. } = running;
    let instructions = || sms.iter().flatten().map(|port| port.sm.instructions()).sum();
    match watchdog.epoch(now, instructions) {
        None => Ok(()),
        Some(reached) => Err(running.standstill(launch).too_long(reached)),
    }
}

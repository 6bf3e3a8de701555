//! One epoch of the launch that runs: SMs each alone, then the partitions, then what they have for the SMs.

use crate::device::DeviceState;
use crate::fault::RunFault;
use crate::memory_side::MemorySpec;
use crate::parallel;
use crate::peers;
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
    /// How far the partitions advance beyond the end of the epoch.
    pub(crate) lead: u64,
}

impl Epoch<'_> {
    /// From the next event on.
    pub(crate) fn run(self) -> Result<(), RunFault> {
        let Some((start, end)) = span(self.state, self.memory_spec, self.lead, self.launch.prepared.peer_way)
        else {
            return Ok(());
        };
        let Some(running) = &mut self.state.running else { return Ok(()) };
        if start == Cycle::NEVER || running.watchdog.is_stuck(start) {
            return Err(running.hang(self.launch, start));
        }
        check_limits(running, self.launch, start)?;
        self.until(end)
    }

    /// What happens until `end`, the end of the epoch or before.
    pub(crate) fn until(self, end: Cycle) -> Result<(), RunFault> {
        let Epoch { memory_spec, launch, state, lead } = self;
        let DeviceState { now, memory, heap, memory_side, running, printed, .. } = state;
        let Some(running) = running else { return Ok(()) };
        let context = launch.context(memory);
        advance_sms(running, end, &context);
        collect_printed(running, printed);
        if let Some(fault) = running.take_fault() {
            return Err(RunFault::Launch(fault));
        }
        apply_logs(running, end, &context, memory, heap)?;
        peers::exchange(running, launch)?;
        memory_side.take_requests(running, memory_spec, end);
        memory_side.advance(memory_spec, end + lead);
        let last_reply = memory_side.give_replies(running, memory_spec, end + lead);
        running.replied(last_reply, end);
        running.collect_ends(end);
        running.stop_if_steady(end, memory_side);
        running.dispatch(end, launch);
        *now = end;
        Ok(())
    }
}

/// When the next epoch begins and ends, if a launch runs. What an SM sends can be answered after the way there and back, and what
/// a partition sends arrives after the way back: until then the SMs know all that comes to them. The partitions are ahead of
/// the SMs by `lead`, so that nothing that they send arrives sooner.
/// Likewise SMs of a cluster of blocks, between which a message takes `peer_way`.
pub(crate) fn span(
    state: &DeviceState,
    spec: &MemorySpec,
    lead: u64,
    peer_way: Option<u64>,
) -> Option<(Cycle, Cycle)> {
    let DeviceState { now, memory_side, running, .. } = state;
    let sms = running.as_ref()?.next_event().min(memory_side.next_request()).max(*now);
    let partitions = memory_side.next_event().max(*now);
    let longest = (spec.way + lead).min(peer_way.unwrap_or(u64::MAX));
    Some((sms.min(partitions), (sms + longest).min(partitions + spec.way)))
}

/// All SMs that have something to do, each alone, up to `end`.
fn advance_sms(running: &mut Running, end: Cycle, context: &Context<'_>) {
    let mut sms = running.begin_epoch(end);
    let advance = |(port, next): &mut (&mut SmPort, &mut Cycle)| **next = port.advance(end, context);
    if parallel::is_worth_it(sms.len()) {
        parallel::for_each(&mut sms, advance);
    } else {
        sms.iter_mut().for_each(advance);
    }
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

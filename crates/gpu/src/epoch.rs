//! One epoch of the launch that runs: SMs and partitions each alone, then what they have for each other.

use crate::device::DeviceState;
use crate::fault::RunFault;
use crate::memory_side::MemorySpec;
use crate::parallel;
use crate::printed::collect_printed;
use crate::running::{QueuedLaunch, Running, SmPort};
use warplab_config::GpuConfig;
use warplab_exec::{Heap, MemoryImage};
use warplab_sm::Context;
use warplab_units::Cycle;

/// A device in one epoch.
pub(crate) struct Epoch<'a> {
    pub(crate) config: &'a GpuConfig,
    pub(crate) memory_spec: &'a MemorySpec,
    pub(crate) launch: &'a QueuedLaunch,
    pub(crate) state: &'a mut DeviceState,
}

impl Epoch<'_> {
    /// From the next event on, as long as a message takes on the crossbar.
    pub(crate) fn run(self) -> Result<(), RunFault> {
        let Epoch { config, memory_spec, launch, state } = self;
        let DeviceState { now, memory, heap, memory_side, running, printed, .. } = state;
        let Some(running) = running else { return Ok(()) };
        let start = (*now).max(running.next_event().min(memory_side.next_event()));
        if start == Cycle::NEVER || running.watchdog.is_stuck(start) {
            return Err(running.hang(launch, start));
        }
        check_limits(running, launch, start)?;
        let length = u64::from(config.crossbar.latency);
        let end = start + length;
        let context = launch.context(memory);
        let fault = advance_sms(running, end, &context);
        memory_side.advance(end, memory_spec);
        collect_printed(running.active_mut().map(|port| port.sm.printed()), printed);
        if let Some(fault) = fault {
            return Err(fault);
        }
        apply_logs(running, end, &context, memory, heap)?;
        let mut requests = Vec::new();
        running.active_mut().for_each(|port| port.sm.take_requests(&mut requests));
        memory_side.requests(requests, end + length, memory_spec);
        memory_side.replies(end + length, memory_spec, |sm, reply| running.deliver(sm, reply, end));
        running.collect_ends(end);
        running.dispatch(end, launch);
        *now = end;
        Ok(())
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

/// All SMs that have something to do, each alone; the fault of the first that has one.
fn advance_sms(running: &mut Running, end: Cycle, context: &Context<'_>) -> Option<RunFault> {
    let mut active: Vec<&mut SmPort> = running.active_mut().filter(|port| port.next < end).collect();
    parallel::for_each(&mut active, |port| port.advance(end, context));
    running.active_mut().find_map(|port| port.fault.take()).map(RunFault::Launch)
}

/// Stores and atomic operations take effect for the other SMs, in the order of (cycle, SM, sequence).
fn apply_logs(
    running: &mut Running,
    now: Cycle,
    context: &Context<'_>,
    memory: &MemoryImage,
    heap: &mut Heap,
) -> Result<(), RunFault> {
    let mut order: Vec<(Cycle, u16, u32)> = Vec::new();
    for (sm, port) in running.sms.iter().enumerate() {
        let Some(port) = port else { continue };
        let log = port.sm.log();
        order.extend((0..log.len()).map(|index| (log.cycle(index), sm as u16, index as u32)));
    }
    if order.is_empty() {
        return Ok(());
    }
    running.watchdog.memory_moved(now);
    order.sort_unstable();
    for (_, sm, index) in order {
        let Some(port) = &mut running.sms[usize::from(sm)] else { continue };
        match port.sm.log().apply(index as usize, memory, heap) {
            Ok(Some(result)) => port.sm.deliver_atomic(&result),
            Ok(None) => {}
            Err(refusal) => return Err(RunFault::Launch(port.sm.heap_fault(refusal, context))),
        }
    }
    running.active_mut().for_each(|port| port.sm.clear_log());
    Ok(())
}

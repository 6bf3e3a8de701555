//! Stores and atomic operations take effect for the other SMs at the end of an epoch, in the order of (cycle, SM,
//! sequence).

use crate::fault::RunFault;
use crate::parallel;
use crate::running::{Running, SmPort};
use warplab_exec::{Heap, MemoryImage};
use warplab_sm::{AtomicResult, Context, Shard};
use warplab_units::Cycle;

/// With fewer changes than this a second thread is not worth its start.
const FEW: usize = 512;

/// A change in the log of an SM.
#[derive(Clone, Copy, Debug)]
struct Change {
    sm: u16,
    index: u32,
}

/// Applies the logs of all SMs to device memory and empties them, at the end of an epoch.
pub(crate) fn apply_logs(
    running: &mut Running,
    now: Cycle,
    context: &Context<'_>,
    memory: &MemoryImage,
    heap: &mut Heap,
) -> Result<(), RunFault> {
    let order = order(running);
    if order.is_empty() {
        return Ok(());
    }
    running.watchdog.memory_moved(now);
    let only_accesses = running.acting().all(|(_, port)| port.sm.log().has_only_accesses());
    if only_accesses && order.len() >= FEW && parallel::threads() > 1 {
        in_parallel(&order, &mut running.sms, memory, parallel::threads());
    } else {
        one_by_one(&order, running, context, memory, heap)?;
    }
    running.for_each_acting(|port| port.sm.clear_log());
    Ok(())
}

/// All changes in the order of (cycle, SM, sequence). The log of an SM is in order of time: sorting is counting.
fn order(running: &Running) -> Vec<Change> {
    let first = |(_, port): (usize, &SmPort)| port.sm.log().first_cycle();
    let Some(start) = running.acting().filter_map(first).min() else { return Vec::new() };
    let logs = || {
        running.acting().flat_map(|(sm, port)| {
            let log = port.sm.log();
            (0..log.len()).map(move |index| (log.cycle(index).since(start) as usize, sm, index))
        })
    };
    let mut places: Vec<usize> = Vec::new();
    for (cycle, ..) in logs() {
        if places.len() < cycle + 2 {
            places.resize(cycle + 2, 0);
        }
        places[cycle + 1] += 1;
    }
    for cycle in 1..places.len() {
        places[cycle] += places[cycle - 1];
    }
    let mut order = vec![Change { sm: 0, index: 0 }; places.last().copied().unwrap_or_default()];
    for (cycle, sm, index) in logs() {
        order[places[cycle]] = Change { sm: sm as u16, index: index as u32 };
        places[cycle] += 1;
    }
    order
}

/// What one thread does: its share of the addresses, and the results there with their places in the order.
struct Share {
    shard: Shard,
    results: Vec<(usize, AtomicResult)>,
}

/// Each thread makes the changes in its own share of the addresses: the order is kept for every word.
fn in_parallel(order: &[Change], sms: &mut [Option<SmPort>], memory: &MemoryImage, threads: usize) {
    let shards = Shard::all(threads).into_iter();
    let mut shares: Vec<Share> = shards.map(|shard| Share { shard, results: Vec::new() }).collect();
    let logs: &[Option<SmPort>] = sms;
    parallel::for_each(&mut shares, |Share { shard, results }| {
        let result = |change: &Change| {
            let port = logs[usize::from(change.sm)].as_ref()?;
            port.sm.log().apply_in(change.index as usize, *shard, memory)
        };
        results.extend(order.iter().enumerate().filter_map(|(place, change)| Some((place, result(change)?))));
    });
    let mut results: Vec<&(usize, AtomicResult)> = shares.iter().flat_map(|share| &share.results).collect();
    results.sort_by_key(|(place, _)| *place);
    for (place, result) in results {
        if let Some(port) = &mut sms[usize::from(order[*place].sm)] {
            port.sm.deliver_atomic(result);
        }
    }
}

fn one_by_one(
    order: &[Change],
    running: &mut Running,
    context: &Context<'_>,
    memory: &MemoryImage,
    heap: &mut Heap,
) -> Result<(), RunFault> {
    for &Change { sm, index } in order {
        let Some(port) = &mut running.sms[usize::from(sm)] else { continue };
        match port.sm.log().apply(index as usize, memory, heap) {
            Ok(Some(result)) => port.sm.deliver_atomic(&result),
            Ok(None) => {}
            Err(refusal) => return Err(RunFault::Launch(port.sm.heap_fault(refusal, context))),
        }
    }
    Ok(())
}

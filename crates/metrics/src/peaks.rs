//! How much of what each unit can do was done.

use crate::context::Context;
use warplab_program::{Opcode, Pipe};
use warplab_trace::CacheCounters;
use warplab_units::SECTOR_BYTES;

/// The cycles of a unit that a share refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// Cycles in which the unit held work.
    Active,
    /// All cycles of the kernel.
    Elapsed,
}

/// Scheduler cycles.
fn scheduler_cycles(context: &Context<'_>, over: Over) -> f64 {
    match over {
        Over::Active => context.sm_active() * f64::from(context.config.limits.sub_partitions),
        Over::Elapsed => context.elapsed() * context.schedulers(),
    }
}

/// Multiprocessor cycles.
fn sm_cycles(context: &Context<'_>, over: Over) -> f64 {
    match over {
        Over::Active => context.sm_active(),
        Over::Elapsed => context.elapsed() * context.multiprocessors(),
    }
}

fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { 100.0 * part / whole } else { 0.0 }
}

/// Issue slots used.
pub(crate) fn issue(context: &Context<'_>, over: Over) -> f64 {
    percent(context.issued(), scheduler_cycles(context, over))
}

/// Cycles that a pipe was taken.
pub(crate) fn pipe(context: &Context<'_>, pipe: Pipe, over: Over) -> f64 {
    let executed = |pipe: Pipe| context.counters.sm.instructions.by_pipe[pipe as usize] as f64;
    let machine = &context.config.multiprocessor;
    let interval = 1.0 / machine.pipes.per_cycle(pipe);
    let cycles = scheduler_cycles(context, over);
    match pipe {
        // Its heavy half also executes integer multiply-adds.
        Pipe::Fma => percent((executed(Pipe::Fma) + executed(Pipe::FmaHeavy)) * interval, cycles),
        // Sub-partitions share the unit.
        Pipe::Lsu => {
            let shared = f64::from(machine.memory_pipeline.interval);
            let parts = f64::from(context.config.limits.sub_partitions.max(1));
            percent(executed(pipe) * interval.max(shared * parts), cycles)
        }
        // A product of a warpgroup takes it as long as its sum has columns.
        Pipe::Tensor => {
            let instructions = &context.counters.sm.instructions;
            let of_warpgroups = [Opcode::Hgmma, Opcode::Qgmma, Opcode::Igmma];
            let others = of_warpgroups
                .iter()
                .fold(executed(pipe), |rest, &opcode| rest - instructions.by_opcode[opcode as usize] as f64);
            percent(others * interval + instructions.product_cycles as f64, cycles)
        }
        _ => percent(executed(pipe) * interval, cycles),
    }
}

/// The busiest pipe and its share.
pub(crate) fn busiest_pipe(context: &Context<'_>, over: Over) -> (Pipe, f64) {
    Pipe::ALL
        .into_iter()
        .map(|candidate| (candidate, pipe(context, candidate, over)))
        .fold((Pipe::Alu, 0.0), |best, next| if next.1 > best.1 { next } else { best })
}

/// The multiprocessors: issue slots or the busiest pipe.
pub(crate) fn compute(context: &Context<'_>, over: Over) -> f64 {
    issue(context, over).max(busiest_pipe(context, over).1)
}

/// Passes of shared memory.
pub(crate) fn shared_wavefronts(context: &Context<'_>) -> u64 {
    let shared = &context.counters.sm.shared;
    shared.load_wavefronts
        + shared.store_wavefronts
        + shared.atomic_wavefronts
        + shared.product_wavefronts
        + shared.exchange_requests
        + context.counters.sm.l1.copy_wavefronts
}

/// Level one: its tag unit or its data unit, which shared memory uses too.
pub(crate) fn level_one(context: &Context<'_>, over: Over) -> f64 {
    let l1 = &context.counters.sm.l1;
    let passes = shared_wavefronts(context) * u64::from(context.config.multiprocessor.shared.pass_interval);
    let busy = l1.tag_cycles.max(l1.data_cycles + passes);
    percent(busy as f64, sm_cycles(context, over))
}

/// Level two: cycles in which slices delivered or took data.
pub(crate) fn level_two(context: &Context<'_>) -> f64 {
    let slices = context.counters.partitions as f64 * f64::from(context.config.l2.slices_per_channel);
    let ticks = context.elapsed() * context.counters.ticks_per_cycle as f64 * slices;
    percent(context.counters.memory.l2.busy_ticks as f64, ticks)
}

/// The ports through which data comes from level two to the multiprocessors.
pub(crate) fn crossbar(context: &Context<'_>) -> f64 {
    let crossbar = &context.config.crossbar;
    let peak = cluster_bytes(context, crossbar.sm_receive_bytes, crossbar.cluster_receive_bytes);
    percent(crossbar_bytes(context) as f64, peak * context.elapsed())
}

/// Bytes per cycle that pass the ports of all clusters, where SMs and clusters pass so many each.
pub(crate) fn cluster_bytes(context: &Context<'_>, of_sm: u32, of_cluster: u32) -> f64 {
    let clusters = context.config.sm_clusters();
    let narrower = |sms: u32| u64::from(of_cluster).min(u64::from(sms) * u64::from(of_sm));
    clusters.iter().map(|cluster| narrower(cluster.sms)).sum::<u64>() as f64
}

/// Bytes that came from level two to the multiprocessors.
fn crossbar_bytes(context: &Context<'_>) -> u64 {
    exchanged_with_sms(&context.counters.memory.l2).0 * SECTOR_BYTES
}

/// Sectors that level two sent to multiprocessors and got from them, without what its halves asked of each other.
pub(crate) fn exchanged_with_sms(l2: &CacheCounters) -> (u64, u64) {
    let reads = l2.read_sectors.saturating_sub(l2.far_read_sectors) + l2.coalesced_sectors;
    let writes = l2.write_sectors.saturating_sub(l2.far_write_sectors + l2.completed_sectors);
    let atomics = l2.atomic_sectors.saturating_sub(l2.far_atomic_sectors);
    let reductions = l2.reduction_sectors.saturating_sub(l2.far_reduction_sectors);
    (reads + atomics, writes + atomics + reductions)
}

/// Bytes per cycle that the halves of level two can send each other, all links together; none where it is one cache.
pub(crate) fn fabric_bytes_per_cycle(context: &Context<'_>) -> Option<f64> {
    let (l2, clocks) = (&context.config.l2, &context.config.clocks);
    let slices = context.counters.partitions as f64 * f64::from(l2.slices_per_channel);
    (l2.halves > 1).then(|| slices * f64::from(l2.link_bytes) * clocks.l2_mhz / clocks.sm_mhz)
}

/// DRAM: bytes of those that its peak bandwidth allows.
pub(crate) fn dram(context: &Context<'_>) -> f64 {
    percent(dram_bytes(context) as f64, context.config.dram_bytes_per_second() * context.seconds())
}

/// Bytes read from and written to DRAM.
pub(crate) fn dram_bytes(context: &Context<'_>) -> u64 {
    let dram = &context.counters.memory.dram;
    dram.read_bytes + dram.written_bytes
}

/// The memory system: its busiest part.
pub(crate) fn memory(context: &Context<'_>) -> f64 {
    [level_one(context, Over::Elapsed), level_two(context), crossbar(context), dram(context)]
        .into_iter()
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::crossbar;
    use crate::test_launch::{counters, launch, with};

    #[test]
    fn what_the_halves_of_level_two_ask_of_each_other_does_not_pass_the_crossbar() {
        let mut counters = counters();
        let alone = with(&counters, &launch(), crossbar);
        counters.memory.l2.read_sectors += 10_000;
        counters.memory.l2.far_read_sectors += 10_000;
        assert_eq!(with(&counters, &launch(), crossbar), alone);
        assert!(alone > 0.0);
    }
}

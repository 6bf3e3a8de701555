//! What a slice of level two is made of, and how long what passes it takes.

use super::{Asker, SliceOutput};
use crate::cache::CacheShape;
use crate::l2::coalescer::CoalescerSpec;
use crate::l2::input::InputSpec;
use crate::l2::link::LinkSpec;
use crate::l2::turns;
use crate::l2::writes::WriteSpec;
use crate::map::AddressMap;
use crate::message::{Credit, Request, RequestKind};
use std::array;
use std::sync::Arc;
use warplab_config::gpu::ReplacementPolicy;
use warplab_config::{GpuConfig, Ticks};
use warplab_units::{Address, SECTOR_BYTES, SECTORS_PER_LINE, SectorMask, SmId, TypedId};

/// What a slice is.
#[derive(Clone, Debug)]
pub(crate) struct L2Spec {
    pub(super) map: AddressMap,
    pub(super) shape: CacheShape,
    /// The queue of a slice in which requests of each SM wait: those of a CPC in one.
    queues: Arc<[u8]>,
    pub(super) replacement: ReplacementPolicy,
    pub(super) hashed_sets: bool,
    pub(super) link: LinkSpec,
    pub(super) mshrs: usize,
    /// How long so many sectors keep the port of a slice busy.
    pub(super) sector_times: [Ticks; SECTORS_PER_LINE as usize + 1],
    pub(super) input: Option<InputSpec>,
    pub(super) coalescer: Option<CoalescerSpec>,
    /// Lines with sectors written in part.
    pub(super) partial_ways: Option<usize>,
    /// Lines that must be written back.
    pub(super) dirty_lines: Option<usize>,
    /// Whether a dirty line that would go is written back and stays, and a clean one goes.
    pub(super) cleans_before_eviction: bool,
    pub(super) writes: Option<WriteSpec>,
    /// How long a sector keeps the port busy whose rest comes from DRAM.
    pub(super) completion: Ticks,
    pub(super) fetch_sectors: u32,
    /// Bytes of a flit, where SMs may have so many on the way.
    pub(super) credit_flit_bytes: Option<u32>,
    /// Bytes of a reply beside its data.
    pub(super) header_bytes: u32,
    pub(super) hit: Ticks,
    pub(super) miss: Ticks,
    pub(super) fill: Ticks,
    pub(super) atomic: Ticks,
    /// An atomic operation on part of a sector, and on the sector of the one before.
    pub(super) atomic_part: Ticks,
    pub(super) atomic_repeat: Ticks,
    /// An atomic operation that goes on to its home.
    pub(super) atomic_pass: Ticks,
}

impl L2Spec {
    pub(crate) fn new(config: &GpuConfig) -> L2Spec {
        let l2 = &config.l2;
        let slices = config.partitions() as u64 * u64::from(l2.slices_per_channel);
        let bytes = u64::from(l2.kib) * 1024 / slices;
        let cycle = config.l2_cycle();
        L2Spec {
            map: AddressMap::new(config),
            shape: CacheShape::of_bytes(bytes, l2.ways),
            queues: queues(config),
            replacement: l2.replacement,
            hashed_sets: l2.hashed_sets,
            link: LinkSpec::new(config),
            mshrs: l2.miss_entries as usize,
            sector_times: array::from_fn(|sectors| {
                let bytes = sectors as u64 * SECTOR_BYTES;
                cycle.max(Ticks(cycle.0 * bytes / u64::from(l2.slice_bytes)))
            }),
            input: InputSpec::new(config),
            coalescer: CoalescerSpec::new(config),
            partial_ways: l2.partial_ways.map(|ways| ways as usize),
            dirty_lines: l2.dirty_lines.map(|lines| lines as usize),
            cleans_before_eviction: l2.cleans_before_eviction,
            writes: WriteSpec::new(config),
            completion: cycle * u64::from(l2.completion),
            fetch_sectors: l2.fetch_bytes / SECTOR_BYTES as u32,
            credit_flit_bytes: config.crossbar.credits.and(config.crossbar.flit_bytes),
            header_bytes: config.crossbar.header_bytes,
            hit: Ticks::of_cycles(u64::from(l2.hit_latency)),
            miss: Ticks::of_cycles(u64::from(l2.miss_latency)),
            fill: Ticks::of_cycles(u64::from(l2.fill_latency)),
            atomic: cycle * u64::from(l2.atomic_interval),
            atomic_part: Ticks(cycle.0 * u64::from(l2.atomic_interval * l2.atomic_part_percent) / 100),
            atomic_repeat: Ticks(cycle.0 * u64::from(l2.atomic_interval * l2.atomic_repeat_percent) / 100),
            atomic_pass: Ticks(cycle.0 * u64::from(l2.atomic_interval * l2.atomic_pass_percent) / 100),
        }
    }

    /// Queues in which requests of SMs wait.
    pub(super) fn queues(&self) -> usize {
        self.queues.iter().max().map_or(1, |&last| usize::from(last) + 1)
    }

    /// The queue in which requests of an SM wait.
    #[inline]
    pub(super) fn queue_of(&self, sm: SmId) -> usize {
        self.queues.get(sm.index()).map_or(0, |&queue| usize::from(queue))
    }

    /// A request has been taken, where it is done. A read has been taken before it came from the other half.
    pub(super) fn credit(&self, request: &Request, asker: Asker, now: Ticks, output: &mut SliceOutput<'_>) {
        let Some(flit_bytes) = self.credit_flit_bytes else { return };
        let at = match asker {
            Asker::OtherHalf if request.kind == RequestKind::Read => return,
            Asker::OtherHalf => now.to_cycle() + self.link.latency(),
            Asker::Sm | Asker::Neighbour => now.to_cycle(),
        };
        output.credits.push(Credit { sm: request.sm, flits: request.flits(flit_bytes), at });
    }

    /// How long the sectors of a request keep the port of a slice busy.
    pub(super) fn sector_time(&self, request: &Request) -> Ticks {
        self.sector_times[request.sectors.count() as usize]
    }

    /// How long a request keeps the port of a slice busy; `before` is the sector of the atomic operation before, if there
    /// was only one.
    pub(super) fn port_time(&self, request: &Request, before: Option<(Address, SectorMask)>) -> Ticks {
        let busy = self.sector_time(request);
        match request.kind {
            RequestKind::Atomic { sector_accesses, full, .. } => {
                let (sectors, full) = (request.sectors.count(), (full & request.sectors).count());
                let again = before == Some((request.line, request.sectors)) && sectors == 1 && full == 0;
                let part = u64::from(sectors - full - u32::from(again));
                let repeated = u64::from(sector_accesses).saturating_sub(part + u64::from(full));
                busy.max(
                    self.atomic * u64::from(full) + self.atomic_part * part + self.atomic_repeat * repeated,
                )
            }
            RequestKind::Read | RequestKind::Write { .. } => busy,
        }
    }

    /// How long an atomic operation that goes on to its home keeps the port of the near slice busy: its sectors pass
    /// together, further lanes on their words one after another.
    pub(super) fn pass_time(&self, sectors: SectorMask, sector_accesses: u8) -> Ticks {
        let further = u32::from(sector_accesses).saturating_sub(sectors.count());
        self.atomic_pass * u64::from(1 + further)
    }
}

/// The queue of each SM: the CPCs that ask one half have queues of their own there, as far as there are some.
fn queues(config: &GpuConfig) -> Arc<[u8]> {
    let mut of_half: [Vec<u32>; 2] = Default::default();
    let halves = config
        .sm_clusters()
        .into_iter()
        .flat_map(|cluster| vec![cluster.half as usize; cluster.sms as usize]);
    let queue = |(cpc, half): (u32, usize)| {
        let known = &mut of_half[half];
        let place = known.iter().position(|&other| other == cpc).unwrap_or_else(|| {
            known.push(cpc);
            known.len() - 1
        });
        (place % turns::MOST) as u8
    };
    config.cpc_of_sm().into_iter().zip(halves).map(queue).collect()
}

#[cfg(test)]
mod tests {
    use super::queues;
    use crate::testing::toy;
    use warplab_config::gpu::SmCluster;

    #[test]
    fn each_half_has_a_queue_for_each_of_its_cpcs() {
        let mut config = toy();
        config.limits.multiprocessors = 8;
        config.crossbar.sms_per_tpc = 2;
        let cluster = |half, cpcs| SmCluster { sms: 4, half, cpcs, ..SmCluster::default() };
        config.crossbar.clusters = vec![cluster(0, vec![5, 7]), cluster(1, vec![7, 9])];
        assert_eq!(queues(&config)[..], [0, 0, 1, 1, 0, 0, 1, 1]);
        // Where it is not known of all, all wait in one.
        config.crossbar.clusters[1].cpcs.clear();
        assert!(queues(&config).is_empty());
    }
}

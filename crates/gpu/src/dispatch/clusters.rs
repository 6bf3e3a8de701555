//! Clusters of blocks come to SMs of one GPC, each block to another (measured: traces/h200/clusters, placement.txt).

use super::{Dispatcher, FreePlace, PARTS};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use warplab_config::GpuConfig;
use warplab_sm::BlockStart;
use warplab_units::{Cycle, SmId, TypedId};

/// Where the blocks of a cluster can go.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ClusterPlaces {
    /// Blocks of a cluster.
    blocks: usize,
    /// The group of SMs of each SM on one of which a cluster must be, if it is in one.
    groups: Vec<Option<u16>>,
    /// SMs that hold blocks, of each group.
    busy: Vec<u32>,
    /// What a cluster adds to the time of its blocks, in parts of a cycle.
    interval: u64,
}

impl ClusterPlaces {
    /// Two blocks go to the SMs of one TPC, more to those of a GPC; there may be TPCs of no GPC.
    fn new(blocks: u32, config: &GpuConfig) -> ClusterPlaces {
        let sms_per_tpc = config.crossbar.sms_per_tpc.max(1);
        let sms = config.limits.multiprocessors;
        let clusters = config.multiprocessor.block_clusters.unwrap_or_default();
        let groups: Vec<Option<u16>> = if blocks <= sms_per_tpc {
            (0..sms).map(|sm| Some((sm / sms_per_tpc) as u16)).collect()
        } else {
            let gpcs = config.sm_clusters().into_iter().zip(0..);
            let group = |(gpc, number): (warplab_config::gpu::SmCluster, u16)| {
                vec![(!gpc.first).then_some(number); gpc.sms as usize]
            };
            gpcs.flat_map(group).collect()
        };
        let count = groups.iter().flatten().max().map_or(0, |&last| usize::from(last) + 1);
        let interval = (clusters.interval * PARTS as f64).round() as u64;
        ClusterPlaces { blocks: blocks as usize, groups, busy: vec![0; count], interval }
    }

    fn group(&self, sm: SmId) -> Option<usize> {
        self.groups.get(sm.index()).copied().flatten().map(usize::from)
    }

    /// A block comes to an SM, or one has left.
    pub(super) fn count(&mut self, sm: SmId, comes: bool) {
        if let Some(group) = self.group(sm) {
            let busy = &mut self.busy[group];
            *busy = if comes { *busy + 1 } else { busy.saturating_sub(1) };
        }
    }
}

impl Dispatcher {
    /// So many blocks after each other come together.
    pub(crate) fn in_clusters(mut self, blocks: u32, config: &GpuConfig) -> Dispatcher {
        self.clusters = Some(ClusterPlaces::new(blocks, config));
        self
    }

    /// The places to which the next cluster goes, and when: those of the group that has enough first, and of several the one
    /// with the fewest blocks.
    fn next_places(&self) -> Option<(Cycle, Vec<FreePlace>)> {
        let clusters = self.clusters.as_ref()?;
        let freed = self.freed.iter().map(|Reverse(place)| place);
        let mut sorted: Vec<FreePlace> = self.unused.iter().chain(freed).copied().collect();
        sorted.sort_unstable_by_key(|place| place.by_round());
        let mut chosen: Vec<Vec<FreePlace>> = vec![Vec::new(); clusters.busy.len()];
        for place in sorted {
            let Some(group) = clusters.group(place.sm()) else { continue };
            let of_group = &mut chosen[group];
            if of_group.len() < clusters.blocks && of_group.iter().all(|other| other.sm() != place.sm()) {
                of_group.push(place);
            }
        }
        let groups =
            chosen.into_iter().zip(&clusters.busy).filter(|(places, _)| places.len() == clusters.blocks);
        let when =
            |places: &[FreePlace]| places.iter().map(|place| place.free_at).max().unwrap_or(Cycle::NEVER);
        let first = groups.min_by_key(|(places, busy)| (when(places), **busy))?;
        let mut places = first.0;
        let at = when(&places);
        places.sort_unstable_by_key(|place| place.sm());
        Some((at, places))
    }

    /// When the next cluster can be dispatched.
    #[cold]
    pub(super) fn next_cluster(&self) -> Cycle {
        if self.is_done() { Cycle::NEVER } else { self.next_places().map_or(Cycle::NEVER, |(at, _)| at) }
    }

    /// As [`Dispatcher::dispatch`], a cluster of blocks at once.
    #[cold]
    pub(crate) fn dispatch_clusters(&mut self, now: Cycle, mut give: impl FnMut(SmId, BlockStart)) {
        let horizon = now + self.block_end;
        while !self.is_done() {
            let Some((free_at, places)) = self.next_places().filter(|(at, _)| *at < horizon) else { return };
            self.unused.retain(|place| !places.contains(place));
            self.freed.retain(|Reverse(place)| !places.contains(place));
            let Some(clusters) = &mut self.clusters else { return };
            self.ready += if places.iter().any(|place| place.is_new()) { 0 } else { clusters.interval };
            places.iter().for_each(|place| clusters.count(place.sm(), true));
            for place in places {
                give(place.sm(), self.start(place, free_at, now));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Dispatcher;
    use crate::placement::Placement;
    use warplab_config::GpuConfig;
    use warplab_units::{Cycle, SmId};

    fn h200() -> GpuConfig {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/gpus/h200.ron");
        let source =
            warplab_diagnostics::Source::new(path, std::fs::read_to_string(path).expect("a machine"));
        warplab_config::load_gpu(&source).expect("it is right")
    }

    /// The SMs of the blocks that come at once, one to an SM.
    fn at_once(blocks_of_cluster: u32) -> Vec<SmId> {
        let config = h200();
        let placement = Placement::new(&config);
        let dispatcher = Dispatcher::new(&config.launch, Cycle(0), 132, 1, placement, 1);
        let mut dispatcher = dispatcher.in_clusters(blocks_of_cluster, &config);
        let mut sms = Vec::new();
        dispatcher.dispatch_clusters(Cycle(100_000), |sm, _| sms.push(sm));
        sms
    }

    #[test]
    fn as_many_clusters_fit_as_on_an_h200() {
        // clusters/placement.txt, cudaOccupancyMaxActiveClusters with 200 KB of shared memory.
        let clusters = [2, 3, 4, 5, 6, 7, 8, 16].map(|blocks| at_once(blocks).len() as u32 / blocks);
        assert_eq!(clusters, [66, 39, 30, 22, 17, 15, 15, 7]);
    }

    #[test]
    fn two_blocks_go_to_the_sms_of_one_tpc() {
        assert!(at_once(2).chunks(2).all(|pair| pair[0].0 / 2 == pair[1].0 / 2));
    }

    #[test]
    fn the_first_clusters_go_to_different_gpcs() {
        let firsts: Vec<u16> = at_once(8).iter().step_by(8).map(|sm| sm.0).take(8).collect();
        assert_eq!(firsts, [8, 26, 34, 50, 66, 82, 98, 114]);
    }
}

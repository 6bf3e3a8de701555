//! The order in which SMs get blocks when all of them have a place.

use serde::{Deserialize, Serialize};
use warplab_config::GpuConfig;
use warplab_config::gpu::SmCluster;
use warplab_units::SmId;

/// The order in which SMs get blocks. Where the clusters are known, blocks are dealt out as measured
/// (`traces/h200/placement`): each cluster gets its blocks one after another, TPC by TPC; of fewer blocks than SMs every
/// cluster gets as many, and every TPC one before any gets a second. Elsewhere the clusters get a block each in turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Placement {
    /// The rank of each SM in a round in which all get a block.
    full: Vec<u16>,
    /// An SM gets a block in a round of more than this many blocks.
    spread: Vec<u16>,
}

impl Placement {
    /// The order of a machine.
    pub(crate) fn new(config: &GpuConfig) -> Placement {
        let sms = config.limits.multiprocessors as usize;
        if config.crossbar.clusters.is_empty() {
            let per_cluster = (config.crossbar.sms_per_cluster as usize).clamp(1, sms.max(1));
            return Placement::in_turn(sms, per_cluster);
        }
        Placement::by_cluster(&config.sm_clusters(), config.crossbar.sms_per_tpc.max(1) as usize)
    }

    /// Cluster by cluster.
    fn by_cluster(clusters: &[SmCluster], sms_per_tpc: usize) -> Placement {
        let mut keys = Vec::new();
        for (number, cluster) in clusters.iter().enumerate() {
            let key = |place| (!cluster.first, place % sms_per_tpc, place / sms_per_tpc, number);
            keys.extend((0..cluster.sms as usize).map(key));
        }
        let sms = keys.len();
        Placement { full: ranks(sms, |sm| sm), spread: ranks(sms, |sm| keys[sm]) }
    }

    /// One SM of each cluster after another.
    pub(crate) fn in_turn(sms: usize, per_cluster: usize) -> Placement {
        let order = ranks(sms, |sm| (sm % per_cluster, sm));
        Placement { full: order.clone(), spread: order }
    }

    /// How many SMs there are.
    pub(crate) fn sms(&self) -> usize {
        self.full.len()
    }

    /// The rank of an SM in a round of so many blocks: those that get none come last.
    pub(crate) fn rank(&self, sm: SmId, blocks: u64) -> u16 {
        let (sm, sms) = (usize::from(sm.0), self.full.len() as u16);
        self.full[sm] + if u64::from(self.spread[sm]) < blocks { 0 } else { sms }
    }
}

/// The rank of each SM by a key.
fn ranks<K: Ord>(sms: usize, key: impl Fn(usize) -> K) -> Vec<u16> {
    let mut order: Vec<usize> = (0..sms).collect();
    order.sort_by_key(|&sm| key(sm));
    let mut ranks = vec![0; sms];
    order.iter().zip(0..).for_each(|(&sm, rank)| ranks[sm] = rank);
    ranks
}

#[cfg(test)]
mod tests {
    use super::Placement;
    use warplab_config::gpu::SmCluster;
    use warplab_units::SmId;

    /// Two SMs that come first, then clusters of four and six.
    fn placement() -> Placement {
        let cluster = |sms, first| SmCluster { sms, first, ..SmCluster::default() };
        Placement::by_cluster(&[cluster(2, true), cluster(4, false), cluster(6, false)], 2)
    }

    /// The SMs of the blocks of a round.
    fn round(blocks: u64) -> Vec<u16> {
        let placement = placement();
        let mut sms: Vec<u16> = (0..12).collect();
        sms.sort_by_key(|&sm| placement.rank(SmId(sm), blocks));
        sms.truncate(blocks as usize);
        sms
    }

    #[test]
    fn a_full_round_goes_cluster_by_cluster() {
        assert_eq!(round(12), (0..12).collect::<Vec<_>>());
    }

    #[test]
    fn every_cluster_gets_a_block_before_any_gets_a_second() {
        assert_eq!(round(4), [0, 1, 2, 6]);
    }

    #[test]
    fn every_tpc_gets_a_block_before_any_gets_a_second() {
        assert_eq!(round(7), [0, 1, 2, 4, 6, 8, 10]);
        assert_eq!(round(8), [0, 1, 2, 3, 4, 6, 8, 10]);
    }
}

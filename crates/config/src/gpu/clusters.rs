//! Clusters of SMs (GPCs): how many SMs each has, and which half of the L2 they ask.

use crate::GpuConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::iter::repeat_n;

/// SMs that share one port of the crossbar (a graphics processing cluster).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmCluster {
    /// Multiprocessors of the cluster.
    #[schemars(range(min = 1, max = 4096))]
    pub sms: u32,
    /// The half of the level-two cache that they ask: 0 or 1.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub half: u32,
    /// Whether all of them get a block before any other multiprocessor does.
    #[serde(default)]
    pub first: bool,
}

impl GpuConfig {
    /// The clusters of all SMs, in order: those of the crossbar, again and again until every SM is in one.
    #[must_use]
    pub fn sm_clusters(&self) -> Vec<SmCluster> {
        let equal = [SmCluster { sms: self.crossbar.sms_per_cluster.max(1), half: 0, first: false }];
        let named = &self.crossbar.clusters;
        let kinds = if named.is_empty() { &equal[..] } else { named };
        let mut left = self.limits.multiprocessors;
        let mut clusters = Vec::new();
        for kind in kinds.iter().cycle() {
            if left == 0 {
                break;
            }
            let sms = kind.sms.clamp(1, left);
            clusters.push(SmCluster { sms, ..*kind });
            left -= sms;
        }
        clusters
    }

    /// The number of the cluster of each SM.
    #[must_use]
    pub fn cluster_of_sm(&self) -> Vec<u16> {
        let of_cluster = |(cluster, number): (SmCluster, u16)| repeat_n(number, cluster.sms as usize);
        self.sm_clusters().into_iter().zip(0..).flat_map(of_cluster).collect()
    }
}

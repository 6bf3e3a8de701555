//! Clusters of SMs (GPCs): how many SMs each has, and which half of the L2 they ask.

use crate::GpuConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::iter::repeat_n;

/// SMs that share one port of the crossbar (a graphics processing cluster).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// Cycles, there and back, by which each TPC of the cluster is further than the nearest one from what it shares with
    /// others: level two, and the caches of code and constants behind its own. All are as near as each other where it is
    /// not given.
    #[serde(default)]
    #[schemars(inner(range(max = 1000)))]
    pub distances: Vec<u32>,
    /// The number of the CPC of each TPC: all CPCs get as much of what a slice of level two takes in, however many
    /// multiprocessors they have. All multiprocessors get as much where it is not given.
    #[serde(default)]
    #[schemars(inner(range(max = 31)))]
    pub cpcs: Vec<u32>,
    /// Its turn in the rounds in which the multiprocessors are numbered (`%smid`), a TPC of each cluster at a time. Those of clusters
    /// without a turn come last.
    #[serde(default)]
    #[schemars(range(max = 4095))]
    pub turn: Option<u32>,
}

impl GpuConfig {
    /// The clusters of all SMs, in order: those of the crossbar, again and again until every SM is in one.
    #[must_use]
    pub fn sm_clusters(&self) -> Vec<SmCluster> {
        let equal = [SmCluster { sms: self.crossbar.sms_per_cluster.max(1), ..SmCluster::default() }];
        let named = &self.crossbar.clusters;
        let kinds = if named.is_empty() { &equal[..] } else { named };
        let mut left = self.limits.multiprocessors;
        let mut clusters = Vec::new();
        for kind in kinds.iter().cycle() {
            if left == 0 {
                break;
            }
            let sms = kind.sms.clamp(1, left);
            clusters.push(SmCluster { sms, ..kind.clone() });
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

    /// The number of the CPC of each SM, where it is known of all; else nothing.
    #[must_use]
    pub fn cpc_of_sm(&self) -> Vec<u32> {
        let sms_per_tpc = self.crossbar.sms_per_tpc.max(1) as usize;
        let of_cluster = |SmCluster { sms, cpcs, .. }: SmCluster| {
            (0..sms as usize).map_while(move |sm| cpcs.get(sm / sms_per_tpc).copied())
        };
        let known: Vec<u32> = self.sm_clusters().into_iter().flat_map(of_cluster).collect();
        if known.len() == self.limits.multiprocessors as usize { known } else { Vec::new() }
    }

    /// Cycles, there and back, by which each SM is further from what it shares with others than the nearest one.
    #[must_use]
    pub fn distance_of_sm(&self) -> Vec<u32> {
        let sms_per_tpc = self.crossbar.sms_per_tpc.max(1) as usize;
        let of_cluster = |SmCluster { sms, distances, .. }: SmCluster| {
            (0..sms as usize).map(move |sm| distances.get(sm / sms_per_tpc).copied().unwrap_or(0))
        };
        self.sm_clusters().into_iter().flat_map(of_cluster).collect()
    }

    /// The number that each SM calls its own (`%smid`).
    #[must_use]
    pub fn number_of_sm(&self) -> Vec<u32> {
        let sms_per_tpc = self.crossbar.sms_per_tpc.max(1);
        // Clusters without a turn come last, each as a whole.
        let place = |(cluster, number): (SmCluster, u32)| {
            (0..cluster.sms).map(move |sm| match cluster.turn {
                Some(turn) => (false, sm / sms_per_tpc, turn, sm),
                None => (true, number, 0, sm),
            })
        };
        let places: Vec<_> = self.sm_clusters().into_iter().zip(0..).flat_map(place).collect();
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|&sm| places[sm]);
        let mut numbers = vec![0; places.len()];
        for (sm, number) in order.into_iter().zip(0..) {
            numbers[sm] = number;
        }
        numbers
    }
}

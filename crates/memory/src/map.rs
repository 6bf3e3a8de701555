//! Which partition, slice, bank and row an address lies in.

mod chunks;

use crate::message::Request;
use chunks::{Chunks, SliceLocation};
use std::sync::Arc;
use warplab_config::GpuConfig;
use warplab_config::gpu::SmCluster;
use warplab_units::{Address, Divisor, LINE_BYTES, PartitionId, SmId, TypedId};

/// A half of the L2: 0 or 1.
pub(crate) type Half = usize;

/// Spreads lines over partitions.
///
/// Where the L2 is one piece, lines are taken in groups of as many as there are partitions; each group is a rotation
/// by a hash of its number, so that every partition holds exactly one line of every group, whatever the stride. (The
/// hashes of these machines are not published.)
///
/// Where it is two halves, every line has a slice of the same number in both: one half is its home, with DRAM behind
/// it, the other may keep a copy. SMs ask the slice in their own half.
#[derive(Clone, Debug)]
pub struct AddressMap {
    partitions: Divisor,
    count: u64,
    slices: u64,
    chunks: Option<Chunks>,
    /// The half of each SM, where there are two.
    halves: Arc<[Half]>,
}

impl AddressMap {
    /// The map of a machine.
    #[must_use]
    pub fn new(config: &GpuConfig) -> AddressMap {
        let count = config.partitions() as u64;
        let slices = u64::from(config.l2.slices_per_channel);
        // Lines that lie side by side in a slice go to pseudo-channels and bank groups in turn, but not those of a piece.
        let together = match config.dram.pieces {
            Some(_) => 1,
            None => u64::from(config.dram.pseudo_channels * config.dram.bank_groups).max(1),
        };
        let chunks = (config.l2.halves == 2)
            .then(|| Chunks::new(count as usize / 2, &config.l2, together).expect("two halves have a hash"));
        AddressMap { partitions: Divisor::new(count), count, slices, chunks, halves: halves(config) }
    }

    /// The partition that an SM asks for a line.
    #[must_use]
    pub fn partition(&self, line: Address, sm: SmId) -> PartitionId {
        match &self.chunks {
            Some(chunks) => PartitionId::from_index(
                self.half_of_sm(sm) * chunks.partitions() + chunks.place(line).partition,
            ),
            None => PartitionId(self.rotated(line) as u16),
        }
    }

    /// The partition that a request goes to, and the request with the place of its line.
    #[inline]
    #[must_use]
    pub fn route(&self, request: Request) -> (PartitionId, Request) {
        let line = request.line;
        match &self.chunks {
            Some(chunks) => {
                let SliceLocation { home, partition, local_line } = chunks.place(line);
                let partition = self.half_of_sm(request.sm) * chunks.partitions() + partition;
                (PartitionId::from_index(partition), Request { home: home as u8, local_line, ..request })
            }
            None => {
                let local_line = self.partitions.divide(line.0 / LINE_BYTES).0;
                (PartitionId(self.rotated(line) as u16), Request { home: 0, local_line, ..request })
            }
        }
    }

    /// The partition whose DRAM holds a line.
    #[must_use]
    pub fn home_partition(&self, line: Address) -> PartitionId {
        match &self.chunks {
            Some(chunks) => {
                let place = chunks.place(line);
                PartitionId::from_index(place.home * chunks.partitions() + place.partition)
            }
            None => PartitionId(self.rotated(line) as u16),
        }
    }

    /// The half whose partition has the DRAM of a line, and the number of the line inside its partition.
    #[must_use]
    pub(crate) fn home_and_local_line(&self, line: Address) -> (Half, u64) {
        match &self.chunks {
            Some(chunks) => {
                let place = chunks.place(line);
                (place.home, place.local_line)
            }
            None => (0, self.partitions.divide(line.0 / LINE_BYTES).0),
        }
    }

    /// The half that an SM asks.
    #[must_use]
    #[inline]
    pub(crate) fn half_of_sm(&self, sm: SmId) -> Half {
        self.halves.get(sm.index()).copied().unwrap_or(0)
    }

    /// The half of a partition: the first half of them, then the second.
    #[must_use]
    pub(crate) fn half_of_partition(&self, partition: PartitionId) -> Half {
        self.chunks.as_ref().map_or(0, |chunks| partition.index() / chunks.partitions())
    }

    /// The partition with the slices of the same numbers in the other half.
    #[must_use]
    pub fn twin(&self, partition: PartitionId) -> Option<PartitionId> {
        let half = self.chunks.as_ref()?.partitions();
        Some(PartitionId::from_index((partition.index() + half) % (2 * half)))
    }

    /// The number of a line inside its partition, the same in both halves: lines that lie side by side have numbers that
    /// lie side by side.
    #[must_use]
    pub fn local_line(&self, line: Address) -> u64 {
        self.home_and_local_line(line).1
    }

    /// The slice of the partition that holds a line.
    #[inline]
    #[must_use]
    pub fn slice(&self, line: Address) -> usize {
        if self.slices == 1 { 0 } else { self.slice_of(self.local_line(line)) }
    }

    /// The slice of the partition that holds the line of this number.
    #[inline]
    #[must_use]
    pub(crate) fn slice_of(&self, local_line: u64) -> usize {
        if self.slices == 1 {
            return 0;
        }
        let mixed = mix(local_line ^ 0x5bd1);
        (if self.slices.is_power_of_two() { mixed & (self.slices - 1) } else { mixed % self.slices }) as usize
    }

    fn rotated(&self, line: Address) -> u64 {
        let (group, place) = self.partitions.divide(line.0 / LINE_BYTES);
        let turned = place + mix(group) % self.count;
        if turned < self.count { turned } else { turned - self.count }
    }
}

/// The half of each SM, where there are two: that of its cluster, or TPCs lie in both in turn.
fn halves(config: &GpuConfig) -> Arc<[Half]> {
    let clusters = config.sm_clusters();
    match (config.l2.halves, config.crossbar.clusters.is_empty()) {
        (2, false) => {
            let half = |cluster: &SmCluster| vec![cluster.half as Half; cluster.sms as usize];
            clusters.iter().flat_map(half).collect()
        }
        (2, true) => {
            let sms_per_tpc = config.crossbar.sms_per_tpc.max(1) as usize;
            (0..config.limits.multiprocessors as usize).map(|sm| sm / sms_per_tpc % 2).collect()
        }
        _ => Arc::default(),
    }
}

/// A fixed mixing of bits.
#[must_use]
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ (z >> 32)
}

#[cfg(test)]
mod tests {
    use super::AddressMap;
    use crate::testing::{slice_hash, toy};
    use warplab_config::gpu::SmCluster;
    use warplab_units::{Address, LINE_BYTES, PartitionId, SmId};

    fn map(halves: u32) -> AddressMap {
        let mut config = toy();
        (config.dram.channels, config.l2.slices_per_channel, config.l2.halves) = (96, 2, halves);
        (config.limits.multiprocessors, config.crossbar.sms_per_tpc) = (132, 2);
        config.l2.slice_hash = Some(slice_hash());
        AddressMap::new(&config)
    }

    fn line(number: u64) -> Address {
        Address(number * LINE_BYTES)
    }

    fn partition(map: &AddressMap, number: u64) -> u16 {
        map.partition(line(number), SmId(0)).0
    }

    #[test]
    fn every_partition_holds_one_line_of_every_group() {
        for group in 0..100 {
            let mut held: Vec<u16> = (0..96).map(|place| partition(&map(1), group * 96 + place)).collect();
            held.sort_unstable();
            assert_eq!(held, (0..96).collect::<Vec<u16>>());
        }
    }

    #[test]
    fn the_lines_of_a_partition_are_numbered_without_gaps() {
        let map = map(1);
        let of_first = (0..96 * 50).filter(|&number| partition(&map, number) == 0);
        let numbers: Vec<u64> = of_first.map(|number| map.local_line(line(number))).collect();
        assert_eq!(numbers, (0..50).collect::<Vec<u64>>());
    }

    #[test]
    fn both_slices_of_a_partition_hold_about_half_of_its_lines() {
        let first = (0..1000).filter(|&number| map(1).slice(line(number * 96)) == 0).count();
        assert!((450..550).contains(&first), "{first} of 1000");
    }

    #[test]
    fn sms_of_each_half_ask_the_slice_of_the_same_number_in_their_half() {
        let map = map(2);
        for number in 0..1000 {
            let [near, far] = [SmId(0), SmId(2)].map(|sm| map.partition(line(number), sm));
            assert!(near.0 < 48);
            assert_eq!((far.0, map.twin(near), map.twin(far)), (near.0 + 48, Some(far), Some(near)));
        }
    }

    #[test]
    fn tpcs_lie_in_both_halves_in_turn() {
        assert_eq!([0, 1, 2, 3, 4, 131].map(|sm| map(2).half_of_sm(SmId(sm))), [0, 0, 1, 1, 0, 1]);
        assert_eq!([0, 47, 48, 95].map(|id| map(2).half_of_partition(PartitionId(id))), [0, 0, 1, 1]);
    }

    #[test]
    fn the_sms_of_a_cluster_ask_its_half() {
        let mut config = toy();
        (config.dram.channels, config.l2.halves, config.limits.multiprocessors) = (96, 2, 6);
        config.l2.slice_hash = Some(slice_hash());
        let cluster = |sms, half| SmCluster { sms, half, ..SmCluster::default() };
        config.crossbar.clusters = vec![cluster(3, 1), cluster(2, 0)];
        let map = AddressMap::new(&config);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|sm| map.half_of_sm(SmId(sm))), [1, 1, 1, 0, 0, 1]);
    }

    #[test]
    fn in_a_cache_of_one_piece_every_line_is_near() {
        let map = map(1);
        assert_eq!((map.home_and_local_line(line(77)).0, map.half_of_sm(SmId(131))), (0, 0));
        assert_eq!((map.half_of_partition(PartitionId(95)), map.twin(PartitionId(3))), (0, None));
    }
}

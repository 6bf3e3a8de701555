//! Which partition, slice, bank and row an address lies in.

use warplab_config::GpuConfig;
use warplab_units::{Address, LINE_BYTES, PartitionId};

/// Spreads lines over partitions: any power-of-two stride reaches all of them evenly, as measured.
///
/// Lines are taken in groups of as many as there are partitions; each group is a rotation by a hash of its number, so
/// that every partition holds exactly one line of every group. (The real hash is not published.)
#[derive(Clone, Copy, Debug)]
pub struct AddressMap {
    partitions: u64,
    slices: u64,
}

impl AddressMap {
    /// The map of a machine.
    #[must_use]
    pub fn new(config: &GpuConfig) -> AddressMap {
        AddressMap { partitions: config.partitions() as u64, slices: u64::from(config.l2.slices_per_channel) }
    }

    /// The partition that holds a line.
    #[must_use]
    pub fn partition(&self, line: Address) -> PartitionId {
        let number = line.0 / LINE_BYTES;
        let (group, place) = (number / self.partitions, number % self.partitions);
        PartitionId(((place + mix(group) % self.partitions) % self.partitions) as u16)
    }

    /// The number of a line inside its partition: consecutive lines of a partition are consecutive numbers.
    #[must_use]
    pub fn local_line(&self, line: Address) -> u64 {
        line.0 / LINE_BYTES / self.partitions
    }

    /// The slice of the partition that holds a line.
    #[must_use]
    pub fn slice(&self, line: Address) -> usize {
        (mix(self.local_line(line) ^ 0x5bd1) % self.slices) as usize
    }
}

/// A fixed mixing of bits.
#[must_use]
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ (z >> 32)
}

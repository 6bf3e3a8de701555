//! Which partition, slice, bank and row an address lies in.

use warplab_config::GpuConfig;
use warplab_units::{Address, Divisor, LINE_BYTES, PartitionId};

/// Spreads lines over partitions: any power-of-two stride reaches all of them evenly, as measured.
///
/// Lines are taken in groups of as many as there are partitions; each group is a rotation by a hash of its number, so
/// that every partition holds exactly one line of every group. (The real hash is not published.)
#[derive(Clone, Copy, Debug)]
pub struct AddressMap {
    partitions: Divisor,
    count: u64,
    slices: u64,
}

impl AddressMap {
    /// The map of a machine.
    #[must_use]
    pub fn new(config: &GpuConfig) -> AddressMap {
        AddressMap::of(config.partitions() as u64, u64::from(config.l2.slices_per_channel))
    }

    const fn of(partitions: u64, slices: u64) -> AddressMap {
        AddressMap { partitions: Divisor::new(partitions), count: partitions, slices }
    }

    /// The partition that holds a line.
    #[must_use]
    pub fn partition(&self, line: Address) -> PartitionId {
        let number = line.0 / LINE_BYTES;
        let (group, place) = self.partitions.divide(number);
        let turned = place + mix(group) % self.count;
        PartitionId((if turned < self.count { turned } else { turned - self.count }) as u16)
    }

    /// The number of a line inside its partition: consecutive lines of a partition are consecutive numbers.
    #[must_use]
    pub fn local_line(&self, line: Address) -> u64 {
        self.partitions.divide(line.0 / LINE_BYTES).0
    }

    /// The slice of the partition that holds a line.
    #[must_use]
    pub fn slice(&self, line: Address) -> usize {
        if self.slices == 1 {
            return 0;
        }
        let mixed = mix(self.local_line(line) ^ 0x5bd1);
        (if self.slices.is_power_of_two() { mixed & (self.slices - 1) } else { mixed % self.slices }) as usize
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
    use warplab_units::{Address, LINE_BYTES};

    const MAP: AddressMap = AddressMap::of(96, 2);

    fn line(number: u64) -> Address {
        Address(number * LINE_BYTES)
    }

    #[test]
    fn every_partition_holds_one_line_of_every_group() {
        for group in 0..100 {
            let mut held: Vec<u16> = (0..96).map(|place| MAP.partition(line(group * 96 + place)).0).collect();
            held.sort_unstable();
            assert_eq!(held, (0..96).collect::<Vec<u16>>());
        }
    }

    #[test]
    fn the_lines_of_a_partition_are_numbered_without_gaps() {
        let of_first = (0..96 * 50).filter(|&number| MAP.partition(line(number)).0 == 0);
        let numbers: Vec<u64> = of_first.map(|number| MAP.local_line(line(number))).collect();
        assert_eq!(numbers, (0..50).collect::<Vec<u64>>());
    }

    #[test]
    fn both_slices_of_a_partition_hold_about_half_of_its_lines() {
        let first = (0..1000).filter(|&number| MAP.slice(line(number * 96)) == 0).count();
        assert!((450..550).contains(&first), "{first} of 1000");
    }
}

//! Which half of the L2 is the home of a line, and what the way there costs the SMs of the other half.

use warplab_config::{GpuConfig, Ticks};
use warplab_units::{PartitionId, SmId};

/// The halves of the L2. A half keeps copies of what its own SMs read; what it does not have, and every atomic
/// operation, goes to the line's home.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halves {
    halves: u32,
    sms: u32,
    partitions: u32,
    far: Ticks,
}

/// The half in which the lines of a partition are at home.
pub(crate) type Half = u32;

impl Halves {
    pub(crate) fn new(config: &GpuConfig) -> Halves {
        Halves {
            halves: config.l2.halves,
            sms: config.limits.multiprocessors.max(1),
            partitions: config.partitions() as u32,
            far: Ticks::of_cycles(u64::from(config.l2.far_latency)),
        }
    }

    /// The home of a partition's lines.
    pub(crate) fn home_of(&self, partition: PartitionId) -> Half {
        u32::from(partition.0) * self.halves / self.partitions
    }

    /// What the way home and back adds for an SM.
    pub(crate) fn way(&self, sm: SmId, home: Half) -> Ticks {
        let asking = u32::from(sm.0) * self.halves / self.sms;
        if asking == home { Ticks(0) } else { self.far }
    }
}

#[cfg(test)]
mod tests {
    use super::Halves;
    use warplab_config::Ticks;
    use warplab_units::{PartitionId, SmId};

    const TWO: Halves = Halves { halves: 2, sms: 132, partitions: 96, far: Ticks(7) };

    #[test]
    fn sms_of_the_other_half_pay_the_way_home() {
        assert_eq!([0, 65, 66, 131].map(|sm| TWO.way(SmId(sm), 0)), [0, 0, 7, 7].map(Ticks));
        assert_eq!([0, 65, 66, 131].map(|sm| TWO.way(SmId(sm), 1)), [7, 7, 0, 0].map(Ticks));
    }

    #[test]
    fn the_first_half_of_the_partitions_is_at_home_in_the_first_half() {
        assert_eq!([0, 47, 48, 95].map(|id| TWO.home_of(PartitionId(id))), [0, 0, 1, 1]);
    }

    #[test]
    fn in_a_cache_of_one_piece_every_line_is_near() {
        let whole = Halves { halves: 1, ..TWO };
        assert_eq!(whole.home_of(PartitionId(95)), 0);
        assert_eq!(whole.way(SmId(131), 0), Ticks(0));
    }
}

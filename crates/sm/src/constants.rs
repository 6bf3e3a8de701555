//! Constant caches: one per sub-partition for constants that instructions name as operands, one per SM for those that
//! constant loads read. Behind them lies a larger one that takes blocks of several lines, and bank 0 of the launch from its
//! start. The SMs of a cluster share the way to it, which carries a line at a time.

use serde::{Deserialize, Serialize};
use warplab_config::gpu::{ConstantLoads, ConstantSupply, SmCluster};
use warplab_exec::Row;
use warplab_program::limits::BANK_BYTES;
use warplab_units::{Cycle, LaneMask, SmId};

/// The numbers of the constant caches.
#[derive(Clone, Debug)]
pub(crate) struct ConstantSpec {
    /// Lines of each cache.
    lines: u64,
    line_bytes: u32,
    block_bytes: u32,
    /// Cycles that a line costs which the next level has: as an operand, and for a load.
    miss: [u64; 2],
    /// Cycles that a block costs which the next level lacks.
    memory: u64,
    /// For how long a line of one SM keeps the way that the cluster shares.
    interval: Hundredths,
    /// SMs of a cluster that run the launch.
    sharing: u64,
    /// How many of its cluster are served before each SM when all ask at once.
    places: Vec<u64>,
    /// Of the cycles that an operand misses: after how many the miss is seen, and how many before the end the code is fetched
    /// again from where it was.
    pub(crate) replay: (u8, u8),
    /// From one pass of a load to its next, where its lanes want several addresses.
    pub(crate) address_interval: u64,
}

/// Hundredths of a cycle.
type Hundredths = u64;

impl ConstantSpec {
    /// The caches of SMs of these clusters, in which so many others run the launch beside each.
    pub(crate) fn new(
        supply: &ConstantSupply,
        loads: Option<ConstantLoads>,
        clusters: &[SmCluster],
        others: u64,
    ) -> ConstantSpec {
        let sharing = others + 1;
        let places = |cluster: &SmCluster| {
            let sms = u64::from(cluster.sms);
            (0..sms).map(move |sm| sm * sharing.min(sms) / sms)
        };
        ConstantSpec {
            lines: u64::from(supply.bytes / supply.line_bytes).max(1),
            line_bytes: supply.line_bytes,
            block_bytes: supply.block_bytes,
            miss: [supply.operand_miss, supply.load_miss].map(u64::from),
            memory: u64::from(supply.memory_latency),
            interval: u64::from(supply.line_interval_percent),
            sharing,
            places: clusters.iter().flat_map(places).collect(),
            replay: (supply.operand_seen, supply.operand_replay),
            address_interval: loads.map_or(0, |loads| u64::from(loads.address_interval)),
        }
    }
}

/// How an instruction reads a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstantUse {
    /// As an operand.
    Operand { bank: u8, offset: u32 },
    /// By a load, with a register added.
    Load { bank: u8, offset: u32, register: Option<u8> },
}

/// Which cache is read: the one for the operands of a sub-partition, or the one for loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstantPort {
    Operand { sub: u8 },
    Load,
}

/// Room is made for so many lines at once.
const LINES_AT_ONCE: usize = 16;

/// Lines of constants, first in, first out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Lines {
    inserted: u64,
    /// For each line, one more than the number of its insertion, and when it comes; 0 for never.
    lines: Vec<(u64, Cycle)>,
}

/// The constant caches of one SM.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Constants {
    /// The cache for loads, then that of each sub-partition that has read an operand.
    caches: Vec<Lines>,
    /// Until when the lines of this SM and, beside each, those of the others keep the cluster's way; none before the first.
    way_free: Option<Hundredths>,
    /// How many SMs of its cluster are served before this one when all ask at once.
    place: u64,
    /// Cycles by which this SM is further from the next level than the nearest one.
    distance: u64,
    /// When each block comes to the next level; never where nobody has asked.
    blocks: Vec<Cycle>,
}

impl Constants {
    /// Empty caches of an SM.
    pub(crate) fn new(spec: Option<&ConstantSpec>, sm: SmId, distance: u64) -> Constants {
        let place = spec.and_then(|spec| spec.places.get(usize::from(sm.0))).copied().unwrap_or(0);
        Constants { place, distance, ..Constants::default() }
    }

    /// When a constant is there that is wanted `now`.
    #[inline]
    pub(crate) fn ready(
        &mut self,
        spec: &ConstantSpec,
        port: ConstantPort,
        bank: u8,
        offset: u32,
        now: Cycle,
    ) -> Cycle {
        let line = number(bank, offset, spec.line_bytes);
        let cache = match port {
            ConstantPort::Load => 0,
            ConstantPort::Operand { sub } => 1 + usize::from(sub),
        };
        if let Some(lines) = self.caches.get(cache)
            && let Some(&(stamp, ready)) = lines.lines.get(line)
            && stamp != 0
            && lines.inserted - stamp < spec.lines
        {
            return ready.max(now);
        }
        self.bring(spec, (cache, line), bank, offset, now)
    }

    /// Brings a line to a cache that lacks it; when it is there.
    #[inline(never)]
    fn bring(
        &mut self,
        spec: &ConstantSpec,
        (cache, line): (usize, usize),
        bank: u8,
        offset: u32,
        now: Cycle,
    ) -> Cycle {
        let miss = spec.miss[usize::from(cache == 0)];
        let below = match bank {
            0 => now,
            _ => block_ready(&mut self.blocks, number(bank, offset, spec.block_bytes), spec, now),
        };
        let ready = below.max(self.carried(spec, now)) + miss + self.distance;
        if cache >= self.caches.len() {
            self.caches.resize_with(cache + 1, Lines::default);
        }
        let cache = &mut self.caches[cache];
        if line >= cache.lines.len() {
            cache.lines.resize((line + 1).next_multiple_of(LINES_AT_ONCE), (0, Cycle(0)));
        }
        cache.inserted += 1;
        cache.lines[line] = (cache.inserted, ready);
        ready
    }

    /// When the cluster's way carries a line that is asked for `now`. The first lines of a launch are asked for by all SMs of
    /// the cluster at once, each waits for its turn; from then on they are as far apart as they were served, and a line
    /// waits for those of its own SM, each with one of every other SM beside it.
    fn carried(&mut self, spec: &ConstantSpec, now: Cycle) -> Cycle {
        let now = now.0 * 100;
        let start = self.way_free.unwrap_or(now + self.place * spec.interval).max(now);
        self.way_free = Some(start + spec.interval * spec.sharing);
        Cycle(start.div_ceil(100))
    }
}

/// Calls `each` with every value that lanes of a row hold, in the order of the lowest lanes that hold them.
pub(crate) fn distinct(values: &Row, lanes: LaneMask, mut each: impl FnMut(u32)) {
    let mut rest = lanes;
    while let Some(lane) = rest.lowest() {
        let value = values[lane];
        rest = rest.without(rest.lanes().filter(|&lane| values[lane] == value).collect());
        each(value);
    }
}

/// The number of the piece of so many bytes that a constant lies in.
#[inline]
fn number(bank: u8, offset: u32, bytes: u32) -> usize {
    (u32::from(bank) * (BANK_BYTES / bytes) + offset % BANK_BYTES / bytes) as usize
}

/// When a block is in the next level.
fn block_ready(blocks: &mut Vec<Cycle>, block: usize, spec: &ConstantSpec, now: Cycle) -> Cycle {
    if block >= blocks.len() {
        blocks.resize(block + 1, Cycle::NEVER);
    }
    if blocks[block] == Cycle::NEVER {
        blocks[block] = now + spec.memory;
    }
    blocks[block].max(now)
}

#[cfg(test)]
mod tests {
    use super::{ConstantPort, ConstantSpec, Constants, distinct};
    use warplab_units::{Cycle, LaneMask, SmId};

    /// Two lines of 64 bytes in each cache, blocks of 256.
    const SPEC: ConstantSpec = ConstantSpec {
        lines: 2,
        line_bytes: 64,
        block_bytes: 256,
        miss: [58, 70],
        memory: 500,
        interval: 250,
        sharing: 1,
        places: Vec::new(),
        replay: (6, 5),
        address_interval: 11,
    };

    const OPERAND: ConstantPort = ConstantPort::Operand { sub: 0 };

    /// How long each constant takes, one after the other.
    fn waits(port: ConstantPort, bank: u8, offsets: &[u32]) -> Vec<u64> {
        let (mut constants, mut now) = (Constants::default(), Cycle(100));
        let mut wait = |&offset: &u32| {
            let ready = constants.ready(&SPEC, port, bank, offset, now);
            std::mem::replace(&mut now, ready).0.abs_diff(ready.0)
        };
        offsets.iter().map(&mut wait).collect()
    }

    #[test]
    fn a_parameter_is_in_the_next_level_from_the_start() {
        assert_eq!(waits(OPERAND, 0, &[0x210, 0x214, 0x23c, 0x240]), [58, 0, 0, 58]);
        assert_eq!(waits(ConstantPort::Load, 0, &[0x210, 0x214]), [70, 0]);
    }

    #[test]
    fn a_line_comes_later_to_an_sm_that_is_further_away() {
        let mut constants = Constants::new(Some(&SPEC), SmId(0), 18);
        assert_eq!(constants.ready(&SPEC, OPERAND, 0, 0, Cycle(100)), Cycle(158 + 18));
    }

    #[test]
    fn each_sub_partition_has_a_cache_for_operands() {
        let mut constants = Constants::default();
        let mut wait =
            |sub, now| constants.ready(&SPEC, ConstantPort::Operand { sub }, 0, 0, Cycle(now)).0 - now;
        assert_eq!([wait(0, 100), wait(3, 200), wait(0, 300), wait(3, 300)], [58, 58, 0, 0]);
    }

    #[test]
    fn lines_of_all_sms_of_a_cluster_come_one_after_another() {
        // With 16 SMs a line of each keeps the way for 40 cycles. The third SM waits for two others at first.
        let spec = ConstantSpec { sharing: 16, places: vec![0, 1, 2], ..SPEC };
        let waits = |sm| {
            let mut constants = Constants::new(Some(&spec), SmId(sm), 0);
            [(0, 100), (1, 100), (2, 110), (3, 300)].map(|(sub, now)| {
                constants.ready(&spec, ConstantPort::Operand { sub }, 0, 0, Cycle(now)).0 - now
            })
        };
        assert_eq!([waits(0), waits(2)], [[58, 98, 128, 58], [63, 103, 133, 58]]);
    }

    #[test]
    fn a_block_of_another_bank_comes_from_memory_once() {
        assert_eq!(waits(OPERAND, 3, &[0, 4, 64, 128, 256]), [558, 0, 58, 58, 558]);
    }

    #[test]
    fn the_line_that_came_first_is_replaced() {
        assert_eq!(waits(OPERAND, 0, &[0, 64, 128, 64, 0]), [58, 58, 58, 0, 58]);
    }

    #[test]
    fn a_line_under_way_is_waited_for_and_not_asked_for_again() {
        let mut constants = Constants::default();
        let mut ready = |at| constants.ready(&SPEC, OPERAND, 0, 0, Cycle(at)).0;
        assert_eq!([ready(10), ready(30), ready(90)], [68, 68, 90]);
    }

    #[test]
    fn operands_and_loads_have_caches_of_their_own() {
        let mut constants = Constants::default();
        let mut wait = |port, now| constants.ready(&SPEC, port, 0, 0, Cycle(now)).0 - now;
        assert_eq!((wait(OPERAND, 0), wait(ConstantPort::Load, 100)), (58, 70));
    }

    #[test]
    fn lanes_that_want_one_address_want_it_once() {
        let of = |lanes: LaneMask| {
            let mut seen = Vec::new();
            distinct(&std::array::from_fn(|lane| 7 - lane as u32 / 16), lanes, |value| seen.push(value));
            seen
        };
        assert_eq!([of(LaneMask(!0)), of(LaneMask(1 << 20 | 1 << 30))], [vec![7, 6], vec![6]]);
        assert!(of(LaneMask(0)).is_empty());
    }
}

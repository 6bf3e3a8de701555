//! Constant caches: one for constants that instructions name as operands, one for those that constant loads read. Behind
//! both lies a larger one that takes blocks of several lines, and bank 0 of the launch from its start.

use serde::{Deserialize, Serialize};
use warplab_config::gpu::ConstantSupply;
use warplab_units::Cycle;

/// Bytes that a constant bank has at most.
const BANK_BYTES: u32 = 65_536;

/// The numbers of the constant caches.
#[derive(Clone, Debug)]
pub(crate) struct ConstantSpec {
    /// Lines of each of the two caches.
    lines: u64,
    line_bytes: u32,
    block_bytes: u32,
    /// Cycles that a line costs which the next level has: as an operand, and for a load.
    miss: [u64; 2],
    /// Cycles that a block costs which the next level lacks.
    memory: u64,
    /// Cycles that the first use of a line of bank 0 takes longer.
    first: u64,
}

impl ConstantSpec {
    /// The caches of an SM beside so many others of its cluster that run the launch.
    pub(crate) fn new(supply: &ConstantSupply, others: u64) -> ConstantSpec {
        ConstantSpec {
            lines: u64::from(supply.bytes / supply.line_bytes).max(1),
            line_bytes: supply.line_bytes,
            block_bytes: supply.block_bytes,
            miss: [supply.operand_miss, supply.load_miss].map(u64::from),
            memory: u64::from(supply.memory_latency),
            first: u64::from(supply.sharing) * others,
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

/// Which of the two caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstantPort {
    Operand,
    Load,
}

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
    caches: [Lines; 2],
    /// When each block comes to the next level; never where nobody has asked.
    blocks: Vec<Cycle>,
}

impl Constants {
    /// When a constant is there that is wanted `now`.
    pub(crate) fn ready(
        &mut self,
        spec: &ConstantSpec,
        port: ConstantPort,
        bank: u8,
        offset: u32,
        now: Cycle,
    ) -> Cycle {
        let number =
            |bytes: u32| (u32::from(bank) * (BANK_BYTES / bytes) + offset % BANK_BYTES / bytes) as usize;
        let line = number(spec.line_bytes);
        let cache = &mut self.caches[port as usize];
        if line >= cache.lines.len() {
            cache.lines.resize(line + 1, (0, Cycle(0)));
        }
        let (stamp, ready) = cache.lines[line];
        if stamp != 0 && cache.inserted - stamp < spec.lines {
            return ready.max(now);
        }
        let block = number(spec.block_bytes);
        let below = match bank {
            0 if stamp == 0 => now + spec.first,
            0 => now,
            _ => block_ready(&mut self.blocks, block, spec, now),
        };
        let cache = &mut self.caches[port as usize];
        cache.inserted += 1;
        let ready = below + spec.miss[port as usize];
        cache.lines[line] = (cache.inserted, ready);
        ready
    }
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
    use super::{ConstantPort, ConstantSpec, Constants};
    use warplab_units::Cycle;

    /// Two lines of 64 bytes in each cache, blocks of 256.
    const SPEC: ConstantSpec =
        ConstantSpec { lines: 2, line_bytes: 64, block_bytes: 256, miss: [58, 70], memory: 500, first: 0 };

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
        assert_eq!(waits(ConstantPort::Operand, 0, &[0x210, 0x214, 0x23c, 0x240]), [58, 0, 0, 58]);
        assert_eq!(waits(ConstantPort::Load, 0, &[0x210, 0x214]), [70, 0]);
    }

    #[test]
    fn the_first_use_of_a_parameter_takes_longer_beside_other_sms_of_the_cluster() {
        let spec = ConstantSpec { first: 84, ..SPEC };
        let mut constants = Constants::default();
        let mut wait =
            |offset, now| constants.ready(&spec, ConstantPort::Operand, 0, offset, Cycle(now)).0 - now;
        // Two other lines take the place of the first, which is in the next level then.
        let first = [wait(0x210, 100), wait(0x240, 300), wait(0x280, 500)];
        assert_eq!((first, wait(0x210, 700)), ([142; 3], 58));
    }

    #[test]
    fn a_block_of_another_bank_comes_from_memory_once() {
        assert_eq!(waits(ConstantPort::Operand, 3, &[0, 4, 64, 128, 256]), [558, 0, 58, 58, 558]);
    }

    #[test]
    fn the_line_that_came_first_is_replaced() {
        assert_eq!(waits(ConstantPort::Operand, 0, &[0, 64, 128, 64, 0]), [58, 58, 58, 0, 58]);
    }

    #[test]
    fn a_line_under_way_is_waited_for_and_not_asked_for_again() {
        let mut constants = Constants::default();
        let mut ready = |at| constants.ready(&SPEC, ConstantPort::Operand, 0, 0, Cycle(at)).0;
        assert_eq!([ready(10), ready(30), ready(90)], [68, 68, 90]);
    }

    #[test]
    fn operands_and_loads_have_caches_of_their_own() {
        let mut constants = Constants::default();
        let mut wait = |port| constants.ready(&SPEC, port, 0, 0, Cycle(0)).0;
        assert_eq!((wait(ConstantPort::Operand), wait(ConstantPort::Load)), (58, 70));
    }
}

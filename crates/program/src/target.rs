//! What a compiler knows of the machine that it compiles for.

use crate::latency::LatencyTable;

/// The machine that a program is compiled for: `config` fills this from a machine file, `lower` reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The latencies, for stall counts and wait counters.
    pub latencies: LatencyTable,
    /// What fits on one multiprocessor.
    pub limits: TargetLimits,
    /// The numbers by which the compiler chooses among correct programs.
    pub choices: TargetChoices,
    /// Banks of the register file that instructions had better spread their reads over; 0 where it does not matter.
    pub register_banks: u32,
    /// Whether integer multiply-add has a half pipe of its own, beside which the integer pipe and the other half go on.
    pub heavy_half: bool,
    /// Whether the machine reduces a value over the lanes of a warp (`REDUX`).
    pub reduces_lanes: bool,
    /// Cycles for which an instruction takes the integer pipe.
    pub integer_interval: u8,
    /// Cycles for which integer multiply-add takes its pipe.
    pub product_interval: u8,
}

/// What fits on one multiprocessor, as far as it limits the registers of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetLimits {
    /// Lanes of a warp.
    pub warp_lanes: u32,
    /// Resident threads.
    pub threads: u32,
    /// Resident blocks.
    pub blocks: u32,
    /// Threads of one block.
    pub threads_per_block: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// Registers are given to a warp in multiples of this.
    pub register_unit: u32,
    /// The most registers of one thread.
    pub registers_per_thread: u32,
}

/// The numbers by which the compiler chooses among correct programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetChoices {
    /// Live registers up to which the scheduler takes loads early, at least.
    pub comfortable_registers: u32,
    /// The same at most, where the order as written keeps more alive.
    pub most_comfortable_registers: u32,
    /// Registers over which values are spread even if fewer suffice.
    pub spread_registers: u32,
    /// Cycles of a load from memory while the order of instructions is chosen.
    pub load_cycles: u32,
    /// For so many live registers one more is free for loads that come early.
    pub live_registers_per_spare: u32,
    /// Cycles that are waited for what is needed first, rather than taking a register for something else.
    pub patience: u32,
    /// A wait of so many cycles is as bad as `long_wait_registers` more live registers, in threads of more than `few_registers`.
    pub long_wait: u32,
    /// The registers that a long wait is worth.
    pub long_wait_registers: u32,
    /// Threads of so many registers take none to shorten a wait.
    pub few_registers: u32,
    /// The longest side of a branch, in instructions, that is predicated instead of skipped.
    pub predicated_instructions: u32,
    /// The longest stall count of a branch.
    pub branch_stall: u8,
    /// The stall count of a double-precision instruction.
    pub fp64_stall: u8,
    /// The cycles between two accesses to memory, or exchanges of lanes, of a warp.
    pub memory_stall: u8,
    /// The cycles between two instructions of the special function unit.
    pub function_stall: u8,
    /// The cycles between two loads of constants, or uniform reads of special registers.
    pub constant_stall: u8,
    /// The cycles from a block barrier to what does more than compute.
    pub barrier_stall: u8,
    /// At the end of a block results of lanes are waited for so many cycles longer than their latency.
    pub block_end_stall: u8,
    /// The same of uniform sums.
    pub uniform_end_stall: u8,
    /// The stall count between an instruction that sets a wait counter and the next that waits for it.
    pub wait_counter_stall: u8,
    /// The most that one instruction can hold up the next.
    pub longest_stall: u8,
}

impl TargetLimits {
    /// Registers are given to a thread in multiples of this.
    #[must_use]
    pub fn thread_unit(&self) -> u32 {
        (self.register_unit / self.warp_lanes.max(1)).max(1)
    }

    /// The most registers of a thread with which this many blocks of this shape fit on a multiprocessor. As ptxas does,
    /// blocks that cannot fit however few registers they use count as one.
    #[must_use]
    pub fn registers_for(&self, block: [u32; 3], blocks: u32) -> u32 {
        let wide = |number: u32| u64::from(number.max(1));
        let (lanes, unit) = (wide(self.warp_lanes), wide(self.thread_unit()));
        let threads = block.iter().fold(1, |threads: u64, &extent| threads.saturating_mul(u64::from(extent)));
        let threads = threads.clamp(1, wide(self.threads_per_block));
        let fit = blocks <= self.blocks && threads * u64::from(blocks) <= u64::from(self.threads);
        let blocks = if fit { u64::from(blocks) } else { 1 };
        let registers = wide(self.registers) / (threads.div_ceil(lanes) * blocks).max(1) / lanes;
        u32::try_from(registers / unit * unit).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::TargetLimits;

    const LIMITS: TargetLimits = TargetLimits {
        warp_lanes: 32,
        threads: 2048,
        blocks: 32,
        threads_per_block: 1024,
        registers: 65_536,
        register_unit: 256,
        registers_per_thread: 255,
    };

    #[test]
    fn registers_are_shared_by_the_warps_of_the_blocks_that_must_fit() {
        assert_eq!(LIMITS.registers_for([1024, 1, 1], 1), 64);
        assert_eq!(LIMITS.registers_for([1024, 1, 1], 2), 32);
        assert_eq!(LIMITS.registers_for([16, 16, 1], 3), 80);
        assert_eq!(LIMITS.registers_for([33, 1, 1], 32), 32);
    }

    #[test]
    fn blocks_that_cannot_fit_count_as_one() {
        assert_eq!(LIMITS.registers_for([1024, 1, 1], 3), 64);
        assert_eq!(LIMITS.registers_for([32, 1, 1], 33), 2048);
    }
}

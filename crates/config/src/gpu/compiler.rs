//! What the compiler of PTX knows of the machine beside its latencies and limits.

use super::GpuConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warplab_program::{Target, TargetChoices, TargetLimits};

/// The longest stall count of NVIDIA's control fields.
const FOUR_BITS: u8 = 15;

/// The numbers by which the compiler of PTX chooses among correct programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compiler {
    /// Live registers up to which the scheduler takes loads early, at least.
    #[schemars(range(min = 1, max = 255))]
    pub comfortable_registers: u32,
    /// The same at most, where the order as written keeps more alive.
    #[schemars(range(min = 1, max = 255))]
    pub most_comfortable_registers: u32,
    /// Registers over which values are spread even if fewer suffice, so that what is still being read is seldom
    /// overwritten.
    #[schemars(range(min = 1, max = 255))]
    pub spread_registers: u32,
    /// Cycles of a load from memory while the order of instructions is chosen.
    #[schemars(range(min = 1, max = 10000))]
    pub load_cycles: u32,
    /// For so many live registers one more is free for loads that come early.
    #[schemars(range(min = 1, max = 255))]
    pub live_registers_per_spare: u32,
    /// Cycles that are waited for what is needed first, rather than taking a register for something else.
    #[schemars(range(max = 1000))]
    pub patience: u32,
    /// A wait of so many cycles is as bad as `long_wait_registers` more live registers, in threads of more than `few_registers`.
    #[schemars(range(min = 1, max = 10000))]
    pub long_wait: u32,
    /// The registers that a long wait is worth.
    #[schemars(range(max = 255))]
    pub long_wait_registers: u32,
    /// Threads of so many registers take none to shorten a wait.
    #[schemars(range(max = 255))]
    pub few_registers: u32,
    /// The longest side of a branch, in instructions, that is predicated instead of skipped.
    #[schemars(range(max = 64))]
    pub predicated_instructions: u32,
    /// The longest stall count of a branch; a shorter latency of branches holds.
    #[schemars(range(min = 1, max = 15))]
    pub branch_stall: u8,
    /// The stall count of a double-precision instruction.
    #[schemars(range(min = 1, max = 15))]
    pub fp64_stall: u8,
    /// The stall count between an instruction that sets a wait counter and the next that waits for it.
    #[schemars(range(min = 1, max = 15))]
    pub wait_counter_stall: u8,
    /// The cycles between two accesses to memory, or exchanges of lanes, of a warp; 1 where it is not given.
    #[serde(default = "next_cycle")]
    #[schemars(range(min = 1, max = 15))]
    pub memory_stall: u8,
    /// The cycles between two special functions, conversions or counts of bits; 1 where it is not given.
    #[serde(default = "next_cycle")]
    #[schemars(range(min = 1, max = 15))]
    pub function_stall: u8,
    /// The cycles between two loads of constants, uniform reads of special registers or block barriers; 1 where it is not given.
    #[serde(default = "next_cycle")]
    #[schemars(range(min = 1, max = 15))]
    pub constant_stall: u8,
    /// The cycles from a block barrier to what does more than compute; 1 where it is not given.
    #[serde(default = "next_cycle")]
    #[schemars(range(min = 1, max = 15))]
    pub barrier_stall: u8,
    /// At the end of a block results of lanes are waited for so many cycles longer than their latency; 0 where it is not given.
    #[serde(default)]
    #[schemars(range(max = 15))]
    pub block_end_stall: u8,
    /// The same of uniform sums.
    #[serde(default)]
    #[schemars(range(max = 15))]
    pub uniform_end_stall: u8,
    /// The longest stall count; where it is not given 15, as the four bits of NVIDIA's control fields hold. Of longer fixed
    /// latencies the rest is not waited for.
    #[serde(default)]
    #[schemars(range(min = 15, max = 255))]
    pub longest_stall: Option<u8>,
    /// Whether the machine reduces a value over the lanes of a warp in one instruction.
    pub reduces_lanes: bool,
}

/// A stall count that holds nothing up.
fn next_cycle() -> u8 {
    1
}

impl GpuConfig {
    /// The machine as the compiler of PTX sees it.
    #[must_use]
    pub fn target(&self) -> Target {
        let (limits, compiler, core) = (&self.limits, &self.compiler, &self.multiprocessor);
        Target {
            latencies: core.latencies.table(&core.shared, &core.l1),
            limits: TargetLimits {
                warp_lanes: limits.warp_lanes,
                threads: limits.threads,
                blocks: limits.blocks,
                threads_per_block: limits.threads_per_block,
                registers: limits.registers,
                register_unit: limits.register_unit,
                registers_per_thread: limits.registers_per_thread,
            },
            heavy_half: core.pipes.fma_halves,
            register_banks: self.multiprocessor.register_file.map_or(0, |file| file.banks),
            choices: TargetChoices {
                comfortable_registers: compiler.comfortable_registers,
                most_comfortable_registers: compiler.most_comfortable_registers,
                spread_registers: compiler.spread_registers,
                load_cycles: compiler.load_cycles,
                live_registers_per_spare: compiler.live_registers_per_spare,
                patience: compiler.patience,
                long_wait: compiler.long_wait,
                long_wait_registers: compiler.long_wait_registers,
                few_registers: compiler.few_registers,
                predicated_instructions: compiler.predicated_instructions,
                branch_stall: compiler.branch_stall,
                fp64_stall: compiler.fp64_stall,
                wait_counter_stall: compiler.wait_counter_stall,
                memory_stall: compiler.memory_stall,
                function_stall: compiler.function_stall,
                constant_stall: compiler.constant_stall,
                barrier_stall: compiler.barrier_stall,
                block_end_stall: compiler.block_end_stall,
                uniform_end_stall: compiler.uniform_end_stall,
                longest_stall: compiler.longest_stall.unwrap_or(FOUR_BITS),
            },
            reduces_lanes: compiler.reduces_lanes,
            integer_interval: u8::try_from(core.pipes.alu.interval).unwrap_or(u8::MAX),
            product_interval: u8::try_from(core.pipes.fma_heavy.interval).unwrap_or(u8::MAX),
        }
    }
}

//! Rooflines: what a kernel did per byte and per second beside what the machine can do.

use crate::context::Context;
use crate::peaks;
use serde::Serialize;
use warplab_program::{Opcode, Pipe};
use warplab_units::SECTOR_BYTES;

/// What is counted, and the roofs over it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Roofline {
    /// The unit of the operations: "FLOP", "warp instruction".
    pub unit: &'static str,
    /// How they are counted, in words.
    pub counted: &'static str,
    /// Operations of the kernel.
    pub operations: f64,
    /// Operations per second.
    pub achieved: f64,
    /// The flat roofs.
    pub ceilings: Vec<Ceiling>,
    /// The sloped roofs, and the kernel below each.
    pub memories: Vec<MemoryRoof>,
}

/// The most operations per second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ceiling {
    /// Of what.
    pub label: &'static str,
    /// How many.
    pub operations_per_second: f64,
}

/// The bandwidth of one level of memory, and how the kernel used it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryRoof {
    /// Which.
    pub label: &'static str,
    /// The most bytes per second.
    pub bytes_per_second: f64,
    /// Bytes that the kernel moved.
    pub bytes: u64,
    /// Operations per byte.
    pub intensity: f64,
}

/// A kind of floating-point arithmetic.
struct Arithmetic {
    label: &'static str,
    pipe: Pipe,
    /// Opcodes and the operations of a thread.
    opcodes: &'static [(Opcode, u64)],
    /// Operations of a thread of the widest one.
    widest: f64,
}

const ARITHMETIC: [Arithmetic; 3] = [
    Arithmetic {
        label: "FP32 peak",
        pipe: Pipe::Fma,
        opcodes: &[(Opcode::Fadd, 1), (Opcode::Fmul, 1), (Opcode::Ffma, 2)],
        widest: 2.0,
    },
    Arithmetic {
        label: "FP64 peak",
        pipe: Pipe::Fp64,
        opcodes: &[(Opcode::Dadd, 1), (Opcode::Dmul, 1), (Opcode::Dfma, 2)],
        widest: 2.0,
    },
    Arithmetic {
        label: "FP16 peak",
        pipe: Pipe::Fp16,
        opcodes: &[(Opcode::Hadd2, 2), (Opcode::Hmul2, 2), (Opcode::Hfma2, 4)],
        widest: 4.0,
    },
];

/// The rooflines of a launch: floating-point arithmetic, if there was any, and instructions.
#[must_use]
pub fn rooflines(context: &Context<'_>) -> Vec<Roofline> {
    floating_point(context).into_iter().chain(Some(instructions(context))).collect()
}

fn floating_point(context: &Context<'_>) -> Option<Roofline> {
    let instructions = &context.counters.sm.instructions;
    let warp_operations = |kind: &Arithmetic| -> u64 {
        kind.opcodes.iter().map(|&(opcode, count)| count * instructions.by_opcode[opcode as usize]).sum()
    };
    let used: Vec<&Arithmetic> = ARITHMETIC.iter().filter(|kind| warp_operations(kind) > 0).collect();
    if used.is_empty() {
        return None;
    }
    let lanes = instructions.thread as f64 / (instructions.warp as f64).max(1.0);
    let operations = lanes * used.iter().map(|kind| warp_operations(kind) as f64).sum::<f64>();
    let ceilings = used.iter().map(|kind| Ceiling {
        label: kind.label,
        operations_per_second: kind.widest
            * f64::from(context.config.limits.warp_lanes)
            * instructions_per_second(context, kind.pipe),
    });
    Some(Roofline {
        unit: "FLOP",
        counted: "sums, products and fused multiply-adds (two operations) of warps, times the mean number of active \
                  threads",
        operations,
        achieved: per(operations, context.seconds()),
        ceilings: ceilings.collect(),
        memories: memories(context, operations),
    })
}

fn instructions(context: &Context<'_>) -> Roofline {
    let operations = context.executed();
    Roofline {
        unit: "warp instruction",
        counted: "every instruction of a warp",
        operations,
        achieved: per(operations, context.seconds()),
        ceilings: vec![Ceiling {
            label: "issue slots",
            operations_per_second: context.schedulers() * sm_hertz(context),
        }],
        memories: memories(context, operations),
    }
}

/// Warp instructions per second that a pipe of every scheduler can take.
fn instructions_per_second(context: &Context<'_>, pipe: Pipe) -> f64 {
    context.schedulers() * sm_hertz(context) * context.config.multiprocessor.pipes.per_cycle(pipe)
}

fn memories(context: &Context<'_>, operations: f64) -> Vec<MemoryRoof> {
    let (config, counters) = (context.config, context.counters);
    let (l1, l2) = (&counters.sm.l1, &counters.memory.l2);
    let at_l1 = l1.global_load_sectors
        + l1.global_store_sectors
        + l1.global_atomic_sectors
        + l1.global_reduction_sectors
        + l1.local_load_sectors
        + l1.local_store_sectors;
    let at_l2 = l2.read_sectors + l2.write_sectors + l2.atomic_sectors + l2.reduction_sectors;
    let of_l1 = context.multiprocessors() * f64::from(config.multiprocessor.l1.bytes_per_cycle);
    let slices = counters.partitions as f64 * f64::from(config.l2.slices_per_channel);
    let of_l2 = slices * f64::from(config.l2.slice_bytes) * config.clocks.l2_mhz * 1e6;
    let all = [
        ("L1", of_l1 * sm_hertz(context), at_l1 * SECTOR_BYTES),
        ("L2", of_l2, at_l2 * SECTOR_BYTES),
        ("DRAM", config.dram_bytes_per_second(), peaks::dram_bytes(context)),
    ];
    let used = all.into_iter().filter(|&(_, _, bytes)| bytes > 0);
    used.map(|(label, bytes_per_second, bytes)| MemoryRoof {
        label,
        bytes_per_second,
        bytes,
        intensity: operations / bytes as f64,
    })
    .collect()
}

fn sm_hertz(context: &Context<'_>) -> f64 {
    context.config.clocks.sm_mhz * 1e6
}

fn per(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::rooflines;
    use crate::test_launch::{counters, launch, with};
    use warplab_program::Opcode;

    #[test]
    fn a_fused_multiply_add_is_two_operations_of_every_thread() {
        let all = with(&counters(), &launch(), rooflines);
        assert_eq!((all[0].unit, all[0].operations), ("FLOP", 2.0 * 32.0 * 30_000.0));
        // 132 multiprocessors with 128 lanes, two operations per cycle, 1.98 GHz.
        assert_eq!(all[0].ceilings[0].operations_per_second, 132.0 * 128.0 * 2.0 * 1.98e9);
    }

    #[test]
    fn without_floating_point_only_instructions_are_counted() {
        let mut counters = counters();
        counters.sm.instructions.by_opcode[Opcode::Ffma as usize] = 0;
        let all = with(&counters, &launch(), rooflines);
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].unit, all[0].operations), ("warp instruction", 40_000.0));
    }
}

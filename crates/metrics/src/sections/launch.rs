//! What was launched.

use crate::metric::{Metric, Section};
use crate::value::Unit::{Bytes, BytesPerBlock, Count, None};
use crate::value::Value;

/// The section.
pub(crate) static SECTION: Section = Section {
    name: "launch",
    title: "Launch Statistics",
    description: "The size of the grid and what a thread and a block need.",
    metrics: METRICS,
};

const METRICS: &[Metric] = &[
    Metric::shown(
        "launch__block_size",
        "Block Size",
        None,
        "block x times y times z",
        "Threads of a block. A multiple of the warp leaves no lane unused.",
        |c| c.launch.threads_per_block().into(),
    ),
    Metric::shown(
        "launch__grid_size",
        "Grid Size",
        None,
        "grid x times y times z",
        "Blocks of the grid.",
        |c| c.launch.blocks().into(),
    ),
    Metric::shown(
        "launch__registers_per_thread",
        "Registers Per Thread",
        Count("register/thread"),
        "as the compiler allocated them, but at least what every thread is given",
        "32-bit registers of a thread. They limit how many warps can be resident.",
        |c| c.launch.registers.max(c.config.limits.least_registers_per_thread).into(),
    ),
    Metric::shown(
        "launch__shared_mem_config_size",
        "Shared Memory Configuration Size",
        Bytes,
        "the shared part of the combined memory",
        "The smallest carve-out of the combined memory that lets as many blocks be resident as the other limits allow; \
         the rest is level one.",
        |c| Value::Integer(u64::from(c.occupancy.carveout_kib) * 1024),
    ),
    Metric::shown(
        "launch__shared_mem_per_block_driver",
        "Driver Shared Memory Per Block",
        BytesPerBlock,
        "limits.shared_reserved of the machine",
        "Shared memory that the system takes from every block.",
        |c| c.config.limits.shared_reserved.into(),
    ),
    Metric::shown(
        "launch__shared_mem_per_block_dynamic",
        "Dynamic Shared Memory Per Block",
        BytesPerBlock,
        "as launched",
        "Shared memory that the launch adds.",
        |c| c.launch.dynamic_shared_bytes.into(),
    ),
    Metric::shown(
        "launch__shared_mem_per_block_static",
        "Static Shared Memory Per Block",
        BytesPerBlock,
        "as declared",
        "Shared memory that the kernel declares.",
        |c| c.launch.static_shared_bytes.into(),
    ),
    Metric::shown(
        "launch__sm_count",
        "# SMs",
        Count("SM"),
        "of the machine",
        "Multiprocessors of the chip.",
        |c| c.counters.multiprocessors.into(),
    ),
    Metric::shown(
        "launch__thread_count",
        "Threads",
        Count("thread"),
        "blocks x threads of a block",
        "Threads of the grid.",
        |c| Value::Integer(c.launch.blocks().saturating_mul(c.launch.threads_per_block())),
    ),
    Metric::shown(
        "launch__waves_per_multiprocessor",
        "Waves Per SM",
        None,
        "blocks / (resident blocks of a multiprocessor x multiprocessors)",
        "How many times the grid fills the chip. The part after the point is the tail: the last wave leaves \
         multiprocessors without work.",
        |c| c.waves().map_or(Value::Absent, Value::Real),
    ),
    Metric::raw(
        "launch__local_mem_per_thread",
        "Local Memory Per Thread",
        Count("byte/thread"),
        "as the compiler allocated it",
        "Local memory of a thread: arrays that are indexed, and registers that did not fit.",
        |c| c.launch.local_bytes.into(),
    ),
];

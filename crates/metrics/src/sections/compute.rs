//! What the multiprocessors computed and with which pipes.

use crate::format::whole_number;
use crate::metric::{Metric, Section};
use crate::peaks::{self, Over};
use crate::value::Unit::{Count, Percent};
use crate::value::Value;
use warplab_program::Pipe;

/// The section.
pub(crate) static SECTION: Section = Section {
    name: "compute-workload",
    title: "Compute Workload Analysis",
    description: "Instructions per cycle and how busy each pipe was.",
    metrics: METRICS,
};

macro_rules! pipe {
    ($id:literal, $label:literal, $pipe:ident, $description:literal) => {
        Metric::shown(
            concat!("sm__inst_executed_pipe_", $id, ".avg.pct_of_peak_sustained_active"),
            $label,
            Percent,
            "instructions of the pipe x cycles between two of them / scheduler cycles while active",
            $description,
            |c| Value::Real(peaks::pipe(c, Pipe::$pipe, Over::Active)),
        )
    };
}

const METRICS: &[Metric] = &[
    Metric::shown(
        "sm__inst_executed.avg.per_cycle_active",
        "Executed Ipc Active",
        Count("inst/cycle"),
        "warp instructions executed / active cycles of multiprocessors",
        "Instructions that a multiprocessor executed in a cycle in which it held a block; at most one per scheduler.",
        |c| Value::ratio(c.executed(), c.sm_active()),
    ),
    Metric::shown(
        "sm__inst_executed.avg.per_cycle_elapsed",
        "Executed Ipc Elapsed",
        Count("inst/cycle"),
        "warp instructions executed / (multiprocessors x elapsed cycles)",
        "The same over all cycles of the kernel.",
        |c| Value::ratio(c.executed(), c.elapsed() * c.multiprocessors()),
    ),
    Metric::shown(
        "sm__inst_issued.avg.per_cycle_active",
        "Issued Ipc Active",
        Count("inst/cycle"),
        "warp instructions issued / active cycles of multiprocessors",
        "Instructions that a multiprocessor issued in a cycle in which it held a block. An instruction whose constant \
         operand is not there issues again, with those behind it that had issued meanwhile.",
        |c| Value::ratio(c.issued(), c.sm_active()),
    ),
    Metric::shown(
        "sm__inst_issued.avg.pct_of_peak_sustained_active",
        "Issue Slots Busy",
        Percent,
        "warp instructions issued / scheduler cycles while active",
        "The share of issue slots that were used.",
        |c| Value::Real(peaks::issue(c, Over::Active)),
    ),
    Metric::shown(
        "sm__instruction_throughput.avg.pct_of_peak_sustained_active",
        "SM Busy",
        Percent,
        "the larger of issue slots used and the busiest pipe, over active cycles",
        "How busy the busiest part of the multiprocessors was.",
        |c| Value::Real(peaks::compute(c, Over::Active)),
    ),
    pipe!("alu", "Pipe ALU", Alu, "Integer logic, comparison and shifts."),
    pipe!(
        "fma",
        "Pipe FMA",
        Fma,
        "Single-precision arithmetic and integer multiply-add, on both half pipes."
    ),
    pipe!(
        "fmaheavy",
        "Pipe FMA (Heavy)",
        FmaHeavy,
        "Integer multiply-add: the half pipe with the wide multiplier."
    ),
    pipe!("fp16", "Pipe FP16", Fp16, "Packed half precision."),
    pipe!("fp64", "Pipe FP64", Fp64, "Double precision."),
    pipe!("xu", "Pipe XU", Xu, "Transcendental functions, conversions and population count."),
    pipe!("lsu", "Pipe LSU", Lsu, "Memory, shared memory and lane exchange."),
    pipe!("adu", "Pipe ADU", Adu, "Special registers, indexed constants and block barriers."),
    pipe!("cbu", "Pipe CBU", Cbu, "Branches, convergence and warp barriers."),
    pipe!("uniform", "Pipe Uniform", Uniform, "The scalar datapath of a warp."),
    Metric::raw(
        "smsp__inst_executed.sum",
        "Executed Instructions",
        Count("inst"),
        "warp instructions executed",
        "Instructions, each counted once for a warp.",
        |c| c.counters.sm.instructions.warp.into(),
    ),
    Metric::raw(
        "smsp__inst_issued.sum",
        "Issued Instructions",
        Count("inst"),
        "instructions that the schedulers issued",
        "Instructions issued; more than are executed where constant operands miss, as these issue again.",
        |c| Value::Integer(whole_number(c.issued())),
    ),
    Metric::raw(
        "smsp__thread_inst_executed.sum",
        "Executed Thread Instructions",
        Count("inst"),
        "lanes that executed with their guard true, summed over instructions",
        "Instructions, each counted once for a thread. Lanes that a predicate turned off are not counted.",
        |c| c.counters.sm.instructions.thread.into(),
    ),
];

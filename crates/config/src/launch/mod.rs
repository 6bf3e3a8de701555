//! The description of a launch: `configs/launches/*.ron`.

mod argument;
mod evaluate;
mod formula;
mod size;

pub use argument::parse_argument;
pub use evaluate::{EvaluationFault, Memory, Number};
pub use formula::{BufferRead, Formula};
pub use size::{Dimensions, Size, parse_dimensions, parse_size};

use crate::gpu::SchedulerPolicy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One kernel launch: what runs, on what data, on which machine, and what must come out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The program: a path relative to this file.
    pub program: String,
    /// The name of the kernel in the program.
    pub kernel: String,
    /// Blocks of the grid: (x, y, z).
    pub grid: Dimensions,
    /// Threads of a block: (x, y, z).
    pub block: Dimensions,
    /// Shared memory beside what the kernel declares: bytes, or a size such as "48KiB".
    #[serde(default)]
    pub dynamic_shared_bytes: Size,
    /// The arguments in the kernel's order.
    #[serde(default)]
    pub arguments: Vec<Argument>,
    /// What must hold when the kernel has ended.
    #[serde(default)]
    pub expectations: Vec<Expectation>,
    /// The machine: the name of one in `configs/gpus`, or a path relative to this file.
    #[serde(default)]
    pub gpu: Option<String>,
    /// Which warp of those that can issue is taken, instead of the machine's own choice.
    #[serde(default)]
    pub scheduler: Option<SchedulerPolicy>,
    /// Changes of the machine: {"l2.kib": "30000"}.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// The launch ends with a report after this many cycles; if not given, after 100 million cycles or a thousand
    /// million warp instructions.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_cycles: Option<u64>,
}

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Argument {
    /// A pointer to a buffer of device memory.
    Buffer {
        /// The name by which expectations speak of it.
        name: String,
        /// Bytes, or a size: "4MiB", "2^20 x f32".
        size: Size,
        /// What it holds before the launch.
        init: Init,
    },
    /// A signed 32-bit number.
    I32(i32),
    /// An unsigned 32-bit number.
    U32(u32),
    /// A signed 64-bit number.
    I64(i64),
    /// An unsigned 64-bit number.
    U64(u64),
    /// A single-precision number.
    F32(f32),
    /// A double-precision number.
    F64(f64),
    /// The bits of the parameter, whatever its type.
    Bits(u64),
}

/// What a buffer holds before the launch. Words are 32 bits; the rules are those of the hardware reference suite, so
/// that results can be compared bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Init {
    /// Zeros.
    Zero,
    /// Word i holds i.
    IndexU32,
    /// Floats from -50 to 50 by a hash of index and seed.
    HashF32(u32),
    /// Whole numbers of 24 bits by a hash of index and seed.
    HashI32(u32),
    /// Word i holds (i + stride) modulo the count of words: a chain of pointers.
    Chain(u32),
    /// Random floats with equal chance between two bounds.
    Uniform {
        /// The least.
        low: f32,
        /// The bound above.
        high: f32,
        /// The seed of the generator.
        seed: u32,
    },
    /// Random floats of a normal distribution.
    Normal {
        /// The mean.
        mean: f32,
        /// The standard deviation.
        deviation: f32,
        /// The seed of the generator.
        seed: u32,
    },
    /// The bytes of a file, relative to this one; the rest is zero.
    File(String),
}

/// What must hold when the kernel has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expectation {
    /// The sum and the exclusive or of the hashes of all words: the checksum of the hardware reference suite.
    Checksum {
        /// The buffer.
        buffer: String,
        /// The sum of the hashes.
        sum: u64,
        /// Their exclusive or.
        xor: u64,
    },
    /// Every element is close to what it should be: |found - expected| <= absolute + relative * |expected|.
    AllClose {
        /// The buffer.
        buffer: String,
        /// What it should hold.
        expected: Reference,
        /// The relative tolerance.
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        relative: f64,
        /// The absolute tolerance.
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        absolute: f64,
    },
}

/// What a buffer should hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Reference {
    /// Element i as a formula of i and of the buffers: "2.0 * x[i] + y0[i]".
    Formula(Formula),
    /// The bytes of a file, relative to this one, as floats.
    File(String),
}

impl Launch {
    /// The changes of the machine as `PATH=VALUE`, the scheduler first.
    #[must_use]
    pub fn changes(&self) -> Vec<String> {
        let scheduler = self.scheduler.map(|policy| format!("multiprocessor.scheduler={}", policy.name()));
        let set = self.set.iter().map(|(path, value)| format!("{path}={value}"));
        scheduler.into_iter().chain(set).collect()
    }

    /// The names and sizes of the buffers, in the order of the arguments.
    pub fn buffers(&self) -> impl Iterator<Item = (&str, Size)> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Buffer { name, size, .. } => Some((name.as_str(), *size)),
            _ => None,
        })
    }
}

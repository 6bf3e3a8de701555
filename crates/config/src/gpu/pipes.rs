//! The pipes of a sub-partition: how often each takes an instruction, and which share a unit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warplab_program::Pipe;

/// When a pipe can take its next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipeTiming {
    /// Cycles between two instructions.
    #[schemars(range(min = 1, max = 64))]
    pub interval: u32,
    /// The unit that executes them, when the pipe shares another's.
    #[serde(default)]
    pub unit: Option<PipeUnit>,
    /// Cycles from issue until the unit begins; it takes a second instruction meanwhile. Without it, it takes one at a time.
    #[serde(default)]
    #[schemars(range(max = 64))]
    pub lead: Option<u32>,
}

/// How integer products of 64 bits are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WideProduct {
    /// Cycles of the integer multiply-add pipe.
    #[schemars(range(min = 1, max = 64))]
    pub interval: u32,
    /// Cycles of the dispatcher, in which nothing else of the sub-partition issues.
    #[schemars(range(min = 1, max = 16))]
    pub dispatch: u32,
}

/// The tensor core of a sub-partition: for how many cycles a product of matrices occupies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TensorCore {
    /// Rows of 32 bytes: `HMMA.16816`, `HMMA.1688.TF32`, `IMMA.16832`.
    #[schemars(range(min = 1, max = 255))]
    pub long: u32,
    /// Rows of 16 bytes: `HMMA.1688`, `HMMA.1684.TF32`, `IMMA.16816`.
    #[schemars(range(min = 1, max = 255))]
    pub short: u32,
    /// Eight rows of 16 bytes: `IMMA.8816`.
    #[schemars(range(min = 1, max = 255))]
    pub small: u32,
    /// Products of depth four in double precision, deeper ones as many times as long; none where the machine has no such products.
    #[serde(default)]
    #[schemars(range(min = 1, max = 255))]
    pub double: Option<u32>,
    /// The unit that takes the products in turn with its own instructions, where the tensor core shares one.
    #[serde(default)]
    pub unit: Option<PipeUnit>,
}

/// The unit of a multiprocessor that loads constants and reads special registers that are one for the warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantLoads {
    /// Cycles between two instructions, whichever sub-partitions they come from, if the constants are there.
    #[schemars(range(min = 1, max = 64))]
    pub interval: u32,
    /// Instructions that a sub-partition holds before its schedulers must wait.
    #[schemars(range(min = 1, max = 64))]
    pub queue: u32,
    /// Loads of a sub-partition beside those, whose constants are not there and which pass again when they come.
    #[serde(default)]
    #[schemars(range(max = 64))]
    pub late: u32,
    /// Cycles from one pass of a load to its next, where its lanes want several addresses: it passes once for each.
    #[serde(default)]
    #[schemars(range(max = 255))]
    pub address_interval: u32,
}

/// A unit that several pipes may share, by the pipe that it is named after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // Named as the pipes.
pub enum PipeUnit {
    Alu,
    Fma,
    Fp64,
    Xu,
    Lsu,
    Adu,
    Cbu,
}

impl PipeUnit {
    /// The pipe that the unit is named after.
    #[must_use]
    pub fn pipe(self) -> Pipe {
        match self {
            PipeUnit::Alu => Pipe::Alu,
            PipeUnit::Fma => Pipe::Fma,
            PipeUnit::Fp64 => Pipe::Fp64,
            PipeUnit::Xu => Pipe::Xu,
            PipeUnit::Lsu => Pipe::Lsu,
            PipeUnit::Adu => Pipe::Adu,
            PipeUnit::Cbu => Pipe::Cbu,
        }
    }
}

/// The pipes of one sub-partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pipes {
    /// Integer logic, comparison, shifts.
    pub alu: PipeTiming,
    /// Single precision.
    pub fma: PipeTiming,
    /// Integer multiply-add.
    pub fma_heavy: PipeTiming,
    /// Packed half precision.
    pub fp16: PipeTiming,
    /// Double precision.
    pub fp64: PipeTiming,
    /// Transcendental functions and conversions.
    pub xu: PipeTiming,
    /// Memory instructions; the memory pipeline has its own limits behind it.
    pub lsu: PipeTiming,
    /// Constants by index, special registers, block barriers.
    pub adu: PipeTiming,
    /// Branches.
    pub cbu: PipeTiming,
    /// Scalar arithmetic.
    pub uniform: PipeTiming,
    /// Packed half precision on the matrix pipe (`HFMA2.MMA`); as packed half precision where it is not given.
    #[serde(default)]
    pub matrix: Option<PipeTiming>,
    /// Products of matrices (`HMMA`, `IMMA`, `DMMA`); a machine without it refuses kernels that have some.
    #[serde(default)]
    pub tensor: Option<TensorCore>,
    /// Integer products of 64 bits (`IMAD.WIDE`, `IMAD.HI`); as integer multiply-add where it is not given.
    #[serde(default)]
    pub wide_product: Option<WideProduct>,
    /// Loads of constants (`LDC`) and special registers that are one for the warp (`S2UR`, some `S2R`), which wait in a queue
    /// of their own; as block barriers where it is not given.
    #[serde(default)]
    pub constant_load: Option<ConstantLoads>,
    /// Whether single precision has two half pipes, each with twice its interval: integer multiply-add takes the heavy one,
    /// packed half precision both, single precision the light one, and the heavy one if that is taken.
    #[serde(default)]
    pub fma_halves: bool,
}

impl Pipes {
    /// Cycles between two instructions of a pipe.
    #[must_use]
    pub fn interval(&self, pipe: Pipe) -> u32 {
        self.timing(pipe).interval
    }

    /// Instructions of a pipe that a sub-partition can execute per cycle: packed half precision on both of its units.
    #[must_use]
    pub fn per_cycle(&self, pipe: Pipe) -> f64 {
        let of = |timing: PipeTiming| 1.0 / f64::from(timing.interval.max(1));
        let matrix = self.matrix.filter(|_| pipe == Pipe::Fp16);
        of(self.timing(pipe)) + matrix.map_or(0.0, of)
    }

    /// Cycles from issue until the unit of a pipe begins, where it holds a second instruction meanwhile; otherwise none.
    #[must_use]
    pub fn lead(&self, pipe: Pipe) -> u32 {
        self.timing(pipe).lead.unwrap_or(0)
    }

    /// The pipe whose unit executes the instructions of a pipe.
    #[must_use]
    pub fn unit(&self, pipe: Pipe) -> Pipe {
        self.timing(pipe).unit.map_or(pipe, PipeUnit::pipe)
    }

    fn timing(&self, pipe: Pipe) -> PipeTiming {
        match pipe {
            Pipe::Alu => self.alu,
            Pipe::Fma => self.fma,
            Pipe::FmaHeavy => self.fma_heavy,
            Pipe::Fp16 => self.fp16,
            Pipe::Fp64 => self.fp64,
            Pipe::Tensor => {
                let (interval, unit) = self.tensor.map_or((1, None), |tensor| (tensor.long, tensor.unit));
                PipeTiming { interval, unit, lead: None }
            }
            Pipe::Xu => self.xu,
            Pipe::Lsu => self.lsu,
            Pipe::Adu => self.adu,
            Pipe::Cbu => self.cbu,
            Pipe::Uniform => self.uniform,
        }
    }
}

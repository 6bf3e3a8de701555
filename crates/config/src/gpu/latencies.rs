//! Latencies: when the result of an instruction can be read, by class of result and reader.

use super::multiprocessor::{L1Cache, SharedMemory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warplab_program::{LatencyClass, LatencyException, LatencyTable, Reader};

/// Cycles until a result can be read. Fixed ones are what the compiler counts; variable ones are what they take when
/// nothing is in the way. A class that is left out is like the one that it refines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // Named after the classes of `warplab_program::LatencyClass`, which say what they are.
pub struct Latencies {
    pub alu: u16,
    pub fma: u16,
    pub fma_wide: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fma_wide_low: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fma_carry: Option<u16>,
    pub fp16: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fp16_matrix: Option<u16>,
    pub fp64: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor_long: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor_short: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor_small: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor_double: Option<u16>,
    pub predicate: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fp64_predicate: Option<u16>,
    pub predicate_to_branch: u16,
    pub uniform: u16,
    pub uniform_to_vector: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uniform_move: Option<u16>,
    pub branch: u16,
    pub transcendental: u16,
    pub special_register: u16,
    pub clock: u16,
    pub constant_load: u16,
    pub shuffle: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane_match: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane_reduction: Option<u16>,
    pub vote: u16,
    pub barrier: u16,
    /// Cycles that a fixed-latency result takes more to an instruction of another pipe.
    pub cross_pipe: u16,
    /// Cycles that the multiprocessor takes for the arrival of a warp at a barrier.
    pub barrier_warp: u16,
    /// Which instructions behind a block barrier wait until it is complete.
    #[serde(default, skip_serializing_if = "BarrierHolds::is_everything")]
    pub barrier_holds: BarrierHolds,
    /// Results and readers that need another number of cycles than the class of the result says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<ReaderLatency>,
}

/// Which instructions behind a block barrier wait until it is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BarrierHolds {
    /// All.
    #[default]
    Everything,
    /// All but arithmetic of fixed latency: such instructions issue as if there were no barrier.
    AllButArithmetic,
}

impl BarrierHolds {
    fn is_everything(&self) -> bool {
        *self == BarrierHolds::Everything
    }
}

/// How long a result of one class takes until one kind of reader may issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReaderLatency {
    /// The class of the result: one that is fixed.
    #[schemars(with = "String")]
    pub result: ResultClass,
    /// What reads it.
    #[schemars(with = "String")]
    pub reader: ReaderClass,
    /// Cycles from the issue of the one to the issue of the other.
    pub cycles: u16,
}

impl Latencies {
    /// The table as the compiler knows it.
    #[must_use]
    pub fn table(&self, shared: &SharedMemory, l1: &L1Cache) -> LatencyTable {
        LatencyTable::from_fn(|class| match class {
            LatencyClass::Alu => self.alu,
            LatencyClass::Fma => self.fma,
            LatencyClass::FmaWide => self.fma_wide,
            LatencyClass::FmaWideLow => self.fma_wide_low.unwrap_or(self.fma_wide),
            LatencyClass::FmaCarry => self.fma_carry.unwrap_or(self.predicate),
            LatencyClass::Fp16 => self.fp16,
            LatencyClass::Fp16Matrix => self.fp16_matrix.unwrap_or(self.fp16),
            LatencyClass::Fp64 => self.fp64,
            LatencyClass::TensorLong => self.tensor_long.unwrap_or(self.fp16),
            LatencyClass::TensorShort => self.tensor_short.or(self.tensor_long).unwrap_or(self.fp16),
            LatencyClass::TensorSmall => self.tensor_small.or(self.tensor_short).unwrap_or(self.fp16),
            LatencyClass::TensorDouble => self.tensor_double.unwrap_or(self.fp64),
            LatencyClass::Warpgroup => 1,
            LatencyClass::Predicate => self.predicate,
            LatencyClass::Fp64Predicate => self.fp64_predicate.unwrap_or(self.predicate),
            LatencyClass::PredicateToBranch => self.predicate_to_branch,
            LatencyClass::Uniform => self.uniform,
            LatencyClass::UniformToVector => self.uniform_to_vector,
            LatencyClass::UniformMove => self.uniform_move.unwrap_or(self.uniform),
            LatencyClass::Branch => self.branch,
            LatencyClass::Transcendental => self.transcendental,
            LatencyClass::SpecialRegister => self.special_register,
            LatencyClass::Clock => self.clock,
            LatencyClass::ConstantLoad => self.constant_load,
            LatencyClass::SharedLoad => shared.latency,
            LatencyClass::Shuffle => self.shuffle,
            LatencyClass::LaneMatch => self.lane_match.unwrap_or(self.shuffle),
            LatencyClass::LaneReduction => self.lane_reduction.unwrap_or(self.shuffle),
            LatencyClass::GlobalLoad | LatencyClass::Atomic => l1.hit_latency,
            LatencyClass::Store => 1,
            LatencyClass::Vote => self.vote,
            LatencyClass::Barrier => self.barrier,
        })
        .with_cross_pipe(self.cross_pipe)
        .with_exceptions(self.exceptions.iter().map(ReaderLatency::exception))
    }
}

impl ReaderLatency {
    fn exception(&self) -> LatencyException {
        LatencyException { result: self.result.0, reader: self.reader.0, cycles: self.cycles }
    }
}

/// A fixed latency class by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResultClass(pub LatencyClass);

/// A kind of reader by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReaderClass(pub Reader);

impl TryFrom<String> for ResultClass {
    type Error = String;

    fn try_from(name: String) -> Result<ResultClass, String> {
        let fixed = LatencyClass::ALL.into_iter().filter(|class| !class.is_variable());
        let found = fixed.clone().find(|class| class.name() == name);
        let known: Vec<&str> = fixed.map(LatencyClass::name).collect();
        found.map(ResultClass).ok_or_else(|| {
            format!("'{name}' is no class of results of fixed latency; known: {}", known.join(", "))
        })
    }
}

impl From<ResultClass> for String {
    fn from(class: ResultClass) -> String {
        class.0.name().to_owned()
    }
}

impl TryFrom<String> for ReaderClass {
    type Error = String;

    fn try_from(name: String) -> Result<ReaderClass, String> {
        let found = Reader::ALL.into_iter().find(|reader| reader.name() == name);
        let known = Reader::ALL.map(Reader::name);
        found
            .map(ReaderClass)
            .ok_or_else(|| format!("'{name}' is no reader of results; known: {}", known.join(", ")))
    }
}

impl From<ReaderClass> for String {
    fn from(class: ReaderClass) -> String {
        class.0.name().to_owned()
    }
}

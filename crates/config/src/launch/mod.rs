//! The description of a launch: `configs/launches/*.ron`.

mod argument;
mod evaluate;
mod formula;
mod size;
mod steps;
mod tensor;

pub use argument::{parse_argument, parse_buffer, parse_symbol};
pub use evaluate::{EvaluationFault, Evaluator, Memory};
pub use formula::{BufferRead, Formula};
pub use size::{Dimensions, Extent, Size, parse_dimensions, parse_extent, parse_size};
pub use steps::{LaunchEntry, LaunchStep};
pub use tensor::{TensorElementName, TensorMapSpec};
pub use warplab_units::{ElementType, Number};

use crate::gpu::SchedulerPolicy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::str::FromStr;

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
    /// Blocks of a cluster, for all kernels of the file that do not say it themselves (cudaLaunchAttributeClusterDimension):
    /// (x, y, z).
    #[serde(default)]
    pub cluster: Option<Dimensions>,
    /// Shared memory beside what the kernel declares: bytes, or a size such as "48KiB".
    #[serde(default)]
    pub dynamic_shared_bytes: Size,
    /// The arguments in the kernel's order.
    #[serde(default)]
    pub arguments: Vec<Argument>,
    /// Launches that run one after the other on one device, with the same buffers: L2 stays as the launch before left
    /// it. If there are none, the launch above is the only one; else it only says what an entry leaves out.
    #[serde(default)]
    pub launches: Vec<LaunchEntry>,
    /// Buffers that no argument declares: structs, other pointers and symbols point to them by name.
    #[serde(default)]
    pub buffers: Vec<BufferSpec>,
    /// What variables of the program (`__device__`, `__constant__`) hold before the launch, by name.
    #[serde(default)]
    pub symbols: BTreeMap<String, Argument>,
    /// What is handed to nvcc when the program is a .cu file: ["-DN=4"].
    #[serde(default)]
    pub nvcc_args: Vec<String>,
    /// Whether the compiler of PTX makes one rounded operation of a product and a sum that name no rounding mode, as
    /// ptxas does; if not given, it does.
    #[serde(default)]
    pub fmad: Option<bool>,
    /// What must hold when the kernel, or the last of several, has ended.
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
    /// The launch ends with a report after this many cycles; if not given, after 100 million warp
    /// instructions in which no block came or ended.
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
        /// Bytes, or a size: "4MiB", "2^20 x f32", "4MiB as i16".
        size: Extent,
        /// What it holds before the launch.
        init: Init,
    },
    /// The address of a buffer that is declared elsewhere, or of a place in it.
    Pointer {
        /// The buffer.
        buffer: String,
        /// Bytes from its start.
        #[serde(default)]
        offset: Size,
    },
    /// The null pointer.
    Null,
    /// A signed 8-bit number.
    I8(i8),
    /// An unsigned 8-bit number.
    U8(u8),
    /// A signed 16-bit number.
    I16(i16),
    /// An unsigned 16-bit number.
    U16(u16),
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
    /// A half-precision number, rounded to the nearest.
    F16(f32),
    /// A bfloat16 number, rounded to the nearest.
    Bf16(f32),
    /// The bits of the parameter, whatever its type.
    Bits(u64),
    /// A struct by value: its fields in order, each aligned as C++ aligns it.
    Struct(Vec<Argument>),
    /// Several numbers of one type, one after the other.
    Array(ElementName, Vec<f64>),
    /// A tensor map (`CUtensorMap`) by value.
    Tensor(TensorMapSpec),
    /// Bytes in hexadecimal, as they lie in memory: "00 00 80 3f".
    Bytes(HexBytes),
    /// The bytes of a file, relative to this one; of an .npy file its elements.
    File(String),
}

/// A buffer that no argument declares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BufferSpec {
    /// Its name.
    pub name: String,
    /// Bytes, or a size: "4MiB", "2^20 x f32", "4MiB as i16".
    pub size: Extent,
    /// What it holds before the launch.
    pub init: Init,
}

/// A type of elements by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ElementName(pub ElementType);

impl TryFrom<String> for ElementName {
    type Error = String;

    fn try_from(name: String) -> Result<ElementName, String> {
        ElementType::from_name(&name)
            .map(ElementName)
            .ok_or_else(|| format!("'{name}' is no type of elements"))
    }
}

impl From<ElementName> for String {
    fn from(name: ElementName) -> String {
        name.0.name().to_owned()
    }
}

text_schema!(
    ElementName,
    "element",
    "A type of elements: i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32 or f64."
);

/// Bytes that are written in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HexBytes(pub Vec<u8>);

impl FromStr for HexBytes {
    type Err = String;

    fn from_str(text: &str) -> Result<HexBytes, String> {
        let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
        let wrong = || format!("'{text}' is not bytes in hexadecimal; two digits make a byte: 00 00 80 3f");
        if !digits.len().is_multiple_of(2) {
            return Err(wrong());
        }
        let byte = |pair: &[char]| {
            let high = pair.first()?.to_digit(16)?;
            u8::try_from(high * 16 + pair.last()?.to_digit(16)?).ok()
        };
        digits.chunks(2).map(byte).collect::<Option<Vec<u8>>>().map(HexBytes).ok_or_else(wrong)
    }
}

impl TryFrom<String> for HexBytes {
    type Error = String;

    fn try_from(text: String) -> Result<HexBytes, String> {
        text.parse()
    }
}

impl From<HexBytes> for String {
    fn from(bytes: HexBytes) -> String {
        bytes.0.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
    }
}

text_schema!(HexBytes, "hex", "Bytes in hexadecimal, as they lie in memory: \"00 00 80 3f\".");

/// What a buffer holds before the launch. Without a type of elements words are 32 bits, and the rules are those of the
/// hardware reference suite, so that results can be compared bit for bit; with a type every rule gives elements of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Init {
    /// Zeros.
    Zero,
    /// Word i holds i.
    IndexU32,
    /// Element i holds i: in an integer type its low bits.
    Index,
    /// Floats from -50 to 50 by a hash of index and seed.
    HashF32(u32),
    /// Whole numbers of 24 bits by a hash of index and seed.
    HashI32(u32),
    /// Words by a hash of index and seed, of which some bits are kept and others set: floats of any format.
    HashBits {
        /// The seed of the hash.
        seed: u32,
        /// The bits that are kept.
        keep: u32,
        /// The bits that are set.
        set: u32,
    },
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
    /// The bytes of a file, relative to this one; the rest is zero. Of an .npy file the elements, of the buffer's type.
    File(String),
    /// Values one after the other, each aligned as C++ aligns it; the rest is zero. Pointers to other buffers among them make a table.
    Values(Vec<Argument>),
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
        /// Whether a number that is none equals another.
        #[serde(default)]
        nan_equal: bool,
    },
}

/// What a buffer should hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Reference {
    /// Element i as a formula of i and of the buffers: "2.0 * x[i] + y0[i]".
    Formula(Formula),
    /// The elements of an .npy file, or the bytes of another, relative to this one, as elements of the buffer's type;
    /// f32 if it has none.
    File(String),
}

impl Launch {
    /// The changes of the machine as `PATH=VALUE`, the scheduler first.
    #[must_use]
    pub fn changes(&self) -> Vec<String> {
        let scheduler = self.scheduler.as_ref();
        let scheduler = scheduler.map(|policy| format!("multiprocessor.scheduler={}", policy.text()));
        let set = self.set.iter().map(|(path, value)| format!("{path}={value}"));
        scheduler.into_iter().chain(set).collect()
    }

    /// The names and sizes of the buffers: those of the arguments in order, then the others.
    #[must_use]
    pub(crate) fn buffer_sizes(&self) -> Vec<(&str, Extent)> {
        let arguments = self.argument_lists().into_iter().flatten();
        let mut found: Vec<(&str, Extent)> =
            arguments.flat_map(Argument::buffers).map(|(name, size, _)| (name, size)).collect();
        found.extend(self.buffers.iter().map(|buffer| (buffer.name.as_str(), buffer.size)));
        found
    }
}

impl Argument {
    /// The buffers that the argument declares, those inside a struct too: names, sizes, rules.
    #[must_use]
    pub fn buffers(&self) -> Vec<(&str, Extent, &Init)> {
        match self {
            Argument::Buffer { name, size, init } => vec![(name.as_str(), *size, init)],
            Argument::Struct(fields) => fields.iter().flat_map(Argument::buffers).collect(),
            _ => Vec::new(),
        }
    }

    /// The buffers that the argument points to without declaring them.
    #[must_use]
    pub fn pointers(&self) -> Vec<&str> {
        match self {
            Argument::Pointer { buffer, .. } => vec![buffer.as_str()],
            Argument::Struct(fields) => fields.iter().flat_map(Argument::pointers).collect(),
            _ => Vec::new(),
        }
    }
}

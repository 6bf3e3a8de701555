//! A program: kernels, constant banks and global variables.

use crate::instruction::{Instruction, Origin};
use crate::modifier::Modifier;
use crate::opcode::Opcode;
use crate::runtime::{Function, SystemCall};
use std::fmt;
use warplab_diagnostics::Diagnostic;

/// What a front end makes of one input file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The architecture whose machine code it is (90 for sm_90), if it is a real one's.
    pub architecture: Option<u32>,
    /// The kernels that could be read, in the order of the file.
    pub kernels: Vec<Kernel>,
    /// The kernels that could not.
    pub refused: Vec<RefusedKernel>,
    /// Variables in global and constant memory that live as long as the program.
    pub globals: Vec<GlobalVariable>,
    /// Variables of constant memory that have a name, wherever the kernels' banks hold them.
    pub constants: Vec<ConstantVariable>,
    /// Names of the high-level source files that [`crate::Origin::source_file`] counts.
    pub files: Vec<String>,
}

impl Program {
    /// The kernel with this name.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// The kernel with this name, if it could not be read.
    #[must_use]
    pub fn refusal(&self, name: &str) -> Option<&RefusedKernel> {
        self.refused.iter().find(|refused| refused.kernel.name == name)
    }

    /// The names of all kernels, those that could be read first.
    #[must_use]
    pub fn kernel_names(&self) -> Vec<&str> {
        let read = self.kernels.iter().map(|kernel| kernel.name.as_str());
        read.chain(self.refused.iter().map(|refused| refused.kernel.name.as_str())).collect()
    }

    /// Whether a kernel may call `malloc`: it does, or it calls through pointers.
    #[must_use]
    pub fn uses_heap(&self) -> bool {
        let heap = |instruction: &Instruction| {
            instruction.calls_through_register()
                || instruction.system_call() == Some(SystemCall::Allocate)
                || instruction.opcode == Opcode::Syscall && instruction.has(Modifier::Malloc)
        };
        self.kernels.iter().flat_map(|kernel| &kernel.instructions).any(heap)
    }

    /// The file and line of the high-level source that an instruction comes from, where it is known.
    #[must_use]
    pub fn place(&self, origin: &Origin) -> Option<(&str, u32)> {
        let file = self.files.get(usize::from(origin.source_file?))?;
        Some((file, origin.source_line))
    }
}

/// A kernel that a front end cannot read; it does not keep the others of its file from running.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RefusedKernel {
    /// Its name and what could be read: an instruction that could not is a `NOP`.
    pub kernel: Kernel,
    /// Why, all of it, in the order of the file.
    pub reasons: Vec<Reason>,
}

/// One reason why a kernel is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The address of the instruction in the kernel's machine code, if that is what is wrong.
    pub address: Option<u64>,
    /// What is wrong, with its place in the text that was read.
    pub fault: Diagnostic,
}

impl From<Diagnostic> for Reason {
    fn from(fault: Diagnostic) -> Reason {
        Reason { address: None, fault }
    }
}

impl RefusedKernel {
    /// A kernel of which nothing but the name is known.
    #[must_use]
    pub fn named(name: &str, reasons: Vec<Reason>) -> RefusedKernel {
        RefusedKernel { kernel: Kernel { name: name.to_owned(), ..Kernel::default() }, reasons }
    }

    /// The reasons as faults of the text that was read.
    #[must_use]
    pub fn faults(&self) -> Vec<Diagnostic> {
        self.reasons.iter().map(|reason| reason.fault.clone()).collect()
    }
}

impl fmt::Display for RefusedKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel '{}' cannot run:", self.kernel.name)?;
        self.reasons.iter().try_for_each(|reason| write!(f, "\n  {reason}"))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(address) = self.address {
            write!(f, "{address:#06x} ")?;
        }
        f.write_str(&self.fault.message)?;
        if self.fault.help.is_empty() { Ok(()) } else { write!(f, "; {}", self.fault.help) }
    }
}

/// One kernel: its code and what it needs to run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    /// The name, as in the source (mangled for C++).
    pub name: String,
    /// The code; branch targets are indices into it.
    pub instructions: Vec<Instruction>,
    /// Registers a thread.
    pub registers: u32,
    /// Statically declared shared memory of a block, in bytes.
    pub static_shared_bytes: u32,
    /// Local memory of a thread, in bytes.
    pub local_bytes: u32,
    /// Block barriers used.
    pub barriers: u32,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Where the parameters start in constant bank 0.
    pub parameter_base: u32,
    /// Constant banks other than bank 0, which the launch fills.
    pub constant_banks: Vec<ConstantBank>,
    /// The functions in the code that a call through a pointer may go to; empty where there are none.
    pub functions: Vec<Function>,
    /// The largest block that the kernel accepts (`.maxntid`), if it says.
    pub max_block: Option<[u32; 3]>,
    /// The block that the kernel requires (`.reqntid`), if it says.
    pub required_block: Option<[u32; 3]>,
    /// Blocks of a cluster in x, y and z (`.reqnctapercluster`), if the kernel runs in clusters.
    pub cluster: Option<[u32; 3]>,
}

impl Kernel {
    /// Blocks of a cluster; one where it does not run in clusters.
    #[must_use]
    pub fn cluster_blocks(&self) -> u32 {
        self.cluster.map_or(1, |[x, y, z]| x * y * z)
    }
}

/// One parameter of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameter {
    /// The name, or a number.
    pub name: String,
    /// Bytes from the start of the parameters.
    pub offset: u32,
    /// Its size in bytes.
    pub bytes: u32,
    /// The type as written in PTX (`u64`, `f32`, `b8[16]`); empty when the front end does not know it.
    pub ty: String,
}

/// The bytes of one constant bank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstantBank {
    /// Its number: 2 for the compiler's own constants, 3 for `.const` variables, 4 for addresses of variables.
    pub bank: u8,
    /// Its bytes before relocation.
    pub bytes: Vec<u8>,
    /// Eight-byte addresses to be filled in when the program is loaded.
    pub relocations: Vec<Relocation>,
}

/// An address that is known only when the program is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Where the eight bytes are, from the start of the bank or variable.
    pub offset: u32,
    /// The variable whose address is meant.
    pub symbol: String,
    /// What is added to it.
    pub addend: i64,
}

/// A variable in global memory that lives as long as the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlobalVariable {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its alignment in bytes.
    pub alignment: u64,
    /// Its first bytes at the start; the rest is zero.
    pub initial: Vec<u8>,
    /// Addresses of other variables inside the initial bytes.
    pub relocations: Vec<Relocation>,
}

/// A variable of constant memory: where it lies in a bank of every kernel that has the bank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstantVariable {
    /// Its name.
    pub name: String,
    /// The bank.
    pub bank: u8,
    /// Bytes from the start of the bank.
    pub offset: u32,
    /// Its size in bytes.
    pub bytes: u32,
}

/// Where the launch puts its own values into constant bank 0, on every architecture that is supported.
pub mod launch_constants {
    /// Threads of a block in x; y and z follow.
    pub const BLOCK_DIMENSIONS: u32 = 0x0;
    /// Blocks of the grid in x; y and z follow.
    pub const GRID_DIMENSIONS: u32 = 0xc;
    /// The first byte past the thread's local memory: the initial stack pointer.
    pub const STACK_POINTER: u32 = 0x28;
    /// Where the shared window starts in the generic address space (upper half follows).
    pub const SHARED_WINDOW: u32 = 0x18;
    /// Where the local window starts in the generic address space (upper half follows).
    pub const LOCAL_WINDOW: u32 = 0x20;
    /// Dynamic shared memory of a block, in bytes.
    pub const DYNAMIC_SHARED_BYTES: u32 = 0x2c;
    /// The first of the 32 words that PTX calls `%envreg0` and so on.
    pub const ENVIRONMENT: u32 = 0x40;
    /// The first byte of shared memory that does not belong to the system, one of those 32 words.
    pub const RESERVED_SHARED_END: u32 = 0x68;
    /// Where the second part of the system's shared memory starts, one of those 32 words.
    pub const RESERVED_SHARED_OFFSET: u32 = 0x6c;
    /// Shared memory of a block that belongs to the system, in bytes.
    pub const RESERVED_SHARED_BYTES: u32 = 0x114;
    /// Whether the launch asked for clusters.
    pub const HAS_CLUSTERS: u32 = 0x140;
    /// Blocks of a cluster in x; y and z follow.
    pub const CLUSTER_DIMENSIONS: u32 = 0x144;
    /// One divided by the former, as floats.
    pub const CLUSTER_RECIPROCALS: u32 = 0x150;
    /// Clusters of the grid in x; y and z follow.
    pub const CLUSTERS: u32 = 0x15c;
    /// Blocks of a cluster.
    pub const CLUSTER_BLOCKS: u32 = 0x188;
    /// The generic address of the parameters.
    pub const GENERIC: u32 = 0x198;
    /// The descriptor of global memory.
    pub const MEMORY_DESCRIPTOR: u32 = 0x208;
    /// Where the parameters start on compute capability 9.0.
    pub const PARAMETERS: u32 = 0x210;
}

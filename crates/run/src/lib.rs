//! What runs: a program, compiled for a machine; a workload, which is a kernel with its launch and data; the run itself;
//! and the expectations that its results must meet.
//!
//! Nothing here prints, reads the environment or opens a file: the caller gives the texts, or a [`ReadFile`].

mod buffers;
pub mod check;
mod checkpoint;
mod compile;
mod expectations;
mod fault;
pub mod kernel_fault;
pub mod npy;
mod parameters;
mod passes;
mod sequence;
pub mod stepper;
mod symbols;
mod tensor_map;
mod workload;

pub use buffers::{DEFAULT_ELEMENT, ReadFile, no_files};
pub use checkpoint::{CheckpointFault, CheckpointOwner};
pub use compile::{
    ChooseKernel, CompileOptions, Compiled, Language, all_kernels, check_cluster, compile, compile_some,
    language, read_program,
};
pub use expectations::{Checked, Mismatch, check_expectations};
pub use fault::Fault;
pub use passes::{pass, passes};
pub use sequence::{
    CheckpointOptions, LaunchResult, Sequence, SequenceOptions, SimulatedSequence, simulate_sequence,
};
pub use workload::{
    Data, KernelLaunch, LoadedWorkload, NO_SYMBOLS, Simulated, Workload, buffer_bytes, load, only_one,
    simulate,
};

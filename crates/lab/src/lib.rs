//! The laboratory above the engine: workloads (a kernel with its launch and data), the hardware reference, and many
//! pieces of such work on many threads.
//!
//! Nothing here prints, reads the environment or opens a file: whoever calls gives the texts, or a [`ReadFile`].

mod buffers;
mod compile;
pub mod correlate;
mod expectations;
pub mod experiment;
mod fault;
pub mod labs;
pub mod npy;
mod parameters;
mod passes;
pub mod pool;
pub mod queueing;
pub mod reference;
mod symbols;
mod workload;

pub use buffers::{DEFAULT_ELEMENT, ReadFile, no_files};
pub use compile::{CompileOptions, Language, compile, compile_some, language};
pub use expectations::{Checked, Mismatch, check_expectations};
pub use fault::Fault;
pub use passes::{pass, passes};
pub use workload::{Data, Loaded, NO_SYMBOLS, Simulated, Workload, load, simulate};

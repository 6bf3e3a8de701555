//! What a machine instruction computes, on all lanes of a warp; the device memory image; the divergence of a warp.
//!
//! There is no time here. [`Code::decode`] turns a kernel into a compact form once, at load; [`step`] executes the
//! instruction of a warp's current path and says in a [`Step`] what the multiprocessor has to do about it: a memory
//! access (described in the [`AccessRecord`]), a block barrier, a path that waits. [`interpreter::run`] runs a whole
//! grid on nothing but this crate.

// Lane loops index several rows by the lane, which is what vectorises; bit expressions read as the manuals write them;
// a launch fails at most once, so its fault may be large.
#![allow(clippy::needless_range_loop, clippy::precedence, clippy::result_large_err)]

mod alu;
mod atomics;
pub mod barriers;
mod byte;
mod calls;
mod code;
pub mod constants;
mod control;
mod convert;
mod decode;
mod decode_control;
mod decode_memory;
mod decode_more;
pub mod element;
mod fault;
mod float;
mod half;
pub mod heap;
pub mod image;
pub mod interpreter;
mod lanes;
pub mod memory;
mod memory_ops;
mod mufu;
pub mod paths;
mod print_format;
mod print_number;
pub mod printed;
mod rule;
mod shared;
mod special;
mod step;
pub mod system;
mod vector;
mod warp;
mod warpwide;

pub use atomics::{AtomicOp, AtomicType, apply, apply32, apply64};
pub use barriers::BlockBarriers;
pub use code::Code;
pub use constants::{ConstantBanks, LaunchShape, allocate_globals};
pub use decode::is_executed;
pub use fault::{DecodeFault, ExecFault, FaultKind, LaunchFault, MemoryFault, NearestBuffer};
pub use heap::{Heap, HeapFault};
pub use image::{Buffer, MemoryImage};
pub use memory::{
    AccessKind, AccessRecord, AtomicReply, AtomicRequest, CachePolicy, GlobalMemory, Lanes, Scope, Space,
    windows,
};
pub use paths::{DivergenceModel, Path, PathStatus, Paths};
pub use printed::{Printed, PrintedLine, PrintedLines};
pub use rule::{ElementRule, Init};
pub use shared::{RESERVED_SHARED_BYTES, SharedMemory};
pub use step::{BarrierKind, Environment, Executed, FenceScope, Step, step};
pub use system::{HeapRequest, SystemRecord};
pub use warp::ArchitecturalState;

/// One 32-bit value for each lane of a warp.
pub type Row = [u32; 32];

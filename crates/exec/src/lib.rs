//! What a machine instruction computes, on all lanes of a warp; the device memory image; the divergence of a warp.
//!
//! There is no time here. [`Code::decode`] turns a kernel into a compact form once, at load; [`step`] executes the
//! instruction of a warp's current path and says in a [`Step`] what the multiprocessor has to do about it: a memory
//! access (described in the [`AccessRecord`]), a block barrier, a path that waits. [`interpreter::run`] runs a whole
//! grid on nothing but this crate.
//!
//! A warp has 32 lanes or 64: [`Code::with_warp_rows`] says how many rows of 32. Its divergence is one, its values are
//! those of one row after the other, each with registers of its own, computed by the same code. What a program sees of
//! its warp (lane numbers, masks, shuffles, votes) is the row.

// Lane loops index several rows by the lane, which is what vectorises; bit expressions read as the manuals write them;
// a launch fails at most once, so its fault may be large.
#![allow(clippy::needless_range_loop, clippy::precedence, clippy::result_large_err)]

mod clusters;
mod compute;
pub mod constants;
mod decode;
pub mod element;
mod fault;
pub mod interpreter;
pub mod memory;
mod op;
pub mod peers;
mod rule;
mod semantics;
mod state;
mod step;
pub mod tensor_map;
mod wide;

pub use clusters::GridClusters;
pub use compute::compute;
pub use constants::{ConstantBanks, LaunchShape, allocate_globals};
pub use decode::is_executed;
pub use fault::{DecodeFault, ExecFault, FaultKind, LaunchFault, MemoryFault, NearestBuffer};
pub use memory::{
    AccessRecord, AtomicReply, AtomicRequest, BulkRecord, BulkRow, GlobalMemory, Lanes, Pattern, RowAccess,
    windows,
};
pub use op::{
    AccessKind, AtomicOp, AtomicType, BarrierKind, BulkKind, CachePolicy, Code, Eviction, FenceScope, Scope,
    Space,
};
pub use rule::{ElementRule, Init};
pub use semantics::atomics::{apply, apply_lanes};
pub use semantics::mbarrier::copies_arrive;
pub use semantics::system::{HeapRequest, SystemRecord};
pub use semantics::warpgroup::{WARPGROUP_WARPS, WarpgroupFault};
pub use state::barriers::BlockBarriers;
pub use state::heap::{Heap, HeapFault};
pub use state::image::{Buffer, MemoryImage, PlaceInPage};
pub use state::mbarrier::{Arrival, MOST_ARRIVALS, Mbarrier, MbarrierFault};
pub use state::paths::{DivergenceModel, Path, PathStatus, Paths};
pub use state::printed::{Printed, PrintedLine, PrintedLines};
pub use state::shared::{RESERVED_SHARED_BYTES, SharedMemory};
pub use state::warp::ArchitecturalState;
pub use step::{Environment, Executed, MbarrierStep, Step, WarpgroupStep, step};
use warplab_units::ROW_LANES as LANES;
pub use warplab_units::Row;

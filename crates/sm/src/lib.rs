//! One SM: warp schedulers, dependences, divergence, pipes, load/store unit, shared memory, L1.
//!
//! [`Sm::advance`] advances one SM alone, up to the end of an epoch. Nothing is polled: a warp that cannot issue has a
//! reason and, where it is known, a wake-up cycle; when no scheduler can issue, time jumps to the next event and the
//! skipped cycles are charged to each warp's reason.
//!
//! State is plain data: [`Sm`] can be cloned and stored, and runs on from there. What does not change during a launch
//! comes in a [`Context`].

mod barrier;
mod blocks;
mod bulk;
mod constants;
mod context;
mod copies;
mod events;
mod fence;
mod fetch;
mod follow;
mod hazards;
mod hold;
mod inspect;
mod issue;
mod launch;
mod lsu;
mod mbarrier;
mod pack;
mod peers;
mod phases;
mod pipes;
mod register_file;
mod report;
mod scheduler;
mod sm;
mod so_far;
mod spec;
mod sub_partition;
mod turns;
mod values;
mod wakes;
mod warp;
mod warpgroup;

pub use blocks::{BlockEnd, BlockStart};
pub use context::Context;
pub use hazards::HazardTable;
pub use inspect::{
    CycleRecord, LaneRows, LaneView, PathView, SchedulerView, SlotView, SmView, WaitCounterView, WarpView,
};
pub use launch::{IssueInfo, LaunchSpec, MemoryClass};
pub use lsu::{LoadView, LsuView, MshrView, QueuedView};
pub use peers::{PeerContent, PeerMessage, PeerTarget};
pub use report::WaitingWarp;
pub use sm::Sm;
pub use spec::SmSpec;
pub use values::{AtomicResult, HeapRefusal, Shard, StoreLog};

//! One multiprocessor: warp schedulers, dependences, divergence, pipes, load/store unit, shared memory, level-one
//! cache.
//!
//! [`Multiprocessor::run_until`] advances one multiprocessor alone, up to the end of an epoch. Nothing is polled: a
//! warp that cannot issue has a reason and, where it is known, a wake-up cycle; when no scheduler can issue, time
//! jumps to the next event and the skipped cycles are charged to each warp's reason.

mod block;
mod coalesce;
mod events;
mod execute;
mod fetch;
mod hazards;
mod launch;
mod log;
mod lsu;
mod multiprocessor;
mod overlay;
mod policy;
mod scheduler;
mod spec;
mod system;
mod warp;

pub use hazards::HazardTable;
pub use launch::{IssueInfo, LaunchSpec, MemoryClass};
pub use log::{AtomicResult, HeapRefusal, StoreLog};
pub use multiprocessor::{BlockEnd, BlockStart, Multiprocessor, WaitingWarp};
pub use spec::SmSpec;

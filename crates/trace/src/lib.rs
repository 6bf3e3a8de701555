//! What happened in a run: counters (integers only), the states of warps, events, and who watches them.

mod counters;
mod hazard;
mod instruction;
mod observer;
mod queue;
mod sample;
mod state;

pub use counters::{
    CacheCounters, CrossbarCounters, DramCounters, InstructionCounters, L1Counters, LaunchCounters,
    PartitionCounters, SchedulerCounters, SharedCounters, SmCounters, WARP_STATES,
};
pub use hazard::{Hazard, HazardKind, HazardPlace, Hazards, Shortfall};
pub use instruction::InstructionCounts;
pub use observer::{MemoryLevels, MemoryUse, NoObserver, Observer, StateInterval};
pub use queue::QueueCounters;
pub use sample::Sample;
pub use state::{StallReason, WarpState};

//! The memory system below the multiprocessors: coalesced requests in, replies out. Knows no warp and no instruction.
//!
//! A [`Partition`] is a DRAM channel with the level-two slices in front of it. Partitions know nothing of each other:
//! they advance in parallel, and the crossbar carries requests and replies between them and the multiprocessors at
//! the boundaries of epochs.

pub mod cache;
pub mod crossbar;
pub mod dram;
mod map;
pub mod message;
mod partition;
mod port;
mod slice;

pub use cache::{CacheShape, SectorCache};
pub use crossbar::Crossbar;
pub use map::AddressMap;
pub use message::{Reply, Request, RequestKind};
pub use partition::Partition;
pub use port::Port;

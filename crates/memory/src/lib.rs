//! The memory system below the SMs: coalesced requests in, replies out. Knows no warp and no instruction.
//!
//! A [`Partition`] is a DRAM channel with the L2 slices in front of it. Partitions know nothing of each other: they
//! advance in parallel, and requests and replies pass the [`ClusterPorts`] of the crossbar between them and the SMs at
//! the boundaries of epochs.
//!
//! Every unit is a specification, which is immutable and comes by reference, and a state, which is plain data: it can
//! be cloned, stored and restored at any moment.

pub mod cache;
pub mod crossbar;
pub mod dram;
mod fifo;
mod l2;
mod line_table;
mod map;
pub mod message;
mod partition;
mod port;
#[cfg(test)]
mod testing;

pub use cache::{Absent, CacheShape, CacheView, LineIndex, LineView, PoolShape, SectorCache, SetView};
pub use crossbar::{ClusterPorts, CrossbarSpec};
pub use dram::{ChannelView, DramAccessView};
pub use l2::{L2MshrView, RequestView, SliceView};
pub use line_table::LineTable;
pub use map::AddressMap;
pub use message::{Credit, HalfContent, HalfMessage, Line, Reply, Request, RequestKind};
pub use partition::{Partition, PartitionOutput, PartitionSpec, PartitionView};
pub use port::{Bandwidth, Port};

//! What the warps of an SM do to global memory in one epoch.

mod log;
mod overlay;

pub(crate) use log::GlobalView;
pub use log::{AtomicResult, HeapRefusal, Shard, StoreLog};
pub(crate) use overlay::Overlay;

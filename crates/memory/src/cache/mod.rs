//! Sector caches: tags and replacement, for the level-one and the level-two cache.

mod fingerprints;
mod pool;
mod replacement;
mod set_index;
mod tags;
mod way_bytes;

pub use pool::PoolShape;
pub(crate) use tags::Inserted;
pub use tags::{Absent, CacheShape, CacheView, LineIndex, LineView, SectorCache, SetView, Victim};

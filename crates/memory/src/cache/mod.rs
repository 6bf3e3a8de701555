//! Sector caches: tags and replacement, for the level-one and the level-two cache.

mod tags;

pub use tags::{CacheShape, LineIndex, SectorCache, Victim};

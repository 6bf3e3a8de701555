//! Instructions, a few at a time, on one warp.
#![allow(missing_docs, clippy::result_large_err)]

mod common;
mod computations;
mod floats;
mod integers;
mod matrices;
mod mbarriers;
mod memory;
mod sparse;
mod warpgroups;
mod warps;
mod waves;

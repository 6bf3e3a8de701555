//! Instructions, a few at a time, on one warp. One test binary: each compiles the whole of `step` anew.
#![allow(missing_docs, clippy::result_large_err)]

mod common;
mod floats;
mod integers;
mod memory;
mod warps;

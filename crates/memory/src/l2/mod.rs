//! The L2 cache: slices, each with its tags, its MSHRs and its port.

mod coalescer;
mod dirty;
mod inbox;
mod input;
mod link;
mod mshr;
mod partial;
mod slice;
mod turns;
mod writes;

pub(crate) use slice::{Asker, DramRequest, DramTakes, L2Spec, Slice, SliceOutput};
pub use slice::{L2MshrView, RequestView, SliceView};

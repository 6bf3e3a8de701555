//! The L2 cache: slices, each with its tags, its MSHRs and its port.

mod home;
mod mshr;
mod slice;

pub(crate) use slice::{DramRequest, L2Spec, Slice, SliceOutput};
pub use slice::{L2MshrView, SliceView};

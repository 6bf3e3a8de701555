//! What decoded instructions compute on all lanes of a warp.

pub(crate) mod alu;
pub(crate) mod atomics;
pub(crate) mod bulk;
pub(crate) mod byte;
pub(crate) mod calls;
pub(crate) mod common;
pub(crate) mod control;
pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod flow;
pub(crate) mod half;
pub(crate) mod lanes;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod memory;
pub(crate) mod mufu;
mod print_format;
mod print_number;
pub(crate) mod special;
pub(crate) mod system;
pub(crate) mod tensor;
pub(crate) mod vector;
pub(crate) mod warpgroup;
pub(crate) mod warpwide;

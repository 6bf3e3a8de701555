//! What a program changes while it runs: registers and paths of a warp, shared memory and barriers of a block, device
//! memory, the heap, what is printed. All of it can be cloned, stored and restored.

pub(crate) mod barriers;
pub(crate) mod heap;
pub(crate) mod image;
pub(crate) mod mbarrier;
pub(crate) mod paths;
pub(crate) mod printed;
pub(crate) mod register_pool;
pub(crate) mod registers;
pub(crate) mod shared;
pub(crate) mod warp;
mod yields;

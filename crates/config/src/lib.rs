//! RON to validated machine and launch descriptions.

pub mod gpu;
mod load;

pub use gpu::{GpuConfig, TICKS_PER_CYCLE, Ticks};
pub use load::load_gpu;

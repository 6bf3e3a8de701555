//! RON to validated machine and launch descriptions.

pub mod gpu;

pub use gpu::{GpuConfig, TICKS_PER_CYCLE, Ticks};

//! RON to validated machine and launch descriptions.

pub mod gpu;
mod load;

<<<<<<< HEAD
pub use gpu::{GpuConfig, TICKS_PER_CYCLE, Ticks};
=======
pub use gpu::GpuConfig;
pub use load::load_gpu;
>>>>>>> config

//! RON to validated machine and launch descriptions.

pub mod gpu;
mod load;

pub use gpu::GpuConfig;
pub use load::load_gpu;

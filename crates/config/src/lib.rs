//! RON to validated machine and launch descriptions.
//!
//! [`load_gpu`] and [`load_launch`] read a text in three steps and report every fault of a step at once, with its
//! place: syntax ([`ron_tree`]), form (fields, types and ranges, against the JSON schema of the Rust types), meaning
//! ([`validate_gpu`], [`validate_launch`]). Files are opened by the caller.

mod check;
pub mod gpu;
pub mod launch;
mod load;
pub mod occupancy;
mod overrides;
pub mod ron_tree;
mod schema;
mod validate_gpu;
mod validate_launch;

pub use gpu::{GpuConfig, TICKS_PER_CYCLE, Ticks};
pub use launch::{Launch, parse_argument};
pub use load::{check_form, load_gpu, load_launch};
pub use occupancy::{KernelResources, Occupancy, occupancy};
pub use overrides::apply_override;
pub use schema::{Kind, schema};
pub use validate_gpu::validate_gpu;
pub use validate_launch::validate_launch;

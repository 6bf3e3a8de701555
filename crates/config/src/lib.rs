//! RON to validated descriptions of machines, launches, experiments and labs.
//!
//! [`load_gpu`], [`load_launch`], [`load_experiment`] and [`load_lab`] read a text in three steps and report every fault
//! of a step at once, with its place: syntax ([`ron_tree`]), form (fields, types and ranges, against the JSON schema of
//! the Rust types), meaning (`validate_gpu.rs` and its neighbours). Files are opened by the caller.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

#[macro_use]
mod text_form;

mod check;
mod course;
pub mod experiment;
mod expression;
pub mod gpu;
pub mod lab;
pub mod launch;
mod load;
pub mod occupancy;
mod overrides;
pub mod ron_tree;
mod ron_value;
mod schema;
mod validate_experiment;
mod validate_gpu;
mod validate_lab;
mod validate_launch;
mod write;

pub use course::{Course, CourseRow};
pub use experiment::Experiment;
pub use expression::{Operator, WholeFunction};
pub use gpu::{GpuConfig, TICKS_PER_CYCLE, Ticks};
pub use lab::Lab;
pub use launch::{Launch, parse_argument};
pub use load::{load_course, load_experiment, load_gpu, load_lab, load_launch};
pub use occupancy::{KernelResources, Occupancy, occupancy};
pub use overrides::apply_override;
pub use schema::{DescriptionKind, schema};
pub use write::write_gpu;

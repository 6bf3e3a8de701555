//! Counters to named metrics, sections and verdicts.
//!
//! There is one registry, [`SECTIONS`]: each [`Metric`] has the id and label that Nsight Compute gives it, a unit, a
//! formula in words, a description in our own words, and a function from the counters of a launch to its value.
//! [`evaluate`] fills every section; [`verdicts`] says what the numbers mean; [`identities`] checks that the counters
//! agree with each other; [`correlation`] compares with what hardware measured.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod comparison;
mod context;
pub mod correlation;
mod evaluate;
mod format;
mod identities;
mod memory_chart;
mod metric;
mod peaks;
mod registry;
mod roofline;
mod sections;
#[cfg(test)]
pub(crate) mod test_launch;
mod value;
mod verdicts;

pub use comparison::{Comparison, Difference, Factor, Measured, StateChange, compare};
pub use context::{Context, LaunchInfo};
pub use evaluate::{MetricRow, SectionValues, evaluate};
pub use format::{group_thousands, integer_text, real_text, whole_number};
pub use identities::identities;
pub use memory_chart::{Flow, MemoryChart, Unit as MemoryUnit, memory_chart};
pub use metric::{Metric, Section};
pub use registry::{SECTIONS, find_section, metrics};
pub use roofline::{Ceiling, MemoryRoof, Roofline, rooflines};
pub use value::{Unit, Value};
pub use verdicts::{Verdict, VerdictKind, most_promising, verdicts};

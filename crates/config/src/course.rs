//! The rows of the course: `configs/course/rows.ron`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every table and worked number of the course, each with the experiment that reproduces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Course {
    /// The rows, in the order of the course.
    pub rows: Vec<CourseRow>,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CourseRow {
    /// The name that a person types.
    pub id: String,
    /// The text that it comes from.
    pub source: String,
    /// What it shows.
    pub what: String,
    /// The experiments, paths relative to this file.
    pub experiments: Vec<String>,
    /// Seconds of one core that all its points take, as measured.
    #[serde(default)]
    pub seconds: u32,
}

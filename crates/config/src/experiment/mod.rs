//! The description of an experiment: `configs/experiments/*.ron`.
//!
//! An experiment is a set of points, one for every combination of the values of its axes. Each point has settings (a
//! launch, a machine, the resources of a kernel, ...), filled from the axes; what is measured there becomes columns;
//! columns are compared with references and plotted.

mod evaluate;
mod expression;
mod settings;
mod template;

pub use crate::expression::Mention;
pub use evaluate::{Columns, ExperimentPoint};
pub use expression::Expression;
pub use settings::{Setting, setting};
pub use template::{Piece, Template};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// A sweep over launches, machines or calculations, and what must come out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// What is looked at, in a few words.
    pub title: String,
    /// Where it comes from.
    pub source: String,
    /// Why the numbers are as they are, in a sentence.
    pub why: String,
    /// What is done at every point.
    pub kind: ExperimentKind,
    /// Numbers with a name: {"log_n": 24}.
    #[serde(default)]
    pub constants: BTreeMap<String, f64>,
    /// Other values of constants for the source's own size.
    #[serde(default)]
    pub full: BTreeMap<String, f64>,
    /// What is varied. There is a point for every combination of values.
    #[serde(default)]
    pub axes: Vec<Axis>,
    /// The settings of a point; texts in curly brackets are expressions of axes and constants.
    #[serde(default)]
    pub set: BTreeMap<String, Template>,
    /// What is computed from what was measured.
    pub columns: Vec<Column>,
    /// The point that ratios refer to: values of some axes; the other axes stay as they are.
    #[serde(default)]
    pub base: BTreeMap<String, AxisValue>,
    /// What the columns are compared with.
    #[serde(default)]
    pub references: Vec<Reference>,
    /// What the text says of the table, each sentence with the condition that checks it.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// Pictures.
    #[serde(default)]
    pub plots: Vec<Plot>,
    /// Texts that are shown beside the table.
    #[serde(default)]
    pub show: Vec<Shown>,
    /// What else a reader must know: scaled sizes, contradictions of the source.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What is done at every point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExperimentKind {
    /// A kernel is simulated.
    Launch,
    /// The blocks and warps that fit on a multiprocessor are counted.
    Occupancy,
    /// Nothing: the columns are formulas of axes, constants and the machine.
    Formula,
    /// A DRAM channel answers a stream of requests.
    Dram,
    /// A number of things go round through a queue.
    Queue,
}

impl ExperimentKind {
    /// The name in descriptions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ExperimentKind::Launch => "launch",
            ExperimentKind::Occupancy => "occupancy",
            ExperimentKind::Formula => "formula",
            ExperimentKind::Dram => "dram",
            ExperimentKind::Queue => "queue",
        }
    }
}

/// One thing that is varied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Its name in expressions and tables.
    pub name: String,
    /// The unit of its values.
    #[serde(default)]
    pub unit: String,
    /// Its head in tables and its label in plots; the name if not given.
    #[serde(default)]
    pub label: Option<String>,
    /// Its values: numbers or texts.
    pub values: Vec<AxisValue>,
    /// What tables and plots show for each value; the value itself if not given.
    #[serde(default)]
    pub labels: Vec<String>,
    /// What goes along with each value: lists as long as `values`, by name.
    #[serde(default)]
    pub with: BTreeMap<String, Vec<AxisValue>>,
}

impl Axis {
    /// The head in tables, without the unit.
    #[must_use]
    pub fn head(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }

    /// What a table shows for a value.
    #[must_use]
    pub fn shown(&self, value: &AxisValue) -> String {
        let place = self.values.iter().position(|known| known == value);
        place.and_then(|place| self.labels.get(place)).cloned().unwrap_or_else(|| value.to_string())
    }
}

/// A value of an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum AxisValue {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl fmt::Display for AxisValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AxisValue::Number(number) => write!(f, "{number}"),
            AxisValue::Text(text) => f.write_str(text),
        }
    }
}

impl Serialize for AxisValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            AxisValue::Number(number) => serializer.serialize_f64(*number),
            AxisValue::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for AxisValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AxisValue, D::Error> {
        struct ValueVisitor;
        impl Visitor<'_> for ValueVisitor {
            type Value = AxisValue;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a text in quotes")
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<AxisValue, E> {
                Ok(AxisValue::Number(number as f64))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<AxisValue, E> {
                Ok(AxisValue::Number(number as f64))
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<AxisValue, E> {
                Ok(AxisValue::Number(number))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<AxisValue, E> {
                Ok(AxisValue::Text(text.to_owned()))
            }
        }
        deserializer.deserialize_any(ValueVisitor)
    }
}

impl JsonSchema for AxisValue {
    fn schema_name() -> Cow<'static, str> {
        "AxisValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number, or a text in quotes.",
            "anyOf": [{"type": "number"}, {"type": "string"}],
        })
    }
}

/// One number of every point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name in expressions of later columns, references and plots.
    pub name: String,
    /// Its head in tables and its label in plots; the name if not given.
    #[serde(default)]
    pub label: Option<String>,
    /// Its unit.
    #[serde(default)]
    pub unit: String,
    /// What it is: "{sm__cycles_elapsed.max} / cycles_a_block".
    pub of: Expression,
    /// Digits after the point; whole numbers without, others with two if not given.
    #[serde(default)]
    #[schemars(range(max = 12))]
    pub digits: Option<u8>,
    /// Whether it is only for other columns.
    #[serde(default)]
    pub hidden: bool,
}

impl Column {
    /// The head in tables, without the unit.
    #[must_use]
    pub fn head(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

/// What a column is compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// The column.
    pub column: String,
    /// Whose numbers these are, as the head of a column: "source", "H200".
    pub from: String,
    /// The numbers.
    pub values: Values,
    /// Only the points with these values of axes.
    #[serde(default)]
    pub at: BTreeMap<String, Vec<AxisValue>>,
    /// How near the column must be.
    pub bound: Bound,
    /// Why the bound is missed, where the fault is the source's. "{name}" stands for that column at the points compared.
    #[serde(default)]
    pub known: Option<String>,
    /// Why the bound is missed, where the fault is the simulator's: the cause, and the counter that shows it. "{name}"
    /// stands for that column at the points compared.
    #[serde(default)]
    pub deviates: Option<String>,
}

impl Reference {
    /// Whether it is said why the bound is missed.
    #[must_use]
    pub fn has_reason(&self) -> bool {
        self.known.is_some() || self.deviates.is_some()
    }
}

/// A part of a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasonPart<'a> {
    /// Words.
    Text(&'a str),
    /// The numbers of a column.
    Column(&'a str),
}

/// A reason in its parts: names in curly brackets are columns.
#[must_use]
pub fn reason_parts(reason: &str) -> Vec<ReasonPart<'_>> {
    let mut parts = Vec::new();
    let mut rest = reason;
    while let Some((text, (name, after))) =
        rest.split_once('{').and_then(|(text, inside)| Some((text, inside.split_once('}')?)))
    {
        parts.extend([ReasonPart::Text(text), ReasonPart::Column(name)]);
        rest = after;
    }
    parts.push(ReasonPart::Text(rest));
    parts
}

/// A sentence about the table, and when it is true.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The sentence.
    pub says: String,
    /// A condition on columns, axes and constants; true unless it is 0.
    pub holds: Expression,
    /// Only the points with these values of axes; at least one must have them.
    #[serde(default)]
    pub at: BTreeMap<String, Vec<AxisValue>>,
    /// Why it is not so in the simulator: the cause, and the counter that shows it. "{name}" stands for that column.
    #[serde(default)]
    pub deviates: Option<String>,
}

/// The numbers of a reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Values {
    /// One for every point, in order; None where there is none.
    List(Vec<Option<f64>>),
    /// An expression of axes and constants.
    Formula(Expression),
    /// An expression of the metrics that the profiler measured for the point's case.
    Measured(Expression),
}

/// How near a column must be to its reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Equal.
    Exact,
    /// Equal when rounded to so many digits after the point.
    Digits(u8),
    /// At most so many per cent away.
    Within(f64),
    /// At most so much away, in the unit of the column: percentage points of a share.
    Points(f64),
    /// The ratio to the base point is at most so many per cent away from the reference's.
    Ratios(f64),
    /// Any two points whose references differ by more than so many per cent come in the same order.
    Order(f64),
    /// Below the reference.
    Below,
    /// Above the reference.
    Above,
    /// Shown, not judged.
    Shown,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// What kind of picture.
    pub kind: PlotKind,
    /// Its title; that of the experiment if not given.
    #[serde(default)]
    pub title: Option<String>,
    /// What runs to the right: an axis or a column.
    pub x: String,
    /// What runs upwards: a column.
    pub y: String,
    /// The axis whose values are lines or bars of their own.
    #[serde(default)]
    pub series: Option<String>,
    /// Only the points with these values of axes.
    #[serde(default)]
    pub at: BTreeMap<String, Vec<AxisValue>>,
    /// The two straight lines that bound a kernel, over the whole axis.
    #[serde(default)]
    pub roof: Option<PlotRoof>,
    /// Whether x is logarithmic; if not given, where its values span two decades.
    #[serde(default)]
    pub log_x: Option<bool>,
    /// Whether y is logarithmic; if not given, where its values span two decades.
    #[serde(default)]
    pub log_y: Option<bool>,
}

/// A roof: y is at most `slope` times x and at most `peak`. Both are columns with the same value at every point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlotRoof {
    /// Its name in the legend.
    pub name: String,
    /// The column with the most that y can be.
    pub peak: String,
    /// The column with the most that y can be for each unit of x.
    pub slope: String,
}

/// A kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlotKind {
    /// Points joined by lines.
    Line,
    /// Bars.
    Bar,
}

/// A text beside the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// The instructions of the first multiprocessor with their cycles, counted from the first load.
    Schedule,
    /// What the warps of the first multiprocessor did, a letter per cycle.
    Timeline,
    /// The steps of a calculation.
    Steps,
    /// When each burst was on the data bus.
    Bursts,
}

impl Shown {
    /// The name in descriptions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Shown::Schedule => "schedule",
            Shown::Timeline => "timeline",
            Shown::Steps => "steps",
            Shown::Bursts => "bursts",
        }
    }
}

//! The description of a lab: `configs/labs/*/lab.ron`.

use crate::launch::Dimensions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The worksheet in a student's folder.
pub const WORKSHEET: &str = "worksheet.ron";

/// What a student has predicted wrongly so far, in the student's folder.
pub const TRIES: &str = "tries.json";

/// Why a student's copy of a program cannot have this name; nothing if it can.
#[must_use]
pub(crate) fn wrong_copy(name: &str) -> Option<String> {
    let plain = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
    if name.eq_ignore_ascii_case(WORKSHEET) {
        Some(format!("a copy named '{name}' would stand in the place of the worksheet"))
    } else if name.eq_ignore_ascii_case(TRIES) {
        Some(format!("a copy named '{name}' would stand in the place of the list of tries"))
    } else if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        Some(format!("'{name}' is not the name of a file in the student's folder"))
    } else {
        None
    }
}

/// One lab: launches, what a student predicts of them and changes in them, and what must hold then. Paths are relative
/// to this file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lab {
    /// The title.
    pub title: String,
    /// The text for the student: a Markdown file.
    pub text: String,
    /// The launches by name.
    pub runs: BTreeMap<String, LabRun>,
    /// What the student predicts before anything runs.
    #[serde(default)]
    pub predictions: Vec<Prediction>,
    /// What the student chooses.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// What must hold with the student's changes.
    #[serde(default)]
    pub checks: Vec<MetricCheck>,
    /// The runs whose timelines are shown under each other.
    #[serde(default)]
    pub timelines: Vec<ShownTimeline>,
}

/// One launch of a lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LabRun {
    /// The launch: a file like those of `configs/launches`.
    pub launch: String,
    /// The kernel, instead of the launch's.
    #[serde(default)]
    pub kernel: Option<String>,
    /// Blocks along x, y and z, instead of the launch's.
    #[serde(default)]
    pub grid: Option<Dimensions>,
    /// Warps of a block, instead of the launch's block.
    #[serde(default)]
    #[schemars(range(min = 1, max = 32))]
    pub warps: Option<u32>,
    /// Arguments instead of the launch's, by their number from 0: {"2": "u32:33"}.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
    /// Changes of the machine, after those of the launch.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// Passes of the compiler that are left out.
    #[serde(default)]
    pub without: Vec<String>,
    /// The student's copy of the program, by this name, runs instead of the launch's own. The name of a file: letters,
    /// digits, `.`, `_`, `-`; no folder.
    #[serde(default)]
    pub copy: Option<String>,
}

/// A question that is answered before anything runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prediction {
    /// Its name in the worksheet.
    pub id: String,
    /// The question.
    pub question: String,
    /// Where the right answer comes from.
    pub answer: Answer,
    /// Hints for wrong answers: the first whose condition holds is given.
    #[serde(default)]
    pub hints: Vec<Hint>,
    /// The hint for every other wrong answer.
    pub otherwise: String,
}

/// Where the right answer of a question comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// A number: right if |predicted - simulated| <= absolute + relative * |simulated|, or if it is more than simulated
    /// by at most `more`.
    Number {
        /// The run.
        run: String,
        /// The run whose number it is divided by, for "how many times".
        #[serde(default)]
        to: Option<String>,
        /// What is measured.
        of: Measure,
        /// The relative tolerance.
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        relative: f64,
        /// The absolute tolerance.
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        absolute: f64,
        /// How much more than simulated is right, too.
        #[serde(default)]
        #[schemars(range(min = 0.0))]
        more: f64,
    },
    /// The name of the run with the least; of equal ones, each is right.
    Least {
        /// What is measured.
        of: Measure,
        /// The runs.
        runs: Vec<String>,
    },
    /// The name of the run with the most; of equal ones, each is right.
    Most {
        /// What is measured.
        of: Measure,
        /// The runs.
        runs: Vec<String>,
    },
}

impl Answer {
    /// The runs that are measured.
    #[must_use]
    pub fn runs(&self) -> Vec<&str> {
        match self {
            Answer::Number { run, to, .. } => [run].into_iter().chain(to).map(String::as_str).collect(),
            Answer::Least { runs, .. } | Answer::Most { runs, .. } => {
                runs.iter().map(String::as_str).collect()
            }
        }
    }

    /// What is measured of them.
    #[must_use]
    pub fn measure(&self) -> &Measure {
        let (Answer::Number { of, .. } | Answer::Least { of, .. } | Answer::Most { of, .. }) = self;
        of
    }
}

/// What is measured of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Measure {
    /// A metric by its id, in base units.
    Metric(String),
    /// Cycles on the first multiprocessor from the first issue of one machine instruction to the last of another.
    Span {
        /// The first, for example "LDG".
        from: String,
        /// The last, for example "STG".
        to: String,
    },
    /// Mean cycles between two issues of a machine instruction by the first warp.
    Interval(String),
    /// How often the first multiprocessor issued an instruction of another warp than before.
    Switches,
    /// Warps of a block.
    Warps,
}

/// A hint for a wrong answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hint {
    /// For which answers.
    pub when: Condition,
    /// What it says: a way to the answer, not the answer.
    pub say: String,
}

/// A condition on an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// A number below this.
    Below(f64),
    /// A number above this.
    Above(f64),
    /// A number from the first to the second.
    Between(f64, f64),
    /// This name.
    Is(String),
}

/// What the student chooses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Its name in the worksheet.
    pub id: String,
    /// What is asked for.
    pub question: String,
    /// The run that is changed.
    pub run: String,
    /// What of it.
    pub sets: Setting,
    /// The least number that is possible.
    #[serde(default)]
    pub least: u32,
    /// The most that is possible.
    #[serde(default = "largest")]
    pub most: u32,
}

fn largest() -> u32 {
    u32::MAX
}

/// What a student may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Setting {
    /// Warps of a block.
    Warps,
    /// This argument of the kernel, counted from 0: a u32.
    Argument(u32),
    /// Bytes of dynamic shared memory of a block.
    SharedBytes,
    /// The warp scheduler: the name of a policy, or a formula.
    Scheduler,
}

/// A condition on a run with the student's changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricCheck {
    /// What must hold, in words.
    pub text: String,
    /// The run.
    pub run: String,
    /// The run whose number it is divided by, for "how many times".
    #[serde(default)]
    pub to: Option<String>,
    /// What is measured.
    pub of: Measure,
    /// It must be at least this.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// It must be at most this.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// Hints for wrong values: the first whose condition holds is given.
    #[serde(default)]
    pub hints: Vec<Hint>,
    /// The hint for every other wrong value.
    pub otherwise: String,
}

/// A part of a timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownTimeline {
    /// The run.
    pub run: String,
    /// The cycles from the first that is recorded.
    pub cycles: u64,
}

//! What can be asked.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What can be asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Adds files by their paths, which are relative to `configs`.
    Files {
        /// Texts by path.
        files: BTreeMap<String, String>,
    },
    /// What there is: machines, schedulers, launches, labs.
    Catalogue,
    /// The texts that a set-up is made of, with its changes.
    Texts {
        /// The set-up.
        setup: SetUp,
    },
    /// Every fault of a text.
    Check {
        /// The path of the text.
        path: String,
        /// What it says.
        text: String,
        /// The machine that a program is compiled for.
        gpu: Option<String>,
    },
    /// Runs a set-up to its end: the document of the page, and what its results are worth.
    Run {
        /// The set-up.
        setup: SetUp,
    },
    /// Begins to step a set-up: what does not change of its devices.
    Begin {
        /// The set-up.
        setup: SetUp,
    },
    /// Goes somewhere: what is seen there.
    Go {
        /// Where to.
        to: To,
        /// The device on which it is sought.
        of: usize,
        /// What is to be seen.
        look: Look,
    },
    /// What is seen at the present cycle.
    Look {
        /// What is to be seen.
        look: Look,
    },
    /// What a stepped device has counted up to the present cycle: a document of the page.
    SoFar {
        /// The device.
        of: usize,
    },
    /// The text and the questions of a lab.
    Lab {
        /// Its name.
        name: String,
    },
    /// Holds answers against a lab.
    CheckLab {
        /// The lab.
        name: String,
        /// Predictions by name: numbers, or names of runs.
        predictions: BTreeMap<String, Value>,
        /// Choices by name: numbers, or schedulers.
        changes: BTreeMap<String, Value>,
        /// The student's programs by name.
        copies: BTreeMap<String, String>,
        /// Whether what was simulated is told of wrong answers, too.
        reveal: bool,
    },
}

/// A launch, the machine it runs on, and what a person has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetUp {
    /// The path of the launch.
    pub launch: String,
    /// The machine, instead of the launch's.
    #[serde(default)]
    pub gpu: Option<String>,
    /// The warp scheduler, instead of the machine's.
    #[serde(default)]
    pub scheduler: Option<String>,
    /// Another scheduler, which runs beside it.
    #[serde(default)]
    pub beside: Option<String>,
    /// Other changes of the machine, `PATH=VALUE`.
    #[serde(default)]
    pub set: Vec<String>,
    /// Changed texts by path.
    #[serde(default)]
    pub edits: BTreeMap<String, String>,
    /// The multiprocessor that is recorded.
    #[serde(default)]
    pub sm: u16,
}

/// Where to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum To {
    /// So many cycles forwards.
    Forward(u64),
    /// So many cycles backwards.
    Back(u64),
    /// This cycle.
    Cycle(u64),
    /// The next change of state of a warp slot, or of any.
    Change(Option<u8>),
    /// The next issue of a line of the program's text.
    Line(u32),
    /// The next issue of a line of a file of the high-level source.
    Source {
        /// The file, as the program counts them.
        file: u16,
        /// The line, from 1.
        line: u32,
    },
    /// The next issue of a machine instruction.
    Instruction(u32),
    /// The end of the last launch.
    End,
}

/// What is to be seen of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// The multiprocessor.
    pub sm: u16,
    /// The warp slot whose registers are seen.
    pub slot: Option<u8>,
    /// The lane.
    pub lane: usize,
    /// The memory partition.
    pub partition: Option<u16>,
    /// The first set of the caches.
    pub first_set: usize,
    /// Sets at most.
    pub sets: usize,
}

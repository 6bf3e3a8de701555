//! The settings that a point of each kind of experiment can have.

use super::ExperimentKind;
use crate::check::{allowed, schema_at};
use crate::schema::{DescriptionKind, schema};

/// What a setting changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting<'a> {
    /// Something with a name of its own, such as `block`.
    Named(&'a str),
    /// A value of the machine: its path.
    Machine(&'a str),
    /// An argument of the kernel: its number from 0.
    Argument(usize),
    /// The size of a buffer: its name.
    BufferSize(&'a str),
}

const LAUNCH: [&str; 17] = [
    "launch",
    "suite",
    "case",
    "program",
    "kernel",
    "grid",
    "block",
    "cluster",
    "dynamic_shared_bytes",
    "argument.N",
    "buffer.NAME.size",
    "scheduler",
    "passes",
    "fmad",
    "max_cycles",
    "watch",
    "word",
];
const OCCUPANCY: [&str; 5] = ["block", "registers", "shared", "dynamic", "scalar"];
const DRAM: [&str; 4] = ["pattern", "requests", "rows", "seed"];
const QUEUE: [&str; 4] = ["in_flight", "units_per_cycle", "units", "latency"];

fn named(kind: ExperimentKind) -> &'static [&'static str] {
    match kind {
        ExperimentKind::Launch => &LAUNCH,
        ExperimentKind::Occupancy => &OCCUPANCY,
        ExperimentKind::Formula => &[],
        ExperimentKind::Dram => &DRAM,
        ExperimentKind::Queue => &QUEUE,
    }
}

/// What a setting of an experiment changes.
///
/// # Errors
/// That there is no such setting, and which there are.
pub fn setting(kind: ExperimentKind, name: &str) -> Result<Setting<'_>, (String, String)> {
    if name == "gpu" || named(kind).iter().any(|known| *known == name && !known.contains('.')) {
        return Ok(Setting::Named(name));
    }
    if let Some(path) = name.strip_prefix("gpu.") {
        let names: Vec<&str> = path.split('.').collect();
        return match schema_at(schema(DescriptionKind::Gpu), &names) {
            Ok(_) => Ok(Setting::Machine(path)),
            Err((depth, known)) => {
                let help = allowed(names.get(depth).copied(), &known);
                Err((format!("no machine has '{path}'"), help))
            }
        };
    }
    if kind == ExperimentKind::Launch {
        if let Some(number) = name.strip_prefix("argument.").and_then(|number| number.parse().ok()) {
            return Ok(Setting::Argument(number));
        }
        if let Some(buffer) = name.strip_prefix("buffer.").and_then(|rest| rest.strip_suffix(".size")) {
            return Ok(Setting::BufferSize(buffer));
        }
    }
    let known: Vec<&str> = ["gpu", "gpu.PATH"].iter().chain(named(kind)).copied().collect();
    Err((format!("a point of kind {} has no setting '{name}'", kind.name()), allowed(Some(name), &known)))
}

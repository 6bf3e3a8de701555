//! `warplab config check FILE`, `warplab config show MACHINE` and `warplab config schema KIND`.

use crate::arguments::SchemaKind;
use crate::failure::{Failure, Outcome};
use crate::terminal::Terminal;
use crate::{machines, sources};
use std::path::Path;
use warplab_config::{DescriptionKind, load_course, load_gpu, load_lab, load_launch};
use warplab_diagnostics::{Diagnostic, Source, Span};
use warplab_lab::experiment;
use warplab_run::Fault;

/// Reports every fault of a machine or a launch.
pub(crate) fn check(file: &Path, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let source = sources::read(file)?;
    check_source(&source, terminal)
}

/// Reports every fault of the text of a machine or a launch.
pub(crate) fn check_source(source: &Source, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    match summary(source) {
        Ok(text) => {
            terminal.print(&format!("{}: {text}\n", source.name))?;
            Ok(Outcome::Fine)
        }
        Err(faults) => {
            terminal.diagnostics(source, &faults);
            Ok(Outcome::Failed)
        }
    }
}

fn summary(source: &Source) -> Result<String, Vec<Diagnostic>> {
    Ok(match DescriptionKind::of(&source.text) {
        DescriptionKind::Gpu => format!("a machine, {}", load_gpu(source)?.name),
        DescriptionKind::Launch => format!("a launch of {}", load_launch(source)?.kernel),
        DescriptionKind::Experiment => {
            let loaded = experiment::load(source).map_err(|fault| match fault {
                Fault::Diagnostics(_, faults) => faults,
                other => vec![Diagnostic::error(Span::new(0, 0), other.to_string())],
            })?;
            format!("an experiment of {} points, {}", loaded.points(false).len(), loaded.title)
        }
        DescriptionKind::Course => format!("a course of {} rows", load_course(source)?.rows.len()),
        DescriptionKind::Lab => format!("a lab, {}", load_lab(source)?.title),
    })
}

/// Prints a machine as RON, with changes `PATH=VALUE`.
pub(crate) fn show(machine: &str, changes: &[String], terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let config = machines::load(machine, changes)?;
    let text = warplab_config::write_gpu(&config);
    let text = text.map_err(|error| Failure::Output(format!("the machine cannot be written: {error}")))?;
    terminal.print(&text)?;
    Ok(Outcome::Fine)
}

/// Prints the JSON schema of a kind of description.
pub(crate) fn schema(kind: SchemaKind, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let kind = match kind {
        SchemaKind::Gpu => DescriptionKind::Gpu,
        SchemaKind::Launch => DescriptionKind::Launch,
        SchemaKind::Experiment => DescriptionKind::Experiment,
        SchemaKind::Course => DescriptionKind::Course,
        SchemaKind::Lab => DescriptionKind::Lab,
    };
    let text = serde_json::to_string_pretty(warplab_config::schema(kind));
    let text = text.map_err(|error| Failure::Output(format!("the schema cannot be written: {error}")))?;
    terminal.print(&(text + "\n"))?;
    Ok(Outcome::Fine)
}

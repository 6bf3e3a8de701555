//! From text to validated descriptions.

use crate::ron_tree::{Node, parse};
use crate::schema::{DescriptionKind, FORMATS, schema};
use crate::validate_experiment::validate_experiment;
use crate::validate_gpu::validate_gpu;
use crate::validate_lab::validate_lab;
use crate::validate_launch::validate_launch;
use crate::{Course, Experiment, GpuConfig, Lab, Launch, check, ron_value};
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use warplab_diagnostics::{Diagnostic, Source};

/// Reads a machine; every fault of the text at once.
///
/// # Errors
/// The faults, if there is at least one error.
pub fn load_gpu(source: &Source) -> Result<GpuConfig, Vec<Diagnostic>> {
    let (tree, gpu) = load(source, DescriptionKind::Gpu)?;
    fail_on_errors(validate_gpu(&gpu, &tree)).map(|()| gpu)
}

/// Reads a launch; every fault of the text at once.
///
/// # Errors
/// The faults, if there is at least one error.
pub fn load_launch(source: &Source) -> Result<Launch, Vec<Diagnostic>> {
    let (tree, launch) = load(source, DescriptionKind::Launch)?;
    fail_on_errors(validate_launch(&launch, &tree)).map(|()| launch)
}

/// Reads an experiment; every fault of the text at once.
///
/// # Errors
/// The faults, if there is at least one error.
pub fn load_experiment(source: &Source) -> Result<Experiment, Vec<Diagnostic>> {
    let (tree, experiment) = load(source, DescriptionKind::Experiment)?;
    fail_on_errors(validate_experiment(&experiment, &tree)).map(|()| experiment)
}

/// Reads the rows of the course; every fault of the text at once.
///
/// # Errors
/// The faults, if there is at least one error.
pub fn load_course(source: &Source) -> Result<Course, Vec<Diagnostic>> {
    let (tree, course) = load::<Course>(source, DescriptionKind::Course)?;
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, row) in course.rows.iter().enumerate() {
        if !seen.insert(&row.id) {
            let span = tree.span_of(&format!("rows.{at}.id"));
            let fault = Diagnostic::error(span, format!("two rows are named '{}'", row.id));
            faults.push(fault.with_label("the second").with_help("give each row its own id"));
        }
    }
    fail_on_errors(faults).map(|()| course)
}

/// Reads a lab; every fault of the text at once.
///
/// # Errors
/// The faults, if there is at least one error.
pub fn load_lab(source: &Source) -> Result<Lab, Vec<Diagnostic>> {
    let (tree, lab) = load(source, DescriptionKind::Lab)?;
    fail_on_errors(validate_lab(&lab, &tree)).map(|()| lab)
}

/// The faults of form of a text: its syntax first; once that is right, its fields and values.
///
/// # Errors
/// The faults, if there are any.
pub(crate) fn check_form(source: &Source, kind: DescriptionKind) -> Result<Node, Vec<Diagnostic>> {
    let (tree, faults) = parse(&source.text);
    fail_on_errors(faults)?;
    fail_on_errors(check::check(&tree, schema(kind), FORMATS))?;
    Ok(tree)
}

fn load<T: DeserializeOwned>(source: &Source, kind: DescriptionKind) -> Result<(Node, T), Vec<Diagnostic>> {
    let tree = check_form(source, kind)?;
    let value = ron_value::value(&tree).map_err(|fault| vec![fault])?;
    Ok((tree, value))
}

fn fail_on_errors(faults: Vec<Diagnostic>) -> Result<(), Vec<Diagnostic>> {
    if faults.iter().any(Diagnostic::is_error) { Err(faults) } else { Ok(()) }
}

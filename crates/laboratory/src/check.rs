//! The faults of a text, as `warplab check` finds them.

use crate::answer::{TextFault, places};
use std::path::Path;
use warplab_config::{DescriptionKind, GpuConfig, load_course, load_gpu, load_lab, load_launch};
use warplab_diagnostics::{Diagnostic, Source, Span};
use warplab_lab::experiment;
use warplab_run::{Fault, check};

/// The faults of a text; a program is compiled for a machine.
pub(crate) fn faults(path: &str, text: &str, config: &GpuConfig) -> Vec<TextFault> {
    let source = Source::new(path, text);
    let found = if path.ends_with(".ron") {
        of_description(&source).err().unwrap_or_default()
    } else {
        check::report(Path::new(path), &source, config).shown
    };
    places(&source, &found)
}

fn of_description(source: &Source) -> Result<(), Vec<Diagnostic>> {
    match DescriptionKind::of(&source.text) {
        DescriptionKind::Gpu => load_gpu(source).map(drop),
        DescriptionKind::Launch => load_launch(source).map(drop),
        DescriptionKind::Course => load_course(source).map(drop),
        DescriptionKind::Lab => load_lab(source).map(drop),
        DescriptionKind::Experiment => experiment::load(source).map(drop).map_err(|fault| match fault {
            Fault::Diagnostics(_, faults) => faults,
            other => vec![Diagnostic::error(Span::new(0, 0), other.to_string())],
        }),
    }
}

//! The hardware references that the points of an experiment name, each read once.

use super::Host;
use crate::reference::{self, Case};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use warplab_diagnostics::{Source, nearest_name};
use warplab_run::Fault;

/// References by their path without extension.
#[derive(Debug, Default)]
pub(super) struct Suites {
    read: FxHashMap<PathBuf, Vec<Case>>,
}

impl Suites {
    /// A case of `SUITE.cases.jsonl`, with what `SUITE.metrics.csv` says of it.
    ///
    /// # Errors
    /// When a file cannot be read, or there is no such case.
    pub(super) fn case(&mut self, suite: &Path, name: &str, host: &Host<'_>) -> Result<&Case, Fault> {
        if !self.read.contains_key(suite) {
            let source = |extension: &str| -> Result<Source, Fault> {
                let path = suite.with_extension(extension);
                let bytes = (host.read)(&path)?;
                Ok(Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
            };
            let cases = reference::read(&source("cases.jsonl")?, &source("metrics.csv")?)?;
            self.read.insert(suite.to_owned(), cases);
        }
        let cases = self.read.get(suite).map_or(&[][..], Vec::as_slice);
        cases.iter().find(|case| case.name == name).ok_or_else(|| {
            let near = nearest_name(name, cases.iter().map(|case| case.name.as_str()));
            let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            Fault::input(format!("{} has no case '{name}'{near}", suite.display()))
        })
    }
}

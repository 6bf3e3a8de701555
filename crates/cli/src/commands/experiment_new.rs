//! `warplab experiment new`: the start of a person's own experiment.

use crate::commands::lab::write_all;
use crate::failure::{Failure, Outcome};
use crate::terminal::Terminal;
use std::path::Path;

const EXPERIMENT: &str = include_str!("../../templates/experiment.ron");
const LAUNCH: &str = include_str!("../../templates/lab/launch.ron");
const KERNEL: &str = include_str!("../../templates/lab/kernel.ptx");

/// Writes an experiment that runs as it is, and the launch and the kernel that it runs, beside each other.
pub(crate) fn new(file: &Path, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if stem.is_empty() || file.extension().is_none_or(|extension| extension != "ron") {
        return Err(Failure::input(format!("{} is no name of an experiment: FILE.ron", file.display())));
    }
    let (launch, kernel) = (format!("{stem}_launch.ron"), format!("{stem}.ptx"));
    let files = [
        (format!("{stem}.ron"), EXPERIMENT.replace("LAUNCH", &launch)),
        (launch, LAUNCH.replace("kernel.ptx", &kernel)),
        (kernel, KERNEL.to_owned()),
    ];
    write_all(file.parent().unwrap_or(Path::new("")), &files, terminal)?;
    terminal.print(&format!("Read it, then: warplab experiment {}\n", file.display()))?;
    Ok(Outcome::Fine)
}

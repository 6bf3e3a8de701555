//! `warplab config check FILE` and `warplab config schema gpu|launch|lab`.

use crate::arguments::SchemaKind;
use crate::failure::{Failure, Outcome};
use crate::sources;
use crate::terminal::Terminal;
use std::path::Path;
use warplab_config::{Kind, load_gpu, load_lab, load_launch};
use warplab_diagnostics::{Diagnostic, Source};

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
    Ok(match kind(source) {
        Kind::Gpu => format!("a machine, {}", load_gpu(source)?.name),
        Kind::Launch => format!("a launch of {}", load_launch(source)?.kernel),
        Kind::Lab => format!("a lab, {}", load_lab(source)?.title),
    })
}

/// What a description is about: only labs have runs, only launches a kernel.
fn kind(source: &Source) -> Kind {
    let (tree, _) = warplab_config::ron_tree::parse(&source.text);
    let has = |name: &str| tree.find(&[name]).is_some();
    if has("runs") {
        return Kind::Lab;
    }
    if has("kernel") || has("program") || has("grid") { Kind::Launch } else { Kind::Gpu }
}

/// Prints the JSON schema of a kind of description.
pub(crate) fn schema(kind: SchemaKind, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let kind = match kind {
        SchemaKind::Gpu => Kind::Gpu,
        SchemaKind::Launch => Kind::Launch,
        SchemaKind::Lab => Kind::Lab,
    };
    let text = serde_json::to_string_pretty(&warplab_config::schema(kind));
    let text = text.map_err(|error| Failure::Output(format!("the schema cannot be written: {error}")))?;
    terminal.print(&(text + "\n"))?;
    Ok(Outcome::Fine)
}

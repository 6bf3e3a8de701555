//! Where machines are found: a path, `configs/gpus` here or beside the program, or the built-in copies.

use crate::sources;
use std::env;
use std::path::{Path, PathBuf};
use warplab_config::{DescriptionKind, GpuConfig, apply_override, load_gpu};
use warplab_diagnostics::{Source, nearest_name};
use warplab_run::Fault;

/// The copies inside the program: name and text.
static BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/machines.rs"));

/// Where machines lie in a checkout.
const FOLDER: &str = "configs/gpus";

/// The machine of a launch that names none.
pub(crate) const DEFAULT: &str = "h200";

/// The names of all machines that can be found, sorted.
pub(crate) fn names() -> Vec<String> {
    let mut names: Vec<String> = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
    for folder in folders() {
        let Ok(entries) = folder.read_dir() else { continue };
        let files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        let named = files.filter(|path| sources::has_extension(path, "ron"));
        names.extend(
            named.filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned())),
        );
    }
    names.sort();
    names.dedup();
    names
}

/// The text of a machine by name or path.
pub(crate) fn source(name: &str) -> Result<Source, Fault> {
    let path = Path::new(name);
    if sources::has_extension(path, "ron") {
        return sources::read(path);
    }
    let file =
        folders().into_iter().map(|folder| folder.join(format!("{name}.ron"))).find(|path| path.is_file());
    if let Some(file) = file {
        return sources::read(&file);
    }
    if let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
        return Ok(Source::new(format!("{name}.ron (built in)"), *text));
    }
    let known = names();
    let near = nearest_name(name, known.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
    Err(Fault::input(format!(
        "unknown machine '{name}';{near} known: {}; or give the path of a .ron file",
        known.join(", ")
    )))
}

/// A machine by name or path, with changes `PATH=VALUE`.
pub(crate) fn load(name: &str, changes: &[String]) -> Result<GpuConfig, Fault> {
    let mut source = source(name)?;
    if !changes.is_empty() {
        // A change of a text with faults would report them at moved places.
        load_source(&source)?;
    }
    for change in changes {
        let assignment = Source::new("--set", change.as_str());
        source = apply_override(&source, DescriptionKind::Gpu, &assignment)
            .map_err(|faults| Fault::Diagnostics(assignment, faults))?;
    }
    load_source(&source)
}

fn load_source(source: &Source) -> Result<GpuConfig, Fault> {
    load_gpu(source).map_err(|faults| Fault::Diagnostics(source.clone(), faults))
}

/// The folders to look in for machines.
fn folders() -> Vec<PathBuf> {
    let folders = roots().into_iter().map(|root| root.join(FOLDER));
    folders.filter(|folder| folder.is_dir()).collect()
}

/// Where a checkout may be: the current directory, then every directory above the program.
pub(crate) fn roots() -> Vec<PathBuf> {
    let mut roots = vec![PathBuf::new()];
    if let Ok(program) = env::current_exe() {
        roots.extend(program.ancestors().skip(1).map(Path::to_path_buf));
    }
    roots
}

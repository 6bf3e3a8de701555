//! The files of the laboratory: paths relative to `configs`, and texts.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use warplab_config::{DescriptionKind, GpuConfig, apply_override, load_gpu};
use warplab_diagnostics::{Source, nearest_name};
use warplab_run::Fault;

/// The machine of a launch that names none.
pub(crate) const DEFAULT_MACHINE: &str = "h200";

/// Texts by path, and changes in front of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Files<'a> {
    pub(crate) all: &'a BTreeMap<String, String>,
    pub(crate) edits: &'a BTreeMap<String, String>,
}

impl<'a> Files<'a> {
    /// A text, if it is there.
    pub(crate) fn get(self, path: &str) -> Option<&'a str> {
        self.edits.get(path).or_else(|| self.all.get(path)).map(String::as_str)
    }

    /// A text with its name.
    pub(crate) fn source(self, path: &Path) -> Result<Source, Fault> {
        let path = plain(path);
        let text = self.get(&path).ok_or_else(|| Fault::input(format!("there is no file {path}")))?;
        Ok(Source::new(path, text))
    }

    /// The bytes of a file of a folder.
    pub(crate) fn bytes(self, folder: &Path, path: &Path) -> Result<Vec<u8>, Fault> {
        Ok(self.source(&folder.join(path))?.text.into_bytes())
    }

    /// The names of all machines.
    pub(crate) fn machines(self) -> Vec<&'a str> {
        let paths = self.all.keys();
        paths.filter_map(|path| path.strip_prefix("gpus/")?.strip_suffix(".ron")).collect()
    }

    /// A machine by name, with changes `PATH=VALUE`.
    pub(crate) fn machine(self, name: &str, changes: &[String]) -> Result<GpuConfig, Fault> {
        let known = self.machines();
        if !known.contains(&name) {
            let near = nearest_name(name, known.iter().copied());
            let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            return Err(Fault::input(format!("unknown machine '{name}'{near}; known: {}", known.join(", "))));
        }
        let mut source = self.source(Path::new(&format!("gpus/{name}.ron")))?;
        let load =
            |source: &Source| load_gpu(source).map_err(|faults| Fault::Diagnostics(source.clone(), faults));
        // A change of a text with faults would report them at moved places.
        let unchanged = load(&source)?;
        if changes.is_empty() {
            return Ok(unchanged);
        }
        for change in changes {
            let assignment = Source::new("the changes of the machine", change.as_str());
            source = apply_override(&source, DescriptionKind::Gpu, &assignment)
                .map_err(|faults| Fault::Diagnostics(assignment, faults))?;
        }
        load(&source)
    }
}

/// A path without `.` and `..`, with slashes.
pub(crate) fn plain(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::plain;
    use std::path::Path;

    #[test]
    fn a_path_is_followed_upwards() {
        assert_eq!(plain(Path::new("labs/3-dependences/../../kernels/./a.ptx")), "kernels/a.ptx");
    }
}

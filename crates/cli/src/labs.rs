//! Where labs are found: `configs/labs` here or beside the program, or the built-in copies.

use crate::failure::Failure;
use crate::sources;
use std::env;
use std::path::{Component, Path, PathBuf};
use warplab_diagnostics::nearest_name;
use warplab_run::Fault;

/// The copies inside the program: paths relative to `configs`, and texts.
static BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/labs.rs"));

/// Where labs lie in a checkout.
const FOLDER: &str = "configs/labs";

/// The description of a lab.
const DESCRIPTION: &str = "lab.ron";

/// Where one lab lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LabLocation {
    /// A folder of `configs/labs`, or one that a person named.
    Folder { name: String, path: PathBuf },
    /// Inside the program.
    BuiltIn { name: String },
}

impl LabLocation {
    /// The name of the lab: its number and a word.
    pub(crate) fn name(&self) -> &str {
        let (LabLocation::Folder { name, .. } | LabLocation::BuiltIn { name }) = self;
        name
    }

    /// A file of the lab, relative to its folder.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<u8>, Fault> {
        match self {
            LabLocation::Folder { path: folder, .. } => sources::for_lab(&folder.join(path)),
            LabLocation::BuiltIn { name } => {
                let wanted = plain(&Path::new("labs").join(name).join(path));
                let found = BUILT_IN.iter().find(|(known, _)| Path::new(known) == wanted);
                let missing = || Fault::input(format!("lab {name} has no file {}", path.display()));
                found.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(missing)
            }
        }
    }

    /// The number at the start of the name; labs without one come last.
    fn number(&self) -> u32 {
        number_and_word(self.name()).0.parse().unwrap_or(u32::MAX)
    }
}

/// All labs that can be found, in the order of their numbers.
pub(crate) fn all() -> Vec<LabLocation> {
    let mut places: Vec<LabLocation> = Vec::new();
    for folder in folders() {
        let Ok(entries) = folder.read_dir() else { continue };
        let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        places.extend(paths.filter(|path| path.join("lab.ron").is_file()).map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            LabLocation::Folder { name, path }
        }));
    }
    places.extend(BUILT_IN.iter().filter_map(|(path, _)| {
        let name = path.strip_prefix("labs/")?.strip_suffix("/lab.ron")?;
        Some(LabLocation::BuiltIn { name: name.to_owned() })
    }));
    // Stable: of two labs with the same name the nearer one stays first.
    places.sort_by(|a, b| (a.number(), a.name()).cmp(&(b.number(), b.name())));
    places.dedup_by(|later, earlier| later.name() == earlier.name());
    places
}

/// The lab that a person means: by its number, its word, or both, or by the path of its folder or description. A plain
/// name is one of `configs/labs` before it is a folder.
pub(crate) fn find(wanted: &str) -> Result<LabLocation, Failure> {
    if is_path(wanted)
        && let Some(found) = in_folder(wanted)
    {
        return Ok(found);
    }
    let all = all();
    let names: Vec<String> = all.iter().map(|place| place.name().to_owned()).collect();
    let found = all.into_iter().find(|place| {
        let (number, word) = number_and_word(place.name());
        [place.name(), number, word].contains(&wanted)
    });
    found.or_else(|| in_folder(wanted)).ok_or_else(|| {
        let near = nearest_name(wanted, names.iter().map(String::as_str));
        let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
        Failure::input(format!("unknown lab '{wanted}';{near} known: {}", names.join(", ")))
    })
}

/// Whether this can only be a path.
fn is_path(wanted: &str) -> bool {
    wanted.contains(['/', '\\']) || wanted.starts_with('.') || wanted == DESCRIPTION
}

/// The lab of a folder, or of the description in it.
fn in_folder(wanted: &str) -> Option<LabLocation> {
    let path = Path::new(wanted);
    let path = if path.ends_with(DESCRIPTION) { path.parent()? } else { path };
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let folder = || LabLocation::Folder { name: path.display().to_string(), path: path.to_owned() };
    path.join(DESCRIPTION).is_file().then(folder)
}

fn number_and_word(name: &str) -> (&str, &str) {
    name.split_once('-').unwrap_or(("", name))
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The folders to look in: of the current directory, then of every directory above the program.
fn folders() -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::from(FOLDER)];
    if let Ok(program) = env::current_exe() {
        folders.extend(program.ancestors().skip(1).map(|folder| folder.join(FOLDER)));
    }
    folders.retain(|folder| folder.is_dir());
    folders
}

#[cfg(test)]
mod tests {
    use super::{BUILT_IN, LabLocation, all};
    use std::path::Path;

    #[test]
    fn every_lab_of_the_checkout_is_inside_the_program() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/labs"));
        let mut expected: Vec<String> = folder
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        expected.sort();
        let mut built_in: Vec<String> = BUILT_IN
            .iter()
            .filter_map(|(path, _)| path.strip_prefix("labs/")?.strip_suffix("/lab.ron"))
            .map(str::to_owned)
            .collect();
        built_in.sort();
        assert_eq!(built_in, expected);
        assert_eq!(all().len(), expected.len());
    }

    #[test]
    fn no_solution_is_inside_the_program() {
        assert!(BUILT_IN.iter().all(|(path, _)| !path.contains("solution")));
    }

    #[test]
    fn a_path_out_of_a_built_in_lab_is_followed() {
        let lab = LabLocation::BuiltIn { name: "3-dependences".to_owned() };
        let text = lab.read(Path::new("../../kernels/issue_timeline.ptx")).unwrap();
        assert!(String::from_utf8(text).unwrap().contains(".entry one_element"));
    }
}

//! What was measured before: `benches/baseline.json`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use warplab_tests::project_file;

/// Everything that was measured, by name.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Baseline {
    pub(crate) speed: BTreeMap<String, Speed>,
    pub(crate) host_instructions: HostInstructions,
}

/// A launch.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Speed {
    pub(crate) warp_instructions: u64,
    pub(crate) warp_instructions_per_second: f64,
    pub(crate) peak_mib: Option<u64>,
}

/// What valgrind counted.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct HostInstructions {
    /// What the processor could do; counts with others are not compared.
    pub(crate) features: Vec<String>,
    /// By kind of work.
    pub(crate) per_warp_instruction: BTreeMap<String, f64>,
}

impl Baseline {
    /// Reads the file; nothing if there is none.
    pub(crate) fn read() -> Result<Baseline, String> {
        let path = path();
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                format!("{}: {error}; delete the file and --save a new one", path.display())
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Baseline::default()),
            Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
        }
    }

    /// Writes the file.
    pub(crate) fn write(&self) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        let path = path();
        fs::write(&path, text + "\n")
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))
    }
}

fn path() -> PathBuf {
    project_file("benches/baseline.json")
}

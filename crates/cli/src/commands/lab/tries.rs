//! What a student has predicted wrongly so far: a file of the student's folder.

use crate::failure::Failure;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use warplab_config::lab::TRIES;
use warplab_lab::labs::LabJudgement;

/// So many different wrong answers are asked for before the simulated one is shown.
const BEFORE_REVEAL: usize = 3;

/// Wrong answers by the names of their predictions, each once.
#[derive(Debug, Default)]
pub(super) struct Tries {
    wrong: BTreeMap<String, Vec<String>>,
}

impl Tries {
    /// Those of a folder and of this judgement; the folder keeps them.
    pub(super) fn add(folder: &Path, judgement: &LabJudgement) -> Result<Tries, Failure> {
        let path = folder.join(TRIES);
        let mut tries = Tries::read(&path)?;
        let mut new = false;
        for verdict in judgement.predictions.iter().filter(|verdict| !verdict.blank && !verdict.holds) {
            let known = tries.wrong.entry(verdict.id.clone()).or_default();
            if !known.contains(&verdict.claim) {
                known.push(verdict.claim.clone());
                new = true;
            }
        }
        if new {
            let text = format!("{:#}\n", serde_json::json!(tries.wrong));
            let cannot = |error| Failure::Output(format!("{} cannot be written: {error}", path.display()));
            fs::write(&path, text).map_err(cannot)?;
        }
        Ok(tries)
    }

    fn read(path: &Path) -> Result<Tries, Failure> {
        let Ok(text) = fs::read_to_string(path) else { return Ok(Tries::default()) };
        let read = serde_json::from_str(&text).map(|wrong| Tries { wrong });
        let message = |error| format!("{} is not what 'lab check' wrote: {error}; delete it", path.display());
        read.map_err(|error| Failure::input(message(error)))
    }

    /// Whether enough has been tried for a prediction.
    pub(super) fn are_over(&self, id: &str) -> bool {
        self.wrong.get(id).is_some_and(|wrong| wrong.len() >= BEFORE_REVEAL)
    }
}

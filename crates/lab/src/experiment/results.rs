//! Points that are finished: a line each, found again by a hash of everything that they depend on.

use super::Measured;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Finished points by the hash of their inputs.
#[derive(Clone, Debug, Default)]
pub struct Results {
    by_key: FxHashMap<String, Measured>,
}

#[derive(Deserialize)]
struct Line {
    key: String,
    values: BTreeMap<String, f64>,
    texts: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct LineOut<'a> {
    key: &'a str,
    experiment: &'a str,
    point: &'a str,
    values: &'a BTreeMap<String, f64>,
    texts: &'a BTreeMap<String, String>,
}

impl Results {
    /// Reads the lines of a results file. A line that was not written to its end counts for nothing: its point runs
    /// again.
    #[must_use]
    pub fn read(text: &str) -> Results {
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        Results {
            by_key: lines
                .map(|line| (line.key, Measured { values: line.values, texts: line.texts }))
                .collect(),
        }
    }

    /// What was measured for these inputs, if it is known.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Measured> {
        self.by_key.get(key)
    }

    /// How many points are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether no point is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }
}

/// The line of a finished point.
pub(super) fn line(key: &str, experiment: &str, point: &str, measured: &Measured) -> String {
    let line = LineOut { key, experiment, point, values: &measured.values, texts: &measured.texts };
    // Texts and numbers always have a JSON form.
    serde_json::to_string(&line).unwrap_or_default() + "\n"
}

/// A hash of texts that stays the same from version to version (FNV-1a, 128 bits), as hexadecimal.
#[must_use]
pub fn stable_hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let mut hash = BASIS;
    for part in parts {
        // The length keeps ("ab", "c") apart from ("a", "bc").
        for byte in part.len().to_le_bytes().iter().chain(part) {
            hash = (hash ^ u128::from(*byte)).wrapping_mul(PRIME);
        }
    }
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    use super::{Results, line, stable_hash};
    use crate::experiment::Measured;
    use std::collections::BTreeMap;

    #[test]
    fn a_finished_point_is_found_again_and_a_broken_line_is_not() {
        let measured = Measured {
            values: BTreeMap::from([("x".to_owned(), 0.1)]),
            texts: BTreeMap::from([("steps".to_owned(), "a\n".to_owned())]),
        };
        let text = line("k", "e", "size 1", &measured);
        let results = Results::read(&format!("{text}{}", &text[..text.len() / 2]));
        assert_eq!((results.len(), results.get("k")), (1, Some(&measured)));
    }

    #[test]
    fn the_hash_is_the_published_one_and_knows_where_parts_end() {
        assert_eq!(stable_hash([]), "6c62272e07bb014262b821756295c58d");
        assert_ne!(stable_hash([&b"ab"[..], b"c"]), stable_hash([&b"a"[..], b"bc"]));
    }
}

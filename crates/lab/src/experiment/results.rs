//! Points that are finished: a line each, found again by a hash of everything that they depend on.

use super::{Expectations, Measured, Recorded};
use rustc_hash::FxHashMap;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

/// Finished points by the hash of their inputs.
#[derive(Clone, Debug, Default)]
pub struct Results {
    by_key: FxHashMap<String, Measured>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    key: String,
    #[serde(rename = "experiment")]
    _experiment: IgnoredAny,
    #[serde(rename = "point")]
    _point: IgnoredAny,
    values: BTreeMap<String, f64>,
    texts: BTreeMap<String, String>,
    record: Recorded,
    expectations: Expectations,
}

#[derive(Serialize)]
struct LineOut<'a> {
    key: &'a str,
    experiment: &'a str,
    point: &'a str,
    values: &'a BTreeMap<String, f64>,
    texts: &'a BTreeMap<String, String>,
    record: &'a Recorded,
    expectations: &'a Expectations,
}

/// What stands between a finished point and the hash of its text, at the end of its line.
const SEAL: &str = ",\"hash\":\"";

impl Results {
    /// Reads the lines of a results file. A line that is not as it was written, whatever happened to it, counts for
    /// nothing: its point runs again, and only that one.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Results {
        let lines = bytes.split(|&byte| byte == b'\n').filter_map(read_line);
        lines.collect()
    }

    /// Adds the points of another results file that are not known yet, and gives their lines.
    pub fn absorb(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut new = Vec::new();
        for line in bytes.split(|&byte| byte == b'\n') {
            let Some((key, measured)) = read_line(line) else { continue };
            if let Entry::Vacant(place) = self.by_key.entry(key) {
                place.insert(measured);
                new.push(format!("{}\n", String::from_utf8_lossy(line)));
            }
        }
        new
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

impl FromIterator<(String, Measured)> for Results {
    fn from_iter<I: IntoIterator<Item = (String, Measured)>>(points: I) -> Results {
        Results { by_key: points.into_iter().collect() }
    }
}

/// The line of a finished point: a JSON object whose last field is the hash of all before it.
pub(crate) fn line(key: &str, experiment: &str, point: &str, measured: &Measured) -> String {
    let Measured { values, texts, record, expectations } = measured;
    let line = LineOut { key, experiment, point, values, texts, record, expectations };
    // Texts and numbers always have a JSON form.
    let mut text = serde_json::to_string(&line).unwrap_or_default();
    let hash = stable_hash([text.as_bytes()]);
    text.pop();
    text + SEAL + &hash + "\"}\n"
}

/// The point of a line that is as [`line`] wrote it.
fn read_line(line: &[u8]) -> Option<(String, Measured)> {
    let text = std::str::from_utf8(line).ok()?;
    let (body, seal) = text.rsplit_once(SEAL)?;
    let body = format!("{body}}}");
    if seal.trim_end().strip_suffix("\"}")? != stable_hash([body.as_bytes()]) {
        return None;
    }
    let Line { key, values, texts, record, expectations, .. } = serde_json::from_str(&body).ok()?;
    Some((key, Measured { values, texts, record, expectations }))
}

/// A hash of texts that stays the same from version to version (FNV-1a, 128 bits), as hexadecimal.
#[must_use]
pub(crate) fn stable_hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
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
    use crate::experiment::{Burst, Expectations, Measured, Recorded};
    use std::collections::BTreeMap;

    fn measured(value: f64) -> Measured {
        Measured {
            values: BTreeMap::from([("x".to_owned(), value)]),
            texts: BTreeMap::from([("steps".to_owned(), "a\n".to_owned())]),
            record: Recorded { warps: None, bursts: vec![Burst { bank: 3, from: 0, data: 20, end: 22 }] },
            expectations: Expectations { checked: 1, failed: vec!["expectation c: FAILED".to_owned()] },
        }
    }

    #[test]
    fn a_finished_point_is_found_again_and_a_broken_line_is_not() {
        let text = line("k", "e", "size 1", &measured(0.1));
        let results = Results::read(format!("{text}{}", &text[..text.len() / 2]).as_bytes());
        assert_eq!((results.len(), results.get("k")), (1, Some(&measured(0.1))));
    }

    #[test]
    fn every_number_comes_back_as_it_was() {
        for value in [0.1, 2.0 / 3.0, 1.717_986_918_400_000_3e10, 5e-324, 0.000_244_140_625_1, -1.1e17] {
            let results = Results::read(line("k", "e", "", &measured(value)).as_bytes());
            assert_eq!(results.get("k"), Some(&measured(value)));
        }
    }

    #[test]
    fn one_broken_line_costs_one_point() {
        let lines: Vec<String> = (0..3).map(|at| line(&format!("k{at}"), "e", "p", &measured(0.5))).collect();
        let with = |broken: &[u8]| {
            let bytes = [lines[0].as_bytes(), broken, b"\n", lines[2].as_bytes()].concat();
            let results = Results::read(&bytes);
            assert_eq!((results.len(), results.get("k1")), (2, None), "{}", String::from_utf8_lossy(broken));
        };
        with(b"\xff\xfe");
        with(b"{\"key\":\"k1\",\"values\":{},\"texts\":{}}");
        let edited = lines[1].trim_end().replace("0.5", "0.6");
        assert_ne!(edited, lines[1].trim_end());
        with(edited.as_bytes());
        let emptied = lines[1].trim_end().replace("{\"x\":0.5}", "{}");
        with(emptied.as_bytes());
        let mut bytes = lines[1].trim_end().as_bytes().to_vec();
        bytes[10] = 0xff;
        with(&bytes);
        with(&lines[1].as_bytes()[..lines[1].len() / 2]);
    }

    #[test]
    fn a_point_that_two_files_have_is_absorbed_once() {
        let lines: Vec<String> = ["k0", "k1"].map(|key| line(key, "e", "p", &measured(0.5))).into();
        let mut results = Results::read(lines[0].as_bytes());
        let torn = &lines[1][..lines[1].len() / 2];
        let other = [lines[0].as_str(), &lines[1], &lines[1], torn].concat();
        assert_eq!(results.absorb(other.as_bytes()), [lines[1].as_str()]);
        assert_eq!(results.len(), 2);
    }

    #[test]
    fn the_hash_is_the_published_one_and_knows_where_parts_end() {
        assert_eq!(stable_hash([]), "6c62272e07bb014262b821756295c58d");
        assert_ne!(stable_hash([&b"ab"[..], b"c"]), stable_hash([&b"a"[..], b"bc"]));
    }
}

//! Which slice of the L2 holds which group of a page, as a measurement found it.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The letters of slices 0 to 61.
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The slice inside its half of every group of a page (`slice_hash`): a letter each, 0 to 9, A to Z, a to z for slices 0
/// to 61.
/// Blanks and line ends between them mean nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SliceTable(Arc<[u8]>);

impl SliceTable {
    /// The slice of each group.
    #[must_use]
    pub fn slices(&self) -> &[u8] {
        &self.0
    }
}

impl TryFrom<String> for SliceTable {
    type Error = String;

    fn try_from(text: String) -> Result<SliceTable, String> {
        let letters = text.chars().filter(|letter| !letter.is_whitespace());
        let slice = |letter: char| {
            let known = (0..).zip(LETTERS).find(|&(_, &known)| char::from(known) == letter);
            known.map(|(slice, _): (u8, _)| slice).ok_or_else(|| {
                format!("{letter:?} is no slice: use 0 to 9, A to Z and a to z for slices 0 to 61")
            })
        };
        Ok(SliceTable(letters.map(slice).collect::<Result<_, _>>()?))
    }
}

impl From<SliceTable> for String {
    fn from(table: SliceTable) -> String {
        table.0.iter().map(|&slice| char::from(LETTERS[usize::from(slice) % LETTERS.len()])).collect()
    }
}

impl JsonSchema for SliceTable {
    fn schema_name() -> Cow<'static, str> {
        "SliceTable".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A letter for each group of a page: 0 to 9, A to Z, a to z for slices 0 to 61 of a half.",
            "type": "string",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::SliceTable;

    #[test]
    fn letters_are_slices_and_blanks_are_nothing() {
        let table = SliceTable::try_from("0 9\nAZ az".to_owned()).unwrap();
        assert_eq!(table.slices(), [0, 9, 10, 35, 36, 61]);
        assert_eq!(String::from(table), "09AZaz");
    }

    #[test]
    fn another_letter_is_refused() {
        let refused = |text: &str| SliceTable::try_from(text.to_owned()).unwrap_err();
        assert_eq!(refused("01-"), "'-' is no slice: use 0 to 9, A to Z and a to z for slices 0 to 61");
    }
}

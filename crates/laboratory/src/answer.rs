//! What is said where something cannot be done: places in texts as an editor counts them.

use serde::Serialize;
use warplab_diagnostics::{Diagnostic, Source};
use warplab_run::Fault;

/// Faults of one text that are told at most.
const MOST: usize = 100;

/// Why a request cannot be met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// In a sentence.
    pub message: String,
    /// The text that the places are in, if it is about one.
    pub path: Option<String>,
    /// The places.
    pub places: Vec<TextFault>,
}

/// A fault at a place of a text, in units of UTF-16 from its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextFault {
    /// The first unit.
    pub from: usize,
    /// One past the last unit.
    pub to: usize,
    /// The line, from 1.
    pub line: u32,
    /// "error" or "warning".
    pub severity: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

impl Refusal {
    /// Something that has no place.
    pub(crate) fn plain(message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), path: None, places: Vec::new() }
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Refusal {
        match fault {
            Fault::Diagnostics(source, faults) => Refusal {
                message: faults.first().map_or_else(String::new, |fault| fault.message.clone()),
                places: places(&source, &faults),
                path: Some(source.name),
            },
            other => Refusal::plain(other.to_string()),
        }
    }
}

/// The places of faults, in the order of the text.
pub(crate) fn places(source: &Source, faults: &[Diagnostic]) -> Vec<TextFault> {
    let mut sorted: Vec<&Diagnostic> = faults.iter().take(MOST).collect();
    sorted.sort_by_key(|fault| fault.span.start);
    sorted.into_iter().map(|fault| place(source, fault)).collect()
}

fn place(source: &Source, fault: &Diagnostic) -> TextFault {
    let label = if fault.label.is_empty() { String::new() } else { format!(" ({})", fault.label) };
    TextFault {
        from: units(&source.text, fault.span.start as usize),
        to: units(&source.text, fault.span.end as usize),
        line: source.line(fault.span.start),
        severity: if fault.is_error() { "error" } else { "warning" },
        message: format!("{}{label}", fault.message),
        help: fault.help.clone(),
    }
}

/// Units of UTF-16 before a byte of a text.
fn units(text: &str, at: usize) -> usize {
    let at = (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    text[..at].encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::places;
    use warplab_diagnostics::{Diagnostic, Source, Span};

    #[test]
    fn places_count_as_an_editor_does() {
        let source = Source::new("a.ptx", "// \u{e9}\u{1f600}\nadd");
        let fault = Diagnostic::error(Span::new(10, 13), "unknown").with_label("here");
        let found = places(&source, &[fault]);
        assert_eq!((found[0].from, found[0].to, found[0].line), (7, 10, 2));
        assert_eq!(found[0].message, "unknown (here)");
    }
}

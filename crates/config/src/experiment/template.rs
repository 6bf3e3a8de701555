//! Texts with expressions in curly brackets: `copy_{width}_2e{log_n}`.

use super::Expression;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use warplab_diagnostics::{Diagnostic, Span};

/// A text with expressions of axes and constants in curly brackets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Template {
    text: String,
    pieces: Vec<Piece>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// A text that stays.
    Text(String),
    /// An expression, and where it starts in the text.
    Expression(Expression, usize),
}

impl Template {
    /// The template as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its parts in order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// A text without expressions.
    #[must_use]
    pub fn constant(text: &str) -> Template {
        Template { text: text.to_owned(), pieces: vec![Piece::Text(text.to_owned())] }
    }
}

impl FromStr for Template {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Template, Diagnostic> {
        let mut pieces = Vec::new();
        let mut at = 0;
        while let Some(open) = text[at..].find('{').map(|offset| at + offset) {
            let Some(close) = text[open..].find('}').map(|offset| open + offset) else {
                let fault = Diagnostic::error(Span::new(open, open + 1), "this bracket is never closed");
                return Err(fault.with_help("add '}'"));
            };
            if open > at {
                pieces.push(Piece::Text(text[at..open].to_owned()));
            }
            let start = open + 1;
            let expression = text[start..close].parse().map_err(|mut fault: Diagnostic| {
                let range = fault.span.range();
                fault.span = Span::new(start + range.start, start + range.end);
                fault
            })?;
            pieces.push(Piece::Expression(expression, start));
            at = close + 1;
        }
        if at < text.len() {
            pieces.push(Piece::Text(text[at..].to_owned()));
        }
        Ok(Template { text: text.to_owned(), pieces })
    }
}

written_as_text!(
    Template,
    "template",
    "A text; expressions of axes and constants in curly brackets are filled in."
);

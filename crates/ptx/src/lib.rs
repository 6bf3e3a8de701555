//! PTX text to a tree with places, and back.
//!
//! [`parse`] reads everything it can and lists every fault; it never panics and never stops at the first. [`print()`]
//! writes a tree as PTX again: reading that gives an equal tree.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

use warplab_diagnostics::{Diagnostic, Source, Span};

mod check;
mod faults;
mod forms;
mod lexer;
mod parser;
mod printer;
#[cfg(test)]
mod round_trip;
mod scopes;
mod spec;
pub mod tree;

pub use faults::Faults;
pub use forms::{Form, form};
pub use printer::{instruction_text, print};

/// How many faults [`parse`] lists before it only counts them.
pub const MAX_DIAGNOSTICS: usize = 10_000;

/// What [`parse`] made of a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What could be read.
    pub module: tree::Module,
    /// What is wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Whether the module must not be used.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Reads PTX text.
#[must_use]
pub fn parse(source: &Source) -> Parsed {
    let text = source.text.as_str();
    if let Some(fault) = not_ptx(text) {
        return Parsed { module: tree::Module::default(), diagnostics: vec![fault] };
    }
    let (module, mut diagnostics) = read(text);
    check::module(&module, &mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    if diagnostics.len() > MAX_DIAGNOSTICS {
        let more = diagnostics.len() - MAX_DIAGNOSTICS;
        diagnostics.truncate(MAX_DIAGNOSTICS);
        // At the end, where no function is: so many are a fault of the whole file.
        let span = Span::new(text.len(), text.len());
        diagnostics.push(Diagnostic::error(span, format!("... and {more} more")));
    }
    Parsed { module, diagnostics }
}

/// The tree of PTX that a program has written, without asking what its names and instructions mean.
#[must_use]
pub fn parse_unchecked(text: &str) -> tree::Module {
    read(text).0
}

/// The tree of a text, and what is wrong with how it is written.
fn read(text: &str) -> (tree::Module, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tokens = lexer::tokens(text, &mut diagnostics);
    let mut parser = parser::Parser::new(text, tokens, diagnostics);
    let module = parser::module(&mut parser);
    (module, parser.into_diagnostics())
}

/// Why a text cannot be PTX at all.
fn not_ptx(text: &str) -> Option<Diagnostic> {
    if text.len() > u32::MAX as usize / 2 {
        return Some(Diagnostic::error(Span::default(), "file is larger than 2 GiB"));
    }
    if text.trim().is_empty() {
        return Some(
            Diagnostic::error(Span::default(), "file is empty").with_help("PTX starts with '.version 9.0'"),
        );
    }
    let binary =
        |letter: char| letter == '\u{FFFD}' || (letter.is_control() && !letter.is_ascii_whitespace());
    let (at, letter) = text.char_indices().find(|&(_, letter)| binary(letter))?;
    Some(
        Diagnostic::error(Span::new(at, at + letter.len_utf8()), "this is not PTX text")
            .with_label("a byte that no text holds")
            .with_help("a cubin or an object file must be disassembled first"),
    )
}

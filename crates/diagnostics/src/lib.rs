//! Source text, spans and diagnostics.
//!
//! A reader of user input (PTX, RON, a listing) returns what it could read and a list of [`Diagnostic`]s; it never
//! panics and never stops at the first fault. [`render`] shows them with the line underlined.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

mod nearest;

pub use nearest::nearest_name;

/// A range of bytes of a source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of bytes `start..end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: offset(start), end: offset(end) }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The span as a range of byte indices.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A byte offset; what lies beyond four gigabytes is shown at their end.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but probably not as its writer meant.
    Warning,
}

/// One fault of a source text: what is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// A few words under the underlined place; may be empty.
    pub label: String,
    /// What was expected and what to do; may be empty.
    pub help: String,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            help: String::new(),
        }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// The same with a few words under the underlined place.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// The same with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = help.into();
        self
    }

    /// Whether this is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// A source text with the name it is shown under.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file name as the user typed it.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<u32>,
}

/// A place in a source as people count: line and column from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Source {
    /// A source from its name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| offset(at + 1)))
            .collect();
        Source { name: name.into(), text, line_starts }
    }

    /// The line and column of a byte offset; offsets past the end are at the end.
    #[must_use]
    pub fn position(&self, at: u32) -> Position {
        let at = at.min(offset(self.text.len()));
        let line = self.line_starts.partition_point(|&start| start <= at).saturating_sub(1);
        let start = self.line_starts[line] as usize;
        let column = self.text.get(start..at as usize).map_or(0, |before| before.chars().count());
        Position { line: offset(line + 1), column: offset(column + 1) }
    }
}

/// Renders diagnostics as text without colour, each with the line it is about, in the order given.
#[must_use]
pub fn render(source: &Source, diagnostics: &[Diagnostic]) -> String {
    render_with(source, diagnostics, &Renderer::plain())
}

/// Renders diagnostics with the terminal's colours.
#[must_use]
pub fn render_coloured(source: &Source, diagnostics: &[Diagnostic]) -> String {
    render_with(source, diagnostics, &Renderer::styled())
}

fn render_with(source: &Source, diagnostics: &[Diagnostic], renderer: &Renderer) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&renderer.render(&report(source, diagnostic)));
        text.push('\n');
    }
    text
}

fn report<'a>(source: &'a Source, diagnostic: &'a Diagnostic) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let span = clamp_to_text(&source.text, diagnostic.span);
    let mut annotation = AnnotationKind::Primary.span(span);
    if !diagnostic.label.is_empty() {
        annotation = annotation.label(diagnostic.label.as_str());
    }
    let snippet = Snippet::source(source.text.as_str()).path(source.name.as_str()).annotation(annotation);
    let mut group = level.primary_title(diagnostic.message.as_str()).element(snippet);
    if !diagnostic.help.is_empty() {
        group = group.element(Level::HELP.message(diagnostic.help.as_str()));
    }
    vec![group]
}

/// The span moved to character boundaries inside the text, so that rendering cannot fail.
fn clamp_to_text(text: &str, span: Span) -> Range<usize> {
    let floor = |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let start = floor(span.start as usize);
    start..floor(span.end as usize).max(start)
}

#[cfg(test)]
mod tests {
    use super::{Diagnostic, Source, Span, render};

    #[test]
    fn a_diagnostic_shows_file_line_column_and_underlines_the_place() {
        let source = Source::new("a.ptx", "one\ntwo three\n");
        let fault = Diagnostic::error(Span::new(8, 13), "unknown opcode 'three'")
            .with_label("not known")
            .with_help("did you mean 'tree'?");
        assert_eq!(
            render(&source, &[fault]),
            "error: unknown opcode 'three'\n --> a.ptx:2:5\n  |\n2 | two three\n  |     ^^^^^ not known\n  |\n  = help: did you mean 'tree'?\n"
        );
    }

    #[test]
    fn a_span_past_the_end_is_shown_at_the_end() {
        let source = Source::new("empty.ptx", "");
        assert!(
            render(&source, &[Diagnostic::error(Span::new(3, 9), "nothing here")]).contains("empty.ptx:1:1")
        );
    }
}

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

    /// The line of a byte offset, from 1; offsets past the end are at the end.
    #[must_use]
    pub fn line(&self, at: u32) -> u32 {
        offset(self.line_starts.partition_point(|&start| start <= at).max(1))
    }

    /// The line and column of a byte offset; offsets past the end are at the end. It counts the characters of the line
    /// up to there: where only the line matters, [`Source::line`] is quicker.
    #[must_use]
    pub fn position(&self, at: u32) -> Position {
        let at = at.min(offset(self.text.len()));
        let line = self.line(at);
        let start = self.line_start(line) as usize;
        let column = self.text.get(start..at as usize).map_or(0, |before| before.chars().count());
        Position { line, column: offset(column + 1) }
    }

    /// The byte at which a line starts; of a line behind the last one, the end of the text.
    fn line_start(&self, line: u32) -> u32 {
        let index = line.saturating_sub(1) as usize;
        self.line_starts.get(index).copied().unwrap_or(offset(self.text.len()))
    }

    /// The whole lines that a range of bytes touches.
    fn lines_of(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.line_start(self.line(offset(range.start)));
        let end = self.line_start(self.line(offset(range.end)).saturating_add(1));
        start as usize..end as usize
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
    // Only these lines, so that many faults of a long text take no square of its length.
    let lines = source.lines_of(&span);
    let (text, first) =
        (source.text.get(lines.clone()).unwrap_or_default(), source.line(offset(lines.start)));
    let mut annotation = AnnotationKind::Primary.span(span.start - lines.start..span.end - lines.start);
    if !diagnostic.label.is_empty() {
        annotation = annotation.label(diagnostic.label.as_str());
    }
    let snippet =
        Snippet::source(text).line_start(first as usize).path(source.name.as_str()).annotation(annotation);
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
    fn many_faults_on_many_lines_take_no_square() {
        let count = 20_000;
        let source = Source::new("long.ptx", "abcdefgh ij\n".repeat(count));
        let faults: Vec<Diagnostic> = (0..count)
            .map(|line| Diagnostic::error(Span::new(12 * line + 9, 12 * line + 11), "no"))
            .collect();
        let text = render(&source, &faults);
        let last =
            "error: no\n     --> long.ptx:20000:10\n      |\n20000 | abcdefgh ij\n      |          ^^\n";
        assert!(text.ends_with(last), "{}", &text[text.len() - 100..]);
    }

    #[test]
    fn the_line_of_a_place_needs_no_look_at_the_text_before_it() {
        let source = Source::new("one.ptx", "é;".repeat(1_000_000));
        // Counting the characters before each would look at 1.5 million million bytes.
        assert!((0..1_000_000).all(|at| source.line(3 * at) == 1));
        assert_eq!(source.position(3 * 999_999).to_string(), "1:1999999");
        let source = Source::new("two.ptx", "a\nb");
        assert_eq!([0, 1, 2, 3, 9].map(|at| source.line(at)), [1, 1, 2, 2, 2]);
    }

    #[test]
    fn a_span_over_two_lines_shows_both() {
        let source = Source::new("a.ptx", "one\ntwo\nthree\n");
        let text = render(&source, &[Diagnostic::error(Span::new(5, 11), "no")]);
        assert_eq!(text, "error: no\n --> a.ptx:2:2\n  |\n2 |   two\n  |  __^\n3 | | three\n  | |___^\n");
    }

    #[test]
    fn a_span_past_the_end_is_shown_at_the_end() {
        let source = Source::new("empty.ptx", "");
        assert!(
            render(&source, &[Diagnostic::error(Span::new(3, 9), "nothing here")]).contains("empty.ptx:1:1")
        );
    }
}

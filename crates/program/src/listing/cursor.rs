//! A place in one line of a listing.

use warplab_diagnostics::{Diagnostic, Span};

/// A fault is large and rare.
pub(super) type Fault = Box<Diagnostic>;

/// A place in one line.
pub(super) struct Cursor<'a> {
    pub(super) line: &'a str,
    pub(super) offset: usize,
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    pub(super) fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// The longest run of characters that `belongs` accepts, without leading blanks.
    pub(super) fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        self.skip_blanks();
        let rest = self.rest();
        let end = rest.find(|character| !belongs(character)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    pub(super) fn name(&mut self) -> &'a str {
        self.word(|character| character.is_alphanumeric() || matches!(character, '_' | '$' | '%'))
    }

    pub(super) fn fault<T>(
        &self,
        from: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Result<T, Fault> {
        let to = self.at.max((from + 1).min(self.line.len()));
        let span = Span::new(self.offset + from, self.offset + to);
        Err(Box::new(Diagnostic::error(span, message).with_help(help)))
    }

    pub(super) fn expect(&mut self, text: &str) -> Result<(), Fault> {
        if self.eat(text) { Ok(()) } else { self.fault(self.at, format!("expected '{text}'"), "") }
    }

    pub(super) fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }
}

pub(super) fn number(cursor: &mut Cursor) -> Result<u32, Fault> {
    cursor.skip_blanks();
    let from = cursor.at;
    let word = cursor.name();
    match parse_integer(word).and_then(|value| u32::try_from(value).ok()) {
        Some(value) => Ok(value),
        None => cursor.fault(from, format!("expected a number, found '{word}'"), ""),
    }
}

/// A number as 32 bits: what is negative as its two's complement; `None` when it needs more.
pub(super) fn word_bits(value: i64) -> Option<u32> {
    u32::try_from(value).ok().or_else(|| i32::try_from(value).ok().map(i32::cast_unsigned))
}

pub(super) fn parse_integer(word: &str) -> Option<i64> {
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

//! The reader of RON: a tree with the place of every value.
//!
//! The checks of form look at it, `ron_value` makes the values of Rust types from it, and faults of meaning are shown
//! at its places. The crate `ron` would stop at the first fault and keep no places; this reader goes on after a fault.

use warplab_diagnostics::{Diagnostic, Span};

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub value: Value,
}

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Where it stands.
    pub span: Span,
    /// The name.
    pub text: String,
}

/// What stands at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A number: its exact value if it is whole.
    Number {
        /// The value if it is written without point and exponent.
        whole: Option<i128>,
        /// The value.
        real: f64,
        /// The value, rounded once to single precision.
        single: f32,
    },
    /// `'c'`.
    Char(char),
    /// `"text"`, raw or not; byte strings too.
    Text(String),
    /// `[a, b]`.
    List(Vec<Node>),
    /// `{a: b}`.
    Map(Vec<(Node, Node)>),
    /// `Name(a: b)` or `(a: b)`.
    Struct(Option<Name>, Vec<(Name, Node)>),
    /// `Name(a, b)`, `(a, b)` or `()`.
    Tuple(Option<Name>, Vec<Node>),
    /// A name alone.
    Variant(Name),
    /// Something that could not be read; its fault has been reported.
    Broken,
}

impl Node {
    /// The node under a path of field names, map keys and list indices.
    #[must_use]
    pub fn find<'a>(&'a self, path: &[&str]) -> Option<&'a Node> {
        let Some((first, rest)) = path.split_first() else { return Some(self) };
        let child = match &self.value {
            Value::Struct(_, fields) => {
                fields.iter().find(|(name, _)| name.text == *first).map(|(_, node)| node)
            }
            Value::Map(entries) => entries
                .iter()
                .find(|(key, _)| key.value == Value::Text((*first).to_owned()))
                .map(|(_, node)| node),
            Value::List(items) | Value::Tuple(None, items) => {
                first.parse::<usize>().ok().and_then(|at| items.get(at))
            }
            Value::Tuple(Some(name), items) if name.text == "Some" => return items.first()?.find(path),
            _ => None,
        };
        child?.find(rest)
    }

    /// The place of the node under a path, or of the nearest node above it.
    #[must_use]
    pub fn span_of(&self, path: &str) -> Span {
        let parts: Vec<&str> = path.split('.').collect();
        let found = (0..=parts.len()).rev().find_map(|count| self.find(&parts[..count]));
        found.map_or(self.span, |node| node.span)
    }
}

const MOST_FAULTS: usize = 20;
const DEEPEST: u32 = 64;

/// Reads a text; the faults are empty if all of it could be read.
#[must_use]
pub fn parse(text: &str) -> (Node, Vec<Diagnostic>) {
    let mut reader = Reader { text, at: 0, depth: 0, faults: Vec::new() };
    if let Some(fault) = unreadable(text) {
        return (Node { span: Span::default(), value: Value::Broken }, vec![fault]);
    }
    reader.attributes();
    if reader.peek().is_none() {
        let fault = Diagnostic::error(Span::new(reader.at, reader.at), "the file is empty")
            .with_help("a description starts with '(' and holds fields: (name: \"...\", ...)");
        return (Node { span: Span::default(), value: Value::Broken }, vec![fault]);
    }
    let node = reader.value();
    if reader.peek().is_some() && reader.faults.is_empty() {
        let found = reader.found();
        reader
            .fault(format!("expected the end of the file, found {found}"), "nothing may follow the last ')'");
    }
    (node, reader.faults)
}

/// A text that is no text at all.
fn unreadable(text: &str) -> Option<Diagnostic> {
    let wrong = |c: char| c == '\u{fffd}' || (c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
    let (at, c) = text.char_indices().find(|&(_, c)| wrong(c))?;
    Some(
        Diagnostic::error(Span::new(at, at + c.len_utf8()), "this is not a text file")
            .with_label("a byte that no text has")
            .with_help("descriptions are RON, a text format"),
    )
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    faults: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn fault(&mut self, message: String, help: &str) {
        let length = self.text.get(self.at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        self.fault_at(Span::new(self.at, self.at + length), message, help);
    }

    fn fault_at(&mut self, span: Span, message: String, help: &str) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(Diagnostic::error(span, message).with_label("here").with_help(help));
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn next_char(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    /// The next byte that is neither space nor comment.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match (self.byte(0)?, self.byte(1)) {
                (b' ' | b'\t' | b'\n' | b'\r', _) => self.at += 1,
                (b'/', Some(b'/')) => {
                    while self.byte(0).is_some_and(|byte| byte != b'\n') {
                        self.at += 1;
                    }
                }
                (b'/', Some(b'*')) => self.block_comment(),
                (byte, _) => return Some(byte),
            }
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0;
        loop {
            match (self.byte(0), self.byte(1)) {
                (Some(b'/'), Some(b'*')) => (depth, self.at) = (depth + 1, self.at + 2),
                (Some(b'*'), Some(b'/')) => (depth, self.at) = (depth - 1, self.at + 2),
                (Some(_), _) => self.at += 1,
                (None, _) => {
                    let span = Span::new(start, start + 2);
                    return self.fault_at(span, "this comment is never closed".to_owned(), "add '*/'");
                }
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn found(&self) -> String {
        self.next_char().map_or("the end of the file".to_owned(), |c| format!("'{}'", c.escape_debug()))
    }

    /// `#![enable(...)]` before the value.
    fn attributes(&mut self) {
        while self.peek() == Some(b'#') {
            match self.text[self.at..].find(']') {
                Some(length) => self.at += length + 1,
                None => return self.fault("this attribute is never closed".to_owned(), "add ']'"),
            }
        }
    }

    fn value(&mut self) -> Node {
        self.depth += 1;
        let peeked = self.peek();
        let start = self.at;
        let value = match peeked {
            _ if self.depth > DEEPEST => {
                self.fault("brackets are nested too deeply".to_owned(), "at most 64 levels are read");
                self.at = self.text.len();
                Value::Broken
            }
            Some(b'(') => self.group(None),
            Some(b'[') => {
                let mut items = Vec::new();
                self.sequence(b']', |reader| items.push(reader.value()));
                Value::List(items)
            }
            Some(b'{') => {
                let mut entries = Vec::new();
                self.sequence(b'}', |reader| {
                    let key = reader.value();
                    reader.expect_colon();
                    entries.push((key, reader.value()));
                });
                Value::Map(entries)
            }
            Some(b'"') => self.text_literal(),
            Some(b'\'') => self.char_literal(),
            Some(b'r') if self.is_raw_text(1) => self.raw_text(1),
            Some(b'b') if self.byte(1) == Some(b'"') => {
                self.at += 1;
                self.text_literal()
            }
            Some(b'0'..=b'9' | b'+' | b'-' | b'.') => self.number(),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => self.named(),
            _ => {
                let found = self.found();
                self.fault(
                    format!("expected a value, found {found}"),
                    "values are numbers, \"text\", true, names, (...), [...] and {...}",
                );
                Value::Broken
            }
        };
        self.depth -= 1;
        Node { span: Span::new(start, self.at), value }
    }

    /// Items with commas up to `close`; the reader stands on the opening bracket. Always moves on.
    fn sequence(&mut self, close: u8, mut item: impl FnMut(&mut Self)) {
        let open = Span::new(self.at, self.at + 1);
        let opening = char::from(self.byte(0).unwrap_or(b'('));
        let closing = char::from(close);
        self.at += 1;
        loop {
            match self.peek() {
                Some(byte) if byte == close => {
                    self.at += 1;
                    return;
                }
                None => {
                    if self.faults.is_empty() {
                        let message = format!("this '{opening}' is never closed");
                        self.fault_at(open, message, &format!("add '{closing}'"));
                    }
                    return;
                }
                Some(b')' | b']' | b'}') => {
                    let found = self.found();
                    return self.fault(format!("expected '{closing}', found {found}"), "brackets must match");
                }
                Some(_) => {}
            }
            let (before, faults) = (self.at, self.faults.len());
            item(self);
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte != close => {
                    let found = self.found();
                    if faults == self.faults.len() {
                        let help = "values are separated by commas";
                        self.fault(format!("expected ',' or '{closing}', found {found}"), help);
                    }
                    let starts_item =
                        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'"' | b'(' | b'[');
                    if before == self.at || !starts_item {
                        self.skip_item();
                    }
                }
                _ => {}
            }
        }
    }

    /// Moves past the next comma, or before the bracket that closes the group.
    fn skip_item(&mut self) {
        let mut depth = 0_u32;
        while let Some(byte) = self.peek() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => return,
                b')' | b']' | b'}' => depth -= 1,
                b'"' => {
                    self.text_literal();
                    continue;
                }
                b',' if depth == 0 => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += self.next_char().map_or(1, char::len_utf8);
        }
    }

    fn identifier(&mut self) -> Option<Name> {
        let first = self.peek()?;
        let raw = first == b'r' && self.byte(1) == Some(b'#');
        let start = self.at + if raw { 2 } else { 0 };
        let length = self.text.as_bytes().get(start..)?.iter();
        let length = length.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        if length == 0 || self.text.as_bytes()[start].is_ascii_digit() {
            return None;
        }
        self.at = start + length;
        Some(Name { span: Span::new(start, self.at), text: self.text[start..self.at].to_owned() })
    }

    /// A name alone, `true`, `false`, or a name before a group.
    fn named(&mut self) -> Value {
        let Some(name) = self.identifier() else {
            let found = self.found();
            self.fault(format!("expected a name, found {found}"), "names start with a letter");
            return Value::Broken;
        };
        let end = self.at;
        if self.peek() == Some(b'(') {
            return self.group(Some(name));
        }
        self.at = end;
        match name.text.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "inf" => Value::Number { whole: None, real: f64::INFINITY, single: f32::INFINITY },
            "NaN" => Value::Number { whole: None, real: f64::NAN, single: f32::NAN },
            _ => Value::Variant(name),
        }
    }

    /// `(a: b)` or `(a, b)`.
    fn group(&mut self, name: Option<Name>) -> Value {
        let start = self.at;
        self.at += 1;
        let is_struct = self.identifier().is_some() && self.peek() == Some(b':');
        self.at = start;
        if is_struct {
            let mut fields = Vec::new();
            self.sequence(b')', |reader| match reader.identifier() {
                Some(field) => {
                    reader.expect_colon();
                    fields.push((field, reader.value()));
                }
                None => {
                    let found = reader.found();
                    reader.fault(
                        format!("expected the name of a field, found {found}"),
                        "fields are written name: value",
                    );
                }
            });
            Value::Struct(name, fields)
        } else {
            let mut items = Vec::new();
            self.sequence(b')', |reader| items.push(reader.value()));
            Value::Tuple(name, items)
        }
    }

    fn expect_colon(&mut self) {
        if self.peek() == Some(b':') {
            self.at += 1;
        } else {
            let found = self.found();
            self.fault(format!("expected ':', found {found}"), "fields are written name: value");
        }
    }

    fn number(&mut self) -> Value {
        let start = self.at;
        if matches!(self.byte(0), Some(b'+' | b'-')) {
            self.at += 1;
        }
        while let Some(byte) = self.byte(0) {
            let so_far = &self.text[start..self.at];
            let after_exponent = so_far.ends_with(['e', 'E']) && !so_far.contains("0x");
            let sign_of_exponent = matches!(byte, b'+' | b'-') && after_exponent;
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || sign_of_exponent) {
                break;
            }
            self.at += 1;
        }
        let written = &self.text[start..self.at];
        let digits = written.replace('_', "");
        let whole = whole_number(&digits);
        let unsigned = digits.trim_start_matches(['+', '-']);
        let real = match unsigned {
            "inf" if digits.starts_with('-') => Some(f64::NEG_INFINITY),
            "inf" => Some(f64::INFINITY),
            _ if unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') => digits.parse().ok(),
            _ => None,
        };
        match (whole, real) {
            (Some(whole), _) => {
                Value::Number { whole: Some(whole), real: whole as f64, single: whole as f32 }
            }
            (None, Some(real)) => {
                // `-inf` is a number to Rust, too.
                let single = digits.parse().unwrap_or(f32::NAN);
                Value::Number { whole: None, real, single }
            }
            (None, None) => {
                let message = format!("'{written}' is not a number");
                self.fault_at(
                    Span::new(start, self.at),
                    message,
                    "numbers are written 12, -3, 0x1f, 1.5 or 2e9",
                );
                Value::Broken
            }
        }
    }

    fn text_literal(&mut self) -> Value {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.next_char() {
                None => {
                    let help = "add '\"' at its end";
                    self.fault_at(Span::new(start, start + 1), "this text is never closed".to_owned(), help);
                    return Value::Broken;
                }
                Some('"') => {
                    self.at += 1;
                    return Value::Text(text);
                }
                Some('\\') => text.extend(self.escape()),
                Some(c) => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    /// One escaped character; none after a fault or where a line is continued. A continued line goes on after the white
    /// space of the next, as in Rust.
    fn escape(&mut self) -> Option<char> {
        let start = self.at;
        self.at += 1;
        let c = self.next_char()?;
        self.at += c.len_utf8();
        let read = match c {
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            '0' => Some('\0'),
            '\\' | '"' | '\'' => Some(c),
            '\n' | '\r' if c == '\n' || self.byte(0) == Some(b'\n') => {
                let rest = &self.text[self.at..];
                self.at += rest.len() - rest.trim_start().len();
                return None;
            }
            'x' => self.take_hexadecimal(2),
            'u' if self.byte(0) == Some(b'{') => {
                let length = self.text[self.at..].find('}')?;
                let digits = &self.text[self.at + 1..self.at + length];
                let read = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                self.at += length + 1;
                read
            }
            _ => None,
        };
        if read.is_none() {
            let span = Span::new(start, self.at);
            self.fault_at(
                span,
                "unknown escape in a text".to_owned(),
                "known: \\n \\r \\t \\0 \\\\ \\\" \\' \\x41 \\u{41}",
            );
        }
        read
    }

    fn take_hexadecimal(&mut self, digits: usize) -> Option<char> {
        let text = self.text.get(self.at..self.at + digits)?;
        let read = u32::from_str_radix(text, 16).ok().and_then(char::from_u32)?;
        self.at += digits;
        Some(read)
    }

    fn char_literal(&mut self) -> Value {
        let start = self.at;
        self.at += 1;
        let read = match self.next_char() {
            Some('\\') => self.escape(),
            Some(c) => {
                self.at += c.len_utf8();
                Some(c)
            }
            None => None,
        };
        if self.byte(0) != Some(b'\'') {
            let span = Span::new(start, start + 1);
            self.fault_at(
                span,
                "expected one character between single quotes".to_owned(),
                "texts are written \"...\"",
            );
            return Value::Broken;
        }
        self.at += 1;
        read.map_or(Value::Broken, Value::Char)
    }

    fn is_raw_text(&self, prefix: usize) -> bool {
        let hashes = (prefix..).take_while(|&at| self.byte(at) == Some(b'#')).count();
        self.byte(prefix + hashes) == Some(b'"')
    }

    fn raw_text(&mut self, prefix: usize) -> Value {
        let start = self.at;
        let hashes = (prefix..).take_while(|&at| self.byte(at) == Some(b'#')).count();
        let inside = start + prefix + hashes + 1;
        let end = format!("\"{}", "#".repeat(hashes));
        match self.text[inside..].find(&end) {
            Some(length) => {
                self.at = inside + length + end.len();
                Value::Text(self.text[inside..inside + length].to_owned())
            }
            None => {
                self.at = self.text.len();
                let span = Span::new(start, inside);
                self.fault_at(span, "this text is never closed".to_owned(), &format!("add '{end}'"));
                Value::Broken
            }
        }
    }
}

fn whole_number(digits: &str) -> Option<i128> {
    let (negative, unsigned) = match digits.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, digits.strip_prefix('+').unwrap_or(digits)),
    };
    let radix = |prefix: &str, radix| unsigned.strip_prefix(prefix).map(|rest| (rest, radix));
    let (text, radix) =
        radix("0x", 16).or_else(|| radix("0b", 2)).or_else(|| radix("0o", 8)).unwrap_or((unsigned, 10));
    if !text.starts_with(|c: char| c.is_ascii_hexdigit()) {
        return None;
    }
    let value = i128::from_str_radix(text, radix).ok()?;
    Some(if negative { -value } else { value })
}

//! Formulas of expectations: what element `i` of a buffer should be.
//!
//! ```text
//! formula  = sum-like { ("==" | "<") sum-like }
//! sum-like = product { ("+" | "-") product }
//! product  = unary { ("*" | "/" | "%") unary }
//! unary    = [ "-" ] ( number | name | call | read | "(" formula ")" )
//! call     = ("min" | "max" | "abs" | "sqrt" | "fma" | "f32" | "f64" | "select") "(" formula { "," formula } ")"
//!          | "sum" "(" name "," formula "," formula ")"          the name runs from 0 up to, not including, the first
//! read     = name [ "." type ] "[" formula "]"                   one element of a buffer, of its own type or of this one
//! ```
//!
//! Whole numbers (`i`, `7`, elements of integer types) are 128 bits wide and divide towards zero. Numbers with a point
//! and elements of floating-point types are real, and so is everything that holds one; elements of a buffer without a
//! type are `f32`. Real numbers are rounded to `f32` after every operation, or to `f64` where the buffer that is
//! compared, or one that is read, is of `f64`. `sum` adds in double precision. A buffer is named as it is after the
//! launch; `y0[i]` is what `y` held before.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::str::FromStr;
use warplab_diagnostics::{Diagnostic, Span, nearest_name};
use warplab_units::ElementType;

/// A formula of an element index and of buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Formula {
    text: String,
    pub(crate) root: Expression,
    reads: Vec<BufferRead>,
}

/// A buffer that a formula reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferRead {
    /// The name as written; `y0` is the content of `y` before the launch unless a buffer has that name.
    pub name: String,
    /// Where the formula reads it first.
    pub span: Span,
    /// Whether the formula says of one of its elements that it is of `f64`.
    pub as_double: bool,
}

impl Formula {
    /// The formula as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The buffers that are read; [`super::Memory::number`] is asked by index into these.
    #[must_use]
    pub fn reads(&self) -> &[BufferRead] {
        &self.reads
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    Less,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Min,
    Max,
    Abs,
    Sqrt,
    Fma,
    F32,
    F64,
    Select,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Whole(i128),
    Real {
        single: f32,
        double: f64,
    },
    /// A running index: 0 is `i`, the others belong to the sums around.
    Index(usize),
    Read {
        buffer: usize,
        element: Option<ElementType>,
        index: Box<Expression>,
    },
    Negate(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    Call(Function, Vec<Expression>),
    Sum {
        depth: usize,
        count: Box<Expression>,
        body: Box<Expression>,
    },
}

const FUNCTIONS: [(&str, Function, usize); 8] = [
    ("min", Function::Min, 2),
    ("max", Function::Max, 2),
    ("abs", Function::Abs, 1),
    ("sqrt", Function::Sqrt, 1),
    ("fma", Function::Fma, 3),
    ("f32", Function::F32, 1),
    ("f64", Function::F64, 1),
    ("select", Function::Select, 3),
];
const DEEPEST: u32 = 64;

impl FromStr for Formula {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Formula, Diagnostic> {
        let mut parser = Parser { text, at: 0, depth: 0, indices: vec!["i".to_owned()], reads: Vec::new() };
        let root = parser.comparison()?;
        parser.spaces();
        if parser.at < text.len() {
            return Err(parser.expected("an operator or the end of the formula"));
        }
        Ok(Formula { text: text.to_owned(), root, reads: parser.reads })
    }
}

impl TryFrom<String> for Formula {
    type Error = String;
    fn try_from(text: String) -> Result<Formula, String> {
        text.parse().map_err(|fault: Diagnostic| fault.message)
    }
}

impl From<Formula> for String {
    fn from(formula: Formula) -> String {
        formula.text
    }
}

impl JsonSchema for Formula {
    fn schema_name() -> Cow<'static, str> {
        "Formula".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Element i as a formula of i and of the buffers: \"2.0 * x[i] + y0[i]\".",
            "type": "string",
            "format": "formula",
        })
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    indices: Vec<String>,
    reads: Vec<BufferRead>,
}

type Parsed = Result<Expression, Diagnostic>;

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let next = self.rest().chars().next();
        let found = next.map_or("the end of the formula".to_owned(), |c| format!("'{}'", c.escape_debug()));
        let span = Span::new(self.at, self.at + next.map_or(0, char::len_utf8));
        Diagnostic::error(span, format!("expected {what}, found {found}"))
    }

    fn take(&mut self, token: &str) -> bool {
        self.spaces();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn need(&mut self, token: &str) -> Result<(), Diagnostic> {
        if self.take(token) { Ok(()) } else { Err(self.expected(&format!("'{token}'"))) }
    }

    fn word(&mut self) -> Option<(String, Span)> {
        self.spaces();
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if end == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (word, start) = (rest[..end].to_owned(), self.at);
        self.at += end;
        Some((word, Span::new(start, start + end)))
    }

    fn binary(&mut self, operators: &[(&str, Operator)], next: fn(&mut Self) -> Parsed) -> Parsed {
        let mut left = next(self)?;
        let mut length = 0;
        while let Some(&(_, operator)) = operators.iter().find(|(token, _)| self.take(token)) {
            length += 1;
            if length > DEEPEST {
                return Err(self.expected("a shorter formula"));
            }
            left = Expression::Binary(operator, Box::new(left), Box::new(next(self)?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.expected("fewer brackets"));
        }
        let parsed = self.binary(&[("==", Operator::Equal), ("<", Operator::Less)], Self::addition);
        self.depth -= 1;
        parsed
    }

    fn addition(&mut self) -> Parsed {
        self.binary(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> Parsed {
        let operators = [("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];
        self.binary(&operators, Self::unary)
    }

    fn unary(&mut self) -> Parsed {
        if self.take("-") {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(self.expected("fewer signs"));
            }
            let inner = self.unary()?;
            self.depth -= 1;
            return Ok(Expression::Negate(Box::new(inner)));
        }
        if self.take("(") {
            let inner = self.comparison()?;
            self.need(")")?;
            return Ok(inner);
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number();
        }
        let Some((name, span)) = self.word() else {
            return Err(self.expected("a number, a name or '('"));
        };
        if self.take("(") {
            return self.call(&name, span);
        }
        if let Some(depth) = self.indices.iter().rposition(|index| *index == name) {
            return Ok(Expression::Index(depth));
        }
        self.read(name, span)
    }

    fn number(&mut self) -> Parsed {
        let rest = self.rest();
        let mut end = 0;
        for (at, c) in rest.char_indices() {
            let after_exponent = at > 0 && matches!(rest.as_bytes()[at - 1], b'e' | b'E');
            if !(c.is_ascii_digit()
                || matches!(c, '.' | 'e' | 'E')
                || (matches!(c, '+' | '-') && after_exponent))
            {
                break;
            }
            end = at + 1;
        }
        let (written, span) = (&rest[..end], Span::new(self.at, self.at + end));
        let parsed = match (written.parse(), written.parse(), written.parse()) {
            (Ok(whole), ..) => Expression::Whole(whole),
            (_, Ok(single), Ok(double)) => Expression::Real { single, double },
            _ => return Err(Diagnostic::error(span, format!("'{written}' is not a number"))),
        };
        self.at += end;
        Ok(parsed)
    }

    fn call(&mut self, name: &str, span: Span) -> Parsed {
        if name == "sum" {
            return self.sum();
        }
        let Some(&(_, function, count)) = FUNCTIONS.iter().find(|(known, _, _)| *known == name) else {
            let known: Vec<&str> = FUNCTIONS.iter().map(|(known, _, _)| *known).chain(["sum"]).collect();
            let near = nearest_name(name, known.iter().copied());
            let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
            let message = format!("unknown function '{name}';{near} known: {}", known.join(", "));
            return Err(Diagnostic::error(span, message));
        };
        let mut arguments = vec![self.comparison()?];
        while self.take(",") {
            arguments.push(self.comparison()?);
        }
        self.need(")")?;
        if arguments.len() != count {
            let message = format!("'{name}' takes {count} values, not {}", arguments.len());
            return Err(Diagnostic::error(span, message));
        }
        Ok(Expression::Call(function, arguments))
    }

    fn sum(&mut self) -> Parsed {
        let Some((index, _)) = self.word() else { return Err(self.expected("the name of an index")) };
        self.need(",")?;
        let count = Box::new(self.comparison()?);
        self.need(",")?;
        let depth = self.indices.len();
        self.indices.push(index);
        let body = self.comparison();
        self.indices.pop();
        let body = Box::new(body?);
        self.need(")")?;
        Ok(Expression::Sum { depth, count, body })
    }

    fn read(&mut self, name: String, span: Span) -> Parsed {
        let element = ElementType::ALL.into_iter().find(|element| self.take(&format!(".{element}")));
        if !self.take("[") {
            let indices = self.indices.join(", ");
            let message = format!("unknown name '{name}'; known: {indices}, and buffers as {name}[i]");
            return Err(Diagnostic::error(span, message));
        }
        let index = Box::new(self.comparison()?);
        self.need("]")?;
        let known = self.reads.iter().position(|read| read.name == name);
        let buffer = known.unwrap_or_else(|| {
            self.reads.push(BufferRead { name, span, as_double: false });
            self.reads.len() - 1
        });
        self.reads[buffer].as_double |= element == Some(ElementType::F64);
        Ok(Expression::Read { buffer, element, index })
    }
}

//! Formulas of expectations: what element `i` of a buffer should be.
//!
//! To the syntax of [`crate::expression`] they add
//!
//! ```text
//! leaf = index
//!      | name [ "." type ] "[" formula "]"           one element of a buffer, of its own type or of this one
//!      | "sum" "(" index "," formula "," formula ")"      the index runs from 0 up to, not including, the first
//! ```
//!
//! Whole numbers (`i`, `7`, elements of integer types) are 128 bits wide and divide towards zero. Numbers with a point
//! and elements of floating-point types are real, and so is everything that holds one; elements of a buffer without a
//! type are `f32`. Real numbers are rounded to `f32` after every operation, or to `f64` where the buffer that is
//! compared, or one that is read, is of `f64`. `sum` adds in double precision. A buffer is named as it is after the
//! launch; `y0[i]` is what `y` held before.

use crate::expression::{Dialect, MathFunction, Mention, Parsed, Parser, Term, parse};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use warplab_diagnostics::{Diagnostic, Span};
use warplab_units::ElementType;

/// A formula of an element index and of buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Formula {
    text: String,
    pub(super) root: Term<ElementLeaf>,
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

/// What a formula has beside numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ElementLeaf {
    /// A running index: 0 is `i`, the others belong to the sums around.
    Index(usize),
    Read {
        buffer: usize,
        element: Option<ElementType>,
        index: Box<Term<ElementLeaf>>,
    },
    Sum {
        depth: usize,
        count: Box<Term<ElementLeaf>>,
        body: Box<Term<ElementLeaf>>,
    },
}

/// The running indices that are known at a place, and the buffers that were read.
struct Element {
    indices: Vec<String>,
    reads: Vec<BufferRead>,
}

impl Dialect for Element {
    type Leaf = ElementLeaf;
    type Function = MathFunction;
    const NOUN: &'static str = "formula";
    const OPERANDS: &'static str = "a number, a name or '('";
    const FORM: &'static str = "sum";

    fn own(function: MathFunction) -> Option<MathFunction> {
        Some(function)
    }

    fn sign(_: &mut Parser<'_, Element>) -> Option<Parsed<Element>> {
        None
    }

    fn name(parser: &mut Parser<'_, Element>, name: Mention) -> Parsed<Element> {
        if let Some(depth) = parser.dialect.indices.iter().rposition(|index| *index == name.name) {
            return Ok(Term::Leaf(ElementLeaf::Index(depth)));
        }
        let element = ElementType::ALL.into_iter().find(|element| parser.take(&format!(".{element}")));
        let Mention { name, span } = name;
        if !parser.take("[") {
            let indices = parser.dialect.indices.join(", ");
            let message = format!("unknown name '{name}'; known: {indices}, and buffers as {name}[i]");
            return Err(Diagnostic::error(span, message));
        }
        let index = Box::new(parser.expression()?);
        parser.need("]")?;
        let reads = &mut parser.dialect.reads;
        let known = reads.iter().position(|read| read.name == name);
        let buffer = known.unwrap_or_else(|| {
            reads.push(BufferRead { name, span, as_double: false });
            reads.len() - 1
        });
        reads[buffer].as_double |= element == Some(ElementType::F64);
        Ok(Term::Leaf(ElementLeaf::Read { buffer, element, index }))
    }

    fn form(parser: &mut Parser<'_, Element>) -> Parsed<Element> {
        let Some(index) = parser.word() else { return Err(parser.expected("the name of an index")) };
        parser.need(",")?;
        let count = Box::new(parser.expression()?);
        parser.need(",")?;
        let depth = parser.dialect.indices.len();
        parser.dialect.indices.push(index.name);
        let body = parser.expression();
        parser.dialect.indices.pop();
        let body = Box::new(body?);
        parser.need(")")?;
        Ok(Term::Leaf(ElementLeaf::Sum { depth, count, body }))
    }
}

impl FromStr for Formula {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Formula, Diagnostic> {
        let start = Element { indices: vec!["i".to_owned()], reads: Vec::new() };
        let (root, Element { reads, .. }) = parse(text, start)?;
        Ok(Formula { text: text.to_owned(), root, reads })
    }
}

written_as_text!(
    Formula,
    "formula",
    "Element i as a formula of i and of the buffers: \"2.0 * x[i] + y0[i]\"."
);

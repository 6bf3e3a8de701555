//! Expressions: what a launch expects of an element, and what a column of an experiment shows.
//!
//! ```text
//! expression = sum { ("==" | "<=" | "<" | ">=" | ">") sum }
//! sum        = product { ("+" | "-") product }
//! product    = power { ("*" | "/" | "%") power }
//! power      = unary [ "^" power ]
//! unary      = [ "-" ] ( number | call | "(" expression ")" | leaf )
//! call       = function "(" expression { "," expression } ")"
//! ```
//!
//! Comparisons are 1 or 0. A leaf is what a [`Dialect`] adds: elements of buffers and sums over an index
//! ([`crate::launch::Formula`]), metrics, axes and other columns ([`crate::experiment::Expression`]), or what a warp
//! scheduler knows ([`crate::gpu::RankFormula`]). The dialects share syntax, operators and functions; each has its own
//! numbers, see [`Evaluate`].

mod evaluate;
mod parser;

pub(crate) use evaluate::Evaluate;
pub use parser::Mention;
pub(crate) use parser::{Dialect, Parsed, Parser, parse};

/// A part of an expression; `L` is what its dialect adds, `F` are the functions that it has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term<L, F = MathFunction> {
    Number(Literal),
    Leaf(L),
    Negate(Box<Term<L, F>>),
    Binary(Operator, Box<Term<L, F>>, Box<Term<L, F>>),
    Call(F, Vec<Term<L, F>>),
}

/// A number as it is written, in every precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Literal {
    /// Its value if it has neither point nor exponent.
    pub(crate) whole: Option<i128>,
    pub(crate) single: f32,
    pub(crate) double: f64,
}

/// What stands between two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `^`
    Power,
    /// `==`
    Equal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Operator {
    /// Those that compare; where one begins like another, the longer one first.
    const COMPARISONS: [(&str, Operator); 5] = [
        ("==", Operator::Equal),
        ("<=", Operator::LessOrEqual),
        ("<", Operator::Less),
        (">=", Operator::GreaterOrEqual),
        (">", Operator::Greater),
    ];
    const SUMS: [(&str, Operator); 2] = [("+", Operator::Add), ("-", Operator::Subtract)];
    const PRODUCTS: [(&str, Operator); 3] =
        [("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];
}

/// A function that whole numbers have like all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeFunction {
    /// The lower of two numbers.
    Min,
    /// The higher of two numbers.
    Max,
    /// A number without its sign.
    Abs,
    /// The second number if the first is not 0, else the third.
    Select,
}

/// A function of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MathFunction {
    Whole(WholeFunction),
    Sqrt,
    Log2,
    Floor,
    Ceil,
    Round,
    Fma,
    F32,
    F64,
}

impl MathFunction {
    /// Every function with its name and how many numbers it takes: three at most.
    const ALL: [(&str, MathFunction, usize); 12] = [
        ("min", MathFunction::Whole(WholeFunction::Min), 2),
        ("max", MathFunction::Whole(WholeFunction::Max), 2),
        ("abs", MathFunction::Whole(WholeFunction::Abs), 1),
        ("sqrt", MathFunction::Sqrt, 1),
        ("log2", MathFunction::Log2, 1),
        ("floor", MathFunction::Floor, 1),
        ("ceil", MathFunction::Ceil, 1),
        ("round", MathFunction::Round, 1),
        ("fma", MathFunction::Fma, 3),
        ("f32", MathFunction::F32, 1),
        ("f64", MathFunction::F64, 1),
        ("select", MathFunction::Whole(WholeFunction::Select), 3),
    ];
}

/// A number rounded to single precision.
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is meant")]
pub(crate) fn single(value: f64) -> f64 {
    f64::from(value as f32)
}

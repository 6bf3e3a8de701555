//! A warp scheduler as a formula: `scheduler: rank("select(issued_last, first, age)")`.
//!
//! ```text
//! formula   = { keep ";" } expression
//! keep      = "keep" [ "warp" ] name "=" number "then" expression
//! ```
//!
//! The expression gives every warp that can issue a number, and the one with the lowest issues; of equal ones the one
//! in the lowest slot. `never` holds a warp back. A kept value starts at its number; when a warp issues, it becomes
//! what its expression gives for that warp. With `warp`, every warp has its own, which starts anew with the warp.
//!
//! Numbers are whole and 64 bits wide; what would pass an end of their range stays there, `/` and `%` go towards zero,
//! and by zero they give 0. Both sides of `select` are computed. The rest of the syntax is that of
//! [`crate::expression`]; the names are those of [`RankInput`], `never` and `first`.

mod code;
mod input;

pub use code::{RankCode, RankOperator, RankSource, RankStep};
pub use input::RankInput;

use crate::expression::{Dialect, Literal, MathFunction, Mention, Parsed, Parser, Term, WholeFunction};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use warplab_diagnostics::{Diagnostic, Span, nearest_name};

/// The rank of a warp that is held back.
pub(crate) const NEVER: i64 = i64::MAX;
/// The rank of a warp that goes before all others.
const FIRST: i64 = i64::MIN;

/// The most values that a formula may keep.
const MOST_KEPT: usize = 8;

/// A warp scheduler as a formula, with its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RankFormula {
    text: String,
    keeps: Vec<Keep>,
    rank: RankCode,
    holds_back: bool,
}

/// A value that a formula keeps from one issue to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Keep {
    /// Whether every warp has its own.
    pub of_warp: bool,
    /// What it is at first.
    pub start: i64,
    /// What it becomes when a warp issues.
    pub then: RankCode,
}

impl RankFormula {
    /// The rank of a warp that is held back.
    pub const NEVER: i64 = NEVER;

    /// The formula as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is kept, in the order of the text.
    #[must_use]
    pub fn keeps(&self) -> &[Keep] {
        &self.keeps
    }

    /// What gives a warp its number.
    #[must_use]
    pub fn rank(&self) -> &RankCode {
        &self.rank
    }

    /// Whether it can hold warps back: it says `never`.
    #[must_use]
    pub fn holds_back(&self) -> bool {
        self.holds_back
    }

    /// Whether a number may change while nothing happens.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.rank.reads(RankInput::Cycle) || self.rank.reads(RankInput::SinceIssue)
    }
}

/// What a rank has beside numbers: a source of its code.
type Leaf = RankSource;

/// What has been read of a formula.
#[derive(Default)]
struct Rank {
    /// The names of what is kept, and whether each warp has its own.
    kept: Vec<(String, bool)>,
    holds_back: bool,
}

impl Rank {
    /// Every name that can stand in a formula.
    fn names(&self) -> Vec<&str> {
        let inputs = RankInput::ALL.iter().map(|input| input.name());
        inputs.chain(["never", "first"]).chain(self.kept.iter().map(|(name, _)| name.as_str())).collect()
    }
}

impl Dialect for Rank {
    type Leaf = Leaf;
    type Function = WholeFunction;
    const NOUN: &'static str = "formula";
    const OPERANDS: &'static str = "a whole number, a name or '('";
    const FORM: &'static str = "";

    fn own(function: MathFunction) -> Option<WholeFunction> {
        match function {
            MathFunction::Whole(function) => Some(function),
            _ => None,
        }
    }

    fn refuse(literal: &Literal, span: Span) -> Option<Diagnostic> {
        let fits = literal.whole.is_some_and(|whole| i64::try_from(whole).is_ok());
        let message = "ranks are whole numbers of at most 64 bits";
        (!fits).then(|| Diagnostic::error(span, message))
    }

    fn sign(_: &mut Parser<'_, Rank>) -> Option<Parsed<Rank>> {
        None
    }

    fn name(parser: &mut Parser<'_, Rank>, name: Mention) -> Parsed<Rank> {
        let dialect = &mut parser.dialect;
        let kept = dialect.kept.iter().position(|(kept, _)| *kept == name.name);
        let input = RankInput::ALL.into_iter().find(|input| input.name() == name.name);
        let source = match (name.name.as_str(), kept, input) {
            ("never", ..) => {
                dialect.holds_back = true;
                RankSource::Number(NEVER)
            }
            ("first", ..) => RankSource::Number(FIRST),
            (_, Some(at), _) => RankSource::Kept { at, of_warp: dialect.kept[at].1 },
            (_, _, Some(input)) => RankSource::Input(input),
            _ => return Err(unknown_name(&name, &dialect.names())),
        };
        Ok(Term::Leaf(source))
    }

    fn form(parser: &mut Parser<'_, Rank>) -> Parsed<Rank> {
        Err(parser.expected("an operator"))
    }
}

fn unknown_name(name: &Mention, known: &[&str]) -> Diagnostic {
    let near = nearest_name(&name.name, known.iter().copied());
    let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
    let message = format!("unknown name '{}';{near} known: {}", name.name, known.join(", "));
    Diagnostic::error(name.span, message)
}

/// `keep [warp] NAME = NUMBER then EXPRESSION`, after its first word; the name is known inside its own expression.
fn keep(parser: &mut Parser<'_, Rank>) -> Result<Keep, Diagnostic> {
    let Some(mut name) = parser.word() else { return Err(parser.expected("the name of a kept value")) };
    let of_warp = name.name == "warp";
    if of_warp {
        name = parser.word().ok_or_else(|| parser.expected("the name of a kept value"))?;
    }
    let known = parser.dialect.names();
    if known.contains(&name.name.as_str()) {
        let message = format!("'{}' has a meaning already; known: {}", name.name, known.join(", "));
        return Err(Diagnostic::error(name.span, message));
    }
    if parser.dialect.kept.len() == MOST_KEPT {
        return Err(Diagnostic::error(name.span, format!("a formula keeps at most {MOST_KEPT} values")));
    }
    parser.need("=")?;
    let minus = parser.take("-");
    let whole = parser.number()?.whole.and_then(|whole| i64::try_from(whole).ok()).unwrap_or(0);
    let start = if minus { -whole } else { whole };
    parser.dialect.kept.push((name.name, of_warp));
    parser.need("then")?;
    let then = RankCode::compile(&parser.expression()?, Span::new(0, 0))?;
    parser.need(";")?;
    Ok(Keep { of_warp, start, then })
}

impl FromStr for RankFormula {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<RankFormula, Diagnostic> {
        let mut parser = Parser::new(text, Rank::default());
        let mut keeps = Vec::new();
        while parser.take("keep ") {
            keeps.push(keep(&mut parser)?);
        }
        // Only the rank of a warp can hold it back.
        parser.dialect.holds_back = false;
        let rank = RankCode::compile(&parser.last()?, Span::new(0, text.len()))?;
        Ok(RankFormula { text: text.to_owned(), keeps, rank, holds_back: parser.dialect.holds_back })
    }
}

written_as_text!(
    RankFormula,
    "rank",
    "A number for every warp that can issue, of which the lowest issues: \"select(issued_last, first, age)\"."
);

#[cfg(test)]
mod tests;

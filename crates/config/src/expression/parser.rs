//! Text to terms.

use super::{Literal, MathFunction, Operator, Term};
use warplab_diagnostics::{Diagnostic, Span, nearest_name};

/// The most brackets and signs inside each other, and the most operators in a row.
const DEEPEST: u32 = 64;

/// What one kind of expressions adds to the common syntax; the value is what its parser gathers on the way.
pub(crate) trait Dialect: Sized {
    /// What it adds to the terms.
    type Leaf;
    /// The functions that its numbers have.
    type Function: Copy;
    /// What its texts are called in messages.
    const NOUN: &'static str;
    /// What can stand where a number can, for messages.
    const OPERANDS: &'static str;
    /// What looks like a function and is none: the dialect reads its arguments itself. Empty where nothing does.
    const FORM: &'static str;

    /// The function as its own; none where its numbers lack it.
    fn own(function: MathFunction) -> Option<Self::Function>;
    /// The fault of a number that it has no place for.
    fn refuse(_: &Literal, _: Span) -> Option<Diagnostic> {
        None
    }

    /// What starts with another sign than a bracket, a digit or a letter; none where nothing does.
    fn sign(parser: &mut Parser<'_, Self>) -> Option<Parsed<Self>>;
    /// What a name means that no '(' follows.
    fn name(parser: &mut Parser<'_, Self>, name: Mention) -> Parsed<Self>;
    /// The arguments of [`Dialect::FORM`] and the closing bracket.
    fn form(parser: &mut Parser<'_, Self>) -> Parsed<Self>;
}

/// A term of a dialect.
type TermOf<D> = Term<<D as Dialect>::Leaf, <D as Dialect>::Function>;

/// A term or the first fault.
pub(crate) type Parsed<D> = Result<TermOf<D>, Diagnostic>;

/// A name in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The name.
    pub name: String,
    /// Where it stands in the text.
    pub span: Span,
}

/// Reads a whole text; also gives what the dialect has gathered.
pub(crate) fn parse<D: Dialect>(text: &str, dialect: D) -> Result<(TermOf<D>, D), Diagnostic> {
    let mut parser = Parser::new(text, dialect);
    let root = parser.last()?;
    Ok((root, parser.dialect))
}

/// A recursive-descent parser.
pub(crate) struct Parser<'a, D> {
    text: &'a str,
    at: usize,
    depth: u32,
    pub(crate) dialect: D,
}

impl<'a, D: Dialect> Parser<'a, D> {
    /// A parser at the start of a text.
    pub(crate) fn new(text: &'a str, dialect: D) -> Parser<'a, D> {
        Parser { text, at: 0, depth: 0, dialect }
    }

    /// The expression that ends the text.
    pub(crate) fn last(&mut self) -> Parsed<D> {
        let root = self.expression()?;
        self.spaces();
        if self.at < self.text.len() {
            return Err(self.expected(&format!("an operator or the end of the {}", D::NOUN)));
        }
        Ok(root)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// The fault that something else stands here.
    pub(crate) fn expected(&self, what: &str) -> Diagnostic {
        let next = self.rest().chars().next();
        let found =
            next.map_or_else(|| format!("the end of the {}", D::NOUN), |c| format!("'{}'", c.escape_debug()));
        let span = Span::new(self.at, self.at + next.map_or(0, char::len_utf8));
        Diagnostic::error(span, format!("expected {what}, found {found}"))
    }

    pub(crate) fn take(&mut self, token: &str) -> bool {
        self.spaces();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    pub(crate) fn need(&mut self, token: &str) -> Result<(), Diagnostic> {
        if self.take(token) { Ok(()) } else { Err(self.expected(&format!("'{token}'"))) }
    }

    /// Everything up to a character, which is skipped.
    pub(crate) fn until(&mut self, end: char) -> Option<Mention> {
        let (inside, _) = self.rest().split_once(end)?;
        let span = Span::new(self.at, self.at + inside.len());
        self.at += inside.len() + end.len_utf8();
        Some(Mention { name: inside.to_owned(), span })
    }

    pub(crate) fn word(&mut self) -> Option<Mention> {
        self.spaces();
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if end == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let span = Span::new(self.at, self.at + end);
        self.at += end;
        Some(Mention { name: rest[..end].to_owned(), span })
    }

    /// Counts brackets and signs, so that no text exhausts the stack.
    fn deeper(&mut self, inner: fn(&mut Self) -> Parsed<D>) -> Parsed<D> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.expected("fewer brackets"));
        }
        let parsed = inner(self);
        self.depth -= 1;
        parsed
    }

    pub(crate) fn expression(&mut self) -> Parsed<D> {
        self.deeper(|parser| parser.binary(&Operator::COMPARISONS, Self::sum))
    }

    fn sum(&mut self) -> Parsed<D> {
        self.binary(&Operator::SUMS, Self::product)
    }

    fn product(&mut self) -> Parsed<D> {
        self.binary(&Operator::PRODUCTS, Self::power)
    }

    fn binary(&mut self, operators: &[(&str, Operator)], next: fn(&mut Self) -> Parsed<D>) -> Parsed<D> {
        let mut left = next(self)?;
        let mut length = 0;
        while let Some(&(_, operator)) = operators.iter().find(|(token, _)| self.take(token)) {
            length += 1;
            if length > DEEPEST {
                return Err(self.expected(&format!("a shorter {}", D::NOUN)));
            }
            left = Term::Binary(operator, Box::new(left), Box::new(next(self)?));
        }
        Ok(left)
    }

    fn power(&mut self) -> Parsed<D> {
        let base = self.unary()?;
        if !self.take("^") {
            return Ok(base);
        }
        let exponent = self.deeper(Self::power)?;
        Ok(Term::Binary(Operator::Power, Box::new(base), Box::new(exponent)))
    }

    fn unary(&mut self) -> Parsed<D> {
        if self.take("-") {
            return Ok(Term::Negate(Box::new(self.deeper(Self::unary)?)));
        }
        if self.take("(") {
            let inner = self.expression()?;
            self.need(")")?;
            return Ok(inner);
        }
        if let Some(parsed) = D::sign(self) {
            return parsed;
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number().map(Term::Number);
        }
        let Some(name) = self.word() else { return Err(self.expected(D::OPERANDS)) };
        match self.take("(") {
            true if name.name == D::FORM => D::form(self),
            true => self.call(&name),
            false => D::name(self, name),
        }
    }

    pub(crate) fn number(&mut self) -> Result<Literal, Diagnostic> {
        self.spaces();
        let rest = self.rest();
        let mut end = 0;
        for (at, c) in rest.char_indices() {
            let after_exponent = at > 0 && matches!(rest.as_bytes()[at - 1], b'e' | b'E');
            let sign_of_exponent = matches!(c, '+' | '-') && after_exponent;
            if !(c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E') || sign_of_exponent) {
                break;
            }
            end = at + 1;
        }
        let (written, span) = (&rest[..end], Span::new(self.at, self.at + end));
        let (Ok(single), Ok(double)) = (written.parse(), written.parse()) else {
            return Err(Diagnostic::error(span, format!("'{written}' is not a number")));
        };
        self.at += end;
        let literal = Literal { whole: written.parse().ok(), single, double };
        D::refuse(&literal, span).map_or(Ok(literal), Err)
    }

    fn call(&mut self, function: &Mention) -> Parsed<D> {
        let name = function.name.as_str();
        let Some((_, known, count)) = functions::<D>().find(|(known, ..)| *known == name) else {
            return Err(unknown_function::<D>(function));
        };
        let mut arguments = vec![self.expression()?];
        while self.take(",") {
            arguments.push(self.expression()?);
        }
        self.need(")")?;
        if arguments.len() != count {
            let values = if count == 1 { "value" } else { "values" };
            let message = format!("'{name}' takes {count} {values}, not {}", arguments.len());
            return Err(Diagnostic::error(function.span, message));
        }
        Ok(Term::Call(known, arguments))
    }
}

/// The functions of a dialect, each with its name and how many numbers it takes.
fn functions<D: Dialect>() -> impl Iterator<Item = (&'static str, D::Function, usize)> {
    MathFunction::ALL.into_iter().filter_map(|(name, function, count)| Some((name, D::own(function)?, count)))
}

fn unknown_function<D: Dialect>(function: &Mention) -> Diagnostic {
    let name = function.name.as_str();
    let mut known: Vec<&str> = functions::<D>().map(|(known, ..)| known).chain([D::FORM]).collect();
    known.retain(|name| !name.is_empty());
    let near = nearest_name(name, known.iter().copied());
    let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
    let message = format!("unknown function '{name}';{near} known: {}", known.join(", "));
    Diagnostic::error(function.span, message)
}

//! Expressions of columns: what is computed from metrics, axes and earlier columns.
//!
//! ```text
//! expression = sum { ("==" | "<=" | "<" | ">=" | ">") sum }
//! sum        = product { ("+" | "-") product }
//! product    = power { ("*" | "/" | "%") power }
//! power      = unary [ "^" power ]
//! unary      = [ "-" ] ( number | name | "{" metric "}" | call | "(" expression ")" )
//! call       = ("min" | "max" | "abs" | "sqrt" | "log2" | "floor" | "ceil" | "round" | "select") "(" ... ")"
//!            | "at" "(" column "," axis "," ( number | "'" text "'" ) ")"     the column where the axis has that value
//! ```
//!
//! All numbers are of double precision; comparisons are 1 or 0.

use super::AxisValue;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::str::FromStr;
use warplab_diagnostics::{Diagnostic, Span, nearest_name};

/// An expression of a column, with its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Expression {
    text: String,
    pub(super) root: Term,
    names: Vec<Mention>,
    metrics: Vec<Mention>,
}

/// A name in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The name.
    pub name: String,
    /// Where it stands in the text.
    pub span: Span,
}

impl Expression {
    /// The expression as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The axes, constants and columns that it names.
    #[must_use]
    pub fn names(&self) -> &[Mention] {
        &self.names
    }

    /// The metrics that it names.
    #[must_use]
    pub fn metrics(&self) -> &[Mention] {
        &self.metrics
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Min,
    Max,
    Abs,
    Sqrt,
    Log2,
    Floor,
    Ceil,
    Round,
    Select,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    Number(f64),
    Name(String),
    Metric(String),
    At { column: String, axis: String, value: AxisValue },
    Negate(Box<Term>),
    Binary(Operator, Box<Term>, Box<Term>),
    Call(Function, Vec<Term>),
}

const FUNCTIONS: [(&str, Function, usize); 9] = [
    ("min", Function::Min, 2),
    ("max", Function::Max, 2),
    ("abs", Function::Abs, 1),
    ("sqrt", Function::Sqrt, 1),
    ("log2", Function::Log2, 1),
    ("floor", Function::Floor, 1),
    ("ceil", Function::Ceil, 1),
    ("round", Function::Round, 1),
    ("select", Function::Select, 3),
];
const DEEPEST: u32 = 64;

impl FromStr for Expression {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Expression, Diagnostic> {
        let mut parser = Parser { text, at: 0, depth: 0, names: Vec::new(), metrics: Vec::new() };
        let root = parser.comparison()?;
        parser.spaces();
        if parser.at < text.len() {
            return Err(parser.expected("an operator or the end of the expression"));
        }
        Ok(Expression { text: text.to_owned(), root, names: parser.names, metrics: parser.metrics })
    }
}

impl TryFrom<String> for Expression {
    type Error = String;
    fn try_from(text: String) -> Result<Expression, String> {
        text.parse().map_err(|fault: Diagnostic| fault.message)
    }
}

impl From<Expression> for String {
    fn from(expression: Expression) -> String {
        expression.text
    }
}

impl JsonSchema for Expression {
    fn schema_name() -> Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An expression of metrics in curly brackets, axes, constants and earlier columns.",
            "type": "string",
            "format": "expression",
        })
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    names: Vec<Mention>,
    metrics: Vec<Mention>,
}

type Parsed = Result<Term, Diagnostic>;

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let next = self.rest().chars().next();
        let found =
            next.map_or("the end of the expression".to_owned(), |c| format!("'{}'", c.escape_debug()));
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

    /// Counts brackets and signs, so that no text exhausts the stack.
    fn deeper(&mut self, inner: fn(&mut Self) -> Parsed) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.expected("fewer brackets"));
        }
        let parsed = inner(self);
        self.depth -= 1;
        parsed
    }

    fn word(&mut self) -> Option<Mention> {
        self.spaces();
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if end == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (name, start) = (rest[..end].to_owned(), self.at);
        self.at += end;
        Some(Mention { name, span: Span::new(start, start + end) })
    }

    fn binary(&mut self, operators: &[(&str, Operator)], next: fn(&mut Self) -> Parsed) -> Parsed {
        let mut left = next(self)?;
        let mut length = 0;
        while let Some(&(_, operator)) = operators.iter().find(|(token, _)| self.take(token)) {
            length += 1;
            if length > DEEPEST {
                return Err(self.expected("a shorter expression"));
            }
            left = Term::Binary(operator, Box::new(left), Box::new(next(self)?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Parsed {
        self.deeper(|parser| {
            let operators = [
                ("==", Operator::Equal),
                ("<=", Operator::LessOrEqual),
                ("<", Operator::Less),
                (">=", Operator::GreaterOrEqual),
                (">", Operator::Greater),
            ];
            parser.binary(&operators, Self::sum)
        })
    }

    fn sum(&mut self) -> Parsed {
        self.binary(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> Parsed {
        let operators = [("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];
        self.binary(&operators, Self::power)
    }

    fn power(&mut self) -> Parsed {
        let base = self.unary()?;
        if !self.take("^") {
            return Ok(base);
        }
        let exponent = self.deeper(Self::power)?;
        Ok(Term::Binary(Operator::Power, Box::new(base), Box::new(exponent)))
    }

    fn unary(&mut self) -> Parsed {
        if self.take("-") {
            return Ok(Term::Negate(Box::new(self.deeper(Self::unary)?)));
        }
        if self.take("(") {
            let inner = self.comparison()?;
            self.need(")")?;
            return Ok(inner);
        }
        if self.take("{") {
            return self.metric();
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number().map(Term::Number);
        }
        let Some(mention) = self.word() else {
            return Err(self.expected("a number, a name, a metric in curly brackets or '('"));
        };
        if self.take("(") {
            return self.call(&mention);
        }
        let name = mention.name.clone();
        self.names.push(mention);
        Ok(Term::Name(name))
    }

    fn metric(&mut self) -> Parsed {
        let Some(end) = self.rest().find('}') else { return Err(self.expected("a metric and '}'")) };
        let inside = &self.rest()[..end];
        let name = inside.trim().to_owned();
        let start = self.at + (inside.len() - inside.trim_start().len());
        let span = Span::new(start, start + name.len());
        self.at += end + 1;
        self.metrics.push(Mention { name: name.clone(), span });
        Ok(Term::Metric(name))
    }

    fn number(&mut self) -> Result<f64, Diagnostic> {
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
        let parsed = written.parse();
        let parsed = parsed.map_err(|_| Diagnostic::error(span, format!("'{written}' is not a number")))?;
        self.at += end;
        Ok(parsed)
    }

    fn call(&mut self, function: &Mention) -> Parsed {
        let name = function.name.as_str();
        if name == "at" {
            return self.elsewhere();
        }
        let Some(&(_, function, count)) = FUNCTIONS.iter().find(|(known, _, _)| *known == name) else {
            let known: Vec<&str> = FUNCTIONS.iter().map(|(known, _, _)| *known).chain(["at"]).collect();
            let near = nearest_name(name, known.iter().copied());
            let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
            let message = format!("unknown function '{name}';{near} known: {}", known.join(", "));
            return Err(Diagnostic::error(function.span, message));
        };
        let span = self.at;
        let mut arguments = vec![self.comparison()?];
        while self.take(",") {
            arguments.push(self.comparison()?);
        }
        self.need(")")?;
        if arguments.len() != count {
            let message = format!("'{name}' takes {count} values, not {}", arguments.len());
            return Err(Diagnostic::error(Span::new(span, self.at), message));
        }
        Ok(Term::Call(function, arguments))
    }

    /// The rest of `at(column, axis, value)`.
    fn elsewhere(&mut self) -> Parsed {
        let Some(column) = self.word() else { return Err(self.expected("the name of a column")) };
        self.need(",")?;
        let Some(axis) = self.word() else { return Err(self.expected("the name of an axis")) };
        self.need(",")?;
        self.spaces();
        let value = if self.take("'") {
            let Some(end) = self.rest().find('\'') else { return Err(self.expected("a text and '''")) };
            let text = self.rest()[..end].to_owned();
            self.at += end + 1;
            AxisValue::Text(text)
        } else {
            AxisValue::Number(self.number()?)
        };
        self.need(")")?;
        let term = Term::At { column: column.name.clone(), axis: axis.name.clone(), value };
        self.names.extend([column, axis]);
        Ok(term)
    }
}

#[cfg(test)]
mod tests {
    use super::Expression;

    fn fault(text: &str) -> String {
        text.parse::<Expression>().map(|_| ()).unwrap_err().message
    }

    #[test]
    fn names_and_metrics_are_listed_with_their_places() {
        let text = "at(time, size, 'one') / time + { sm__cycles_elapsed.max }";
        let expression: Expression = text.parse().unwrap();
        let names: Vec<&str> = expression.names().iter().map(|mention| mention.name.as_str()).collect();
        assert_eq!(names, ["time", "size", "time"]);
        let metric = &expression.metrics()[0];
        assert_eq!((metric.name.as_str(), metric.span.range()), ("sm__cycles_elapsed.max", 33..55));
        assert_eq!(&text[33..55], "sm__cycles_elapsed.max");
    }

    #[test]
    fn faults_say_what_was_expected_and_what_is_known() {
        assert_eq!(
            fault("flor(2)"),
            "unknown function 'flor'; did you mean 'floor'? known: min, max, abs, sqrt, log2, floor, ceil, round, select, at"
        );
        assert_eq!(
            fault("1 + "),
            "expected a number, a name, a metric in curly brackets or '(', found the end of the expression"
        );
        assert_eq!(fault("max(1)"), "'max' takes 2 values, not 1");
        assert_eq!(fault("{a"), "expected a metric and '}', found 'a'");
        assert_eq!(fault("1 2"), "expected an operator or the end of the expression, found '2'");
        assert_eq!(fault(&"(".repeat(9_999)), "expected fewer brackets, found '('");
        assert_eq!(fault(&"2^".repeat(9_999)), "expected fewer brackets, found '2'");
    }
}

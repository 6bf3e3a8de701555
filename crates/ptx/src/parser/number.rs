//! Literals and constant expressions.

use warplab_diagnostics::Diagnostic;

use super::{Parse, Parser};
use crate::lexer::TokenKind;
use crate::tree::{Immediate, low_word};

impl Parser<'_> {
    /// Whether a constant starts here.
    pub(super) fn at_constant(&self) -> bool {
        match self.kind() {
            TokenKind::Number
            | TokenKind::Decimal
            | TokenKind::Minus
            | TokenKind::Plus
            | TokenKind::Tilde
            | TokenKind::OpenParen => true,
            TokenKind::Bang => matches!(self.token(1).kind, TokenKind::Number | TokenKind::OpenParen),
            TokenKind::Word => self.word() == "WARP_SZ",
            _ => false,
        }
    }

    /// A constant expression.
    pub(super) fn constant(&mut self) -> Parse<Immediate> {
        self.binary(0)
    }

    /// A constant expression that is an integer.
    pub(super) fn integer(&mut self) -> Parse<i64> {
        let start = self.span();
        match self.constant()? {
            Immediate::Int(value) => Ok(value),
            _ => {
                let span = self.since(start);
                self.fail(Diagnostic::error(span, "expected an integer, found a float"))
            }
        }
    }

    /// An integer that fits 32 bits without sign, as directives want it; no expression.
    pub(super) fn count(&mut self, what: &str) -> Parse<u32> {
        let start = self.span();
        if !self.is(TokenKind::Number) {
            return self.expected(what);
        }
        let value = self.primary()?.as_int().and_then(|value| u32::try_from(value).ok());
        match value {
            Some(value) => Ok(value),
            None => {
                let found = self.text_of(start);
                self.fail(Diagnostic::error(start, format!("expected {what}, found '{found}'")))
            }
        }
    }

    fn binary(&mut self, least: u8) -> Parse<Immediate> {
        let start = self.span();
        let mut left = self.nested(Self::unary)?;
        while let Some((strength, operator, tokens)) =
            self.operator().filter(|&(strength, ..)| strength >= least)
        {
            for _ in 0..tokens {
                self.advance();
            }
            let right = self.nested(|parser| parser.binary(strength + 1))?;
            let span = self.since(start);
            left = match (left, right) {
                (Immediate::Int(a), Immediate::Int(b)) => match apply(operator, a, b) {
                    Some(value) => Immediate::Int(value),
                    None => return self.fail(Diagnostic::error(span, "division by zero in a constant")),
                },
                (a, b) => match apply_float(operator, a.as_double(), b.as_double()) {
                    Some(value) => Immediate::F64(value.to_bits()),
                    None => return self.fail(Diagnostic::error(span, "this operator needs integers")),
                },
            };
        }
        Ok(left)
    }

    /// The binary operator here: how strongly it binds, itself, and how many tokens it is.
    fn operator(&self) -> Option<(u8, char, u32)> {
        let adjacent = self.token(1).span.start == self.span().end;
        Some(match self.kind() {
            TokenKind::Pipe => (1, '|', 1),
            TokenKind::Caret => (2, '^', 1),
            TokenKind::Ampersand => (3, '&', 1),
            TokenKind::Less if adjacent && self.token(1).kind == TokenKind::Less => (4, '<', 2),
            TokenKind::Greater if adjacent && self.token(1).kind == TokenKind::Greater => (4, '>', 2),
            TokenKind::Plus => (5, '+', 1),
            TokenKind::Minus => (5, '-', 1),
            TokenKind::Star => (6, '*', 1),
            TokenKind::Slash => (6, '/', 1),
            TokenKind::Percent => (6, '%', 1),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parse<Immediate> {
        let token = self.token(0);
        match token.kind {
            TokenKind::Minus => {
                self.advance();
                Ok(match self.nested(Self::unary)? {
                    Immediate::Int(value) => Immediate::Int(value.wrapping_neg()),
                    Immediate::F32(bits) => Immediate::F32(bits ^ 1 << 31),
                    Immediate::F64(bits) => Immediate::F64(bits ^ 1 << 63),
                })
            }
            TokenKind::Plus => {
                self.advance();
                self.nested(Self::unary)
            }
            TokenKind::Tilde | TokenKind::Bang => {
                self.advance();
                match (self.nested(Self::unary)?, token.kind) {
                    (Immediate::Int(value), TokenKind::Tilde) => Ok(Immediate::Int(!value)),
                    (Immediate::Int(value), _) => Ok(Immediate::Int(i64::from(value == 0))),
                    _ => self.fail(Diagnostic::error(token.span, "this operator needs an integer")),
                }
            }
            _ => self.primary(),
        }
    }

    fn primary(&mut self) -> Parse<Immediate> {
        let span = self.span();
        let text = self.word();
        let value = match self.kind() {
            TokenKind::OpenParen => {
                self.advance();
                let value = self.nested(Self::constant)?;
                self.expect(TokenKind::CloseParen, "')'")?;
                return Ok(value);
            }
            TokenKind::Word if text == "WARP_SZ" => Some(Immediate::Int(32)),
            TokenKind::Number => number(text),
            TokenKind::Decimal => text.parse::<f64>().ok().map(|value| Immediate::F64(value.to_bits())),
            _ => return self.expected("a constant"),
        };
        self.advance();
        match value {
            Some(value) => Ok(value),
            None => self.fail(Diagnostic::error(span, format!("'{text}' is not a number")).with_help(
                "numbers are written 12, 0x1F, 017, 0b101, 12U, 1.5, 0f3F800000 or 0d3FF0000000000000",
            )),
        }
    }
}

impl Immediate {
    fn as_double(self) -> f64 {
        match self {
            Immediate::Int(value) => value as f64,
            other => f64::from_bits(other.f64_bits()),
        }
    }
}

/// The value of an integer or a hexadecimal float.
fn number(text: &str) -> Option<Immediate> {
    let (prefix, rest) = text.split_at_checked(2).unwrap_or((text, ""));
    match prefix {
        "0f" | "0F" if rest.len() == 8 => return u32::from_str_radix(rest, 16).ok().map(Immediate::F32),
        "0d" | "0D" if rest.len() == 16 => return u64::from_str_radix(rest, 16).ok().map(Immediate::F64),
        _ => {}
    }
    let digits = text.strip_suffix('U').unwrap_or(text);
    let value = match prefix {
        "0x" | "0X" => u64::from_str_radix(digits.get(2..)?, 16),
        "0b" | "0B" => u64::from_str_radix(digits.get(2..)?, 2),
        _ if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8),
        _ => digits.parse(),
    };
    value.ok().map(|bits| Immediate::Int(bits.cast_signed()))
}

fn apply(operator: char, a: i64, b: i64) -> Option<i64> {
    Some(match operator {
        '|' => a | b,
        '^' => a ^ b,
        '&' => a & b,
        '<' => a.wrapping_shl(low_word(b)),
        '>' => a.wrapping_shr(low_word(b)),
        '+' => a.wrapping_add(b),
        '-' => a.wrapping_sub(b),
        '*' => a.wrapping_mul(b),
        '/' if b != 0 => a.wrapping_div(b),
        '%' if b != 0 => a.wrapping_rem(b),
        _ => return None,
    })
}

fn apply_float(operator: char, a: f64, b: f64) -> Option<f64> {
    match operator {
        '+' => Some(a + b),
        '-' => Some(a - b),
        '*' => Some(a * b),
        '/' => Some(a / b),
        _ => None,
    }
}

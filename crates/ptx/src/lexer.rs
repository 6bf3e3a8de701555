//! Text to tokens.

use logos::Logos;
use warplab_diagnostics::{Diagnostic, Span};

/// The kind of a token; its text is found by its span.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f\x0B]+")]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
#[logos(skip(r"(//|#)[^\n]*", allow_greedy = true))]
pub(crate) enum TokenKind {
    /// A name, an opcode or the first part of one.
    #[regex(r"[a-zA-Z][a-zA-Z0-9_$]*|[_$%][a-zA-Z0-9_$]+|_")]
    Word,
    /// A directive or modifier with its dot.
    #[regex(r"\.([a-zA-Z_][a-zA-Z0-9_]*|[1-5]d)(::[a-zA-Z0-9_]+)*")]
    Dotted,
    /// An integer or a float in hexadecimal, `0f...` and `0d...`.
    #[regex(r"[0-9][0-9a-zA-Z_]*")]
    Number,
    /// A float in decimal.
    #[regex(
        r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+",
        priority = 20
    )]
    Decimal,
    /// A text in quotes.
    #[regex(r#""([^"\\\n]|\\.)*""#)]
    Text,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("!")]
    Bang,
    #[token("~")]
    Tilde,
    #[token("@")]
    At,
    #[token("|")]
    Pipe,
    #[token("&")]
    Ampersand,
    #[token("^")]
    Caret,
    #[token("=")]
    Equals,
    /// A comment that is never closed.
    #[token("/*")]
    OpenComment,
    /// The end of the text; the last token, and the only one of its kind.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Where it stands.
    pub(crate) span: Span,
}

/// The tokens of a text, ending with `End`; bytes that start no token are reported and left out.
pub(crate) fn tokens(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 6);
    let mut wrong: Option<Span> = None;
    for (kind, range) in TokenKind::lexer(text).spanned() {
        let span = Span::new(range.start, range.end);
        match kind {
            Ok(TokenKind::OpenComment) => {
                diagnostics
                    .push(Diagnostic::error(span, "comment is never closed").with_help("close it with '*/'"));
                break;
            }
            Ok(kind) => tokens.push(Token { kind, span }),
            Err(()) => {
                let joined = wrong.filter(|before| before.end == span.start);
                if let Some(before) = wrong.filter(|_| joined.is_none()) {
                    diagnostics.push(unexpected(text, before));
                }
                wrong = Some(joined.map_or(span, |before| before.to(span)));
            }
        }
    }
    diagnostics.extend(wrong.map(|span| unexpected(text, span)));
    tokens.push(Token { kind: TokenKind::End, span: Span::new(text.len(), text.len()) });
    tokens
}

fn unexpected(text: &str, span: Span) -> Diagnostic {
    let what: String = text.get(span.range()).unwrap_or_default().chars().take(12).collect();
    if what.starts_with('"') {
        return Diagnostic::error(span, "text is never closed")
            .with_help("close it with '\"' on the same line");
    }
    Diagnostic::error(span, format!("unexpected text {what:?}")).with_label("no token of PTX starts so")
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, tokens};

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut diagnostics = Vec::new();
        let kinds = tokens(text, &mut diagnostics).iter().map(|token| token.kind).collect();
        assert_eq!(diagnostics, []);
        kinds
    }

    #[test]
    fn an_opcode_is_a_word_and_its_dotted_parts() {
        use TokenKind::{CloseBracket, Comma, Dotted, End, OpenBracket, Semicolon, Word};
        assert_eq!(
            kinds("ld.global.L2::128B.f32 %f1, [$x_1];"),
            [Word, Dotted, Dotted, Dotted, Word, Comma, OpenBracket, Word, CloseBracket, Semicolon, End]
        );
    }

    #[test]
    fn numbers_of_every_form_are_one_token() {
        use TokenKind::{Decimal, End, Number};
        assert_eq!(
            kinds("0x1F 017U 0b101 12 0f3F800000 0d3FF0000000000000 1.5 2e10 1.0e-3 /* c */ .5 // end"),
            [Number, Number, Number, Number, Number, Number, Decimal, Decimal, Decimal, Decimal, End]
        );
    }
}

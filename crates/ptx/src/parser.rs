//! Tokens to a tree, by recursive descent.
//!
//! A function that meets a fault reports it and returns [`Skip`]; the nearest loop over statements or directives then
//! skips to where the next one starts.

mod declaration;
mod function;
mod instruction;
mod module;
mod number;
mod operand;
mod statement;

use rustc_hash::FxHashMap;
use warplab_diagnostics::{Diagnostic, Span, nearest_name};

use crate::lexer::{Token, TokenKind};
use crate::scopes::Scopes;
use crate::tree::{Name, SourceFile};

pub(crate) use module::module;

/// A fault has been reported; what was being read is given up.
pub(crate) struct Skip;

/// What a function reads, unless it met a fault.
type Parse<T> = Result<T, Skip>;

/// How deep blocks, vectors and expressions may nest.
const MAX_DEPTH: u32 = 100;

/// The state of the parser.
pub(crate) struct Parser<'s> {
    text: &'s str,
    tokens: Vec<Token>,
    at: usize,
    diagnostics: Vec<Diagnostic>,
    names: FxHashMap<&'s str, Name>,
    /// Tells registers without `%` from variables.
    scopes: Scopes<'s>,
    /// Braces open inside the statement being read.
    braces: u32,
    depth: u32,
    /// The token at which a block without its end has been reported.
    unclosed: Option<usize>,
    files: Vec<SourceFile>,
}

impl<'s> Parser<'s> {
    /// A parser at the first token.
    pub(crate) fn new(text: &'s str, tokens: Vec<Token>, diagnostics: Vec<Diagnostic>) -> Parser<'s> {
        Parser {
            text,
            tokens,
            at: 0,
            diagnostics,
            names: FxHashMap::default(),
            scopes: Scopes::default(),
            braces: 0,
            depth: 0,
            unclosed: None,
            files: Vec::new(),
        }
    }

    /// What was wrong so far.
    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    fn token(&self, ahead: usize) -> Token {
        // The last token is `End`, so there always is one.
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> TokenKind {
        self.token(0).kind
    }

    fn span(&self) -> Span {
        self.token(0).span
    }

    fn is(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn text_of(&self, span: Span) -> &'s str {
        self.text.get(span.range()).unwrap_or_default()
    }

    fn word(&self) -> &'s str {
        self.text_of(self.span())
    }

    /// Whether the token is a dotted word of this text, dot included.
    fn is_dotted(&self, text: &str) -> bool {
        self.is(TokenKind::Dotted) && self.word() == text
    }

    fn advance(&mut self) -> Token {
        let token = self.token(0);
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.is(kind);
        if found {
            self.advance();
        }
        found
    }

    fn eat_dotted(&mut self, text: &str) -> bool {
        let found = self.is_dotted(text);
        if found {
            self.advance();
        }
        found
    }

    /// The end of the token before this one.
    fn previous_end(&self) -> Span {
        self.at.checked_sub(1).map_or_else(Span::default, |before| self.tokens[before].span)
    }

    /// The span from a start to the end of the last token read.
    fn since(&self, start: Span) -> Span {
        start.to(self.previous_end().max_by_end(start))
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        Err(Skip)
    }

    /// Reports that something else was expected here.
    fn expected<T>(&mut self, what: &str) -> Parse<T> {
        let diagnostic = Diagnostic::error(self.span(), format!("expected {what}, found {}", self.found()));
        self.fail(diagnostic)
    }

    /// The current token in words.
    fn found(&self) -> String {
        match self.kind() {
            TokenKind::End => "the end of the file".to_string(),
            _ => format!("'{}'", self.word().chars().take(40).collect::<String>()),
        }
    }

    fn expect(&mut self, kind: TokenKind, what: &str) -> Parse<Token> {
        if self.is(kind) { Ok(self.advance()) } else { self.expected(what) }
    }

    /// Reads `;`. A missing one at the end of a line is reported and taken as written.
    fn semicolon(&mut self) -> Parse<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let before = self.previous_end();
        let between = self.text.get(before.end as usize..self.span().start as usize).unwrap_or_default();
        if between.contains('\n') || matches!(self.kind(), TokenKind::CloseBrace | TokenKind::End) {
            self.report(Diagnostic::error(before, "missing ';'").with_label("expected ';' after this"));
            return Ok(());
        }
        self.expected("';'")
    }

    fn name(&mut self, what: &str) -> Parse<(Name, Span)> {
        let token = self.expect(TokenKind::Word, what)?;
        Ok((self.intern(self.text_of(token.span)), token.span))
    }

    fn intern(&mut self, text: &'s str) -> Name {
        self.names.entry(text).or_insert_with(|| Name::from(text)).clone()
    }

    /// Runs a reader one level deeper; reports if that is too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.span();
            return self.fail(Diagnostic::error(span, format!("nesting is deeper than {MAX_DEPTH}")));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Skips to after the next `;`, or to the `}` that closes the block.
    fn skip_statement(&mut self) {
        loop {
            match self.kind() {
                TokenKind::End => break,
                TokenKind::Semicolon => {
                    self.advance();
                    break;
                }
                TokenKind::OpenBrace => self.braces += 1,
                TokenKind::CloseBrace if self.braces == 0 => break,
                TokenKind::CloseBrace => self.braces -= 1,
                TokenKind::Dotted if matches!(self.word(), ".entry" | ".func" | ".visible") => break,
                _ => {}
            }
            self.advance();
        }
        self.braces = 0;
    }

    /// Skips from `{` to after its `}`.
    fn skip_braces(&mut self) {
        let mut depth = 0_u32;
        loop {
            match self.advance().kind {
                TokenKind::End => break,
                TokenKind::OpenBrace => depth += 1,
                TokenKind::CloseBrace if depth <= 1 => break,
                TokenKind::CloseBrace => depth -= 1,
                _ => {}
            }
        }
    }

    /// An unknown word, with the nearest known one as advice.
    fn unknown<'a>(
        &self,
        span: Span,
        message: String,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Diagnostic {
        let diagnostic = Diagnostic::error(span, message);
        let wrong = self.text_of(span);
        match nearest_name(wrong, known) {
            Some(near) => diagnostic.with_help(format!("did you mean '{near}'?")),
            None => diagnostic,
        }
    }
}

/// The later of two spans.
trait ByEnd {
    fn max_by_end(self, other: Span) -> Span;
}

impl ByEnd for Span {
    fn max_by_end(self, other: Span) -> Span {
        if self.end >= other.end { self } else { other }
    }
}

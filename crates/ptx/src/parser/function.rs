//! Headers of functions.

use warplab_diagnostics::{Diagnostic, Span};

use super::{Parse, Parser};
use crate::lexer::TokenKind;
use crate::tree::{At, Attribute, Function, FunctionKind, Linkage};

/// Directives that may stand between a header and its body.
const ATTRIBUTES: &[&str] = &[
    ".maxntid",
    ".reqntid",
    ".minnctapersm",
    ".maxnctapersm",
    ".maxnreg",
    ".reqnctapercluster",
    ".maxclusterrank",
    ".explicitcluster",
    ".blocksareclusters",
    ".noreturn",
    ".pragma",
];

impl Parser<'_> {
    /// A function after `.entry` or `.func`.
    pub(super) fn function(&mut self, kind: FunctionKind, linkage: Linkage, start: Span) -> Parse<Function> {
        self.scopes.open();
        let result = self.function_parts(kind, linkage, start);
        self.scopes.close();
        result
    }

    fn function_parts(&mut self, kind: FunctionKind, linkage: Linkage, start: Span) -> Parse<Function> {
        let returns = if self.eat(TokenKind::OpenParen) { self.parameters()? } else { Vec::new() };
        let (name, name_span) = self.name("the name of the function")?;
        let parameters = if self.eat(TokenKind::OpenParen) { self.parameters()? } else { Vec::new() };
        let mut attributes = Vec::new();
        while self.is(TokenKind::Dotted) && !self.at_item() {
            attributes.push(self.attribute()?);
        }
        let span = At(self.since(start));
        let body = if self.is(TokenKind::OpenBrace) {
            Some(self.block()?)
        } else {
            self.semicolon()?;
            None
        };
        let name_span = At(name_span);
        Ok(Function { kind, linkage, name, returns, parameters, attributes, body, span, name_span })
    }

    fn attribute(&mut self) -> Parse<Attribute> {
        let span = self.span();
        let text = self.word();
        if !ATTRIBUTES.contains(&text) {
            let diagnostic = self.unknown(
                span,
                format!("unknown directive '{text}' of a function"),
                ATTRIBUTES.iter().copied(),
            );
            return self.fail(diagnostic);
        }
        self.advance();
        Ok(match text {
            ".maxntid" => Attribute::MaxThreads(self.positive_extents(text)?),
            ".reqntid" => Attribute::RequiredThreads(self.positive_extents(text)?),
            ".reqnctapercluster" => Attribute::RequiredCluster(self.extents()?),
            ".minnctapersm" => Attribute::MinBlocks(self.positive(text, "a number of blocks")?),
            ".maxnctapersm" => Attribute::MaxBlocks(self.positive(text, "a number of blocks")?),
            ".maxnreg" => Attribute::MaxRegisters(self.positive(text, "a number of registers")?),
            ".maxclusterrank" => Attribute::MaxClusterRank(self.count("a number of blocks")?),
            ".explicitcluster" => Attribute::ExplicitCluster,
            ".blocksareclusters" => Attribute::BlocksAreClusters,
            ".noreturn" => Attribute::NoReturn,
            _ => {
                let texts = self.texts()?;
                self.eat(TokenKind::Semicolon);
                Attribute::Pragma(texts)
            }
        })
    }

    /// A number after a directive that takes no zero.
    fn positive(&mut self, directive: &str, what: &str) -> Parse<u32> {
        let span = self.span();
        let count = self.count(what)?;
        self.refuse_zero(directive, span, count);
        Ok(count)
    }

    /// One to three extents after a directive that takes no zero.
    fn positive_extents(&mut self, directive: &str) -> Parse<Vec<u32>> {
        let span = self.span();
        let extents = self.extents()?;
        self.refuse_zero(directive, self.since(span), extents.iter().copied().min().unwrap_or(1));
        Ok(extents)
    }

    fn refuse_zero(&mut self, directive: &str, span: Span, least: u32) {
        if least == 0 {
            self.report(Diagnostic::error(span, format!("'{directive}' needs numbers from 1 on, found 0")));
        }
    }

    /// One to three extents.
    fn extents(&mut self) -> Parse<Vec<u32>> {
        let start = self.span();
        let mut extents = vec![self.count("an extent")?];
        while self.eat(TokenKind::Comma) {
            extents.push(self.count("an extent")?);
        }
        if extents.len() > 3 {
            let span = self.since(start);
            self.report(Diagnostic::error(span, format!("at most three extents, found {}", extents.len())));
        }
        Ok(extents)
    }
}

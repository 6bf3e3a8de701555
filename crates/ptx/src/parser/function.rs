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
            ".maxntid" => Attribute::MaxThreads(self.extents()?),
            ".reqntid" => Attribute::RequiredThreads(self.extents()?),
            ".reqnctapercluster" => Attribute::RequiredCluster(self.extents()?),
            ".minnctapersm" => Attribute::MinBlocks(self.count("a number of blocks")?),
            ".maxnctapersm" => Attribute::MaxBlocks(self.count("a number of blocks")?),
            ".maxnreg" => Attribute::MaxRegisters(self.count("a number of registers")?),
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

//! Directives of module scope.

use warplab_diagnostics::{Diagnostic, Span};

use super::{Parse, Parser};
use crate::lexer::TokenKind;
use crate::tree::{Alias, At, FunctionKind, Item, Module, SourceFile, Space, Version};

/// Directives that start something of module scope.
const DIRECTIVES: &[&str] = &[
    ".version",
    ".target",
    ".address_size",
    ".file",
    ".section",
    ".pragma",
    ".alias",
    ".extern",
    ".visible",
    ".weak",
    ".common",
    ".entry",
    ".func",
    ".global",
    ".const",
    ".shared",
];

/// Reads a whole module.
pub(crate) fn module(parser: &mut Parser<'_>) -> Module {
    let mut module = Module::default();
    while !parser.is(TokenKind::End) {
        if parser.item(&mut module).is_err() {
            parser.skip_item();
        }
    }
    module.files = std::mem::take(&mut parser.files);
    module
}

impl Parser<'_> {
    /// Whether something of module scope starts here.
    pub(super) fn at_item(&self) -> bool {
        self.is(TokenKind::Dotted) && self.word() != ".pragma" && DIRECTIVES.contains(&self.word())
    }

    fn item(&mut self, module: &mut Module) -> Parse<()> {
        match self.kind() {
            TokenKind::Semicolon => {
                self.advance();
                Ok(())
            }
            TokenKind::Dotted => self.module_directive(module),
            TokenKind::At => {
                // '@@DWARF ...' of old files: a line of debug data.
                self.skip_debug_line();
                Ok(())
            }
            _ => {
                let result = self.expected("a directive such as '.version' or '.visible .entry'");
                if !self.is(TokenKind::OpenBrace) {
                    self.advance();
                }
                result
            }
        }
    }

    fn module_directive(&mut self, module: &mut Module) -> Parse<()> {
        let start = self.span();
        match self.word() {
            ".version" => module.version = Some(self.version()?),
            ".target" => self.target(module)?,
            ".address_size" => {
                self.advance();
                module.address_size = Some(self.address_size()?);
            }
            ".file" => self.source_file()?,
            ".section" => self.section(),
            ".loc" => {
                self.location()?;
            }
            ".pragma" => module.items.push(Item::Pragma(self.pragma()?)),
            ".alias" => module.items.push(Item::Alias(self.alias()?)),
            _ => self.declaration(module, start)?,
        }
        Ok(())
    }

    /// A variable or function with its linkage.
    fn declaration(&mut self, module: &mut Module, start: Span) -> Parse<()> {
        let linkage = self.linkage();
        let kind = match self.word() {
            ".entry" => FunctionKind::Entry,
            ".func" => FunctionKind::Func,
            _ => {
                let Some(space) = self.space_ahead().filter(|&space| space != Space::Reg) else {
                    return self.unknown_directive();
                };
                self.advance();
                let variables = self.variables(linkage, space)?;
                module.items.extend(variables.into_iter().map(Item::Variable));
                return Ok(());
            }
        };
        self.advance();
        if self.eat_dotted(".attribute") && self.is(TokenKind::OpenParen) {
            while !matches!(self.advance().kind, TokenKind::CloseParen | TokenKind::End) {}
        }
        module.items.push(Item::Function(self.function(kind, linkage, start)?));
        Ok(())
    }

    fn unknown_directive<T>(&mut self) -> Parse<T> {
        if !self.is(TokenKind::Dotted) {
            return self.expected("a variable or function");
        }
        let message = format!("unknown directive '{}'", self.word());
        let diagnostic = self.unknown(self.span(), message, DIRECTIVES.iter().copied());
        self.advance();
        self.fail(diagnostic)
    }

    fn version(&mut self) -> Parse<Version> {
        self.advance();
        let span = self.span();
        let text = self.word();
        let version = text.split_once('.').and_then(|(major, minor)| {
            Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
        });
        match version.filter(|_| self.is(TokenKind::Decimal)) {
            Some(version) => {
                self.advance();
                Ok(version)
            }
            None => {
                let found = self.found();
                self.fail(Diagnostic::error(span, format!("expected a version such as 9.0, found {found}")))
            }
        }
    }

    fn target(&mut self, module: &mut Module) -> Parse<()> {
        self.advance();
        module.target.clear();
        loop {
            module.target.push(self.name("a target such as sm_90")?.0);
            if !self.eat(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    fn address_size(&mut self) -> Parse<u32> {
        let span = self.span();
        let size = self.count("an address size")?;
        if size != 64 {
            self.report(
                Diagnostic::error(span, format!("address size {size} is not supported"))
                    .with_help("write '.address_size 64'"),
            );
        }
        Ok(size)
    }

    /// `.file 1 "path", time, size`
    pub(super) fn source_file(&mut self) -> Parse<()> {
        self.advance();
        let index = self.count("a file number")?;
        let path = self.quoted()?;
        let stamp = if self.eat(TokenKind::Comma) {
            let time = self.integer()?;
            self.expect(TokenKind::Comma, "','")?;
            Some((time.cast_unsigned(), self.integer()?.cast_unsigned()))
        } else {
            None
        };
        self.eat(TokenKind::Semicolon);
        self.files.push(SourceFile { index, path, stamp });
        Ok(())
    }

    /// `.section .debug_info { ... }`, skipped.
    pub(super) fn section(&mut self) {
        self.advance();
        if self.is(TokenKind::Dotted) || self.is(TokenKind::Word) {
            self.advance();
        }
        if self.is(TokenKind::OpenBrace) {
            self.skip_braces();
        }
    }

    fn alias(&mut self) -> Parse<Alias> {
        let start = self.advance().span;
        let (name, _) = self.name("a name")?;
        self.expect(TokenKind::Comma, "','")?;
        let (target, _) = self.name("a function")?;
        self.semicolon()?;
        Ok(Alias { name, target, span: At(self.since(start)) })
    }

    fn skip_debug_line(&mut self) {
        let start = self.span().start as usize;
        let line =
            self.text.get(start..).and_then(|rest| rest.find('\n')).map_or(self.text.len(), |at| start + at);
        while !self.is(TokenKind::End) && (self.span().start as usize) < line {
            self.advance();
        }
    }

    /// Skips to where something of module scope may start.
    fn skip_item(&mut self) {
        self.braces = 0;
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::OpenBrace => {
                    self.skip_braces();
                    return;
                }
                TokenKind::Semicolon | TokenKind::CloseBrace => {
                    self.advance();
                    return;
                }
                _ if self.at_item() => return,
                _ => {
                    self.advance();
                }
            }
        }
    }
}

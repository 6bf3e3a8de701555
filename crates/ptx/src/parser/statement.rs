//! Statements of a function.

use warplab_diagnostics::{Diagnostic, Span};

use super::{Parse, Parser};
use crate::lexer::TokenKind;
use crate::tree::{
    At, Block, BranchTargets, CallPrototype, CallTargets, InlinedAt, Label, Linkage, Location, Name, Pragma,
    Space, Statement,
};

/// Directives that may stand in a function.
const DIRECTIVES: &[&str] =
    &[".reg", ".param", ".local", ".shared", ".const", ".global", ".loc", ".pragma", ".file", ".section"];

impl Parser<'_> {
    /// A block from its opening brace to its closing one.
    pub(super) fn block(&mut self) -> Parse<Block> {
        let open = self.expect(TokenKind::OpenBrace, "'{'")?.span;
        self.scopes.open();
        let mut statements = Vec::new();
        loop {
            match self.kind() {
                TokenKind::CloseBrace => {
                    self.advance();
                    break;
                }
                TokenKind::End => {
                    self.unclosed(open);
                    break;
                }
                TokenKind::Dotted if matches!(self.word(), ".entry" | ".func" | ".visible") => {
                    self.unclosed(open);
                    break;
                }
                _ => {
                    if self.statement(&mut statements).is_err() {
                        self.skip_statement();
                    }
                }
            }
        }
        self.scopes.close();
        Ok(Block { statements, span: At(self.since(open)) })
    }

    /// Reports the innermost of the blocks that are open where the function ends.
    fn unclosed(&mut self, open: Span) {
        if self.unclosed.replace(self.at) == Some(self.at) {
            return;
        }
        self.report(Diagnostic::error(open, "block is never closed").with_label("this '{' has no '}'"));
    }

    fn statement(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        match self.kind() {
            TokenKind::Semicolon => {
                self.advance();
            }
            TokenKind::OpenBrace => statements.push(Statement::Block(self.nested(Self::block)?)),
            TokenKind::Dotted => self.directive(statements)?,
            TokenKind::Word if self.token(1).kind == TokenKind::Colon => statements.push(self.label()?),
            TokenKind::Word | TokenKind::At => statements.push(Statement::Instruction(self.instruction()?)),
            _ => {
                let result = self.expected("an instruction or directive");
                self.advance();
                return result;
            }
        }
        Ok(())
    }

    fn directive(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        let start = self.span();
        let linkage = self.linkage();
        if let Some(space) = self.space() {
            if space == Space::Reg {
                statements.push(Statement::Registers(self.register_declaration()?));
            } else {
                statements.extend(self.variables(linkage, space)?.into_iter().map(Statement::Variable));
            }
            return Ok(());
        }
        match self.word() {
            ".loc" => statements.push(Statement::Location(self.location()?)),
            ".pragma" => statements.push(Statement::Pragma(self.pragma()?)),
            ".file" => self.source_file()?,
            ".section" => self.section(),
            ".branchtargets" | ".calltargets" | ".callprototype" => {
                let message = format!("'{}' needs a label before it", self.word());
                return self
                    .fail(Diagnostic::error(start, message).with_help("write 'name: .branchtargets ...'"));
            }
            other => {
                let message = format!("unknown directive '{other}'");
                let diagnostic = self.unknown(self.span(), message, DIRECTIVES.iter().copied());
                return self.fail(diagnostic);
            }
        }
        Ok(())
    }

    /// `name:` and the directives that need a name.
    fn label(&mut self) -> Parse<Statement> {
        let (name, span) = self.name("a label")?;
        self.advance();
        if self.eat_dotted(".branchtargets") {
            let targets = self.name_list()?;
            return Ok(Statement::BranchTargets(BranchTargets { name, targets, span: At(self.since(span)) }));
        }
        if self.eat_dotted(".calltargets") {
            let targets = self.name_list()?;
            return Ok(Statement::CallTargets(CallTargets { name, targets, span: At(self.since(span)) }));
        }
        if self.eat_dotted(".callprototype") {
            return self.prototype(name, span);
        }
        Ok(Statement::Label(Label { name, span: At(span) }))
    }

    fn name_list(&mut self) -> Parse<Vec<Name>> {
        let mut names = vec![self.name("a name")?.0];
        while self.eat(TokenKind::Comma) {
            names.push(self.name("a name")?.0);
        }
        self.semicolon()?;
        Ok(names)
    }

    /// `(.param .b32 _) _ (.param .b64 _);` after `.callprototype`.
    fn prototype(&mut self, name: Name, start: Span) -> Parse<Statement> {
        self.scopes.open();
        let result = self.prototype_parts();
        self.scopes.close();
        let (returns, parameters) = result?;
        let no_return = self.eat_dotted(".noreturn");
        self.semicolon()?;
        let span = At(self.since(start));
        Ok(Statement::CallPrototype(CallPrototype { name, returns, parameters, no_return, span }))
    }

    fn prototype_parts(&mut self) -> Parse<(Vec<crate::tree::Variable>, Vec<crate::tree::Variable>)> {
        let returns = if self.eat(TokenKind::OpenParen) { self.parameters()? } else { Vec::new() };
        self.expect(TokenKind::Word, "'_'")?;
        let parameters = if self.eat(TokenKind::OpenParen) { self.parameters()? } else { Vec::new() };
        Ok((returns, parameters))
    }

    /// `.loc 1 12 3, function_name $L__info0, inlined_at 1 40 5` without a semicolon.
    pub(super) fn location(&mut self) -> Parse<Location> {
        let start = self.advance().span;
        let file = self.count("a file number")?;
        let line = self.count("a line")?;
        let column = self.count("a column")?;
        let inlined = if self.eat(TokenKind::Comma) { Some(self.inlined()?) } else { None };
        self.eat(TokenKind::Semicolon);
        Ok(Location { file, line, column, inlined, span: At(self.since(start)) })
    }

    fn inlined(&mut self) -> Parse<InlinedAt> {
        self.keyword("function_name")?;
        let (function, _) = self.name("a label")?;
        let offset = self.offset()?;
        self.expect(TokenKind::Comma, "','")?;
        self.keyword("inlined_at")?;
        let file = self.count("a file number")?;
        let line = self.count("a line")?;
        let column = self.count("a column")?;
        Ok(InlinedAt { function, offset, file, line, column })
    }

    fn keyword(&mut self, word: &str) -> Parse<()> {
        if self.is(TokenKind::Word) && self.word() == word {
            self.advance();
            return Ok(());
        }
        self.expected(&format!("'{word}'"))
    }

    /// `.pragma "a", "b";`
    pub(super) fn pragma(&mut self) -> Parse<Pragma> {
        let start = self.advance().span;
        let texts = self.texts()?;
        self.semicolon()?;
        Ok(Pragma { texts, span: At(self.since(start)) })
    }

    /// Texts in quotes, separated by commas.
    pub(super) fn texts(&mut self) -> Parse<Vec<String>> {
        let mut texts = vec![self.quoted()?];
        while self.eat(TokenKind::Comma) {
            texts.push(self.quoted()?);
        }
        Ok(texts)
    }

    /// A text in quotes, as written between them.
    pub(super) fn quoted(&mut self) -> Parse<String> {
        let span = self.expect(TokenKind::Text, "a text in quotes")?.span;
        let text = self.text_of(span);
        Ok(text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).to_string())
    }

    /// The linkage of a declaration, if one is written.
    pub(super) fn linkage(&mut self) -> Linkage {
        let mut linkage = Linkage::Internal;
        while self.is(TokenKind::Dotted) {
            linkage = match self.word() {
                ".extern" => Linkage::Extern,
                ".visible" => Linkage::Visible,
                ".weak" => Linkage::Weak,
                ".common" => Linkage::Common,
                _ => break,
            };
            self.advance();
        }
        linkage
    }
}

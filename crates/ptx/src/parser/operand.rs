//! Operands.

use warplab_diagnostics::Diagnostic;

use super::{Parse, Parser};
use crate::lexer::TokenKind;
use crate::tree::{Address, Base, Component, Operand, Part, Special};

impl Parser<'_> {
    /// One operand that is not a label.
    pub(super) fn operand(&mut self) -> Parse<Operand> {
        let first = self.single()?;
        if !self.is(TokenKind::Pipe)
            || !matches!(first, Operand::Register(_) | Operand::Sink | Operand::Symbol { .. })
        {
            return Ok(first);
        }
        self.advance();
        Ok(Operand::Pair(Box::new(first), Box::new(self.single()?)))
    }

    fn single(&mut self) -> Parse<Operand> {
        match self.kind() {
            TokenKind::OpenBrace => self.vector(),
            TokenKind::OpenBracket => self.place(),
            TokenKind::Bang if self.token(1).kind == TokenKind::Word => {
                self.advance();
                Ok(Operand::Negated(self.name("a predicate register")?.0))
            }
            _ if self.at_constant() => self.constant().map(Operand::Immediate),
            TokenKind::Word => self.named(),
            _ => self.expected("an operand"),
        }
    }

    /// `[base+offset]`, or `[map+offset, {x, y}]`, from the opening bracket.
    fn place(&mut self) -> Parse<Operand> {
        let address = self.base_and_offset()?;
        if !self.is(TokenKind::Comma) {
            self.expect(TokenKind::CloseBracket, "']'")?;
            return Ok(Operand::Address(address));
        }
        self.advance();
        if !self.is(TokenKind::OpenBrace) {
            return self.expected("the coordinates of a box in braces");
        }
        let at = self.vector()?;
        self.expect(TokenKind::CloseBracket, "']'")?;
        Ok(Operand::Tensor(address, at.elements().to_vec()))
    }

    /// `{a, b}` from the opening brace.
    fn vector(&mut self) -> Parse<Operand> {
        self.advance();
        self.braces += 1;
        let mut elements = Vec::new();
        loop {
            elements.push(self.nested(Self::single)?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::CloseBrace, "',' or '}'")?;
        self.braces -= 1;
        Ok(Operand::Vector(elements))
    }

    /// `(a, b)` from the opening parenthesis.
    pub(super) fn list(&mut self) -> Parse<Operand> {
        self.advance();
        let mut elements = Vec::new();
        while !self.eat(TokenKind::CloseParen) {
            elements.push(self.nested(Self::single)?);
            if !self.is(TokenKind::CloseParen) {
                self.expect(TokenKind::Comma, "',' or ')'")?;
            }
        }
        Ok(Operand::List(elements))
    }

    /// `[base+offset]` from the opening bracket.
    fn base_and_offset(&mut self) -> Parse<Address> {
        self.advance();
        let address = if self.is(TokenKind::Word) && !self.at_constant() {
            let is_register = self.is_register(self.word());
            let name = self.name("a register or variable")?.0;
            let base = if is_register { Base::Register(name) } else { Base::Symbol(name) };
            Address { base, offset: self.address_offset()? }
        } else {
            Address { base: Base::Absolute, offset: self.integer()? }
        };
        Ok(address)
    }

    fn address_offset(&mut self) -> Parse<i64> {
        if self.is(TokenKind::Plus) && self.token(1).kind == TokenKind::Word {
            let span = self.token(1).span;
            if self.text_of(span) != "WARP_SZ" {
                return self.fail(
                    Diagnostic::error(span, "an address offset must be a constant")
                        .with_help("add the registers with an instruction first"),
                );
            }
        }
        self.offset()
    }

    /// Whether a word is a register rather than a variable.
    fn is_register(&self, word: &str) -> bool {
        word.starts_with('%') || self.scopes.lookup(word).is_some()
    }

    /// A register, special register, symbol or `_`.
    fn named(&mut self) -> Parse<Operand> {
        let text = self.word();
        let (name, _) = self.name("an operand")?;
        if text == "_" {
            return Ok(Operand::Sink);
        }
        if let Some(register) = Special::from_name(text).filter(|_| text.starts_with('%')) {
            return Ok(Operand::Special { register, component: self.component()? });
        }
        if self.is_register(text) {
            if let Some(part) = self.part() {
                return Ok(Operand::Part { register: name, part });
            }
            return Ok(match self.component()? {
                Some(component) => Operand::Component { register: name, component },
                None => Operand::Register(name),
            });
        }
        Ok(Operand::Symbol { name, offset: self.offset()? })
    }

    /// `.h0` and its like, if it follows.
    fn part(&mut self) -> Option<Part> {
        let part = self.is(TokenKind::Dotted).then(|| Part::from_name(&self.word()[1..])).flatten();
        if part.is_some() {
            self.advance();
        }
        part
    }

    /// `.x` and its like, if it follows.
    fn component(&mut self) -> Parse<Option<Component>> {
        if !self.is(TokenKind::Dotted) {
            return Ok(None);
        }
        let component = match self.word() {
            ".x" | ".r" => Component::X,
            ".y" | ".g" => Component::Y,
            ".z" | ".b" => Component::Z,
            ".w" | ".a" => Component::W,
            other => {
                let diagnostic = Diagnostic::error(self.span(), format!("unknown component '{other}'"))
                    .with_help("components are .x, .y, .z and .w");
                return self.fail(diagnostic);
            }
        };
        self.advance();
        Ok(Some(component))
    }
}

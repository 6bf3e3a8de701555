//! Variables, parameters and registers.

use warplab_diagnostics::{Diagnostic, Span};

use super::{Parse, Parser};
use crate::lexer::TokenKind;
use crate::scopes::RegisterType;
use crate::tree::{
    At, Initialiser, Linkage, Name, Pointer, RegisterDeclaration, RegisterName, Space, Type, Variable, Vector,
};

/// What comes before the name of a variable.
#[derive(Clone, Copy)]
struct Prefix {
    align: Option<u32>,
    ty: Type,
    vector: Option<Vector>,
    pointer: Option<Pointer>,
}

impl Parser<'_> {
    /// The space of a declaration, `.shared` and its like; reads it.
    pub(super) fn space(&mut self) -> Option<Space> {
        let space = self.space_ahead()?;
        self.advance();
        Some(space)
    }

    /// The space of a declaration, if one starts here.
    pub(super) fn space_ahead(&self) -> Option<Space> {
        let space = self
            .word()
            .strip_prefix('.')
            .filter(|_| self.is(TokenKind::Dotted))
            .and_then(Space::from_name)?;
        matches!(
            space,
            Space::Reg | Space::Param | Space::Const | Space::Local | Space::Shared | Space::Global
        )
        .then_some(space)
    }

    /// `.shared .align 4 .b8 a[16], b;` after the space.
    pub(super) fn variables(&mut self, linkage: Linkage, space: Space) -> Parse<Vec<Variable>> {
        let start = self.previous_end();
        let prefix = self.prefix()?;
        let mut variables = Vec::new();
        loop {
            variables.push(self.declarator(linkage, space, prefix, start)?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.semicolon()?;
        Ok(variables)
    }

    /// `(.param .u64 a, .reg .b32 b)` after the opening parenthesis.
    pub(super) fn parameters(&mut self) -> Parse<Vec<Variable>> {
        let mut parameters = Vec::new();
        while !self.eat(TokenKind::CloseParen) {
            let start = self.span();
            let Some(space @ (Space::Param | Space::Reg)) = self.space() else {
                return self.expected("'.param' or '.reg'");
            };
            let prefix = self.prefix()?;
            if space == Space::Reg {
                let register = RegisterType { ty: prefix.ty, vector: prefix.vector };
                self.scopes.declare(self.word(), register, None);
            }
            parameters.push(self.declarator(Linkage::Internal, space, prefix, start)?);
            if !self.is(TokenKind::CloseParen) {
                self.expect(TokenKind::Comma, "',' or ')'")?;
            }
        }
        Ok(parameters)
    }

    /// Alignment, type, vector and pointer attributes, in any order.
    fn prefix(&mut self) -> Parse<Prefix> {
        let (mut align, mut ty, mut vector, mut pointer) = (None, None, None, None::<Pointer>);
        while self.is(TokenKind::Dotted) {
            let text = &self.word()[1..];
            if text == "align" {
                self.advance();
                let span = self.span();
                let value = self.count("an alignment")?;
                if !value.is_power_of_two() {
                    self.report(Diagnostic::error(span, format!("alignment {value} is not a power of two")));
                }
                match &mut pointer {
                    Some(pointer) => pointer.align = Some(value),
                    None => align = Some(value),
                }
                continue;
            }
            if let Some(found) = Type::from_name(text) {
                ty = Some(found);
            } else if let Some(found) = Vector::from_name(text) {
                vector = Some(found);
            } else if text == "ptr" {
                pointer = Some(Pointer { space: None, align: None });
            } else if let (Some(pointer), Some(space)) = (&mut pointer, Space::from_name(text)) {
                pointer.space = Some(space);
            } else if text != "attribute" {
                let known = Type::ALL.iter().map(|ty| ty.name()).chain(["align", "v2", "v4", "ptr"]);
                let known: Vec<String> = known.map(|name| format!(".{name}")).collect();
                let message = format!("unknown type '.{text}'");
                let diagnostic = self.unknown(self.span(), message, known.iter().map(String::as_str));
                return self.fail(diagnostic);
            }
            self.advance();
            if text == "attribute" && self.eat(TokenKind::OpenParen) {
                while !matches!(self.kind(), TokenKind::CloseParen | TokenKind::Semicolon | TokenKind::End) {
                    self.advance();
                }
                self.expect(TokenKind::CloseParen, "')'")?;
            }
        }
        match ty {
            Some(ty) => Ok(Prefix { align, ty, vector, pointer }),
            None => self.expected("a type"),
        }
    }

    /// A name with its dimensions and initial value.
    fn declarator(&mut self, linkage: Linkage, space: Space, prefix: Prefix, start: Span) -> Parse<Variable> {
        let (name, _) = self.name("a name")?;
        let name = if &*name == "_" { Name::from("") } else { name };
        let mut dims = Vec::new();
        while self.eat(TokenKind::OpenBracket) {
            dims.push(if self.is(TokenKind::CloseBracket) { None } else { Some(self.dimension()?) });
            self.expect(TokenKind::CloseBracket, "']'")?;
        }
        let initialiser =
            if self.eat(TokenKind::Equals) { Some(self.nested(Self::initialiser)?) } else { None };
        let span = At(self.since(start));
        let Prefix { align, ty, vector, pointer } = prefix;
        Ok(Variable { linkage, space, align, ty, vector, pointer, name, dims, initialiser, span })
    }

    fn dimension(&mut self) -> Parse<u64> {
        let start = self.span();
        let size = self.integer()?;
        match u64::try_from(size) {
            Ok(size) => Ok(size),
            Err(_) => {
                let span = self.since(start);
                self.fail(Diagnostic::error(span, format!("an array cannot have {size} elements")))
            }
        }
    }

    fn initialiser(&mut self) -> Parse<Initialiser> {
        if self.eat(TokenKind::OpenBrace) {
            self.braces += 1;
            let mut list = Vec::new();
            while !self.is(TokenKind::CloseBrace) {
                list.push(self.nested(Self::initialiser)?);
                if !self.is(TokenKind::CloseBrace) {
                    self.expect(TokenKind::Comma, "',' or '}'")?;
                }
            }
            self.advance();
            self.braces -= 1;
            return Ok(Initialiser::List(list));
        }
        if self.at_constant() || !self.is(TokenKind::Word) {
            return self.constant().map(Initialiser::Value);
        }
        let generic = self.word() == "generic" && self.token(1).kind == TokenKind::OpenParen;
        if generic {
            self.advance();
            self.advance();
        }
        let (name, _) = self.name("a name")?;
        let mut offset = self.offset()?;
        if generic {
            self.expect(TokenKind::CloseParen, "')'")?;
            offset = offset.wrapping_add(self.offset()?);
        }
        Ok(Initialiser::Symbol { name, offset, generic })
    }

    /// `+4`, `-4`, `+-4` or nothing.
    pub(super) fn offset(&mut self) -> Parse<i64> {
        match self.kind() {
            TokenKind::Plus => {
                self.advance();
                self.integer()
            }
            TokenKind::Minus => self.integer(),
            _ => Ok(0),
        }
    }

    /// `.reg .b32 %r<8>, t;` after `.reg`.
    pub(super) fn register_declaration(&mut self) -> Parse<RegisterDeclaration> {
        let start = self.previous_end();
        let prefix = self.prefix()?;
        let mut names = Vec::new();
        loop {
            let (name, span) = self.name("a register name")?;
            let count = if self.eat(TokenKind::Less) {
                let count = self.count("a number of registers")?;
                self.expect(TokenKind::Greater, "'>'")?;
                Some(count)
            } else {
                None
            };
            let register = RegisterType { ty: prefix.ty, vector: prefix.vector };
            self.scopes.declare(self.text_of(span), register, count);
            names.push(RegisterName { name, count, span: At(self.since(span)) });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.semicolon()?;
        Ok(RegisterDeclaration { ty: prefix.ty, vector: prefix.vector, names, span: At(self.since(start)) })
    }
}

//! Instructions.

use warplab_diagnostics::{Diagnostic, Span, nearest_name};

use super::{Parse, Parser};
use crate::lexer::TokenKind;
use crate::spec::{Role, Spec, UNSUPPORTED, all_modifier_names};
use crate::tree::{At, Guard, Instruction, Modifier, Opcode, Operand};

impl Parser<'_> {
    /// An instruction from its guard or opcode to its semicolon.
    pub(super) fn instruction(&mut self) -> Parse<Instruction> {
        let start = self.span();
        let guard = if self.eat(TokenKind::At) { Some(self.guard()?) } else { None };
        let opcode = self.opcode()?;
        let spec = Spec::of(opcode);
        let modifiers = self.modifiers(spec)?;
        let (operands, operand_spans) = self.operands(spec)?;
        self.semicolon()?;
        let span = At(self.since(start));
        Ok(Instruction { guard, opcode, modifiers, operands, operand_spans, span })
    }

    fn guard(&mut self) -> Parse<Guard> {
        let negated = self.eat(TokenKind::Bang);
        let (register, _) = self.name("a predicate register")?;
        Ok(Guard { negated, register })
    }

    fn opcode(&mut self) -> Parse<Opcode> {
        let token = self.expect(TokenKind::Word, "an instruction")?;
        let text = self.text_of(token.span);
        if let Some(opcode) = Opcode::from_name(text) {
            return Ok(opcode);
        }
        if UNSUPPORTED.contains(&text) {
            let diagnostic = Diagnostic::error(token.span, format!("instruction '{text}' is not supported"));
            return self.fail(diagnostic);
        }
        let names = Opcode::ALL.iter().map(|opcode| opcode.name());
        let diagnostic = self.unknown(token.span, format!("unknown instruction '{text}'"), names);
        self.fail(diagnostic)
    }

    /// The dotted parts. Those that the opcode does not allow are reported and left out.
    fn modifiers(&mut self, spec: &Spec) -> Parse<Vec<Modifier>> {
        let mut modifiers = Vec::with_capacity(4);
        while self.is(TokenKind::Dotted) {
            let span = self.advance().span;
            let text = &self.text_of(span)[1..];
            match spec.modifier(text) {
                Some(modifier) => modifiers.push(modifier),
                None => self.wrong_modifier(spec, text, span),
            }
        }
        Ok(modifiers)
    }

    fn wrong_modifier(&mut self, spec: &Spec, text: &str, span: Span) {
        let opcode = spec.opcode;
        let allowed: Vec<&str> = spec.allowed().into_iter().map(Modifier::name).collect();
        let known = all_modifier_names().any(|name| name == text);
        let message = if known {
            format!("'{opcode}' does not take '.{text}'")
        } else {
            format!("unknown modifier '.{text}' of '{opcode}'")
        };
        let near = nearest_name(text, allowed.iter().copied());
        let help = match near {
            _ if allowed.is_empty() => format!("'{opcode}' takes no modifiers"),
            Some(near) if !known => format!("did you mean '.{near}'?"),
            _ => format!("'{opcode}' takes .{}", allowed.join(" .")),
        };
        self.report(Diagnostic::error(span, message).with_help(help));
    }

    fn operands(&mut self, spec: &Spec) -> Parse<(Vec<Operand>, Vec<At>)> {
        let (mut operands, mut spans) = (Vec::with_capacity(4), Vec::with_capacity(4));
        if self.is(TokenKind::Semicolon) {
            return Ok((operands, spans));
        }
        if spec.operands.is_empty() && self.at_next_line() {
            return Ok((operands, spans));
        }
        let (mut roles, _) = spec.roles();
        loop {
            let start = self.span();
            let role = roles.next();
            let operand = match role {
                _ if spec.opcode == Opcode::Call => self.call_operand(&operands)?,
                Some(Role::Label) if self.is(TokenKind::Word) => Operand::Label(self.name("a label")?.0),
                Some(Role::Label) => return self.expected("a label"),
                _ => self.operand()?,
            };
            operands.push(if takes_lone_elements(spec.opcode) { lone_element(operand) } else { operand });
            spans.push(At(self.since(start)));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok((operands, spans))
    }

    /// Whether the current token stands on a later line than the one before.
    fn at_next_line(&self) -> bool {
        let between = self.previous_end().end as usize..self.span().start as usize;
        self.text.get(between).is_some_and(|text| text.contains('\n'))
    }

    /// An operand of a call: a list, the function, and after the arguments a prototype.
    fn call_operand(&mut self, before: &[Operand]) -> Parse<Operand> {
        if self.is(TokenKind::OpenParen) {
            return self.list();
        }
        let has_target = before.iter().any(|operand| !matches!(operand, Operand::List(_)));
        if has_target && self.is(TokenKind::Word) {
            return Ok(Operand::Label(self.name("a prototype")?.0));
        }
        self.operand()
    }
}

/// Whether braces round a single operand mean nothing, as Triton writes them.
fn takes_lone_elements(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Ld | Opcode::St | Opcode::Mov | Opcode::Atom | Opcode::Red)
}

/// `a` for `{a}`.
fn lone_element(operand: Operand) -> Operand {
    match operand {
        Operand::Vector(mut elements) if elements.len() == 1 => elements.remove(0),
        other => other,
    }
}

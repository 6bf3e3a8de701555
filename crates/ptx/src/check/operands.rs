//! Whether an instruction has the operands that its opcode wants: number, kinds and names.

use warplab_diagnostics::{Diagnostic, Span};

use super::Checker;
use crate::spec::{Role, Spec};
use crate::tree::{Address, Base, Flag, Immediate, Instruction, Opcode, Operand, Operation, Scope, Type};

impl<'a> Checker<'a, '_> {
    /// Checks number, kinds, names and, if the modifiers are right, types of the operands.
    pub(super) fn operands(&mut self, instruction: &'a Instruction, is_well_formed: bool) {
        let spec = Spec::of(instruction.opcode);
        let (mut roles, required) = spec.roles();
        if instruction.opcode == Opcode::Call {
            roles.by_ref().for_each(drop);
        } else {
            self.operand_count(instruction, spec, required);
        }
        for (index, operand) in instruction.operands.iter().enumerate() {
            let span = instruction.operand_span(index);
            let role = match roles.next().unwrap_or(Role::Any) {
                // Only a comparison has two values.
                Role::Source if index == 3 && exchanges_or_computes(instruction) => Role::Policy,
                // What is told where the bytes have come.
                Role::Policy if instruction.flag(Flag::Async) => Role::Address,
                role => role,
            };
            self.names(operand, span);
            if self.kind(instruction, role, operand, span) && is_well_formed {
                self.types(instruction, role, operand, span);
            }
        }
    }

    fn operand_count(&mut self, instruction: &Instruction, spec: &Spec, required: usize) {
        let roles = || spec.roles().0;
        let (least, most) = counts(instruction).unwrap_or_else(|| (required, roles().count()));
        let count = instruction.operands.len();
        if (least..=most).contains(&count) {
            return;
        }
        let wanted = match (least, most) {
            (0, 0) => "no operands".to_string(),
            (1, 1) => "1 operand".to_string(),
            (a, b) if a == b => format!("{a} operands"),
            (a, b) => format!("{a} to {b} operands"),
        };
        let message = format!("'{}' takes {wanted}, found {count}", instruction.mnemonic());
        let list: Vec<&str> = roles().take(least).map(Role::describe).collect();
        self.report(Diagnostic::error(*instruction.span, message).with_help(list.join(", then ")));
    }

    /// Reports names that are not declared, and special registers used as they cannot be.
    fn names(&mut self, operand: &'a Operand, span: Span) {
        match operand {
            Operand::Register(name)
            | Operand::Negated(name)
            | Operand::Component { register: name, .. }
            | Operand::Part { register: name, .. } => {
                self.register(name, span);
            }
            Operand::Symbol { name, .. } => self.symbol(name, span),
            Operand::Label(name) => self.label(name, span),
            Operand::Address(address) => self.address_names(address, span),
            Operand::Tensor(map, at) => {
                self.address_names(map, span);
                at.iter().for_each(|coordinate| self.names(coordinate, span));
            }
            Operand::Vector(elements) | Operand::List(elements) => {
                elements.iter().for_each(|element| self.names(element, span));
            }
            Operand::Pair(first, second) => {
                self.names(first, span);
                self.names(second, span);
            }
            Operand::Special { register, component } => {
                let (message, help) = match (register.is_vector(), component) {
                    (false, Some(component)) => {
                        (format!("'{register}' has no '.{component}'"), String::new())
                    }
                    (true, None) => {
                        (format!("'{register}' lacks a component"), format!("write '{register}.x'"))
                    }
                    _ => return,
                };
                self.report(Diagnostic::error(span, message).with_help(help));
            }
            Operand::Immediate(_) | Operand::Sink => {}
        }
    }

    fn address_names(&mut self, address: &'a Address, span: Span) {
        match &address.base {
            Base::Register(name) => self.address_register(name, span),
            Base::Symbol(name) => self.symbol(name, span),
            Base::Absolute => {}
        }
    }

    fn address_register(&mut self, name: &'a str, span: Span) {
        let Some(register) = self.register(name, span) else { return };
        let ty = register.ty;
        if !matches!(ty.bits(), 32 | 64) || ty.is_float() {
            let message = format!("'{name}' cannot be an address: it is .{ty}");
            self.report(
                Diagnostic::error(span, message).with_help("addresses are integers of 32 or 64 bits"),
            );
        }
    }

    /// Whether the operand is of a kind that may stand here; reports if not.
    fn kind(&mut self, instruction: &Instruction, role: Role, operand: &Operand, span: Span) -> bool {
        let vectors = instruction.vector().is_some() || instruction.opcode == Opcode::Mov;
        let register = matches!(operand, Operand::Register(_) | Operand::Component { .. });
        let part = matches!(operand, Operand::Part { .. })
            && matches!(instruction.opcode, Opcode::Vmad | Opcode::Vset);
        let vector = vectors && matches!(operand, Operand::Vector(_));
        let pair = matches!(operand, Operand::Pair(..));
        let sink = matches!(operand, Operand::Sink);
        let negated = matches!(operand, Operand::Negated(_));
        let value =
            matches!(operand, Operand::Immediate(_) | Operand::Special { .. } | Operand::Symbol { .. });
        let fits = match role {
            Role::Any => true,
            Role::Result | Role::Result32 | Role::Loaded => register || vector || sink,
            Role::ResultPair | Role::ResultPredicate => register || pair || sink,
            Role::Source | Role::SourceFirst | Role::SourceWide | Role::Stored => {
                register || vector || value || (negated && instruction.ty() == Some(Type::Pred))
            }
            Role::Source32 => register || value || part,
            Role::SourcePredicate => register || value || negated,
            Role::Policy => register || matches!(operand, Operand::Immediate(_)),
            Role::Address => matches!(operand, Operand::Address(_)),
            Role::Label => matches!(operand, Operand::Label(_)),
            Role::Constant => matches!(operand, Operand::Immediate(Immediate::Int(_))),
        };
        // A name that is declared nowhere has been reported already, with better words.
        let known = !matches!(operand, Operand::Symbol { name, .. } if self.reported.contains(&**name));
        if !fits && known {
            let shown = crate::printer::operand_text(operand);
            let message =
                format!("'{}' takes {} here, not '{shown}'", instruction.mnemonic(), role.describe());
            self.report(Diagnostic::error(span, message));
        }
        fits
    }
}

/// Whether it is an atomic operation without a value to compare with.
fn exchanges_or_computes(instruction: &Instruction) -> bool {
    instruction.opcode == Opcode::Atom && instruction.operation() != Some(Operation::Cas)
}

/// The least and the greatest number of operands, where the modifiers decide it.
fn counts(instruction: &Instruction) -> Option<(usize, usize)> {
    let flag = |flag| instruction.flag(flag);
    let combines = instruction.operation().is_some();
    Some(match instruction.opcode {
        Opcode::Setp | Opcode::Set if combines => (4, 4),
        Opcode::Setp | Opcode::Set => (3, 3),
        Opcode::Atom if exchanges_or_computes(instruction) => (3, 4),
        Opcode::Atom => (4, 5),
        Opcode::Shfl if flag(Flag::Sync) => (5, 5),
        Opcode::Shfl => (4, 4),
        Opcode::Vote if flag(Flag::Sync) => (3, 3),
        Opcode::Vote => (2, 2),
        Opcode::Cvt if !flag(Flag::Pack) => (2, 3),
        Opcode::Barrier if instruction.scope() == Some(Scope::Cluster) => (0, 0),
        Opcode::Bar | Opcode::Barrier if flag(Flag::Red) => (3, 4),
        Opcode::Bar if flag(Flag::Warp) => (1, 1),
        Opcode::Bar | Opcode::Barrier if flag(Flag::Arrive) => (2, 2),
        Opcode::Bar | Opcode::Barrier => (1, 2),
        Opcode::Mbarrier if flag(Flag::Inval) => (1, 1),
        Opcode::Mbarrier if flag(Flag::TryWait) => (3, 4),
        Opcode::Mbarrier if flag(Flag::TestWait) => (3, 3),
        Opcode::Mbarrier if flag(Flag::ArriveDrop) || flag(Flag::Arrive) => (2, 3),
        Opcode::Mbarrier => (2, 2),
        Opcode::Wgmma if flag(Flag::MmaAsync) => (4, 10),
        Opcode::Wgmma if flag(Flag::WaitGroup) => (1, 1),
        Opcode::Wgmma => (0, 0),
        Opcode::Cp if flag(Flag::Mbarrier) => (1, 1),
        Opcode::Cp if flag(Flag::Tensor) && flag(Flag::Prefetch) => (1, 3),
        Opcode::Cp if flag(Flag::Tensor) => (2, 6),
        Opcode::Cp if flag(Flag::Bulk) && flag(Flag::Prefetch) => (2, 3),
        Opcode::Cp if flag(Flag::Bulk) && !flag(Flag::WaitGroup) && !flag(Flag::CommitGroup) => (3, 6),
        Opcode::Cp if flag(Flag::WaitGroup) => (1, 1),
        Opcode::Cp if flag(Flag::CommitGroup) || flag(Flag::WaitAll) => (0, 0),
        Opcode::Cp => (3, 5),
        _ => return None,
    })
}

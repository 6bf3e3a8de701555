//! Whether the operands of an instruction have the types that it wants.

use warplab_diagnostics::{Diagnostic, Span};

use super::Checker;
use super::agreement::{agrees, agrees_widened};
use crate::scopes::RegisterType;
use crate::spec::Role;
use crate::tree::{Flag, Half, Immediate, Instruction, Opcode, Operand, Type};

/// A type that an operand must have.
#[derive(Clone, Copy)]
struct Wanted {
    ty: Type,
    /// Whether a register may be wider.
    widened: bool,
}

impl<'a> Checker<'a, '_> {
    /// Checks the type of an operand against its role.
    pub(super) fn types(&mut self, instruction: &Instruction, role: Role, operand: &'a Operand, span: Span) {
        let Some(wanted) = wanted(instruction, role) else { return };
        match operand {
            Operand::Pair(first, second) => {
                self.fits(instruction, wanted, first, span);
                self.fits(instruction, Wanted { ty: Type::Pred, widened: false }, second, span);
            }
            Operand::Vector(elements) => match instruction.vector() {
                None => self.packing(instruction, wanted.ty, elements, span),
                Some(vector) => {
                    let (lanes, found) = (vector.lanes() as usize, elements.len());
                    if found != lanes {
                        let message =
                            format!("'{}' moves {lanes} elements, found {found}", instruction.mnemonic());
                        self.report(Diagnostic::error(span, message));
                    }
                    elements.iter().for_each(|element| self.fits(instruction, wanted, element, span));
                }
            },
            other => self.fits(instruction, wanted, other, span),
        }
    }

    /// `mov.b64 {a, b}, c`: the elements together must be as wide as the type.
    fn packing(&mut self, instruction: &Instruction, wanted: Type, elements: &'a [Operand], span: Span) {
        let lanes = u32::try_from(elements.len()).unwrap_or(u32::MAX);
        let share = wanted.bits() / lanes.max(1);
        let wrong = elements.iter().filter_map(|element| self.register_of(element));
        let wrong = wrong.into_iter().find(|(_, register)| register.ty.bits() != share);
        if let Some((name, register)) = wrong {
            let message = format!(
                "'{}' wants {} registers of {share} bits here, but '{name}' is .{}",
                instruction.mnemonic(),
                elements.len(),
                register.ty
            );
            self.report(Diagnostic::error(span, message));
        }
    }

    fn register_of(&self, operand: &'a Operand) -> Option<(&'a str, RegisterType)> {
        match operand {
            Operand::Register(name) | Operand::Negated(name) => Some((name, self.scopes.lookup(name)?)),
            Operand::Component { register, .. } | Operand::Part { register, .. } => {
                let found = self.scopes.lookup(register)?;
                Some((register, RegisterType { vector: None, ..found }))
            }
            _ => None,
        }
    }

    fn fits(&mut self, instruction: &Instruction, wanted: Wanted, operand: &'a Operand, span: Span) {
        if let Operand::Immediate(value) = operand {
            self.constant_fits(instruction, wanted.ty, *value, span);
            return;
        }
        let Some((name, register)) = self.register_of(operand) else { return };
        let takes_vectors = instruction.vector().is_some() || instruction.opcode == Opcode::Mov;
        if register.vector.is_some() && takes_vectors {
            return;
        }
        let Wanted { ty, widened } = wanted;
        if if widened { agrees_widened(register.ty, ty) } else { agrees(register.ty, ty) } {
            return;
        }
        let message =
            format!("'{}' wants .{ty} here, but '{name}' is .{}", instruction.mnemonic(), register.ty);
        let help = if register.ty.bits() == ty.bits() {
            format!("move its bits with 'mov.b{}' to a register of that type", ty.bits())
        } else {
            "convert it with 'cvt', or change the type of the instruction".to_string()
        };
        self.report(Diagnostic::error(span, message).with_help(help));
    }

    fn constant_fits(&mut self, instruction: &Instruction, wanted: Type, value: Immediate, span: Span) {
        let is_float = !matches!(value, Immediate::Int(_));
        let name = instruction.mnemonic();
        if is_float && (wanted.is_integer() || wanted == Type::Pred) {
            self.report(Diagnostic::error(span, format!("'{name}' wants .{wanted} here, not a float")));
        } else if !is_float && matches!(wanted, Type::F32 | Type::F64) {
            self.report(
                Diagnostic::error(span, format!("'{name}' wants .{wanted} here, not an integer"))
                    .with_help("write it with a point, as in 1.0, or in bits, as in 0f3F800000"),
            );
        }
    }
}

/// The type that an operand in a role must have.
fn wanted(instruction: &Instruction, role: Role) -> Option<Wanted> {
    let opcode = instruction.opcode;
    let exact = |ty: Type| Some(Wanted { ty, widened: false });
    let packed = opcode == Opcode::Cvt && instruction.flag(Flag::Pack);
    let relaxed = |ty: Type| Some(Wanted { ty, widened: opcode == Opcode::Cvt });
    match role {
        Role::ResultPair if matches!(opcode, Opcode::Match | Opcode::Elect) => exact(Type::B32),
        Role::Result if packed => exact(Type::B32),
        Role::Source if packed => None,
        Role::Result | Role::ResultPair | Role::SourceWide if instruction.half() == Some(Half::Wide) => {
            exact(doubled(instruction.ty()?))
        }
        Role::Result | Role::ResultPair | Role::SourceWide | Role::SourceFirst => relaxed(instruction.ty()?),
        Role::Source => relaxed(instruction.source_type()?),
        Role::Loaded | Role::Stored => Some(Wanted { ty: instruction.ty()?, widened: true }),
        Role::Result32 | Role::Source32 => exact(Type::B32),
        Role::ResultPredicate | Role::SourcePredicate => exact(Type::Pred),
        Role::Policy => exact(Type::B64),
        Role::Address | Role::Label | Role::Constant | Role::Any => None,
    }
}

fn doubled(ty: Type) -> Type {
    match ty {
        Type::U16 => Type::U32,
        Type::S16 => Type::S32,
        Type::U32 => Type::U64,
        Type::S32 => Type::S64,
        other => other,
    }
}

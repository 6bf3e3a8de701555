//! Atomics and reductions.

use super::Selector;
use crate::flat::{Flat, Value};
use warplab_program::{Instruction, Modifier, Opcode, Operand, Register};
use warplab_ptx::tree::{self, Flag, Operation, Scope, Semantics, Space, Type};

use super::memory::Window;
use Modifier as M;

impl Selector<'_, '_> {
    pub(super) fn atomic(&mut self, flat: &Flat<'_>) {
        if flat.tree.flag(Flag::Async) {
            return self.told_reduction(flat);
        }
        if self.guard.is_always() {
            return self.atomic_unguarded(flat);
        }
        let space = flat.tree.space().map(Space::family);
        let ty = flat.tree.types().last().unwrap_or(Type::B32);
        let is_loop = match space {
            Some(Space::Shared | Space::SharedCluster) => true,
            Some(_) => false,
            None => flat.tree.operation().is_some_and(|it| is_left_to_the_program(it, ty)),
        };
        if is_loop { self.around(|it| it.atomic_unguarded(flat)) } else { self.atomic_unguarded(flat) }
    }

    pub(crate) fn atomic_unguarded(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        let reduces = tree.opcode == tree::Opcode::Red;
        let ty = tree.types().last().unwrap_or(Type::B32);
        let sink = Value::Sink;
        let (result, rest) = if reduces {
            (&sink, flat.operands.as_slice())
        } else {
            (&flat.operands[0], &flat.operands[1..])
        };
        let result = if let Value::Register(id) = result
            && self.uses[*id] == 0
        {
            &sink
        } else {
            result
        };
        let address = rest[0].clone();
        let window = self.window(flat, &address);
        let Some(operation) = tree.operation() else {
            return self.unsupported("an atomic needs an operation");
        };
        let vector = matches!(rest.get(1), Some(Value::Vector(_)));
        if ty.bits() == 128 && !vector && !matches!(operation, Operation::Exch | Operation::Cas) {
            return self.unsupported(format!("'{}' is not supported", tree.mnemonic()));
        }
        let modifiers: Vec<Type> = tree.types().collect();
        if modifiers.len() > 1 {
            return self.unsupported("atomics on vectors are not supported");
        }
        // A cache policy may follow.
        let values = rest.get(1..).unwrap_or_default();
        let values = &values[..values.len().min(if operation == Operation::Cas { 2 } else { 1 })];
        let releases = matches!(tree.semantics(), Some(Semantics::Release | Semantics::AcqRel));
        let acquires = matches!(tree.semantics(), Some(Semantics::Acquire | Semantics::AcqRel));
        let scope = if tree.scope() == Some(Scope::Cta) { M::Cta } else { M::Gpu };
        if releases {
            self.op(Opcode::Membar, &[M::All, scope], []);
        }
        if let Value::Vector(elements) = &rest[1] {
            self.vector_atomic(flat, result, elements, (&address, window), operation, ty);
            if acquires {
                self.op(Opcode::Membar, &[M::All, scope], []);
            }
            return;
        }
        if ty.bits() == 16 {
            self.narrow_atomic(flat, result, (&address, window), values);
            if acquires {
                self.op(Opcode::Membar, &[M::All, scope], []);
            }
            return;
        }
        let place = self.address(&address, window);
        let data: Vec<Register> = values.iter().map(|value| self.register(value, ty)).collect();
        if window == Window::Shared {
            self.shared_atomic(result, place, operation, ty, &data);
        } else if window != Window::Global && is_left_to_the_program(operation, ty) {
            let to = if *result == Value::Sink { Register::ZERO } else { self.result(result, ty.bits()) };
            let data = (data[0], data.get(1).copied());
            self.generic_atomic(to, place, operation, ty, data, tree.scope());
        } else {
            self.global_atomic(result, place, window, operation, ty, &data, tree.scope());
        }
        if acquires {
            self.op(Opcode::Membar, &[M::All, scope], []);
        }
    }

    /// Several values of one type that lie together: each is changed at once, not all of them.
    fn vector_atomic(
        &mut self,
        flat: &Flat<'_>,
        result: &Value,
        elements: &[Value],
        (address, window): (&Value, Window),
        operation: Operation,
        ty: Type,
    ) {
        let size = match (ty, elements.len()) {
            (Type::F32, 2) => M::F32x2,
            (Type::F32, 4) => M::F32x4,
            (Type::F16, 2) => M::F16x2,
            (Type::F16, 4) | (Type::F16x2, 2) => M::F16x4,
            (Type::F16, 8) | (Type::F16x2, 4) => M::F16x8,
            (Type::Bf16, 2) => M::Bf16x2,
            (Type::Bf16, 4) | (Type::Bf16x2, 2) => M::Bf16x4,
            (Type::Bf16, 8) | (Type::Bf16x2, 4) => M::Bf16x8,
            _ => return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic())),
        };
        let sums = matches!((operation, ty), (Operation::Add, _));
        let extremes = matches!(operation, Operation::Min | Operation::Max) && ty != Type::F32;
        if window != Window::Global || !(sums || extremes) {
            return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
        }
        let data = self.gather(elements, ty);
        let place = self.address(address, window);
        let mut modifiers = vec![M::E, operation_modifier(operation), size];
        modifiers.extend((ty == Type::F32).then_some(M::Ftz));
        let scope = match flat.tree.scope() {
            Some(Scope::Sys) => M::Sys,
            Some(Scope::Cta) => M::Sm,
            _ => M::Gpu,
        };
        modifiers.extend([M::Rn, M::Strong, scope]);
        let Value::Vector(results) = result else {
            return self.op(Opcode::Redg, &modifiers, [place, Operand::register(data)]);
        };
        let words = (ty.bits() * crate::code::number(elements.len())).div_ceil(32);
        let to = self.code.register(words);
        self.op(
            Opcode::Atomg,
            &modifiers,
            [Operand::TRUE, Operand::register(to), place, Operand::register(data)],
        );
        self.spread(results, to, ty);
    }

    #[expect(clippy::too_many_arguments)]
    pub(crate) fn global_atomic(
        &mut self,
        result: &Value,
        place: Operand,
        window: Window,
        operation: Operation,
        ty: Type,
        data: &[Register],
        scope: Option<Scope>,
    ) {
        let returns = *result != Value::Sink || matches!(operation, Operation::Cas | Operation::Exch);
        let modifiers = global_modifiers(operation, ty, scope);
        let global = window == Window::Global;
        if !returns {
            let opcode = if global { Opcode::Redg } else { Opcode::Red };
            return self.op(opcode, &modifiers, [place, Operand::register(data[0])]);
        }
        let to = match result {
            Value::Sink => Register::ZERO,
            other => self.result(other, ty.bits()),
        };
        let opcode = if global { Opcode::Atomg } else { Opcode::Atom };
        let operands = [Operand::TRUE, Operand::register(to), place]
            .into_iter()
            .chain(data.iter().map(|&register| Operand::register(register)));
        self.emit(Instruction::new(opcode, modifiers.as_slice(), operands));
    }

    pub(crate) fn shared_atomic(
        &mut self,
        result: &Value,
        place: Operand,
        operation: Operation,
        ty: Type,
        data: &[Register],
    ) {
        let to = match result {
            Value::Sink => Register::ZERO,
            other => self.result(other, ty.bits()),
        };
        let wide = ty.bits() == 64;
        let direct = match operation {
            Operation::Cas | Operation::Exch => true,
            _ => !wide && !ty.is_float(),
        };
        if !direct {
            return self.shared_loop(to, place, operation, ty, data[0]);
        }
        let mut modifiers = vec![operation_modifier(operation)];
        if matches!(operation, Operation::Min | Operation::Max) && ty.is_signed() {
            modifiers.push(M::S32);
        }
        if wide {
            modifiers.push(M::B64);
        } else if ty.bits() == 128 {
            modifiers.push(M::B128);
        }
        let operands = [Operand::register(to), place]
            .into_iter()
            .chain(data.iter().map(|&register| Operand::register(register)));
        self.emit(Instruction::new(Opcode::Atoms, modifiers.as_slice(), operands));
    }
}

fn operation_modifier(operation: Operation) -> M {
    match operation {
        Operation::Add => M::Add,
        Operation::Min => M::Min,
        Operation::Max => M::Max,
        Operation::Inc => M::Inc,
        Operation::Dec => M::Dec,
        Operation::Exch => M::Exch,
        Operation::Cas => M::Cas,
        Operation::And => M::And,
        Operation::Or => M::Or,
        Operation::Xor => M::Xor,
        Operation::Popc => M::Popc,
    }
}

/// How an operation on global memory is named.
pub(super) fn global_modifiers(operation: Operation, ty: Type, scope: Option<Scope>) -> Vec<M> {
    let mut modifiers = vec![M::E, operation_modifier(operation)];
    match ty {
        Type::F32 => modifiers.extend([M::F32, M::Ftz, M::Rn]),
        Type::F64 => modifiers.extend([M::F64, M::Rn]),
        Type::F16x2 => modifiers.extend([M::F16x2, M::Rn]),
        Type::Bf16x2 => modifiers.extend([M::Bf16V2, M::Rn]),
        _ if matches!(operation, Operation::Min | Operation::Max) && ty.is_signed() => {
            modifiers.push(if ty.bits() == 64 { M::S64 } else { M::S32 });
        }
        _ if ty.bits() == 64 => modifiers.push(M::B64),
        _ if ty.bits() == 128 => modifiers.push(M::B128),
        _ => {}
    }
    let scope = match scope {
        Some(Scope::Sys) => M::Sys,
        Some(Scope::Cta) => M::Sm,
        _ => M::Gpu,
    };
    modifiers.extend([M::Strong, scope]);
    modifiers
}

/// Whether memory other than global does not know an operation at a generic address: sums of floats, and what is done with 64 bits but to
/// exchange them.
fn is_left_to_the_program(operation: Operation, ty: Type) -> bool {
    match operation {
        Operation::Add if ty.is_float() => true,
        Operation::Exch => false,
        _ => ty.bits() == 64,
    }
}

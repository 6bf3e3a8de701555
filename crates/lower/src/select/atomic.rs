//! Atomics and reductions.

use super::{Selector, when};
use crate::code::mark_ordered;
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
        let shared_loop = matches!(space, Some(Space::Shared | Space::SharedCluster));
        if shared_loop { self.around(|it| it.atomic_unguarded(flat)) } else { self.atomic_unguarded(flat) }
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
        } else if window == Window::Cluster && is_left_to_the_program(operation, ty) {
            let to = if *result == Value::Sink { Register::ZERO } else { self.result(result, ty.bits()) };
            self.shared_loop(to, (place, window), operation, ty, data[0]);
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
            return self.shared_loop(to, (place, Window::Shared), operation, ty, data[0]);
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

    /// An operation that shared memory does not know: read, compute, compare and swap until nobody came between.
    pub(crate) fn shared_loop(
        &mut self,
        to: Register,
        (place, window): (Operand, Window),
        operation: Operation,
        ty: Type,
        data: Register,
    ) {
        let count = if ty.bits() == 64 { 2 } else { 1 };
        let size: &[M] = if count == 2 { &[M::B64] } else { &[] };
        let again = self.new_label();
        let (old, seen) = (self.code.register(count), self.code.register(count));
        let is_own = window == Window::Shared;
        let load: &[M] = if is_own { &[] } else { &[M::E] };
        let opcode = if is_own { Opcode::Lds } else { Opcode::Ld };
        let load = [load, size].concat();
        let mut first = Instruction::new(opcode, load.as_slice(), [Operand::register(old), place]);
        mark_ordered(&mut first);
        self.emit(first);
        self.place_label(again);
        let new = self.combined(operation, ty, old, data);
        let (old_value, new_value) = (Operand::register(old), Operand::register(new));
        if is_own {
            let operands = [Operand::register(seen), place, old_value, new_value];
            self.emit(Instruction::new(Opcode::Atoms, [&[M::Cas], size].concat().as_slice(), operands));
        } else {
            let modifiers = [&[M::E, M::Cas], size, &[M::Strong, M::Gpu]].concat();
            let operands = [Operand::TRUE, Operand::register(seen), place, old_value, new_value];
            self.emit(Instruction::new(Opcode::Atom, modifiers.as_slice(), operands));
        }
        let differs = self.code.predicate();
        if count == 2 {
            let low = self.compare(&[M::Ne, M::U32, M::And], Operand::register(seen), Operand::register(old));
            self.op(
                Opcode::Isetp,
                &[M::Ne, M::And, M::Ex],
                [
                    Operand::predicate(differs),
                    Operand::TRUE,
                    Operand::register(seen.offset(1)),
                    Operand::register(old.offset(1)),
                    Operand::TRUE,
                    Operand::predicate(low),
                ],
            );
        } else {
            self.op(
                Opcode::Isetp,
                &[M::Ne, M::And],
                [
                    Operand::predicate(differs),
                    Operand::TRUE,
                    Operand::register(seen),
                    Operand::register(old),
                    Operand::TRUE,
                ],
            );
        }
        self.move_to(old, super::integer::pair(seen), count * 32);
        self.branch_if(when(differs), again);
        if !to.is_fixed() {
            self.move_to(to, super::integer::pair(old), count * 32);
        }
    }

    pub(crate) fn combined(
        &mut self,
        operation: Operation,
        ty: Type,
        old: Register,
        data: Register,
    ) -> Register {
        let (a, b) = (Operand::register(old), Operand::register(data));
        let zero = Operand::ZERO;
        match (operation, ty) {
            (Operation::Add, Type::F32) => self.compute(Opcode::Fadd, &[M::Ftz], [a, b]),
            (Operation::Add, Type::F64) => self.new_pair(Opcode::Dadd, &[], [a, b]),
            (Operation::Add, Type::F16x2) => self.compute(Opcode::Hadd2, &[], [a, b]),
            (Operation::Add, Type::Bf16x2) => self.compute(Opcode::Hadd2, &[M::Bf16V2], [a, b]),
            (Operation::Add, _) => {
                let sum = self.code.register(2);
                self.sum64(sum, super::integer::pair(old), super::integer::pair(data));
                sum
            }
            (Operation::Min | Operation::Max, _) => {
                let (x, y) = (super::integer::pair(old), super::integer::pair(data));
                let less = self.less64(x, y, ty.is_signed());
                let mut predicate = Operand::predicate(less);
                if operation == Operation::Max {
                    predicate = super::values::not(predicate);
                }
                let to = self.code.register(2);
                self.choose(to, x.low, y.low, predicate);
                self.choose(to.offset(1), x.high, y.high, predicate);
                to
            }
            _ => {
                let lut = match operation {
                    Operation::And => 0xc0,
                    Operation::Or => 0xfc,
                    _ => 0x3c,
                };
                let to = self.code.register(2);
                self.lop3_to(to, a, b, zero, lut);
                let (a, b) = (Operand::register(old.offset(1)), Operand::register(data.offset(1)));
                self.lop3_to(to.offset(1), a, b, zero, lut);
                to
            }
        }
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

/// Whether shared memory of another block does not know an operation: sums of floats, and extremes of 64 bits.
fn is_left_to_the_program(operation: Operation, ty: Type) -> bool {
    match operation {
        Operation::Add => ty.is_float(),
        Operation::Min | Operation::Max => ty.bits() == 64,
        _ => false,
    }
}

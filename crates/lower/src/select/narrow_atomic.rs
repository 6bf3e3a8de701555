//! Atomics on 16 bits: the word around them is compared and exchanged until nobody came between, as ptxas does it.

use super::memory::Window;
use super::values::{Source, immediate};
use super::{Selector, when};
use crate::code::mark_ordered;
use crate::flat::{Flat, Value};
use warplab_program::operand::Selector as Part;
use warplab_program::{
    AddressOperand, Instruction, Modifier as M, Opcode, Operand, Register, SourceModifier,
};
use warplab_ptx::tree::{Operation, Scope, Type};

/// Of a word and a value, the selector that puts the value's lower half in the place of the word's lower half.
const INTO_LOWER: u32 = 0x3254;
/// The same for the upper half.
const INTO_UPPER: u32 = 0x5410;
/// The same for the value's upper half.
const UPPER_INTO_UPPER: u32 = 0x7610;

/// A word in memory, and which half of it is meant.
struct Half {
    place: Operand,
    /// Two where it is the upper half, and zero otherwise.
    upper: Register,
    /// What puts a value in its place.
    selector: Register,
}

impl Selector<'_, '_> {
    /// An addition of halves, or a comparison and exchange.
    pub(super) fn narrow_atomic(
        &mut self,
        flat: &Flat<'_>,
        result: &Value,
        (address, window): (&Value, Window),
        values: &[Value],
    ) {
        let (tree, ty) = (flat.tree, flat.tree.ty().unwrap_or(Type::B16));
        let place = self.address(address, window);
        let Operand::Address(place) = place else { return };
        let (load, exchange): (&[M], Vec<M>) = match window {
            Window::Shared => (&[], vec![M::Cas]),
            _ => (&[M::E], vec![M::E, M::Cas, M::Strong, scope(tree.scope())]),
        };
        let opcodes = match window {
            Window::Global => (Opcode::Ldg, Opcode::Atomg),
            Window::Generic | Window::Cluster => (Opcode::Ld, Opcode::Atom),
            Window::Shared => (Opcode::Lds, Opcode::Atoms),
            _ => return self.unsupported(format!("'{}' is not supported", tree.mnemonic())),
        };
        let values: Vec<Register> = values.iter().map(|value| self.register(value, ty)).collect();
        let (adds, value) = match (tree.operation(), ty, values.as_slice()) {
            (Some(Operation::Add), Type::F16 | Type::Bf16, &[value]) => (true, value),
            (Some(Operation::Cas), _, &[_, value]) => (false, value),
            _ => return self.unsupported(format!("'{}' is not supported", tree.mnemonic())),
        };
        let half = self.half_of_word(&place, if adds { UPPER_INTO_UPPER } else { INTO_UPPER });
        let (old, seen) = (self.code.register(1), self.code.register(1));
        let mut first = Instruction::new(opcodes.0, load, [Operand::register(old), half.place]);
        mark_ordered(&mut first);
        self.emit(first);
        let again = self.new_label();
        self.place_label(again);
        let merge = |it: &mut Self, value: Register| {
            it.compute(Opcode::Prmt, &[], [old, half.selector, value].map(Operand::register))
        };
        // A sum may come between only where nothing did; of a comparison only the other half must not change.
        let (expected, new) = if adds {
            let sum = self.sum_of_halves(old, value, ty);
            (old, merge(self, sum))
        } else {
            (merge(self, values[0]), merge(self, value))
        };
        let operands =
            [Operand::register(seen), half.place, Operand::register(expected), Operand::register(new)];
        let answers = (window != Window::Shared).then_some(Operand::TRUE);
        let operands = answers.into_iter().chain(operands);
        self.emit(Instruction::new(opcodes.1, exchange.as_slice(), operands));
        let (was, is) = if adds {
            (old, seen)
        } else {
            (self.rest_of_word(expected, &half), self.rest_of_word(seen, &half))
        };
        let differs = self.compare(&[M::Ne, M::U32, M::And], Operand::register(is), Operand::register(was));
        self.op(Opcode::Mov, &[], [Operand::register(old), Operand::register(seen)]);
        self.branch_if(when(differs), again);
        if *result != Value::Sink {
            let bits = self.compute(
                Opcode::Shf,
                &[M::L, M::U32],
                [Operand::register(half.upper), Operand::Immediate(3), Operand::ZERO],
            );
            let to = Operand::register(self.result(result, 16));
            let operands = [to, Operand::ZERO, Operand::register(bits), Operand::register(old)];
            self.op(Opcode::Shf, &[M::R, M::U32, M::Hi], operands);
        }
    }

    /// The word around a half, the address of which may be of either.
    fn half_of_word(&mut self, place: &AddressOperand, into_upper: u32) -> Half {
        let offset = immediate(place.offset.cast_unsigned());
        let base = place.base.unwrap_or(Register::ZERO);
        let mut word = AddressOperand { offset: 0, uniform: None, ..*place };
        let low = if place.wide {
            let sum = self.code.register(2);
            let offset = Source::constant(i64::from(place.offset).cast_unsigned());
            self.sum64(sum, super::integer::pair(base), offset);
            sum
        } else {
            let uniform = place.uniform.map_or(Operand::ZERO, Operand::uniform);
            let base = self.compute(Opcode::Iadd3, &[], [Operand::register(base), offset, Operand::ZERO]);
            self.compute(Opcode::Iadd3, &[], [Operand::register(base), uniform, Operand::ZERO])
        };
        let aligned = self.code.register(if place.wide { 2 } else { 1 });
        self.lop3_to(aligned, Operand::register(low), Operand::Immediate(!2), Operand::ZERO, 0xc0);
        if place.wide {
            let high = Operand::register(low.offset(1));
            self.op(Opcode::Mov, &[], [Operand::register(aligned.offset(1)), high]);
        }
        word.base = Some(aligned);
        let upper = self.lop3(Operand::register(low), Operand::Immediate(2), Operand::ZERO, 0xc0);
        let is_lower = self.compare(&[M::Eq, M::U32, M::And], Operand::register(upper), Operand::ZERO);
        let selector = self.code.register(1);
        let selectors = [INTO_LOWER, into_upper].map(immediate);
        self.choose(selector, selectors[0], selectors[1], Operand::predicate(is_lower));
        Half { place: Operand::Address(word), upper, selector }
    }

    /// Both halves of a word, each plus a value.
    fn sum_of_halves(&mut self, word: Register, value: Register, ty: Type) -> Register {
        let twice = Operand::Register {
            register: value,
            modifier: SourceModifier::NONE,
            selector: Part::H0H0,
            reuse: false,
        };
        let format: &[M] = if ty == Type::Bf16 { &[M::Bf16V2] } else { &[] };
        self.compute(Opcode::Hadd2, format, [Operand::register(word), twice])
    }

    /// A word with zeros in the place of the half.
    fn rest_of_word(&mut self, word: Register, half: &Half) -> Register {
        let operands = [Operand::register(word), Operand::register(half.selector), Operand::ZERO];
        self.compute(Opcode::Prmt, &[], operands)
    }
}

fn scope(scope: Option<Scope>) -> M {
    match scope {
        Some(Scope::Sys) => M::Sys,
        Some(Scope::Cta) => M::Sm,
        _ => M::Gpu,
    }
}

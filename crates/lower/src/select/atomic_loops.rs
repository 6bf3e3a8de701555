//! Atomic operations that shared memory does not know, as ptxas makes them: read, compute, and store where nobody came between.

use super::atomic::global_modifiers;
use super::integer::pair;
use super::{Selector, unless, when};
use crate::flat::LabelId;
use warplab_program::{AddressOperand, Instruction, Modifier as M, Opcode, Operand, Predicate, Register};
use warplab_ptx::tree::{Operation, Scope, Type};

/// Whose shared memory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Owner {
    /// The block's own, by its addresses.
    Own,
    /// That of any block of the cluster, by generic addresses.
    Any,
}

impl Selector<'_, '_> {
    /// An operation on shared memory of the block.
    pub(crate) fn shared_loop(
        &mut self,
        to: Register,
        place: Operand,
        operation: Operation,
        ty: Type,
        data: Register,
    ) {
        let old = self.swap_loop(Owner::Own, place, operation, ty, data);
        self.give(to, old, ty);
    }

    /// An operation at a generic address: global memory does it, and a comparison with 64 bits shared memory, too; if it is not that,
    /// shared memory of the block or of another one is looked for. What remains is local memory.
    pub(crate) fn generic_atomic(
        &mut self,
        to: Register,
        place: Operand,
        operation: Operation,
        ty: Type,
        (data, swapped): (Register, Option<Register>),
        scope: Option<Scope>,
    ) {
        let done = self.new_label();
        let is_done = self.code.predicate();
        // The result may have the place of an operand that is still needed.
        let answer = if to.is_fixed() { to } else { self.code.register(ty.bits().div_ceil(32)) };
        let operands =
            [Operand::predicate(is_done), Operand::register(answer), place, Operand::register(data)];
        let operands = operands.into_iter().chain(swapped.map(Operand::register));
        let modifiers = global_modifiers(operation, ty, scope);
        self.emit(Instruction::new(Opcode::Atom, modifiers.as_slice(), operands));
        self.branch_if(when(is_done), done);
        if swapped.is_none() {
            self.in_shared_memory(Owner::Own, (answer, place), operation, ty, data, done);
            // ptxas asks for sums of floats only, and loses extremes.
            if ty.is_float() || matches!(operation, Operation::Min | Operation::Max) {
                self.in_shared_memory(Owner::Any, (answer, place), operation, ty, data, done);
            }
        }
        let old = self.read(Owner::Any, place, ty);
        let new = match swapped {
            Some(swapped) => self.chosen_if_equal(old, data, swapped),
            None => self.combined(operation, ty, old, data),
        };
        let modifiers = [&[M::E], size_of(ty)].concat();
        self.emit(Instruction::new(Opcode::St, modifiers.as_slice(), [place, Operand::register(new)]));
        self.give(answer, old, ty);
        self.place_label(done);
        self.give(to, answer, ty);
    }

    /// What a comparison leaves of two words: the new value where the old one is the expected.
    fn chosen_if_equal(&mut self, old: Register, expected: Register, new: Register) -> Register {
        let differs = self.differ64(old, expected);
        let to = self.code.register(2);
        for half in 0..2 {
            let [old, new] = [old, new].map(|it| Operand::register(it.offset(half)));
            self.choose(to.offset(half), old, new, Operand::predicate(differs));
        }
        to
    }

    /// Whether two numbers of 64 bits are different.
    fn differ64(&mut self, a: Register, b: Register) -> Predicate {
        let low = self.compare(&[M::Ne, M::U32, M::And], Operand::register(a), Operand::register(b));
        let differs = self.code.predicate();
        let [a, b] = [a, b].map(|it| Operand::register(it.offset(1)));
        let operands =
            [Operand::predicate(differs), Operand::TRUE, a, b, Operand::TRUE, Operand::predicate(low)];
        self.op(Opcode::Isetp, &[M::Ne, M::And, M::Ex], operands);
        differs
    }

    /// The part of an operation at a generic address for shared memory of an owner.
    fn in_shared_memory(
        &mut self,
        owner: Owner,
        (to, place): (Register, Operand),
        operation: Operation,
        ty: Type,
        data: Register,
        done: LabelId,
    ) {
        let rest = self.new_label();
        let is_there = self.is_in(if owner == Owner::Own { M::S } else { M::D }, place);
        self.branch_if(unless(is_there), rest);
        let place = if owner == Owner::Own { self.own_address(place) } else { place };
        let old = self.swap_loop(owner, place, operation, ty, data);
        self.give(to, old, ty);
        self.branch(done);
        self.place_label(rest);
    }

    /// Whether a generic address is in a space.
    fn is_in(&mut self, space: M, place: Operand) -> Predicate {
        let is_there = self.code.predicate();
        let operands = [Operand::predicate(is_there), Operand::ZERO, without_descriptor(place)];
        self.emit(Instruction::new(Opcode::Qspc, [M::E, space], operands));
        is_there
    }

    /// The address in shared memory of the block that a generic one means.
    fn own_address(&mut self, place: Operand) -> Operand {
        let Operand::Address(address) = place else { return place };
        let low = address.base.map(|base| {
            let low = self.code.register(1);
            self.op(Opcode::Mov, &[], [Operand::register(low), Operand::register(base)]);
            low
        });
        Operand::address32(low, address.offset)
    }

    /// Leaves the old value in the result.
    fn give(&mut self, to: Register, old: Register, ty: Type) {
        if !to.is_fixed() {
            self.move_to(to, pair(old), ty.bits());
        }
    }

    fn read(&mut self, owner: Owner, place: Operand, ty: Type) -> Register {
        let old = self.code.register(ty.bits().div_ceil(32));
        let (opcode, kind): (_, &[M]) = match owner {
            Owner::Own => (Opcode::Lds, &[]),
            Owner::Any => (Opcode::Ld, &[M::E]),
        };
        let modifiers = [kind, size_of(ty)].concat();
        self.emit(Instruction::new(opcode, modifiers.as_slice(), [Operand::register(old), place]));
        old
    }

    /// Reads, computes and stores until nobody came between; the old value.
    fn swap_loop(
        &mut self,
        owner: Owner,
        place: Operand,
        operation: Operation,
        ty: Type,
        data: Register,
    ) -> Register {
        let [again, done] = [(); 2].map(|()| self.new_label());
        self.place_label(again);
        let old = self.read(owner, place, ty);
        if matches!(operation, Operation::Min | Operation::Max) {
            // What is there may be the result.
            let (x, y) = if operation == Operation::Max { (old, data) } else { (data, old) };
            let changes = self.less64(pair(x), pair(y), ty.is_signed());
            self.branch_if(unless(changes), done);
        }
        let new = self.combined(operation, ty, old, data);
        let is_wide = ty.bits() == 64;
        let seen = self.code.register(if is_wide { 2 } else { 1 });
        let size = size_of(ty);
        let values = [Operand::register(seen), place, Operand::register(old), Operand::register(new)];
        self.emit(match owner {
            Owner::Own => {
                Instruction::new(Opcode::Atoms, [&[M::CasT, M::Spin], size].concat().as_slice(), values)
            }
            Owner::Any => {
                let values = [Operand::TRUE, values[0], without_descriptor(place), values[2], values[3]];
                Instruction::new(Opcode::Atom, [&[M::E, M::CasT, M::Spin], size].concat().as_slice(), values)
            }
        });
        let mut is_stored =
            self.compare(&[M::Eq, M::U32, M::And], Operand::register(seen), Operand::Immediate(1));
        if is_wide {
            let low = std::mem::replace(&mut is_stored, self.code.predicate());
            let high = Operand::register(seen.offset(1));
            let operands = [
                Operand::predicate(is_stored),
                Operand::TRUE,
                high,
                Operand::ZERO,
                Operand::TRUE,
                Operand::predicate(low),
            ];
            self.op(Opcode::Isetp, &[M::Eq, M::U32, M::And, M::Ex], operands);
        }
        self.branch_if(unless(is_stored), again);
        self.place_label(done);
        old
    }

    /// What an operation makes of two values.
    fn combined(&mut self, operation: Operation, ty: Type, old: Register, data: Register) -> Register {
        let (a, b) = (Operand::register(old), Operand::register(data));
        let zero = Operand::ZERO;
        match (operation, ty) {
            // Shared memory keeps denormals, other than global memory.
            (Operation::Add, Type::F32) => self.compute(Opcode::Fadd, &[], [a, b]),
            (Operation::Add, Type::F64) => self.new_pair(Opcode::Dadd, &[], [a, b]),
            (Operation::Add, Type::F16x2) => self.compute(Opcode::Hadd2, &[], [a, b]),
            (Operation::Add, Type::Bf16x2) => self.compute(Opcode::Hadd2, &[M::Bf16V2], [a, b]),
            (Operation::Add, _) => {
                let sum = self.code.register(2);
                self.sum64(sum, pair(old), pair(data));
                sum
            }
            (Operation::Min | Operation::Max, _) => data,
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

/// How words of 64 bits are named.
fn size_of(ty: Type) -> &'static [M] {
    if ty.bits() == 64 { &[M::B64] } else { &[] }
}

/// An address as it is named where nothing says how its memory is described.
fn without_descriptor(place: Operand) -> Operand {
    match place {
        Operand::Address(address) => Operand::Address(AddressOperand { descriptor: None, ..address }),
        place => place,
    }
}

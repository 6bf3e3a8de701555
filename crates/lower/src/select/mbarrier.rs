//! Barriers in shared memory (`mbarrier`), and arrivals at them after copies.

use super::integer::negative;
use super::logic::Shift;
use super::memory::Window;
use super::values::{Source, constant_of, immediate};
use super::{Selector, unless, when};
use crate::flat::{Flat, Start, Value};
use warplab_program::{
    AddressOperand, Instruction, Modifier as M, Opcode, Operand, Register, SpecialRegister,
};
use warplab_ptx::tree::{Flag, Scope, Semantics, Type};

/// One more than a barrier counts: counts are kept as their negatives, in so many bits.
const COUNTS: u32 = 1 << 20;
/// Where the upper word has the count of the threads that are missing.
const MISSING_SHIFT: u32 = 11;
/// Where the upper word has the parity of the phase.
const PARITY_SHIFT: u32 = 31;

impl Selector<'_, '_> {
    pub(super) fn mbarrier(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        let has = |flag| tree.flag(flag);
        if has(Flag::Init) {
            return self.init_mbarrier(flat);
        }
        if has(Flag::Inval) {
            let address = self.mbarrier_address(&flat.operands[0]);
            return self.op(Opcode::Syncs, &[M::Cctl, M::Iv], [address]);
        }
        if has(Flag::PendingCount) {
            return self.pending_count(flat);
        }
        if has(Flag::TestWait) || has(Flag::TryWait) {
            return self.test_mbarrier(flat);
        }
        if has(Flag::Arrive) || has(Flag::ArriveDrop) {
            return self.arrive(flat);
        }
        let address = self.mbarrier_address(&flat.operands[0]);
        let bytes = Operand::register(self.register(&flat.operands[1], Type::B32));
        let kind = if has(Flag::CompleteTx) { M::A0tx } else { M::A0tr };
        self.op(Opcode::Syncs, &[M::Arrive, M::Trans64, M::Red, kind], [Operand::ZERO, address, bytes]);
    }

    /// `cp.async.mbarrier.arrive`: the barrier waits for one byte more until the copies so far of each lane have ended; or
    /// (`.noinc`) each lane arrives then.
    pub(super) fn arrive_after_copies(&mut self, flat: &Flat<'_>) {
        let address = self.mbarrier_address(&flat.operands[0]);
        let then = if flat.tree.flag(Flag::Noinc) { M::Arvcnt } else { M::Transcnt };
        if then == M::Transcnt {
            let modifiers = [M::Arrive, M::Trans64, M::Red, M::A0t1];
            self.op(Opcode::Syncs, &modifiers, [Operand::ZERO, address, Operand::ZERO]);
        }
        self.op(Opcode::Arrives, &[M::Ldgstsbar, M::B64, then], [address]);
    }

    /// The address of a barrier: in shared memory, of which a generic address holds it in its lower word.
    pub(super) fn mbarrier_address(&mut self, value: &Value) -> Operand {
        if let Value::Address(Start::Register(id), offset) = value
            && self.flat.registers[*id].bits() == 64
        {
            let low = self.source(&Value::Register(*id), Type::B64).low;
            let base = self.in_register(Source { low, high: Operand::ZERO }, 32);
            let offset = super::values::low_word(*offset).cast_signed();
            return Operand::Address(AddressOperand {
                base: Some(base),
                scale: 1,
                offset,
                ..AddressOperand::default()
            });
        }
        self.address(value, Window::Shared)
    }

    fn init_mbarrier(&mut self, flat: &Flat<'_>) {
        let count = self.source(&flat.operands[1], Type::U32).low;
        let word = match constant_of(&count) {
            Some(count) => {
                let left = COUNTS.wrapping_sub(count);
                Source { low: immediate(left << 1), high: immediate(left << MISSING_SHIFT) }
            }
            None => {
                let operands = [negative(count), Operand::Immediate(COUNTS), Operand::ZERO];
                let left = Operand::register(self.compute(Opcode::Iadd3, &[], operands));
                let (low, high) = (self.code.register(1), self.code.register(1));
                self.shift32(low, left, Operand::Immediate(1), Shift::Left);
                self.shift32(high, left, Operand::Immediate(MISSING_SHIFT), Shift::Left);
                Source { low: Operand::register(low), high: Operand::register(high) }
            }
        };
        let data = self.code.register(2);
        self.move_to(data, word, 64);
        let address = self.mbarrier_address(&flat.operands[0]);
        self.op(Opcode::Syncs, &[M::Exch, M::B64], [Operand::ZERO, address, Operand::register(data)]);
    }

    fn pending_count(&mut self, flat: &Flat<'_>) {
        let high = self.source(&flat.operands[1], Type::B64).high;
        let shifted = self.code.register(1);
        self.shift32(shifted, high, Operand::Immediate(MISSING_SHIFT), Shift::Logical);
        let left = self.lop3(Operand::register(shifted), Operand::Immediate(COUNTS - 1), Operand::ZERO, 0xc0);
        let to = Operand::register(self.result(&flat.operands[0], 32));
        let operands = [to, negative(Operand::register(left)), Operand::Immediate(COUNTS), Operand::ZERO];
        self.op(Opcode::Iadd3, &[], operands);
    }

    fn arrive(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        let counts = flat.operands.get(2);
        if tree.scope() == Some(Scope::Cluster) && tree.semantics() != Some(Semantics::Relaxed) {
            self.op(Opcode::Membar, &[M::All, M::Gpu], []);
            self.op(Opcode::Errbar, &[], []);
        }
        let address = self.mbarrier_address(&flat.operands[1]);
        let mut modifiers = vec![M::Arrive, M::Trans64];
        let masks = tree.flag(Flag::NoComplete);
        modifiers.extend(masks.then_some(M::Tmask));
        modifiers.extend(tree.flag(Flag::ArriveDrop).then_some(M::Optout));
        let mut count = Operand::ZERO;
        match counts {
            Some(bytes) if tree.flag(Flag::ExpectTx) => {
                count = Operand::register(self.register(bytes, Type::B32));
            }
            Some(threads) if masks || !is_one(threads) => {
                count = Operand::register(self.register(threads, Type::B32));
                modifiers.push(M::Art0);
            }
            _ => modifiers.push(M::A1t0),
        }
        let to = match &flat.operands[0] {
            Value::Sink => Operand::ZERO,
            state => Operand::register(self.result(state, 64)),
        };
        self.emit(Instruction::new(Opcode::Syncs, modifiers.as_slice(), [to, address, count]));
        if let (true, Operand::Register { register, .. }) = (masks, to)
            && to != Operand::ZERO
        {
            self.tell_lanes_apart(register, count);
        }
    }

    /// The state that each lane finds where lanes arrive together: those below it have arrived.
    fn tell_lanes_apart(&mut self, state: Register, count: Operand) {
        let below = self.compute(Opcode::S2r, &[], [Operand::Special(SpecialRegister::LaneMaskLt)]);
        let before = self.lop3(Operand::register(state), Operand::register(below), Operand::ZERO, 0xc0);
        let before = self.compute(Opcode::Popc, &[], [Operand::register(before)]);
        let arrived = self.code.register(1);
        self.shift32(arrived, Operand::register(before), Operand::Immediate(MISSING_SHIFT), Shift::Left);
        let high = Operand::register(state.offset(1));
        self.op(Opcode::Imad, &[], [high, Operand::register(arrived), count, high]);
    }

    fn test_mbarrier(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        let address = self.mbarrier_address(&flat.operands[1]);
        let phase = if tree.flag(Flag::Parity) {
            let parity = self.source(&flat.operands[2], Type::U32).low;
            let phase = self.code.register(1);
            self.shift32(phase, parity, Operand::Immediate(PARITY_SHIFT), Shift::Left);
            phase
        } else {
            let high = self.source(&flat.operands[2], Type::B64).high;
            self.in_register(Source { low: high, high: Operand::ZERO }, 32)
        };
        let predicate = self.predicate_result(&flat.operands[0]);
        let operands = [Operand::predicate(predicate), address, Operand::register(phase)];
        let (test, wait) = (&[M::Phasechk, M::Trans64][..], &[M::Phasechk, M::Trans64, M::Trywait][..]);
        self.op(Opcode::Syncs, if tree.flag(Flag::TryWait) { wait } else { test }, operands);
        if let Some(time) = flat.operands.get(3) {
            let time = self.source(time, Type::U32).low;
            self.op_if(unless(predicate), Opcode::Nanosleep, &[M::Syncs], [time]);
            self.op_if(unless(predicate), Opcode::Syncs, test, operands);
        }
        if tree.scope() == Some(Scope::Cluster) && tree.semantics() != Some(Semantics::Relaxed) {
            self.op_if(when(predicate), Opcode::Cctl, &[M::Ivall], []);
        }
    }
}

/// Whether a count is the constant one.
fn is_one(count: &Value) -> bool {
    matches!(count, Value::Immediate(constant) if constant.as_int() == Some(1))
}

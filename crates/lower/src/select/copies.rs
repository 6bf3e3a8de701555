//! Copies from global to shared memory that go on while the warp does (`cp.async`), and what waits for them.

use super::Selector;
use super::integer::negative;
use super::memory::{Window, hints};
use super::values::{Source, constant_of, not};
use crate::flat::{Flat, Value};
use warplab_program::{AddressOperand, Modifier as M, Opcode, Operand, Register};
use warplab_ptx::tree::{self, Cache, Flag, Hint, Modifier as Dotted, Type};

/// The wait counter of the groups of copies.
pub(crate) const GROUPS: u8 = 0;

/// How much of a copy is read.
struct Extent {
    /// The bytes are in the address, and the rest of the target becomes zero.
    fills: bool,
    /// Where it does not hold, nothing is read, and the target becomes zero.
    reads: Option<Operand>,
}

impl Selector<'_, '_> {
    pub(super) fn copies(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        if tree.flag(Flag::Bulk) {
            return self.bulk_copies(flat);
        }
        if tree.flag(Flag::Mbarrier) {
            return self.arrive_after_copies(flat);
        }
        if tree.flag(Flag::CommitGroup) {
            return self.op(Opcode::Ldgdepbar, &[], []);
        }
        if tree.flag(Flag::WaitAll) {
            self.op(Opcode::Ldgdepbar, &[], []);
            return self.wait_for_groups(0);
        }
        if tree.flag(Flag::WaitGroup) {
            return match integer(flat.operands.first()) {
                Some(groups) => self.wait_for_groups(groups),
                None => self.unsupported("'cp.async.wait_group' takes a constant"),
            };
        }
        if tree.flag(Flag::Async) {
            return self.copy_to_shared(flat);
        }
        self.unsupported(format!("'{}' is not supported; 'cp.async' is", tree.mnemonic()));
    }

    fn wait_for_groups(&mut self, most: u32) {
        self.op(Opcode::Depbar, &[M::Le], [Operand::WaitBarrier(GROUPS), Operand::Immediate(most)]);
    }

    /// `cp.async.ca.shared.global [to], [from], bytes, read`, where `read` says how many bytes are read, or, a
    /// predicate, that none are.
    fn copy_to_shared(&mut self, flat: &Flat<'_>) {
        let Some(bytes) = integer(flat.operands.get(2)).filter(|it| [4, 8, 16].contains(it)) else {
            return self.unsupported("'cp.async' copies 4, 8 or 16 bytes");
        };
        let past_l1 = flat.tree.cache() == Some(Cache::Cg);
        if past_l1 && bytes != 16 {
            return self.unsupported("'cp.async.cg' copies 16 bytes; 'cp.async.ca' copies 4, 8 or 16");
        }
        let to = self.address(&flat.operands[0], Window::Shared);
        let Operand::Address(mut from) = self.address(&flat.operands[1], Window::Global) else { return };
        let has_policy = flat.tree.has(Dotted::Hint(Hint::L2CacheHint));
        let read = flat.operands.get(3).filter(|_| !has_policy || flat.operands.len() > 4);
        let extent = read.map(|read| self.extent(read, bytes, &mut from));
        let mut modifiers = vec![M::E];
        modifiers.extend(past_l1.then_some(M::Bypass));
        modifiers.extend(hints(flat));
        modifiers.extend(match bytes {
            8 => Some(M::B64),
            16 => Some(M::B128),
            _ => None,
        });
        let Some(Extent { fills, reads }) = extent else {
            return self.op(Opcode::Ldgsts, &modifiers, [to, Operand::Address(from)]);
        };
        modifiers.extend(fills.then_some(M::Zfill));
        match reads {
            Some(reads) => self.op(Opcode::Ldgsts, &modifiers, [to, Operand::Address(from), reads]),
            None => self.op(Opcode::Ldgsts, &modifiers, [to, Operand::Address(from)]),
        }
    }

    /// The predicate that says whether all or nothing is read, if one of both is.
    fn all_or_nothing(&mut self, read: &Value, bytes: u32) -> Option<Operand> {
        if let Some((tree, [_, all, none, chosen], _)) = self.origin_of(read)
            && tree.opcode == tree::Opcode::Selp
            && let (Some(all), Some(none)) = (integer(Some(all)), integer(Some(none)))
            && [(bytes, 0), (0, bytes)].contains(&(all, none))
        {
            let chosen = chosen.clone();
            let holds = self.predicate_source(&chosen);
            return Some(if all == 0 { not(holds) } else { holds });
        }
        self.is_multiple(read, bytes).then(|| {
            let read = self.source(read, Type::U32).low;
            Operand::predicate(self.compare(&[M::Ne, M::U32, M::And], read, Operand::ZERO))
        })
    }

    /// What the last operand of a copy says, after which `from` is as much further as bytes are missing.
    fn extent(&mut self, given: &Value, bytes: u32, from: &mut AddressOperand) -> Extent {
        if matches!(given, Value::Register(id) | Value::Negated(id) if self.flat.registers[*id] == Type::Pred)
        {
            let ignored = self.predicate_source(given);
            return Extent { fills: false, reads: Some(not(ignored)) };
        }
        let read = self.source(given, Type::U32).low;
        if let Some(read) = constant_of(&read) {
            let missing = bytes - read.min(bytes);
            if missing == bytes {
                return Extent { fills: false, reads: Some(Operand::FALSE) };
            }
            from.offset += missing.cast_signed();
            return Extent { fills: missing > 0, reads: None };
        }
        if let Some(reads) = self.all_or_nothing(given, bytes) {
            return Extent { fills: false, reads: Some(reads) };
        }
        let size = Operand::Immediate(bytes);
        let last = Operand::Immediate(bytes - 1);
        let read = Operand::register(self.in_register(Source { low: read, high: Operand::ZERO }, 32));
        let missing = self.compute(Opcode::Iadd3, &[], [negative(read), size, Operand::ZERO]);
        let missing = self.lop3(Operand::register(missing), last, Operand::ZERO, 0xc0);
        let base = self.code.register(2);
        let start = super::integer::pair(from.base.unwrap_or(Register::ZERO));
        self.sum64(base, start, Source { low: Operand::register(missing), high: Operand::ZERO });
        from.base = Some(base);
        let any = self.compare(&[M::Ne, M::U32, M::And], read, Operand::ZERO);
        Extent { fills: true, reads: Some(Operand::predicate(any)) }
    }
}

fn integer(value: Option<&Value>) -> Option<u32> {
    match value {
        Some(Value::Immediate(constant)) => u32::try_from(constant.as_int()?).ok(),
        _ => None,
    }
}

//! Copies of many lines by one instruction (`cp.async.bulk`). The machine instruction takes its places from registers of the
//! warp: the active lanes come one after the other.

use super::integer::is_register;
use super::logic::Shift;
use super::memory::Window;
use super::values::{Source, constant_of, immediate};
use super::{Selector, unless, when};
use crate::flat::{Flat, Value};
use warplab_program::{AddressOperand, Modifier as M, Opcode, Operand, Register, UniformRegister};
use warplab_ptx::tree::{Flag, Modifier as Dotted, Operation, Space, Type};

/// The wait counter of the groups of copies to global memory.
pub(crate) const BULK_GROUPS: u8 = 1;
/// Where a size in bytes has the size that the instruction takes, in units of 16 bytes.
const SIZE_SHIFT: u32 = 4;

impl Selector<'_, '_> {
    pub(super) fn bulk_copies(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        if tree.flag(Flag::CommitGroup) {
            return self.op(Opcode::Utmacmdflush, &[], []);
        }
        if tree.flag(Flag::WaitGroup) {
            return self.wait_for_bulk_groups(flat);
        }
        if let Some(why) = refusal(flat) {
            return self.unsupported(why);
        }
        if tree.flag(Flag::Tensor) {
            return self.box_copies(flat);
        }
        if tree.flag(Flag::Prefetch) {
            let from = self.far_place(&flat.operands[0], Window::Global);
            let size = self.size(&flat.operands[1]);
            return self.for_each_lane(|it| {
                let (from, size) = (it.for_warp(&from), it.for_warp(&[size]));
                it.op(Opcode::Ublkpf, &[M::Level2], [place(from), Operand::uniform(size)]);
            });
        }
        let size = self.size(&flat.operands[2]);
        let spaces: Vec<Space> = spaces(flat).collect();
        if spaces.first() == Some(&Space::Global) {
            let to = self.far_place(&flat.operands[0], Window::Global);
            let from = self.near_place(&flat.operands[1]);
            let (opcode, modifiers) = match tree.flag(Flag::Reduce) {
                true => (Opcode::Ublkred, reduction(flat)),
                false => (Opcode::Ublkcp, vec![M::G, M::S]),
            };
            let copy = |it: &mut Self, [to, from, size]: [UniformRegister; 3]| {
                it.op(opcode, &modifiers, [place(to), place(from), Operand::uniform(size)]);
            };
            return match opcode {
                Opcode::Ublkcp => self.for_each_place([&to, &[from], &[size]], copy),
                _ => self.for_each_lane(|it| {
                    let registers = [it.for_warp(&to), it.for_warp(&[from]), it.for_warp(&[size])];
                    copy(it, registers);
                }),
            };
        }
        let to = self.near_place(&flat.operands[0]);
        let barrier = self.near_place(&flat.operands[3]);
        if spaces.get(1) != Some(&Space::Global) {
            let from = self.near_place(&flat.operands[1]);
            return self.for_each_lane(|it| {
                let (to, from, size) =
                    (it.for_warp(&[to, barrier]), it.for_warp(&[from]), it.for_warp(&[size]));
                it.op(Opcode::Ublkcp, &[M::S, M::S], [place(to), place(from), Operand::uniform(size)]);
            });
        }
        let from = self.far_place(&flat.operands[1], Window::Global);
        let (mut size, mut modifiers) = (size, vec![M::S, M::G]);
        if let Some(blocks) = self.named_blocks(flat, 4) {
            let halves = [size, Operand::Immediate(0x5410), blocks];
            size = Operand::register(self.compute(Opcode::Prmt, &[], halves));
            modifiers.push(M::Multicast);
        }
        self.for_each_lane(|it| {
            let (to, from, size) = (it.for_warp(&[to, barrier]), it.for_warp(&from), it.for_warp(&[size]));
            it.op(Opcode::Ublkcp, &modifiers, [place(to), place(from), Operand::uniform(size)]);
        });
    }

    fn wait_for_bulk_groups(&mut self, flat: &Flat<'_>) {
        let most = match flat.operands.first() {
            Some(Value::Immediate(constant)) => constant.as_int().and_then(|it| u32::try_from(it).ok()),
            _ => None,
        };
        let Some(most) = most else {
            return self.unsupported("'cp.async.bulk.wait_group' takes a constant");
        };
        self.op(Opcode::Depbar, &[M::Le], [Operand::WaitBarrier(BULK_GROUPS), Operand::Immediate(most)]);
        if !flat.tree.flag(Flag::Read) {
            self.op(Opcode::Cctl, &[M::Ivall], []);
        }
    }

    /// Emits what copies for one of the active lanes after the other.
    pub(super) fn for_each_lane(&mut self, copy: impl FnOnce(&mut Self)) {
        let again = self.new_label();
        self.place_label(again);
        let is_first = self.code.predicate();
        let nobody = Operand::uniform(UniformRegister::ZERO);
        self.op(Opcode::Elect, &[], [Operand::predicate(is_first), nobody, Operand::TRUE]);
        copy(self);
        self.branch_if(unless(is_first), again);
    }

    /// Emits what stores once for each of the values that active lanes have: twice would be as once.
    pub(super) fn for_each_place<const N: usize>(
        &mut self,
        values: [&[Operand]; N],
        store: impl FnOnce(&mut Self, [UniformRegister; N]),
    ) {
        let again = self.new_label();
        self.place_label(again);
        let others = self.code.predicate();
        let mut is_first = true;
        let registers = values.map(|values| {
            let first = self.code.uniform(crate::code::number(values.len()));
            for (number, &value) in (0..).zip(values) {
                let to = Operand::uniform(UniformRegister(first.0 + number));
                let differs = if is_first { others } else { self.code.predicate() };
                self.op(Opcode::R2ur, &[], [Operand::predicate(differs), to, value]);
                if !is_first {
                    let [a, b] = [others, differs].map(Operand::predicate);
                    self.combine_predicates(others, a, b, 0xfc);
                }
                is_first = false;
            }
            first
        });
        store(self, registers);
        self.branch_if(when(others), again);
    }

    /// Values of the lowest active lane in registers of the warp, one after the other.
    pub(super) fn for_warp(&mut self, values: &[Operand]) -> UniformRegister {
        let first = self.code.uniform(crate::code::number(values.len()));
        for (number, &value) in (0..).zip(values) {
            let to = Operand::uniform(UniformRegister(first.0 + number));
            self.op(Opcode::R2ur, &[], [to, value]);
        }
        first
    }

    /// An address in shared memory.
    pub(super) fn near_place(&mut self, value: &Value) -> Operand {
        let Operand::Address(address) = self.mbarrier_address(value) else { return Operand::ZERO };
        let base = address.base.map_or(Operand::ZERO, Operand::register);
        let uniform = address.uniform.map_or(Operand::ZERO, Operand::uniform);
        let offset = immediate(address.offset.cast_unsigned());
        Operand::register(self.compute(Opcode::Iadd3, &[], [base, uniform, offset]))
    }

    /// An address in global memory, or a generic one.
    pub(super) fn far_place(&mut self, value: &Value, window: Window) -> [Operand; 2] {
        let Operand::Address(address) = self.address(value, window) else {
            return [Operand::ZERO; 2];
        };
        let base = super::integer::pair(address.base.unwrap_or(Register::ZERO));
        if address.offset == 0 && is_register(&base.low) {
            return [base.low, base.high];
        }
        let sum = self.code.register(2);
        self.sum64(sum, base, Source::constant(i64::from(address.offset).cast_unsigned()));
        [Operand::register(sum), Operand::register(sum.offset(1))]
    }

    /// The blocks of the cluster that get a copy, where it goes to several: that operand names them.
    pub(super) fn named_blocks(&mut self, flat: &Flat<'_>, operand: usize) -> Option<Operand> {
        if !flat.tree.flag(Flag::Multicast) || self.flat.cluster.is_none() {
            return None;
        }
        let named = self.source(flat.operands.get(operand)?, Type::B16).low;
        Some(Operand::register(self.in_register(Source { low: named, high: Operand::ZERO }, 32)))
    }

    fn size(&mut self, value: &Value) -> Operand {
        let bytes = self.source(value, Type::U32).low;
        let to = self.code.register(1);
        match constant_of(&bytes) {
            Some(bytes) => self.op(Opcode::Mov, &[], [Operand::register(to), immediate(bytes >> SIZE_SHIFT)]),
            None => self.shift32(to, bytes, Operand::Immediate(SIZE_SHIFT), Shift::Logical),
        }
        Operand::register(to)
    }
}

/// The places that a copy names in registers of the warp.
pub(super) fn place(uniform: UniformRegister) -> Operand {
    Operand::Address(AddressOperand { scale: 1, uniform: Some(uniform), ..AddressOperand::default() })
}

/// The state spaces in the order in which they are written: first where it goes to.
pub(super) fn spaces<'a>(flat: &'a Flat<'_>) -> impl Iterator<Item = Space> + 'a {
    flat.tree.modifiers.iter().filter_map(|modifier| match modifier {
        Dotted::Space(space) => Some(*space),
        _ => None,
    })
}

fn refusal(flat: &Flat<'_>) -> Option<&'static str> {
    let tree = flat.tree;
    let to_shared = spaces(flat).next() != Some(Space::Global);
    if to_shared && tree.flag(Flag::Reduce) {
        Some("reductions by bulk copies to shared memory of another block are not supported")
    } else if tree.flag(Flag::CpMask) {
        Some("'.cp_mask' is not supported on sm_90")
    } else if !tree.flag(Flag::Prefetch) && !tree.flag(Flag::Tensor) && to_shared && flat.operands.len() < 4 {
        Some("a bulk copy to shared memory names the barrier that is told, in brackets")
    } else {
        None
    }
}

/// What a reduction does with two values.
pub(super) fn operation(flat: &Flat<'_>) -> M {
    match flat.tree.operation() {
        Some(Operation::And) => M::And,
        Some(Operation::Or) => M::Or,
        Some(Operation::Xor) => M::Xor,
        Some(Operation::Inc) => M::Inc,
        Some(Operation::Dec) => M::Dec,
        Some(Operation::Min) => M::Min,
        Some(Operation::Max) => M::Max,
        _ => M::Add,
    }
}

fn reduction(flat: &Flat<'_>) -> Vec<M> {
    let mut modifiers = vec![M::G, M::S, operation(flat)];
    modifiers.extend(match flat.tree.ty() {
        Some(Type::S32) => Some(M::S32),
        Some(Type::U64 | Type::B64) => Some(M::U64),
        Some(Type::S64) => Some(M::S64),
        Some(Type::F16) => Some(M::F16),
        Some(Type::Bf16) => Some(M::BF16),
        Some(Type::F32) => Some(M::F32),
        Some(Type::F64) => Some(M::F64),
        _ => None,
    });
    if flat.tree.ty().is_some_and(Type::is_float) {
        modifiers.push(M::Rn);
    }
    modifiers
}

//! Tensor maps that a kernel writes itself (`tensormap`): bits of the 128 bytes that the copies read, as the driver lays them out
//! (`warplab_exec::TensorMap`).

use super::Selector;
use super::logic::Shift;
use super::memory::Window;
use super::values::{Source, immediate};
use crate::flat::{Flat, Value};
use warplab_program::{AddressOperand, Modifier as M, Opcode, Operand, Register, SpecialRegister};
use warplab_ptx::tree::{Flag, Space, Type};

/// Some bits of one word of a map.
#[derive(Clone, Copy)]
struct Field {
    word: u32,
    shift: u32,
    bits: u32,
}

impl Field {
    const fn new(word: u32, shift: u32, bits: u32) -> Field {
        Field { word, shift, bits }
    }

    fn mask(self) -> u32 {
        (u32::MAX >> (32 - self.bits)) << self.shift
    }
}

/// Types of elements from which on the number in a map has a bit of its own (TF32), and by how much it is less.
const FIRST_TF32: u32 = 11;
const TF32_LESS: u32 = 4;
const TF32: Field = Field::new(2, 16, 1);
/// Where an address that is divided by 16 has its bits.
const GRAIN_SHIFT: u32 = 4;

impl Selector<'_, '_> {
    pub(super) fn tensor_map(&mut self, flat: &Flat<'_>) {
        if flat.tree.flag(Flag::CpFenceproxy) {
            return self.publish_map(flat);
        }
        let is_shared = flat.tree.space().map(Space::family).is_some_and(|it| it == Space::Shared);
        if !is_shared {
            return self
                .unsupported("'tensormap.replace' is supported in shared memory ('.shared::cta') only");
        }
        let base = self.near_place(&flat.operands[0]);
        let has = |flag| flat.tree.flag(flag);
        let value = flat.operands.last().unwrap_or(&flat.operands[0]);
        let ordinal = match (&flat.operands.get(1), flat.operands.len()) {
            (Some(Value::Immediate(constant)), 3) => constant.as_int().and_then(|it| u32::try_from(it).ok()),
            (_, 3) => None,
            _ => Some(0),
        };
        let Some(ordinal) = ordinal.filter(|&it| it < 5) else {
            return self.unsupported("the dimension that 'tensormap.replace' names is a constant below 5");
        };
        if has(Flag::GlobalAddress) {
            let source = self.source(value, Type::B64);
            let words = [source.low, source.high];
            return (0..)
                .zip(words)
                .for_each(|(word, value)| self.set_field(base, Field::new(word, 0, 32), value));
        }
        if has(Flag::GlobalStride) {
            let source = self.source(value, Type::B64);
            let [low, high] = [source.low, source.high].map(|it| self.any_register(it));
            let upper = self.shifted_right(high, GRAIN_SHIFT);
            let carried = self.code.register(1);
            self.shift32(carried, Operand::register(high), Operand::Immediate(32 - GRAIN_SHIFT), Shift::Left);
            let lower = self.shifted_right(low, GRAIN_SHIFT);
            let all = self.lop3(lower, Operand::register(carried), Operand::ZERO, 0xfc);
            self.set_field(base, Field::new(3 + ordinal, 0, 32), Operand::register(all));
            return self.set_field(base, Field::new(7, 4 * ordinal, 4), upper);
        }
        let source = self.source(value, Type::B32).low;
        let less_one = has(Flag::BoxDim) || has(Flag::GlobalDim) || has(Flag::ElementStride);
        let source = if less_one {
            let operands = [source, immediate(u32::MAX), Operand::ZERO];
            Operand::register(self.compute(Opcode::Iadd3, &[], operands))
        } else {
            source
        };
        if has(Flag::Elemtype) {
            let Some(number) = super::values::constant_of(&source) else {
                return self.unsupported("'tensormap.replace' takes the type of elements as a constant");
            };
            let is_tf32 = number >= FIRST_TF32;
            self.set_field(base, TF32, immediate(u32::from(is_tf32)));
            let number = if is_tf32 { number - TF32_LESS } else { number };
            return self.set_field(base, Field::new(2, 7, 4), immediate(number));
        }
        let field = [
            (Flag::Rank, Field::new(2, 4, 3)),
            (Flag::InterleaveLayout, Field::new(2, 11, 2)),
            (Flag::SwizzleMode, Field::new(2, 13, 2)),
            (Flag::FillMode, Field::new(2, 15, 1)),
            (Flag::GlobalDim, Field::new(8 + ordinal, 0, 32)),
            (Flag::ElementStride, Field::new(13, 3 * ordinal, 3)),
            (
                Flag::BoxDim,
                if ordinal == 0 {
                    Field::new(13, 24, 8)
                } else {
                    Field::new(14, 8 * (ordinal.max(1) - 1), 8)
                },
            ),
        ];
        match field.into_iter().find(|&(flag, _)| has(flag)) {
            Some((_, field)) => self.set_field(base, field, source),
            None => self.unsupported("'tensormap.replace' names no field that is known here"),
        }
    }

    fn any_register(&mut self, operand: Operand) -> Register {
        match operand.as_register() {
            Some(register) => register,
            None => self.compute(Opcode::Mov, &[], [operand]),
        }
    }

    fn shifted_right(&mut self, value: Register, by: u32) -> Operand {
        let to = self.code.register(1);
        self.shift32(to, Operand::register(value), Operand::Immediate(by), Shift::Logical);
        Operand::register(to)
    }

    /// Puts a value into a field of the map in shared memory at an address.
    fn set_field(&mut self, base: Operand, field: Field, value: Operand) {
        let address = word_of(base, field.word);
        let value = self.any_register(value);
        if field.bits == 32 {
            return self.op(Opcode::Sts, &[], [address, Operand::register(value)]);
        }
        let old = self.code.register(1);
        self.op(Opcode::Lds, &[], [Operand::register(old), address]);
        let moved = self.code.register(1);
        self.shift32(moved, Operand::register(value), Operand::Immediate(field.shift), Shift::Left);
        // The bits of the mask from the value, the others from what was there.
        let new = self.lop3(Operand::register(old), Operand::register(moved), immediate(field.mask()), 0xd8);
        self.op(Opcode::Sts, &[], [address, Operand::register(new)]);
    }

    /// `tensormap.cp_fenceproxy`: the lanes of the warp copy a word each to global memory, where copies read the map.
    fn publish_map(&mut self, flat: &Flat<'_>) {
        let from = self.near_place(&flat.operands[1]);
        let to = self.far_place(&flat.operands[0], Window::Global);
        let lane = self.compute(Opcode::S2r, &[], [Operand::Special(SpecialRegister::LaneId)]);
        let offset = self.code.register(1);
        self.shift32(offset, Operand::register(lane), Operand::Immediate(2), Shift::Left);
        let source = self.compute(Opcode::Iadd3, &[], [from, Operand::register(offset), Operand::ZERO]);
        let word = self.code.register(1);
        self.op(Opcode::Lds, &[], [Operand::register(word), word_of(Operand::register(source), 0)]);
        let place = self.code.register(2);
        let [low, high] = to;
        self.sum64(
            place,
            Source { low, high },
            Source { low: Operand::register(offset), high: Operand::ZERO },
        );
        let place = Operand::Address(AddressOperand {
            base: Some(place),
            wide: true,
            scale: 1,
            descriptor: Some(self.descriptor),
            ..AddressOperand::default()
        });
        self.op(Opcode::Stg, &[M::E], [place, Operand::register(word)]);
        self.op(Opcode::Membar, &[M::Sc, M::Gpu], []);
    }
}

/// A word of the map at an address in shared memory.
fn word_of(base: Operand, word: u32) -> Operand {
    Operand::Address(AddressOperand {
        base: base.as_register(),
        scale: 1,
        offset: (4 * word).cast_signed(),
        ..AddressOperand::default()
    })
}

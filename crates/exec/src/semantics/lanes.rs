//! Reading sources and writing results of all lanes.

use crate::LANES;
use crate::Row;
use crate::constants::ConstantBanks;
use crate::op::{Destination, Op, SourceKind, SourceOperand};
use crate::state::warp::{RowState, blend};
use warplab_program::operand::Selector;
use warplab_units::LaneBits;
use warplab_units::PerLane;

/// One instruction about to execute for the lanes of a row.
pub(crate) struct Machine<'a> {
    pub(crate) warp: &'a mut RowState,
    pub(crate) banks: &'a ConstantBanks,
    pub(crate) op: &'a Op,
    /// The lanes that execute.
    pub(crate) mask: LaneBits,
}

#[inline(always)]
fn select(selector: Selector, value: u32) -> u32 {
    match selector {
        Selector::H0H0 => value & 0xffff | value << 16,
        Selector::H1H1 => value >> 16 | value & 0xffff_0000,
        Selector::H0NH1 => value << 16 | value >> 16 ^ 0x8000,
        Selector::H0 => value & 0xffff,
        Selector::H1 => value >> 16,
        Selector::B0 => value & 0xff,
        Selector::B1 => value >> 8 & 0xff,
        Selector::B2 => value >> 16 & 0xff,
        Selector::B3 => value >> 24,
        Selector::Whole
        | Selector::H1H0
        | Selector::F32
        | Selector::Sign
        | Selector::Pair
        | Selector::Row
        | Selector::Column => value,
    }
}

/// Whether all lanes have the same value.
#[inline(always)]
fn is_same(row: &Row) -> bool {
    row.iter().fold(0, |difference, value| difference | (value ^ row[0])) == 0
}

impl Machine<'_> {
    /// A scalar value that is the same for all lanes, without modifiers.
    #[inline(always)]
    fn scalar(&self, from: SourceKind) -> u32 {
        match from {
            SourceKind::Immediate(value) => value,
            SourceKind::Uniform(register) => self.warp.uniforms[usize::from(register)],
            SourceKind::Constant(bank, word) => self.banks.word(bank, word),
            SourceKind::Row(row) => self.warp.rows[usize::from(row)][0],
            SourceKind::Nothing => 0,
        }
    }

    /// Source `index` of every lane: a register as it stands, or what `space` is filled with.
    #[inline(always)]
    pub(crate) fn source<'b>(&'b self, index: usize, space: &'b mut Option<Row>) -> &'b Row {
        let source = &self.op.sources[index];
        match source.from {
            SourceKind::Row(row) if source.plain => &self.warp.rows[usize::from(row)],
            from if source.plain => space.insert([self.scalar(from); LANES]),
            _ => space.insert(self.modified(source, source.add)),
        }
    }

    /// As [`Machine::source`], but a negative is only inverted; the caller adds the one.
    #[inline(always)]
    pub(crate) fn raw<'b>(&'b self, index: usize, space: &'b mut Option<Row>) -> (&'b Row, u64) {
        let source = &self.op.sources[index];
        if source.add == 0 {
            return (self.source(index, space), 0);
        }
        (space.insert(self.modified(source, 0)), u64::from(source.add))
    }

    #[inline(always)]
    fn modified(&self, source: &SourceOperand, add: u32) -> Row {
        let mut value = match source.from {
            SourceKind::Row(row) => self.warp.rows[usize::from(row)],
            from => [self.scalar(from); LANES],
        };
        if source.select != Selector::Whole {
            value.iter_mut().for_each(|value| *value = select(source.select, *value));
        }
        for value in &mut value {
            *value = ((*value & source.and) ^ source.xor).wrapping_add(add);
        }
        value
    }

    /// The two words of a 64-bit source of every lane, without modifiers.
    #[inline(always)]
    pub(crate) fn pair(&self, index: usize) -> (Row, Row) {
        match self.op.sources[index].from {
            SourceKind::Row(row) => (self.warp.rows[usize::from(row)], self.warp.rows[usize::from(row) + 1]),
            SourceKind::Uniform(register) => {
                let at = usize::from(register);
                ([self.warp.uniforms[at]; LANES], [self.warp.uniforms[at + 1]; LANES])
            }
            SourceKind::Constant(bank, word) => {
                ([self.banks.word(bank, word); LANES], [self.banks.word(bank, word + 1); LANES])
            }
            SourceKind::Immediate(value) => ([value; LANES], [0; LANES]),
            SourceKind::Nothing => ([0; LANES], [0; LANES]),
        }
    }

    /// The words of a source that takes several registers, as many as `out` has.
    pub(crate) fn words(&self, index: usize, out: &mut [Row]) {
        if let SourceKind::Row(row) = self.op.sources[index].from {
            let from = usize::from(row);
            for (slot, row) in out.iter_mut().zip(self.warp.rows.from(from)) {
                *slot = *row;
            }
            return;
        }
        let (low, high) = self.pair(index);
        for (slot, row) in out.iter_mut().zip([low, high]) {
            *slot = row;
        }
    }

    /// A 64-bit integer source.
    #[inline(always)]
    pub(crate) fn wide(&self, index: usize) -> PerLane<u64> {
        let source = &self.op.sources[index];
        let (low, high) = self.pair(index);
        let xor = u64::from(source.xor) | u64::from(source.xor) << 32;
        let mut value = [0; LANES];
        for lane in 0..LANES {
            let word = u64::from(low[lane]) | u64::from(high[lane]) << 32;
            value[lane] = (word ^ xor).wrapping_add(u64::from(source.add));
        }
        value
    }

    /// A double-precision source; an immediate is its upper half.
    #[inline(always)]
    pub(crate) fn double(&self, index: usize) -> PerLane<f64> {
        let source = &self.op.sources[index];
        let (low, high) = match source.from {
            SourceKind::Immediate(upper) => ([0; LANES], [upper; LANES]),
            _ => self.pair(index),
        };
        let mut value = [0.0; LANES];
        for lane in 0..LANES {
            let upper = (high[lane] & source.and) ^ source.xor;
            value[lane] = f64::from_bits(u64::from(low[lane]) | u64::from(upper) << 32);
        }
        value
    }

    /// Predicate source `index` of every lane.
    #[inline(always)]
    pub(crate) fn predicate(&self, index: usize) -> LaneBits {
        let source = self.op.predicates[index];
        self.warp.predicates[usize::from(source.index)] ^ source.xor
    }

    fn first_lane(&self) -> usize {
        (self.mask.trailing_zeros() % LaneBits::BITS) as usize
    }

    /// Writes the result.
    #[inline(always)]
    pub(crate) fn write(&mut self, value: &Row) {
        self.write_at(0, value);
    }

    /// Writes word `offset` of the result.
    #[inline(always)]
    pub(crate) fn write_at(&mut self, offset: usize, value: &Row) {
        match self.op.destination {
            Destination::Row(row) => {
                blend(&mut self.warp.rows[usize::from(row) + offset], value, self.mask);
            }
            Destination::Uniform(register) => {
                if self.mask != 0 {
                    self.warp.uniforms[usize::from(register) + offset] = value[self.first_lane()];
                }
            }
        }
    }

    /// Writes a 64-bit result.
    #[inline(always)]
    pub(crate) fn write_wide(&mut self, value: &PerLane<u64>) {
        let (mut low, mut high) = ([0; LANES], [0; LANES]);
        for lane in 0..LANES {
            low[lane] = value[lane] as u32;
            high[lane] = (value[lane] >> 32) as u32;
        }
        self.write(&low);
        self.write_at(1, &high);
    }

    /// Writes predicate result `index`.
    #[inline(always)]
    pub(crate) fn write_predicate(&mut self, index: usize, lanes: LaneBits) {
        let number = usize::from(self.op.out[index]);
        let mask = self.mask;
        if (8..16).contains(&number) {
            if mask != 0 {
                let holds = lanes >> self.first_lane() & 1;
                self.warp.predicates[number] = LaneBits::wrapping_sub(0, holds);
            }
            return;
        }
        let slot = &mut self.warp.predicates[number];
        *slot = *slot & !mask | lanes & mask;
    }

    /// d = f(a)
    #[inline(always)]
    pub(crate) fn map1(&mut self, f: impl Fn(u32) -> u32) {
        let (mut ta, mut out) = (None, [0; LANES]);
        let a = self.source(0, &mut ta);
        for lane in 0..LANES {
            out[lane] = f(a[lane]);
        }
        self.write(&out);
    }

    /// d = f(a, b)
    #[inline(always)]
    pub(crate) fn map2(&mut self, f: impl Fn(u32, u32) -> u32) {
        let (mut ta, mut tb, mut out) = (None, None, [0; LANES]);
        let (a, b) = (self.source(0, &mut ta), self.source(1, &mut tb));
        for lane in 0..LANES {
            out[lane] = f(a[lane], b[lane]);
        }
        self.write(&out);
    }

    /// d = f(a, b, c)
    #[inline(always)]
    pub(crate) fn map3(&mut self, f: impl Fn(u32, u32, u32) -> u32) {
        let (mut ta, mut tb, mut tc, mut out) = (None, None, None, [0; LANES]);
        let (a, b, c) = (self.source(0, &mut ta), self.source(1, &mut tb), self.source(2, &mut tc));
        for lane in 0..LANES {
            out[lane] = f(a[lane], b[lane], c[lane]);
        }
        self.write(&out);
    }

    /// d = f(a) for a function that costs much: computed once where all lanes have the same source.
    pub(crate) fn map1_once(&mut self, f: impl Fn(u32) -> u32) {
        let (mut ta, mut out) = (None, [0; LANES]);
        let a = self.source(0, &mut ta);
        if is_same(a) {
            out = [f(a[0]); LANES];
        } else {
            (0..LANES).for_each(|lane| out[lane] = f(a[lane]));
        }
        self.write(&out);
    }

    /// d = f(a, b) for a function that costs much: computed once where all lanes have the same sources.
    pub(crate) fn map2_once(&mut self, f: impl Fn(u32, u32) -> u32) {
        let (mut ta, mut tb, mut out) = (None, None, [0; LANES]);
        let (a, b) = (self.source(0, &mut ta), self.source(1, &mut tb));
        if is_same(a) && is_same(b) {
            out = [f(a[0], b[0]); LANES];
        } else {
            (0..LANES).for_each(|lane| out[lane] = f(a[lane], b[lane]));
        }
        self.write(&out);
    }

    /// d = f(a, b, c) for a function that costs much: computed once where all lanes have the same sources.
    pub(crate) fn map3_once(&mut self, f: impl Fn(u32, u32, u32) -> u32) {
        let (mut ta, mut tb, mut tc, mut out) = (None, None, None, [0; LANES]);
        let (a, b, c) = (self.source(0, &mut ta), self.source(1, &mut tb), self.source(2, &mut tc));
        if is_same(a) && is_same(b) && is_same(c) {
            out = [f(a[0], b[0], c[0]); LANES];
        } else {
            (0..LANES).for_each(|lane| out[lane] = f(a[lane], b[lane], c[lane]));
        }
        self.write(&out);
    }

    /// The lanes where f(a, b) holds.
    #[inline(always)]
    pub(crate) fn test2(&self, f: impl Fn(u32, u32) -> bool) -> LaneBits {
        let (mut ta, mut tb) = (None, None);
        let (a, b) = (self.source(0, &mut ta), self.source(1, &mut tb));
        let mut holds: PerLane<LaneBits> = [0; LANES];
        for lane in 0..LANES {
            holds[lane] = LaneBits::from(f(a[lane], b[lane])) << lane;
        }
        holds.iter().fold(0, |mask, bit| mask | bit)
    }
}

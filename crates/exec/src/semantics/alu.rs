//! Integer, logic, comparison, predicates.

use crate::LANES;
use crate::op::{Alu, Combine, Compare, Packed, PackedOperation, Permute, SourceKind, TRASH_PREDICATE};
use crate::semantics::lanes::Machine;
use warplab_units::{LaneBits, lane_bit};

/// Where the predicates of the warp start among all predicates.
const FIRST_UNIFORM_PREDICATE: usize = 8;

#[inline(always)]
pub(crate) fn execute(m: &mut Machine<'_>, alu: Alu) {
    match alu {
        Alu::AddWide => add_wide(m),
        Alu::Add3 { carry } => add3(m, carry),
        Alu::Mad => mad(m),
        Alu::MadWide { signed } => mad_wide(m, signed, false),
        Alu::MadHigh { signed } => mad_wide(m, signed, true),
        Alu::Lea { shift, high, extend, carry } => lea(m, shift, high, extend, carry),
        Alu::Lop3 { lut, any } => lop3(m, lut, any),
        Alu::Funnel { left, high, wide, signed, wrap } => funnel(m, left, high, wide, signed, wrap),
        Alu::Shift { left, signed, wrap } => m.map2(|a, n| shift(a, n, left, signed, wrap)),
        Alu::Compare { compare, signed, combine, extended } => {
            compare_integers(m, compare, signed, combine, extended);
        }
        Alu::Absolute => m.map1(|a| (a as i32).unsigned_abs()),
        Alu::MinMax { signed, relu: false } => min_max(m, signed),
        Alu::MinMax { signed, relu: true } => {
            let min = m.predicate(0);
            by_lane(m, |lane, a, b, _| not_negative(pick(a, b, lane_bit(min, lane), signed)));
        }
        Alu::MinMax3 { signed, relu } => {
            let min = m.predicate(0);
            by_lane(m, |lane, a, b, c| {
                let min = lane_bit(min, lane);
                let value = pick(pick(a, b, min, signed), c, min, signed);
                if relu { not_negative(value) } else { value }
            });
        }
        Alu::AddMinMax { signed, relu } => {
            let min = m.predicate(0);
            by_lane(m, |lane, a, b, c| {
                let value = pick(a.wrapping_add(b), c, lane_bit(min, lane), signed);
                if relu { not_negative(value) } else { value }
            });
        }
        Alu::AbsDiff { signed } => m.map3(|a, b, c| {
            let difference = if signed { (a as i32).abs_diff(b as i32) } else { a.abs_diff(b) };
            difference.wrapping_add(c)
        }),
        Alu::AbsDiff4 { signed, sum } => m.map3(|a, b, c| absolute_differences(a, b, c, signed, sum)),
        Alu::Packed(packed) => packed_halves(m, packed),
        Alu::Select => {
            let chosen = m.predicate(0);
            by_lane(m, |lane, a, b, _| if chosen >> lane & 1 != 0 { a } else { b });
        }
        Alu::Permute(mode) => m.map3(|a, selector, b| permute(a, selector, b, mode)),
        Alu::Mask { wrap } => m.map2(|position, width| bit_mask(position, width, wrap)),
        Alu::Extend { signed, wrap } => m.map2(|a, width| extend_bits(a, width, signed, wrap)),
        Alu::Dot { four, high, signed } => m.map3(|a, b, c| c.wrapping_add(dot(a, b, four, high, signed))),
        Alu::CountOnes => m.map1(u32::count_ones),
        Alu::FindLeading { signed, shift } => find_leading(m, signed, shift),
        Alu::Reverse => m.map1(u32::reverse_bits),
        Alu::Move => m.map1(|a| a),
        Alu::PredicateLogic { luts, signs } => predicate_logic(m, luts, signs),
        Alu::PredicatesToRegister { byte, uniform } => {
            predicates_to_register(m, byte, if uniform { FIRST_UNIFORM_PREDICATE } else { 0 });
        }
        Alu::RegisterToPredicates { byte } => register_to_predicates(m, byte),
    }
}

#[inline(always)]
fn by_lane(m: &mut Machine<'_>, f: impl Fn(usize, u32, u32, u32) -> u32) {
    let (mut ta, mut tb, mut tc, mut out) = (None, None, None, [0; LANES]);
    let (a, b, c) = (m.source(0, &mut ta), m.source(1, &mut tb), m.source(2, &mut tc));
    for lane in 0..LANES {
        out[lane] = f(lane, a[lane], b[lane], c[lane]);
    }
    m.write(&out);
}

/// d = a + b + c + carries in; a carry out each time the sum passes 2^32.
#[inline(always)]
fn add3(m: &mut Machine<'_>, carry: bool) {
    if !carry && m.op.out == [TRASH_PREDICATE; 2] {
        return m.map3(|a, b, c| a.wrapping_add(b).wrapping_add(c));
    }
    let (p, q) = if carry { (m.predicate(0), m.predicate(1)) } else { (0, 0) };
    let (mut ta, mut tb, mut tc, mut out) = (None, None, None, [0; LANES]);
    let ((a, na), (b, nb), (c, nc)) = (m.raw(0, &mut ta), m.raw(1, &mut tb), m.raw(2, &mut tc));
    let ones = na + nb + nc;
    let (mut first, mut second) = (0, 0);
    for lane in 0..LANES {
        let carries = u64::from(lane_bit(p, lane) + lane_bit(q, lane));
        let sum = u64::from(a[lane]) + u64::from(b[lane]) + u64::from(c[lane]) + ones + carries;
        out[lane] = sum as u32;
        first |= LaneBits::from(sum >> 32 >= 1) << lane;
        second |= LaneBits::from(sum >> 32 >= 2) << lane;
    }
    m.write(&out);
    m.write_predicate(0, first);
    m.write_predicate(1, second);
}

/// d = a * b + c + carry in
#[inline(always)]
fn mad(m: &mut Machine<'_>) {
    let carry = m.predicate(0);
    if carry == 0 {
        m.map3(|a, b, c| a.wrapping_mul(b).wrapping_add(c));
    } else {
        by_lane(m, |lane, a, b, c| a.wrapping_mul(b).wrapping_add(c).wrapping_add(lane_bit(carry, lane)));
    }
}

/// d = a * b + c over 64 bits, or its upper half; a carry out when the sum passes 2^64.
#[inline(always)]
fn mad_wide(m: &mut Machine<'_>, signed: bool, high: bool) {
    let carry = m.predicate(0);
    let c = m.wide(2);
    let (mut ta, mut tb, mut out) = (None, None, [0u64; LANES]);
    let (a, b) = (m.source(0, &mut ta), m.source(1, &mut tb));
    let mut over = 0;
    if signed {
        for lane in 0..LANES {
            let product = i64::from(a[lane] as i32).wrapping_mul(i64::from(b[lane] as i32)) as u64;
            out[lane] = product;
        }
    } else {
        for lane in 0..LANES {
            out[lane] = u64::from(a[lane]) * u64::from(b[lane]);
        }
    }
    if carry == 0 && m.op.out[0] == TRASH_PREDICATE {
        for lane in 0..LANES {
            out[lane] = out[lane].wrapping_add(c[lane]);
        }
    } else {
        for lane in 0..LANES {
            let (sum, first) = out[lane].overflowing_add(c[lane]);
            let (sum, second) = sum.overflowing_add(u64::from(lane_bit(carry, lane)));
            out[lane] = sum;
            over |= LaneBits::from(first | second) << lane;
        }
    }
    if high {
        let upper = out.map(|value| (value >> 32) as u32);
        m.write(&upper);
    } else {
        m.write_wide(&out);
    }
    m.write_predicate(0, over);
}

/// d = (a << n) + b, or the upper half of (c:a << n) + b.
#[inline(always)]
fn lea(m: &mut Machine<'_>, shift: u8, high: bool, extend: bool, carry: bool) {
    let carry = if carry { m.predicate(0) } else { 0 };
    let (mut ta, mut tb, mut tc, mut out) = (None, None, None, [0; LANES]);
    let ((b, mut ones), c) = (m.raw(1, &mut tb), m.source(2, &mut tc));
    // What is shifted is negated afterwards: of zero, too, that carries.
    let (a, negates) = if high { (m.source(0, &mut ta), 0) } else { m.raw(0, &mut ta) };
    ones += negates;
    let mut over = 0;
    for lane in 0..LANES {
        let shifted = if negates != 0 {
            !(!a[lane] << shift)
        } else if high {
            let upper = if extend { ((a[lane] as i32) >> 31) as u32 } else { c[lane] };
            (((u64::from(upper) << 32 | u64::from(a[lane])) << shift) >> 32) as u32
        } else {
            a[lane] << shift
        };
        let sum = u64::from(shifted) + u64::from(b[lane]) + ones + u64::from(lane_bit(carry, lane));
        out[lane] = sum as u32;
        over |= LaneBits::from(sum >> 32 != 0) << lane;
    }
    m.write(&out);
    m.write_predicate(0, over);
}

/// d = the truth table over a, b, c; p = (d != 0) or the predicate in.
#[inline(always)]
fn lop3(m: &mut Machine<'_>, lut: u8, any: bool) {
    let (mut ta, mut tb, mut tc, mut out) = (None, None, None, [0; LANES]);
    let (a, b) = (m.source(0, &mut ta), m.source(1, &mut tb));
    match lut {
        0xc0 => (0..LANES).for_each(|lane| out[lane] = a[lane] & b[lane]),
        0xfc => (0..LANES).for_each(|lane| out[lane] = a[lane] | b[lane]),
        0x3c => (0..LANES).for_each(|lane| out[lane] = a[lane] ^ b[lane]),
        _ => {
            let c = m.source(2, &mut tc);
            for term in (0..8).filter(|term| lut >> term & 1 != 0) {
                let flip = |bit: u32| 0u32.wrapping_sub(u32::from(term >> bit & 1 == 0));
                let (fa, fb, fc) = (flip(2), flip(1), flip(0));
                for lane in 0..LANES {
                    out[lane] |= (a[lane] ^ fa) & (b[lane] ^ fb) & (c[lane] ^ fc);
                }
            }
        }
    }
    m.write(&out);
    if any {
        let mut lanes = 0;
        for lane in 0..LANES {
            lanes |= LaneBits::from(out[lane] != 0) << lane;
        }
        let set = lanes | m.predicate(0);
        m.write_predicate(0, set);
    }
}

/// d = a word of c:a shifted by b; counts clamp at the width, or wrap.
#[inline(always)]
fn funnel(m: &mut Machine<'_>, left: bool, high: bool, wide: bool, signed: bool, wrap: bool) {
    let limit = if wide { 64 } else { 32 };
    m.map3(|a, count, c| {
        let n = if wrap { count & (limit - 1) } else { count.min(limit) };
        let value = u64::from(c) << 32 | u64::from(a);
        let shifted = if left {
            value.checked_shl(n).unwrap_or(0)
        } else if signed {
            ((value as i64) >> n.min(63)) as u64
        } else {
            value.checked_shr(n).unwrap_or(0)
        };
        if high { (shifted >> 32) as u32 } else { shifted as u32 }
    });
}

fn shift(a: u32, count: u32, left: bool, signed: bool, wrap: bool) -> u32 {
    let n = if wrap { count & 31 } else { count.min(32) };
    match (left, signed) {
        (true, _) => a.checked_shl(n).unwrap_or(0),
        (false, true) => ((a as i32) >> n.min(31)) as u32,
        (false, false) => a.checked_shr(n).unwrap_or(0),
    }
}

/// Both results of a comparison: with the predicate in, and of the opposite with it.
#[inline(always)]
pub(crate) fn write_comparison(m: &mut Machine<'_>, holds: LaneBits, combine: Combine) {
    write_two(m, holds, !holds, combine);
}

/// Two predicates, each joined with a third.
#[inline(always)]
pub(crate) fn write_two(m: &mut Machine<'_>, first: LaneBits, second: LaneBits, combine: Combine) {
    let with = m.predicate(0);
    let join = |lanes: LaneBits| match combine {
        Combine::And => lanes & with,
        Combine::Or => lanes | with,
        Combine::Xor => lanes ^ with,
    };
    m.write_predicate(0, join(first));
    m.write_predicate(1, join(second));
}

#[inline(always)]
fn compare_integers(m: &mut Machine<'_>, compare: Compare, signed: bool, combine: Combine, extended: bool) {
    // A signed comparison is an unsigned one with the sign bits flipped.
    let flip = if signed { 0x8000_0000 } else { 0 };
    let holds = match compare {
        Compare::Lt => m.test2(|a, b| (a ^ flip) < (b ^ flip)),
        Compare::Le => m.test2(|a, b| (a ^ flip) <= (b ^ flip)),
        Compare::Gt => m.test2(|a, b| (a ^ flip) > (b ^ flip)),
        Compare::Ge => m.test2(|a, b| (a ^ flip) >= (b ^ flip)),
        Compare::Eq => m.test2(|a, b| a == b),
        Compare::Ne => m.test2(|a, b| a != b),
        Compare::True => !0,
        _ => 0,
    };
    let holds = if extended {
        let equal = m.test2(|a, b| a == b);
        equal & m.predicate(1) | !equal & holds
    } else {
        holds
    };
    write_comparison(m, holds, combine);
}

/// |a - b| of each byte, or the sum of the four plus c.
fn absolute_differences(a: u32, b: u32, c: u32, signed: bool, sum: bool) -> u32 {
    let difference = |(a, b): (u8, u8)| {
        if signed { a.cast_signed().abs_diff(b.cast_signed()) } else { a.abs_diff(b) }
    };
    let bytes = a.to_le_bytes().into_iter().zip(b.to_le_bytes()).map(difference);
    if sum {
        bytes.fold(c, |total, byte| total.wrapping_add(u32::from(byte)))
    } else {
        bytes.rev().fold(0, |word, byte| word << 8 | u32::from(byte))
    }
}

/// Both halves; the predicates say where a minimum or maximum took the first source, lower half first.
fn packed_halves(m: &mut Machine<'_>, packed: Packed) {
    let Packed { operation, signed, relu, negate } = packed;
    let min = m.predicate(0);
    let mut holds = [0; 2];
    let mut out = [0; LANES];
    let (mut ta, mut tb, mut tc) = (None, None, None);
    let (a, b, c) = (m.source(0, &mut ta), m.source(1, &mut tb), m.source(2, &mut tc));
    let flip = if signed { 0x8000 } else { 0 };
    for lane in 0..LANES {
        let min = min >> lane & 1 != 0;
        let first = |x: u16, y: u16| if min { x ^ flip <= y ^ flip } else { x ^ flip >= y ^ flip };
        let pick = |x: u16, y: u16| if first(x, y) { x } else { y };
        for half in 0..2 {
            let part = |word: u32, index: u8| {
                let value = if half == 0 { lower(word) } else { lower(word >> 16) };
                if negate >> index & 1 != 0 { value.wrapping_neg() } else { value }
            };
            let (a, b, c) = (part(a[lane], 0), part(b[lane], 1), part(c[lane], 2));
            let value = match operation {
                PackedOperation::Add => a.wrapping_add(b),
                PackedOperation::MinMax => pick(a, b),
                PackedOperation::MinMax3 => pick(pick(a, b), c),
                PackedOperation::AddMinMax => pick(a.wrapping_add(b), c),
            };
            let value = if relu && value & 0x8000 != 0 { 0 } else { value };
            out[lane] |= u32::from(value) << (16 * half);
            holds[half] |= LaneBits::from(first(a, b)) << lane;
        }
    }
    m.write(&out);
    m.write_predicate(0, holds[0]);
    m.write_predicate(1, holds[1]);
}

fn lower(word: u32) -> u16 {
    let [first, second, ..] = word.to_le_bytes();
    u16::from_le_bytes([first, second])
}

#[inline(always)]
/// A negative number becomes zero.
fn not_negative(value: u32) -> u32 {
    (value as i32).max(0) as u32
}

fn pick(a: u32, b: u32, min: u32, signed: bool) -> u32 {
    let flip = if signed { 0x8000_0000 } else { 0 };
    let a_is_less = (a ^ flip) < (b ^ flip);
    if a_is_less == (min != 0) { a } else { b }
}

#[inline(always)]
fn min_max(m: &mut Machine<'_>, signed: bool) {
    match (m.predicate(0), signed) {
        (LaneBits::MAX, true) => m.map2(|a, b| (a as i32).min(b as i32) as u32),
        (0, true) => m.map2(|a, b| (a as i32).max(b as i32) as u32),
        (LaneBits::MAX, false) => m.map2(u32::min),
        (0, false) => m.map2(u32::max),
        (min, _) => by_lane(m, |lane, a, b, _| pick(a, b, lane_bit(min, lane), signed)),
    }
}

fn permute(a: u32, selector: u32, b: u32, mode: Permute) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    let byte = |index: u32| (bytes >> (index % 8 * 8)) as u32 & 0xff;
    let n = selector & 3;
    let mut result = 0;
    for position in 0..4 {
        let value = match mode {
            Permute::Index => {
                let nibble = selector >> (position * 4) & 15;
                let value = byte(nibble & 7);
                if nibble & 8 != 0 { 0xff * (value >> 7) } else { value }
            }
            Permute::Forward4 => byte(n + position),
            Permute::Backward4 => byte(n + 8 - position),
            Permute::Replicate8 => byte(n),
            Permute::EdgeLeft => byte(n.max(position)),
            Permute::EdgeRight => byte(n.min(position)),
            Permute::Replicate16 => byte((n & 1) * 2 + (position & 1)),
        };
        result |= value << (position * 8);
    }
    result
}

fn bit_mask(position: u32, width: u32, wrap: bool) -> u32 {
    let (position, width) = if wrap { (position & 31, width & 31) } else { (position, width) };
    let ones = if width >= 32 { u32::MAX } else { (1 << width) - 1 };
    ones.checked_shl(position).unwrap_or(0)
}

fn extend_bits(a: u32, width: u32, signed: bool, wrap: bool) -> u32 {
    let width = if wrap { width & 31 } else { width.min(32) };
    match width {
        0 => 0,
        32 => a,
        _ if signed => ((a << (32 - width)) as i32 >> (32 - width)) as u32,
        _ => a & ((1 << width) - 1),
    }
}

fn dot(a: u32, b: u32, four: bool, high: bool, signed: [bool; 2]) -> u32 {
    let byte = |word: u32, index: u32, signed: bool| {
        let value = (word >> (index * 8)) as u8;
        if signed { i64::from(value as i8) } else { i64::from(value) }
    };
    let half = |word: u32, index: u32, signed: bool| {
        let value = (word >> (index * 16)) as u16;
        if signed { i64::from(value as i16) } else { i64::from(value) }
    };
    let sum: i64 = if four {
        (0..4).map(|i| byte(a, i, signed[0]) * byte(b, i, signed[1])).sum()
    } else {
        let first = if high { 2 } else { 0 };
        (0..2).map(|i| half(a, i, signed[0]) * byte(b, first + i, signed[1])).sum()
    };
    sum as u32
}

#[inline(always)]
fn find_leading(m: &mut Machine<'_>, signed: bool, shift: bool) {
    let found = m.test2(|a, _| a != 0 && !(signed && a == u32::MAX));
    m.map1(|a| {
        let bits = if signed && (a as i32) < 0 { !a } else { a };
        match bits {
            0 => u32::MAX,
            _ if shift => bits.leading_zeros(),
            _ => 31 - bits.leading_zeros(),
        }
    });
    m.write_predicate(0, found);
}

/// The function of three sets of lanes with this truth table.
fn table3(lut: u8, a: LaneBits, b: LaneBits, c: LaneBits) -> LaneBits {
    (0..8).filter(|term| lut >> term & 1 != 0).fold(0, |lanes, term| {
        let side = |value: LaneBits, bit: u32| if term >> bit & 1 != 0 { value } else { !value };
        lanes | side(a, 2) & side(b, 1) & side(c, 0)
    })
}

fn predicate_logic(m: &mut Machine<'_>, luts: [u8; 2], signs: u8) {
    let input = |index: usize| {
        if signs >> index & 1 == 0 {
            return m.predicate(index);
        }
        let mut space = None;
        let values = m.source(index, &mut space);
        (0..LANES).fold(0, |lanes, lane| lanes | LaneBits::from(values[lane] >> 31) << lane)
    };
    let (a, b, c) = (input(0), input(1), input(2));
    m.write_predicate(0, table3(luts[0], a, b, c));
    m.write_predicate(1, table3(luts[1], a, b, c));
}

/// d = a with a byte's bits under the mask b replaced by the predicates.
fn predicates_to_register(m: &mut Machine<'_>, byte: u8, first: usize) {
    let predicates = m.warp.predicates;
    by_lane(m, |lane, a, mask, _| {
        let bits = (0..8).fold(0, |bits, p| bits | lane_bit(predicates[first + p], lane) << p);
        let mask = mask & 0xff;
        a & !(mask << (byte * 8)) | (bits & mask) << (byte * 8)
    });
}

/// The predicates under the mask b become bits of a.
fn register_to_predicates(m: &mut Machine<'_>, byte: u8) {
    let (mut ta, mut tb) = (None, None);
    let (a, b) = (*m.source(0, &mut ta), *m.source(1, &mut tb));
    let exec = m.mask;
    for number in 0..7 {
        let mut lanes = 0;
        let mut chosen = 0;
        for lane in 0..LANES {
            lanes |= LaneBits::from(a[lane] >> (u32::from(byte) * 8 + number) & 1 != 0) << lane;
            chosen |= LaneBits::from(b[lane] >> number & 1 != 0) << lane;
        }
        let slot = &mut m.warp.predicates[number as usize];
        let changed = chosen & exec;
        *slot = *slot & !changed | lanes & changed;
    }
}

/// d = a + b + c, of 64 bits; a number has a sign.
#[cold]
fn add_wide(m: &mut Machine<'_>) {
    let term = |index: usize| match m.op.sources[index].from {
        SourceKind::Immediate(value) => [i64::from(value as i32) as u64; LANES],
        _ => m.wide(index),
    };
    let [a, b, c] = [0, 1, 2].map(term);
    let sum = std::array::from_fn(|lane| a[lane].wrapping_add(b[lane]).wrapping_add(c[lane]));
    m.write_wide(&sum);
}

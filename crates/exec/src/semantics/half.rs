//! Packed half precision: two results per lane.

use crate::LANES;
use crate::op::{Combine, Half, HalfMode, Round};
use crate::semantics::alu::write_comparison;
use crate::semantics::float::{narrow, sum_to_odd};
use crate::semantics::lanes::Machine;
use crate::semantics::vector::comparison;
use warplab_units::{LaneBits, lane_bit};

const NAN16: u16 = 0x7fff;

/// A half's value.
pub(crate) fn f16(bits: u16) -> f32 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let fraction = f32::from(bits & 0x3ff);
    match bits >> 10 & 31 {
        0 => sign * fraction * 5.960_464_5e-8,
        31 if fraction != 0.0 => f32::NAN,
        31 => sign * f32::INFINITY,
        _ => {
            f32::from_bits(u32::from(bits & 0x8000) << 16 | ((u32::from(bits & 0x7fff) << 13) + 0x3800_0000))
        }
    }
}

fn bf16(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// A value rounded to a half or a bfloat16.
pub(crate) fn round_to(value: f64, bf16: bool, round: Round) -> u16 {
    match (value.is_nan(), bf16) {
        (true, _) => NAN16,
        (false, false) => narrow(value, 10, 5, round) as u16,
        (false, true) => narrow(value, 7, 8, round) as u16,
    }
}

pub(crate) fn round_f16(value: f32) -> u16 {
    round_to(f64::from(value), false, Round::Nearest)
}

pub(crate) fn add_bf16(a: u16, b: u16) -> u16 {
    round_to(sum_to_odd(f64::from(bf16(a)), f64::from(bf16(b))), true, Round::Nearest)
}

/// The smaller or larger of two halves; a NaN loses.
pub(crate) fn extreme(a: u16, b: u16, is_bf16: bool, min: bool) -> u16 {
    let (x, y) = (value(a, is_bf16), value(b, is_bf16));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => NAN16,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            let less = x < y || x == y && x.is_sign_negative() && !y.is_sign_negative();
            if less == min { a } else { b }
        }
    }
}

/// A function of both halves.
pub(crate) fn packed(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

/// A half or bfloat16 as a double.
pub(crate) fn value(bits: u16, is_bf16: bool) -> f64 {
    f64::from(if is_bf16 { bf16(bits) } else { f16(bits) })
}

fn load(bits: u32, upper: bool, mode: HalfMode) -> f64 {
    let half = if upper { (bits >> 16) as u16 } else { bits as u16 };
    let x = value(half, mode.bf16);
    if mode.ftz && x.abs() < 6.103_515_625e-5 && !mode.bf16 { 0.0f64.copysign(x) } else { x }
}

fn store(x: f64, mode: HalfMode) -> u16 {
    let mut x = x;
    if mode.saturate {
        x = if x >= 1.0 {
            1.0
        } else if x > 0.0 {
            x
        } else {
            0.0
        };
    }
    if mode.relu && x <= 0.0 {
        x = 0.0;
    }
    let bits = round_to(x, mode.bf16, Round::Nearest);
    if mode.ftz && !mode.bf16 && bits & 0x7c00 == 0 { bits & 0x8000 } else { bits }
}

fn both(mode: HalfMode, f: impl Fn(bool) -> f64) -> u32 {
    if mode.single {
        return crate::semantics::float::to_f32(f(false), Round::Nearest);
    }
    u32::from(store(f(false), mode)) | u32::from(store(f(true), mode)) << 16
}

#[inline(always)]
pub(crate) fn execute(m: &mut Machine<'_>, operation: Half) {
    match operation {
        Half::Add(mode) => {
            m.map2_once(|a, b| both(mode, |up| sum_to_odd(load(a, up, mode), load(b, up, mode))));
        }
        Half::Mul(mode) => m.map2_once(|a, b| both(mode, |up| load(a, up, mode) * load(b, up, mode))),
        Half::Fma(mode) => m.map3_once(|a, b, c| {
            both(mode, |up| sum_to_odd(load(a, up, mode) * load(b, up, mode), load(c, up, mode)))
        }),
        Half::MinMax { mode, nan, of_three } => min_max(m, mode, nan, of_three),
        Half::Set { mode, compare, combine, float } => {
            let low = join(compare_halves(m, false, mode, compare), m.predicate(0), combine);
            let high = join(compare_halves(m, true, mode, compare), m.predicate(0), combine);
            let one = match (float, mode.bf16) {
                (false, _) => 0xffff,
                (true, false) => 0x3c00,
                (true, true) => 0x3f80,
            };
            let mut out = [0; LANES];
            for lane in 0..LANES {
                out[lane] = lane_bit(low, lane) * one | (lane_bit(high, lane) * one) << 16;
            }
            m.write(&out);
        }
        Half::SetPredicate { mode, compare, combine, both } => {
            let low = compare_halves(m, false, mode, compare);
            let high = compare_halves(m, true, mode, compare);
            if both {
                return write_comparison(m, low & high, combine);
            }
            let with = m.predicate(0);
            m.write_predicate(0, join(low, with, combine));
            m.write_predicate(1, join(high, with, combine));
        }
    }
}

fn join(lanes: LaneBits, with: LaneBits, combine: Combine) -> LaneBits {
    match combine {
        Combine::And => lanes & with,
        Combine::Or => lanes | with,
        Combine::Xor => lanes ^ with,
    }
}

fn compare_halves(m: &Machine<'_>, upper: bool, mode: HalfMode, compare: crate::op::Compare) -> LaneBits {
    let less = m.test2(|a, b| load(a, upper, mode) < load(b, upper, mode));
    let equal = m.test2(|a, b| load(a, upper, mode) == load(b, upper, mode));
    let greater = m.test2(|a, b| load(a, upper, mode) > load(b, upper, mode));
    comparison(compare, less, equal, greater)
}

fn min_max(m: &mut Machine<'_>, mode: HalfMode, nan: bool, of_three: bool) {
    let min = m.predicate(0);
    let (mut ta, mut tb, mut tc, mut out) = (None, None, None, [0; LANES]);
    let (a, b, c) = (m.source(0, &mut ta), m.source(1, &mut tb), m.source(2, &mut tc));
    for lane in 0..LANES {
        let min = min >> lane & 1 != 0;
        out[lane] = both(mode, |up| {
            let first = lesser_or_greater(load(a[lane], up, mode), load(b[lane], up, mode), min, nan);
            if of_three { lesser_or_greater(first, load(c[lane], up, mode), min, nan) } else { first }
        });
    }
    m.write(&out);
}

/// The smaller or the larger of two numbers; one that is none goes only with `nan`.
fn lesser_or_greater(x: f64, y: f64, min: bool, nan: bool) -> f64 {
    let less = x < y || x == y && x.is_sign_negative() && !y.is_sign_negative();
    match (x.is_nan(), y.is_nan()) {
        (false, false) if less == min => x,
        (false, false) => y,
        (true, false) if !nan => y,
        (false, true) if !nan => x,
        _ => f64::NAN,
    }
}

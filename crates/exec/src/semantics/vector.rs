//! Single and double precision on all lanes.

use crate::LANES;
use crate::op::{Combine, Compare, Double, Float, FloatMode, Round};
use crate::semantics::alu::{write_comparison, write_two};
use crate::semantics::float::{self, NAN32, canonical, flush, with_nan_of};
use crate::semantics::lanes::Machine;
use crate::semantics::{half, mufu};
use warplab_units::LaneBits;

const PLAIN: FloatMode = FloatMode { round: Round::Nearest, ftz: false, saturate: false };

#[inline(always)]
pub(crate) fn is_plain(mode: FloatMode) -> bool {
    mode.round == PLAIN.round && !mode.ftz && !mode.saturate
}

#[inline(always)]
pub(crate) fn execute_float(m: &mut Machine<'_>, operation: Float) {
    match operation {
        Float::Add(mode) if is_plain(mode) => {
            m.map2(|a, b| canonical(f32::from_bits(a) + f32::from_bits(b)));
        }
        Float::Mul(mode) if is_plain(mode) => {
            m.map2(|a, b| canonical(f32::from_bits(a) * f32::from_bits(b)));
        }
        Float::Fma(mode) if is_plain(mode) => {
            m.map3(|a, b, c| canonical(f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c))));
        }
        Float::Add(mode) => m.map2_once(|a, b| float::add32(a, b, mode)),
        Float::Mul(mode) => m.map2_once(|a, b| float::mul32(a, b, mode)),
        Float::MulScaled(mode, power) => m.map2_once(|a, b| float::mul32_scaled(a, b, power, mode)),
        Float::Fma(mode) => m.map3_once(|a, b, c| float::fma32(a, b, c, mode)),
        Float::MinMax { ftz, nan } => min_max(m, ftz, nan),
        Float::Select => crate::semantics::alu::execute(m, crate::op::Alu::Select),
        Float::Set { compare, combine, ftz, float } => {
            let holds = compare_floats(m, compare, ftz);
            let with = m.predicate(0);
            let holds = match combine {
                Combine::And => holds & with,
                Combine::Or => holds | with,
                Combine::Xor => holds ^ with,
            };
            let one = if float { 0x3f80_0000 } else { u32::MAX };
            let mut out = [0; LANES];
            (0..LANES).for_each(|lane| out[lane] = if holds >> lane & 1 != 0 { one } else { 0 });
            m.write(&out);
        }
        Float::SetPredicate { compare, combine, ftz } => {
            let holds = compare_floats(m, compare, ftz);
            write_comparison(m, holds, combine);
        }
        Float::CheckDivision => {
            let slow = m.test2(needs_slow_division);
            m.write_predicate(0, slow);
        }
        Float::Mufu(function) => m.map1_once(|a| mufu::evaluate(function, a)),
        Float::MufuOfHalf { function, bf16 } => m.map1_once(|a| {
            let single = half::value(a as u16, bf16) as f32;
            let result = f32::from_bits(mufu::evaluate(function, single.to_bits()));
            u32::from(half::round_to(f64::from(result), bf16, Round::Nearest))
        }),
    }
}

/// The lanes where a comparison holds, from those where a < b, a = b, a > b.
#[inline(always)]
pub(crate) fn comparison(compare: Compare, less: LaneBits, equal: LaneBits, greater: LaneBits) -> LaneBits {
    let unordered = !(less | equal | greater);
    match compare {
        Compare::False => 0,
        Compare::Lt => less,
        Compare::Eq => equal,
        Compare::Le => less | equal,
        Compare::Gt => greater,
        Compare::Ne => less | greater,
        Compare::Ge => greater | equal,
        Compare::Num => !unordered,
        Compare::Nan => unordered,
        Compare::Ltu => less | unordered,
        Compare::Equ => equal | unordered,
        Compare::Leu => less | equal | unordered,
        Compare::Gtu => greater | unordered,
        Compare::Neu => less | greater | unordered,
        Compare::Geu => greater | equal | unordered,
        Compare::True => !0,
    }
}

#[inline(always)]
fn compare_floats(m: &Machine<'_>, compare: Compare, ftz: bool) -> LaneBits {
    let value = |bits: u32| f32::from_bits(if ftz { flush(bits) } else { bits });
    let less = m.test2(|a, b| value(a) < value(b));
    let equal = m.test2(|a, b| value(a) == value(b));
    let greater = m.test2(|a, b| value(a) > value(b));
    comparison(compare, less, equal, greater)
}

/// Bits whose signed order is the order of floats, -0 below +0.
#[inline(always)]
fn ordered(bits: u32) -> i32 {
    (bits ^ (((bits as i32) >> 31) as u32 >> 1)) as i32
}

#[inline(always)]
fn min_max(m: &mut Machine<'_>, ftz: bool, nan: bool) {
    let min = m.predicate(0);
    let (mut ta, mut tb, mut out) = (None, None, [0; LANES]);
    let (a, b) = (m.source(0, &mut ta), m.source(1, &mut tb));
    for lane in 0..LANES {
        let (x, y) = if ftz { (flush(a[lane]), flush(b[lane])) } else { (a[lane], b[lane]) };
        let (x_nan, y_nan) = (f32::from_bits(x).is_nan(), f32::from_bits(y).is_nan());
        let x_wins = (ordered(x) < ordered(y)) == (min >> lane & 1 != 0);
        out[lane] = match (x_nan, y_nan) {
            (false, false) => {
                if x_wins {
                    x
                } else {
                    y
                }
            }
            (true, false) if !nan => y,
            (false, true) if !nan => x,
            _ => NAN32,
        };
    }
    m.write(&out);
}

/// Whether a / b could leave the range in which the short sequence is exact.
fn needs_slow_division(a: u32, b: u32) -> bool {
    let (ea, eb) = ((a >> 23 & 0xff) as i32, (b >> 23 & 0xff) as i32);
    let quotient = ea - eb;
    !(25..=254).contains(&ea) || !(1..=252).contains(&eb) || !(-124..=125).contains(&quotient)
}

#[inline(always)]
pub(crate) fn execute_double(m: &mut Machine<'_>, operation: Double) {
    match operation {
        Double::Add(round) => {
            let (a, b) = (m.double(0), m.double(1));
            let nan = |lane: usize, sum: f64| with_nan_of(sum, &[b[lane], a[lane]]);
            let directed = |lane| nan(lane, float::add64(a[lane], b[lane], round));
            write_double(m, directed, round, |lane| nan(lane, a[lane] + b[lane]));
        }
        Double::Mul(round) => {
            let (a, b) = (m.double(0), m.double(1));
            let nan = |lane: usize, product: f64| with_nan_of(product, &[b[lane], a[lane]]);
            let directed = |lane| nan(lane, float::mul64(a[lane], b[lane], round));
            write_double(m, directed, round, |lane| nan(lane, a[lane] * b[lane]));
        }
        Double::Fma(round) => {
            let (a, b, c) = (m.double(0), m.double(1), m.double(2));
            let nan = |lane: usize, sum: f64| with_nan_of(sum, &[b[lane], c[lane], a[lane]]);
            let directed = |lane| nan(lane, float::fma64(a[lane], b[lane], c[lane], round));
            write_double(m, directed, round, |lane| nan(lane, a[lane].mul_add(b[lane], c[lane])));
        }
        Double::SetPredicate { compare, combine } => {
            let (a, b) = (m.double(0), m.double(1));
            let (mut less, mut equal, mut greater) = (0, 0, 0);
            for lane in 0..LANES {
                less |= LaneBits::from(a[lane] < b[lane]) << lane;
                equal |= LaneBits::from(a[lane] == b[lane]) << lane;
                greater |= LaneBits::from(a[lane] > b[lane]) << lane;
            }
            write_comparison(m, comparison(compare, less, equal, greater), combine);
        }
        Double::Extreme { maximum, combine } => {
            let (a, b) = (m.double(0), m.double(1));
            let (mut first, mut neither) = (0, 0);
            for lane in 0..LANES {
                let (a, b) = (a[lane], b[lane]);
                // Of two zeros the negative one is less.
                let less = a < b || a == b && a.is_sign_negative();
                let wins = if maximum { a > b || a == b && a.is_sign_positive() } else { less };
                first |= LaneBits::from(wins || b.is_nan() && !a.is_nan()) << lane;
                neither |= LaneBits::from(a.is_nan() && b.is_nan()) << lane;
            }
            write_two(m, first, neither, combine);
        }
    }
}

#[inline(always)]
fn write_double(
    m: &mut Machine<'_>,
    directed: impl Fn(usize) -> u64,
    round: Round,
    plain: impl Fn(usize) -> u64,
) {
    let mut out = [0; LANES];
    if round == Round::Nearest {
        (0..LANES).for_each(|lane| out[lane] = plain(lane));
    } else {
        (0..LANES).for_each(|lane| out[lane] = directed(lane));
    }
    m.write_wide(&out);
}

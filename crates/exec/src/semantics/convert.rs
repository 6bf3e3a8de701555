//! Conversions between integers and floats of all widths.

use crate::LANES;
use crate::op::{Convert, FloatType, IntType, Round};
use crate::semantics::float::{NAN64, flush, saturate, to_f32};
use crate::semantics::lanes::Machine;
use crate::semantics::{byte, half};
use warplab_units::PerLane;

pub(crate) fn execute(m: &mut Machine<'_>, conversion: Convert) {
    match conversion {
        Convert::IntToFloat { from, to: FloatType::F32, round }
            if from.bits == 32 && round == Round::Nearest =>
        {
            if from.signed {
                m.map1(|a| (a as i32 as f32).to_bits());
            } else {
                m.map1(|a| (a as f32).to_bits());
            }
        }
        Convert::IntToFloat { from, to, round } => {
            let sources = integers(m, from);
            let values = each(&sources, |a, b| a == b, |value| from_integer(value, to, round));
            write(m, values, to == FloatType::F64);
        }
        Convert::FloatToInt { from, to, round, ftz } => {
            let values = each(&floats(m, from, ftz), same_bits, |value| to_integer(value, to, round));
            write(m, values, to.bits == 64);
        }
        Convert::FloatToFloat { from, to, round, ftz, saturate: clamp, integral } => {
            let values = each(&floats(m, from, ftz), same_bits, |value| {
                let value = if integral { round_integral(value, round) } else { value };
                let bits = to_float(value, to, round);
                let bits = if ftz && to == FloatType::F32 { u64::from(flush(bits as u32)) } else { bits };
                if clamp && to == FloatType::F32 { u64::from(saturate(bits as u32)) } else { bits }
            });
            write(m, values, to == FloatType::F64);
        }
        Convert::Pack { bf16, relu, round } => m.map2(|a, b| {
            let pack = |bits: u32| {
                let value = f64::from(f32::from_bits(bits));
                u32::from(half::round_to(if relu && value <= 0.0 { 0.0 } else { value }, bf16, round))
            };
            pack(a) << 16 | pack(b)
        }),
        Convert::Tf32 { relu, round } => m.map1(|a| to_tf32(a, relu, round)),
        Convert::PackBytes { format, relu, halves } => m.map3(|a, b, c| {
            let (upper, lower) = if halves {
                (f64::from(half::f16((a >> 16) as u16)), f64::from(half::f16(a as u16)))
            } else {
                (f64::from(f32::from_bits(a)), f64::from(f32::from_bits(b)))
            };
            let byte = |value: f64| byte::from_float(if relu && value <= 0.0 { 0.0 } else { value }, format);
            c << 16 | u32::from(byte(upper)) << 8 | u32::from(byte(lower))
        }),
        Convert::UnpackBytes { format, relu } => m.map1(|a| {
            let [lower, upper, ..] = a.to_le_bytes();
            let half = |bits: u8| {
                let half = byte::to_half(bits, format);
                if relu && half & 0x8000 != 0 && half & 0x7fff <= 0x7c00 { 0 } else { half }
            };
            u32::from(half(upper)) << 16 | u32::from(half(lower))
        }),
        Convert::PackIntegers { to, floats } => {
            let integer = |bits: u32| match floats {
                Some(round) => to_integer(f64::from(f32::from_bits(bits)), to, round) as u32,
                None => clamp(i128::from(bits as i32), to) as u32,
            };
            let mask = u32::MAX >> (32 - to.bits);
            let pack = |a: u32, b: u32| (integer(a) & mask) << to.bits | integer(b) & mask;
            if to.bits == 8 { m.map3(|a, b, c| c << 16 | pack(a, b)) } else { m.map2(pack) }
        }
        Convert::IntToInt { to, saturate } => m.map1(|a| {
            let value = i64::from(a as i32);
            if saturate { clamp(i128::from(value), to) as u32 } else { truncate(a, to) }
        }),
    }
}

/// Ten bits of fraction, to nearest even or cut off; every NaN is one (measured: traces/h200/sparse/forms.txt).
fn to_tf32(bits: u32, relu: bool, round: Round) -> u32 {
    const CUT: u32 = 0x1fff;
    if f32::from_bits(bits).is_nan() {
        return 0x7fff_ffff & !CUT;
    }
    if relu && bits >> 31 != 0 {
        return 0;
    }
    let half = if round == Round::Nearest { CUT / 2 + (bits >> CUT.count_ones() & 1) } else { 0 };
    (bits + half) & !CUT
}

/// f of every value, computed once where all are the same.
fn each<T: Copy>(values: &PerLane<T>, same: impl Fn(T, T) -> bool, f: impl Fn(T) -> u64) -> PerLane<u64> {
    if values.iter().all(|&value| same(value, values[0])) {
        return [f(values[0]); LANES];
    }
    values.map(f)
}

fn same_bits(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

fn write(m: &mut Machine<'_>, values: PerLane<u64>, wide: bool) {
    if wide {
        m.write_wide(&values);
    } else {
        m.write(&values.map(|value| value as u32));
    }
}

/// The integer sources as exact values.
fn integers(m: &Machine<'_>, from: IntType) -> PerLane<i128> {
    if from.bits == 64 {
        return m.wide(0).map(|v| if from.signed { i128::from(v as i64) } else { i128::from(v) });
    }
    let mut space = None;
    m.source(0, &mut space).map(|value| {
        let shift = 32 - u32::from(from.bits);
        let shifted = value << shift;
        if from.signed { i128::from((shifted as i32) >> shift) } else { i128::from(shifted >> shift) }
    })
}

/// The float sources as doubles, exact.
fn floats(m: &Machine<'_>, from: FloatType, ftz: bool) -> PerLane<f64> {
    if from == FloatType::F64 {
        return m.double(0);
    }
    let mut space = None;
    m.source(0, &mut space).map(|bits| match from {
        FloatType::F16 => half::value(bits as u16, false),
        FloatType::Bf16 => half::value(bits as u16, true),
        _ => f64::from(f32::from_bits(if ftz { flush(bits) } else { bits })),
    })
}

/// An integer of up to 64 bits as a float.
fn from_integer(value: i128, to: FloatType, round: Round) -> u64 {
    let magnitude = value.unsigned_abs() as u64;
    if to == FloatType::F64 {
        let nearest = value as f64;
        let exact = nearest as i128;
        let up = nearest.next_up();
        let down = nearest.next_down();
        let chosen = match round {
            Round::Up if exact < value => up,
            Round::Down if exact > value => down,
            Round::Zero if exact > value && value > 0 => down,
            Round::Zero if exact < value && value < 0 => up,
            _ => nearest,
        };
        return chosen.to_bits();
    }
    // Rounded to odd at 53 bits, so that rounding again is exact.
    let spare = (64 - magnitude.leading_zeros()).saturating_sub(53);
    let lost = magnitude & ((1 << spare) - 1) != 0;
    let odd = (magnitude >> spare | u64::from(lost)) << spare;
    let double = if value < 0 { -(odd as f64) } else { odd as f64 };
    to_float(double, to, round)
}

/// A double rounded to a type, as bits.
fn to_float(value: f64, to: FloatType, round: Round) -> u64 {
    match to {
        FloatType::F64 if value.is_nan() => NAN64,
        FloatType::F64 => value.to_bits(),
        FloatType::F32 => u64::from(to_f32(value, round)),
        FloatType::F16 => u64::from(half::round_to(value, false, round)),
        FloatType::Bf16 => u64::from(half::round_to(value, true, round)),
    }
}

/// Rounded to an integer.
fn round_integral(value: f64, round: Round) -> f64 {
    match round {
        Round::Nearest => value.round_ties_even(),
        Round::Down => value.floor(),
        Round::Up => value.ceil(),
        Round::Zero => value.trunc(),
    }
}

/// A float as an integer: saturated; NaN is 0, or the most negative number for 64 bits.
fn to_integer(value: f64, to: IntType, round: Round) -> u64 {
    if value.is_nan() {
        return if to.bits == 64 { 1 << 63 } else { 0 };
    }
    let integral = round_integral(value, round);
    if to.bits <= 32 {
        // What does not fit in 64 bits saturates, and is clamped all the same.
        return clamp(i128::from(integral as i64), to) as u64;
    }
    clamp(integral as i128, to) as u64
}

fn clamp(value: i128, to: IntType) -> i128 {
    let (low, high) = if to.signed {
        (-(1i128 << (to.bits - 1)), (1i128 << (to.bits - 1)) - 1)
    } else {
        (0, (1i128 << to.bits) - 1)
    };
    value.clamp(low, high)
}

fn truncate(value: u32, to: IntType) -> u32 {
    let shift = 32 - u32::from(to.bits.min(32));
    if to.signed { ((value << shift) as i32 >> shift) as u32 } else { value << shift >> shift }
}

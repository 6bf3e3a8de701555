//! Division, remainder and roots, bit for bit against the host, on edge cases and random values.

use crate::common::{check, pairs};

const INTEGERS: &[u64] = &[
    0,
    1,
    2,
    3,
    5,
    7,
    10,
    0xff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_fffe,
    u64::MAX,
];

#[test]
fn integers_of_32_bits() {
    let pairs = pairs(INTEGERS, 2000);
    check("u32", 4, "div.u32 %d, %a, %b;", &pairs, |a, b| (a as u32).checked_div(b as u32).map(u64::from));
    check("u32", 4, "rem.u32 %d, %a, %b;", &pairs, |a, b| (a as u32).checked_rem(b as u32).map(u64::from));
    let signed = |a: u64, b: u64| (a as u32 as i32, b as u32 as i32);
    check("s32", 4, "div.s32 %d, %a, %b;", &pairs, |a, b| {
        let (a, b) = signed(a, b);
        (b != 0).then(|| u64::from(a.wrapping_div(b) as u32))
    });
    check("s32", 4, "rem.s32 %d, %a, %b;", &pairs, |a, b| {
        let (a, b) = signed(a, b);
        (b != 0).then(|| u64::from(a.wrapping_rem(b) as u32))
    });
}

#[test]
fn integers_of_64_bits() {
    let pairs = pairs(INTEGERS, 2000);
    check("u64", 8, "div.u64 %d, %a, %b;", &pairs, u64::checked_div);
    check("u64", 8, "rem.u64 %d, %a, %b;", &pairs, u64::checked_rem);
    check("s64", 8, "div.s64 %d, %a, %b;", &pairs, |a, b| {
        (b != 0).then(|| (a as i64).wrapping_div(b as i64) as u64)
    });
    check("s64", 8, "rem.s64 %d, %a, %b;", &pairs, |a, b| {
        (b != 0).then(|| (a as i64).wrapping_rem(b as i64) as u64)
    });
    check("s64", 8, "mul.hi.s64 %d, %a, %b;", &pairs, |a, b| {
        Some(((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64)
    });
    check("u64", 8, "mul.hi.u64 %d, %a, %b;", &pairs, |a, b| {
        Some(((u128::from(a) * u128::from(b)) >> 64) as u64)
    });
    check("u64", 8, "mul.lo.u64 %d, %a, %b;", &pairs, |a, b| Some(a.wrapping_mul(b)));
}

const SINGLES: &[u64] = &[
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    2,
    0x7f_ffff,
    0x80_0000,
    0x80_0001,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0x4040_0000,
    0x3f80_0001,
    0x3fff_ffff,
    0x7f00_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7e80_0001,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x3400_0000,
];

fn single(bits: f32) -> Option<u64> {
    (!bits.is_nan()).then(|| u64::from(bits.to_bits()))
}

#[test]
fn singles_to_nearest() {
    let pairs = pairs(SINGLES, 20_000);
    let f = |bits: u64| f32::from_bits(bits as u32);
    check("f32", 4, "div.rn.f32 %d, %a, %b;", &pairs, |a, b| single(f(a) / f(b)));
    check("f32", 4, "rcp.rn.f32 %d, %a;", &pairs, |a, _| single(1.0 / f(a)));
    check("f32", 4, "sqrt.rn.f32 %d, %a;", &pairs, |a, _| single(f(a).sqrt()));
}

/// The neighbour of a rounded single that a directed mode gives, from the exact comparison.
fn directed(value: f32, too_large: bool, too_small: bool, mode: &str) -> f32 {
    let toward_zero = if value.is_sign_negative() { "rp" } else { "rm" };
    let mode = if mode == "rz" { toward_zero } else { mode };
    match mode {
        "rm" if too_large => value.next_down(),
        "rp" if too_small => value.next_up(),
        _ => value,
    }
}

#[test]
fn singles_in_directed_modes() {
    let pairs = pairs(SINGLES, 4000);
    let f = |bits: u64| f32::from_bits(bits as u32);
    for mode in ["rz", "rm", "rp"] {
        check("f32", 4, &format!("div.{mode}.f32 %d, %a, %b;"), &pairs, |a, b| {
            let (x, y) = (f(a), f(b));
            let q = x / y;
            if !q.is_finite() || q == 0.0 || !y.is_finite() {
                return None;
            }
            // q * y against x, exact in double.
            let (product, x) = (f64::from(q) * f64::from(y), f64::from(x));
            let above = if y > 0.0 { product > x } else { product < x };
            let below = if y > 0.0 { product < x } else { product > x };
            single(directed(q, above, below, mode))
        });
        check("f32", 4, &format!("sqrt.{mode}.f32 %d, %a;"), &pairs, |a, _| {
            let root = f(a).sqrt();
            let square = f64::from(root) * f64::from(root);
            let x = f64::from(f(a));
            single(if root.is_finite() { directed(root, square > x, square < x, mode) } else { root })
        });
    }
}

const DOUBLES: &[u64] = &[
    0,
    1 << 63,
    1,
    2,
    3,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x0010_0000_0000_0001,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0x3fff_ffff_ffff_ffff,
    0x4008_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x0370_0000_0000_0000,
    0x7c00_0000_0000_0000,
];

fn double(value: f64) -> Option<u64> {
    (!value.is_nan()).then(|| value.to_bits())
}

#[test]
fn doubles_to_nearest() {
    let pairs = pairs(DOUBLES, 6000);
    let f = f64::from_bits;
    check("f64", 8, "div.rn.f64 %d, %a, %b;", &pairs, |a, b| double(f(a) / f(b)));
    // Dividends so small that quotients lose digits, down to none.
    let with_exponent = |x: u64, exponent: u64| x & !(0x7ff << 52) | exponent << 52;
    let small =
        |&(a, b): &(u64, u64)| (with_exponent(a, a >> 3 & 63), with_exponent(b, 1000 + (b >> 5 & 63)));
    let small: Vec<(u64, u64)> = pairs.iter().map(small).collect();
    check("f64", 8, "div.rn.f64 %d, %a, %b;", &small, |a, b| double(f(a) / f(b)));
    check("f64", 8, "rcp.rn.f64 %d, %a;", &pairs, |a, _| double(1.0 / f(a)));
    check("f64", 8, "sqrt.rn.f64 %d, %a;", &pairs, |a, _| double(f(a).sqrt()));
}

#[test]
fn the_smaller_and_larger_of_doubles() {
    let pairs = pairs(DOUBLES, 2000);
    let f = f64::from_bits;
    let less = |a: f64, b: f64| a < b || a == b && a.is_sign_negative();
    let smaller = move |a: f64, b: f64| double(if b.is_nan() || less(a, b) { a } else { b });
    let larger = move |a: f64, b: f64| double(if b.is_nan() || less(b, a) { a } else { b });
    check("f64", 8, "min.f64 %d, %a, %b;", &pairs, |a, b| smaller(f(a), f(b)));
    check("f64", 8, "max.f64 %d, %a, %b;", &pairs, |a, b| larger(f(a), f(b)));
    check("f64", 8, "abs.f64 %d, %b; max.f64 %d, %d, %a;", &pairs, |a, b| larger(f(b).abs(), f(a)));
    check("f64", 8, "neg.f64 %d, %b; min.f64 %d, %a, %d;", &pairs, |a, b| smaller(f(a), -f(b)));
}

#[test]
fn doubles_in_directed_modes() {
    // Where the quotient is exact or the remainder by fused multiply-add shows the side.
    let pairs = pairs(&DOUBLES[7..13], 1500);
    let f = f64::from_bits;
    let moderate = |x: f64| x.is_finite() && x.abs() > 1e-100 && x.abs() < 1e100;
    for mode in ["rz", "rm", "rp"] {
        check("f64", 8, &format!("div.{mode}.f64 %d, %a, %b;"), &pairs, |a, b| {
            let (x, y) = (f(a), f(b));
            let q = x / y;
            if !moderate(x) || !moderate(y) || !moderate(q) {
                return None;
            }
            let rest = (-q).mul_add(y, x);
            let above = (rest < 0.0) == (y > 0.0) && rest != 0.0;
            let mode = if mode == "rz" { if q < 0.0 { "rp" } else { "rm" } } else { mode };
            Some(
                match mode {
                    "rm" if above => q.next_down(),
                    "rp" if !above && rest != 0.0 => q.next_up(),
                    _ => q,
                }
                .to_bits(),
            )
        });
    }
}

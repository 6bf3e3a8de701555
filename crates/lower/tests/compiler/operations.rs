//! Integer and bit operations against the host.

use crate::common::{check, pairs};
use crate::programs::{check as check_program, kernel};

const EDGES: &[u64] = &[
    0,
    1,
    2,
    31,
    32,
    33,
    63,
    64,
    65,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

fn words(operation: &str, host: impl Fn(u32, u32) -> u32) {
    let pairs = pairs(EDGES, 300);
    check("b32", 4, operation, &pairs, |a, b| Some(u64::from(host(a as u32, b as u32))));
}

fn doublewords(operation: &str, host: impl Fn(u64, u64) -> u64) {
    check("b64", 8, operation, &pairs(EDGES, 300), |a, b| Some(host(a, b)));
}

fn halves(operation: &str, host: impl Fn(u16, u16) -> u16) {
    check("b16", 2, operation, &pairs(EDGES, 300), |a, b| Some(u64::from(host(a as u16, b as u16))));
}

#[test]
fn shifts_clamp() {
    words("shl.b32 %d, %a, %b;", |a, b| a.checked_shl(b).unwrap_or(0));
    words("shr.u32 %d, %a, %b;", |a, b| a.checked_shr(b).unwrap_or(0));
    words("shr.s32 %d, %a, %b;", |a, b| (a as i32 >> b.min(31)) as u32);
    words("shf.l.wrap.b32 %d, %a, %b, %a;", |a, b| {
        ((u64::from(b) << 32 | u64::from(a)) << (a & 31) >> 32) as u32
    });
    words("shf.r.clamp.b32 %d, %a, %b, %a;", |a, b| {
        ((u64::from(b) << 32 | u64::from(a)) >> a.min(32)) as u32
    });
    let count = "cvt.u32.u64 %r2, %b;";
    doublewords(&format!("{count} shl.b64 %d, %a, %r2;"), |a, b| a.checked_shl(b as u32).unwrap_or(0));
    doublewords(&format!("{count} shr.u64 %d, %a, %r2;"), |a, b| a.checked_shr(b as u32).unwrap_or(0));
    doublewords(&format!("{count} shr.s64 %d, %a, %r2;"), |a, b| (a as i64 >> (b as u32).min(63)) as u64);
    for count in [0u32, 1, 8, 31, 32, 33, 40, 63] {
        doublewords(&format!("shl.b64 %d, %a, {count};"), |a, _| a << count);
        doublewords(&format!("shr.u64 %d, %a, {count};"), |a, _| a >> count);
        doublewords(&format!("shr.s64 %d, %a, {count};"), |a, _| (a as i64 >> count) as u64);
    }
}

#[test]
fn sums_and_products() {
    words("add.u32 %d, %a, %b;", u32::wrapping_add);
    words("sub.s32 %d, %a, %b;", u32::wrapping_sub);
    words("add.sat.s32 %d, %a, %b;", |a, b| (a as i32).saturating_add(b as i32) as u32);
    words("sub.sat.s32 %d, %a, %b;", |a, b| (a as i32).saturating_sub(b as i32) as u32);
    words("mad.lo.s32 %d, %a, %b, %a;", |a, b| a.wrapping_mul(b).wrapping_add(a));
    words("mul.hi.s32 %d, %a, %b;", |a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32);
    words("mad.hi.sat.s32 %d, %a, %b, %a;", |a, b| {
        let high = (i64::from(a as i32) * i64::from(b as i32)) >> 32;
        (high as i32).saturating_add(a as i32) as u32
    });
    words("mad24.hi.sat.s32 %d, %a, %b, %a;", |a, b| {
        let low = |word: u32| i64::from((word << 8) as i32 >> 8);
        (((low(a) * low(b)) >> 16) as i32).saturating_add(a as i32) as u32
    });
    words("mad.hi.u32 %d, %a, %b, %a;", |a, b| {
        (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(a)
    });
    words("mul24.lo.u32 %d, %a, %b;", |a, b| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff));
    words("mul24.hi.u32 %d, %a, %b;", |a, b| {
        ((u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) >> 16) as u32
    });
    words("sad.s32 %d, %a, %b, %a;", |a, b| (a as i32).abs_diff(b as i32).wrapping_add(a));
    words("sad.u32 %d, %a, %b, %a;", |a, b| a.abs_diff(b).wrapping_add(a));
    words("abs.s32 %d, %a;", |a, _| (a as i32).wrapping_abs() as u32);
    words("neg.s32 %d, %a;", |a, _| a.wrapping_neg());
    words("min.s32 %d, %a, %b;", |a, b| (a as i32).min(b as i32) as u32);
    words("max.u32 %d, %a, %b;", u32::max);
    doublewords("add.s64 %d, %a, %b;", u64::wrapping_add);
    doublewords("sub.s64 %d, %a, %b;", u64::wrapping_sub);
    doublewords("sub.s64 %d, %a, 5;", |a, _| a.wrapping_sub(5));
    doublewords("sub.s64 %d, 5, %a;", |a, _| 5u64.wrapping_sub(a));
    doublewords("neg.s64 %d, %a;", |a, _| a.wrapping_neg());
    doublewords("abs.s64 %d, %a;", |a, _| (a as i64).wrapping_abs() as u64);
    doublewords("min.s64 %d, %a, %b;", |a, b| (a as i64).min(b as i64) as u64);
    doublewords("max.u64 %d, %a, %b;", u64::max);
    doublewords("mad.lo.s64 %d, %a, %b, %a;", |a, b| a.wrapping_mul(b).wrapping_add(a));
    doublewords(
        "{ .reg .b32 %l<4>, %h<4>; mov.b64 {%l1, %h1}, %a; mov.b64 {%l2, %h2}, %b; add.cc.u32 %l3, %l1, %l2; addc.u32 %h3, %h1, %h2; mov.b64 %d, {%l3, %h3}; }",
        u64::wrapping_add,
    );
    doublewords(
        "{ .reg .b32 %l<4>, %h<4>; mov.b64 {%l1, %h1}, %a; mov.b64 {%l2, %h2}, %b; sub.cc.u32 %l3, %l1, %l2; subc.u32 %h3, %h1, %h2; mov.b64 %d, {%l3, %h3}; }",
        u64::wrapping_sub,
    );
    halves("mul.lo.u16 %d, %a, %b;", u16::wrapping_mul);
    halves("mul.hi.s16 %d, %a, %b;", |a, b| ((i32::from(a as i16) * i32::from(b as i16)) >> 16) as u16);
    halves("min.s16 %d, %a, %b;", |a, b| (a as i16).min(b as i16) as u16);
    halves("shr.s16 %d, %a, 3;", |a, _| (a as i16 >> 3) as u16);
}

#[test]
fn bits_and_fields() {
    words("popc.b32 %d, %a;", |a, _| a.count_ones());
    words("clz.b32 %d, %a;", |a, _| a.leading_zeros());
    words("brev.b32 %d, %a;", |a, _| a.reverse_bits());
    words("bfind.u32 %d, %a;", |a, _| 31u32.wrapping_sub(a.leading_zeros()));
    words("bfind.shiftamt.u32 %d, %a;", |a, _| if a == 0 { u32::MAX } else { a.leading_zeros() });
    words("bfind.s32 %d, %a;", |a, _| {
        let x = if (a as i32) < 0 { !a } else { a };
        31u32.wrapping_sub(x.leading_zeros())
    });
    words("not.b32 %d, %a;", |a, _| !a);
    words("cnot.b32 %d, %a;", |a, _| u32::from(a == 0));
    words("{ .reg .b32 %t; and.b32 %t, %a, %b; xor.b32 %d, %t, %a; }", |a, b| (a & b) ^ a);
    words("{ .reg .b32 %t; or.b32 %t, %a, 255; and.b32 %d, %b, %t; }", |a, b| (a | 255) & b);
    words("lop3.b32 %d, %a, %b, 0x0f0f1234, 0x96;", |a, b| a ^ b ^ 0x0f0f_1234);
    words("bfe.u32 %d, %a, 4, 8;", |a, _| a >> 4 & 0xff);
    words("bfe.s32 %d, %a, 4, 8;", |a, _| (((a >> 4) as i32) << 24 >> 24) as u32);
    words("bfi.b32 %d, %a, %b, 4, 8;", |a, b| (b & !0xff0) | (a & 0xff) << 4);
    words("prmt.b32 %d, %a, %b, 0x7250;", |a, b| {
        let bytes = u64::from(b) << 32 | u64::from(a);
        [0, 5, 2, 7]
            .iter()
            .enumerate()
            .fold(0, |word, (at, &from)| word | ((bytes >> (8 * from) & 0xff) as u32) << (8 * at))
    });
    words("bmsk.clamp.b32 %d, 4, 8;", |_, _| 0xff0);
    words("{ .reg .b64 %t; mov.b64 %t, {%a, %b}; clz.b64 %d, %t; }", |a, b| {
        (u64::from(b) << 32 | u64::from(a)).leading_zeros()
    });
    words("{ .reg .b64 %t; mov.b64 %t, {%a, %b}; popc.b64 %d, %t; }", |a, b| a.count_ones() + b.count_ones());
    words("{ .reg .b64 %t; mov.b64 %t, {%a, %b}; bfind.u64 %d, %t; }", |a, b| {
        63u32.wrapping_sub((u64::from(b) << 32 | u64::from(a)).leading_zeros())
    });
    doublewords("brev.b64 %d, %a;", |a, _| a.reverse_bits());
    doublewords("bfe.u64 %d, %a, 8, 40;", |a, _| a >> 8 & 0xff_ffff_ffff);
    doublewords("bfe.s64 %d, %a, 8, 40;", |a, _| (((a >> 8) as i64) << 24 >> 24) as u64);
    doublewords("bfi.b64 %d, %a, %b, 8, 40;", |a, b| {
        (b & !(0xff_ffff_ffff << 8)) | (a & 0xff_ffff_ffff) << 8
    });
    doublewords("xor.b64 %d, %a, %b;", |a, b| a ^ b);
    words("fns.b32 %d, %a, 0, 2;", |a, _| {
        let mut left = 2;
        (0..32)
            .find(|bit| {
                left -= i32::from(a >> bit & 1 != 0);
                a >> bit & 1 != 0 && left == 0
            })
            .unwrap_or(u32::MAX)
    });
    words("fns.b32 %d, %a, 31, -1;", |a, _| if a == 0 { u32::MAX } else { 31 - a.leading_zeros() });
}

#[test]
fn conversions_and_comparisons() {
    words("cvt.sat.s8.s32 %d, %a;", |a, _| (a as i32).clamp(-128, 127) as u32);
    words("cvt.sat.u8.s32 %d, %a;", |a, _| (a as i32).clamp(0, 255) as u32);
    words("cvt.sat.u16.u32 %d, %a;", |a, _| a.min(0xffff));
    words("cvt.sat.s32.u32 %d, %a;", |a, _| a.min(i32::MAX as u32));
    words("cvt.sat.u32.s32 %d, %a;", |a, _| (a as i32).max(0) as u32);
    words("cvt.s32.s8 %d, %a;", |a, _| a as i8 as i32 as u32);
    words("cvt.u32.u16 %d, %a;", |a, _| a & 0xffff);
    doublewords("{ .reg .b32 %t; cvt.sat.s32.s64 %t, %a; cvt.s64.s32 %d, %t; }", |a, _| {
        (a as i64).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u64
    });
    doublewords("{ .reg .pred %q; setp.lt.s64 %q, %a, %b; selp.b64 %d, 1, 2, %q; }", |a, b| {
        if (a as i64) < b as i64 { 1 } else { 2 }
    });
    let tested = |operation: &str, compare: &str| {
        let choose = format!("setp.{compare} %q, %t, 0; selp.b64 %d, 1, 2, %q; }}");
        format!("{{ .reg .pred %q; .reg .b64 %t; {operation} {choose}")
    };
    doublewords(&tested("and.b64 %t, %a, %b;", "ne.s64"), |a, b| if a & b == 0 { 2 } else { 1 });
    doublewords(&tested("or.b64 %t, %a, %b;", "eq.s64"), |a, b| if a | b == 0 { 1 } else { 2 });
    doublewords(&tested("xor.b64 %t, %a, %b;", "eq.b64"), |a, b| if a == b { 1 } else { 2 });
    let masked = tested("and.b64 %t, %a, 0xff00000000;", "ne.b64");
    doublewords(&masked, |a, _| if a & 0xff_0000_0000 == 0 { 2 } else { 1 });
    doublewords("{ .reg .pred %q; setp.eq.b64 %q, %a, %b; selp.b64 %d, %a, 2, %q; }", |a, b| {
        if a == b { a } else { 2 }
    });
    words("{ .reg .pred %q, %s; setp.lt.u32 %q|%s, %a, %b; selp.b32 %d, 1, 2, %s; }", |a, b| {
        if a < b { 2 } else { 1 }
    });
    words(
        "{ .reg .pred %q, %s; setp.lt.s32 %q, %a, 7; setp.gt.or.u32 %s, %b, 9, %q; selp.b32 %d, %a, %b, %s; }",
        |a, b| if b > 9 || (a as i32) < 7 { a } else { b },
    );
    words("set.gt.u32.u32 %d, %a, %b;", |a, b| if a > b { u32::MAX } else { 0 });
    words("slct.b32.s32 %d, %a, %b, %a;", |a, b| if a as i32 >= 0 { a } else { b });
    words(
        "{ .reg .pred %q; setp.gt.s32 %q, %a, 0; mov.b32 %d, 3; @%q div.u32 %d, %b, 7; @!%q rem.u32 %d, %b, 7; }",
        |a, b| if a as i32 > 0 { b / 7 } else { b % 7 },
    );
    words("{ .reg .b16 %l, %h; mov.b32 {%l, %h}, %a; mov.b32 %d, {%h, %l}; }", |a, _| a.rotate_left(16));
    words("{ .reg .f32 %f; cvt.rn.f32.s32 %f, %a; mov.b32 %d, %f; }", |a, _| (a as i32 as f32).to_bits());
    words("{ .reg .f32 %f; cvt.rn.f32.u32 %f, %a; cvt.rzi.u32.f32 %d, %f; }", |a, _| a as f32 as u32);
    doublewords("{ .reg .f64 %f; cvt.rn.f64.s64 %f, %a; cvt.rzi.s64.f64 %d, %f; }", |a, _| {
        a as i64 as f64 as i64 as u64
    });
}

#[test]
fn calls_and_switches() {
    let operation = "{ .reg .b32 %i; and.b32 %i, %a, 3; T: .branchtargets L0, L1, L2, L3; brx.idx %i, T;\nL0: mov.b32 %d, 10; bra.uni J;\nL1: mov.b32 %d, %b; bra.uni J;\nL2: add.u32 %d, %a, %b; bra.uni J;\nL3: sub.u32 %d, %a, %b;\nJ: }";
    words(operation, |a, b| match a & 3 {
        0 => 10,
        1 => b,
        2 => a.wrapping_add(b),
        _ => a.wrapping_sub(b),
    });
}

#[test]
fn a_double_becomes_a_bfloat16_with_one_rounding() {
    // A little more than half way between two of them: a single in between would lose what is more.
    let bits = (1.0 + 2f64.powi(-8) + 2f64.powi(-40)).to_bits();
    for (mode, expected) in [("rn", 0x3f81), ("rz", 0x3f80), ("rp", 0x3f81), ("rm", 0x3f80)] {
        let body = format!(
            ".reg .b16 %h<3>; .reg .f64 %d<3>; mov.f64 %d1, 0d{bits:016X}; cvt.{mode}.bf16.f64 %h1, %d1; cvt.u32.u16 %r0, %h1;"
        );
        check_program(&kernel("", "", &body), 1, |_| expected);
    }
}

#[test]
fn halves_become_bfloat16_and_back() {
    // 1 + 3/1024 is nearest to one.
    let body = ".reg .b16 %h<5>; mov.b16 %h1, 0x3c03; cvt.rn.bf16.f16 %h2, %h1; cvt.rp.bf16.f16 %h3, %h1; \
                cvt.rn.f16.bf16 %h4, %h3; mov.b32 %r2, {%h2, %h3}; cvt.u32.u16 %r3, %h4; xor.b32 %r0, %r2, %r3;";
    check_program(&kernel("", "", body), 1, |_| 0x3f81_3f80 ^ 0x3c08);
}

#[test]
fn video_instructions_take_bytes_and_halves() {
    words("vset.s32.s32.lt %d, %a, %b;", |a, b| u32::from((a as i32) < b as i32));
    words("vset.u32.s32.le %d, %a, %b;", |a, b| u32::from(i64::from(a) <= i64::from(b as i32)));
    words("vset.s32.u32.ne %d, %a.h1, %b.b3;", |a, b| u32::from((a as i32 >> 16) != (b >> 24) as i32));
    words("vmad.s32.s32.s32 %d, %a.h0, %b.b2, %a;", |a, b| {
        (i32::from(a as i16) * i32::from((b >> 16) as i8)).wrapping_add(a as i32) as u32
    });
    words("vmad.u32.u32.u32 %d, %a.b1, %b.h1, %b;", |a, b| {
        (a >> 8 & 255).wrapping_mul(b >> 16).wrapping_add(b)
    });
    let halves = |word: u32| [word & 0xffff, word >> 16];
    let apart = |a: u32, b: u32, signed: bool| {
        let wide = |half: u32| if signed { i32::from(half as u16 as i16) } else { half as i32 };
        let pairs = halves(a).into_iter().zip(halves(b));
        pairs.map(|(x, y)| wide(x).abs_diff(wide(y))).collect::<Vec<u32>>()
    };
    let packed = |parts: Vec<u32>| parts[0] & 0xffff | parts[1] << 16;
    words("vabsdiff2.u32.u32.u32 %d, %a, %b, %a;", |a, b| packed(apart(a, b, false)));
    words("vabsdiff2.s32.s32.s32 %d, %a, %b, %a;", |a, b| packed(apart(a, b, true)));
    words("vabsdiff2.u32.u32.u32.add %d, %a, %b, %a;", |a, b| {
        apart(a, b, false).into_iter().fold(a, u32::wrapping_add)
    });
    words("vabsdiff2.u32.s32.s32.add %d, %a, %b, %b;", |a, b| {
        apart(a, b, true).into_iter().fold(b, u32::wrapping_add)
    });
}

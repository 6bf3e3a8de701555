//! Which products and sums become fused multiply-adds: ptxas's choices for the same kernels (13.0, sm_90).

use crate::common::{lowered, options};
use warplab_lower::LowerOptions;

/// The arithmetic of a kernel with this body: how many products, sums and fused multiply-adds.
fn arithmetic(body: &str, options: &LowerOptions) -> [usize; 3] {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
         .reg .f32 %f<40>; .reg .f64 %d<20>; .reg .b32 %r<20>; .reg .b16 %h<20>; .reg .b64 %rd<5>; .reg .pred %p<5>;\n\
         ld.param.u64 %rd1, [out]; ld.global.v4.f32 {{%f1, %f2, %f3, %f4}}, [%rd1]; ld.global.f32 %f5, [%rd1+16];\n\
         ld.global.v2.f64 {{%d1, %d2}}, [%rd1+32]; ld.global.f64 %d3, [%rd1+48];\n\
         ld.global.b16 %h1, [%rd1+64]; ld.global.b16 %h2, [%rd1+66]; ld.global.b16 %h3, [%rd1+68];\n\
         setp.gt.f32 %p1, %f4, %f5; mov.f32 %f11, %f5;\n{body}\n\
         st.global.v2.f32 [%rd1+128], {{%f11, %f12}}; st.global.v2.f32 [%rd1+136], {{%f13, %f14}};\n\
         st.global.f64 [%rd1+144], %d11; st.global.b16 [%rd1+152], %h11; ret; }}"
    );
    let lowered = lowered("contraction.ptx", text, options);
    let count = |suffix: &str| {
        let names = lowered.program.kernels[0].instructions.iter().map(|it| it.opcode.name());
        names
            .filter(|name| name.starts_with(['F', 'D', 'H']) && name.trim_end_matches('2').ends_with(suffix))
            .count()
    };
    [count("MUL"), count("ADD"), count("FMA")]
}

/// A loop in which something is taken from `%f10`.
const LOOP: &str = "mov.f32 %f11, %f3; L: ld.global.f32 %f20, [%rd1+256]; sub.f32 %f21, %f20, %f10; \
                    max.f32 %f11, %f11, %f21; membar.cta; setp.gt.f32 %p2, %f20, %f5; @%p2 bra L;";

#[test]
fn products_and_sums_are_fused_where_ptxas_fuses_them() {
    let cases: &[(&str, &str, [usize; 3])] = &[
        ("first term", "mul.f32 %f10, %f1, %f2; add.f32 %f11, %f10, %f3;", [0, 0, 1]),
        ("second term", "mul.f32 %f10, %f1, %f2; sub.f32 %f11, %f3, %f10;", [0, 0, 1]),
        (
            "both terms",
            "mul.f32 %f10, %f1, %f2; mul.f32 %f12, %f3, %f4; add.f32 %f11, %f10, %f12;",
            [1, 0, 1],
        ),
        ("a rounding mode in the product", "mul.rn.f32 %f10, %f1, %f2; add.f32 %f11, %f10, %f3;", [1, 1, 0]),
        ("a rounding mode in the sum", "mul.f32 %f10, %f1, %f2; add.rn.f32 %f11, %f10, %f3;", [1, 1, 0]),
        ("both flush", "mul.ftz.f32 %f10, %f1, %f2; add.ftz.f32 %f11, %f10, %f3;", [0, 0, 1]),
        ("one flushes", "mul.ftz.f32 %f10, %f1, %f2; add.f32 %f11, %f10, %f3;", [1, 1, 0]),
        ("the sum saturates", "mul.f32 %f10, %f1, %f2; add.sat.f32 %f11, %f10, %f3;", [0, 0, 1]),
        ("the product saturates", "mul.sat.f32 %f10, %f1, %f2; add.f32 %f11, %f10, %f3;", [1, 1, 0]),
        (
            "an approximate quotient",
            "div.approx.ftz.f32 %f10, %f1, %f2; sub.ftz.f32 %f11, %f3, %f10;",
            [0, 0, 1],
        ),
        (
            "a quotient and another reader",
            "div.approx.ftz.f32 %f12, %f1, %f2; add.ftz.f32 %f11, %f12, %f3;",
            [1, 1, 0],
        ),
        ("two sums", "mul.f32 %f10, %f1, %f2; add.f32 %f11, %f10, %f3; sub.f32 %f12, %f10, %f4;", [0, 0, 2]),
        (
            "of two products with two readers each the first, though the second has one left",
            "mul.f32 %f10, %f1, %f2; mul.f32 %f9, %f3, %f4; add.f32 %f11, %f9, %f5; sub.f32 %f12, %f10, %f9; \
             add.f32 %f14, %f10, %f5; max.f32 %f11, %f11, %f14;",
            [1, 0, 3],
        ),
        ("a sum and another reader", "mul.f32 %f12, %f1, %f2; add.f32 %f11, %f12, %f3;", [1, 1, 0]),
        ("a constant factor, in a loop", &format!("mul.f32 %f10, %f1, 0f3dcccccd;{LOOP}"), [0, 0, 1]),
        ("another factor, in a loop", &format!("mul.f32 %f10, %f1, %f2;{LOOP}"), [1, 1, 0]),
        (
            "a constant factor, in a loop and beside a product",
            &format!("mul.f32 %f10, %f1, 0f3dcccccd; mul.f32 %f12, %f10, %f2;{LOOP}"),
            [2, 1, 0],
        ),
        ("the same twice", "mul.f32 %f10, %f1, %f2; add.f32 %f11, %f10, %f10;", [1, 1, 0]),
        ("negated", "mul.f32 %f10, %f1, %f2; neg.f32 %f9, %f10; add.f32 %f11, %f9, %f3;", [0, 0, 1]),
        (
            "negated and kept",
            "mul.f32 %f10, %f1, %f2; neg.f32 %f12, %f10; add.f32 %f11, %f12, %f3;",
            [1, 2, 0],
        ),
        (
            "a magnitude between",
            "mul.f32 %f10, %f1, %f2; abs.f32 %f9, %f10; add.f32 %f11, %f9, %f3;",
            [1, 1, 0],
        ),
        (
            "moved",
            "mul.f32 %f10, %f1, %f2; mov.b32 %r1, %f10; mov.b32 %f9, %r1; add.f32 %f11, %f9, %f3;",
            [0, 0, 1],
        ),
        (
            "another block",
            "mul.f32 %f10, %f1, %f2; @%p1 bra L; bar.sync 0; L: add.f32 %f11, %f10, %f3;",
            [1, 1, 0],
        ),
        ("a label of nobody", "mul.f32 %f10, %f1, %f2; L: bar.sync 0; add.f32 %f11, %f10, %f3;", [0, 0, 1]),
        (
            "a sum here and one there",
            "mul.f32 %f10, %f1, %f2; add.f32 %f11, %f10, %f3; @%p1 bra L; bar.sync 0; add.f32 %f12, %f10, %f5; L:",
            [1, 2, 0],
        ),
        ("a guarded sum", "mul.f32 %f10, %f1, %f2; @%p1 add.f32 %f11, %f10, %f3;", [0, 0, 1]),
        (
            "a guarded product",
            "mov.f32 %f10, %f4; @%p1 mul.f32 %f10, %f1, %f2; add.f32 %f11, %f10, %f3;",
            [1, 1, 0],
        ),
        (
            "written again",
            "mul.f32 %f10, %f1, %f2; add.f32 %f11, %f10, %f3; mul.f32 %f10, %f3, %f4; add.f32 %f12, %f10, %f5;",
            [0, 0, 2],
        ),
        (
            "the other term has more readers",
            "mul.f32 %f10, %f1, %f2; mul.f32 %f9, %f3, %f4; add.f32 %f11, %f9, %f5; add.f32 %f12, %f10, %f9;",
            [1, 1, 1],
        ),
        (
            "both have two",
            "mul.f32 %f9, %f3, %f4; mul.f32 %f10, %f1, %f2; add.f32 %f11, %f10, %f5; add.f32 %f12, %f9, %f5; add.f32 %f13, %f9, %f10;",
            [1, 0, 3],
        ),
        (
            "three and two",
            "mul.f32 %f9, %f3, %f4; mul.f32 %f10, %f1, %f2; add.f32 %f11, %f9, %f10; add.f32 %f12, %f9, %f5; add.f32 %f13, %f9, %f1; add.f32 %f14, %f10, %f5;",
            [1, 2, 2],
        ),
        ("doubles", "mul.f64 %d10, %d1, %d2; sub.f64 %d11, %d10, %d3;", [0, 0, 1]),
        ("halves", "mul.f16 %h10, %h1, %h2; sub.f16 %h11, %h3, %h10;", [0, 0, 1]),
        ("halves with a rounding mode", "mul.rn.f16 %h10, %h1, %h2; add.rn.f16 %h11, %h10, %h3;", [1, 1, 0]),
        ("brain floats", "mul.bf16 %h10, %h1, %h2; add.bf16 %h11, %h10, %h3;", [0, 0, 1]),
    ];
    for (name, body, expected) in cases {
        assert_eq!(arithmetic(body, &options()), *expected, "{name}: {body}");
    }
}

#[test]
fn nothing_is_fused_without_contraction() {
    let options = LowerOptions { contracts: false, ..options() };
    let body =
        "mul.f32 %f10, %f1, %f2; add.f32 %f11, %f10, %f3; mul.bf16 %h10, %h1, %h2; add.bf16 %h11, %h10, %h3;";
    assert_eq!(arithmetic(body, &options), [2, 2, 0]);
    assert_eq!(arithmetic("fma.rn.f32 %f11, %f1, %f2, %f3;", &options), [0, 0, 1]);
}

/// ptxas splits a block where a sequence has a branch of its own.
#[test]
fn a_product_fuses_with_a_sum_behind_an_exact_quotient_or_root_only_if_a_factor_is_constant() {
    let fuses = |between: &str| {
        let body = |rounding: &str| {
            format!("mul{rounding}.f32 %f10, %f1, %f2; {between} add{rounding}.f32 %f11, %f10, %f3;")
        };
        arithmetic(&body(""), &options()) != arithmetic(&body(".rn"), &options())
    };
    let apart = [
        "sqrt.rn.f32 %f12, %f4;",
        "sqrt.rn.ftz.f32 %f12, %f4;",
        "div.rn.f32 %f12, %f4, %f5;",
        "div.rn.f32 %f12, %f4, 0f40400000;",
        "rcp.rn.f32 %f12, %f4;",
        "sqrt.rn.f64 %d11, %d1;",
        "div.rn.f64 %d11, %d1, %d2;",
        "rcp.rn.f64 %d11, %d1;",
        "div.u64 %rd2, %rd1, %rd3; st.global.u64 [%rd1+256], %rd2;",
        "rem.s64 %rd2, %rd1, %rd3; st.global.u64 [%rd1+256], %rd2;",
    ];
    assert_eq!(apart.map(fuses), [false; 10]);
    let together = [
        "sqrt.approx.f32 %f12, %f4;",
        "div.full.f32 %f12, %f4, %f5;",
        "div.u32 %r2, %r1, 7; st.global.u32 [%rd1+256], %r2;",
    ];
    assert_eq!(together.map(fuses), [true; 3]);
    let by = |factor: &str| {
        let body = |rounding: &str| {
            format!(
                "ld.param.f32 %f20, [out]; mul{rounding}.f32 %f10, %f1, {factor}; sqrt.rn.f32 %f12, %f4; sub{rounding}.f32 %f11, %f3, %f10;"
            )
        };
        arithmetic(&body(""), &options()) != arithmetic(&body(".rn"), &options())
    };
    assert_eq!(["%f2", "%f20", "0f3C23D70A"].map(by), [false, true, true]);
}

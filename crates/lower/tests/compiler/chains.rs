//! Chains of definitions: values that come back to themselves, and chains as long as a program.

use crate::common::within;
use std::fmt::Write;

/// A kernel with a body.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
         .reg .b32 %r<40000>; .reg .b64 %rd<40000>; .reg .f32 %f<40000>; .reg .pred %p<40000>;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 3; cvt.rn.f32.u32 %f1, %r1;\n\
         {body}\nst.global.u32 [%rd1], %r9; ret; }}"
    )
}

/// `count` lines, each made from its number, the first 2.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (2..count + 2).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_value_that_is_its_own_ends() {
    for body in [
        "mov.u32 %r9, %r9;",
        "mov.u32 %r9, %r8; mov.u32 %r8, %r9;",
        "mov.u32 %r9, %r8; mov.u32 %r8, %r7; mov.u32 %r7, %r9;",
        "cvta.global.u64 %rd1, %rd1; mov.u32 %r9, 1;",
        "cvta.global.u64 %rd5, %rd5; st.global.u32 [%rd5], %r1;",
        "L: mov.u32 %r9, %r9; @%p1 bra L;",
        "not.pred %p2, %p2; selp.u32 %r9, 1, 2, %p2;",
        "not.pred %p2, %p3; not.pred %p3, %p2; selp.u32 %r9, 1, 2, %p2;",
        "or.pred %p2, %p2, %p3; and.pred %p3, %p2, %p3; @%p3 mov.u32 %r9, 1;",
        "cvt.u64.u32 %rd2, %r8; cvt.u32.u64 %r8, %rd2; mov.u32 %r9, %r8;",
        "mov.b64 %rd2, {%r8, %r7}; mov.b64 {%r7, %r8}, %rd2; mov.u32 %r9, %r8;",
        "neg.f32 %f2, %f2; add.f32 %f3, %f2, %f1; mov.b32 %r9, %f3;",
        "neg.s32 %r9, %r9; add.s32 %r9, %r9, %r9;",
    ] {
        within(5, kernel(body));
    }
}

#[test]
fn predicates_of_predicates_do_not_double_the_time() {
    let twice = lines(40, |at| format!("and.pred %p{at}, %p{0}, %p{0};", at - 1));
    within(5, kernel(&format!("{twice}\nselp.u32 %r9, 1, 2, %p41;")));
    let other =
        lines(60, |at| format!("or.pred %p{at}, %p{}, %p{};", at - 1, if at > 2 { at - 2 } else { 1 }));
    within(5, kernel(&format!("{other}\nselp.u32 %r9, 1, 2, %p61;")));
    let constant = lines(60, |at| format!("xor.pred %p{at}, %p{}, 1;", at - 1));
    within(5, kernel(&format!("{constant}\nselp.u32 %r9, 1, 2, %p61;")));
}

#[test]
fn long_chains_need_no_stack() {
    let nots = lines(30_000, |at| format!("not.pred %p{at}, %p{};", at - 1));
    within(5, kernel(&format!("{nots}\nselp.u32 %r9, 1, 2, %p30001;")));
    let count = 8_000;
    let chains: [(&str, &dyn Fn(usize) -> String); 6] = [
        ("selp.u32 %r9, 1, 2, %p8001;", &|at| format!("not.pred %p{at}, %p{};", at - 1)),
        ("mov.u32 %r9, %r8001;", &|at| format!("mov.u32 %r{at}, %r{};", at - 1)),
        ("add.f32 %f2, %f8001, %f1; mov.b32 %r9, %f2;", &|at| format!("neg.f32 %f{at}, %f{};", at - 1)),
        ("mov.u32 %r9, %r8001;", &|at| {
            let before = at - 1;
            format!("cvt.u64.u32 %rd{at}, %r{before}; cvt.u32.u64 %r{at}, %rd{at};")
        }),
        ("mov.u32 %r9, %r8001;", &|at| {
            let before = at - 1;
            format!("mov.b64 %rd{at}, {{%r{before}, %r{before}}}; mov.b64 {{%r{at}, _}}, %rd{at};")
        }),
        ("cvt.u32.u64 %r9, %rd8001;", &|at| format!("cvta.to.global.u64 %rd{at}, %rd{};", at - 1)),
    ];
    for (end, line) in chains {
        let mut body = lines(count, line);
        write!(body, "\n{end}").expect("a string");
        within(5, kernel(&body));
    }
}

#[test]
fn a_value_that_is_negated_in_place_is_negated_once() {
    let body = "ld.global.f32 %f2, [%rd1]; neg.f32 %f2, %f2; add.f32 %f3, %f2, 0f40400000; mov.b32 %r9, %f3;";
    let text = within(5, kernel(body));
    assert!(text.contains("FADD R0, -R0, -RZ") && text.contains("FADD R5, R0, 3"), "{text}");
}

//! The time to compile grows with the length of a program, not with its square or cube. The bounds are many times what
//! a release build needs on one core (a second for the first), so that a busy machine does not fail them.
#![allow(missing_docs)]

mod common;

use common::within;
use std::fmt::Write;

fn kernel(body: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
         .reg .b32 %r<60000>; .reg .b64 %rd<10>; .reg .f32 %f<60000>; .reg .pred %p<60000>;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r0, 0;\n{body}\nst.global.u32 [%rd1], %r0; ret; }}"
    )
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// `if (r) { ... }`, with a body that cannot be guarded.
fn open_if(at: usize) -> String {
    format!(
        "xor.b32 %r{0}, %r1, {1}; setp.gt.u32 %p{at}, %r{0}, {at}; @%p{at} bra L{at};\n",
        10 + at,
        7 * at + 1
    )
}

#[test]
fn two_thousand_small_ifs_take_no_cube() {
    let guarded = |at: usize| format!("{}mad.lo.u32 %r0, %r0, 3, %r{};\nL{at}:\n", open_if(at), 10 + at);
    let skipped = |at: usize| format!("{}bar.warp.sync 0xffffffff;\nL{at}:\n", open_if(at));
    within(10, kernel(&lines(2000, guarded)));
    within(10, kernel(&lines(2000, skipped)));
}

#[test]
fn loops_and_ifs_nested_500_deep_take_no_cube() {
    let depth = 500;
    let mut loops = lines(depth, |at| format!("mov.u32 %r{}, 0;\nL{at}:\n", 10 + at));
    let mut ifs = lines(depth, |at| format!("{}bar.warp.sync 0xffffffff;\n", open_if(at)));
    for at in (0..depth).rev() {
        let (counter, limit) = (10 + at, 20_000 + at);
        write!(
            loops,
            "add.u32 %r0, %r0, %r1; add.u32 %r{counter}, %r{counter}, 1; xor.b32 %r{limit}, %r1, %r0;\n\
             setp.lt.u32 %p{at}, %r{counter}, %r{limit}; @%p{at} bra L{at};\n"
        )
        .expect("a string");
        write!(ifs, "add.u32 %r0, %r0, 1;\nL{at}: xor.b32 %r0, %r0, %r{counter};\n").expect("a string");
    }
    within(10, kernel(&loops));
    within(10, kernel(&ifs));
}

#[test]
fn thirteen_thousand_instructions_in_one_block_take_no_square() {
    let body = lines(4400, |at| {
        let (load, product) = (100 + at, 10_000 + at);
        let second = 100 + at / 2;
        format!(
            "ld.global.f32 %f{load}, [%rd1+{}]; mul.rn.f32 %f{product}, %f{load}, %f{second};\n\
             st.global.f32 [%rd1+{}], %f{product};\n",
            4 * at,
            100_000 + 4 * (at % 64)
        )
    });
    within(20, kernel(&body));
}

#[test]
fn a_thousand_values_at_once_are_spilled_in_few_rounds() {
    let mut body = lines(1000, |at| format!("ld.volatile.global.u32 %r{}, [%rd1+{}];\n", 10 + at, 4 * at));
    body += &lines(1000, |at| format!("mad.lo.u32 %r0, %r0, 3, %r{};\n", 10 + (at * 7) % 1000));
    within(10, kernel(&body));
}

//! The time to compile grows with the length of a program, not with its square or cube: every day a small program is
//! held against one four times as long, with `WARPLAB_LONG=1` the large ones are compiled too. Their bounds are many times
//! what a release build needs on one core, so that a busy machine does not fail them.

use crate::common::{lowered, options, within};
use std::fmt::Write;
use std::time::{Duration, Instant};

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

/// How many times as long the program of four times the size takes: 4 if time grows with length, 16 with its square, 64
/// with its cube.
const TOO_MUCH: f64 = 12.0;

/// Fails if a program takes much more than four times as long as one of a quarter of its size.
fn grows_with_length(size: usize, text: impl Fn(usize) -> String) {
    let quickest = |size: usize| {
        let time = |_| {
            let text = text(size);
            let start = Instant::now();
            lowered("growth.ptx", text, &options());
            start.elapsed()
        };
        (0..2).map(time).min().unwrap_or(Duration::MAX)
    };
    // A busy machine may disturb one comparison, and not three.
    let growth = || quickest(4 * size).as_secs_f64() / quickest(size).as_secs_f64();
    let found: Vec<f64> = (0..3).map(|_| growth()).take_while(|&growth| growth > TOO_MUCH).collect();
    assert!(found.len() < 3, "four times the size took {found:?} times as long");
}

/// Whether the large programs are compiled too.
fn long_tests() -> bool {
    std::env::var("WARPLAB_LONG").is_ok_and(|value| value == "1")
}

/// Ifs one after the other whose bodies become guarded instructions.
fn guarded_ifs(count: usize) -> String {
    kernel(&lines(count, |at| format!("{}mad.lo.u32 %r0, %r0, 3, %r{};\nL{at}:\n", open_if(at), 10 + at)))
}

/// Ifs one after the other whose bodies are jumped over.
fn skipped_ifs(count: usize) -> String {
    kernel(&lines(count, |at| format!("{}bar.warp.sync 0xffffffff;\nL{at}:\n", open_if(at))))
}

fn nested_loops(depth: usize) -> String {
    let mut loops = lines(depth, |at| format!("mov.u32 %r{}, 0;\nL{at}:\n", 10 + at));
    for at in (0..depth).rev() {
        let (counter, limit) = (10 + at, 20_000 + at);
        write!(
            loops,
            "add.u32 %r0, %r0, %r1; add.u32 %r{counter}, %r{counter}, 1; xor.b32 %r{limit}, %r1, %r0;\n\
             setp.lt.u32 %p{at}, %r{counter}, %r{limit}; @%p{at} bra L{at};\n"
        )
        .expect("a string");
    }
    kernel(&loops)
}

fn nested_ifs(depth: usize) -> String {
    let mut ifs = lines(depth, |at| format!("{}bar.warp.sync 0xffffffff;\n", open_if(at)));
    for at in (0..depth).rev() {
        write!(ifs, "add.u32 %r0, %r0, 1;\nL{at}: xor.b32 %r0, %r0, %r{};\n", 10 + at).expect("a string");
    }
    kernel(&ifs)
}

/// Three instructions for each of `count` in one block.
fn one_block(count: usize) -> String {
    kernel(&lines(count, |at| {
        let (load, product) = (100 + at, 10_000 + at);
        let second = 100 + at / 2;
        format!(
            "ld.global.f32 %f{load}, [%rd1+{}]; mul.rn.f32 %f{product}, %f{load}, %f{second};\n\
             st.global.f32 [%rd1+{}], %f{product};\n",
            4 * at,
            100_000 + 4 * (at % 64)
        )
    }))
}

#[test]
fn two_thousand_small_ifs_take_no_cube() {
    grows_with_length(100, guarded_ifs);
    grows_with_length(100, skipped_ifs);
    if long_tests() {
        within(10, guarded_ifs(2000));
        within(10, skipped_ifs(2000));
    }
}

#[test]
fn loops_and_ifs_nested_2000_deep_take_no_cube() {
    grows_with_length(40, nested_loops);
    grows_with_length(40, nested_ifs);
    if long_tests() {
        within(30, nested_loops(2000));
        within(30, nested_ifs(2000));
    }
}

#[test]
fn thirteen_thousand_instructions_in_one_block_take_no_square() {
    grows_with_length(250, one_block);
    if long_tests() {
        within(20, one_block(4400));
    }
}

#[test]
fn a_thousand_values_at_once_are_spilled_in_few_rounds() {
    let mut body = lines(1000, |at| format!("ld.volatile.global.u32 %r{}, [%rd1+{}];\n", 10 + at, 4 * at));
    body += &lines(1000, |at| format!("mad.lo.u32 %r0, %r0, 3, %r{};\n", 10 + (at * 7) % 1000));
    within(10, kernel(&body));
}

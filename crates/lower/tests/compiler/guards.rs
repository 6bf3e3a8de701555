//! Which sides of a branch are guarded and which are branched over: as long as ptxas has them, measured with sides of every length.

use crate::common::{lowered, options};
use std::fmt::Write;
use warplab_program::{Instruction, Opcode};

/// The code of a kernel that stores `%f1` at `JOIN`, after what leads there.
fn machine_code(body: &str) -> Vec<Instruction> {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 a, .param .u32 n, .param .f32 f) {{\n\
         .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<64>; .reg .pred %p<8>;\n\
         ld.param.u64 %rd1, [a]; ld.param.u32 %r2, [n]; ld.param.f32 %f2, [f];\n\
         cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;\n\
         ld.global.f32 %f1, [%rd4]; ld.global.u32 %r3, [%rd4+4];\n\
         {body}\nJOIN: st.global.f32 [%rd4+8], %f1; ret; }}"
    );
    let lowered = lowered("guards.ptx", text, &options());
    lowered.program.kernels[0].instructions.clone()
}

const OF_THE_LANE: &str = "setp.lt.s32 %p1, %r3, 7;";
const OF_THE_WARP: &str = "setp.lt.s32 %p1, %r2, 7;";

/// So many multiply-adds, one on the other.
fn sums(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, _| {
        let _ = writeln!(text, "fma.rn.f32 %f1, %f1, %f1, 0f3F800000;");
        text
    })
}

/// The longest side that is guarded, of those that `side` gives for each length.
fn longest_guarded(setp: &str, side: impl Fn(usize) -> String) -> usize {
    let is_guarded = |count: &usize| {
        let code = machine_code(&format!("{setp} @%p1 bra JOIN;\n{}", side(*count)));
        !code.iter().any(|it| it.opcode == Opcode::Bra && !it.guard.is_always())
    };
    (1..40).take_while(is_guarded).last().unwrap_or(0)
}

#[test]
fn a_side_of_eight_instructions_is_guarded_one_of_nine_is_branched_over() {
    assert_eq!(longest_guarded(OF_THE_LANE, sums), 8);
}

#[test]
fn a_parameter_that_a_side_reads_counts_with_it() {
    let with_parameter = |count| format!("add.f32 %f1, %f1, %f2; {}", sums(count));
    assert_eq!(longest_guarded(OF_THE_LANE, with_parameter), 6);
}

#[test]
fn where_all_lanes_go_the_same_way_six_instructions_are_guarded() {
    assert_eq!(longest_guarded(OF_THE_WARP, sums), 6);
}

#[test]
fn a_load_from_global_memory_makes_twenty_instructions_worth_guarding() {
    let with_load = |count| format!("ld.global.f32 %f3, [%rd4+12]; add.f32 %f1, %f1, %f3; {}", sums(count));
    assert_eq!(longest_guarded(OF_THE_LANE, with_load), 18);
    assert_eq!(longest_guarded(OF_THE_WARP, with_load), 18);
}

#[test]
fn what_is_done_atomically_is_branched_over() {
    let with_atomic = |count| format!("red.global.add.u32 [%rd4+12], %r3; {}", sums(count));
    assert_eq!(longest_guarded(OF_THE_LANE, with_atomic), 0);
}

#[test]
fn a_long_side_is_branched_over_and_the_short_one_beside_it_guarded() {
    let long = sums(12);
    let code = machine_code(&format!(
        "{OF_THE_LANE} @%p1 bra SHORT;\n{long} bra JOIN;\nSHORT: mul.f32 %f1, %f1, %f1;"
    ));
    let guarded = code.iter().filter(|it| it.opcode == Opcode::Fmul && !it.guard.is_always()).count();
    let branches = code.iter().filter(|it| it.opcode == Opcode::Bra && !it.guard.is_always()).count();
    assert_eq!((guarded, branches), (1, 1));
}

#[test]
fn of_two_conditions_either_of_which_decides_one_branch_is_made() {
    let long = sums(12);
    let code = machine_code(&format!(
        "{OF_THE_LANE} @%p1 bra JOIN;\nsetp.ne.s32 %p2, %r3, %r2; @%p2 bra JOIN;\n{long}"
    ));
    let branches = code.iter().filter(|it| it.opcode == Opcode::Bra && !it.guard.is_always()).count();
    let compared = code.iter().filter(|it| it.opcode == Opcode::Isetp).count();
    assert_eq!((branches, compared), (1, 2), "no instruction joins what was compared");
}

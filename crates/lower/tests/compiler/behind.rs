//! Loads go to the side of a branch that needs them, as with ptxas 13.0.

use crate::common::{lowered, options};
use crate::programs::{check, kernel};
use warplab_program::{Instruction, Opcode};

/// A side that no guard is worth, and what follows it.
const SIDE: &str = "mul.lo.u32 %r5, %r3, %r3; add.u32 %r6, %r5, %r1; st.global.u32 [%rd5+4096], %r6; setp.gt.u32 %p2, %r6, 5; @%p2 bra END;\n\
    st.global.u32 [%rd5+8192], %r5;\nEND: st.global.u32 [%rd5], %r1;";

fn machine_code(body: &str) -> Vec<Instruction> {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 a, .param .u64 o) {{\n\
         .reg .b32 %r<60>; .reg .b64 %rd<20>; .reg .pred %p<9>; .shared .b32 s[64];\n\
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [o]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;\n\
         add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n{body}\nret; }}"
    );
    lowered("behind.ptx", text, &options()).program.kernels[0].instructions.clone()
}

/// How many loads stand in front of the first branch or exit.
fn loads_in_front(body: &str) -> usize {
    let code = machine_code(body);
    let front = code.iter().take_while(|it| !matches!(it.opcode, Opcode::Bra | Opcode::Exit));
    front.filter(|it| matches!(it.opcode, Opcode::Ldg | Opcode::Lds)).count()
}

/// The first of two loads decides whether the second is needed, which is there in `%r3` after something between them and the branch.
fn with_between(to: &str, between: &str) -> usize {
    loads_in_front(&format!(
        "ld.global.u32 %r2, [%rd4]; ld.global.u32 {to}, [%rd4+4]; {between}\n\
         setp.lt.u32 %p1, %r2, 100; @%p1 bra END;\n{SIDE}"
    ))
}

#[test]
fn a_load_goes_to_the_side_that_needs_it() {
    assert_eq!(with_between("%r3", ""), 1);
    assert_eq!(with_between("%r3", "shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1; st.shared.u32 [s], %r4;"), 1);
    // With what is computed of it.
    assert_eq!(with_between("%r4", "add.u32 %r3, %r4, %r1;"), 1);
}

#[test]
fn a_load_stays_in_front_of_what_may_write_there_or_lets_others_write() {
    assert_eq!(with_between("%r3", "st.global.u32 [%rd5+32], %r1;"), 2);
    // ptxas does not ask where.
    assert_eq!(with_between("%r3", "st.global.u32 [%rd4+32], %r1;"), 2);
    assert_eq!(with_between("%r3", "bar.sync 0;"), 2);
}

#[test]
fn a_load_stays_whose_value_others_need_as_well_or_a_long_operation() {
    assert_eq!(with_between("%r3", "st.shared.u32 [s], %r3;"), 2);
    assert_eq!(with_between("%r4", "mad.lo.u32 %r3, %r4, %r4, %r1;"), 2);
    // More would live instead: two values for one.
    let two = "ld.global.u32 %r7, [%rd4+8]; add.u32 %r8, %r4, %r7; xor.b32 %r3, %r8, %r4;";
    assert_eq!(with_between("%r4", two), 3);
}

#[test]
fn a_sum_that_no_load_leads_to_stays_which_ptxas_moves() {
    let body = "ld.global.u32 %r2, [%rd4]; xor.b32 %r3, %r1, 77; setp.lt.u32 %p1, %r2, 100; @%p1 bra END;\n";
    let code = machine_code(&format!("{body}{SIDE}"));
    let branch = code.iter().position(|it| it.opcode == Opcode::Bra);
    assert!(code.iter().position(|it| it.opcode == Opcode::Lop3) < branch);
}

#[test]
fn a_load_goes_behind_an_exit() {
    let body =
        "ld.global.u32 %r2, [%rd4]; ld.global.u32 %r3, [%rd4+4]; setp.lt.u32 %p1, %r2, 100; @%p1 ret;\n";
    assert_eq!(loads_in_front(&format!("{body}{SIDE}")), 1);
}

/// Compares words of two rows until they differ: the sum of the words of which it has heard.
fn compared(words: u32) -> String {
    let loads: String = (0..words)
        .map(|word| {
            format!(
                "ld.shared.u32 %r{}, [%r9+{}]; ld.shared.u32 %r{}, [s+{}];\n",
                10 + word,
                4 * word,
                30 + word,
                4 * word
            )
        })
        .collect();
    let compare: String = (0..words)
        .map(|word| {
            format!(
                "mov.u32 %r0, {0}; setp.lt.u32 %p1, %r{1}, %r{2}; @%p1 bra DONE; mov.u32 %r0, {3}; setp.gt.u32 %p1, %r{1}, %r{2}; @%p1 bra DONE;\n",
                2 * word + 1, 10 + word, 30 + word, 2 * word + 2
            )
        })
        .collect();
    format!("{loads}{compare}mov.u32 %r0, 99;\nDONE:\n")
}

#[test]
fn a_chain_of_comparisons_loads_what_it_comes_to() {
    let body = format!("mov.u32 %r9, s; shl.b32 %r8, %r1, 2; add.u32 %r9, %r9, %r8;\n{}", compared(6));
    assert_eq!(loads_in_front(&format!("{body} st.global.u32 [%rd5], %r0;")), 2);
}

#[test]
fn a_chain_of_comparisons_comes_to_the_same() {
    let body = format!(
        ".shared .b32 s[64]; mov.u32 %r9, s; shl.b32 %r8, %r1, 2; add.u32 %r9, %r9, %r8; shr.u32 %r7, %r1, 3; st.shared.u32 [%r9], %r7;\n\
         bar.sync 0;\n{}",
        compared(6)
    );
    // Words of the row are eighths of the thread's number and those behind it, of the other one all zero.
    check(&kernel("", "", &body), 48, |x| {
        (0..6).find(|word| (x + word) / 8 != word / 8).map_or(99, |word| 2 * word + 2)
    });
}

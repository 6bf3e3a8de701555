//! In which loops lanes let others go first (`YIELD`), as ptxas 13.0 has it, and where they meet again.

use crate::common::{lowered, options};
use crate::programs::{check, kernel};
use warplab_program::{Modifier, Opcode};

/// Opcodes of a kernel that ends with `body`; all lanes meet at `WARPSYNC.ALL` only.
fn opcodes(body: &str) -> Vec<Opcode> {
    let text = kernel("", "", body);
    let lowered =
        lowered("yielding.ptx", format!(".version 8.5\n.target sm_90\n.address_size 64\n{text}"), &options());
    let instructions = &lowered.program.kernel("k").expect("the kernel").instructions;
    let counted = instructions.iter().filter(|it| it.opcode != Opcode::Warpsync || it.has(Modifier::All));
    counted.map(|it| it.opcode).collect()
}

fn yields(body: &str) -> usize {
    opcodes(body).iter().filter(|&&it| it == Opcode::Yield).count()
}

/// A loop of each lane over `%r2` that ends when that is small, or when `%p9` is set.
fn search(body: &str) -> String {
    format!(
        "mov.u32 %r0, 0; ld.global.u32 %r2, [%rd2]; setp.ne.u32 %p9, %r2, %r2;\n\
         LOOP: mul.lo.u32 %r2, %r2, 0x7feb352d; shr.u32 %r4, %r2, 7; xor.b32 %r2, %r2, %r4; {body}\n\
         setp.gt.u32 %p1, %r2, 77; @%p9 bra DONE; @%p1 bra LOOP; DONE:"
    )
}

const DIVISION: &str = "cvt.rn.f32.u32 %f1, %r1; ld.global.f32 %f2, [%rd2+4096]; div.rn.f32 %f3, %f2, %f1; st.global.f32 [%rd2], %f3;";

#[test]
fn loops_that_end_by_the_answer_of_an_atomic_operation_yield() {
    let asks = "atom.global.add.u32 %r5, [%rd1], 1; setp.eq.u32 %p9, %r5, 3;";
    assert_eq!(yields(&search(asks)), 1);
    assert_eq!(yields(&search("atom.global.cas.b32 %r5, [%rd1], 1, 2; setp.eq.u32 %p9, %r5, 3;")), 1);
    // The answer is not asked for, nobody can have changed it, or lanes sleep.
    assert_eq!(yields(&search("red.global.add.u32 [%rd1], 1;")), 0);
    assert_eq!(yields(&search("ld.global.u32 %r5, [%rd2+64]; setp.eq.u32 %p9, %r5, 3;")), 0);
    assert_eq!(yields(&search(&format!("{asks} nanosleep.u32 20;"))), 0);
    // Another lane's answer is that of all.
    let ticket = |given: &str| {
        yields(&format!(
            "mov.u32 %r0, 0; LOOP: atom.global.add.u32 %r5, [%rd1], 1; {given} setp.ne.u32 %p1, %r6, 99; @%p1 bra LOOP;"
        ))
    };
    assert_eq!((ticket("mov.u32 %r6, %r5;"), ticket("shfl.sync.idx.b32 %r6, %r5, 0, 31, -1;")), (1, 0));
}

#[test]
fn loops_that_end_by_what_others_store_yield_where_lanes_look_in_several_places() {
    let look = |place: &str| format!("ld.volatile.global.u32 %r5, [{place}]; setp.eq.u32 %p9, %r5, 3;");
    assert_eq!(yields(&search(&look("%rd2"))), 1);
    // At one word they look together, if all of them do.
    let wait = "mov.u32 %r0, 0; LOOP: ld.volatile.global.u32 %r5, [%rd1]; setp.ne.u32 %p9, %r5, 3; @%p9 bra LOOP; DONE:";
    let first = "setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE;";
    assert_eq!((yields(wait), yields(&format!("{first} {wait}"))), (0, 1));
}

#[test]
fn a_loop_that_is_left_for_several_places_yields_if_its_turns_end_by_an_answer() {
    let body = |first: &str, second: &str, last: &str| {
        format!(
            "mov.u32 %r0, 0; mov.u32 %r2, %r1; ld.global.u32 %r7, [%rd1+64];\n\
             LOOP: mul.wide.u32 %rd4, %r2, 4; add.s64 %rd4, %rd1, %rd4; atom.global.cas.b32 %r5, [%rd4], 7, 9; add.u32 %r2, %r2, 1;\n\
             setp.eq.u32 %p1, {first}; @%p1 bra ONE; st.global.u32 [%rd4+4], %r2;\n\
             setp.eq.u32 %p2, {second}; @%p2 bra TWO; st.global.u32 [%rd4+8], %r2;\n\
             setp.ne.u32 %p3, {last}; @%p3 bra LOOP; bra THREE;\n\
             ONE: st.global.u32 [%rd1+400], %r2; bra THREE; TWO: st.global.u32 [%rd1+404], %r2; bra THREE; THREE:"
        )
    };
    let (answer, count) = ("%r5, 7", "%r2, %r7");
    assert_eq!(yields(&body(answer, "%r5, 9", count)), 0);
    assert_eq!(yields(&body(answer, count, "%r5, 9")), 1);
    assert_eq!(yields(&body(answer, answer, "%r5, 9")), 1);
}

#[test]
fn loops_with_atomic_operations_yield_if_a_subroutine_is_called_later() {
    let adds = search("red.global.add.u32 [%rd1], 1;");
    assert_eq!(yields(&format!("{adds} {DIVISION}")), 1);
    assert_eq!(yields(&search(&format!("red.global.add.u32 [%rd1], 1; {DIVISION}"))), 1);
    assert_eq!(yields(&format!("{DIVISION} {adds}")), 0);
    // All lanes go round together.
    let together = "mov.u32 %r0, 0; ld.global.u32 %r2, [%rd1]; LOOP: red.global.add.u32 [%rd1], 1; add.u32 %r0, %r0, 1;\n\
        setp.lt.u32 %p1, %r0, %r2; @%p1 bra LOOP;";
    assert_eq!(yields(&format!("{together} {DIVISION}")), 0);
}

#[test]
fn lanes_meet_behind_such_a_loop_before_they_do_anything_together() {
    let asks = search("atom.global.add.u32 %r5, [%rd1+512], 1; setp.eq.u32 %p9, %r5, 3;");
    for then in ["bar.sync 0;", "shfl.sync.bfly.b32 %r0, %r2, 1, 31, -1;", "vote.sync.any.pred %p3, %p1, -1;"]
    {
        let meets = |body: &str| opcodes(body).iter().filter(|&&it| it == Opcode::Warpsync).count();
        // Once is enough.
        assert_eq!(meets(&format!("{asks} {then} {then}")), 1, "{then}");
        assert_eq!(meets(then), 0, "{then}");
    }
}

#[test]
fn what_lanes_do_together_behind_such_a_loop_they_do_with_all_of_them() {
    // Lane n takes n + 1 tickets of its own; all that have counted to the bound of another loop see each other.
    let body = "mov.u32 %r9, %ntid.x; setp.ge.u32 %p1, %r1, 32; @%p1 exit; mov.u32 %r2, 0; mul.wide.u32 %rd3, %r1, 4; mov.u64 %rd4, tickets; add.s64 %rd3, %rd4, %rd3; st.shared.u32 [%rd3], 0;\n\
        LOOP: atom.shared.add.u32 %r3, [%rd3], 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra LOOP;\n\
        mul.lo.u32 %r6, %r1, %r9;\n\
        AGAIN: add.u32 %r2, %r2, %r9; setp.lt.u32 %p3, %r2, %r6; @%p3 bra AGAIN;\n\
        vote.sync.ballot.b32 %r4, %p1, -1; not.b32 %r4, %r4; popc.b32 %r5, %r4; shfl.sync.idx.b32 %r7, %r2, 31, 31, -1;\n\
        add.u32 %r0, %r5, %r7;";
    let text = kernel("", ".shared .align 4 .b8 tickets[128];", body);
    check(&text, 32, |_| 32 + 31 * 32);
}

/// There ptxas has them yield.
#[test]
fn lanes_do_not_yield_where_the_vote_of_a_barrier_ends_the_loop() {
    let body = "mov.u32 %r0, 0; LOOP: ld.volatile.global.u32 %r5, [%rd2]; setp.ne.u32 %p1, %r5, 3;\n\
        bar.red.or.pred %p2, 0, %p1; @%p2 bra LOOP;";
    assert_eq!(yields(body), 0);
}

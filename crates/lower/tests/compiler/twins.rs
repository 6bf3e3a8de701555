//! A copy of a value that lives on is the value itself.

use crate::common::{lowered, options};
use crate::programs::{check, kernel};
use warplab_program::{Opcode, Operand};

#[test]
fn an_index_is_the_lower_half_of_what_it_is_extended_to() {
    let body = "mad.lo.s32 %r0, %r1, 3, 5; cvt.s64.s32 %rd3, %r0; mad.lo.s64 %rd4, %rd3, %rd2, %rd2; st.global.u64 [%rd1], %rd4;";
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{}", kernel("", "", body));
    let lowered = lowered("twins.ptx", text, &options());
    let copies = lowered
        .program
        .kernel("k")
        .expect("the kernel")
        .instructions
        .iter()
        .filter(|it| it.opcode == Opcode::Mov && matches!(it.operands[1], Operand::Register { .. }));
    assert_eq!(copies.count(), 0);
}

#[test]
fn what_is_written_again_while_its_copy_lives_keeps_a_register_of_its_own() {
    // In every turn the sum of the last turn is added, which the copy holds.
    let body = "mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 1;\n\
        LOOP: mad.lo.u32 %r3, %r6, 3, %r7; add.u32 %r5, %r5, %r6; mov.u32 %r6, %r3; add.u32 %r7, %r7, 1;\n\
        setp.lt.u32 %p1, %r7, 9; @%p1 bra LOOP;\nmad.lo.u32 %r0, %r1, 1000, %r5; ";
    let sum = |thread: u32| {
        let (mut all, mut copy) = (0u32, 0u32);
        for turn in 1..9 {
            let new = copy.wrapping_mul(3).wrapping_add(turn);
            all = all.wrapping_add(copy);
            copy = new;
        }
        thread.wrapping_mul(1000).wrapping_add(all)
    };
    check(&kernel("", "", body), 24, sum);
}

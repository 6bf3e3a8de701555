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
fn a_copy_of_the_last_turn_is_not_what_this_turn_writes() {
    // In every turn but the first what was made in the last one is added, when that of this turn is there already.
    let body = "mov.u32 %r5, 0; mov.u32 %r7, 0;\n\
        LOOP: .pragma \"nounroll\"; mad.lo.u32 %r3, %r7, 3, %r1; setp.ne.u32 %p2, %r7, 0; xor.b32 %r5, %r5, %r3;\n\
        @%p2 add.u32 %r5, %r5, %r6; mov.u32 %r6, %r3; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 9; @%p1 bra LOOP;\n\
        mad.lo.u32 %r0, %r5, 31, %r6;";
    let sum = |thread: u32| {
        let (mut all, mut copy) = (0u32, 0u32);
        for turn in 0..9 {
            let new = 3 * turn + thread;
            all = (all ^ new).wrapping_add(copy);
            copy = new;
        }
        all.wrapping_mul(31).wrapping_add(copy)
    };
    check(&kernel("", "", body), 24, sum);
}

//! What is computed of constants alone is a constant.

use crate::common::{lowered, options};
use crate::programs::{check, kernel};
use warplab_program::{Instruction, Modifier, Opcode};

fn machine_code(body: &str) -> Vec<Instruction> {
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{}", kernel("", "", body));
    lowered("known.ptx", text, &options()).program.kernels[0].instructions.clone()
}

fn count(code: &[Instruction], opcode: Opcode) -> usize {
    code.iter().filter(|it| it.opcode == opcode).count()
}

/// Five words from that of the thread on, by a counter of 64 bits.
const WORDS: &str = "mov.u64 %rd3, 0; LOOP: shl.b64 %rd4, %rd3, 2; add.s64 %rd5, %rd2, %rd4; st.global.u32 [%rd5], %r1;\n\
    add.s64 %rd3, %rd3, 1; setp.ne.s64 %p1, %rd3, 5; @%p1 bra LOOP; mov.u32 %r0, %r1;";

#[test]
fn what_a_counter_of_64_bits_counts_is_part_of_the_addresses() {
    let code = machine_code(WORDS);
    let with_carry = code.iter().filter(|it| it.opcode == Opcode::Iadd3 && it.has(Modifier::X));
    assert_eq!([with_carry.count(), count(&code, Opcode::Lea), count(&code, Opcode::Stg)], [0, 0, 6]);
}

#[test]
fn a_counter_of_64_bits_carries_into_its_upper_half() {
    let body = "mov.u32 %r0, %r1; mov.u64 %rd3, 0xfffffffe; LOOP: add.s64 %rd3, %rd3, 1; mov.b64 {%r2, %r3}, %rd3;\n\
        mad.lo.u32 %r0, %r0, 3, %r2; mad.lo.u32 %r0, %r0, 5, %r3; setp.ne.s64 %p1, %rd3, 0x100000003; @%p1 bra LOOP;";
    check(&kernel("", "", body), 4, |x| {
        (0xffff_ffff_u64..=0x1_0000_0003).fold(x, |sum, counter| {
            let (low, high) = (counter as u32, (counter >> 32) as u32);
            sum.wrapping_mul(3).wrapping_add(low).wrapping_mul(5).wrapping_add(high)
        })
    });
}

#[test]
fn a_comparison_of_constants_leaves_one_way() {
    let body = |order: &str| {
        format!(
            "mov.u32 %r2, WARP_SZ; mov.u32 %r0, 7; setp.{order}.u32 %p1, %r2, 16; @%p1 bra END; div.u32 %r0, %r1, 3;\n\
             st.global.u32 [%rd2], %r0; END: add.u32 %r0, %r0, 1;"
        )
    };
    let branches = |order: &str| count(&machine_code(&body(order)), Opcode::Bra);
    assert_eq!([branches("gt"), branches("lt")], [0, 0]);
    check(&kernel("", "", &body("gt")), 4, |_| 8);
    check(&kernel("", "", &body("lt")), 4, |x| x / 3 + 1);
}

#[test]
fn sums_of_single_precision_constants_are_formed_at_once() {
    let body = "mov.f32 %f1, 0f00000000; mov.u32 %r2, 0; LOOP: add.f32 %f1, %f1, 0f3F800000; add.u32 %r2, %r2, 1;\n\
        setp.ne.u32 %p1, %r2, 16; @%p1 bra LOOP; mov.b32 %r0, %f1;";
    assert_eq!(count(&machine_code(body), Opcode::Fadd), 0);
    check(&kernel("", "", body), 2, |_| 16f32.to_bits());
}

#[test]
fn shifted_sums_that_differ_by_a_constant_are_one() {
    let body = "ld.global.u64 %rd3, [%rd1+64]; add.s64 %rd4, %rd1, 4352; add.s64 %rd5, %rd1, 8704; shl.b64 %rd6, %rd3, 3; add.s64 %rd7, %rd1, %rd6;\n\
        shl.b64 %rd8, %rd3, 3; add.s64 %rd9, %rd4, %rd8; shl.b64 %rd10, %rd3, 3; add.s64 %rd11, %rd5, %rd10;\n\
        st.global.u32 [%rd7], %r1; st.global.u32 [%rd9], %r1; st.global.u32 [%rd11], %r1; mov.u32 %r0, %r1;";
    assert_eq!(count(&machine_code(body), Opcode::Lea), 2);
}

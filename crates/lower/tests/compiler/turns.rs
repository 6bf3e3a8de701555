//! What several instructions of PTX are one of the machine for: turned words of 64 bits, predicates that go through a register, least and
//! greatest of sums.

use crate::common::{lowered, options};
use crate::programs::{check, kernel};
use warplab_program::Opcode;

const WORD: u64 = 0x0123_4567_89ab_cdef;

/// What turns `%rd5` to the left.
fn turn(count: u32, joined: &str) -> String {
    format!(
        "{{ .reg .b64 %a; .reg .b64 %b; shl.b64 %a, %rd5, {count}; shr.u64 %b, %rd5, {}; {joined} %rd5, %a, %b; }}",
        64 - count
    )
}

/// Opcodes of a kernel that ends with `body`.
fn opcodes(body: &str) -> Vec<Opcode> {
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{}", kernel("", "", body));
    let lowered = lowered("turns.ptx", text, &options());
    lowered.program.kernel("k").expect("the kernel").instructions.iter().map(|it| it.opcode).collect()
}

#[test]
fn a_turned_word_is_the_same_however_its_parts_are_put_together() {
    for count in [1, 13, 31, 32, 33, 51, 63] {
        for joined in ["add.u64", "or.b64", "xor.b64"] {
            let before = format!("mul.wide.u32 %rd6, %r1, 0x10001; add.u64 %rd5, %rd6, {WORD};");
            let expected = |x: u32| (u64::from(x) * 0x10001 + WORD).rotate_left(count);
            for (part, shift) in
                [("cvt.u32.u64 %r0, %rd5;", 0), ("shr.u64 %rd5, %rd5, 32; cvt.u32.u64 %r0, %rd5;", 32)]
            {
                let body = format!("{before} {} {part}", turn(count, joined));
                check(&kernel("", "", &body), 8, |x| (expected(x) >> shift) as u32);
            }
        }
    }
}

#[test]
fn a_turned_word_is_two_funnel_shifts() {
    let body = format!(
        "ld.global.u64 %rd5, [%rd1+64]; {} {} st.global.u64 [%rd1+128], %rd5; mov.u32 %r0, %r1;",
        turn(13, "add.u64"),
        turn(32, "or.b64")
    );
    let opcodes = opcodes(&body);
    let count = |opcode: Opcode| opcodes.iter().filter(|&&it| it == opcode).count();
    assert_eq!((count(Opcode::Shf), count(Opcode::Lea), count(Opcode::Iadd3)), (2, 0, 0), "{opcodes:?}");
}

#[test]
fn a_predicate_that_goes_through_a_number_is_the_predicate() {
    for (compared, chosen, tested, expected) in [
        ("gt", "1, 0", "ne", [0, 0, 1, 1]),
        ("gt", "1, 0", "eq", [1, 1, 0, 0]),
        ("le", "0, 7", "ne", [0, 0, 1, 1]),
        ("le", "0, 7", "eq", [1, 1, 0, 0]),
    ] {
        let body = format!(
            "setp.{compared}.u32 %p1, %r1, 1; selp.u32 %r2, {chosen}, %p1; setp.{tested}.s32 %p2, %r2, 0; selp.u32 %r0, 1, 0, %p2;"
        );
        check(&kernel("", "", &body), 4, |x| expected[x as usize]);
        let compares = opcodes(&body).iter().filter(|&&it| it == Opcode::Isetp).count();
        assert_eq!(compares, 1, "{body}");
    }
}

#[test]
fn the_least_of_a_sum_and_a_number_is_one_instruction() {
    for (body, expected) in [
        ("add.s32 %r2, %r1, 3; min.s32 %r0, %r2, 5;", [3, 4, 5, 5]),
        ("sub.s32 %r2, %r1, 2; max.s32 %r0, 0, %r2;", [0, 0, 0, 1]),
        ("sub.u32 %r2, %r1, 2; max.u32 %r0, %r2, 1;", [u32::MAX - 1, u32::MAX, 1, 1]),
        ("neg.s32 %r3, %r1; add.s32 %r2, %r3, 2; max.s32 %r0, %r2, %r1;", [2, 1, 2, 3]),
    ] {
        check(&kernel("", "", body), 4, |x| expected[x as usize]);
        let opcodes = opcodes(body);
        let count = |opcode: Opcode| opcodes.iter().filter(|&&it| it == opcode).count();
        assert_eq!((count(Opcode::Viaddmnmx), count(Opcode::Vimnmx)), (1, 0), "{body}");
    }
}

//! Atomic operations that memory other than global does not know: on generic addresses, and on shared memory.

use crate::common::{lowered, options};
use crate::programs::{check, kernel};
use warplab_program::{Modifier, Opcode};

/// A kernel in which the lanes add to a word of shared memory, and one of global memory, by generic addresses, and give both.
fn sums(ty: &str, add: &str, one: &str) -> String {
    let body = format!(
        "setp.ne.u32 %p1, %r1, 0; mov.u64 %rd3, word; cvta.shared.u64 %rd4, %rd3; mov.u64 %rd5, place; cvta.global.u64 %rd6, %rd5;\n\
         mov.{ty} %v1, {one}; @!%p1 st.shared.u64 [word], 0; bar.sync 0;\n\
         red.{add} [%rd4], %v1; atom.{add} %v2, [%rd6], %v1; bar.sync 0;\n\
         ld.shared.{ty} %v3, [word]; ld.global.{ty} %v4, [place]; setp.eq.{ty} %p2, %v3, %v4; selp.u32 %r4, 1, 0, %p2;\n\
         cvt.rzi.u32.{ty} %r0, %v3; mad.lo.u32 %r0, %r0, 2, %r4;"
    );
    kernel(
        "",
        ".shared .align 8 .b8 word[8]; .global .align 8 .b8 place[8];",
        &format!(".reg .{ty} %v<9>;\n{body}"),
    )
}

#[test]
fn sums_of_floats_at_generic_addresses() {
    check(&sums("f32", "add.f32", "0f3F800000"), 32, |_| 65);
    check(&sums("f64", "add.f64", "0d3FF0000000000000"), 32, |_| 65);
}

#[test]
fn the_result_may_have_the_place_of_the_operand() {
    // Each lane adds one and gets how many have done so before it.
    let body = "mov.u64 %rd3, word; cvta.shared.u64 %rd4, %rd3; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u64 [word], 0; bar.sync 0;\n\
        mov.f32 %f1, 0f3F800000; atom.add.f32 %f1, [%rd4], %f1; bar.sync 0; ld.shared.f32 %f2, [word];\n\
        cvt.rzi.u32.f32 %r2, %f1; shl.b32 %r3, 1, %r2; redux.sync.or.b32 %r4, %r3, -1; cvt.rzi.u32.f32 %r0, %f2; mad.lo.u32 %r0, %r4, 100, %r0;";
    let text = kernel("", ".shared .align 8 .b8 word[8];", body);
    check(&text, 32, |_| u32::MAX.wrapping_mul(100).wrapping_add(32));
}

#[test]
fn a_comparison_of_64_bits_at_a_generic_address() {
    let body = "mov.u64 %rd3, word; cvta.shared.u64 %rd4, %rd3; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u64 [word], 0; bar.sync 0;\n\
        mov.u64 %rd5, 0;\n\
        AGAIN: add.u64 %rd6, %rd5, 3; atom.cas.b64 %rd7, [%rd4], %rd5, %rd6; setp.ne.u64 %p2, %rd7, %rd5; mov.u64 %rd5, %rd7; @%p2 bra AGAIN;\n\
        bar.sync 0; ld.shared.u32 %r0, [word];";
    check(&kernel("", ".shared .align 8 .b8 word[8];", body), 32, |_| 96);
}

#[test]
fn extremes_of_64_bits_in_shared_memory() {
    let body = "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u64 [word], 0; bar.sync 0; cvt.u64.u32 %rd3, %r1; sub.s64 %rd3, %rd3, 9;\n\
        atom.shared.max.s64 %rd4, [word], %rd3; bar.sync 0; atom.shared.min.s64 %rd5, [word+8], %rd3; bar.sync 0;\n\
        ld.shared.u32 %r0, [word]; ld.shared.u32 %r3, [word+8]; sub.u32 %r0, %r0, %r3;";
    check(&kernel("", ".shared .align 8 .b8 word[16];", body), 32, |_| 22 + 9);
}

#[test]
fn shared_memory_keeps_denormals() {
    // Two of the smallest make three with the one that is there.
    let body = "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [word], 1; bar.sync 0; mov.f32 %f1, 0f00000001;\n\
        setp.lt.u32 %p2, %r1, 2; @%p2 red.shared.add.f32 [word], %f1; bar.sync 0; ld.shared.u32 %r0, [word];";
    check(&kernel("", ".shared .align 4 .b8 word[4];", body), 32, |_| 3);
}

#[test]
fn shared_memory_stores_where_nobody_came_between() {
    let text = kernel(
        "",
        ".shared .align 4 .b8 word[4];",
        "mov.u32 %r0, 0; mov.f32 %f1, 0f3F800000; red.shared.add.f32 [word], %f1;",
    );
    let lowered =
        lowered("spin.ptx", format!(".version 8.5\n.target sm_90\n.address_size 64\n{text}"), &options());
    let code = &lowered.program.kernels[0].instructions;
    let at = code.iter().position(|it| it.opcode == Opcode::Lds).expect("a load");
    let names: Vec<Opcode> = code[at..at + 5].iter().map(|it| it.opcode).collect();
    assert_eq!(names, [Opcode::Lds, Opcode::Fadd, Opcode::Atoms, Opcode::Isetp, Opcode::Bra]);
    assert!(code[at + 2].has(Modifier::CasT) && code[at + 2].has(Modifier::Spin));
}

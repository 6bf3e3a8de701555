//! Copies from global to shared memory.

use crate::common::{lowered, options};
use crate::programs::{check, kernel};
use warplab_program::listing::instruction_text;

const SOURCE: &str =
    ".global .align 16 .b32 source[8] = {0x04030201, 0x08070605, 0x0c0b0a09, 0x100f0e0d, 5, 6, 7, 8};";
const READY: &str =
    ".shared .align 16 .b8 s[256]; mov.u64 %rd4, source; mov.u32 %r4, s; mov.u32 %r5, 0xffffffff;
    shl.b32 %r6, %r1, 2; add.s32 %r7, %r4, %r6;
    st.shared.u32 [%r7], %r5; st.shared.u32 [%r7+32], %r5; bar.sync 0; setp.eq.u32 %p1, %r1, 0;";

/// What eight words of shared memory hold after thread 0 has executed some copies.
fn copied(copies: &str, expected: [u32; 8]) {
    let body = format!(
        "{READY} @!%p1 bra DONE; {copies} cp.async.wait_all; DONE: bar.sync 0; ld.shared.u32 %r0, [%r7];"
    );
    check(&kernel("", SOURCE, &body), 8, |x| expected[x as usize]);
}

const OLD: u32 = u32::MAX;

#[test]
fn a_copy_takes_four_eight_or_sixteen_bytes() {
    copied(
        "cp.async.ca.shared.global [%r4], [%rd4+16], 4; cp.async.ca.shared.global [%r4+8], [%rd4+8], 8;",
        [5, OLD, 0x0c0b_0a09, 0x100f_0e0d, OLD, OLD, OLD, OLD],
    );
    copied("cp.async.cg.shared.global.L2::128B [%r4+16], [%rd4+16], 16;", [OLD, OLD, OLD, OLD, 5, 6, 7, 8]);
}

#[test]
fn a_copy_fills_what_it_does_not_read_with_zeros() {
    let first = [0x0403_0201, 0x0807_0605, 0x0009, 0, OLD, OLD, OLD, OLD];
    copied("cp.async.ca.shared.global [%r4], [%rd4], 16, 9;", first);
    copied("add.u32 %r9, %r1, 9; cp.async.ca.shared.global [%r4], [%rd4], 16, %r9;", first);
    copied(
        "add.u32 %r9, %r1, 16; cp.async.ca.shared.global [%r4], [%rd4+16], 16, %r9;",
        [5, 6, 7, 8, OLD, OLD, OLD, OLD],
    );
    for nothing in ["0", "%r1", "%p1"] {
        copied(
            &format!("cp.async.cg.shared.global [%r4], [%rd4], 16, {nothing};"),
            [0, 0, 0, 0, OLD, OLD, OLD, OLD],
        );
    }
    copied(
        "setp.eq.u32 %p2, %r1, 1; cp.async.ca.shared.global [%r4], [%rd4+16], 4, %p2;",
        [5, OLD, OLD, OLD, OLD, OLD, OLD, OLD],
    );
}

#[test]
fn groups_count_in_a_wait_counter_that_nothing_else_uses() {
    let body = "cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.commit_group;
        cp.async.ca.shared.global [%r4+4], [%rd4+4], 4; cp.async.commit_group; cp.async.wait_group 1;
        ld.global.u32 %r8, [%rd4+16]; ld.shared.u32 %r9, [%r4]; add.u32 %r0, %r8, %r9;";
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n{}",
        kernel("", SOURCE, &format!("{READY} {body}"))
    );
    let lowered = lowered("copies.ptx", text, &options());
    let kernel = lowered.program.kernel("k").expect("the kernel");
    let listed: Vec<String> = kernel.instructions.iter().map(instruction_text).collect();
    let holding: Vec<&str> = kernel
        .instructions
        .iter()
        .zip(&listed)
        .filter(|(it, _)| it.control.write_barrier == Some(0))
        .map(|(_, text)| text.as_str())
        .collect();
    assert_eq!(holding, ["LDGDEPBAR", "LDGDEPBAR"], "{listed:#?}");
    assert_eq!(listed.iter().filter(|it| *it == "DEPBAR.LE SB0, 0x1").count(), 1, "{listed:#?}");
    // Three in front of the first copy behind the barrier; none in front of the second.
    assert_eq!(listed.iter().filter(|it| *it == "@!PT LDS RZ, [RZ]").count(), 3, "{listed:#?}");
}

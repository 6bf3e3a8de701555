//! Integers that all lanes compute alike: in uniform registers where lanes have few left.

use crate::common::{lowered, options};
use crate::programs::{check, kernel};
use warplab_program::Opcode;

/// So many sums of a thread, each of which takes a product that all have alike in every turn of a loop.
fn sums(count: u32) -> String {
    let each = |line: &dyn Fn(u32) -> String| (0..count).map(line).collect::<String>();
    let products = each(&|it| format!("mad.lo.u32 %r{}, %r3, {}, %r4; ", 20 + it, 2 * it + 3));
    let begin = each(&|it| format!("add.u32 %r{}, %r1, {it}; ", 60 + it));
    let turn = each(&|it| format!("xor.b32 %r5, %r{0}, %r{1}; add.u32 %r{1}, %r5, %r6; ", 20 + it, 60 + it));
    let end = each(&|it| format!("mad.lo.u32 %r0, %r0, 31, %r{}; ", 60 + it));
    kernel(
        "",
        "",
        &format!(
            "mov.u32 %r3, %ntid.x; mov.u32 %r4, %nctaid.x; {products} {begin} mov.u32 %r6, 0; mov.u32 %r0, 0;\n\
             LOOP: .pragma \"nounroll\"; {turn} add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r3; @%p1 bra LOOP;\n{end}"
        ),
    )
}

fn sum(count: u32, thread: u32, threads: u32) -> u32 {
    (0..count).fold(0, |all: u32, it| {
        let product = threads * (2 * it + 3) + 1;
        let own = (0..threads).fold(thread + it, |sum, turn| (product ^ sum).wrapping_add(turn));
        all.wrapping_mul(31).wrapping_add(own)
    })
}

/// Products that the warp computes, and registers of a lane.
fn products_of_the_warp(count: u32) -> (usize, u32) {
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{}", sums(count));
    let lowered = lowered("alike.ptx", text, &options());
    let kernel = lowered.program.kernel("k").expect("the kernel");
    (kernel.instructions.iter().filter(|it| it.opcode == Opcode::Uimad).count(), kernel.registers)
}

#[test]
fn where_lanes_have_few_registers_left_products_of_all_are_in_uniform_ones() {
    assert_eq!((products_of_the_warp(6), products_of_the_warp(20)), ((0, 22), (20, 29)));
}

#[test]
fn what_the_warp_computes_lanes_get() {
    for count in [6, 20] {
        check(&sums(count), 24, |thread| sum(count, thread, 24));
    }
}

/// As [`sums`], where lanes part in every turn and meet again, with eight sizes that are stepped beside the counter.
fn parting_sums(count: u32) -> String {
    let each =
        |numbers: std::ops::Range<u32>, line: &dyn Fn(u32) -> String| numbers.map(line).collect::<String>();
    let sizes = each(0..8, &|it| format!("mov.u32 %r{}, {}; ", 10 + it, 5 * it));
    let steps = each(0..8, &|it| format!("add.u32 %r{0}, %r{0}, {1}; ", 10 + it, it + 3));
    let begin = each(0..count, &|it| format!("add.u32 %r{}, %r1, {it}; ", 60 + it));
    let turn = each(0..count, &|it| {
        format!("xor.b32 %r5, %r{0}, {1}; add.u32 %r{0}, %r5, %r{2}; ", 60 + it, 7 * it + 1, 10 + it % 8)
    });
    let end = each(0..count, &|it| format!("mad.lo.u32 %r0, %r0, 31, %r{}; ", 60 + it));
    let stores = each(0..12, &|word| format!("st.shared.u32 [s+{}], %r60; ", 4 * word));
    kernel(
        "",
        "",
        &format!(
            ".shared .align 16 .b8 s[64]; mov.u32 %r7, %ntid.x; {sizes} mov.u32 %r10, %r7; {begin}\n\
             mov.u32 %r6, 0; mov.u32 %r0, 0;\n\
             LOOP: .pragma \"nounroll\"; {turn}\n\
             and.b32 %r9, %r60, 1; setp.eq.u32 %p2, %r9, 0; @%p2 bra NEXT; {stores}\n\
             NEXT: {steps} add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 9; @%p1 bra LOOP;\n{end}\
             add.u32 %r0, %r0, %r10;"
        ),
    )
}

#[test]
fn what_all_lanes_step_alike_where_they_meet_in_every_turn_is_in_uniform_registers() {
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{}", parting_sums(22));
    let lowered = lowered("alike.ptx", text, &options());
    let kernel = lowered.program.kernel("k").expect("the kernel");
    let steps = kernel.instructions.iter().filter(|it| it.opcode == Opcode::Uiadd3).count();
    // Seven of eight: what is loaded from a constant bank before it is stepped stays.
    assert_eq!((steps, kernel.registers), (7, 32));
}

#[test]
fn lanes_get_what_is_stepped_for_all_of_them() {
    for count in [6, 22] {
        check(&parting_sums(count), 24, |thread| {
            let size = |it: u32, turn: u32| (if it == 0 { 24 } else { 5 * it }) + (it + 3) * turn;
            let own = |it: u32| {
                (0..9)
                    .fold(thread + it, |sum: u32, turn| (sum ^ (7 * it + 1)).wrapping_add(size(it % 8, turn)))
            };
            let all = (0..count).fold(0u32, |all, it| all.wrapping_mul(31).wrapping_add(own(it)));
            all.wrapping_add(size(0, 9))
        });
    }
}

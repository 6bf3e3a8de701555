//! Atomics on 16 bits, which the machine does on the word around them.

use crate::programs::{check, kernel};

/// Memory of a space that is set to zero, and what follows; `%r9` is the address of half `%r2` in it, as is `%rd9`.
fn within(space: &str, body: &str) -> String {
    let clear = format!("mov.u32 %r3, 0; st.{space}.u32 [m], %r3; st.{space}.u32 [m+4], %r3; bar.sync 0;");
    let place = match space {
        "shared" => {
            "mov.u32 %r8, m; mad.lo.u32 %r9, %r2, 2, %r8; cvt.u64.u32 %rd8, %r9; cvta.shared.u64 %rd9, %rd8;"
        }
        _ => "mov.u64 %rd8, m; mul.wide.u32 %rd7, %r2, 2; add.s64 %rd9, %rd8, %rd7;",
    };
    let declared = format!(".{space} .align 8 .b8 m[8];");
    kernel("", &declared, &format!(".reg .b16 %h<9>; and.b32 %r2, %r1, 3;\n{clear} {place}\n{body}"))
}

#[test]
fn sums_of_halves_leave_their_neighbours_alone() {
    // 64 threads, so that 16 add one and a half to each of four halves: 24.
    for (ty, one_and_a_half, sum) in [("f16", 0x3e00, 0x4e00), ("bf16", 0x3fc0, 0x41c0)] {
        for (space, address) in [("global", "%rd9"), ("shared", "%r9"), ("", "%rd9")] {
            let of = if space.is_empty() { String::new() } else { format!(".{space}") };
            let body = format!(
                "mov.b16 %h1, {one_and_a_half}; atom{of}.add.noftz.{ty} %h2, [{address}], %h1; \
                 bar.sync 0; ld{of}.u16 %h3, [{address}]; cvt.u32.u16 %r0, %h3;"
            );
            check(&within(if space.is_empty() { "shared" } else { space }, &body), 64, |_| sum);
        }
    }
}

#[test]
fn a_reduction_of_halves_is_the_same_without_an_answer() {
    let body = "mov.b16 %h1, 0x3c00; setp.gt.u32 %p1, %r1, 31; @%p1 red.global.add.noftz.f16 [%rd9+2], %h1; bar.sync 0; \
                ld.global.u32 %r0, [%rd9];";
    // 32 threads add to the halves after those of theirs.
    let text = within("global", body).replace("and.b32 %r2, %r1, 3", "and.b32 %r2, %r1, 2");
    check(&text, 64, |_| 0x4c00 << 16);
}

#[test]
fn a_comparison_of_16_bits_exchanges_for_one_thread() {
    for space in ["global", "shared"] {
        // Of each 16 threads the one that finds a zero puts its number plus one in.
        let body = format!(
            "add.u32 %r4, %r1, 1; cvt.u16.u32 %h1, %r4; mov.b16 %h4, 0; \
             atom.{space}.cas.b16 %h2, [{}], %h4, %h1; bar.sync 0; ld.{space}.u16 %h3, [{}]; \
             cvt.u32.u16 %r5, %h2; cvt.u32.u16 %r6, %h3; setp.eq.u32 %p1, %r5, 0; selp.u32 %r7, %r4, %r5, %p1; \
             sub.u32 %r0, %r6, %r7;",
            if space == "global" { "%rd9" } else { "%r9" },
            if space == "global" { "%rd9" } else { "%r9" },
        );
        check(&within(space, &body), 64, |_| 0);
    }
}

#[test]
fn an_addition_of_halves_answers_with_what_was_there() {
    // The answers of a half's 16 threads are 0 to 15 ones: their sum, through an addition of integers.
    let body = "mov.b16 %h1, 0x3c00; atom.shared.add.noftz.f16 %h2, [%r9], %h1; cvt.rni.u32.f16 %r4, %h2; \
                mov.u32 %r5, sum; mov.u32 %r3, 0; st.shared.u32 [sum], %r3; bar.sync 0; red.shared.add.u32 [sum], %r4; \
                bar.sync 0; ld.shared.u32 %r0, [sum];";
    let text = within("shared", body).replace("m[8];", "m[8]; .shared .align 4 .b8 sum[4];");
    check(&text, 64, |_| 4 * (0..16).sum::<u32>());
}

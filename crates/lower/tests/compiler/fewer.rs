//! Forms that take one instruction where the PTX has several, as ptxas has them (13.0, sm_90).

use crate::common::within;

/// The listing of a kernel with two pointers and two numbers.
fn listing(body: &str) -> String {
    within(
        5,
        format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param \
             .u32 n, .param .u32 m) {{\n.reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<9>;\n\
             ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m];\n\
             mov.u32 %r3, %tid.x; add.s64 %rd3, %rd2, 64;\n{body}\nret; }}"
        ),
    )
}

/// How many instructions begin so.
fn count(text: &str, start: &str) -> usize {
    text.split("  ").filter(|part| part.starts_with(start)).count()
}

#[test]
fn a_choice_by_bits_is_one_function() {
    let text = listing(
        "ld.global.u32 %r4, [%rd1]; ld.global.u32 %r5, [%rd1+4]; and.b32 %r6, %r3, %r4; not.b32 %r7, %r3;\n\
         and.b32 %r8, %r7, %r5; or.b32 %r9, %r6, %r8; st.global.u32 [%rd2], %r9;",
    );
    assert_eq!(count(&text, "LOP3"), 1, "{text}");
}

#[test]
fn a_test_of_a_masked_byte_is_one_instruction() {
    let text = listing(
        "ld.global.u8 %h1, [%rd1]; and.b16 %h2, %h1, 3; setp.eq.s16 %p1, %h2, 0; selp.u32 %r4, %r3, 7, %p1;\n\
         st.global.u32 [%rd2], %r4;",
    );
    assert_eq!(
        (count(&text, "LOP3.LUT P0"), count(&text, "PRMT"), count(&text, "ISETP")),
        (1, 0, 0),
        "{text}"
    );
}

#[test]
fn a_comparison_takes_another_predicate_in() {
    let text = listing(
        "setp.ge.s32 %p1, %r3, %r1; setp.lt.s32 %p2, %r3, %r2; or.pred %p3, %p1, %p2; @%p3 bra END;\n\
         st.global.u32 [%rd2], %r3; END:",
    );
    assert_eq!((count(&text, "ISETP"), count(&text, "PLOP3")), (2, 0), "{text}");
}

#[test]
fn a_turned_value_goes_into_a_sum() {
    let text = listing(
        "ld.global.u32 %r4, [%rd1]; shf.l.wrap.b32 %r5, %r4, %r4, 7; add.s32 %r6, %r5, %r3;\n\
         st.global.u32 [%rd2], %r6;",
    );
    assert_eq!((count(&text, "LEA.HI"), count(&text, "SHF")), (1, 0), "{text}");
}

#[test]
fn an_extended_index_that_is_shifted_goes_into_a_sum_of_two_halves() {
    let text = listing(
        "ld.global.u32 %r4, [%rd1]; cvt.s64.s32 %rd4, %r4; shl.b64 %rd5, %rd4, 2; add.s64 %rd6, %rd2, %rd5;\n\
         st.global.u32 [%rd6], %r3;",
    );
    assert_eq!(
        (count(&text, "LEA"), count(&text, "SHF.R.S32"), count(&text, "IMAD.WIDE")),
        (2, 1, 0),
        "{text}"
    );
}

#[test]
fn neighbouring_parameters_are_one_load() {
    let text = listing("mad.lo.s32 %r4, %r3, %r1, %r2; st.global.u32 [%rd2], %r4;");
    assert_eq!(count(&text, "LDC") + count(&text, "ULDC"), 4, "{text}");
}

#[test]
fn a_loop_that_only_counts_is_gone() {
    let text = listing(
        "mov.u32 %r4, %r3; LOOP: add.s32 %r4, %r4, %r1; setp.lt.s32 %p1, %r4, %r2; @%p1 bra LOOP;\n\
         st.global.u32 [%rd2], %r3;",
    );
    assert!(!text.contains("BRA"), "{text}");
}

#[test]
fn constants_that_all_readers_take_so_are_uniform() {
    let text = listing("add.s32 %r4, %r3, %r1; xor.b32 %r5, %r4, %r2; st.global.u32 [%rd2], %r5;");
    assert_eq!(count(&text, "ULDC.64"), 2, "{text}");
}

/// An instruction takes one uniform register: a parameter that it reads twice is loaded into a register of the lanes.
#[test]
fn a_parameter_that_is_squared_is_not_uniform() {
    let text = polynomial("ld.param.f32 %f3, [x]; mov.f32 %f1, %f3;", 1);
    assert!(text.contains("LDC R0, c[0x0][0x218]"), "{text}");
    assert!(text.contains("FFMA R5, R0, R0, c[0x3][0x0]"), "{text}");
}

/// DEVIATIONS.md: ptxas would load and add them in pairs.
#[test]
fn half_precision_values_side_by_side_are_added_one_by_one() {
    let text = listing(
        "ld.global.b16 %h1, [%rd1]; ld.global.b16 %h2, [%rd1+2]; add.f16 %h3, %h1, %h1; add.f16 %h4, %h2, %h2;\n\
         st.global.b16 [%rd2], %h3; st.global.b16 [%rd2+2], %h4;",
    );
    assert_eq!((count(&text, "LDG"), count(&text, "HADD2"), count(&text, "STG")), (2, 2, 2), "{text}");
}

/// DEVIATIONS.md: ptxas would load them in pairs into registers of the warp.
#[test]
fn many_constants_are_operands() {
    let text = polynomial("mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f3, %r1; mov.f32 %f1, %f3;", 16);
    assert_eq!((text.matches("c[0x3]").count(), text.matches(", c[0x3]").count()), (16, 16), "{text}");
    assert_eq!((count(&text, "FFMA"), count(&text, "LDC") + count(&text, "ULDC")), (16, 3), "{text}");
}

/// The listing of a polynomial with coefficients from a constant bank, of `%f3`, which the start sets.
fn polynomial(start: &str, terms: usize) -> String {
    let terms: String = (0..terms)
        .map(|n| {
            format!("ld.const.f32 %f{0}, [table+{1}]; fma.rn.f32 %f1, %f1, %f3, %f{0};\n", 10 + n, 4 * n)
        })
        .collect();
    within(
        5,
        format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.const .align 4 .b8 table[64];\n.visible .entry k(.param \
             .u64 out, .param .f32 x) {{\n.reg .f32 %f<30>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, \
             [out]; {start}\n{terms}st.global.f32 [%rd1], %f1; ret; }}"
        ),
    )
}

#[test]
fn what_is_clear_already_is_not_cleared_again() {
    let text = listing(
        "ld.global.nc.u8 %h1, [%rd1]; cvt.u32.u16 %r4, %h1; and.b32 %r5, %r4, 255;\n\
         ld.global.nc.u8 %h2, [%rd1+1]; cvt.u32.u16 %r6, %h2; and.b32 %r7, %r6, 255; sub.s32 %r8, %r5, %r7;\n\
         st.global.u32 [%rd2], %r8;",
    );
    assert_eq!(count(&text, "LOP3"), 0, "{text}");
    let text = listing(
        "ld.global.u32 %r4, [%rd1]; and.b32 %r5, %r4, 65520; and.b32 %r6, %r5, 4095; shr.u32 %r7, %r4, 24;\n\
         and.b32 %r8, %r7, 255; st.global.u32 [%rd2], %r6; st.global.u32 [%rd2+4], %r8;",
    );
    assert_eq!((count(&text, "LOP3"), count(&text, "LOP3.LUT")), (1, 1), "{text}");
    assert!(text.contains("0xff0"), "{text}");
}

#[test]
fn sums_take_in_a_product_of_64_bits_that_nobody_else_reads() {
    // As ptxas: the sum of the upper halves is one instruction for each sum, and the product of the upper half one for all.
    let sums = "add.s64 %rd6, %rd2, %rd5; add.s64 %rd7, %rd1, %rd5; st.global.u32 [%rd6], %r3; st.global.u32 [%rd7], %r3;";
    let text = |more: &str| {
        listing(&format!("ld.global.u64 %rd4, [%rd1]; mul.lo.s64 %rd5, %rd4, 2068; {sums} {more}"))
    };
    let found =
        |text: String| (count(&text, "IMAD.WIDE"), count(&text, "IMAD R"), count(&text, "IADD3"), text);
    let (wide, high, added, shown) = found(text(""));
    assert_eq!((wide, high, added), (2, 1, 2), "{shown}");
    let (wide, high, _, shown) = found(text("st.global.u64 [%rd2+64], %rd5;"));
    assert_eq!((wide, high), (1, 1), "{shown}");
}

#[test]
fn what_is_added_to_an_address_is_an_offset_in_all_blocks_behind_it() {
    // As ptxas: of the two addresses the loop keeps one.
    let text = listing(
        ".shared .b32 table[512]; mov.u32 %r10, table; mad.lo.u32 %r11, %r3, %r1, %r10; add.u32 %r12, %r11, 1032;\n\
         mul.wide.u32 %rd5, %r3, 4; add.s64 %rd6, %rd1, %rd5; add.s64 %rd7, %rd6, 1032; mov.u32 %r4, 0;\n\
         LOOP: .pragma \"nounroll\"; ld.global.u32 %r5, [%rd7+4]; ld.global.u32 %r6, [%rd6+8]; add.u32 %r4, %r4, %r5;\n\
         ld.shared.u32 %r7, [%r12+4]; ld.shared.u32 %r8, [%r11+8]; st.shared.u32 [%r12], %r4; add.u32 %r4, %r4, %r6;\n\
         add.u32 %r4, %r4, %r7; add.u32 %r4, %r4, %r8; setp.lt.u32 %p1, %r4, %r2; @%p1 bra LOOP;\n\
         st.global.u32 [%rd2], %r4;",
    );
    let times = ["+0x408]", "+0x40c]", " 0x408"].map(|part| text.matches(part).count());
    assert_eq!(times, [1, 2, 0], "{text}");
}

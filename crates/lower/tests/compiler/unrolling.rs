//! Counted loops compute the same, however many of their iterations become one.

use crate::common::{lowered, options};
use crate::programs::{check, kernel};
use warplab_program::Opcode;

/// A loop `do { body } while (counter <order> bound)`.
#[derive(Clone, Copy, Debug)]
struct Counted {
    order: &'static str,
    step: i32,
    /// The counter begins at `begin + tid * slope`, the bound is `bound + tid * bound_slope`.
    begin: i32,
    slope: i32,
    bound: i32,
    bound_slope: i32,
    /// Whether the counter is compared before it is stepped.
    early: bool,
}

/// More iterations than any of the loops below makes.
const MOST: u32 = 300;

impl Counted {
    fn goes_on(self, counter: i32, bound: i32) -> bool {
        let (a, b) = (counter.cast_unsigned(), bound.cast_unsigned());
        match self.order {
            "ne.s32" => counter != bound,
            "lt.s32" => counter < bound,
            "le.s32" => counter <= bound,
            "gt.s32" => counter > bound,
            "ge.s32" => counter >= bound,
            "lt.u32" => a < b,
            "ge.u32" => a >= b,
            order => panic!("no order {order}"),
        }
    }

    fn start(self, thread: u32) -> (i32, i32) {
        let thread = thread.cast_signed();
        let begin = self.begin.wrapping_add(self.slope.wrapping_mul(thread));
        (begin, self.bound.wrapping_add(self.bound_slope.wrapping_mul(thread)))
    }

    /// What the loop leaves: a sum that depends on every iteration and their order.
    fn expected(self, thread: u32) -> Option<u32> {
        let (mut counter, bound) = self.start(thread);
        let mut sum = 1u32;
        for _ in 0..MOST {
            sum = sum.wrapping_mul(5).wrapping_add(counter.cast_unsigned());
            let compared = if self.early { counter } else { counter.wrapping_add(self.step) };
            counter = counter.wrapping_add(self.step);
            if !self.goes_on(compared, bound) {
                return Some(sum.wrapping_add(counter.cast_unsigned()));
            }
        }
        None
    }

    fn text(self) -> String {
        let Counted { order, step, begin, slope, bound, bound_slope, early } = self;
        let test = format!("setp.{order} %p1, %r2, %r3;");
        let add = format!("add.s32 %r2, %r2, {step};");
        let (first, second) = if early { (test, add) } else { (add, test) };
        let body = format!(
            "mad.lo.s32 %r2, %r1, {slope}, {begin}; mad.lo.s32 %r3, %r1, {bound_slope}, {bound}; mov.u32 %r4, 1;\n\
             LOOP: mad.lo.u32 %r4, %r4, 5, %r2; {first} {second} @%p1 bra LOOP;\n\
             add.u32 %r0, %r4, %r2;"
        );
        kernel("", "", &body)
    }

    fn holds(self) {
        let ends = (0..32).all(|thread| self.expected(thread).is_some());
        assert!(ends, "{self:?} does not end soon");
        check(&self.text(), 32, |thread| self.expected(thread).unwrap_or(0));
    }
}

const UP: Counted =
    Counted { order: "lt.s32", step: 1, begin: 0, slope: 0, bound: 0, bound_slope: 1, early: false };

#[test]
fn every_number_of_iterations_gives_the_same_for_lanes_that_differ() {
    UP.holds();
    for (order, bound) in [("ne.s32", 1), ("le.s32", 0), ("lt.u32", 0)] {
        Counted { order, bound, ..UP }.holds();
    }
    for (order, bound, step) in [("ne.s32", -33, -1), ("gt.s32", -33, -1), ("ge.s32", -40, -3)] {
        Counted { order, bound, step, ..UP }.holds();
    }
}

#[test]
fn a_comparison_before_the_step_counts_as_well() {
    for (order, step, bound) in [("ne.s32", 1, 0), ("lt.s32", 3, 0), ("gt.s32", -2, -40)] {
        Counted { order, step, bound, early: true, ..UP }.holds();
    }
}

/// A loop with a counter of 64 bits that begins at a number and goes to another, beside which it goes on by the number of the thread.
fn wide(order: &str, step: i64, begin: i64, bound: i64) {
    let slope = step.signum();
    let body = format!(
        "cvt.s64.s32 %rd9, %r1; mov.s64 %rd8, {begin}; mul.lo.s64 %rd9, %rd9, {slope}; add.s64 %rd9, %rd9, {bound}; mov.u32 %r4, 1;\n\
         LOOP: cvt.u32.u64 %r2, %rd8; mad.lo.u32 %r4, %r4, 5, %r2; add.s64 %rd8, %rd8, {step}; setp.{order} %p1, %rd8, %rd9;\n\
         @%p1 bra LOOP; cvt.u32.u64 %r2, %rd8; add.u32 %r0, %r4, %r2;"
    );
    let low = |value: i64| (value.cast_unsigned() & 0xffff_ffff) as u32;
    check(&kernel("", "", &body), 32, |thread| {
        let bound = bound.wrapping_add(slope.wrapping_mul(i64::from(thread)));
        let (mut counter, mut sum) = (begin, 1u32);
        loop {
            sum = sum.wrapping_mul(5).wrapping_add(low(counter));
            counter = counter.wrapping_add(step);
            let goes_on = match order {
                "ne.s64" => counter != bound,
                "lt.s64" => counter < bound,
                "le.s64" => counter <= bound,
                "gt.s64" => counter > bound,
                "lt.u64" => counter.cast_unsigned() < bound.cast_unsigned(),
                order => panic!("no order {order}"),
            };
            if !goes_on {
                return sum.wrapping_add(low(counter));
            }
        }
    });
}

#[test]
fn counters_of_64_bits_count_as_well() {
    for (order, step, begin, bound) in [
        ("lt.s64", 1, 0, 0),
        ("le.s64", 3, -5, -7),
        ("ne.s64", 1, 0, 1),
        ("ne.s64", -1, 1 << 32, (1 << 32) - 1),
        ("gt.s64", -2, (1 << 32) + 9, (1 << 32) + 5),
        ("lt.u64", 1, 0, 0),
        ("lt.u64", 1, (1 << 32) - 9, (1 << 32) - 6),
        ("lt.s64", 1, -1, -1),
    ] {
        wide(order, step, begin, bound);
    }
}

#[test]
fn a_counter_may_pass_the_ends_of_the_numbers() {
    // Round the end of the unsigned and of the signed numbers to a bound behind it.
    Counted { order: "ne.s32", begin: -7, bound: 3, ..UP }.holds();
    Counted { order: "ne.s32", begin: i32::MAX - 4, bound: i32::MIN + 2, ..UP }.holds();
    Counted { order: "ne.s32", step: -4, begin: 16, bound: -64, bound_slope: 0, slope: 4, ..UP }.holds();
    // The bound is so near the end that it cannot be moved by four steps.
    Counted { begin: i32::MIN, bound: i32::MIN, ..UP }.holds();
    Counted { order: "lt.u32", begin: 0, bound: 0, ..UP }.holds();
    Counted { order: "gt.s32", step: -1, begin: i32::MAX, bound: i32::MAX, bound_slope: -1, ..UP }.holds();
    // The counter is past the bound when the loop begins.
    Counted { begin: 1000, slope: 1, ..UP }.holds();
    Counted { begin: i32::MAX, bound: i32::MIN, step: 0x0010_0000, bound_slope: 0x0010_0000, ..UP }.holds();
}

#[test]
fn a_known_number_of_iterations_is_straight_code() {
    for count in [1, 2, 3, 4, 7, 64, 65, 200] {
        Counted { bound: count, bound_slope: 0, ..UP }.holds();
    }
}

#[test]
fn values_that_change_places_keep_them_apart() {
    let body = "mov.u32 %r2, 0; mov.u32 %r3, 1; and.b32 %r4, %r1, 15;\n\
        LOOP: add.u32 %r5, %r2, %r3; mov.u32 %r2, %r3; mov.u32 %r3, %r5;\n\
        add.s32 %r4, %r4, -1; setp.gt.s32 %p1, %r4, 0; @%p1 bra LOOP; mov.u32 %r0, %r2;";
    let fibonacci = |count: u32| (0..count).fold((0u32, 1u32), |(a, b), _| (b, a + b)).0;
    check(&kernel("", "", body), 32, |thread| fibonacci((thread & 15).max(1)));
}

#[test]
fn addresses_of_32_and_64_bits_go_on_from_iteration_to_iteration() {
    let declarations = ".shared .align 4 .b8 words[512];";
    let body = "mov.u32 %r2, words; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; st.shared.u32 [%r4], %r1; bar.sync 0;\n\
        mov.u32 %r5, 0; mov.u64 %rd3, %rd1; and.b32 %r6, %r1, 7; add.u32 %r6, %r6, 9;\n\
        LOOP: ld.shared.u32 %r7, [%r2]; mad.lo.u32 %r5, %r5, 3, %r7; st.global.u32 [%rd3], %r7; add.u32 %r2, %r2, 4; add.s64 %rd3, %rd3, 4;\n\
        add.s32 %r6, %r6, -1; setp.ne.s32 %p1, %r6, 0; @%p1 bra LOOP; bar.sync 0; mov.u32 %r0, %r5;";
    let expected = |count: u32| (0..count).fold(0u32, |sum, word| sum.wrapping_mul(3).wrapping_add(word));
    check(&kernel("", declarations, body), 32, |thread| expected((thread & 7) + 9));
}

#[test]
fn a_guarded_write_keeps_the_value_of_the_other_lanes_from_iteration_to_iteration() {
    let body = "mov.u32 %r2, 0; mov.u32 %r3, 0;\n\
        LOOP: and.b32 %r4, %r3, 3; setp.eq.u32 %p2, %r4, 1; @%p2 add.u32 %r2, %r2, %r3; @%p2 mov.u32 %r6, %r3;\n\
        add.u32 %r3, %r3, 1; setp.le.u32 %p1, %r3, %r1; @%p1 bra LOOP; add.u32 %r0, %r2, %r3;";
    check(&kernel("", "", body), 32, |thread| {
        (0..=thread).filter(|it| it % 4 == 1).sum::<u32>() + thread + 1
    });
}

#[test]
fn the_rest_in_front_of_a_loop_in_parts_counts_as_well() {
    // 5,000 and 4,300 iterations of one product: more than may be straight code.
    for count in [4300, 5000, 5001] {
        let body = format!(
            "mov.u32 %r2, 0; add.u32 %r4, %r1, 1;\n\
             LOOP: mad.lo.u32 %r4, %r4, 5, %r2; add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, {count}; @%p1 bra LOOP;\n\
             mov.u32 %r0, %r4;"
        );
        check(&kernel("", "", &body), 32, |thread| {
            (0..count).fold(thread + 1, |sum, turn| sum.wrapping_mul(5).wrapping_add(turn))
        });
    }
}

/// How many iterations of a loop that runs `times` times the code has, in all and in a loop; an iteration has `size` fused multiply-adds
/// and some more.
fn iterations(size: usize, more: &str, times: u32) -> (usize, usize) {
    let sums = "fma.rn.f32 %f1, %f1, %f2, %f2;\n".repeat(size);
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .f32 x) {{\n\
         .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<9>;\n\
         ld.param.u64 %rd1, [out]; ld.param.f32 %f2, [x]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n\
         add.s64 %rd3, %rd1, %rd2; cvt.rn.f32.u32 %f1, %r1; mov.u32 %r2, 0; mov.u32 %r3, %r1;\n\
         LOOP: {sums} {more} add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, {times}; @%p1 bra LOOP;\n\
         st.global.f32 [%rd1], %f1; st.global.u32 [%rd1+4], %r3; ret; }}"
    );
    let lowered = lowered("iterations.ptx", text, &options());
    let code = &lowered.program.kernels[0].instructions;
    let sums = |range: std::ops::Range<usize>| {
        code[range].iter().filter(|it| it.opcode == Opcode::Ffma).count() / size
    };
    let back = code.iter().enumerate().find_map(|(at, it)| {
        let to = it.target().filter(|&to| (to as usize) < at)?;
        Some(sums(to as usize..at))
    });
    (sums(0..code.len()), back.unwrap_or(0))
}

#[test]
fn loops_are_unrolled_as_often_as_ptxas_does_it() {
    // ptxas 13.0: the largest part of which the rest and one turn have 350 instructions at most; straight code where that is short.
    let plain = |size, times| iterations(size, "", times);
    assert_eq!([plain(8, 100), plain(4, 100), plain(64, 5)], [(100, 0), (100, 0), (5, 0)]);
    assert_eq!([plain(16, 100), plain(16, 999), plain(16, 1024)], [(20, 20), (19, 14), (21, 17)]);
    assert_eq!([plain(8, 1000), plain(8, 32_768), plain(4, 1_048_576)], [(40, 40), (43, 35), (80, 76)]);
    assert_eq!([plain(72, 64), plain(73, 64)], [(4, 4), (1, 1)]);
    // A load of a byte counts for two, a sum of 64 bits for one; what is guarded makes straight code only.
    let byte = "ld.global.u8 %r4, [%rd3]; add.u32 %r3, %r3, %r4; add.s64 %rd3, %rd3, 32;";
    assert_eq!(iterations(4, byte, 1000), (40, 40));
    let guarded = "@%p1 st.global.f32 [%rd3], %f1;";
    assert_eq!([iterations(16, guarded, 16), iterations(16, guarded, 1000)], [(16, 0), (1, 1)]);
}

#[test]
fn near_the_border_other_loops_become_straight_code_than_with_ptxas() {
    // ptxas makes parts of both.
    assert_eq!([iterations(16, "", 75), iterations(2, "", 1600)], [(75, 0), (1600, 0)]);
}

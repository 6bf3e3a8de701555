//! Which loops are unrolled where it is not known how often they run: what ptxas 13.0 does with the same text.

use crate::common::{lowered, options};
use warplab_program::Opcode;

/// A load from where the counter is, and what it adds.
const LOAD: &str = "mul.wide.s32 %rd5, %r2, 4; add.s64 %rd5, %rd1, %rd5; ld.global.f32 %f3, [%rd5]; fma.rn.f32 %f2, %f2, %f1, %f3;";
/// A load from where a pointer is that goes on.
const STEPPING_LOAD: &str =
    "ld.global.f32 %f3, [%rd3]; add.s64 %rd3, %rd3, 128; fma.rn.f32 %f2, %f2, %f1, %f3;";
/// A store to where the counter is.
const STORE: &str = "mul.wide.s32 %rd6, %r2, 4; add.s64 %rd6, %rd2, %rd6; st.global.f32 [%rd6], %f2;";
/// A store to where a pointer is that goes on.
const STEPPING_STORE: &str = "st.global.f32 [%rd4], %f2; add.s64 %rd4, %rd4, 128;";
const STEP: &str = "add.s32 %r2, %r2, 32; setp.lt.s32 %p1, %r2, %r1; @%p1 bra LOOP;";

/// How often the code has the product of a loop that is written once.
fn copies(before: &str, body: &str, step: &str) -> usize {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .f32 q) {{\n\
         .reg .f32 %f<9>; .reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .pred %p<9>;\n\
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n]; ld.param.f32 %f1, [q];\n\
         mov.f32 %f2, %f1; mov.u32 %r3, %tid.x; mul.wide.s32 %rd3, %r3, 4; add.s64 %rd4, %rd2, %rd3; add.s64 %rd3, %rd1, %rd3;\n\
         {before}\nLOOP: {body} {step}\nEND: st.global.f32 [%rd2], %f2; ret; }}"
    );
    let lowered = lowered("unrolled.ptx", text, &options());
    let code = &lowered.program.kernels[0].instructions;
    code.iter().filter(|it| it.opcode == Opcode::Ffma).count()
}

/// A loop whose lanes leave it one after the other.
fn parted(body: &str) -> usize {
    copies("mov.u32 %r2, %r3;", body, STEP)
}

/// A loop that all lanes leave together.
fn together(body: &str) -> usize {
    copies("mov.u32 %r2, 0;", body, STEP)
}

/// Four iterations, two, and one.
const UNROLLED: usize = 7;

#[test]
fn where_lanes_part_a_store_behind_a_load_must_step() {
    let join = |parts: &[&str]| parts.concat();
    assert_eq!(parted(LOAD), UNROLLED);
    assert_eq!(parted(&join(&[LOAD, STEPPING_STORE])), UNROLLED);
    assert_eq!(parted(&join(&[STORE, LOAD])), UNROLLED);
    assert_eq!(parted(&join(&[LOAD, STORE])), 1);
    assert_eq!(parted(&join(&[STEPPING_LOAD, STORE])), 1);
    assert_eq!(parted(&join(&[LOAD, "st.global.f32 [%rd2], %f2;"])), 1);
    let guarded =
        "setp.gt.f32 %p2, %f3, 0f3F800000; @%p2 st.global.f32 [%rd4], %f2; add.s64 %rd4, %rd4, 128;";
    assert_eq!(parted(&join(&[LOAD, guarded])), 1);
    assert_eq!(parted(&join(&[LOAD, "red.global.add.f32 [%rd4], %f2;"])), 1);
}

#[test]
fn where_lanes_stay_together_every_store_may_be_there_and_atomic_operations() {
    for more in [STORE, "st.global.f32 [%rd2], %f2;", "red.global.add.f32 [%rd4], %f2;", "bar.sync 0;"] {
        assert_eq!(together(&[LOAD, more].concat()), UNROLLED, "{more}");
    }
    assert_eq!(together(&[LOAD, "membar.gl;"].concat()), 1);
}

#[test]
fn lanes_are_together_in_a_loop_that_some_pass_by_if_it_begins_there() {
    let body = [LOAD, STORE].concat();
    let passed = "setp.gt.s32 %p3, %r3, 5; @%p3 bra END;";
    assert_eq!(copies(&["mov.u32 %r2, 0;", passed].concat(), &body, STEP), 1);
    assert_eq!(copies(&[passed, "mov.u32 %r2, 0;"].concat(), &body, STEP), UNROLLED);
    // Those that end do not come back.
    let left = "setp.gt.s32 %p3, %r3, 5; @%p3 exit;";
    assert_eq!(copies(&["mov.u32 %r2, 0;", left].concat(), &body, STEP), UNROLLED);
    // What is loaded from one address is the same for all.
    let loaded = "mov.u32 %r2, 0; ld.global.u32 %r1, [%rd1];";
    assert_eq!(copies(loaded, &body, STEP), UNROLLED);
}

#[test]
fn a_counter_is_stepped_then_compared_and_the_branch_goes_back_where_that_holds() {
    let begin = "mov.u32 %r2, %r3; mul.wide.s32 %rd8, %r3, 4; mul.wide.s32 %rd9, %r1, 4;";
    for (step, times) in [
        (STEP, UNROLLED),
        ("add.s32 %r2, %r2, 1; setp.ne.s32 %p1, %r2, %r1; @%p1 bra LOOP;", UNROLLED),
        ("add.s32 %r2, %r2, -1; setp.gt.s32 %p1, %r2, %r1; @%p1 bra LOOP;", UNROLLED),
        ("add.s64 %rd8, %rd8, 1; setp.lt.s64 %p1, %rd8, %rd9; @%p1 bra LOOP;", UNROLLED),
        ("add.s64 %rd8, %rd8, -1; setp.ne.s64 %p1, %rd8, 0; @%p1 bra LOOP;", UNROLLED),
        // One more, which is made whatever the counter is.
        ("add.s32 %r2, %r2, 32; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;", UNROLLED + 1),
        ("add.s32 %r2, %r2, 32; setp.ge.s32 %p1, %r2, %r1; @!%p1 bra LOOP;", 1),
        ("setp.ne.s32 %p1, %r2, %r1; add.s32 %r2, %r2, 1; @%p1 bra LOOP;", 1),
        ("add.s32 %r2, %r2, %r1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra LOOP;", 1),
        // In two steps, as with a stride of `warpSize` in a loop of which several iterations are one.
        ("add.s32 %r5, %r2, 16; add.s32 %r2, %r5, 16; setp.lt.s32 %p1, %r2, %r1; @%p1 bra LOOP;", 1),
    ] {
        assert_eq!(copies(begin, LOAD, step), times, "{step}");
    }
}

#[test]
fn an_if_may_be_inside_but_not_one_inside_another() {
    let one = "setp.gt.f32 %p2, %f3, %f1; @%p2 bra SKIP; mul.f32 %f2, %f2, %f2; SKIP:";
    assert_eq!(parted(&[LOAD, one].concat()), UNROLLED);
    let nested = "setp.gt.f32 %p2, %f3, %f1; @%p2 bra SKIP; mul.f32 %f2, %f2, %f2; setp.gt.f32 %p3, %f2, %f1; @%p3 bra SKIP; \
                  mul.f32 %f2, %f2, %f2; SKIP:";
    assert_eq!(parted(&[LOAD, nested].concat()), 1);
}

#[test]
fn a_step_is_constant_that_is_computed_of_constants() {
    let begin = "mov.u32 %r2, %r3; mov.u32 %r5, WARP_SZ; shl.b32 %r6, %r5, 1;";
    let step = "add.s32 %r2, %r2, %r6; setp.lt.s32 %p1, %r2, %r1; @%p1 bra LOOP;";
    assert_eq!(copies(begin, LOAD, step), UNROLLED);
}

#[test]
fn an_if_or_a_barrier_may_be_inside_but_not_both() {
    let one = "setp.gt.f32 %p2, %f3, %f1; @%p2 bra SKIP; mul.f32 %f2, %f2, %f2; SKIP:";
    let with = |more: &[&str]| together(&[&[LOAD], more].concat().concat());
    assert_eq!([with(&[one]), with(&["bar.sync 0;"]), with(&[one, "bar.sync 0;"])], [UNROLLED, UNROLLED, 1]);
    assert_eq!(with(&[one, "bar.warp.sync -1;"]), 1);
}

#[test]
fn loops_of_several_blocks_stay_as_they_are_which_ptxas_unrolls() {
    let long =
        format!("setp.gt.f32 %p2, %f3, %f1; @%p2 bra SKIP; {} SKIP:", "mul.f32 %f2, %f2, %f2;".repeat(20));
    assert_eq!(parted(&[LOAD, &long].concat()), 1);
    let atomic = "setp.gt.f32 %p2, %f3, %f1; @%p2 bra SKIP; red.global.add.f32 [%rd4], %f2; SKIP:";
    assert_eq!(together(&[LOAD, atomic].concat()), 1);
    let known = "add.s32 %r2, %r2, 32; setp.lt.s32 %p1, %r2, 256; @%p1 bra LOOP;";
    let way_out = "setp.gt.f32 %p2, %f3, %f1; @%p2 bra END;";
    assert_eq!(copies("mov.u32 %r2, 0;", &[LOAD, way_out].concat(), known), 1);
}

/// The largest number of products more with which a loop is unrolled.
fn most(body: &str) -> usize {
    let unrolled = |more: &usize| {
        let products = "fma.rn.f32 %f2, %f2, %f1, %f1;".repeat(*more);
        parted(&[body, &products].concat()) > 2 * (more + 1)
    };
    (0..60).filter(unrolled).max().unwrap_or(0)
}

#[test]
fn loops_are_unrolled_up_to_the_size_that_ptxas_counts() {
    // 49 instructions of PTX with a load: an address takes two, counting three.
    assert_eq!(most(LOAD), 42);
    for (more, counts) in [
        ("add.s64 %rd7, %rd7, %rd3;", 1),
        ("ex2.approx.f32 %f2, %f2;", 6),
        ("ex2.approx.ftz.f32 %f2, %f2;", 1),
        ("rcp.approx.f32 %f2, %f2;", 7),
        ("div.full.f32 %f2, %f2, %f1;", 12),
        ("neg.f32 %f4, %f2; add.f32 %f2, %f4, %f1;", 1),
        ("bfi.b32 %r5, %r5, %r1, %r3, %r1;", 2),
        ("rem.u32 %r5, %r5, %r1;", 19),
    ] {
        assert_eq!(most(&[LOAD, more].concat()), 42 - counts, "{more}");
    }
    // 21 without loads.
    assert_eq!(most("fma.rn.f32 %f2, %f2, %f1, %f1;"), 17);
}

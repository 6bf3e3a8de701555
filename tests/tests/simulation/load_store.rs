//! The load/store unit as an H200 has it (`traces/h200/lsu`): what one access costs the next.

use super::small_deviations::{cycles, machine_code};
use warplab_tests::gpu;

/// A hit in L1, behind instructions that find addresses a distance apart in R6: when it is there.
fn hit_behind(distance: u32, before: &str) -> u32 {
    let warm = format!(
        "stall=1 wr=2 LDG.E R5, [R2.64]\nstall=1 wr=2 LDG.E R5, [R2.64+0x80]\n\
         stall=8 wait=000100 IMAD.WIDE R6, R0, {distance:#x}, R2\n"
    );
    cycles(&gpu("h200"), &warm, &format!("{before}stall=1 wr=2 LDG.E R8, [R2.64]\n"), "wait=000100 ")
}

#[test]
fn a_store_of_one_bank_holds_the_load_behind_it_back_for_two_cycles_a_word() {
    let store = "stall=4 STG.E [R6.64+0x10000], R0\n";
    // Behind stores to lines 33 and 32 words apart: 15 and 69 cycles more on the hardware.
    assert_eq!([(128, ""), (128, store), (124, store)].map(|(d, s)| hit_behind(d, s)), [39, 50, 110]);
}

#[test]
fn a_load_that_misses_keeps_the_unit_for_its_tags_alone() {
    let load = "stall=4 wr=3 LDG.E R7, [R6.64+0x40000]\n";
    // Lines 33 and 32 words apart, which L1 lacks: 51 cycles each on the hardware, with the comparison behind them.
    assert_eq!([128, 124].map(|distance| hit_behind(distance, load)), [47, 47]);
}

#[test]
fn a_load_of_less_than_a_word_takes_the_unit_as_long_as_one_of_a_word() {
    let behind = |load: &str| hit_behind(128, &format!("stall=4 {load}, [R2.64]\n").repeat(8));
    // Eight loads that hit before the one that is timed.
    assert_eq!(["LDG.E R12", "LDG.E.U8 R12", "LDG.E.S16 R12"].map(behind), [71; 3]);
}

#[test]
fn misses_of_one_warp_return_in_order() {
    // A line in L2, and behind it, in the order of issue, one that only DRAM has and the first one again, past L1.
    let warm = "stall=1 wr=2 LDG.E.STRONG.GPU R5, [R2.64]\nstall=8 wait=000100 IADD3 R6, R5, RZ, RZ\n";
    let nearer = "stall=1 wr=3 LDG.E R8, [R2.64+0x40000]\nstall=1 wr=2 LDG.E.STRONG.GPU R7, [R2.64]\n";
    let time = |first: &str| cycles(&gpu("h200"), warm, nearer, &format!("wait={first} "));
    assert_eq!(["000100", "001000"].map(time), [586, 585]);
}

#[test]
fn a_shuffle_follows_the_last_stores_of_another_sub_partition() {
    // Of two warps the second stores to 32 lines again and again, while the first shuffles four times.
    let shuffles = "stall=2 wr=2 wait=000100 SHFL.BFLY PT, R9, R9, 0x1, 0x1f\n".repeat(4);
    let time = |stores: u32| {
        let stores: String =
            (0..stores).map(|at| format!("stall=4 @P0 STG.E [R6.64+{:#x}], R0\n", 4 * at)).collect();
        let code = format!(
            "stall=13 ISETP.GE.AND P0, PT, R0, 0x20, PT\nstall=8 IMAD.WIDE R6, R0, 0x7c, R2\n{stores}\
             stall=8 CS2R.32 R10, SR_CLOCKLO\n{shuffles}stall=8 wait=000100 CS2R.32 R11, SR_CLOCKLO\n\
             stall=6 IADD3 R12, R11, -R10, RZ\n"
        );
        machine_code(&gpu("h200"), 64, &code).image.buffer("a").expect("the buffer").word(0)
    };
    // The first two wait for eight stores each, some 66 cycles a store, as on the hardware; then no more than ten are left.
    assert_eq!([0, 24].map(time), [104, 1116]);
}

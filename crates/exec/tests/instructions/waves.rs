//! Warps of 64 lanes: two rows of 32 with one divergence.

use crate::common::run_wave;
use warplab_exec::Row;
use warplab_units::WarpMask;

/// A value for every lane of both rows.
fn both(lower: impl Fn(u32) -> u32) -> [Row; 2] {
    [0, 32].map(|first| std::array::from_fn(|lane| lower(first + lane as u32)))
}

#[test]
fn a_wave_of_64_lanes_computes_both_rows_in_one_instruction() {
    let wave = run_wave("S2R R0, SR_TID.X\nIADD3 R1, R0, 0x1, RZ", 64);
    assert_eq!([wave.warp.register_of(0, 1), wave.warp.register_of(1, 1)], both(|lane| lane + 1));
    assert_eq!(wave.issued, 3);
}

#[test]
fn a_block_of_40_threads_leaves_24_lanes_of_the_wave_without_one() {
    let wave = run_wave("S2R R0, SR_TID.X", 40);
    assert_eq!(wave.first_mask, WarpMask::first(40));
    assert_eq!(wave.warp.register_of(1, 0)[7..9], [39, 0]);
}

#[test]
fn lane_numbers_and_masks_are_those_of_the_row() {
    let wave = run_wave("S2R R0, SR_LANEID\nS2R R1, SR_LTMASK\nVOTE.ANY R2, PT, PT", 40);
    let of = |register: u32| [0, 1].map(|row| wave.warp.register_of(row, register)[5]);
    assert_eq!((of(0), of(1), of(2)), ([5, 5], [31, 31], [u32::MAX, 0xff]));
}

#[test]
fn a_shuffle_reads_lanes_of_its_row() {
    let wave = run_wave("S2R R0, SR_TID.X\nSHFL.DOWN PT, R1, R0, 0x10, 0x1f", 64);
    let of = |lane: usize| [0, 1].map(|row| wave.warp.register_of(row, 1)[lane]);
    assert_eq!((of(0), of(20)), ([16, 48], [20, 52]));
}

#[test]
fn a_branch_between_the_rows_divides_the_wave_and_they_meet_again() {
    let lines = "S2R R0, SR_TID.X
        ISETP.GE.AND P0, PT, R0, 0x20, PT
        BSSY B0, 0x60
        @P0 BRA 0x50
        MOV R1, 0x1
        BSYNC B0
        MOV R2, 0x2";
    let wave = run_wave(lines, 64);
    assert_eq!([0, 1].map(|row| wave.warp.register_of(row, 1)[0]), [1, 0]);
    assert_eq!([0, 1].map(|row| wave.warp.register_of(row, 2)[0]), [2, 2]);
    // BSYNC is the only instruction that issues twice.
    assert_eq!(wave.issued, 9);
}

#[test]
fn one_row_may_wait_for_its_lanes_while_the_other_is_elsewhere() {
    let lines = "S2R R0, SR_TID.X
        ISETP.GE.AND P0, PT, R0, 0x20, PT
        @P0 EXIT
        WARPSYNC.ALL
        MOV R1, 0x1";
    assert_eq!(run_wave(lines, 64).warp.register_of(0, 1)[31], 1);
}

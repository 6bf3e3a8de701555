//! Barriers in shared memory, bulk copies, and the instructions that come with them.

use crate::common::{run, run_lanes};
use crate::memory::launch;
use warplab_exec::DivergenceModel;

/// The barrier is at 0x400 and waits for `count` threads.
fn with_barrier(count: u32, lines: &str) -> String {
    let left = (1 << 20) - count;
    format!(
        "MOV R2, {:#x}\nMOV R3, {:#x}\nMOV R1, 0x400\nSYNCS.EXCH.64 RZ, [R1], R2\n{lines}",
        left << 1,
        left << 11
    )
}

#[test]
fn lanes_that_arrive_together_get_what_the_barrier_was_before_all_of_them() {
    let text = with_barrier(100, "SYNCS.ARRIVE.TRANS64.A1T0 R4, [R1+URZ], RZ\nLDS.64 R6, [R1]");
    let warp = run(&text, &[]);
    // As an H200 answered: 100 threads missing, for every lane.
    assert_eq!(warp.register(5), [0x7ffc_e000; 32]);
    // 68 are missing then.
    assert_eq!(warp.register(7), [0x7ffd_e000; 32]);
}

#[test]
fn the_lanes_of_an_arrival_with_mask_are_named_in_the_lower_word() {
    let text = with_barrier(100, "MOV R8, 0x2\nSYNCS.ARRIVE.TRANS64.TMASK.ART0 R4, [R1+URZ], R8");
    let warp = run(&text, &[]);
    assert_eq!((warp.register(4)[3], warp.register(5)[3]), (u32::MAX, 0x7ffc_e000));
}

#[test]
fn a_test_says_whether_the_phase_of_a_parity_is_over() {
    let test = "SYNCS.PHASECHK.TRANS64 P0, [R1], RZ\nSEL R6, RZ, 0x1, !P0\n";
    let arrive = "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R1], RZ\n";
    let before = run(&with_barrier(33, &format!("{arrive}{test}")), &[]);
    let after = run(&with_barrier(32, &format!("{arrive}{test}")), &[]);
    assert_eq!((before.register(6), after.register(6)), ([0; 32], [1; 32]));
}

#[test]
fn bytes_that_are_to_come_keep_a_phase_from_ending() {
    let lines = "MOV R8, 0x40\nISETP.NE.U32.AND P1, PT, R0, RZ, PT\n@!P1 SYNCS.ARRIVE.TRANS64 RZ, [R1], R8\n\
        SYNCS.PHASECHK.TRANS64 P0, [R1], RZ\nSEL R6, RZ, 0x1, !P0\n\
        MOV R9, 0x2\nSYNCS.ARRIVE.TRANS64.RED.A0TX RZ, [R1], R9\n\
        SYNCS.PHASECHK.TRANS64 P0, [R1], RZ\nSEL R7, RZ, 0x1, !P0";
    let lanes = std::array::from_fn(|lane| lane as u32);
    let warp = run(&with_barrier(1, lines), &[(0, lanes)]);
    assert_eq!((warp.register(6)[0], warp.register(7)[0]), (0, 1));
}

#[test]
fn more_arrivals_than_a_barrier_waits_for_are_a_fault_with_its_place() {
    let lines = with_barrier(16, "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R1], RZ\nEXIT");
    let fault = launch(&format!(".kernel k\n{lines}"), 32, 256, DivergenceModel::default()).unwrap_err();
    let text = fault.to_string();
    assert!(
        text.contains(
            "the barrier (mbarrier) at 0x400 of shared memory: 32 arrive, but its phase waits for 16 only"
        ),
        "{text}"
    );
}

#[test]
fn the_elected_lane_is_the_lowest_and_its_number_goes_to_the_warp() {
    let lines =
        "ISETP.GT.U32.AND P1, PT, R0, 0x4, PT\n@P1 ELECT P0, UR4, PT\nMOV R6, UR4\nSEL R7, RZ, 0x1, !P0";
    let lanes = std::array::from_fn(|lane| lane as u32);
    let warp = run(lines, &[(0, lanes)]);
    let elected = std::array::from_fn(|lane| u32::from(lane == 5));
    assert_eq!((warp.register(6), warp.register(7)), ([5; 32], elected));
}

#[test]
fn a_move_to_the_warp_tells_the_lanes_with_other_values() {
    let lines = "R2UR P0, UR4, R0\nSEL R7, RZ, 0x1, !P0\nR2UR.OR P0, UR5, R1\nSEL R8, RZ, 0x1, !P0";
    let first = std::array::from_fn(|lane| u32::from(lane >= 30));
    let second = std::array::from_fn(|lane| u32::from(lane == 3));
    let warp = run(lines, &[(0, first), (1, second)]);
    let either = std::array::from_fn(|lane| u32::from(lane >= 30 || lane == 3));
    assert_eq!((warp.register(7), warp.register(8)), (first, either));
}

#[test]
fn all_lanes_of_a_warp_take_a_branch_that_any_wants() {
    let lines = "ISETP.EQ.U32.AND P0, PT, R0, 0x7, PT\n@P0 BRA.U.ANY 0x40\nMOV R6, 0x1\nEXIT\nMOV R6, 0x2";
    let lanes = std::array::from_fn(|lane| lane as u32);
    assert_eq!(run(lines, &[(0, lanes)]).register(6), [2; 32]);
}

#[test]
fn a_scalar_sum_of_64_bits_carries() {
    let warp = run("UMOV UR4, 0xffffffff\nUMOV UR5, 0x1\nUIADD3.64 UR4, UR4, 0x1, URZ", &[]);
    assert_eq!((warp.uniform(4), warp.uniform(5)), (0, 2));
}

#[test]
fn a_bulk_copy_brings_bytes_to_shared_memory_and_tells_its_barrier() {
    let lines = "ULDC.64 UR4, c[0x0][0x210]\nUMOV UR6, 0x500\nUMOV UR7, 0x400\nUMOV UR8, 0x8\nMOV R9, 0x80\n\
        ELECT P0, URZ, PT\n@P0 SYNCS.ARRIVE.TRANS64 RZ, [R1], R9\nUBLKCP.S.G [UR6], [UR4], UR8\n\
        SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R1], RZ\nSEL R10, RZ, 0x1, !P0\n\
        S2R R0, SR_TID.X\nLEA R11, R0, RZ, 0x2\nLDS R12, [R11+0x500]\nIADD3 R12, R12, R10, RZ\n\
        STS [R11+0x500], R12\nUIADD3.64 UR4, UR4, 0x80, URZ\nUBLKCP.G.S [UR4], [UR6], UR8\nUTMACMDFLUSH\n\
        DEPBAR.LE SB0, 0x0\nEXIT";
    let text = format!(".kernel k\n{}", with_barrier(1, lines));
    let (image, _) = launch(&text, 32, 256, DivergenceModel::default()).unwrap();
    // What has been copied, and one as the phase was over.
    let words: Vec<u32> = (32..64).map(|index| image.buffers()[0].word(index)).collect();
    assert_eq!(words, [1; 32]);
}

#[test]
fn a_bulk_reduction_adds_to_global_memory() {
    let lines = "ULDC.64 UR4, c[0x0][0x210]\nUMOV UR6, 0x500\nUMOV UR8, 0x8\nS2R R0, SR_TID.X\nLEA R11, R0, RZ, 0x2\n\
        STS [R11+0x500], R0\nUBLKRED.G.S.ADD [UR4], [UR6], UR8\nUBLKRED.G.S.ADD [UR4], [UR6], UR8\nEXIT";
    let (image, _) = launch(&format!(".kernel k\n{lines}"), 32, 256, DivergenceModel::default()).unwrap();
    // Two blocks, twice each.
    let words: Vec<u32> = (0..32).map(|index| image.buffers()[0].word(index)).collect();
    assert_eq!(words, (0..32).map(|index| 4 * index).collect::<Vec<u32>>());
}

#[test]
fn lanes_that_have_parted_and_wait_for_each_other_go_on() {
    // Lane 0 yields in a loop, the others go past the barrier and wait for it at the next one of the same name.
    let lines = "ISETP.NE.U32.AND P0, PT, R0, RZ, PT\nMOV R3, RZ\nBSSY B0, 0x80\n@P0 BRA 0x70\nYIELD\nIADD3 R3, R3, 0x1, RZ\n\
        NOP\nBSYNC B0\nBSSY B0, 0xc0\nMOV R4, 0xffffffff\nWARPSYNC R4\nBSYNC B0\nMOV R5, 0x1";
    let lanes = std::array::from_fn(|lane| lane as u32);
    let warp = run_lanes(lines, &[(0, lanes)], 32, DivergenceModel::default(), 1000).expect("it ends");
    assert_eq!(warp.register(5), [1; 32]);
}

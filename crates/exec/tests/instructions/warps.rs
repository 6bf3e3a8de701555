//! Lanes together: shuffles, votes, divergence, local and shared memory.
use crate::common::{run, run_lanes, same};
use warplab_exec::{DivergenceModel, Row};
use warplab_units::LaneMask;

fn lanes() -> Row {
    std::array::from_fn(|lane| lane as u32)
}

#[test]
fn shuffles_stay_in_their_segment() {
    let shuffle = |line: &str| run(line, &[(1, lanes())]);
    let warp = shuffle("SHFL.DOWN P0, R0, R1, 0x10, 0x1f");
    assert_eq!((warp.register(0)[3], warp.register(0)[20], warp.predicate(0)), (19, 20, LaneMask(0xffff)));
    let warp = shuffle("SHFL.UP P0, R0, R1, 0x1, RZ");
    assert_eq!((warp.register(0)[0], warp.register(0)[5], warp.predicate(0)), (0, 4, LaneMask(!1)));
    assert_eq!(shuffle("SHFL.BFLY PT, R0, R1, 0x1, 0x1f").register(0)[6], 7);
    // Width 8: clamp 7 in the low bits, segment mask 0x18.
    assert_eq!(shuffle("SHFL.IDX PT, R0, R1, 0x2, 0x181f").register(0)[13], 10);
}

#[test]
fn votes_and_reductions_count_active_lanes_only() {
    let text = "ISETP.GE.U32.AND P0, PT, R1, 0x8, PT\nISETP.GE.U32.AND P1, PT, R1, 0x18, PT\n@P0 VOTE.ANY R0, P2, P1\n@P0 REDUX.SUM UR4, R1\nVOTEU.ALL UR5, UP0, P0\n@P1 ELECT P3, URZ\n@P0 R2UR UR6, R1";
    let warp = run(text, &[(1, lanes())]);
    assert_eq!((warp.register(0)[7], warp.register(0)[8]), (0, 0xff00_0000));
    assert_eq!((warp.uniform(4), warp.uniform(5), warp.uniform(6)), ((8..32).sum(), 0xffff_ff00, 8));
    assert_eq!(warp.predicate(3), LaneMask(1 << 24));
}

#[test]
fn lanes_that_name_different_masks_go_on_one_group_after_another() {
    let text = "LOP3.LUT R2, R1, 0x3, RZ, 0xc0, !PT
MATCH.ANY R3, R2
BSSY B0, 0x60
WARPSYNC.EXCLUSIVE R3
REDUX.SUM UR4, R1
MOV R0, UR4
BSYNC B0
VOTE.ANY R4, PT, PT";
    let warp = run(text, &[(1, lanes())]);
    // 0 + 4 + ... + 28, and one more for each of the eight lanes of the next group.
    assert_eq!([0, 1, 2, 3, 31].map(|lane| warp.register(0)[lane]), [112, 120, 128, 136, 136]);
    assert_eq!(warp.register(4), same(u32::MAX));
}

#[test]
fn match_finds_equal_lanes() {
    let warp =
        run("LOP3.LUT R2, R1, 0x3, RZ, 0xc0, !PT\nMATCH.ANY R0, R2\nMATCH.ALL P0, R3, R2", &[(1, lanes())]);
    assert_eq!(
        (warp.register(0)[1], warp.register(3)[0], warp.predicate(0)),
        (0x2222_2222, 0, LaneMask::EMPTY)
    );
}

/// Lanes below 8 add 1, others 2; all meet and add the number of lanes that are there.
const IF_ELSE: &str = "ISETP.GE.U32.AND P0, PT, R1, 0x8, PT
BSSY B0, 0x60
@P0 BRA 0x50
MOV R0, 0x1
BRA 0x60
MOV R0, 0x2
BSYNC B0
VOTE.ANY R2, PT, PT";

#[test]
fn both_sides_of_a_branch_meet_at_bsync() {
    let warp = run(IF_ELSE, &[(1, lanes())]);
    assert_eq!((warp.register(0)[7], warp.register(0)[8]), (1, 2));
    assert_eq!(warp.register(2), same(u32::MAX));
}

/// Each lane goes round as often as its number; all meet after the loop.
const LOOP: &str = "MOV R0, RZ
BSSY B0, 0x50
VIADD R0, R0, 0x1
ISETP.LT.U32.AND P0, PT, R0, R1, PT
@P0 BRA 0x20
BSYNC B0
VOTE.ANY R2, PT, PT";

#[test]
fn a_loop_with_different_trip_counts_meets_after_the_longest() {
    for divergence in
        [DivergenceModel::default(), DivergenceModel::Barriers { patience: 1 }, DivergenceModel::IpdomStack]
    {
        let warp = run_lanes(LOOP, &[(1, lanes())], 32, divergence, 10_000).unwrap();
        assert_eq!((warp.register(0)[0], warp.register(0)[31]), (1, 31));
        assert_eq!(warp.register(2), same(u32::MAX));
    }
}

#[test]
fn lanes_that_exit_or_break_are_not_waited_for() {
    let text = "ISETP.GE.U32.AND P0, PT, R1, 0x8, PT
ISETP.GE.U32.AND P1, PT, R1, 0x10, PT
BSSY B0, 0x70
@P1 EXIT
@!P0 BREAK B0
@!P0 BRA 0x90
NOP
BSYNC B0
VOTE.ANY R2, PT, PT
NOP";
    let warp = run(text, &[(1, lanes())]);
    assert_eq!((warp.register(2)[0], warp.register(2)[8], warp.register(2)[16]), (0, 0xff00, 0));
}

/// The lock is taken by the lane that falls out of the loop; losers spin on the taken side or, turned round, the
/// winner leaves on the taken side.
const SPIN: &str = "MOV R4, RZ
BSSY B0, 0xa0
ATOMS.CAS R3, [RZ+0x400], RZ, 0x1
ISETP.EQ.AND P0, PT, R3, RZ, PT
@P0 BRA 0x60
BRA 0x20
LDS R4, [RZ+0x404]
VIADD R4, R4, 0x1
STS [RZ+0x404], R4
ATOMS.EXCH R5, [RZ+0x400], RZ
BSYNC B0
LDS R0, [RZ+0x404]";

#[test]
fn a_spin_lock_inside_a_warp_makes_progress_with_barriers_and_hangs_on_the_stack() {
    let warp = run_lanes(SPIN, &[], 32, DivergenceModel::default(), 100_000).unwrap();
    assert_eq!(warp.register(0), same(32));
    assert!(run_lanes(SPIN, &[], 32, DivergenceModel::IpdomStack, 100_000).is_none());
}

#[test]
fn a_call_returns_to_the_address_of_each_lane() {
    let text = "ISETP.GE.U32.AND P0, PT, R1, 0x8, PT
MOV R8, 0x60
MOV R9, RZ
@P0 MOV R8, 0x80
CALL.REL.NOINC 0xa0
NOP
MOV R0, 0x1
BRA 0xc0
MOV R0, 0x2
BRA 0xc0
IADD3 R2, R1, 0x64, RZ
RET.REL.NODEC R8, 0x0
NOP";
    let warp = run(text, &[(1, lanes())]);
    assert_eq!((warp.register(0)[7], warp.register(0)[8], warp.register(2)[9]), (1, 2, 109));
}

#[test]
fn a_collective_region_runs_once_for_lanes_from_both_sides() {
    let text = "ISETP.GE.U32.AND P0, PT, R1, 0x8, PT
MOV R3, 0xffffffff
BSSY B0, 0xe0
@P0 BRA 0x90
BSSY B1, 0x80
WARPSYNC.COLLECTIVE R3, 0x80
VOTE.ANY R2, PT, PT
ENDCOLLECTIVE
BRA 0xd0
WARPSYNC.COLLECTIVE R3, 0xc0
VOTE.ANY R2, PT, PT
ENDCOLLECTIVE
VIADD R0, R0, 0x5
NOP
BSYNC B0";
    let warp = run(text, &[(1, lanes())]);
    assert_eq!(warp.register(2), same(u32::MAX));
    assert_eq!((warp.register(0)[7], warp.register(0)[8]), (0, 5));
}

/// The first eight lanes wait for all, the others for each other, in two parts, and only then for all.
#[test]
fn lanes_wait_for_those_who_name_the_same_mask() {
    let text = "ISETP.GE.U32.AND P0, PT, R1, 0x8, PT
ISETP.GE.U32.AND P1, PT, R1, 0x10, PT
MOV R3, 0xffffff00
@!P0 BRA 0x80
@P1 BRA 0x60
MOV R2, 0x1
WARPSYNC R3
VOTE.ANY R4, PT, PT
WARPSYNC.ALL
VOTE.ANY R5, PT, PT";
    let warp = run(text, &[(1, lanes())]);
    assert_eq!((warp.register(4)[31], warp.register(5)), (0xffff_ff00, same(u32::MAX)));
}

/// Two halves of the warp come together, each to reduce among its own lanes: `BRA.DIV` takes all along, as not all name the same mask.
#[test]
fn lanes_that_name_different_masks_reduce_one_group_after_the_other_and_go_on_together() {
    let text = "MOV R3, 0xffff
ISETP.GE.U32.AND P0, PT, R1, 0x10, PT
@P0 MOV R3, 0xffff0000
REDUX.OR UR6, R3
R2UR P1, URZ, R3
@!P1 BRA.DIV UR6, 0x80
MOV R0, 0x1
BRA 0xe0
BSSY B0, 0xe0
WARPSYNC.COLLECTIVE R3, 0xd0
REDUX.SUM.S32 UR8, R1
MOV R5, UR8
ENDCOLLECTIVE
BSYNC B0
VOTE.ANY R2, PT, PT";
    let warp = run(text, &[(1, lanes())]);
    assert_eq!((warp.register(5)[7], warp.register(5)[16]), (120, 376));
    assert_eq!((warp.register(0), warp.register(2)), (same(0), same(u32::MAX)));
}

/// `BRA.U` goes where all lanes want it; else none goes, and the code behind it parts them.
#[test]
fn all_lanes_of_a_warp_take_a_branch_that_all_want() {
    let text = |most: u32| {
        format!("ISETP.LT.U32.AND P0, PT, R1, {most:#x}, PT\n@P0 BRA.U 0x40\nMOV R6, 0x1\nEXIT\nMOV R6, 0x2")
    };
    let left = [16, 32].map(|most| run(&text(most), &[(1, lanes())]).register(6));
    assert_eq!(left, [same(1), same(2)]);
}

#[test]
fn local_memory_is_each_lanes_own() {
    let text = "LDC R10, c[0x0][0x28]\nVIADD R10, R10, -0x10\nSTL.64 [R10+0x8], R1\nSTL.U8 [R10], R1\nLDL R0, [R10+0x8]\nLDL.S8 R4, [R10]";
    let minus = lanes().map(|lane| lane.wrapping_neg());
    let warp = run(text, &[(1, minus), (2, same(9))]);
    assert_eq!((warp.register(0)[31], warp.register(4)[31]), (-31i32 as u32, -31i32 as u32));
}

#[test]
fn ldsm_deals_matrix_elements_to_lanes() {
    // Row r of the matrix is the words 4 r to 4 r + 3; each word holds its number.
    let text = "IMAD.SHL.U32 R2, R1, 0x4, RZ\nSTS [R2+0x400], R1\nIMAD.SHL.U32 R3, R1, 0x10, RZ\nLOP3.LUT R3, R3, 0x7f, RZ, 0xc0, !PT\nLDSM.16.M88 R0, [R3+0x400]\nLDSM.16.MT88 R4, [R3+0x400]";
    let warp = run(text, &[(1, lanes())]);
    assert_eq!(warp.register(0), lanes());
    // Transposed: lane 5 is row 1, columns 2 and 3, so elements (2, 1) and (3, 1): upper halves, all zero; lane 1 (2, 0), (3, 0).
    assert_eq!((warp.register(4)[5], warp.register(4)[1]), (0, 8 | 12 << 16));
}

#[test]
fn stsm_puts_the_elements_of_lanes_into_rows() {
    // Lane l holds elements 2 l and 2 l + 1 of a matrix by their numbers, and of another, 100 higher.
    let pairs =
        |from: u32| -> Row { std::array::from_fn(|lane| (2 * lane as u32 + from) * 0x1_0001 + 0x1_0000) };
    let text = |form: &str| {
        format!(
            "IMAD.SHL.U32 R2, R1, 0x4, RZ\nIMAD.SHL.U32 R3, R1, 0x10, RZ\nLOP3.LUT R3, R3, 0xff, RZ, 0xc0, !PT\n\
             STSM.16.{form} [R3+0x400], R4\nLDS R6, [R2+0x400]\nLDS R7, [R2+0x480]"
        )
    };
    let stored = |form: &str| {
        let warp = run(&text(form), &[(1, lanes()), (4, pairs(0)), (5, pairs(100))]);
        [6, 7].map(|register| warp.register(register))
    };
    assert_eq!(stored("M88.2"), [pairs(0), pairs(100)]);
    // Transposed, row r has elements r, r + 8, r + 16, ...
    let [first, second] = stored("MT88.2");
    assert_eq!((first[0], first[5], second[31]), (0x8_0000, (17 + 8) << 16 | 17, 163 << 16 | 155));
    // One matrix leaves the place of the second alone.
    assert_eq!(stored("M88"), [pairs(0), Row::default()]);
}

#[test]
fn lanes_exchange_four_words_one_after_the_other() {
    let text = "MOV R2, 0x400\nATOMS.CAS.128 R12, [R2], R4, R8\nATOMS.EXCH.128 R16, [R2+0x10], R8";
    let words = |from: u32| -> Row { std::array::from_fn(|lane| from + lane as u32) };
    let given: Vec<(u32, Row)> = (0..4).map(|word| (8 + word, words(100 * (word + 1)))).collect();
    let warp = run(text, &given);
    let found = |first: u32, lane: usize| [0, 1, 2, 3].map(|word| warp.register(first + word)[lane]);
    // Lane 0 finds the zeros that all compare with, the others what it has put there.
    assert_eq!(
        [found(12, 0), found(12, 1), found(12, 31)],
        [[0; 4], [100, 200, 300, 400], [100, 200, 300, 400]]
    );
    assert_eq!([found(16, 0), found(16, 31)], [[0; 4], [130, 230, 330, 430]]);
}

#[test]
fn special_registers_tell_where_a_thread_is() {
    let warp = run("S2R R0, SR_LTMASK\nCS2R R2, SR_CLOCKLO\nS2UR UR4, SR_NSMID\nS2R R4, SR_VIRTID", &[]);
    assert_eq!((warp.register(0)[4], warp.register(2)[0], warp.register(3)[0]), (15, 77, 0));
    assert_eq!((warp.uniform(4), warp.register(4)[0]), (132, 5 << 8));
}

#[test]
fn special_registers_tell_where_memory_is() {
    let warp = run(
        "S2R R0, SR_SWINLO\nS2R R1, SR_SWINHI\nS2R R2, SR_SMEMSZ\nLDC R3, c[0x0][0x114]\n\
                    S2R R4, SR_LMEMHIOFF",
        &[],
    );
    // All of a block's shared memory, and the system's part of it.
    assert_eq!([0, 1, 2, 3, 4].map(|register| warp.register(register)[0]), [0, 0x7e00, 1024 + 256, 1024, 0]);
}

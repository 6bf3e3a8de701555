//! Integer instructions against values computed by hand.
use crate::common::{op3, run, same, wide3};
use warplab_units::LaneMask;

#[test]
fn a_64_bit_subtraction_borrows_through_the_carry() {
    let sub = "IADD3 R0, P0, R2, -R4, RZ\nIADD3.X R1, R3, ~R5, RZ, P0, !PT";
    assert_eq!(wide3(sub, 5, 5, 0), 0);
    assert_eq!(wide3(sub, 5, 6, 0), u64::MAX);
    assert_eq!(wide3(sub, 1 << 32, 1, 0), 0xffff_ffff);
    assert_eq!(wide3(sub, 7 << 32, 0, 0), 7 << 32);
}

#[test]
fn three_addends_can_carry_twice() {
    let add = "IADD3 R0, P0, P1, R2, R4, R6\nIADD3.X R1, RZ, RZ, RZ, P0, P1";
    assert_eq!(wide3(add, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff), 0x2_ffff_fffd);
}

#[test]
fn multiply_add_takes_wide_addends() {
    assert_eq!(wide3("IMAD.WIDE R0, R2, R4, R6", u64::from(u32::MAX), 2, 10), 8);
    assert_eq!(wide3("IMAD.WIDE.U32 R0, R2, R4, R6", u64::from(u32::MAX), 2, 10), 0x2_0000_0008);
    assert_eq!(op3("IMAD R0, R1, R2, -R3", 7, 6, 2), 40);
    // The upper half of a * b + c, where c is 64 bits.
    assert_eq!(wide3("IMAD.HI.U32 R0, R2, R4, R6", 0x8000_0000, 2, 5 << 32) as u32, 6);
    assert_eq!(wide3("IMAD.HI R0, R2, R4, R6", u64::from(u32::MAX), 2, 0) as u32, u32::MAX);
}

#[test]
fn lea_shifts_and_adds_either_half() {
    assert_eq!(op3("LEA R0, R1, R2, 0x2", 3, 100, 0), 112);
    assert_eq!(op3("LEA.HI R0, R1, R2, R3, 0x4", 0x8000_0000, 1, 1), 25);
    let address = "LEA R0, P0, R2, R4, 0x2\nLEA.HI.X R1, R2, R5, R3, 0x2, P0";
    assert_eq!(wide3(address, 0xc000_0000, 0x10_ffff_ffff, 0), 0x13_ffff_ffff);
    assert_eq!(op3("LEA.HI.X.SX32 R0, R1, R2, 0x1, !PT", u32::MAX, 10, 0), 9);
}

#[test]
fn lea_of_a_negative_carries_like_a_difference() {
    // 64 bits of b - (a << 2), as ptxas makes them of sub.s64 and shl.b64.
    let difference = "LEA R0, P0, -R2, R4, 0x2\nSHF.L.U64.HI R1, R2, 0x2, RZ\nIMAD.X R1, RZ, RZ, ~R1, P0";
    for (a, b) in [(0, 0), (0, 5), (1, 4), (1, 3), (u32::MAX, 7), (0x4000_0000, u32::MAX)] {
        let expected = u64::from(b).wrapping_sub(u64::from(a) << 2);
        assert_eq!(wide3(difference, u64::from(a), u64::from(b), 0), expected, "{b} - ({a} << 2)");
    }
}

#[test]
fn lop3_is_any_truth_table() {
    let (a, b, c) = (0xf0f0_1234, 0xcccc_5678, 0xaaaa_9abc);
    assert_eq!(op3("LOP3.LUT R0, R1, R2, R3, 0xc0, !PT", a, b, c), a & b);
    assert_eq!(op3("LOP3.LUT R0, R1, R2, R3, 0x96, !PT", a, b, c), a ^ b ^ c);
    assert_eq!(op3("LOP3.LUT R0, R1, R2, R3, 0xe8, !PT", a, b, c), a & b | b & c | a & c);
    assert_eq!(op3("LOP3.LUT R0, RZ, R2, RZ, 0x33, !PT", a, b, c), !b);
}

#[test]
fn shifts_clamp_or_wrap() {
    assert_eq!(op3("SHF.L.U32 R0, R1, R2, RZ", 1, 31, 0), 0x8000_0000);
    assert_eq!(op3("SHF.L.U32 R0, R1, R2, RZ", 1, 32, 0), 0);
    assert_eq!(op3("SHF.L.U32 R0, R1, R2, RZ", 1, 99, 0), 0);
    assert_eq!(op3("SHF.R.U32.HI R0, RZ, R2, R3", 0, 4, 0x100), 0x10);
    assert_eq!(op3("SHF.R.U32.HI R0, RZ, R2, R3", 0, 40, 0x100), 0);
    assert_eq!(op3("SHF.R.S32.HI R0, RZ, R2, R3", 0, 0x1f, 0x8000_0000), u32::MAX);
    assert_eq!(op3("SHF.R.S32.HI R0, RZ, R2, R3", 0, 60, 0x8000_0000), u32::MAX);
    assert_eq!(op3("SHF.L.U64.HI R0, R1, R2, R3", 0x8000_0000, 1, 1), 3);
    assert_eq!(op3("SHF.R.U64 R0, R1, R2, R3", 0, 36, 0x123), 0x12);
    assert_eq!(op3("SHF.L.W.U32.HI R0, R1, R2, R3", 0x8000_0001, 33, 0x8000_0001), 3);
}

#[test]
fn comparisons_extend_to_64_bits() {
    let less =
        "ISETP.LT.U32.AND P0, PT, R2, R4, PT\nISETP.LT.AND.EX P0, PT, R3, R5, PT, P0\nSEL R0, 0x1, RZ, P0";
    let run = |a: i64, b: i64| wide3(less, a as u64, b as u64, 0) as u32;
    assert_eq!([run(-1, 0), run(0, -1), run(1, 2), run(2, 2), run(1 << 32, 1)], [1, 0, 1, 0, 0]);
}

#[test]
fn minima_and_maxima_know_signs() {
    let min = |line: &str| op3(line, u32::MAX, 1, 5);
    assert_eq!(min("VIMNMX R0, R1, R2, PT"), u32::MAX);
    assert_eq!(min("VIMNMX R0, R1, R2, !PT"), 1);
    assert_eq!(min("VIMNMX.U32 R0, R1, R2, PT"), 1);
    assert_eq!(min("VIMNMX3 R0, R1, R2, R3, !PT"), 5);
    assert_eq!(min("VIADDMNMX.U32 R0, R1, R2, R3, PT"), 0);
    assert_eq!(op3("IABS R0, R1", 0x8000_0000, 0, 0), 0x8000_0000);
}

#[test]
fn prmt_has_seven_modes() {
    let prmt =
        |mode: &str, selector| op3(&format!("PRMT{mode} R0, R1, R2, R3"), 0x8382_8180, selector, 0x0706_0504);
    assert_eq!(prmt("", 0x5410), 0x0504_8180);
    assert_eq!(prmt("", 0x8888), u32::MAX);
    assert_eq!(prmt(".F4E", 1), 0x0483_8281);
    assert_eq!(prmt(".B4E", 1), 0x0607_8081);
    assert_eq!(prmt(".RC8", 2), 0x8282_8282);
    assert_eq!(prmt(".ECL", 2), 0x8382_8282);
    assert_eq!(prmt(".ECR", 2), 0x8282_8180);
    assert_eq!(prmt(".RC16", 1), 0x8382_8382);
}

#[test]
fn bit_instructions_handle_the_edges() {
    assert_eq!(op3("BMSK R0, R1, R2", 4, 8, 0), 0xff0);
    assert_eq!(op3("BMSK R0, R1, R2", 0, 32, 0), u32::MAX);
    assert_eq!(op3("SGXT R0, R1, R2", 0x80, 8, 0), 0xffff_ff80);
    assert_eq!(op3("SGXT.U32 R0, R1, R2", 0x1ff, 8, 0), 0xff);
    assert_eq!(op3("POPC R0, R1", 0xf00f, 0, 0), 8);
    assert_eq!(op3("FLO.U32 R0, R1", 0x10, 0, 0), 4);
    assert_eq!(op3("FLO.U32 R0, R1", 0, 0, 0), u32::MAX);
    assert_eq!(op3("FLO.U32.SH R0, R1", 0x10, 0, 0), 27);
    assert_eq!(op3("FLO R0, R1", 0xffff_fffe, 0, 0), 0);
    assert_eq!(op3("BREV R0, R1", 1, 0, 0), 0x8000_0000);
    assert_eq!(op3("IDP.4A.S8.S8 R0, R1, R2, R3", 0xff01_0203, 0x0101_0101, 10), 15);
    assert_eq!(op3("IDP.4A.U8.U8 R0, R1, R2, R3", 0xff01_0203, 0x0101_0101, 10), 271);
}

#[test]
fn predicates_follow_their_truth_tables() {
    let lanes = std::array::from_fn(|lane| lane as u32);
    let text = "R2P PR, R1, 0x7\nPLOP3.LUT P3, P4, P0, P1, P2, 0x96, 0x80\nP2R R0, PR, RZ, 0x18";
    let warp = run(text, &[(1, lanes)]);
    let expected: [u32; 32] = std::array::from_fn(|lane| {
        let bits = lane as u32 & 7;
        (bits.count_ones() & 1) << 3 | u32::from(bits == 7) << 4
    });
    assert_eq!(warp.register(0), expected);
    assert_eq!(warp.predicate(0), LaneMask(0xaaaa_aaaa));
}

#[test]
fn rz_reads_zero_and_swallows_writes() {
    let warp =
        run("MOV RZ, 0x5\nIADD3 R0, RZ, 0x1, RZ\nUMOV URZ, 0x7\nIMAD.U32 R1, RZ, RZ, URZ", &[(1, same(9))]);
    assert_eq!((warp.register(0)[0], warp.register(1)[0], warp.register(255)[0]), (1, 0, 0));
}

#[test]
fn a_guard_keeps_the_other_lanes() {
    let lanes = std::array::from_fn(|lane| lane as u32);
    let warp =
        run("ISETP.GE.U32.AND P0, PT, R1, 0x10, PT\n@P0 MOV R1, 0x64\n@!P0 VIADD R1, R1, 0x1", &[(1, lanes)]);
    assert_eq!((warp.register(1)[15], warp.register(1)[16]), (16, 100));
}

#[test]
fn scalar_instructions_share_the_meaning_of_vector_ones() {
    let text = "UMOV UR4, 0x5\nUIADD3 UR5, UP0, UR4, -UR4, URZ\nULOP3.LUT UR6, UR4, 0x3, URZ, 0x3c, !UPT\nUISETP.GT.AND UP1, UPT, UR4, 0x4, UPT\nUSEL UR7, UR4, URZ, UP1\nUSHF.L.U32 UR8, UR4, 0x3, URZ";
    let warp = run(text, &[]);
    let values: Vec<u32> = (4..9).map(|number| warp.uniform(number)).collect();
    assert_eq!(values, [5, 0, 6, 5, 40]);
}

#[test]
fn a_difference_of_bytes_without_acc_leaves_its_third_source_alone() {
    assert_eq!(op3("VABSDIFF4.U8 R0, R1, R2, R3", 0x10ff_0005, 0x2001_0003, 0xffff_ffff), 0x10fe_0002);
    assert_eq!(op3("VABSDIFF4.U8.ACC R0, R1, R2, R3", 0x10ff_0005, 0x2001_0003, 1), 0x10 + 0xfe + 2 + 1);
}

#[test]
fn signs_of_registers_stand_for_predicates_where_a_sum_is_clamped() {
    let text = "IADD3 R3, R1, R2, RZ\nPLOP3.LUT P0, PT, R1.SIGN, R2.SIGN, R3.SIGN, 0x2, 0x0\n\
                PLOP3.LUT P1, PT, R1.SIGN, R2.SIGN, R3.SIGN, 0x40, 0x0\nSEL R3, R3, 0x7fffffff, !P0\n\
                SEL R0, R3, 0x80000000, !P1";
    let sum = |a: i32, b: i32| op3(text, a as u32, b as u32, 0) as i32;
    assert_eq!([sum(i32::MAX, 1), sum(i32::MIN, -1), sum(5, -7)], [i32::MAX, i32::MIN, -2]);
    // A sign and predicates together: p & !sign.
    let mixed =
        "ISETP.EQ.AND P2, PT, R2, RZ, PT\nPLOP3.LUT P0, PT, P2, R1.SIGN, PT, 0x30, 0x0\nSEL R0, RZ, 0x1, !P0";
    assert_eq!([op3(mixed, 1, 0, 0), op3(mixed, !0, 0, 0), op3(mixed, 1, 1, 0)], [1, 0, 0]);
}

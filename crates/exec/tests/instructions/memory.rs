//! The memory image, and small kernels by the interpreter: barriers, faults, deadlocks.
use crate::common::program;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use warplab_exec::interpreter::{Limits, Statistics, run};
use warplab_exec::{
    AtomicOp, AtomicType, DivergenceModel, ElementRule, FaultKind, Init, Lanes, LaunchFault, LaunchShape,
    MemoryImage, Pattern, Row, SharedMemory,
};
use warplab_units::{Address, ElementType, LaneMask, Number};

fn lanes(addresses: &[u64; 32], bytes: u32) -> Lanes<'_> {
    Lanes::new(addresses, LaneMask::ALL, bytes)
}

#[test]
fn the_checksum_of_a_rule_is_the_hardwares_and_stays_when_pages_are_made() {
    let mut image = MemoryImage::new();
    let base = image.allocate("in", 4 << 20, Init::HashF32 { seed: 1 });
    let expected = (0xd341_2c89_017d_ef6f, 0xf6e6_5ac0_b325_3db5);
    assert_eq!(image.checksum(&image.buffers()[0], 0..1 << 20), expected);
    assert_eq!(image.buffers()[0].stored_pages(), 0);
    for page in 0..64 {
        let address = base + page * 65_536;
        let bytes = image.read_bytes(address, 4).unwrap();
        image.write_bytes(address, &bytes).unwrap();
    }
    assert_eq!(image.buffers()[0].stored_pages(), 64);
    assert_eq!(image.checksum(&image.buffers()[0], 0..1 << 20), expected);
}

#[test]
fn checksums_of_ranges_combine() {
    let mut image = MemoryImage::new();
    image.allocate("x", 4000, Init::IndexU32);
    let buffer = &image.buffers()[0];
    let (whole, low, high) =
        (image.checksum(buffer, 0..1000), image.checksum(buffer, 0..333), image.checksum(buffer, 333..1000));
    assert_eq!(whole, (low.0.wrapping_add(high.0), low.1 ^ high.1));
}

#[test]
fn lanes_in_many_pages_load_the_same_whether_these_have_been_written_or_not() {
    for bytes in [1, 4, 16] {
        let mut image = MemoryImage::new();
        let base = image.allocate("in", 4 << 20, Init::HashF32 { seed: 3 });
        let addresses = std::array::from_fn(|lane| base.0 + lane as u64 * (65_536 + u64::from(bytes)));
        let loaded = |image: &MemoryImage| {
            let mut rows = [Row::default(); 4];
            image.load(lanes(&addresses, bytes), &mut rows).unwrap();
            rows
        };
        let before = loaded(&image);
        for address in addresses {
            let all = image.read_bytes(Address(address), u64::from(bytes)).unwrap();
            image.write_bytes(Address(address), &all).unwrap();
        }
        assert_eq!(image.buffers()[0].stored_pages(), 32);
        assert_eq!(loaded(&image), before);
    }
}

/// One lane, which goes no short way.
fn one_lane(addresses: &[u64; 32], lane: usize, bytes: u32) -> Lanes<'_> {
    let mask = LaneMask::single(lane as u32);
    Lanes { pattern: Pattern::Scattered, ..Lanes::new(addresses, mask, bytes) }
}

/// Addresses one after another and all the same, of so many bytes each.
fn patterns(base: u64, bytes: u32) -> [([u64; 32], Pattern); 2] {
    let contiguous = std::array::from_fn(|lane| base + lane as u64 * u64::from(bytes));
    [(contiguous, Pattern::Contiguous), ([base; 32], Pattern::Uniform)]
}

#[test]
fn a_pattern_is_of_all_lanes_or_of_those_that_take_part() {
    for (addresses, pattern) in patterns(4096, 8) {
        assert_eq!(Pattern::of(&addresses, LaneMask::ALL, 8), pattern);
        assert_eq!(Pattern::of(&addresses, LaneMask::EMPTY, 8), Pattern::Scattered);
        assert_eq!(Pattern::of(&addresses, LaneMask::single(5), 8), Pattern::Uniform);
    }
    let [(contiguous, _), (mut last_differs, _)] = patterns(4096, 8);
    last_differs[31] += 8;
    assert_eq!(Pattern::of(&contiguous, LaneMask(u32::MAX - 1), 8), Pattern::Scattered);
    assert_eq!(Pattern::of(&contiguous, LaneMask::ALL, 4), Pattern::Scattered);
    assert_eq!(Pattern::of(&last_differs, LaneMask::ALL, 8), Pattern::Scattered);
}

#[test]
fn lanes_together_read_and_write_what_each_alone_does() {
    let mut data = [[0; 32]; 4];
    data.iter_mut().flatten().zip(1000..).for_each(|(word, value)| *word = value);
    for bytes in [4, 8, 16] {
        let mut image = MemoryImage::new();
        let base = image.allocate("x", 1 << 20, Init::HashI32 { seed: 3 }).0;
        let mut shared = SharedMemory::new(4096);
        for (addresses, _) in patterns(base + 64, bytes) {
            for is_stored in [false, true] {
                let (mut together, mut alone) = ([[0; 32]; 4], [[0; 32]; 4]);
                image.load(lanes(&addresses, bytes), &mut together).unwrap();
                for lane in 0..32usize {
                    let mut one = [[0; 32]; 4];
                    image.load(one_lane(&addresses, lane, bytes), &mut one).unwrap();
                    (0..4).for_each(|word| alone[word][lane] = one[word][lane]);
                }
                assert_eq!(together, alone, "{bytes} bytes, {is_stored}");
                image.store(lanes(&addresses, bytes), &data).unwrap();
            }
            let (mut of_image, mut of_shared) = ([[0; 32]; 4], [[0; 32]; 4]);
            image.load(lanes(&addresses, bytes), &mut of_image).unwrap();
            let offsets = addresses.map(|address| address - base);
            shared.store(lanes(&offsets, bytes), &data).unwrap();
            shared.load(lanes(&offsets, bytes), &mut of_shared).unwrap();
            assert_eq!(of_image, of_shared, "{bytes} bytes");
            let last = if addresses[0] == addresses[1] { [0, 16, 24][bytes as usize / 8] } else { 0 };
            assert_eq!(of_image[0][0], data[0][last]);
        }
    }
}

#[test]
fn an_atomic_operation_of_all_lanes_on_one_word_is_one_of_each_lane_after_the_other() {
    let operands = [std::array::from_fn(|lane| lane as u32 % 5), [9; 32], [0; 32], [0; 32]];
    let operations =
        [AtomicOp::Add, AtomicOp::Max, AtomicOp::Inc, AtomicOp::Exchange, AtomicOp::CompareExchange];
    for op in operations {
        let images = [0; 2].map(|_| {
            let mut image = MemoryImage::new();
            let base = image.allocate("x", 64, Init::IndexU32).0;
            (image, [base + 8; 32])
        });
        let [(together, addresses), (alone, _)] = &images;
        let (mut found, mut found_alone) = ([[0; 32]; 4], [[0; 32]; 4]);
        together.atomic(op, AtomicType::U32, lanes(addresses, 4), &operands, &mut found).unwrap();
        for lane in 0..32usize {
            let mut one = [[0; 32]; 4];
            let lanes = one_lane(addresses, lane, 4);
            alone.atomic(op, AtomicType::U32, lanes, &operands, &mut one).unwrap();
            found_alone[0][lane] = one[0][lane];
        }
        assert_eq!(found, found_alone, "{op:?}");
        assert_eq!(together.buffers()[0].word(2), alone.buffers()[0].word(2), "{op:?}");
    }
}

#[test]
fn a_huge_buffer_costs_only_what_is_written() {
    let mut image = MemoryImage::new();
    let base = image.allocate("huge", 20 << 30, Init::IndexU32);
    let addresses: [u64; 32] = std::array::from_fn(|lane| base.0 + (lane as u64) * (512 << 20));
    let mut out = [[0; 32]; 4];
    image.load(lanes(&addresses, 16), &mut out).unwrap();
    assert_eq!((out[0][3], out[3][3]), (3 * (128 << 20), 3 * (128 << 20) + 3));
    let data: [Row; 4] = [[7; 32]; 4];
    image.store(Lanes::new(&addresses, LaneMask(0b10), 4), &data).unwrap();
    assert_eq!(image.buffers()[0].stored_pages(), 1);
    assert_eq!(image.buffers()[0].word(128 << 20), 7);
    assert_eq!(image.buffers()[0].word((128 << 20) + 1), (128 << 20) + 1);
}

#[test]
fn buffers_are_far_apart_and_aligned() {
    let mut image = MemoryImage::new();
    let (a, b) = (image.allocate("a", 1, Init::Zero), image.allocate("b", 2 << 20, Init::Zero));
    let c = image.allocate("c", 4, Init::Zero);
    assert_eq!((a.0, b.0, c.0), (0x7f00_0000_0000, 0x7f00_0040_0000, 0x7f00_0080_0000));
}

#[test]
fn wrong_accesses_say_what_is_near() {
    let mut image = MemoryImage::new();
    let base = image.allocate("x", 4096, Init::Zero);
    let mut addresses = [base.0; 32];
    addresses[5] = base.0 + 4096;
    let mut out = [[0; 32]; 4];
    let fault = image.load(lanes(&addresses, 4), &mut out).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "global access of 4 bytes at 0x7f0000001000 is out of bounds: 0 bytes past the end of 'x' (0x7f0000000000, 4096 bytes)"
    );
    assert_eq!((fault.kind, fault.lane), (FaultKind::OutOfBounds, 5));
    addresses[5] = base.0 + 2;
    let fault = image.load(lanes(&addresses, 4), &mut out).unwrap_err();
    assert_eq!(fault.to_string(), "global access of 4 bytes at 0x7f0000000002 is misaligned");
    image.free(base);
    addresses[5] = base.0;
    assert_eq!(image.load(lanes(&addresses, 4), &mut out).unwrap_err().kind, FaultKind::Freed);
}

#[test]
fn narrow_values_share_words() {
    let mut image = MemoryImage::new();
    let base = image.allocate("x", 64, Init::Bytes(Arc::from([1u8, 2, 3])));
    let addresses: [u64; 32] = std::array::from_fn(|lane| base.0 + lane as u64);
    let mut out = [[0; 32]; 4];
    image.load(lanes(&addresses, 1), &mut out).unwrap();
    assert_eq!(out[0][..4], [1, 2, 3, 0]);
    let data: Row = std::array::from_fn(|lane| 0x100 + lane as u32);
    image.store(lanes(&addresses, 1), &[data, [0; 32], [0; 32], [0; 32]]).unwrap();
    assert_eq!(image.read_bytes(base, 32).unwrap(), (0..32).collect::<Vec<u8>>());
}

#[test]
fn random_rules_have_their_mean_and_deviation() {
    let statistics = |rule: Init| {
        let values: Vec<f64> = (0..10_000).map(|i| f64::from(f32::from_bits(rule.word(i, 10_000)))).collect();
        let mean = values.iter().sum::<f64>() / 1e4;
        (mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 1e4).sqrt())
    };
    let (mean, deviation) = statistics(Init::Normal { mean: 3.0, deviation: 2.0, seed: 1 });
    assert!((mean - 3.0).abs() < 0.1 && (deviation - 2.0).abs() < 0.05, "{mean} {deviation}");
    let (mean, deviation) = statistics(Init::Uniform { low: 0.0, high: 1.0, seed: 1 });
    assert!((mean - 0.5).abs() < 0.01 && (deviation - 0.2887).abs() < 0.01, "{mean} {deviation}");
}

pub(crate) fn launch(
    text: &str,
    block: u32,
    bytes: u64,
    divergence: DivergenceModel,
) -> Result<(MemoryImage, Statistics), LaunchFault> {
    let program = program(text);
    let mut image = MemoryImage::new();
    let base: Address = image.allocate("out", bytes, Init::Zero);
    let shape = LaunchShape { grid: [2, 1, 1], block: [block, 1, 1], dynamic_shared_bytes: 1024 };
    let limits = Limits { block_instructions: 100_000, divergence };
    let parameters = base.0.to_le_bytes();
    let kernel = &program.kernels[0];
    let statistics = run(&program, kernel, shape, &parameters, &FxHashMap::default(), &image, limits)?;
    Ok((image, statistics))
}

/// Sums thread numbers through shared memory and adds them to the output's first word; thread 0 counts blocks.
const REDUCE: &str = ".kernel reduce
S2R R0, SR_TID.X
LDC.64 R2, c[0x0][0x210]
ULDC UR4, c[0x0][0x0]
IMAD.SHL.U32 R5, R0, 0x4, RZ
STS [R5+0x400], R0
USHF.R.U32.HI UR4, URZ, 0x1, UR4
BAR.SYNC.DEFER_BLOCKING 0x0
ISETP.GE.U32.AND P0, PT, R0, UR4, PT
ULEA UR5, UR4, URZ, 0x2
@!P0 LDS R6, [R5+UR5+0x400]
@!P0 LDS R7, [R5+0x400]
@!P0 IADD3 R6, R6, R7, RZ
@!P0 STS [R5+0x400], R6
UISETP.GT.U32.AND UP0, UPT, UR4, 0x1, UPT
@UP0 BRA 0x50
BAR.RED.POPC.DEFER_BLOCKING 0x0, P0
B2R.RESULT R8
ISETP.NE.AND P1, PT, R0, RZ, PT
@P1 EXIT
LDS R6, [0x400]
REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R6
STG.E desc[UR4][R2.64+0x4], R8
EXIT";

#[test]
fn a_block_reduces_through_shared_memory() {
    for block in [64, 256] {
        let (image, _) = launch(REDUCE, block, 64, DivergenceModel::default()).unwrap();
        let sum = block * (block - 1);
        assert_eq!((image.buffers()[0].word(0), image.buffers()[0].word(1)), (sum, block - 1));
    }
}

#[test]
fn a_producer_only_arrives_at_a_counted_barrier() {
    let text = ".kernel k
S2R R0, SR_TID.X
LDC.64 R2, c[0x0][0x210]
ISETP.GE.U32.AND P0, PT, R0, 0x20, PT
@P0 BRA 0x70
MOV R4, 0x5
STS [0x404], R4
BAR.ARV 0x1, 0x40
@!P0 EXIT
BAR.SYNC 0x1, 0x40
LDS R5, [0x404]
STG.E desc[UR4][R2.64], R5
EXIT";
    let (image, _) = launch(text, 64, 64, DivergenceModel::default()).unwrap();
    assert_eq!(image.buffers()[0].word(0), 5);
}

#[test]
fn a_barrier_that_nobody_completes_is_a_deadlock_with_a_report() {
    let text = ".kernel k\nS2R R0, SR_TID.X\nISETP.GE.U32.AND P0, PT, R0, 0x20, PT\n@P0 BAR.SYNC 0x1, 0x40\nBAR.SYNC 0x0\nEXIT";
    let fault = launch(text, 64, 64, DivergenceModel::default()).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "k: no warp of block (0,0,0) can go on
  warp 0 lanes ffffffff at 0x30 BAR.SYNC 0x0: waits at block barrier 0
  warp 1 lanes ffffffff at 0x20 @P0 BAR.SYNC 0x1, 0x40: waits at block barrier 1"
    );
}

#[test]
fn an_endless_loop_ends_at_the_limit() {
    let fault = launch(".kernel k\nBRA 0x0\nEXIT", 32, 64, DivergenceModel::default()).unwrap_err();
    assert!(fault.to_string().starts_with("k: block (0,0,0) is not done after 1000"), "{fault}");
}

#[test]
fn a_store_out_of_bounds_names_thread_line_and_buffer() {
    let text = ".kernel k\nS2R R0, SR_TID.X\nLDC.64 R2, c[0x0][0x210]\nIMAD.WIDE R2, R0, 0x4, R2\nSTG.E desc[UR4][R2.64], R0\nEXIT";
    let fault = launch(text, 64, 160, DivergenceModel::default()).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "k+0x30 (line 5) STG.E desc[UR4][R2.64], R0: block (0,0,0) thread (40,0,0): global access of 4 bytes at 0x7f00000000a0 is out of bounds: 0 bytes past the end of 'out' (0x7f0000000000, 160 bytes)"
    );
}

#[test]
fn a_generic_address_reaches_shared_memory() {
    let text = ".kernel k
S2R R0, SR_TID.X
LDC.64 R2, c[0x0][0x210]
LDC.64 R4, c[0x0][0x18]
IADD3 R4, P0, R4, 0x400, RZ
IADD3.X R5, R5, RZ, RZ, P0, !PT
MOV R6, 0x2a
ST.E desc[UR4][R4.64], R6
QSPC.E.S P1, RZ, [R4.64]
LDS R7, [0x400]
@P1 ST.E desc[UR4][R2.64], R7
EXIT";
    let (image, _) = launch(text, 32, 64, DivergenceModel::default()).unwrap();
    assert_eq!(image.buffers()[0].word(0), 42);
}

#[test]
fn a_copy_goes_from_global_to_shared_memory_and_fills_the_rest_with_zeros() {
    let text = ".kernel k
S2R R0, SR_TID.X
LDC.64 R2, c[0x0][0x210]
IMAD.WIDE R4, R0, 0x4, R2
MOV R6, 0x1020304
STG.E desc[UR4][R4.64], R6
IADD3 R7, R0, R0, RZ
IADD3 R7, R7, R7, RZ
LDGSTS.E [R7+0x400], desc[UR4][R4.64]
ISETP.NE.U32.AND P0, PT, R0, 0x2, PT
LDGSTS.E.ZFILL [R7+0x480], desc[UR4][R4.64+0x1], P0
LDGDEPBAR
LDS R8, [R7+0x400]
LDS R9, [R7+0x480]
IADD3 R8, R8, R9, RZ
STG.E desc[UR4][R4.64], R8
EXIT";
    let (image, _) = launch(text, 32, 256, DivergenceModel::default()).unwrap();
    // Three of four bytes where the predicate holds, none where it does not.
    let word = |index: u64| image.buffers()[0].word(index);
    assert_eq!([word(0), word(2), word(31)], [0x0104_0608, 0x0102_0304, 0x0104_0608]);
}

#[test]
fn a_copy_that_a_predicate_keeps_from_reading_writes_zeros() {
    let text = ".kernel k
S2R R0, SR_TID.X
LDC.64 R2, c[0x0][0x210]
IMAD.WIDE R4, R0, 0x4, R2
MOV R6, 0x1020304
STG.E desc[UR4][R4.64], R6
IADD3 R7, R0, R0, RZ
IADD3 R7, R7, R7, RZ
STS [R7+0x400], R6
ISETP.LT.U32.AND P0, PT, R0, 0x2, PT
LDGSTS.E [R7+0x400], desc[UR4][R4.64], !P0
LDGDEPBAR
LDS R8, [R7+0x400]
STG.E desc[UR4][R4.64], R8
EXIT";
    let (image, _) = launch(text, 32, 256, DivergenceModel::default()).unwrap();
    let word = |index: u64| image.buffers()[0].word(index);
    assert_eq!([word(0), word(1), word(2), word(31)], [0, 0, 0x0102_0304, 0x0102_0304]);
}

#[test]
fn shared_memory_of_the_cluster_is_that_of_the_block() {
    let text = ".kernel k
LDC.64 R2, c[0x0][0x210]
LDC.64 R4, c[0x0][0x18]
QSPC.E.D P0, RZ, [R4.64]
QSPC.E.D P1, RZ, [R2.64]
SEL R6, RZ, 0x1, !P0
SEL R7, RZ, 0x2, !P1
IADD3 R6, R6, R7, RZ
STG.E desc[UR4][R2.64], R6
EXIT";
    let (image, _) = launch(text, 32, 64, DivergenceModel::default()).unwrap();
    assert_eq!(image.buffers()[0].word(0), 1);
}

#[test]
fn atomics_return_what_the_lanes_below_left() {
    let text = ".kernel k
S2R R0, SR_TID.X
LDC.64 R2, c[0x0][0x210]
MOV R4, 0x1
ATOMG.E.ADD.STRONG.GPU PT, R5, desc[UR4][R2.64], R4
ATOMG.E.INC.STRONG.GPU PT, R6, desc[UR4][R2.64+0x4], R4
ATOMG.E.CAS.STRONG.GPU P0, R7, [R2+0x8], R8, R4
REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64+0xc], R9
ATOMG.E.MAX.S32.STRONG.GPU PT, RZ, desc[UR4][R2.64+0x10], R0
IMAD.WIDE R2, R0, 0x4, R2
STG.E desc[UR4][R2.64+0x20], R5
EXIT";
    let (image, _) = launch(text, 32, 256, DivergenceModel::default()).unwrap();
    let word = |index: u64| image.buffers()[0].word(index);
    assert_eq!([word(0), word(1), word(2), word(4)], [64, 0, 1, 31]);
    assert_eq!((word(8), word(39)), (32, 63));
}

/// Lane 0 has the address of global memory, lane 1 that of shared memory, lane 2 that of its own local memory in R4.
const SPACES: &str = ".kernel k
.local 16
S2R R0, SR_TID.X
LDC.64 R2, c[0x0][0x210]
LDC.64 R4, c[0x0][0x18]
LDC.64 R6, c[0x0][0x20]
ISETP.EQ.U32.AND P0, PT, R0, RZ, PT
ISETP.EQ.U32.AND P1, PT, R0, 0x2, PT
@P1 MOV R4, R6
@P1 MOV R5, R7
@P0 MOV R4, R2
@P0 MOV R5, R3
MOV R8, 0x7
MOV R9, RZ
MOV R10, 0x5
MOV R11, RZ
";

#[test]
fn a_generic_atomic_says_in_its_predicate_in_which_spaces_it_was_done() {
    // A compare-and-swap that finds another value has been done all the same; others are not done in shared memory.
    let told = |instruction: &str| {
        let end = "SEL R12, RZ, 0x1, !P2\nIMAD.WIDE R2, R0, 0x4, R2\nSTG.E desc[UR4][R2.64+0x20], R12\nEXIT";
        let (image, _) =
            launch(&format!("{SPACES}{instruction}\n{end}"), 3, 64, DivergenceModel::default()).unwrap();
        [8, 9, 10].map(|word| image.buffers()[0].word(word))
    };
    assert_eq!(told("ATOM.E.CAS.64.STRONG.GPU P2, R14, [R4], R8, R10"), [1, 1, 0]);
    assert_eq!(told("ATOM.E.ADD.64.STRONG.GPU P2, R14, [R4.64], R8"), [1, 0, 0]);
}

#[test]
fn variables_and_banks_hold_addresses() {
    let text = ".global table bytes=16 align=8 address=8:other+4
.global other bytes=64 align=8 data=0102030405060708
.kernel k
.constant 3 data=2a000000
.constant 4 data=0000000000000000 address=0:table+0
LDC.64 R2, c[0x4][0x0]
LDG.E.64 R4, desc[UR4][R2.64+0x8]
LDG.E R6, desc[UR4][R4.64]
IADD3 R6, R6, c[0x3][0x0], RZ
STG.E desc[UR4][R2.64], R6
EXIT";
    let program = program(text);
    let mut image = MemoryImage::new();
    let symbols = warplab_exec::allocate_globals(&program, &mut image).unwrap();
    let shape = LaunchShape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 };
    run(&program, &program.kernels[0], shape, &[], &symbols, &image, Limits::default()).unwrap();
    assert_eq!(image.buffer("table").unwrap().word(0), 0x0807_0605 + 42);
    let missing =
        run(&program, &program.kernels[0], shape, &[], &FxHashMap::default(), &image, Limits::default());
    assert_eq!(missing.unwrap_err().to_string(), "k: constant bank 4: variable 'table' has no address yet");
}

#[test]
fn four_hundred_untouched_buffers_of_100_gib_cost_nothing() {
    let mut image = MemoryImage::new();
    for number in 0..400 {
        let base = image.allocate(format!("b{number}"), 100 << 30, Init::IndexU32);
        let last = base + ((100 << 30) - 4);
        assert_eq!(image.read_bytes(last, 4).unwrap(), ((25_u64 << 30) as u32).wrapping_sub(1).to_le_bytes());
    }
    let last = &image.buffers()[399];
    image.write_bytes(last.base + (50 << 30), &[1; 4]).unwrap();
    assert_eq!(image.buffers().iter().map(|buffer| buffer.stored_pages()).sum::<usize>(), 1);
    assert_eq!(image.buffers()[399].word((50 << 30) / 4), 0x0101_0101);
}

#[test]
fn rules_fill_buffers_of_every_element_type() {
    let mut image = MemoryImage::new();
    for element in ElementType::ALL {
        let init = Init::Elements { element, rule: ElementRule::Index };
        image.allocate(element.name(), 100 * u64::from(element.bytes()), init);
        let buffer = image.buffer(element.name()).unwrap();
        for index in 0..100 {
            assert_eq!(buffer.number(element, index).to_f64(), index as f64, "{element}");
            assert_eq!(buffer.initial_number(element, index), buffer.number(element, index));
        }
    }
    let rule = ElementRule::Uniform { low: -3.0, high: 4.0, seed: 1 };
    image.allocate("small", 1000, Init::Elements { element: ElementType::I8, rule });
    let small = image.buffer("small").unwrap();
    let mut seen: Vec<Number> = (0..1000).map(|index| small.number(ElementType::I8, index)).collect();
    seen.sort_by(|a, b| a.to_f64().total_cmp(&b.to_f64()));
    seen.dedup();
    assert_eq!(seen, (-3..4).map(Number::Whole).collect::<Vec<_>>());
}

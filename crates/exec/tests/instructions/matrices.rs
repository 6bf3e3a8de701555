//! Products of matrices beside those of an H200.

use crate::common::{program, run};
use warplab_exec::{Code, Row};

/// What a matrix holds.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    F16,
    Bf16,
    /// Single precision, of which products take the upper 19 bits.
    F32,
    F64,
    Bytes,
    S32,
}

/// A product of `products.cu`: the instruction, what factors and sums are, and the registers of a lane in each.
struct Case {
    name: &'static str,
    instruction: &'static str,
    factor: Format,
    sum: Format,
    words: [u32; 3],
}

/// The first factor begins in `R16`, the second in `R32`, and the sum in `R0`.
const CASES: [Case; 19] = {
    use Format::{Bf16, Bytes, F16, F32, F64, S32};
    const fn case(
        name: &'static str,
        instruction: &'static str,
        (factor, sum): (Format, Format),
        words: [u32; 3],
    ) -> Case {
        Case { name, instruction, factor, sum, words }
    }
    [
        case("f16_8", "HMMA.1688.F32", (F16, F32), [2, 1, 4]),
        case("f16_16", "HMMA.16816.F32", (F16, F32), [4, 2, 4]),
        case("half_8", "HMMA.1688.F16", (F16, F16), [2, 1, 2]),
        case("half_16", "HMMA.16816.F16", (F16, F16), [4, 2, 2]),
        case("bf16_8", "HMMA.1688.F32.BF16", (Bf16, F32), [2, 1, 4]),
        case("bf16_16", "HMMA.16816.F32.BF16", (Bf16, F32), [4, 2, 4]),
        case("tf32_4", "HMMA.1684.F32.TF32", (F32, F32), [2, 1, 4]),
        case("tf32_8", "HMMA.1688.F32.TF32", (F32, F32), [4, 2, 4]),
        case("s8_s8_16", "IMMA.16816.S8.S8", (Bytes, S32), [2, 1, 4]),
        case("s8_s8_32", "IMMA.16832.S8.S8", (Bytes, S32), [4, 2, 4]),
        case("s8_u8_32", "IMMA.16832.S8.U8", (Bytes, S32), [4, 2, 4]),
        case("u8_s8_16", "IMMA.16816.U8.S8", (Bytes, S32), [2, 1, 4]),
        case("u8_u8_32", "IMMA.16832.U8.U8", (Bytes, S32), [4, 2, 4]),
        case("s8_sat_32", "IMMA.16832.S8.S8.SAT", (Bytes, S32), [4, 2, 4]),
        case("s8_small", "IMMA.8816.S8.S8", (Bytes, S32), [1, 1, 2]),
        case("f64_small", "DMMA.8x8x4", (F64, F64), [2, 2, 4]),
        case("f64_4", "DMMA.16x8x4", (F64, F64), [4, 2, 8]),
        case("f64_8", "DMMA.16x8x8", (F64, F64), [8, 4, 8]),
        case("f64_16", "DMMA.16x8x16", (F64, F64), [16, 8, 8]),
    ]
};

const WARPS: u32 = 64;

fn mix32(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

fn mix64(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// `number` of `products.cu`: a float of these bits of exponent and fraction.
fn number(hash: u32, exponent_bits: u32, fraction_bits: u32, kind: u32) -> u32 {
    let most = (1 << exponent_bits) - 1;
    let (bias, r) = (most >> 1, hash >> 24 & 127);
    let (mut exponent, mut fraction) = (bias - 2 + r % 4, hash & ((1 << fraction_bits) - 1));
    match kind {
        1 => exponent = if exponent_bits == 5 { 1 + r % 30 } else { bias - 60 + r % 120 },
        2 => match r % 4 {
            0 => exponent = 0,
            1 => (exponent, fraction) = (0, 0),
            2 => exponent = 1 + r / 4 % 6,
            _ => {}
        },
        3 if r == 0 => {
            exponent = most;
            fraction = if hash >> 23 & 1 != 0 { 0 } else { fraction };
        }
        4 => (exponent, fraction) = (bias - 6 + r % 12, 0),
        5 if r % 2 != 0 => (exponent, fraction) = (0, 0),
        _ => {}
    }
    hash >> 31 << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction
}

/// `word` of `products.cu`: word `i` of a matrix.
fn word(format: Format, matrix: u32, i: u32, kind: u32) -> u32 {
    let hash = |n: u32| mix32(n.wrapping_add((matrix + 1).wrapping_mul(0x9e37_79b9)));
    let halves = |exponent_bits: u32, fraction_bits: u32| {
        let half = |n: u32| number(hash(n), exponent_bits, fraction_bits, kind);
        half(2 * i) | half(2 * i + 1) << 16
    };
    match format {
        Format::F16 => halves(5, 10),
        Format::Bf16 => halves(8, 7),
        Format::F32 => number(hash(i), 8, 23, kind),
        Format::F64 if !i.is_multiple_of(2) => number(hash(i), 11, 20, kind),
        Format::S32 if kind.is_multiple_of(2) => {
            0x7fff_ffff ^ (hash(i) & 0xf_ffff) ^ if hash(i) >> 31 != 0 { u32::MAX } else { 0 }
        }
        _ => hash(i),
    }
}

/// The checksum of all warps, as `products.cu` prints it.
fn checksum(case: &Case, kind: u32) -> u64 {
    let columns = if case.factor == Format::Bytes { (".ROW", ".COL") } else { ("", "") };
    let text = format!("{} R0, R16{}, R32{}, R0", case.instruction, columns.0, columns.1);
    let mut checksum = 0u64;
    for warp in 0..WARPS {
        let place = |words: u32, register: u32, lane: u32| (warp * 32 + lane) * words + register;
        let mut registers = Vec::new();
        for (matrix, first) in (0..).zip([16, 32, 0]) {
            let words = case.words[matrix as usize];
            let format = if matrix < 2 { case.factor } else { case.sum };
            registers.extend((0..words).map(|register| {
                let of = |lane: usize| word(format, matrix, place(words, register, lane as u32), kind);
                (first + register, std::array::from_fn(of))
            }));
        }
        let ended = run(&text, &registers);
        for register in 0..case.words[2] {
            let row: Row = ended.register(register);
            for (lane, value) in (0..).zip(row) {
                let at = u64::from(place(case.words[2], register, lane));
                checksum = checksum.wrapping_add(mix64(at << 32 ^ u64::from(value)));
            }
        }
    }
    checksum
}

#[test]
fn products_of_matrices_are_those_of_an_h200() {
    let measured = include_str!("../../../../traces/h200/matrix/products.txt");
    let mut compared = 0;
    for line in measured.lines() {
        let mut words = line.split(' ');
        let (name, kind, sum) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
        // Products of bytes of eight bits are conversions and products of halves.
        let Some(case) = CASES.iter().find(|case| case.name == name) else { continue };
        assert_eq!(format!("{:016x}", checksum(case, kind.parse().unwrap())), sum, "{name}, kind {kind}");
        compared += 1;
    }
    assert_eq!(compared, 6 * CASES.len());
}

#[test]
fn a_minus_sign_turns_every_element_of_a_matrix() {
    // One product of ones, eight deep, and what is added to it: 8 + 3, and with either sign turned.
    let ones = [0x3c00_3c00; 32];
    let three = [3f32.to_bits(); 32];
    let registers = [(4, ones), (5, ones), (6, ones), (8, three), (9, three), (10, three), (11, three)];
    let sum = |operands: &str| {
        f32::from_bits(run(&format!("HMMA.1688.F32 R0, {operands}"), &registers).register(3)[31])
    };
    assert_eq!([sum("R4, R6, R8"), sum("-R4, R6, R8"), sum("R4, R6, -R8")], [11.0, -5.0, 5.0]);
    let (low, high) = ([0; 32], [0x3ff0_0000; 32]);
    let registers = [(4, low), (5, high), (6, low), (7, high), (8, low), (9, high), (10, low), (11, high)];
    let warp = run("DMMA.8x8x4 R0, -R4, R6, R8", &registers);
    // 1 - 4
    assert_eq!((warp.register(1)[0], warp.register(3)[31]), (0xc008_0000, 0xc008_0000));
}

#[test]
fn nothing_is_added_where_the_register_is_rz() {
    let (low, high) = ([0; 32], [0x3ff0_0000; 32]);
    let factors = (16..48).map(|register| (register, if register % 2 == 0 { low } else { high }));
    let registers: Vec<(u32, Row)> = factors.collect();
    let warp = run("DMMA.16x8x16 R0, R16, R32, RZ", &registers);
    // Sixteen products of one.
    assert_eq!([1, 3, 5, 7].map(|register| warp.register(register)[17]), [0x4030_0000; 4]);
}

#[test]
fn movm_transposes_a_matrix() {
    // Row r, column c holds 8 r + c; lane 5 gets row 1, columns 2 and 3: what was in column 1 of rows 2 and 3.
    let words = std::array::from_fn(|lane| {
        let first = lane as u32 / 4 * 8 + lane as u32 % 4 * 2;
        first | (first + 1) << 16
    });
    let warp = run("MOVM.16.MT88 R0, R1", &[(1, words)]);
    assert_eq!(warp.register(0)[5], 17 | 25 << 16);
}

#[test]
fn floats_and_integers_are_packed_saturated() {
    let float = |value: f32| [value.to_bits(); 32];
    let registers =
        [(1, float(200.5)), (2, float(-2.5)), (3, [0xabcd_1234; 32]), (4, float(f32::NAN)), (5, [300; 32])];
    let text = "F2IP.S8.F32.NTZ R6, R1, R2, R3\nF2IP.U8.F32.NTZ R7, R1, R2, R3\nF2IP.S8.F32.NTZ R8, R4, R4, RZ\n\
                I2IP.S8.S32.SAT R9, R5, R2, R3\nI2IP.U16.S32.SAT R10, R5, R2, RZ";
    let warp = run(text, &registers);
    assert_eq!(
        [6, 7, 8, 9, 10].map(|register| warp.register(register)[9]),
        [0x1234_7ffe, 0x1234_c800, 0, 0x1234_7f80, 0x012c_0000]
    );
}

#[test]
fn what_is_no_product_of_the_machine_is_refused() {
    let refusal = |line: &str| {
        let faults = Code::decode(&program(&format!("{line}\nEXIT")).kernels[0]).unwrap_err();
        faults[0].message.clone()
    };
    assert_eq!(refusal("HMMA.F32 R0, R4, R6, R8"), "names no shape of matrices");
    let count = "takes two factors and what is added to their product, and metadata if it is sparse";
    assert_eq!(refusal("HMMA.16816.F32 R0, R4, R6"), count);
    assert_eq!(refusal("HMMA.SP.16816.F32 R0, R4, R6, R8"), count);
    let metadata = "names no metadata, or lanes of it other than 0 to 3";
    assert_eq!(refusal("HMMA.SP.16816.F32 R0, R4, R6, R8, R12, 0x4"), metadata);
    assert_eq!(refusal("HMMA.16832.F32 R0, R4, R6, R8"), "has no such shape of matrices");
    assert_eq!(refusal("HMMA.16816.F32 RZ, R4, R6, R8"), "puts its sum nowhere");
    assert_eq!(refusal("HMMA.16816.F32 R0, R4, 0x1, R8"), "operand '0x1' is no matrix");
    assert_eq!(refusal("IMMA.16832.S8.S8 R0, R4.ROW, R6.COL, -R8"), "operand '-R8' has a sign");
}

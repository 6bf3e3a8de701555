//! The tensor core of an H200 (measured: traces/h200/matrix/pace.txt).

use super::small_deviations::cycles;
use warplab_tests::gpu;

/// Cycles from one of these instructions to the next, of 32 in a row.
fn interval(instruction: &str) -> f64 {
    let time = |count: usize| {
        f64::from(cycles(&gpu("h200"), "", &format!("stall=1 {instruction}\n").repeat(count), ""))
    };
    (time(33) - time(1)) / 32.0
}

#[test]
fn how_often_it_takes_a_product_goes_by_the_bytes_of_a_row() {
    let long = ["HMMA.16816.F32", "HMMA.16816.F16", "HMMA.16816.F32.BF16", "HMMA.1688.F32.TF32"];
    let short = ["HMMA.1688.F32", "HMMA.1688.F16", "HMMA.1684.F32.TF32"];
    let halves = |name: &str| interval(&format!("{name} R32, R16, R20, RZ"));
    assert_eq!(long.map(halves), [6.0; 4]);
    assert_eq!(short.map(halves), [4.0; 3]);
    let bytes = |name: &str| interval(&format!("{name} R32, R16.ROW, R20.COL, RZ"));
    assert_eq!(["IMMA.16832.S8.S8", "IMMA.16816.U8.S8", "IMMA.8816.S8.S8"].map(bytes), [6.0, 4.0, 4.0]);
}

#[test]
fn in_double_precision_it_goes_by_the_depth() {
    let doubles = |name: &str| interval(&format!("{name} R32, R16, R16, RZ"));
    let shapes = ["DMMA.8x8x4", "DMMA.16x8x4", "DMMA.16x8x8", "DMMA.16x8x16"];
    assert_eq!(shapes.map(doubles), [16.0, 16.0, 32.0, 64.0]);
}

#[test]
fn a_product_in_double_precision_comes_later_the_more_rows_and_columns_it_has() {
    let after = |name: &str| {
        let product = format!("stall=1 wr=2 {name} R32, R16, R16, RZ\n");
        cycles(&gpu("h200"), "", &product, "wait=000100 ") - cycles(&gpu("h200"), "", "", "")
    };
    assert_eq!(["DMMA.8x8x4", "DMMA.16x8x4", "DMMA.16x8x8", "DMMA.16x8x16"].map(after), [26, 34, 50, 82]);
}

#[test]
fn it_takes_turns_with_double_precision() {
    let pair = "HMMA.16816.F32 R32, R16, R20, RZ\nstall=1 DFMA R36, R24, R24, R24";
    assert_eq!(interval(pair), 8.0);
}

//! Products of sparse matrices and roundings to ten bits of fraction, beside those of an H200 (traces/h200/sparse).

use crate::common::run;
use warplab_exec::Row;

/// The instruction of a form, which reads `R16`, `R20`, `R0` and `R28`, and the registers that it gives.
fn instruction(form: &str) -> (String, u32) {
    let (name, selector) = form.rsplit_once('_').unwrap();
    let selector = selector.trim_start_matches('o');
    let floats =
        |shape: &str, sums: u32| (format!("HMMA.SP.{shape} R0, R16, R20, R0, R28, 0x{selector}"), sums);
    let bytes = |shape: &str| (format!("IMMA.SP.{shape} R0, R16.ROW, R20.COL, R0, R28, 0x{selector}"), 4);
    match name {
        "f16_k16" => floats("16816.F32", 4),
        "f16_k32" => floats("16832.F32", 4),
        "bf16_k16" => floats("16816.F32.BF16", 4),
        "bf16_k32" => floats("16832.F32.BF16", 4),
        "h_k16" => floats("16816.F16", 2),
        "h_k32" => floats("16832.F16", 2),
        "tf32_k8" => floats("1688.F32.TF32", 4),
        "tf32_k16" => floats("16816.F32.TF32", 4),
        "s8_k32" => bytes("16832.S8.S8"),
        "u8_k32" => bytes("16832.U8.S8"),
        "s8_k64" => bytes("16864.S8.S8"),
        "s8_k64sat" => bytes("16864.S8.U8.SAT"),
        _ => panic!("{form} is unknown"),
    }
}

/// A line: the form, rows of registers that it reads, and those that it gives.
fn lines() -> impl Iterator<Item = (&'static str, Vec<Row>, Vec<Row>)> {
    let measured = include_str!("../../../../traces/h200/sparse/forms.txt");
    measured.lines().skip(1).map(|line| {
        let (read, given) = line.split_once(" = ").unwrap();
        let (form, read) = read.split_once(' ').unwrap();
        let rows = |text: &str| {
            let words: Vec<u32> =
                text.split(' ').map(|word| u32::from_str_radix(word, 16).unwrap()).collect();
            words.as_chunks::<32>().0.to_vec()
        };
        (form, rows(read), rows(given))
    })
}

#[test]
fn products_of_sparse_matrices_are_those_of_an_h200() {
    let mut compared = 0;
    for (form, read, given) in lines().filter(|(form, ..)| !form.starts_with("cvt")) {
        let (text, sums) = instruction(form);
        // The factors, what is added, and the metadata.
        let places = (16..24).chain(0..4).chain([28]);
        let ended = run(&text, &places.zip(read).collect::<Vec<_>>());
        for (register, expected) in (0..sums).zip(given) {
            assert_eq!(ended.register(register), expected, "{form}, R{register}");
        }
        compared += 1;
    }
    assert_eq!(compared, 52);
}

#[test]
fn ten_bits_of_fraction_are_rounded_as_on_an_h200() {
    let mut compared = 0;
    for (form, read, given) in lines() {
        let modifiers = match form {
            "cvt_rn" => ("", ""),
            "cvt_rz" => ("", ".RZ"),
            "cvt_rn_relu" => (".RELU", ""),
            "cvt_rz_relu" => (".RELU", ".RZ"),
            _ => continue,
        };
        let text = format!("F2FP{}.TF32.F32.PACK_B{} R1, R0", modifiers.0, modifiers.1);
        for (read, expected) in read.into_iter().zip(given) {
            assert_eq!(run(&text, &[(0, read)]).register(1), expected, "{form}");
            compared += 1;
        }
    }
    assert_eq!(compared, 32);
}

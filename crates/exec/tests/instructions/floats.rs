//! Floating-point instructions: special values, flushing, and directed rounding against exact integer arithmetic.
use crate::common::{op3, run, same, wide3};

const NAN: u32 = 0x7fff_ffff;
const INF: u32 = 0x7f80_0000;
const DENORMAL: u32 = 0x0000_0001;

fn float(line: &str, a: f32, b: f32, c: f32) -> f32 {
    f32::from_bits(op3(line, a.to_bits(), b.to_bits(), c.to_bits()))
}

#[test]
fn results_that_are_no_number_have_one_form() {
    assert_eq!(op3("FADD R0, R1, -R2", INF, INF, 0), NAN);
    assert_eq!(op3("FMUL R0, R1, R2", INF, 0, 0), NAN);
    assert_eq!(op3("FFMA R0, R1, R2, R3", 0xffc0_0001, 0, 0), NAN);
}

/// Measured: traces/h200/matrix/nan.txt.
#[test]
fn double_precision_hands_on_the_first_nan_of_its_operands() {
    let (infinity, one) = (f64::INFINITY.to_bits(), 1f64.to_bits());
    assert_eq!(wide3("DMUL R0, R2, R4", infinity, 0, 0), 0xfff8_0000_0000_0000);
    assert_eq!(wide3("DADD R0, R2, -R4", infinity, infinity, 0), 0xfff8_0000_0000_0000);
    assert_eq!(wide3("DFMA R0, R2, R4, R6", infinity, 0, one), 0xfff8_0000_0000_0000);
    let (a, b, c) = (0x7ff0_0000_0000_0111, 0xfff0_0000_0000_0222, 0x7ff8_0000_0000_0333);
    assert_eq!(wide3("DADD R0, R2, R4", a, one, 0), 0x7ff8_0000_0000_0111);
    assert_eq!(wide3("DADD R0, R2, R4", a, b, 0), 0xfff8_0000_0000_0222);
    assert_eq!(wide3("DMUL R0, R2, R4", a, b, 0), 0xfff8_0000_0000_0222);
    assert_eq!(wide3("DFMA R0, R2, R4, R6", a, b, c), 0xfff8_0000_0000_0222);
    assert_eq!(wide3("DFMA R0, R2, R4, R6", a, one, c), c);
    assert_eq!(wide3("DFMA R0, R2, R4, R6", a, one, one), 0x7ff8_0000_0000_0111);
}

#[test]
fn ftz_flushes_both_sides_and_sat_clamps() {
    assert_eq!(op3("FADD R0, R1, R2", DENORMAL, DENORMAL, 0), 2);
    assert_eq!(op3("FADD.FTZ R0, R1, R2", 0x8000_0001, 0x8000_0001, 0), 0x8000_0000);
    assert_eq!(op3("FMUL.FTZ R0, R1, R2", 0x0080_0000, 0x3f00_0000, 0), 0);
    assert_eq!(float("FADD.SAT R0, R1, R2", 3.0, 0.0, 0.0), 1.0);
    assert_eq!(op3("FADD.SAT R0, R1, R2", NAN, 0, 0), 0);
}

#[test]
fn source_modifiers_are_absolute_then_negative() {
    assert_eq!(float("FADD R0, R1, -|R2|", 1.0, -3.0, 0.0), -2.0);
    assert_eq!(float("FFMA R0, -R1, R2, -1", 2.0, 3.0, 0.0), -7.0);
}

#[test]
fn minima_order_zeros_and_drop_nans() {
    assert_eq!(op3("FMNMX R0, R1, R2, PT", 0x8000_0000, 0, 0), 0x8000_0000);
    assert_eq!(op3("FMNMX R0, R1, R2, !PT", 0x8000_0000, 0, 0), 0);
    assert_eq!(float("FMNMX R0, R1, R2, PT", f32::NAN, 2.0, 0.0), 2.0);
    assert_eq!(op3("FMNMX.NAN R0, R1, R2, PT", NAN, 0x4000_0000, 0), NAN);
    assert_eq!(float("FMNMX R0, R1, R2, PT", -2.0, -3.0, 0.0), -3.0);
}

#[test]
fn comparisons_are_ordered_or_not() {
    let holds = |compare: &str, a: f32, b: f32| {
        let line = format!("FSETP.{compare}.AND P0, PT, R1, R2, PT\nSEL R0, 0x1, RZ, P0");
        op3(&line, a.to_bits(), b.to_bits(), 0) == 1
    };
    for (compare, less, unordered) in [
        ("LT", true, false),
        ("LTU", true, true),
        ("GEU", false, true),
        ("NE", true, false),
        ("NEU", true, true),
        ("NUM", true, false),
        ("NAN", false, true),
    ] {
        assert_eq!((holds(compare, 1.0, 2.0), holds(compare, f32::NAN, 2.0)), (less, unordered), "{compare}");
    }
}

/// A float times 2^62, exact for exponents from -39 up.
fn scaled(value: f32) -> i128 {
    let scaled = f64::from(value) * 2f64.powi(31);
    assert_eq!(scaled.fract(), 0.0);
    (scaled as i128) << 31
}

fn check_direction(mode: &str, result: f32, exact: i128, what: &str) {
    let value = |x: f32| {
        let double = f64::from(x) * 2f64.powi(62);
        assert!(double.abs() < 2f64.powi(120));
        double as i128
    };
    let ok = match mode {
        "RM" => value(result) <= exact && exact < value(result.next_up()),
        "RP" => value(result) >= exact && exact > value(result.next_down()),
        _ => {
            value(result).abs() <= exact.abs()
                && (exact == value(result)
                    || exact.abs()
                        < value(if exact > 0 { result.next_up() } else { result.next_down() }).abs())
        }
    };
    assert!(ok, "{what}.{mode} gives {result:e} for {exact}");
}

#[test]
fn directed_rounding_is_exact() {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let exponent = 120 + (state >> 28) % 14;
        f32::from_bits(state & 0x807f_ffff | exponent << 23)
    };
    for _ in 0..60 {
        let (a, b, c) = (next(), next(), next());
        let product = (scaled(a) * (scaled(b) >> 31)) >> 31;
        for mode in ["RM", "RP", "RZ"] {
            check_direction(
                mode,
                float(&format!("FADD.{mode} R0, R1, R2"), a, b, 0.0),
                scaled(a) + scaled(b),
                "FADD",
            );
            check_direction(mode, float(&format!("FMUL.{mode} R0, R1, R2"), a, b, 0.0), product, "FMUL");
            let fma = float(&format!("FFMA.{mode} R0, R1, R2, R3"), a, b, c);
            check_direction(mode, fma, product + scaled(c), "FFMA");
        }
    }
}

#[test]
fn directed_rounding_of_doubles_moves_by_one_place() {
    let (one, tiny) = (1f64.to_bits(), 1e-300f64.to_bits());
    let next = 1f64.next_up().to_bits();
    let before = 1f64.next_down().to_bits();
    assert_eq!(wide3("DADD.RP R0, R2, R4", one, tiny, 0), next);
    assert_eq!(wide3("DADD.RM R0, R2, R4", one, tiny, 0), one);
    assert_eq!(wide3("DADD.RZ R0, R2, -R4", one, tiny, 0), before);
    assert_eq!(wide3("DFMA.RP R0, R2, R4, R6", tiny, tiny, one), next);
    assert_eq!(wide3("DFMA.RM R0, R2, -R4, R6", tiny, tiny, one), before);
    let third = (1f64 / 3.0).to_bits();
    // 3 times the double below a third is a little below 1.
    assert_eq!(wide3("DMUL.RM R0, R2, R4", third, 3f64.to_bits(), 0), before);
    assert_eq!(wide3("DMUL R0, R2, R4", third, 3f64.to_bits(), 0), one);
    assert_eq!(wide3("DADD.RM R0, R2, -R4", one, one, 0), (-0f64).to_bits());
    assert_eq!(wide3("DADD.RZ R0, R2, R4", f64::MAX.to_bits(), f64::MAX.to_bits(), 0), f64::MAX.to_bits());
}

#[test]
fn integers_become_floats_in_every_mode() {
    assert_eq!(op3("I2FP.F32.S32 R0, R1", u32::MAX, 0, 0), (-1f32).to_bits());
    assert_eq!(op3("I2F.U32.RP R0, R1", 0x0100_0001, 0, 0), 16_777_218f32.to_bits());
    assert_eq!(op3("I2F.U32.RM R0, R1", 0x0100_0001, 0, 0), 16_777_216f32.to_bits());
    assert_eq!(op3("I2F.S8 R0, R1.B1", 0xff00, 0, 0), (-1f32).to_bits());
    assert_eq!(op3("I2F.F16 R0, R1", 65_520, 0, 0), 0x7c00);
    assert_eq!(wide3("I2F.U64.RP R0, R2", u64::MAX, 0, 0) as u32, 18_446_744_073_709_551_616f32.to_bits());
    assert_eq!(wide3("I2F.F64.U32 R0, R2", 7, 0, 0), 7f64.to_bits());
}

#[test]
fn floats_become_integers_saturated() {
    let f2i = |line: &str, value: f32| op3(line, value.to_bits(), 0, 0);
    assert_eq!(f2i("F2I.TRUNC.NTZ R0, R1", -1.9), u32::MAX);
    assert_eq!(f2i("F2I.NTZ R0, R1", 2.5), 2);
    assert_eq!(f2i("F2I.CEIL.NTZ R0, R1", 2.1), 3);
    assert_eq!(f2i("F2I.TRUNC.NTZ R0, R1", 3e9), 0x7fff_ffff);
    assert_eq!(f2i("F2I.U32.TRUNC.NTZ R0, R1", -5.0), 0);
    assert_eq!(f2i("F2I.TRUNC.NTZ R0, R1", f32::NAN), 0);
    assert_eq!(f2i("F2I.S8.NTZ R0, R1", 300.0), 127);
    assert_eq!(wide3("F2I.S64.F64.TRUNC R0, R2", f64::NAN.to_bits(), 0, 0), 1 << 63);
    assert_eq!(wide3("F2I.U64.TRUNC R0, R2", 0x5f80_0000, 0, 0), u64::MAX);
}

#[test]
fn floats_change_width() {
    assert_eq!(op3("F2FP.F16.F32.PACK_AB R0, R1, R2", 0x3f80_0000, 0xc000_0000, 0), 0x3c00_c000);
    assert_eq!(op3("F2FP.BF16.F32.PACK_AB R0, R1, R2", 0x3f80_8000, 0x3f81_8000, 0), 0x3f80_3f82);
    assert_eq!(wide3("F2F.F64.F32 R0, R2", 0x3fc0_0000, 0, 0), 1.5f64.to_bits());
    assert_eq!(wide3("F2F.F32.F64 R0, R2", 1e-46f64.to_bits(), 0, 0) as u32, 0);
    assert_eq!(wide3("F2F.F32.F64.RP R0, R2", 1e-46f64.to_bits(), 0, 0) as u32, 1);
    assert_eq!(op3("F2F.F32.F16 R0, R1", 0x0001, 0, 0), 5.960_464_5e-8f32.to_bits());
    assert_eq!(op3("FRND.FLOOR R0, R1", (-1.5f32).to_bits(), 0, 0), (-2f32).to_bits());
}

#[test]
fn packed_halves_round_once() {
    // 1 + 2^-11 lies between two halves: to even; a little more goes up.
    assert_eq!(op3("HFMA2 R0, R1, R2, R3", 0x1000_1000, 0x3c00_3c01, 0x3c00_3c00), 0x3c00_3c01);
    assert_eq!(op3("HADD2 R0, R1, R2", 0x7bff_3c00, 0x7bff_3c00, 0), 0x7c00_4000);
    assert_eq!(op3("HADD2.F32 R0, -RZ, R1.H1_H1", 0x3e00_0000, 0, 0), 1.5f32.to_bits());
    assert_eq!(op3("HFMA2.MMA R0, -RZ, RZ, 1.8740234375, -1.6162109375", 0, 0, 0), 0x3f7f_be77);
    assert_eq!(op3("HFMA2.MMA R0, -RZ, RZ, 0, 5.9604644775390625e-08", 0, 0, 0), 1);
    assert_eq!(op3("HMUL2.BF16_V2 R0, R1, R2", 0x4000_3f80, 0x4040_3f80, 0), 0x40c0_3f80);
    assert_eq!(op3("HFMA2.RELU R0, R1, R2, R3", 0xbc00_3c00, 0x3c00_3c00, 0), 0x0000_3c00);
}

#[test]
fn transcendental_functions_keep_their_stated_errors() {
    let mufu = |name: &str, x: f32| float(&format!("MUFU.{name} R0, R1"), x, 0.0, 0.0);
    for step in 1..200 {
        let x = step as f32 * 0.37;
        let error = |value: f32, exact: f64| ((f64::from(value) - exact) / exact).abs();
        let near = |value: f32, exact: f64| error(value, exact) < 2f64.powi(-22);
        assert!(near(mufu("RCP", x), 1.0 / f64::from(x)), "rcp {x}");
        assert!(near(mufu("RSQ", x), 1.0 / f64::from(x).sqrt()), "rsq {x}");
        assert!(near(mufu("EX2", x - 40.0), f64::from(x - 40.0).exp2()), "ex2 {x}");
        assert!((f64::from(mufu("LG2", x)) - f64::from(x).log2()).abs() < 2f64.powi(-22) * 8.0, "lg2 {x}");
        let angle = f64::from(x) * std::f64::consts::TAU;
        assert!((f64::from(mufu("SIN", x)) - angle.sin()).abs() < 1e-6, "sin {x}");
        assert!((f64::from(mufu("COS", x)) - angle.cos()).abs() < 1e-6, "cos {x}");
        assert!(error(mufu("TANH", x * 0.05), f64::from(x * 0.05).tanh()) < 2f64.powi(-11), "tanh {x}");
    }
    let bits = |name: &str, x: u32| op3(&format!("MUFU.{name} R0, R1"), x, 0, 0);
    assert_eq!([bits("RCP", 0), bits("RCP", 0x8000_0001), bits("RCP", INF)], [INF, 0xff80_0000, 0]);
    assert_eq!([bits("RSQ", 0xbf80_0000), bits("LG2", 0), bits("EX2", 0xff80_0000)], [NAN, 0xff80_0000, 0]);
    assert_eq!(op3("MUFU.RCP64H R0, R1", 0x4000_0000, 0, 0), 0x3fe0_0000);
}

#[test]
fn fchk_knows_where_the_short_division_is_safe() {
    let slow = |a: f32, b: f32| op3("FCHK P0, R1, R2\nSEL R0, 0x1, RZ, P0", a.to_bits(), b.to_bits(), 0);
    assert_eq!([slow(1.0, 3.0), slow(1.0, 1e-40), slow(1e38, 1e-3), slow(f32::INFINITY, 2.0)], [0, 1, 1, 1]);
}

#[test]
fn doubles_compare_and_take_upper_half_immediates() {
    let warp = run(
        "DFMA R0, R2, R4, 0.5\nDSETP.GT.AND P0, PT, R0, 6, PT",
        &[(2, same(0)), (3, same(0x4000_0000)), (4, same(0)), (5, same(0x4008_0000))],
    );
    assert_eq!(warp.register(1)[0], 6.5f64.to_bits().wrapping_shr(32) as u32);
    assert_eq!(warp.predicate(0).count(), 32);
}

#[test]
fn a_factor_goes_in_exchanged_with_its_former_upper_half_negated() {
    // (1, 2i) times (3, 4i): of the product with 2i the real part is -8, the imaginary one 6.
    let halves = op3("HFMA2 R0, R1.H1_H1, R2.H0_NH1, R3", 0x4000_3c00, 0x4400_4200, 0);
    let brain = op3("HFMA2.BF16_V2 R0, R1.H1_H1, R2.H0_NH1, R3", 0x4000_3f80, 0x4080_4040, 0);
    assert_eq!((halves, brain), (0x4600_c800, 0x40c0_c100));
}

#[test]
fn functions_of_halves_leave_zeros_above_their_result() {
    assert_eq!(op3("MUFU.EX2.F16 R0, R1", 0xffff_4200, 0, 0), 0x4800);
    assert_eq!(op3("MUFU.EX2.F16 R0, R1.H1", 0xbc00_4200, 0, 0), 0x3800);
    assert_eq!(op3("MUFU.EX2.F16 R0, R1", 0x7e01, 0, 0), 0x7fff);
    assert_eq!(op3("MUFU.TANH.F16 R0, -R1", 0x3c00, 0, 0), 0xba18);
    assert_eq!(op3("MUFU.TANH.BF16 R0, R1.H1", 0x3f80_0000, 0, 0), 0x3f43);
}

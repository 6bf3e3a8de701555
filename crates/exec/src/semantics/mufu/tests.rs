//! Against the results of an H200.

use super::evaluate;
use crate::op::{FloatMode, Mufu, Round};
use crate::semantics::float::mul32;

/// How many arguments the hash of a range covers.
const RANGE: u32 = 1 << 23;

/// What a file of the reference says, line by line.
fn reference(name: &str) -> Vec<String> {
    let path = format!("{}/../../traces/h200/functions/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the reference").lines().map(str::to_owned).collect()
}

fn hex(text: &str) -> u32 {
    u32::from_str_radix(text, 16).expect("eight hexadecimal digits")
}

/// The PTX instruction of a name in the reference: those of sine and cosine multiply by 1 / 2 pi first.
fn instruction(name: &str) -> fn(u32) -> u32 {
    fn turns(bits: u32) -> u32 {
        const INVERSE_OF_TWO_PI: u32 = 0x3e22_f983;
        mul32(bits, INVERSE_OF_TWO_PI, FloatMode { round: Round::Zero, ftz: true, saturate: false })
    }
    match name {
        "rcp" => |x| evaluate(Mufu::Rcp, x),
        "rsq" => |x| evaluate(Mufu::Rsq, x),
        "sqrt" => |x| evaluate(Mufu::Sqrt, x),
        "lg2" => |x| evaluate(Mufu::Lg2, x),
        "ex2" => |x| evaluate(Mufu::Ex2, x),
        "sin" => |x| evaluate(Mufu::Sin, turns(x)),
        "cos" => |x| evaluate(Mufu::Cos, turns(x)),
        "tanh" => |x| evaluate(Mufu::Tanh, x),
        "rcp64h" => |x| evaluate(Mufu::Rcp64h, x),
        "rsq64h" => |x| evaluate(Mufu::Rsq64h, x),
        _ => panic!("no function {name}"),
    }
}

/// The hash of the results from `base` on, as `functions.cu` and `sweep.cu` compute it.
fn hash(function: fn(u32) -> u32, base: u32) -> u64 {
    (base..=base + (RANGE - 1)).fold(0, |sum: u64, x| {
        sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(u64::from(function(x)))
    })
}

/// The lines of `sweep.txt` whose name and base `chosen` takes, and those of them with other results here.
fn compare_sweep(chosen: impl Fn(&str, u32) -> bool) -> (usize, Vec<String>) {
    let mut lines = reference("sweep.txt");
    lines.retain(|line| match line.split(' ').collect::<Vec<_>>()[..] {
        [name, base, _] => chosen(name, hex(base)),
        _ => false,
    });
    let differs = |line: &String| {
        let [name, base] = [0, 1].map(|field| line.split(' ').nth(field).expect("three fields"));
        *line != format!("{name} {base} {:016x}", hash(instruction(name), hex(base)))
    };
    (lines.len(), lines.into_iter().filter(differs).collect())
}

/// The lines of `functions.txt` about ranges of a function, and those of them with other results here.
fn compare_ranges(function: &str) -> (usize, Vec<String>) {
    let mut lines = reference("functions.txt");
    lines.retain(|line| line.starts_with(&format!("{function} base ")));
    let differs = |line: &String| {
        let [base, sum] = [2, 6].map(|field| line.split(' ').nth(field).expect("nine fields"));
        sum != format!("{:016x}", hash(instruction(function), hex(base)))
    };
    (lines.len(), lines.into_iter().filter(differs).collect())
}

#[test]
fn reciprocals_and_roots_are_those_of_an_h200() {
    assert_eq!(compare_ranges("rcp"), (2, vec![]));
    assert_eq!(compare_ranges("rsq"), (2, vec![]));
    assert_eq!(compare_ranges("sqrt"), (2, vec![]));
}

#[test]
fn powers_and_logarithms_are_those_of_an_h200() {
    assert_eq!(compare_ranges("ex2"), (11, vec![]));
    assert_eq!(compare_ranges("lg2"), (5, vec![]));
}

#[test]
fn sines_and_cosines_are_those_of_an_h200() {
    assert_eq!(compare_ranges("sin"), (8, vec![]));
    assert_eq!(compare_ranges("cos"), (8, vec![]));
}

#[test]
fn hyperbolic_tangents_are_those_of_an_h200() {
    assert_eq!(compare_ranges("tanh"), (9, vec![]));
    let fourteen_binades = |name: &str, base| name == "tanh" && (0x3a80_0000..0x4180_0000).contains(&base);
    assert_eq!(compare_sweep(fourteen_binades), (14, vec![]));
}

#[test]
fn results_at_the_ends_of_the_range_are_those_of_an_h200() {
    // Where the result is denormal or infinite, and where the argument is the least or greatest number.
    let ends = [
        ("rcp", 0x7e80_0000),
        ("rcp", 0x7f00_0000),
        ("ex2", 0x4280_0000),
        ("ex2", 0xc280_0000),
        ("rsq", 0x0080_0000),
        ("sqrt", 0x7f00_0000),
        ("lg2", 0x0080_0000),
        ("lg2", 0x7f00_0000),
    ];
    assert_eq!(compare_sweep(|name, base| ends.contains(&(name, base))), (8, vec![]));
}

#[test]
fn upper_halves_of_doubles_are_those_of_an_h200() {
    // Denormals and the least numbers, around 1, 2 and 4, the greatest numbers and NaNs; then with a sign.
    let bases = [0, 0x3f80_0000, 0x4000_0000, 0x7f80_0000, 0x8000_0000, 0xbf80_0000, 0xff80_0000];
    assert_eq!(compare_sweep(|name, base| name.ends_with("64h") && bases.contains(&base)), (14, vec![]));
}

#[test]
fn special_arguments_give_the_results_of_an_h200() {
    let mut compared = 0;
    for line in reference("functions.txt") {
        let Some((name, pairs)) = line.split_once(" specials: ") else { continue };
        for pair in pairs.split(' ') {
            let (argument, result) = pair.split_once('>').expect("argument>result");
            let computed = instruction(name)(hex(argument));
            assert_eq!(format!("{computed:08x}"), result, "{name} of {argument}");
            compared += 1;
        }
    }
    assert_eq!(compared, 8 * 42);
}

#[test]
#[ignore = "43 billion results: twelve minutes"]
fn all_arguments_give_the_results_of_an_h200() {
    assert_eq!(compare_sweep(|_, _| true), (5120, vec![]));
}

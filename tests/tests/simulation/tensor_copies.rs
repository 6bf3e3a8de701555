//! Copies of boxes of tensors beside what an H200 made of them: traces/h200/tensor.

use warplab_config::launch::{Argument, BufferSpec, Init, Size, TensorElementName as Name, TensorMapSpec};
use warplab_exec::LaunchShape;
use warplab_exec::tensor_map::TensorMap;
use warplab_gpu::RunOptions;
use warplab_program::Program;
use warplab_run::{NO_SYMBOLS, Workload, no_files, simulate};
use warplab_tests::{compile, gpu, listing, read};

/// Types in the order of `CUtensorMapDataType`.
const TYPES: [Name; 13] = [
    Name::U8,
    Name::U16,
    Name::U32,
    Name::I32,
    Name::U64,
    Name::I64,
    Name::F16,
    Name::F32,
    Name::F64,
    Name::Bf16,
    Name::F32Ftz,
    Name::Tf32,
    Name::Tf32Ftz,
];

/// A line of `forms.txt` or `times.txt`.
struct Case {
    name: String,
    kernel: String,
    grid: u32,
    map: TensorMapSpec,
    at: Vec<i32>,
    /// Bytes of a copy, copies, and the last parameter.
    counts: [i32; 3],
    /// The words of the map as the driver made it; the first says how far it is from the start of the buffer.
    words: Vec<u64>,
    /// What the H200 left or said, for each run.
    found: Vec<String>,
}

fn cases(file: &str) -> Vec<Case> {
    let text = read(&format!("traces/h200/tensor/{file}.txt"));
    text.lines().filter(|line| !line.starts_with('#')).map(case).collect()
}

fn case(line: &str) -> Case {
    let mut parts = line.split('|').map(str::trim);
    let words: Vec<&str> = parts.next().expect("a case").split(' ').collect();
    let numbers: Vec<i64> = words[2..].iter().map(|word| word.parse().expect("a number")).collect();
    let rank = numbers[3] as usize;
    let list = |from: usize, count: usize| numbers[from..from + count].to_vec();
    let small = |from| list(from, rank).into_iter().map(|it| it as u32).collect();
    let encoded = parts.next().expect("a map").split(' ').skip(1);
    Case {
        name: words[0].to_owned(),
        kernel: words[1].to_owned(),
        grid: numbers[0] as u32,
        map: TensorMapSpec {
            buffer: "tensor".to_owned(),
            offset: Size(0),
            element: TYPES[numbers[2] as usize],
            sizes: list(4, rank).into_iter().map(|it| it as u64).collect(),
            strides: list(9, rank - 1).into_iter().map(|it| it as u64).collect(),
            box_sizes: small(13),
            steps: small(18),
            swizzle: [0, 32, 64, 128][numbers[24] as usize],
            promotion: [0, 64, 128, 256][numbers[25] as usize],
            fills_with_nan: numbers[26] == 1,
        },
        at: list(27, 5).into_iter().map(|it| it as i32).collect(),
        counts: [numbers[32] as i32, numbers[33] as i32, numbers[34] as i32],
        words: encoded.map(|word| u64::from_str_radix(word, 16).expect("a word")).collect(),
        found: parts.map(str::to_owned).collect(),
    }
}

/// What a launch leaves in the tensor's buffer and in its output, or why it fails.
fn run(program: &Program, case: &Case, tensor_bytes: u64) -> Result<[Vec<u8>; 2], String> {
    let buffer =
        |name: &str, bytes, init| BufferSpec { name: name.to_owned(), size: Size(bytes).into(), init };
    let buffers = [
        buffer("tensor", tensor_bytes, Init::HashF32(1)),
        buffer("in", 64 << 10, Init::HashF32(2)),
        buffer("out", 64 << 10, Init::Zero),
    ];
    let pointer = |name: &str| Argument::Pointer { buffer: name.to_owned(), offset: Size(0) };
    let clocks = !case.kernel.starts_with("load") && !is_change(case);
    let mut arguments = vec![
        Argument::Tensor(case.map.clone()),
        pointer("in"),
        pointer("out"),
        Argument::Struct(case.at.iter().map(|&at| Argument::I32(at)).collect()),
        Argument::I32(case.counts[0]),
    ];
    if clocks {
        arguments.extend(case.counts[1..].iter().map(|&count| Argument::I32(count)));
    }
    let block = [if clocks { 32 } else { 128 }, 1, 1];
    let workload = Workload {
        program,
        kernel: &case.kernel,
        shape: LaunchShape { grid: [case.grid, 1, 1], block, dynamic_shared_bytes: 100 << 10 },
        arguments: &arguments,
        buffers: &buffers,
        symbols: &NO_SYMBOLS,
    };
    let run = simulate(&gpu("h200"), &workload, &no_files, RunOptions::default())
        .map_err(|fault| fault.to_string())?;
    let bytes = |name: &str, count| {
        let place = run.image.buffer(name).expect("the buffer").base;
        run.image.read_bytes(place, count).expect("its bytes")
    };
    Ok([bytes("tensor", tensor_bytes), bytes("out", 64 << 10)])
}

fn is_change(case: &Case) -> bool {
    case.kernel.starts_with("store") || case.kernel.starts_with("reduce")
}

/// FNV-1a over words.
fn checksum(bytes: &[u8]) -> String {
    let words = bytes.as_chunks::<4>().0.iter().map(|&word| u64::from(u32::from_le_bytes(word)));
    let sum = words.fold(0xcbf2_9ce4_8422_2325, |sum: u64, word| (sum ^ word).wrapping_mul(0x0100_0000_01b3));
    format!("{sum:016x}")
}

/// Every form leaves what it left on the H200, or fails as there.
fn check_values(program: &Program) {
    let cases = cases("forms");
    assert_eq!(cases.len(), 144);
    let mut wrong = Vec::new();
    for case in &cases {
        let left = match run(program, case, 1 << 20) {
            Ok([tensor, _]) if is_change(case) => checksum(&tensor),
            Ok([_, out]) => checksum(&out[..48 << 10]),
            Err(fault) if fault.contains("tensor map at") => {
                "an illegal instruction was encountered".to_owned()
            }
            Err(fault) => fault,
        };
        // The driver made no map of some.
        let there = case.found.first().map_or("no map", String::as_str);
        let left = if left.contains("cannot be copied") { "no map".to_owned() } else { left };
        if left != there {
            wrong.push(format!("{}: {left}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
}

#[test]
fn maps_are_read_and_made_as_the_driver_makes_them() {
    let mut maps = 0;
    for case in cases("forms") {
        if case.found.is_empty() {
            continue;
        }
        let mut words = case.words;
        words[0] = 0x7000_0000;
        let halves = std::array::from_fn(|at| (words[at / 2] >> (at % 2 * 32)) as u32);
        let map = TensorMap::decode(&halves).expect("a map");
        let made: Vec<u64> =
            map.encode().as_chunks::<8>().0.iter().map(|&it| u64::from_le_bytes(it)).collect();
        assert_eq!(made, words, "{}", case.name);
        maps += 1;
    }
    assert_eq!(maps, 143);
}

#[test]
fn every_form_leaves_what_an_h200_left_from_machine_code() {
    check_values(&listing("traces/h200/tensor/kernels.sass"));
}

#[test]
fn every_form_leaves_what_an_h200_left_from_ptx() {
    check_values(&compile(&gpu("h200"), "traces/h200/tensor/kernels.ptx"));
}

/// Clocks of the first two of four times that a kernel waits for its copies: when all have come.
fn clocks(case: &Case, program: &Program) -> [u32; 2] {
    let sizes = case.map.sizes.last().copied().unwrap_or(0) * case.map.strides.last().copied().unwrap_or(4);
    let [_, out] =
        run(program, case, sizes.max(16 << 10)).unwrap_or_else(|fault| panic!("{}: {fault}", case.name));
    let word = |at: usize| u32::from_le_bytes(out[4 * at..4 * at + 4].try_into().expect("a word"));
    [word(1), word(3)]
}

/// What the H200 read there, in the first run.
fn measured(case: &Case) -> u32 {
    case.found[0].split(' ').nth(3).expect("eight clocks").parse().expect("a clock")
}

#[test]
fn copies_take_as_long_as_on_the_hardware() {
    let program = listing("traces/h200/tensor/kernels.sass");
    let waits: Vec<Case> =
        cases("times").into_iter().filter(|case| !case.kernel.starts_with("stream")).collect();
    let errors: Vec<(f64, &str)> = waits
        .iter()
        .map(|case| {
            let (here, there) = (f64::from(clocks(case, &program)[1]), f64::from(measured(case)));
            ((here / there - 1.0).abs(), case.name.as_str())
        })
        .collect();
    let mean = errors.iter().map(|(error, _)| error).sum::<f64>() / errors.len() as f64;
    let far: Vec<&str> = errors.iter().filter(|(error, _)| *error > 0.04).map(|(_, name)| *name).collect();
    assert_eq!((waits.len(), format!("{:.2} %", mean * 100.0).as_str()), (138, "0.86 %"));
    assert_eq!(far, ["unaligned_n4"]);
}

#[test]
fn rows_on_two_lines_take_a_cycle_for_each_line() {
    let program = listing("traces/h200/tensor/kernels.sass");
    let all = cases("times");
    let times = ["unaligned_n1", "unaligned_n4"].map(|name| {
        let case = all.iter().find(|case| case.name == name).expect("the case");
        (clocks(case, &program)[1], measured(case))
    });
    assert_eq!(times, [(489, 509), (717, 802)]);
}

#[test]
fn the_first_copy_of_a_map_takes_longer() {
    let program = listing("traces/h200/tensor/kernels.sass");
    let all = cases("times");
    let case = all.iter().find(|case| case.name == "outside_n1").expect("the case");
    // 711 and 442 on the H200.
    assert_eq!(clocks(case, &program), [675, 442]);
}

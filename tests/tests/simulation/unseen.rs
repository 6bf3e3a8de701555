//! Kernels that were compared with an H200 before anything was made for them: traces/h200/unseen.

use warplab_config::launch::{Argument, Dimensions, parse_argument, parse_dimensions};
use warplab_exec::LaunchShape;
use warplab_gpu::RunOptions;
use warplab_lab::pool::Need;
use warplab_program::Program;
use warplab_run::{NO_SYMBOLS, Workload, no_files, simulate};
use warplab_tests::{compile, gpu, listing, on_all_of, read};

/// The files with the kernels, in the order in which they were written.
const FILES: [&str; 21] = [
    "a_reduce",
    "b_dense",
    "c_image",
    "d_text",
    "e_graph",
    "f_phys",
    "g_ml",
    "h_bits",
    "i_mixed",
    "j_numeric",
    "k_learn",
    "l_science",
    "m_data",
    "n_image",
    "o_crypto",
    "p_models",
    "q_tensors",
    "r_miniapps",
    "s_solvers",
    "t_courses",
    "u_systems",
];

/// The files that were written together: the first 92 kernels, 21, 72 and 78.
const BATCHES: [std::ops::Range<usize>; 4] = [0..8, 8..9, 9..15, 15..21];

/// A launch, and what the H200 measured.
struct Unseen {
    file: usize,
    kernel: String,
    shape: LaunchShape,
    arguments: Vec<Argument>,
    cycles: f64,
    checksums: Vec<String>,
}

fn launches() -> Vec<Unseen> {
    read("traces/h200/unseen/launches.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(launch)
        .collect()
}

fn launch(line: &str) -> Unseen {
    let [launch, measured, sums] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
    let words: Vec<&str> = launch.split(' ').collect();
    let size = |text: &str| {
        let Dimensions(x, y, z) = parse_dimensions(text).expect("a size");
        [x, y, z]
    };
    Unseen {
        file: FILES.iter().position(|file| *file == words[0]).expect("a file"),
        kernel: words[1].to_owned(),
        shape: LaunchShape { grid: size(words[2]), block: size(words[3]), dynamic_shared_bytes: 0 },
        arguments: words[4..].iter().map(|word| parse_argument(word).expect("an argument")).collect(),
        cycles: measured.split(' ').next().and_then(|cycles| cycles.parse().ok()).expect("cycles"),
        checksums: sums.split(' ').map(str::to_owned).collect(),
    }
}

/// Here by there, and whether every buffer holds what it holds there.
fn compared(programs: &[Program], unseen: &Unseen) -> (f64, bool) {
    let workload = Workload {
        program: &programs[unseen.file],
        kernel: &unseen.kernel,
        shape: unseen.shape,
        arguments: &unseen.arguments,
        buffers: &[],
        symbols: &NO_SYMBOLS,
    };
    let run = simulate(&gpu("h200"), &workload, &no_files, RunOptions::default())
        .unwrap_or_else(|fault| panic!("{}: {fault}", unseen.kernel));
    let names = unseen.arguments.iter().filter_map(|argument| match argument {
        Argument::Buffer { name, .. } => Some(name),
        _ => None,
    });
    let sum = |name: &String| {
        let buffer = run.image.buffer(name).expect("a buffer");
        let bytes = run.image.read_bytes(buffer.base, buffer.bytes / 4 * 4).expect("its bytes");
        let words = bytes.as_chunks::<4>().0.iter().map(|&word| u64::from(u32::from_le_bytes(word)));
        let sum =
            words.fold(0xcbf2_9ce4_8422_2325, |sum: u64, word| (sum ^ word).wrapping_mul(0x0100_0000_01b3));
        format!("{sum:016x}")
    };
    let is_right = names.map(sum).eq(unseen.checksums.iter().cloned());
    (run.outcome.counters.elapsed_cycles as f64 / unseen.cycles, is_right)
}

fn need(unseen: &Unseen) -> Need {
    Need { cost: unseen.cycles as u64, memory_bytes: 16 << 20 }
}

/// The mean error of the launches of each batch, whose values are those of the H200.
fn errors(programs: &[Program]) -> [String; 4] {
    let launches = launches();
    assert_eq!(launches.len(), 263);
    let compared = on_all_of(&launches, need, |unseen| compared(programs, unseen));
    let wrong: Vec<&str> =
        launches.iter().zip(&compared).filter(|(_, it)| !it.1).map(|(it, _)| it.kernel.as_str()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    BATCHES.map(|batch| {
        let of = launches.iter().zip(&compared).filter(|(unseen, _)| batch.contains(&unseen.file));
        let errors: Vec<f64> = of.map(|(_, (ratio, _))| (ratio - 1.0).abs()).collect();
        format!("{:.2} %", errors.iter().sum::<f64>() / errors.len() as f64 * 100.0)
    })
}

#[test]
fn unseen_kernels_take_as_long_as_on_an_h200_to_four_percent_from_machine_code() {
    let programs = FILES.map(|file| listing(&format!("traces/h200/unseen/{file}.sass")));
    assert_eq!(errors(&programs), ["4.01 %", "3.88 %", "3.24 %", "3.96 %"]);
}

#[test]
fn unseen_kernels_take_as_long_as_on_an_h200_to_ten_percent_from_ptx() {
    let programs = FILES.map(|file| compile(&gpu("h200"), &format!("traces/h200/unseen/{file}.ptx")));
    assert_eq!(errors(&programs), ["5.55 %", "6.86 %", "8.53 %", "6.80 %"]);
}

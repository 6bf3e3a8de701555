//! Launches as programs have them: structs, pointers, variables, types of elements, files, and what is refused.

use crate::common::warplab;
use snapbox::str;
use std::path::{Path, PathBuf};
use warplab_run::npy;

/// A file in the folder of temporary files of the tests.
fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn a_kernel_is_refused_on_machines_whose_warps_have_neither_32_nor_64_lanes() {
    let run = "run scale.ptx --grid 1 --block 64 --arg buffer:x:256:zero --arg f32:2";
    let sixteen = "--set limits.warp_lanes=16 --set limits.threads=1024";
    warplab(&format!("{run} {sixteen}")).code(2).stdout_eq("").stderr_eq(str![[r#"
error: NVIDIA H200 cannot run kernels: it has warps of 16 lanes, and only warps of 32 or 64 are simulated; see 'warplab gpu list'

"#]]);
    for gpu in ["mi100", "mi250x", "hd5870", "gt200"] {
        warplab(&format!("{run} --gpu {gpu} --section launch")).success();
    }
}

#[test]
fn grids_beyond_the_machine_are_refused_with_its_limits() {
    let run = |grid: &str| {
        warplab(&format!("run scale.ptx --grid {grid} --block 32 --arg buffer:x:128:zero --arg f32:2"))
    };
    run("1,65536").code(2).stdout_eq("").stderr_eq(str![[r#"
error: scale: a grid of 1 x 65536 x 1 blocks; NVIDIA H200 allows at most 2147483647 x 65535 x 65535

"#]]);
    run("4294967295,4294967295,4294967295").code(2).stdout_eq("").stderr_eq(str![[r#"
error: scale: a grid of 4294967295 x 4294967295 x 4294967295 blocks; NVIDIA H200 allows at most 2147483647 x 65535 x 65535

"#]]);
    warplab("run scale.ptx --grid 1 --block 65536,65536,65536 --arg buffer:x:128:zero --arg f32:2")
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: scale: a block of 65536 x 65536 x 65536 = 281474976710656 threads; NVIDIA H200 allows 1024

"#]]);
    let experiment = temporary("grid.ron");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/scale.ron");
    let text = format!(
        r#"(title: "t", source: "s", why: "w", kind: launch,
            set: {{"launch": "{data}", "grid": "65536,65536,65536"}},
            columns: [(name: "c", of: "{{sm__cycles_elapsed.max}}")])"#
    );
    std::fs::write(&experiment, text).unwrap();
    let results = temporary("grid.jsonl");
    let line = format!("experiment {} --results {}", experiment.display(), results.display());
    warplab(&line).code(2).stdout_eq("").stderr_eq(str![[r#"
error: [..]scale: a grid of 65536 x 65536 x 65536 blocks; Toy allows at most 2147483647 x 65535 x 65535

"#]]);
}

#[test]
fn a_grid_of_two_to_the_64_blocks_is_refused_by_correlate_too() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/reference");
    let folder = temporary("huge_grid");
    std::fs::create_dir_all(&folder).unwrap();
    let first = |name: &str| {
        let text = std::fs::read_to_string(data.join(name)).unwrap();
        text.lines().next().unwrap().to_owned() + "\n"
    };
    let case = first("tiny.cases.jsonl").replace("[16,1,1]", "[4194304,2097152,2097152]");
    std::fs::write(folder.join("huge.cases.jsonl"), case).unwrap();
    std::fs::write(folder.join("huge.metrics.csv"), first("tiny.metrics.csv")).unwrap();
    std::fs::copy(data.join("tiny.ptx"), folder.join("huge.ptx")).unwrap();
    let told = warplab(&format!("correlate {} huge --gpu toy -q", folder.display())).code(1);
    let told = told.get_output();
    let text = [told.stdout.as_slice(), &told.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let expected =
        "scale: a grid of 4194304 x 2097152 x 2097152 blocks; Toy allows at most 2147483647 x 65535 x 65535";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn the_sum_of_all_buffers_counts_against_the_memory_of_the_machine() {
    warplab(
        "run scale.ptx --grid 1 --block 32 --arg buffer:x:140GiB:zero --arg f32:2 --buffer y:140GiB:zero --buffer z:140GiB:zero",
    )
    .code(2)
    .stdout_eq("")
    .stderr_eq(str![[r#"
error: with 'y' the buffers have 300647710720 bytes in all; the machine has 150323855360

"#]]);
}

#[test]
fn a_kernel_that_never_ends_but_keeps_writing_ends_with_the_name_of_the_flag() {
    let run = "run writes_forever.ptx --grid 1 --block 32 --gpu toy --arg buffer:out:4:zero";
    warplab(&format!("{run} --max-cycles 20000")).code(1).stdout_eq("").stderr_eq(str![[r#"
error: writes_forever: not done after 20000 cycles (0 of 1 blocks have ended)
  block 0 warp 0 waits at [..] (line [..]

"#]]);
    if std::env::var_os("WARPLAB_LONG").is_some() {
        warplab(run).code(1).stdout_eq("").stderr_eq(str![[r#"
error: writes_forever: not done after 100000000 warp instructions without a block that came or ended (0 of 1 blocks have ended)
  this is the limit where none is given; --max-cycles N, or max_cycles in the file, sets another
  block 0 warp 0 waits at [..] (line [..]

"#]]);
    }
}

#[test]
fn structs_pointers_null_narrow_numbers_and_variables_come_from_a_launch_file() {
    warplab("run arguments.ron --section launch").success().stderr_eq("").stdout_eq(str![[r#"
  lab::take(Pair, unsigned char, short, void*) (1, 1, 1)x(1, 1, 1), Context 1, Stream 7, Device 0 (Toy), CC 9.0
...
expectation out: ok (5 elements, compared exactly)

"#]]);
}

const ARGUMENTS: [&str; 20] = [
    "run",
    "arguments.ptx",
    "--kernel",
    "take",
    "--grid",
    "1",
    "--block",
    "1",
    "--gpu",
    "toy",
    "--buffer",
    "out:5xi32:index",
    "--arg",
    "struct:{pointer:out+8;f32:2.5;i32:-1000}",
    "--arg",
    "u8:200",
    "--arg",
    "i16:-30",
    "--arg",
    "null",
];

#[test]
fn the_same_comes_from_the_command_line_and_its_result_can_be_kept() {
    let (npy_file, raw) = (temporary("out.npy"), temporary("out.bin"));
    let line = format!(
        "{} --symbol factors=array:f32:1,4 --symbol bias=u32:7 --save out={} --save out={}",
        ARGUMENTS.join(" "),
        npy_file.display(),
        raw.display()
    );
    warplab(&line).success();
    let expected: Vec<u8> = [0_i32, 1, -823, 10, 0].iter().flat_map(|number| number.to_le_bytes()).collect();
    assert_eq!(std::fs::read(&raw).unwrap(), expected);
    let bytes = std::fs::read(&npy_file).unwrap();
    let array = npy::read(&bytes).unwrap();
    assert_eq!((array.descriptor.as_str(), array.count, array.data), ("<i4", 5, &expected[..]));
    // What was written is read again, as the same type only.
    let again = |size: &str| {
        let line = line.replace("out:5xi32:index", &format!("out:{size}:file:{}", npy_file.display()));
        warplab(&line)
    };
    again("5xi32").success();
    again("5xf32").code(2).stderr_eq(str![[r#"
error: [..]out.npy has elements of i32, the buffer of f32

"#]]);
}

#[test]
fn a_struct_that_is_too_short_is_refused() {
    let line = ARGUMENTS.join(" ").replace(";i32:-1000", "");
    warplab(&line.replace("f32:2.5", "")).code(2).stdout_eq("").stderr_eq(str![[r#"
error: argument 1 of kernel '_ZN3lab4takeE4PairhsPv' is a struct of 8 bytes, but its parameter takes 16 (pair: b8[16])

"#]]);
}

#[test]
fn values_of_variables_that_are_none_or_have_another_size_are_refused() {
    let with = |symbol: &str| warplab(&format!("{} --symbol {symbol}", ARGUMENTS.join(" ")));
    with("baes=u32:7").code(2).stdout_eq("").stderr_eq(str![[r#"
error: the program has no variable 'baes'; did you mean 'bias'? known: bias, factors

"#]]);
    with("factors=f32:1").code(2).stdout_eq("").stderr_eq(str![[r#"
error: the value of 'factors' has 4 bytes, but the variable takes 8

"#]]);
}

#[test]
fn a_buffer_to_save_that_is_not_there_is_refused_before_the_run() {
    warplab(&format!("{} --save ouy=x.npy", ARGUMENTS.join(" "))).code(2).stdout_eq("").stderr_eq(str![[
        r#"
error: --save: there is no buffer 'ouy'; did you mean 'out'? known: out, bias

"#
    ]]);
    warplab("run scale.ron --save x=x.txt").code(2).stdout_eq("").stderr_eq(str![[r#"
error: invalid value 'x=x.txt' for '--save <NAME=FILE>': 'x.txt' ends neither in .npy nor in .bin (the bytes alone)

For more information, try '--help'.

"#]]);
}

#[test]
fn arguments_for_nvcc_are_for_cuda_sources() {
    warplab("run scale.ptx --grid 1 --block 32 --nvcc-arg=-DN=4").code(2).stdout_eq("").stderr_eq(str![[
        r#"
error: scale.ptx: arguments for nvcc are for .cu files

"#
    ]]);
}

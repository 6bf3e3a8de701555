//! Damaged inputs of every kind: ten thousand each, always the same, and more with `WARPLAB_LONG=1`
//! (`WARPLAB_MUTATIONS` of each kind). No panic, no hang, no gibibyte.

use rustc_hash::FxHashMap;
use std::fs;
use warplab_config::{load_course, load_gpu, load_lab, load_launch};
use warplab_diagnostics::{Diagnostic, Source, render};
use warplab_exec::LaunchShape;
use warplab_gpu::{LaunchRequest, prepare};
use warplab_lab::experiment::Results;
use warplab_lab::labs::read_worksheet;
use warplab_lab::{experiment, reference};
use warplab_program::{Program, RefusedKernel, listing};
use warplab_run::{CompileOptions, Fault, compile};
use warplab_sass::read_cubin;
use warplab_tests::experiments::run_text;
use warplab_tests::mutation::{InputKind, survive};
use warplab_tests::{gpu, project_file, read as text};

fn source(name: &str, bytes: &[u8]) -> Source {
    Source::new(name, String::from_utf8_lossy(bytes).into_owned())
}

/// Whether there are no faults; those that are there can be shown.
fn accepted<T>(source: &Source, result: Result<T, Vec<Diagnostic>>) -> bool {
    match result {
        Ok(_) => true,
        Err(faults) => {
            assert!(!faults.is_empty() && !render(source, &faults).is_empty());
            false
        }
    }
}

fn accepted_or_fault<T>(result: Result<T, Fault>) -> bool {
    match result {
        Ok(_) => true,
        Err(fault) => {
            assert!(!fault.to_string().is_empty());
            false
        }
    }
}

/// Files of the project as bytes.
fn files(paths: &[&str]) -> Vec<Vec<u8>> {
    let read = |path: &&str| fs::read(project_file(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    paths.iter().map(read).collect()
}

/// Every file of a folder with this ending, if it is not longer than so many bytes.
fn folder(path: &str, ending: &str, most: usize) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> =
        fs::read_dir(project_file(path)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let texts = paths
        .iter()
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .map(|path| fs::read(path).unwrap());
    texts.filter(|text| text.len() <= most).collect()
}

/// Parts of a text, with what all of them need before them.
fn parts(path: &str, mark: &str, most: usize) -> Vec<Vec<u8>> {
    let text = text(path);
    let (head, _) = text.split_once(mark).unwrap();
    let parts = text.split(mark).skip(1).filter(|part| part.len() < most);
    parts.map(|part| format!("{head}{mark}{part}").into_bytes()).collect()
}

/// The first lines of a text.
fn head(path: &str, lines: usize) -> Vec<u8> {
    text(path).split_inclusive('\n').take(lines).collect::<String>().into_bytes()
}

/// Decodes the kernels of a program for a machine, as a launch does.
fn decode(program: &Program, config: &warplab_config::GpuConfig) {
    for kernel in &program.kernels {
        let symbols = FxHashMap::default();
        let shape = LaunchShape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 };
        let launch =
            LaunchRequest { program, kernel: &kernel.name, shape, parameters: &[], symbols: &symbols };
        if let Err(fault) = prepare(config, &launch) {
            assert!(!fault.to_string().is_empty());
        }
    }
}

const PTX_WORDS: &[&str] = &[
    ".v4",
    ".param",
    "0f",
    ".reg .b32 x<9>;",
    "%r1",
    "%p1",
    "bra",
    "mov.u32 %r1, %r1;",
    ".shared",
    ".local",
    ".u64",
    "setp.ne.s32",
    ".align 8",
    "call",
    "ret;",
    "$L__BB0_1",
    "@%p1",
    "ld.global.v4.u32",
    ".sat",
    ".f16x2",
    "{1,2}",
];

#[test]
fn damaged_ptx_is_a_fault_and_nothing_worse() {
    let config = gpu("h200");
    let mut seeds = parts("traces/h200/suite.ptx", ".visible .entry ", 3000);
    seeds.extend(files(&["configs/kernels/saxpy.ptx", "configs/kernels/reduction.ptx"]));
    let read = |bytes: &[u8]| {
        let source = source("damaged.ptx", bytes);
        let parsed = warplab_ptx::parse(&source);
        assert!(parsed.diagnostics.len() <= warplab_ptx::MAX_DIAGNOSTICS + 1);
        let _ = warplab_ptx::print(&parsed.module);
        let compiled = compile(&source, &config, CompileOptions::default());
        if let Ok((lowered, _)) = &compiled {
            decode(&lowered.program, &config);
        }
        accepted(&source, compiled)
    };
    survive(&InputKind { name: "ptx", seeds, words: PTX_WORDS, read: &read });
}

const LISTING_WORDS: &[&str] = &[
    ".kernel",
    ".registers",
    ".parameter",
    ".local",
    ".barriers",
    "offset=",
    "RZ",
    "PT",
    "R254",
    "UR62",
    "IMAD",
    ".WIDE",
    "BRA",
    "c[0x0][0x160]",
    "[R2.64+0x10]",
    "S2R",
    "LDG.E.128",
    "@!P0",
    "DEPBAR",
    "CALL",
];

#[test]
fn a_damaged_listing_is_a_fault_and_nothing_worse() {
    let config = gpu("h200");
    let mut seeds = parts("traces/h200/suite.sass", ".kernel ", 4000);
    let small =
        read_cubin(&files(&["crates/sass/tests/small.cubin"])[0], &text("crates/sass/tests/small.json"));
    seeds.push(listing::write(&small.unwrap()).into_bytes());
    let read = |bytes: &[u8]| {
        let source = source("damaged.sass", bytes);
        let (program, mut faults) = listing::read(&source);
        let _ = listing::write(&program);
        if faults.is_empty() {
            decode(&program, &config);
        }
        faults.extend(program.refused.iter().flat_map(RefusedKernel::faults));
        accepted(&source, if faults.is_empty() { Ok(()) } else { Err(faults) })
    };
    survive(&InputKind { name: "listing", seeds, words: LISTING_WORDS, read: &read });
}

#[test]
fn a_damaged_cubin_is_a_fault_and_nothing_worse() {
    let json = [text("crates/sass/tests/small.json"), text("crates/sass/tests/linked.json")];
    let seeds = files(&["crates/sass/tests/small.cubin", "crates/sass/tests/linked.cubin"]);
    let read = |bytes: &[u8]| {
        // Which of the two it was made from is not known any more: one of them fits.
        let programs: Vec<_> = json.iter().filter_map(|json| read_cubin(bytes, json).ok()).collect();
        programs.iter().for_each(|program| drop(listing::write(program)));
        programs.iter().any(|program| program.refused.is_empty())
    };
    survive(&InputKind { name: "cubin", seeds, words: &[], read: &read });
}

#[test]
fn a_damaged_disassembly_is_a_fault_and_nothing_worse() {
    let cubins = files(&["crates/sass/tests/small.cubin", "crates/sass/tests/linked.cubin"]);
    let seeds = files(&["crates/sass/tests/small.json", "crates/sass/tests/linked.json"]);
    let read = |bytes: &[u8]| {
        let json = String::from_utf8_lossy(bytes);
        cubins.iter().any(|cubin| read_cubin(cubin, &json).is_ok_and(|program| program.refused.is_empty()))
    };
    survive(&InputKind { name: "nvdisasm-json", seeds, words: LISTING_WORDS, read: &read });
}

const RON_WORDS: &[&str] = &[
    "x[i]",
    "true",
    "1e",
    "0x",
    "r#\"",
    "hash_f32(1)",
    "buffer",
    "kib",
    "name",
    "formula",
    "i64",
    "\"a\": ",
    "*/",
];

#[test]
fn a_damaged_machine_is_a_fault_and_nothing_worse() {
    let seeds = files(&["configs/gpus/toy.ron", "configs/gpus/textbook.ron", "configs/gpus/fermi.ron"]);
    let read = |bytes: &[u8]| {
        let source = source("damaged.ron", bytes);
        accepted(&source, load_gpu(&source))
    };
    survive(&InputKind { name: "machine", seeds, words: RON_WORDS, read: &read });
}

#[test]
fn a_damaged_launch_is_a_fault_and_nothing_worse() {
    let read = |bytes: &[u8]| {
        let source = source("damaged.ron", bytes);
        accepted(&source, load_launch(&source))
    };
    survive(&InputKind {
        name: "launch",
        seeds: folder("configs/launches", ".ron", 4000),
        words: RON_WORDS,
        read: &read,
    });
}

#[test]
fn a_damaged_experiment_is_a_fault_and_nothing_worse() {
    let words = &[
        "sum(k, 10, k)",
        "axes",
        "at(x, n, 1)",
        "{n}",
        "{gpu.l2.kib}",
        "log2(",
        "when",
        "kind: formula",
        "plots",
    ];
    let read = |bytes: &[u8]| {
        let source = source("damaged.ron", bytes);
        let loaded = experiment::load(&source);
        if let Ok(experiment) = &loaded {
            for point in experiment.points(false).iter().take(2) {
                let _ = experiment.settings(point);
            }
        }
        accepted_or_fault(loaded)
    };
    let seeds = folder("configs/experiments", ".ron", 3500);
    survive(&InputKind { name: "experiment", seeds, words, read: &read });
}

#[test]
fn a_damaged_course_is_a_fault_and_nothing_worse() {
    let text = text("configs/course/rows.ron");
    let seed = text.split_inclusive("),\n").take(6).collect::<String>() + "])";
    let read = |bytes: &[u8]| {
        let source = source("damaged.ron", bytes);
        accepted(&source, load_course(&source))
    };
    survive(&InputKind { name: "course", seeds: vec![seed.into_bytes()], words: RON_WORDS, read: &read });
}

/// The shipped labs.
fn labs() -> Vec<Vec<u8>> {
    files(
        &["1-latency", "2-schedulers", "3-dependences"]
            .map(|lab| format!("configs/labs/{lab}/lab.ron"))
            .each_ref()
            .map(String::as_str),
    )
}

#[test]
fn a_damaged_lab_is_a_fault_and_nothing_worse() {
    let words =
        &["copy: Some(\"x\")", "runs", "metric(\"x\")", "\"../../x\"", "at_least: Some(1)", "least", "warps"];
    let read = |bytes: &[u8]| {
        let source = source("lab.ron", bytes);
        accepted(&source, load_lab(&source))
    };
    survive(&InputKind { name: "lab", seeds: labs(), words, read: &read });
}

#[test]
fn a_damaged_worksheet_is_a_fault_and_nothing_worse() {
    let names = ["1-latency", "2-schedulers", "3-dependences"]
        .map(|lab| format!("configs/labs/{lab}/solution/worksheet.ron"));
    let labs: Vec<_> = labs().iter().map(|text| load_lab(&source("lab.ron", text)).unwrap()).collect();
    let read = |bytes: &[u8]| {
        let source = source("worksheet.ron", bytes);
        // Each lab reads it, whatever the first one says.
        let good = labs.iter().filter(|lab| accepted(&source, read_worksheet(&source, lab)));
        good.count() > 0
    };
    let seeds = files(&names.each_ref().map(String::as_str));
    survive(&InputKind {
        name: "worksheet",
        seeds,
        words: &["predictions", "changes", "Some(5)", "\"rank(age)\"", "\"lrr\""],
        read: &read,
    });
}

const CASES: &str = "traces/h200/micro.cases.jsonl";
const METRICS: &str = "traces/h200/micro.metrics.csv";

#[test]
fn damaged_cases_are_a_fault_and_nothing_worse() {
    let metrics = source("metrics.csv", &head(METRICS, 1));
    let words = &[
        "\"init\":\"chain\"",
        "\"stride\":0",
        "\"bytes\":",
        "\"checksums\":{}",
        "\"args\":[]",
        "null",
        "[0,0,0]",
    ];
    let read = |bytes: &[u8]| accepted_or_fault(reference::read(&source("cases.jsonl", bytes), &metrics));
    survive(&InputKind {
        name: "cases",
        seeds: vec![head(CASES, 4), head("traces/h200/suite.cases.jsonl", 3)],
        words,
        read: &read,
    });
}

#[test]
fn damaged_metrics_are_a_fault_and_nothing_worse() {
    let cases = source("cases.jsonl", &head(CASES, 4));
    let words = &["inf", "NaN", ",,", "case,kernel", "\"\"", "\r\n", "nan"];
    let read = |bytes: &[u8]| accepted_or_fault(reference::read(&cases, &source("metrics.csv", bytes)));
    survive(&InputKind { name: "metrics", seeds: vec![head(METRICS, 3)], words, read: &read });
}

#[test]
fn damaged_points_cost_no_more_than_their_lines() {
    let text = text("configs/experiments/occupancy_registers.ron");
    let (_, lines) = run_text(&text, &Results::default(), &[]).unwrap();
    let whole = lines.lines().count();
    let seed: String = lines.split_inclusive('\n').take(whole.min(8)).collect();
    let whole = seed.lines().count();
    let read = |bytes: &[u8]| {
        let found = Results::read(bytes).len();
        assert!(found <= whole);
        found == whole
    };
    survive(&InputKind {
        name: "points",
        seeds: vec![seed.into_bytes()],
        words: &["\"values\":{}", "\"hash\":\"", "null"],
        read: &read,
    });
}

#[test]
fn a_broken_line_of_points_costs_one_point() {
    let text = text("configs/experiments/occupancy_registers.ron");
    let (_, lines) = run_text(&text, &Results::default(), &[]).unwrap();
    let whole = Results::read(lines.as_bytes()).len();
    for at in (0..lines.len()).filter(|&at| lines.as_bytes()[at] != b'\n').step_by(7) {
        let mut bytes = lines.clone().into_bytes();
        bytes[at] ^= 0x80;
        assert_eq!(Results::read(&bytes).len(), whole - 1, "byte {at}");
    }
}

#[test]
fn a_barrier_that_no_block_has_is_a_fault() {
    for (number, good) in [(15, true), (16, false), (u32::MAX, false)] {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {{ bar.sync {number}; ret; }}\n"
        );
        let compiled = compile(&Source::new("bar.ptx", text), &gpu("h200"), CompileOptions::default());
        assert_eq!(compiled.is_ok(), good, "{number}");
    }
}

#[test]
fn a_parameter_at_the_end_of_numbers_is_a_fault() {
    let whole = String::from_utf8(parts("traces/h200/suite.sass", ".kernel ", 4000).remove(0)).unwrap();
    let (before, after) = whole.split_once("offset=0").unwrap();
    for offset in ["4294967295", "4294967296"] {
        let source = Source::new("far.sass", format!("{before}offset={offset}{after}"));
        let (program, faults) = listing::read(&source);
        if faults.is_empty() {
            decode(&program, &gpu("h200"));
        }
    }
}

//! Runs every quick case of a hardware reference folder and compares checksums: for people who have the folder at
//! hand. `WARPLAB_REFERENCE=traces/h200 cargo test -p warplab-exec --test hardware -- --ignored --nocapture`
#![allow(clippy::print_stdout, missing_docs)]

use rustc_hash::FxHashMap;
use warplab_diagnostics::Source;
use warplab_exec::interpreter::{Limits, run};
use warplab_exec::{Init, LaunchShape, MemoryImage};
use warplab_program::listing::read;

fn number(text: &str, key: &str) -> Option<u64> {
    let start = text.find(&format!("\"{key}\":"))? + key.len() + 3;
    let rest = &text[start..];
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

fn string<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let start = text.find(&format!("\"{key}\":\""))? + key.len() + 4;
    text[start..].split('"').next()
}

fn triple(text: &str, key: &str) -> [u32; 3] {
    let start = text.find(&format!("\"{key}\":[")).unwrap() + key.len() + 4;
    let mut parts = text[start..].split(']').next().unwrap().split(',').map(|part| part.parse().unwrap());
    std::array::from_fn(|_| parts.next().unwrap())
}

fn init(text: &str) -> Init {
    let seed = number(text, "seed").unwrap_or(0) as u32;
    match string(text, "init").unwrap() {
        "index_u32" => Init::IndexU32,
        "hash_f32" => Init::HashF32 { seed },
        "hash_i32" => Init::HashI32 { seed },
        "chain" => Init::Chain { stride: number(text, "stride").unwrap() as u32 },
        _ => Init::Zero,
    }
}

#[test]
#[ignore = "needs the folder of the hardware reference"]
fn every_quick_case_gives_the_checksums_of_the_hardware() {
    let folder = std::env::var("WARPLAB_REFERENCE").expect("WARPLAB_REFERENCE names the folder");
    let limit: u64 = std::env::var("WARPLAB_LIMIT").map_or(2_000_000, |limit| limit.parse().unwrap());
    let filter = std::env::var("WARPLAB_CASE").unwrap_or_default();
    let file = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
    let (program, faults) = read(&Source::new("suite.sass.txt", file("suite.sass.txt")));
    faults.iter().take(10).for_each(|fault| println!("listing: {fault:?}"));
    let metrics: FxHashMap<String, (u64, u64)> = file("suite.metrics.csv")
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            (fields[0].to_owned(), (fields[5].parse().unwrap_or(0), fields[7].parse().unwrap_or(0)))
        })
        .collect();
    let (mut right, mut wrong) = (0, 0);
    for line in file("suite.cases.jsonl").lines() {
        let case = string(line, "case").unwrap();
        let expected_instructions = metrics.get(case).copied();
        if expected_instructions.is_some_and(|(count, _)| count > limit) || !case.contains(&filter) {
            continue;
        }
        let Some(kernel) = program.kernel(string(line, "kernel").unwrap()) else {
            println!("{case}: no kernel");
            continue;
        };
        let mut kernel = kernel.clone();
        kernel.static_shared_bytes = 48 << 10;
        let shape = LaunchShape {
            grid: triple(line, "grid"),
            block: triple(line, "block"),
            dynamic_shared_bytes: number(line, "dynamic_shared_bytes").unwrap() as u32,
        };
        let mut image = MemoryImage::new();
        let mut parameters: Vec<u8> = Vec::new();
        let arguments = line.split("\"args\":[").nth(1).unwrap().split("],\"checksums\"").next().unwrap();
        for argument in arguments.split("},{") {
            if let Some(name) = string(argument, "buffer") {
                let base = image.allocate(name, number(argument, "bytes").unwrap(), init(argument));
                parameters.resize(parameters.len().next_multiple_of(8), 0);
                parameters.extend(base.0.to_le_bytes());
            } else if let Some(start) = argument.find("\"i32\":") {
                let text = argument[start + 6..].trim_end_matches('}');
                parameters.extend(text.parse::<i32>().unwrap().to_le_bytes());
            }
        }
        let limits = Limits { block_instructions: 50_000_000, ..Limits::default() };
        let started = std::time::Instant::now();
        let result = run(&program, &kernel, shape, &parameters, &FxHashMap::default(), &image, limits);
        let elapsed = started.elapsed();
        let statistics = match result {
            Ok(statistics) => statistics,
            Err(fault) => {
                println!("{case}: FAULT {fault}");
                wrong += 1;
                continue;
            }
        };
        let checksums = line.split("\"checksums\":{").nth(1).unwrap().split('}').next().unwrap();
        let mut verdict = "right";
        for entry in checksums.split("],").filter(|entry| !entry.is_empty()) {
            let parts: Vec<&str> = entry.split('"').collect();
            let buffer = image.buffer(parts[1]).unwrap();
            let (sum, xor) = image.checksum(buffer, 0..buffer.words());
            if (format!("{sum:016x}"), format!("{xor:016x}")) != (parts[3].to_owned(), parts[5].to_owned()) {
                verdict = "WRONG";
            }
        }
        if checksums.is_empty() {
            verdict = "ran";
        }
        *(if verdict == "WRONG" { &mut wrong } else { &mut right }) += 1;
        let count = (statistics.warp_instructions, statistics.thread_instructions);
        let same = expected_instructions.map_or(String::new(), |expected| {
            if expected == count { " same count".to_owned() } else { format!(" hardware {expected:?}") }
        });
        println!(
            "{case}: {verdict}, {count:?} warp and thread instructions{same}, {:.0} ns each",
            elapsed.as_nanos() as f64 / count.0 as f64
        );
    }
    println!("{right} right, {wrong} wrong");
    assert_eq!(wrong, 0);
}

//! Instructions executed and registers, lowered beside the hardware, for every quick case of the reference:
//! `cargo run --release -p warplab-lower --example compare [SUITE [LIMIT [FILTER]]]`.
#![allow(clippy::print_stdout, missing_docs)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{cases, lowered, run_case, text};
use warplab_lower::{Options, Pass, PassSet};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let suites: Vec<&str> = match arguments.first().map(String::as_str) {
        None | Some("all") => vec!["suite", "micro"],
        Some(one) => vec![one],
    };
    let limit: f64 = arguments.get(1).and_then(|it| it.parse().ok()).unwrap_or(2e6);
    let filter = arguments.get(2).cloned().unwrap_or_default();
    let options = Options { dump: PassSet::none().with(Pass::Control), ..common::options() };
    let mut rows: Vec<(String, f64, f64)> = Vec::new();
    let (mut right, mut wrong) = (0, 0);
    for suite in suites {
        let lowered = lowered(&format!("{suite}.ptx"), text(&format!("{suite}.ptx")), &options);
        for case in cases(suite) {
            let Some(expected) = case.instructions.filter(|&count| count <= limit) else { continue };
            if !case.name.contains(&filter) {
                continue;
            }
            let registers = case.registers.unwrap_or(0.0);
            let ours = lowered.program.kernel(&case.kernel).map_or(0, |kernel| kernel.registers);
            match run_case(&lowered.program, &case) {
                Ok(outcome) => {
                    let verdict = if outcome.wrong.is_empty() { "right" } else { "WRONG" };
                    *(if outcome.wrong.is_empty() { &mut right } else { &mut wrong }) += 1;
                    let count = outcome.warp_instructions as f64;
                    let rounded = f64::from(ours.max(16));
                    let (a, b) = (count / expected - 1.0, rounded / registers - 1.0);
                    println!(
                        "{:34} {verdict} instructions {count:9} / {expected:9} {:+6.1} %  registers {ours:3} / {registers:3} {:+6.1} %",
                        case.name,
                        a * 100.0,
                        b * 100.0
                    );
                    rows.push((case.name, a, b));
                }
                Err(fault) => {
                    wrong += 1;
                    println!("{:34} FAULT {fault}", case.name);
                }
            }
        }
    }
    let mean =
        |values: Vec<f64>| 100.0 * values.iter().map(|it| it.abs()).sum::<f64>() / values.len().max(1) as f64;
    println!("{right} right, {wrong} wrong");
    println!(
        "mean absolute error: instructions {:.1} %, registers {:.1} %",
        mean(rows.iter().map(|it| it.1).collect()),
        mean(rows.iter().map(|it| it.2).collect())
    );
}

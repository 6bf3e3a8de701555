//! The files that nvcc wrote for the hardware reference.

use warplab_diagnostics::{Source, render};
use warplab_ptx::tree::{Block, Statement};
use warplab_ptx::{parse, print};

fn read(name: &str) -> Source {
    let path = format!("{}/../../traces/h200/{name}", env!("CARGO_MANIFEST_DIR"));
    Source::new(name, std::fs::read_to_string(path).expect("the reference files are part of the repository"))
}

fn instructions(block: &Block) -> usize {
    let count = |statement: &Statement| match statement {
        Statement::Instruction(_) => 1,
        Statement::Block(inner) => instructions(inner),
        _ => 0,
    };
    block.statements.iter().map(count).sum()
}

fn check(name: &str, entries: usize, expected: usize) {
    let source = read(name);
    let parsed = parse(&source);
    assert_eq!(render(&source, &parsed.diagnostics), "");
    assert_eq!(parsed.module.entries().count(), entries);
    let bodies = parsed.module.functions().filter_map(|function| function.body.as_ref());
    assert_eq!(bodies.map(instructions).sum::<usize>(), expected);
    let again = parse(&Source::new("printed", print(&parsed.module)));
    assert_eq!(again.diagnostics, []);
    assert_eq!(again.module, parsed.module);
}

#[test]
fn the_suite_reads_without_a_fault_and_round_trips() {
    check("suite.ptx", 92, 6462);
}

#[test]
fn the_microbenchmarks_read_without_a_fault_and_round_trip() {
    check("micro.ptx", 41, 24377);
}

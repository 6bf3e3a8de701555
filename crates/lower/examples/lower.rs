//! PTX to a listing: `cargo run -p warplab-lower --example lower FILE [KERNEL [PASS]]`.
#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

#[path = "../tests/common/mod.rs"]
mod common;

use warplab_diagnostics::{Source, render};
use warplab_lower::{Options, Pass, PassSet, lower};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(file) = arguments.first() else { return eprintln!("usage: lower FILE [KERNEL [PASS]]") };
    let Ok(text) = std::fs::read_to_string(file) else { return eprintln!("cannot read {file}") };
    let source = Source::new(file, text);
    let parsed = warplab_ptx::parse(&source);
    print!("{}", render(&source, &parsed.diagnostics));
    let dump = arguments
        .get(2)
        .and_then(|name| Pass::from_name(name))
        .map_or(PassSet::none(), |it| PassSet::none().with(it));
    match lower(&parsed.module, &source, &Options { dump, ..common::options() }) {
        Err(faults) => print!("{}", render(&source, &faults)),
        Ok(lowered) => {
            let wanted = |name: &str| arguments.get(1).is_none_or(|it| it == name);
            for entry in lowered.log.iter().filter(|entry| wanted(&entry.kernel)) {
                if let Some(text) = &entry.text {
                    println!("after {}:\n{text}", entry.pass.name());
                }
            }
            for kernel in lowered.program.kernels.iter().filter(|kernel| wanted(&kernel.name)) {
                print!("{}", warplab_program::listing::write_kernel(kernel, &[]));
            }
        }
    }
}

#![allow(missing_docs, clippy::print_stdout)]
#[path = "../tests/common/mod.rs"]
mod common;
use warplab_lower::{Options, lower};
use warplab_diagnostics::Source;
fn main() {
    let file = std::env::args().nth(1).unwrap();
    let all = std::fs::read_to_string(&file).unwrap();
    let (head, rest) = all.split_once(".visible .entry").unwrap();
    for k in rest.split(".visible .entry") {
        let text = format!("{head}.visible .entry{k}");
        let op = k.lines().nth(3).unwrap_or("").trim().to_owned();
        let source = Source::new("t", text);
        let parsed = warplab_ptx::parse(&source);
        for d in parsed.diagnostics.iter().filter(|d| d.is_error()) { println!("PARSE {op}: {}", d.message); }
        match lower(&parsed.module, &source, &Options::default()) {
            Err(f) => println!("LOWER {op}: {}", f[0].message),
            Ok(l) => if let Err(f) = warplab_exec::Code::decode(&l.program.kernels[0]) { for f in f { println!("EXEC {op}: {} : {}", f.instruction, f.message); } }
        }
    }
}

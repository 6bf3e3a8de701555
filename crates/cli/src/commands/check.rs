//! `warplab check FILE`.

use crate::arguments::Isa;
use crate::commands::config;
use crate::failure::{Failure, Outcome};
use crate::terminal::Terminal;
use crate::{machines, roads, sources};
use std::path::Path;
use warplab_diagnostics::{Diagnostic, Severity};
use warplab_lab::{CompileOptions, Language, compile, language};
use warplab_metrics::integer_text;
use warplab_ptx::tree::{Block, Statement};

/// Reports every fault of a file.
pub(crate) fn run(file: &Path, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    if sources::has_extension(file, "ron") {
        return config::check_source(&sources::read(file)?, terminal);
    }
    // Of a CUDA source the PTX is checked, which is what can hold faults of the simulator's own compiler.
    let isa = sources::has_extension(file, "cu").then_some(Isa::Ptx);
    let config = machines::load(machines::DEFAULT, &[])?;
    let source = roads::source(file, isa, &config, terminal)?;
    let (summary, faults) = match language(file, &source.text) {
        Language::Ptx => {
            let parsed = warplab_ptx::parse(&source);
            let kernels: Vec<_> = parsed.module.entries().collect();
            let bodies = parsed.module.functions().filter_map(|function| function.body.as_ref());
            let instructions = bodies.map(instructions).sum();
            let summary = counts("PTX", kernels.len(), instructions);
            if parsed.has_errors() {
                (summary, parsed.diagnostics)
            } else {
                // What cannot be lowered cannot run: that is a fault of the file too.
                let result = compile(&source, &config, CompileOptions::default());
                (summary, result.map_or_else(|faults| faults, |(_, warnings)| warnings))
            }
        }
        Language::Listing => {
            let (program, faults) = warplab_program::listing::read(&source);
            let instructions = program.kernels.iter().map(|kernel| kernel.instructions.len() as u64).sum();
            (counts("a listing", program.kernels.len(), instructions), faults)
        }
    };
    terminal.diagnostics(&source, &faults);
    let count = |severity| faults.iter().filter(|fault| fault.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if faults.iter().any(Diagnostic::is_error) {
        let warnings =
            if warnings == 0 { String::new() } else { format!(", {}", plural(warnings as u64, "warning")) };
        terminal.note(&format!("{}: {}{warnings}", source.name, plural(errors as u64, "error")));
        return Ok(Outcome::Failed);
    }
    terminal.print(&format!("{}: {summary}\n", source.name))?;
    Ok(Outcome::Fine)
}

fn counts(what: &str, kernels: usize, instructions: u64) -> String {
    format!("{what}, {}, {}", plural(kernels as u64, "kernel"), plural(instructions, "instruction"))
}

fn plural(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", integer_text(count), if count == 1 { "" } else { "s" })
}

/// Instructions of a block and of the blocks inside it.
fn instructions(block: &Block) -> u64 {
    let count = |statement: &Statement| match statement {
        Statement::Instruction(_) => 1,
        Statement::Block(inner) => instructions(inner),
        _ => 0,
    };
    block.statements.iter().map(count).sum()
}

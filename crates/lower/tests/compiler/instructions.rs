//! What the table of PTX instructions says of the machine instructions that they become is what the compiler emits.

use crate::common::options;
use crate::forms::{lines, module};
use std::collections::BTreeSet;
use warplab_diagnostics::Source;
use warplab_lower::{LowerOptions, PassSet, describe, lower_some};
use warplab_program::{Guard, Instruction, Opcode as Machine};
use warplab_ptx::tree::Opcode;

/// How many forms of an instruction there are and how many compile, and the machine instructions that they become.
fn emitted(opcode: Opcode) -> (usize, usize, BTreeSet<&'static str>) {
    let lines = lines(opcode);
    let source = Source::new("forms.ptx", module(&lines));
    let parsed = warplab_ptx::parse(&source);
    let options = LowerOptions { passes: PassSet::none(), ..options() };
    let lowered = lower_some(&parsed.module, &source, &options, &|_| true).expect("no fault of variables");
    let kernels = lowered.program.kernels;
    let all = kernels.iter().flat_map(|kernel| own(opcode, &kernel.instructions)).map(|it| it.opcode);
    // What a branch goes around.
    let branches = matches!(opcode, Opcode::Bra | Opcode::Brx);
    let names: BTreeSet<_> =
        all.filter(|&it| !(branches && it == Machine::Membar)).map(Machine::name).collect();
    (lines.len(), kernels.len(), names)
}

/// What an instruction became: the kernel's own code, without the load of the stack pointer in front and the end. A `ret`
/// is the end, of the kernel or of the function that it calls.
fn own(opcode: Opcode, instructions: &[Instruction]) -> &[Instruction] {
    if opcode == Opcode::Ret {
        return &instructions[instructions.len() - 1..];
    }
    let is_end = |it: &Instruction| it.opcode == Machine::Exit && it.guard == Guard::ALWAYS;
    let end = instructions.iter().position(is_end).unwrap_or(instructions.len());
    &instructions[1..end]
}

#[test]
fn the_table_names_exactly_what_the_forms_of_an_instruction_become() {
    let mut wrong = Vec::new();
    for &opcode in Opcode::ALL {
        let (forms, compiled, emitted) = emitted(opcode);
        let claimed: BTreeSet<_> = describe(opcode).machine.iter().map(|it| it.name()).collect();
        let missing: Vec<_> = emitted.difference(&claimed).collect();
        let idle: Vec<_> = claimed.difference(&emitted).collect();
        if !missing.is_empty() || !idle.is_empty() {
            wrong.push(format!("{opcode}: emitted, not in the table: {missing:?}; never emitted: {idle:?}"));
        }
        assert!(compiled > 0, "{opcode}: {compiled} of {forms} forms compile");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

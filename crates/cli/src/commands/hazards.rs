//! What `warplab run --check-hazards` prints.

use crate::commands::listing::place;
use warplab_program::Kernel;
use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_program::listing::instruction_text;
use warplab_report::{Align, Table};
use warplab_trace::Hazards;

/// The hazards of a run, a row each, and how many there are.
pub(crate) fn text(hazards: &Hazards, kernel: &Kernel, files: &[String]) -> String {
    let reads = hazards.checked_reads;
    if hazards.found.is_empty() {
        return format!("{}: no hazards in {reads} checked reads\n", kernel.name);
    }
    let mut table = Table::new([
        ("address", Align::Right),
        ("instruction", Align::Left),
        ("source", Align::Left),
        ("hazard", Align::Left),
        ("after", Align::Right),
        ("instruction", Align::Left),
        ("times", Align::Right),
    ]);
    let address = |pc: u32| format!("{:04x}", u64::from(pc) * INSTRUCTION_BYTES);
    for (at, hazard) in &hazards.found {
        let instruction = |pc: u32| kernel.instructions.get(pc as usize);
        let text = |pc: u32| instruction(pc).map_or(String::new(), instruction_text);
        table.row([
            address(at.consumer),
            text(at.consumer),
            instruction(at.consumer).map_or(String::new(), |instruction| place(instruction, files)),
            at.reason(hazard),
            address(at.producer),
            text(at.producer),
            hazard.count.to_string(),
        ]);
    }
    let count = hazards.found.len();
    let noun = if count == 1 { "hazard" } else { "hazards" };
    format!("{}{}: {count} {noun} in {reads} checked reads\n", table.text(), kernel.name)
}

//! `warplab listing FILE`.

use crate::arguments::{ListingArguments, Switch};
use crate::commands::stalls;
use crate::failure::{Failure, Outcome};
use crate::machines;
use crate::programs::{self, LoadedProgram, Reading};
use crate::terminal::Terminal;
use warplab_config::GpuConfig;
use warplab_lower::PassLog;
use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_program::listing::{instruction_text, write};
use warplab_program::{Instruction, Kernel, Latency, LatencyTable, Program};
use warplab_report::{Align, Table};

/// Prints the machine program of a file.
pub(crate) fn run(arguments: &ListingArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let config = machines::load(&arguments.gpu, &[])?;
    let passes = arguments.passes.as_deref();
    let fmad = arguments.fmad.map(Switch::is_on);
    let reading = Reading::parse(arguments.isa, passes, arguments.dump_after.as_deref(), fmad)?;
    let wanted = arguments.kernel.as_deref();
    let loaded = programs::load(&arguments.file, &config, reading, wanted, terminal)?;
    let program = &loaded.program;
    let kernels: Vec<&Kernel> = match wanted {
        Some(_) => vec![programs::kernel(&loaded, wanted)?],
        None => readable(arguments, &loaded, terminal)?,
    };
    if arguments.dump_after.is_some() {
        let wanted = |log: &&PassLog| kernels.iter().any(|kernel| kernel.name == log.kernel);
        for log in loaded.log.iter().filter(wanted) {
            let Some(text) = &log.text else { continue };
            terminal.print(&format!("{} after {}:\n{text}\n", log.kernel, log.pass.name()))?;
        }
        return Ok(Outcome::Fine);
    }
    if arguments.stalls {
        let chosen = Program { kernels: kernels.into_iter().cloned().collect(), ..Program::default() };
        terminal.print(&stalls::text(&chosen, &table(&config)))?;
        return Ok(Outcome::Fine);
    }
    if arguments.plain {
        let refused = if wanted.is_some() { Vec::new() } else { program.refused.clone() };
        let kernels = kernels.into_iter().cloned().collect();
        terminal.print(&write(&Program { kernels, refused, ..program.clone() }))?;
        return Ok(Outcome::Fine);
    }
    let latencies = table(&config);
    for (index, kernel) in kernels.into_iter().enumerate() {
        let gap = if index > 0 { "\n" } else { "" };
        terminal.print(&format!("{gap}{}", kernel_text(kernel, program, &latencies)))?;
    }
    Ok(Outcome::Fine)
}

/// The kernels that can be read; the others are named.
fn readable<'a>(
    arguments: &ListingArguments,
    loaded: &'a LoadedProgram,
    terminal: &mut Terminal,
) -> Result<Vec<&'a Kernel>, Failure> {
    let program = &loaded.program;
    if let (true, Some(refused)) = (program.kernels.is_empty(), program.refused.first()) {
        return Err(programs::refusal(&loaded.source, refused));
    }
    if !program.refused.is_empty() {
        let names: Vec<&str> = program.refused.iter().map(|refused| refused.kernel.name.as_str()).collect();
        terminal.note(&format!(
            "note: left out, because they cannot run (see 'warplab check {}'): {}",
            arguments.file.display(),
            names.join(", ")
        ));
    }
    Ok(program.kernels.iter().collect())
}

/// The latencies of a machine.
pub(crate) fn table(config: &GpuConfig) -> LatencyTable {
    let machine = &config.multiprocessor;
    machine.latencies.table(&machine.shared, &machine.l1)
}

fn kernel_text(kernel: &Kernel, program: &Program, latencies: &LatencyTable) -> String {
    let mut table = Table::new([
        ("address", Align::Right),
        ("stall", Align::Right),
        ("wr", Align::Left),
        ("rd", Align::Left),
        ("wait", Align::Left),
        ("instruction", Align::Left),
        ("pipe", Align::Left),
        ("latency", Align::Right),
        ("source", Align::Left),
        ("why", Align::Left),
    ]);
    for (index, instruction) in kernel.instructions.iter().enumerate() {
        table.row(row(index as u64, instruction, program, latencies));
    }
    format!(
        "{}: {} registers, {} bytes of shared memory, {} bytes of local memory\n{}",
        kernel.name,
        kernel.registers,
        kernel.static_shared_bytes,
        kernel.local_bytes,
        table.text()
    )
}

fn row(index: u64, instruction: &Instruction, program: &Program, latencies: &LatencyTable) -> [String; 10] {
    let control = &instruction.control;
    let barrier = |barrier: Option<u8>| barrier.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let waits: String =
        (0..6).filter(|counter| control.wait_mask >> counter & 1 != 0).map(|it| it.to_string()).collect();
    let info = instruction.opcode.info();
    let latency = match latencies.latency(info.latency) {
        Latency::Fixed(cycles) => cycles.to_string(),
        Latency::Variable(cycles) => format!("~{cycles}"),
    };
    [
        format!("{:04x}", index * INSTRUCTION_BYTES),
        control.stall.to_string(),
        barrier(control.write_barrier),
        barrier(control.read_barrier),
        if waits.is_empty() { "-".to_owned() } else { waits },
        instruction_text(instruction),
        info.pipe.to_string(),
        latency,
        place(instruction, &program.files),
        instruction.origin.note.to_owned(),
    ]
}

/// Where an instruction comes from: the line of the source, or else of the text that was read.
pub(crate) fn place(instruction: &Instruction, files: &[String]) -> String {
    let origin = &instruction.origin;
    match origin.source_file.and_then(|file| files.get(usize::from(file))) {
        Some(file) => format!("{}:{}", file.rsplit('/').next().unwrap_or(file), origin.source_line),
        None if origin.line > 0 => format!("line {}", origin.line),
        None => String::new(),
    }
}

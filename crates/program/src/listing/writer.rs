//! Program to text.

use crate::instruction::{Control, Guard, INSTRUCTION_BYTES, Instruction, Origin};
use crate::kernel::{
    ConstantBank, ConstantVariable, GlobalVariable, Kernel, Program, RefusedKernel, Relocation,
};
use crate::operand::Operand;
use std::fmt::{self, Write};

/// The whole program as text that [`super::read`] reads back.
#[must_use]
pub fn write(program: &Program) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_program(&mut text, program);
    text
}

/// One kernel as text.
#[must_use]
pub fn write_kernel(kernel: &Kernel, files: &[String]) -> String {
    let mut text = String::new();
    let _ = kernel_text(&mut text, kernel, files);
    text
}

fn write_program(text: &mut String, program: &Program) -> fmt::Result {
    if let Some(architecture) = program.architecture {
        writeln!(text, ".arch sm_{architecture}")?;
    }
    for (index, file) in program.files.iter().enumerate() {
        writeln!(text, ".file {index} \"{file}\"")?;
    }
    for global in &program.globals {
        global_text(text, global)?;
    }
    for constant in &program.constants {
        let ConstantVariable { name, bank, offset, bytes } = constant;
        writeln!(text, ".constant_variable {name} bank={bank} offset={offset} bytes={bytes}")?;
    }
    for (index, kernel) in program.kernels.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        kernel_text(text, kernel, &program.files)?;
    }
    program.refused.iter().try_for_each(|refused| refused_text(text, refused))
}

fn refused_text(text: &mut String, refused: &RefusedKernel) -> fmt::Result {
    writeln!(text, ".refused {}", refused.kernel.name)?;
    refused.reasons.iter().try_for_each(|reason| {
        let line = reason.to_string().replace(['\n', '\r'], " ");
        writeln!(text, ".reason {line}")
    })
}

fn global_text(text: &mut String, global: &GlobalVariable) -> fmt::Result {
    write!(text, ".global {} bytes={} align={}", global.name, global.bytes, global.alignment)?;
    if !global.initial.is_empty() {
        write!(text, " data={}", hex(&global.initial))?;
    }
    relocations_text(text, &global.relocations)?;
    text.push('\n');
    Ok(())
}

fn kernel_text(text: &mut String, kernel: &Kernel, files: &[String]) -> fmt::Result {
    writeln!(text, ".kernel {}", kernel.name)?;
    // Left out when nobody says: then they are as many as the instructions name.
    if kernel.registers > 0 {
        writeln!(text, ".registers {}", kernel.registers)?;
    }
    writeln!(text, ".shared {}", kernel.static_shared_bytes)?;
    writeln!(text, ".local {}", kernel.local_bytes)?;
    writeln!(text, ".barriers {}", kernel.barriers)?;
    if let Some([x, y, z]) = kernel.max_block {
        writeln!(text, ".max_block {x} {y} {z}")?;
    }
    if let Some([x, y, z]) = kernel.required_block {
        writeln!(text, ".required_block {x} {y} {z}")?;
    }
    if let Some([x, y, z]) = kernel.cluster {
        writeln!(text, ".cluster {x} {y} {z}")?;
    }
    writeln!(text, ".parameter_base {:#x}", kernel.parameter_base)?;
    for parameter in &kernel.parameters {
        write!(text, ".parameter {} offset={} bytes={}", parameter.name, parameter.offset, parameter.bytes)?;
        if !parameter.ty.is_empty() {
            write!(text, " type={}", parameter.ty)?;
        }
        text.push('\n');
    }
    for bank in &kernel.constant_banks {
        bank_text(text, bank)?;
    }
    for function in &kernel.functions {
        let start = u64::from(function.start) * INSTRUCTION_BYTES;
        writeln!(text, ".function {} start={start:#x} address={:#x}", function.name, function.address)?;
    }
    for (index, instruction) in kernel.instructions.iter().enumerate() {
        line_text(text, index as u64 * INSTRUCTION_BYTES, instruction, files)?;
    }
    Ok(())
}

fn bank_text(text: &mut String, bank: &ConstantBank) -> fmt::Result {
    write!(text, ".constant {} data={}", bank.bank, hex(&bank.bytes))?;
    relocations_text(text, &bank.relocations)?;
    text.push('\n');
    Ok(())
}

fn relocations_text(text: &mut String, relocations: &[Relocation]) -> fmt::Result {
    for relocation in relocations {
        write!(text, " address={}:{}{:+}", relocation.offset, relocation.symbol, relocation.addend)?;
    }
    Ok(())
}

fn line_text(text: &mut String, address: u64, instruction: &Instruction, files: &[String]) -> fmt::Result {
    write!(text, "{address:04x}  ")?;
    control_text(text, &instruction.control)?;
    let origin = &instruction.origin;
    if let Some(file) = origin.source_file.filter(|&file| usize::from(file) < files.len()) {
        write!(text, " at={file}:{}", origin.source_line)?;
    }
    write!(text, "  {} ;", instruction_text(instruction))?;
    origin_text(text, origin, files)?;
    text.push('\n');
    Ok(())
}

fn control_text(text: &mut String, control: &Control) -> fmt::Result {
    let barrier = |barrier: Option<u8>| barrier.map_or("-".to_owned(), |number| number.to_string());
    write!(
        text,
        "stall={:<2} yield={} wr={} rd={} wait={:06b}",
        control.stall,
        u8::from(control.yield_hint),
        barrier(control.write_barrier),
        barrier(control.read_barrier),
        control.wait_mask
    )
}

fn origin_text(text: &mut String, origin: &Origin, files: &[String]) -> fmt::Result {
    let place = origin
        .source_file
        .and_then(|file| files.get(usize::from(file)))
        .map(|file| format!("{file}:{}", origin.source_line));
    let line = (origin.line > 0 && place.is_none()).then(|| format!("line {}", origin.line));
    let note = (!origin.note.is_empty()).then(|| origin.note.to_owned());
    let words: Vec<String> = [place, line, note].into_iter().flatten().collect();
    if words.is_empty() { Ok(()) } else { write!(text, "  // {}", words.join(", ")) }
}

/// One instruction with guard, modifiers and operands, without control fields.
#[must_use]
pub fn instruction_text(instruction: &Instruction) -> String {
    let mut text = String::new();
    match instruction.guard {
        guard if guard.is_always() => {}
        Guard::Predicate { predicate, negate } => {
            let _ = write!(text, "@{}{predicate} ", if negate { "!" } else { "" });
        }
        Guard::Uniform { predicate, negate } => {
            let _ = write!(text, "@{}{predicate} ", if negate { "!" } else { "" });
        }
    }
    let _ = write!(text, "{}{}", instruction.opcode, instruction.modifiers);
    let mut separator = " ";
    for operand in &instruction.operands {
        let _ = match *operand {
            Operand::Immediate(bits) if instruction.takes_doubles() => {
                write!(text, "{separator}{}", double_text(bits))
            }
            Operand::Immediate(bits) if instruction.opcode.takes_floats() => {
                write!(text, "{separator}{}", float_text(bits))
            }
            _ => write!(text, "{separator}{operand}"),
        };
        separator = ", ";
    }
    text
}

/// A float's bits as a decimal number that reads back to the same bits; a NaN as its bits.
fn float_text(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        format!("{bits:#010x}")
    } else {
        special_text(f64::from(value)).unwrap_or_else(|| format!("{value}"))
    }
}

/// The upper half of a double's bits as a decimal number, or as bits for a NaN.
fn double_text(upper_bits: u32) -> String {
    let value = f64::from_bits(u64::from(upper_bits) << 32);
    if value.is_nan() {
        format!("{upper_bits:#010x}")
    } else {
        special_text(value).unwrap_or_else(|| format!("{value:e}"))
    }
}

fn special_text(value: f64) -> Option<String> {
    value.is_infinite().then(|| if value > 0.0 { "+INF".to_owned() } else { "-INF".to_owned() })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

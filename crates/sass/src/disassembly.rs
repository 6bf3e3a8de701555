//! The JSON that `nvdisasm -json` prints, and its instructions.

use crate::SassFault;
use crate::elf::{Elf, Symbol};
use serde::Deserialize;
use serde::de::IgnoredAny;
use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_program::operand::Operand;
use warplab_program::{Control, Instruction, Opcode, WAIT_BARRIERS, listing};

/// One function.
#[derive(Debug, Deserialize)]
pub(crate) struct Function {
    #[serde(rename = "function-name")]
    pub(crate) name: String,
    #[serde(rename = "sass-instructions")]
    pub(crate) lines: Vec<Line>,
}

/// One instruction as printed.
#[derive(Debug, Deserialize)]
pub(crate) struct Line {
    #[serde(default)]
    predicate: String,
    opcode: String,
    #[serde(default)]
    operands: String,
}

impl Line {
    /// The instruction as one text.
    pub(crate) fn text(&self) -> String {
        // All predicates as an operand are printed where a guard would be: `P2R R1, PR, R2, 0x7f`.
        if self.predicate == "PR" {
            let operands = match self.operands.split_once(',') {
                Some((result, rest)) if self.opcode.starts_with("P2R") => format!("{result},PR,{rest}"),
                _ => format!("PR,{}", self.operands),
            };
            return format!("{} {operands}", self.opcode);
        }
        let words = [&self.predicate, &self.opcode, &self.operands];
        let words: Vec<&str> =
            words.into_iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
        words.join(" ")
    }
}

/// The functions of a disassembly.
pub(crate) fn read(json: &str) -> Result<Vec<Function>, SassFault> {
    let (_, functions): (IgnoredAny, Vec<Function>) = serde_json::from_str(json)
        .map_err(|error| SassFault::file(format!("this is not what 'nvdisasm -json' prints: {error}")))?;
    Ok(functions)
}

/// Where an instruction stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    pub(crate) kernel: &'a str,
    pub(crate) section: usize,
    pub(crate) address: u64,
}

/// One instruction from its text and its encoding (lower and upper word).
pub(crate) fn instruction(
    elf: &Elf<'_>,
    at: At<'_>,
    line: &Line,
    encoding: [u64; 2],
) -> Result<Instruction, SassFault> {
    let fault = |message: String, help: String| SassFault {
        kernel: at.kernel.to_owned(),
        address: Some(at.address),
        text: line.text(),
        message,
        help,
    };
    let plain = |message: String| fault(message, String::new());
    let resolved = resolve(elf, at.section, line).map_err(plain)?;
    let mut instruction = listing::read_instruction(&resolved)
        .map_err(|diagnostic| fault(diagnostic.message, diagnostic.help))?;
    // The text of a NaN lacks its bits.
    if instruction.opcode.takes_floats() && instruction.opcode != Opcode::F2fp {
        for operand in &mut instruction.operands {
            match operand {
                Operand::Immediate(bits) if is_nan(instruction.opcode, *bits) => {
                    *bits = (encoding[0] >> 32) as u32;
                }
                _ => {}
            }
        }
    }
    instruction.control = control(encoding[1]).map_err(plain)?;
    Ok(instruction)
}

fn is_nan(opcode: Opcode, bits: u32) -> bool {
    if opcode.takes_doubles() {
        f64::from_bits(u64::from(bits) << 32).is_nan()
    } else {
        f32::from_bits(bits).is_nan()
    }
}

/// The control fields of an encoding, from its upper word.
fn control(upper: u64) -> Result<Control, String> {
    let field = |from: u32, width: u32| (upper >> from & ((1 << width) - 1)) as u8;
    let barrier = |value: u8| match value {
        7 => Ok(None),
        value if usize::from(value) < WAIT_BARRIERS => Ok(Some(value)),
        value => Err(format!("the encoding names wait counter {value}, which does not exist")),
    };
    Ok(Control {
        stall: field(41, 4),
        yield_hint: field(45, 1) != 0,
        write_barrier: barrier(field(46, 3))?,
        read_barrier: barrier(field(49, 3))?,
        wait_mask: field(52, 6),
    })
}

/// The text of an instruction with names of functions as addresses.
fn resolve(elf: &Elf<'_>, section: usize, line: &Line) -> Result<String, String> {
    let base = line.opcode.split('.').next().unwrap_or_default();
    if !matches!(base, "CALL" | "RET" | "BRA" | "JMP" | "BSSY") {
        return Ok(line.text());
    }
    let (before, last) = match line.operands.rsplit_once(',') {
        Some((before, last)) => (Some(before), last),
        None => (None, line.operands.as_str()),
    };
    let name = last.trim().trim_start_matches("`(").trim_end_matches(')');
    let value = match elf.symbols.iter().find(|symbol| !symbol.name.is_empty() && symbol.name == name) {
        Some(symbol) if symbol.kind == Symbol::FUNCTION && symbol.section == section => symbol.value,
        Some(_) => return Err(format!("'{name}' is outside the kernel, which is not supported")),
        None => return Ok(line.text()),
    };
    // A return names what its register is relative to.
    let operands = match (base, before) {
        ("RET", Some(before)) if value == 0 => before.to_owned(),
        ("RET", _) => return Err(format!("a return relative to '{name}' is not supported")),
        (_, Some(before)) => format!("{before},{value:#x}"),
        (_, None) => format!("{value:#x}"),
    };
    if value % INSTRUCTION_BYTES != 0 {
        return Err(format!("'{name}' is at {value:#x}, which is no address of an instruction"));
    }
    Ok(Line { predicate: line.predicate.clone(), opcode: line.opcode.clone(), operands }.text())
}

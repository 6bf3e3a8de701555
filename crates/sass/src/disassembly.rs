//! The JSON that `nvdisasm -json` prints, and its instructions.

use crate::SassFault;
use crate::elf::{Elf, Fixup, Symbol};
use crate::link::{Addresses, Layout, resolve_addresses};
use serde::Deserialize;
use serde::de::IgnoredAny;
use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_program::operand::Operand;
use warplab_program::{Control, Instruction, Opcode, SystemCall, WAIT_COUNTERS, listing};

/// One function.
#[derive(Debug, Deserialize)]
pub(crate) struct DisassembledFunction {
    #[serde(rename = "function-name")]
    pub(crate) name: String,
    /// Its first address in its section.
    #[serde(default)]
    start: u64,
    #[serde(rename = "sass-instructions")]
    pub(crate) lines: Vec<Line>,
}

impl DisassembledFunction {
    /// The address behind its last instruction.
    fn end(&self) -> u64 {
        self.start.saturating_add((self.lines.len() as u64).saturating_mul(INSTRUCTION_BYTES))
    }
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
    /// Whether this calls a function through registers.
    pub(crate) fn calls_through_register(&self) -> bool {
        self.opcode.split('.').next() == Some("CALL") && self.operands.starts_with(['R', 'U'])
    }

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
        let operands = with_commas(&self.operands);
        let words = [&self.predicate, &self.opcode, &operands];
        let words: Vec<&str> =
            words.into_iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
        words.join(" ")
    }
}

/// Operands with a comma between a register and an address: nvdisasm 13.2 prints `R20[R35+0x600]`.
fn with_commas(operands: &str) -> String {
    let missing = |part: &str| {
        let word = part.rsplit(',').next().unwrap_or_default();
        word.starts_with('R') && word.chars().all(|character| character.is_ascii_alphanumeric())
    };
    match operands.split_once('[') {
        // The two addresses of a copy.
        Some(("", rest)) => match rest.split_once("][") {
            Some((first, second)) if !first.contains(']') => format!("[{first}],[{second}"),
            _ => operands.to_owned(),
        },
        Some((before, after)) if missing(before) => format!("{before},[{after}"),
        _ => operands.to_owned(),
    }
}

/// The functions of a disassembly, each with its whole section: nvdisasm 13.2 lists the functions that a section holds
/// behind its first one on their own.
pub(crate) fn read(json: &str) -> Result<Vec<DisassembledFunction>, SassFault> {
    let (_, listed): (IgnoredAny, Vec<DisassembledFunction>) = serde_json::from_str(json)
        .map_err(|error| SassFault::file(format!("this is not what 'nvdisasm -json' prints: {error}")))?;
    let mut functions: Vec<DisassembledFunction> = Vec::with_capacity(listed.len());
    for function in listed {
        match functions.last_mut() {
            Some(first) if function.start > 0 && function.start == first.end() => {
                first.lines.extend(function.lines);
            }
            _ => functions.push(function),
        }
    }
    Ok(functions)
}

/// Where an instruction stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    pub(crate) kernel: &'a str,
    pub(crate) layout: &'a Layout,
    /// The relocations of its section.
    pub(crate) fixups: &'a [Fixup],
    /// The address of its section's first instruction in the kernel's code.
    pub(crate) base: u64,
    /// Its own address in the kernel's code.
    pub(crate) address: u64,
}

/// One instruction from its text and its encoding (lower and upper word).
pub(crate) fn instruction(
    elf: &Elf<'_>,
    at: At<'_>,
    line: &Line,
    encoding: [u64; 2],
    addresses: &mut Addresses,
) -> Result<Instruction, SassFault> {
    let fault = |message: String, help: String| SassFault {
        kernel: at.kernel.to_owned(),
        address: Some(at.address),
        text: line.text(),
        message,
        help,
    };
    let plain = |message: String| fault(message, String::new());
    let resolved = resolve(elf, at, addresses, line).map_err(plain)?;
    let mut instruction = listing::read_instruction(&resolved.text)
        .map_err(|diagnostic| fault(diagnostic.message, diagnostic.help))?;
    for operand in &mut instruction.operands {
        if let (Operand::Target(index), false) = (operand, resolved.whole) {
            *index = index.saturating_add(u32::try_from(at.base / INSTRUCTION_BYTES).unwrap_or(u32::MAX));
        }
    }
    // The text of a NaN lacks its bits.
    if instruction.opcode.takes_floats() && instruction.opcode != Opcode::F2fp {
        let doubles = instruction.takes_doubles();
        for operand in &mut instruction.operands {
            match operand {
                Operand::Immediate(bits) if is_nan(doubles, *bits) => {
                    *bits = immediate(encoding);
                }
                _ => {}
            }
        }
    }
    // The text of a half is rounded to decimals, and a NaN's lacks its bits.
    if instruction.opcode.takes_halves() {
        let bits = immediate(encoding);
        let numbers = instruction.operands.iter_mut().filter_map(|operand| match operand {
            Operand::Immediate(value) => Some(value),
            _ => None,
        });
        for (number, half) in numbers.zip([bits >> 16, bits & 0xffff]) {
            *number = half;
        }
    }
    widen_uniform_address(elf.architecture(), &mut instruction);
    instruction.control = control(encoding[1]).map_err(plain)?;
    Ok(instruction)
}

/// The 32-bit constant in an encoding.
fn immediate(encoding: [u64; 2]) -> u32 {
    (encoding[0] >> 32) as u32
}

/// The first architecture whose addresses say `.64` of a pair of uniform registers: Turing prints `[R2.64+UR4]` for
/// the sum of two pairs.
const SAYS_WIDE_UNIFORMS: u32 = 80;

/// An address in a pair of uniform registers may be printed as `[UR4]`.
fn widen_uniform_address(architecture: u32, instruction: &mut Instruction) {
    use Opcode::{Atom, Atomg, Ld, Ldg, Red, St, Stg};
    if !matches!(instruction.opcode, Ldg | Ld | Stg | St | Atom | Atomg | Red) {
        return;
    }
    for operand in &mut instruction.operands {
        if let Operand::Address(address) = operand {
            let alone = !address.wide || architecture < SAYS_WIDE_UNIFORMS;
            address.uniform_wide |= address.uniform.is_some() && alone;
        }
    }
}

fn is_nan(double: bool, bits: u32) -> bool {
    if double { f64::from_bits(u64::from(bits) << 32).is_nan() } else { f32::from_bits(bits).is_nan() }
}

/// The control fields of an encoding, from its upper word.
fn control(upper: u64) -> Result<Control, String> {
    let field = |from: u32, width: u32| (upper >> from).to_le_bytes()[0] & ((1 << width) - 1);
    let barrier = |value: u8| match value {
        7 => Ok(None),
        value if usize::from(value) < WAIT_COUNTERS => Ok(Some(value)),
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

/// An instruction's text without names, and whether its target is an address of the whole kernel already.
struct Resolved {
    text: String,
    whole: bool,
}

/// The text of an instruction with names of functions and variables as addresses.
fn resolve(elf: &Elf<'_>, at: At<'_>, addresses: &mut Addresses, line: &Line) -> Result<Resolved, String> {
    let with = |operands: String| {
        Line { predicate: line.predicate.clone(), opcode: line.opcode.clone(), operands }.text()
    };
    if line.operands.contains("32@") {
        let fixup = at.fixups.iter().find(|fixup| Some(fixup.offset) == at.address.checked_sub(at.base));
        let operands = resolve_addresses(elf, at.layout, addresses, fixup, &line.operands)?;
        return Ok(Resolved { text: with(operands), whole: false });
    }
    let base = line.opcode.split('.').next().unwrap_or_default();
    if base == "LEPC" && !line.operands.contains(',') {
        // Its own address, which the text leaves out.
        let own = at.address.wrapping_sub(at.base);
        return Ok(Resolved { text: with(format!("{},{own:#x}", line.operands)), whole: false });
    }
    let unnamed = || Resolved { text: line.text(), whole: false };
    if !matches!(base, "CALL" | "RET" | "BRA" | "JMP" | "BSSY") {
        return Ok(unnamed());
    }
    let (before, last) = match line.operands.rsplit_once(',') {
        Some((before, last)) => (Some(before), last),
        None => (None, line.operands.as_str()),
    };
    let name = last.trim().trim_start_matches("`(").trim_end_matches(')');
    let symbol = elf.symbols.iter().find(|symbol| !symbol.name.is_empty() && symbol.name == name);
    let Some(symbol) = symbol else {
        // An absolute return has a number after its register, which is relative to nothing.
        let absolute = base == "RET" && line.opcode.contains(".ABS");
        return Ok(Resolved { whole: absolute, ..unnamed() });
    };
    let value = Some(symbol).filter(|symbol| symbol.is_function());
    let provided = |symbol: &Symbol<'_>| Some(SystemCall::from_name(symbol.name)?.address());
    let address = |symbol: &Symbol<'_>| {
        if symbol.section == 0 { provided(symbol) } else { at.layout.address(symbol) }
    };
    let Some(value) = value.and_then(address) else {
        return Err(format!("'{name}' is no function of this file, which is not supported"));
    };
    // A return names what its register is relative to.
    let operands = match (base, before) {
        ("RET", Some(before)) if value == 0 => before.to_owned(),
        (_, Some(before)) => format!("{before},{value:#x}"),
        (_, None) => format!("{value:#x}"),
    };
    if value % INSTRUCTION_BYTES != 0 {
        return Err(format!("'{name}' is at {value:#x}, which is no address of an instruction"));
    }
    Ok(Resolved { text: with(operands), whole: true })
}

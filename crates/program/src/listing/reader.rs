//! Text to program: directives and lines; instructions are read in `instruction_reader.rs`.

use super::cursor::{Cursor, Fault, number};
use super::instruction_reader::instruction_line;
use crate::instruction::{INSTRUCTION_BYTES, Instruction};
use crate::kernel::{ConstantBank, ConstantVariable, GlobalVariable, Kernel, Parameter, Program, Relocation};
use crate::runtime::Function;
use warplab_diagnostics::{Diagnostic, Source, Span, nearest_name};

/// Reads a listing; every fault is reported, and what could be read is returned.
#[must_use]
pub fn read(source: &Source) -> (Program, Vec<Diagnostic>) {
    let mut program = Program::default();
    let mut faults = Vec::new();
    let mut offset = 0;
    for (number, line) in source.text.split('\n').enumerate() {
        let mut cursor = Cursor { line, offset, at: 0 };
        if let Err(fault) = read_line(&mut program, &mut cursor, number as u32 + 1) {
            faults.push(*fault);
        }
        offset += line.len() + 1;
    }
    if program.kernels.is_empty() && faults.is_empty() {
        let fault = Diagnostic::error(Span::new(0, 0), "the listing has no kernel");
        faults.push(fault.with_help("a kernel starts with a line '.kernel NAME'"));
    }
    for kernel in &program.kernels {
        check_targets(kernel, source, &mut faults);
    }
    (program, faults)
}

/// Reads one instruction, with or without control columns: for tests and small tools.
///
/// # Errors
/// The first fault of the text.
pub fn read_instruction(text: &str) -> Result<Instruction, Diagnostic> {
    let mut cursor = Cursor { line: text, offset: 0, at: 0 };
    instruction_line(&mut cursor, 0).map_err(|fault| *fault)
}

fn check_targets(kernel: &Kernel, source: &Source, faults: &mut Vec<Diagnostic>) {
    for instruction in &kernel.instructions {
        let Some(target) = instruction.target() else { continue };
        if !instruction.target_exists(kernel.instructions.len()) {
            let start: usize = source
                .text
                .split('\n')
                .take(instruction.origin.line as usize - 1)
                .map(|line| line.len() + 1)
                .sum();
            let length = source.text[start..].find('\n').unwrap_or(source.text.len() - start);
            let message = format!(
                "the target {:#x} is past the end of kernel '{}'",
                u64::from(target) * 16,
                kernel.name
            );
            faults.push(Diagnostic::error(Span::new(start, start + length), message));
        }
    }
}

fn read_line(program: &mut Program, cursor: &mut Cursor, number: u32) -> Result<(), Fault> {
    if cursor.at_end() || cursor.rest().starts_with("//") {
        return Ok(());
    }
    if cursor.rest().starts_with('.') {
        return directive(program, cursor);
    }
    let instruction = instruction_line(cursor, number)?;
    let file = instruction.origin.source_file.unwrap_or(0);
    if instruction.origin.source_file.is_some() && usize::from(file) >= program.files.len() {
        let help = "files have lines '.file NUMBER NAME' before the first kernel, counted from 0";
        return cursor.fault(0, format!("there is no file {file}"), help);
    }
    match program.kernels.last_mut() {
        Some(kernel) => kernel.instructions.push(instruction),
        None => {
            return cursor.fault(
                0,
                "an instruction outside any kernel",
                "a kernel starts with a line '.kernel NAME'",
            );
        }
    }
    Ok(())
}

const DIRECTIVES: [&str; 15] = [
    ".file",
    ".global",
    ".kernel",
    ".registers",
    ".shared",
    ".local",
    ".barriers",
    ".max_block",
    ".required_block",
    ".parameter_base",
    ".parameter",
    ".constant",
    ".constant_variable",
    ".function",
    ".arch",
];

fn directive(program: &mut Program, cursor: &mut Cursor) -> Result<(), Fault> {
    let from = cursor.at;
    let name = cursor.word(|character| !character.is_whitespace());
    match name {
        ".file" => {
            let counted = number(cursor)?;
            if counted as usize != program.files.len() {
                let message = format!("file {counted} where file {} is expected", program.files.len());
                return cursor.fault(from, message, "files are counted from 0");
            }
            let text = cursor.word(|_| true).trim().trim_matches('"');
            program.files.push(text.to_owned());
            return Ok(());
        }
        ".arch" => {
            program.architecture = Some(architecture(cursor)?);
            return Ok(());
        }
        ".global" => {
            let global = global_variable(cursor)?;
            program.globals.push(global);
            return Ok(());
        }
        ".constant_variable" => {
            let constant = constant_variable(cursor)?;
            program.constants.push(constant);
            return Ok(());
        }
        ".kernel" => {
            let name = cursor.word(|character| !character.is_whitespace()).to_owned();
            let parameter_base = crate::kernel::launch_constants::PARAMETERS;
            program.kernels.push(Kernel { name, parameter_base, ..Kernel::default() });
            return Ok(());
        }
        _ => {}
    }
    let Some(kernel) = program.kernels.last_mut() else {
        return unknown_directive(cursor, from, name, "this directive belongs inside a kernel");
    };
    match name {
        ".registers" => kernel.registers = number(cursor)?,
        ".shared" => kernel.static_shared_bytes = number(cursor)?,
        ".local" => kernel.local_bytes = number(cursor)?,
        ".barriers" => kernel.barriers = number(cursor)?,
        ".parameter_base" => kernel.parameter_base = number(cursor)?,
        ".max_block" => kernel.max_block = Some([number(cursor)?, number(cursor)?, number(cursor)?]),
        ".required_block" => {
            kernel.required_block = Some([number(cursor)?, number(cursor)?, number(cursor)?])
        }
        ".parameter" => kernel.parameters.push(parameter(cursor)?),
        ".constant" => kernel.constant_banks.push(constant_bank(cursor)?),
        ".function" => kernel.functions.push(function(cursor)?),
        _ => return unknown_directive(cursor, from, name, ""),
    }
    Ok(())
}

/// `sm_90`
fn architecture(cursor: &mut Cursor) -> Result<u32, Fault> {
    cursor.skip_blanks();
    let from = cursor.at;
    let word = cursor.word(|character| !character.is_whitespace());
    match word.strip_prefix("sm_").and_then(|digits| digits.parse().ok()) {
        Some(number) => Ok(number),
        None => cursor.fault(from, format!("'{word}' is no architecture"), "write '.arch sm_90'"),
    }
}

fn unknown_directive(cursor: &Cursor, from: usize, name: &str, help: &str) -> Result<(), Fault> {
    if DIRECTIVES.contains(&name) {
        return cursor.fault(from, format!("'{name}' outside any kernel"), help);
    }
    let help = nearest_name(name, DIRECTIVES).map_or_else(
        || format!("known directives: {}", DIRECTIVES.join(" ")),
        |near| format!("did you mean '{near}'?"),
    );
    cursor.fault(from, format!("unknown directive '{name}'"), help)
}

fn parameter(cursor: &mut Cursor) -> Result<Parameter, Fault> {
    let mut parameter = Parameter {
        name: cursor.word(|character| !character.is_whitespace()).to_owned(),
        ..Parameter::default()
    };
    while !cursor.at_end() {
        let from = cursor.at;
        match field(cursor)? {
            ("offset", value) => parameter.offset = field_number(cursor, from, value)? as u32,
            ("bytes", value) => parameter.bytes = field_number(cursor, from, value)? as u32,
            ("type", value) => parameter.ty = value.to_owned(),
            (name, _) => {
                return cursor.fault(from, format!("unknown field '{name}'"), "fields: offset, bytes, type");
            }
        }
    }
    Ok(parameter)
}

fn constant_variable(cursor: &mut Cursor) -> Result<ConstantVariable, Fault> {
    let mut constant = ConstantVariable {
        name: cursor.word(|character| !character.is_whitespace()).to_owned(),
        ..ConstantVariable::default()
    };
    while !cursor.at_end() {
        let from = cursor.at;
        let (name, value) = field(cursor)?;
        let number = field_number(cursor, from, value)?;
        let too_large =
            || cursor.fault(from, format!("{name} {number} is too large"), "constant banks are small");
        match name {
            "bank" => constant.bank = u8::try_from(number).or_else(|_| too_large().map(|()| 0))?,
            "offset" => constant.offset = u32::try_from(number).or_else(|_| too_large().map(|()| 0))?,
            "bytes" => constant.bytes = u32::try_from(number).or_else(|_| too_large().map(|()| 0))?,
            _ => {
                return cursor.fault(from, format!("unknown field '{name}'"), "fields: bank, offset, bytes");
            }
        }
    }
    Ok(constant)
}

fn global_variable(cursor: &mut Cursor) -> Result<GlobalVariable, Fault> {
    let mut global = GlobalVariable {
        name: cursor.word(|character| !character.is_whitespace()).to_owned(),
        alignment: 1,
        ..GlobalVariable::default()
    };
    while !cursor.at_end() {
        let from = cursor.at;
        match field(cursor)? {
            ("bytes", value) => global.bytes = field_number(cursor, from, value)?,
            ("align", value) => global.alignment = field_number(cursor, from, value)?,
            ("data", value) => global.initial = hex_bytes(cursor, from, value)?,
            ("address", value) => global.relocations.push(relocation(cursor, from, value)?),
            (name, _) => {
                return cursor.fault(
                    from,
                    format!("unknown field '{name}'"),
                    "fields: bytes, align, data, address",
                );
            }
        }
    }
    Ok(global)
}

fn constant_bank(cursor: &mut Cursor) -> Result<ConstantBank, Fault> {
    let mut bank = ConstantBank { bank: number(cursor)? as u8, ..ConstantBank::default() };
    while !cursor.at_end() {
        let from = cursor.at;
        match field(cursor)? {
            ("data", value) => bank.bytes = hex_bytes(cursor, from, value)?,
            ("address", value) => bank.relocations.push(relocation(cursor, from, value)?),
            (name, _) => {
                return cursor.fault(from, format!("unknown field '{name}'"), "fields: data, address");
            }
        }
    }
    Ok(bank)
}

fn function(cursor: &mut Cursor) -> Result<Function, Fault> {
    let name = cursor.word(|character| !character.is_whitespace()).to_owned();
    let (mut start, mut address) = (None, None);
    while !cursor.at_end() {
        let from = cursor.at;
        match field(cursor)? {
            ("start", value) => start = Some(code_address(cursor, from, value)?),
            ("address", value) => address = Some(code_address(cursor, from, value)?),
            (name, _) => {
                return cursor.fault(from, format!("unknown field '{name}'"), "fields: start, address");
            }
        }
    }
    let first = start.and_then(|start| u32::try_from(start / INSTRUCTION_BYTES).ok());
    match (first, start) {
        (Some(first), Some(start)) => Ok(Function { name, start: first, address: address.unwrap_or(start) }),
        _ => cursor.fault(0, "where does the function start?", "write '.function NAME start=0x1f0'"),
    }
}

/// A code address: hexadecimal, a multiple of an instruction's bytes.
fn code_address(cursor: &Cursor, from: usize, value: &str) -> Result<u64, Fault> {
    let digits = value.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    match digits.filter(|address| address.is_multiple_of(INSTRUCTION_BYTES)) {
        Some(address) => Ok(address),
        None => cursor.fault(
            from,
            format!("'{value}' is no address of an instruction"),
            "write a multiple of 0x10, with 0x before it",
        ),
    }
}

/// `name=value`
fn field<'a>(cursor: &mut Cursor<'a>) -> Result<(&'a str, &'a str), Fault> {
    let from = cursor.at;
    let word = cursor.word(|character| !character.is_whitespace());
    match word.split_once('=') {
        Some(pair) => Ok(pair),
        None => cursor.fault(from, format!("expected a field 'name=value', found '{word}'"), ""),
    }
}

fn field_number(cursor: &Cursor, from: usize, value: &str) -> Result<u64, Fault> {
    match value.parse() {
        Ok(number) => Ok(number),
        Err(_) => cursor.fault(from, format!("'{value}' is not a number"), "write a decimal number"),
    }
}

fn hex_bytes(cursor: &Cursor, from: usize, value: &str) -> Result<Vec<u8>, Fault> {
    let digits = value.as_bytes();
    let bytes: Option<Vec<u8>> = digits
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2))
        .map(|pair| pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect();
    bytes.map_or_else(|| cursor.fault(from, "expected pairs of hexadecimal digits", ""), Ok)
}

/// `offset:symbol+addend`
fn relocation(cursor: &Cursor, from: usize, value: &str) -> Result<Relocation, Fault> {
    let parsed = value.split_once(':').and_then(|(offset, place)| {
        let sign = place.rfind(['+', '-'])?;
        let addend = place[sign..].parse().ok()?;
        Some(Relocation { offset: offset.parse().ok()?, symbol: place[..sign].to_owned(), addend })
    });
    parsed.map_or_else(|| cursor.fault(from, "expected 'address=OFFSET:SYMBOL+ADDEND'", ""), Ok)
}

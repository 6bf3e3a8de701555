//! The directives of a listing: what a program and its kernels have beside code.

use super::cursor::{Cursor, Fault, number, parse_integer};
use crate::instruction::INSTRUCTION_BYTES;
use crate::kernel::{
    ConstantBank, ConstantVariable, GlobalVariable, Kernel, Parameter, Program, Reason, RefusedKernel,
    Relocation,
};
use crate::limits;
use crate::runtime::Function;
use warplab_diagnostics::{Diagnostic, Span, nearest_name};

const DIRECTIVES: [&str; 18] = [
    ".file",
    ".global",
    ".kernel",
    ".registers",
    ".shared",
    ".cluster",
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
    ".refused",
    ".reason",
];

/// Reads a line that starts with a dot.
pub(super) fn directive(program: &mut Program, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    let from = cursor.at;
    let name = cursor.word(|character| !character.is_whitespace());
    match name {
        ".file" => file(program, cursor, from),
        ".arch" => {
            program.architecture = Some(architecture(cursor)?);
            Ok(())
        }
        ".global" => {
            let global = global_variable(cursor)?;
            limited(cursor, from, limits::global(&global))?;
            program.globals.push(global);
            Ok(())
        }
        ".constant_variable" => {
            let constant = constant_variable(cursor)?;
            program.constants.push(constant);
            Ok(())
        }
        ".kernel" => {
            let name = cursor.word(|character| !character.is_whitespace()).to_owned();
            let parameter_base = crate::kernel::launch_constants::PARAMETERS;
            program.kernels.push(Kernel { name, parameter_base, ..Kernel::default() });
            Ok(())
        }
        ".refused" => {
            let name = cursor.word(|character| !character.is_whitespace());
            program.refused.push(RefusedKernel::named(name, Vec::new()));
            Ok(())
        }
        ".reason" => match program.refused.last_mut() {
            Some(refused) => {
                refused.reasons.push(reason(cursor));
                Ok(())
            }
            None => {
                cursor.fault(from, "a reason outside any refused kernel", "write '.refused NAME' before it")
            }
        },
        _ => match program.kernels.last_mut() {
            Some(kernel) => of_kernel(kernel, cursor, from, name),
            None => unknown_directive(cursor, from, name, "this directive belongs inside a kernel"),
        },
    }
}

fn of_kernel(kernel: &mut Kernel, cursor: &mut Cursor<'_>, from: usize, name: &str) -> Result<(), Fault> {
    let within =
        |what: &str, value: u32, least: u64, most: u32| limits::within(what, value, least, most.into());
    let checked = match name {
        ".registers" => {
            kernel.registers = number(cursor)?;
            within("registers a thread", kernel.registers, 1, limits::REGISTERS)
        }
        ".shared" => {
            kernel.static_shared_bytes = number(cursor)?;
            within("bytes of static shared memory", kernel.static_shared_bytes, 0, limits::SHARED_BYTES)
        }
        ".local" => {
            kernel.local_bytes = number(cursor)?;
            within("bytes of local memory a thread", kernel.local_bytes, 0, limits::LOCAL_BYTES)
        }
        ".barriers" => {
            kernel.barriers = number(cursor)?;
            within("block barriers", kernel.barriers, 0, limits::BARRIERS)
        }
        ".parameter_base" => {
            kernel.parameter_base = number(cursor)?;
            limits::parameter(kernel.parameter_base, 0, 0)
        }
        ".max_block" => {
            let extents = [number(cursor)?, number(cursor)?, number(cursor)?];
            kernel.max_block = Some(extents);
            limits::block(extents)
        }
        ".required_block" => {
            let extents = [number(cursor)?, number(cursor)?, number(cursor)?];
            kernel.required_block = Some(extents);
            limits::block(extents)
        }
        ".cluster" => {
            let extents = [number(cursor)?, number(cursor)?, number(cursor)?];
            kernel.cluster = Some(extents);
            limits::cluster(extents)
        }
        ".parameter" => {
            kernel.parameters.push(parameter(cursor, from, kernel.parameter_base)?);
            Ok(())
        }
        ".constant" => {
            let bank = constant_bank(cursor)?;
            let checked = limits::bank(&bank);
            kernel.constant_banks.push(bank);
            checked
        }
        ".function" => {
            kernel.functions.push(function(cursor)?);
            Ok(())
        }
        _ => return unknown_directive(cursor, from, name, ""),
    };
    limited(cursor, from, checked)
}

/// A limit that is not held is a fault of the whole directive.
fn limited(cursor: &Cursor<'_>, from: usize, checked: Result<(), String>) -> Result<(), Fault> {
    checked.or_else(|message| cursor.fault(from, message, ""))
}

fn file(program: &mut Program, cursor: &mut Cursor<'_>, from: usize) -> Result<(), Fault> {
    let counted = number(cursor)?;
    if counted as usize != program.files.len() {
        let message = format!("file {counted} where file {} is expected", program.files.len());
        return cursor.fault(from, message, "files are counted from 0");
    }
    let text = cursor.word(|_| true).trim().trim_matches('"');
    program.files.push(text.to_owned());
    Ok(())
}

/// `0x00a0 what is wrong`: the address is that of an instruction, and may be left out.
fn reason(cursor: &mut Cursor<'_>) -> Reason {
    cursor.skip_blanks();
    let from = cursor.at;
    let word = cursor.word(|character| !character.is_whitespace());
    let address = word.strip_prefix("0x").and_then(|_| u64::try_from(parse_integer(word)?).ok());
    if address.is_none() {
        cursor.at = from;
    }
    let message = cursor.word(|_| true).trim();
    let span = Span::new(cursor.offset + from, cursor.offset + cursor.at);
    Reason { address, fault: Diagnostic::error(span, message) }
}

/// `sm_90`
fn architecture(cursor: &mut Cursor<'_>) -> Result<u32, Fault> {
    cursor.skip_blanks();
    let from = cursor.at;
    let word = cursor.word(|character| !character.is_whitespace());
    match word.strip_prefix("sm_").and_then(|digits| digits.parse().ok()) {
        Some(number) => Ok(number),
        None => cursor.fault(from, format!("'{word}' is no architecture"), "write '.arch sm_90'"),
    }
}

fn unknown_directive(cursor: &Cursor<'_>, from: usize, name: &str, help: &str) -> Result<(), Fault> {
    if DIRECTIVES.contains(&name) {
        return cursor.fault(from, format!("'{name}' outside any kernel"), help);
    }
    let help = nearest_name(name, DIRECTIVES).map_or_else(
        || format!("known directives: {}", DIRECTIVES.join(" ")),
        |near| format!("did you mean '{near}'?"),
    );
    cursor.fault(from, format!("unknown directive '{name}'"), help)
}

fn parameter(cursor: &mut Cursor<'_>, start: usize, base: u32) -> Result<Parameter, Fault> {
    let name = cursor.word(|character| !character.is_whitespace()).to_owned();
    let (mut offset, mut bytes, mut ty) = (0, 0, String::new());
    while !cursor.at_end() {
        let from = cursor.at;
        match field(cursor)? {
            ("offset", value) => offset = field_number(cursor, from, value)?,
            ("bytes", value) => bytes = field_number(cursor, from, value)?,
            ("type", value) => value.clone_into(&mut ty),
            (name, _) => {
                return cursor.fault(from, format!("unknown field '{name}'"), "fields: offset, bytes, type");
            }
        }
    }
    limited(cursor, start, limits::parameter(base, offset, bytes))?;
    match (u32::try_from(offset), u32::try_from(bytes)) {
        (Ok(offset), Ok(bytes)) => Ok(Parameter { name, offset, bytes, ty }),
        _ => cursor.fault(start, "the parameter is outside constant bank 0", ""),
    }
}

fn constant_variable(cursor: &mut Cursor<'_>) -> Result<ConstantVariable, Fault> {
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

fn function(cursor: &mut Cursor<'_>) -> Result<Function, Fault> {
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
fn code_address(cursor: &Cursor<'_>, from: usize, value: &str) -> Result<u64, Fault> {
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

fn global_variable(cursor: &mut Cursor<'_>) -> Result<GlobalVariable, Fault> {
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

fn constant_bank(cursor: &mut Cursor<'_>) -> Result<ConstantBank, Fault> {
    cursor.skip_blanks();
    let from = cursor.at;
    let counted = number(cursor)?;
    let Ok(number) = u8::try_from(counted) else {
        let help = format!("known are 1 to {}", limits::LAST_BANK);
        return cursor.fault(from, format!("constant bank {counted} does not exist"), help);
    };
    let mut bank = ConstantBank { bank: number, ..ConstantBank::default() };
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

/// `name=value`
fn field<'a>(cursor: &mut Cursor<'a>) -> Result<(&'a str, &'a str), Fault> {
    let from = cursor.at;
    let word = cursor.word(|character| !character.is_whitespace());
    match word.split_once('=') {
        Some(pair) => Ok(pair),
        None => cursor.fault(from, format!("expected a field 'name=value', found '{word}'"), ""),
    }
}

fn field_number(cursor: &Cursor<'_>, from: usize, value: &str) -> Result<u64, Fault> {
    match value.parse() {
        Ok(number) => Ok(number),
        Err(_) => cursor.fault(from, format!("'{value}' is not a number"), "write a decimal number"),
    }
}

fn hex_bytes(cursor: &Cursor<'_>, from: usize, value: &str) -> Result<Vec<u8>, Fault> {
    let digits = value.as_bytes();
    let bytes: Option<Vec<u8>> = digits
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2))
        .map(|pair| pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect();
    bytes.map_or_else(|| cursor.fault(from, "expected pairs of hexadecimal digits", ""), Ok)
}

/// `offset:symbol+addend`
fn relocation(cursor: &Cursor<'_>, from: usize, value: &str) -> Result<Relocation, Fault> {
    let parsed = value.split_once(':').and_then(|(offset, place)| {
        let sign = place.rfind(['+', '-'])?;
        let addend = place[sign..].parse().ok()?;
        Some(Relocation { offset: offset.parse().ok()?, symbol: place[..sign].to_owned(), addend })
    });
    parsed.map_or_else(|| cursor.fault(from, "expected 'address=OFFSET:SYMBOL+ADDEND'", ""), Ok)
}

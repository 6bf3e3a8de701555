//! One line of a listing to an instruction: address, control columns, guard, opcode, operands.

use super::cursor::{Cursor, Fault, number};
use super::operand_reader::operand;
use super::register_reader::{predicate, uniform_predicate};
use super::unsupported::missing_unit;
use crate::instruction::{Control, Guard, Instruction, MAX_OPERANDS, Origin, WAIT_COUNTERS};
use crate::modifier::{Modifier, Modifiers};
use crate::opcode::Opcode;
use crate::operand::Operand;
use warplab_diagnostics::nearest_name;

pub(super) fn instruction_line(cursor: &mut Cursor, line: u32) -> Result<Instruction, Fault> {
    address_column(cursor);
    let control = control_columns(cursor)?;
    let place = place_column(cursor)?;
    let guard = guard(cursor)?;
    let (opcode, modifiers) = opcode(cursor)?;
    let mut instruction = Instruction::new(opcode, modifiers, []).guarded(guard);
    instruction.control = control;
    let (source_file, source_line) = place.map_or((None, 0), |(file, line)| (Some(file), line));
    instruction.origin = Origin { line, source_file, source_line, ..Origin::default() };
    while !cursor.at_end() && !cursor.rest().starts_with(';') && !cursor.rest().starts_with("//") {
        if !instruction.operands.is_empty() {
            cursor.expect(",")?;
        }
        cursor.skip_blanks();
        let from = cursor.at;
        let operand = operand(cursor, &instruction)?;
        if instruction.operands.len() == MAX_OPERANDS {
            return cursor.fault(from, format!("more than {MAX_OPERANDS} operands"), "");
        }
        instruction.operands.push(operand);
    }
    // A lone number is a mask of lanes; only a collective one has a target, after its register.
    if let (Opcode::Warpsync, [Operand::Target(index)], false) =
        (opcode, instruction.operands.as_slice(), instruction.has(Modifier::Collective))
    {
        // It was a number of 32 bits.
        instruction.operands[0] = Operand::Immediate(index.wrapping_mul(16));
    }
    cursor.eat(";");
    if !cursor.at_end() && !cursor.rest().starts_with("//") {
        return cursor.fault(cursor.at, "unexpected text after the instruction", "");
    }
    Ok(instruction)
}

/// The address in front of a line, which is only for people: lines count.
fn address_column(cursor: &mut Cursor) {
    let start = cursor.at;
    let word = cursor.word(|character| matches!(character, '0'..='9' | 'a'..='f'));
    let blank_follows = cursor.rest().starts_with(' ');
    if word.len() < 4 || !blank_follows || u64::from_str_radix(word, 16).is_err() {
        cursor.at = start;
    }
}

fn control_columns(cursor: &mut Cursor) -> Result<Control, Fault> {
    let mut control = Control::default();
    if cursor.eat("stall=") {
        let from = cursor.at;
        control.stall = match number(cursor)? {
            stall @ 0..=15 => u8::try_from(stall).unwrap_or(15),
            _ => return cursor.fault(from, "a stall count is 0 to 15", ""),
        };
    }
    if cursor.eat("yield=") {
        control.yield_hint = number(cursor)? != 0;
    }
    if cursor.eat("wr=") {
        control.write_barrier = wait_counter(cursor)?;
    }
    if cursor.eat("rd=") {
        control.read_barrier = wait_counter(cursor)?;
    }
    if cursor.eat("wait=") {
        let from = cursor.at;
        let word = cursor.name();
        control.wait_mask = match u8::from_str_radix(word, 2) {
            Ok(mask) if mask < 1 << WAIT_COUNTERS => mask,
            _ => {
                return cursor.fault(from, "a wait mask is six binary digits", "the last digit is counter 0");
            }
        };
    }
    Ok(control)
}

/// `at=FILE:LINE`: the line of the source, by the number of its file.
fn place_column(cursor: &mut Cursor) -> Result<Option<(u16, u32)>, Fault> {
    if !cursor.eat("at=") {
        return Ok(None);
    }
    let from = cursor.at;
    let file = number(cursor)?;
    cursor.expect(":")?;
    let line = number(cursor)?;
    match u16::try_from(file) {
        Ok(file) => Ok(Some((file, line))),
        Err(_) => {
            cursor.fault(from, format!("there is no file {file}"), "files have lines '.file NUMBER NAME'")
        }
    }
}

fn wait_counter(cursor: &mut Cursor) -> Result<Option<u8>, Fault> {
    if cursor.eat("-") {
        return Ok(None);
    }
    let from = cursor.at;
    match u8::try_from(number(cursor)?) {
        Ok(counter) if usize::from(counter) < WAIT_COUNTERS => Ok(Some(counter)),
        _ => cursor.fault(from, "a wait counter is 0 to 5, or '-'", ""),
    }
}

fn guard(cursor: &mut Cursor) -> Result<Guard, Fault> {
    if !cursor.eat("@") {
        return Ok(Guard::ALWAYS);
    }
    let negate = cursor.eat("!");
    let from = cursor.at;
    let word = cursor.name();
    if let Some(predicate) = predicate(word) {
        Ok(Guard::Predicate { predicate, negate })
    } else if let Some(predicate) = uniform_predicate(word) {
        Ok(Guard::Uniform { predicate, negate })
    } else {
        cursor.fault(from, format!("'{word}' is no predicate"), "a guard is P0 to P6, PT, UP0 to UP6 or UPT")
    }
}

fn opcode(cursor: &mut Cursor) -> Result<(Opcode, Modifiers), Fault> {
    cursor.skip_blanks();
    let from = cursor.at;
    let name = cursor.name();
    let Some(opcode) = Opcode::from_name(name) else {
        if let Some(unit) = missing_unit(name) {
            let help = "write the kernel without it; 'warplab isa' lists what is supported";
            return cursor.fault(from, format!("'{name}' is not supported: there are no {unit} here"), help);
        }
        let help = nearest_name(name, Opcode::ALL.iter().map(|opcode| opcode.name()))
            .map_or(String::new(), |near| format!("did you mean '{near}'?"));
        return cursor.fault(from, format!("unknown opcode '{name}'"), help);
    };
    let mut modifiers = Modifiers::default();
    while cursor.rest().starts_with('.') {
        cursor.at += 1;
        let from = cursor.at;
        let mut text = cursor.name();
        if text == "PF1" && cursor.rest().starts_with(".5") {
            cursor.at += 2;
            text = "PF1.5";
        }
        let Some(modifier) = Modifier::from_name(text) else {
            let help = nearest_name(text, Modifier::ALL.iter().map(|modifier| modifier.name()))
                .map_or(String::new(), |near| format!("did you mean '.{near}'?"));
            return cursor.fault(from, format!("unknown modifier '.{text}' of {name}"), help);
        };
        if !modifiers.push(modifier) {
            return cursor.fault(from, format!("too many modifiers of {name}"), "");
        }
    }
    Ok((opcode, modifiers))
}

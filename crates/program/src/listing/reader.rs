//! Text to program.

use crate::instruction::{
    Control, Guard, INSTRUCTION_BYTES, Instruction, MAX_OPERANDS, Origin, WAIT_BARRIERS,
};
use crate::kernel::{ConstantBank, GlobalVariable, Kernel, Parameter, Program, Relocation};
use crate::modifier::{Modifier, Modifiers};
use crate::opcode::Opcode;
use crate::operand::{
    AddressOperand, ConstantIndex, ConstantOperand, Operand, Selector, SourceModifier, SpecialRegister,
};
use crate::register::{BarrierRegister, Predicate, Register, UniformPredicate, UniformRegister};
use warplab_diagnostics::{Diagnostic, Source, Span, nearest_name};

type Fault = Box<Diagnostic>;

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
        if target as usize >= kernel.instructions.len() {
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

/// A place in one line.
struct Cursor<'a> {
    line: &'a str,
    offset: usize,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, text: &str) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// The longest run of characters that `belongs` accepts, without leading blanks.
    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        self.skip_blanks();
        let rest = self.rest();
        let end = rest.find(|character| !belongs(character)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn name(&mut self) -> &'a str {
        self.word(|character| character.is_alphanumeric() || matches!(character, '_' | '$' | '%'))
    }

    fn fault<T>(&self, from: usize, message: impl Into<String>, help: impl Into<String>) -> Result<T, Fault> {
        let to = self.at.max((from + 1).min(self.line.len()));
        let span = Span::new(self.offset + from, self.offset + to);
        Err(Box::new(Diagnostic::error(span, message).with_help(help)))
    }

    fn expect(&mut self, text: &str) -> Result<(), Fault> {
        if self.eat(text) { Ok(()) } else { self.fault(self.at, format!("expected '{text}'"), "") }
    }

    fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
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

const DIRECTIVES: [&str; 13] = [
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
    ".arch",
];

fn directive(program: &mut Program, cursor: &mut Cursor) -> Result<(), Fault> {
    let from = cursor.at;
    let name = cursor.word(|character| !character.is_whitespace());
    match name {
        ".file" => {
            number(cursor)?;
            let text = cursor.word(|_| true).trim().trim_matches('"');
            program.files.push(text.to_owned());
            return Ok(());
        }
        ".arch" => {
            cursor.word(|_| true);
            return Ok(());
        }
        ".global" => {
            let global = global_variable(cursor)?;
            program.globals.push(global);
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
        _ => return unknown_directive(cursor, from, name, ""),
    }
    Ok(())
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

fn number(cursor: &mut Cursor) -> Result<u32, Fault> {
    cursor.skip_blanks();
    let from = cursor.at;
    let word = cursor.name();
    match parse_integer(word).and_then(|value| u32::try_from(value).ok()) {
        Some(value) => Ok(value),
        None => cursor.fault(from, format!("expected a number, found '{word}'"), ""),
    }
}

fn parse_integer(word: &str) -> Option<i64> {
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

fn instruction_line(cursor: &mut Cursor, line: u32) -> Result<Instruction, Fault> {
    address_column(cursor);
    let control = control_columns(cursor)?;
    let guard = guard(cursor)?;
    let (opcode, modifiers) = opcode(cursor)?;
    let mut instruction = Instruction::new(opcode, modifiers, []).guarded(guard);
    instruction.control = control;
    instruction.origin = Origin { line, ..Origin::default() };
    while !cursor.at_end() && !cursor.rest().starts_with(';') && !cursor.rest().starts_with("//") {
        if !instruction.operands.is_empty() {
            cursor.expect(",")?;
        }
        cursor.skip_blanks();
        let from = cursor.at;
        let operand = operand(cursor, opcode)?;
        if instruction.operands.len() == MAX_OPERANDS {
            return cursor.fault(from, format!("more than {MAX_OPERANDS} operands"), "");
        }
        instruction.operands.push(operand);
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
            stall @ 0..=15 => stall as u8,
            _ => return cursor.fault(from, "a stall count is 0 to 15", ""),
        };
    }
    if cursor.eat("yield=") {
        control.yield_hint = number(cursor)? != 0;
    }
    if cursor.eat("wr=") {
        control.write_barrier = wait_barrier(cursor)?;
    }
    if cursor.eat("rd=") {
        control.read_barrier = wait_barrier(cursor)?;
    }
    if cursor.eat("wait=") {
        let from = cursor.at;
        let word = cursor.name();
        control.wait_mask = match u8::from_str_radix(word, 2) {
            Ok(mask) if mask < 1 << WAIT_BARRIERS => mask,
            _ => {
                return cursor.fault(from, "a wait mask is six binary digits", "the last digit is counter 0");
            }
        };
    }
    Ok(control)
}

fn wait_barrier(cursor: &mut Cursor) -> Result<Option<u8>, Fault> {
    if cursor.eat("-") {
        return Ok(None);
    }
    let from = cursor.at;
    match number(cursor)? {
        barrier if (barrier as usize) < WAIT_BARRIERS => Ok(Some(barrier as u8)),
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

fn operand(cursor: &mut Cursor, opcode: Opcode) -> Result<Operand, Fault> {
    let from = cursor.at;
    if cursor.eat("!") {
        let word = cursor.name();
        return predicate(word)
            .map(|predicate| Operand::Predicate { predicate, negate: true })
            .or_else(|| {
                uniform_predicate(word).map(|predicate| Operand::UniformPredicate { predicate, negate: true })
            })
            .map_or_else(|| cursor.fault(from, format!("'{word}' is no predicate"), ""), Ok);
    }
    if cursor.rest().starts_with("desc[") || cursor.rest().starts_with('[') {
        return address(cursor);
    }
    if let Some(number) = numeric_operand(cursor, opcode) {
        return Ok(number);
    }
    let negate = cursor.eat("-");
    let absolute = cursor.eat("|");
    let invert = cursor.eat("~");
    let modifier = SourceModifier { negate, absolute, invert };
    let value = value_operand(cursor, modifier)?;
    if absolute {
        cursor.expect("|")?;
    }
    Ok(value)
}

fn value_operand(cursor: &mut Cursor, modifier: SourceModifier) -> Result<Operand, Fault> {
    let from = cursor.at;
    if cursor.rest().starts_with("c[") || cursor.rest().starts_with("cx[") {
        return constant(cursor, modifier);
    }
    let word = cursor.name();
    if let Some(register) = register(word) {
        let (selector, reuse) = register_suffix(cursor)?;
        return Ok(Operand::Register { register, modifier, selector, reuse });
    }
    if let Some(register) = uniform_register(word) {
        let (selector, _) = register_suffix(cursor)?;
        return Ok(Operand::Uniform { register, modifier, selector });
    }
    if let Some(predicate) = predicate(word) {
        return Ok(Operand::Predicate { predicate, negate: false });
    }
    if let Some(predicate) = uniform_predicate(word) {
        return Ok(Operand::UniformPredicate { predicate, negate: false });
    }
    if word == "PR" {
        return Ok(Operand::AllPredicates);
    }
    if let Some(number) = numbered(word, "B").filter(|&number| number < BarrierRegister::COUNT as u32) {
        return Ok(Operand::Barrier(BarrierRegister(number as u8)));
    }
    if let Some(number) = numbered(word, "SB").filter(|&number| number < WAIT_BARRIERS as u32) {
        return Ok(Operand::WaitBarrier(number as u8));
    }
    if word.starts_with("SR") {
        let mut name = word.to_owned();
        while cursor.rest().starts_with('.') {
            cursor.at += 1;
            name = format!("{name}.{}", cursor.name());
        }
        if let Some(special) = SpecialRegister::from_name(&name) {
            return Ok(Operand::Special(special));
        }
        let help = nearest_name(&name, SpecialRegister::ALL.iter().map(|special| special.name()))
            .map_or(String::new(), |near| format!("did you mean '{near}'?"));
        return cursor.fault(from, format!("unknown special register '{name}'"), help);
    }
    cursor.fault(from, format!("unknown operand '{word}'"), "")
}

/// `.reuse`, `.H0_H0`, `.64`, ...
fn register_suffix(cursor: &mut Cursor) -> Result<(Selector, bool), Fault> {
    let mut selector = Selector::Whole;
    let mut reuse = false;
    while cursor.rest().starts_with('.') {
        let from = cursor.at;
        cursor.at += 1;
        let word = cursor.name();
        match Selector::PRINTED.into_iter().find(|selector| &selector.suffix()[1..] == word) {
            Some(found) => selector = found,
            None if word == "reuse" => reuse = true,
            None => return cursor.fault(from, format!("unknown register suffix '.{word}'"), ""),
        }
    }
    Ok((selector, reuse))
}

/// A number: an integer, or a float where the opcode takes floats; a branch target where it branches.
fn numeric_operand(cursor: &mut Cursor, opcode: Opcode) -> Option<Operand> {
    let start = cursor.at;
    let rest = cursor.rest();
    let unsigned = rest.trim_start_matches(['-', '+']);
    let special = ["INF", "QNAN", "SNAN"].iter().any(|word| unsigned.starts_with(word));
    if !unsigned.starts_with(|character: char| character.is_ascii_digit()) && !special {
        return None;
    }
    let sign_length = rest.len() - unsigned.len();
    cursor.at += sign_length;
    let word = cursor.word(|character| character.is_alphanumeric() || character == '.');
    // An exponent's sign: `1e-05`.
    if word.ends_with(['e', 'E']) && !word.starts_with("0x") && cursor.rest().starts_with(['-', '+']) {
        cursor.at += 1;
        cursor.word(|character| character.is_ascii_digit());
    }
    let text = &cursor.line[start..cursor.at];
    let parsed = if text.trim_start_matches(['-', '+']).starts_with("0x") || !opcode.takes_floats() {
        parse_integer(text).or_else(|| half_bits(text)).map(|value| value as u32)
    } else {
        float_bits(text, opcode.takes_doubles())
    };
    let Some(bits) = parsed else {
        cursor.at = start;
        return None;
    };
    use Opcode::{Bra, Bssy, Call, Jmp, Ret, Warpsync};
    let is_target = matches!(opcode, Bra | Bssy | Call | Jmp | Ret | Warpsync) && text.starts_with("0x");
    if is_target && u64::from(bits) % INSTRUCTION_BYTES == 0 && !(opcode == Warpsync && bits == u32::MAX) {
        return Some(Operand::Target(bits / INSTRUCTION_BYTES as u32));
    }
    Some(Operand::Immediate(bits))
}

fn float_bits(text: &str, double: bool) -> Option<u32> {
    let value = match text {
        "+INF" | "INF" => f64::INFINITY,
        "-INF" => f64::NEG_INFINITY,
        "+QNAN" | "QNAN" => return Some(if double { 0x7ff8_0000 } else { 0x7fff_ffff }),
        "-QNAN" => return Some(if double { 0xfff8_0000 } else { 0xffff_ffff }),
        _ => text.parse::<f64>().ok()?,
    };
    Some(if double { (value.to_bits() >> 32) as u32 } else { (value as f32).to_bits() })
}

/// A decimal fraction in a half-precision instruction: the bits of a half.
fn half_bits(text: &str) -> Option<i64> {
    let value: f32 = match text {
        "+INF" | "INF" => f32::INFINITY,
        "-INF" => f32::NEG_INFINITY,
        _ => text.parse().ok()?,
    };
    Some(i64::from(half_from_float(value)))
}

/// The half-precision bits of a float that is exactly a half.
fn half_from_float(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
    let fraction = bits & 0x7f_ffff;
    match exponent {
        ..=-10 => sign,
        -9..=0 => sign | ((fraction | 0x80_0000) >> (14 - exponent)) as u16,
        1..=30 => sign | (exponent as u16) << 10 | (fraction >> 13) as u16,
        _ => sign | 0x7c00,
    }
}

fn constant(cursor: &mut Cursor, modifier: SourceModifier) -> Result<Operand, Fault> {
    cursor.eat("cx");
    cursor.eat("c");
    cursor.expect("[")?;
    let bank = number(cursor)? as u8;
    cursor.expect("]")?;
    cursor.expect("[")?;
    let mut index = ConstantIndex::None;
    let mut offset = 0;
    loop {
        cursor.skip_blanks();
        let from = cursor.at;
        let negative = cursor.eat("-");
        let word = cursor.name();
        if let Some(register) = register(word) {
            index = ConstantIndex::Register(register);
        } else if let Some(register) = uniform_register(word) {
            index = ConstantIndex::Uniform(register);
        } else if let Some(value) = parse_integer(word) {
            offset += if negative { -value } else { value };
        } else {
            return cursor.fault(from, format!("unknown constant offset '{word}'"), "");
        }
        if !cursor.eat("+") && !cursor.rest().starts_with('-') {
            break;
        }
    }
    cursor.expect("]")?;
    Ok(Operand::Constant(ConstantOperand { bank, index, offset: offset as i32, modifier }))
}

fn address(cursor: &mut Cursor) -> Result<Operand, Fault> {
    let mut address = AddressOperand { scale: 1, ..AddressOperand::default() };
    if cursor.eat("desc[") {
        let from = cursor.at;
        let word = cursor.name();
        let Some(descriptor) = uniform_register(word) else {
            return cursor.fault(from, format!("'{word}' is no uniform register"), "");
        };
        address.descriptor = Some(descriptor);
        cursor.expect("]")?;
    }
    cursor.expect("[")?;
    while !cursor.eat("]") {
        cursor.eat("+");
        cursor.skip_blanks();
        let from = cursor.at;
        let negative = cursor.eat("-");
        let word = cursor.name();
        if let Some(base) = register(word) {
            address.base = Some(base);
            address_suffix(cursor, &mut address)?;
        } else if let Some(uniform) = uniform_register(word) {
            address.uniform = Some(uniform);
            if cursor.eat(".64") {
                address.uniform_wide = true;
            }
        } else if let Some(value) = parse_integer(word) {
            address.offset = address.offset.wrapping_add(if negative { -value } else { value } as i32);
        } else {
            return cursor.fault(from, format!("unknown part of an address '{word}'"), "");
        }
    }
    Ok(Operand::Address(address))
}

fn address_suffix(cursor: &mut Cursor, address: &mut AddressOperand) -> Result<(), Fault> {
    while cursor.rest().starts_with('.') {
        let from = cursor.at;
        cursor.at += 1;
        match cursor.name() {
            "64" => address.wide = true,
            "U32" | "reuse" => {}
            "X4" => address.scale = 4,
            "X8" => address.scale = 8,
            "X16" => address.scale = 16,
            word => return cursor.fault(from, format!("unknown address suffix '.{word}'"), ""),
        }
    }
    Ok(())
}

/// The number of `word` after `prefix`, if it is that prefix and a number.
fn numbered(word: &str, prefix: &str) -> Option<u32> {
    word.strip_prefix(prefix)?.parse().ok()
}

macro_rules! register_reader {
    ($name:ident, $kind:ident, $fixed:ident, $prefix:literal, $fixed_name:literal, $virtual_prefix:literal, $limit:literal) => {
        fn $name(word: &str) -> Option<$kind> {
            if word == $fixed_name {
                return Some($kind::$fixed);
            }
            if let Some(number) = numbered(word, $prefix) {
                return (number < $limit).then_some($kind(number));
            }
            numbered(word, $virtual_prefix)
                .filter(|&number| number < 1 << 30)
                .map(|number| $kind($kind::FIRST_VIRTUAL + number))
        }
    };
}

register_reader!(register, Register, ZERO, "R", "RZ", "%r", 255);
register_reader!(predicate, Predicate, TRUE, "P", "PT", "%p", 7);
register_reader!(uniform_register, UniformRegister, ZERO, "UR", "URZ", "%ur", 63);
register_reader!(uniform_predicate, UniformPredicate, TRUE, "UP", "UPT", "%up", 7);

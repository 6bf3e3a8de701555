//! One operand of an instruction.

use super::cursor::{Cursor, Fault, number, parse_integer, word_bits};
use super::register_reader::{numbered, predicate, register, uniform_predicate, uniform_register};
use crate::instruction::{INSTRUCTION_BYTES, Instruction, WAIT_COUNTERS};
use crate::modifier::Modifier;
use crate::opcode::Opcode;
use crate::operand::{
    AddressOperand, ConstantIndex, ConstantOperand, MatrixSigns, Operand, Selector, SourceModifier,
    SpecialRegister,
};
use crate::register::BarrierRegister;
use crate::warpgroup::PRODUCT_GROUPS;
use warplab_diagnostics::nearest_name;

/// Reads the next operand of an instruction of which opcode and modifiers are known.
pub(super) fn operand(cursor: &mut Cursor, instruction: &Instruction) -> Result<Operand, Fault> {
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
    if cursor.eat("gdesc[") {
        return descriptors(cursor);
    }
    if let Some(policy) = cache_policy(cursor) {
        return Ok(policy);
    }
    if cursor.rest().starts_with("desc[") || cursor.rest().starts_with('[') {
        return address(cursor);
    }
    if let Some(number) = numeric_operand(cursor, instruction) {
        return Ok(number);
    }
    let negate = cursor.eat("-");
    let absolute = cursor.eat("|");
    let invert = cursor.eat("~");
    let modifier = SourceModifier { negate, absolute, invert };
    let mut value = value_operand(cursor, modifier)?;
    if absolute {
        cursor.expect("|")?;
        bar_suffix(cursor, &mut value)?;
    }
    Ok(value)
}

/// `desc[UR4]` without an address behind it: a pair of registers of the warp with a cache policy.
fn cache_policy(cursor: &mut Cursor) -> Option<Operand> {
    let start = cursor.at;
    let policy = cursor.eat("desc[").then(|| uniform_register(cursor.name())).flatten();
    if let Some(register) = policy
        && cursor.eat("]")
        && !cursor.rest().starts_with('[')
    {
        let modifier = SourceModifier::NONE;
        return Some(Operand::Uniform { register, modifier, selector: Selector::Pair });
    }
    cursor.at = start;
    None
}

/// The rest of `gdesc[UR8].negA.tnspB`.
fn descriptors(cursor: &mut Cursor) -> Result<Operand, Fault> {
    let from = cursor.at;
    let word = cursor.name();
    let Some(registers) = uniform_register(word) else {
        return cursor.fault(from, format!("'{word}' is no uniform register"), "");
    };
    cursor.expect("]")?;
    let mut signs = MatrixSigns::default();
    while cursor.rest().starts_with('.') {
        let from = cursor.at;
        let Some((_, field)) = MatrixSigns::NAMES.into_iter().find(|(name, _)| cursor.eat(name)) else {
            let help = "behind descriptors are .negA, .negB, .tnspA and .tnspB";
            cursor.at += 1;
            let word = cursor.name();
            return cursor.fault(from, format!("unknown suffix '.{word}' of descriptors"), help);
        };
        *field(&mut signs) = true;
    }
    Ok(Operand::MatrixDescriptors { registers, signs })
}

/// What a disassembler prints after the second bar: `|R2|.reuse.H0_H0`.
fn bar_suffix(cursor: &mut Cursor, value: &mut Operand) -> Result<(), Fault> {
    let (after, keeps) = register_suffix(cursor)?;
    match value {
        Operand::Register { selector, reuse, .. } => {
            *reuse |= keeps;
            if after != Selector::Whole {
                *selector = after;
            }
        }
        Operand::Uniform { selector, .. } if after != Selector::Whole => *selector = after,
        _ => {}
    }
    Ok(())
}

fn value_operand(cursor: &mut Cursor, modifier: SourceModifier) -> Result<Operand, Fault> {
    let from = cursor.at;
    if cursor.rest().starts_with("c[") || cursor.rest().starts_with("cx[") {
        return constant(cursor, modifier);
    }
    if cursor.rest().starts_with('{') {
        return wait_counters(cursor);
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
    if word == "UPR" {
        return Ok(Operand::AllUniformPredicates);
    }
    let below = |prefix: &str, count: usize| {
        numbered(word, prefix).and_then(|it| u8::try_from(it).ok()).filter(|&it| usize::from(it) < count)
    };
    if let Some(number) = below("B", BarrierRegister::COUNT) {
        return Ok(Operand::Barrier(BarrierRegister(number)));
    }
    if let Some(number) = below("SB", WAIT_COUNTERS) {
        return Ok(Operand::WaitBarrier(number));
    }
    if let Some(number) = below("gsb", PRODUCT_GROUPS) {
        return Ok(Operand::ProductGroup(number));
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

/// `{5,4,0}`.
fn wait_counters(cursor: &mut Cursor) -> Result<Operand, Fault> {
    let from = cursor.at;
    let text = cursor.rest();
    let end = text.find('}').unwrap_or(text.len());
    let named =
        text[1..end].split(',').map(|it| it.trim().parse::<usize>().ok().filter(|&it| it < WAIT_COUNTERS));
    let mask = named.map(|it| it.map(|it| 1u8 << it)).try_fold(0, |all, bit| bit.map(|bit| all | bit));
    match mask {
        Some(mask) if end < text.len() => {
            cursor.at += end + 1;
            Ok(Operand::WaitBarriers(mask))
        }
        _ => cursor.fault(from, "wait counters are named by their numbers", "as in '{5,4,0}'"),
    }
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
fn numeric_operand(cursor: &mut Cursor, instruction: &Instruction) -> Option<Operand> {
    let opcode = instruction.opcode;
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
    let parsed = if text.trim_start_matches(['-', '+']).starts_with("0x") {
        parse_integer(text).and_then(word_bits)
    } else if opcode.takes_halves() {
        if instruction.has(Modifier::Bf16V2) { bf16_bits(text) } else { half_bits(text) }
    } else if !opcode.takes_floats() {
        parse_integer(text).and_then(word_bits)
    } else {
        float_bits(text, instruction.takes_doubles())
    };
    let Some(bits) = parsed else {
        cursor.at = start;
        return None;
    };
    use Opcode::{Bra, Bssy, Call, Jmp, Lepc, Ret, Warpsync};
    let is_target =
        matches!(opcode, Bra | Bssy | Call | Jmp | Lepc | Ret | Warpsync) && text.starts_with("0x");
    if is_target && bits % STEP == 0 && !(opcode == Warpsync && bits == u32::MAX) {
        return Some(Operand::Target(bits / STEP));
    }
    Some(Operand::Immediate(bits))
}

/// Bytes from one address of an instruction to the next.
const STEP: u32 = 16;
const _: () = assert!(STEP as u64 == INSTRUCTION_BYTES);

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding to a float and taking the upper half are meant"
)]
fn float_bits(text: &str, double: bool) -> Option<u32> {
    let value = match text {
        "+INF" | "INF" => f64::INFINITY,
        "-INF" => f64::NEG_INFINITY,
        "+QNAN" | "QNAN" => return Some(if double { 0x7ff8_0000 } else { 0x7fff_ffff }),
        "-QNAN" => return Some(if double { 0xfff8_0000 } else { 0xffff_ffff }),
        "+SNAN" | "SNAN" => return Some(if double { 0x7ff4_0000 } else { 0x7fa0_0000 }),
        "-SNAN" => return Some(if double { 0xfff4_0000 } else { 0xffa0_0000 }),
        _ => text.parse::<f64>().ok()?,
    };
    Some(if double { (value.to_bits() >> 32) as u32 } else { (value as f32).to_bits() })
}

/// A decimal number in a half-precision instruction: the bits of a half.
fn half_bits(text: &str) -> Option<u32> {
    match text.trim_start_matches('+') {
        "QNAN" => Some(0x7fff),
        "-QNAN" => Some(0xffff),
        "SNAN" => Some(0x7d00),
        "-SNAN" => Some(0xfd00),
        _ => float_bits(text, false).map(|bits| u32::from(half_from_float(f32::from_bits(bits)))),
    }
}

/// The same of a bfloat16, which is the upper half of a float.
fn bf16_bits(text: &str) -> Option<u32> {
    float_bits(text, false).map(|bits| bits >> 16)
}

/// The half-precision bits of a float that is exactly a half.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "fields of a float, each narrower than its type"
)]
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
    let from = cursor.at;
    let counted = number(cursor)?;
    let Ok(bank) = u8::try_from(counted) else {
        return cursor.fault(from, format!("constant bank {counted} does not exist"), "");
    };
    cursor.expect("]")?;
    cursor.expect("[")?;
    let mut index = ConstantIndex::None;
    let mut offset = 0_i64;
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
            offset = offset.wrapping_add(if negative { -value } else { value });
        } else {
            return cursor.fault(from, format!("unknown constant offset '{word}'"), "");
        }
        if !cursor.eat("+") && !cursor.rest().starts_with('-') {
            break;
        }
    }
    cursor.expect("]")?;
    let Ok(offset) = i32::try_from(offset) else {
        return cursor.fault(from, format!("the offset {offset} is outside every constant bank"), "");
    };
    Ok(Operand::Constant(ConstantOperand { bank, index, offset, modifier }))
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
            let Some(bits) = word_bits(if negative { -value } else { value }) else {
                return cursor.fault(from, format!("the offset '{word}' needs more than 32 bits"), "");
            };
            address.offset = address.offset.wrapping_add(bits.cast_signed());
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

//! Constants of half precision: one source of an instruction is two immediates, the upper half and the lower one.

use warplab_program::{Instruction, Modifier, Opcode, Operand, Register, Selector, SourceModifier};

/// Reads a constant of a register as two immediates, where the instruction may have them in its place or after an exchange.
pub(crate) fn read_constant(instruction: &mut Instruction, index: usize, bits: u32) -> bool {
    let Operand::Register { modifier, selector, .. } = instruction.operands[index] else { return false };
    let Some(bits) = seen(bits, modifier, selector) else { return false };
    let sources = sources(instruction);
    let Some(mut place) = sources.iter().position(|&source| source == index) else { return false };
    let mut operands: Vec<Operand> = instruction.operands.iter().copied().collect();
    if place == 0 && commutes(instruction.opcode) {
        let Some(&other) = sources.get(1) else { return false };
        operands.swap(index, other);
        place = 1;
    }
    let Some(&at) = sources.get(place).filter(|_| takes_constant(instruction, place)) else { return false };
    operands.splice(at..=at, [bits >> 16, bits & 0xffff].map(Operand::Immediate));
    instruction.operands = operands.into_iter().collect();
    true
}

/// The places of the sources that are registers; none where one is a constant already.
fn sources(instruction: &Instruction) -> Vec<usize> {
    if instruction.operands.iter().any(|operand| matches!(operand, Operand::Immediate(_))) {
        return Vec::new();
    }
    let written = instruction.written_operands();
    let is_source = |&index: &usize| {
        written >> index & 1 == 0 && matches!(instruction.operands[index], Operand::Register { .. })
    };
    (0..instruction.operands.len()).filter(is_source).collect()
}

fn commutes(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Hadd2 | Opcode::Hmul2 | Opcode::Hfma2 | Opcode::Hmnmx2)
}

/// Whether a source may be a constant: not the first, and not where single precision is computed.
fn takes_constant(instruction: &Instruction, place: usize) -> bool {
    let has_place = place == 1 || place == 2 && instruction.opcode == Opcode::Hfma2;
    has_place && !instruction.has(Modifier::F32)
}

/// What an instruction sees of a constant.
fn seen(bits: u32, modifier: SourceModifier, selector: Selector) -> Option<u32> {
    let (low, high) = (bits & 0xffff, bits >> 16);
    let mut bits = match selector {
        Selector::Whole => bits,
        Selector::H0H0 => low << 16 | low,
        Selector::H1H1 => high << 16 | high,
        _ => return None,
    };
    if modifier.invert {
        return None;
    }
    if modifier.absolute {
        bits &= 0x7fff_7fff;
    }
    if modifier.negate {
        bits ^= 0x8000_8000;
    }
    Some(bits)
}

/// The constant that a conversion of two constants to half precision gives, if they are exact there: the rounding is then of no account.
pub(crate) fn packed_constant(instruction: &Instruction) -> Option<u32> {
    let plain = instruction.modifiers.as_slice() == [Modifier::F16, Modifier::F32, Modifier::PackAb];
    let [_, high, low] = instruction.operands[..] else { return None };
    if instruction.opcode != Opcode::F2fp || !plain {
        return None;
    }
    let half = |operand: Operand| match operand {
        Operand::Immediate(bits) => exact_half(bits),
        Operand::Register { register: Register::ZERO, modifier: SourceModifier::NONE, .. } => Some(0),
        _ => None,
    };
    Some(half(high)? << 16 | half(low)?)
}

/// A number of single precision as one of half precision, if it is a normal one of both or zero and loses nothing.
fn exact_half(bits: u32) -> Option<u32> {
    let sign = bits >> 16 & 0x8000;
    if bits << 1 == 0 {
        return Some(sign);
    }
    let exponent = (bits >> 23 & 0xff).checked_sub(127 - 15).filter(|exponent| (1..31).contains(exponent))?;
    (bits & 0x1fff == 0).then_some(sign | exponent << 10 | bits >> 13 & 0x3ff)
}

#[cfg(test)]
mod tests {
    use super::{exact_half, packed_constant, read_constant};
    use warplab_program::listing::read_instruction;
    use warplab_program::{Instruction, Operand};

    fn read(text: &str) -> Instruction {
        read_instruction(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"))
    }

    /// An instruction with a constant in the place of a register.
    fn with_constant(text: &str, index: usize, bits: u32) -> Option<Instruction> {
        let mut instruction = read(text);
        read_constant(&mut instruction, index, bits).then_some(instruction)
    }

    #[test]
    fn a_constant_is_two_immediates_with_sign_and_halves_as_they_are_read() {
        let is = |found, wanted| assert_eq!(found, Some(read(wanted)));
        is(with_constant("HADD2 R1, R2, -R3.H0_H0", 2, 0x6408), "HADD2 R1, R2, 0xe408, 0xe408");
        is(with_constant("HMUL2 R1, R3, R2", 1, 0x3c00_4000), "HMUL2 R1, R2, 0x3c00, 0x4000");
        is(with_constant("HFMA2 R1, R2, R3, R4", 3, 0xd480_e408), "HFMA2 R1, R2, R3, 0xd480, 0xe408");
    }

    #[test]
    fn no_constant_stands_first_in_a_comparison_nor_beside_another_one() {
        assert_eq!(with_constant("HSETP2.GT.AND P0, PT, R2, R3, PT", 2, 0x3c00), None);
        assert_eq!(with_constant("HFMA2 R1, R2, 0x3c00, 0x3c00, R4", 4, 0x3c00), None);
    }

    #[test]
    fn constants_that_half_precision_has_are_converted() {
        assert_eq!(exact_half(1032.0f32.to_bits()), Some(0x6408));
        assert_eq!(exact_half((-0.5f32).to_bits()), Some(0xb800));
        assert_eq!(exact_half(0.1f32.to_bits()), None);
        assert_eq!(exact_half(65536.0f32.to_bits()), None);
        assert_eq!(exact_half(2.0f32.powi(-15).to_bits()), None);
        let mut pack = read("F2FP.F16.F32.PACK_AB R1, RZ, R2");
        assert_eq!(packed_constant(&pack), None);
        pack.operands[2] = Operand::Immediate(1032.0f32.to_bits());
        assert_eq!(packed_constant(&pack), Some(0x6408));
    }
}

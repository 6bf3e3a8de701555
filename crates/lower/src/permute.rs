//! Bytes of bytes: where what is taken from a value was itself put together from bytes of others, it is taken from those.

use crate::code::Code;
use rustc_hash::FxHashMap;
use warplab_program::{
    Instruction, Modifier, Opcode, Operand, Register, Resource, Role, Selector, SourceModifier,
};

/// The bit of a selector that asks for the sign of a byte in each of its bits.
const SIGN: u8 = 8;

/// A byte of a value, or its sign in each bit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Byte {
    of: Operand,
    at: u8,
    sign: bool,
}

/// A byte that is zero.
const NOTHING: Byte = Byte { of: Operand::ZERO, at: 0, sign: false };

/// What is known of the values of a block: what the bytes of a register are, as long as nothing of this is written again.
#[derive(Default)]
struct Known {
    bytes: FxHashMap<Register, [Byte; 4]>,
    /// The registers whose bytes come from a register.
    from: FxHashMap<Register, Vec<Register>>,
}

impl Known {
    /// A register is written.
    fn forget(&mut self, register: Register) {
        self.bytes.remove(&register);
        for copy in self.from.remove(&register).unwrap_or_default() {
            self.bytes.remove(&copy);
        }
    }

    fn learn(&mut self, register: Register, bytes: [Byte; 4]) {
        for of in bytes.iter().filter_map(|byte| byte.of.as_register()) {
            self.from.entry(of).or_default().push(register);
        }
        self.bytes.insert(register, bytes);
    }

    /// Where a byte was before.
    fn origin(&self, byte: Byte) -> Byte {
        let Some(bytes) = byte.of.as_register().and_then(|it| self.bytes.get(&it)) else { return byte };
        let inner = bytes[usize::from(byte.at)];
        let sign = inner.of != Operand::ZERO && (inner.sign || byte.sign);
        Byte { sign, ..inner }
    }
}

/// Takes bytes from where they were first, in every block.
pub(crate) fn permute(code: &mut Code) {
    for block in &mut code.blocks {
        let mut known = Known::default();
        for instruction in &mut block.instructions {
            take_halves(instruction, &known);
            let learnt = bytes_of(instruction).and_then(|bytes| taken(instruction, bytes, &known));
            for access in instruction.accesses().iter().filter(|access| access.role == Role::Write) {
                if let Resource::Registers(first, count) = access.resource {
                    (0..count).for_each(|it| known.forget(first.offset(it)));
                }
            }
            if let Some((to, bytes)) = learnt {
                known.learn(to, bytes);
            }
        }
    }
}

/// Takes the bytes of a result from where they were first. The result and what is known of it afterwards.
fn taken(instruction: &mut Instruction, bytes: [Byte; 4], known: &Known) -> Option<(Register, [Byte; 4])> {
    let from = bytes.map(|byte| known.origin(byte));
    let shorter = instruction.opcode == Opcode::Prmt && from != bytes;
    let bytes = if shorter && write(instruction, from) { from } else { bytes };
    let to = instruction.operands[0];
    let kept = instruction.guard.is_always() && bytes.iter().all(|byte| byte.of != to) && is_of_one(&bytes);
    let to = to.as_register().filter(|register| kept && *register != Register::ZERO)?;
    Some((to, bytes))
}

/// Reads halves from where they were first, in what computes on both halves of a word and can take one of them twice.
fn take_halves(instruction: &mut Instruction, known: &Known) {
    use Opcode::{Hadd2, Hfma2, Hmnmx2, Hmul2, Hset2, Hsetp2};
    if !matches!(instruction.opcode, Hadd2 | Hfma2 | Hmnmx2 | Hmul2 | Hset2 | Hsetp2) {
        return;
    }
    let written = instruction.written_operands();
    for (index, operand) in instruction.operands.iter_mut().enumerate() {
        let &mut Operand::Register { register, modifier, selector, reuse } = operand else { continue };
        let halves = match selector {
            Selector::Whole => [[0, 1], [2, 3]],
            Selector::H0H0 => [[0, 1]; 2],
            Selector::H1H1 => [[2, 3]; 2],
            _ => continue,
        };
        let Some(bytes) = known.bytes.get(&register).filter(|_| written >> index & 1 == 0) else { continue };
        let [low, high] = halves.map(|half| half.map(|at: usize| bytes[at]));
        let of = low[0].of;
        let Some(register) = of.as_register().filter(|it| *it != Register::ZERO && low == high) else {
            continue;
        };
        let is = |first: u8| low == [0, 1].map(|at| Byte { of, at: first + at, sign: false });
        let selector = if is(0) {
            Selector::H0H0
        } else if is(2) {
            Selector::H1H1
        } else {
            continue;
        };
        *operand = Operand::Register { register, modifier, selector, reuse };
    }
}

/// Whether all bytes that are not zero come from one value, so that taking them there needs no further register.
fn is_of_one(bytes: &[Byte; 4]) -> bool {
    let mut values = bytes.iter().map(|byte| byte.of).filter(|of| *of != Operand::ZERO);
    values.next().is_none_or(|first| values.all(|other| other == first))
}

/// What the bytes of a result are, the lowest first, if an instruction only moves bytes.
fn bytes_of(instruction: &Instruction) -> Option<[Byte; 4]> {
    let modifiers = instruction.modifiers.as_slice();
    match (instruction.opcode, instruction.operands.as_slice()) {
        (Opcode::Prmt, &[_, low, Operand::Immediate(selector), high]) if modifiers.is_empty() => {
            (is_word(&low) && is_word(&high))
                .then(|| std::array::from_fn(|at| selected(at, selector, low, high)))
        }
        (Opcode::Shf, &[_, low, Operand::Immediate(count @ (8 | 16 | 24)), high]) => {
            let right = modifiers == [Modifier::R, Modifier::U32, Modifier::Hi] && low == Operand::ZERO;
            let left = modifiers == [Modifier::L, Modifier::U32] && high == Operand::ZERO;
            let places = match count {
                8 if right => [1, 2, 3, 4],
                16 if right => [2, 3, 4, 4],
                24 if right => [3, 4, 4, 4],
                8 => [4, 0, 1, 2],
                16 => [4, 4, 0, 1],
                _ => [4, 4, 4, 0],
            };
            let of = if right { high } else { low };
            ((right || left) && is_word(&of)).then(|| places.map(|at| byte(of, at)))
        }
        (Opcode::Lop3, operands) if modifiers == [Modifier::Lut] => {
            let &[of, Operand::Immediate(mask), Operand::ZERO, Operand::Immediate(0xc0), Operand::FALSE] =
                operands.get(operands.len().checked_sub(5)?..)?
            else {
                return None;
            };
            let bytes = mask.to_le_bytes();
            let kept = [0, 1, 2, 3].map(|at| byte(of, if bytes[usize::from(at)] == 0 { 4 } else { at }));
            (is_word(&of) && bytes.iter().all(|byte| matches!(byte, 0 | 0xff))).then_some(kept)
        }
        _ => None,
    }
}

/// Byte `at` of a value, of which those behind the last one are zero.
fn byte(of: Operand, at: u8) -> Byte {
    if at < 4 { Byte { of, at, sign: false } } else { NOTHING }
}

/// What byte `at` of a permutation is.
fn selected(at: usize, selector: u32, low: Operand, high: Operand) -> Byte {
    let nibble = (selector >> (4 * at) & 0xf) as u8;
    let of = if nibble & 4 == 0 { low } else { high };
    if of == Operand::ZERO { NOTHING } else { Byte { of, at: nibble & 3, sign: nibble & SIGN != 0 } }
}

/// Whether an operand is a register as it is, or zero.
fn is_word(operand: &Operand) -> bool {
    matches!(operand, Operand::Register { modifier: SourceModifier::NONE, selector: Selector::Whole, .. })
}

/// Makes a permutation take these bytes, if they are of two values at most.
fn write(instruction: &mut Instruction, bytes: [Byte; 4]) -> bool {
    let mut values: Vec<Operand> = Vec::new();
    for byte in bytes {
        if !values.contains(&byte.of) {
            values.push(byte.of);
        }
    }
    if values.len() > 2 {
        return false;
    }
    // Zero is read second, as everywhere.
    values.sort_by_key(|of| *of == Operand::ZERO);
    let nibble = |byte: &Byte| {
        let high = values.first() != Some(&byte.of);
        u32::from(byte.at | if high { 4 } else { 0 } | if byte.sign { SIGN } else { 0 })
    };
    let selector = bytes.iter().rev().fold(0, |selector, byte| selector << 4 | nibble(byte));
    let value = |at: usize| values.get(at).copied().unwrap_or(Operand::ZERO);
    instruction.operands[1] = value(0);
    instruction.operands[2] = Operand::Immediate(selector);
    instruction.operands[3] = value(1);
    true
}

#[cfg(test)]
mod tests {
    use super::permute;
    use crate::code::{Block, Code};
    use warplab_program::{Instruction, Modifier, Opcode, Operand, Register, Selector, SourceModifier};

    fn register(number: u32) -> Operand {
        Operand::register(Register(number))
    }

    fn bytes(to: u32, low: Operand, selector: u32, high: Operand) -> Instruction {
        Instruction::new(Opcode::Prmt, [], [register(to), low, Operand::Immediate(selector), high])
    }

    /// What the last instruction reads afterwards.
    fn last(instructions: Vec<Instruction>) -> [Operand; 3] {
        let mut code = Code::default();
        code.blocks.push(Block { instructions, ..Block::default() });
        permute(&mut code);
        let operands = &code.blocks[0].instructions.last().expect("some are given").operands;
        [operands[1], operands[2], operands[3]]
    }

    #[test]
    fn halves_of_two_words_are_put_together_at_once() {
        let upper = |to, from| bytes(to, register(from), 0x7632, Operand::ZERO);
        let both = bytes(5, register(3), 0x5410, register(4));
        let expected = [register(1), Operand::Immediate(0x7632), register(2)];
        assert_eq!(last(vec![upper(3, 1), upper(4, 2), both.clone()]), expected);
        // Not where a word has been written meanwhile.
        let anew = Instruction::new(Opcode::Mov, [], [register(1), Operand::ZERO]);
        let expected = [register(3), Operand::Immediate(0x7610), register(2)];
        assert_eq!(last(vec![upper(3, 1), upper(4, 2), anew, both]), expected);
    }

    #[test]
    fn what_a_shift_leaves_is_taken_from_what_it_shifts() {
        let operands = [register(3), Operand::ZERO, Operand::Immediate(8), register(1)];
        let shift = Instruction::new(Opcode::Shf, [Modifier::R, Modifier::U32, Modifier::Hi], operands);
        // The sign of byte 1 and byte 3 of the result, which are byte 2 of the source and zero.
        let taken = bytes(4, register(3), 0x3339, register(2));
        assert_eq!(last(vec![shift, taken]), [register(1), Operand::Immediate(0x444a), Operand::ZERO]);
    }

    #[test]
    fn a_half_that_is_taken_twice_is_read_where_it_was_first() {
        let twice = bytes(3, register(1), 0x3232, Operand::ZERO);
        let product = Instruction::new(Opcode::Hmul2, [], [register(4), register(2), register(3)]);
        let mut code = Code::default();
        code.blocks.push(Block { instructions: vec![twice, product], ..Block::default() });
        permute(&mut code);
        let upper = Operand::Register {
            register: Register(1),
            modifier: SourceModifier::NONE,
            selector: Selector::H1H1,
            reuse: false,
        };
        assert_eq!(code.blocks[0].instructions[1].operands[1..], [register(2), upper]);
    }

    #[test]
    fn bytes_of_three_values_stay() {
        let upper = bytes(3, register(1), 0x7632, Operand::ZERO);
        let three = bytes(4, register(3), 0x5430, register(2));
        assert_eq!(last(vec![upper, three.clone()])[0], register(3));
    }
}

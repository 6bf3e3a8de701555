//! Floats of eight bits, and absolute differences of bytes and words.

use super::Selector;
use super::integer::signedness;
use crate::flat::Flat;
use warplab_program::{Instruction, Modifier as M, Opcode, Operand};
use warplab_ptx::tree::{self, Flag, Operation, Part, Type};

impl Selector<'_, '_> {
    /// `cvt` from or to two floats of eight bits. False if it is another conversion.
    pub(super) fn convert_bytes(&mut self, flat: &Flat<'_>, to: Type, from: Type) -> bool {
        let format = |ty: Type| match ty {
            Type::E4m3x2 => Some(M::E4m3),
            Type::E5m2x2 => Some(M::E5m2),
            _ => None,
        };
        let relu = flat.tree.flag(Flag::Relu).then_some(M::Relu);
        let (mut modifiers, sources) = match (format(to), format(from), flat.operands.as_slice()) {
            (Some(format), None, [_, a, b]) if from == Type::F32 => {
                let (a, b) = (self.register(a, from), self.register(b, from));
                let modifiers = vec![M::Satfinite, format, M::F32, M::PackAbMergeC];
                (modifiers, vec![Operand::register(a), Operand::register(b), Operand::ZERO])
            }
            (Some(format), None, [_, a]) if from == Type::F16x2 => {
                let a = self.register(a, from);
                let modifiers = vec![M::Satfinite, format, M::F16, M::UnpackBMergeC];
                (modifiers, vec![Operand::register(a), Operand::ZERO])
            }
            (None, Some(format), [_, a]) if to == Type::F16x2 => {
                let a = self.register(a, Type::B16);
                (vec![M::F16, format, M::UnpackB], vec![Operand::register(a)])
            }
            _ => return false,
        };
        let bits = if to == Type::F16x2 { 32 } else { 16 };
        modifiers.extend(relu);
        let result = Operand::register(self.result(&flat.operands[0], bits));
        let operands = std::iter::once(result).chain(sources);
        self.emit(Instruction::new(Opcode::F2fp, modifiers.as_slice(), operands));
        true
    }

    /// `vabsdiff` of words, `vabsdiff2` of halves and `vabsdiff4` of bytes, alone or added to a third operand.
    pub(super) fn absolute_difference(&mut self, flat: &Flat<'_>) {
        let types: Vec<Type> = flat.tree.types().collect();
        let [_, a, b] = types[..] else {
            return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
        };
        let adds = flat.tree.operation() == Some(Operation::Add);
        if a != b || (adds && flat.operands.len() < 4) {
            return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
        }
        let (x, y) = (self.source(&flat.operands[1], a).low, self.source(&flat.operands[2], b).low);
        let z = if adds { self.source(&flat.operands[3], types[0]).low } else { Operand::ZERO };
        let to = Operand::register(self.result(&flat.operands[0], 32));
        if flat.tree.opcode == tree::Opcode::Vabsdiff {
            return self.op(Opcode::Vabsdiff, signedness(a.is_signed()), [to, x, y, z]);
        }
        if flat.tree.opcode == tree::Opcode::Vabsdiff2 {
            let [lower, upper] =
                [Part::H0, Part::H1].map(|half| [x, y].map(|word| self.part_of(word, half, a)));
            let kind = signedness(a.is_signed());
            let first = Operand::register(self.compute(Opcode::Vabsdiff, kind, [lower[0], lower[1], z]));
            if adds {
                return self.op(Opcode::Vabsdiff, kind, [to, upper[0], upper[1], first]);
            }
            let second = self.compute(Opcode::Vabsdiff, kind, [upper[0], upper[1], Operand::ZERO]);
            return self.op(
                Opcode::Prmt,
                &[],
                [to, first, Operand::Immediate(0x5410), Operand::register(second)],
            );
        }
        let mut modifiers = vec![if a.is_signed() { M::S8 } else { M::U8 }];
        modifiers.extend(adds.then_some(M::Acc));
        self.op(Opcode::Vabsdiff4, &modifiers, [to, x, y, z]);
    }
}

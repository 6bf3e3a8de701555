//! `cvt`.

use super::float::rounding;
use super::logic::Shift;
use super::values::{Source, immediate, low_word};
use super::{Selector, when};
use crate::flat::{Flat, Value};
use warplab_program::{Modifier, Opcode, Operand, Register, Selector as Part, SourceModifier};
use warplab_ptx::tree::{Flag, Modifier as Dotted, Rounding, Type};

use Modifier as M;

/// The rounding modifier of a conversion to an integral value; none for to-nearest-even.
fn integral(mode: Option<Rounding>) -> Option<M> {
    match mode {
        Some(Rounding::Rz | Rounding::Rzi) => Some(M::Trunc),
        Some(Rounding::Rm | Rounding::Rmi) => Some(M::Floor),
        Some(Rounding::Rp | Rounding::Rpi) => Some(M::Ceil),
        _ => None,
    }
}

fn is_half(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::Bf16)
}

/// The low 64 bits.
fn low_half(value: i128) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = value.to_le_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

impl Selector<'_, '_> {
    pub(crate) fn cvt(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        let types: Vec<Type> = tree.types().collect();
        if tree.flag(Flag::Pack) {
            return self.pack_integers(flat, &types);
        }
        let (to, from) = match types[..] {
            [to, from] => (to, from),
            _ => return self.unsupported(format!("'{}' is not supported", tree.mnemonic())),
        };
        if self.convert_bytes(flat, to, from) {
            return;
        }
        if matches!(to, Type::F16x2 | Type::Bf16x2) {
            return self.pack_halves(flat, to);
        }
        let plain = |ty: Type| !ty.is_float() || matches!(ty, Type::F16 | Type::Bf16 | Type::F32 | Type::F64);
        if to == Type::Tf32 {
            return self.tf32(flat);
        }
        if !plain(to) || !plain(from) {
            return self.unsupported(format!("'{}' is not supported", tree.mnemonic()));
        }
        match (to.is_float(), from.is_float()) {
            (false, false) => self.integer_to_integer(flat, to, from),
            (true, false) => self.integer_to_float(flat, to, from),
            (false, true) => self.float_to_integer(flat, to, from),
            (true, true) => self.float_to_float(flat, to, from),
        }
    }

    /// A value of any integer width extended to 32 bits.
    fn extended_value(&mut self, value: &Value, ty: Type) -> Operand {
        let source = self.source(value, ty).low;
        match (ty.bits(), ty.is_signed()) {
            (16, signed) => self.extend16(source, signed),
            (8, true) => Operand::register(self.compute(
                Opcode::Prmt,
                &[],
                [source, Operand::Immediate(0x8880), Operand::ZERO],
            )),
            (8, false) => Operand::register(self.lop3(source, Operand::Immediate(0xff), Operand::ZERO, 0xc0)),
            _ => source,
        }
    }

    fn integer_to_integer(&mut self, flat: &Flat<'_>, to: Type, from: Type) {
        let saturates = flat.tree.flag(Flag::Sat);
        let result_bits = match &flat.operands[0] {
            Value::Register(id) => self.flat.registers[*id].bits(),
            _ => to.bits(),
        };
        let register = self.result(&flat.operands[0], result_bits);
        let source = if from.bits() == 64 {
            self.source(&flat.operands[1], from)
        } else {
            let narrow_enough =
                to.bits() <= from.bits() && !saturates && to.bits() >= 16 && result_bits <= to.bits();
            let low = if narrow_enough {
                self.source(&flat.operands[1], from).low
            } else {
                self.extended_value(&flat.operands[1], from)
            };
            let wide = result_bits == 64 || saturates;
            let high = if wide && from.is_signed() {
                let high = self.code.register(1);
                self.shift32(high, low, Operand::Immediate(31), Shift::Arithmetic);
                Operand::register(high)
            } else {
                Operand::ZERO
            };
            Source { low, high }
        };
        let source = if saturates { self.saturate(source, to, from.is_signed()) } else { source };
        // The destination register may be wider than the type: the value is extended to it.
        let low = if to.bits() < 32 && result_bits > to.bits() {
            let in_register = self.in_register(source, 32);
            let low = Operand::register(in_register);
            match (to.bits(), to.is_signed()) {
                (16, signed) => self.extend16(low, signed),
                (_, true) => Operand::register(self.compute(
                    Opcode::Prmt,
                    &[],
                    [low, Operand::Immediate(0x8880), Operand::ZERO],
                )),
                (_, false) => {
                    Operand::register(self.lop3(low, Operand::Immediate(0xff), Operand::ZERO, 0xc0))
                }
            }
        } else {
            source.low
        };
        let high = if to.bits() == 64 {
            source.high
        } else if result_bits == 64 && to.is_signed() {
            let high = self.code.register(1);
            self.shift32(high, low, Operand::Immediate(31), Shift::Arithmetic);
            Operand::register(high)
        } else {
            Operand::ZERO
        };
        self.move_to(register, Source { low, high }, result_bits);
    }

    /// Clamps a 64-bit value to the range of a type.
    fn saturate(&mut self, source: Source, to: Type, signed: bool) -> Source {
        let bits = to.bits();
        let (low, high) = if to.is_signed() {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        };
        let (min, max) =
            if signed { (i128::from(i64::MIN), i128::from(i64::MAX)) } else { (0, i128::from(u64::MAX)) };
        let mut source = source;
        if high < max {
            let limit = Source::constant(low_half(high));
            let less = self.less64(source, limit, signed);
            source = self.choose64(source, limit, less);
        }
        if low > min {
            let limit = Source::constant(low_half(low));
            let less = self.less64(source, limit, signed);
            source = self.choose64(limit, source, less);
        }
        source
    }

    fn choose64(&mut self, a: Source, b: Source, p: warplab_program::Predicate) -> Source {
        let to = self.code.register(2);
        let (a_low, a_high) = (self.in_register(Source { low: a.low, high: Operand::ZERO }, 32), a.high);
        let a_high = self.in_register(Source { low: a_high, high: Operand::ZERO }, 32);
        self.choose(to, Operand::register(a_low), b.low, Operand::predicate(p));
        self.choose(to.offset(1), Operand::register(a_high), b.high, Operand::predicate(p));
        super::integer::pair(to)
    }

    fn integer_to_float(&mut self, flat: &Flat<'_>, to: Type, from: Type) {
        let mode = rounding(flat.tree.rounding());
        let d = Operand::register(self.result(&flat.operands[0], to.bits()));
        let signed = from.is_signed();
        if to == Type::Bf16 {
            let single = self.code.register(1);
            self.single_from_integer(Operand::register(single), &flat.operands[1], from, Some(M::Rz));
            return self.op(
                Opcode::F2fp,
                &[M::BF16, M::F32, M::PackAb],
                [d, Operand::ZERO, Operand::register(single)],
            );
        }
        let mut modifiers = Vec::new();
        match to {
            Type::F16 => modifiers.push(M::F16),
            Type::F64 => modifiers.push(M::F64),
            _ => return self.single_from_integer(d, &flat.operands[1], from, mode),
        }
        let source = if from.bits() == 64 {
            modifiers.push(if signed { M::S64 } else { M::U64 });
            Operand::register(self.register(&flat.operands[1], from))
        } else {
            if !signed {
                modifiers.push(M::U32);
            }
            self.extended_value(&flat.operands[1], from)
        };
        modifiers.extend(mode);
        self.op(Opcode::I2f, &modifiers, [d, source]);
    }

    fn single_from_integer(&mut self, d: Operand, value: &Value, from: Type, mode: Option<M>) {
        let signed = from.is_signed();
        if from.bits() == 64 {
            let source = Operand::register(self.register(value, from));
            let mut modifiers = vec![if signed { M::S64 } else { M::U64 }];
            modifiers.extend(mode);
            return self.op(Opcode::I2f, &modifiers, [d, source]);
        }
        let source = self.extended_value(value, from);
        let mut modifiers = vec![M::F32, if signed { M::S32 } else { M::U32 }];
        modifiers.extend(mode);
        self.op(Opcode::I2fp, &modifiers, [d, source]);
    }

    fn float_to_integer(&mut self, flat: &Flat<'_>, to: Type, from: Type) {
        let tree = flat.tree;
        let result_bits = match &flat.operands[0] {
            Value::Register(id) => self.flat.registers[*id].bits(),
            _ => to.bits(),
        };
        let register = self.result(&flat.operands[0], result_bits);
        let (source, from) = if from == Type::Bf16 {
            let operands = [self.source_of(&flat.operands[1]), Operand::Immediate(16), Operand::ZERO];
            let wide = self.compute(Opcode::Shf, &[M::L, M::U32], operands);
            (Operand::register(wide), Type::F32)
        } else {
            (self.float_source(&flat.operands[1], from), from)
        };
        let mut modifiers = Vec::new();
        if tree.flag(Flag::Ftz) && from == Type::F32 {
            modifiers.push(M::Ftz);
        }
        let narrow = to.bits() < 32;
        match (to.bits(), to.is_signed()) {
            (64, true) => modifiers.push(M::S64),
            (64, false) => modifiers.push(M::U64),
            (_, false) if !narrow => modifiers.push(M::U32),
            _ => {}
        }
        match from {
            Type::F64 => modifiers.push(M::F64),
            Type::F16 => modifiers.push(M::F16),
            _ => {}
        }
        modifiers.extend(integral(tree.rounding()));
        if from != Type::F64 && to.bits() < 64 {
            modifiers.push(M::Ntz);
        }
        if !narrow {
            return self.op(Opcode::F2i, &modifiers, [Operand::register(register), source]);
        }
        // Narrower types: through 32 bits, clamped.
        let wide = self.compute(Opcode::F2i, &modifiers, [source]);
        let (low, high) = if to.is_signed() {
            (-(1i64 << (to.bits() - 1)), (1i64 << (to.bits() - 1)) - 1)
        } else {
            (0, (1i64 << to.bits()) - 1)
        };
        let above = self.compute(
            Opcode::Vimnmx,
            &[],
            [Operand::register(wide), immediate(low_word(low)), Operand::FALSE],
        );
        self.op(
            Opcode::Vimnmx,
            &[],
            [Operand::register(register), Operand::register(above), immediate(low_word(high)), Operand::TRUE],
        );
    }

    fn source_of(&mut self, value: &Value) -> Operand {
        self.source(value, Type::B16).low
    }

    fn float_to_float(&mut self, flat: &Flat<'_>, to: Type, from: Type) {
        let tree = flat.tree;
        let register = self.result(&flat.operands[0], to.bits());
        let d = Operand::register(register);
        let ftz = tree.flag(Flag::Ftz);
        let saturates = tree.flag(Flag::Sat);
        let zero = Operand::modified(Register::ZERO, SourceModifier::NEGATE);
        let integral_mode =
            matches!(tree.rounding(), Some(Rounding::Rni | Rounding::Rzi | Rounding::Rmi | Rounding::Rpi));
        if to == from {
            let source = self.float_source(&flat.operands[1], from);
            if integral_mode {
                let mut modifiers = Vec::new();
                match to {
                    Type::F64 => modifiers.push(M::F64),
                    Type::F16 => modifiers.push(M::F16),
                    Type::Bf16 => modifiers.push(M::BF16),
                    _ if ftz => modifiers.push(M::Ftz),
                    _ => {}
                }
                modifiers.extend(integral(tree.rounding()));
                self.op(Opcode::Frnd, &modifiers, [d, source]);
                if saturates && to == Type::F32 {
                    self.op(Opcode::Fadd, &[M::Sat], [d, d, zero]);
                }
                return;
            }
            let mut modifiers = Vec::new();
            if ftz {
                modifiers.push(M::Ftz);
            }
            if saturates {
                modifiers.push(M::Sat);
            }
            return match to {
                Type::F32 if !modifiers.is_empty() => self.op(Opcode::Fadd, &modifiers, [d, source, zero]),
                Type::F32 | Type::F16 | Type::Bf16 => self.op(Opcode::Mov, &[], [d, source]),
                _ => {
                    let source = self.source(&flat.operands[1], from);
                    self.move_to(register, source, 64);
                }
            };
        }
        match (to, from) {
            (Type::F32, Type::F16) => {
                let half = Operand::Register {
                    register: self.register(&flat.operands[1], from),
                    modifier: SourceModifier::NONE,
                    selector: Part::H0H0,
                    reuse: false,
                };
                self.op(Opcode::Hadd2, &[M::F32], [d, zero, half]);
            }
            (Type::F32 | Type::F64, Type::Bf16) => {
                let source = self.source_of(&flat.operands[1]);
                let operands = [source, Operand::Immediate(16), Operand::ZERO];
                let single = self.compute(Opcode::Shf, &[M::L, M::U32], operands);
                if to == Type::F32 {
                    self.op(Opcode::Mov, &[], [d, Operand::register(single)]);
                } else {
                    self.op(Opcode::F2f, &[M::F64, M::F32], [d, Operand::register(single)]);
                }
            }
            (Type::F16 | Type::Bf16, Type::F32) => {
                let source = self.float_source(&flat.operands[1], from);
                self.pack_pair(flat, d, Operand::ZERO, source, to == Type::Bf16);
            }
            _ => {
                let source = self.float_source(&flat.operands[1], from);
                let name = |ty: Type| match ty {
                    Type::F64 => M::F64,
                    Type::F16 => M::F16,
                    Type::Bf16 => M::BF16,
                    _ => M::F32,
                };
                let mut modifiers = Vec::new();
                if ftz {
                    modifiers.push(M::Ftz);
                }
                modifiers.extend([name(to), name(from)]);
                modifiers.extend(rounding(tree.rounding()));
                self.op(Opcode::F2f, &modifiers, [d, source]);
            }
        }
        if saturates && !is_half(to) {
            let opcode = if to == Type::F64 { Opcode::Dadd } else { Opcode::Fadd };
            self.op(opcode, &[M::Sat], [d, d, zero]);
        }
    }

    fn pack_pair(&mut self, flat: &Flat<'_>, d: Operand, upper: Operand, lower: Operand, brain: bool) {
        let mut modifiers = vec![if brain { M::BF16 } else { M::F16 }, M::F32, M::PackAb];
        if flat.tree.flag(Flag::Relu) {
            modifiers.insert(0, M::Relu);
        }
        if flat.tree.flag(Flag::Ftz) {
            modifiers.push(M::Ftz);
        }
        modifiers.extend(rounding(flat.tree.rounding()));
        self.op(Opcode::F2fp, &modifiers, [d, upper, lower]);
    }

    fn pack_halves(&mut self, flat: &Flat<'_>, to: Type) {
        let [_, upper, lower] = flat.operands.as_slice() else {
            return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
        };
        let upper = self.float_source(upper, Type::F32);
        let lower = self.float_source(lower, Type::F32);
        let d = Operand::register(self.result(&flat.operands[0], 32));
        self.pack_pair(flat, d, upper, lower, to == Type::Bf16x2);
    }

    /// Ten bits of fraction: an instruction, or several for ties away from zero.
    fn tf32(&mut self, flat: &Flat<'_>) {
        let x = self.register(&flat.operands[1], Type::F32);
        let d = self.result(&flat.operands[0], 32);
        let cut_off = match flat.tree.rounding() {
            Some(Rounding::Rn) => Some(false),
            Some(Rounding::Rz) => Some(true),
            _ => None,
        };
        if let Some(cut_off) = cut_off {
            let relu = flat.tree.flag(Flag::Relu).then_some(M::Relu);
            let modifiers =
                relu.into_iter().chain([M::Tf32, M::F32, M::PackB]).chain(cut_off.then_some(M::Rz));
            let modifiers: Vec<M> = modifiers.collect();
            return self.op(Opcode::F2fp, &modifiers, [Operand::register(d), Operand::register(x)]);
        }
        // Infinity and what is no number stay as they are.
        let finite = self.code.predicate();
        self.op(
            Opcode::Fsetp,
            &[M::Lt, M::And],
            [
                Operand::predicate(finite),
                Operand::TRUE,
                Operand::modified(x, SourceModifier::ABSOLUTE),
                Operand::Immediate(0x7f80_0000),
                Operand::TRUE,
            ],
        );
        let rounded = self.code.register(1);
        self.op(Opcode::Mov, &[], [Operand::register(rounded), Operand::register(x)]);
        let half = Operand::Immediate(0x1000);
        let raised = [Operand::register(rounded), Operand::register(x), half, Operand::ZERO];
        self.op_if(when(finite), Opcode::Iadd3, &[], raised);
        self.lop3_to(d, Operand::register(rounded), Operand::Immediate(0xffff_e000), Operand::ZERO, 0xc0);
    }

    /// `cvt.pack.sat`: two values clamped and packed, above a third for bytes.
    fn pack_integers(&mut self, flat: &Flat<'_>, types: &[Type]) {
        let Some(&to) = types.first() else {
            return self.unsupported("cvt.pack needs a type");
        };
        if !flat.tree.has(Dotted::Flag(Flag::Sat)) || !matches!(to.bits(), 8 | 16) {
            return self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic()));
        }
        let (low, high) = if to.is_signed() {
            (-(1i64 << (to.bits() - 1)), (1i64 << (to.bits() - 1)) - 1)
        } else {
            (0, (1i64 << to.bits()) - 1)
        };
        let mut clamped = Vec::new();
        for value in &flat.operands[1..3] {
            let source = self.source(value, Type::S32).low;
            let above = self.compute(Opcode::Vimnmx, &[], [source, immediate(low_word(low)), Operand::FALSE]);
            clamped.push(Operand::register(self.compute(
                Opcode::Vimnmx,
                &[],
                [Operand::register(above), immediate(low_word(high)), Operand::TRUE],
            )));
        }
        let d = Operand::register(self.result(&flat.operands[0], 32));
        if to.bits() == 16 {
            return self.op(Opcode::Prmt, &[], [d, clamped[1], Operand::Immediate(0x5410), clamped[0]]);
        }
        let both = self.compute(Opcode::Prmt, &[], [clamped[1], Operand::Immediate(0x0040), clamped[0]]);
        let rest = match flat.operands.get(3) {
            Some(value) => self.source(value, Type::B32).low,
            None => Operand::ZERO,
        };
        self.op(Opcode::Prmt, &[], [d, Operand::register(both), Operand::Immediate(0x5410), rest]);
    }
}

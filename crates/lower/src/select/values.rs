//! Operands: places of registers, constants, special registers, addresses of variables.

use super::names::{Truth, Word, sole_definition};
use super::{Place, Selector};
use crate::flat::{Item, RegisterId, Start, Symbol, Value};
use warplab_program::kernel::launch_constants as launch;
use warplab_program::{
    Instruction, Modifier, Opcode, Operand, Predicate, Register, SourceModifier, SpecialRegister,
    UniformRegister,
};
use warplab_ptx::tree::{self, Component, Immediate, Special, Type};

/// A value of up to 64 bits as two operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Source {
    /// The lower 32 bits.
    pub(crate) low: Operand,
    /// The upper 32 bits.
    pub(crate) high: Operand,
}

impl Source {
    /// The bits of a constant.
    pub(crate) fn constant(bits: u64) -> Source {
        let [low, high] = words_of(bits);
        Source { low: immediate(low), high: immediate(high) }
    }

    /// The constant, if it is one.
    pub(crate) fn as_constant(&self) -> Option<u64> {
        let low = constant_of(&self.low)?;
        let high = constant_of(&self.high)?;
        Some(u64::from(high) << 32 | u64::from(low))
    }
}

/// The lower and the upper word of 64 bits.
pub(crate) fn words_of(bits: u64) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = bits.to_le_bytes();
    [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])]
}

/// The lower word of a number of 64 bits.
pub(crate) fn low_word(number: i64) -> u32 {
    words_of(number.cast_unsigned())[0]
}

/// A constant as an operand; zero is `RZ`.
pub(crate) fn immediate(bits: u32) -> Operand {
    if bits == 0 { Operand::ZERO } else { Operand::Immediate(bits) }
}

/// The constant that an operand is.
pub(crate) fn constant_of(operand: &Operand) -> Option<u32> {
    match *operand {
        Operand::Immediate(bits) => Some(bits),
        Operand::Register { register: Register::ZERO, modifier: SourceModifier::NONE, .. } => Some(0),
        _ => None,
    }
}

/// Something that the entry reads once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// A special register.
    Special(SpecialRegister),
    /// A constant of bank 0 (offset, bytes).
    Constant(u8, u32, u32),
    /// The address of shared memory at an offset.
    Shared(u32),
    /// The rank of the block in its cluster.
    Cluster,
}

impl Selector<'_, '_> {
    /// The first register of the place of a PTX register.
    pub(crate) fn place(&mut self, id: RegisterId) -> Register {
        if let Some(Place::Register(register)) = self.places[id] {
            return register;
        }
        let count = match self.flat.registers[id].bits() {
            0..=32 => 1,
            64 => 2,
            _ => 4,
        };
        let register = self.code.register(count);
        self.places[id] = Some(Place::Register(register));
        register
    }

    /// The place of a PTX predicate.
    pub(crate) fn predicate_place(&mut self, id: RegisterId) -> Predicate {
        if let Some(Place::Predicate(predicate)) = self.places[id] {
            return predicate;
        }
        let predicate = self.code.predicate();
        self.places[id] = Some(Place::Predicate(predicate));
        predicate
    }

    /// The place of a result; a fresh one when it is not wanted.
    pub(crate) fn result(&mut self, value: &Value, bits: u32) -> Register {
        match value {
            Value::Register(id) => self.place(*id),
            _ => self.code.register(if bits > 32 { 2 } else { 1 }),
        }
    }

    /// The place of a predicate result; `PT` when it is not wanted.
    pub(crate) fn predicate_result(&mut self, value: &Value) -> Predicate {
        match value {
            Value::Register(id) => self.predicate_place(*id),
            _ => Predicate::TRUE,
        }
    }

    /// The item that alone writes a register, without a guard.
    pub(crate) fn definition(&self, id: RegisterId) -> Option<usize> {
        sole_definition(self.flat, &self.definitions, id).map(|(index, _)| index)
    }

    /// Whether a register still holds at the present item what it held at item `then`.
    pub(crate) fn unchanged_since(&self, value: &Value, then: usize) -> bool {
        super::registers_of(value).into_iter().all(|id| {
            let definitions = &self.definitions[id];
            // An instruction that overwrites its own source (`neg.f32 %f1, %f1;`) changes it, too.
            let next = definitions.partition_point(|&at| at < then);
            let rewritten = definitions.get(next).is_some_and(|&at| at == then || at < self.item);
            (definitions.len() == 1 && !definitions.contains(&then))
                || (self.runs[then] == self.runs[self.item] && then <= self.item && !rewritten)
        })
    }

    /// The instruction that a register's value comes from, if its operands still hold now; with its operands.
    pub(crate) fn origin_of(&self, value: &Value) -> Option<(&'_ tree::Instruction, &'_ [Value], usize)> {
        let Value::Register(id) = self.look_through(value) else {
            return None;
        };
        let index = self.definition(id).or_else(|| self.local_definition(id))?;
        let Item::Instruction(flat) = &self.flat.items[index] else {
            return None;
        };
        let results = super::result_count(flat);
        let holds = flat.guard.is_none()
            && flat.operands[results..].iter().all(|operand| self.unchanged_since(operand, index));
        holds.then_some((flat.tree, flat.operands.as_slice(), index))
    }

    /// The last write of a register in the present straight run.
    fn local_definition(&self, id: RegisterId) -> Option<usize> {
        let definitions = &self.definitions[id];
        let index = definitions[..definitions.partition_point(|&at| at < self.item)].last().copied()?;
        (self.runs[index] == self.runs[self.item]).then_some(index)
    }

    /// Whether the value is read once only, in the straight run where it was made.
    pub(crate) fn is_private(&self, value: &Value, made: usize) -> bool {
        matches!(self.look_through(value), Value::Register(id) if self.uses[id] == 1)
            && self.runs[made] == self.runs[self.item]
    }

    /// The value behind moves and address conversions that change nothing.
    pub(crate) fn look_through(&self, value: &Value) -> Value {
        self.names.behind(value)
    }

    /// A value of up to 64 bits.
    pub(crate) fn source(&mut self, value: &Value, ty: Type) -> Source {
        match self.look_through(value) {
            Value::Register(id) => self.register_source(id),
            Value::Immediate(constant) => Source::constant(constant_bits(constant, ty)),
            Value::Special(special, component) => self.special_source(special, component),
            Value::Address(Start::Variable(symbol), offset) => self.symbol_source(&symbol, offset),
            Value::Vector(elements) => self.packed_source(&elements, ty),
            _ => {
                self.unsupported("this operand is not supported here");
                Source::constant(0)
            }
        }
    }

    fn register_source(&mut self, id: RegisterId) -> Source {
        if self.flat.registers[id] == Type::Pred {
            self.unsupported("a predicate cannot be used as a number");
            return Source::constant(0);
        }
        let [low, high] = self.names.words(id);
        Source { low: self.word(low), high: self.word(high) }
    }

    /// A word of a register or of what it is another name for.
    fn word(&mut self, word: Word) -> Operand {
        match word {
            Word::Constant(bits) => immediate(bits),
            Word::Shared(at) => Operand::uniform(self.shared_address(at)),
            Word::Register(id, _) if self.flat.registers[id] == Type::Pred => {
                self.unsupported("a predicate cannot be used as a number");
                Operand::ZERO
            }
            Word::Register(id, 0) => Operand::register(self.place(id)),
            Word::Register(id, _) => {
                let register = self.place(id);
                let wide = self.flat.registers[id].bits() == 64;
                if wide { Operand::register(register.offset(1)) } else { Operand::ZERO }
            }
        }
    }

    /// `{a, b}` as one value.
    fn packed_source(&mut self, elements: &[Value], ty: Type) -> Source {
        let register = self.pack(elements, ty);
        let high = if ty.bits() == 64 { Operand::register(register.offset(1)) } else { Operand::ZERO };
        Source { low: Operand::register(register), high }
    }

    /// A value in a register of its own, or of a group for 64 bits.
    pub(crate) fn register(&mut self, value: &Value, ty: Type) -> Register {
        if ty.bits() == 128 {
            return self.four_words(value);
        }
        let source = self.source(value, ty);
        self.in_register(source, ty.bits())
    }

    /// The four registers of a value of 128 bits.
    fn four_words(&mut self, value: &Value) -> Register {
        match value {
            Value::Register(id) if self.flat.registers[*id].bits() == 128 => self.place(*id),
            Value::Vector(elements) if elements.len() == 2 => {
                let to = self.code.register(4);
                for (element, at) in elements.iter().zip([0, 2]) {
                    let source = self.source(element, Type::B64);
                    self.move_to(to.offset(at), source, 64);
                }
                to
            }
            _ => {
                self.unsupported("this operand of 128 bits is not supported here");
                self.code.register(4)
            }
        }
    }

    /// `mov.b128`: a copy, two doublewords put together, or taken apart.
    pub(super) fn move_four_words(&mut self, to: &Value, from: &Value) {
        let from = self.four_words(from);
        let pair = |at: u32| super::integer::pair(from.offset(at));
        match to {
            Value::Vector(parts) if parts.len() == 2 => {
                for (part, at) in parts.iter().zip([0, 2]) {
                    let Value::Register(id) = part else { continue };
                    let to = self.place(*id);
                    self.move_to(to, pair(at), 64);
                }
            }
            Value::Register(id) if self.flat.registers[*id].bits() == 128 => {
                let to = self.place(*id);
                [0, 2].into_iter().for_each(|at| self.move_to(to.offset(at), pair(at), 64));
            }
            Value::Sink => {}
            _ => self.unsupported("this result of 128 bits is not supported here"),
        }
    }

    /// A source in consecutive registers.
    pub(crate) fn in_register(&mut self, source: Source, bits: u32) -> Register {
        let plain = |operand: &Operand| match *operand {
            Operand::Register { register, modifier: SourceModifier::NONE, .. } => Some(register),
            _ => None,
        };
        let (low, high) = (plain(&source.low), plain(&source.high));
        if bits <= 32 {
            if let Some(low) = low {
                return low;
            }
        } else if let (Some(low), Some(high)) = (low, high) {
            let both_zero = low.is_fixed() && high.is_fixed();
            let (base, count) = self.code.group(low);
            let pair = high == low.offset(1) && count >= 2 && (low.0 - base.0) % 2 == 0;
            if both_zero || (!low.is_fixed() && pair) {
                return low;
            }
        }
        let register = self.code.register(if bits > 32 { 2 } else { 1 });
        self.move_to(register, source, bits);
        register
    }

    /// Moves a source to registers.
    pub(crate) fn move_to(&mut self, to: Register, source: Source, bits: u32) {
        self.op(Opcode::Mov, &[], [Operand::register(to), source.low]);
        if bits > 32 {
            self.op(Opcode::Mov, &[], [Operand::register(to.offset(1)), source.high]);
        }
    }

    /// Reads something once, at the entry.
    pub(crate) fn at_entry(&mut self, key: Key) -> Register {
        if let Some(&register) = self.special.get(&key) {
            return register;
        }
        let (count, opcode, modifiers, from): (u32, Opcode, &[Modifier], Operand) = match key {
            Key::Special(special) => (1, Opcode::S2r, &[], Operand::Special(special)),
            Key::Constant(bank, offset, 8) => {
                (2, Opcode::Ldc, &[Modifier::B64], Operand::constant(bank, offset.cast_signed()))
            }
            Key::Constant(bank, offset, bytes) => {
                let narrow: &[Modifier] = match bytes {
                    1 => &[Modifier::U8],
                    2 => &[Modifier::U16],
                    _ => &[],
                };
                (1, Opcode::Ldc, narrow, Operand::constant(bank, offset.cast_signed()))
            }
            Key::Shared(_) | Key::Cluster => (1, Opcode::Mov, &[], Operand::ZERO),
        };
        let register = self.code.register(count);
        self.entry.push(
            Instruction::new(opcode, modifiers, [Operand::register(register), from]).with_origin(self.origin),
        );
        self.special.insert(key, register);
        register
    }

    /// The address of a place of shared memory, as the compiler of the vendor computes it: the window of the block
    /// inside that of the cluster.
    pub(crate) fn shared_address(&mut self, at: u32) -> UniformRegister {
        if let Some(&register) = self.uniform.get(&Key::Shared(at)) {
            return register;
        }
        let origin = self.origin;
        let rank = match self.uniform.get(&Key::Cluster) {
            Some(&rank) => rank,
            None => {
                let rank = self.code.uniform(1);
                let special = Operand::Special(SpecialRegister::CgaCtaId);
                self.entry.push(
                    Instruction::new(Opcode::S2ur, [], [Operand::uniform(rank), special]).with_origin(origin),
                );
                self.uniform.insert(Key::Cluster, rank);
                rank
            }
        };
        let (base, address) = (self.code.uniform(1), self.code.uniform(1));
        let operands = [Operand::uniform(base), Operand::Immediate(at)];
        self.entry.push(Instruction::new(Opcode::Umov, [], operands).with_origin(origin));
        let operands = [
            Operand::uniform(address),
            Operand::uniform(rank),
            Operand::uniform(base),
            Operand::Immediate(24),
        ];
        self.entry.push(Instruction::new(Opcode::Ulea, [], operands).with_origin(origin));
        self.uniform.insert(Key::Shared(at), address);
        address
    }

    fn symbol_source(&mut self, symbol: &Symbol, offset: i64) -> Source {
        match symbol {
            Symbol::Shared(at) if self.code.calls => {
                Source::constant(u64::from(*at).wrapping_add(offset.cast_unsigned()))
            }
            Symbol::Shared(at) => {
                let address = self.shared_address(at.wrapping_add(low_word(offset)));
                Source { low: Operand::uniform(address), high: Operand::ZERO }
            }
            Symbol::Local(at) => {
                let offset = at.wrapping_add(low_word(offset));
                let sum = self.compute(
                    Opcode::Iadd3,
                    &[],
                    [Operand::register(Register(1)), immediate(offset), Operand::ZERO],
                );
                Source { low: Operand::register(sum), high: Operand::ZERO }
            }
            Symbol::Constant(at) => Source::constant(u64::from(*at).wrapping_add(offset.cast_unsigned())),
            Symbol::Parameter(at) => Source::constant(u64::from(*at).wrapping_add(offset.cast_unsigned())),
            Symbol::Global(name) => {
                let entry = (name.clone(), offset);
                let index = match self.addresses.iter().position(|it| *it == entry) {
                    Some(index) => index,
                    None => {
                        self.addresses.push(entry);
                        self.addresses.len() - 1
                    }
                };
                let pair = self.at_entry(Key::Constant(4, crate::code::number(index) * 8, 8));
                Source { low: Operand::register(pair), high: Operand::register(pair.offset(1)) }
            }
            Symbol::Function(number) => match warplab_program::runtime::function_address(*number as usize) {
                Some(address) => Source::constant(address.wrapping_add(offset.cast_unsigned())),
                None => {
                    self.unsupported("there are too many functions to take their addresses");
                    Source::constant(0)
                }
            },
            Symbol::CallParameter(_) | Symbol::Incoming(_) => {
                self.unsupported("the address of a call's parameter cannot be taken");
                Source::constant(0)
            }
        }
    }

    fn special_source(&mut self, special: Special, component: Option<Component>) -> Source {
        use SpecialRegister as S;
        let axis = component.map_or(0, Component::index);
        let by_axis = |x, y, z| Some([x, y, z].get(axis).copied().unwrap_or(S::Zero));
        let fixed = match special {
            Special::Tid => by_axis(S::TidX, S::TidY, S::TidZ),
            Special::Ctaid => by_axis(S::CtaidX, S::CtaidY, S::CtaidZ),
            Special::Clusterid if self.flat.cluster.is_none() => by_axis(S::CtaidX, S::CtaidY, S::CtaidZ),
            Special::ClusterCtarank => Some(S::CgaCtaId),
            Special::Laneid => Some(S::LaneId),
            Special::Smid => Some(S::VirtualSmId),
            Special::Nsmid => Some(S::SmCount),
            Special::Nwarpid => Some(S::WarpCount),
            Special::LanemaskEq => Some(S::LaneMaskEq),
            Special::LanemaskLt => Some(S::LaneMaskLt),
            Special::LanemaskLe => Some(S::LaneMaskLe),
            Special::LanemaskGt => Some(S::LaneMaskGt),
            Special::LanemaskGe => Some(S::LaneMaskGe),
            _ => None,
        };
        if let Some(fixed) = fixed {
            let zero = fixed == S::Zero;
            let low =
                if zero { Operand::ZERO } else { Operand::register(self.at_entry(Key::Special(fixed))) };
            return Source { low, high: Operand::ZERO };
        }
        let constant = |it: &mut Self, offset: u32| Source {
            low: Operand::register(it.at_entry(Key::Constant(0, offset, 4))),
            high: Operand::ZERO,
        };
        let clock = |it: &mut Self, special: S| {
            let value = it.compute(Opcode::S2r, &[], [Operand::Special(special)]);
            Source { low: Operand::register(value), high: Operand::ZERO }
        };
        match special {
            Special::Warpid => {
                let from = [
                    Operand::ZERO,
                    Operand::Immediate(8),
                    Operand::register(self.at_entry(Key::Special(S::WarpId))),
                ];
                let number = self.compute(Opcode::Shf, &[Modifier::R, Modifier::U32, Modifier::Hi], from);
                Source { low: Operand::register(number), high: Operand::ZERO }
            }
            Special::Ntid => constant(self, launch::BLOCK_DIMENSIONS + 4 * crate::code::number(axis)),
            Special::Nctaid => constant(self, launch::GRID_DIMENSIONS + 4 * crate::code::number(axis)),
            Special::Nclusterid => constant(self, launch::CLUSTERS + 4 * crate::code::number(axis)),
            Special::TotalSmemSize => {
                let all = self.compute(Opcode::S2r, &[], [Operand::Special(S::SharedBytes)]);
                let reserved = constant(self, launch::RESERVED_SHARED_BYTES).low;
                let operands = [Operand::register(all), super::integer::negative(reserved), Operand::ZERO];
                let own = self.compute(Opcode::Iadd3, &[], operands);
                Source { low: Operand::register(own), high: Operand::ZERO }
            }
            // The system's part is the first of shared memory.
            Special::ReservedSmemOffsetBegin | Special::ReservedSmemOffset0 => Source::constant(0),
            Special::ReservedSmemOffsetCap => Source::constant(1024),
            Special::ReservedSmemOffsetEnd => constant(self, launch::RESERVED_SHARED_END),
            Special::ReservedSmemOffset1 => constant(self, launch::RESERVED_SHARED_OFFSET),
            Special::DynamicSmemSize => constant(self, launch::DYNAMIC_SHARED_BYTES),
            Special::Clock => {
                let value = self.compute(Opcode::Cs2r, &[Modifier::B32], [Operand::Special(S::ClockLow)]);
                Source { low: Operand::register(value), high: Operand::ZERO }
            }
            Special::ClockHi => clock(self, S::ClockHigh),
            Special::Clock64 => {
                let pair = self.new_pair(Opcode::Cs2r, &[], [Operand::Special(S::ClockLow)]);
                Source { low: Operand::register(pair), high: Operand::register(pair.offset(1)) }
            }
            Special::GlobaltimerLo => clock(self, S::GlobalTimerLow),
            Special::GlobaltimerHi => clock(self, S::GlobalTimerHigh),
            Special::Globaltimer => {
                let (low, high) = (clock(self, S::GlobalTimerLow), clock(self, S::GlobalTimerHigh));
                Source { low: low.low, high: high.low }
            }
            Special::Gridid => clock(self, S::GridId),
            Special::Clusterid => self.cluster_of_block(axis).0,
            Special::ClusterCtaid => self.cluster_of_block(axis).1,
            Special::IsExplicitCluster => Source::constant(self.flat.cluster.is_some().into()),
            Special::ClusterNctarank => {
                let blocks = self.flat.cluster.map_or(1, |[x, y, z]| x * y * z);
                Source::constant(blocks.into())
            }
            Special::ClusterNctaid => {
                let sizes = self.flat.cluster.unwrap_or([1; 3]);
                Source::constant(sizes.get(axis).copied().unwrap_or(0).into())
            }
            other => match environment_register(other) {
                // What a driver puts there belongs to cooperative launches and the like; a plain one has zeros.
                Some(number) => constant(self, launch::ENVIRONMENT + 4 * number),
                None => {
                    self.unsupported(format!("the special register {other} is not supported"));
                    Source::constant(0)
                }
            },
        }
    }

    /// The cluster in which a block lies along an axis, and the place of the block in it.
    fn cluster_of_block(&mut self, axis: usize) -> (Source, Source) {
        use SpecialRegister as S;
        let size = self.flat.cluster.and_then(|sizes| sizes.get(axis).copied()).unwrap_or(1);
        let of_value = |low| Source { low, high: Operand::ZERO };
        let Some(&special) = [S::CtaidX, S::CtaidY, S::CtaidZ].get(axis) else {
            return (Source::constant(0), Source::constant(0));
        };
        let block = Operand::register(self.at_entry(Key::Special(special)));
        if size == 1 {
            return (of_value(block), Source::constant(0));
        }
        // Exact for the blocks of every grid: at most 2^28 of them with the largest size.
        let inverse = immediate(u32::MAX / size + 1);
        let pair =
            self.new_pair(Opcode::Imad, &[Modifier::Wide, Modifier::U32], [block, inverse, Operand::ZERO]);
        let cluster = Operand::register(pair.offset(1));
        let product = self.compute(Opcode::Imad, &[], [cluster, immediate(size), Operand::ZERO]);
        let operands = [block, super::integer::negative(Operand::register(product)), Operand::ZERO];
        let inside = Operand::register(self.compute(Opcode::Iadd3, &[], operands));
        (of_value(cluster), of_value(inside))
    }

    /// A predicate as an operand, looked through negations and constants.
    pub(crate) fn predicate_source(&mut self, value: &Value) -> Operand {
        let (id, negated) = match value {
            Value::Register(id) => (*id, false),
            Value::Negated(id) => (*id, true),
            Value::Immediate(constant) => {
                return if constant.as_int() == Some(0) { Operand::FALSE } else { Operand::TRUE };
            }
            Value::Special(Special::IsExplicitCluster, _) => {
                return if self.flat.cluster.is_some() { Operand::TRUE } else { Operand::FALSE };
            }
            _ => return Operand::TRUE,
        };
        let source = match self.names.truth(id) {
            Truth::Constant(true) => Operand::TRUE,
            Truth::Constant(false) => Operand::FALSE,
            Truth::Register(id, negate) => Operand::Predicate { predicate: self.predicate_place(id), negate },
        };
        if negated && self.flat.registers[id] == Type::Pred { not(source) } else { source }
    }

    /// Sets a predicate to the value of another.
    pub(crate) fn set_predicate(&mut self, to: Predicate, from: Operand) {
        self.op(
            Opcode::Plop3,
            &[Modifier::Lut],
            [
                Operand::predicate(to),
                Operand::TRUE,
                from,
                Operand::TRUE,
                Operand::TRUE,
                Operand::Immediate(0x80),
                Operand::Immediate(0),
            ],
        );
    }
}

/// The negative of a predicate operand.
pub(crate) fn not(operand: Operand) -> Operand {
    match operand {
        Operand::Predicate { predicate, negate } => Operand::Predicate { predicate, negate: !negate },
        other => other,
    }
}

/// The bits of a constant as a value of a type.
pub(crate) fn constant_bits(constant: Immediate, ty: Type) -> u64 {
    match ty {
        Type::F64 => constant.f64_bits(),
        Type::F32 => u64::from(constant.f32_bits()),
        _ => match constant {
            Immediate::Int(value) if ty.bits() > 32 => value.cast_unsigned(),
            Immediate::Int(value) => u64::from(low_word(value)),
            Immediate::F32(bits) => u64::from(bits),
            Immediate::F64(bits) if ty.bits() > 32 => bits,
            Immediate::F64(_) => u64::from(constant.f32_bits()),
        },
    }
}

/// The number of `%envreg5`.
fn environment_register(special: Special) -> Option<u32> {
    special.name().strip_prefix("%envreg")?.parse().ok()
}

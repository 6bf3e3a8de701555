//! Loads, stores, atomics, address conversions and prefetches.

use super::Selector;
use super::logic::Shift;
use super::values::{Key, Source, immediate, low_word};
use crate::code::mark_ordered;
use crate::flat::{Flat, Start, Symbol, Value};
use warplab_program::kernel::launch_constants as launch;
use warplab_program::{AddressOperand, Guard, Instruction, Modifier, Opcode, Operand, Register};
use warplab_ptx::tree::{self, Cache, Flag, Hint, Modifier as Dotted, Scope, Semantics, Space, Type};

use Modifier as M;

/// Which window of memory an access goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    Global,
    Shared,
    Local,
    Generic,
    /// Shared memory of any block of the cluster: by generic addresses.
    Cluster,
    Constant(u8),
}

impl Selector<'_, '_> {
    pub(crate) fn window(&mut self, flat: &Flat<'_>, address: &Value) -> Window {
        match flat.tree.space().map(Space::family) {
            Some(Space::Global) => Window::Global,
            Some(Space::SharedCluster) if self.flat.cluster.is_some() => Window::Cluster,
            Some(Space::Shared | Space::SharedCluster) => Window::Shared,
            Some(Space::Local) => Window::Local,
            Some(Space::Const) => Window::Constant(3),
            Some(Space::Param) => match address {
                Value::Address(Start::Variable(Symbol::Incoming(_) | Symbol::Local(_)), _) => Window::Local,
                _ => Window::Constant(0),
            },
            None => match address {
                Value::Address(Start::Variable(Symbol::Global(_)), _) => Window::Global,
                _ => Window::Generic,
            },
            Some(other) => {
                self.unsupported(format!("the state space .{other} is not supported here"));
                Window::Generic
            }
        }
    }

    pub(crate) fn address(&mut self, value: &Value, window: Window) -> Operand {
        if window == Window::Cluster {
            return self.cluster_address(value);
        }
        let (start, mut offset) = match value {
            Value::Address(start, offset) => (start.clone(), *offset),
            other => {
                self.unsupported(format!("an address was expected, not {other:?}"));
                return Operand::address32(None, 0);
            }
        };
        let mut operand = AddressOperand { scale: 1, ..AddressOperand::default() };
        if matches!(window, Window::Global | Window::Generic) {
            operand.descriptor = Some(self.descriptor);
        }
        match start {
            Start::Absolute => {}
            Start::Variable(Symbol::Local(at)) => {
                operand.base = Some(Register(1));
                offset += i64::from(at);
            }
            Start::Variable(Symbol::Incoming(at)) => {
                operand.base = Some(Register(1));
                offset += i64::from(at);
            }
            Start::Variable(Symbol::Shared(at)) if self.code.calls => offset += i64::from(at),
            Start::Variable(Symbol::Shared(at)) => operand.uniform = Some(self.shared_address(at)),
            Start::Variable(symbol) => {
                let value = Value::Address(Start::Variable(symbol), 0);
                operand.base = Some(self.register(&value, Type::B64));
                operand.wide = true;
            }
            Start::Register(id) => {
                let wide = matches!(window, Window::Global | Window::Generic);
                let ty = if wide { Type::B64 } else { Type::B32 };
                match self.source(&Value::Register(id), ty).low {
                    Operand::Uniform { register, .. } if !wide => operand.uniform = Some(register),
                    Operand::Immediate(bits) if !wide => offset += i64::from(bits),
                    _ => {
                        operand.base = Some(self.register(&Value::Register(id), ty));
                        operand.wide = wide;
                    }
                }
            }
        }
        if (-0x80_0000..0x80_0000).contains(&offset) {
            operand.offset = low_word(offset).cast_signed();
        } else {
            operand.base = Some(self.far_address(&operand, offset));
        }
        Operand::Address(operand)
    }

    /// The generic address of a place in shared memory of a block of the cluster.
    fn cluster_address(&mut self, value: &Value) -> Operand {
        let inside = self.near_place(value);
        let window = self.window_base(Some(Space::Shared)).unwrap_or(Register::ZERO);
        let to = self.code.register(2);
        self.move_to(to, Source { low: inside, high: Operand::register(window.offset(1)) }, 64);
        Operand::Address(AddressOperand {
            base: Some(to),
            wide: true,
            scale: 1,
            descriptor: Some(self.descriptor),
            ..AddressOperand::default()
        })
    }

    /// A base with an offset that does not fit into the instruction.
    pub(crate) fn far_address(&mut self, operand: &AddressOperand, offset: i64) -> Register {
        if operand.wide {
            let base = operand.base.unwrap_or(Register::ZERO);
            let sum = self.code.register(2);
            self.sum64(sum, super::integer::pair(base), Source::constant(offset.cast_unsigned()));
            return sum;
        }
        let base = operand.base.map_or(Operand::ZERO, Operand::register);
        self.compute(Opcode::Iadd3, &[], [base, immediate(low_word(offset)), Operand::ZERO])
    }

    pub(crate) fn size_modifier(ty: Type, lanes: u32) -> Option<M> {
        match (ty.bits() * lanes, ty.is_signed()) {
            (8, true) => Some(M::S8),
            (8, false) => Some(M::U8),
            (16, true) if lanes == 1 => Some(M::S16),
            (16, _) => Some(M::U16),
            (64, _) => Some(M::B64),
            (128, _) => Some(M::B128),
            _ => None,
        }
    }

    /// The modifiers of a load or store after its size: caches and memory order.
    pub(crate) fn policy(&self, flat: &Flat<'_>, window: Window, store: bool) -> (Vec<M>, bool) {
        let tree = flat.tree;
        let mut modifiers = Vec::new();
        if !matches!(window, Window::Global | Window::Generic | Window::Cluster) {
            return (modifiers, matches!(tree.semantics(), Some(it) if it != Semantics::Weak));
        }
        modifiers.extend(hints(flat));
        if tree.flag(Flag::Nc) {
            modifiers.push(M::Constant);
            return (modifiers, false);
        }
        let scope = match tree.scope() {
            Some(Scope::Cta) => M::Sm,
            Some(Scope::Sys) => M::Sys,
            _ => M::Gpu,
        };
        match (tree.semantics(), tree.cache()) {
            (Some(Semantics::Weak) | None, None | Some(Cache::Wb)) => {}
            (Some(Semantics::Volatile | Semantics::Mmio), _) | (_, Some(Cache::Cv | Cache::Wt)) => {
                modifiers.extend([M::Strong, M::Sys]);
                return (modifiers, true);
            }
            (_, Some(Cache::Ca)) => modifiers.extend([M::Strong, M::Sm]),
            (_, Some(Cache::Cg)) => modifiers.extend([M::Strong, M::Gpu]),
            (_, Some(Cache::Cs)) => modifiers.push(M::Ef),
            (_, Some(Cache::Lu)) => modifiers.push(if store { M::El } else { M::Lu }),
            _ => {
                modifiers.extend([M::Strong, scope]);
                return (modifiers, true);
            }
        }
        (modifiers, false)
    }

    pub(super) fn load(&mut self, flat: &Flat<'_>) {
        let ty = flat.tree.ty().unwrap_or(Type::B32);
        let address = flat.operands[1].clone();
        let window = self.window(flat, &address);
        let elements: Vec<Value> = match &flat.operands[0] {
            Value::Vector(elements) => elements.clone(),
            one => vec![one.clone()],
        };
        if let Window::Constant(bank) = window {
            return self.load_constant(&elements, &address, bank, ty);
        }
        let lanes = crate::code::number(elements.len());
        if ty.bits() * lanes > 128 {
            return self.unsupported("accesses of more than 16 bytes are not supported on sm_90");
        }
        let place = self.address(&address, window);
        let acquires = flat.tree.semantics() == Some(Semantics::Acquire);
        let (opcode, mut modifiers) = match window {
            Window::Global => (Opcode::Ldg, vec![M::E]),
            Window::Generic | Window::Cluster => (Opcode::Ld, vec![M::E]),
            Window::Shared => (Opcode::Lds, vec![]),
            _ => (Opcode::Ldl, vec![]),
        };
        modifiers.extend(Self::size_modifier(ty, lanes));
        let (policy, ordered) = self.policy(flat, window, false);
        modifiers.extend(policy);
        let words = (ty.bits() * lanes).div_ceil(32);
        let direct = match elements.as_slice() {
            [Value::Register(id)] if ty.bits() <= self.flat.registers[*id].bits().max(32) => {
                Some(self.place(*id))
            }
            _ => None,
        };
        let to = direct.unwrap_or_else(|| self.code.register(words));
        let mut instruction = Instruction::new(opcode, modifiers.as_slice(), [Operand::register(to), place]);
        if ordered {
            mark_ordered(&mut instruction);
        }
        if direct.is_none() && self.keeps_elements(&elements, ty) {
            // Lanes whose guard does not hold keep what they have.
            let guard = std::mem::replace(&mut self.guard, Guard::ALWAYS);
            self.fill_vector(to, &elements, ty);
            self.guard = guard;
            self.emit(instruction);
            self.guard = Guard::ALWAYS;
            self.spread(&elements, to, ty);
            self.guard = guard;
        } else {
            self.emit(instruction);
            if direct.is_none() {
                self.spread(&elements, to, ty);
            }
        }
        if direct.is_some()
            && let [Value::Register(id)] = elements.as_slice()
            && self.flat.registers[*id].bits() == 64
            && ty.bits() < 64
        {
            self.widen(to, ty);
        }
        if acquires {
            let scope = if flat.tree.scope() == Some(Scope::Cta) { M::Cta } else { M::Gpu };
            self.op(Opcode::Membar, &[M::All, scope], []);
        }
    }

    /// Fills the upper half of a register that was loaded with a narrower value.
    pub(crate) fn widen(&mut self, to: Register, ty: Type) {
        let high = to.offset(1);
        if ty.is_signed() {
            self.shift32(high, Operand::register(to), Operand::Immediate(31), Shift::Arithmetic);
        } else {
            self.op(Opcode::Mov, &[], [Operand::register(high), Operand::ZERO]);
        }
    }

    /// Whether a vector load under a guard leaves words in its elements that were there before: they are registers of whole
    /// words, different ones, which are written elsewhere, too.
    fn keeps_elements(&self, elements: &[Value], ty: Type) -> bool {
        let has_more = |(index, element): (usize, &Value)| match element {
            Value::Register(id) => {
                self.flat.registers[*id].bits() == ty.bits()
                    && self.definitions[*id].len() > 1
                    && !elements[..index].contains(element)
            }
            _ => false,
        };
        !self.guard.is_always() && ty.bits() >= 32 && elements.iter().enumerate().all(has_more)
    }

    /// Moves the registers of elements to the words of a vector.
    fn fill_vector(&mut self, to: Register, elements: &[Value], ty: Type) {
        for (element, at) in elements.iter().zip((0..).step_by(ty.bits() as usize / 32)) {
            let source = self.source(element, ty);
            self.move_to(to.offset(at), source, ty.bits());
        }
    }

    /// Moves the words of a vector load to the registers of its elements.
    pub(crate) fn spread(&mut self, elements: &[Value], from: Register, ty: Type) {
        for (index, element) in elements.iter().enumerate() {
            let Value::Register(id) = element else { continue };
            let to = self.place(*id);
            let bit = ty.bits() * crate::code::number(index);
            let word = Operand::register(from.offset(bit / 32));
            match ty.bits() {
                64 => {
                    let high = Operand::register(from.offset(bit / 32 + 1));
                    self.move_to(to, Source { low: word, high }, 64);
                }
                32 => self.op(Opcode::Mov, &[], [Operand::register(to), word]),
                16 if bit % 32 == 16 => {
                    let selector = Operand::Immediate(0x7632);
                    self.op(Opcode::Prmt, &[], [Operand::register(to), word, selector, Operand::ZERO]);
                }
                8 => {
                    let byte = bit % 32 / 8;
                    let sign = if ty.is_signed() { 8 | byte } else { 4 };
                    let selector = sign << 12 | sign << 8 | sign << 4 | byte;
                    let selector = Operand::Immediate(selector);
                    self.op(Opcode::Prmt, &[], [Operand::register(to), word, selector, Operand::ZERO]);
                }
                _ => self.op(Opcode::Mov, &[], [Operand::register(to), word]),
            }
            if self.flat.registers[*id].bits() == 64 && ty.bits() < 64 {
                self.widen(to, ty);
            }
        }
    }

    pub(super) fn store(&mut self, flat: &Flat<'_>) {
        if flat.tree.flag(Flag::Async) {
            return self.told_store(flat);
        }
        let ty = flat.tree.ty().unwrap_or(Type::B32);
        let address = flat.operands[0].clone();
        let window = self.window(flat, &address);
        let elements: Vec<Value> = match &flat.operands[1] {
            Value::Vector(elements) => elements.clone(),
            one => vec![one.clone()],
        };
        let lanes = crate::code::number(elements.len());
        if ty.bits() * lanes > 128 {
            return self.unsupported("accesses of more than 16 bytes are not supported on sm_90");
        }
        if flat.tree.semantics() == Some(Semantics::Release) {
            let scope = if flat.tree.scope() == Some(Scope::Cta) { M::Cta } else { M::Gpu };
            self.op(Opcode::Membar, &[M::All, scope], []);
        }
        let data = self.gather(&elements, ty);
        let place = self.address(&address, window);
        let (opcode, mut modifiers) = match window {
            Window::Global => (Opcode::Stg, vec![M::E]),
            Window::Generic | Window::Cluster => (Opcode::St, vec![M::E]),
            Window::Shared => (Opcode::Sts, vec![]),
            Window::Local => (Opcode::Stl, vec![]),
            Window::Constant(_) => return self.unsupported("constants and parameters cannot be written"),
        };
        modifiers.extend(Self::size_modifier(ty, lanes).map(|size| match size {
            M::S8 => M::U8,
            M::S16 => M::U16,
            other => other,
        }));
        let (policy, ordered) = self.policy(flat, window, true);
        modifiers.extend(policy);
        let mut instruction =
            Instruction::new(opcode, modifiers.as_slice(), [place, Operand::register(data)]);
        if ordered {
            mark_ordered(&mut instruction);
        }
        self.emit(instruction);
    }

    /// The elements of a store in consecutive registers.
    pub(crate) fn gather(&mut self, elements: &[Value], ty: Type) -> Register {
        let bits = ty.bits();
        if let [one] = elements {
            return self.register(one, ty);
        }
        let words = (bits * crate::code::number(elements.len())).div_ceil(32);
        let sources: Vec<Source> = elements.iter().map(|element| self.source(element, ty)).collect();
        let constants: Option<Vec<u64>> = sources.iter().map(Source::as_constant).collect();
        let key =
            constants.filter(|_| self.guard.is_always()).map(|bits| (self.runs[self.item], words, bits));
        if let Some(&known) = key.as_ref().and_then(|key| self.vectors.get(key)) {
            return known;
        }
        let to = self.code.register(words);
        if let Some(key) = key {
            self.vectors.insert(key, to);
        }
        match bits {
            64 => {
                for (index, source) in sources.iter().enumerate() {
                    self.move_to(to.offset(2 * crate::code::number(index)), *source, 64);
                }
            }
            32 => {
                for (index, source) in sources.iter().enumerate() {
                    self.move_to(to.offset(crate::code::number(index)), *source, 32);
                }
            }
            _ => {
                let per_word = (32 / bits) as usize;
                for (index, word) in elements.chunks(per_word).enumerate() {
                    let word_ty = if word.len() * bits as usize > 16 { Type::B32 } else { Type::B16 };
                    let packed = if word_ty == Type::B32 {
                        self.pack(word, Type::B32)
                    } else {
                        let low = self.source(&word[0], ty).low;
                        let high = self.source(&word[word.len() - 1], ty).low;
                        self.compute(Opcode::Prmt, &[], [low, Operand::Immediate(0x0040), high])
                    };
                    self.move_to(
                        to.offset(crate::code::number(index)),
                        Source { low: Operand::register(packed), high: Operand::ZERO },
                        32,
                    );
                }
            }
        }
        to
    }

    pub(crate) fn window_base(&mut self, space: Option<Space>) -> Option<Register> {
        let offset = match space.map(Space::family) {
            Some(Space::Shared | Space::SharedCluster) => launch::SHARED_WINDOW,
            Some(Space::Local) => launch::LOCAL_WINDOW,
            _ => return None,
        };
        Some(self.at_entry(Key::Constant(0, offset, 8)))
    }

    pub(super) fn cvta(&mut self, flat: &Flat<'_>) {
        let to = self.result(&flat.operands[0], 64);
        let source = self.source(&flat.operands[1], Type::B64);
        let space = flat.tree.space();
        let into = flat.tree.flag(Flag::To);
        match self.window_base(space) {
            None if space.map(Space::family) == Some(Space::Const) => {
                self.unsupported("generic addresses of constants are not supported");
            }
            None if space.map(Space::family) == Some(Space::Param) && into => {
                self.unsupported("addresses of parameters from generic ones are not supported");
            }
            None if space.map(Space::family) == Some(Space::Param) => {
                let base = self.at_entry(Key::Constant(0, launch::GENERIC, 8));
                self.sum64(to, super::integer::pair(base), source);
            }
            None => self.move_to(to, source, 64),
            Some(base) if into => self.subtract64(to, source, super::integer::pair(base)),
            Some(base) => {
                let low = Source { low: source.low, high: Operand::ZERO };
                self.sum64(to, super::integer::pair(base), low);
            }
        }
    }

    /// Whether a generic address lies in the 16 MiB of a window; global is what lies in neither.
    pub(super) fn isspacep(&mut self, flat: &Flat<'_>) {
        let to = self.predicate_result(&flat.operands[0]);
        let source = self.source(&flat.operands[1], Type::B64);
        let inside = |it: &mut Self, space: Space| {
            let base = it.window_base(Some(space)).unwrap_or(Register::ZERO);
            let distance = it.code.register(2);
            it.subtract64(distance, source, super::integer::pair(base));
            let high = it.compare(&[M::Eq, M::And], Operand::register(distance.offset(1)), Operand::ZERO);
            let result = it.code.predicate();
            it.op(
                Opcode::Isetp,
                &[M::Lt, M::U32, M::And],
                [
                    Operand::predicate(result),
                    Operand::TRUE,
                    Operand::register(distance),
                    Operand::Immediate(0x0100_0000),
                    Operand::predicate(high),
                ],
            );
            Operand::predicate(result)
        };
        match flat.tree.space().map(Space::family) {
            Some(space @ (Space::Shared | Space::SharedCluster | Space::Local)) => {
                let result = inside(self, space);
                self.set_predicate(to, result);
            }
            Some(Space::Global) => {
                let (shared, local) = (inside(self, Space::Shared), inside(self, Space::Local));
                self.both(to, super::values::not(shared), super::values::not(local));
            }
            _ => self.set_predicate(to, Operand::FALSE),
        }
    }

    pub(super) fn prefetch(&mut self, flat: &Flat<'_>) {
        let tree = flat.tree;
        if tree.flag(Flag::Tensormap) {
            // A copy reads its map anew.
            return;
        }
        let global = tree.space().map(Space::family) == Some(Space::Global);
        if tree.opcode == tree::Opcode::Prefetchu || !(global || tree.space().is_none()) {
            return;
        }
        let level = if tree.has(Dotted::Hint(Hint::L1)) { M::Pf1 } else { M::Pf2 };
        let window = if global { Window::Global } else { Window::Generic };
        let place = self.address(&flat.operands[0], window);
        self.op(Opcode::Cctl, &[M::E, level], [place]);
    }
}

/// What an access tells the caches.
pub(super) fn hints(flat: &Flat<'_>) -> impl Iterator<Item = M> {
    flat.tree.modifiers.iter().filter_map(|modifier| match modifier {
        Dotted::Hint(Hint::L1EvictFirst) => Some(M::Ef),
        Dotted::Hint(Hint::L1EvictLast) => Some(M::El),
        Dotted::Hint(Hint::L1EvictUnchanged) => Some(M::Eu),
        Dotted::Hint(Hint::L1NoAllocate) => Some(M::Na),
        Dotted::Hint(Hint::L2Bytes64) => Some(M::Ltc64B),
        Dotted::Hint(Hint::L2Bytes128) => Some(M::Ltc128B),
        Dotted::Hint(Hint::L2Bytes256) => Some(M::Ltc256B),
        _ => None,
    })
}

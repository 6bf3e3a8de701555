//! PTX instructions to machine instructions on virtual registers.
//!
//! Every PTX register has a place (one, two or four virtual registers, or a predicate). A use looks through moves,
//! conversions that only rename, and negations; what is then no longer used is removed by the clean pass.

mod addresses;
mod atomic;
mod atomic_loops;
mod boxes;
mod bulk;
mod bytes;
mod calls;
mod compare;
mod constants;
mod contract;
mod control;
mod convert;
mod copies;
mod extreme;
mod float;
mod fragments;
mod half;
mod integer;
mod logic;
mod matrix;
mod mbarrier;
mod memory;
mod multiples;
mod names;
mod narrow_atomic;
mod nibbles;
mod packed;
mod policy;
mod product;
pub(crate) mod register_pool;
mod size;
mod tensor_map;
mod told;
mod turn;
mod undefined;
mod values;
mod video;
mod warp;
mod warpgroup;

use crate::code::{Block, Code, DESCRIPTOR, ends_block};
use crate::flat::{Flat, Flattened, Item, LabelId, RegisterId, Value};
use rustc_hash::FxHashMap;
use warplab_diagnostics::{Diagnostic, Span};
use warplab_program::{
    Guard, Instruction, Modifier, Opcode, Operand, Origin, Predicate, Register, UniformRegister,
};
use warplab_ptx::tree::{self, Flag, Type};

pub(crate) use bulk::BULK_GROUPS;
pub(crate) use copies::GROUPS;
pub(crate) use logic::Shift;
pub(crate) use values::{Source, constant_of, immediate, words_of};

/// Where a PTX register lives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// The first of a group of registers.
    Register(Register),
    /// A predicate.
    Predicate(Predicate),
}

/// Selects the instructions of one kernel.
pub(crate) struct Selector<'a, 'd> {
    flat: &'a Flattened<'a>,
    pub(crate) code: Code,
    /// The PTX register's place.
    places: Vec<Option<Place>>,
    /// The items that write each PTX register.
    definitions: Vec<Vec<usize>>,
    /// What each PTX register is only another name for.
    names: names::Names,
    /// The products that sums fuse.
    contractions: FxHashMap<usize, contract::Fused>,
    /// The factors of approximate quotients, by their items.
    quotients: FxHashMap<usize, [Operand; 2]>,
    /// Halves of products of 64 bits that came with the other half, by the items that want them.
    halves: FxHashMap<usize, Register>,
    /// How often each PTX register is read.
    uses: Vec<u32>,
    /// Which straight run of items each item belongs to.
    runs: Vec<u32>,
    /// The block of every label, once placed; labels of the selector's own follow those of the PTX.
    labels: Vec<Option<usize>>,
    /// Instructions of the entry: parameters and special registers, read once.
    entry: Vec<Instruction>,
    special: FxHashMap<values::Key, Register>,
    uniform: FxHashMap<values::Key, UniformRegister>,
    /// Vectors of constants that a straight run has already in registers.
    vectors: FxHashMap<(u32, u32, Vec<u64>), Register>,
    /// Bytes that a straight run has already as halves: of which format, whether the lower two of four, and where they were.
    bytes_as_halves: FxHashMap<(u32, Modifier, bool, Vec<Register>), Register>,
    descriptor: UniformRegister,
    guard: Guard,
    origin: Origin,
    /// The item being selected.
    item: usize,
    carry: Option<Predicate>,
    diagnostics: &'d mut Vec<Diagnostic>,
    span: Span,
    /// Block barriers used.
    pub(crate) barriers: u32,
    /// Addresses of global variables used: bank 4.
    pub(crate) addresses: Vec<(String, i64)>,
}

/// What selection made of a kernel.
pub(crate) struct Selected {
    /// The code.
    pub(crate) code: Code,
    /// Block barriers used.
    pub(crate) barriers: u32,
    /// Addresses of global variables used: bank 4.
    pub(crate) addresses: Vec<(String, i64)>,
}

/// Selects the instructions of a flattened kernel. `contracts`: sums fuse the products that they add.
/// `addresses` are those that other functions of the kernel use.
pub(crate) fn select(
    flat: &Flattened<'_>,
    contracts: bool,
    addresses: Vec<(String, i64)>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Selected {
    let mut code = Code::default();
    code.calls = flat.calls;
    let descriptor = if flat.calls { DESCRIPTOR } else { code.uniform(2) };
    code.blocks.push(Block::default());
    code.local_bytes = flat.local_bytes.next_multiple_of(16);
    let mut selector = Selector {
        flat,
        code,
        places: vec![None; flat.registers.len()],
        definitions: vec![Vec::new(); flat.registers.len()],
        names: names::Names::default(),
        quotients: FxHashMap::default(),
        contractions: if contracts { contract::contractions(flat) } else { FxHashMap::default() },
        halves: FxHashMap::default(),
        uses: vec![0; flat.registers.len()],
        runs: Vec::with_capacity(flat.items.len()),
        labels: vec![None; flat.labels],
        entry: Vec::new(),
        special: FxHashMap::default(),
        uniform: FxHashMap::default(),
        vectors: FxHashMap::default(),
        bytes_as_halves: FxHashMap::default(),
        descriptor,
        guard: Guard::ALWAYS,
        origin: Origin::default(),
        item: 0,
        carry: None,
        diagnostics,
        span: Span::default(),
        barriers: 0,
        addresses,
    };
    selector.survey();
    selector.place_sums();
    let undefined = selector.undefined();
    selector.names = names::Names::new(flat, &selector.definitions);
    for id in undefined {
        selector.clear(id);
    }
    for (index, item) in flat.items.iter().enumerate() {
        selector.item = index;
        selector.select_item(item);
    }
    selector.finish()
}

impl<'a, 'd> Selector<'a, 'd> {
    /// Counts definitions and uses, and finds the straight runs.
    fn survey(&mut self) {
        let Selector { flat, runs, uses, definitions, .. } = self;
        let mut run = 0;
        for (index, item) in flat.items.iter().enumerate() {
            runs.push(run);
            let ends = match item {
                Item::Label(_) | Item::Switch(..) | Item::Leave(..) | Item::Return(_) | Item::Call(..) => {
                    true
                }
                Item::Instruction(flat) => flat.tree.opcode.is_control(),
                Item::Stack(_) | Item::Copy { .. } | Item::System(_) => false,
            };
            run += u32::from(ends);
            undefined::registers(item, |id| uses[id] += 1, |id| definitions[id].push(index));
        }
    }

    /// A register becomes zero.
    fn clear(&mut self, id: RegisterId) {
        let ty = self.flat.registers[id];
        if ty == Type::Pred {
            let to = self.predicate_place(id);
            return self.set_predicate(to, Operand::FALSE);
        }
        let to = self.place(id);
        for word in 0..ty.bits().div_ceil(32) {
            self.op(Opcode::Mov, &[], [Operand::register(to.offset(word)), Operand::ZERO]);
        }
    }

    /// Registers with one definition that a way from the entry reads without it: they get another one there, and stay
    /// registers of their own.
    fn undefined(&mut self) -> Vec<RegisterId> {
        let mut undefined = undefined::undefined(self.flat);
        undefined.retain(|&id| self.definitions[id].len() == 1);
        for &id in &undefined {
            let only = self.definitions[id][0];
            self.definitions[id].push(only);
        }
        undefined
    }

    fn select_item(&mut self, item: &'a Item<'a>) {
        match item {
            Item::Label(label) => self.place_label(*label),
            Item::Leave(guard, label, origin) => {
                self.origin = *origin;
                self.guard = self.machine_guard(*guard);
                self.branch(*label);
                self.guard = Guard::ALWAYS;
            }
            Item::Copy { guard, to, from, origin } => {
                self.origin = *origin;
                self.guard = self.machine_guard(*guard);
                self.copy(*to, from);
                self.guard = Guard::ALWAYS;
            }
            Item::System(item) => {
                self.origin = item.origin;
                self.guard = self.machine_guard(item.guard);
                self.system(item);
                self.guard = Guard::ALWAYS;
            }
            Item::Stack(access) => self.stack_access(access),
            Item::Call(callee, origin) => {
                self.origin = *origin;
                self.call(*callee);
            }
            Item::Return(origin) => {
                self.origin = *origin;
                self.give_back();
            }
            Item::Switch(flat, table) => {
                self.begin(flat);
                self.switch(flat, table);
                self.guard = Guard::ALWAYS;
            }
            Item::Instruction(flat) => {
                self.begin(flat);
                let last = self.code.blocks.len() - 1;
                self.code.blocks[last].written += size::counts_for(flat);
                if !self.guard.is_always() && is_long(flat) {
                    self.around(|it| it.instruction(flat));
                } else {
                    self.instruction(flat);
                }
                self.guard = Guard::ALWAYS;
            }
        }
    }

    fn begin(&mut self, flat: &Flat<'_>) {
        self.origin = flat.origin;
        self.span = flat.span;
        self.guard = self.machine_guard(flat.guard);
    }

    /// Selects under no guard, but inside a branch that skips it where the guard does not hold.
    fn around(&mut self, body: impl FnOnce(&mut Self)) {
        let guard = self.guard;
        let end = self.new_label();
        self.guard = invert(guard);
        self.branch(end);
        self.guard = Guard::ALWAYS;
        body(self);
        self.place_label(end);
        self.guard = guard;
    }

    fn copy(&mut self, to: RegisterId, from: &Value) {
        let ty = self.flat.registers[to];
        if ty == Type::Pred {
            let from = self.predicate_source(from);
            let to = self.predicate_place(to);
            self.set_predicate(to, from);
            return;
        }
        if ty.bits() == 128 {
            return self.move_four_words(&Value::Register(to), from);
        }
        let source = self.source(from, ty);
        let to = self.place(to);
        self.move_to(to, source, ty.bits());
    }

    fn machine_guard(&mut self, guard: Option<(RegisterId, bool)>) -> Guard {
        let Some((id, negated)) = guard else {
            return Guard::ALWAYS;
        };
        let value = if negated { Value::Negated(id) } else { Value::Register(id) };
        match self.predicate_source(&value) {
            Operand::Predicate { predicate, negate } => Guard::Predicate { predicate, negate },
            _ => Guard::ALWAYS,
        }
    }

    /// Puts the entry in front, resolves labels.
    fn finish(mut self) -> Selected {
        if self
            .code
            .blocks
            .last()
            .is_none_or(|block| block.instructions.last().is_none_or(Instruction::falls_through))
        {
            self.origin.note = "";
            self.op(Opcode::Exit, &[], []);
        }
        let is_called = self.flat.area > 0;
        let stack =
            Operand::constant(0, warplab_program::kernel::launch_constants::STACK_POINTER.cast_signed());
        let load_stack = Instruction::new(Opcode::Ldc, [], [Operand::register(Register(1)), stack]);
        let mut prologue = if is_called { Vec::new() } else { vec![load_stack] };
        let descriptor = warplab_program::kernel::launch_constants::MEMORY_DESCRIPTOR.cast_signed();
        let uses_descriptor = self.code.instructions().any(|instruction| {
            instruction
                .operands
                .iter()
                .any(|operand| matches!(operand, Operand::Address(address) if address.descriptor.is_some()))
        });
        if uses_descriptor {
            prologue.push(Instruction::new(
                Opcode::Uldc,
                [Modifier::B64],
                [Operand::uniform(self.descriptor), Operand::constant(0, descriptor)],
            ));
        }
        prologue.append(&mut self.entry);
        self.code.blocks[0].instructions.splice(0..0, prologue);
        let labels = self.labels;
        let blocks = self.code.blocks.len();
        self.code.retarget(|label| labels.get(label).copied().flatten().unwrap_or(blocks - 1));
        Selected { code: self.code, barriers: self.barriers, addresses: self.addresses }
    }

    // Emission.

    /// A new label of the selector's own.
    pub(crate) fn new_label(&mut self) -> LabelId {
        self.labels.push(None);
        self.labels.len() - 1
    }

    /// Starts a new block at a label.
    pub(crate) fn place_label(&mut self, label: LabelId) {
        let last = self.code.blocks.len() - 1;
        // Block 0 is the entry: it is never a branch target.
        if last == 0 || !self.code.blocks[last].instructions.is_empty() {
            self.code.blocks.push(Block::default());
        }
        let last = self.code.blocks.len() - 1;
        self.code.blocks[last].rolled |= self.flat.rolled.contains(&label);
        self.labels[label] = Some(last);
    }

    /// The block that is being filled.
    pub(crate) fn present_block(&self) -> usize {
        self.code.blocks.len() - 1
    }

    /// Starts a new block at a label behind a sequence that began with a block and is seldom needed.
    pub(crate) fn place_label_behind(&mut self, label: LabelId, rare: Option<usize>) {
        self.place_label(label);
        let end = self.present_block();
        if let Some(start) = rare {
            self.code.blocks[start..end].iter_mut().for_each(|block| block.cold = true);
        }
    }

    /// A branch under the present guard.
    pub(crate) fn branch(&mut self, label: LabelId) {
        self.op(Opcode::Bra, &[], [Operand::Target(crate::code::number(label))]);
    }

    /// A branch under a guard of the sequence's own.
    pub(crate) fn branch_if(&mut self, guard: Guard, label: LabelId) {
        let outer = std::mem::replace(&mut self.guard, guard);
        self.branch(label);
        self.guard = outer;
    }

    /// Emits under the present guard.
    pub(crate) fn op<const N: usize>(
        &mut self,
        opcode: Opcode,
        modifiers: &[Modifier],
        operands: [Operand; N],
    ) {
        self.emit(Instruction::new(opcode, modifiers, operands));
    }

    /// Emits under a guard of the sequence's own; only in sequences that have no outer guard.
    pub(crate) fn op_if<const N: usize>(
        &mut self,
        guard: Guard,
        opcode: Opcode,
        modifiers: &[Modifier],
        operands: [Operand; N],
    ) {
        let outer = std::mem::replace(&mut self.guard, guard);
        self.op(opcode, modifiers, operands);
        self.guard = outer;
    }

    /// Emits an instruction under the present guard and with the present origin.
    pub(crate) fn emit(&mut self, mut instruction: Instruction) {
        instruction.guard = self.guard;
        instruction.origin = self.origin;
        let ends = ends_block(&instruction);
        let last = self.code.blocks.len() - 1;
        self.code.blocks[last].instructions.push(instruction);
        if ends {
            self.code.blocks.push(Block::default());
        }
    }

    /// Emits and returns a new register with the result.
    pub(crate) fn compute<const N: usize>(
        &mut self,
        opcode: Opcode,
        modifiers: &[Modifier],
        sources: [Operand; N],
    ) -> Register {
        let register = self.code.register(1);
        self.emit_to(register, opcode, modifiers, &sources);
        register
    }

    /// Emits and returns a new pair with the result.
    pub(crate) fn new_pair<const N: usize>(
        &mut self,
        opcode: Opcode,
        modifiers: &[Modifier],
        sources: [Operand; N],
    ) -> Register {
        let register = self.code.register(2);
        self.emit_to(register, opcode, modifiers, &sources);
        register
    }

    fn emit_to(&mut self, register: Register, opcode: Opcode, modifiers: &[Modifier], sources: &[Operand]) {
        let operands = std::iter::once(Operand::register(register)).chain(sources.iter().copied());
        self.emit(Instruction::new(opcode, modifiers, operands));
    }

    /// A fault at the present instruction.
    pub(crate) fn unsupported(&mut self, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(self.span, message));
    }
}

/// Where a predicate holds.
pub(crate) fn when(predicate: Predicate) -> Guard {
    Guard::Predicate { predicate, negate: false }
}

/// Where a predicate does not hold.
pub(crate) fn unless(predicate: Predicate) -> Guard {
    Guard::Predicate { predicate, negate: true }
}

/// The other lanes.
pub(crate) fn invert(guard: Guard) -> Guard {
    match guard {
        Guard::Predicate { predicate, negate } => Guard::Predicate { predicate, negate: !negate },
        Guard::Uniform { predicate, negate } => Guard::Uniform { predicate, negate: !negate },
    }
}

/// Whether an instruction becomes a sequence with guards or branches of its own.
fn is_long(flat: &Flat<'_>) -> bool {
    use tree::Opcode::*;
    let tree = flat.tree;
    match tree.opcode {
        Div | Rem | Rcp | Sqrt | Rsqrt | Ex2 | Lg2 | Bfind | Clz | Fns | Min | Max | Sad | Copysign
        | Testp | Set | Mul | Mad | Abs => {
            tree.ty().is_none_or(|ty| ty != Type::F32) || !tree.flag(Flag::Ftz)
        }
        Atom | Red => true,
        // How much is read, or nothing, is computed.
        Cp => flat.operands.len() > 3 || tree.flag(Flag::Bulk),
        Mbarrier => {
            let waits = tree.flag(Flag::TryWait) || tree.flag(Flag::TestWait);
            waits && (flat.operands.len() > 3 || tree.scope() == Some(tree::Scope::Cluster))
        }
        Add => tree.flag(Flag::Sat),
        Sub => tree.flag(Flag::Sat),
        Cvt => true,
        _ => false,
    }
}

/// How many of the leading operands are written.
pub(crate) fn result_count(flat: &Flat<'_>) -> usize {
    use tree::Opcode::*;
    match flat.tree.opcode {
        St | Red | Bra | Brx | Membar | Fence | Exit | Ret | Trap | Brkpt | Prefetch | Prefetchu
        | Nanosleep | Pmevent | Stmatrix | Cp | Discard | Applypriority | Griddepcontrol | Tensormap => 0,
        Bar | Barrier => usize::from(flat.tree.flag(Flag::Red)),
        Setmaxnreg => 0,
        Wgmma => usize::from(flat.tree.flag(Flag::MmaAsync)),
        Mbarrier => {
            let gives = [Flag::Arrive, Flag::ArriveDrop, Flag::TestWait, Flag::TryWait, Flag::PendingCount];
            usize::from(gives.iter().any(|&flag| flat.tree.flag(flag)))
        }
        _ => 1,
    }
}

/// The registers that a value names.
pub(crate) fn registers_of(value: &Value) -> Vec<RegisterId> {
    match value {
        Value::Register(id) | Value::Negated(id) | Value::Part(id, _) => vec![*id],
        Value::Address(crate::flat::Start::Register(id), _) => vec![*id],
        Value::Vector(values) => values.iter().flat_map(registers_of).collect(),
        Value::Pair(first, second) => [registers_of(first), registers_of(second)].concat(),
        _ => Vec::new(),
    }
}

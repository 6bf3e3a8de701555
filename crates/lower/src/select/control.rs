//! Which method selects which instruction; branches, exits, barriers, fences.

use super::logic::Shift;
use super::values::Source;
use super::{Selector, values::not, when};
use crate::flat::{Flat, LabelId, Value};
use warplab_program::{Guard, Modifier, Opcode, Operand, Predicate};
use warplab_ptx::tree::{
    self, FenceKind, Flag, Modifier as Dotted, Operation, Scope, Semantics, Space, Type,
};

/// Barriers of a block.
const BARRIERS: u32 = 16;

impl Selector<'_, '_> {
    pub(crate) fn instruction(&mut self, flat: &Flat<'_>) {
        use tree::Opcode::*;
        let ty = flat.tree.ty().unwrap_or(Type::B32);
        let half = ty.is_packed() || matches!(ty, Type::F16 | Type::Bf16);
        match flat.tree.opcode {
            Bra => self.bra(flat),
            Exit | Ret => self.op(Opcode::Exit, &[], []),
            Trap | Brkpt => self.op(Opcode::Bpt, &[], []),
            Barrier if flat.tree.scope() == Some(Scope::Cluster) => self.cluster_barrier(flat),
            Bar | Barrier => self.bar(flat),
            Membar | Fence => self.fence(flat),
            Nanosleep => {
                let time = self.source(&flat.operands[0], Type::U32).low;
                self.op(Opcode::Nanosleep, &[], [time]);
            }
            Mbarrier => self.mbarrier(flat),
            Tensormap => self.tensor_map(flat),
            Mapa => self.mapa(flat),
            Getctarank => self.getctarank(flat),
            Pmevent | Griddepcontrol | Discard | Applypriority => {}
            Setmaxnreg => self.setmaxnreg(flat),
            Mov => self.mov(flat, ty),
            Cvta => self.cvta(flat),
            Isspacep => self.isspacep(flat),
            Cvt => self.cvt(flat),
            Vabsdiff | Vabsdiff2 | Vabsdiff4 => self.absolute_difference(flat),
            Vmad => self.video_multiply_add(flat),
            Vset => self.video_comparison(flat),
            Ld | Ldu => self.load(flat),
            St => self.store(flat),
            Atom | Red => self.atomic(flat),
            Createpolicy => self.createpolicy(flat),
            Prefetch | Prefetchu => self.prefetch(flat),
            Ldmatrix => self.ldmatrix(flat),
            Stmatrix => self.stmatrix(flat),
            Mma => self.mma(flat),
            Wgmma => self.wgmma(flat),
            Movmatrix => self.movmatrix(flat),
            Wmma => self.unsupported(crate::wmma::refusal(flat.tree)),
            Cp => self.copies(flat),
            Shfl | Vote | Match | Redux | Activemask | Elect => self.warp_wide(flat),
            Setp => self.setp(flat),
            Set => self.set(flat),
            Selp => self.selp(flat, ty),
            Slct => self.slct(flat, ty),
            And | Or | Xor | Not | Cnot | Lop3 => self.logic(flat, ty),
            Shl | Shr | Shf => self.shift(flat, ty),
            Bfe | Bfi | Bfind | Clz | Popc | Brev | Prmt | Szext | Bmsk | Fns => self.bits(flat, ty),
            Testp => self.testp(flat, ty),
            Copysign => self.copysign(flat, ty),
            Add | Sub | Mul | Fma | Neg | Abs | Min | Max if half && ty.is_float() => self.half(flat, ty),
            Ex2 | Tanh if half => self.half(flat, ty),
            Add | Sub | Mul | Mad | Fma | Neg | Abs | Min | Max | Div | Rcp | Sqrt | Rsqrt | Sin | Cos
            | Lg2 | Ex2 | Tanh
                if ty.is_float() =>
            {
                self.float(flat, ty);
            }
            Add | Sub | Mul | Mad | Mul24 | Mad24 | Addc | Subc | Madc | Sad | Dp4a | Dp2a | Neg | Abs
            | Min | Max | Div | Rem => self.integer(flat, ty),
            _ => self.unsupported(format!("'{}' is not supported", flat.tree.mnemonic())),
        }
    }

    fn bra(&mut self, flat: &Flat<'_>) {
        let Some(Value::Label(label)) = flat.operands.first() else {
            return self.unsupported("bra needs a label");
        };
        self.branch(*label);
        if flat.tree.flag(Flag::Uni) && flat.guard.is_some() {
            let last = self.code.blocks.len() - 2;
            self.code.blocks[last].uniform_branch = true;
        }
    }

    /// `brx.idx` as a chain of comparisons.
    pub(crate) fn switch(&mut self, flat: &Flat<'_>, table: &[LabelId]) {
        let index = self.source(&flat.operands[0], Type::U32).low;
        if !self.guard.is_always() {
            let past = self.new_label();
            let guard = self.guard;
            self.guard = super::invert(guard);
            self.branch(past);
            self.guard = Guard::ALWAYS;
            self.chain(index, table);
            self.place_label(past);
        } else {
            self.chain(index, table);
        }
    }

    fn chain(&mut self, index: Operand, table: &[LabelId]) {
        let Some((last, rest)) = table.split_last() else {
            return;
        };
        for (number, &label) in rest.iter().enumerate() {
            let is = self.code.predicate();
            let number = super::values::immediate(crate::code::number(number));
            self.op(
                Opcode::Isetp,
                &[Modifier::Eq, Modifier::And],
                [Operand::predicate(is), Operand::TRUE, index, number, Operand::TRUE],
            );
            self.branch_if(when(is), label);
        }
        self.branch(*last);
    }

    fn bar(&mut self, flat: &Flat<'_>) {
        use Modifier as M;
        let tree = flat.tree;
        if tree.flag(Flag::Warp) {
            let mask = self.source(&flat.operands[0], Type::B32).low;
            if mask == Operand::Immediate(u32::MAX) {
                self.op(Opcode::Warpsync, &[M::All], []);
            } else {
                self.op(Opcode::Warpsync, &[], [mask]);
            }
            return;
        }
        let reduces = tree.flag(Flag::Red);
        let skip = usize::from(reduces);
        let barrier = match flat.operands.get(skip) {
            Some(value) => self.source(value, Type::U32).low,
            None => Operand::ZERO,
        };
        let barrier = match super::values::constant_of(&barrier) {
            Some(number) if number < BARRIERS => {
                self.barriers = self.barriers.max(number + 1);
                Operand::Immediate(number)
            }
            Some(_) => return self.unsupported("a block has the barriers 0 to 15, and not this one"),
            None => {
                self.barriers = BARRIERS;
                barrier
            }
        };
        if reduces {
            return self.bar_red(flat, barrier);
        }
        let modifiers: &[M] = if tree.flag(Flag::Arrive) { &[M::Arv] } else { &[M::Sync, M::DeferBlocking] };
        match flat.operands.get(1) {
            Some(count) => {
                let count = self.source(count, Type::U32).low;
                self.op(Opcode::Bar, modifiers, [barrier, count]);
            }
            None => self.op(Opcode::Bar, modifiers, [barrier]),
        }
        self.together(is_aligned(tree));
    }

    fn bar_red(&mut self, flat: &Flat<'_>, barrier: Operand) {
        use Modifier as M;
        let operation = match flat.tree.operation() {
            Some(Operation::And) => M::And,
            Some(Operation::Or) => M::Or,
            _ => M::Popc,
        };
        let Some((predicate, rest)) = flat.operands[2..].split_last() else {
            return self.unsupported("bar.red needs a predicate");
        };
        let predicate = self.predicate_source(predicate);
        let modifiers = [M::Red, operation, M::DeferBlocking];
        match rest {
            [count] => {
                let count = self.source(count, Type::U32).low;
                self.op(Opcode::Bar, &modifiers, [barrier, count, predicate]);
            }
            _ => self.op(Opcode::Bar, &modifiers, [barrier, predicate]),
        }
        self.together(is_aligned(flat.tree));
        if operation == M::Popc {
            let to = self.result(&flat.operands[0], 32);
            self.op(Opcode::B2r, &[M::Result], [Operand::register(to)]);
        } else {
            let to = self.predicate_result(&flat.operands[0]);
            self.op(Opcode::B2r, &[M::Result], [Operand::ZERO, Operand::predicate(to)]);
        }
    }

    /// The barrier of a cluster. Of one block it is that of the block: threads meet where they wait.
    fn cluster_barrier(&mut self, flat: &Flat<'_>) {
        if self.flat.cluster.is_some() {
            return self.barrier_of_blocks(flat);
        }
        if flat.tree.flag(Flag::Wait) {
            self.barriers = self.barriers.max(1);
            self.op(Opcode::Bar, &[Modifier::Sync, Modifier::DeferBlocking], [Operand::Immediate(0)]);
        }
    }

    /// The barrier of a cluster of several blocks: what the others are to see has come before, and is read anew behind it.
    fn barrier_of_blocks(&mut self, flat: &Flat<'_>) {
        use Modifier as M;
        let waits = flat.tree.flag(Flag::Wait);
        if !waits && flat.tree.semantics() != Some(Semantics::Relaxed) {
            self.op(Opcode::Membar, &[M::All, M::Gpu], []);
            self.op(Opcode::Errbar, &[], []);
            self.op(Opcode::Cgaerrbar, &[], []);
        }
        self.op(if waits { Opcode::UcgabarWait } else { Opcode::UcgabarArv }, &[], []);
        self.together(!waits && is_aligned(flat.tree));
        if waits {
            self.op(Opcode::Cctl, &[M::Ivall], []);
        }
    }

    /// `mapa`: the address of a place in the shared memory of a block of the cluster has its rank in the upper byte.
    fn mapa(&mut self, flat: &Flat<'_>) {
        let ty = flat.tree.ty().unwrap_or(Type::U32);
        let source = match &flat.operands[1] {
            address @ Value::Address(..) => {
                Source { low: Operand::register(self.register(address, ty)), high: Operand::ZERO }
            }
            value => self.source(value, ty),
        };
        let rank = self.source(&flat.operands[2], Type::U32).low;
        let to = self.result(&flat.operands[0], ty.bits());
        let rank = self.in_register(Source { low: rank, high: Operand::ZERO }, 32);
        let operands = [Operand::register(rank), Operand::Immediate(0x654), source.low];
        let low = Operand::register(self.compute(Opcode::Prmt, &[], operands));
        self.move_to(to, Source { low, high: source.high }, ty.bits());
    }

    /// The rank of the block of a cluster in whose shared memory an address lies.
    fn getctarank(&mut self, flat: &Flat<'_>) {
        let ty = flat.tree.ty().unwrap_or(Type::U32);
        let address = self.source(&flat.operands[1], ty).low;
        let to = self.result(&flat.operands[0], 32);
        self.shift32(to, address, Operand::Immediate(24), Shift::Logical);
    }

    fn fence(&mut self, flat: &Flat<'_>) {
        use Modifier as M;
        let tree = flat.tree;
        if tree.has(Dotted::Fence(FenceKind::MbarrierInit)) {
            return;
        }
        if tree.has(Dotted::Fence(FenceKind::Async)) {
            return self.fence_of_copies(flat);
        }
        let scope = match tree.scope() {
            Some(Scope::Cta) => M::Cta,
            Some(Scope::Sys) => M::Sys,
            _ => M::Gpu,
        };
        let order = match (tree.opcode, tree.semantics()) {
            (tree::Opcode::Fence, Some(Semantics::Sc)) | (tree::Opcode::Membar, _) => M::Sc,
            _ => M::All,
        };
        self.op(Opcode::Membar, &[order, scope], []);
        if scope != M::Cta {
            self.op(Opcode::Errbar, &[], []);
            self.op(Opcode::Cctl, &[M::Ivall], []);
        }
    }

    /// What threads have done with memory comes before what bulk copies do with it.
    fn fence_of_copies(&mut self, flat: &Flat<'_>) {
        use Modifier as M;
        let space = flat.tree.space().map(Space::family);
        match space {
            Some(Space::Global) => {}
            Some(Space::Shared | Space::SharedCluster) => self.op(Opcode::Membar, &[M::All, M::Cta], []),
            _ => self.op(Opcode::Membar, &[M::All, M::Gpu], []),
        }
        let view = if space == Some(Space::Global) { M::G } else { M::S };
        self.op(Opcode::Fence, &[M::View, M::Async, view], []);
    }

    fn mov(&mut self, flat: &Flat<'_>, ty: Type) {
        if ty == Type::Pred {
            let from = self.predicate_source(&flat.operands[1]);
            let to = self.predicate_result(&flat.operands[0]);
            return self.set_predicate(to, from);
        }
        if ty.bits() == 128 {
            return self.move_four_words(&flat.operands[0], &flat.operands[1]);
        }
        if let Value::Vector(parts) = &flat.operands[0] {
            let source = self.source(&flat.operands[1], ty);
            return self.unpack(parts, source, ty);
        }
        let source = self.source(&flat.operands[1], ty);
        let to = self.result(&flat.operands[0], ty.bits());
        self.move_to(to, source, ty.bits());
    }

    /// Takes a value apart: halves of 16 or 32 bits, or bytes.
    fn unpack(&mut self, parts: &[Value], source: Source, ty: Type) {
        let bits = ty.bits() / crate::code::number(parts.len().max(1));
        for (index, part) in parts.iter().enumerate() {
            let Value::Register(id) = part else { continue };
            let to = Operand::register(self.place(*id));
            let at = crate::code::number(index) * bits;
            let word = if at >= 32 { source.high } else { source.low };
            match (bits, at % 32) {
                (32, _) => self.op(Opcode::Mov, &[], [to, word]),
                (_, 0) => self.op(Opcode::Mov, &[], [to, word]),
                (16, _) => self.op(Opcode::Prmt, &[], [to, word, Operand::Immediate(0x7632), Operand::ZERO]),
                (_, at) => {
                    let byte = Operand::Immediate(0x4440 | (at / 8));
                    self.op(Opcode::Prmt, &[], [to, word, byte, Operand::ZERO]);
                }
            }
        }
    }

    /// Puts a value together.
    pub(crate) fn pack(&mut self, elements: &[Value], ty: Type) -> warplab_program::Register {
        let to = self.code.register(if ty.bits() > 32 { 2 } else { 1 });
        let bits = ty.bits() / crate::code::number(elements.len().max(1));
        let part = if bits == 32 { Type::B32 } else { Type::B16 };
        let sources: Vec<Operand> = elements.iter().map(|element| self.source(element, part).low).collect();
        let words: Vec<Operand> = match (bits, sources.as_slice()) {
            (32, words) => words.to_vec(),
            (16, halves) => halves
                .chunks(2)
                .map(|pair| {
                    let [low, high] = pair else { return pair[0] };
                    Operand::register(self.compute(
                        Opcode::Prmt,
                        &[],
                        [*low, Operand::Immediate(0x5410), *high],
                    ))
                })
                .collect(),
            (_, bytes) => bytes
                .chunks(4)
                .map(|bytes| {
                    let mut word = bytes[0];
                    for (index, byte) in bytes.iter().enumerate().skip(1) {
                        let selector = 0x3210 & !(0xf << (4 * index)) | 4 << (4 * index);
                        word = Operand::register(self.compute(
                            Opcode::Prmt,
                            &[],
                            [word, Operand::Immediate(selector), *byte],
                        ));
                    }
                    word
                })
                .collect(),
        };
        for (index, word) in words.into_iter().enumerate().take(if ty.bits() > 32 { 2 } else { 1 }) {
            self.op(Opcode::Mov, &[], [Operand::register(to.offset(crate::code::number(index))), word]);
        }
        to
    }

    /// `d = p ? a : b` on registers.
    pub(crate) fn choose(&mut self, to: warplab_program::Register, a: Operand, b: Operand, p: Operand) {
        let (a, b, p) = if super::values::constant_of(&a).is_some_and(|bits| bits != 0) {
            (b, a, not(p))
        } else {
            (a, b, p)
        };
        self.op(Opcode::Sel, &[], [Operand::register(to), a, b, p]);
    }

    /// A comparison of 32-bit integers.
    pub(crate) fn compare(&mut self, modifiers: &[Modifier], a: Operand, b: Operand) -> Predicate {
        let to = self.code.predicate();
        self.op(Opcode::Isetp, modifiers, [Operand::predicate(to), Operand::TRUE, a, b, Operand::TRUE]);
        to
    }
}

/// Whether all lanes of a warp come to a barrier of the block together.
fn is_aligned(tree: &tree::Instruction) -> bool {
    tree.opcode == tree::Opcode::Bar || tree.flag(Flag::Aligned)
}

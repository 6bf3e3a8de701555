//! Contraction: which products a sum takes into a fused multiply-add, by ptxas's rule (found with small kernels).
//!
//! A product may be fused if neither it nor the sum names a rounding mode, both flush denormals or neither does, the
//! product does not saturate and has no guard, and every reader of the product is such a sum in the same block, perhaps
//! past negations and moves: then the product itself goes. An approximate quotient is a product, too, of the dividend and a
//! reciprocal. Products with one reader come first. Then, sum by sum, of
//! two products the one with fewer readers in all is fused, the first of equals; the other must stay, and from then on is
//! fused no more.
//!
//! An exact quotient or root has a branch inside and splits the block: what reads a product behind it counts as in another
//! block, unless a factor is a constant or a parameter. Such a product is fused across blocks, too (`far.rs`).

mod far;

use crate::calls::Callee;
use crate::flat::{Flat, Flattened, Item, LabelId, RegisterId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_ptx::tree::{self, Flag, Space, Type};

/// A product that a sum takes in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fused {
    /// The item of the product.
    pub(crate) product: usize,
    /// Which operand of the sum it is: 1 or 2.
    pub(crate) operand: usize,
    /// Whether it was negated on the way.
    pub(crate) negated: bool,
}

/// What each sum fuses, by its item.
pub(crate) fn contractions(flat: &Flattened<'_>) -> FxHashMap<usize, Fused> {
    let blocks = blocks(flat);
    let exposed = read_before_written(flat, &blocks);
    let constants = constants(flat);
    let mut fused = FxHashMap::default();
    for block in blocks {
        let mut search = Search::new(&constants);
        for index in block {
            search.item(index, &flat.items[index]);
        }
        let leaving: Vec<usize> =
            search.holds.iter().filter(|(id, _)| exposed.contains(id)).map(|it| it.1.item).collect();
        for product in leaving {
            search.is_kept(product);
        }
        search.choose();
        fused.extend(search.fused);
    }
    far::fuse(flat, &exposed, &constants, &mut fused);
    fused
}

/// The blocks, as ranges of items. A label that nothing goes to but what stands right before it starts none. What is
/// inlined here is called by ptxas: a block ends where it begins and where it ends.
fn blocks(flat: &Flattened<'_>) -> Vec<std::ops::Range<usize>> {
    let mut targets: FxHashSet<LabelId> = FxHashSet::default();
    for (index, item) in flat.items.iter().enumerate() {
        let next = match flat.items.get(index + 1) {
            Some(Item::Label(label)) => Some(*label),
            _ => None,
        };
        match item {
            Item::Leave(guard, label, _) if guard.is_some() || next != Some(*label) => {
                _ = targets.insert(*label)
            }
            Item::Switch(_, table) => targets.extend(table),
            Item::Instruction(it) => {
                if let (tree::Opcode::Bra, Some(Value::Label(label))) = (it.tree.opcode, it.operands.first())
                    && (it.guard.is_some() || next != Some(*label))
                {
                    targets.insert(*label);
                }
            }
            _ => {}
        }
    }
    let mut blocks = Vec::new();
    let mut start = 0;
    for (index, item) in flat.items.iter().enumerate() {
        let goes_on =
            |label: LabelId| matches!(flat.items.get(index + 1), Some(Item::Label(next)) if *next == label);
        let ends = match item {
            _ if flat.inlined.contains(&index) => {
                blocks.push(start..index);
                start = index;
                false
            }
            Item::Label(label) if targets.contains(label) => {
                blocks.push(start..index);
                start = index;
                false
            }
            Item::Leave(guard, label, _) => guard.is_some() || !goes_on(*label),
            Item::Switch(..) | Item::Return(_) => true,
            Item::Instruction(it) => match (it.tree.opcode, it.operands.first()) {
                (tree::Opcode::Bra, Some(Value::Label(label))) => it.guard.is_some() || !goes_on(*label),
                (tree::Opcode::Bra | tree::Opcode::Exit | tree::Opcode::Ret | tree::Opcode::Trap, _) => true,
                _ => false,
            },
            _ => false,
        };
        if ends {
            blocks.push(start..index + 1);
            start = index + 1;
        }
    }
    blocks.push(start..flat.items.len());
    blocks
}

/// Whether an instruction becomes a sequence with a branch of its own: exact quotients and roots, and quotients of 64 bits.
fn has_slow_path(tree: &tree::Instruction) -> bool {
    use tree::Opcode::{Div, Rcp, Rem, Sqrt};
    let Some(ty) = tree.ty() else { return false };
    match tree.opcode {
        Div | Rcp | Sqrt if ty.is_float() => tree.rounding().is_some(),
        Div | Rem => ty.bits() == 64,
        _ => false,
    }
}

/// The registers that only the load of a parameter writes.
fn constants(flat: &Flattened<'_>) -> FxHashSet<RegisterId> {
    let mut writes: FxHashMap<RegisterId, u32> = FxHashMap::default();
    let mut loaded = Vec::new();
    for item in &flat.items {
        let (_, written, _) = accesses(item);
        written.iter().for_each(|&id| *writes.entry(id).or_insert(0) += 1);
        if let Item::Instruction(it) = item
            && it.tree.opcode == tree::Opcode::Ld
            && it.tree.space().map(Space::family) == Some(Space::Param)
        {
            loaded.extend(written);
        }
    }
    loaded.into_iter().filter(|id| writes[id] == 1).collect()
}

/// The registers that some block reads before it writes them.
fn read_before_written(flat: &Flattened<'_>, blocks: &[std::ops::Range<usize>]) -> FxHashSet<RegisterId> {
    let mut exposed = FxHashSet::default();
    for block in blocks {
        let mut written: FxHashSet<RegisterId> = FxHashSet::default();
        for item in &flat.items[block.clone()] {
            let (reads, writes, guarded) = accesses(item);
            exposed.extend(reads.into_iter().filter(|id| !written.contains(id)));
            if guarded {
                // The lanes that do not write keep what was there.
                exposed.extend(writes.into_iter().filter(|id| !written.contains(id)));
            } else {
                written.extend(writes);
            }
        }
    }
    exposed
}

/// What an item reads and writes, and whether it does so under a guard.
fn accesses(item: &Item<'_>) -> (Vec<RegisterId>, Vec<RegisterId>, bool) {
    let of = super::registers_of;
    match item {
        Item::Label(_) | Item::Return(_) | Item::Call(Callee::Function(_), _) => {
            (Vec::new(), Vec::new(), false)
        }
        Item::Call(Callee::Pointer(id), _) => (vec![*id], Vec::new(), false),
        Item::Stack(access) => {
            (access.stored.iter().flat_map(of).collect(), access.loaded.into_iter().collect(), false)
        }
        Item::Leave(guard, ..) => (guard.iter().map(|it| it.0).collect(), Vec::new(), guard.is_some()),
        Item::Switch(flat, _) => {
            (flat.operands.iter().flat_map(of).collect(), Vec::new(), flat.guard.is_some())
        }
        Item::System(call) => (
            call.arguments.iter().flat_map(of).chain(call.guard.iter().map(|it| it.0)).collect(),
            call.result.into_iter().collect(),
            call.guard.is_some(),
        ),
        Item::Copy { guard, to, from, .. } => (of(from), vec![*to], guard.is_some()),
        Item::Instruction(flat) => {
            let results = super::result_count(flat).min(flat.operands.len());
            let reads = flat.operands[results..].iter().flat_map(of).chain(flat.guard.iter().map(|it| it.0));
            (reads.collect(), flat.operands[..results].iter().flat_map(of).collect(), flat.guard.is_some())
        }
    }
}

/// A product that a register holds, perhaps negated.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Holds {
    item: usize,
    negated: bool,
}

/// A product and who reads it.
#[derive(Clone, Copy, Debug)]
struct Product {
    ty: Type,
    flushes: bool,
    /// Sums that may fuse it.
    readers: usize,
    /// Whether something else needs its value.
    kept: bool,
    /// Behind how many branches inside instructions of the block it is made; none where one of its factors is a constant.
    part: Option<usize>,
}

/// A sum of which one or both terms are products.
#[derive(Clone, Copy, Debug)]
struct Sum {
    item: usize,
    terms: [Option<Holds>; 2],
    done: bool,
}

/// The products and sums of one block.
struct Search<'c> {
    /// Registers that are parameters of the kernel.
    constants: &'c FxHashSet<RegisterId>,
    /// How many branches inside instructions have been passed.
    part: usize,
    holds: FxHashMap<RegisterId, Holds>,
    products: FxHashMap<usize, Product>,
    sums: Vec<Sum>,
    fused: FxHashMap<usize, Fused>,
}

impl<'c> Search<'c> {
    fn new(constants: &'c FxHashSet<RegisterId>) -> Search<'c> {
        Search {
            constants,
            part: 0,
            holds: FxHashMap::default(),
            products: FxHashMap::default(),
            sums: Vec::new(),
            fused: FxHashMap::default(),
        }
    }

    /// Whether a product was made in front of a branch inside an instruction.
    fn is_far(&self, product: usize) -> bool {
        self.products.get(&product).and_then(|it| it.part).is_some_and(|part| part != self.part)
    }

    fn is_kept(&mut self, product: usize) {
        if let Some(product) = self.products.get_mut(&product) {
            product.kept = true;
        }
    }

    fn held(&self, value: &Value) -> Option<Holds> {
        match value {
            Value::Register(id) => self.holds.get(id).copied(),
            _ => None,
        }
    }

    fn item(&mut self, index: usize, item: &Item<'_>) {
        let renamed = match item {
            Item::Copy { guard: None, to, from, .. } => self.held(from).map(|it| (*to, it)),
            Item::Instruction(flat) if flat.guard.is_none() => self.renamed(flat),
            _ => None,
        };
        let sum = match item {
            Item::Instruction(flat) if renamed.is_none() => self.sum(index, flat),
            _ => None,
        };
        let (reads, writes, _) = accesses(item);
        if renamed.is_none() {
            for it in reads.iter().filter_map(|id| self.holds.get(id).copied()).collect::<Vec<_>>() {
                if self.is_far(it.item) {
                    self.is_kept(it.item);
                }
            }
        }
        if let Some(sum) = sum {
            for it in sum.terms.into_iter().flatten() {
                if let Some(product) = self.products.get_mut(&it.item) {
                    product.readers += 1;
                }
            }
            self.sums.push(sum);
        } else if renamed.is_none() {
            for id in reads {
                if let Some(it) = self.holds.get(&id).copied() {
                    self.is_kept(it.item);
                }
            }
        }
        for id in writes {
            self.holds.remove(&id);
        }
        if let Some((to, it)) = renamed {
            self.holds.insert(to, it);
        }
        let Item::Instruction(flat) = item else { return };
        if let Some((to, product)) = product(flat) {
            let constant = |value: &Value| is_known(value, |id| self.constants.contains(&id));
            let part =
                (is_quotient(flat.tree) || !flat.operands[1..].iter().any(constant)).then_some(self.part);
            self.products.insert(index, Product { part, ..product });
            self.holds.insert(to, Holds { item: index, negated: false });
        }
        self.part += usize::from(has_slow_path(flat.tree));
    }

    /// A register that takes over what another holds: moved, or negated.
    fn renamed(&self, flat: &Flat<'_>) -> Option<(RegisterId, Holds)> {
        let [Value::Register(to), from] = flat.operands.as_slice() else { return None };
        let it = self.held(from)?;
        let negates = match flat.tree.opcode {
            tree::Opcode::Mov => false,
            tree::Opcode::Neg => {
                let ty = self.products.get(&it.item)?.ty;
                if flat.tree.ty() != Some(ty) || flat.tree.flag(Flag::Ftz) {
                    return None;
                }
                true
            }
            _ => return None,
        };
        Some((*to, Holds { negated: it.negated != negates, ..it }))
    }

    /// A sum with the terms that it might fuse.
    fn sum(&self, index: usize, flat: &Flat<'_>) -> Option<Sum> {
        let tree = flat.tree;
        let adds = is_sum(tree);
        let [_, a, b] = flat.operands.as_slice() else { return None };
        let terms = [self.held(a), self.held(b)];
        let fits = |it: Holds| {
            let product = self.products.get(&it.item);
            product.is_some_and(|it| tree.ty() == Some(it.ty) && it.flushes == tree.flag(Flag::Ftz))
        };
        let same = matches!(terms, [Some(a), Some(b)] if a.item == b.item);
        let sum = adds && !same && terms.iter().any(Option::is_some) && terms.into_iter().flatten().all(fits);
        sum.then_some(Sum { item: index, terms, done: false })
    }

    /// How many sums may fuse a product, if any still may.
    fn readers(&self, term: Option<Holds>) -> Option<usize> {
        let product = self.products.get(&term?.item)?;
        (!product.kept).then_some(product.readers)
    }

    /// Decides, products with one reader first.
    fn choose(&mut self) {
        for single in [true, false] {
            for at in 0..self.sums.len() {
                let sum = self.sums[at];
                if sum.done {
                    continue;
                }
                let wanted = |readers: &usize| !single || *readers == 1;
                let readers = sum.terms.map(|term| self.readers(term).filter(wanted));
                let first = match readers {
                    [Some(first), Some(second)] => first <= second,
                    [Some(_), None] => true,
                    [None, Some(_)] => false,
                    [None, None] => continue,
                };
                let (taken, left) = if first { (0, 1) } else { (1, 0) };
                let Some(it) = sum.terms[taken] else { continue };
                self.sums[at].done = true;
                self.fused
                    .insert(sum.item, Fused { product: it.item, operand: taken + 1, negated: it.negated });
                if let Some(addend) = sum.terms[left] {
                    self.is_kept(addend.item);
                }
            }
        }
    }
}

/// Whether an instruction is a sum that may fuse a product.
fn is_sum(tree: &tree::Instruction) -> bool {
    matches!(tree.opcode, tree::Opcode::Add | tree::Opcode::Sub) && tree.rounding().is_none()
}

/// Whether a value is a number, or a register of which this holds.
fn is_known(value: &Value, holds: impl Fn(RegisterId) -> bool) -> bool {
    match value {
        Value::Register(id) => holds(*id),
        value => matches!(value, Value::Immediate(_)),
    }
}

/// Whether it is an approximate quotient: the dividend times a reciprocal.
pub(super) fn is_quotient(tree: &tree::Instruction) -> bool {
    tree.opcode == tree::Opcode::Div && tree.ty() == Some(Type::F32) && tree.rounding().is_none()
}

/// A product that could be fused, and the register that it is in.
fn product(flat: &Flat<'_>) -> Option<(RegisterId, Product)> {
    let tree = flat.tree;
    let ty = tree.ty().filter(|ty| ty.is_float())?;
    let Some(Value::Register(to)) = flat.operands.first() else { return None };
    let multiplies = tree.opcode == tree::Opcode::Mul || is_quotient(tree);
    let fits = multiplies && tree.rounding().is_none() && flat.guard.is_none() && !tree.flag(Flag::Sat);
    fits.then_some((*to, Product { ty, flushes: tree.flag(Flag::Ftz), readers: 0, kept: false, part: None }))
}

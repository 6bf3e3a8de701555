//! What a register is only another name for: moves, conversions that change no bit, halves and pairs, negations.
//!
//! All of it is found once, before selection. Each chain of definitions is followed to its end with a memo and without
//! recursion: a chain may be as long as the program. One that comes back to itself (`mov.u32 %r1, %r1;`, whose value
//! PTX leaves open) ends at the register where that is seen.

use super::values::constant_bits;
use crate::flat::{Flat, Flattened, Item, RegisterId, Start, Symbol, Value};
use warplab_ptx::tree::{self, Compare, Flag, Space, Type};

/// A 32-bit word that a register has as its own or from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Word {
    /// The lower (0) or upper (1) word of a register.
    Register(RegisterId, usize),
    /// A constant.
    Constant(u32),
    /// The address of a place of shared memory.
    Shared(u32),
}

/// A predicate under its first name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Truth {
    /// A register, and whether it is negated.
    Register(RegisterId, bool),
    /// Always this.
    Constant(bool),
}

impl Truth {
    fn negated_if(self, negated: bool) -> Truth {
        match self {
            Truth::Register(id, negate) => Truth::Register(id, negate != negated),
            Truth::Constant(value) => Truth::Constant(value != negated),
        }
    }
}

/// What every register is another name for.
#[derive(Debug, Default)]
pub(crate) struct Names {
    behind: Vec<Value>,
    words: Vec<[Word; 2]>,
    truths: Vec<Truth>,
}

impl Names {
    /// Follows all chains. `definitions` are the items that write each register.
    pub(crate) fn new(flat: &Flattened<'_>, definitions: &[Vec<usize>]) -> Names {
        let chains = Chains { flat, definitions };
        let behind = chains.values();
        let words = chains.words(&behind);
        Names { behind, words, truths: chains.truths() }
    }

    /// The value behind moves and address conversions that change nothing.
    pub(crate) fn behind(&self, value: &Value) -> Value {
        match value {
            Value::Register(id) => self.behind[*id].clone(),
            other => other.clone(),
        }
    }

    /// Both words of a register.
    pub(crate) fn words(&self, id: RegisterId) -> [Word; 2] {
        self.words[id]
    }

    /// A predicate register.
    pub(crate) fn truth(&self, id: RegisterId) -> Truth {
        self.truths[id]
    }
}

/// The item that alone writes a register, without a guard.
pub(crate) fn sole_definition<'f, 'a>(
    flat: &'f Flattened<'a>,
    definitions: &[Vec<usize>],
    id: RegisterId,
) -> Option<(usize, &'f Item<'a>)> {
    let [index] = definitions[id][..] else {
        return None;
    };
    let item = &flat.items[index];
    let unguarded = match item {
        Item::Instruction(flat) => flat.guard.is_none(),
        Item::Copy { guard, .. } => guard.is_none(),
        _ => false,
    };
    unguarded.then_some((index, item))
}

struct Chains<'f, 'a> {
    flat: &'f Flattened<'a>,
    definitions: &'f [Vec<usize>],
}

impl<'f, 'a> Chains<'f, 'a> {
    fn instruction(&self, id: RegisterId) -> Option<&'f Flat<'a>> {
        match sole_definition(self.flat, self.definitions, id)? {
            (_, Item::Instruction(flat)) => Some(flat),
            _ => None,
        }
    }

    fn is_single(&self, value: &Value) -> bool {
        match value {
            Value::Register(id) | Value::Negated(id) => self.definitions[*id].len() == 1,
            Value::Immediate(_) => true,
            _ => false,
        }
    }

    /// What a register was moved from, if the two can stand for one another.
    fn moved_from(&self, id: RegisterId) -> Option<&'f Value> {
        let registers = &self.flat.registers;
        let from = match sole_definition(self.flat, self.definitions, id)?.1 {
            Item::Copy { from, .. } if registers[id] != Type::Pred => from,
            Item::Instruction(flat) => {
                let [_, from] = flat.operands.as_slice() else { return None };
                let renames = match flat.tree.opcode {
                    tree::Opcode::Mov => true,
                    tree::Opcode::Cvta => flat.tree.space() == Some(Space::Global),
                    _ => false,
                };
                if !renames {
                    return None;
                }
                from
            }
            _ => return None,
        };
        let plain = match from {
            Value::Register(next) => {
                self.definitions[*next].len() == 1 && registers[*next].bits() == registers[id].bits()
            }
            Value::Immediate(_) => registers[id] != Type::Pred,
            Value::Address(Start::Variable(Symbol::Shared(_)), _) => true,
            _ => false,
        };
        plain.then_some(from)
    }

    /// What stands at the end of every chain of moves.
    fn values(&self) -> Vec<Value> {
        let mut ends: Vec<Option<Value>> = vec![None; self.flat.registers.len()];
        let mut on_path = vec![false; ends.len()];
        for start in 0..ends.len() {
            let (mut path, mut at) = (Vec::new(), start);
            let end = loop {
                if let Some(end) = &ends[at] {
                    break end.clone();
                }
                if std::mem::replace(&mut on_path[at], true) {
                    break Value::Register(at);
                }
                path.push(at);
                match self.moved_from(at) {
                    Some(Value::Register(next)) => at = *next,
                    Some(other) => break other.clone(),
                    None => break Value::Register(at),
                }
            };
            path.into_iter().for_each(|id| ends[id] = Some(end.clone()));
        }
        ends.into_iter().enumerate().map(|(id, end)| end.unwrap_or(Value::Register(id))).collect()
    }

    /// The word that a word of a register is a copy of: `cvt.u64.u32`, `cvt.u32.u64`, `mov.b64` to and from halves.
    fn word_behind(&self, behind: &[Value], id: RegisterId, part: usize) -> Option<Word> {
        let flat = self.instruction(id)?;
        let operands = flat.operands.as_slice();
        let word = |value: &Value, ty: Type, part: usize| match value {
            Value::Register(id) => match &behind[*id] {
                Value::Register(id) => Some(Word::Register(*id, part)),
                Value::Address(Start::Variable(Symbol::Shared(at)), offset) => {
                    let address = at.wrapping_add(super::values::low_word(*offset));
                    Some(if part == 0 { Word::Shared(address) } else { Word::Constant(0) })
                }
                Value::Immediate(constant) => Some(constant_word(constant_bits(*constant, ty), part)),
                _ => None,
            },
            Value::Immediate(constant) => Some(constant_word(constant_bits(*constant, ty), part)),
            _ => None,
        };
        match (flat.tree.opcode, operands) {
            (tree::Opcode::Cvt, [_, from_value]) => {
                let types: Vec<Type> = flat.tree.types().collect();
                let [to, from] = types[..] else { return None };
                let integers = !to.is_float() && !from.is_float() && !flat.tree.flag(Flag::Sat);
                let renames = match (to.bits(), from.bits()) {
                    (64, 32) => !from.is_signed(),
                    (32, 64) => true,
                    _ => false,
                };
                if !integers || !renames || !self.is_single(from_value) {
                    return None;
                }
                if part == 0 { word(from_value, from, 0) } else { Some(Word::Constant(0)) }
            }
            (tree::Opcode::Mov, [Value::Register(_), Value::Vector(parts)]) if parts.len() == 2 => {
                let wide = self.flat.registers[id].bits() == 64;
                let renames = wide && parts.iter().all(|part| self.is_single(part));
                if renames { word(&parts[part], Type::B32, 0) } else { None }
            }
            (tree::Opcode::Mov, [Value::Vector(parts), from @ Value::Register(whole)])
                if parts.len() == 2 && self.flat.registers[*whole].bits() == 64 && self.is_single(from) =>
            {
                let half = usize::from(parts[0] != Value::Register(id));
                if part == 0 { word(from, Type::B64, half) } else { Some(Word::Constant(0)) }
            }
            _ => None,
        }
    }

    /// The first name of both words of every register.
    fn words(&self, behind: &[Value]) -> Vec<[Word; 2]> {
        let mut ends: Vec<[Option<Word>; 2]> = vec![[None; 2]; self.flat.registers.len()];
        let mut on_path = vec![[false; 2]; ends.len()];
        for start in (0..ends.len()).flat_map(|id| [(id, 0), (id, 1)]) {
            let (mut path, mut at) = (Vec::new(), start);
            let end = loop {
                let (id, part) = at;
                if let Some(end) = ends[id][part] {
                    break end;
                }
                if std::mem::replace(&mut on_path[id][part], true) {
                    break Word::Register(id, part);
                }
                path.push(at);
                match self.word_behind(behind, id, part) {
                    Some(Word::Register(next, part)) => at = (next, part),
                    Some(other) => break other,
                    None => break Word::Register(id, part),
                }
            };
            path.into_iter().for_each(|(id, part)| ends[id][part] = Some(end));
        }
        let own = |id: RegisterId, part: usize| Word::Register(id, part);
        let both = |(id, [low, high]): (RegisterId, [Option<Word>; 2])| {
            [low.unwrap_or(own(id, 0)), high.unwrap_or(own(id, 1))]
        };
        ends.into_iter().enumerate().map(both).collect()
    }

    /// The first name of every predicate.
    fn truths(&self) -> Vec<Truth> {
        let count = self.flat.registers.len();
        let mut ends: Vec<Option<Truth>> = vec![None; count];
        let mut entered = vec![false; count];
        let predicates = (0..count).filter(|&id| self.flat.registers[id] == Type::Pred);
        for start in predicates {
            let mut pending = vec![start];
            while let Some(&id) = pending.last() {
                let sources = if ends[id].is_some() { None } else { self.predicate_sources(id) };
                let Some((opcode, sources)) = sources else {
                    ends[id].get_or_insert(Truth::Register(id, false));
                    pending.pop();
                    continue;
                };
                if !std::mem::replace(&mut entered[id], true) {
                    let unknown = sources.iter().flat_map(super::registers_of);
                    pending.extend(unknown.filter(|&it| ends[it].is_none() && !entered[it]));
                    continue;
                }
                let own = Truth::Register(id, false);
                let known = sources.iter().map(|it| truth_of(it, &ends)).collect::<Option<Vec<Truth>>>();
                ends[id] = Some(known.and_then(|known| combined(opcode, &known)).unwrap_or(own));
                pending.pop();
            }
        }
        ends.into_iter().enumerate().map(|(id, end)| end.unwrap_or(Truth::Register(id, false))).collect()
    }

    /// The operation on predicates that alone makes one, and its sources.
    fn predicate_sources(&self, id: RegisterId) -> Option<(tree::Opcode, &'f [Value])> {
        use tree::Opcode::{And, Mov, Not, Or, Setp, Xor};
        let flat = self.instruction(id)?;
        if flat.tree.opcode == Setp {
            return self.tested_choice(flat);
        }
        let sources = flat.operands.get(1..)?;
        let fits = matches!(flat.tree.opcode, Mov | Not | Xor | And | Or)
            && flat.tree.ty() == Some(Type::Pred)
            && sources.iter().all(|source| self.is_single(source));
        fits.then_some((flat.tree.opcode, sources))
    }

    /// What chose between zero and another number that is compared with zero, as `__hgt` does: the predicate or its negation.
    fn tested_choice(&self, flat: &'f Flat<'a>) -> Option<(tree::Opcode, &'f [Value])> {
        let equal = match flat.tree.compare()? {
            Compare::Eq => true,
            Compare::Ne => false,
            _ => return None,
        };
        let [_, Value::Register(chosen), zero] = flat.operands.as_slice() else { return None };
        let choice = self.instruction(*chosen).filter(|it| it.tree.opcode == tree::Opcode::Selp)?;
        let [_, first, second, predicate] = choice.operands.as_slice() else { return None };
        let number = |value: &Value| match value {
            Value::Immediate(constant) => constant.as_int(),
            _ => None,
        };
        let is_integer = flat.tree.ty().is_some_and(|it| !it.is_float() && it.bits() <= 32);
        let low = |value: &Value| number(value).filter(|it| (0..0x8000).contains(it));
        let (first, second) = (low(first)?, low(second)?);
        if !is_integer
            || number(zero) != Some(0)
            || (first == 0) == (second == 0)
            || !self.is_single(predicate)
        {
            return None;
        }
        let holds = (second == 0) != equal;
        Some((if holds { tree::Opcode::Mov } else { tree::Opcode::Not }, &choice.operands[3..]))
    }
}

fn constant_word(bits: u64, part: usize) -> Word {
    Word::Constant(super::values::words_of(bits)[part])
}

/// A source of predicates; none where it is still being looked for: the chain comes back to itself.
fn truth_of(source: &Value, ends: &[Option<Truth>]) -> Option<Truth> {
    match source {
        Value::Register(id) => ends[*id],
        Value::Negated(id) => ends[*id].map(|it| it.negated_if(true)),
        Value::Immediate(constant) => Some(Truth::Constant(constant.as_int() != Some(0))),
        _ => Some(Truth::Constant(true)),
    }
}

/// The result where it is that of one source, or known.
fn combined(opcode: tree::Opcode, sources: &[Truth]) -> Option<Truth> {
    match (opcode, sources) {
        (tree::Opcode::Mov, &[source]) => Some(source),
        (tree::Opcode::Not, &[source]) => Some(source.negated_if(true)),
        (_, &[Truth::Constant(constant), other] | &[other, Truth::Constant(constant)]) => {
            Some(match (opcode, constant) {
                (tree::Opcode::Xor, flips) => other.negated_if(flips),
                (tree::Opcode::And, true) | (tree::Opcode::Or, false) => other,
                (tree::Opcode::And, false) => Truth::Constant(false),
                (tree::Opcode::Or, true) => Truth::Constant(true),
                _ => return None,
            })
        }
        _ => None,
    }
}

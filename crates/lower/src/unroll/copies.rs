//! The body of a loop several times in a row, with names of its own for the values of each time.

use crate::code::{Code, map_registers};
use rustc_hash::{FxHashMap, FxHashSet};
use warplab_program::{Instruction, Operand, Predicate, Register, Resource, Role};

/// What the values of a body may be called.
pub(super) struct Names {
    /// The first registers of the groups that each time may have anew.
    groups: FxHashSet<Register>,
    predicates: FxHashSet<Predicate>,
    /// What the last time leaves in its own place, because it is read after it.
    kept: FxHashSet<Register>,
    kept_predicates: FxHashSet<Predicate>,
}

impl Names {
    /// Looks at a body; `is_needed` says what is read after it.
    pub(super) fn new(code: &Code, body: &[Instruction], is_needed: impl Fn(Resource) -> bool) -> Names {
        let (mut registers, mut predicates) = (FxHashMap::default(), FxHashMap::default());
        for instruction in body {
            // A write under a guard needs the old value: it stays where it is.
            let times = if instruction.guard.is_always() { 1 } else { 2 };
            for access in instruction.accesses().iter().filter(|it| it.role == Role::Write) {
                match access.resource {
                    Resource::Registers(first, count) if first.is_virtual() => {
                        (0..count).for_each(|it| *registers.entry(first.offset(it)).or_insert(0) += times);
                    }
                    Resource::Predicate(it) if it.is_virtual() => *predicates.entry(it).or_insert(0) += times,
                    _ => {}
                }
            }
        }
        let begun = begun_anew(body);
        let mut groups: FxHashSet<Register> = registers.keys().map(|&it| code.group(it).0).collect();
        groups.retain(|&base| {
            members(code, base).all(|it| registers.get(&it) == Some(&1) || begun.contains(&it))
        });
        for torn in torn_groups(code, body) {
            groups.remove(&torn);
        }
        let predicates: FxHashSet<Predicate> =
            predicates.into_iter().filter(|&(_, times)| times == 1).map(|(it, _)| it).collect();
        let is_kept = |&base: &Register| members(code, base).any(|it| is_needed(Resource::Registers(it, 1)));
        let kept = groups.iter().copied().filter(is_kept).collect();
        let kept_predicates =
            predicates.iter().copied().filter(|&it| is_needed(Resource::Predicate(it))).collect();
        Names { groups, predicates, kept, kept_predicates }
    }
}

fn members(code: &Code, base: Register) -> impl Iterator<Item = Register> + use<> {
    let count = code.group(base).1;
    (0..count).map(move |it| base.offset(it))
}

/// The registers that a body writes, whatever holds, before it does anything else with them: how often it writes them then does not
/// matter.
fn begun_anew(body: &[Instruction]) -> FxHashSet<Register> {
    let (mut seen, mut begun) = (FxHashSet::default(), FxHashSet::default());
    for instruction in body {
        let accesses = instruction.accesses();
        let begins = |role: Role| role == Role::Write && instruction.guard.is_always();
        // What an instruction reads comes before what it writes.
        for role in [Role::Read, Role::Write] {
            for access in accesses.iter().filter(|access| access.role == role) {
                let Resource::Registers(first, count) = access.resource else { continue };
                for register in (0..count).map(|it| first.offset(it)) {
                    if seen.insert(register) && begins(role) {
                        begun.insert(register);
                    }
                }
            }
        }
    }
    begun
}

/// Groups that are read as a whole while only a part of them is new.
fn torn_groups(code: &Code, body: &[Instruction]) -> Vec<Register> {
    let mut written: FxHashSet<Register> = FxHashSet::default();
    let mut torn = Vec::new();
    for instruction in body {
        let accesses = instruction.accesses();
        for access in accesses.iter().filter(|it| it.role == Role::Read) {
            if let Resource::Registers(first, count) = access.resource {
                let new = (0..count).filter(|&it| written.contains(&first.offset(it))).count();
                if new != 0 && new != count as usize {
                    torn.push(code.group(first).0);
                }
            }
        }
        for access in accesses.iter().filter(|it| it.role == Role::Write) {
            if let Resource::Registers(first, count) = access.resource {
                written.extend((0..count).map(|it| first.offset(it)));
            }
        }
    }
    torn
}

/// A body several times in a row.
pub(super) struct Copies {
    /// The instructions.
    pub(super) instructions: Vec<Instruction>,
    predicates: FxHashMap<Predicate, Predicate>,
}

impl Copies {
    /// The predicate that holds after the last time what a predicate of the body holds after each.
    pub(super) fn predicate(&self, predicate: Predicate) -> Predicate {
        self.predicates.get(&predicate).copied().unwrap_or(predicate)
    }
}

/// The present name of every value.
#[derive(Default)]
struct Present {
    registers: FxHashMap<Register, Register>,
    predicates: FxHashMap<Predicate, Predicate>,
    /// The groups of this time.
    fresh: FxHashMap<Register, Register>,
}

/// A body so many times in a row: at least twice.
pub(super) fn copies(code: &mut Code, body: &[Instruction], names: &Names, times: u32) -> Copies {
    let mut present = Present::default();
    let mut instructions = Vec::with_capacity(body.len() * times as usize);
    for time in 0..times {
        present.fresh.clear();
        let is_last = time + 1 == times;
        for instruction in body {
            instructions.push(copy(code, instruction, names, &mut present, is_last));
        }
    }
    Copies { instructions, predicates: present.predicates }
}

fn copy(
    code: &mut Code,
    instruction: &Instruction,
    names: &Names,
    present: &mut Present,
    is_last: bool,
) -> Instruction {
    let mut copy = instruction.clone();
    map_registers(
        &mut copy,
        |it| present.registers.get(&it).copied().unwrap_or(it),
        |it| present.predicates.get(&it).copied().unwrap_or(it),
        |it| it,
    );
    let written = instruction.written_operands();
    for index in (0..instruction.operands.len()).filter(|index| written >> index & 1 != 0) {
        match instruction.operands[index] {
            Operand::Register { register, .. } if register.is_virtual() => {
                let new = present.name(code, register, names, is_last);
                for part in 0..instruction.register_count(index) {
                    present.registers.insert(register.offset(part), new.offset(part));
                }
                copy.operands[index] = Operand::register(new);
            }
            Operand::Predicate { predicate, .. } if names.predicates.contains(&predicate) => {
                let keeps = is_last && names.kept_predicates.contains(&predicate);
                let new = if keeps { predicate } else { code.predicate() };
                present.predicates.insert(predicate, new);
                copy.operands[index] = Operand::predicate(new);
            }
            _ => {}
        }
    }
    copy
}

impl Present {
    /// The name of a register that is written.
    fn name(&mut self, code: &mut Code, register: Register, names: &Names, is_last: bool) -> Register {
        let (base, count) = code.group(register);
        if !names.groups.contains(&base) || (is_last && names.kept.contains(&base)) {
            return register;
        }
        let fresh = *self.fresh.entry(base).or_insert_with(|| code.register(count));
        fresh.offset(register.0 - base.0)
    }
}

//! Predicates that there are too many of: they are kept in registers, or compared again.

use crate::code::{Code, DefinitionCounts, map_registers};
use crate::graph::Graph;
use rustc_hash::FxHashMap;
use warplab_program::{
    ConstantIndex, Instruction, Modifier, Opcode, Operand, Predicate, Register, Resource, Role,
};

/// Keeps predicates in registers, as 0 or 1, or compares again where that can be done. A value that is in a predicate stays there for
/// the next `reach` instructions.
pub(crate) fn spill_predicates(code: &mut Code, victims: &[Predicate], reach: usize) {
    let homes: FxHashMap<Predicate, (usize, Register)> =
        victims.iter().enumerate().map(|(order, &victim)| (victim, (order, code.register(1)))).collect();
    if homes.is_empty() {
        return;
    }
    let comparisons = comparisons(code, victims);
    for block in 0..code.blocks.len() {
        let old = std::mem::take(&mut code.blocks[block].instructions);
        let mut new = Vec::with_capacity(old.len());
        let mut held: FxHashMap<Predicate, (Predicate, usize)> = FxHashMap::default();
        for (at, mut instruction) in old.into_iter().enumerate() {
            held.retain(|_, (_, last)| at - *last <= reach);
            let mut touched: Vec<Predicate> = instruction
                .accesses()
                .iter()
                .filter_map(|access| match access.resource {
                    Resource::Predicate(predicate) if homes.contains_key(&predicate) => Some(predicate),
                    _ => None,
                })
                .collect();
            touched.sort_unstable_by_key(|victim| homes[victim].0);
            touched.dedup();
            let mut stores = Vec::new();
            let makes = |victim: &Predicate| comparisons.get(victim) == Some(&instruction);
            if touched.len() == 1 && touched.iter().all(makes) {
                continue;
            }
            for victim in touched {
                let place = Place {
                    home: homes[&victim].1,
                    present: held.get(&victim).map(|it| it.0),
                    comparison: comparisons.get(&victim),
                };
                let (temporary, store) = reload_predicate(code, &mut instruction, victim, &place, &mut new);
                held.insert(victim, (temporary, at));
                stores.extend(store);
            }
            new.push(instruction);
            new.extend(stores.into_iter().rev());
        }
        code.blocks[block].instructions = new;
    }
}

/// Where the value of a predicate is.
struct Place<'a> {
    /// The register that keeps it.
    home: Register,
    /// The predicate that has it at present.
    present: Option<Predicate>,
    /// The comparison that makes it anew.
    comparison: Option<&'a Instruction>,
}

/// The comparisons that make predicates wherever they are read: of one register at most, which is never written again, each before
/// all that read its predicate.
fn comparisons(code: &Code, victims: &[Predicate]) -> FxHashMap<Predicate, Instruction> {
    let counts = code.definition_counts();
    let graph = Graph::new(code);
    let mut found: FxHashMap<Predicate, ((usize, usize), Instruction)> = FxHashMap::default();
    for (block, at, instruction) in code.places() {
        if let Some(&Operand::Predicate { predicate, negate: false }) = instruction.operands.first()
            && victims.contains(&predicate)
            && counts.is_single(Resource::Predicate(predicate))
            && can_be_repeated(instruction, &counts)
        {
            found.insert(predicate, ((block, at), instruction.clone()));
        }
    }
    for (block, at, instruction) in code.places() {
        for access in instruction.accesses().iter().filter(|access| access.role == Role::Read) {
            let Resource::Predicate(predicate) = access.resource else { continue };
            let comes_first = |made: &(usize, usize)| {
                if made.0 == block { made.1 < at } else { graph.dominates(made.0, block) }
            };
            if found.get(&predicate).is_some_and(|(made, _)| !comes_first(made)) {
                found.remove(&predicate);
            }
        }
    }
    found.into_iter().map(|(predicate, (_, instruction))| (predicate, instruction)).collect()
}

/// Whether a comparison gives the same wherever it stands behind its place.
fn can_be_repeated(instruction: &Instruction, counts: &DefinitionCounts) -> bool {
    let mut registers = 0;
    let is_fixed = |operand: &Operand| match *operand {
        Operand::Immediate(_) | Operand::Predicate { predicate: Predicate::TRUE, .. } => true,
        Operand::ZERO => true,
        Operand::Constant(constant) => constant.index == ConstantIndex::None,
        Operand::Register { register, .. } => {
            registers += 1;
            register.is_virtual() && counts.is_single(Resource::Registers(register, 1))
        }
        _ => false,
    };
    // What else it would write.
    let nothing = match instruction.opcode {
        Opcode::Isetp => Operand::TRUE,
        Opcode::Lop3 => Operand::ZERO,
        _ => return false,
    };
    instruction.guard.is_always()
        && !instruction.has(Modifier::Ex)
        && instruction.operands.get(1) == Some(&nothing)
        && instruction.operands[2..].iter().all(is_fixed)
        && registers <= 1
}

/// Makes an instruction use a temporary for a predicate, set before it where its old value matters and is in none at
/// present; returns the temporary and what keeps a new value.
fn reload_predicate(
    code: &mut Code,
    instruction: &mut Instruction,
    victim: Predicate,
    &Place { home, present, comparison }: &Place<'_>,
    before: &mut Vec<Instruction>,
) -> (Predicate, Option<Instruction>) {
    let does = |role: Role| {
        let accesses = instruction.accesses();
        accesses.iter().any(|access| access.role == role && access.resource == Resource::Predicate(victim))
    };
    let (reads, writes) = (does(Role::Read), does(Role::Write));
    let needs_old = reads || !instruction.guard.is_always();
    let present = present.filter(|_| needs_old);
    let temporary = present.unwrap_or_else(|| code.predicate());
    let origin = instruction.origin;
    if needs_old && present.is_none() {
        let load = match comparison {
            Some(comparison) => {
                let mut again = comparison.clone();
                again.operands[0] = Operand::predicate(temporary);
                again
            }
            None => Instruction::new(
                Opcode::Isetp,
                [Modifier::Ne, Modifier::And],
                [
                    Operand::predicate(temporary),
                    Operand::TRUE,
                    Operand::register(home),
                    Operand::ZERO,
                    Operand::TRUE,
                ],
            ),
        };
        before.push(load.with_origin(origin));
    }
    map_registers(
        instruction,
        |register| register,
        |predicate| if predicate == victim { temporary } else { predicate },
        |uniform| uniform,
    );
    let negated = Operand::Predicate { predicate: temporary, negate: true };
    let store = || {
        Instruction::new(
            Opcode::Sel,
            [],
            [Operand::register(home), Operand::ZERO, Operand::Immediate(1), negated],
        )
    };
    (temporary, writes.then(|| store().with_origin(origin)))
}

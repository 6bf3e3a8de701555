//! Two conditions one after the other, of which either decides, become one: `if (a || b)`, where `b` costs little.

use crate::code::{Code, DefinitionCounts, branch_target};
use rustc_hash::FxHashMap;
use warplab_program::{Access, Guard, Instruction, Modifier, Opcode, Operand, Predicate, Resource, Role};

/// So many instructions are executed for a second condition that the first may have decided already.
const MOST_FOR_NOTHING: usize = 4;

/// A predicate or its negative.
#[derive(Clone, Copy)]
struct Literal {
    predicate: Predicate,
    negate: bool,
}

impl Literal {
    fn of(guard: Guard) -> Option<Literal> {
        match guard {
            Guard::Predicate { predicate, negate } if predicate.is_virtual() => {
                Some(Literal { predicate, negate })
            }
            _ => None,
        }
    }

    fn inverted(self) -> Literal {
        Literal { negate: !self.negate, ..self }
    }

    fn operand(self) -> Operand {
        Operand::Predicate { predicate: self.predicate, negate: self.negate }
    }

    fn guard(self) -> Guard {
        Guard::Predicate { predicate: self.predicate, negate: self.negate }
    }
}

/// Makes one branch of two where the second stands in a block of its own; says whether there were any.
pub(super) fn either(code: &mut Code) -> bool {
    let predecessors = code.predecessors();
    let counts = code.definition_counts();
    let reads = reads(code);
    let mut merged = false;
    for block in 0..code.blocks.len().saturating_sub(1) {
        let second = block + 1;
        if predecessors[second] != [block] || !is_cheap(&code.blocks[second].instructions, &counts) {
            continue;
        }
        let (Some((first, to)), Some((other, away))) = (decision(code, block), decision(code, second)) else {
            continue;
        };
        // Either leads to the same block, or the first leads past the second's branch.
        let (either, first) = if to == away {
            (true, first)
        } else if to > second && (second + 1..to).all(|it| code.blocks[it].instructions.is_empty()) {
            (false, first.inverted())
        } else {
            continue;
        };
        if to <= second || away <= second {
            continue;
        }
        let conditions = Conditions { first, second: other, either };
        merge(code, block, &conditions, |literal| {
            reads.get(&literal.predicate) == Some(&1)
                && counts.is_single(Resource::Predicate(literal.predicate))
        });
        merged = true;
    }
    merged
}

/// Two conditions, of which either or both must hold.
struct Conditions {
    first: Literal,
    second: Literal,
    either: bool,
}

/// Puts the block behind another into it. `is_free`: only the branch reads what makes a condition.
fn merge(code: &mut Code, block: usize, conditions: &Conditions, is_free: impl Fn(Literal) -> bool) {
    let &Conditions { first, second, either } = conditions;
    let mut instructions = std::mem::take(&mut code.blocks[block].instructions);
    instructions.pop();
    let mut rest = std::mem::take(&mut code.blocks[block + 1].instructions);
    let Some(mut branch) = rest.pop() else { return };
    let own = combinable(&rest, second).filter(|_| is_free(second));
    let earlier =
        combinable(&instructions, first).filter(|&at| is_free(first) && stays_the_same(&instructions, at));
    let decided = if let Some(at) = own {
        join(&mut rest[at], second, first, either)
    } else if let Some(at) = earlier {
        let mut compare = instructions.remove(at);
        let decided = join(&mut compare, first, second, either);
        rest.push(compare);
        decided
    } else {
        let to = code.predicate();
        rest.push(Instruction { origin: branch.origin, ..combined(to, first, second, either) });
        Literal { predicate: to, negate: false }
    };
    branch.guard = decided.guard();
    instructions.extend(rest);
    instructions.push(branch);
    code.blocks[block].instructions = instructions;
}

/// The condition under which a block leads somewhere else than on, and where.
fn decision(code: &Code, block: usize) -> Option<(Literal, usize)> {
    let it = &code.blocks[block];
    let last = it.instructions.last().filter(|_| !it.uniform_branch)?;
    Some((Literal::of(last.guard)?, branch_target(last)?))
}

/// How often each predicate is read.
fn reads(code: &Code) -> FxHashMap<Predicate, usize> {
    let mut reads = FxHashMap::default();
    for access in code.instructions().flat_map(Instruction::accesses) {
        if let (Role::Read, Resource::Predicate(predicate)) = (access.role, access.resource) {
            *reads.entry(predicate).or_insert(0) += 1;
        }
    }
    reads
}

/// Whether a block may be executed by who would not come there: it writes only what nobody else does, and loads nothing.
fn is_cheap(instructions: &[Instruction], counts: &DefinitionCounts) -> bool {
    let Some((_, body)) = instructions.split_last() else { return false };
    body.len() <= MOST_FOR_NOTHING
        && body.iter().all(|it| {
            it.guard.is_always()
                && !it.opcode.accesses_memory()
                && !crate::code::has_effect(it)
                && it
                    .accesses()
                    .iter()
                    .all(|access| access.role == Role::Read || counts.is_single(access.resource))
        })
}

/// Where the comparison that makes a literal takes another condition in.
fn combinable(instructions: &[Instruction], literal: Literal) -> Option<usize> {
    let at = instructions.iter().rposition(|it| {
        it.operands.first() == Some(&Operand::predicate(literal.predicate))
            || it.operands.get(1) == Some(&Operand::predicate(literal.predicate))
    })?;
    let it = &instructions[at];
    let is_free = matches!(it.opcode, Opcode::Isetp | Opcode::Fsetp | Opcode::Dsetp)
        && it.guard.is_always()
        && it.operands.first() == Some(&Operand::predicate(literal.predicate))
        && it.operands.get(1) == Some(&Operand::TRUE)
        && it.operands.get(4) == Some(&Operand::TRUE)
        && it.has(Modifier::And);
    is_free.then_some(at)
}

/// Whether what an instruction reads is still the same at the end.
fn stays_the_same(instructions: &[Instruction], at: usize) -> bool {
    let later: Vec<Resource> = instructions[at + 1..]
        .iter()
        .flat_map(Instruction::accesses)
        .filter(is_write)
        .map(|it| it.resource)
        .collect();
    let reads = instructions[at].accesses();
    let mut reads = reads.iter().filter(|access| access.role == Role::Read);
    reads.all(|read| later.iter().all(|&written| !meet(read.resource, written)))
}

fn is_write(access: &Access) -> bool {
    access.role == Role::Write
}

/// Whether two resources share a register.
fn meet(one: Resource, other: Resource) -> bool {
    match (one, other) {
        (Resource::Registers(a, m), Resource::Registers(b, n)) => a.0 < b.0 + n && b.0 < a.0 + m,
        (Resource::Uniforms(a, m), Resource::Uniforms(b, n)) => a.0 < b.0 + n && b.0 < a.0 + m,
        _ => one == other,
    }
}

/// Lets a comparison take in another condition; what is decided then.
fn join(compare: &mut Instruction, made: Literal, other: Literal, either: bool) -> Literal {
    // Not a and b is not (a or not b).
    let (other, either) = if made.negate { (other.inverted(), !either) } else { (other, either) };
    compare.operands[4] = other.operand();
    if either {
        let operation = |it: &Modifier| if *it == Modifier::And { Modifier::Or } else { *it };
        let modifiers: Vec<Modifier> = compare.modifiers.as_slice().iter().map(operation).collect();
        compare.modifiers = modifiers.as_slice().into();
    }
    made
}

/// One or both of two conditions, where no comparison takes the other in.
fn combined(to: Predicate, first: Literal, second: Literal, either: bool) -> Instruction {
    let table = if either { 0xfc } else { 0xc0 };
    let operands = [
        Operand::predicate(to),
        Operand::TRUE,
        first.operand(),
        second.operand(),
        Operand::TRUE,
        Operand::Immediate(table),
        Operand::Immediate(0),
    ];
    Instruction::new(Opcode::Plop3, [Modifier::Lut], operands)
}

//! What an instruction under a guard writes only for some lanes it also reads, where the others keep a copy of it: then the
//! copy and its source need not live side by side, and one register is enough for both.

use crate::code::{self, Code, map_registers};
use rustc_hash::FxHashMap;
use warplab_program::{Instruction, Operand, Register, Resource, Role};

/// How many copies are known at a time: the time grows with their number.
const MOST_COPIES: usize = 64;

/// How many instructions back the making of a copied value is looked for.
const FARTHEST: usize = 64;

/// Lets guarded instructions read their own result where it is a copy of what they read.
pub(crate) fn reread(code: &mut Code) {
    for block in &mut code.blocks {
        // What each register is a copy of at present.
        let mut copies: FxHashMap<Register, Register> = FxHashMap::default();
        for instruction in &mut block.instructions {
            let to = instruction.operands.first().and_then(Operand::as_register);
            let of = to.and_then(|to| Some((to, *copies.get(&to)?)));
            if let (Some((to, from)), false) = (of, instruction.guard.is_always())
                && writes_one(instruction, to)
            {
                map_registers(instruction, |it| if it == from { to } else { it }, |it| it, |it| it);
            }
            let written: Vec<Register> = written(instruction).collect();
            copies.retain(|to, from| !written.contains(to) && !written.contains(from));
            if copies.len() >= MOST_COPIES {
                copies.clear();
            }
            if let Some((to, from)) = copied(instruction) {
                copies.insert(to, from);
            }
        }
    }
}

/// Makes one register of a value and its copy, where the value is not needed after it is copied, and the copy not before.
pub(crate) fn merge(code: &mut Code) {
    let counts = code.definition_counts();
    let mut reads: FxHashMap<Register, u32> = FxHashMap::default();
    for instruction in code.instructions() {
        read(instruction).for_each(|it| *reads.entry(it).or_insert(0) += 1);
    }
    for block in 0..code.blocks.len() {
        let mut at = 0;
        while at < code.blocks[block].instructions.len() {
            let instructions = &code.blocks[block].instructions;
            let found = copied(&instructions[at]).filter(|&(to, from)| {
                code.group(to) == (to, 1)
                    && code.group(from) == (from, 1)
                    && counts.is_single(Resource::Registers(from, 1))
            });
            let start = found.and_then(|it| start_of_copied(&instructions[..at], it, &reads));
            if let (Some((to, from)), Some(start)) = (found, start) {
                for instruction in &mut code.blocks[block].instructions[start..at] {
                    map_registers(instruction, |it| if it == from { to } else { it }, |it| it, |it| it);
                }
                code.blocks[block].instructions.remove(at);
            } else {
                at += 1;
            }
        }
    }
}

/// Where a value that is copied next is made, if all that reads it stands between and nothing there knows the copy.
fn start_of_copied(
    before: &[Instruction],
    (to, from): (Register, Register),
    reads: &FxHashMap<Register, u32>,
) -> Option<usize> {
    let mut open = reads.get(&from)?.checked_sub(1)?;
    for (at, instruction) in before.iter().enumerate().rev() {
        if before.len() - at > FARTHEST {
            return None;
        }
        let knows = read(instruction).chain(written(instruction)).any(|it| it == to);
        if written(instruction).any(|it| it == from) {
            let is_whole = instruction.guard.is_always() && !read(instruction).any(|it| it == from);
            return (open == 0 && is_whole && !written(instruction).any(|it| it == to)).then_some(at);
        }
        if knows {
            return None;
        }
        open = open.checked_sub(code::number(read(instruction).filter(|&it| it == from).count()))?;
    }
    None
}

/// Whether an instruction reads and writes single registers only, and writes this one.
fn writes_one(instruction: &Instruction, register: Register) -> bool {
    let accesses = instruction.accesses();
    let single =
        accesses.iter().all(|it| !matches!(it.resource, Resource::Registers(_, count) if count != 1));
    single
        && accesses.iter().any(|it| it.role == Role::Write && it.resource == Resource::Registers(register, 1))
}

fn written(instruction: &Instruction) -> impl Iterator<Item = Register> + use<> {
    registers(instruction, Role::Write)
}

fn read(instruction: &Instruction) -> impl Iterator<Item = Register> + use<> {
    registers(instruction, Role::Read)
}

fn registers(instruction: &Instruction, role: Role) -> impl Iterator<Item = Register> + use<> {
    let accesses = instruction.accesses();
    let touched: Vec<Resource> = accesses.iter().filter(|it| it.role == role).map(|it| it.resource).collect();
    touched.into_iter().flat_map(|resource| match resource {
        Resource::Registers(first, count) => (0..count).map(|it| first.offset(it)).collect::<Vec<_>>(),
        _ => Vec::new(),
    })
}

/// The registers of a plain move for all lanes.
fn copied(instruction: &Instruction) -> Option<(Register, Register)> {
    let (to, from) = code::copied(instruction)?;
    (instruction.guard.is_always() && to.is_virtual() && from.is_virtual() && to != from)
        .then_some((to, from))
}

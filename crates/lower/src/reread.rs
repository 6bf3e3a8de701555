//! What an instruction under a guard writes only for some lanes it also reads, where the others keep a copy of it: then the
//! copy and its source need not live side by side, and one register is enough for both.

use crate::code::{Code, map_registers};
use rustc_hash::FxHashMap;
use warplab_program::{Instruction, Opcode, Operand, Register, Resource, Role, Selector, SourceModifier};

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
            if let Some((to, from)) = copied(instruction) {
                copies.insert(to, from);
            }
        }
    }
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
    let accesses = instruction.accesses();
    let writes: Vec<Resource> =
        accesses.iter().filter(|it| it.role == Role::Write).map(|it| it.resource).collect();
    writes.into_iter().flat_map(|resource| match resource {
        Resource::Registers(first, count) => (0..count).map(|it| first.offset(it)).collect::<Vec<_>>(),
        _ => Vec::new(),
    })
}

/// The registers of a plain move for all lanes.
fn copied(instruction: &Instruction) -> Option<(Register, Register)> {
    let &[
        to,
        Operand::Register {
            register: from, modifier: SourceModifier::NONE, selector: Selector::Whole, ..
        },
    ] = instruction.operands.as_slice()
    else {
        return None;
    };
    let to = to.as_register()?;
    let is_move = instruction.opcode == Opcode::Mov && instruction.guard.is_always();
    (is_move && to.is_virtual() && from.is_virtual() && to != from).then_some((to, from))
}

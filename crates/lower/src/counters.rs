//! Loop counters that all lanes of a warp share go to uniform registers, as ptxas has them: those that begin with a constant, go by a
//! constant and are only compared, with what is in a register. Such a loop waits for its counter longer, and the lanes have a register
//! more.

use crate::code::Code;
use crate::divergence::divergence;
use crate::graph::Graph;
use crate::legal;
use crate::reconverge;
use rustc_hash::FxHashMap;
use warplab_program::{
    Instruction, Modifier, Opcode, Operand, Register, Resource, Role, Selector, SourceModifier,
    UniformRegister,
};

/// Counters that are moved at most: uniform registers are never spilled.
const MOST: usize = 8;

/// Branches of a loop that lanes meet behind: there are 16 barrier registers.
const MOST_MEETINGS: usize = 8;

/// What is known of a register that may be a counter.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    starts: bool,
    steps: bool,
    compared: bool,
    /// Something else is done with it.
    other: bool,
}

/// Moves the counters.
pub(crate) fn counters(code: &mut Code) {
    let parted = parted(code, &Graph::new(code));
    let mut seen: FxHashMap<Register, Seen> = FxHashMap::default();
    for (block, parted) in code.blocks.iter().zip(&parted) {
        for instruction in &block.instructions {
            look_at(instruction, *parted, &mut seen);
        }
    }
    let is_counter = |it: &Seen| it.starts && it.steps && it.compared && !it.other;
    let mut found: Vec<Register> =
        seen.into_iter().filter(|(_, seen)| is_counter(seen)).map(|(register, _)| register).collect();
    found.sort_unstable();
    found.truncate(MOST);
    let names: FxHashMap<Register, UniformRegister> =
        found.into_iter().map(|register| (register, code.uniform(1))).collect();
    for instruction in code.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        rename(instruction, &names);
    }
}

/// For every block whether the lanes of a warp may execute it one after another, or not equally often.
pub(crate) fn parted(code: &Code, graph: &Graph) -> Vec<bool> {
    // Lanes that have waited for others, or let them go first, do not meet behind the loop.
    if code.yields() || reconverge::waiting_loops(code, graph).contains(&true) {
        return vec![true; code.blocks.len()];
    }
    let divergence = divergence(code, graph);
    let mut parted = divergence.split;
    for it in 0..graph.loops.len() {
        let inside: Vec<usize> = (0..code.blocks.len()).filter(|&block| graph.in_loop(it, block)).collect();
        let branches: Vec<usize> =
            inside.iter().copied().filter(|&block| divergence.branches[block]).collect();
        if branches.is_empty() {
            continue;
        }
        // Where a branch parts the lanes and they do not meet again in the same turn, some may be a turn ahead.
        let meet = graph.post_dominators_in(it);
        let leaves = |block: usize| graph.successors[block].iter().any(|&next| !graph.in_loop(it, next));
        if branches.len() > MOST_MEETINGS || branches.iter().any(|&it| meet[it].is_none() || leaves(it)) {
            inside.into_iter().for_each(|block| parted[block] = true);
        }
    }
    parted
}

/// Notes what an instruction does with registers; `parted`: lanes may execute it one after another.
fn look_at(instruction: &Instruction, parted: bool, seen: &mut FxHashMap<Register, Seen>) {
    let shared = !parted && instruction.guard.is_always();
    let own = instruction.operands.first().and_then(Operand::as_register).filter(|it| it.is_virtual());
    let (starts, steps) = (shared && is_start(instruction), shared && is_step(instruction));
    for access in instruction.accesses() {
        let Resource::Registers(first, count) = access.resource else { continue };
        for register in (0..count).map(|it| first.offset(it)).filter(|it| it.is_virtual()) {
            let entry = seen.entry(register).or_default();
            match access.role {
                Role::Write if own == Some(register) && (starts || steps) => {
                    entry.starts |= starts;
                    entry.steps |= steps;
                }
                Role::Read if own == Some(register) && steps => {}
                Role::Read if is_comparison(instruction, register) => entry.compared = true,
                _ => entry.other = true,
            }
        }
    }
}

/// Whether it sets a register to a constant.
fn is_start(instruction: &Instruction) -> bool {
    instruction.opcode == Opcode::Mov
        && matches!(instruction.operands[..], [_, Operand::ZERO | Operand::Immediate(_)])
}

/// Whether it adds a constant to a register.
fn is_step(instruction: &Instruction) -> bool {
    instruction.opcode == Opcode::Iadd3
        && instruction.modifiers.as_slice().is_empty()
        && matches!(instruction.operands[..], [to, from, Operand::Immediate(_), Operand::ZERO] if to == from)
}

/// Whether it compares a register with another one.
fn is_comparison(instruction: &Instruction, register: Register) -> bool {
    let plain = |operand: &Operand| {
        matches!(operand, Operand::Register { modifier: SourceModifier::NONE, selector: Selector::Whole, .. })
            && *operand != Operand::ZERO
    };
    let sources: Vec<&Operand> = instruction.operands.iter().filter(|it| plain(it)).collect();
    let own = sources.iter().filter(|it| it.as_register() == Some(register)).count();
    instruction.opcode == Opcode::Isetp && !instruction.has(Modifier::Ex) && sources.len() == 2 && own == 1
}

/// Has an instruction use the uniform register in the place of a counter.
fn rename(instruction: &mut Instruction, names: &FxHashMap<Register, UniformRegister>) {
    let mut renamed = false;
    for operand in &mut instruction.operands {
        if let Some(&name) = operand.as_register().and_then(|register| names.get(&register)) {
            *operand = Operand::uniform(name);
            renamed = true;
        }
    }
    if !renamed {
        return;
    }
    let opcode = match instruction.opcode {
        Opcode::Mov => Opcode::Umov,
        Opcode::Iadd3 => Opcode::Uiadd3,
        _ => {
            legal::make_legal_by_swapping(instruction);
            return;
        }
    };
    instruction.opcode = opcode;
    for operand in instruction.operands.iter_mut().filter(|it| **it == Operand::ZERO) {
        *operand = Operand::uniform(UniformRegister::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::counters;
    use crate::code::{Block, Code};
    use warplab_program::listing::read_instruction;
    use warplab_program::{Guard, Instruction, Operand, Predicate, Register};

    /// A loop with a counter in the first virtual register, which is put in the place of R2.
    fn loop_with(body: &[&str]) -> Vec<String> {
        let read = |text: &&str| -> Instruction {
            let mut it = read_instruction(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
            for operand in &mut it.operands {
                match operand {
                    Operand::Register { register, .. } if *register != Register::ZERO => {
                        *register = Register(Register::FIRST_VIRTUAL + register.0);
                    }
                    Operand::Predicate { predicate, .. } if *predicate != Predicate::TRUE => {
                        *predicate = Predicate(Predicate::FIRST_VIRTUAL + predicate.0);
                    }
                    Operand::Address(address) => {
                        address.base = address.base.map(|it| Register(Register::FIRST_VIRTUAL + it.0));
                    }
                    _ => {}
                }
            }
            if let Guard::Predicate { predicate, .. } = &mut it.guard
                && *predicate != Predicate::TRUE
            {
                *predicate = Predicate(Predicate::FIRST_VIRTUAL + predicate.0);
            }
            it
        };
        let mut code = Code::default();
        (0..8).for_each(|_| _ = (code.register(1), code.predicate()));
        let block = |instructions: &[&str]| Block {
            instructions: instructions.iter().map(read).collect(),
            ..Block::default()
        };
        code.blocks = vec![block(&["MOV R2, RZ"]), block(body), block(&["EXIT"])];
        counters(&mut code);
        code.instructions().map(|it| format!("{:?}", it.opcode)).collect()
    }

    #[test]
    fn a_counter_that_is_compared_with_a_register_is_uniform() {
        let body = ["IADD3 R2, R2, 0x1, RZ", "ISETP.LT.AND P0, PT, R2, R3, PT"];
        assert_eq!(loop_with(&body), ["Umov", "Uiadd3", "Isetp", "Exit"]);
    }

    #[test]
    fn a_counter_of_a_loop_whose_lanes_part_or_wait_for_others_is_not() {
        let parts = [
            "IADD3 R2, R2, 0x1, RZ",
            "LDL R4, [R3]",
            "ISETP.LT.AND P0, PT, R2, R3, PT",
            "ISETP.LT.AND P0, PT, R4, 0x1, PT",
            "@P0 BRA 0x10",
        ];
        assert_eq!(loop_with(&parts), ["Mov", "Iadd3", "Ldl", "Isetp", "Isetp", "Bra", "Exit"]);
        let waits = [
            "IADD3 R2, R2, 0x1, RZ",
            "ATOMS.EXCH R4, [R3], R5",
            "ISETP.LT.AND P0, PT, R2, R3, PT",
            "@P0 BRA 0x10",
        ];
        assert_eq!(loop_with(&waits), ["Mov", "Iadd3", "Atoms", "Isetp", "Bra", "Exit"]);
    }

    #[test]
    fn a_counter_that_is_compared_with_a_constant_or_read_elsewhere_is_not() {
        let with_constant = ["IADD3 R2, R2, 0x1, RZ", "ISETP.LT.AND P0, PT, R2, 0x10, PT"];
        assert_eq!(loop_with(&with_constant), ["Mov", "Iadd3", "Isetp", "Exit"]);
        let read = ["IADD3 R2, R2, 0x1, RZ", "ISETP.LT.AND P0, PT, R2, R3, PT", "I2FP.F32.U32 R4, R2"];
        assert_eq!(loop_with(&read), ["Mov", "Iadd3", "Isetp", "I2fp", "Exit"]);
    }
}

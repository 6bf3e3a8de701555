//! Short branches become guarded instructions.

use crate::code::{Block, Code, branch_target, has_effect};
use crate::select::invert;
use warplab_program::{Guard, Instruction, Opcode, Operand, Predicate, Resource, Role};

/// Turns `if` and `if`-`else` with sides of at most `longest` instructions into guarded instructions, from the inside
/// out.
pub(crate) fn predicate(code: &mut Code, longest: usize) {
    tidy(code);
    guard_exits(code);
    while sweep(code, longest) {
        tidy(code);
        guard_exits(code);
    }
}

/// A branch to a block that only ends the thread ends the thread itself.
fn guard_exits(code: &mut Code) {
    let only_exit: Vec<bool> = code
        .blocks
        .iter()
        .map(|block| matches!(block.instructions.as_slice(), [one] if one.opcode == Opcode::Exit && one.guard.is_always()))
        .collect();
    for block in &mut code.blocks {
        let Some(last) = block.instructions.last_mut() else { continue };
        if let Some(target) = branch_target(last)
            && only_exit[target]
        {
            let mut exit = Instruction::new(Opcode::Exit, [], []);
            exit.guard = last.guard;
            exit.origin = last.origin;
            *last = exit;
        }
    }
}

/// One way through the blocks; says whether anything was turned. What is turned is one block afterwards, so that an `if`
/// around it may be next.
fn sweep(code: &mut Code, longest: usize) -> bool {
    let predecessors = code.predecessors();
    let mut turned = false;
    for block in 0..code.blocks.len() {
        let Some(last) = code.blocks[block].instructions.last() else { continue };
        let (guard, Some(target)) = (last.guard, branch_target(last)) else { continue };
        let Guard::Predicate { predicate, .. } = guard else { continue };
        if guard.is_always() || predicate.is_fixed() || target <= block {
            continue;
        }
        let side = block + 1;
        if side >= code.blocks.len() || target == side || predecessors[side] != [block] {
            continue;
        }
        // block -> side -> target.
        let ends = code.blocks[side].instructions.last().and_then(branch_target);
        if side + 1 == target && ends.is_none() && fits(&code.blocks[side], predicate, longest) {
            if leaves(&code.blocks[side]) {
                continue;
            }
            pull_up(code, block, side, invert(guard));
            turned = true;
            continue;
        }
        // block -> side -> join, block -> target -> join.
        if let (Some(join), true) = (ends, side + 1 == target)
            && predecessors[target] == [block]
            && target + 1 == join
            && !leaves(&code.blocks[target])
            && code.blocks[target].instructions.last().and_then(branch_target).is_none()
            && code.blocks[side].instructions.last().is_some_and(|it| it.guard.is_always())
            && fits_before(&code.blocks[side], predicate, longest)
            && fits(&code.blocks[target], predicate, longest)
        {
            code.blocks[side].instructions.pop();
            pull_up(code, block, side, invert(guard));
            pull_up(code, block, target, guard);
            turned = true;
        }
    }
    turned
}

fn leaves(block: &Block) -> bool {
    block.instructions.last().is_some_and(|last| !last.falls_through())
}

fn fits(block: &Block, predicate: Predicate, longest: usize) -> bool {
    side_fits(&block.instructions, predicate, longest)
}

fn fits_before(block: &Block, predicate: Predicate, longest: usize) -> bool {
    let Some((_, body)) = block.instructions.split_last() else { return false };
    side_fits(body, predicate, longest)
}

fn side_fits(body: &[Instruction], predicate: Predicate, longest: usize) -> bool {
    let real = body.iter().filter(|instruction| instruction.opcode != Opcode::Mov).count();
    let moves = body.len() - real;
    real + moves / 2 <= longest && body.iter().all(|instruction| may_be_guarded(instruction, predicate))
}

fn may_be_guarded(instruction: &Instruction, predicate: Predicate) -> bool {
    use Opcode::*;
    if !instruction.guard.is_always() {
        return false;
    }
    let effect = has_effect(instruction);
    let allowed = matches!(
        instruction.opcode,
        Stg | St | Stl | Sts | Redg | Red | Atoms | Atomg | Atom | Ldg | Lds | Ld | Ldl
    );
    if effect && !allowed {
        return false;
    }
    !instruction
        .accesses()
        .iter()
        .any(|access| access.role == Role::Write && access.resource == Resource::Predicate(predicate))
}

/// Moves the instructions of a side before the branch, under a guard; the branch goes when no side is left.
fn pull_up(code: &mut Code, block: usize, side: usize, guard: Guard) {
    let body = std::mem::take(&mut code.blocks[side].instructions);
    let instructions = &mut code.blocks[block].instructions;
    if instructions.last().is_some_and(|last| branch_target(last).is_some()) {
        instructions.pop();
    }
    for mut instruction in body {
        instruction.guard = guard;
        // A uniform result cannot be guarded lane by lane: all lanes compute it.
        let uniform =
            instruction.operands.first().is_some_and(|operand| matches!(operand, Operand::Uniform { .. }));
        if uniform {
            instruction.guard = Guard::ALWAYS;
        }
        if instruction.origin.note.is_empty() {
            instruction.origin.note = "guarded instead of branched over";
        }
        instructions.push(instruction);
    }
}

/// Removes blocks that nothing reaches, branches to the next block, and joins blocks that follow only one another.
pub(crate) fn tidy(code: &mut Code) {
    loop {
        let before: usize = code.blocks.len() + code.instructions().count();
        remove_unreachable(code);
        remove_needless_branches(code);
        join_blocks(code);
        if code.blocks.len() + code.instructions().count() == before {
            return;
        }
    }
}

fn remove_unreachable(code: &mut Code) {
    let mut reached = vec![false; code.blocks.len()];
    let mut pending = vec![0];
    while let Some(block) = pending.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            pending.extend(code.successors(block));
        }
    }
    keep(code, |block| reached[block]);
}

/// Keeps some blocks; branches to a removed one go to the next that is kept.
fn keep(code: &mut Code, kept: impl Fn(usize) -> bool) {
    let mut map = Vec::with_capacity(code.blocks.len());
    let mut count = 0;
    for block in 0..code.blocks.len() {
        map.push(count);
        count += usize::from(kept(block));
    }
    let mut index = 0;
    code.blocks.retain(|_| {
        index += 1;
        kept(index - 1)
    });
    code.retarget(|target| map.get(target).copied().unwrap_or(target));
}

fn remove_needless_branches(code: &mut Code) {
    let count = code.blocks.len();
    // Branches to a block that only branches on go there directly.
    let onward: Vec<Option<usize>> = code
        .blocks
        .iter()
        .map(|block| match block.instructions.as_slice() {
            [one] if one.guard.is_always() => branch_target(one),
            _ => None,
        })
        .collect();
    code.retarget(|target| {
        let mut target = target;
        for _ in 0..8 {
            match onward.get(target).copied().flatten() {
                Some(next) if next != target => target = next,
                _ => break,
            }
        }
        target
    });
    // An empty block in front of its successor is that successor.
    let mut next_full = vec![count; count + 1];
    for index in (0..count).rev() {
        let empty = code.blocks[index].instructions.is_empty();
        next_full[index] = if empty { next_full[index + 1] } else { index };
    }
    let predecessors = code.predecessors();
    for index in 0..count {
        let Some(target) = code.blocks[index].instructions.last().and_then(branch_target) else { continue };
        if target > index && next_full[index + 1] >= target {
            code.blocks[index].instructions.pop();
            continue;
        }
        // `@P bra A; bra B; A:` is `@!P bra B`.
        let second = index + 1;
        if let [one] = code.blocks.get(second).map_or(&[][..], |block| block.instructions.as_slice())
            && let Some(other) = branch_target(one)
            && one.guard.is_always()
            && second + 1 == target
            && predecessors[second] == [index]
        {
            let last = code.blocks[index].instructions.len() - 1;
            let branch = &mut code.blocks[index].instructions[last];
            if !branch.guard.is_always() {
                branch.guard = invert(branch.guard);
                for operand in &mut branch.operands {
                    if let Operand::Target(target) = operand {
                        *target = crate::code::number(other);
                    }
                }
                code.blocks[second].instructions.clear();
            }
        }
    }
}

fn join_blocks(code: &mut Code) {
    let predecessors = code.predecessors();
    let targeted: Vec<bool> = {
        let mut targeted = vec![false; code.blocks.len()];
        for instruction in code.instructions() {
            if let Some(target) = instruction.target() {
                targeted[target as usize] = true;
            }
        }
        targeted
    };
    let mut gone = vec![false; code.blocks.len()];
    for block in (1..code.blocks.len()).rev() {
        if targeted[block] || predecessors[block] != [block - 1] {
            continue;
        }
        let before = code.blocks[block - 1].instructions.last();
        if before.is_some_and(crate::code::ends_block) {
            continue;
        }
        let body = std::mem::take(&mut code.blocks[block]);
        let previous = &mut code.blocks[block - 1];
        previous.instructions.extend(body.instructions);
        previous.uniform_branch = body.uniform_branch;
        gone[block] = true;
    }
    keep(code, |block| !gone[block]);
}

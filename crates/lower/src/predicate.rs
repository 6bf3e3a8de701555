//! Short branches become guarded instructions.

mod either;
mod sides;

use crate::code::{Block, Code, branch_target};
use crate::select::invert;
use either::either;
use sides::Sides;
use warplab_program::{Guard, Instruction, Opcode, Operand};

/// Turns `if` and `if`-`else` with short sides into guarded instructions, from the inside out. `longest`: instructions of
/// most sides.
pub(crate) fn predicate(code: &mut Code, longest: usize) {
    tidy(code);
    guard_exits(code);
    while either(code) {
        tidy(code);
    }
    while sweep(code, longest) {
        tidy(code);
        guard_exits(code);
    }
}

/// A branch to a block that only ends the thread ends the thread itself.
pub(crate) fn guard_exits(code: &mut Code) {
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
    let sides = Sides::new(code, longest);
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
        if side + 1 == target && ends.is_none() && sides.fit(code, block, [side], predicate) == [true] {
            let others = || predecessors[target].iter().filter(|&&it| it != block && it != side);
            if leaves(&code.blocks[side]) || !others().all(|&it| sides.dominates(it, block)) {
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
        {
            turned |= turn_sides(code, block, join, sides.fit(code, block, [side, target], predicate));
        }
    }
    turned
}

/// Pulls up the sides that fit of a block that leads to two; says whether there were any.
fn turn_sides(code: &mut Code, block: usize, join: usize, fits: [bool; 2]) -> bool {
    let (side, target) = (block + 1, block + 2);
    let Some(mut branch) = code.blocks[block].instructions.last().cloned() else { return false };
    let guard = branch.guard;
    if fits[0] {
        code.blocks[side].instructions.pop();
        pull_up(code, block, side, invert(guard));
    }
    if fits[1] {
        pull_up(code, block, target, guard);
    }
    // Where one remains, the others pass over it.
    if fits[0] != fits[1] {
        branch.guard = if fits[0] { invert(guard) } else { guard };
        for operand in &mut branch.operands {
            if let Operand::Target(target) = operand {
                *target = crate::code::number(join);
            }
        }
        code.blocks[block].instructions.push(branch);
    }
    fits[0] || fits[1]
}

fn leaves(block: &Block) -> bool {
    block.instructions.last().is_some_and(|last| !last.falls_through())
}

/// Moves the instructions of a side before the branch, under a guard; the branch goes when no side is left.
fn pull_up(code: &mut Code, block: usize, side: usize, guard: Guard) {
    let body = std::mem::take(&mut code.blocks[side].instructions);
    let written = std::mem::take(&mut code.blocks[side].written);
    code.blocks[block].written += written;
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
        previous.written += body.written;
        gone[block] = true;
    }
    keep(code, |block| !gone[block]);
}

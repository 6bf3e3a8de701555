//! Loops at whose head lanes let others go first (`YIELD`), as ptxas has them: those of which what others do decides when they end, and
//! those with atomic operations behind which a subroutine is called; none in which lanes sleep. Lanes that others have left there do not
//! wait for one another.

use super::waiting::{Turn, closure, units};
use crate::code::{Code, is_ordered_load, is_together};
use crate::divergence::divergence;
use crate::graph::Graph;
use rustc_hash::FxHashSet;
use warplab_program::{Instruction, Modifier, Opcode, Resource, Role};

/// Marks such loops, as they are written.
pub(crate) fn mark(code: &mut Code) {
    let graph = Graph::new(code);
    let asks = |block: usize| code.blocks[block].instructions.iter().any(asks_others);
    // What PTX has not written is a sequence of the compiler's own, which belongs to what is around it.
    let is_written = |it: usize| code.blocks[graph.loops[it].header].written > 0;
    let around = |it: usize| graph.loops[it].around;
    let loop_of = |block: usize| {
        std::iter::successors(graph.loop_of[block], |&it| around(it)).find(|&it| is_written(it))
    };
    let mut asking = vec![false; graph.loops.len()];
    for it in (0..code.blocks.len()).filter(|&block| asks(block)).filter_map(loop_of) {
        asking[it] = true;
    }
    if !asking.contains(&true) {
        return;
    }
    let divergence = divergence(code, &graph);
    let mut yielding = Vec::new();
    for it in (0..graph.loops.len()).filter(|&it| asking[it]) {
        let turn = Turn::new(code, &graph, it);
        if turn.instructions.iter().any(|it| it.opcode == Opcode::Nanosleep) {
            continue;
        }
        let leaves = |block: usize| graph.successors[block].iter().any(|&next| !turn.contains(next));
        let parts = || turn.blocks.iter().any(|&block| divergence.branches[block] && leaves(block));
        let varies = |unit: &Resource| !divergence.is_uniform(*unit);
        if is_answered(code, &graph, &turn, varies) || parts() && calls_later(code, &graph, &turn) {
            yielding.push(graph.loops[it].header);
        }
    }
    for block in yielding {
        code.blocks[block].yields = true;
    }
}

/// Puts a `YIELD` at the head of the loops that have been marked.
pub(super) fn insert(code: &mut Code) {
    if !code.yields() {
        return;
    }
    let graph = Graph::new(code);
    let heads: Vec<usize> =
        graph.loops.iter().map(|it| it.header).filter(|&it| code.blocks[it].yields).collect();
    for &block in &heads {
        let instructions = &mut code.blocks[block].instructions;
        let origin = instructions.first().map(|it| it.origin).unwrap_or_default();
        instructions.insert(0, Instruction::new(Opcode::Yield, [], []).with_origin(origin));
    }
    gather(code, &graph, heads);
}

/// Has all lanes of a warp wait for one another behind a `YIELD`, before they do the first thing that they do together.
fn gather(code: &mut Code, graph: &Graph, mut pending: Vec<usize>) {
    let mut seen = vec![false; code.blocks.len()];
    while let Some(block) = pending.pop() {
        if std::mem::replace(&mut seen[block], true) {
            continue;
        }
        let instructions = &mut code.blocks[block].instructions;
        let meets = |it: &Instruction| it.opcode == Opcode::Warpsync && it.has(Modifier::All);
        match instructions.iter().position(|it| meets(it) || is_together(it)) {
            Some(at) if meets(&instructions[at]) => {}
            Some(at) => {
                let wait = Instruction::new(Opcode::Warpsync, [Modifier::All], []);
                instructions.insert(at, wait.with_origin(instructions[at].origin));
            }
            None => pending.extend(&graph.successors[block]),
        }
    }
}

/// Whether an instruction changes, or looks at, what other lanes change.
fn asks_others(instruction: &Instruction) -> bool {
    match instruction.opcode {
        Opcode::Atom | Opcode::Atomg | Opcode::Atoms | Opcode::Red | Opcode::Redg => true,
        Opcode::Ldg | Opcode::Ld | Opcode::Lds => is_ordered_load(instruction),
        Opcode::Syncs => instruction.has(Modifier::Phasechk),
        _ => false,
    }
}

/// Whether a loop ends when others have done something, which not all lanes find at once; of one that is left for several places,
/// whether the end of its turns asks for it.
fn is_answered(code: &Code, graph: &Graph, turn: &Turn<'_>, varies: impl Fn(&Resource) -> bool) -> bool {
    let answers = turn.instructions.iter().filter(|it| asks_others(it)).flat_map(|it| units(it, Role::Write));
    // What all lanes have from one, they have together.
    let is_from_one =
        |it: &Instruction| it.opcode == Opcode::Shfl && !units(it, Role::Write).any(|unit| varies(&unit));
    let mut instructions = turn.instructions.clone();
    instructions.retain(|it| !is_from_one(it));
    let found = closure(&instructions, answers.filter(&varies).collect(), [Role::Read, Role::Write]);
    let decides = |&block: &usize| {
        let last = code.blocks[block].instructions.last();
        last.is_some_and(|it| units(it, Role::Read).any(|unit| found.contains(&unit)))
    };
    let out = |&block: &usize| graph.successors[block].iter().copied().filter(|&next| !turn.contains(next));
    let (asking, others): (Vec<usize>, Vec<usize>) = turn.blocks.iter().partition(|block| decides(block));
    let places = |blocks: &[usize]| blocks.iter().flat_map(out).collect::<FxHashSet<usize>>().len();
    if places(&asking) == 1 && places(&others) <= 1 {
        return true;
    }
    let ends = |block: &usize| decides(block) && out(block).next().is_some();
    turn.latches().any(|latch| match graph.successors[latch].len() {
        1 => graph.predecessors[latch].iter().any(ends),
        _ => ends(&latch),
    })
}

/// Whether a subroutine is called in a loop or behind it, before a loop around it begins anew.
fn calls_later(code: &Code, graph: &Graph, turn: &Turn<'_>) -> bool {
    let calls = |block: usize| {
        let it = &code.blocks[block];
        // What is off the usual path of a division or root, ptxas calls, too.
        it.cold || it.subroutine || it.instructions.iter().any(|it| it.opcode == Opcode::Call)
    };
    let mut seen = vec![false; code.blocks.len()];
    let mut pending = turn.blocks.clone();
    while let Some(block) = pending.pop() {
        if std::mem::replace(&mut seen[block], true) {
            continue;
        }
        if calls(block) {
            return true;
        }
        pending.extend(graph.successors[block].iter().filter(|&&next| !graph.dominates(next, block)));
    }
    false
}

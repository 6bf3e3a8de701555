//! Convergence barriers: threads that a branch has split wait for one another where its ways meet.
//!
//! `BSSY` stands before the branch, or before the loop that the branch leaves; `BSYNC` in a block of its own before the
//! post-dominator, on the edges that come from the split region only.

use crate::code::{Block, Code, branch_target, is_ordered_load};
use crate::divergence::divergent_branches;
use crate::graph::Graph;
use warplab_program::{BarrierRegister, Instruction, Modifier, Opcode, Operand, Register, Resource, Role};

/// Where threads are gathered, and where they wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Site {
    /// The block at whose end, before its branch, the barrier is set.
    set: usize,
    /// The block before which the threads meet.
    meet: usize,
}

/// Inserts the barriers.
pub(crate) fn reconverge(code: &mut Code) {
    split_preheaders(code);
    let sites = sites(code);
    let numbers = number(code, &sites);
    // Blocks are added in front of meeting points; work from the end so that earlier numbers stay.
    let mut order: Vec<usize> = (0..sites.len()).filter(|&index| numbers[index].is_some()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse((sites[index].meet, sites[index].set)));
    let mut work: Vec<(Site, BarrierRegister)> =
        order.into_iter().filter_map(|index| numbers[index].map(|number| (sites[index], number))).collect();
    while !work.is_empty() {
        let (site, barrier) = work.remove(0);
        insert(code, site, barrier, &mut work);
    }
}

/// Gives every loop a block of its own in front, if a branch that may diverge leaves it.
fn split_preheaders(code: &mut Code) {
    let graph = Graph::new(code);
    let divergent = divergent_branches(code, &graph);
    let mut headers: Vec<usize> = Vec::new();
    for (header, blocks) in &graph.loops {
        let leaves = blocks.iter().any(|&block| {
            divergent[block] && graph.successors[block].iter().any(|next| blocks.binary_search(next).is_err())
        });
        if leaves {
            headers.push(*header);
        }
    }
    headers.sort_unstable();
    for &header in headers.iter().rev() {
        let graph = Graph::new(code);
        let latches: Vec<usize> = graph.predecessors[header]
            .iter()
            .copied()
            .filter(|&block| graph.dominates(header, block))
            .collect();
        let outside: Vec<usize> =
            graph.predecessors[header].iter().copied().filter(|block| !latches.contains(block)).collect();
        // A block that only goes to the header serves as it is.
        if let [one] = outside[..]
            && graph.successors[one] == [header]
        {
            continue;
        }
        let falls_in = header > 0 && latches.contains(&(header - 1)) && falls_to_next(code, header - 1);
        let added = code.insert_blocks(&[header])[0];
        let header = added + 1;
        for block in outside {
            let block = if block >= added { block + 1 } else { block };
            redirect(code, block, header, added);
        }
        if falls_in {
            // The latch above falls through: it must branch round the new block.
            let branch = Instruction::new(Opcode::Bra, [], [Operand::Target(header as u32)]);
            code.blocks[added - 1].instructions.push(branch);
        }
    }
}

fn falls_to_next(code: &Code, block: usize) -> bool {
    code.blocks[block].instructions.last().is_none_or(Instruction::falls_through)
}

fn redirect(code: &mut Code, block: usize, from: usize, to: usize) {
    if let Some(last) = code.blocks[block].instructions.last_mut()
        && last.opcode == Opcode::Bra
    {
        for operand in &mut last.operands {
            if *operand == Operand::Target(from as u32) {
                *operand = Operand::Target(to as u32);
            }
        }
    }
}

/// The places for barriers of all branches that may diverge.
fn sites(code: &Code) -> Vec<Site> {
    let graph = Graph::new(code);
    let divergent = divergent_branches(code, &graph);
    let mut sites: Vec<Site> = Vec::new();
    let mut blocks: Vec<usize> = (0..code.blocks.len()).filter(|&block| divergent[block]).collect();
    blocks.retain(|&block| code.blocks[block].instructions.last().and_then(branch_target).is_some());
    for block in blocks {
        let Some(meet) = graph.post_dominator[block] else { continue };
        // Nothing to gain where the kernel ends at once.
        if code.blocks[meet]
            .instructions
            .first()
            .is_some_and(|it| it.opcode == Opcode::Exit && it.guard.is_always())
        {
            continue;
        }
        if leaves_a_waiting_loop(code, &graph, block, meet) {
            continue;
        }
        if let Some(set) = place_of(&graph, block, meet) {
            let site = Site { set, meet };
            if !sites.contains(&site) {
                sites.push(site);
            }
        }
    }
    // A barrier of the same meeting place that stands earlier on every path serves both.
    let redundant: Vec<bool> = sites
        .iter()
        .map(|site| {
            sites
                .iter()
                .any(|other| other != site && other.meet == site.meet && graph.dominates(other.set, site.set))
        })
        .collect();
    let mut index = 0;
    sites.retain(|_| {
        index += 1;
        !redundant[index - 1]
    });
    sites
}

/// Whether a branch leaves a loop in which threads wait for what others do: a lock, a flag. Whoever leaves it must not
/// wait for the rest, which may be waiting for him.
fn leaves_a_waiting_loop(code: &Code, graph: &Graph, branch: usize, meet: usize) -> bool {
    let left = graph
        .loops
        .iter()
        .filter(|(header, blocks)| blocks.binary_search(&branch).is_ok() && !graph.in_loop(*header, meet));
    left.into_iter().any(|(_, blocks)| waits_for_others(code, blocks))
}

/// Whether a loop takes a lock (swaps in a value for a fixed one, or any) or looks at memory that others change.
fn waits_for_others(code: &Code, blocks: &[usize]) -> bool {
    let inside = || blocks.iter().flat_map(|&block| &code.blocks[block].instructions);
    let written = |register: Register| {
        inside().any(|instruction| {
            instruction.accesses().iter().any(|access| {
                access.role == Role::Write
                    && matches!(access.resource, Resource::Registers(first, count)
                        if (first.0..first.0 + count).contains(&register.0))
            })
        })
    };
    inside().any(|instruction| match instruction.opcode {
        Opcode::Atom | Opcode::Atomg | Opcode::Atoms if instruction.has(Modifier::Exch) => true,
        Opcode::Atom | Opcode::Atomg | Opcode::Atoms if instruction.has(Modifier::Cas) => {
            let expected = instruction.operands.len().checked_sub(2).map(|at| instruction.operands[at]);
            expected.and_then(|operand| operand.as_register()).is_some_and(|it| it.is_fixed() || !written(it))
        }
        Opcode::Ldg | Opcode::Ld | Opcode::Lds => is_ordered_load(instruction),
        _ => false,
    })
}

/// Where the barrier of a branch can be set so that whoever sets it comes to the meeting place past its `BSYNC`.
fn place_of(graph: &Graph, branch: usize, meet: usize) -> Option<usize> {
    let mut at = out_of_loops(graph, branch, meet)?;
    loop {
        if enclosed(graph, at, meet) {
            return Some(at);
        }
        let up = graph.dominator[at]?;
        if !graph.post_dominates(meet, up) {
            return None;
        }
        at = out_of_loops(graph, up, meet)?;
    }
}

/// The block, or the one before the outermost loop that holds the block but not the meeting place.
fn out_of_loops(graph: &Graph, block: usize, meet: usize) -> Option<usize> {
    let mut at = block;
    loop {
        let around = graph
            .loops
            .iter()
            .find(|(header, blocks)| blocks.binary_search(&at).is_ok() && !graph.in_loop(*header, meet));
        let Some((header, _)) = around else {
            return Some(at);
        };
        at = graph.dominator[*header]?;
        if graph.successors[at].as_slice() != [*header] {
            return None;
        }
    }
}

/// Whether every way from a block to the meeting place enters it from blocks that the block dominates.
fn enclosed(graph: &Graph, set: usize, meet: usize) -> bool {
    region(graph, set, meet).iter().all(|&block| graph.dominates(set, block))
}

/// The blocks from a barrier's place up to where it is met.
fn region(graph: &Graph, set: usize, meet: usize) -> Vec<usize> {
    let mut seen = vec![set];
    let mut pending: Vec<usize> = graph.successors[set].clone();
    while let Some(block) = pending.pop() {
        if block != meet && !seen.contains(&block) {
            seen.push(block);
            pending.extend(&graph.successors[block]);
        }
    }
    seen
}

/// Barrier registers: two barriers that are in use at the same time get different ones.
fn number(code: &Code, sites: &[Site]) -> Vec<Option<BarrierRegister>> {
    let graph = Graph::new(code);
    let regions: Vec<Vec<usize>> = sites.iter().map(|site| region(&graph, site.set, site.meet)).collect();
    let mut numbers: Vec<Option<BarrierRegister>> = vec![None; sites.len()];
    for index in 0..sites.len() {
        let clashes = |other: usize| {
            regions[index].contains(&sites[other].set)
                || regions[other].contains(&sites[index].set)
                || sites[index].set == sites[other].set
        };
        let used: Vec<u8> = (0..index)
            .filter(|&other| clashes(other))
            .filter_map(|other| numbers[other])
            .map(|it| it.0)
            .collect();
        numbers[index] =
            (0..BarrierRegister::COUNT as u8).find(|number| !used.contains(number)).map(BarrierRegister);
    }
    numbers
}

/// Sets one barrier and makes its threads meet.
fn insert(code: &mut Code, site: Site, barrier: BarrierRegister, rest: &mut [(Site, BarrierRegister)]) {
    let graph = Graph::new(code);
    let inside: Vec<usize> = region(&graph, site.set, site.meet);
    let entering: Vec<usize> =
        graph.predecessors[site.meet].iter().copied().filter(|block| inside.contains(block)).collect();
    let outside: Vec<usize> =
        graph.predecessors[site.meet].iter().copied().filter(|block| !inside.contains(block)).collect();
    let above = site.meet.checked_sub(1).filter(|&block| falls_to_next(code, block));
    let added = code.insert_blocks(&[site.meet])[0];
    let meet = added + 1;
    let moved = |block: usize| if block >= added { block + 1 } else { block };
    for &block in &entering {
        redirect(code, moved(block), meet, added);
    }
    if let Some(above) = above
        && outside.contains(&above)
    {
        // What falls in from outside must not wait here.
        let branch = Instruction::new(Opcode::Bra, [], [Operand::Target(meet as u32)]);
        let ends = code.blocks[above].instructions.last().is_some_and(crate::code::ends_block);
        if ends {
            // It ends in a conditional branch already: the way round gets a block of its own.
            let extra = code.insert_blocks(&[added])[0];
            let branch = Instruction::new(Opcode::Bra, [], [Operand::Target(meet as u32 + 1)]);
            code.blocks[extra].instructions.push(branch);
            return finish(code, site, barrier, rest, added + 1, 2, added);
        }
        code.blocks[above].instructions.push(branch);
    }
    finish(code, site, barrier, rest, added, 1, added);
}

fn finish(
    code: &mut Code,
    site: Site,
    barrier: BarrierRegister,
    rest: &mut [(Site, BarrierRegister)],
    sync: usize,
    count: usize,
    first: usize,
) {
    let moved = |block: usize| if block >= first { block + count } else { block };
    let origin = code.blocks[moved(site.set)].instructions.last().map(|it| it.origin).unwrap_or_default();
    let wait = Instruction::new(Opcode::Bsync, [], [Operand::Barrier(barrier)]).with_origin(origin);
    code.blocks[sync].instructions.push(wait);
    // The target of BSSY is the place behind BSYNC, as a listing shows it.
    let target = Operand::Target(sync as u32 + 1);
    let set = Instruction::new(Opcode::Bssy, [], [Operand::Barrier(barrier), target]).with_origin(origin);
    let block: &mut Block = &mut code.blocks[moved(site.set)];
    let at =
        block.instructions.iter().position(|it| it.opcode == Opcode::Bra).unwrap_or(block.instructions.len());
    block.instructions.insert(at, set);
    for (other, _) in rest {
        other.set = moved(other.set);
        other.meet = moved(other.meet);
    }
}

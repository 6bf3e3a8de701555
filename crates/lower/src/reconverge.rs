//! Convergence barriers: threads that a branch has split wait for one another where its ways meet.
//!
//! `BSSY` stands before the branch, or before the loop that the branch leaves; `BSYNC` in a block of its own before the
//! post-dominator, on the edges that come from the split region only. Where some threads go elsewhere, the others meet all the
//! same: before the iteration of a loop ends that some leave, and where ways of the branch join that some do not take. Who goes
//! elsewhere leaves the barrier first (`BREAK`), as ptxas has it.

mod apart;
mod insert;
mod iterations;
mod waiting;
mod yields;

use crate::code::{Code, branch_target};
use crate::divergence::divergent_branches;
use crate::graph::Graph;
use crate::liveness::Marks;
use insert::Insertion;
use iterations::Iterations;
use rustc_hash::{FxHashMap, FxHashSet};
pub(crate) use waiting::loops as waiting_loops;
use warplab_program::{BarrierRegister, Opcode};
pub(crate) use yields::mark as mark_yields;

/// Where threads are gathered, and where they wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Site {
    /// The block at whose end, before its branch, the barrier is set.
    set: usize,
    /// The block before which the threads meet.
    meet: usize,
    within: Within,
}

/// Which threads that have set a barrier come to where they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Within {
    /// All.
    All,
    /// Those that do not leave this loop.
    Loop(usize),
    /// Those that do not go on to blocks from which no way leads there.
    Ways,
}

/// Inserts the barriers.
pub(crate) fn reconverge(code: &mut Code) {
    join_latches(code);
    split_preheaders(code);
    let apart = apart::split(code);
    yields::insert(code);
    let graph = Graph::new(code);
    let mut sites = sites(code, &graph);
    sites.extend(apart);
    let mut regions = Regions::new(&graph);
    let numbers = number(&sites, &mut regions);
    // From the end of the code upwards: of the barriers that are met at one place, the inner ones first.
    let mut order: Vec<usize> = (0..sites.len()).filter(|&index| numbers[index].is_some()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse((sites[index].meet, sites[index].set)));
    let mut insertion = Insertion::new(code, graph.predecessors.clone());
    for index in order {
        let Some(number) = numbers[index] else { continue };
        regions.mark(sites[index]);
        insertion.barrier(sites[index], number, &regions.inside);
        for (block, exit) in iterations::exits(&graph, &regions) {
            insertion.leave(block, number, exit);
        }
    }
    insertion.finish();
}

/// Gives every loop with a branch that may diverge one block from which it goes round, as ptxas has it: there threads meet that
/// end their iterations in several places.
fn join_latches(code: &mut Code) {
    let graph = Graph::new(code);
    let divergent = divergent_branches(code, &graph);
    let mut parts = vec![false; graph.loops.len()];
    for block in (0..code.blocks.len()).filter(|&block| divergent[block]) {
        let around = std::iter::successors(graph.loop_of[block], |&it| graph.loops[it].around);
        around.for_each(|it| parts[it] = true);
    }
    let mut headers: Vec<usize> =
        graph.loops.iter().zip(parts).filter(|(_, parts)| *parts).map(|(it, _)| it.header).collect();
    headers.sort_unstable();
    let mut insertion = Insertion::new(code, graph.predecessors.clone());
    for &header in headers.iter().rev() {
        let (latches, outside): (Vec<usize>, Vec<usize>) =
            graph.predecessors[header].iter().partition(|&&block| graph.dominates(header, block));
        if latches.len() > 1 {
            insertion.in_front(header, &latches, outside.contains(&header.wrapping_sub(1)));
        }
    }
    insertion.finish();
}

/// Gives every loop a block of its own in front, if a branch that may diverge leaves it.
fn split_preheaders(code: &mut Code) {
    let graph = Graph::new(code);
    let divergent = divergent_branches(code, &graph);
    let mut is_left = vec![false; graph.loops.len()];
    for block in (0..code.blocks.len()).filter(|&block| divergent[block]) {
        for &next in &graph.successors[block] {
            graph.loops_left(block, next).for_each(|it| is_left[it] = true);
        }
    }
    let mut headers: Vec<usize> =
        graph.loops.iter().zip(is_left).filter(|(_, left)| *left).map(|(it, _)| it.header).collect();
    headers.sort_unstable();
    let mut insertion = Insertion::new(code, graph.predecessors.clone());
    for &header in headers.iter().rev() {
        let is_latch = |block: usize| graph.dominates(header, block);
        let outside: Vec<usize> =
            graph.predecessors[header].iter().copied().filter(|&block| !is_latch(block)).collect();
        // A block that only goes to the header serves as it is.
        if let [one] = outside[..]
            && graph.successors[one] == [header]
        {
            continue;
        }
        let latch_above =
            graph.predecessors[header].contains(&header.wrapping_sub(1)) && is_latch(header - 1);
        insertion.in_front(header, &outside, latch_above);
    }
    insertion.finish();
}

/// The places for barriers of all branches that may diverge.
fn sites(code: &Code, graph: &Graph) -> Vec<Site> {
    let divergent = divergent_branches(code, graph);
    let waiting = waiting::loops(code, graph);
    let mut sites: Vec<Site> = Vec::new();
    let mut known: FxHashSet<Site> = FxHashSet::default();
    let mut blocks: Vec<usize> = (0..code.blocks.len()).filter(|&block| divergent[block]).collect();
    blocks.retain(|&block| code.blocks[block].instructions.last().and_then(branch_target).is_some());
    let mut regions = Regions::new(graph);
    let mut iterations = Iterations::new(code, graph);
    let joins = joins(graph);
    let waits_around = |block: usize| {
        std::iter::successors(graph.loop_of[block], |&it| graph.loops[it].around).any(|it| waiting[it])
    };
    for block in blocks {
        for &meet in joins[block].iter().filter(|_| !waits_around(block)) {
            let site = Site { set: block, meet, within: Within::Ways };
            regions.mark(site);
            if iterations::leaves(code, graph, &regions) && known.insert(site) {
                sites.push(site);
            }
        }
        if let Some(site) = iterations.site(&mut regions, block, &waiting)
            && known.insert(site)
        {
            sites.push(site);
        }
        let Some(meet) = graph.post_dominator[block] else { continue };
        // What some reach in a later iteration only is no meeting place of this one.
        if !iterations.passes(block, meet) {
            continue;
        }
        // Nothing to gain where the kernel ends at once.
        if code.blocks[meet]
            .instructions
            .first()
            .is_some_and(|it| it.opcode == Opcode::Exit && it.guard.is_always())
        {
            continue;
        }
        // Whoever leaves a loop in which threads wait for what others do must not wait for the rest, which may be
        // waiting for him.
        if graph.loops_left(block, meet).any(|it| waiting[it]) {
            continue;
        }
        let passes = |block: usize| graph.post_dominates(meet, block);
        if let Some(site) = site_of(graph, &mut regions, block, (meet, Within::All), passes)
            && known.insert(site)
        {
            sites.push(site);
        }
    }
    without_redundant(sites, graph)
}

/// For each block those of its loop where ways from it join that others do not take.
fn joins(graph: &Graph) -> Vec<Vec<usize>> {
    let mut joins = vec![Vec::new(); graph.successors.len()];
    for meet in 0..graph.successors.len() {
        let Some(set) = graph.dominator[meet] else { continue };
        let is_way = |&&block: &&usize| !graph.dominates(meet, block);
        if graph.predecessors[meet].iter().filter(is_way).count() > 1
            && graph.loop_of[set] == graph.loop_of[meet]
            && !graph.post_dominates(meet, set)
        {
            joins[set].push(meet);
        }
    }
    joins
}

/// Leaves out barriers of the same meeting place as another that stands earlier on every path: that serves both.
fn without_redundant(sites: Vec<Site>, graph: &Graph) -> Vec<Site> {
    let range = |index: usize| graph.dominance_range(sites[index].set);
    let mut order: Vec<usize> = (0..sites.len()).collect();
    order.sort_by_key(|&index| (sites[index].meet, range(index).start));
    // What a place dominates comes right behind it.
    let mut served = vec![false; sites.len()];
    let mut outer: Option<usize> = None;
    for index in order {
        let inside = |outer: usize| {
            sites[outer].meet == sites[index].meet && range(outer).contains(&range(index).start)
        };
        match outer {
            Some(outer) if inside(outer) => served[index] = true,
            _ => outer = Some(index),
        }
    }
    sites.iter().zip(served).filter(|(_, served)| !served).map(|(&site, _)| site).collect()
}

/// The barrier of a branch, set so that whoever sets it comes to the meeting place past its `BSYNC`, or leaves the loop. `passes`
/// says of a block whether its threads come there.
fn site_of(
    graph: &Graph,
    regions: &mut Regions<'_>,
    branch: usize,
    (meet, within): (usize, Within),
    passes: impl Fn(usize) -> bool,
) -> Option<Site> {
    let mut set = out_of_loops(graph, branch, meet)?;
    loop {
        let site = Site { set, meet, within };
        if regions.encloses(site) {
            return Some(site);
        }
        let up = graph.dominator[set]?;
        // In front of a loop it would be set once for all iterations.
        if !passes(up) || graph.loops_left(meet, up).next().is_some() {
            return None;
        }
        set = out_of_loops(graph, up, meet)?;
    }
}

/// The block, or the one before the outermost loop that holds the block but not the meeting place.
fn out_of_loops(graph: &Graph, block: usize, meet: usize) -> Option<usize> {
    let mut at = block;
    loop {
        let Some(outermost) = graph.loops_left(at, meet).last() else {
            return Some(at);
        };
        let header = graph.loops[outermost].header;
        at = graph.dominator[header]?;
        if graph.successors[at].as_slice() != [header] {
            return None;
        }
    }
}

/// The blocks from a barrier's place up to where it is met.
struct Regions<'a> {
    graph: &'a Graph,
    /// The blocks of the region last asked for.
    inside: Marks,
    blocks: Vec<usize>,
    /// From where ways lead to the meeting place, where some lead elsewhere.
    coming: Marks,
    site: Option<Site>,
}

impl<'a> Regions<'a> {
    fn new(graph: &'a Graph) -> Regions<'a> {
        let marks = || Marks::new(graph.successors.len());
        Regions { graph, inside: marks(), blocks: Vec::new(), coming: marks(), site: None }
    }

    /// Finds the region of a barrier, as far as its blocks are wanted.
    fn find(&mut self, site: Site, wanted: impl Fn(usize) -> bool) {
        self.site = Some(site);
        if site.within == Within::Ways {
            self.find_coming(site);
        }
        self.inside.clear();
        self.inside.insert(site.set);
        self.blocks.clear();
        self.blocks.push(site.set);
        let mut next = 0;
        while next < self.blocks.len() && wanted(self.blocks[next]) {
            for &block in &self.graph.successors[self.blocks[next]] {
                let stays = match site.within {
                    Within::All => true,
                    Within::Loop(it) => self.graph.in_loop(it, block),
                    Within::Ways => self.coming.contains(block),
                };
                if block != site.meet && stays && self.inside.insert(block) {
                    self.blocks.push(block);
                }
            }
            next += 1;
        }
    }

    /// Finds the blocks between a barrier's place and the meeting place from which ways lead there.
    fn find_coming(&mut self, site: Site) {
        self.coming.clear();
        let mut pending = self.graph.predecessors[site.meet].clone();
        while let Some(block) = pending.pop() {
            let is_between = self.graph.dominates(site.set, block) && !self.graph.dominates(site.meet, block);
            if is_between && self.coming.insert(block) && block != site.set {
                pending.extend(&self.graph.predecessors[block]);
            }
        }
    }

    fn mark(&mut self, site: Site) {
        self.find(site, |_| true);
    }

    /// Whether every way from a barrier to the meeting place enters it from blocks that its place dominates, and none comes by the
    /// barrier's place again.
    fn encloses(&mut self, site: Site) -> bool {
        let graph = self.graph;
        self.find(site, |block| graph.dominates(site.set, block));
        self.blocks
            .iter()
            .all(|&block| graph.dominates(site.set, block) && !graph.successors[block].contains(&site.set))
    }
}

/// Barrier registers: two barriers that are in use at the same time get different ones.
fn number(sites: &[Site], regions: &mut Regions<'_>) -> Vec<Option<BarrierRegister>> {
    let mut set_at: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (index, site) in sites.iter().enumerate() {
        set_at.entry(site.set).or_default().push(index);
    }
    // The earlier barriers that clash with each: one is set in the region of the other.
    let mut clashes: Vec<Vec<usize>> = vec![Vec::new(); sites.len()];
    for (index, &site) in sites.iter().enumerate() {
        regions.mark(site);
        for other in regions.blocks.iter().filter_map(|block| set_at.get(block)).flatten() {
            clashes[index.max(*other)].push(index.min(*other));
        }
    }
    let mut numbers: Vec<Option<BarrierRegister>> = vec![None; sites.len()];
    for index in 0..sites.len() {
        let mut used = [false; BarrierRegister::COUNT];
        for other in clashes[index].iter().filter_map(|&other| numbers[other]) {
            used[usize::from(other.0)] = true;
        }
        let free = (0u8..).zip(used).find(|(_, used)| !used);
        numbers[index] = free.map(|(number, _)| BarrierRegister(number));
    }
    numbers
}

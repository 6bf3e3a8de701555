//! Uniform registers belong to all lanes of a warp. Where a branch parts the lanes, one part runs while the other stands
//! still: what the other still needs must not be overwritten.

use super::Segment;
use crate::code::{Block, Code};
use crate::divergence::divergent_branches;
use crate::graph::Graph;
use crate::liveness::{Liveness, Marks};
use rustc_hash::FxHashMap;
use warplab_program::Opcode;

/// Lets uniform values live wherever lanes may be while others still need them.
pub(super) fn keep(code: &Code, live: &Liveness, segments: &mut [Vec<Segment>]) {
    let is_uniform = |number: &usize| live.numbering.kind(*number) == 2;
    let uniforms: Vec<usize> =
        (0..segments.len()).filter(|it| is_uniform(it) && !segments[*it].is_empty()).collect();
    if uniforms.len() < 2 {
        return;
    }
    let graph = Graph::new(code);
    let divergent = divergent_branches(code, &graph);
    let stops = stops(code, &graph, &divergent);
    let spans = spans(code);
    let yields = |block: &Block| block.instructions.iter().any(|it| it.opcode == Opcode::Yield);
    let yields: Vec<bool> = code.blocks.iter().map(yields).collect();
    let lives = |value: usize, (start, end): Segment| {
        segments[value].iter().any(|segment| segment.0 < end && start < segment.1)
    };
    let needed: Vec<Vec<usize>> = (0..code.blocks.len())
        .map(|block| match stops[block] {
            Some(Stop::Inside) => uniforms.iter().copied().filter(|&it| lives(it, spans[block])).collect(),
            _ => live.live_in[block].iter().filter(is_uniform).collect(),
        })
        .collect();
    let mut kept: FxHashMap<usize, Vec<bool>> = FxHashMap::default();
    let mut known = Marks::new(segments.len());
    let [mut first, mut second] = [(); 2].map(|()| Side::new(code.blocks.len()));
    for branch in (0..code.blocks.len()).filter(|&block| divergent[block]) {
        let [fallen, taken] = graph.successors[branch][..] else { continue };
        let meet = meeting_place(code, &graph, branch);
        let mut find = |meet| {
            first.find(&graph, fallen, meet);
            second.find(&graph, taken, meet);
            first.blocks.iter().chain(&second.blocks).any(|&block| yields[block])
        };
        // Lanes that have yielded are not waited for.
        if find(meet) {
            find(None);
        }
        let take_turns = first.takes_turns(&stops) || second.takes_turns(&stops);
        for (one, other) in [(&first, &second), (&second, &first)] {
            let stands =
                |&(index, &block): &(usize, &usize)| index == 0 || take_turns && stops[block].is_some();
            let places = one.blocks.iter().enumerate().filter(stands);
            known.clear();
            for &number in places.flat_map(|(_, &block)| &needed[block]).filter(|it| known.insert(**it)) {
                let blocks = kept.entry(number).or_insert_with(|| vec![false; code.blocks.len()]);
                other.blocks.iter().for_each(|&block| blocks[block] = true);
            }
        }
    }
    for (number, blocks) in kept {
        segments[number].extend(spans.iter().zip(blocks).filter(|it| it.1).map(|it| *it.0));
    }
}

/// Where lanes may stand still in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// In front of it, because other lanes go another way first.
    Parted,
    /// In front of it, where it begins a loop: who goes round often lets others run.
    Loop,
    /// Inside, to sleep or to wait for some of the others.
    Inside,
}

fn stops(code: &Code, graph: &Graph, divergent: &[bool]) -> Vec<Option<Stop>> {
    let mut stops = vec![None; code.blocks.len()];
    for branch in (0..code.blocks.len()).filter(|&block| divergent[block]) {
        graph.successors[branch].iter().for_each(|&block| stops[block] = Some(Stop::Parted));
    }
    graph.loops.iter().for_each(|it| stops[it.header] = Some(Stop::Loop));
    let waits = |opcode| matches!(opcode, Opcode::Warpsync | Opcode::Yield | Opcode::Nanosleep | Opcode::Bar);
    for (stop, block) in stops.iter_mut().zip(&code.blocks) {
        if block.instructions.iter().any(|it| waits(it.opcode)) {
            *stop = Some(Stop::Inside);
        }
    }
    stops
}

/// The positions of each block.
fn spans(code: &Code) -> Vec<Segment> {
    let mut start = 0;
    let mut span = |length: usize| {
        let end = start + 2 * crate::code::number(length);
        (std::mem::replace(&mut start, end), end)
    };
    code.blocks.iter().map(|block| span(block.instructions.len())).collect()
}

/// Where the lanes that a branch parts wait for one another; none if they never do.
fn meeting_place(code: &Code, graph: &Graph, branch: usize) -> Option<usize> {
    let waits =
        |&block: &usize| code.blocks[block].instructions.first().is_some_and(|it| it.opcode == Opcode::Bsync);
    std::iter::successors(graph.post_dominator[branch], |&it| graph.post_dominator[it]).find(waits)
}

/// Where lanes may be that went one way at a branch, until they meet the others.
struct Side {
    blocks: Vec<usize>,
    inside: Marks,
}

impl Side {
    fn new(blocks: usize) -> Side {
        Side { blocks: Vec::new(), inside: Marks::new(blocks) }
    }

    fn find(&mut self, graph: &Graph, begin: usize, meet: Option<usize>) {
        self.inside.clear();
        self.blocks.clear();
        self.add(begin, meet);
        let mut next = 0;
        while let Some(&block) = self.blocks.get(next) {
            graph.successors[block].iter().for_each(|&it| self.add(it, meet));
            next += 1;
        }
    }

    fn add(&mut self, block: usize, meet: Option<usize>) {
        if Some(block) != meet && self.inside.insert(block) {
            self.blocks.push(block);
        }
    }

    /// Whether lanes let others run on the way.
    fn takes_turns(&self, stops: &[Option<Stop>]) -> bool {
        self.blocks.iter().any(|&block| matches!(stops[block], Some(Stop::Loop | Stop::Inside)))
    }
}

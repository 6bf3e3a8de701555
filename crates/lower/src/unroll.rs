//! Loops of one block whose iterations are counted: a few iterations become one, or all of them straight code, so that
//! the loads of several are under way together.
//!
//! Where it is known how often a loop runs, it becomes straight code, or what does not divide evenly stands in front of a loop of a few
//! iterations each. Where it is not known, it becomes what ptxas makes of it:
//!
//! ```text
//!        first = true; if bound - counter <= 3 steps, to the pair
//!        first = false
//! main:  4 iterations; if counter < bound - 3 steps, to main
//! pair:  if bound - counter <= 1 step, to the last
//!        first = false; 2 iterations
//! last:  if not (counter < bound or first), to the end
//!        1 iteration
//! end:
//! ```
//!
//! As with ptxas, nothing is done about a signed distance that does not fit into the counter (2^31 and more): such a loop ends
//! early, as it does on the GPU. Of a counter that only has to be another number than the bound, ptxas asks first whether it is before
//! the bound; if it is not, the loop runs as written, which is the last iteration, too.

mod copies;
mod counter;
mod parted;
mod questions;
mod stores;

use crate::code::{Block, Code, branch_target, has_effect};
use crate::graph::Graph;
use crate::liveness::Liveness;
use copies::{Copies, Names, copies};
use counter::{Counter, While};
use parted::Parted;
use questions::set;
use stores::stores_behind_loads;
use warplab_program::{Guard, Instruction, Modifier, Opcode, Operand, Predicate, Register, Role};

/// How many iterations become one where nothing else is known, as ptxas does it.
const TIMES: u32 = 4;
/// The largest loops of which ptxas makes several iterations one, in instructions of PTX (`select/size.rs`): with loads from global or
/// local memory, with loads from shared memory, each of which allows for more, and without. Found by compiling loops of every size.
const LARGEST_WITH_LOADS: usize = 49;
const LARGEST_WITH_SHARED: usize = 22;
const MORE_FOR_SHARED: usize = 4;
const LARGEST_WITHOUT_LOADS: usize = 21;
/// A loop that runs a known number of times is unrolled if an iteration takes so many instructions at most, beside what counts.
const LARGEST_COUNTED: usize = 72;
/// It becomes straight code if its instructions, times those of an iteration with what counts, are so many at most: the shorter an
/// iteration, the more is spared; and if they are not more than `LONGEST_STRAIGHT`.
const WORTH_STRAIGHT: usize = 24_000;
const LONGEST_STRAIGHT: usize = 4200;
/// Instructions that count: a sum, a comparison and a branch.
const COUNTING: usize = 3;
/// The most instructions of a loop that stays one, made of a known number of iterations, and of the rest in front of it.
const LONGEST_BODY: usize = 350;
/// Loops that run more often are looked at as if it were not known how often.
const MOST_TIMES: u32 = 1 << 20;

/// Marks the loops with an `if` inside another, or with one and a barrier: ptxas leaves them as they are where it is not known how often
/// they run.
pub(crate) fn mark_nested(code: &mut Code) {
    let target = |block: usize| code.blocks[block].instructions.last().and_then(branch_target);
    let loops =
        (0..code.blocks.len()).filter_map(|last| target(last).filter(|&it| it <= last).map(|it| (it, last)));
    let has_nested = |&(first, last): &(usize, usize)| {
        let mut joined = first;
        (first..last).any(|block| {
            let Some(join) = target(block).filter(|it| (block + 1..=last).contains(it)) else { return false };
            let is_inside = block < joined
                && !code.blocks[block].instructions.last().is_some_and(|it| it.guard.is_always());
            joined = joined.max(join);
            is_inside
        })
    };
    let has_barrier = |&(first, last): &(usize, usize)| {
        let mut all = code.blocks[first..=last].iter().flat_map(|block| &block.instructions);
        first < last && all.any(|it| matches!(it.opcode, Opcode::Bar | Opcode::Warpsync))
    };
    let nested: Vec<(usize, usize)> = loops.filter(|it| has_nested(it) || has_barrier(it)).collect();
    for (first, _) in nested {
        code.blocks[first].nested = true;
    }
}

/// Unrolls loops; says whether there was one.
pub(crate) fn unroll(code: &mut Code) -> bool {
    let graph = Graph::new(code);
    let mut parted = None;
    let live = Liveness::new(code);
    let mut plans: Vec<(usize, Vec<Block>)> = Vec::new();
    let mut kept = Vec::new();
    for block in 0..code.blocks.len() {
        let last = code.blocks[block].instructions.last();
        let is_loop = last.and_then(branch_target) == Some(block) && block + 1 < code.blocks.len();
        // What PTX has not written is a sequence of ptxas's own, which stays as it is.
        if !is_loop || code.blocks[block].rolled || code.blocks[block].written == 0 {
            continue;
        }
        // What only counts, for nobody, is not there at all.
        let plan = if is_idle(code, &live, block) {
            Some(vec![code.blocks[block].flags()])
        } else {
            Loop::find(code, &graph, &live, block, &mut parted)
                .and_then(|it| it.straight(code).or_else(|| it.unrolled(code)))
        };
        match plan {
            Some(plan) => plans.push((block, plan)),
            None => kept.push(block),
        }
    }
    // What has once been left as it is stays so, whatever becomes of it.
    for block in kept {
        code.blocks[block].rolled = true;
    }
    let found = !plans.is_empty();
    for (block, plan) in plans.into_iter().rev() {
        replace(code, block, plan);
    }
    found
}

/// Whether a loop goes towards a bound and nothing of what it does is needed: neither memory nor a value that is read
/// after it.
fn is_idle(code: &Code, live: &Liveness, block: usize) -> bool {
    let Some((branch, body)) = code.blocks[block].instructions.split_last() else { return false };
    let steps = |register: Register| {
        body.iter().any(|it| {
            it.opcode == Opcode::Iadd3
                && it.operands[0].as_register() == Some(register)
                && it.operands[1..].iter().any(|term| term.as_register() == Some(register))
        })
    };
    let bounds = body.iter().any(|it| {
        it.opcode == Opcode::Isetp
            && ![Modifier::Eq, Modifier::Ne].iter().any(|&order| it.has(order))
            && matches!((it.operands[0], branch.guard),
                (Operand::Predicate { predicate, .. }, Guard::Predicate { predicate: goes_on, .. })
                    if predicate == goes_on)
            && it.operands[2..].iter().filter_map(Operand::as_register).any(steps)
    });
    if !bounds {
        return false;
    }
    let after = &live.live_in[block + 1];
    body.iter().all(|instruction| {
        !has_effect(instruction)
            && instruction.accesses().iter().filter(|it| it.role == Role::Write).all(|access| {
                let mut numbers = live.numbering.of(access.resource);
                !numbers.any(|number| after.contains(number))
            })
    })
}

/// Whether lanes must come to an instruction together.
fn joins_lanes(instruction: &Instruction) -> bool {
    use Opcode::*;
    matches!(
        instruction.opcode,
        Shfl | Vote
            | Voteu
            | Match
            | Redux
            | Elect
            | Hmma
            | Imma
            | Dmma
            | Movm
            | Warpsync
            | Bar
            | B2r
            | Endcollective
    )
}

fn is_atomic(instruction: &Instruction) -> bool {
    use Opcode::*;
    matches!(instruction.opcode, Atom | Atomg | Atoms | Red | Redg)
}

/// A loop of one block.
struct Loop {
    block: usize,
    body: Vec<Instruction>,
    branch: Instruction,
    counter: Counter,
    names: Names,
    /// How often it runs, if that is known.
    times: Option<u32>,
    /// Whether some lanes of a warp may be elsewhere.
    is_parted: bool,
}

impl Loop {
    fn find(
        code: &Code,
        graph: &Graph,
        live: &Liveness,
        block: usize,
        parted: &mut Option<Parted>,
    ) -> Option<Loop> {
        use Opcode::{Call, Lepc, Membar, Syscall};
        let mut body = code.blocks[block].instructions.clone();
        let branch = body.pop()?;
        if body.iter().any(|it| matches!(it.opcode, Call | Lepc | Membar | Syscall)) {
            return None;
        }
        let counter = Counter::find(&body, &branch)?;
        let numbering = live.numbering;
        let is_needed = |it| numbering.of(it).any(|number| live.live_out[block].contains(number));
        let names = Names::new(code, &body, is_needed);
        let before = block_before(graph, block).map(|it| &code.blocks[it]);
        let begin = before.and_then(|it| counter.begin(it));
        let times = begin.and_then(|it| counter.times(it, MOST_TIMES));
        // Only asked where it is not known how often the loop runs.
        let is_parted =
            times.is_none() && parted.get_or_insert_with(|| Parted::new(code)).is_parted(block, &counter);
        Some(Loop { block, body, branch, counter, names, times, is_parted })
    }

    /// How many instructions of the body are of some kinds.
    fn count(&self, opcodes: &[Opcode]) -> usize {
        self.body.iter().filter(|it| opcodes.contains(&it.opcode)).count()
    }

    fn is_small(&self, code: &Code) -> bool {
        let size = code.blocks[self.block].written as usize;
        let most = match (self.count(&[Opcode::Ldg, Opcode::Ld, Opcode::Ldl]), self.count(&[Opcode::Lds])) {
            (0, 0) => LARGEST_WITHOUT_LOADS,
            (0, shared) => LARGEST_WITH_SHARED + MORE_FOR_SHARED * shared,
            _ => LARGEST_WITH_LOADS,
        };
        size <= most
    }

    /// Whether ptxas leaves it as it is, however small it is: where lanes may be elsewhere it does so with much that others could see.
    fn stays(&self, code: &Code) -> bool {
        let is_seen = |it: &Instruction| is_atomic(it) || joins_lanes(it);
        code.blocks[self.block].nested
            || self.is_parted && (self.body.iter().any(is_seen) || stores_behind_loads(&self.body))
    }

    /// What an iteration takes beside counting: ptxas looks at loops before it makes one instruction of several.
    fn weight(&self, code: &Code) -> usize {
        (code.blocks[self.block].written as usize).saturating_sub(COUNTING).max(1)
    }

    /// Straight code in the place of a loop that is known to run so often, if it is short enough.
    fn straight(&self, code: &mut Code) -> Option<Vec<Block>> {
        let (times, weight) = (self.times?, self.weight(code));
        let all = weight * times as usize;
        let is_short = weight <= LARGEST_COUNTED
            && all <= LONGEST_STRAIGHT
            && all * (weight + COUNTING) <= WORTH_STRAIGHT;
        is_short.then(|| {
            let all = self.times_over(code, times).instructions;
            let straight = self.block_of(code, all, None);
            vec![Block { written: straight.written.saturating_mul(times), ..straight }]
        })
    }

    /// The rest in front of a loop of so many iterations that as few instructions as may be are left to count, of one that runs a
    /// known number of times.
    fn in_parts(&self, code: &mut Code) -> Option<Vec<Block>> {
        let (times, weight) = (self.times?, self.weight(code));
        let fits = |part: &u32| (part + times % part) as usize * weight <= LONGEST_BODY;
        let most = u32::try_from(LONGEST_BODY / weight).unwrap_or(0).min(times.saturating_sub(1));
        let is_guarded = self.body.iter().any(|it| !it.guard.is_always());
        if weight > LARGEST_COUNTED || is_guarded {
            return None;
        }
        let part = (2..=most).rev().find(fits)?;
        let mut blocks = Vec::new();
        if !times.is_multiple_of(part) {
            let rest = self.times_over(code, times % part).instructions;
            blocks.push(self.block_of(code, rest, None));
        }
        let main = self.times_over(code, part);
        let again = self.branch_on(&main, true, blocks.len());
        blocks.push(self.block_of(code, main.instructions, Some(again)));
        Some(blocks)
    }

    /// The blocks that take the place of the loop, if it is worth it. Targets: from 0 the new blocks.
    fn unrolled(&self, code: &mut Code) -> Option<Vec<Block>> {
        if self.times.is_some() {
            return self.in_parts(code);
        }
        (self.is_small(code) && !self.stays(code)).then(|| self.with_rest(code))
    }

    /// The new loop, the pair and the last: see above.
    fn with_rest(&self, code: &mut Code) -> Vec<Block> {
        let counter = &self.counter;
        let (mut blocks, is_first) = self.start(code);
        let [main, ask_pair, last, rest, end] = [2, 3, 5, 6, 7].map(|block| block + blocks.len());
        let [first, many, two, again, goes_on] = [(); 5].map(|()| code.predicate());
        let asked = [vec![set(first, is_first)], counter.has(code, many, TIMES)].concat();
        blocks.push(self.block_of(code, asked, Some(self.branch_if(many, false, ask_pair))));
        let (moved, bound) = counter.moved_bound(code, TIMES);
        blocks.push(self.block_of(code, [vec![set(first, Operand::FALSE)], moved].concat(), None));
        let four = self.times_over(code, TIMES).instructions;
        let four = [four, counter.is_before_moved(code, again, bound)].concat();
        blocks.push(self.block_of(code, four, Some(self.branch_if(again, true, main))));
        let asked = counter.has(code, two, 2);
        blocks.push(self.block_of(code, asked, Some(self.branch_if(two, false, last))));
        let both = self.times_over(code, 2).instructions;
        let pair = self.block_of(code, [vec![set(first, Operand::FALSE)], both].concat(), None);
        // ptxas hardly ever makes guards of these branches.
        blocks.push(Block { branched: true, ..pair });
        let asked = counter.goes_on(code, goes_on, first);
        blocks.push(self.block_of(code, asked, Some(self.branch_if(goes_on, false, end))));
        let branch = Instruction { operands: [target(rest)].into_iter().collect(), ..self.branch.clone() };
        let is_loop = counter.goes_on == While::Other;
        let last = self.block_of(code, self.body.clone(), is_loop.then_some(branch));
        blocks.push(Block { branched: true, ..last });
        blocks
    }

    /// What stands in front where the counter may not be before its bound, and what says that no iteration has been made.
    fn start(&self, code: &mut Code) -> (Vec<Block>, Operand) {
        let (counter, before) = (&self.counter, code.predicate());
        let ask = counter.is_before(code, before, None);
        match counter.goes_on {
            // It goes past the end of the numbers: one iteration after the other.
            While::Other => {
                const REST: usize = 7;
                let ask = self.block_of(code, ask, Some(self.branch_if(before, false, REST)));
                (vec![ask], Operand::TRUE)
            }
            // The first iteration is made whatever the counter is.
            _ if !counter.signed => {
                let ask = self.block_of(code, ask, Some(self.branch_if(before, true, 2)));
                (vec![ask, self.block_of(code, self.body.clone(), None)], Operand::predicate(before))
            }
            _ => (Vec::new(), Operand::TRUE),
        }
    }

    /// The body so many times.
    fn times_over(&self, code: &mut Code, times: u32) -> Copies {
        let mut copies = copies(code, &self.body, &self.names, times);
        for instruction in copies.instructions.iter_mut().skip(self.body.len()) {
            instruction.origin.note = "loop unrolled";
        }
        copies
    }

    /// The loop's own branch after some iterations: taken if it goes on, or if it does not.
    fn branch_on(&self, copies: &Copies, goes_on: bool, to: usize) -> Instruction {
        let negated = matches!(self.branch.guard, Guard::Predicate { negate: true, .. });
        self.branch_if(copies.predicate(self.counter.predicate), goes_on != negated, to)
    }

    fn branch_if(&self, predicate: Predicate, holds: bool, to: usize) -> Instruction {
        Instruction::new(Opcode::Bra, [], [target(to)])
            .guarded(Guard::Predicate { predicate, negate: !holds })
            .with_origin(self.branch.origin)
    }

    fn block_of(
        &self,
        code: &Code,
        mut instructions: Vec<Instruction>,
        branch: Option<Instruction>,
    ) -> Block {
        for instruction in instructions.iter_mut().filter(|it| it.origin.line == 0) {
            instruction.origin = self.branch.origin;
        }
        instructions.extend(branch);
        Block { instructions, rolled: true, ..code.blocks[self.block].flags() }
    }
}

fn target(block: usize) -> Operand {
    Operand::Target(crate::code::number(block))
}

/// The block in front of a loop. What stands further in front ptxas does not look at.
fn block_before(graph: &Graph, block: usize) -> Option<usize> {
    let mut before = graph.predecessors[block].iter().copied().filter(|&it| it != block);
    let only = before.next()?;
    before.next().is_none().then_some(only)
}

/// Puts blocks in the place of one.
fn replace(code: &mut Code, block: usize, mut plan: Vec<Block>) {
    let more = plan.len() - 1;
    code.retarget(|target| if target > block { target + more } else { target });
    for instruction in plan.iter_mut().flat_map(|it| &mut it.instructions) {
        for operand in &mut instruction.operands {
            if let Operand::Target(target) = operand {
                *target += crate::code::number(block);
            }
        }
    }
    code.blocks.splice(block..=block, plan);
}

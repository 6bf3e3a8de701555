//! Loops of one block whose iterations are counted: a few iterations become one, or all of them straight code, so that
//! the loads of several are under way together.
//!
//! Where it is known how often a loop runs, it becomes straight code, or what does not divide evenly stands in front of a loop of a few
//! iterations each. Where it is not known, the loop that was written stays behind the new one for the rest:
//!
//! ```text
//!        test 4; if not, to the pair
//! main:  4 iterations; test 4; if so, to main
//!        if the last comparison ended the loop, to the end
//! pair:  test 2; if not, to the rest
//!        2 iterations; if the last comparison ended the loop, to the end
//! rest:  the loop as written
//! end:
//! ```

mod copies;
mod counter;

use crate::code::{Block, Code, branch_target, has_effect};
use crate::divergence::divergent_branches;
use crate::graph::Graph;
use crate::liveness::Liveness;
use copies::{Copies, Names, copies};
use counter::Counter;
use warplab_program::{Guard, Instruction, Modifier, Opcode, Operand, Predicate, Register, Role};

/// How many iterations become one where nothing else is known, as ptxas does it.
const TIMES: u32 = 4;
/// The largest loops of which ptxas makes several iterations one, in instructions: with loads from global memory, which
/// count twice, and without. Found by compiling loops of every size.
const LARGEST_WITH_LOADS: usize = 54;
const LARGEST_WITHOUT_LOADS: usize = 22;
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

/// Which loops are unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// All that can be.
    All,
    /// Those that become straight code: when branches in them have become predicates.
    Counted,
}

/// Unrolls loops; says whether there was one.
pub(crate) fn unroll(code: &mut Code, which: Which) -> bool {
    let graph = Graph::new(code);
    let divergent = divergent_branches(code, &graph);
    let live = Liveness::new(code);
    let mut plans: Vec<(usize, Vec<Block>)> = Vec::new();
    for (block, diverges) in divergent.into_iter().enumerate() {
        let last = code.blocks[block].instructions.last();
        let is_loop = last.and_then(branch_target) == Some(block) && block + 1 < code.blocks.len();
        if !is_loop || code.blocks[block].rolled {
            continue;
        }
        if diverges && code.blocks[block].instructions.iter().any(joins_lanes) {
            continue;
        }
        // What only counts, for nobody, is not there at all.
        let plan = if is_idle(code, &live, block) {
            Some(vec![code.blocks[block].flags()])
        } else {
            Loop::find(code, &graph, &live, block).and_then(|it| match which {
                Which::All => it.straight(code).or_else(|| it.unrolled(code)),
                Which::Counted => it.straight(code),
            })
        };
        plans.extend(plan.map(|plan| (block, plan)));
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
}

impl Loop {
    fn find(code: &Code, graph: &Graph, live: &Liveness, block: usize) -> Option<Loop> {
        let mut body = code.blocks[block].instructions.clone();
        let branch = body.pop()?;
        if body.iter().any(|it| matches!(it.opcode, Opcode::Call | Opcode::Syscall | Opcode::Lepc)) {
            return None;
        }
        let counter = Counter::find(&body, &branch)?;
        let numbering = live.numbering;
        let is_needed = |it| numbering.of(it).any(|number| live.live_out[block].contains(number));
        let names = Names::new(code, &body, is_needed);
        let before = blocks_before(graph, block);
        let times = counter.begin(code, &before).and_then(|begin| counter.times(begin, MOST_TIMES));
        Some(Loop { block, body, branch, counter, names, times })
    }

    /// How many instructions of the body are of some kinds.
    fn count(&self, opcodes: &[Opcode]) -> usize {
        self.body.iter().filter(|it| opcodes.contains(&it.opcode)).count()
    }

    fn is_small(&self) -> bool {
        let size = self.body.len() + 1;
        let loads = self.count(&[Opcode::Ldg, Opcode::Ld]);
        let (shared, stores) = (self.count(&[Opcode::Lds]), self.count(&[Opcode::Stg, Opcode::St]));
        if loads > 0 {
            size + loads + 2 * self.count(&[Opcode::Mufu]) <= LARGEST_WITH_LOADS
        } else {
            size <= LARGEST_WITHOUT_LOADS + shared + 3 * stores
        }
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
            vec![self.block_of(code, all, None)]
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
        // ptxas leaves loops as they are that only operate on memory atomically.
        (self.is_small() && !self.body.iter().any(is_atomic)).then(|| self.with_rest(code))
    }

    /// The new loop, the pair and the rest.
    fn with_rest(&self, code: &mut Code) -> Vec<Block> {
        const MAIN: usize = 1;
        const PAIR: usize = 3;
        const REST: usize = 5;
        const END: usize = 6;
        let [many, two] = [TIMES, 2].map(|times| self.counter.test(code, times));
        let goes_on = code.predicate();
        let ask = self.counter.ask(code, &many, goes_on, None);
        let enter = [many.setup.clone(), ask].concat();
        let main = self.times_over(code, TIMES);
        let last = main.predicate(self.counter.predicate);
        let again = self.counter.ask(code, &many, goes_on, Some(last));
        let after_main = self.branch_on(&main, false, END);
        let has_pair = code.predicate();
        let enter_pair = [two.setup.clone(), self.counter.ask(code, &two, has_pair, None)].concat();
        let pair = self.times_over(code, 2);
        let after_pair = self.branch_on(&pair, false, END);
        let rest = Instruction { operands: [target(REST)].into_iter().collect(), ..self.branch.clone() };
        vec![
            self.block_of(code, enter, Some(self.branch_if(goes_on, false, PAIR))),
            self.block_of(
                code,
                [main.instructions, again].concat(),
                Some(self.branch_if(goes_on, true, MAIN)),
            ),
            self.block_of(code, Vec::new(), Some(after_main)),
            self.block_of(code, enter_pair, Some(self.branch_if(has_pair, false, REST))),
            self.block_of(code, pair.instructions, Some(after_pair)),
            Block { rolled: true, ..self.block_of(code, self.body.clone(), Some(rest)) },
        ]
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

/// The blocks that lead to a loop and to nothing else, one after the other, the nearest first.
fn blocks_before(graph: &Graph, block: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = block;
    loop {
        let mut before = graph.predecessors[at].iter().copied().filter(|&it| it != block);
        let (Some(one), None) = (before.next(), before.next()) else { return found };
        if found.contains(&one) {
            return found;
        }
        found.push(one);
        at = one;
    }
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

//! Which values are needed where: sets of live registers at block borders.

use crate::code::Code;
use warplab_program::{Guard, Instruction, Predicate, Register, Resource, Role, UniformRegister};

/// A set of small numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    /// An empty set for numbers below `size`.
    pub(crate) fn new(size: usize) -> Set {
        Set(vec![0; size.div_ceil(64)])
    }

    pub(crate) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub(crate) fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    /// Adds all of another set; says whether anything was new.
    pub(crate) fn union(&mut self, other: &Set) -> bool {
        let mut changed = false;
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            changed |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        changed
    }

    /// Keeps what is in both.
    pub(crate) fn intersect(&mut self, other: &Set) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine &= theirs;
        }
    }

    /// The numbers, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            let mut word = word;
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros() as usize;
                    word &= word - 1;
                    index * 64 + bit
                })
            })
        })
    }
}

/// Numbers the virtual registers, predicates and uniform registers in one row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbering {
    registers: usize,
    predicates: usize,
    /// How many there are.
    pub(crate) total: usize,
}

impl Numbering {
    pub(crate) fn new(code: &Code) -> Numbering {
        let [registers, predicates, uniforms] = code.counts();
        Numbering { registers, predicates, total: registers + predicates + uniforms }
    }

    pub(crate) fn register(&self, register: Register) -> Option<usize> {
        register.is_virtual().then(|| (register.0 - Register::FIRST_VIRTUAL) as usize)
    }

    pub(crate) fn predicate(&self, predicate: Predicate) -> Option<usize> {
        predicate.is_virtual().then(|| self.registers + (predicate.0 - Predicate::FIRST_VIRTUAL) as usize)
    }

    pub(crate) fn uniform(&self, register: UniformRegister) -> Option<usize> {
        register.is_virtual().then(|| {
            self.registers + self.predicates + (register.0 - UniformRegister::FIRST_VIRTUAL) as usize
        })
    }

    /// The numbers of a resource.
    pub(crate) fn of(&self, resource: Resource) -> impl Iterator<Item = usize> + use<> {
        let (first, count) = match resource {
            Resource::Registers(register, count) => (self.register(register), count),
            Resource::Uniforms(register, count) => (self.uniform(register), count),
            Resource::Predicate(predicate) => (self.predicate(predicate), 1),
            _ => (None, 0),
        };
        first.into_iter().flat_map(move |first| first..first + count as usize)
    }

    /// What kind of thing a number is: 0 a register, 1 a predicate, 2 a uniform register.
    pub(crate) fn kind(&self, number: usize) -> usize {
        if number < self.registers {
            0
        } else if number < self.registers + self.predicates {
            1
        } else {
            2
        }
    }

    /// The number within its kind.
    pub(crate) fn within(&self, number: usize) -> usize {
        match self.kind(number) {
            0 => number,
            1 => number - self.registers,
            _ => number - self.registers - self.predicates,
        }
    }
}

/// Live values at the borders of the blocks.
pub(crate) struct Liveness {
    pub(crate) numbering: Numbering,
    /// Needed at the start of each block.
    pub(crate) live_in: Vec<Set>,
    /// Needed at the end of each block.
    pub(crate) live_out: Vec<Set>,
    /// Whether a value is written once only: then a guarded write counts as a whole one.
    pub(crate) single: Vec<bool>,
}

impl Liveness {
    pub(crate) fn new(code: &Code) -> Liveness {
        let numbering = Numbering::new(code);
        let single = single_definitions(code, &numbering);
        let count = code.blocks.len();
        let mut uses = vec![Set::new(numbering.total); count];
        let mut kills = vec![Set::new(numbering.total); count];
        for (index, block) in code.blocks.iter().enumerate() {
            for instruction in block.instructions.iter().rev() {
                step_backward(&numbering, &single, instruction, |number, role| match role {
                    Role::Write => {
                        uses[index].remove(number);
                        kills[index].insert(number);
                    }
                    Role::Read => {
                        uses[index].insert(number);
                        kills[index].remove(number);
                    }
                });
            }
        }
        let mut live_in = uses.clone();
        let mut live_out = vec![Set::new(numbering.total); count];
        let successors: Vec<Vec<usize>> = (0..count).map(|block| code.successors(block)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..count).rev() {
                let mut out = std::mem::replace(&mut live_out[block], Set::new(0));
                for &next in &successors[block] {
                    changed |= out.union(&live_in[next]);
                }
                let mut into = out.clone();
                for number in kills[block].iter() {
                    into.remove(number);
                }
                changed |= live_in[block].union(&into);
                live_out[block] = out;
            }
        }
        // Only what some path has written can matter.
        let reached = reaching(code, &numbering, &successors);
        for block in 0..count {
            live_in[block].intersect(&reached[block].0);
            live_out[block].intersect(&reached[block].1);
        }
        Liveness { numbering, live_in, live_out, single }
    }
}

/// What may have been written before the start and before the end of each block.
fn reaching(code: &Code, numbering: &Numbering, successors: &[Vec<usize>]) -> Vec<(Set, Set)> {
    let count = code.blocks.len();
    let mut written = vec![Set::new(numbering.total); count];
    for (index, block) in code.blocks.iter().enumerate() {
        for access in block.instructions.iter().flat_map(Instruction::accesses) {
            if access.role == Role::Write {
                numbering.of(access.resource).for_each(|number| written[index].insert(number));
            }
        }
    }
    let mut at_start = vec![Set::new(numbering.total); count];
    let mut changed = true;
    while changed {
        changed = false;
        for block in 0..count {
            let mut out = at_start[block].clone();
            out.union(&written[block]);
            for &next in &successors[block] {
                changed |= at_start[next].union(&out);
            }
        }
    }
    at_start
        .into_iter()
        .zip(written)
        .map(|(start, written)| {
            let mut end = start.clone();
            end.union(&written);
            (start, end)
        })
        .collect()
}

fn single_definitions(code: &Code, numbering: &Numbering) -> Vec<bool> {
    let mut counts = vec![0u32; numbering.total];
    for instruction in code.instructions() {
        for access in instruction.accesses() {
            if access.role == Role::Write {
                numbering.of(access.resource).for_each(|number| counts[number] += 1);
            }
        }
    }
    counts.into_iter().map(|count| count <= 1).collect()
}

/// Visits what an instruction writes (for good) and then what it reads.
pub(crate) fn step_backward(
    numbering: &Numbering,
    single: &[bool],
    instruction: &Instruction,
    mut visit: impl FnMut(usize, Role),
) {
    let always = instruction.guard == Guard::ALWAYS;
    let accesses = instruction.accesses();
    for access in accesses.iter().filter(|access| access.role == Role::Write) {
        for number in numbering.of(access.resource) {
            if always || single[number] {
                visit(number, Role::Write);
            }
        }
    }
    for access in accesses.iter().filter(|access| access.role == Role::Read) {
        numbering.of(access.resource).for_each(|number| visit(number, Role::Read));
    }
}

#[cfg(test)]
mod tests {
    use super::Liveness;
    use crate::code::{Block, Code};
    use warplab_program::{Guard, Instruction, Opcode, Operand, Predicate, Register};

    fn mov(to: Register, from: Operand) -> Instruction {
        Instruction::new(Opcode::Mov, [], [Operand::register(to), from])
    }

    /// `a = 1; loop: b = a; (branch back to loop); store b`, with `b` written under a guard.
    fn code(guard: Guard) -> (Code, Register, Register) {
        let mut code = Code::default();
        let (a, b) = (code.register(1), code.register(1));
        let again = Instruction::new(Opcode::Bra, [], [Operand::Target(1)])
            .guarded(Guard::Predicate { predicate: Predicate(0), negate: false });
        let store = Instruction::new(
            Opcode::Stl,
            [],
            [Operand::address32(Some(Register(1)), 0), Operand::register(b)],
        );
        let blocks = [
            vec![mov(a, Operand::Immediate(1))],
            vec![mov(b, Operand::register(a)).guarded(guard), mov(b, Operand::register(b)), again],
            vec![store, Instruction::new(Opcode::Exit, [], [])],
        ];
        code.blocks =
            blocks.into_iter().map(|instructions| Block { instructions, ..Block::default() }).collect();
        (code, a, b)
    }

    #[test]
    fn a_value_read_in_a_loop_lives_all_through_it() {
        let (code, a, b) = code(Guard::ALWAYS);
        let live = Liveness::new(&code);
        let number = |register| live.numbering.register(register).unwrap_or(usize::MAX);
        assert!(live.live_in[1].contains(number(a)) && live.live_out[1].contains(number(a)));
        assert!(!live.live_in[1].contains(number(b)) && live.live_out[1].contains(number(b)));
        assert!(!live.live_in[2].contains(number(a)));
    }

    #[test]
    fn a_guarded_write_keeps_the_value_of_the_other_lanes_alive() {
        let (code, _, b) = code(Guard::Predicate { predicate: Predicate(1), negate: true });
        let live = Liveness::new(&code);
        let number = live.numbering.register(b).unwrap_or(usize::MAX);
        // Round the loop, but not from the entry, where it has never been written.
        assert!(live.live_in[1].contains(number));
        assert!(!live.live_out[0].contains(number));
    }
}

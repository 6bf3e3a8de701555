//! Which values are needed where: sets of live registers at block borders.

use crate::code::Code;
use warplab_program::{Guard, Instruction, Predicate, Register, Resource, Role, UniformRegister};

/// Values by their numbers, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Values(Vec<u32>);

impl Values {
    /// The numbers, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().map(|&number| number as usize)
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0.binary_search_by(|&it| (it as usize).cmp(&number)).is_ok()
    }
}

/// A set of small numbers that is emptied at once.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    round: u32,
    marked: Vec<u32>,
}

impl Marks {
    /// An empty set for numbers below `size`.
    pub(crate) fn new(size: usize) -> Marks {
        Marks { round: 1, marked: vec![0; size] }
    }

    pub(crate) fn clear(&mut self) {
        if self.round == u32::MAX {
            self.marked.fill(0);
            self.round = 0;
        }
        self.round += 1;
    }

    /// Adds a number; says whether it is new.
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        std::mem::replace(&mut self.marked[number], self.round) != self.round
    }

    pub(crate) fn remove(&mut self, number: usize) {
        self.marked[number] = 0;
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.marked[number] == self.round
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
    pub(crate) live_in: Vec<Values>,
    /// Needed at the end of each block.
    pub(crate) live_out: Vec<Values>,
    /// Whether a value is written once only: then a guarded write counts as a whole one.
    pub(crate) single: Vec<bool>,
}

impl Liveness {
    /// Value by value: from where it is read up to where it is written, and, because only what some path has written
    /// can matter, down again from there. The time is that of the result.
    pub(crate) fn new(code: &Code) -> Liveness {
        let numbering = Numbering::new(code);
        let single = single_definitions(code, &numbering);
        let count = code.blocks.len();
        let touched = Touched::new(code, &numbering, &single);
        let successors: Vec<Vec<usize>> = (0..count).map(|block| code.successors(block)).collect();
        let predecessors = code.predecessors();
        let mut live = Liveness {
            numbering,
            live_in: vec![Values::default(); count],
            live_out: vec![Values::default(); count],
            single,
        };
        let [mut needed_in, mut needed_out, mut kept, mut reached_in, mut reached_out] =
            [(); 5].map(|()| Marks::new(count));
        let mut pending: Vec<usize> = Vec::new();
        for number in 0..numbering.total {
            for marks in [&mut needed_in, &mut needed_out, &mut kept, &mut reached_in, &mut reached_out] {
                marks.clear();
            }
            touched.killed[number].iter().for_each(|&block| _ = kept.insert(block));
            pending.extend(touched.exposed[number].iter().filter(|&&block| needed_in.insert(block)));
            while let Some(block) = pending.pop() {
                for &before in &predecessors[block] {
                    if needed_out.insert(before) && !kept.contains(before) && needed_in.insert(before) {
                        pending.push(before);
                    }
                }
            }
            let written = touched.written[number].iter().copied();
            pending.extend(written.filter(|&it| needed_out.contains(it) && reached_out.insert(it)));
            while let Some(block) = pending.pop() {
                live.live_out[block].0.push(crate::code::number(number));
                for &next in &successors[block] {
                    if needed_in.contains(next) && reached_in.insert(next) {
                        live.live_in[next].0.push(crate::code::number(number));
                        if needed_out.contains(next) && reached_out.insert(next) {
                            pending.push(next);
                        }
                    }
                }
            }
        }
        live
    }
}

/// For every value the blocks that touch it.
struct Touched {
    /// Those that read it before they write it.
    exposed: Vec<Vec<usize>>,
    /// Those that write it for good before they read it.
    killed: Vec<Vec<usize>>,
    /// Those that write it.
    written: Vec<Vec<usize>>,
}

impl Touched {
    fn new(code: &Code, numbering: &Numbering, single: &[bool]) -> Touched {
        let lists = || vec![Vec::new(); numbering.total];
        let mut touched = Touched { exposed: lists(), killed: lists(), written: lists() };
        let mut seen = Marks::new(numbering.total);
        let mut reads_first = vec![false; numbering.total];
        let mut numbers = Vec::new();
        for (index, block) in code.blocks.iter().enumerate() {
            seen.clear();
            numbers.clear();
            for instruction in block.instructions.iter().rev() {
                step_backward(numbering, single, instruction, |number, role| {
                    if seen.insert(number) {
                        numbers.push(number);
                    }
                    reads_first[number] = role == Role::Read;
                });
                for access in instruction.accesses().iter().filter(|access| access.role == Role::Write) {
                    for number in numbering.of(access.resource) {
                        if touched.written[number].last() != Some(&index) {
                            touched.written[number].push(index);
                        }
                    }
                }
            }
            for &number in &numbers {
                let lists = if reads_first[number] { &mut touched.exposed } else { &mut touched.killed };
                lists[number].push(index);
            }
        }
        touched
    }
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

//! Control fields: stall counts for fixed latencies, wait barriers for the others.

use warplab_program::{
    Instruction, Latency, LatencyClass, LatencyTable, Opcode, Pipe, Resource, Role, WAIT_BARRIERS,
};

/// The most that one instruction can hold up the next.
const MOST: u16 = 15;

/// A register of any kind, numbered in one row.
const UNIFORMS: usize = 256;
const PREDICATES: usize = UNIFORMS + 64;
const UNIFORM_PREDICATES: usize = PREDICATES + 8;
const TOTAL: usize = UNIFORM_PREDICATES + 8;

fn numbers(resource: Resource) -> Vec<usize> {
    let run = |first: usize, count: usize| (first..first + count).collect();
    match resource {
        Resource::Registers(register, count) => run(register.0 as usize, count as usize),
        Resource::Uniforms(register, count) => run(UNIFORMS + register.0 as usize, count as usize),
        Resource::Predicate(predicate) => run(PREDICATES + predicate.0 as usize, 1),
        Resource::AllPredicates => run(PREDICATES, 7),
        Resource::UniformPredicate(predicate) => run(UNIFORM_PREDICATES + predicate.0 as usize, 1),
        Resource::Barrier(_) => Vec::new(),
    }
}

/// What is under way while a block is walked.
struct State {
    /// The cycle at which each register's last fixed-latency result was issued, and by what.
    issued: Vec<Option<(u64, LatencyClass, Pipe)>>,
    /// Which wait barriers guard the result of each register, and the reading of each register.
    writing: Vec<u8>,
    reading: Vec<u8>,
    /// When each barrier was last used.
    used: [u64; WAIT_BARRIERS],
    cycle: u64,
}

impl State {
    fn new() -> State {
        State {
            issued: vec![None; TOTAL],
            writing: vec![0; TOTAL],
            reading: vec![0; TOTAL],
            used: [0; WAIT_BARRIERS],
            cycle: 0,
        }
    }

    /// Barriers that still guard something.
    fn busy(&self) -> u8 {
        self.writing.iter().chain(&self.reading).fold(0, |mask, it| mask | it)
    }

    fn clear(&mut self, mask: u8) {
        for it in self.writing.iter_mut().chain(&mut self.reading) {
            *it &= !mask;
        }
    }

    /// A barrier for a new result: a free one, or else the one used longest ago.
    fn barrier(&mut self) -> u8 {
        let busy = self.busy();
        let free = (0..WAIT_BARRIERS as u8).find(|&number| busy >> number & 1 == 0);
        let number = free.unwrap_or_else(|| {
            (0..WAIT_BARRIERS as u8).min_by_key(|&number| self.used[usize::from(number)]).unwrap_or(0)
        });
        self.used[usize::from(number)] = self.cycle;
        number
    }
}

/// Sets the control fields of a kernel. `starts` are the first instructions of the blocks.
pub(crate) fn control(instructions: &mut [Instruction], starts: &[usize], table: &LatencyTable) {
    for instruction in instructions.iter_mut() {
        instruction.control = warplab_program::Control::default();
    }
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(instructions.len());
        let mut state = State::new();
        block(&mut instructions[start..end], &mut state, table);
    }
    for instruction in instructions.iter_mut() {
        instruction.control.yield_hint = instruction.control.stall < 3 || instruction.opcode.changes_flow();
    }
}

fn block(instructions: &mut [Instruction], state: &mut State, table: &LatencyTable) {
    let count = instructions.len();
    for index in 0..count {
        let instruction = instructions[index].clone();
        let accesses = instruction.accesses();
        let mut wait = 0;
        let mut ready = state.cycle;
        for access in &accesses {
            for number in numbers(access.resource) {
                match access.role {
                    Role::Read => {
                        wait |= state.writing[number];
                        if let Some((issued, class, pipe)) = state.issued[number] {
                            ready = ready.max(issued + latency(table, class, pipe, &instruction, access.operand));
                        }
                    }
                    Role::Write => {
                        wait |= state.writing[number] | state.reading[number];
                        if let Some((issued, class, _)) = state.issued[number] {
                            // A shorter latency must not overtake a longer one.
                            let first = issued + u64::from(table.cycles(class));
                            let mine = result_cycles(&instruction, table);
                            ready = ready.max((first + 1).saturating_sub(mine));
                        }
                    }
                }
            }
        }
        let last = index + 1 == count;
        if last && instruction.opcode != Opcode::Exit {
            // Everything under way is finished before control goes on.
            wait |= state.busy();
            ready = ready.max(fixed_pending(state, table));
        }
        if matches!(instruction.opcode, Opcode::Exit) && instruction.guard.is_always() {
            wait = accesses_wait(&instruction, state);
        }
        if index > 0 {
            stretch(instructions, index, &mut ready, state);
        }
        state.clear(wait);
        let control = &mut instructions[index].control;
        control.wait_mask = wait;
        state.cycle = ready;
        issue(&mut instructions[index], state, table);
    }
    // A block that ends without a branch: cover what is still under way.
    if let Some(last) = instructions.last_mut() {
        let pending = fixed_pending(state, table).saturating_sub(state.cycle) as u16;
        if !matches!(last.opcode, Opcode::Exit) || !last.guard.is_always() {
            last.control.stall = last.control.stall.max(pending.min(MOST) as u8);
        }
    }
}

fn accesses_wait(instruction: &Instruction, state: &State) -> u8 {
    instruction
        .accesses()
        .iter()
        .flat_map(|access| numbers(access.resource))
        .fold(0, |mask, number| mask | state.writing[number])
}

/// When the last of the fixed-latency results under way is there.
fn fixed_pending(state: &State, table: &LatencyTable) -> u64 {
    state
        .issued
        .iter()
        .flatten()
        .map(|&(issued, class, _)| issued + u64::from(table.cycles(class)))
        .max()
        .unwrap_or(0)
}

/// Makes the instructions before one hold it up until it is ready.
fn stretch(instructions: &mut [Instruction], index: usize, ready: &mut u64, state: &State) {
    let mut missing = ready.saturating_sub(state.cycle);
    let mut at = index;
    while missing > 0 && at > 0 {
        at -= 1;
        let stall = &mut instructions[at].control.stall;
        let room = u64::from(MOST) - u64::from(*stall);
        let more = missing.min(room);
        *stall += more as u8;
        missing -= more;
    }
    *ready -= missing;
}

fn result_cycles(instruction: &Instruction, table: &LatencyTable) -> u64 {
    match table.latency(class_of(instruction)) {
        Latency::Fixed(cycles) => u64::from(cycles),
        Latency::Variable(_) => MOST.into(),
    }
}

/// The latency class of an instruction with its modifiers.
fn class_of(instruction: &Instruction) -> LatencyClass {
    let class = instruction.opcode.info().latency;
    if class == LatencyClass::Fma
        && instruction.opcode == Opcode::Imad
        && (instruction.has(warplab_program::Modifier::Wide) || instruction.has(warplab_program::Modifier::Hi))
    {
        return LatencyClass::FmaWide;
    }
    class
}

/// Cycles from the issue of a producer until this reader may issue.
fn latency(
    table: &LatencyTable,
    class: LatencyClass,
    pipe: Pipe,
    reader: &Instruction,
    operand: Option<usize>,
) -> u64 {
    let guard = operand.is_none() || matches!(reader.opcode, Opcode::Bra | Opcode::Exit);
    let class = match class {
        LatencyClass::Predicate if guard => LatencyClass::PredicateToBranch,
        LatencyClass::Uniform if reader.opcode.info().pipe != Pipe::Uniform => LatencyClass::UniformToVector,
        other => other,
    };
    let base = u64::from(table.cycles(class));
    // Between pipes a result takes one cycle more.
    let crosses = matches!(class, LatencyClass::Alu | LatencyClass::Fma) && reader.opcode.info().pipe != pipe;
    base + u64::from(crosses)
}

/// Issues one instruction: its stall count, its barriers, what is under way from it.
fn issue(instruction: &mut Instruction, state: &mut State, table: &LatencyTable) {
    let class = class_of(instruction);
    let accesses = instruction.accesses();
    let pipe = instruction.opcode.info().pipe;
    let writes = accesses.iter().any(|access| access.role == Role::Write);
    let variable = matches!(table.latency(class), Latency::Variable(_)) && class != LatencyClass::Barrier;
    if variable && writes {
        let number = state.barrier();
        instruction.control.write_barrier = Some(number);
        for access in accesses.iter().filter(|access| access.role == Role::Write) {
            for it in numbers(access.resource) {
                state.writing[it] |= 1 << number;
                state.issued[it] = None;
            }
        }
    } else {
        for access in accesses.iter().filter(|access| access.role == Role::Write) {
            let class = match access.resource {
                Resource::Predicate(_) if class != LatencyClass::Vote => LatencyClass::Predicate,
                _ => class,
            };
            for it in numbers(access.resource) {
                state.issued[it] = Some((state.cycle, class, pipe));
            }
        }
    }
    let reads_late = variable && !matches!(instruction.opcode, Opcode::Ldc | Opcode::S2r | Opcode::S2ur | Opcode::Uldc);
    let sources: Vec<usize> = accesses
        .iter()
        .filter(|access| access.role == Role::Read && matches!(access.resource, Resource::Registers(..)))
        .flat_map(|access| numbers(access.resource))
        .collect();
    if reads_late && !sources.is_empty() {
        let number = match instruction.control.write_barrier {
            Some(number) => number,
            None => {
                let number = state.barrier();
                instruction.control.read_barrier = Some(number);
                number
            }
        };
        for it in sources {
            state.reading[it] |= 1 << number;
        }
    }
    let stall = shortest(instruction, class, table);
    instruction.control.stall = stall;
    state.cycle += u64::from(stall);
}

/// The least stall count of an instruction.
fn shortest(instruction: &Instruction, class: LatencyClass, table: &LatencyTable) -> u8 {
    use Opcode::*;
    let cycles = match instruction.opcode {
        Bra | Exit | Bsync => table.cycles(LatencyClass::Branch).clamp(1, 5) as u8,
        Mufu | I2f | F2i | F2f | Popc | Flo | Brev | Frnd => 1,
        _ if class == LatencyClass::Fp64 => 2,
        _ => 1,
    };
    let barrier_before_flow = instruction.control.write_barrier.is_some() || instruction.control.read_barrier.is_some();
    // A barrier is up two cycles after issue: whoever waits for it must not come earlier.
    cycles.max(if barrier_before_flow { 2 } else { 1 })
}

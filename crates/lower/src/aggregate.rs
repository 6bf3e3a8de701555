//! What all lanes of a warp do to one address atomically, one of them does for all.
//!
//! Where the address is the same for the whole warp, the lanes that are active choose the last of them. It adds as
//! often as there are lanes, or takes what `REDUX` makes of their values; who asks for the old value gets it by a
//! shuffle and adds what the lanes below did. Adding 1 to shared memory without asking is an instruction of its own.
//!
//! ptxas keeps the mask of the active lanes in a uniform register. Here it is in a register of every lane: a barrier may
//! let another path of the warp through the same block, and each path must find its own mask again.

use crate::code::Code;
use crate::divergence::{Divergence, divergence};
use crate::graph::Graph;
use rustc_hash::FxHashMap;
use warplab_program::{
    Guard, Instruction, Modifier, Opcode, Operand, Origin, Predicate, Register, Resource, SpecialRegister,
};

use Modifier as M;

/// Aggregates the atomics of every block. `reduces`: the machine has `REDUX`.
pub(crate) fn aggregate(code: &mut Code, reduces: bool) {
    let facts =
        Facts { divergence: divergence(code, &Graph::new(code)), constants: constants(code), reduces };
    let mut lanes = LaneNumbers::default();
    for block in 0..code.blocks.len() {
        let mut leader: Option<Leader> = None;
        let mut writer = Writer { code, lanes: &mut lanes, out: Vec::new(), origin: Origin::default() };
        for mut instruction in std::mem::take(&mut writer.code.blocks[block].instructions) {
            count_ones_in_shared_memory(&mut instruction, &facts.constants);
            let leaves = instruction.opcode == Opcode::Exit;
            match Plan::of(&instruction, &facts) {
                Some(plan) => writer.aggregate(instruction, &plan, &mut leader),
                None => writer.out.push(instruction),
            }
            if leaves {
                // Fewer lanes are active from here on.
                leader = None;
            }
        }
        let out = writer.out;
        code.blocks[block].instructions = out;
    }
    lanes.read_at_entry(code);
}

/// What is known about the values of a kernel.
struct Facts {
    divergence: Divergence,
    constants: FxHashMap<Register, u32>,
    reduces: bool,
}

/// The registers that hold one constant for ever.
fn constants(code: &Code) -> FxHashMap<Register, u32> {
    let counts = code.definition_counts();
    let mut constants = FxHashMap::default();
    for instruction in code.instructions().filter(|it| it.opcode == Opcode::Mov && it.guard.is_always()) {
        if let [Operand::Register { register, .. }, Operand::Immediate(value)] = instruction.operands[..]
            && counts.is_single(Resource::Registers(register, 1))
        {
            constants.insert(register, value);
        }
    }
    constants
}

/// `ATOMS.ADD` of 1 whose old value nobody wants is `ATOMS.POPC.INC`, wherever the lanes point.
fn count_ones_in_shared_memory(instruction: &mut Instruction, constants: &FxHashMap<Register, u32>) {
    let adds_one = instruction.opcode == Opcode::Atoms
        && instruction.modifiers.as_slice() == [M::Add]
        && instruction.operands[0] == Operand::ZERO
        && data(instruction).and_then(|register| constants.get(&register)) == Some(&1);
    if adds_one {
        instruction.modifiers = [M::Popc, M::Inc, M::B32].as_slice().into();
        instruction.operands.pop();
    }
}

/// The value of an atomic operation that has one.
fn data(instruction: &Instruction) -> Option<Register> {
    instruction.operands.last().and_then(Operand::as_register)
}

/// How one atomic operation is done for the warp.
struct Plan {
    kind: Kind,
    data: Register,
    /// Where the old value goes, unless nobody wants it.
    result: Option<Register>,
}

enum Kind {
    /// The lanes add the same, if constant this.
    Repeated(Option<u32>),
    /// `REDUX` with these modifiers.
    Reduced(Vec<Modifier>),
}

impl Plan {
    fn of(instruction: &Instruction, facts: &Facts) -> Option<Plan> {
        use Opcode::{Atom, Atomg, Atoms, Red, Redg};
        let place = match instruction.opcode {
            Red | Redg => None,
            Atoms => Some(0),
            Atom | Atomg => Some(1),
            _ => return None,
        };
        let modifiers = instruction.modifiers.as_slice();
        let other_types =
            [M::F32, M::F64, M::F16x2, M::Bf16V2, M::B64, M::U64, M::S64, M::Popc, M::CasT, M::Cas];
        if !instruction.guard.is_always() || modifiers.iter().any(|it| other_types.contains(it)) {
            return None;
        }
        let data = data(instruction)?;
        let result = place.and_then(|place| instruction.operands[place].as_register());
        let result = result.filter(|&register| register != Register::ZERO);
        let uniform = |register: Register, count: u32| {
            facts.divergence.is_uniform(Resource::Registers(register, count))
        };
        let address = instruction.operands.iter().find_map(|operand| match operand {
            Operand::Address(address) => Some(*address),
            _ => None,
        })?;
        if !address.base.is_none_or(|base| uniform(base, if address.wide { 2 } else { 1 })) {
            return None;
        }
        let same = uniform(data, 1);
        let kind = match modifiers.iter().find_map(|&it| reduction(it)) {
            Some(M::Sum) if same => Kind::Repeated(facts.constants.get(&data).copied()),
            Some(how) if facts.reduces && result.is_none() => {
                let signed = modifiers.contains(&M::S32).then_some(M::S32);
                // REDUX without a name is AND.
                Kind::Reduced(Some(how).filter(|&how| how != M::And).into_iter().chain(signed).collect())
            }
            _ => return None,
        };
        Some(Plan { kind, data, result })
    }
}

/// The `REDUX` of an atomic operation.
fn reduction(operation: Modifier) -> Option<Modifier> {
    match operation {
        M::Add => Some(M::Sum),
        M::Min | M::Max | M::And | M::Or | M::Xor => Some(operation),
        _ => None,
    }
}

/// The lane that acts for the others, as long as the same are active.
struct Leader {
    /// Which lanes are active.
    active: Register,
    /// The number of the leader.
    number: Register,
    /// True for the leader alone.
    is_leader: Predicate,
    /// How many are active, once somebody has asked.
    count: Option<Register>,
}

/// Registers with what every lane knows of itself; read once, at the entry.
#[derive(Default)]
struct LaneNumbers {
    own: Option<Register>,
    below: Option<Register>,
}

impl LaneNumbers {
    fn read_at_entry(self, code: &mut Code) {
        let reads = [(self.own, SpecialRegister::LaneId), (self.below, SpecialRegister::LaneMaskLt)];
        let at = code.blocks[0].instructions.iter().take_while(|it| it.opcode == Opcode::Ldc).count();
        for (register, special) in reads {
            let Some(register) = register else { continue };
            let read =
                Instruction::new(Opcode::S2r, [], [Operand::register(register), Operand::Special(special)]);
            code.blocks[0].instructions.insert(at, read);
        }
    }
}

/// Writes the instructions of a block anew.
struct Writer<'a> {
    code: &'a mut Code,
    lanes: &'a mut LaneNumbers,
    out: Vec<Instruction>,
    origin: Origin,
}

impl Writer<'_> {
    fn op(&mut self, opcode: Opcode, modifiers: &[Modifier], operands: impl IntoIterator<Item = Operand>) {
        self.out.push(Instruction::new(opcode, modifiers, operands).with_origin(self.origin));
    }

    fn compute(&mut self, opcode: Opcode, modifiers: &[Modifier], operands: &[Operand]) -> Register {
        let to = self.code.register(1);
        self.op(opcode, modifiers, std::iter::once(Operand::register(to)).chain(operands.iter().copied()));
        to
    }

    fn aggregate(&mut self, mut instruction: Instruction, plan: &Plan, leader: &mut Option<Leader>) {
        self.origin = instruction.origin;
        self.origin.note = "one lane for the warp";
        let leader = leader.get_or_insert_with(|| self.leader());
        let sum = match &plan.kind {
            Kind::Repeated(value) => {
                let active = Operand::register(leader.active);
                let count = *leader.count.get_or_insert_with(|| self.compute(Opcode::Popc, &[], &[active]));
                self.times(count, plan.data, *value)
            }
            Kind::Reduced(modifiers) => {
                let uniform = self.code.uniform(1);
                let operands = [Operand::uniform(uniform), Operand::register(plan.data)];
                self.op(Opcode::Redux, modifiers, operands);
                self.compute(Opcode::Mov, &[], &[Operand::uniform(uniform)])
            }
        };
        if let Some(last) = instruction.operands.last_mut() {
            *last = Operand::register(sum);
        }
        instruction.guard = Guard::Predicate { predicate: leader.is_leader, negate: false };
        instruction.origin = self.origin;
        let Some(result) = plan.result else { return self.out.push(instruction) };
        let old = self.code.register(1);
        for operand in instruction.operands.iter_mut().filter(|it| it.as_register() == Some(result)) {
            *operand = Operand::register(old);
        }
        self.out.push(instruction);
        self.share(result, old, plan, leader);
    }

    /// The lanes that are active and the one that acts.
    fn leader(&mut self) -> Leader {
        let own = *self.lanes.own.get_or_insert_with(|| self.code.register(1));
        let active = self.compute(Opcode::Vote, &[M::Any], &[Operand::TRUE, Operand::TRUE]);
        let number = self.compute(Opcode::Flo, &[M::U32], &[Operand::register(active)]);
        let is_leader = self.code.predicate();
        let (own, leader) = (Operand::register(own), Operand::register(number));
        self.op(
            Opcode::Isetp,
            &[M::Eq, M::U32, M::And],
            [Operand::predicate(is_leader), Operand::TRUE, own, leader, Operand::TRUE],
        );
        Leader { active, number, is_leader, count: None }
    }

    /// A count times what every lane adds.
    fn times(&mut self, count: Register, data: Register, value: Option<u32>) -> Register {
        let factor = value.map_or(Operand::register(data), Operand::Immediate);
        match value {
            Some(1) => count,
            _ => self.compute(Opcode::Imad, &[], &[Operand::register(count), factor, Operand::ZERO]),
        }
    }

    /// Gives every lane the value that it would have found, had the lanes come in the order of their numbers.
    fn share(&mut self, result: Register, old: Register, plan: &Plan, leader: &Leader) {
        let Kind::Repeated(value) = plan.kind else { return };
        let below = *self.lanes.below.get_or_insert_with(|| self.code.register(1));
        let active = Operand::register(leader.active);
        let lower = self.compute(
            Opcode::Lop3,
            &[M::Lut],
            &[Operand::register(below), active, Operand::ZERO, Operand::Immediate(0xc0), Operand::FALSE],
        );
        let before = self.compute(Opcode::Popc, &[], &[Operand::register(lower)]);
        let first = self.code.register(1);
        let (to, from, lane) =
            (Operand::register(first), Operand::register(old), Operand::register(leader.number));
        self.op(Opcode::Shfl, &[M::Idx], [Operand::TRUE, to, from, lane, Operand::Immediate(0x1f)]);
        let (before, first) = (Operand::register(before), Operand::register(first));
        let to = Operand::register(result);
        match value {
            Some(1) => self.op(Opcode::Iadd3, &[], [to, first, before, Operand::ZERO]),
            _ => {
                let factor = value.map_or(Operand::register(plan.data), Operand::Immediate);
                self.op(Opcode::Imad, &[], [to, before, factor, first]);
            }
        }
    }
}

//! A kernel between selection and the final program: blocks of machine instructions on virtual registers.

use warplab_program::{
    AddressOperand, Guard, Instruction, Opcode, Operand, Predicate, Register, Resource, Role, Selector,
    SourceModifier, UniformRegister,
};

/// Where the descriptor of global memory is in code that calls: the only uniform register that all functions share.
pub(crate) const DESCRIPTOR: UniformRegister = UniformRegister(4);

/// A basic block. Branch targets are numbers of blocks; a block that does not end in an unconditional transfer
/// falls through to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    /// The instructions; only the last may transfer control.
    pub(crate) instructions: Vec<Instruction>,
    /// Whether the block is off the usual path.
    pub(crate) cold: bool,
    /// Whether PTX says that the branch at its end goes the same way for all threads of a warp.
    pub(crate) uniform_branch: bool,
    /// Whether a loop that begins here stays as it is.
    pub(crate) rolled: bool,
    /// Whether a loop that begins here had an `if` inside another, or one and a barrier.
    pub(crate) nested: bool,
    /// Whether something here is a subroutine with ptxas: a division of 64 bits.
    pub(crate) subroutine: bool,
    /// Whether lanes let others go first where a loop begins here.
    pub(crate) yields: bool,
    /// Whether it is branched over where it is not wanted, however short it is.
    pub(crate) branched: bool,
    /// For how many instructions what PTX has here counts where it is a loop.
    pub(crate) written: u32,
}

impl Block {
    /// A block without instructions of which the same is known.
    pub(crate) fn flags(&self) -> Block {
        Block { instructions: Vec::new(), ..*self }
    }
}

/// For every virtual register the first register of its group and how many the group has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups(Vec<(u32, u8)>);

impl Groups {
    /// Whether these registers are a whole group.
    pub(crate) fn is_whole(&self, register: Register, count: u32) -> bool {
        let number = register.0.wrapping_sub(Register::FIRST_VIRTUAL);
        self.0.get(number as usize).is_some_and(|&(base, size)| base == number && u32::from(size) == count)
    }

    /// The same of registers of the warp, where these are theirs.
    pub(crate) fn is_whole_uniform(&self, register: UniformRegister, count: u32) -> bool {
        let number = register.0.wrapping_sub(UniformRegister::FIRST_VIRTUAL);
        self.0.get(number as usize).is_some_and(|&(base, size)| base == number && u32::from(size) == count)
    }

    /// Whether so many registers from one on are an aligned part of one group.
    pub(crate) fn is_part(&self, register: Register, count: u32) -> bool {
        let number = register.0 - Register::FIRST_VIRTUAL;
        self.0.get(number as usize).is_some_and(|&(base, size)| {
            (number - base).is_multiple_of(count) && number + count <= base + u32::from(size)
        })
    }
}

/// The code of one kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    /// The blocks in the order of the final program.
    pub(crate) blocks: Vec<Block>,
    groups: Groups,
    predicates: u32,
    uniform_groups: Vec<(u32, u8)>,
    /// Bytes of local memory of a thread.
    pub(crate) local_bytes: u32,
    /// Whether it calls functions or is one that is called.
    pub(crate) calls: bool,
}

/// The number of a block, label, register or element: texts have fewer bytes than 32 bits count.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("a text has fewer things than 32 bits count")
}

impl Code {
    /// A new group of consecutive virtual registers.
    pub(crate) fn register(&mut self, count: u32) -> Register {
        let base = number(self.groups.0.len());
        let size = u8::try_from(count).expect("groups have at most 128 registers");
        for _ in 0..count {
            self.groups.0.push((base, size));
        }
        Register(Register::FIRST_VIRTUAL + base)
    }

    /// Whether lanes let others go first at the head of a loop.
    pub(crate) fn yields(&self) -> bool {
        self.blocks.iter().any(|block| block.yields)
    }

    /// A new virtual predicate.
    pub(crate) fn predicate(&mut self) -> Predicate {
        self.predicates += 1;
        Predicate(Predicate::FIRST_VIRTUAL + self.predicates - 1)
    }

    /// A new group of consecutive virtual uniform registers.
    pub(crate) fn uniform(&mut self, count: u32) -> UniformRegister {
        let base = number(self.uniform_groups.len());
        let size = u8::try_from(count).expect("groups have at most 128 registers");
        for _ in 0..count {
            self.uniform_groups.push((base, size));
        }
        UniformRegister(UniformRegister::FIRST_VIRTUAL + base)
    }

    /// The first register of the group of a virtual register, and how many the group has.
    pub(crate) fn group(&self, register: Register) -> (Register, u32) {
        if register.is_virtual() {
            let (base, count) = self.groups.0[(register.0 - Register::FIRST_VIRTUAL) as usize];
            (Register(base + Register::FIRST_VIRTUAL), u32::from(count))
        } else {
            (register, 1)
        }
    }

    /// The first register of the group of a virtual uniform register, and how many the group has.
    pub(crate) fn uniform_group(&self, register: UniformRegister) -> (UniformRegister, u32) {
        if register.is_virtual() {
            let (base, count) = self.uniform_groups[(register.0 - UniformRegister::FIRST_VIRTUAL) as usize];
            (UniformRegister(base + UniformRegister::FIRST_VIRTUAL), u32::from(count))
        } else {
            (register, 1)
        }
    }

    /// The groups of all virtual registers.
    pub(crate) fn groups(&self) -> Groups {
        self.groups.clone()
    }

    /// The groups of all virtual registers of the warp.
    pub(crate) fn uniform_groups(&self) -> Groups {
        Groups(self.uniform_groups.clone())
    }

    /// How many virtual registers, predicates and uniform registers there are.
    pub(crate) fn counts(&self) -> [usize; 3] {
        [self.groups.0.len(), self.predicates as usize, self.uniform_groups.len()]
    }

    /// The blocks that may follow a block, the one that falls through first.
    pub(crate) fn successors(&self, block: usize) -> Vec<usize> {
        let mut next = Vec::with_capacity(2);
        let last = self.blocks[block].instructions.last();
        if last.is_none_or(Instruction::falls_through) && block + 1 < self.blocks.len() {
            next.push(block + 1);
        }
        if let Some(target) = last.and_then(branch_target)
            && !next.contains(&target)
        {
            next.push(target);
        }
        next
    }

    /// The blocks that may come before each block.
    pub(crate) fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut lists = vec![Vec::new(); self.blocks.len()];
        for block in 0..self.blocks.len() {
            for next in self.successors(block) {
                lists[next].push(block);
            }
        }
        lists
    }

    /// Changes the target of every branch.
    pub(crate) fn retarget(&mut self, map: impl Fn(usize) -> usize) {
        for instruction in self.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            for operand in &mut instruction.operands {
                if let Operand::Target(target) = operand {
                    *target = number(map(*target as usize));
                }
            }
        }
    }

    /// Every instruction, in order.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.blocks.iter().flat_map(|block| &block.instructions)
    }

    /// Every instruction with its block and where it stands there.
    pub(crate) fn places(&self) -> impl Iterator<Item = (usize, usize, &Instruction)> {
        self.blocks.iter().enumerate().flat_map(|(index, block)| {
            block.instructions.iter().enumerate().map(move |(at, instruction)| (index, at, instruction))
        })
    }

    /// How often each virtual register, predicate and uniform register is written.
    pub(crate) fn definition_counts(&self) -> DefinitionCounts {
        let [registers, predicates, uniforms] = self.counts();
        let mut counts = DefinitionCounts {
            registers: vec![0; registers],
            predicates: vec![0; predicates],
            uniforms: vec![0; uniforms],
        };
        for instruction in self.instructions() {
            for access in instruction.accesses() {
                if access.role == Role::Write {
                    counts.add(access.resource);
                }
            }
        }
        counts
    }
}

/// How often each virtual register is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct DefinitionCounts {
    registers: Vec<u32>,
    predicates: Vec<u32>,
    uniforms: Vec<u32>,
}

impl DefinitionCounts {
    fn add(&mut self, resource: Resource) {
        match resource {
            Resource::Registers(register, count) if register.is_virtual() => {
                for index in 0..count {
                    self.registers[(register.0 - Register::FIRST_VIRTUAL + index) as usize] += 1;
                }
            }
            Resource::Predicate(predicate) if predicate.is_virtual() => {
                self.predicates[(predicate.0 - Predicate::FIRST_VIRTUAL) as usize] += 1;
            }
            Resource::Uniforms(register, count) if register.is_virtual() => {
                for index in 0..count {
                    self.uniforms[(register.0 - UniformRegister::FIRST_VIRTUAL + index) as usize] += 1;
                }
            }
            _ => {}
        }
    }

    /// Whether a resource is virtual and written at most once.
    pub(crate) fn is_single(&self, resource: Resource) -> bool {
        match resource {
            Resource::Registers(register, count) if register.is_virtual() => (0..count)
                .all(|index| self.registers[(register.0 - Register::FIRST_VIRTUAL + index) as usize] <= 1),
            Resource::Predicate(predicate) if predicate.is_virtual() => {
                self.predicates[(predicate.0 - Predicate::FIRST_VIRTUAL) as usize] <= 1
            }
            Resource::Uniforms(register, count) if register.is_virtual() => (0..count).all(|index| {
                self.uniforms[(register.0 - UniformRegister::FIRST_VIRTUAL + index) as usize] <= 1
            }),
            _ => false,
        }
    }
}

/// The block a branch at the end of a block goes to. `BSSY` names a block too, but does not go there.
pub(crate) fn branch_target(instruction: &Instruction) -> Option<usize> {
    if instruction.opcode == Opcode::Bra { instruction.target().map(|target| target as usize) } else { None }
}

/// Whether an instruction ends a block.
pub(crate) fn ends_block(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::Bra | Opcode::Exit | Opcode::Bpt | Opcode::Kill | Opcode::Ret)
        && (instruction.opcode != Opcode::Exit || instruction.guard.is_always())
}

/// What a move of a whole register writes, and what it copies.
pub(crate) fn copied(instruction: &Instruction) -> Option<(Register, Register)> {
    if instruction.opcode != Opcode::Mov || instruction.operands.len() != 2 {
        return None;
    }
    match instruction.operands[1] {
        Operand::Register { register, modifier: SourceModifier::NONE, selector: Selector::Whole, .. } => {
            Some((instruction.operands[0].as_register()?, register))
        }
        _ => None,
    }
}

/// A move of a register to itself.
pub(crate) fn is_no_op(instruction: &Instruction) -> bool {
    copied(instruction).is_some_and(|(to, from)| to == from)
}

/// Puts instructions in front of those at the places given.
pub(crate) fn insert(instructions: &mut Vec<Instruction>, mut added: Vec<(usize, Instruction)>) {
    if added.is_empty() {
        return;
    }
    added.sort_by_key(|&(at, _)| at);
    let mut added = added.into_iter().peekable();
    let old = std::mem::take(instructions);
    for (index, instruction) in old.into_iter().enumerate() {
        while let Some((_, wide)) = added.next_if(|&(at, _)| at == index) {
            instructions.push(wide);
        }
        instructions.push(instruction);
    }
}

/// Replaces the registers of an instruction: operands, addresses, descriptors, indices.
pub(crate) fn map_registers(
    instruction: &mut Instruction,
    mut register: impl FnMut(Register) -> Register,
    mut predicate: impl FnMut(Predicate) -> Predicate,
    mut uniform: impl FnMut(UniformRegister) -> UniformRegister,
) {
    if let Guard::Predicate { predicate: guard, .. } = &mut instruction.guard {
        *guard = predicate(*guard);
    }
    for operand in &mut instruction.operands {
        match operand {
            Operand::Register { register: it, .. } => *it = register(*it),
            Operand::Uniform { register: it, .. } => *it = uniform(*it),
            Operand::MatrixDescriptors { registers: it, .. } => *it = uniform(*it),
            Operand::Predicate { predicate: it, .. } => *it = predicate(*it),
            Operand::Address(AddressOperand { base, uniform: offset, descriptor, .. }) => {
                *base = base.map(&mut register);
                *offset = offset.map(&mut uniform);
                *descriptor = descriptor.map(&mut uniform);
            }
            Operand::Constant(constant) => {
                use warplab_program::ConstantIndex;
                constant.index = match constant.index {
                    ConstantIndex::Register(it) => ConstantIndex::Register(register(it)),
                    ConstantIndex::Uniform(it) => ConstantIndex::Uniform(uniform(it)),
                    ConstantIndex::None => ConstantIndex::None,
                };
            }
            _ => {}
        }
    }
}

/// Whether an instruction does more than write its results: memory, barriers, control flow, clocks.
pub(crate) fn has_effect(instruction: &Instruction) -> bool {
    use Opcode::*;
    let opcode = instruction.opcode;
    if opcode.accesses_memory() {
        return !matches!(opcode, Ldg | Ld | Ldl | Lds) || is_ordered_load(instruction);
    }
    matches!(
        opcode,
        Bra | Brx
            | Brxu
            | Jmp
            | Jmx
            | Call
            | Syscall
            | Ret
            | Exit
            | Bssy
            | Bsync
            | Break
            | Bmov
            | Warpsync
            | Yield
            | Nanosleep
            | Bar
            | B2r
            | Depbar
            | Ldgdepbar
            | Utmacmdflush
            | Ublkpf
            | Fence
            | UcgabarArv
            | UcgabarWait
            | Usetmaxreg
            | Bpt
            | Kill
            | Nop
            | Membar
            | Errbar
            | Cgaerrbar
            | Shfl
            | Vote
            | Voteu
            | Match
            | Redux
            | Hmma
            | Imma
            | Dmma
            | Movm
            | Hgmma
            | Qgmma
            | Igmma
            | Warpgroup
            | Elect
            | Endcollective
    ) || reads_clock(instruction)
}

/// Whether an instruction reads a clock: its place matters.
pub(crate) fn reads_clock(instruction: &Instruction) -> bool {
    use warplab_program::SpecialRegister::{
        ActiveMask, ClockHigh, ClockLow, GlobalTimerHigh, GlobalTimerLow,
    };
    instruction.operands.iter().any(|operand| {
        matches!(
            operand,
            Operand::Special(ClockHigh | ClockLow | GlobalTimerHigh | GlobalTimerLow | ActiveMask)
        )
    })
}

/// Until control fields are set, this stall count marks a memory access that must stay in order (volatile, relaxed).
const ORDERED: u8 = 15;

/// Marks a memory access that must neither move past others nor be removed.
pub(crate) fn mark_ordered(instruction: &mut Instruction) {
    instruction.control.stall = ORDERED;
}

/// Whether a memory access must neither move past others nor be removed.
pub(crate) fn is_ordered_load(instruction: &Instruction) -> bool {
    instruction.control.stall == ORDERED
}

/// Likewise, this one marks an instruction that all lanes of a warp execute together.
const TOGETHER: u8 = 14;

/// Marks an instruction that all lanes of a warp execute together.
pub(crate) fn mark_together(instruction: &mut Instruction) {
    instruction.control.stall = TOGETHER;
}

/// Whether all lanes of a warp execute an instruction together.
pub(crate) fn is_together(instruction: &Instruction) -> bool {
    use Opcode::{Dmma, Hmma, Imma, Ldsm, Movm, Stsm};
    let opcode = instruction.opcode;
    instruction.control.stall == TOGETHER || matches!(opcode, Dmma | Hmma | Imma | Ldsm | Movm | Stsm)
}

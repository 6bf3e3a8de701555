//! Which registers an instruction reads and writes: for liveness, allocation, dependences and hazard checks.

use crate::instruction::{Guard, Instruction};
use crate::matrix::MatrixShape;
use crate::modifier::Modifier;
use crate::opcode::{Opcode, Shape};
use crate::operand::{AddressOperand, ConstantIndex, Operand, Selector};
use crate::register::{BarrierRegister, Predicate, Register, UniformPredicate, UniformRegister};
use crate::warpgroup::WarpgroupShape;
use arrayvec::ArrayVec;

/// Whether a resource is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Written. Under a guard the old value of the other lanes stays.
    Write,
    /// Read.
    Read,
}

/// Something that holds a value between instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// This many registers of a thread, from the first.
    Registers(Register, u32),
    /// This many registers of the warp, from the first.
    Uniforms(UniformRegister, u32),
    /// A predicate.
    Predicate(Predicate),
    /// All predicates.
    AllPredicates,
    /// A predicate of the warp.
    UniformPredicate(UniformPredicate),
    /// All predicates of the warp.
    AllUniformPredicates,
    /// A convergence barrier.
    Barrier(BarrierRegister),
}

/// One read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Read or written.
    pub role: Role,
    /// What.
    pub resource: Resource,
    /// The operand that names it; `None` for the guard.
    pub operand: Option<usize>,
}

/// The reads and writes of one instruction, reads and writes of `RZ`, `PT` and their like left out.
pub type Accesses = ArrayVec<Access, 24>;

impl Instruction {
    /// Every register and predicate that the instruction reads or writes.
    #[must_use]
    pub fn accesses(&self) -> Accesses {
        let mut accesses = Accesses::new();
        let guard = match self.guard {
            Guard::Predicate { predicate, .. } => Resource::Predicate(predicate),
            Guard::Uniform { predicate, .. } => Resource::UniformPredicate(predicate),
        };
        push(&mut accesses, Role::Read, guard, None);
        let written = self.written_operands();
        for (index, operand) in self.operands.iter().enumerate() {
            let role = if written >> index & 1 != 0 { Role::Write } else { Role::Read };
            let count = self.register_count(index);
            match *operand {
                Operand::Register { register, .. } => {
                    push(&mut accesses, role, Resource::Registers(register, count), Some(index));
                }
                Operand::Uniform { register, .. } => {
                    push(&mut accesses, role, Resource::Uniforms(register, count), Some(index));
                }
                Operand::Predicate { predicate, .. } => {
                    push(&mut accesses, role, Resource::Predicate(predicate), Some(index));
                }
                Operand::UniformPredicate { predicate, .. } => {
                    push(&mut accesses, role, Resource::UniformPredicate(predicate), Some(index));
                }
                Operand::AllPredicates => push(&mut accesses, role, Resource::AllPredicates, Some(index)),
                Operand::AllUniformPredicates => {
                    push(&mut accesses, role, Resource::AllUniformPredicates, Some(index));
                }
                Operand::Barrier(barrier) => {
                    push(&mut accesses, role, Resource::Barrier(barrier), Some(index))
                }
                Operand::Address(mut address) => {
                    address.wide = self.address_is_wide(&address);
                    let uniforms = self.uniform_registers(&address, index);
                    push_address(&mut accesses, &address, uniforms, index);
                }
                Operand::Constant(constant) => match constant.index {
                    ConstantIndex::None => {}
                    ConstantIndex::Register(base) => {
                        push(&mut accesses, Role::Read, Resource::Registers(base, 1), Some(index));
                    }
                    ConstantIndex::Uniform(base) => {
                        push(&mut accesses, Role::Read, Resource::Uniforms(base, 1), Some(index));
                    }
                },
                Operand::MatrixDescriptors { registers, .. } => {
                    let (first, count) = self.descriptor_registers(registers);
                    push(&mut accesses, Role::Read, Resource::Uniforms(first, count), Some(index));
                }
                Operand::Immediate(_)
                | Operand::ProductGroup(_)
                | Operand::Special(_)
                | Operand::WaitBarrier(_)
                | Operand::WaitBarriers(_)
                | Operand::Target(_) => {}
            }
        }
        accesses
    }

    /// Which operands are written: bit `i` is operand `i`.
    #[must_use]
    pub fn written_operands(&self) -> u32 {
        let is_predicate = |index: usize| {
            matches!(
                self.operands.get(index),
                Some(Operand::Predicate { .. } | Operand::UniformPredicate { .. } | Operand::AllPredicates)
            )
        };
        let leading = (0..self.operands.len()).take_while(|&index| is_predicate(index)).count();
        match self.opcode.info().shape {
            Shape::Effect => 0,
            Shape::BeforeAddress => {
                let is_address = |operand: &Operand| matches!(operand, Operand::Address(_));
                (1 << self.operands.iter().position(is_address).unwrap_or(0)) - 1
            }
            Shape::Predicates(count) => (1 << count) - 1,
            Shape::Barrier => 1,
            Shape::Compute => (1 << (leading + 1)) - 1,
            Shape::Vote => (1 << (leading + 2)) - 1,
            Shape::Carry => {
                let carries =
                    (leading + 1..self.operands.len()).take_while(|&index| is_predicate(index)).count();
                (1 << (leading + 1 + carries)) - 1
            }
        }
    }

    /// The operands that are read, by their numbers, predicates left out: the first three are those of the register file.
    pub fn source_operands(&self) -> impl Iterator<Item = usize> {
        let written = self.written_operands();
        let is_predicate = |operand: &Operand| {
            matches!(operand, Operand::Predicate { .. } | Operand::UniformPredicate { .. })
        };
        let operands = self.operands.iter().enumerate();
        operands
            .filter(move |&(index, operand)| written >> index & 1 == 0 && !is_predicate(operand))
            .map(|(index, _)| index)
    }

    /// Whether the base of an address is a pair of registers: it says so, or (`ATOMG.E.CAS PT, R4, [R2], ...`) the
    /// extended-address modifier does and nothing else is 64 bits wide.
    #[must_use]
    pub fn address_is_wide(&self, address: &AddressOperand) -> bool {
        // Of the two addresses of a copy only the one in global memory is wide, and says so.
        address.wide || self.has(Modifier::E) && !address.uniform_wide && self.opcode != Opcode::Ldgsts
    }

    /// How many registers of the warp an address takes, from the one that is named.
    fn uniform_registers(&self, address: &AddressOperand, index: usize) -> u32 {
        if self.opcode.copies_boxes() && index == 0 {
            let others = match self.opcode {
                Opcode::Utmaldg => 2,
                Opcode::Utmapf => 0,
                _ => 1,
            };
            return others + self.tensor_dimensions();
        }
        let from_shared = self.opcode == Opcode::Ublkcp && index == 1 && !self.has(Modifier::G);
        if address.uniform_wide || self.opcode.copies_in_bulk() && !from_shared { 2 } else { 1 }
    }

    /// Dimensions of the tensor of which it copies a box.
    #[must_use]
    pub fn tensor_dimensions(&self) -> u32 {
        let known = [Modifier::OneD, Modifier::TwoD, Modifier::ThreeD, Modifier::FourD, Modifier::FiveD];
        (1..).zip(known).find(|&(_, modifier)| self.has(modifier)).map_or(0, |(count, _)| count)
    }

    /// How many registers a register operand takes, from the one that is named.
    #[must_use]
    pub fn register_count(&self, index: usize) -> u32 {
        if let Some(
            Operand::Register { selector: Selector::Pair, .. }
            | Operand::Uniform { selector: Selector::Pair, .. },
        ) = self.operands.get(index)
        {
            return 2;
        }
        let registers_before = self.operands[..index]
            .iter()
            .filter(|operand| {
                !matches!(operand, Operand::Predicate { .. } | Operand::UniformPredicate { .. })
            })
            .count();
        let is_result = registers_before == 0;
        let one_or_two = |wide: bool| if wide { 2 } else { 1 };
        match self.opcode {
            Opcode::Dadd | Opcode::Dmul | Opcode::Dfma | Opcode::Dsetp => 2,
            Opcode::Uiadd3 => one_or_two(self.has(Modifier::B64)),
            Opcode::Imad | Opcode::Uimad => {
                let wide_result = self.has(Modifier::Wide) && is_result;
                let wide_addend = self.has(Modifier::Wide) || self.has(Modifier::Hi);
                one_or_two(wide_result || wide_addend && registers_before == 3)
            }
            Opcode::Cs2r => one_or_two(!self.has(Modifier::B32)),
            Opcode::I2f => {
                self.conversion_count(is_result, &[Modifier::F64], &[Modifier::U64, Modifier::S64])
            }
            Opcode::F2i => {
                self.conversion_count(is_result, &[Modifier::U64, Modifier::S64], &[Modifier::F64])
            }
            Opcode::F2f => one_or_two(self.float_conversion_is_double(is_result)),
            Opcode::Frnd => one_or_two(self.has(Modifier::F64)),
            Opcode::Ldsm => self.matrix_registers(is_result),
            Opcode::Stsm => self.matrix_registers(!is_result),
            Opcode::Hmma | Opcode::Imma | Opcode::Dmma => {
                MatrixShape::of(self).map_or(1, |shape| shape.registers(index))
            }
            Opcode::Hgmma | Opcode::Qgmma | Opcode::Igmma => {
                WarpgroupShape::of(self).map_or(1, |shape| shape.registers(self, index))
            }
            Opcode::Ldg
            | Opcode::Ld
            | Opcode::Ldl
            | Opcode::Lds
            | Opcode::Ldc
            | Opcode::Ldcu
            | Opcode::Uldc
            | Opcode::Stg
            | Opcode::St
            | Opcode::Stl
            | Opcode::Sts
            | Opcode::Stas
            | Opcode::Redas
            | Opcode::Atom
            | Opcode::Atomg
            | Opcode::Atoms
            | Opcode::Red
            | Opcode::Redg => self.data_registers(),
            Opcode::Ret | Opcode::Brx | Opcode::Jmx | Opcode::Brxu | Opcode::Call | Opcode::Lepc => 2,
            Opcode::Syscall => self.system_call_registers(registers_before),
            Opcode::Match => one_or_two(!is_result && self.has(Modifier::U64)),
            Opcode::Syncs => one_or_two(self.has(Modifier::Exch) || self.has(Modifier::Arrive) && is_result),
            _ => 1,
        }
    }

    /// Whether the result (or else the source) of `F2F` is double precision; `F2F.F64.F32` names the result first.
    fn float_conversion_is_double(&self, is_result: bool) -> bool {
        let types = &[Modifier::F64, Modifier::F32, Modifier::F16, Modifier::BF16];
        let result_is_double = self.modifiers.first_of(types) == Some(Modifier::F64);
        let doubles = self.modifiers.as_slice().iter().filter(|&&modifier| modifier == Modifier::F64).count();
        let double = if is_result { result_is_double } else { !result_is_double || doubles > 1 };
        doubles > 0 && double
    }

    fn matrix_registers(&self, holds_matrices: bool) -> u32 {
        match (holds_matrices, self.modifiers.first_of(&[Modifier::X4, Modifier::X2])) {
            (true, Some(Modifier::X4)) => 4,
            (true, Some(_)) => 2,
            _ => 1,
        }
    }

    /// How many registers the data of a memory instruction takes: 1, 2 or 4.
    #[must_use]
    pub fn data_registers(&self) -> u32 {
        let four = [Modifier::B128, Modifier::F32x4, Modifier::F16x8, Modifier::Bf16x8];
        let two = [
            Modifier::B64,
            Modifier::U64,
            Modifier::S64,
            Modifier::F64,
            Modifier::F32x2,
            Modifier::F16x4,
            Modifier::Bf16x4,
        ];
        if self.modifiers.first_of(&four).is_some() {
            4
        } else if self.has(Modifier::B96) {
            3
        } else if self.modifiers.first_of(&two).is_some() {
            2
        } else {
            1
        }
    }

    /// Registers of an operand of `SYSCALL`: a pointer or a size is a pair, the message and file of an assertion are
    /// two pairs; the result of `vprintf` and the line of an assertion are one.
    fn system_call_registers(&self, operand: usize) -> u32 {
        let assertion = self.has(Modifier::Assertfail);
        match operand {
            0 if self.has(Modifier::Malloc) => 2,
            0 => 1,
            1 if assertion => 4,
            2 if assertion => 1,
            _ => 2,
        }
    }

    fn conversion_count(&self, is_result: bool, wide_result: &[Modifier], wide_source: &[Modifier]) -> u32 {
        let wide = self.modifiers.first_of(if is_result { wide_result } else { wide_source }).is_some();
        if wide { 2 } else { 1 }
    }
}

fn push_address(accesses: &mut Accesses, address: &AddressOperand, uniforms: u32, index: usize) {
    if let Some(base) = address.base {
        push(accesses, Role::Read, Resource::Registers(base, if address.wide { 2 } else { 1 }), Some(index));
    }
    if let Some(uniform) = address.uniform {
        push(accesses, Role::Read, Resource::Uniforms(uniform, uniforms), Some(index));
    }
    if let Some(descriptor) = address.descriptor {
        push(accesses, Role::Read, Resource::Uniforms(descriptor, 2), Some(index));
    }
}

fn push(accesses: &mut Accesses, role: Role, resource: Resource, operand: Option<usize>) {
    let fixed = match resource {
        Resource::Registers(register, _) => register.is_fixed(),
        Resource::Uniforms(register, _) => register.is_fixed(),
        Resource::Predicate(predicate) => predicate.is_fixed(),
        Resource::UniformPredicate(predicate) => predicate.is_fixed(),
        Resource::AllPredicates | Resource::AllUniformPredicates | Resource::Barrier(_) => false,
    };
    if !fixed {
        accesses.push(Access { role, resource, operand });
    }
}

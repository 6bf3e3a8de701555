//! What reads a result: the columns of the latency table.

use crate::access::{Access, Resource, Role};
use crate::instruction::Instruction;
use crate::latency::Pipe;
use crate::modifier::Modifier;
use crate::opcode::Opcode;
use std::fmt;

/// What reads a result, as far as the compiler's latencies tell readers apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reader {
    /// An instruction of the integer and logic pipe.
    Alu,
    /// An instruction of the multiply-add pipe.
    Fma,
    /// An integer multiply-add with a 64-bit result that takes the value as the upper half of its addend.
    WideAddend,
    /// An instruction in packed half precision.
    Fp16,
    /// The same on the matrix pipe.
    Matrix,
    /// An instruction in double precision.
    Fp64,
    /// A product of matrices.
    Tensor,
    /// A transcendental function or conversion.
    Xu,
    /// An instruction of the load/store unit: an address or data.
    Lsu,
    /// A load from a constant bank by index.
    Adu,
    /// A branch that takes a register.
    Cbu,
    /// A vote that takes a predicate.
    Vote,
    /// The scalar datapath.
    Uniform,
    /// The guard of any instruction, or the predicate that a branch takes.
    Guard,
}

impl Reader {
    /// Every reader, in the order of its number.
    pub const ALL: [Reader; 14] = [
        Reader::Alu,
        Reader::Fma,
        Reader::WideAddend,
        Reader::Fp16,
        Reader::Matrix,
        Reader::Fp64,
        Reader::Tensor,
        Reader::Xu,
        Reader::Lsu,
        Reader::Adu,
        Reader::Cbu,
        Reader::Vote,
        Reader::Uniform,
        Reader::Guard,
    ];

    /// What an instruction is to the `part`-th register, from 0, of something that it reads.
    #[must_use]
    pub fn of(instruction: &Instruction, access: &Access, part: u32) -> Reader {
        let pipe = instruction.opcode.info().pipe;
        if is_predicate(access.resource) {
            match instruction.opcode {
                _ if access.operand.is_none() || pipe == Pipe::Cbu => return Reader::Guard,
                Opcode::Vote | Opcode::Voteu => return Reader::Vote,
                _ => {}
            }
        }
        match pipe {
            // Only the addend of a wide multiply-add is read as a pair.
            Pipe::FmaHeavy if part == 1 && access.role == Role::Read && instruction.has(Modifier::Wide) => {
                Reader::WideAddend
            }
            Pipe::Fma | Pipe::FmaHeavy => Reader::Fma,
            Pipe::Alu => Reader::Alu,
            Pipe::Fp16 if instruction.has(Modifier::Mma) => Reader::Matrix,
            Pipe::Fp16 => Reader::Fp16,
            Pipe::Fp64 => Reader::Fp64,
            Pipe::Tensor => Reader::Tensor,
            Pipe::Xu => Reader::Xu,
            // ptxas counts its source like that of an indexed constant.
            Pipe::Lsu if instruction.opcode == Opcode::Redux => Reader::Adu,
            Pipe::Lsu => Reader::Lsu,
            Pipe::Adu => Reader::Adu,
            Pipe::Cbu => Reader::Cbu,
            Pipe::Uniform => Reader::Uniform,
        }
    }

    /// Whether such a reader can read such a thing.
    #[must_use]
    pub fn reads(self, resource: Resource) -> bool {
        match self {
            Reader::Guard | Reader::Vote => is_predicate(resource),
            Reader::Uniform => matches!(resource, Resource::Uniforms(..) | Resource::UniformPredicate(_)),
            Reader::WideAddend | Reader::Cbu => !is_predicate(resource),
            _ => true,
        }
    }

    /// The unit whose results come without crossing over.
    pub(crate) fn home(self) -> Pipe {
        match self {
            Reader::Alu | Reader::Vote | Reader::Guard => Pipe::Alu,
            Reader::Fma | Reader::WideAddend => Pipe::Fma,
            Reader::Fp16 | Reader::Matrix => Pipe::Fp16,
            Reader::Fp64 => Pipe::Fp64,
            Reader::Tensor => Pipe::Tensor,
            Reader::Xu => Pipe::Xu,
            Reader::Lsu => Pipe::Lsu,
            Reader::Adu => Pipe::Adu,
            Reader::Cbu => Pipe::Cbu,
            Reader::Uniform => Pipe::Uniform,
        }
    }

    /// The name in configuration files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Reader::Alu => "alu",
            Reader::Fma => "fma",
            Reader::WideAddend => "wide_addend",
            Reader::Fp16 => "fp16",
            Reader::Matrix => "matrix",
            Reader::Fp64 => "fp64",
            Reader::Tensor => "tensor",
            Reader::Xu => "xu",
            Reader::Lsu => "lsu",
            Reader::Adu => "adu",
            Reader::Cbu => "cbu",
            Reader::Vote => "vote",
            Reader::Uniform => "uniform",
            Reader::Guard => "guard",
        }
    }
}

impl fmt::Display for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn is_predicate(resource: Resource) -> bool {
    matches!(
        resource,
        Resource::Predicate(_)
            | Resource::AllPredicates
            | Resource::UniformPredicate(_)
            | Resource::AllUniformPredicates
    )
}

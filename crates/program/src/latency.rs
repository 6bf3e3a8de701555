//! Pipes and latencies: which unit executes an opcode and when its result is there.

use crate::access::Resource;
use crate::instruction::Instruction;
use crate::matrix::MatrixShape;
use crate::modifier::Modifier;
use crate::named_list::named_list;
use crate::opcode::Opcode;
use crate::reader::Reader;

named_list! {
    /// The unit that executes an instruction.
    pub enum Pipe {
        /// Integer logic, comparison, shifts, conversions of small types.
        Alu = "alu",
        /// Single-precision floating point, on either of its two half pipes.
        Fma = "fma",
        /// Integer multiply-add: the half of the floating-point pipe that has the wide multiplier.
        FmaHeavy = "fma_heavy",
        /// Packed half precision.
        Fp16 = "fp16",
        /// Double precision.
        Fp64 = "fp64",
        /// Products of matrices: the tensor core.
        Tensor = "tensor",
        /// Transcendental functions, population count, conversions.
        Xu = "xu",
        /// Memory, shuffles and shared memory, through the input/output queue of the multiprocessor.
        Lsu = "lsu",
        /// Constants by index, special registers, block barriers: the address-divergence unit.
        Adu = "adu",
        /// Branches, convergence and warp barriers.
        Cbu = "cbu",
        /// The scalar datapath of a warp.
        Uniform = "uniform",
    }
}

named_list! {
    /// Which row of the latency table says when the result of an instruction can be read.
    pub enum LatencyClass {
        /// Integer and logic on the ALU.
        Alu = "alu",
        /// Single-precision multiply, add, multiply-add; 32-bit integer multiply-add.
        Fma = "fma",
        /// Integer multiply-add with a 64-bit result: its upper half.
        FmaWide = "fma_wide",
        /// Integer multiply-add with a 64-bit result: its lower half.
        FmaWideLow = "fma_wide_low",
        /// The carry of an integer multiply-add that gives the upper half of the product.
        FmaCarry = "fma_carry",
        /// Packed half precision.
        Fp16 = "fp16",
        /// Packed half precision on the matrix pipe.
        Fp16Matrix = "fp16_matrix",
        /// Double precision.
        Fp64 = "fp64",
        /// Products of matrices whose rows have 32 bytes: `HMMA.16816`, `HMMA.1688.TF32`, `IMMA.16832`.
        TensorLong = "tensor_long",
        /// Products of matrices whose rows have 16 bytes: `HMMA.1688`, `HMMA.1684.TF32`, `IMMA.16816`.
        TensorShort = "tensor_short",
        /// Products of eight rows of 16 bytes: `IMMA.8816`.
        TensorSmall = "tensor_small",
        /// Products of matrices in double precision: `DMMA.8x8x4`, larger ones come later.
        TensorDouble = "tensor_double",
        /// Products of warpgroups: `WARPGROUP.DEPBAR` waits for their sums, no stall count does.
        Warpgroup = "warpgroup",
        /// A predicate, until an instruction reads it as data.
        Predicate = "predicate",
        /// The predicate of a comparison in double precision, until an instruction reads it as data.
        Fp64Predicate = "fp64_predicate",
        /// A predicate, until a branch or a guard reads it.
        PredicateToBranch = "predicate_to_branch",
        /// Scalar arithmetic, until the scalar datapath reads it.
        Uniform = "uniform",
        /// Scalar arithmetic, until a vector instruction reads it.
        UniformToVector = "uniform_to_vector",
        /// Scalar moves, constants and votes, which pass no arithmetic.
        UniformMove = "uniform_move",
        /// Branches and convergence: no result, but a time until the next instruction.
        Branch = "branch",
        /// Transcendental functions, conversions, population count.
        Transcendental = "transcendental",
        /// Special registers.
        SpecialRegister = "special_register",
        /// Clock registers.
        Clock = "clock",
        /// Constants by load.
        ConstantLoad = "constant_load",
        /// Shared memory loads and shuffles.
        SharedLoad = "shared_load",
        /// Lane exchange.
        Shuffle = "shuffle",
        /// Which lanes hold the same: `MATCH`.
        LaneMatch = "lane_match",
        /// Reductions over the lanes of a warp, whose result is a register of the warp: `REDUX`.
        LaneReduction = "lane_reduction",
        /// Global, local and generic loads.
        GlobalLoad = "global_load",
        /// Atomic operations that return the old value.
        Atomic = "atomic",
        /// Stores and reductions: no result, but sources that must be read.
        Store = "store",
        /// Votes and matches.
        Vote = "vote",
        /// Barriers of a block and fences.
        Barrier = "barrier",
    }
}

impl LatencyClass {
    /// The class of what an instruction writes to one slot: to the `part`-th register of a resource, from 0.
    #[must_use]
    pub fn of_result(instruction: &Instruction, resource: Resource, part: u32) -> LatencyClass {
        let opcode = instruction.opcode;
        let class = opcode.info().latency;
        let is_predicate = matches!(resource, Resource::Predicate(_) | Resource::AllPredicates);
        match class {
            LatencyClass::Predicate if opcode.info().pipe == Pipe::Fp64 => LatencyClass::Fp64Predicate,
            LatencyClass::Alu | LatencyClass::Vote if is_predicate => LatencyClass::Predicate,
            LatencyClass::Fma if is_predicate && instruction.has(Modifier::Hi) => LatencyClass::FmaCarry,
            LatencyClass::Fma
                if !is_predicate && opcode == Opcode::Imad && instruction.has(Modifier::Wide) =>
            {
                if part == 0 { LatencyClass::FmaWideLow } else { LatencyClass::FmaWide }
            }
            LatencyClass::Fp16 if instruction.has(Modifier::Mma) => LatencyClass::Fp16Matrix,
            LatencyClass::TensorLong => match MatrixShape::of(instruction) {
                Some(shape) if shape.rows == 8 => LatencyClass::TensorSmall,
                Some(shape) if shape.row_bytes() == 16 => LatencyClass::TensorShort,
                _ => LatencyClass::TensorLong,
            },
            other => other,
        }
    }

    /// Within which unit the result is at hand without crossing over; `None` where crossing makes no difference.
    fn home(self) -> Option<Pipe> {
        match self {
            LatencyClass::Alu | LatencyClass::Clock | LatencyClass::Vote | LatencyClass::Predicate => {
                Some(Pipe::Alu)
            }
            LatencyClass::Fma | LatencyClass::FmaWide | LatencyClass::FmaCarry => Some(Pipe::Fma),
            LatencyClass::Fp16 => Some(Pipe::Fp16),
            _ => None,
        }
    }

    /// Whether the compiler must use a wait counter: the latency is not the same every time.
    #[must_use]
    pub fn is_variable(self) -> bool {
        matches!(
            self,
            LatencyClass::Transcendental
                | LatencyClass::SpecialRegister
                | LatencyClass::ConstantLoad
                | LatencyClass::TensorDouble
                | LatencyClass::SharedLoad
                | LatencyClass::Shuffle
                | LatencyClass::LaneMatch
                | LatencyClass::LaneReduction
                | LatencyClass::GlobalLoad
                | LatencyClass::Atomic
                | LatencyClass::Store
                | LatencyClass::Barrier
        )
    }
}

/// When the result of an instruction can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// Always this many cycles after issue: the compiler counts them.
    Fixed(u8),
    /// Not known when the program is written: a wait counter says when. The number is what it takes when nothing
    /// is in the way.
    Variable(u16),
}

/// A result and a reader that need another number of cycles than their class says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatencyException {
    /// The class of the result.
    pub result: LatencyClass,
    /// What reads it.
    pub reader: Reader,
    /// Cycles from the issue of the one to the issue of the other.
    pub cycles: u16,
}

/// The latencies of one machine, as the compiler knows them: stall counts and wait counters come from here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatencyTable {
    cycles: [u16; LatencyClass::COUNT],
    cross_pipe: u16,
    exceptions: Vec<LatencyException>,
}

impl LatencyTable {
    /// A table from the cycles of each class.
    pub fn from_fn(mut cycles: impl FnMut(LatencyClass) -> u16) -> LatencyTable {
        LatencyTable { cycles: LatencyClass::ALL.map(&mut cycles), cross_pipe: 0, exceptions: Vec::new() }
    }

    /// The same where a result takes so many cycles more to an instruction of another pipe.
    #[must_use]
    pub fn with_cross_pipe(self, cross_pipe: u16) -> LatencyTable {
        LatencyTable { cross_pipe, ..self }
    }

    /// The same with exceptions; of several for the same pair the first holds.
    #[must_use]
    pub fn with_exceptions(self, exceptions: impl IntoIterator<Item = LatencyException>) -> LatencyTable {
        LatencyTable { exceptions: exceptions.into_iter().collect(), ..self }
    }

    /// Cycles from issue until the result can be read (for a variable class: when nothing is in the way).
    #[must_use]
    pub fn cycles(&self, class: LatencyClass) -> u16 {
        self.cycles[class as usize]
    }

    /// Cycles from the issue of an instruction with a result of this fixed class until this reader may issue.
    #[must_use]
    pub fn cycles_to(&self, class: LatencyClass, reader: Reader) -> u16 {
        let exception = self.exceptions.iter().find(|it| it.result == class && it.reader == reader);
        if let Some(exception) = exception {
            return exception.cycles;
        }
        match (class, reader) {
            (_, Reader::Guard) => self.cycles(LatencyClass::PredicateToBranch),
            (LatencyClass::Uniform, Reader::Uniform) => self.cycles(class),
            (LatencyClass::Uniform, _) => self.cycles(LatencyClass::UniformToVector),
            _ => {
                let crosses = class.home().is_some_and(|home| home != reader.home());
                self.cycles(class).saturating_add(if crosses { self.cross_pipe } else { 0 })
            }
        }
    }

    /// Cycles until every reader may issue.
    #[must_use]
    pub fn most_cycles(&self, class: LatencyClass, resource: Resource) -> u16 {
        let readers = Reader::ALL.into_iter().filter(|reader| reader.reads(resource));
        readers.map(|reader| self.cycles_to(class, reader)).max().unwrap_or(0)
    }

    /// When the result of an instruction of this class can be read.
    #[must_use]
    pub fn latency(&self, class: LatencyClass) -> Latency {
        let cycles = self.cycles(class);
        if class.is_variable() {
            Latency::Variable(cycles)
        } else {
            Latency::Fixed(u8::try_from(cycles).unwrap_or(u8::MAX))
        }
    }
}

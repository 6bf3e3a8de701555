//! What all SMs share during one launch: the code, the constants, and what the schedulers need to know of
//! every instruction.

use crate::constants::ConstantUse;
use crate::pack;
use crate::pipes::{PipeUse, SHARED_UNIT};
use crate::register_file::{RegisterReads, ResultTime};
use crate::spec::SmSpec;
use warplab_exec::{Code, ConstantBanks, LaunchShape};
use warplab_program::opcode::OpcodeInfo;
use warplab_program::operand::{ConstantIndex, Operand, SpecialRegister};
use warplab_program::{Instruction, Kernel, LatencyClass, Modifier, Opcode, Pipe};
use warplab_trace::StallReason;
use warplab_units::WarpMask;

/// The queue through which an instruction goes to the load/store unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryClass {
    /// None: it is no memory instruction.
    None,
    /// Global, local and generic memory: `lg_throttle` when the queue is full.
    Global,
    /// Shared memory and lane exchange: `mio_throttle` when the queue is full.
    Shared,
    /// `LDGDEPBAR`, `UTMACMDFLUSH`: waits for no queue, but for the copies before it.
    CopyGroup,
}

/// What a scheduler needs to know of one instruction.
#[derive(Clone, Copy, Debug)]
pub struct IssueInfo {
    pub(crate) pipe: Pipe,
    /// What it takes of the units and of the dispatcher.
    pub(crate) taken: PipeUse,
    pub(crate) memory: MemoryClass,
    pub(crate) stall: u8,
    /// Whether other warps go first behind it.
    pub(crate) yields: bool,
    pub(crate) wait_mask: u8,
    /// `DEPBAR`: this wait counter must be at most so much.
    pub(crate) at_most: Option<(u8, u16)>,
    pub(crate) write_barrier: Option<u8>,
    pub(crate) read_barrier: Option<u8>,
    /// Cycles until the result of a variable-latency instruction outside memory.
    pub(crate) latency: u16,
    /// Instructions behind it that issue with it.
    pub(crate) packed: u8,
    /// The constant that it reads, where the machine has caches for them.
    pub(crate) constant: Option<ConstantUse>,
    pub(crate) opcode: Opcode,
    /// Whether it is a compare-and-swap.
    pub(crate) compares: bool,
    /// What it reads from the register file, where ports can be short.
    pub(crate) reads: RegisterReads,
    /// When its result comes to the register file.
    pub(crate) result: ResultTime,
    /// Cycles that it adds as lanes meet at it.
    pub(crate) meeting: u32,
    /// A register of which each further value that lanes have makes it take longer.
    pub(crate) by_value: Option<u8>,
    /// Whether it only computes at a fixed latency, so that a barrier behind its warp may not hold it back.
    pub(crate) passes_barrier: bool,
    /// Whether it is alone in its issue and all it does is to compute, so that the warp goes on after the stall count.
    pub(crate) only_computes: bool,
}

/// Everything that SMs share during one launch.
#[derive(Debug)]
pub struct LaunchSpec {
    /// The decoded kernel.
    pub code: Code,
    /// Grid, block and dynamic shared memory.
    pub shape: LaunchShape,
    /// The constant banks.
    pub constants: ConstantBanks,
    /// The kernel as it was read, for messages.
    pub kernel: Kernel,
    pub(crate) issue: Vec<IssueInfo>,
    pub(crate) warps_per_block: usize,
    /// The lanes of a whole warp, and how many these are.
    pub(crate) all_lanes: (WarpMask, u32),
    pub(crate) shared_bytes: u32,
}

impl LaunchSpec {
    /// The launch of a decoded kernel.
    #[must_use]
    pub fn new(
        spec: &SmSpec,
        kernel: Kernel,
        code: Code,
        shape: LaunchShape,
        constants: ConstantBanks,
    ) -> LaunchSpec {
        let packed = pack::packed_behind(&kernel.instructions, spec.issue.packed);
        let instructions = kernel.instructions.iter().zip(packed);
        let infos = instructions.map(|(instruction, packed)| issue_info(spec, instruction, packed));
        let issue = infos.zip(0..).map(|(info, pc)| info.with_code(&code, pc)).collect();
        let lanes = code.warp_lanes();
        let shared_bytes = kernel.static_shared_bytes + shape.dynamic_shared_bytes;
        LaunchSpec {
            code,
            shape,
            constants,
            kernel,
            issue,
            warps_per_block: shape.warps(lanes) as usize,
            all_lanes: (WarpMask::first(lanes), lanes),
            shared_bytes,
        }
    }
}

impl IssueInfo {
    /// What its warp waits for while the dispatcher holds it: where a stall count follows, the profiler takes both for one.
    pub(crate) fn held_as(&self) -> StallReason {
        if self.taken.hold > 0 && self.stall > 1 { StallReason::Wait } else { StallReason::DispatchStall }
    }

    /// With what the decoded instruction at `pc` says.
    fn with_code(self, code: &Code, pc: u32) -> IssueInfo {
        let counted = self.write_barrier.is_some() || self.read_barrier.is_some();
        let only_computes =
            code.only_computes(pc) && self.packed == 0 && self.memory == MemoryClass::None && !counted;
        IssueInfo { only_computes, ..self }
    }
}

fn issue_info(spec: &SmSpec, instruction: &Instruction, packed: u8) -> IssueInfo {
    let info = instruction.opcode.info();
    let control = instruction.control;
    let memory = match (info.pipe, info.latency) {
        _ if matches!(instruction.opcode, Opcode::Match | Opcode::Redux) => MemoryClass::None,
        (Pipe::Lsu, LatencyClass::SharedLoad | LatencyClass::Shuffle) => MemoryClass::Shared,
        (Pipe::Lsu, _) if matches!(instruction.opcode, Opcode::Sts | Opcode::Stsm | Opcode::Atoms) => {
            MemoryClass::Shared
        }
        (Pipe::Lsu, LatencyClass::Barrier) => MemoryClass::None,
        (Pipe::Lsu, _) if matches!(instruction.opcode, Opcode::Ldgdepbar | Opcode::Utmacmdflush) => {
            MemoryClass::CopyGroup
        }
        (Pipe::Lsu, _) if instruction.opcode.copies_in_bulk() => MemoryClass::Shared,
        (Pipe::Lsu, _) => MemoryClass::Global,
        _ if spec.lsu.reads_lane_numbers && reads_lane_numbers(instruction) => MemoryClass::Shared,
        _ => MemoryClass::None,
    };
    let taken = spec.pipes.of(instruction);
    IssueInfo {
        pipe: info.pipe,
        taken: if memory == MemoryClass::Shared && spec.issue.instructions > 1 {
            PipeUse { unit: SHARED_UNIT, ..taken }
        } else {
            taken
        },
        memory,
        stall: control.stall.max(1),
        yields: !control.yield_hint,
        wait_mask: control.wait_mask | instruction.awaited_counters(),
        at_most: instruction.awaited_counter(),
        write_barrier: control.write_barrier,
        read_barrier: control.read_barrier,
        latency: spec.latencies.cycles(info.latency) + spec.pipes.product_delay(instruction),
        packed,
        constant: spec.constants.as_ref().and_then(|_| constant_use(instruction)),
        opcode: instruction.opcode,
        compares: instruction.has(Modifier::Cas),
        reads: spec
            .register_file
            .as_ref()
            .map_or(RegisterReads::default(), |file| RegisterReads::new(file, instruction)),
        result: ResultTime::of(instruction),
        meeting: match instruction.opcode {
            Opcode::Bsync => spec.convergence,
            Opcode::Warpsync if instruction.has(Modifier::Collective) => spec.collective,
            Opcode::Warpsync if instruction.has(Modifier::Exclusive) => spec.exclusive_lanes,
            Opcode::Warpsync if !instruction.has(Modifier::All) => spec.named_lanes + spec.named_mask,
            _ => 0,
        },
        by_value: register_by_value(instruction),
        passes_barrier: passes_barrier(instruction),
        only_computes: false,
    }
}

/// The register of which each further value makes an instruction take longer: the masks that lanes name at a barrier, and those that
/// `MATCH` finds (measured: traces/h200/core/exclusive.txt).
fn register_by_value(instruction: &Instruction) -> Option<u8> {
    let counts = match instruction.opcode {
        Opcode::Match => instruction.has(Modifier::Any),
        Opcode::Warpsync => ![Modifier::All, Modifier::Collective, Modifier::Exclusive]
            .iter()
            .any(|&one| instruction.has(one)),
        _ => false,
    };
    match instruction.operands.first() {
        Some(Operand::Register { register, .. }) if counts && !register.is_fixed() => Some(register.0 as u8),
        _ => None,
    }
}

/// Whether an instruction issues behind a barrier that is not complete (measured: traces/h200/core/barrier.txt).
fn passes_barrier(instruction: &Instruction) -> bool {
    let OpcodeInfo { pipe, latency, .. } = *instruction.opcode.info();
    let computes =
        matches!(pipe, Pipe::Alu | Pipe::Fma | Pipe::FmaHeavy | Pipe::Fp16 | Pipe::Fp64 | Pipe::Uniform);
    let asks = matches!(latency, LatencyClass::Clock | LatencyClass::Vote | LatencyClass::UniformToVector)
        || matches!(instruction.opcode, Opcode::Uldc | Opcode::Voteu | Opcode::Nop);
    computes && !asks
}

/// Whether an instruction reads a special register that is another one for each lane: these come by the LSU (measured:
/// traces/h200/lsu, which of them are counted as wavefronts).
fn reads_lane_numbers(instruction: &Instruction) -> bool {
    use SpecialRegister as S;
    let of_lanes = |operand: &Operand| match operand {
        Operand::Special(special) => matches!(
            special,
            S::TidX
                | S::TidY
                | S::TidZ
                | S::Tid
                | S::LaneId
                | S::LaneMaskEq
                | S::LaneMaskLt
                | S::LaneMaskLe
                | S::LaneMaskGt
                | S::LaneMaskGe
        ),
        _ => false,
    };
    instruction.opcode == Opcode::S2r && instruction.operands.iter().any(of_lanes)
}

/// Whether an instruction reads a special register that is one for the warp: the unit of constant loads does so (measured:
/// core/constants.txt).
pub(crate) fn reads_warp_number(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, Opcode::S2r | Opcode::S2ur) && !reads_lane_numbers(instruction)
}

/// The constant that an instruction reads. One at the sum of a uniform register is taken to be there.
fn constant_use(instruction: &Instruction) -> Option<ConstantUse> {
    let constant = instruction.operands.iter().find_map(|operand| match operand {
        Operand::Constant(constant) => Some(constant),
        _ => None,
    })?;
    let (bank, offset) = (constant.bank, constant.offset as u32);
    let register = match constant.index {
        ConstantIndex::None => None,
        ConstantIndex::Register(register) => Some(register.0 as u8).filter(|_| !register.is_fixed()),
        ConstantIndex::Uniform(_) => return None,
    };
    Some(match instruction.opcode {
        Opcode::Ldc | Opcode::Ldcu => ConstantUse::Load { bank, offset, register },
        _ => ConstantUse::Operand { bank, offset },
    })
}

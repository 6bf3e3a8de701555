//! One instruction of one warp.

use crate::compute::compute_row;
use crate::constants::ConstantBanks;
use crate::fault::ExecFault;
use crate::memory::{AccessRecord, GlobalMemory};
use crate::op::{BarrierKind, Code, FenceScope, Op, OpKind};
use crate::semantics::flow::Flow;
use crate::semantics::lanes::Machine;
use crate::semantics::system::SystemRecord;
use crate::semantics::{bulk, calls, control, mbarrier, memory, special, tensor, warpgroup, warpwide};
use crate::state::shared::SharedMemory;
use crate::state::warp::ArchitecturalState;
use crate::wide::{LaneWork, run};
use warplab_program::SystemCall;
use warplab_units::{LaneBits, WarpMask};

/// What a warp sees besides its own state.
pub struct Environment<'a, M> {
    /// Constant banks of the launch.
    pub banks: &'a ConstantBanks,
    /// The block's shared memory.
    pub shared: &'a mut SharedMemory,
    /// Global memory.
    pub global: &'a mut M,
    /// The multiprocessor's clock.
    pub clock: u64,
    /// What the global timer makes of the clock.
    pub cycles_per_nanosecond: f64,
    /// The multiprocessor's number.
    pub sm: u32,
    /// How many multiprocessors there are.
    pub sm_count: u32,
    /// The warp's slot in the multiprocessor.
    pub warp_slot: u32,
    /// How many warp slots a multiprocessor has.
    pub warp_slots: u32,
    /// The block's coordinates.
    pub block: [u32; 3],
    /// The launch's number.
    pub grid_id: u64,
    /// Filled by every memory instruction.
    pub record: &'a mut AccessRecord,
    /// Filled by every system call.
    pub system: &'a mut SystemRecord,
}

impl<M> Environment<'_, M> {
    /// Nanoseconds since some moment.
    pub(crate) fn global_timer(&self) -> u64 {
        (self.clock as f64 / self.cycles_per_nanosecond) as u64
    }
}

/// What an instruction asks of the multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing: the path goes on with the next instruction.
    Next,
    /// A branch.
    Branched {
        /// Whether a lane took it.
        taken: bool,
        /// Whether the path split.
        diverged: bool,
        /// How many addresses lanes go to that come from registers.
        targets: u8,
    },
    /// A memory access, described in the record (no lane took part when its mask is empty).
    Memory {
        /// Whether the answer comes later, by [`ArchitecturalState::write_rows`].
        deferred: bool,
    },
    /// A copy of many lines, described in the record.
    Bulk,
    /// An instruction on a barrier in shared memory.
    Mbarrier(MbarrierStep),
    /// An instruction of a warpgroup.
    Warpgroup(WarpgroupStep),
    /// An arrival at a block barrier. Unless it only arrives, the path waits for
    /// [`ArchitecturalState::release_block_barrier`]; [`crate::BlockBarriers`] keeps the count.
    BlockBarrier {
        /// What it wants.
        kind: BarrierKind,
        /// The barrier: 0 to 15.
        id: u8,
        /// Threads that the barrier waits for, if the instruction says.
        threads: Option<u32>,
        /// Threads that count as arrived.
        arrivals: u8,
        /// For reductions: what these threads give.
        value: u8,
    },
    /// An arrival of the warp at the barrier of its cluster; or it waits until all warps of the cluster have arrived.
    ClusterBarrier {
        /// Whether it waits.
        waits: bool,
    },
    /// A fence.
    Fence {
        /// How far it reaches.
        scope: FenceScope,
    },
    /// The path has yielded, but no other one can go on.
    YieldsInVain,
    /// The path sleeps.
    Sleep {
        /// For about this long.
        nanoseconds: u32,
    },
    /// The path waits for other lanes of its warp; another path, or none, is current. Also when nothing could issue.
    Blocked,
    /// A call of the driver; what it printed or asks of the heap is in the record.
    System {
        /// Which.
        call: SystemCall,
    },
    /// Lanes ended.
    Exited {
        /// Whether they were the last.
        warp_done: bool,
    },
    /// The program asks to stop.
    Trap,
}

/// What an instruction on a barrier in shared memory asks of the multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierStep {
    /// Nothing more.
    Done,
    /// Barriers have changed: who waits for one may go on.
    Arrived,
    /// The phase of a parity of a barrier is not over. The answer, which is no so far, may wait until it is, or a while;
    /// [`ArchitecturalState::set_predicate`] makes it yes.
    Waits {
        /// The barrier.
        address: u32,
        /// The parity.
        parity: bool,
        /// The predicate that is the answer.
        predicate: u8,
    },
    /// The same for some lanes of a warp, which are told no at once; they may go on to sleep until the phase is over.
    Fails {
        /// The barrier.
        address: u32,
        /// The parity.
        parity: bool,
    },
    /// The lanes arrive when their copies so far have ended, by [`crate::copies_arrive`].
    AfterCopies {
        /// The barrier.
        address: u32,
        /// Whether a byte of each has come then; else each arrives.
        bytes: bool,
    },
}

/// What an instruction of a warpgroup asks of the multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpgroupStep {
    /// The warp has formed its rows of a product, for which its warpgroup takes the tensor cores.
    Product,
    /// It goes on when at most so many groups of products are under way.
    Wait {
        /// How many.
        most: u8,
    },
    /// The warp has given registers back, or has asked for more.
    Registers {
        /// It has asked for more.
        more: bool,
    },
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// The instruction that executed.
    pub pc: u32,
    /// The lanes of the path, whatever the guard said: what `smsp__thread_inst_executed` counts.
    pub active: WarpMask,
    /// The lanes that executed it, after the guard.
    pub mask: WarpMask,
    /// What it asks for.
    pub step: Step,
}

/// Executes the next instruction of the warp's current path.
///
/// # Errors
/// When a lane does what it must not; the warp stays at the instruction.
#[inline]
pub fn step<M: GlobalMemory>(
    code: &Code,
    warp: &mut ArchitecturalState,
    environment: &mut Environment<'_, M>,
) -> Result<Executed, ExecFault> {
    step_row(code, warp, environment, None)
}

/// The instruction on the lower row of the warp, and then on the upper if there is one; or, after `first`, only on the
/// upper, which has taken the lower one's place.
#[inline(always)]
fn step_row<M: GlobalMemory>(
    code: &Code,
    warp: &mut ArchitecturalState,
    environment: &mut Environment<'_, M>,
    first: Option<&Executed>,
) -> Result<Executed, ExecFault> {
    run(code.wide, StepRow { code, warp, environment, first })
}

/// A step as lane work.
struct StepRow<'a, 'e, M> {
    code: &'a Code,
    warp: &'a mut ArchitecturalState,
    environment: &'a mut Environment<'e, M>,
    first: Option<&'a Executed>,
}

impl<M: GlobalMemory> LaneWork for StepRow<'_, '_, M> {
    type Output = Result<Executed, ExecFault>;

    #[inline(always)]
    fn run(self) -> Result<Executed, ExecFault> {
        step_portable(self.code, self.warp, self.environment, self.first)
    }
}

#[inline(always)]
fn step_portable<M: GlobalMemory>(
    code: &Code,
    warp: &mut ArchitecturalState,
    environment: &mut Environment<'_, M>,
    first: Option<&Executed>,
) -> Result<Executed, ExecFault> {
    let here = match first {
        None => warp.paths.current().map(|path| (path.pc, path.mask)),
        Some(first) => Some((first.pc, first.active)),
    };
    let Some((pc, active)) = here else {
        return Ok(Executed { pc: 0, active: WarpMask::EMPTY, mask: WarpMask::EMPTY, step: Step::Blocked });
    };
    let Some(op) = code.ops.get(pc as usize) else { return Err(ExecFault::PastEnd) };
    let mask = first.map_or_else(|| active & warp.holds(op.guard), |first| first.mask);
    let done = |step| Executed { pc, active, mask, step };
    let lanes = mask.row(usize::from(first.is_some())).0;
    let mut machine = Machine { warp: &mut warp.lower, banks: environment.banks, op, mask: lanes };
    let mut step = Step::Next;
    match op.kind {
        OpKind::Alu(_)
        | OpKind::Float(_)
        | OpKind::Double(_)
        | OpKind::Half(_)
        | OpKind::Convert(_)
        | OpKind::Matrix(_) => {
            compute_row(code.wide, machine);
        }
        OpKind::Special(special) => special::execute(&mut machine, special, environment)?,
        OpKind::Warp(operation) => warpwide::execute(&mut machine, operation),
        OpKind::Memory(ref access) => {
            step = Step::Memory { deferred: memory::execute(&mut machine, access, environment)? };
        }
        OpKind::Mbarrier(_) | OpKind::Bulk(_) | OpKind::Box(_) | OpKind::Warpgroup(_) => {
            step = asynchronous(code, op, warp, environment, (active, lanes))?;
        }
        // A matter of the whole warp.
        OpKind::Control(control) => {
            let flow = &mut Flow { warp, banks: environment.banks, op, mask };
            return control::execute(flow, control, code).map(done);
        }
        OpKind::Call(call) => {
            let flow = &mut Flow { warp, banks: environment.banks, op, mask };
            return calls::execute(flow, call, code, environment).map(done);
        }
    }
    if first.is_some() {
        return Ok(done(step));
    }
    if warp.upper.is_some() {
        return upper_row(code, warp, environment, done(step));
    }
    warp.paths.advance();
    Ok(done(step))
}

/// An instruction on a barrier in shared memory or of a warpgroup, or a copy of many lines, on the lanes of a row of the path.
#[cold]
#[inline(never)]
fn asynchronous<M: GlobalMemory>(
    code: &Code,
    op: &Op,
    warp: &mut ArchitecturalState,
    environment: &mut Environment<'_, M>,
    (active, lanes): (WarpMask, LaneBits),
) -> Result<Step, ExecFault> {
    let alone = warp.upper.is_none() && active == warp.paths.live();
    let index = warp.index;
    let mut machine = Machine { warp: &mut warp.lower, banks: environment.banks, op, mask: lanes };
    match op.kind {
        OpKind::Warpgroup(ref op) => warpgroup::execute((code, index), &mut machine, op, environment.shared),
        OpKind::Mbarrier(ref op) => mbarrier::execute(&mut machine, op, environment, alone),
        OpKind::Bulk(ref op) => bulk::execute(&mut machine, op, environment),
        OpKind::Box(ref op) => tensor::execute(&mut machine, op, environment),
        _ => Ok(Step::Next),
    }
}

/// What the lower row of a warp has executed, the upper row executes in its place.
#[inline(never)]
fn upper_row<M: GlobalMemory>(
    code: &Code,
    warp: &mut ArchitecturalState,
    environment: &mut Environment<'_, M>,
    first: Executed,
) -> Result<Executed, ExecFault> {
    let exchange = |warp: &mut ArchitecturalState| {
        if let Some(upper) = &mut warp.upper {
            std::mem::swap(&mut warp.lower, upper);
        }
    };
    exchange(warp);
    let second = step_row(code, warp, environment, Some(&first));
    exchange(warp);
    let second = second.map_err(|fault| fault.of_row(1))?;
    warp.paths.advance();
    Ok(match (first.step, second.step) {
        (Step::Memory { deferred: true }, Step::Memory { .. }) => first,
        _ => second,
    })
}

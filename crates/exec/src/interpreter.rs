//! A functional run of a whole grid: no time, only results.

use crate::constants::{ConstantBanks, LaunchShape};
use crate::fault::{ExecFault, LaunchFault};
use crate::memory::{AccessRecord, BulkRecord};
use crate::op::Code;
use crate::semantics::system::SystemRecord;
use crate::state::barriers::BlockBarriers;
use crate::state::heap::Heap;
use crate::state::image::MemoryImage;
use crate::state::mbarrier::Arrival;
use crate::state::paths::{DivergenceModel, PathStatus};
use crate::state::printed::{Printed, PrintedLines};
use crate::state::shared::SharedMemory;
use crate::state::warp::ArchitecturalState;
use crate::step::{Environment, Executed, MbarrierStep, Step, step};
use rustc_hash::FxHashMap;
use std::ops::Range;
use warplab_program::{Kernel, Program};
use warplab_units::Address;

/// Instructions that a warp executes before the next one gets its turn.
const QUANTUM: u32 = 64;

/// How long a block may run, and how its warps diverge.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Warp instructions of one block.
    pub block_instructions: u64,
    /// How divergence is handled.
    pub divergence: DivergenceModel,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { block_instructions: 100_000_000, divergence: DivergenceModel::default() }
    }
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Instructions issued, a warp at a time.
    pub warp_instructions: u64,
    /// The same times the active lanes, whatever the guard said.
    pub thread_instructions: u64,
    /// The same times the lanes whose guard held.
    pub guarded_thread_instructions: u64,
}

/// Runs a grid on the memory image, block after block. `symbols` are the addresses of the program's variables. What
/// the threads print is lost.
///
/// # Errors
/// The first fault: in the launch, while decoding, of an instruction, a deadlock, or the instruction limit.
pub fn run(
    program: &Program,
    kernel: &Kernel,
    shape: LaunchShape,
    parameters: &[u8],
    symbols: &FxHashMap<String, Address>,
    image: &MemoryImage,
    limits: Limits,
) -> Result<Statistics, LaunchFault> {
    let launch = InterpretedLaunch { program, kernel, shape, parameters, symbols };
    run_printing(&launch, image, limits, &mut PrintedLines::default())
}

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct InterpretedLaunch<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its kernel.
    pub kernel: &'a Kernel,
    /// Grid, block and dynamic shared memory.
    pub shape: LaunchShape,
    /// The parameters as the kernel finds them.
    pub parameters: &'a [u8],
    /// The addresses of the program's variables.
    pub symbols: &'a FxHashMap<String, Address>,
}

/// The same as [`run`]; what the threads print is added to `printed`, also before a fault.
///
/// # Errors
/// As [`run`].
pub fn run_printing(
    launch: &InterpretedLaunch<'_>,
    image: &MemoryImage,
    limits: Limits,
    printed: &mut PrintedLines,
) -> Result<Statistics, LaunchFault> {
    let &InterpretedLaunch { program, kernel, shape, parameters, symbols } = launch;
    let code = &Code::decode(kernel).map_err(LaunchFault::Decode)?;
    let banks = &ConstantBanks::load(program, kernel, &shape, parameters, symbols)?;
    let mut heap = Heap::new(image);
    run_blocks(
        &DecodedLaunch { kernel, code, banks, shape },
        0..shape.blocks(),
        image,
        &mut heap,
        limits,
        printed,
    )
}

/// What is run, already decoded.
#[derive(Clone, Copy, Debug)]
pub struct DecodedLaunch<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its code.
    pub code: &'a Code,
    /// The constant banks of the launch.
    pub banks: &'a ConstantBanks,
    /// Grid, block and dynamic shared memory.
    pub shape: LaunchShape,
}

/// Runs some blocks of a grid, one after the other; what the threads print is added to `printed`, also before a fault.
///
/// # Errors
/// As [`run`].
pub fn run_blocks(
    launch: &DecodedLaunch<'_>,
    blocks: Range<u64>,
    image: &MemoryImage,
    heap: &mut Heap,
    limits: Limits,
    printed: &mut PrintedLines,
) -> Result<Statistics, LaunchFault> {
    let &DecodedLaunch { kernel, code, banks, shape } = launch;
    if shape.threads() == 0 || shape.threads() > 1024 || shape.blocks() == 0 {
        let message = format!("a block of {} threads, {} blocks", shape.threads(), shape.blocks());
        return Err(LaunchFault::Launch { kernel: kernel.name.clone(), message });
    }
    if kernel.cluster_blocks() > 1 {
        let message = "runs in clusters of several blocks, which are not executed without time".to_owned();
        return Err(LaunchFault::Launch { kernel: kernel.name.clone(), message });
    }
    let warp = |index| ArchitecturalState::new(code, &shape, index, limits.divergence);
    let mut grid = Grid {
        kernel,
        code,
        banks,
        shape,
        image,
        limits,
        shared: SharedMemory::new(kernel.static_shared_bytes + shape.dynamic_shared_bytes),
        warps: (0..shape.warps(code.warp_lanes())).map(warp).collect(),
        record: AccessRecord::default(),
        system: SystemRecord::default(),
        heap,
        printed,
        number: 0,
        statistics: Statistics::default(),
    };
    for number in blocks {
        grid.number = number;
        grid.block(shape.block_index(number))?;
    }
    Ok(grid.statistics)
}

/// [`step`] on the device memory image itself, without a simulator's overlay. It is compiled here, once; [`step`] is compiled
/// again by every crate that calls it.
///
/// # Errors
/// As [`step`].
#[inline(never)]
pub fn step_on_image(
    code: &Code,
    warp: &mut ArchitecturalState,
    environment: &mut Environment<'_, &MemoryImage>,
) -> Result<Executed, ExecFault> {
    step(code, warp, environment)
}

struct Grid<'a> {
    kernel: &'a Kernel,
    code: &'a Code,
    banks: &'a ConstantBanks,
    shape: LaunchShape,
    image: &'a MemoryImage,
    limits: Limits,
    shared: SharedMemory,
    warps: Vec<ArchitecturalState>,
    record: AccessRecord,
    system: SystemRecord,
    heap: &'a mut Heap,
    printed: &'a mut PrintedLines,
    /// The block that runs.
    number: u64,
    statistics: Statistics,
}

impl Grid<'_> {
    fn block(&mut self, block: [u32; 3]) -> Result<(), LaunchFault> {
        self.shared.clear();
        for (index, warp) in self.warps.iter_mut().enumerate() {
            warp.restart(&self.shape, index as u32);
        }
        let mut barriers = BlockBarriers::default();
        let start = self.statistics.warp_instructions;
        loop {
            let before = self.statistics.warp_instructions;
            for index in 0..self.warps.len() {
                self.turn(index, block, &mut barriers)?;
            }
            let instructions = self.statistics.warp_instructions - start;
            if self.warps.iter().all(|warp| warp.paths.is_done()) {
                return Ok(());
            }
            let kernel = self.kernel.name.clone();
            if self.statistics.warp_instructions == before {
                return Err(LaunchFault::Deadlock { kernel, block, report: self.report() });
            }
            if instructions > self.limits.block_instructions {
                return Err(LaunchFault::Limit { kernel, block, instructions, report: self.report() });
            }
        }
    }

    /// One warp executes until it waits, ends, or has had its quantum.
    fn turn(
        &mut self,
        index: usize,
        block: [u32; 3],
        barriers: &mut BlockBarriers,
    ) -> Result<(), LaunchFault> {
        for _ in 0..QUANTUM {
            let Some(path) = self.warps[index].paths.current().copied() else { return Ok(()) };
            let mut global = self.image;
            let mut environment = Environment {
                banks: self.banks,
                shared: &mut self.shared,
                global: &mut global,
                clock: self.statistics.warp_instructions,
                cycles_per_nanosecond: 1.0,
                sm: 0,
                sm_count: 1,
                warp_slot: index as u32,
                warp_slots: 64,
                block,
                grid_id: 1,
                record: &mut self.record,
                system: &mut self.system,
            };
            let done = step_on_image(self.code, &mut self.warps[index], &mut environment)
                .map_err(|fault| self.located(fault, path.pc, index, path.mask.lowest(), block))?;
            self.statistics.warp_instructions += 1;
            self.statistics.thread_instructions += u64::from(done.active.count());
            self.statistics.guarded_thread_instructions += u64::from(done.mask.count());
            match done.step {
                Step::BlockBarrier { kind, id, threads, arrivals, value } => {
                    barriers.arrive(index as u32, kind, id, threads, arrivals, value);
                    self.release(id, barriers);
                }
                Step::Exited { .. } => {
                    for id in 0..crate::state::barriers::COUNT as u8 {
                        self.release(id, barriers);
                    }
                }
                Step::Trap => {
                    let address = u64::from(done.pc) * 16;
                    return Err(LaunchFault::Trap { kernel: self.kernel.name.clone(), address, block });
                }
                Step::System { .. } => {
                    self.system_call(index)
                        .map_err(|fault| self.located(fault, path.pc, index, path.mask.lowest(), block))?;
                }
                Step::Mbarrier(MbarrierStep::AfterCopies { address, bytes }) => {
                    crate::copies_arrive(&mut self.shared, address, done.mask.count(), bytes)
                        .map_err(|fault| self.located(fault, path.pc, index, path.mask.lowest(), block))?;
                }
                Step::Bulk => self
                    .bulk_done()
                    .map_err(|fault| self.located(fault, path.pc, index, path.mask.lowest(), block))?,
                Step::Sleep { .. } | Step::Mbarrier(MbarrierStep::Waits { .. }) => return Ok(()),
                _ => {}
            }
        }
        Ok(())
    }

    /// What a bulk copy has brought has come to its barrier.
    fn bulk_done(&mut self) -> Result<(), ExecFault> {
        let Some(copy) = self.record.bulk.take() else { return Ok(()) };
        let BulkRecord { kind, bytes, barrier, .. } = *copy;
        if !kind.tells_a_barrier() {
            return Ok(());
        }
        self.shared.arrive(barrier, Arrival { bytes: -i64::from(bytes), ..Arrival::default() })
    }

    /// What a warp printed is kept, what it asks of the heap is done.
    fn system_call(&mut self, index: usize) -> Result<(), ExecFault> {
        let warp = &mut self.warps[index];
        let lines = self.system.take_lines(warp);
        if !lines.is_empty() {
            let cycle = self.statistics.warp_instructions;
            self.printed.push(Printed { cycle, block: self.number, lines });
        }
        for request in self.system.take_heap_requests() {
            let row = usize::from(request.row);
            let places = self.heap.serve(&request, self.image).map_err(|fault| fault.of_row(row))?;
            if let Some(register) = request.destination {
                warp.write_rows(request.row, u32::from(register), &places, request.mask);
            }
        }
        Ok(())
    }

    fn release(&mut self, id: u8, barriers: &mut BlockBarriers) {
        if let Some(released) = barriers.complete(id, self.warps.iter().map(|warp| &warp.paths)) {
            for (index, warp) in self.warps.iter_mut().enumerate() {
                if released.warps >> index & 1 != 0 {
                    warp.release_block_barrier(id, released.result);
                }
            }
        }
    }

    fn located(
        &self,
        fault: ExecFault,
        pc: u32,
        index: usize,
        lowest: Option<usize>,
        block: [u32; 3],
    ) -> LaunchFault {
        let lane = fault.lane().map_or(lowest.unwrap_or(0), usize::from);
        let instruction = self.kernel.instructions.get(pc as usize);
        LaunchFault::Exec {
            kernel: self.kernel.name.clone(),
            address: u64::from(pc) * 16,
            line: instruction.map_or(0, |instruction| instruction.origin.line),
            instruction: instruction.map_or(String::new(), warplab_program::listing::instruction_text),
            block,
            thread: self.warps[index].thread(lane),
            fault,
        }
    }

    fn report(&self) -> String {
        let mut text = String::new();
        for warp in &self.warps {
            for path in warp.paths.all() {
                let instruction = self.kernel.instructions.get(path.pc as usize);
                let instruction =
                    instruction.map_or(String::new(), warplab_program::listing::instruction_text);
                let what = match path.status {
                    PathStatus::Runnable | PathStatus::Yielded => "can run".to_owned(),
                    PathStatus::AtConvergence(barrier) => format!("waits for the lanes of B{barrier}"),
                    PathStatus::AtWarpsync(mask) | PathStatus::AtCollective { mask, .. } => {
                        format!("waits for lanes {mask}")
                    }
                    PathStatus::InCollective => "is in a collective region".to_owned(),
                    PathStatus::AtBlockBarrier(id) => format!("waits at block barrier {id}"),
                };
                let address = u64::from(path.pc) * 16;
                text += &format!(
                    "\n  warp {} lanes {} at {address:#x} {instruction}: {what}",
                    warp.index, path.mask
                );
            }
        }
        text
    }
}

//! From a program, a machine and a launch to what the chip runs; every reason why it cannot run, before it runs.

use crate::fault::RunFault;
use crate::timeline::TimelineRecording;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use warplab_config::GpuConfig;
use warplab_config::launch::Dimensions;
use warplab_config::occupancy::{KernelResources, Occupancy, occupancy};
use warplab_exec::{Code, ConstantBanks, LaunchFault, LaunchShape, WARPGROUP_WARPS};
use warplab_program::{Instruction, Kernel, Opcode, Pipe, Program};
use warplab_sm::{HazardTable, LaunchSpec, SmSpec};
use warplab_units::Address;

/// A launch as it is asked for, before it is checked against a machine.
#[derive(Clone, Debug)]
pub struct LaunchRequest<'a> {
    /// The program.
    pub program: &'a Program,
    /// The kernel's name.
    pub kernel: &'a str,
    /// Grid, block and dynamic shared memory.
    pub shape: LaunchShape,
    /// The parameters as the kernel finds them in constant memory.
    pub parameters: &'a [u8],
    /// Where the program's global variables lie.
    pub symbols: &'a FxHashMap<String, Address>,
}

/// How a launch is run and what is recorded of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaunchOptions {
    /// The launch stops with a report after so many cycles; with 0 after
    /// [`DEFAULT_MAX_INSTRUCTIONS`](crate::DEFAULT_MAX_INSTRUCTIONS) without a block that came or ended.
    pub max_cycles: u64,
    /// What to record of the warps' states.
    pub timeline: Option<TimelineRecording>,
    /// Whether to check that no register is read before its result has been written.
    pub check_hazards: bool,
    /// Whether a grid of many alike blocks is simulated only until it is steady.
    pub sample: bool,
}

/// A launch that fits the machine.
#[derive(Clone, Debug)]
pub struct PreparedLaunch {
    pub(crate) spec: Arc<SmSpec>,
    pub(crate) launch: Arc<LaunchSpec>,
    pub(crate) hazards: Arc<HazardTable>,
    /// Whether the kernel may wait for what other SMs store: the sooner they see it, the better.
    pub(crate) waits_for_stores: bool,
    /// Cycles that a message takes at least between SMs of a cluster of blocks, if the launch has clusters.
    pub(crate) peer_way: Option<u64>,
    /// How many blocks fit on an SM, and why not more.
    pub occupancy: Occupancy,
}

/// Checks a launch against a machine and decodes its kernel.
///
/// # Errors
/// When the kernel is unknown, cannot be decoded, or does not fit.
pub fn prepare(config: &GpuConfig, launch: &LaunchRequest<'_>) -> Result<PreparedLaunch, RunFault> {
    let kernel = launch.program.kernel(launch.kernel).ok_or_else(|| unknown_kernel(launch))?;
    if let Some(message) = machine_fault(config) {
        return Err(fault(kernel, message));
    }
    check_shape(config, kernel, &launch.shape)?;
    check_units(config, kernel)?;
    check_clusters(config, kernel, launch.shape.grid)?;
    let resources = resources(kernel, &launch.shape);
    let occupancy = occupancy(&config.limits, &resources);
    if occupancy.blocks == 0 {
        return Err(does_not_fit(config, kernel, &resources));
    }
    let code =
        Code::decode(kernel).map_err(|faults| RunFault::Launch(Box::new(LaunchFault::Decode(faults))))?;
    let code = code.with_warp_rows(config.warp_rows());
    if config.warp_rows() > 1 && code.saves_barriers() {
        let why = "keeps convergence barriers over calls of functions, which is simulated for warps of 32 lanes only";
        return Err(fault(kernel, why.to_owned()));
    }
    let waits_for_stores = code.has_strong_loads();
    let constants =
        ConstantBanks::load(launch.program, kernel, &launch.shape, launch.parameters, launch.symbols)
            .map_err(|fault| RunFault::Launch(Box::new(fault)))?;
    let spec =
        Arc::new(SmSpec::new(config, occupancy.carveout_kib, others_of_cluster(config, &launch.shape)));
    let hazards = Arc::new(HazardTable::new(kernel, spec.latencies()));
    let launch = Arc::new(LaunchSpec::new(&spec, kernel.clone(), code, launch.shape, constants));
    let clusters = config.multiprocessor.block_clusters.filter(|_| kernel.cluster.is_some());
    let peer_way = clusters.map(|clusters| u64::from(clusters.way.min(clusters.barrier).max(1)));
    Ok(PreparedLaunch { spec, launch, hazards, waits_for_stores, peer_way, occupancy })
}

/// How many SMs beside one of a cluster run a launch: its blocks go to the clusters in turn.
fn others_of_cluster(config: &GpuConfig, shape: &LaunchShape) -> u64 {
    let sms = shape.blocks().min(u64::from(config.limits.multiprocessors));
    sms.div_ceil(config.sm_clusters().len().max(1) as u64).saturating_sub(1)
}

/// How many blocks of a launch fit on an SM of a machine.
#[must_use]
pub fn launch_occupancy(config: &GpuConfig, kernel: &Kernel, shape: &LaunchShape) -> Occupancy {
    occupancy(&config.limits, &resources(kernel, shape))
}

fn resources(kernel: &Kernel, shape: &LaunchShape) -> KernelResources {
    KernelResources {
        registers: kernel.registers,
        static_shared: kernel.static_shared_bytes,
        dynamic_shared: shape.dynamic_shared_bytes,
        threads_per_block: shape.threads(),
        scalar_registers: 0,
    }
}

/// Why no kernel runs on a machine, in a sentence; none where they do.
#[must_use]
pub fn machine_fault(config: &GpuConfig) -> Option<String> {
    let why = config.cannot_run()?;
    Some(format!("{} cannot run kernels: it {why}; see 'warplab gpu list'", config.name))
}

fn fault(kernel: &Kernel, message: String) -> RunFault {
    RunFault::Launch(Box::new(LaunchFault::Launch { kernel: kernel.name.clone(), message }))
}

fn unknown_kernel(launch: &LaunchRequest<'_>) -> RunFault {
    let names: Vec<&str> = launch.program.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    let message = format!("there is no such kernel; the program has: {}", names.join(", "));
    RunFault::Launch(Box::new(LaunchFault::Launch { kernel: launch.kernel.to_owned(), message }))
}

/// Whether the machine has all units that a kernel needs.
fn check_units(config: &GpuConfig, kernel: &Kernel) -> Result<(), RunFault> {
    check_asynchronous(config, kernel)?;
    check_warpgroups(config, kernel)?;
    let tensor = config.multiprocessor.pipes.tensor;
    let mut products = kernel.instructions.iter().filter(|it| it.opcode.info().pipe == Pipe::Tensor);
    let lacks = |instruction: &&Instruction| match tensor {
        Some(core) => instruction.opcode == Opcode::Dmma && core.double.is_none(),
        None => true,
    };
    match products.find(lacks) {
        Some(instruction) => {
            let (name, line) = (instruction.opcode.name(), instruction.origin.line);
            let of_which = if tensor.is_some() { " for double precision" } else { "" };
            let message = format!(
                "{name} in line {line} needs tensor cores{of_which}, which {} has not; 'warplab gpu list' names the machines, \
                 and 'pipes.tensor' gives a machine tensor cores",
                config.name
            );
            Err(fault(kernel, message))
        }
        None => Ok(()),
    }
}

/// Barriers in shared memory and bulk copies that a kernel has and the machine has not.
fn check_asynchronous(config: &GpuConfig, kernel: &Kernel) -> Result<(), RunFault> {
    let sm = &config.multiprocessor;
    let lacks = |instruction: &&Instruction| match instruction.opcode {
        Opcode::Syncs | Opcode::Arrives => sm.mbarriers.is_none(),
        opcode => opcode.copies_in_bulk() && sm.bulk_copies.is_none(),
    };
    let Some(instruction) = kernel.instructions.iter().find(lacks) else { return Ok(()) };
    let (what, field) = match instruction.opcode.copies_in_bulk() {
        true => ("bulk copies", "bulk_copies"),
        false => ("barriers in shared memory (mbarrier)", "mbarriers"),
    };
    let message = format!(
        "{} in line {} needs {what}, which {} has not; 'warplab gpu list' names the machines, and \
         'multiprocessor.{field}' gives a machine some",
        instruction.opcode.name(),
        instruction.origin.line,
        config.name
    );
    Err(fault(kernel, message))
}

/// Clusters of blocks that a machine has not, or not of this size, or that do not fill the grid.
fn check_clusters(config: &GpuConfig, kernel: &Kernel, grid: [u32; 3]) -> Result<(), RunFault> {
    let Some([x, y, z]) = kernel.cluster else { return Ok(()) };
    let (name, blocks) = (&config.name, kernel.cluster_blocks());
    let Some(clusters) = config.multiprocessor.block_clusters.filter(|_| config.warp_rows() == 1) else {
        let message = format!(
            "the kernel runs in clusters of {x} x {y} x {z} blocks, which {name} has not; 'warplab gpu list' names the \
             machines, and 'multiprocessor.block_clusters' gives a machine with warps of 32 lanes some"
        );
        return Err(fault(kernel, message));
    };
    if blocks > clusters.blocks {
        let most = clusters.blocks;
        return Err(fault(kernel, format!("clusters of {blocks} blocks; {name} allows {most}")));
    }
    if !grid.iter().zip([x, y, z]).all(|(blocks, of_cluster)| blocks.is_multiple_of(of_cluster)) {
        let [a, b, c] = grid;
        let message = format!(
            "a grid of {a} x {b} x {c} blocks is not made of clusters of {x} x {y} x {z}; make it a multiple in each direction"
        );
        return Err(fault(kernel, message));
    }
    Ok(())
}

/// Products of warpgroups that a kernel has and the machine has not.
fn check_warpgroups(config: &GpuConfig, kernel: &Kernel) -> Result<(), RunFault> {
    let Some(product) = kernel.instructions.iter().find(|it| it.is_warpgroup_product()) else {
        return Ok(());
    };
    let (name, line) = (product.opcode.name(), product.origin.line);
    if config.multiprocessor.warpgroups.is_none() {
        let message = format!(
            "{name} in line {line} needs products of warpgroups (wgmma), which {} has not; 'warplab gpu list' names the \
             machines, and 'multiprocessor.warpgroups' gives a machine some",
            config.name
        );
        return Err(fault(kernel, message));
    }
    if config.warp_rows() > 1 || config.limits.sub_partitions != WARPGROUP_WARPS {
        let message = format!(
            "{name} in line {line} is a product of a warpgroup (wgmma): it takes four warps of 32 lanes on four sub-partitions, \
             and {} has warps of {} lanes and {} sub-partitions",
            config.name, config.limits.warp_lanes, config.limits.sub_partitions
        );
        return Err(fault(kernel, message));
    }
    Ok(())
}

fn check_shape(config: &GpuConfig, kernel: &Kernel, shape: &LaunchShape) -> Result<(), RunFault> {
    let limits = &config.limits;
    check_grid(config, kernel, shape.grid)?;
    let [x, y, z] = shape.block;
    let threads = u64::from(x).saturating_mul(u64::from(y)).saturating_mul(u64::from(z));
    if threads == 0 || shape.grid.contains(&0) {
        return Err(fault(kernel, "the grid and the block need at least one of everything".to_owned()));
    }
    if threads > u64::from(limits.threads_per_block) {
        let most = limits.threads_per_block;
        return Err(fault(
            kernel,
            format!("a block of {x} x {y} x {z} = {threads} threads; {} allows {most}", config.name),
        ));
    }
    if let Some(required) = kernel.required_block
        && required != shape.block
    {
        let [a, b, c] = required;
        return Err(fault(
            kernel,
            format!("a block of {x} x {y} x {z}; the kernel requires {a} x {b} x {c}"),
        ));
    }
    if let Some(most) = kernel.max_block {
        let most_threads: u32 = most.iter().product();
        if threads > u64::from(most_threads) {
            return Err(fault(
                kernel,
                format!("a block of {threads} threads; the kernel allows {most_threads}"),
            ));
        }
    }
    if kernel.registers > limits.registers_per_thread {
        let most = limits.registers_per_thread;
        return Err(fault(
            kernel,
            format!("{} registers per thread; {} allows {most}", kernel.registers, config.name),
        ));
    }
    let shared = u64::from(kernel.static_shared_bytes) + u64::from(shape.dynamic_shared_bytes);
    if shared > u64::from(limits.shared_bytes_per_block) {
        let most = limits.shared_bytes_per_block;
        return Err(fault(
            kernel,
            format!("{shared} bytes of shared memory per block; {} allows {most}", config.name),
        ));
    }
    Ok(())
}

fn check_grid(config: &GpuConfig, kernel: &Kernel, grid: [u32; 3]) -> Result<(), RunFault> {
    let Dimensions(a, b, c) = config.limits.grid;
    let [x, y, z] = grid;
    if x > a || y > b || z > c {
        let message =
            format!("a grid of {x} x {y} x {z} blocks; {} allows at most {a} x {b} x {c}", config.name);
        return Err(fault(kernel, message));
    }
    Ok(())
}

fn does_not_fit(config: &GpuConfig, kernel: &Kernel, resources: &KernelResources) -> RunFault {
    let shared = resources.static_shared + resources.dynamic_shared;
    let (registers, threads) = (resources.registers, resources.threads_per_block);
    fault(
        kernel,
        format!(
            "no block of {threads} threads with {registers} registers each and {shared} bytes of shared memory fits \
             on a multiprocessor of {} ({} registers, {} bytes)",
            config.name, config.limits.registers, config.limits.shared_bytes
        ),
    )
}

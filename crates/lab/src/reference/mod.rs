//! What real hardware did: launches with their data, checksums, clock readings and profiler metrics.
//!
//! A reference `NAME` is `NAME.cases.jsonl` (one launch a line), `NAME.metrics.csv` (one launch a row: case, kernel,
//! then metrics by id) and a program `NAME.sass`, `.cubin` or `.ptx`.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod line;
mod metrics;

use crate::pool::Need;
use rustc_hash::FxHashMap;
use warplab_config::GpuConfig;
use warplab_config::launch::{Argument, BufferSpec};
use warplab_diagnostics::{Diagnostic, Source};
use warplab_exec::{LaunchShape, MemoryImage};
use warplab_gpu::RunOptions;
use warplab_metrics::whole_number;
use warplab_program::Program;
use warplab_run::{
    Fault, LoadedWorkload, NO_SYMBOLS, Simulated, Workload, buffer_bytes, load, no_files, simulate,
};

/// The buffer of a case into which its kernel writes what it reads from the clock.
pub(crate) const CLOCK_BUFFER: &str = "cycles";

/// The checksum of an output buffer: the wrapping sum and the exclusive or of its words' hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checksum {
    /// The buffer.
    pub buffer: String,
    /// Sum of hashes.
    pub sum: u64,
    /// Exclusive or of hashes.
    pub xor: u64,
}

/// One launch that hardware executed.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// The kernel.
    pub kernel: String,
    /// Grid, block and dynamic shared memory.
    pub shape: LaunchShape,
    /// Buffers that no argument declares, allocated before those of the arguments: also what the program held beside them.
    pub buffers: Vec<BufferSpec>,
    /// Bytes that the profiler had written before the case ran, and that were in L2 still.
    pub left_dirty: u64,
    /// The arguments, in order.
    pub arguments: Vec<Argument>,
    /// The checksums of output buffers on the hardware.
    pub checksums: Vec<Checksum>,
    /// What the hardware read from its clock: the first words of the buffer `cycles`; empty if the kernel did not.
    pub clock: Vec<u64>,
    /// What the profiler measured, by metric id; empty for kernels that read the clock.
    pub metrics: FxHashMap<String, f64>,
}

/// Reads the launches of a reference and what the profiler measured.
///
/// # Errors
/// All faults of the first of the two texts that has any.
pub fn read(cases: &Source, metrics: &Source) -> Result<Vec<Case>, Fault> {
    let mut faults = Vec::new();
    let mut found = line::read_all(cases, &mut faults);
    no_errors(cases, faults)?;
    let mut faults = Vec::new();
    let mut measured = metrics::read(metrics, &mut faults);
    no_errors(metrics, faults)?;
    for case in &mut found {
        case.metrics = measured.remove(&case.name).unwrap_or_default();
    }
    Ok(found)
}

fn no_errors(source: &Source, faults: Vec<Diagnostic>) -> Result<(), Fault> {
    if faults.is_empty() { Ok(()) } else { Err(Fault::Diagnostics(source.clone(), faults)) }
}

impl Case {
    /// The case as a workload of a program.
    #[must_use]
    pub fn workload<'a>(&'a self, program: &'a Program) -> Workload<'a> {
        Workload {
            program,
            kernel: &self.kernel,
            shape: self.shape,
            arguments: &self.arguments,
            buffers: &self.buffers,
            symbols: &NO_SYMBOLS,
        }
    }

    /// Makes the case ready to run on a machine.
    ///
    /// # Errors
    /// Why it cannot run.
    pub fn load(&self, config: &GpuConfig, program: &Program) -> Result<LoadedWorkload, Fault> {
        load(config, &self.workload(program), &no_files)
    }

    /// Runs the case on a machine.
    ///
    /// # Errors
    /// Why it did not run to its end.
    pub fn simulate(
        &self,
        config: &GpuConfig,
        program: &Program,
        options: RunOptions<'_>,
    ) -> Result<Simulated, Fault> {
        let options = RunOptions { left_dirty: self.left_dirty, ..options };
        simulate(config, &self.workload(program), &no_files, options)
    }

    /// The output buffers whose checksum differs from the hardware's.
    #[must_use]
    pub fn wrong_outputs(&self, image: &MemoryImage) -> Vec<&str> {
        let differs = |checksum: &&Checksum| {
            let buffer = image.buffer(&checksum.buffer);
            buffer.is_none_or(|buffer| {
                image.checksum(buffer, 0..buffer.words()) != (checksum.sum, checksum.xor)
            })
        };
        self.checksums.iter().filter(differs).map(|checksum| checksum.buffer.as_str()).collect()
    }

    /// Warp instructions that the hardware executed; unknown for kernels that read the clock.
    #[must_use]
    pub fn warp_instructions(&self) -> Option<u64> {
        self.metrics.get("smsp__inst_executed.sum").map(|&count| whole_number(count))
    }

    /// Whether the case belongs to the quick ones: at most two million warp instructions on the hardware.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        self.warp_instructions().is_none_or(|count| count <= 2_000_000)
    }

    /// Bytes of all buffers.
    #[must_use]
    pub fn buffer_bytes(&self) -> u64 {
        buffer_bytes(&self.arguments, &[])
    }

    /// How long the case takes to simulate beside others, in no particular unit.
    #[must_use]
    pub fn weight(&self) -> u64 {
        self.buffer_bytes() / 128 + self.warp_instructions().unwrap_or(0)
    }

    /// What its simulation needs.
    #[must_use]
    pub fn need(&self) -> Need {
        Need { cost: self.weight(), memory_bytes: self.buffer_bytes() }
    }

    /// Which of the words of `clock` are readings of the clock. Kernels write pairs of a value and a reading, or the
    /// reading alone again and again; words that were not written are zero.
    pub(crate) fn clock_readings(&self) -> impl Iterator<Item = usize> {
        (1..self.clock.len()).step_by(2).filter(|&word| self.clock[word] != 0)
    }
}

//! PTX tree to machine program, pass by pass: a small ptxas.
//!
//! [`lower()`] flattens every kernel (calls inlined, but for those that cannot be: `calls.rs`), selects machine instructions on virtual registers, cleans them up,
//! unrolls loops, turns short branches into guards, inserts convergence barriers, orders the instructions, gives them registers and
//! sets their control fields. [`LowerOptions::passes`] switches the passes that are not needed for a right program, and
//! [`LowerOptions::dump`] shows the code after each.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod aggregate;
mod ahead;
mod alike;
mod allocate;
mod balance;
mod behind;
mod calls;
mod clean;
mod code;
mod cold;
mod common;
mod constants;
mod control;
mod counters;
mod dead;
mod divergence;
mod doubles;
mod dump;
mod empty_loads;
mod expand;
mod far_results;
mod fit;
mod flat;
mod fold;
mod frames;
mod functions;
mod globals;
mod graph;
mod halves;
mod ignored;
mod inline;
mod instructions;
mod known;
mod legal;
mod limits;
mod link;
mod liveness;
mod logic;
mod masks;
mod motion;
mod neighbours;
mod offsets;
mod parameters;
mod passes;
mod permute;
mod pipeline;
mod predicate;
mod reconverge;
mod remake;
mod reread;
mod reuse;
mod schedule;
mod select;
mod settle;
mod spill;
mod sums;
mod system;
mod tables;
mod turns;
mod twins;
mod uniform;
mod unroll;
mod vectorise;
mod wmma;
mod zeros;

pub use instructions::{Description, describe};
pub use passes::{Pass, PassSet};

use warplab_diagnostics::{Diagnostic, Source};
use warplab_program::{Program, RefusedKernel, Target};
use warplab_ptx::tree::Module;

/// How to lower.
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// The machine that the program is for.
    pub target: Target,
    /// The passes that run.
    pub passes: PassSet,
    /// The passes after which the code is kept as text.
    pub dump: PassSet,
    /// Whether a sum takes a product that it adds into a fused multiply-add, where neither names a rounding mode: the
    /// result is rounded once instead of twice (`ptxas -fmad`).
    pub contracts: bool,
    /// Blocks of a cluster that the launch asks for, for kernels that do not say it themselves.
    pub cluster: Option<[u32; 3]>,
}

impl LowerOptions {
    /// All passes for a machine, with contraction, as ptxas compiles.
    #[must_use]
    pub fn new(target: Target) -> LowerOptions {
        LowerOptions { target, passes: PassSet::all(), dump: PassSet::none(), contracts: true, cluster: None }
    }
}

/// What one pass did to one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassLog {
    /// The kernel.
    pub kernel: String,
    /// The pass.
    pub pass: Pass,
    /// Instructions before it.
    pub before: usize,
    /// Instructions after it.
    pub after: usize,
    /// The code after it, if [`LowerOptions::dump`] asks for it.
    pub text: Option<String>,
}

/// A lowered module.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    /// The machine program.
    pub program: Program,
    /// What the passes did.
    pub log: Vec<PassLog>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Lowers every kernel of a module. `source` is the text it was read from.
///
/// # Errors
/// Everything that the PTX says and the machine or this compiler cannot do, with its place, all at once.
pub fn lower(module: &Module, source: &Source, options: &LowerOptions) -> Result<Lowered, Vec<Diagnostic>> {
    let lowered = lower_some(module, source, options, &|_| true)?;
    if lowered.program.refused.is_empty() {
        return Ok(lowered);
    }
    Err(lowered.program.refused.iter().flat_map(RefusedKernel::faults).collect())
}

/// Lowers the wanted kernels of a module. One that cannot be lowered does not keep the others from it: see
/// [`Program::refused`].
///
/// # Errors
/// What is wrong with the module's variables.
pub fn lower_some(
    module: &Module,
    source: &Source,
    options: &LowerOptions,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Lowered, Vec<Diagnostic>> {
    pipeline::run(&wmma::expand(module), source, options, wanted)
}

//! Why a launch did not run to its end.

use crate::limits::Reached;
use std::fmt::Write;
use thiserror::Error;
use warplab_exec::LaunchFault;
use warplab_program::Kernel;
use warplab_sm::WaitingWarp;

/// Why a launch did not run to its end.
#[derive(Clone, Debug, Error)]
pub enum RunFault {
    /// The kernel or one of its threads did what it must not.
    #[error(transparent)]
    Launch(Box<LaunchFault>),
    /// The limit of cycles or of instructions was reached.
    #[error("{kernel}: not done after {after} ({done} of {blocks} blocks have ended){hint}{report}")]
    TooLong {
        /// The kernel.
        kernel: String,
        /// The limit, as a text with its unit.
        after: String,
        /// How to go on, where no limit was given.
        hint: &'static str,
        /// Blocks that have ended.
        done: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// Where warps wait, a line each.
        report: String,
    },
    /// Nothing can happen any more, or nothing has come of what happens for very long.
    #[error("{kernel}: no further progress at cycle {cycle} ({done} of {blocks} blocks have ended){report}")]
    Hang {
        /// The kernel.
        kernel: String,
        /// When.
        cycle: u64,
        /// Blocks that have ended.
        done: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// What every warp waits for, a line each.
        report: String,
    },
}

/// How far a launch had come when it was given up.
pub(crate) struct Standstill<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) blocks_done: u64,
    pub(crate) blocks: u64,
    /// The formula of a scheduler that holds back every warp that could issue.
    pub(crate) held_by: Option<&'a str>,
    pub(crate) waiting: Vec<WaitingWarp>,
}

impl Standstill<'_> {
    pub(crate) fn hang(&self, cycle: u64) -> RunFault {
        RunFault::Hang {
            kernel: self.kernel.name.clone(),
            cycle,
            done: self.blocks_done,
            blocks: self.blocks,
            report: self.report(),
        }
    }

    pub(crate) fn too_long(&self, reached: Reached) -> RunFault {
        RunFault::TooLong {
            kernel: self.kernel.name.clone(),
            after: reached.after,
            hint: reached.hint,
            done: self.blocks_done,
            blocks: self.blocks,
            report: self.report(),
        }
    }

    /// Where the first warps wait that have not ended.
    fn report(&self) -> String {
        const SHOWN: usize = 8;
        /// Places of other lanes of one warp.
        const PATHS: usize = 4;
        let held_by = |formula| {
            format!("\n  the scheduler rank({formula:?}) gives never to every warp that could issue")
        };
        let mut report = self.held_by.map_or(String::new(), held_by);
        let place = |pc: u32| {
            let instruction = self.kernel.instructions.get(pc as usize);
            let text = instruction.map_or(String::new(), warplab_program::listing::instruction_text);
            let line = instruction.map_or(0, |instruction| instruction.origin.line);
            format!("{:#x} (line {line}) {text}", pc * 16)
        };
        for warp in self.waiting.iter().take(SHOWN) {
            let (block, number) = (warp.block.0, warp.warp);
            // Writing to a string cannot fail.
            let _ = write!(
                report,
                "\n  block {block} warp {number} waits at {}: {}",
                place(warp.pc),
                warp.state.name()
            );
            for path in warp.elsewhere.iter().take(PATHS) {
                let _ = write!(report, "; its lanes {:#x} are at {}", path.mask.0, place(path.pc));
            }
            if let Some((address, barrier)) = warp.barrier {
                let _ = write!(
                    report,
                    ", waits for the barrier (mbarrier) at {address:#x} of shared memory, {barrier}"
                );
            }
            if let Some(come) = warp.warpgroup {
                let _ = write!(report, ", {come} of the 4 warps of its warpgroup (wgmma) have come");
            }
        }
        if self.waiting.len() > SHOWN {
            let _ = write!(report, "\n  ... and {} more warps", self.waiting.len() - SHOWN);
        }
        report
    }
}

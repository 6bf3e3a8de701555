//! What is shown of a device at one cycle: plain data for any front end.

use serde::Serialize;
use warplab_gpu::ShownSets;
use warplab_memory::PartitionView;
use warplab_program::Kernel;
use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_program::listing::instruction_text;
use warplab_sm::{LaneView, SmView};
use warplab_units::{PartitionId, SmId, WarpSlot};

/// What is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewOptions {
    /// The SM.
    pub sm: SmId,
    /// The warp slot and its lane whose registers are shown.
    pub lane: Option<(WarpSlot, usize)>,
    /// The memory partition, if one is shown.
    pub partition: Option<PartitionId>,
    /// The sets of the caches.
    pub sets: ShownSets,
}

impl Default for ViewOptions {
    fn default() -> ViewOptions {
        ViewOptions {
            sm: SmId(0),
            lane: Some((WarpSlot(0), 0)),
            partition: None,
            sets: ShownSets { first: 0, most: 64 },
        }
    }
}

/// The launch that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LaunchView {
    /// Its number, from 0.
    pub number: usize,
    /// Its kernel.
    pub kernel: String,
    /// The cycle since its beginning.
    pub cycle: u64,
}

/// A device at one cycle: what happens in the cycle, and the state at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct View {
    /// The cycle, counted from the beginning of the first launch.
    pub cycle: u64,
    /// The launch that runs; none between two launches and after the last.
    pub launch: Option<LaunchView>,
    /// Whether every launch has ended.
    pub ended: bool,
    /// What ended the launch, if this is where it failed.
    pub fault: Option<String>,
    /// The SM; none before its first block.
    pub sm: Option<SmView>,
    /// The registers of the lane.
    pub lane: Option<LaneView>,
    /// The memory partition.
    pub partition: Option<PartitionView>,
}

/// A machine instruction and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstructionView {
    /// Its address in the kernel.
    pub address: u64,
    /// As a listing writes it.
    pub text: String,
    /// The line of the text that was read (PTX or a listing), from 1; 0 when there is none.
    pub line: u32,
    /// The file of the high-level source, as a place in [`CodeView::files`], and its line.
    pub source: Option<(usize, u32)>,
}

/// The code of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CodeView {
    /// The kernel's name.
    pub kernel: String,
    /// Its instructions; a program counter is a place here.
    pub instructions: Vec<InstructionView>,
    /// The files of the high-level source.
    pub files: Vec<String>,
}

impl CodeView {
    /// The code of a kernel of a program with these files.
    #[must_use]
    pub fn new(kernel: &Kernel, files: &[String]) -> CodeView {
        let instructions = kernel.instructions.iter().enumerate();
        let views = instructions.map(|(pc, instruction)| {
            let origin = instruction.origin;
            InstructionView {
                address: pc as u64 * INSTRUCTION_BYTES,
                text: instruction_text(instruction),
                line: origin.line,
                source: origin.source_file.map(|file| (usize::from(file), origin.source_line)),
            }
        });
        CodeView { kernel: kernel.name.clone(), instructions: views.collect(), files: files.to_vec() }
    }
}

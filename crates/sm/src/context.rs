//! What an SM reads while it advances and never changes.

use crate::hazards::HazardTable;
use crate::launch::LaunchSpec;
use crate::spec::SmSpec;
use warplab_exec::MemoryImage;

/// Everything that an SM reads while it advances: the machine, the launch and device memory.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The SM's description.
    pub spec: &'a SmSpec,
    /// The launch that all SMs run.
    pub launch: &'a LaunchSpec,
    /// Device memory as it was at the start of the epoch.
    pub memory: &'a MemoryImage,
    /// What the hazard checker knows of the code. Needed by an SM whose checker is on.
    pub hazards: Option<&'a HazardTable>,
}

//! What a launch gave, and how far one is.

use crate::timeline::Timeline;
use serde::{Deserialize, Serialize};
use warplab_trace::{Hazards, LaunchCounters, Sample};

/// How far a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Which of the launches runs, counted from 0.
    pub launch: usize,
    /// Blocks that the dispatcher has given to SMs.
    pub blocks_dispatched: u64,
    /// Blocks of the grid.
    pub blocks: u64,
    /// Cycles since the launch began.
    pub cycle: u64,
    /// Warp instructions executed by the launch.
    pub instructions: u64,
}

/// What a launch gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunOutcome {
    /// What was counted.
    pub counters: LaunchCounters,
    /// What was recorded.
    pub timeline: Option<Timeline>,
    /// The hazards, if they were checked.
    pub hazards: Option<Hazards>,
    /// Of a launch that was sampled, how much of it was simulated, and the estimate for all of it.
    pub sample: Option<Sample>,
    /// Whether the launch has not come to its end: the counters are of a part of it.
    pub partial: bool,
}

//! What stands above every report: the launch and the machine.

use warplab_metrics::LaunchInfo;

/// The machine as reports name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// Its name: "NVIDIA H200".
    pub name: String,
    /// Its compute capability or instruction set.
    pub architecture: String,
}

/// What stands above every report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The machine.
    pub device: Device,
    /// The launch.
    pub launch: LaunchInfo,
}

/// Three sizes as Nsight Compute prints them: `(4096, 1, 1)`.
pub(crate) fn dimensions([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

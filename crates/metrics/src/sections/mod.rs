//! The sections of the report, a file each.

pub(crate) mod compute;
pub(crate) mod launch;
pub(crate) mod littles_law;
pub(crate) mod memory;
pub(crate) mod occupancy;
pub(crate) mod scheduler;
pub(crate) mod source;
pub(crate) mod speed_of_light;
pub(crate) mod warp_state;

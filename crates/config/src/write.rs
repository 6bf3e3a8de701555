//! Descriptions as RON again.

use crate::GpuConfig;
use ron::ser::{PrettyConfig, to_string_pretty};

/// A machine as RON, every value written out; [`crate::load_gpu`] reads the same machine back.
///
/// # Errors
/// What RON cannot hold, which no loaded machine has.
pub fn write_gpu(config: &GpuConfig) -> Result<String, ron::Error> {
    let style = PrettyConfig::new().new_line("\n").compact_arrays(true);
    Ok(to_string_pretty(config, style)? + "\n")
}

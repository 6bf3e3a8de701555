//! Several launches of one file.

use super::{Argument, Dimensions, Launch, Size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of several launches of a file. What it leaves out is as the file says above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaunchEntry {
    /// The name of the kernel in the program.
    #[serde(default)]
    pub kernel: Option<String>,
    /// Blocks of the grid: (x, y, z).
    #[serde(default)]
    pub grid: Option<Dimensions>,
    /// Threads of a block: (x, y, z).
    #[serde(default)]
    pub block: Option<Dimensions>,
    /// Shared memory beside what the kernel declares: bytes, or a size such as "48KiB".
    #[serde(default)]
    pub dynamic_shared_bytes: Option<Size>,
    /// The arguments in the kernel's order; pointer(buffer: "NAME") shares a buffer with other launches.
    #[serde(default)]
    pub arguments: Option<Vec<Argument>>,
    /// How often it runs, one run after the other.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 10000))]
    pub repeat: u32,
}

fn once() -> u32 {
    1
}

/// One launch of a file with everything that it takes from the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaunchStep<'a> {
    /// The name of the kernel in the program.
    pub kernel: &'a str,
    /// Blocks of the grid.
    pub grid: Dimensions,
    /// Threads of a block.
    pub block: Dimensions,
    /// Shared memory beside what the kernel declares.
    pub dynamic_shared_bytes: Size,
    /// The arguments in the kernel's order.
    pub arguments: &'a [Argument],
}

impl Launch {
    /// The launches in order: those of the list, or the only one.
    #[must_use]
    pub fn steps(&self) -> Vec<LaunchStep<'_>> {
        let above = LaunchStep {
            kernel: &self.kernel,
            grid: self.grid,
            block: self.block,
            dynamic_shared_bytes: self.dynamic_shared_bytes,
            arguments: &self.arguments,
        };
        if self.launches.is_empty() {
            return vec![above];
        }
        self.launches.iter().flat_map(|entry| entry.steps(above)).collect()
    }

    /// The lists of arguments in which buffers may be declared: that of the file, then those of its launches.
    #[must_use]
    pub fn argument_lists(&self) -> Vec<&[Argument]> {
        let of_entries = self.launches.iter().filter_map(|entry| entry.arguments.as_deref());
        [self.arguments.as_slice()].into_iter().chain(of_entries).collect()
    }
}

impl LaunchEntry {
    fn steps<'a>(&'a self, above: LaunchStep<'a>) -> impl Iterator<Item = LaunchStep<'a>> {
        let step = LaunchStep {
            kernel: self.kernel.as_deref().unwrap_or(above.kernel),
            grid: self.grid.unwrap_or(above.grid),
            block: self.block.unwrap_or(above.block),
            dynamic_shared_bytes: self.dynamic_shared_bytes.unwrap_or(above.dynamic_shared_bytes),
            arguments: self.arguments.as_deref().unwrap_or(above.arguments),
        };
        (0..self.repeat).map(move |_| step)
    }
}

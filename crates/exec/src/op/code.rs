//! A kernel in its compact form: decoded once, executed many times.

use super::{EXTRA_ROWS, Op};

/// A kernel in the form that [`crate::step`] executes.
#[derive(Clone, Debug)]
pub struct Code {
    pub(crate) ops: Vec<Op>,
    /// Registers that instructions name.
    pub(crate) registers: u32,
    pub(crate) barriers: usize,
    pub(crate) local_bytes: u32,
    /// The code addresses that a call through registers may have, with the instruction of each, in ascending order.
    pub(crate) functions: Vec<(u64, u32)>,
    /// Whether the host has the vectors that `step` is also compiled for.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) wide: bool,
}

impl Code {
    /// How many instructions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there is no instruction.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Local memory of a thread, in bytes.
    #[must_use]
    pub fn local_bytes(&self) -> u32 {
        self.local_bytes
    }

    /// Convergence barriers that the instructions name.
    #[must_use]
    pub fn barriers(&self) -> usize {
        self.barriers
    }

    pub(crate) fn rows(&self) -> usize {
        self.registers as usize + EXTRA_ROWS
    }
}

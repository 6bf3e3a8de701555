//! Registers that warps of a block give back, and that others take (`setmaxnreg`).

use serde::{Deserialize, Serialize};

/// Registers of a thread that come and go together.
const GRAIN: u32 = 8;

/// How many registers a thread of each warp of a block has, and how many have been given back.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RegisterPool {
    free: u32,
    /// By number of the warp; none where it has those of the launch.
    held: Vec<Option<u32>>,
}

impl RegisterPool {
    /// As at the start of a block.
    pub(crate) fn clear(&mut self) {
        self.free = 0;
        self.held.clear();
    }

    /// A warp of a kernel with `at_launch` registers wants to have `count`: whether it has them now.
    pub(crate) fn set(&mut self, warp: u32, at_launch: u32, count: u32) -> bool {
        let warp = warp as usize;
        if self.held.len() <= warp {
            self.held.resize(warp + 1, None);
        }
        let held = self.held[warp].unwrap_or(at_launch.next_multiple_of(GRAIN));
        let Some(left) = (self.free + held).checked_sub(count) else { return false };
        self.free = left;
        self.held[warp] = Some(count);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::RegisterPool;

    #[test]
    fn a_warp_takes_what_others_have_given_back() {
        let mut pool = RegisterPool::default();
        assert!(!pool.set(1, 168, 232));
        assert!(pool.set(0, 168, 40));
        assert!(pool.set(1, 168, 232));
        // 64 are left: enough for one more warp, not for two.
        assert!(pool.set(2, 168, 232));
        assert!(!pool.set(3, 168, 232));
        assert!(pool.set(1, 168, 24));
        assert!(pool.set(3, 168, 232));
    }
}

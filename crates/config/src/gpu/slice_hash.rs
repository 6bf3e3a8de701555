//! How the bits of an address choose half and slice of an L2 of two halves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which bits of an address choose the home and the slice of a line, where level two has two halves. Bits count from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SliceHash {
    /// Bytes side by side that are in one slice in any case: a power of two.
    #[schemars(range(min = 128, max = 65536))]
    pub chunk_bytes: u32,
    /// Bytes of which all even chunks lie in one slice and all odd ones in another: a power of two.
    #[schemars(range(min = 256, max = 131072))]
    pub group_bytes: u32,
    /// KiB of a page, within which the bits choose; each page has another translation: a power of two.
    #[schemars(range(min = 1, max = 1048576))]
    pub page_kib: u32,
    /// Bits of an address whose parity chooses the half that is its home.
    pub home_bits: Vec<u32>,
    /// Bits of an address that an odd chunk turns over before they choose.
    pub odd_chunk_bits: Vec<u32>,
}

impl SliceHash {
    /// Groups of a page: so many entries has a table of slices.
    #[must_use]
    pub fn groups(&self) -> u64 {
        u64::from(self.page_kib) * 1024 / u64::from(self.group_bytes.max(1))
    }

    /// The bits of an address that number the groups of a page.
    #[must_use]
    pub fn group_bits(&self) -> std::ops::Range<u32> {
        self.group_bytes.trailing_zeros()..self.page_kib.trailing_zeros() + 10
    }
}

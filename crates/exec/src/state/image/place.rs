//! Where in their pages buffers begin, as `cudaMalloc` has it (`traces/h200/buffers`).

use super::ALIGNMENT;
use serde::{Deserialize, Serialize};

/// Buffers of less than a page begin at multiples of this.
const SMALL_UNIT: u64 = 512;

/// How far from the beginning of its page a buffer begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceInPage(pub(super) u64);

/// How much is taken of each page that small buffers share.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SharedPages(Vec<u64>);

impl SharedPages {
    /// The place of a small buffer in the fullest page that has room for it; a large one begins a page.
    pub(super) fn place(&mut self, bytes: u64) -> PlaceInPage {
        if bytes >= ALIGNMENT {
            return PlaceInPage(0);
        }
        let bytes = bytes.max(1).next_multiple_of(SMALL_UNIT);
        let fitting = self.0.iter_mut().filter(|taken| **taken + bytes <= ALIGNMENT);
        let place = match fitting.max_by_key(|taken| **taken) {
            Some(taken) => std::mem::replace(taken, *taken + bytes),
            None => {
                self.0.push(bytes);
                0
            }
        };
        PlaceInPage(place)
    }
}

#[cfg(test)]
mod tests {
    use super::SharedPages;

    #[test]
    fn buffers_begin_where_they_do_on_the_hardware() {
        // traces/h200/buffers/buffers.txt.
        let measured = [
            (4, 0),
            (4, 512),
            (512, 1024),
            (513, 1536),
            (1024, 2560),
            (16384, 3584),
            (100_000, 19_968),
            (262_144, 120_320),
            (4, 382_464),
            (1_048_576, 382_976),
            (1_048_064, 0),
            (1_048_580, 1_048_064),
            (1_572_864, 0),
            (2_097_152, 0),
            (2_097_156, 0),
            (67_108_864, 0),
            (4, 1_572_864),
            (1_048_576, 0),
            (4, 1_573_376),
            (1024, 1_573_888),
            (1024, 1_574_912),
            (65_536, 1_575_936),
            (1_048_576, 1_048_576),
            (4_194_304, 0),
        ];
        let mut pages = SharedPages::default();
        assert_eq!(measured.map(|(bytes, _)| (bytes, pages.place(bytes).0)), measured);
    }
}

//! What an SM has written in this epoch and others do not see yet: its own threads do.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use warplab_exec::{AtomicRequest, Lanes, MemoryImage, Row, apply};
use warplab_units::{LINE_BYTES, WARP_LANES, stored};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    #[serde(with = "stored::array")]
    bytes: [u8; LINE_BYTES as usize],
    written: u128,
}

/// Lines written in this epoch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Overlay {
    lines: FxHashMap<u64, Line>,
    /// A bit for each hash of a line: most loads of other lines are told apart by it.
    filter: [u64; 16],
}

fn filter_place(line: u64) -> (usize, u64) {
    let hash = line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
    ((hash / 64) as usize, 1 << (hash % 64))
}

impl Overlay {
    pub(crate) fn clear(&mut self) {
        if !self.lines.is_empty() {
            self.lines.clear();
            self.filter = [0; 16];
        }
    }

    /// Puts what has been written over what was read from memory.
    #[inline]
    pub(crate) fn patch(&self, lanes: &Lanes<'_>, out: &mut [Row; 4]) {
        if self.lines.is_empty() {
            return;
        }
        for lane in lanes.mask.lanes() {
            let address = lanes.addresses[lane];
            let line = address / LINE_BYTES;
            let (word, bit) = filter_place(line);
            if self.filter[word] & bit == 0 {
                continue;
            }
            let Some(line) = self.lines.get(&line) else { continue };
            for byte in 0..lanes.bytes as usize {
                let offset = (address % LINE_BYTES) as usize + byte;
                if line.written >> offset & 1 != 0 {
                    let shift = byte % 4 * 8;
                    let row = &mut out[byte / 4][lane];
                    *row = *row & !(0xff << shift) | u32::from(line.bytes[offset]) << shift;
                }
            }
        }
    }

    /// Remembers a store.
    pub(crate) fn store(&mut self, lanes: &Lanes<'_>, data: &[Row; 4]) {
        let mut cached: Option<u64> = None;
        for lane in lanes.mask.lanes() {
            let address = lanes.addresses[lane];
            if cached != Some(address / LINE_BYTES) {
                cached = Some(address / LINE_BYTES);
                self.mark(address);
            }
            let line = self.lines.entry(address / LINE_BYTES).or_insert_with(empty_line);
            let offset = (address % LINE_BYTES) as usize;
            for byte in 0..lanes.bytes as usize {
                line.bytes[offset + byte] = (data[byte / 4][lane] >> (byte % 4 * 8)) as u8;
            }
            line.written |= (u128::MAX >> (128 - lanes.bytes)) << offset;
        }
    }

    /// Remembers what an atomic operation would leave if no other SM came between.
    pub(crate) fn atomic(&mut self, request: &AtomicRequest<'_>, image: &MemoryImage) {
        let lanes = request.lanes;
        for lane in lanes.mask.lanes() {
            let one = Lanes { mask: warplab_units::LaneMask::single(lane as u32), ..lanes };
            let mut old = [[0; WARP_LANES]; 4];
            // Checked by the caller.
            if image.load(one, &mut old).is_err() {
                continue;
            }
            self.patch(&one, &mut old);
            let count = lanes.bytes as usize / 4;
            let mut words = old.map(|row| row[lane]);
            apply(request.op, request.ty, &mut words[..count], |word| request.operands[word][lane]);
            old.iter_mut().zip(words).for_each(|(row, word)| row[lane] = word);
            self.store(&one, &old);
        }
    }

    fn mark(&mut self, address: u64) {
        let (word, bit) = filter_place(address / LINE_BYTES);
        self.filter[word] |= bit;
    }
}

fn empty_line() -> Line {
    Line { bytes: [0; LINE_BYTES as usize], written: 0 }
}

//! What an SM has written in this epoch and others do not see yet: its own threads do.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use warplab_exec::{AtomicRequest, Lanes, MemoryImage, Row, apply};
use warplab_units::{LINE_BYTES, ROW_LANES, stored};

const LINE_WORDS: usize = LINE_BYTES as usize / 4;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    #[serde(with = "stored::array")]
    words: [u32; LINE_WORDS],
    /// A bit for each byte.
    written: u128,
}

/// Lines written in this epoch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Overlay {
    /// Where each line is in `lines`.
    places: FxHashMap<u64, u32>,
    lines: Vec<Line>,
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
            self.places.clear();
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
            let Some(&place) = self.places.get(&line) else { continue };
            let line = &self.lines[place as usize];
            let offset = (address % LINE_BYTES) as usize;
            let written = line.written >> offset;
            for byte in 0..lanes.bytes as usize {
                if written >> byte & 1 != 0 {
                    let shift = byte % 4 * 8;
                    let from = line.words[(offset + byte) / 4] >> ((offset + byte) % 4 * 8) & 0xff;
                    let row = &mut out[byte / 4][lane];
                    *row = *row & !(0xff << shift) | from << shift;
                }
            }
        }
    }

    /// Remembers a store.
    pub(crate) fn store(&mut self, lanes: &Lanes<'_>, data: &[Row; 4]) {
        let mut known = (u64::MAX, 0);
        for lane in lanes.mask.lanes() {
            let address = lanes.addresses[lane];
            // Neighbours mostly write the same line.
            if known.0 != address / LINE_BYTES {
                known = (address / LINE_BYTES, self.place(address / LINE_BYTES));
            }
            let line = &mut self.lines[known.1];
            let offset = (address % LINE_BYTES) as usize;
            line.written |= (u128::MAX >> (128 - lanes.bytes)) << offset;
            if lanes.bytes < 4 {
                let keep = if lanes.bytes == 1 { 0xffu32 } else { 0xffff };
                let (word, shift) = (&mut line.words[offset / 4], offset % 4 * 8);
                *word = *word & !(keep << shift) | (data[0][lane] & keep) << shift;
            } else {
                let words = &mut line.words[offset / 4..][..lanes.bytes as usize / 4];
                words.iter_mut().zip(data).for_each(|(word, row)| *word = row[lane]);
            }
        }
    }

    /// The place of a line that is written.
    fn place(&mut self, line: u64) -> usize {
        let Overlay { places, lines, filter } = self;
        let place = *places.entry(line).or_insert_with(|| {
            let (word, bit) = filter_place(line);
            filter[word] |= bit;
            lines.push(Line { words: [0; LINE_WORDS], written: 0 });
            (lines.len() - 1) as u32
        });
        place as usize
    }

    /// Remembers what an atomic operation would leave if no other SM came between.
    pub(crate) fn atomic(&mut self, request: &AtomicRequest<'_>, image: &MemoryImage) {
        let lanes = request.lanes;
        for lane in lanes.mask.lanes() {
            let one = Lanes { mask: warplab_units::LaneMask::single(lane as u32), ..lanes };
            let mut old = [[0; ROW_LANES]; 4];
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
}

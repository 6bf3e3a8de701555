//! What an SM has written in this epoch and others do not see yet: its own threads do.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use warplab_exec::{AtomicRequest, Lanes, MemoryImage, Row, apply, apply_lanes};
use warplab_units::{LINE_BYTES, ROW_LANES, stored};

const LINE_WORDS: usize = LINE_BYTES as usize / 4;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    #[serde(with = "stored::array")]
    words: [u32; LINE_WORDS],
    /// A bit for each byte.
    written: u128,
}

impl Line {
    /// The bytes of a word that are written, as bits of the word.
    #[inline]
    fn written_bits(&self, word: usize) -> u32 {
        let bytes = (self.written >> (word * 4)) as u32 & 0xf;
        // A bit for each byte becomes the lowest bit of that byte, then all of it.
        ((bytes * 0x0020_4081) & 0x0101_0101) * 0xff
    }

    /// A word of which memory holds `below`.
    #[inline]
    fn word(&self, word: usize, below: u32) -> u32 {
        let written = self.written_bits(word);
        self.words[word] & written | below & !written
    }

    /// So many bytes from an offset are written.
    #[inline]
    fn mark(&mut self, offset: usize, bytes: u32) {
        self.written |= (u128::MAX >> (128 - bytes)) << offset;
    }
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

    /// Whether a line may be written; mostly not where it is not.
    #[inline]
    fn may_hold(&self, line: u64) -> bool {
        let (word, bit) = filter_place(line);
        self.filter[word] & bit != 0
    }

    /// A line that is written.
    #[inline]
    fn line(&self, line: u64) -> Option<&Line> {
        let place = self.may_hold(line).then(|| self.places.get(&line)).flatten()?;
        Some(&self.lines[*place as usize])
    }

    /// Puts what has been written over what was read from memory.
    #[inline(always)]
    pub(crate) fn patch(&self, lanes: &Lanes<'_>, out: &mut [Row; 4]) {
        if !self.lines.is_empty() {
            self.patch_lines(lanes, out);
        }
    }

    fn patch_lines(&self, lanes: &Lanes<'_>, out: &mut [Row; 4]) {
        let [first, .., last] = lanes.addresses;
        if lanes.are_contiguous() && (first / LINE_BYTES..=last / LINE_BYTES).all(|line| !self.may_hold(line))
        {
            return;
        }
        let mut known = (u64::MAX, None);
        for lane in lanes.mask.lanes() {
            let address = lanes.addresses[lane];
            if known.0 != address / LINE_BYTES {
                known = (address / LINE_BYTES, self.line(address / LINE_BYTES));
            }
            let Some(line) = known.1 else { continue };
            let offset = (address % LINE_BYTES) as usize;
            let (shift, keep) = (offset % 4 * 8, u32::MAX >> (32 - lanes.bytes.min(4) * 8));
            let words = (offset / 4..).take(lanes.bytes.div_ceil(4) as usize);
            for (row, word) in out.iter_mut().zip(words) {
                let written = line.written_bits(word) >> shift & keep;
                row[lane] = row[lane] & !written | line.words[word] >> shift & written;
            }
        }
    }

    /// Remembers a store.
    pub(crate) fn store(&mut self, lanes: &Lanes<'_>, data: &[Row; 4]) {
        if lanes.are_contiguous() && lanes.bytes >= 4 {
            return self.store_in_order(lanes, data);
        }
        let mut known = (u64::MAX, 0);
        for lane in lanes.in_store_order() {
            let address = lanes.addresses[lane];
            // Neighbours mostly write the same line.
            if known.0 != address / LINE_BYTES {
                known = (address / LINE_BYTES, self.place(address / LINE_BYTES));
            }
            let line = &mut self.lines[known.1];
            let offset = (address % LINE_BYTES) as usize;
            line.mark(offset, lanes.bytes);
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

    /// Remembers a store of whole words one after another.
    fn store_in_order(&mut self, lanes: &Lanes<'_>, data: &[Row; 4]) {
        let mut words = [0; ROW_LANES * 4];
        lanes.write_in_order(data, |at, word| words[at] = word);
        let mut rest = &words[..ROW_LANES * lanes.bytes as usize / 4];
        let mut at = lanes.addresses[0];
        while !rest.is_empty() {
            let offset = (at % LINE_BYTES) as usize;
            let (here, further) = rest.split_at(rest.len().min(LINE_WORDS - offset / 4));
            let place = self.place(at / LINE_BYTES);
            let line = &mut self.lines[place];
            line.words[offset / 4..][..here.len()].copy_from_slice(here);
            line.mark(offset, here.len() as u32 * 4);
            at += here.len() as u64 * 4;
            rest = further;
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
        let AtomicRequest { op, ty, lanes, operands, .. } = *request;
        let mut below = [[0; ROW_LANES]; 4];
        // Checked by the caller.
        if image.load(lanes, &mut below).is_err() {
            return;
        }
        if let (true, Some(lane), [value, other, ..]) = (lanes.share_a_word(), lanes.mask.lowest(), operands)
        {
            let address = lanes.addresses[lane];
            let place = self.place(address / LINE_BYTES);
            let (line, offset) = (&mut self.lines[place], (address % LINE_BYTES) as usize);
            let word = line.word(offset / 4, below[0][lane]);
            line.words[offset / 4] =
                apply_lanes(op, ty, lanes.mask, word, [value, other], &mut [0; ROW_LANES]);
            return line.mark(offset, lanes.bytes);
        }
        let count = lanes.bytes as usize / 4;
        let mut known = (u64::MAX, 0);
        for lane in lanes.mask.lanes() {
            let address = lanes.addresses[lane];
            if known.0 != address / LINE_BYTES {
                known = (address / LINE_BYTES, self.place(address / LINE_BYTES));
            }
            let line = &mut self.lines[known.1];
            let offset = (address % LINE_BYTES) as usize;
            let mut words = below.map(|row| row[lane]);
            let words = &mut words[..count];
            words.iter_mut().zip(offset / 4..).for_each(|(word, place)| *word = line.word(place, *word));
            apply(op, ty, words, |word| operands[word][lane]);
            line.words[offset / 4..][..count].copy_from_slice(words);
            line.mark(offset, lanes.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Overlay;
    use warplab_exec::{AtomicOp, AtomicRequest, AtomicType, Init, Lanes, MemoryImage};
    use warplab_units::{LaneMask, ROW_LANES};

    #[test]
    fn an_atomic_operation_goes_on_from_the_bytes_that_were_stored_and_the_lanes_before() {
        let mut image = MemoryImage::new();
        // Word 5 is 5.
        let word = image.allocate("words", 256, Init::IndexU32).0 + 20;
        let mut overlay = Overlay::default();
        let operands = [[7; ROW_LANES]; 4];
        let second_byte = [word + 1; ROW_LANES];
        overlay.store(&Lanes::new(&second_byte, LaneMask::single(0), 1), &operands);
        let addresses = [word; ROW_LANES];
        let lanes = Lanes::new(&addresses, LaneMask(0b11), 4);
        let request = AtomicRequest {
            op: AtomicOp::Add,
            ty: AtomicType::U32,
            lanes,
            row: 0,
            operands: &operands,
            wants_result: false,
            destination: None,
        };
        overlay.atomic(&request, &image);
        let mut seen = [[0; ROW_LANES]; 4];
        image.load(lanes, &mut seen).expect("the words are there");
        overlay.patch(&lanes, &mut seen);
        assert_eq!(seen[0][..2], [0x0705 + 7 + 7; 2]);
    }
}

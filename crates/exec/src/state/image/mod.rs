//! The device memory image: named buffers that cost nothing until they are written.

mod place;
mod state;

use crate::LANES;
use crate::Row;
use crate::element::{bits_of, decode};
use crate::fault::{FaultKind, MemoryFault, NearestBuffer};
use crate::memory::{AtomicReply, AtomicRequest, GlobalMemory, Lanes};
use crate::op::Space;
use crate::op::{AtomicOp, AtomicType};
use crate::rule::{Init, checksum};
use crate::semantics::atomics::{apply, apply_lanes};
use crate::state::heap;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use warplab_units::{Address, ElementType, Number};

pub use place::PlaceInPage;
use place::SharedPages;

/// The first buffer's address: far from the windows of the generic address space.
pub(crate) const FIRST_BASE: u64 = 0x7f00_0000_0000;
/// Bytes of a page. Buffers begin in pages of their own, and at least this much after each is not mapped.
pub(crate) const ALIGNMENT: u64 = 2 << 20;
/// Bytes that are stored together once one of them is written.
pub(crate) const PAGE_BYTES: u64 = 64 << 10;
const PAGE_WORDS: u64 = PAGE_BYTES / 4;
/// Pages whose places are made together once one of them is written.
const CHUNK_PAGES: u64 = 1024;

type Page = OnceLock<Box<[AtomicU32]>>;
type Chunk = OnceLock<Box<[Page]>>;

/// One allocation.
#[derive(Debug)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// Its first byte.
    pub base: Address,
    /// Its size.
    pub bytes: u64,
    /// How it starts.
    pub init: Init,
    /// Whether it has been freed.
    pub freed: bool,
    /// What its elements are, if somebody has said.
    pub element: Option<ElementType>,
    chunks: Vec<Chunk>,
    /// Of the heap of `malloc`, a bit a unit: whether it may be touched.
    allocated: Option<Box<[AtomicU32]>>,
}

impl Buffer {
    /// Words, the last one possibly not full.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.bytes.div_ceil(4)
    }

    /// Pages that have been written.
    #[must_use]
    pub fn stored_pages(&self) -> usize {
        let pages = self.chunks.iter().filter_map(Chunk::get).flatten();
        pages.filter(|page| page.get().is_some()).count()
    }

    /// Word `index`.
    #[inline]
    #[must_use]
    pub fn word(&self, index: u64) -> u32 {
        match self.stored(index / PAGE_WORDS) {
            Some(page) => page[(index % PAGE_WORDS) as usize].load(Relaxed),
            None => self.init.word(index, self.words()),
        }
    }

    /// Elements of a type; bytes that are left at the end belong to none.
    #[must_use]
    pub fn elements(&self, element: ElementType) -> u64 {
        self.bytes / u64::from(element.bytes())
    }

    /// Element `index` as it is now.
    #[must_use]
    pub fn number(&self, element: ElementType, index: u64) -> Number {
        decode(element, bits_of(element, index, |word| self.word(word)))
    }

    /// Element `index` as it was before anything was written.
    #[must_use]
    pub fn initial_number(&self, element: ElementType, index: u64) -> Number {
        let words = self.words();
        decode(element, bits_of(element, index, |word| self.init.word(word, words)))
    }

    /// The page if it has been written.
    #[inline]
    fn stored(&self, number: u64) -> Option<&[AtomicU32]> {
        let chunk = self.chunks[(number / CHUNK_PAGES) as usize].get()?;
        chunk[(number % CHUNK_PAGES) as usize].get().map(|page| &**page)
    }

    /// Whether nothing has been written in the chunks of the pages from `first` to `last`, and a byte of these pages can be
    /// numbered in 32 bits.
    #[inline]
    fn is_as_it_starts(&self, first: u64, last: u64) -> bool {
        let chunks = &self.chunks[(first / CHUNK_PAGES) as usize..=(last / CHUNK_PAGES) as usize];
        (last - first + 1) * PAGE_BYTES <= 1 << 32 && chunks.iter().all(|chunk| chunk.get().is_none())
    }

    /// The page with its words, made from the rule if this is the first write.
    #[inline]
    fn page(&self, number: u64) -> &[AtomicU32] {
        let chunk = self.chunks[(number / CHUNK_PAGES) as usize].get_or_init(|| self.make_chunk(number));
        chunk[(number % CHUNK_PAGES) as usize].get_or_init(|| self.make_page(number))
    }

    #[cold]
    fn make_chunk(&self, number: u64) -> Box<[Page]> {
        let first = number / CHUNK_PAGES * CHUNK_PAGES;
        let pages = self.bytes.div_ceil(PAGE_BYTES) - first;
        (0..pages.min(CHUNK_PAGES)).map(|_| Page::new()).collect()
    }

    #[cold]
    fn make_page(&self, number: u64) -> Box<[AtomicU32]> {
        let first = number * PAGE_WORDS;
        let words = self.words();
        let range = first..(first + PAGE_WORDS).min(words);
        match self.init {
            Init::Zero => range.map(|_| AtomicU32::new(0)).collect(),
            _ => range.map(|index| AtomicU32::new(self.init.word(index, words))).collect(),
        }
    }

    fn mark(&self, unit: u64, allocated: bool) {
        let cell = usize::try_from(unit / 32).ok().and_then(|index| self.allocated.as_ref()?.get(index));
        let bit = 1 << (unit % 32);
        match cell {
            Some(cell) if allocated => cell.fetch_or(bit, Relaxed),
            Some(cell) => cell.fetch_and(!bit, Relaxed),
            None => 0,
        };
    }

    /// Whether the bytes from an offset are of allocations, where this is the heap.
    fn may_touch(&self, offset: u64, bytes: u32) -> bool {
        let Some(allocated) = &self.allocated else { return true };
        let is_set = |unit: u64| {
            let cell = usize::try_from(unit / 32).ok().and_then(|index| allocated.get(index));
            cell.is_some_and(|cell| cell.load(Relaxed) >> (unit % 32) & 1 != 0)
        };
        // An access takes at most 16 bytes and is aligned: it lies in one unit.
        is_set(offset / heap::UNIT) && is_set((offset + u64::from(bytes) - 1) / heap::UNIT)
    }

    #[inline]
    fn cell(&self, index: u64) -> &AtomicU32 {
        &self.page(index / PAGE_WORDS)[(index % PAGE_WORDS) as usize]
    }
}

/// Sparse device memory. Words are atomic cells (relaxed), so that many readers and disjoint writers share it.
#[derive(Clone, Debug, Default)]
pub struct MemoryImage {
    buffers: Vec<Buffer>,
    next: u64,
    shared_pages: SharedPages,
}

impl MemoryImage {
    /// Memory without buffers.
    #[must_use]
    pub fn new() -> MemoryImage {
        MemoryImage { buffers: Vec::new(), next: FIRST_BASE, shared_pages: SharedPages::default() }
    }

    /// A new buffer that begins a page; the same calls give the same addresses.
    pub fn allocate(&mut self, name: impl Into<String>, bytes: u64, init: Init) -> Address {
        self.add(0, name.into(), bytes, init)
    }

    /// A new buffer that begins at a place in its page.
    pub fn allocate_at(
        &mut self,
        place: PlaceInPage,
        name: impl Into<String>,
        bytes: u64,
        init: Init,
    ) -> Address {
        self.add(place.0, name.into(), bytes, init)
    }

    /// Where in its page `cudaMalloc` has the next buffer begin. Small ones share pages there; here each has its own, so
    /// that what goes beyond its end meets no other buffer.
    pub fn place(&mut self, bytes: u64) -> PlaceInPage {
        self.shared_pages.place(bytes)
    }

    fn add(&mut self, place: u64, name: String, bytes: u64, init: Init) -> Address {
        let base = Address(self.next.max(FIRST_BASE) + place);
        self.next = (base.0 + bytes).next_multiple_of(ALIGNMENT) + ALIGNMENT;
        let chunks = (0..bytes.div_ceil(PAGE_BYTES * CHUNK_PAGES)).map(|_| Chunk::new()).collect();
        self.buffers.push(Buffer {
            name,
            base,
            bytes,
            init,
            freed: false,
            element: None,
            chunks,
            allocated: None,
        });
        base
    }

    /// Says what the elements of the buffer with this name are.
    pub fn set_element(&mut self, name: &str, element: Option<ElementType>) {
        if let Some(buffer) = self.buffers.iter_mut().find(|buffer| buffer.name == name) {
            buffer.element = element;
        }
    }

    /// The buffer of the heap of `malloc`, in which nothing is allocated yet. There is at most one.
    pub fn allocate_heap(&mut self, bytes: u64) -> Address {
        let base = self.allocate(heap::NAME, bytes, Init::Zero);
        if let Some(buffer) = self.buffers.last_mut() {
            let units = bytes.div_ceil(heap::UNIT);
            buffer.allocated = Some((0..units.div_ceil(32)).map(|_| AtomicU32::new(0)).collect());
        }
        base
    }

    /// The buffer of the heap of `malloc`, if there is one.
    #[must_use]
    pub fn heap(&self) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| buffer.allocated.is_some())
    }

    /// Says of a range of the heap whether it may be touched from now on.
    pub(crate) fn mark_heap(&self, from: Address, bytes: u64, allocated: bool) {
        let Some(buffer) = self.heap() else { return };
        let first = from.0.saturating_sub(buffer.base.0) / heap::UNIT;
        for unit in first..first + bytes.div_ceil(heap::UNIT) {
            buffer.mark(unit, allocated);
        }
    }

    /// Frees a buffer: later accesses are faults. False when no buffer starts there.
    pub fn free(&mut self, base: Address) -> bool {
        let found = self.buffers.iter_mut().find(|buffer| buffer.base == base && !buffer.freed);
        found
            .map(|buffer| {
                buffer.freed = true;
                buffer.chunks.iter_mut().for_each(|chunk| *chunk = Chunk::new());
            })
            .is_some()
    }

    /// Every buffer, in order of allocation and of address.
    #[must_use]
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// The buffer with this name.
    #[must_use]
    pub fn buffer(&self, name: &str) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }

    /// The last buffer that starts at or before an address.
    #[inline]
    fn candidate(&self, address: u64) -> Option<&Buffer> {
        let after = self.buffers.partition_point(|buffer| buffer.base.0 <= address);
        after.checked_sub(1).map(|index| &self.buffers[index])
    }

    /// The buffer that holds all of `bytes` bytes from an address.
    #[inline]
    fn find(&self, address: u64, bytes: u32) -> Option<&Buffer> {
        self.candidate(address)
            .filter(|buffer| !buffer.freed && address - buffer.base.0 + u64::from(bytes) <= buffer.bytes)
            .filter(|buffer| buffer.may_touch(address - buffer.base.0, bytes))
    }

    #[cold]
    fn fault(&self, address: u64, bytes: u32, lane: usize) -> MemoryFault {
        let before = self.candidate(address);
        let inside = before.filter(|buffer| address - buffer.base.0 < buffer.bytes);
        let kind = match inside {
            Some(buffer) if buffer.freed => FaultKind::Freed,
            _ if !address.is_multiple_of(u64::from(bytes)) => FaultKind::Misaligned,
            Some(buffer) if buffer.allocated.is_some() => FaultKind::Unallocated,
            _ => FaultKind::OutOfBounds,
        };
        let distance = |buffer: &&Buffer| {
            let end = buffer.base.0 + buffer.bytes;
            if address < buffer.base.0 { buffer.base.0 - address } else { address.saturating_sub(end) }
        };
        let nearest = self.buffers.iter().min_by_key(distance).map(|buffer| NearestBuffer {
            name: buffer.name.clone(),
            base: buffer.base,
            bytes: buffer.bytes,
        });
        let address = Address(address);
        MemoryFault { kind, space: Space::Global, address, bytes, lane: lane as u8, nearest }
    }

    /// Checks bounds and alignment of every lane.
    ///
    /// # Errors
    /// The lowest lane that fails.
    pub fn check(&self, lanes: Lanes<'_>) -> Result<(), MemoryFault> {
        if self.range(&lanes).is_some() {
            return Ok(());
        }
        for lane in lanes.mask.lanes() {
            let address = lanes.addresses[lane];
            let aligned = address & u64::from(lanes.bytes - 1) == 0;
            if !aligned || self.find(address, lanes.bytes).is_none() {
                return Err(self.fault(address, lanes.bytes, lane));
            }
        }
        Ok(())
    }

    /// When every lane is aligned and inside one buffer: that buffer and the lowest and highest address.
    #[inline(always)]
    fn range(&self, lanes: &Lanes<'_>) -> Option<(&Buffer, u64, u64)> {
        let (low, high, bits) = lanes.extent();
        if bits & u64::from(lanes.bytes - 1) != 0 || low > high {
            return None;
        }
        let buffer = self.find(low, lanes.bytes).filter(|buffer| buffer.allocated.is_none())?;
        (high - buffer.base.0 + u64::from(lanes.bytes) <= buffer.bytes).then_some((buffer, low, high))
    }

    /// Reads a value a lane: narrow ones zero-extended, wide ones a row a word. Other lanes become anything.
    ///
    /// # Errors
    /// The lowest lane whose access is out of bounds or misaligned.
    #[inline(always)]
    pub fn load(&self, lanes: Lanes<'_>, out: &mut [Row; 4]) -> Result<(), MemoryFault> {
        let Some((buffer, low, high)) = self.range(&lanes) else {
            return self.load_scattered(lanes, out);
        };
        let number = (low - buffer.base.0) / PAGE_BYTES;
        let last = (high - buffer.base.0) / PAGE_BYTES;
        if number != last && !buffer.is_as_it_starts(number, last) {
            return self.load_scattered(lanes, out);
        }
        let start = buffer.base.0 + number * PAGE_BYTES;
        let stored = buffer.stored(number);
        if lanes.are_contiguous()
            && lanes.bytes >= 4
            && let Some(cells) = stored
        {
            let cells = &cells[(low - start) as usize / 4..][..LANES * lanes.bytes as usize / 4];
            lanes.read_in_order(|at| cells[at].load(Relaxed), out);
            return Ok(());
        }
        let mut index = [0u32; LANES];
        if lanes.are_contiguous() {
            let mut at = (low - start) as u32;
            for index in &mut index {
                *index = at / 4;
                at = at.wrapping_add(lanes.bytes);
            }
        } else {
            for lane in 0..LANES {
                let address = if lanes.mask.0 >> lane & 1 != 0 { lanes.addresses[lane] } else { low };
                index[lane] = (address.wrapping_sub(start) as u32) / 4;
            }
        }
        let words = lanes.bytes.div_ceil(4);
        for (word, row) in (0..words).zip(out.iter_mut()) {
            match stored {
                Some(cells) => {
                    for lane in 0..LANES {
                        row[lane] = cells[(index[lane] + word) as usize].load(Relaxed);
                    }
                }
                None => buffer.init.row(number * PAGE_WORDS + u64::from(word), &index, buffer.words(), row),
            }
        }
        if lanes.bytes < 4 {
            narrow(&lanes, &mut out[0]);
        }
        Ok(())
    }

    #[inline(never)]
    fn load_scattered(&self, lanes: Lanes<'_>, out: &mut [Row; 4]) -> Result<(), MemoryFault> {
        self.check(lanes)?;
        for lane in lanes.mask.lanes() {
            let Some(buffer) = self.find(lanes.addresses[lane], lanes.bytes) else { continue };
            let first = (lanes.addresses[lane] - buffer.base.0) / 4;
            for (word, row) in out.iter_mut().enumerate().take(lanes.bytes.div_ceil(4) as usize) {
                row[lane] = buffer.word(first + word as u64);
            }
        }
        if lanes.bytes < 4 {
            narrow(&lanes, &mut out[0]);
        }
        Ok(())
    }

    /// Writes a value a lane, in the order of [`Lanes::in_store_order`].
    ///
    /// # Errors
    /// The lowest lane whose access is out of bounds or misaligned; nothing is written then.
    #[inline(always)]
    pub fn store(&self, lanes: Lanes<'_>, data: &[Row]) -> Result<(), MemoryFault> {
        let one = self.range(&lanes);
        if one.is_none() {
            self.check(lanes)?;
        }
        let words = lanes.bytes.div_ceil(4) as usize;
        if let Some((buffer, low, high)) = one
            && (low - buffer.base.0) / PAGE_BYTES == (high - buffer.base.0) / PAGE_BYTES
            && lanes.bytes >= 4
        {
            let cells = buffer.page((low - buffer.base.0) / PAGE_BYTES);
            if lanes.are_contiguous() {
                let first = ((low - buffer.base.0) / 4 % PAGE_WORDS) as usize;
                let cells = &cells[first..][..LANES * words];
                lanes.write_in_order(data, |at, value| cells[at].store(value, Relaxed));
                return Ok(());
            }
            for lane in lanes.in_store_order() {
                let at = ((lanes.addresses[lane] - buffer.base.0) / 4 % PAGE_WORDS) as usize;
                let cells = &cells[at..][..words];
                cells.iter().zip(data).for_each(|(cell, row)| cell.store(row[lane], Relaxed));
            }
            return Ok(());
        }
        for lane in lanes.in_store_order() {
            let address = lanes.addresses[lane];
            let Some(buffer) = self.find(address, lanes.bytes) else { continue };
            let at = (address - buffer.base.0) / 4;
            if lanes.bytes < 4 {
                write_narrow(buffer.cell(at), address, lanes.bytes, data[0][lane]);
            } else {
                (0..words).for_each(|word| buffer.cell(at + word as u64).store(data[word][lane], Relaxed));
            }
        }
        Ok(())
    }

    /// An atomic operation, lane after lane in ascending order. The old values go to `out`.
    ///
    /// # Errors
    /// The lowest lane whose access is out of bounds or misaligned; nothing is changed then.
    pub fn atomic(
        &self,
        op: AtomicOp,
        ty: AtomicType,
        lanes: Lanes<'_>,
        operands: &[Row],
        out: &mut [Row; 4],
    ) -> Result<(), MemoryFault> {
        let one = self.range(&lanes).map(|(buffer, ..)| buffer);
        if one.is_none() {
            self.check(lanes)?;
        }
        if let (Some(buffer), true, Some(lane), [value, other, ..]) =
            (one, lanes.share_a_word(), lanes.mask.lowest(), operands)
        {
            let cell = buffer.cell((lanes.addresses[lane] - buffer.base.0) / 4);
            let word = apply_lanes(op, ty, lanes.mask, cell.load(Relaxed), [value, other], &mut out[0]);
            cell.store(word, Relaxed);
            return Ok(());
        }
        for lane in lanes.mask.lanes() {
            let address = lanes.addresses[lane];
            let Some(buffer) = one.or_else(|| self.find(address, lanes.bytes)) else { continue };
            let first = (address - buffer.base.0) / 4;
            // An access is aligned: it lies in one page.
            let cells = &buffer.page(first / PAGE_WORDS)[(first % PAGE_WORDS) as usize..];
            let cells = &cells[..lanes.bytes as usize / 4];
            let mut words = [0; 4];
            let words = &mut words[..cells.len()];
            for (word, cell) in cells.iter().enumerate() {
                words[word] = cell.load(Relaxed);
                out[word][lane] = words[word];
            }
            apply(op, ty, words, |word| operands[word][lane]);
            cells.iter().zip(words).for_each(|(cell, word)| cell.store(*word, Relaxed));
        }
        Ok(())
    }

    /// The checksum of words of a buffer, as the reference harness takes it; ranges combine by sum and exclusive or.
    #[must_use]
    pub fn checksum(&self, buffer: &Buffer, words: Range<u64>) -> (u64, u64) {
        let (mut sum, mut xor) = (0u64, 0);
        let mut first = words.start;
        while first < words.end {
            let (page, offset) = (first / PAGE_WORDS, (first % PAGE_WORDS) as usize);
            let end = words.end.min((page + 1) * PAGE_WORDS);
            let of_page = match buffer.stored(page) {
                Some(cells) => {
                    let cells = &cells[offset..][..(end - first) as usize];
                    checksum(first, cells.iter().map(|cell| cell.load(Relaxed)))
                }
                None => checksum(first, (first..end).map(|index| buffer.init.word(index, buffer.words()))),
            };
            (sum, xor) = (sum.wrapping_add(of_page.0), xor ^ of_page.1);
            first = end;
        }
        (sum, xor)
    }

    /// Bytes from an address.
    ///
    /// # Errors
    /// When not all of them are in one buffer.
    pub fn read_bytes(&self, address: Address, count: u64) -> Result<Vec<u8>, MemoryFault> {
        let buffer = self.span(address, count)?;
        let offset = address.0 - buffer.base.0;
        Ok((offset..offset + count).map(|at| (buffer.word(at / 4) >> (at % 4 * 8)) as u8).collect())
    }

    /// Writes bytes from an address on.
    ///
    /// # Errors
    /// When not all of them are in one buffer; nothing is written then.
    pub fn write_bytes(&self, address: Address, bytes: &[u8]) -> Result<(), MemoryFault> {
        if bytes.is_empty() {
            return Ok(());
        }
        let buffer = self.span(address, bytes.len() as u64)?;
        for (at, &byte) in (address.0 - buffer.base.0..).zip(bytes) {
            write_narrow(buffer.cell(at / 4), at, 1, u32::from(byte));
        }
        Ok(())
    }

    fn span(&self, address: Address, count: u64) -> Result<&Buffer, MemoryFault> {
        self.find(address.0, 1)
            .filter(|buffer| address.0 - buffer.base.0 + count <= buffer.bytes)
            .ok_or_else(|| self.fault(address.0, 1, 0))
    }
}

/// Words to the bytes or halves that the addresses mean.
pub(crate) fn narrow(lanes: &Lanes<'_>, row: &mut Row) {
    let keep = if lanes.bytes == 1 { 0xff } else { 0xffff };
    for (value, address) in row.iter_mut().zip(lanes.addresses) {
        *value = *value >> (address % 4 * 8) & keep;
    }
}

fn write_narrow(cell: &AtomicU32, address: u64, bytes: u32, value: u32) {
    let shift = address % 4 * 8;
    let keep = if bytes == 1 { 0xffu32 } else { 0xffff };
    // Never fails: the closure always gives a value.
    let _ = cell.fetch_update(Relaxed, Relaxed, |old| Some(old & !(keep << shift) | (value & keep) << shift));
}

impl GlobalMemory for &MemoryImage {
    #[inline(always)]
    fn load(&mut self, lanes: Lanes<'_>, out: &mut [Row; 4]) -> Result<(), MemoryFault> {
        MemoryImage::load(self, lanes, out)
    }

    #[inline(always)]
    fn store(&mut self, lanes: Lanes<'_>, data: &[Row; 4]) -> Result<(), MemoryFault> {
        MemoryImage::store(self, lanes, data)
    }

    fn atomic(&mut self, request: AtomicRequest<'_>, out: &mut [Row; 4]) -> Result<AtomicReply, MemoryFault> {
        MemoryImage::atomic(self, request.op, request.ty, request.lanes, request.operands, out)?;
        Ok(AtomicReply::Done)
    }
}

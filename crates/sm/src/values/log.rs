//! What an SM did to global memory in one epoch, in program order: applied to the image between epochs, in
//! the order of (cycle, SM, sequence).

use super::overlay::Overlay;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use warplab_exec::{
    AtomicOp, AtomicReply, AtomicRequest, AtomicType, ExecFault, GlobalMemory, Heap, HeapRequest, Lanes,
    MemoryFault, MemoryImage, Pattern, Row,
};
use warplab_units::{Cycle, LaneMask, PerLane, ROW_LANES, stored};

/// The old values of an atomic operation, for the warp that asked.
#[derive(Clone, Copy, Debug)]
pub struct AtomicResult {
    pub(crate) slot: u8,
    pub(crate) generation: u32,
    pub(crate) register: Option<u8>,
    pub(crate) rows: usize,
    /// The row of the warp.
    pub(crate) row: u8,
    pub(crate) mask: LaneMask,
    pub(crate) values: [Row; 4],
}

/// What the heap refuses to do for a lane of a warp.
#[derive(Clone, Debug)]
pub struct HeapRefusal {
    pub(crate) slot: u8,
    pub(crate) pc: u32,
    pub(crate) fault: ExecFault,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Change {
    Store,
    Atomic {
        op: AtomicOp,
        ty: AtomicType,
        destination: Option<u8>,
    },
    /// A `malloc` or `free` of the instruction at `pc`; the values stand where others have addresses.
    Heap {
        frees: bool,
        destination: Option<u8>,
        pc: u32,
    },
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Entry {
    cycle: Cycle,
    change: Change,
    mask: LaneMask,
    bytes: u32,
    pattern: Pattern,
    slot: u8,
    /// The row of the warp.
    row: u8,
    generation: u32,
    addresses: u32,
    data: u32,
    /// The pages of the lowest and of the highest address.
    pages: [u64; 2],
}

impl Entry {
    /// Some of its lanes.
    fn lanes<'a>(&self, addresses: &'a PerLane<u64>, mask: LaneMask) -> Lanes<'a> {
        let pattern = if mask == self.mask { self.pattern } else { Pattern::Scattered };
        Lanes { addresses, mask, bytes: self.bytes, pattern }
    }
}

/// One of several shares of all addresses: whole pages of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: u64,
    of: u64,
}

/// Bytes of a page: large enough that an access mostly lies in one, small enough that all shards have work.
const PAGE_BYTES: u64 = 8192;

impl Shard {
    /// This many shares that are all addresses together.
    #[must_use]
    pub fn all(count: usize) -> Vec<Shard> {
        (0..count as u64).map(|number| Shard { number, of: count as u64 }).collect()
    }

    fn has_page(self, page: u64) -> bool {
        (page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % self.of == self.number
    }
}

/// Changes of an SM in an epoch, mostly.
const USUAL: usize = 32;

/// The changes of one SM in one epoch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StoreLog {
    entries: Vec<Entry>,
    /// Requests to the heap, which belongs to the whole device.
    heap_requests: usize,
    #[serde(with = "stored::arrays")]
    addresses: Vec<PerLane<u64>>,
    #[serde(with = "stored::arrays")]
    data: Vec<Row>,
}

impl StoreLog {
    /// How many changes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The cycle of the first change.
    #[must_use]
    pub fn first_cycle(&self) -> Option<Cycle> {
        self.entries.first().map(|entry| entry.cycle)
    }

    /// The cycle of a change.
    #[must_use]
    pub fn cycle(&self, index: usize) -> Cycle {
        self.entries[index].cycle
    }

    /// Whether there is nothing but stores and atomic operations: what touches one word is all that must stay in order.
    #[must_use]
    pub fn has_only_accesses(&self) -> bool {
        self.heap_requests == 0
    }

    /// Makes a store or an atomic operation as far as its lanes' addresses are in a shard. The result is that of these
    /// lanes.
    pub fn apply_in(&self, index: usize, shard: Shard, image: &MemoryImage) -> Option<AtomicResult> {
        let entry = &self.entries[index];
        let mask = self.lanes_in(entry, shard);
        if mask.is_empty() {
            return None;
        }
        match entry.change {
            Change::Store => self.store(entry, mask, image),
            Change::Atomic { .. } => return self.atomic(entry, mask, image),
            Change::Heap { .. } => {}
        }
        None
    }

    /// The lanes of a change whose addresses are in a shard.
    fn lanes_in(&self, entry: &Entry, shard: Shard) -> LaneMask {
        let addresses = &self.addresses[entry.addresses as usize];
        let [low, high] = entry.pages;
        if low == high {
            return if shard.has_page(low) { entry.mask } else { LaneMask::EMPTY };
        }
        let mine = entry.mask.lanes().filter(|&lane| shard.has_page(addresses[lane] / PAGE_BYTES));
        mine.collect()
    }

    fn store(&self, entry: &Entry, mask: LaneMask, image: &MemoryImage) {
        let addresses = &self.addresses[entry.addresses as usize];
        let rows = &self.data[entry.data as usize..][..rows_of(entry)];
        // Checked when it was issued.
        let _ = image.store(entry.lanes(addresses, mask), rows);
    }

    fn atomic(&self, entry: &Entry, mask: LaneMask, image: &MemoryImage) -> Option<AtomicResult> {
        let Change::Atomic { op, ty, destination } = entry.change else { return None };
        let addresses = &self.addresses[entry.addresses as usize];
        let few;
        let data: &[Row] = if ty == AtomicType::B128 {
            &self.data[entry.data as usize..][..rows_of(entry)]
        } else {
            few = self.rows(entry);
            few.as_slice()
        };
        let mut values = [[0; ROW_LANES]; 4];
        // Checked when it was issued.
        let _ = image.atomic(op, ty, entry.lanes(addresses, mask), data, &mut values);
        let rows = entry.bytes.div_ceil(4) as usize;
        destination.is_some().then_some(AtomicResult {
            slot: entry.slot,
            generation: entry.generation,
            register: destination,
            rows,
            row: entry.row,
            mask,
            values,
        })
    }

    /// The data of a change; its last rows mean nothing where it has fewer than four.
    fn rows(&self, entry: &Entry) -> Cow<'_, [Row; 4]> {
        let rows = &self.data[entry.data as usize..];
        rows.first_chunk().map_or_else(
            || {
                let mut data = [[0; ROW_LANES]; 4];
                data[..rows.len()].copy_from_slice(rows);
                Cow::Owned(data)
            },
            Cow::Borrowed,
        )
    }

    /// Makes a change; an atomic operation with a result gives it, and so does `malloc`.
    ///
    /// # Errors
    /// A lane frees what is not allocated.
    pub fn apply(
        &self,
        index: usize,
        image: &MemoryImage,
        heap: &mut Heap,
    ) -> Result<Option<AtomicResult>, HeapRefusal> {
        let entry = &self.entries[index];
        Ok(match entry.change {
            Change::Store => {
                self.store(entry, entry.mask, image);
                None
            }
            Change::Atomic { .. } => self.atomic(entry, entry.mask, image),
            Change::Heap { frees, destination, pc } => {
                let values = self.addresses[entry.addresses as usize];
                let request = HeapRequest { frees, row: entry.row, mask: entry.mask, values, destination };
                let refusal = |fault: ExecFault| HeapRefusal {
                    slot: entry.slot,
                    pc,
                    fault: fault.of_row(usize::from(entry.row)),
                };
                let places = heap.serve(&request, image).map_err(refusal)?;
                destination.is_some().then_some(AtomicResult {
                    slot: entry.slot,
                    generation: entry.generation,
                    register: destination,
                    rows: 2,
                    row: entry.row,
                    mask: entry.mask,
                    values: [places[0], places[1], [0; ROW_LANES], [0; ROW_LANES]],
                })
            }
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.heap_requests = 0;
        self.addresses.clear();
        self.data.clear();
    }

    /// Adds what a warp asks of the heap at an instruction.
    pub(crate) fn push_heap(
        &mut self,
        cycle: Cycle,
        slot: u8,
        generation: u32,
        pc: u32,
        request: &HeapRequest,
    ) {
        let HeapRequest { frees, row, mask, ref values, destination } = *request;
        let change = Change::Heap { frees, destination, pc };
        let (addresses, data, pages) = (0, 0, [0; 2]);
        let (bytes, pattern) = (8, Pattern::Scattered);
        let entry =
            Entry { cycle, change, mask, bytes, pattern, slot, row, generation, addresses, data, pages };
        let lanes = Lanes { addresses: values, mask, bytes, pattern };
        self.push(entry, &lanes, &[[0; ROW_LANES]; 4]);
    }

    fn push(&mut self, entry: Entry, lanes: &Lanes<'_>, data: &[Row]) {
        let (low, high) = pages_of(lanes);
        self.heap_requests += usize::from(matches!(entry.change, Change::Heap { .. }));
        let entry = Entry {
            pages: [low, high],
            addresses: self.addresses.len() as u32,
            data: self.data.len() as u32,
            mask: lanes.mask,
            bytes: lanes.bytes,
            pattern: lanes.pattern,
            ..entry
        };
        if self.entries.capacity() == 0 {
            self.make_room();
        }
        self.addresses.push(*lanes.addresses);
        self.data.extend_from_slice(&data[..rows_of(&entry)]);
        self.entries.push(entry);
    }

    /// Makes room for the changes of most epochs at once.
    #[cold]
    fn make_room(&mut self) {
        self.addresses.reserve(USUAL);
        self.data.reserve(2 * USUAL);
        self.entries.reserve(USUAL);
    }
}

/// The pages of the lowest and of the highest address.
fn pages_of(lanes: &Lanes<'_>) -> (u64, u64) {
    if lanes.are_contiguous() {
        return (lanes.addresses[0] / PAGE_BYTES, lanes.addresses[ROW_LANES - 1] / PAGE_BYTES);
    }
    if let (Pattern::Uniform, Some(lane)) = (lanes.pattern, lanes.mask.lowest()) {
        let page = lanes.addresses[lane] / PAGE_BYTES;
        return (page, page);
    }
    let pages = lanes.mask.lanes().map(|lane| lanes.addresses[lane] / PAGE_BYTES);
    pages.fold((u64::MAX, 0), |(low, high), page| (low.min(page), high.max(page)))
}

fn rows_of(entry: &Entry) -> usize {
    match entry.change {
        Change::Store => entry.bytes.div_ceil(4) as usize,
        Change::Atomic { ty: AtomicType::B128, .. } => 8,
        // A vector has no comparison value.
        Change::Atomic { .. } => (entry.bytes.div_ceil(4) as usize * 2).min(4),
        Change::Heap { .. } => 0,
    }
}

/// Global memory as the warps of one SM see it.
pub(crate) struct GlobalView<'a> {
    pub(crate) image: &'a MemoryImage,
    pub(crate) overlay: &'a mut Overlay,
    pub(crate) log: &'a mut StoreLog,
    pub(crate) cycle: Cycle,
    pub(crate) slot: u8,
    pub(crate) generation: u32,
}

impl GlobalView<'_> {
    fn entry(&self, change: Change, row: u8) -> Entry {
        Entry {
            cycle: self.cycle,
            change,
            mask: LaneMask::EMPTY,
            bytes: 0,
            pattern: Pattern::Scattered,
            slot: self.slot,
            row,
            generation: self.generation,
            addresses: 0,
            data: 0,
            pages: [0; 2],
        }
    }
}

impl GlobalMemory for GlobalView<'_> {
    #[inline(always)]
    fn load(&mut self, lanes: Lanes<'_>, out: &mut [Row; 4]) -> Result<(), MemoryFault> {
        self.image.load(lanes, out)?;
        self.overlay.patch(&lanes, out);
        Ok(())
    }

    fn store(&mut self, lanes: Lanes<'_>, data: &[Row; 4]) -> Result<(), MemoryFault> {
        self.image.check(lanes)?;
        self.overlay.store(&lanes, data);
        self.log.push(self.entry(Change::Store, 0), &lanes, data);
        Ok(())
    }

    fn atomic(
        &mut self,
        request: AtomicRequest<'_>,
        _out: &mut [Row; 4],
    ) -> Result<AtomicReply, MemoryFault> {
        self.image.check(request.lanes)?;
        self.overlay.atomic(&request, self.image);
        let destination = request.destination.filter(|_| request.wants_result);
        let AtomicRequest { op, ty, row, .. } = request;
        let change = Change::Atomic { op, ty, destination };
        self.log.push(self.entry(change, row), &request.lanes, request.operands);
        Ok(if request.wants_result { AtomicReply::Deferred } else { AtomicReply::Done })
    }
}

#[cfg(test)]
mod tests {
    use super::{GlobalView, Overlay, PAGE_BYTES, Shard, StoreLog};
    use warplab_exec::{
        AtomicOp, AtomicRequest, AtomicType, GlobalMemory, Heap, Init, Lanes, MemoryImage, Row,
    };
    use warplab_units::{Cycle, LaneMask, ROW_LANES};

    /// Every lane adds its number to a word; the words are `stride` bytes apart.
    fn additions(stride: u64) -> (StoreLog, MemoryImage) {
        let mut image = MemoryImage::new();
        let buffer = image.allocate("words", 32 * stride + 4, Init::Zero);
        let (mut log, mut overlay) = (StoreLog::default(), Overlay::default());
        let addresses = std::array::from_fn(|lane| buffer.0 + lane as u64 * stride);
        let mut operands = [[0; ROW_LANES]; 4];
        operands[0] = std::array::from_fn(|lane| lane as u32);
        let request = AtomicRequest {
            op: AtomicOp::Add,
            ty: AtomicType::U32,
            lanes: Lanes::new(&addresses, LaneMask::ALL, 4),
            row: 0,
            operands: &operands,
            wants_result: true,
            destination: Some(7),
        };
        let mut view = GlobalView {
            image: &image,
            overlay: &mut overlay,
            log: &mut log,
            cycle: Cycle(0),
            slot: 0,
            generation: 0,
        };
        view.atomic(request, &mut [[0; ROW_LANES]; 4]).expect("the words are there");
        (log, image)
    }

    #[test]
    fn shards_give_each_lane_the_value_that_the_whole_operation_gives() {
        let (log, image) = additions(PAGE_BYTES);
        let parts: Vec<_> =
            Shard::all(3).into_iter().filter_map(|shard| log.apply_in(0, shard, &image)).collect();
        assert!(parts.len() > 1, "the words are in several shards");
        let mut lanes = LaneMask::EMPTY;
        let mut values: Row = [0; ROW_LANES];
        for part in &parts {
            assert!((lanes & part.mask).is_empty());
            lanes = LaneMask(lanes.0 | part.mask.0);
            part.mask.lanes().for_each(|lane| values[lane] = part.values[0][lane]);
        }
        let (log, image) = additions(PAGE_BYTES);
        let whole = log.apply(0, &image, &mut Heap::new(&image)).expect("no heap").expect("a result");
        assert_eq!((lanes, values), (whole.mask, whole.values[0]));
    }

    #[test]
    fn an_operation_on_one_page_belongs_to_one_shard() {
        let (log, image) = additions(4);
        let parts = Shard::all(3).into_iter().filter_map(|shard| log.apply_in(0, shard, &image));
        assert_eq!(parts.map(|part| part.mask).collect::<Vec<_>>(), [LaneMask::ALL]);
    }

    #[test]
    fn four_words_are_compared_and_exchanged_together() {
        let mut image = MemoryImage::new();
        let buffer = image.allocate("words", 64, Init::IndexU32);
        let (mut log, mut overlay) = (StoreLog::default(), Overlay::default());
        let addresses = [buffer.0 + 16; ROW_LANES];
        // Words 4 to 7 are their numbers; the second lane finds what the first has put there.
        let operands: [Row; 8] =
            std::array::from_fn(|word| [word as u32 + if word < 4 { 4 } else { 20 }; ROW_LANES]);
        let request = AtomicRequest {
            op: AtomicOp::CompareExchange,
            ty: AtomicType::B128,
            lanes: Lanes::new(&addresses, LaneMask(0b11), 16),
            row: 0,
            operands: &operands,
            wants_result: true,
            destination: Some(4),
        };
        let (cycle, slot, generation) = (Cycle(0), 0, 0);
        let mut view =
            GlobalView { image: &image, overlay: &mut overlay, log: &mut log, cycle, slot, generation };
        view.atomic(request, &mut [[0; ROW_LANES]; 4]).expect("the words are there");
        let result = log.apply(0, &image, &mut Heap::new(&image)).expect("no heap").expect("a result");
        assert_eq!(result.values.map(|row| [row[0], row[1]]), [[4, 24], [5, 25], [6, 26], [7, 27]]);
    }
}

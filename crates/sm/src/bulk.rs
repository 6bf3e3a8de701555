//! Copies of many lines by one instruction: the unit of the SM that asks for them, one copy after the other, line by line.

use crate::copies::Then;
use crate::events::Event;
use crate::sm::{Advance, Sm};
use serde::{Deserialize, Serialize};
use slab::Slab;
use smallvec::SmallVec;
use std::collections::VecDeque;
use warplab_config::gpu::BulkCopies;
use warplab_exec::{Arrival, BulkKind, BulkRecord, BulkRow};
use warplab_units::{Address, Cycle, LINE_BYTES, SECTOR_BYTES};

/// Parts of a cycle that the unit counts in.
const PARTS: u64 = 1024;
/// Cycles until the unit looks again whether the crossbar takes more.
const RETRY: u64 = 4;

/// What becomes of the data of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Way {
    /// Lines are asked for, and a barrier is told when they have come.
    In,
    /// Lines are written, or changed.
    Out { changes: bool },
    /// Lines are asked for.
    Prefetch,
}

/// A copy of many lines that is under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct BulkCopy {
    way: Way,
    slot: u8,
    generation: u32,
    /// The place of its block on the SM, and the block's number.
    place: u8,
    block: u64,
    barrier: u32,
    bytes: u32,
    /// Other blocks of the cluster that get it, too, and whether this one does.
    peers: u16,
    is_own: bool,
    /// What is to be copied, and how much of it has been asked for: whole rows, and bytes of the next one.
    rows: SmallVec<[BulkRow; 1]>,
    row: u32,
    byte: u32,
    is_box: bool,
    /// When it can begin.
    ready: Cycle,
    /// Lines that have been asked for and not come.
    away: u32,
    /// Whether all of it has been asked for, or read in shared memory.
    read: bool,
    /// Keeps the load/store unit from being idle.
    token: u32,
}

impl BulkCopy {
    fn has_come(&self) -> bool {
        self.read && self.away == 0
    }

    /// The next bytes of a line, or none of a row that lies outside of its tensor; nothing, where all has been asked for.
    fn next(&self) -> Option<BulkRow> {
        let row = *self.rows.get(self.row as usize)?;
        let (global, left) = (row.global + u64::from(self.byte), row.bytes - self.byte);
        let bytes = u64::from(left).min(LINE_BYTES - global % LINE_BYTES) as u32;
        Some(BulkRow { global, bytes })
    }

    /// So many bytes of the row have been asked for.
    fn asked(&mut self, bytes: u32) {
        self.byte += bytes;
        if self.rows.get(self.row as usize).is_none_or(|row| self.byte >= row.bytes) {
            self.row += 1;
            self.byte = 0;
        }
    }

    /// Cycles that the unit takes for bytes of a line, in parts.
    fn taken(&self, bytes: u32, spec: &BulkCopies) -> u64 {
        let writes = matches!(self.way, Way::Out { .. });
        let pace = match self.way {
            Way::Out { .. } => spec.store_bytes,
            _ if self.is_box => spec.box_bytes,
            _ => spec.load_bytes,
        };
        let least = match self.is_box {
            true if writes && bytes < SECTOR_BYTES as u32 => spec.partial_row,
            true => spec.row,
            false => 0,
        };
        (u64::from(bytes) * PARTS / u64::from(pace.max(1))).max(u64::from(least) * PARTS)
    }
}

/// The unit of an SM that copies many lines.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct BulkUnit {
    copies: Slab<BulkCopy>,
    /// Those with lines left to be asked for, in their order.
    waiting: VecDeque<u32>,
    /// When the unit is free, in parts of a cycle.
    free: u64,
    /// Whether its next step is an event.
    steps: bool,
    /// Copies that have begun, and those of them that have ended: fences wait for them.
    pub(crate) begun: u64,
    pub(crate) ended: u64,
    /// Waits for barriers in shared memory so far.
    pub(crate) waits: u32,
    /// The tensor maps that it has, and since when.
    maps: Vec<(u64, Cycle)>,
}

impl BulkUnit {
    /// When the unit has a tensor map that it needs now, and fetches in so many cycles if it has not had it.
    fn map(&mut self, place: Option<u64>, now: Cycle, takes: u32) -> Cycle {
        let Some(place) = place.filter(|_| takes > 0) else { return now };
        if let Some(&(_, since)) = self.maps.iter().find(|(other, _)| *other == place) {
            return since;
        }
        let since = now + u64::from(takes);
        self.maps.push((place, since));
        since
    }
}

impl Advance<'_> {
    /// The instruction that a warp has just executed copies many lines.
    #[cold]
    pub(crate) fn copy_in_bulk(&mut self, slot: usize) {
        let Some(record) = self.sm.scratch.record.bulk.take() else { return };
        let BulkRecord { kind, rows, bytes, barrier, map, peers, is_own } = *record;
        let is_box = map.is_some();
        if kind == BulkKind::ToPeer {
            return self.copy_to_peer(slot, barrier, bytes);
        }
        if peers != 0 {
            self.give_to_peers(slot);
        }
        let way = match kind {
            BulkKind::ToPeer => return,
            BulkKind::ToShared => Way::In,
            BulkKind::ToGlobal => Way::Out { changes: false },
            BulkKind::Reduce(..) => Way::Out { changes: true },
            BulkKind::Prefetch => Way::Prefetch,
        };
        let sm = &mut *self.sm;
        let warp = &mut sm.warps[slot];
        if matches!(way, Way::Out { .. }) {
            warp.bulk.get_or_insert_default().begin();
        }
        let (generation, place) = (warp.generation, warp.block);
        let block = sm.blocks[usize::from(place)].as_ref().map_or(0, |block| block.number);
        let spec = &self.context.spec.bulk;
        let start = match way {
            Way::Out { .. } if is_box => spec.box_store_start,
            Way::Out { .. } => spec.store_start,
            _ if is_box => spec.box_start + if rows.len() > 1 { spec.box_rows } else { 0 },
            _ => spec.start,
        };
        let ready = (sm.now + u64::from(start.max(1))).max(sm.bulk.map(map, sm.now, spec.map));
        let copy = BulkCopy {
            way,
            slot: slot as u8,
            generation,
            place,
            block,
            barrier,
            bytes,
            peers,
            is_own,
            rows,
            row: 0,
            byte: 0,
            is_box,
            ready,
            away: 0,
            read: false,
            token: sm.lsu.begin_bulk(),
        };
        let number = sm.bulk.copies.insert(copy) as u32;
        sm.bulk.begun += 1;
        sm.bulk.waiting.push_back(number);
        if !sm.bulk.steps {
            sm.bulk.steps = true;
            let at = ready.max(Cycle(sm.bulk.free.div_ceil(PARTS)));
            sm.events.push(at, Event::BulkStep);
        }
    }

    /// The unit asks for the next line of the first copy that waits.
    #[cold]
    #[inline(never)]
    pub(crate) fn step_bulk(&mut self) {
        let now = self.sm.now;
        let spec = self.context.spec;
        let Some(&number) = self.sm.bulk.waiting.front() else {
            self.sm.bulk.steps = false;
            return;
        };
        let Sm { bulk, lsu, events, .. } = &mut *self.sm;
        let copy = &mut bulk.copies[number as usize];
        if let Some(BulkRow { global, bytes }) = copy.next() {
            if !lsu.takes_bulk(now, &spec.lsu) {
                events.push(now + RETRY, Event::BulkStep);
                return;
            }
            let writes = match copy.way {
                Way::Out { changes } => Some(changes),
                _ => None,
            };
            if bytes > 0 {
                let start = global % LINE_BYTES;
                let range = start..start + u64::from(bytes);
                lsu.send_bulk(now, number, Address(global - start), range, writes, &spec.lsu);
                copy.away += 1;
            } else if copy.way == Way::In {
                events.push(now + u64::from(spec.bulk.outside), Event::BulkLine { copy: number });
                copy.away += 1;
            }
            // A step comes at a whole cycle: what it is late by is not lost.
            bulk.free = bulk.free.max(now.0.saturating_sub(1) * PARTS) + copy.taken(bytes, &spec.bulk);
            copy.asked(bytes);
        }
        let mut next = bulk.free.div_ceil(PARTS);
        if copy.next().is_none() {
            bulk.waiting.pop_front();
            bulk.free += u64::from(spec.bulk.interval) * PARTS;
            next = bulk.free.div_ceil(PARTS);
            let read = Event::BulkRead { copy: number };
            self.sm.events.push(Cycle(self.sm.bulk.free.div_ceil(PARTS)), read);
        }
        let bulk = &mut self.sm.bulk;
        match bulk.waiting.front() {
            Some(&number) => {
                let ready = bulk.copies[number as usize].ready.0;
                self.sm.events.push(Cycle(next.max(ready).max(now.0 + 1)), Event::BulkStep);
            }
            None => bulk.steps = false,
        }
    }

    /// All lines of a copy have been asked for, or read in shared memory.
    #[cold]
    #[inline(never)]
    pub(crate) fn bulk_read(&mut self, number: u32) {
        let Some(copy) = self.sm.bulk.copies.get_mut(number as usize) else { return };
        copy.read = true;
        let (way, slot, generation) = (copy.way, copy.slot, copy.generation);
        if let Way::Out { .. } = way {
            self.end_bulk_group(usize::from(slot), generation);
        }
        self.end_bulk(number);
    }

    /// A copy of a warp to global memory has read shared memory: so have groups of them.
    fn end_bulk_group(&mut self, slot: usize, generation: u32) {
        let warp = &mut self.sm.warps[slot];
        if warp.generation != generation {
            return;
        }
        let ended: SmallVec<[Then; 2]> = warp.bulk.iter_mut().flat_map(|copies| copies.end()).collect();
        for then in ended {
            if let Then::Release(counter) = then {
                let at = self.sm.now + 1;
                self.sm.events.push(at, Event::Release { slot: slot as u8, generation, counter });
            }
        }
    }

    /// A line of a copy has come, or been taken.
    #[cold]
    #[inline(never)]
    pub(crate) fn bulk_line(&mut self, number: u32) {
        if let Some(copy) = self.sm.bulk.copies.get_mut(number as usize) {
            copy.away = copy.away.saturating_sub(1);
            self.end_bulk(number);
        }
    }

    /// A copy ends, if nothing of it is left: its barrier comes to know.
    fn end_bulk(&mut self, number: u32) {
        let sm = &mut *self.sm;
        if !sm.bulk.copies.get(number as usize).is_some_and(BulkCopy::has_come) {
            return;
        }
        let Some(copy) = sm.bulk.copies.try_remove(number as usize) else { return };
        sm.lsu.end_bulk(copy.token);
        sm.bulk.ended += 1;
        self.pass_fences();
        let sm = &mut *self.sm;
        let place = usize::from(copy.place);
        let Some(block) = sm.blocks.get_mut(place).and_then(Option::as_mut) else { return };
        if copy.way != Way::In || block.number != copy.block {
            return;
        }
        let come = Arrival { bytes: -i64::from(copy.bytes), ..Arrival::default() };
        if copy.peers != 0 {
            self.tell_peers(usize::from(copy.slot), copy.peers, copy.barrier, come);
        }
        let Some(block) = self.sm.blocks[place].as_mut().filter(|_| copy.is_own) else { return };
        // More bytes than it counts: it stays as it is, and who waits for it is reported as hanging.
        if block.shared.arrive(copy.barrier, come).is_ok() {
            self.end_phases(place, self.context.spec.bulk.wake);
        }
    }
}

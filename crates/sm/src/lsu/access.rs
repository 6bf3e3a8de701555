//! From what an instruction accessed to what the LSU has to do.

use super::atomics::atomic_lines;
use super::{GlobalAccess, LoadStoreUnit, Passes, Work};
use super::{banks, coalesce, copied};
use crate::launch::{IssueInfo, MemoryClass};
use crate::sm::Advance;
use crate::spec::SmSpec;
use smallvec::SmallVec;
use warplab_config::gpu::SharedMemory;
use warplab_exec::{AccessKind, AccessRecord, Executed, RowAccess, Scope, Space, Step};
use warplab_program::limits::LOCAL_BYTES;
use warplab_program::{Modifier, Opcode};
use warplab_trace::{L1Counters, SharedCounters};
use warplab_units::{LINE_BYTES, ROW_LANES, SmId};

/// Where the local memory of all warps lies for the memory system: each word of a row of lanes is a line. A convention of this
/// simulator, below all windows and buffers of `exec`; drivers do not publish theirs.
const LOCAL_BASE: u64 = 0x6000_0000_0000;
/// Bytes of local memory from one row of lanes to the next: room for the most that a thread may have, of every lane.
const LOCAL_SPAN: u64 = LOCAL_BYTES as u64 * ROW_LANES as u64;

/// Bytes of a word of a bank.
const WORD_BYTES: u32 = 4;
/// Passes that a special register takes which is another one for each lane (measured: core/constants.txt, only_S2R_TID).
const LANE_NUMBER_PASSES: u64 = 2;

impl Advance<'_> {
    /// What the LSU has to do for the instruction that has just executed.
    pub(crate) fn memory_work(&mut self, slot: usize, info: &IssueInfo, executed: &Executed) -> Option<Work> {
        let (sm, spec) = (&mut *self.sm, self.context.spec);
        if executed.mask.is_empty() {
            let latency = spec.lsu.masked_latency?;
            sm.shared_counters.exchange_requests += 1;
            return Some(Work::Shared { passes: 1, latency });
        }
        if !sm.scratch.record.peers.is_empty() && executed.step != Step::Bulk {
            let is_kept = matches!(executed.step, Step::Memory { .. })
                && !matches!(info.opcode, Opcode::Stas | Opcode::Redas);
            return Some(self.peer_work(slot, is_kept));
        }
        let (rows, latency) = (u64::from(spec.warp_rows), u64::from(info.latency));
        if !matches!(executed.step, Step::Memory { .. }) {
            if matches!(executed.step, Step::Bulk | Step::Mbarrier(_)) {
                return Some(self.asynchronous_work(executed, latency));
            }
            sm.shared_counters.exchange_requests += 1;
            let passes = if info.opcode == Opcode::S2r { rows * LANE_NUMBER_PASSES } else { rows };
            return Some(Work::Shared { passes, latency });
        }
        let record = &mut sm.scratch.record;
        if matches!(info.opcode, Opcode::Cctl | Opcode::Cctll) {
            self.control_cache(executed.pc);
            return None;
        }
        if record.is_empty() {
            return record.policy.copies.then(|| zeros_work(record, spec, &mut sm.lsu.counters));
        }
        match record.space {
            Space::Shared => Some(shared_work(record, info, spec, &mut sm.shared_counters)),
            Space::Global => Some(global_work(record, info.compares, false, spec, &mut sm.lsu)),
            Space::Local => {
                interleave_local(record, sm.id, slot, spec);
                Some(global_work(record, false, true, spec, &mut sm.lsu))
            }
        }
    }
}

impl Advance<'_> {
    /// An operation on a cache: what takes all lines out of L1 does, prefetches and write-backs do nothing here.
    #[cold]
    #[inline(never)]
    fn control_cache(&mut self, pc: u32) {
        let instruction = self.context.launch.kernel.instructions.get(pc as usize);
        if instruction.is_some_and(|instruction| instruction.has(Modifier::Ivall)) {
            self.sm.lsu.l1.invalidate_all();
        }
    }

    /// What the LSU has to do for a copy of many lines or an instruction on barriers in shared memory.
    #[cold]
    #[inline(never)]
    fn asynchronous_work(&mut self, executed: &Executed, latency: u64) -> Work {
        if executed.step == Step::Bulk {
            return Work::Shared { passes: 1, latency };
        }
        let instruction = self.context.launch.kernel.instructions.get(executed.pc as usize);
        let tests = instruction.is_some_and(|instruction| instruction.has(Modifier::Phasechk));
        let rows = &self.sm.scratch.record.rows;
        mbarrier_work(rows, tests, self.context.spec, &mut self.sm.shared_counters)
    }
}

/// The passes of an access to shared memory.
fn shared_work(
    record: &AccessRecord,
    info: &IssueInfo,
    spec: &SmSpec,
    counters: &mut SharedCounters,
) -> Work {
    let &AccessRecord { ref rows, bytes, kind, .. } = record;
    let shared = &spec.shared;
    let atomic = matches!(kind, AccessKind::Atomic | AccessKind::Reduction | AccessKind::Count);
    let passes = match kind {
        AccessKind::Atomic | AccessKind::Reduction => banks::shared_atomic_passes(rows, bytes, shared.banks),
        AccessKind::MatrixLoad | AccessKind::MatrixStore => {
            banks::matrix_passes(&rows[0], bytes, shared.banks)
        }
        _ => banks::shared_passes(rows, bytes, shared.banks),
    };
    let conflicts = u64::from(passes.taken.saturating_sub(passes.ideal));
    let compares = if atomic && info.compares { shared.compare_passes } else { 0 };
    let counted = u64::from(passes.taken + compares);
    let taken = counted.max(generic_passes(record, info, counted, shared));
    match kind {
        AccessKind::Store | AccessKind::MatrixStore => {
            counters.store_requests += 1;
            counters.store_wavefronts += counted;
            counters.store_bank_conflicts += conflicts;
        }
        AccessKind::Atomic | AccessKind::Reduction | AccessKind::Count => {
            counters.atomic_requests += 1;
            counters.atomic_wavefronts += counted;
        }
        _ => {
            counters.load_requests += 1;
            counters.load_wavefronts += counted;
            counters.load_bank_conflicts += conflicts;
        }
    }
    let further = taken.saturating_sub(1);
    let (first, each) = if atomic {
        (shared.atomic_latency, shared.atomic_lane)
    } else {
        (u32::from(shared.latency), shared.pass_latency)
    };
    let latency = u64::from(first) + further * u64::from(each);
    Work::Shared { passes: taken * u64::from(shared.pass_interval), latency }
}

/// A copy of which no lane reads anything: all write zeros (measured: wavefronts of `matmul_bias_gelu_150`).
#[cold]
fn zeros_work(record: &AccessRecord, spec: &SmSpec, counters: &mut L1Counters) -> Work {
    let lands = [record.lands, RowAccess::default()];
    let passes = u64::from(banks::shared_passes(&lands, record.bytes, spec.shared.banks).taken);
    counters.copy_wavefronts += passes.saturating_sub(1);
    Work::Shared {
        passes: passes * u64::from(spec.shared.pass_interval),
        latency: u64::from(spec.shared.latency),
    }
}

/// The passes of an access by generic addresses, of which some are counted: none where it is not one.
fn generic_passes(record: &AccessRecord, info: &IssueInfo, counted: u64, shared: &SharedMemory) -> u64 {
    if info.memory != MemoryClass::Global || shared.generic_passes == 0 {
        return 0;
    }
    match record.kind {
        AccessKind::Load => u64::from(record.bytes / WORD_BYTES),
        _ => counted + u64::from(shared.generic_passes),
    }
}

/// The passes of an instruction on barriers in shared memory: lanes that name the same are one.
#[cold]
fn mbarrier_work(rows: &[RowAccess; 2], tests: bool, spec: &SmSpec, counters: &mut SharedCounters) -> Work {
    let times = &spec.mbarriers;
    let mut named: SmallVec<[u64; 4]> = SmallVec::new();
    for (row, lane) in rows.iter().flat_map(|row| row.mask.lanes().map(move |lane| (row, lane))) {
        if !named.contains(&row.addresses[lane]) {
            named.push(row.addresses[lane]);
        }
    }
    let further = if tests { times.test_further } else { times.further };
    let further = u64::from(further) * (named.len() as u64).saturating_sub(1);
    counters.atomic_requests += 1;
    counters.atomic_wavefronts += named.len() as u64;
    let first = if tests { times.test_latency } else { times.latency };
    Work::Barrier { passes: u64::from(times.interval) + further, latency: u64::from(first) + further }
}

/// The lines of an access to global or local memory, and how long it keeps the tags or the data array.
fn global_work(
    record: &AccessRecord,
    compares: bool,
    local: bool,
    spec: &SmSpec,
    lsu: &mut LoadStoreUnit,
) -> Work {
    let &AccessRecord { ref rows, bytes, kind, policy, .. } = record;
    let mut lines = lsu.free_lines.pop().unwrap_or_default();
    let banks = (spec.l1.tag_banks, spec.l1.tag_hash);
    match kind {
        AccessKind::Atomic | AccessKind::Reduction => atomic_lines(rows, bytes, banks, &mut lines),
        _ if local => coalesce::local_lines(rows, bytes, &mut lines),
        AccessKind::Store => coalesce::grouped_lines(rows, bytes, spec.coalescing.stores(), &mut lines),
        _ => coalesce::grouped_lines(rows, bytes, spec.coalescing, &mut lines),
    }
    if compares {
        lines.iter_mut().for_each(|line| line.compares = true);
    }
    let mut sectors: u32 = lines.iter().map(|line| line.sectors.count()).sum();
    let tags = coalesce::tag_cycles(&lines, spec.l1.tag_banks, spec.l1.tag_hash);
    if policy.copies && policy.bypass && bytes == copied::PIECE_BYTES {
        lines.clear();
        let asked = copied::lines(&rows[0], &record.lands.addresses, &mut lines);
        sectors = asked.counted;
        lsu.counters.copied_sectors_again += u64::from(asked.again);
    }
    if policy.copies {
        lines.iter_mut().for_each(|line| (line.copied, line.alone) = (true, policy.bypass));
    }
    let per_cycle = match kind {
        AccessKind::Store | AccessKind::Atomic | AccessKind::Reduction => spec.l1.stored_bytes_per_cycle(),
        _ => spec.l1.bytes_per_cycle,
    };
    let mut width = (bytes * spec.warp_rows * ROW_LANES as u32).div_ceil(per_cycle).max(1);
    if kind == AccessKind::Store {
        width = width.min(stored_width(rows, bytes, per_cycle));
    }
    let mut data = width;
    // Whole sectors are stored whatever their banks.
    let writes_whole = kind == AccessKind::Store && lines.iter().all(|line| line.full == line.sectors);
    if let (Some(banks), AccessKind::Load | AccessKind::Store, false) = (spec.l1.data_banks, kind, local)
        && !writes_whole
    {
        data = data.max(banks::shared_passes(rows, bytes, banks).taken);
    }
    // By way of level one what a copy brings passes as it lies in shared memory (measured: lsu/landing.txt).
    if policy.copies && !policy.bypass {
        let lands = [record.lands, RowAccess::default()];
        data = data.max(banks::shared_passes(&lands, bytes, spec.shared.banks).taken);
    }
    let cached =
        spec.l1.caches_global_loads && policy.strong.is_none_or(|scope| scope <= Scope::Multiprocessor);
    let access = match kind {
        AccessKind::Store => GlobalAccess::Store { local },
        AccessKind::Atomic => GlobalAccess::Atomic { returns: true },
        AccessKind::Reduction => GlobalAccess::Atomic { returns: false },
        _ => GlobalAccess::Load { cached: cached || local, local },
    };
    let counters = &mut lsu.counters;
    counters.tag_cycles += u64::from(tags);
    if policy.copies {
        let landing = if policy.bypass { 0 } else { 1 + u64::from(data).max(lines.len() as u64) };
        counters.copy_wavefronts += landing;
    } else {
        counters.data_cycles += u64::from(data);
    }
    counters.excessive_sectors += u64::from(sectors.saturating_sub(coalesce::ideal_sectors(rows, bytes)));
    let (requests, sector_count) = requests(access, counters);
    *requests += 1;
    *sector_count += u64::from(sectors);
    let passes = Passes { tags: tags as u16, data: data as u16, width: width as u16 };
    Work::Global { access, lines, passes }
}

/// Passes of a store: lanes that are beside each other pass together, and those of which none is active do not pass.
fn stored_width(rows: &[RowAccess; 2], bytes: u32, per_cycle: u32) -> u32 {
    let lanes = (per_cycle / bytes.max(1)).clamp(1, ROW_LANES as u32);
    let group = u32::MAX >> (ROW_LANES as u32 - lanes);
    let starts = || (0..ROW_LANES as u32).step_by(lanes as usize);
    let passes = |row: &RowAccess| starts().filter(|first| row.mask.0 & group << first != 0).count() as u32;
    rows.iter().map(passes).sum::<u32>().max(1)
}

/// The counters of requests and of sectors of an access.
fn requests(access: GlobalAccess, counters: &mut L1Counters) -> (&mut u64, &mut u64) {
    let c = counters;
    match access {
        GlobalAccess::Store { local: false } => (&mut c.global_store_requests, &mut c.global_store_sectors),
        GlobalAccess::Store { local: true } => (&mut c.local_store_requests, &mut c.local_store_sectors),
        GlobalAccess::Atomic { returns: true } => {
            (&mut c.global_atomic_requests, &mut c.global_atomic_sectors)
        }
        GlobalAccess::Atomic { returns: false } => {
            (&mut c.global_reduction_requests, &mut c.global_reduction_sectors)
        }
        GlobalAccess::Load { local: true, .. } => (&mut c.local_load_requests, &mut c.local_load_sectors),
        GlobalAccess::Load { local: false, .. } => (&mut c.global_load_requests, &mut c.global_load_sectors),
    }
}

/// Local addresses become addresses of device memory: the same word of all lanes of a row lies together, and the further
/// words of a wide access each one line after the other.
fn interleave_local(record: &mut AccessRecord, sm: SmId, slot: usize, spec: &SmSpec) {
    let warp = u64::from(sm.0) * spec.warps as u64 + slot as u64;
    for (number, row) in record.rows.iter_mut().enumerate() {
        let base = LOCAL_BASE + (warp * u64::from(spec.warp_rows) + number as u64) * LOCAL_SPAN;
        for lane in row.mask.lanes() {
            let offset = row.addresses[lane];
            let (word, byte) = (offset / 4, offset % 4);
            row.addresses[lane] = base + word * LINE_BYTES + lane as u64 * 4 + byte;
        }
        *row = RowAccess::new(row.addresses, row.mask, record.bytes);
    }
}

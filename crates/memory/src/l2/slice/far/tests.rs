//! Two slices of the same number in two halves, between fake SMs above and a fake DRAM below that takes 100 cycles.
//! A message takes 30 cycles and passes the link in one cycle for each 32 bytes. Times are in cycles.

use crate::l2::{DramRequest, DramTakes, L2Spec, Slice, SliceOutput};
use crate::map::{AddressMap, Half};
use crate::message::{Credit, HalfContent, HalfMessage, Reply, Request, RequestKind};
use crate::testing::{atomic, line, read, slice_hash, toy, write};
use warplab_config::Ticks;
use warplab_config::gpu::L2Cache;
use warplab_trace::{CacheCounters, QueueCounters};
use warplab_units::{PartitionId, SectorMask};

/// DRAM's part of the answer to a cold read of one sector: 10 to it, 100 in it, 10 from it.
const DRAM: u64 = 10 + 100 + LATE + 10;
/// A sector that was waited for leaves.
const LATE: u64 = 1;
/// A message without data to the other half: a quarter of a cycle at the link, which counts as one.
const WAY: u64 = 1 + 30;
/// One with a sector.
const WAY_OF_SECTOR: u64 = 2 + 30;
/// A hit: a cycle at the port, and 20.
const HIT: u64 = 1 + 20;

struct Twins {
    spec: L2Spec,
    slices: [Slice; 2],
    /// Under way to each.
    messages: [Vec<HalfMessage>; 2],
    fills: [Vec<DramRequest>; 2],
    replies: Vec<Reply>,
    credits: Vec<Credit>,
    counters: [CacheCounters; 2],
    queue: QueueCounters,
    /// What each DRAM was asked.
    asked: [u32; 2],
}

impl Twins {
    fn new() -> Twins {
        Twins::with(|_| ())
    }

    /// With other numbers of level two.
    fn with(change: impl FnOnce(&mut L2Cache)) -> Twins {
        let mut config = toy();
        let l2 = &mut config.l2;
        (l2.halves, l2.link_latency, l2.link_bytes) = (2, 30, 32);
        l2.slice_hash = Some(slice_hash());
        change(l2);
        let spec = L2Spec::new(&config);
        Twins {
            slices: [0, 1].map(|id| Slice::new(&spec, PartitionId(id))),
            spec,
            messages: Default::default(),
            fills: Default::default(),
            replies: Vec::new(),
            credits: Vec::new(),
            counters: Default::default(),
            queue: QueueCounters::default(),
            asked: [0, 0],
        }
    }

    /// The number of a line at home in a half, the n-th such.
    fn at_home(&self, half: Half, n: usize) -> u64 {
        let map: &AddressMap = &self.spec.map;
        (0..).filter(|&number| map.home_and_local_line(line(number)).0 == half).nth(n).unwrap()
    }

    /// The requests of the SMs of a half, to the end. Gives token and time of the replies.
    fn run(&mut self, half: Half, requests: impl IntoIterator<Item = Request>) -> Vec<(u32, u64)> {
        for request in requests {
            let (_, request) = self.spec.map.route(request);
            let _ = self.slices[half].push(&self.spec, request);
        }
        while self.step() {}
        self.replies.drain(..).map(|reply| (reply.token, reply.at.0)).collect()
    }

    /// The one thing that happens next in either half.
    fn step(&mut self) -> bool {
        let next = |half: Half| {
            let message = self.messages[half].iter().map(|message| Ticks::from(message.at)).min();
            let fill = self.fills[half].iter().map(|fill| fill.at + Ticks::of_cycles(100)).min();
            let never = Ticks::NEVER;
            [fill.unwrap_or(never), message.unwrap_or(never), self.slices[half].next_event()]
        };
        let events = [next(0), next(1)];
        let all = (0..2).flat_map(|half| (0..3).map(move |kind| (half, kind)));
        let (half, kind) = all.min_by_key(|&(half, kind)| events[half][kind]).unwrap();
        let now = events[half][kind];
        if now == Ticks::NEVER {
            return false;
        }
        let (mut dram, mut to_other_half) = (Vec::new(), Vec::new());
        let mut output = SliceOutput {
            replies: &mut self.replies,
            dram: &mut dram,
            counters: &mut self.counters[half],
            queue: &mut self.queue,
            to_other_half: &mut to_other_half,
            credits: &mut self.credits,
        };
        let slice = &mut self.slices[half];
        match kind {
            0 => {
                let fill = self.fills[half].remove(0);
                slice.fill(&self.spec, fill.line, fill.sectors, now, &mut output);
            }
            1 => {
                let first = (0..self.messages[half].len()).min_by_key(|&at| self.messages[half][at].at);
                let message = self.messages[half].remove(first.unwrap());
                match message.content {
                    HalfContent::Request(request) => _ = slice.push_far(request),
                    HalfContent::Data(line, sectors) => {
                        slice.fill_copy(
                            &self.spec,
                            line,
                            sectors,
                            (message.at, DramTakes::Early),
                            &mut output,
                        );
                    }
                    HalfContent::Invalidate(line) => slice.invalidate_copy(line),
                }
            }
            _ => slice.step(&self.spec, slice.next_event(), DramTakes::Early, &mut output),
        }
        self.asked[half] += dram.len() as u32;
        self.fills[half].extend(dram.into_iter().filter(|request| !request.write));
        self.messages[1 - half].append(&mut to_other_half);
        true
    }
}

#[test]
fn a_cold_read_of_a_line_at_home_in_the_other_half_goes_there_and_back() {
    let mut twins = Twins::new();
    let near = twins.at_home(0, 0);
    let far = twins.at_home(1, 0);
    assert_eq!(twins.run(0, [read(1, near, 1, 1000)]), [(1, 1000 + DRAM)]);
    assert_eq!(twins.run(0, [read(2, far, 1, 2000)]), [(2, 2000 + WAY + DRAM + WAY_OF_SECTOR + LATE)]);
    assert_eq!(twins.asked, [1, 1]);
}

#[test]
fn a_line_that_its_home_has_costs_the_way_and_a_hit_there() {
    let mut twins = Twins::new();
    let far = twins.at_home(1, 0);
    twins.run(1, [read(1, far, 1, 0)]);
    assert_eq!(twins.run(0, [read(2, far, 1, 1000)]), [(2, 1000 + WAY + HIT + WAY_OF_SECTOR + LATE)]);
}

#[test]
fn data_from_the_other_half_passes_the_port_before_a_hit_of_that_moment() {
    let mut twins = Twins::new();
    let (near, far) = (twins.at_home(0, 0), twins.at_home(1, 0));
    twins.run(0, [read(1, near, 1, 0)]);
    twins.run(1, [read(2, far, 1, 0)]);
    let comes = 1000 + WAY + HIT + WAY_OF_SECTOR;
    let replies = twins.run(0, [read(3, far, 1, 1000), read(4, near, 1, comes)]);
    assert_eq!(replies, [(3, comes + LATE), (4, comes + LATE + HIT)]);
}

#[test]
fn sms_and_the_other_half_take_turns_for_an_mshr() {
    let mut twins = Twins::new();
    twins.spec.mshrs = 1;
    let lines: Vec<u64> = (0..6).map(|n| twins.at_home(0, n)).collect();
    for &number in &lines[..3] {
        let (_, request) = twins.spec.map.route(read(0, number, 1, 1000));
        twins.slices[0].push_far(request);
    }
    let replies = twins.run(0, (0..3).map(|n| read(n, lines[3 + n as usize], 1, 1000)));
    // Of six lines that come from DRAM one after another they get every other one.
    let come = [2, 4, 6].map(|nth| 1000 + nth * (DRAM - 10) + 10);
    assert_eq!(replies, [0, 1, 2].map(|n| (n as u32, come[n])));
}

#[test]
fn a_second_read_hits_the_copy() {
    let mut twins = Twins::new();
    let far = twins.at_home(1, 0);
    twins.run(0, [read(1, far, 1, 0)]);
    assert_eq!(twins.run(0, [read(2, far, 1, 1000)]), [(2, 1000 + HIT)]);
    assert_eq!(twins.run(1, [read(3, far, 1, 2000)]), [(3, 2000 + HIT)]);
}

#[test]
fn a_read_that_misses_is_counted_in_both_halves_and_a_hit_in_one() {
    let mut twins = Twins::new();
    let far = twins.at_home(1, 0);
    twins.run(0, [read(1, far, 0b0011, 0), read(2, far, 0b0011, 1000)]);
    assert_eq!([0, 1].map(|half| twins.counters[half].read_sectors), [4, 2]);
    assert_eq!([0, 1].map(|half| twins.counters[half].read_hits), [2, 0]);
    assert_eq!([0, 1].map(|half| twins.counters[half].far_read_sectors), [0, 2]);
}

#[test]
fn reads_of_a_copy_under_way_merge() {
    let mut twins = Twins::new();
    let far = twins.at_home(1, 0);
    let arrival = 1000 + WAY + DRAM + WAY_OF_SECTOR + LATE;
    assert_eq!(
        twins.run(0, [read(1, far, 1, 1000), read(2, far, 1, 1001)]),
        [(1, arrival), (2, arrival + LATE)]
    );
    assert_eq!((twins.asked, twins.counters[0].merged_sectors), ([0, 1], 1));
}

#[test]
fn a_write_from_its_home_half_makes_the_copy_out_of_date() {
    let mut twins = Twins::new();
    let far = twins.at_home(1, 0);
    twins.run(0, [read(1, far, 1, 0)]);
    twins.run(1, [write(2, far, 1, 1000)]);
    assert_eq!(twins.run(0, [read(3, far, 1, 2000)]), [(3, 2000 + WAY + HIT + WAY_OF_SECTOR + LATE)]);
}

#[test]
fn a_write_to_the_other_half_is_readable_in_both_and_answered_here() {
    let mut twins = Twins::new();
    let far = twins.at_home(1, 0);
    // The sector and its header have left after two cycles.
    assert_eq!(twins.run(0, [write(1, far, 1, 1000)]), [(1, 1000 + 2 + 20)]);
    assert_eq!(twins.run(0, [read(2, far, 1, 2000)]), [(2, 2000 + HIT)]);
    assert_eq!(twins.run(1, [read(3, far, 1, 3000)]), [(3, 3000 + HIT)]);
    assert_eq!([0, 1].map(|half| twins.counters[half].write_sectors), [1, 1]);
    assert_eq!(twins.asked, [0, 0]);
}

#[test]
fn only_the_home_writes_back() {
    let mut twins = Twins::new();
    let far: Vec<u64> = (0..40).map(|n| twins.at_home(1, n)).collect();
    twins.run(0, far.iter().map(|&number| write(1, number, 1, 0)));
    assert!(twins.counters[0].evictions > 0);
    assert_eq!([0, 1].map(|half| twins.counters[half].writeback_sectors > 0), [false, true]);
}

#[test]
fn an_atomic_operation_is_done_at_home_and_answered_from_there() {
    let mut twins = Twins::new();
    let far = twins.at_home(1, 0);
    twins.run(0, [read(1, far, 1, 0)]);
    // A word and where it belongs go over in one cycle less than a sector.
    // It passes the near slice both ways, a hit latency of 20 each.
    let after = 1000 + 20 + WAY_OF_SECTOR - 1 + HIT + WAY_OF_SECTOR + 20;
    assert_eq!(twins.run(0, [atomic(2, far, 1, 1000)]), [(2, after)]);
    assert_eq!([0, 1].map(|half| twins.counters[half].atomic_sectors), [1, 1]);
    let of_far = twins.counters.each_ref().map(|it| (it.far_atomic_sectors, it.far_reduction_sectors));
    assert_eq!(of_far, [(0, 0), (1, 0)]);
    // The copy here is gone.
    assert_eq!(twins.run(0, [read(3, far, 1, 2000)]), [(3, 2000 + WAY + HIT + WAY_OF_SECTOR + LATE)]);
}

#[test]
fn an_atomic_operation_of_a_line_keeps_the_near_slice_as_long_as_one_of_a_sector() {
    let mut twins = Twins::new();
    let far = twins.at_home(1, 0);
    let busy = |twins: &Twins| twins.counters[0].busy_ticks;
    let mut busy_of = |sectors: u8| {
        let before = busy(&twins);
        let kind = RequestKind::Atomic {
            sector_accesses: sectors.count_ones() as u8,
            full: SectorMask(sectors),
            returns: false,
        };
        twins.run(0, [Request { kind, sectors: SectorMask(sectors), ..atomic(1, far, 1, 1000) }]);
        busy(&twins) - before
    };
    assert_eq!(busy_of(0b1111), busy_of(0b0001));
}

#[test]
fn an_atomic_operation_that_goes_on_keeps_the_near_slice_for_a_part_of_its_time() {
    let busy_of = |accesses: u8| {
        let mut twins = Twins::with(|l2| (l2.atomic_interval, l2.atomic_pass_percent) = (10, 40));
        let far = twins.at_home(1, 0);
        twins.run(0, [atomic(1, far, accesses, 1000)]);
        twins.counters[0].busy_ticks
    };
    assert_eq!([1, 3].map(busy_of), [4, 12].map(|cycles| Ticks::of_cycles(cycles).0));
}

#[test]
fn a_slice_takes_in_no_more_while_atomic_operations_wait_for_the_link() {
    // A byte a cycle: 16 for the word and 8 of header each. One may wait; a hit behind them passes when the last but one has left.
    let hit_behind = |waiting: Option<u32>| {
        let mut twins = Twins::with(|l2| (l2.link_bytes, l2.link_queue_bytes) = (1, waiting));
        let (far, near) = (twins.at_home(1, 0), twins.at_home(0, 0));
        twins.run(0, [read(1, near, 1, 0)]);
        let part = |id| {
            let kind = RequestKind::Atomic { sector_accesses: 1, full: SectorMask::EMPTY, returns: true };
            Request { kind, ..atomic(id, far, 1, 1000) }
        };
        let atomics = (2..6).map(part);
        let answered = twins.run(0, atomics.chain([read(9, near, 1, 1000)]));
        answered.iter().find(|it| it.0 == 9).expect("an answer").1
    };
    assert_eq!([None, Some(24)].map(hit_behind), [1000 + 4 + HIT, 1000 + 3 * 24 + HIT]);
}

#[test]
fn the_link_passes_one_sector_after_another() {
    let mut twins = Twins::new();
    let far = [0, 1].map(|n| twins.at_home(1, n));
    twins.run(1, far.map(|number| read(1, number, 0b1111, 0)));
    // Both leave the home's port four cycles apart; 128 bytes and a header take 4.25 cycles of the link.
    let answered = twins.run(0, far.map(|number| read(2, number, 0b1111, 1000)));
    assert_eq!(answered[1].1 - answered[0].1, 4);
}

#[test]
fn halves_full_of_reads_of_each_other_answer_all() {
    let mut twins = Twins::new();
    let lines = |half: Half| (0..64).map(move |n| (half, n));
    for (half, n) in lines(0).chain(lines(1)) {
        let number = twins.at_home(1 - half, n);
        let (_, request) = twins.spec.map.route(read(n as u32, number, 1, 10));
        twins.slices[half].push(&twins.spec, request);
    }
    assert_eq!(twins.run(0, []).len(), 128);
    assert!(twins.slices.iter().all(Slice::is_idle));
}

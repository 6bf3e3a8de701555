//! One slice between a fake crossbar above and a fake DRAM below. Times are in cycles.

use super::{DramRequest, DramTakes, L2Spec, Slice, SliceOutput, fetched};
use crate::message::{Credit, HalfMessage, Reply, Request, RequestKind};
use crate::testing::{atomic, line, read, toy, write};
use warplab_config::{GpuConfig, Ticks};
use warplab_trace::{CacheCounters, QueueCounters};
use warplab_units::{Cycle, PartitionId, SectorMask, SmId};

/// A slice with its neighbours.
struct Bench {
    spec: L2Spec,
    slice: Slice,
    takes: DramTakes,
    replies: Vec<Reply>,
    dram: Vec<DramRequest>,
    counters: CacheCounters,
    queue: QueueCounters,
    to_other_half: Vec<HalfMessage>,
    credits: Vec<Credit>,
}

impl Bench {
    fn new(config: &GpuConfig) -> Bench {
        let spec = L2Spec::new(config);
        Bench {
            slice: Slice::new(&spec, PartitionId(0)),
            spec,
            takes: DramTakes::Early,
            replies: Vec::new(),
            dram: Vec::new(),
            counters: CacheCounters::default(),
            queue: QueueCounters::default(),
            to_other_half: Vec::new(),
            credits: Vec::new(),
        }
    }

    fn with(&mut self, act: impl FnOnce(&mut Slice, &L2Spec, &mut SliceOutput<'_>)) {
        let mut output = SliceOutput {
            replies: &mut self.replies,
            dram: &mut self.dram,
            counters: &mut self.counters,
            queue: &mut self.queue,
            to_other_half: &mut self.to_other_half,
            credits: &mut self.credits,
        };
        act(&mut self.slice, &self.spec, &mut output);
    }

    /// Looks up everything that can be.
    fn run(&mut self, requests: impl IntoIterator<Item = Request>) {
        requests.into_iter().for_each(|request| _ = self.slice.push(&self.spec, request));
        let takes = self.takes;
        while self.slice.next_event() != Ticks::NEVER {
            self.with(|slice, spec, output| slice.step(spec, slice.next_event(), takes, output));
        }
    }

    /// Sectors of the n-th line come from DRAM.
    fn fill(&mut self, number: u64, sectors: u8, at: u64) {
        let now = Ticks::of_cycles(at);
        self.with(|slice, spec, output| slice.fill(spec, line(number), SectorMask(sectors), now, output));
    }

    /// A slice that has some sectors of the n-th line.
    fn holding(config: &GpuConfig, number: u64, sectors: u8) -> Bench {
        let mut bench = Bench::new(config);
        bench.run([read(99, number, sectors, 0)]);
        bench.fill(number, sectors, 50);
        assert_eq!(bench.replies.len(), 1);
        bench.replies.clear();
        bench.dram.clear();
        bench.counters = CacheCounters::default();
        bench
    }

    /// Tokens and times of the replies.
    fn answered(&self) -> Vec<(u32, u64)> {
        self.replies.iter().map(|reply| (reply.token, reply.at.0)).collect()
    }

    /// What DRAM was asked: line number, sectors, whether to write, when.
    fn asked(&self) -> Vec<(u64, u8, bool, u64)> {
        let asked = |request: &DramRequest| {
            (request.line.0 / 256, request.sectors.0, request.write, request.at.to_cycle().0)
        };
        self.dram.iter().map(asked).collect()
    }
}

#[test]
fn a_hit_leaves_after_its_time_at_the_port_and_the_hit_latency() {
    let mut bench = Bench::holding(&toy(), 0, 0b0001);
    bench.run([read(1, 0, 0b0001, 100)]);
    assert_eq!(bench.answered(), [(1, 100 + 1 + 20)]);
    assert!(bench.dram.is_empty());
}

#[test]
fn a_request_is_looked_up_when_the_one_before_has_passed_in() {
    let mut config = toy();
    (config.crossbar.flit_bytes, config.l2.input_bytes) = (Some(32), Some(16));
    let mut bench = Bench::holding(&config, 0, 0b1111);
    bench.run([Request { bytes: 128, ..write(1, 0, 0b1111, 100) }, read(2, 0, 0b0001, 100)]);
    // Four flits of two cycles each.
    assert_eq!(bench.answered()[1], (2, 108 + 1 + 20));
}

#[test]
fn a_reply_is_a_header_and_its_sectors() {
    let mut bench = Bench::holding(&toy(), 0, 0b1111);
    bench.run([read(1, 0, 0b0111, 100), write(2, 0, 0b0111, 100)]);
    assert_eq!(bench.replies.iter().map(|reply| reply.bytes).collect::<Vec<u32>>(), [8 + 3 * 32, 8]);
}

#[test]
fn a_miss_asks_dram_after_the_miss_latency() {
    let mut bench = Bench::new(&toy());
    bench.run([read(1, 5, 0b0100, 100)]);
    assert_eq!(bench.asked(), [(5, 0b0100, false, 100 + 10)]);
    assert!(bench.replies.is_empty());
}

#[test]
fn a_miss_is_answered_the_fill_latency_after_its_data() {
    let mut bench = Bench::new(&toy());
    bench.run([read(1, 5, 0b0100, 100)]);
    bench.fill(5, 0b0100, 300);
    assert_eq!(bench.answered(), [(1, 300 + 1 + 10)]);
    assert!(bench.slice.is_idle());
}

#[test]
fn a_request_of_several_sectors_waits_for_the_last_of_them() {
    let mut bench = Bench::new(&toy());
    bench.run([read(1, 5, 0b0011, 100)]);
    bench.fill(5, 0b0001, 300);
    assert!(bench.replies.is_empty());
    bench.fill(5, 0b0010, 305);
    assert_eq!(bench.answered(), [(1, 305 + 2 + 10)]);
}

#[test]
fn a_sector_that_is_under_way_counts_as_a_hit_and_waits_with_the_first_miss() {
    let mut bench = Bench::new(&toy());
    bench.run([read(1, 5, 1, 100), read(2, 5, 1, 101)]);
    assert_eq!(bench.asked().len(), 1);
    assert_eq!((bench.counters.merged_sectors, bench.counters.read_hits), (1, 1));
    bench.fill(5, 1, 300);
    assert_eq!(bench.answered(), [(1, 311), (2, 312)]);
}

#[test]
fn a_miss_fetches_whole_pairs_of_sectors_where_the_machine_fetches_64_bytes() {
    assert_eq!(fetched(SectorMask(0b0010), 2), SectorMask(0b0011));
    assert_eq!(fetched(SectorMask(0b1010), 2), SectorMask(0b1111));
    assert_eq!(fetched(SectorMask(0b1000), 1), SectorMask(0b1000));
    assert_eq!(fetched(SectorMask(0b1000), 4), SectorMask(0b1111));
}

#[test]
fn a_miss_without_a_free_mshr_blocks_the_slice_until_a_fill() {
    let mut bench = Bench::new(&toy());
    bench.run((0..6).map(|number| read(number, u64::from(number), 1, 100)));
    // Four MSHRs; the fifth line waits, and the sixth behind it.
    assert_eq!(bench.asked().len(), 4);
    bench.fill(2, 1, 300);
    bench.run([]);
    assert_eq!(bench.asked().iter().map(|asked| asked.0).collect::<Vec<u64>>(), [0, 1, 2, 3, 4]);
    bench.fill(0, 1, 400);
    bench.run([]);
    assert_eq!(bench.asked().len(), 6);
}

#[test]
fn a_hit_behind_a_blocked_miss_waits_too() {
    let mut bench = Bench::holding(&toy(), 7, 1);
    let misses = (0..5).map(|number| read(number, u64::from(number), 1, 100));
    bench.run(misses.chain([read(9, 7, 1, 100)]));
    assert!(bench.replies.is_empty());
    bench.fill(0, 1, 300);
    bench.run([]);
    assert!(bench.answered().iter().any(|&(token, _)| token == 9));
}

#[test]
fn a_line_under_way_keeps_its_way_and_a_set_of_such_lines_blocks() {
    let mut config = toy();
    config.l2.miss_entries = 8;
    let mut bench = Bench::new(&config);
    // Five lines of set 0, which has four ways.
    bench.run((0..5).map(|number| read(number, u64::from(number) * 4, 1, 100)));
    assert_eq!(bench.asked().len(), 4);
    bench.fill(4, 1, 300);
    bench.run([]);
    assert_eq!(bench.asked()[4].0, 16);
    assert_eq!(bench.counters.evictions, 1);
}

#[test]
fn the_port_passes_one_sector_per_cycle() {
    let mut bench = Bench::holding(&toy(), 0, 0b1111);
    bench.run([read(1, 0, 0b1111, 100), read(2, 0, 0b0011, 100), read(3, 0, 1, 100)]);
    assert_eq!(bench.answered(), [(1, 104 + 20), (2, 106 + 20), (3, 107 + 20)]);
    assert_eq!(bench.counters.busy_ticks, 7 * 1024);
}

#[test]
fn an_atomic_operation_keeps_the_port_for_each_access_to_its_sector() {
    let mut config = toy();
    config.l2.atomic_interval = 3;
    let mut bench = Bench::holding(&config, 0, 1);
    bench.run([atomic(1, 0, 5, 100), read(2, 0, 1, 100)]);
    assert_eq!(bench.answered(), [(1, 100 + 5 * 3 + 20), (2, 115 + 1 + 20)]);
}

#[test]
fn an_atomic_operation_takes_longer_where_words_of_its_sector_take_no_part() {
    let mut config = toy();
    (config.l2.atomic_interval, config.l2.atomic_part_percent, config.l2.atomic_repeat_percent) =
        (4, 125, 150);
    let after = |full: u8, accesses: u8| {
        let mut bench = Bench::holding(&config, 0, 1);
        let kind = RequestKind::Atomic { sector_accesses: accesses, full: SectorMask(full), returns: true };
        bench.run([Request { kind, ..atomic(1, 0, accesses, 100) }]);
        bench.answered()[0].1 - 120
    };
    // A whole sector, part of one, and part of one with two more lanes on a word.
    assert_eq!([after(1, 1), after(0, 1), after(0, 3)], [4, 5, 5 + 2 * 6]);
}

#[test]
fn an_atomic_operation_leaves_its_sector_dirty() {
    let mut bench = Bench::holding(&toy(), 0, 1);
    bench.run([atomic(1, 0, 1, 100)]);
    bench.run((1..5).map(|number| write(2, number * 4, 1, 200)));
    assert_eq!(bench.asked(), [(0, 1, true, 203)]);
}

#[test]
fn a_write_is_answered_without_dram() {
    let mut bench = Bench::new(&toy());
    bench.run([write(1, 0, 0b0011, 100)]);
    assert_eq!(bench.answered(), [(1, 100 + 2 + 20)]);
    assert!(bench.dram.is_empty());
}

#[test]
fn a_read_of_what_was_written_hits() {
    let mut bench = Bench::new(&toy());
    bench.run([write(1, 0, 0b0011, 100), read(2, 0, 0b0011, 200)]);
    assert_eq!(bench.answered()[1], (2, 222));
    assert_eq!(bench.counters.read_hits, 2);
}

#[test]
fn a_read_of_a_partly_written_sector_fetches_the_rest() {
    let mut bench = Bench::new(&toy());
    let partly = RequestKind::Write { full: SectorMask(0b0001), words: 0x00ff };
    bench.run([Request { kind: partly, ..write(1, 0, 0b0011, 100) }, read(2, 0, 0b0011, 200)]);
    assert_eq!(bench.asked(), [(0, 0b0010, false, 210)]);
}

#[test]
fn a_dirty_victim_is_written_back_when_it_goes() {
    let mut bench = Bench::new(&toy());
    bench.run([write(1, 0, 0b0101, 100)]);
    bench.run((1..5).map(|number| write(2, number * 4, 1, 200)));
    // The fifth line of set 0 is looked up at cycle 203, behind three others.
    assert_eq!(bench.asked(), [(0, 0b0101, true, 203)]);
    assert_eq!((bench.counters.evictions, bench.counters.writeback_sectors), (1, 2));
}

/// A slice that cleans lines before they go: of a set of four ways lines 0 and 4 are dirty, 8 and 12 are clean.
fn full_of_dirty_and_clean_lines() -> Bench {
    let mut config = toy();
    config.l2.cleans_before_eviction = true;
    let mut bench = Bench::new(&config);
    bench.run([write(1, 0, 1, 100), write(1, 4, 1, 200), read(1, 8, 1, 300), read(1, 12, 1, 400)]);
    bench.fill(8, 0b1111, 500);
    bench.fill(12, 0b1111, 500);
    bench.dram.clear();
    bench
}

#[test]
fn a_dirty_line_that_would_go_is_written_back_and_a_clean_one_goes_first() {
    let mut bench = full_of_dirty_and_clean_lines();
    let mut after_reading = |number, at| {
        bench.run([read(2, number, 1, at)]);
        bench.fill(number, 0b1111, at + 50);
        let written: Vec<_> = bench.asked().iter().filter(|asked| asked.2).map(|asked| asked.0).collect();
        let there =
            [0, 4, 8, 12, 16, 20, 24].map(|number| bench.slice.cache.find(line(number), number).is_some());
        (written, there.map(u8::from))
    };
    // Each find makes its line the last one used, so that the order stays.
    assert_eq!(after_reading(16, 600), (vec![0], [1, 1, 0, 1, 1, 0, 0]));
    assert_eq!(after_reading(20, 700), (vec![0], [0, 1, 0, 1, 1, 1, 0]));
    assert_eq!(after_reading(24, 800), (vec![0, 4], [0, 1, 0, 0, 1, 1, 1]));
}

#[test]
fn a_dirty_line_stays_dirty_while_dram_has_no_time_for_it() {
    let mut bench = full_of_dirty_and_clean_lines();
    bench.takes = DramTakes::Victims;
    bench.run([read(2, 16, 1, 600), read(2, 20, 1, 700), read(2, 24, 1, 800)]);
    // Lines 8 and 12 have gone, and then there is no clean one that may go: 16 and 20 are under way.
    assert_eq!(
        bench.asked(),
        [(16, 1, false, 610), (20, 1, false, 710), (0, 1, true, 800), (24, 1, false, 810)]
    );
    bench.takes = DramTakes::Nothing;
    bench.run([read(2, 28, 1, 900)]);
    assert_eq!(bench.asked().len(), 4);
}

#[test]
fn a_set_of_dirty_lines_alone_gives_up_the_one_used_least_recently() {
    let mut config = toy();
    config.l2.cleans_before_eviction = true;
    let mut bench = Bench::new(&config);
    bench.run((0..5).map(|number| write(1, number * 4, 1, 100)));
    assert_eq!((bench.asked()[0].0, bench.counters.evictions, bench.counters.writeback_sectors), (0, 1, 1));
}

#[test]
fn of_more_lines_left_by_others_than_a_set_holds_the_last_ones_are_there() {
    let mut bench = Bench::new(&toy());
    // Six lines of set 0, which has four ways, one of them twice.
    [0, 1, 2, 3, 4, 5, 5]
        .into_iter()
        .for_each(|number| bench.slice.leave_dirty(line(4 * number), 4 * number));
    assert_eq!((bench.slice.dirty.len(), bench.slice.cache().count_lines()), (4, 4));
    bench.run([read(1, 24, 1, 100)]);
    assert_eq!(bench.asked()[0], (8, 0b1111, true, 100));
    assert_eq!(bench.slice.dirty.len(), 3);
}

#[test]
fn a_clean_victim_goes_without_a_word() {
    let mut bench = Bench::holding(&toy(), 0, 0b1111);
    bench.run((1..5).map(|number| write(2, number * 4, 1, 200)));
    assert!(bench.dram.is_empty());
    assert_eq!((bench.counters.evictions, bench.counters.writeback_sectors), (1, 0));
}

#[test]
fn the_replacement_policy_of_the_machine_decides_who_goes() {
    let victim = |policy| {
        let mut config = toy();
        config.l2.replacement = policy;
        let mut bench = Bench::new(&config);
        bench.run((0..4).map(|number| write(1, number * 4, 1, 100)));
        bench.run([read(2, 0, 1, 200), write(3, 16, 1, 300)]);
        bench.asked()[0].0
    };
    use warplab_config::gpu::ReplacementPolicy::{Fifo, Lru};
    assert_eq!((victim(Lru), victim(Fifo)), (4, 0));
}

#[test]
fn a_full_write_queue_of_dram_stops_a_miss_and_lets_hits_pass() {
    let mut bench = Bench::holding(&toy(), 0, 1);
    bench.takes = DramTakes::Nothing;
    bench.run([read(1, 0, 1, 100), read(2, 4, 1, 101), read(3, 0, 1, 102)]);
    assert_eq!(bench.answered(), [(1, 121)]);
    assert!(bench.dram.is_empty() && !bench.slice.is_idle());
    bench.takes = DramTakes::Early;
    bench.slice.unblock(Ticks::of_cycles(150));
    bench.run([]);
    assert_eq!(bench.asked().len(), 1);
    assert_eq!(bench.answered()[1].0, 3);
}

#[test]
fn sectors_that_are_there_count_as_hits_for_every_kind_of_request() {
    let mut bench = Bench::holding(&toy(), 0, 0b0011);
    bench.run([read(1, 0, 0b0111, 100), atomic(2, 0, 4, 101), write(3, 0, 0b1010, 102)]);
    let counters = &bench.counters;
    assert_eq!((counters.requests, counters.read_sectors, counters.read_hits), (3, 3, 2));
    assert_eq!((counters.atomic_sectors, counters.atomic_hits), (4, 4));
    assert_eq!((counters.write_sectors, counters.write_hits), (2, 1));
}

#[test]
fn requests_are_looked_up_no_earlier_than_they_arrive() {
    let mut bench = Bench::new(&toy());
    bench.slice.push(&bench.spec, read(1, 0, 1, 123));
    assert_eq!(bench.slice.next_event(), Ticks::from(Cycle(123)));
}

/// The toy machine with both SMs in one cluster, whose reads come with one reply.
fn neighbours() -> GpuConfig {
    let mut config = toy();
    (config.crossbar.sms_per_cluster, config.l2.coalescer_sms) = (2, Some(2));
    config
}

/// SM 1 reads sectors of the n-th line.
fn read_by_neighbour(token: u32, number: u64, sectors: u8, at: u64) -> Request {
    Request { sm: SmId(1), ..read(token, number, sectors, at) }
}

#[test]
fn a_neighbour_is_answered_with_the_first_reply_and_counted_apart() {
    let mut bench = Bench::holding(&neighbours(), 0, 0b0011);
    bench.run([read(1, 0, 0b0011, 100), read_by_neighbour(2, 0, 0b0011, 110)]);
    assert_eq!(bench.answered(), [(1, 100 + 2 + 20), (2, 100 + 2 + 20)]);
    assert_eq!((bench.counters.read_sectors, bench.counters.coalesced_sectors), (2, 2));
}

#[test]
fn neighbours_wait_for_the_same_data_and_get_it_at_once() {
    let mut bench = Bench::new(&neighbours());
    bench.run([read(1, 5, 0b0011, 100), read_by_neighbour(2, 5, 0b0011, 250)]);
    assert_eq!(bench.asked(), [(5, 0b0011, false, 110)]);
    bench.fill(5, 0b0011, 300);
    assert_eq!(bench.answered(), [(1, 300 + 2 + 10), (2, 300 + 2 + 10)]);
    assert!(bench.slice.is_idle());
}

#[test]
fn data_that_came_late_leaves_for_one_request_after_another() {
    let mut bench = Bench::new(&toy());
    bench.run([read(1, 5, 0b0011, 100), read_by_neighbour(2, 5, 0b0011, 250)]);
    bench.fill(5, 0b0011, 300);
    assert_eq!(bench.answered(), [(1, 300 + 2 + 10), (2, 300 + 4 + 10)]);
}

/// The toy machine with room for one line of a set that was written in part.
fn one_partial_line() -> GpuConfig {
    let mut config = toy();
    config.l2.partial_ways = Some(1);
    config
}

/// A write of the first word of a sector.
fn write_word(token: u32, number: u64, at: u64) -> Request {
    let kind = RequestKind::Write { full: SectorMask::EMPTY, words: 1 };
    Request { kind, ..read(token, number, 0b0001, at) }
}

#[test]
fn of_too_many_lines_of_a_set_written_in_part_the_oldest_is_completed_and_written_back() {
    let mut bench = Bench::new(&one_partial_line());
    bench.run([write_word(1, 0, 100), write_word(2, 4, 200)]);
    assert_eq!(bench.asked(), [(0, 0b0001, false, 200 + 10)]);
    assert_eq!(bench.counters.write_sectors, 3);
    bench.fill(0, 0b0001, 300);
    assert_eq!(bench.asked()[1], (0, 0b0001, true, 300));
    assert!(bench.slice.is_idle());
}

#[test]
fn lines_of_different_sets_stay_written_in_part() {
    let mut bench = Bench::new(&one_partial_line());
    bench.run((0..4).map(|number| write_word(number, u64::from(number), 100 * u64::from(number))));
    assert!(bench.dram.is_empty());
}

#[test]
fn a_sector_that_is_written_word_by_word_needs_no_data() {
    let mut bench = Bench::new(&one_partial_line());
    let word = |word: u32| {
        let kind = RequestKind::Write { full: SectorMask::EMPTY, words: 1 << word };
        Request { kind, ..read(word, 0, 0b0001, 100 + 10 * u64::from(word)) }
    };
    bench.run((0..8).map(word).chain([write_word(9, 4, 300), read(10, 0, 0b0001, 400)]));
    assert_eq!(bench.answered()[9], (10, 400 + 1 + 20));
    assert!(bench.dram.is_empty());
}

#[test]
fn words_of_a_line_that_has_gone_are_forgotten() {
    let mut bench = Bench::new(&one_partial_line());
    // Four ways: the fifth line of the set takes the place of the first.
    bench.run([write_word(1, 0, 100)].into_iter().chain((1..5).map(|n| write(n, 4 * n as u64, 0b1111, 200))));
    assert_eq!(bench.counters.evictions, 1);
    bench.dram.clear();
    let others = RequestKind::Write { full: SectorMask::EMPTY, words: 0xfe };
    bench.run([Request { kind: others, ..read(6, 0, 0b0001, 400) }, read(7, 0, 0b0001, 500)]);
    assert!(bench.asked().contains(&(0, 0b0001, false, 510)), "{:?}", bench.asked());
}

#[test]
fn the_oldest_of_too_many_dirty_lines_is_written_back_and_stays() {
    let mut config = toy();
    config.l2.dirty_lines = Some(1);
    let mut bench = Bench::new(&config);
    bench.run([write(1, 0, 0b1111, 100), write(2, 1, 0b1111, 200), read(3, 0, 0b1111, 300)]);
    assert_eq!(bench.asked(), [(0, 0b1111, true, 200)]);
    assert_eq!((bench.counters.read_hits, bench.counters.evictions), (4, 0));
}

#[test]
fn a_line_that_was_cleaned_counts_as_dirty_when_it_is_written_again() {
    let mut config = toy();
    config.l2.dirty_lines = Some(1);
    let mut bench = Bench::new(&config);
    bench.run(
        [0, 1, 0].into_iter().zip(1..).map(|(line, token)| write(token, line, 1, u64::from(token) * 100)),
    );
    assert_eq!(bench.asked(), [(0, 1, true, 200), (1, 1, true, 300)]);
}

#[test]
fn a_full_write_queue_of_dram_stops_a_write_that_would_clean_a_line() {
    let mut config = toy();
    config.l2.dirty_lines = Some(1);
    let mut bench = Bench::new(&config);
    bench.run([write(1, 0, 1, 100), write(2, 1, 1, 200)]);
    bench.takes = DramTakes::Nothing;
    bench.run([write(3, 0, 1, 300)]);
    assert_eq!(bench.answered().len(), 2);
    bench.takes = DramTakes::Early;
    bench.slice.unblock(Ticks::of_cycles(400));
    bench.run([]);
    assert_eq!((bench.answered().len(), bench.dram.len()), (3, 2));
}

#[test]
fn a_read_by_another_sm_keeps_the_port_until_its_line_has_been_written() {
    let mut config = toy();
    config.l2.write_to_read = Some(30);
    let mut bench = Bench::new(&config);
    bench.run([write(1, 0, 0b1111, 90), write(2, 1, 0b1111, 100)]);
    bench.replies.clear();
    let by_another = |request: Request| Request { sm: SmId(1), ..request };
    bench.run([read(4, 0, 0b0010, 110), by_another(read(5, 1, 1, 110)), by_another(read(6, 0, 1, 110))]);
    // A cycle for each and the hit latency of 20; the second one waits until 130, and the third one for that.
    assert_eq!(bench.answered(), [(4, 110 + 1 + 20), (5, 130 + 1 + 20), (6, 131 + 1 + 20)]);
}

#[test]
fn a_write_of_a_line_that_is_under_way_keeps_the_port_longer() {
    let mut config = toy();
    config.l2.write_to_pending = 40;
    let mut bench = Bench::new(&config);
    bench.run([read(1, 0, 0b0001, 100), write(2, 0, 0b1000, 110), write(3, 1, 0b1000, 110)]);
    assert_eq!(bench.answered(), [(2, 110 + 41 + 20), (3, 151 + 1 + 20)]);
}

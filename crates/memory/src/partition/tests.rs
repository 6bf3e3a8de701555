//! A partition of the machine for teaching, from request to reply. Times are in cycles.

use super::{Partition, PartitionOutput, PartitionSpec};
use crate::message::Request;
use crate::testing::{atomic, read, toy, write};
use warplab_units::{Cycle, PartitionId};

/// Not the first, whose first refresh comes early.
const ID: PartitionId = PartitionId(1);

/// Pushes requests and runs to the end: tokens and times of the replies.
fn answered(spec: &PartitionSpec, partition: &mut Partition, requests: &[Request]) -> Vec<(u32, u64)> {
    let mut output = PartitionOutput::default();
    requests.iter().for_each(|&request| partition.push(spec, request));
    partition.advance(spec, Cycle(1_000_000), &mut output);
    output.replies.iter().map(|reply| (reply.token, reply.at.0)).collect()
}

fn fresh() -> (PartitionSpec, Partition) {
    let spec = PartitionSpec::new(&toy());
    let partition = Partition::new(&spec, ID);
    (spec, partition)
}

/// Reads, writes and atomic operations on more lines than the cache holds.
fn mixed(count: u32) -> Vec<Request> {
    let request = |token: u32| {
        let (number, at) = (u64::from(token * 7 % 61), u64::from(token) * 3);
        match token % 4 {
            0 => write(token, number, 0b0011, at),
            1 => atomic(token, number, 2, at),
            _ => read(token, number, 1 << (token % 3), at),
        }
    };
    (0..count).map(request).collect()
}

#[test]
fn a_cold_read_takes_miss_latency_dram_and_fill_latency() {
    let (spec, mut partition) = fresh();
    // 10 to DRAM; 5 clocks from activate to read, 5 to data, 2 of data, each of 2 cycles; 10 from DRAM.
    assert_eq!(answered(&spec, &mut partition, &[read(1, 0, 1, 0)]), [(1, 10 + 2 * (5 + 5 + 2) + 1 + 10)]);
    assert!(partition.is_idle());
}

#[test]
fn a_second_read_of_the_line_hits() {
    let (spec, mut partition) = fresh();
    assert_eq!(answered(&spec, &mut partition, &[read(1, 0, 1, 0), read(2, 0, 1, 100)]), [(1, 45), (2, 121)]);
}

/// On the machine it waits as long as they do (`DEVIATIONS.md`).
#[test]
fn a_read_that_hits_does_not_wait_behind_reads_of_dram() {
    let (spec, mut partition) = fresh();
    let cold = |token: u32| read(token, u64::from(token), 1, 100);
    let requests = [read(0, 0, 1, 0), cold(1), cold(2), cold(3), read(4, 0, 1, 100)];
    assert_eq!(answered(&spec, &mut partition, &requests)[1], (4, 121));
}

#[test]
fn an_idle_partition_has_no_next_event() {
    let (spec, mut partition) = fresh();
    assert_eq!(partition.next_event(), None);
    partition.push(&spec, read(1, 0, 1, 77));
    assert_eq!(partition.next_event(), Some(Cycle(77)));
}

#[test]
fn what_happens_at_the_end_of_an_epoch_belongs_to_the_next() {
    let (spec, mut partition) = fresh();
    let mut output = PartitionOutput::default();
    partition.push(&spec, write(1, 0, 1, 50));
    partition.advance(&spec, Cycle(50), &mut output);
    assert!(output.replies.is_empty());
    partition.advance(&spec, Cycle(51), &mut output);
    assert_eq!(output.replies[0].at, Cycle(71));
}

#[test]
fn many_short_epochs_give_the_replies_of_one_long_one() {
    let (spec, mut whole) = fresh();
    let (mut pieces, requests) = (whole.clone(), mixed(300));
    let expected = answered(&spec, &mut whole, &requests);
    let mut output = PartitionOutput::default();
    requests.iter().for_each(|&request| pieces.push(&spec, request));
    (0..20_000).for_each(|cycle| pieces.advance(&spec, Cycle(cycle), &mut output));
    pieces.advance(&spec, Cycle(1_000_000), &mut output);
    assert_eq!(output.replies.iter().map(|reply| (reply.token, reply.at.0)).collect::<Vec<_>>(), expected);
    assert_eq!(pieces.counters(), whole.counters());
}

#[test]
fn every_request_is_answered_once_though_dram_can_take_only_few_writes() {
    let (spec, mut partition) = fresh();
    let mut tokens: Vec<u32> =
        answered(&spec, &mut partition, &mixed(500)).iter().map(|&(token, _)| token).collect();
    tokens.sort_unstable();
    assert_eq!(tokens, (0..500).collect::<Vec<u32>>());
    assert!(partition.is_idle());
    assert!(partition.counters().dram.written_bytes > 0);
}

#[test]
fn of_two_slices_with_requests_at_once_the_first_goes_first() {
    let mut config = toy();
    (config.l2.slices_per_channel, config.l2.kib) = (2, 8);
    let spec = PartitionSpec::new(&config);
    let of_slice = |slice: usize| {
        let found = (0..).find(|&number| spec.map.slice(crate::testing::line(number)) == slice);
        found.expect("lines go to both slices")
    };
    let mut partition = Partition::new(&spec, ID);
    let requests = [write(1, of_slice(1), 1, 10), write(0, of_slice(0), 1, 10)];
    // They leave in the same cycle; the order among replies is that of the slices, not of arrival.
    assert_eq!(answered(&spec, &mut partition, &requests), [(0, 31), (1, 31)]);
}

#[test]
fn a_sector_asked_of_dram_is_a_sector_read_from_it() {
    let (spec, mut partition) = fresh();
    answered(&spec, &mut partition, &[read(1, 0, 0b1011, 0), read(2, 9, 0b0001, 5)]);
    let counters = partition.counters();
    assert_eq!(counters.dram.read_bytes, 4 * 32);
    assert_eq!((counters.dram_requests.arrivals, counters.dram_requests.departures), (4, 4));
}

#[test]
fn counters_that_are_taken_start_anew_and_sum_to_the_whole() {
    let (spec, mut once) = fresh();
    let mut twice = once.clone();
    let requests = mixed(200);
    answered(&spec, &mut once, &requests);
    requests.iter().for_each(|&request| twice.push(&spec, request));
    let mut output = PartitionOutput::default();
    twice.advance(&spec, Cycle(200), &mut output);
    let mut sum = twice.take_counters();
    assert!(sum.l2.requests > 0);
    let rest = twice.counters();
    assert_eq!((rest.l2.requests, rest.l2_requests.departures), (0, 0));
    // What is under way is counted with what follows.
    assert_eq!(rest.l2_requests.arrivals, 200 - sum.l2_requests.arrivals);
    twice.advance(&spec, Cycle(1_000_000), &mut output);
    sum += &twice.take_counters();
    assert_eq!(sum, once.counters());
}

//! A memory partition of the machine for teaching, stored while it works.

use crate::sm_bench::toy;
use warplab_memory::{Partition, PartitionOutput, PartitionSpec, Reply, Request, RequestKind};
use warplab_units::{Address, Cycle, PartitionId, SectorMask, SmId};

/// A read, a write or an atomic operation, on one of more lines than the cache holds.
fn request(token: u32) -> Request {
    let (kind, sectors) = match token % 4 {
        0 => (RequestKind::Write { full: SectorMask(0b0011), words: 0xffff }, 0b0011),
        1 => (RequestKind::Atomic { sector_accesses: 2, full: SectorMask::EMPTY, returns: true }, 1),
        _ => (RequestKind::Read, 1 << (token % 3)),
    };
    let local_line = u64::from(token * 7 % 61);
    let line = Address(local_line * 256);
    let at = Cycle(u64::from(token) * 3);
    let (sm, sectors) = (SmId(0), SectorMask(sectors));
    Request { sm, token, line, local_line, home: 0, sectors, kind, bytes: 8, at }
}

/// A partition that waits for DRAM and has requests in its slice, and what is still to come.
fn in_mid_flight() -> (PartitionSpec, Partition) {
    let spec = PartitionSpec::new(&toy(&[]));
    let mut partition = Partition::new(&spec, PartitionId(1));
    (0..300).for_each(|token| partition.push(&spec, request(token)));
    partition.advance(&spec, Cycle(300), &mut PartitionOutput::default());
    let counters = partition.counters();
    assert!(counters.dram_requests.arrivals > counters.dram_requests.departures);
    assert!(counters.l2_requests.arrivals > counters.l2_requests.departures);
    (spec, partition)
}

/// Runs to the end: the replies, and the state as bytes.
fn finish(spec: &PartitionSpec, mut partition: Partition) -> (Vec<Reply>, Vec<u8>) {
    let mut output = PartitionOutput::default();
    partition.advance(spec, Cycle(1_000_000), &mut output);
    assert!(!output.replies.is_empty());
    (output.replies, postcard::to_allocvec(&partition).unwrap())
}

#[test]
fn a_clone_in_mid_flight_goes_on_as_the_original() {
    let (spec, partition) = in_mid_flight();
    assert_eq!(finish(&spec, partition.clone()), finish(&spec, partition));
}

#[test]
fn a_stored_partition_in_mid_flight_goes_on_to_the_same_bytes() {
    let (spec, partition) = in_mid_flight();
    let bytes = postcard::to_allocvec(&partition).unwrap();
    let restored: Partition = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(postcard::to_allocvec(&restored).unwrap(), bytes);
    assert_eq!(finish(&spec, restored), finish(&spec, partition));
}

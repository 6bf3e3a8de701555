//! What the tests of several units share: the machine for teaching and requests to it.

use crate::message::{Request, RequestKind};
use warplab_config::gpu::SliceHash;
use warplab_config::{GpuConfig, load_gpu};
use warplab_diagnostics::Source;
use warplab_units::{Address, Cycle, SectorMask, SmId};

/// Two SMs, two partitions of one slice of 4 sets of 4 ways, one sector per cycle, four MSHRs; an L2 hit takes 20 cycles,
/// the way to DRAM and back 10 each; a DRAM clock is two cycles.
pub(crate) fn toy() -> GpuConfig {
    let text = include_str!("../../../configs/gpus/toy.ron");
    load_gpu(&Source::new("toy.ron", text)).expect("the machine is shipped")
}

/// The bits that choose a slice on an H200: KiB of pages of 2 MiB.
pub(crate) fn slice_hash() -> SliceHash {
    SliceHash {
        chunk_bytes: 256,
        group_bytes: 1024,
        page_kib: 2048,
        home_bits: vec![12, 13, 15, 17, 19],
        odd_chunk_bits: vec![10, 11, 14, 16],
    }
}

/// The address of the n-th line of a partition of the toy machine; it lies in set n modulo 4.
pub(crate) fn line(number: u64) -> Address {
    Address(number * 256)
}

/// A request of SM 0 that reads sectors of the n-th line.
pub(crate) fn read(token: u32, number: u64, sectors: u8, at: u64) -> Request {
    Request {
        sm: SmId(0),
        token,
        line: line(number),
        local_line: number,
        home: 0,
        sectors: SectorMask(sectors),
        kind: RequestKind::Read,
        bytes: 8,
        at: Cycle(at),
    }
}

/// A request that writes every byte of some sectors.
pub(crate) fn write(token: u32, number: u64, sectors: u8, at: u64) -> Request {
    let words = (0..4).filter(|sector| sectors >> sector & 1 != 0).map(|sector| 0xff << (8 * sector)).sum();
    let kind = RequestKind::Write { full: SectorMask(sectors), words };
    Request { kind, ..read(token, number, sectors, at) }
}

/// An atomic operation on one sector.
pub(crate) fn atomic(token: u32, number: u64, sector_accesses: u8, at: u64) -> Request {
    let kind = RequestKind::Atomic { sector_accesses, full: SectorMask::ALL, returns: true };
    Request { kind, ..read(token, number, 1, at) }
}

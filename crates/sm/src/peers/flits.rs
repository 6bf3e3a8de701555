//! What a message takes of the ports, in flits of 32 bytes (measured: traces/h200/clusters, conflicts.txt and bandwidth.txt).

use crate::lsu::peer_passes;
use smallvec::SmallVec;
use warplab_exec::peers::{PeerRequest, PeerWork};
use warplab_units::{LINE_BYTES, SECTOR_BYTES};

/// The bytes of a sector that lanes of a request touch.
struct Sector {
    number: u64,
    /// A bit for each of its bytes.
    bytes: u32,
    /// The most lanes on one word.
    shared_by: u32,
}

/// The sectors of a request, and how many lines they are of.
fn sectors(request: &PeerRequest) -> (SmallVec<[Sector; 32]>, u32) {
    let mut sectors: SmallVec<[Sector; 32]> = SmallVec::new();
    for lane in request.mask.lanes() {
        let address = request.addresses[lane];
        let (number, byte) = (address / SECTOR_BYTES, address % SECTOR_BYTES);
        let bytes = ((1_u64 << request.bytes) - 1) << byte;
        match sectors.iter_mut().find(|sector| sector.number == number) {
            Some(sector) => {
                sector.shared_by += u32::from(sector.bytes & bytes as u32 != 0);
                sector.bytes |= bytes as u32;
            }
            None => sectors.push(Sector { number, bytes: bytes as u32, shared_by: 1 }),
        }
    }
    let mut lines: SmallVec<[u64; 32]> =
        sectors.iter().map(|sector| sector.number / (LINE_BYTES / SECTOR_BYTES)).collect();
    lines.sort_unstable();
    lines.dedup();
    (sectors, lines.len() as u32)
}

/// Flits of a request. A load has one for each line; a store one for each sector, and one more where several pieces of it are
/// stored; an atomic operation one for each sector and one for each line, for each lane on one word.
pub(super) fn asked(request: &PeerRequest) -> u32 {
    let (sectors, lines) = sectors(request);
    match request.work {
        PeerWork::Load { .. } => lines,
        PeerWork::Arrive(_) => 1,
        PeerWork::Store => sectors.iter().map(|sector| 1 + u32::from(is_in_pieces(sector.bytes))).sum(),
        PeerWork::Atomic { .. } => {
            let again: u32 = sectors.iter().map(|sector| sector.shared_by - 1).sum();
            sectors.len() as u32 + lines + 2 * again
        }
    }
}

/// Flits of an answer: one for each sector, and for each lane on one word that an atomic operation changes.
pub(super) fn answered(request: &PeerRequest) -> u32 {
    match request.work {
        PeerWork::Store | PeerWork::Arrive(_) => 0,
        PeerWork::Load { .. } => sectors(request).0.len() as u32,
        PeerWork::Atomic { .. } => sectors(request).0.iter().map(|sector| sector.shared_by).sum(),
    }
}

/// Passes of shared memory where it arrives.
pub(super) fn passes(request: &PeerRequest, banks: u32) -> u64 {
    match request.work {
        PeerWork::Arrive(_) => 0,
        _ => peer_passes(request, banks),
    }
}

/// Whether the bytes do not lie one after another.
fn is_in_pieces(bytes: u32) -> bool {
    let shifted = bytes >> bytes.trailing_zeros().min(31);
    shifted & shifted.wrapping_add(1) != 0
}

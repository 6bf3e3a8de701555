//! What a message takes of the ports, in thirds of flits of 32 bytes (measured: traces/h200/clusters, conflicts.txt and
//! bandwidth.txt).

use crate::lsu::peer_passes;
use smallvec::SmallVec;
use warplab_exec::AtomicOp;
use warplab_exec::peers::{PeerRequest, PeerWork};
use warplab_units::{LINE_BYTES, SECTOR_BYTES};

/// Thirds of a flit.
pub(super) const FLIT: u32 = 3;
/// What an atomic operation on the one word of a line takes, and its answer.
const WORD: (u32, u32) = (4, 2);

/// The bytes of a sector that lanes of a request touch.
struct Sector {
    number: u64,
    /// A bit for each of its bytes.
    bytes: u32,
    /// The most lanes on one word.
    shared_by: u32,
}

/// The sectors of each line of a request.
fn lines(request: &PeerRequest) -> SmallVec<[SmallVec<[Sector; 4]>; 8]> {
    let mut lines: SmallVec<[SmallVec<[Sector; 4]>; 8]> = SmallVec::new();
    for lane in request.mask.lanes() {
        let address = request.addresses[lane];
        let bytes = (((1_u64 << request.bytes) - 1) << (address % SECTOR_BYTES)) as u32;
        let number = address / SECTOR_BYTES;
        let is_line =
            |line: &SmallVec<[Sector; 4]>| line[0].number * SECTOR_BYTES / LINE_BYTES == address / LINE_BYTES;
        let sector = Sector { number, bytes, shared_by: 1 };
        let Some(place) = lines.iter().position(is_line) else {
            lines.push(SmallVec::from_iter([sector]));
            continue;
        };
        match lines[place].iter_mut().find(|sector| sector.number == number) {
            Some(known) => {
                known.shared_by += u32::from(known.bytes & bytes != 0);
                known.bytes |= bytes;
            }
            None => lines[place].push(sector),
        }
    }
    lines
}

/// What a request takes. A load takes a flit for each line; a store one for each sector, and one more where several pieces of it
/// are stored; an atomic operation one for each sector and one for each line, for each lane on one word.
pub(super) fn asked(request: &PeerRequest) -> u32 {
    let of_lines = lines(request);
    match request.work {
        PeerWork::Load { .. } => FLIT * of_lines.len() as u32,
        PeerWork::Arrive(_) => FLIT,
        PeerWork::Store => {
            let sectors = of_lines.iter().flatten();
            sectors.map(|sector| FLIT * (1 + u32::from(is_in_pieces(sector.bytes)))).sum()
        }
        PeerWork::Atomic { op, .. } => {
            // Values that are compared are as many again.
            let again = if op == AtomicOp::CompareExchange { FLIT } else { 0 };
            of_lines.iter().map(|line| atomic(line).0 + again * line.len() as u32).sum()
        }
    }
}

/// What an answer takes: a flit for each sector, and for each lane on one word that an atomic operation changes.
pub(super) fn answered(request: &PeerRequest) -> u32 {
    match request.work {
        PeerWork::Store | PeerWork::Arrive(_) => 0,
        PeerWork::Load { .. } => FLIT * lines(request).iter().map(|line| line.len() as u32).sum::<u32>(),
        PeerWork::Atomic { .. } => lines(request).iter().map(|line| atomic(line).1).sum(),
    }
}

/// What an atomic operation takes on a line, and its answer.
fn atomic(line: &[Sector]) -> (u32, u32) {
    match line {
        [Sector { bytes, shared_by: 1, .. }] if bytes.count_ones() <= 4 => WORD,
        _ => {
            let again: u32 = line.iter().map(|sector| sector.shared_by - 1).sum();
            (FLIT * (line.len() as u32 + 1 + 2 * again), FLIT * (line.len() as u32 + again))
        }
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

#[cfg(test)]
mod tests {
    use super::{FLIT, answered, asked};
    use warplab_exec::peers::{PeerRequest, PeerWork};
    use warplab_exec::{AtomicOp, AtomicType};
    use warplab_units::{LaneMask, ROW_LANES};

    const LOAD: PeerWork = PeerWork::Load { destination: Some(0), signed: false };
    const ADD: PeerWork =
        PeerWork::Atomic { op: AtomicOp::Add, ty: AtomicType::U32, destination: Some(0), says_stored: false };

    /// Words of 32 lanes so many words apart.
    fn strided(work: PeerWork, stride: u64) -> PeerRequest {
        let addresses = std::array::from_fn(|lane| lane as u64 * 4 * stride);
        let (mask, bytes, data) = (LaneMask::ALL, 4, vec![[0; ROW_LANES]; 4]);
        PeerRequest { rank: 1, row: 0, mask, bytes, addresses, work, data }
    }

    /// Whole flits of requests and answers, one word apart to 16.
    fn flits(work: PeerWork) -> [(u32, u32); 5] {
        [1, 2, 4, 8, 16].map(|stride| {
            let request = strided(work, stride);
            (asked(&request) / FLIT, answered(&request) / FLIT)
        })
    }

    #[test]
    fn a_load_asks_for_lines_and_gets_sectors() {
        assert_eq!(flits(LOAD), [(1, 4), (2, 8), (4, 16), (8, 32), (16, 32)]);
    }

    #[test]
    fn a_sector_that_is_stored_in_pieces_takes_two_flits() {
        assert_eq!(flits(PeerWork::Store).map(|(asked, _)| asked), [4, 16, 32, 32, 32]);
    }

    #[test]
    fn an_atomic_operation_takes_a_flit_more_for_each_line_and_brings_sectors_back() {
        assert_eq!(flits(ADD), [(5, 4), (10, 8), (20, 16), (40, 32), (48, 32)]);
    }

    #[test]
    fn the_one_word_of_a_line_is_two_flits_to_and_fro_and_lanes_on_one_word_pass_one_by_one() {
        let apart = strided(ADD, 32);
        assert_eq!((asked(&apart), answered(&apart)), (32 * 4, 32 * 2));
        let together = strided(ADD, 0);
        assert_eq!((asked(&together) / FLIT, answered(&together) / FLIT), (64, 32));
    }
}

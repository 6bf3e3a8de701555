//! Lines of bulk copies leave through the send port, past the tags.

use super::{LoadStoreUnit, LsuSpec, Token};
use std::ops::Range;
use warplab_memory::{Request, RequestKind};
use warplab_units::{Address, Cycle, SECTOR_BYTES, SectorMask};

/// Bytes of a word.
const WORD: u64 = 4;

impl LoadStoreUnit {
    /// Whether the crossbar takes a line of a bulk copy: stores that wait for credits come first.
    pub(crate) fn takes_bulk(&mut self, now: Cycle, spec: &LsuSpec) -> bool {
        self.held.is_empty() && spec.credits.is_none_or(|limit| self.credits.has_room(now, limit))
    }

    /// A product of a warpgroup reads its matrices from shared memory, in so many passes.
    pub(crate) fn read_matrices(&mut self, now: Cycle, passes: u64) {
        self.data.read_first(now, passes);
    }

    /// A bulk copy begins: the unit is not idle before it ends.
    pub(crate) fn begin_bulk(&mut self) -> u32 {
        self.tokens.insert(Token::Bulk { copy: u32::MAX }) as u32
    }

    /// A bulk copy has ended, which has this token.
    pub(crate) fn end_bulk(&mut self, token: u32) {
        self.tokens.try_remove(token as usize);
    }

    /// Asks for these bytes of a line for a bulk copy; or, with `writes`, writes them, or (true) changes them.
    pub(crate) fn send_bulk(
        &mut self,
        now: Cycle,
        copy: u32,
        line: Address,
        bytes: Range<u64>,
        writes: Option<bool>,
        spec: &LsuSpec,
    ) {
        let words = mask(bytes.start / WORD, bytes.end.div_ceil(WORD));
        let (sectors, full) = (SectorMask::touched_by(words), SectorMask::filled_by(words));
        let kind = match writes {
            None => RequestKind::Read,
            Some(false) => RequestKind::Write { full, words },
            Some(true) => {
                RequestKind::Atomic { sector_accesses: sectors.count() as u8, full, returns: false }
            }
        };
        if writes.is_some() {
            self.l1.invalidate(line);
            self.has_written = true;
        }
        let token = self.tokens.insert(Token::Bulk { copy }) as u32;
        let flit = spec.flit_bytes.unwrap_or(0);
        let data = if writes.is_some() { sectors.count() * SECTOR_BYTES as u32 } else { spec.header_bytes };
        let (sm, bytes) = (self.sm, data.max(flit));
        let request = Request { sm, token, line, local_line: 0, home: 0, sectors, kind, bytes, at: now };
        if spec.credits.is_some() && flit > 0 {
            self.credits.spend(request.flits(flit));
        }
        self.port.send(request, now, bytes, &spec.port);
    }
}

/// The bits from one to before another, of 32.
fn mask(from: u64, to: u64) -> u32 {
    let below = |bit: u64| if bit >= 32 { u32::MAX } else { (1 << bit) - 1 };
    below(to) & !below(from)
}

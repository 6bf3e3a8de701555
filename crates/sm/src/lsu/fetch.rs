//! What the LSU will need of the host's memory, fetched ahead: the caches of the host hold few SMs at once. Each step finds
//! what the one before has fetched.

use super::coalesce::LineAccess;
use super::{LoadStoreUnit, Token};
use smallvec::SmallVec;
use warplab_memory::Reply;
use warplab_units::{Address, fetch_ahead};

/// With fewer replies less than all sets of L1 are needed; fewer lines of a load come together anyway.
const FEW: usize = 4;

/// Replies that come in an epoch, mostly.
const USUAL: usize = 128;

impl LoadStoreUnit {
    /// Fetches where the lines of a load are to be found, and where it is kept which of them are under way.
    #[inline]
    pub(super) fn fetch_for_load(&self, lines: &[LineAccess]) {
        if lines.len() > FEW {
            lines.iter().for_each(|access| {
                self.l1.mshrs.fetch_slot(access.line);
                self.l1.fetch_set(access.line);
            });
            self.l1.mshrs.fetch_free(lines.len());
        }
    }

    /// Fetches what replies that come soon will need.
    pub(crate) fn fetch_for<'a>(&self, replies: impl Iterator<Item = &'a Reply>) {
        let mut lines: SmallVec<[Address; USUAL]> = SmallVec::new();
        for reply in replies {
            if let Some(&Token::Fill { line, place, .. }) = self.tokens.get(reply.token as usize) {
                self.l1.mshrs.fetch_slot(line);
                self.l1.fetch_place(place);
                lines.push(line);
            }
        }
        if lines.len() > FEW {
            self.l1.fetch_sets();
        }
        lines.iter().for_each(|&line| self.l1.mshrs.fetch_entry(line));
        for &line in &lines {
            if let Some(load) = self.l1.mshrs.first_waiter(line).and_then(|load| self.loads.get(load)) {
                fetch_ahead(load);
            }
        }
    }
}

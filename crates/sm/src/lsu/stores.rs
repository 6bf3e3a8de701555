//! Stores behind the tags: each line becomes a request, which others to the same line may join until it leaves. What has no credits of the
//! crossbar waits here (measured: traces/h200/merge).

use super::coalesce::LineAccess;
use super::message::{Outcome, Owner};
use super::{LEAST_STORE_FLITS, LoadStoreUnit, LsuSpec, Start, Token, request_bytes};
use serde::{Deserialize, Serialize};
use warplab_memory::{LineIndex, Request, RequestKind};
use warplab_units::{Address, Cycle, SectorMask};

/// The warp that a store is of: its slot and generation.
type Writer = (u8, u32);

/// A request of a store that waits for credits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Held {
    request: Request,
    /// The flits that it takes at least.
    least: u32,
    writer: Writer,
    /// Where L1 has its line.
    place: Option<LineIndex>,
    /// Whether its store has left with it.
    is_last: bool,
}

impl LoadStoreUnit {
    /// A store comes to the tags, whose data has its turn at a cycle: it may join one that has not left when it comes (measured:
    /// merge/again.txt).
    pub(super) fn store(
        &mut self,
        start: Start<'_>,
        turn: Cycle,
        owner: Owner,
        lines: &[LineAccess],
        local: bool,
    ) {
        let Start { now, spec, passes, outcomes } = start;
        let writer: Writer = (owner.slot, owner.generation);
        let due = now + spec.request;
        let passed = turn.max(now) + u64::from(passes.data) * spec.data.pace;
        let leaves = spec.store_hold.map_or(due, |hold| passed + hold + spec.request);
        let joins = self.port.has_joinable(due);
        let holds = spec.port.joinable > 0 && !self.has_credits(now, spec);
        let least = if lines.len() == 1 { LEAST_STORE_FLITS } else { 1 };
        let mut requests = 0;
        for access in lines {
            let joined = if holds && self.join_held(access, spec) {
                Some(Cycle::NEVER)
            } else if joins {
                let last = spec.port.joinable.saturating_sub(self.held.len());
                let place = self.port.joinable(due, access.line, last);
                place.map(|place| {
                    self.join(place, access, spec);
                    self.port.put_back(place, leaves, &spec.port)
                })
            } else {
                None
            };
            let (hit, place) = self.l1.store(access, joined.is_some(), due);
            self.count_store_hits(if hit { access.sectors.count() } else { 0 }, local);
            if let Some(start) = joined {
                self.leaves_for((access.line, place), hit, start, due, spec);
                continue;
            }
            requests += 1;
            let kind = RequestKind::Write { full: access.full, words: access.words };
            let token = Token::Store { slot: owner.slot, generation: owner.generation };
            let request = self.request(spec, access, (access.sectors, kind), token, leaves);
            let start = if holds {
                self.held.push_back(Held { request, least, writer, place, is_last: false });
                Cycle::NEVER
            } else {
                self.write(request, due, least, spec)
            };
            self.leaves_for((access.line, place), hit, start, due, spec);
        }
        match self.held.back_mut() {
            Some(held) if holds && requests > 0 => {
                held.is_last = true;
                let Owner { slot, generation, .. } = owner;
                outcomes.push(Outcome::Held { slot, generation, requests });
            }
            _ => outcomes.push(self.sent(writer, requests, spec)),
        }
    }

    /// So many sectors of a store were there.
    fn count_store_hits(&mut self, sectors: u32, local: bool) {
        if local {
            self.counters.local_store_sector_hits += u64::from(sectors);
        } else {
            self.counters.global_store_sector_hits += u64::from(sectors);
        }
    }

    /// A store to a line at a place of L1, which it has hit or not, begins to leave at a cycle: then the line takes it.
    fn leaves_for(
        &mut self,
        (line, place): (Address, Option<LineIndex>),
        hit: bool,
        start: Cycle,
        now: Cycle,
        spec: &LsuSpec,
    ) {
        if let Some(place) = place.filter(|_| spec.store_taken > 0) {
            self.l1.takes((line, place), hit, Cycle(start.0.saturating_add(spec.store_taken)), now);
        }
    }

    /// Whether the crossbar takes more: not while stores wait for it.
    #[inline(always)]
    pub(super) fn has_credits(&mut self, now: Cycle, spec: &LsuSpec) -> bool {
        self.held.is_empty() && spec.credits.is_none_or(|limit| self.credits.allow(now, limit))
    }

    /// Credits have come back: stores leave that waited for them, as far as they go.
    #[inline]
    pub(crate) fn take_credits(&mut self, now: Cycle, spec: &LsuSpec, outcomes: &mut Vec<Outcome>) {
        if !self.held.is_empty() {
            self.release(now, spec, outcomes);
        }
        self.queues.unblock(now);
    }

    /// Stores leave that have waited for credits, as far as these go.
    #[inline(never)]
    fn release(&mut self, now: Cycle, spec: &LsuSpec, outcomes: &mut Vec<Outcome>) {
        while !self.held.is_empty() && spec.credits.is_none_or(|limit| self.credits.allow(now, limit)) {
            let Some(Held { request, least, writer, place, is_last }) = self.held.pop_front() else { return };
            let at = request.at.max(now);
            let start = self.write(Request { at, ..request }, now, least, spec);
            self.leaves_for((request.line, place), true, start, now, spec);
            if is_last {
                outcomes.push(self.sent(writer, 0, spec));
            }
        }
    }

    /// A store has left with so many requests that had not been told.
    fn sent(&self, (slot, generation): Writer, requests: u16, spec: &LsuSpec) -> Outcome {
        Outcome::Sent { slot, generation, requests, at: self.port.free_at(&spec.port) }
    }

    /// A request of a store passes the send port, which it could do at `due`: when it begins to leave.
    #[inline(never)]
    fn write(&mut self, request: Request, due: Cycle, least: u32, spec: &LsuSpec) -> Cycle {
        self.has_written = true;
        let start = self.leave(request, due, least, spec);
        self.port.note_store(start, &spec.port);
        start
    }

    /// A store joins one to the same line that waits for credits, if there is one.
    fn join_held(&mut self, access: &LineAccess, spec: &LsuSpec) -> bool {
        let mut waiting = self.held.iter_mut().rev().take(spec.port.joinable);
        let Some(held) = waiting.find(|held| held.request.line == access.line) else { return false };
        let request = &mut held.request;
        let access = together(request, access);
        write_all(request, &access, spec);
        true
    }

    /// A store joins one to the same line, whose request waits in the port.
    fn join(&mut self, place: usize, access: &LineAccess, spec: &LsuSpec) {
        let request = &mut self.port.sent[place];
        let before = *request;
        let access = together(request, access);
        write_all(request, &access, spec);
        let (bytes, after) = (request.bytes, *request);
        if let (Some(_), Some(flit)) = (spec.credits, spec.flit_bytes) {
            self.credits.spend(after.flits(flit).saturating_sub(before.flits(flit)));
        }
        self.port.grow(place, bytes - before.bytes, &spec.port);
    }
}

/// What a request writes together with another store to its line.
fn together(request: &Request, access: &LineAccess) -> LineAccess {
    let RequestKind::Write { full, words } = request.kind else { return *access };
    let words = words | access.words;
    let full = full | access.full | SectorMask::filled_by(words);
    LineAccess { sectors: request.sectors | access.sectors, full, words, ..*access }
}

/// A request writes all of this; it takes no fewer bytes than before.
fn write_all(request: &mut Request, access: &LineAccess, spec: &LsuSpec) {
    request.sectors = access.sectors;
    request.kind = RequestKind::Write { full: access.full, words: access.words };
    request.bytes = request_bytes(request.kind, access, access.sectors, spec).max(request.bytes);
}

//! What comes back: replies of L2, loads whose data has come and their way through the data stage.

use super::data::Kind;
use super::loads::Done;
use super::mshr::LoadId;
use super::{LoadStoreUnit, LsuSpec, Outcome, Token};
use warplab_memory::Reply;
use warplab_units::Cycle;

impl LoadStoreUnit {
    /// A reply arrives. When the next that waits for the data stage can pass it, where it brings data.
    pub(crate) fn reply(
        &mut self,
        reply: &Reply,
        spec: &LsuSpec,
        outcomes: &mut Vec<Outcome>,
    ) -> Option<Cycle> {
        let now = reply.at;
        let ready = now + spec.after_reply();
        match self.tokens.try_remove(reply.token as usize) {
            Some(Token::Fill { line, place, sectors, sent }) => {
                self.come_lines += 1;
                self.asked.also(reply.is_far);
                let mut done = std::mem::take(&mut self.done);
                self.l1.fill((line, place), sectors, sent, now, &mut done);
                for &load in &done {
                    self.arrived(load, (now, ready), spec, outcomes);
                }
                done.clear();
                self.done = done;
                self.unblock(now);
            }
            Some(Token::Data { load }) => {
                self.come_lines += 1;
                self.asked.also(reply.is_far);
                self.arrived(load, (now, ready), spec, outcomes);
            }
            Some(Token::Atomic { load }) => {
                self.atomics_away -= 1;
                self.come_lines += 1;
                self.asked.also(reply.is_far);
                self.arrived(load, (now, ready), spec, outcomes);
                self.unblock(now);
            }
            Some(Token::Store { slot, generation }) => {
                self.asked.also(reply.is_far);
                outcomes.push(Outcome::Acknowledged { slot, generation });
                return None;
            }
            Some(Token::Bulk { copy }) => {
                self.asked.also(reply.is_far);
                outcomes.push(Outcome::BulkLine { copy });
                return None;
            }
            None => return None,
        }
        Some(self.data.next())
    }

    /// A part of a load or atomic operation comes `now`. With the last one its data passes the data stage when it is its turn,
    /// and the result is there at `ready` if nothing is in the way.
    pub(super) fn arrived(
        &mut self,
        load: LoadId,
        (now, ready): (Cycle, Cycle),
        spec: &LsuSpec,
        outcomes: &mut Vec<Outcome>,
    ) {
        self.loads.arrived(load);
        if let Some(done) = self.loads.all_came(load) {
            self.comes(&done, (now, ready), outcomes);
        }
        self.take_turns((now, ready), spec, outcomes);
        self.pass_waiting(now, spec, outcomes);
    }

    /// The loads whose turn it is come to the data stage, as long as it has room.
    fn take_turns(&mut self, (now, ready): (Cycle, Cycle), spec: &LsuSpec, outcomes: &mut Vec<Outcome>) {
        while self.loads.next().is_some_and(|done| self.data.has_room(done.passes, &spec.data)) {
            let Some(done) = self.loads.take_next() else { return };
            self.comes(&done, (now, ready), outcomes);
        }
    }

    /// A load whose data has come passes the data stage, or waits for it.
    fn comes(&mut self, done: &Done, (now, ready): (Cycle, Cycle), outcomes: &mut Vec<Outcome>) {
        if let Some(at) = self.data.comes(done, now, ready) {
            self.finish(done, at, outcomes);
        }
    }

    /// What waits for the data stage passes, as far as it can by `now`.
    #[inline]
    pub(super) fn pass_waiting(&mut self, now: Cycle, spec: &LsuSpec, outcomes: &mut Vec<Outcome>) {
        while self.data.next() <= now {
            self.pass_next(spec, outcomes);
        }
    }

    /// Likewise, as far as it is its turn before an access of a kind.
    #[inline]
    pub(super) fn pass_waiting_before(
        &mut self,
        kind: Kind,
        passes: u64,
        spec: &LsuSpec,
        outcomes: &mut Vec<Outcome>,
    ) {
        while self.data.is_turn_of_waiting(kind, passes, &spec.data) {
            self.pass_next(spec, outcomes);
        }
    }

    /// What has waited longest for the data stage passes. As a load begins to, there is room for others.
    pub(super) fn pass_next(&mut self, spec: &LsuSpec, outcomes: &mut Vec<Outcome>) {
        let Some(passed) = self.data.pass_waiting(&spec.data) else { return };
        if let Some((done, at)) = passed.done {
            self.finish(&done, at, outcomes);
        }
        if let Some(now) = passed.begun {
            self.take_turns((now, now + spec.after_reply()), spec, outcomes);
        }
    }

    /// The result of a load or atomic operation is there at a cycle.
    pub(super) fn finish(&mut self, done: &Done, at: Cycle, outcomes: &mut Vec<Outcome>) {
        self.loads.counters.leaves(at.0, done.asker.issued.0);
        outcomes.extend(Outcome::result(done.asker.owner, at));
    }

    /// An MSHR may be free: what waits for the tags may try again, but in vain while it waits for credits.
    fn unblock(&mut self, now: Cycle) {
        let Some(since) = self.blocked_since(now) else { return };
        self.counters.miss_stall_cycles += now - since;
        if self.credits.are_awaited() {
            self.queues.block(now);
        } else {
            self.queues.unblock(now);
        }
    }

    /// Since when what waits for the tags has waited before `now`: it tries again whenever credits come back, and in vain while
    /// these are too few.
    pub(super) fn blocked_since(&self, now: Cycle) -> Option<Cycle> {
        let since = self.queues.blocked_since()?;
        Some(self.credits.last_return(now).map_or(since, |at| at.max(since)))
    }
}

//! One pseudo-channel: requests wait, and the command that is first ready and first come is issued.

use super::bank::{Bank, Timing, not_before};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_config::Ticks;
use warplab_config::gpu::Dram;
use warplab_trace::DramCounters;

/// One burst to read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// The bank, its group included.
    pub bank: usize,
    /// The row.
    pub row: u64,
    /// Whether data is written.
    pub write: bool,
    /// What the asker calls it; comes back when a read has its data.
    pub token: u64,
    /// When it came.
    pub at: Ticks,
}

/// Waiting accesses of one bank in one direction, in order of arrival.
type BankQueue = VecDeque<Waiting>;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Waiting {
    access: Access,
    age: u64,
    /// Whether an activate or precharge was issued for it: then it is counted already.
    opened: bool,
}

/// What a bank needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Command {
    Column,
    Activate,
    Precharge,
}

/// The next command of one bank. The key orders by time, then column commands first, then age; it is one number so
/// that the choice among banks is a plain minimum.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    key: u128,
    bank: u32,
    place: u32,
}

/// What a bank needs next, as far as it depends on the bank alone.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Wish {
    command: Command,
    ready: Ticks,
    age: u64,
    place: usize,
}

impl Candidate {
    fn new(at: Ticks, command: Command, age: u64, bank: usize, place: usize) -> Candidate {
        let key = u128::from(at.0) << 64 | (command as u128) << 60 | u128::from(age);
        Candidate { key, bank: bank as u32, place: place as u32 }
    }

    fn at(self) -> Ticks {
        Ticks((self.key >> 64) as u64)
    }

    fn command(self) -> Command {
        match self.key >> 60 & 3 {
            0 => Command::Column,
            1 => Command::Activate,
            _ => Command::Precharge,
        }
    }

    fn bank(self) -> usize {
        self.bank as usize
    }

    fn place(self) -> usize {
        self.place as usize
    }
}

/// What a pseudo-channel is.
#[derive(Clone, Debug)]
pub struct ChannelSpec {
    timing: Timing,
    groups: usize,
    banks_per_group: usize,
    burst_bytes: u64,
    write_high: usize,
    write_low: usize,
}

impl ChannelSpec {
    /// The pseudo-channels of a machine, with a command clock of so many ticks.
    #[must_use]
    pub fn new(dram: &Dram, clock: Ticks) -> ChannelSpec {
        ChannelSpec {
            timing: Timing::new(dram, clock),
            groups: dram.bank_groups as usize,
            banks_per_group: dram.banks_per_group as usize,
            burst_bytes: u64::from(dram.burst_bytes),
            write_high: dram.write_high as usize,
            write_low: dram.write_low as usize,
        }
    }
}

/// One pseudo-channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PseudoChannel {
    banks: Vec<Bank>,
    group_next_read: Vec<Ticks>,
    group_next_write: Vec<Ticks>,
    group_next_activate: Vec<Ticks>,
    next_read: Ticks,
    next_write: Ticks,
    next_activate: Ticks,
    /// The last four activates, oldest first.
    activates: VecDeque<Ticks>,
    reads: Vec<BankQueue>,
    writes: Vec<BankQueue>,
    /// What each bank needs next, where nothing has changed since it was found.
    wishes: Vec<Option<Wish>>,
    read_count: usize,
    write_count: usize,
    writing: bool,
    next_age: u64,
    next_refresh: Ticks,
    /// No command can be issued before this moment.
    decide_at: Ticks,
    counters: DramCounters,
}

impl PseudoChannel {
    /// An idle pseudo-channel; `stagger` (0 to 1023) spreads the refreshes of different ones.
    #[must_use]
    pub fn new(spec: &ChannelSpec, stagger: u64) -> PseudoChannel {
        let banks = spec.groups * spec.banks_per_group;
        PseudoChannel {
            banks: vec![Bank::default(); banks],
            group_next_read: vec![Ticks(0); spec.groups],
            group_next_write: vec![Ticks(0); spec.groups],
            group_next_activate: vec![Ticks(0); spec.groups],
            next_read: Ticks(0),
            next_write: Ticks(0),
            next_activate: Ticks(0),
            activates: VecDeque::with_capacity(4),
            reads: vec![BankQueue::new(); banks],
            writes: vec![BankQueue::new(); banks],
            wishes: vec![None; banks],
            read_count: 0,
            write_count: 0,
            writing: false,
            next_age: 0,
            next_refresh: Ticks(spec.timing.refi.0 * (1 + stagger % 1024) / 1024),
            decide_at: Ticks::NEVER,
            counters: DramCounters::default(),
        }
    }

    /// An access comes.
    pub fn push(&mut self, access: Access) {
        let waiting = Waiting { access, age: self.next_age, opened: false };
        self.next_age += 1;
        if access.write == self.writing {
            self.wishes[access.bank] = None;
        }
        if access.write {
            self.writes[access.bank].push_back(waiting);
            self.write_count += 1;
        } else {
            self.reads[access.bank].push_back(waiting);
            self.read_count += 1;
        }
        self.decide_at = self.decide_at.min(access.at);
    }

    /// Writes that wait.
    #[must_use]
    pub fn waiting_writes(&self) -> usize {
        self.write_count
    }

    /// When the next command may be issued; never when nothing waits.
    #[must_use]
    pub fn next_decision(&self) -> Ticks {
        self.decide_at
    }

    /// What has been counted since the last [`PseudoChannel::take_counters`].
    #[must_use]
    pub fn counters(&self) -> &DramCounters {
        &self.counters
    }

    /// What has been counted since the last call.
    pub fn take_counters(&mut self) -> DramCounters {
        std::mem::take(&mut self.counters)
    }

    /// Issues at most one command at [`PseudoChannel::next_decision`]. A read whose column command is issued comes
    /// back with the moment at which its data is there; so does a write, whose data is taken.
    pub fn decide(&mut self, spec: &ChannelSpec) -> Option<(Access, Ticks)> {
        let now = self.decide_at;
        if self.read_count + self.write_count == 0 {
            self.decide_at = Ticks::NEVER;
            return None;
        }
        if now >= self.next_refresh {
            self.refresh(spec, now);
        }
        self.choose_direction(spec);
        let candidate = self.best_candidate(spec, now)?;
        if candidate.at() > now {
            self.decide_at = candidate.at();
            return None;
        }
        let done = self.issue(spec, candidate, now);
        let waits = self.read_count + self.write_count > 0;
        self.decide_at = if waits { now + spec.timing.clock } else { Ticks::NEVER };
        done
    }

    /// Writes wait until there are many of them or nothing else to do, and then go until few are left.
    fn choose_direction(&mut self, spec: &ChannelSpec) {
        let to_writing = !self.writing && (self.write_count >= spec.write_high || self.read_count == 0);
        let to_reading = self.writing && self.read_count > 0 && self.write_count <= spec.write_low;
        if to_writing || to_reading {
            self.writing = to_writing;
            self.wishes.fill(None);
            self.counters.turnarounds += 1;
        }
    }

    fn best_candidate(&mut self, spec: &ChannelSpec, now: Ticks) -> Option<Candidate> {
        let window = if self.activates.len() == 4 { self.activates[0] + spec.timing.faw } else { Ticks(0) };
        let mut best: Option<Candidate> = None;
        for bank in 0..self.banks.len() {
            let queues = if self.writing { &self.writes } else { &self.reads };
            if queues[bank].is_empty() {
                continue;
            }
            if self.wishes[bank].is_none() {
                self.wishes[bank] = Some(self.wish(bank, &queues[bank]));
            }
            let Some(wish) = self.wishes[bank] else { continue };
            let group = bank / spec.banks_per_group;
            let shared = match wish.command {
                Command::Column if self.writing => self.group_next_write[group].max(self.next_write),
                Command::Column => self.group_next_read[group].max(self.next_read),
                Command::Activate => self.group_next_activate[group].max(self.next_activate).max(window),
                Command::Precharge => Ticks(0),
            };
            let at = wish.ready.max(shared).max(now);
            let candidate = Candidate::new(at, wish.command, wish.age, bank, wish.place);
            if best.is_none_or(|best| candidate.key < best.key) {
                best = Some(candidate);
            }
        }
        best
    }

    /// What one bank needs next: for the oldest access to its open row, or else for the oldest of all.
    fn wish(&self, bank: usize, queue: &BankQueue) -> Wish {
        let state = &self.banks[bank];
        let hit = state.open_row.and_then(|row| queue.iter().position(|waiting| waiting.access.row == row));
        let (command, ready) = match (hit, state.open_row) {
            (Some(_), _) if self.writing => (Command::Column, state.next_write),
            (Some(_), _) => (Command::Column, state.next_read),
            (None, Some(_)) => (Command::Precharge, state.next_precharge),
            (None, None) => (Command::Activate, state.next_activate),
        };
        let place = hit.unwrap_or(0);
        let waiting = &queue[place];
        Wish { command, ready: ready.max(waiting.access.at), age: waiting.age, place }
    }

    fn issue(&mut self, spec: &ChannelSpec, candidate: Candidate, now: Ticks) -> Option<(Access, Ticks)> {
        self.wishes[candidate.bank()] = None;
        match candidate.command() {
            Command::Column => Some(self.issue_column(spec, candidate, now)),
            Command::Activate => {
                self.issue_activate(spec, candidate, now);
                None
            }
            Command::Precharge => {
                self.issue_precharge(spec, candidate, now);
                None
            }
        }
    }

    fn issue_column(&mut self, spec: &ChannelSpec, candidate: Candidate, now: Ticks) -> (Access, Ticks) {
        let timing = &spec.timing;
        let bank = candidate.bank();
        let group = bank / spec.banks_per_group;
        let (queues, count) = if self.writing {
            (&mut self.writes, &mut self.write_count)
        } else {
            (&mut self.reads, &mut self.read_count)
        };
        *count -= 1;
        let Some(waiting) = queues[bank].remove(candidate.place()) else {
            unreachable!("a candidate names a waiting access")
        };
        if !waiting.opened {
            self.counters.row_hits += 1;
        }
        self.counters.busy_ticks += timing.burst.0;
        if self.writing {
            self.counters.written_bytes += spec.burst_bytes;
        } else {
            self.counters.read_bytes += spec.burst_bytes;
        }
        if self.writing {
            not_before(&mut self.next_write, now + timing.ccd_short);
            not_before(&mut self.group_next_write[group], now + timing.ccd_long);
            not_before(&mut self.next_read, now + timing.write_to_read_short);
            not_before(&mut self.group_next_read[group], now + timing.write_to_read_long);
            not_before(&mut self.banks[bank].next_precharge, now + timing.write_to_precharge);
            (waiting.access, now + timing.burst)
        } else {
            not_before(&mut self.next_read, now + timing.ccd_short);
            not_before(&mut self.group_next_read[group], now + timing.ccd_long);
            not_before(&mut self.next_write, now + timing.read_to_write);
            not_before(&mut self.banks[bank].next_precharge, now + timing.rtp);
            (waiting.access, now + timing.cl + timing.burst)
        }
    }

    fn issue_activate(&mut self, spec: &ChannelSpec, candidate: Candidate, now: Ticks) {
        let timing = &spec.timing;
        let group = candidate.bank() / spec.banks_per_group;
        let queues = if self.writing { &mut self.writes } else { &mut self.reads };
        let waiting = &mut queues[candidate.bank()][candidate.place()];
        if !waiting.opened {
            waiting.opened = true;
            self.counters.row_misses += 1;
        }
        let bank = &mut self.banks[candidate.bank()];
        bank.open_row = Some(waiting.access.row);
        not_before(&mut bank.next_read, now + timing.rcd_read);
        not_before(&mut bank.next_write, now + timing.rcd_write);
        not_before(&mut bank.next_precharge, now + timing.ras);
        not_before(&mut bank.next_activate, now + timing.rc);
        not_before(&mut self.next_activate, now + timing.rrd_short);
        not_before(&mut self.group_next_activate[group], now + timing.rrd_long);
        if self.activates.len() == 4 {
            self.activates.pop_front();
        }
        self.activates.push_back(now);
        self.counters.activates += 1;
    }

    fn issue_precharge(&mut self, spec: &ChannelSpec, candidate: Candidate, now: Ticks) {
        let queues = if self.writing { &mut self.writes } else { &mut self.reads };
        let waiting = &mut queues[candidate.bank()][candidate.place()];
        if !waiting.opened {
            waiting.opened = true;
            self.counters.row_conflicts += 1;
        }
        let bank = &mut self.banks[candidate.bank()];
        bank.open_row = None;
        not_before(&mut bank.next_activate, now + spec.timing.rp);
        self.counters.precharges += 1;
    }

    /// All banks are refreshed; refreshes that fell into idle time are only counted.
    fn refresh(&mut self, spec: &ChannelSpec, now: Ticks) {
        self.wishes.fill(None);
        let timing = &spec.timing;
        while self.next_refresh + timing.rfc <= now {
            self.next_refresh = self.next_refresh + timing.refi;
            self.counters.refreshes += 1;
            self.banks.iter_mut().for_each(|bank| bank.open_row = None);
        }
        if now < self.next_refresh {
            return;
        }
        let end = self.next_refresh.max(self.latest_precharge(spec)) + timing.rfc;
        for bank in &mut self.banks {
            bank.open_row = None;
            not_before(&mut bank.next_activate, end);
        }
        self.next_refresh = self.next_refresh + timing.refi;
        self.counters.refreshes += 1;
    }

    /// When every open bank can have been closed.
    fn latest_precharge(&self, spec: &ChannelSpec) -> Ticks {
        self.banks
            .iter()
            .filter(|bank| bank.open_row.is_some())
            .map(|bank| bank.next_precharge + spec.timing.rp)
            .max()
            .unwrap_or_default()
    }
}

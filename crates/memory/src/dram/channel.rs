//! One pseudo-channel: requests wait, and the command that is first ready and first come is issued.

use super::bank::{BankQueue, Waiting, Wish, wish};
use super::constraints::{Command, Constraints, ReadyTimes};
use super::refresh::RefreshSpec;
use super::standard::JEDEC;
use serde::{Deserialize, Serialize};
use std::ops::Range;
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

/// The next command of one bank. The key orders by time, then in the order of commands, then by age; it is one number so
/// that the choice among banks is a plain minimum.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    key: u128,
    bank: u32,
    place: u32,
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
        Command::ALL[(self.key >> 60 & 15) as usize % Command::COUNT]
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
    constraints: Constraints,
    refresh: RefreshSpec,
    clock: Ticks,
    /// Read command to data.
    read_latency: Ticks,
    /// Data on the bus.
    burst: Ticks,
    burst_bytes: u64,
    write_high: usize,
    write_low: usize,
}

impl ChannelSpec {
    /// The pseudo-channels of a machine, with a command clock of so many ticks.
    #[must_use]
    pub fn new(dram: &Dram, clock: Ticks) -> ChannelSpec {
        let wires = dram.channel_bits / dram.pseudo_channels;
        let burst = (dram.burst_bytes * 8).div_ceil(wires * dram.data_rate).max(1);
        let shape = (dram.bank_groups as usize, dram.banks_per_group as usize);
        ChannelSpec {
            constraints: Constraints::new(JEDEC, shape, &dram.clocks, burst, clock),
            refresh: RefreshSpec::new(&dram.clocks, clock),
            clock,
            read_latency: clock * u64::from(dram.clocks.cl),
            burst: clock * u64::from(burst),
            burst_bytes: u64::from(dram.burst_bytes),
            write_high: dram.write_high as usize,
            write_low: dram.write_low as usize,
        }
    }
}

/// One pseudo-channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PseudoChannel {
    /// The open row of each bank.
    open_rows: Vec<Option<u64>>,
    ready: ReadyTimes,
    reads: Vec<BankQueue>,
    writes: Vec<BankQueue>,
    /// What each bank needs next, where nothing has changed since it was found.
    wishes: Vec<Option<Wish>>,
    read_count: usize,
    write_count: usize,
    writing: bool,
    next_age: u64,
    next_refresh: Ticks,
    /// The bank whose turn it is, where banks are refreshed one after another.
    refresh_turn: usize,
    /// No command can be issued before this moment.
    decide_at: Ticks,
    counters: DramCounters,
}

impl PseudoChannel {
    /// An idle pseudo-channel; `stagger` (0 to 1023) spreads the refreshes of different ones.
    #[must_use]
    pub fn new(spec: &ChannelSpec, stagger: u64) -> PseudoChannel {
        let banks = spec.constraints.banks();
        PseudoChannel {
            open_rows: vec![None; banks],
            ready: ReadyTimes::new(&spec.constraints),
            reads: vec![BankQueue::new(); banks],
            writes: vec![BankQueue::new(); banks],
            wishes: vec![None; banks],
            read_count: 0,
            write_count: 0,
            writing: false,
            next_age: 0,
            next_refresh: spec.refresh.first(stagger),
            refresh_turn: 0,
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
        self.decide_at = if waits { now + spec.clock } else { Ticks::NEVER };
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

    /// The column command of the present direction.
    fn column(&self) -> Command {
        if self.writing { Command::Write } else { Command::Read }
    }

    /// The command that can come first; among those the one that is first in the order of commands, then the oldest.
    fn best_candidate(&mut self, spec: &ChannelSpec, now: Ticks) -> Option<Candidate> {
        let column = self.column();
        let queues = if self.writing { &self.writes } else { &self.reads };
        let mut best: Option<Candidate> = None;
        for (bank, queue) in queues.iter().enumerate() {
            if queue.is_empty() {
                continue;
            }
            let wish = *self.wishes[bank].get_or_insert_with(|| {
                wish(&spec.constraints, &self.ready, (bank, self.open_rows[bank]), queue, column)
            });
            let shared = self.ready.shared(&spec.constraints, wish.command, bank);
            let at = wish.ready.max(shared).max(now);
            let candidate = Candidate::new(at, wish.command, wish.age, bank, wish.place);
            if best.is_none_or(|best| candidate.key < best.key) {
                best = Some(candidate);
            }
        }
        best
    }

    fn issue(&mut self, spec: &ChannelSpec, candidate: Candidate, now: Ticks) -> Option<(Access, Ticks)> {
        let (command, bank) = (candidate.command(), candidate.bank());
        self.wishes[bank] = None;
        self.ready.issued(&spec.constraints, command, bank, now);
        match command {
            Command::Read | Command::Write => self.take_access(spec, candidate, now),
            Command::Activate => {
                self.counters.activates += 1;
                self.counters.row_misses += self.first_for(candidate);
                self.open_rows[bank] = Some(self.waiting(candidate).access.row);
                None
            }
            Command::Precharge => {
                self.counters.precharges += 1;
                self.counters.row_conflicts += self.first_for(candidate);
                self.open_rows[bank] = None;
                None
            }
            Command::RefreshAll | Command::RefreshBank => None,
        }
    }

    /// A column command: its access leaves the queue, with the moment at which its data is there.
    fn take_access(
        &mut self,
        spec: &ChannelSpec,
        candidate: Candidate,
        now: Ticks,
    ) -> Option<(Access, Ticks)> {
        let counters = &mut self.counters;
        let (queues, count, bytes, latency) = if self.writing {
            (&mut self.writes, &mut self.write_count, &mut counters.written_bytes, Ticks(0))
        } else {
            (&mut self.reads, &mut self.read_count, &mut counters.read_bytes, spec.read_latency)
        };
        let waiting = queues[candidate.bank()].remove(candidate.place())?;
        *count -= 1;
        *bytes += spec.burst_bytes;
        counters.busy_ticks += spec.burst.0;
        counters.row_hits += u64::from(!waiting.opened);
        Some((waiting.access, now + latency + spec.burst))
    }

    /// The access that a candidate serves.
    fn waiting(&mut self, candidate: Candidate) -> &mut Waiting {
        let queues = if self.writing { &mut self.writes } else { &mut self.reads };
        &mut queues[candidate.bank()][candidate.place()]
    }

    /// One for the first activate or precharge on behalf of an access, none for further ones.
    fn first_for(&mut self, candidate: Candidate) -> u64 {
        let waiting = self.waiting(candidate);
        u64::from(!std::mem::replace(&mut waiting.opened, true))
    }

    /// The refresh that is due is issued as soon as its banks are closed; refreshes that fell into idle time are only
    /// counted.
    fn refresh(&mut self, spec: &ChannelSpec, now: Ticks) {
        self.wishes.fill(None);
        while self.next_refresh + spec.refresh.duration <= now {
            self.close_for_refresh(spec);
        }
        if now < self.next_refresh {
            return;
        }
        let RefreshSpec { command, precharge, .. } = spec.refresh;
        let (ready, constraints) = (&self.ready, &spec.constraints);
        let bank = self.refresh_turn;
        let allowed = ready.of_bank(constraints, command, bank).max(ready.shared(constraints, command, bank));
        let closed = self
            .refreshed_banks(spec)
            .filter(|&bank| self.open_rows[bank].is_some())
            .map(|bank| ready.of_bank(constraints, Command::Precharge, bank) + precharge)
            .max()
            .unwrap_or_default();
        let at = self.next_refresh.max(allowed).max(closed);
        self.ready.issued(constraints, command, bank, at);
        self.close_for_refresh(spec);
    }

    /// The banks of the refresh that comes next.
    fn refreshed_banks(&self, spec: &ChannelSpec) -> Range<usize> {
        match spec.refresh.command {
            Command::RefreshBank => self.refresh_turn..self.refresh_turn + 1,
            _ => 0..self.open_rows.len(),
        }
    }

    /// A refresh leaves its banks closed; the next one is due an interval later.
    fn close_for_refresh(&mut self, spec: &ChannelSpec) {
        let banks = self.refreshed_banks(spec);
        self.open_rows[banks].fill(None);
        if spec.refresh.command == Command::RefreshBank {
            self.refresh_turn = (self.refresh_turn + 1) % self.open_rows.len();
        }
        self.next_refresh = self.next_refresh + spec.refresh.interval;
        self.counters.refreshes += 1;
    }
}

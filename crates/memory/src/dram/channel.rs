//! One pseudo-channel: requests wait, and the command that is first ready and first come is issued.

mod inspect;

use super::constraints::{Command, Constraints, ReadyTimes};
use super::pending::{PendingCommand, PendingCommands};
use super::queues::{Queued, Queues, Waiting};
use super::refresh::RefreshSpec;
use super::standard;
use serde::{Deserialize, Serialize};
use warplab_config::Ticks;
use warplab_config::gpu::Dram;
use warplab_trace::DramCounters;
use warplab_units::{SectorMask, fetch_all_ahead};

pub use inspect::{ChannelView, DramAccessView};

/// Bursts of one row to read or write, one a sector; each is a column command of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// The bank, its group included.
    pub bank: usize,
    /// The row.
    pub row: u64,
    /// Whether data is written.
    pub write: bool,
    /// The asker's own number for it; comes back when the data is there or taken.
    pub token: u64,
    /// The sectors, one burst each; they come back one at a time.
    pub sectors: SectorMask,
    /// When it arrived.
    pub at: Ticks,
}

/// The command that comes next: of those that can come first the one that is first in the order of commands, then the
/// one for the oldest access.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Candidate {
    at: Ticks,
    command: Command,
    /// Its position among the pending commands of its kind.
    position: usize,
}

/// The specification of a pseudo-channel.
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
    /// Accesses of one direction among which it chooses.
    window: usize,
    write_high: usize,
    write_low: usize,
    /// Whether a row is closed as soon as no access waits for it.
    closes_rows: bool,
}

impl ChannelSpec {
    /// The pseudo-channels of a machine, with a command clock of so many ticks.
    #[must_use]
    pub fn new(dram: &Dram, clock: Ticks) -> ChannelSpec {
        let wires = dram.channel_bits / dram.pseudo_channels;
        let burst = (dram.burst_bytes * 8).div_ceil(wires * dram.data_rate).max(1);
        let shape = (dram.bank_groups as usize, dram.banks_per_group as usize);
        let rules = standard::constraints(dram.timing_rules);
        ChannelSpec {
            constraints: Constraints::new(rules, shape, &dram.clocks, burst, clock),
            refresh: RefreshSpec::new(dram, clock),
            clock,
            read_latency: clock * u64::from(dram.clocks.cl),
            burst: clock * u64::from(burst),
            burst_bytes: u64::from(dram.burst_bytes),
            window: dram.queue as usize,
            write_high: dram.write_high as usize,
            write_low: dram.write_low as usize,
            closes_rows: dram.closes_rows,
        }
    }

    /// From a read command to the moment at which its data is there.
    pub(crate) fn data_time(&self) -> Ticks {
        self.read_latency + self.burst
    }
}

/// One pseudo-channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PseudoChannel {
    /// The open row of each bank.
    open_rows: Vec<Option<u64>>,
    ready: ReadyTimes,
    reads: Queues,
    writes: Queues,
    pending: PendingCommands,
    writing: bool,
    next_age: u64,
    next_refresh: Ticks,
    /// The rank that is being refreshed, and until when.
    refreshing: Option<(u8, Ticks)>,
    /// The rank or bank whose turn it is.
    refresh_turn: usize,
    /// No command can be issued before this moment.
    decide_at: Ticks,
    /// The command of that moment, where nothing has changed since it was found.
    found: Option<Candidate>,
    /// The moment of the last command, and a clock.
    after_command: Ticks,
    counters: DramCounters,
}

impl PseudoChannel {
    /// An idle pseudo-channel; `stagger` (0 to 1023) spreads the refreshes of different ones, and the rank or bank that is first.
    #[must_use]
    pub fn new(spec: &ChannelSpec, stagger: u64) -> PseudoChannel {
        let banks = spec.constraints.banks();
        PseudoChannel {
            open_rows: vec![None; banks],
            ready: ReadyTimes::new(&spec.constraints),
            reads: Queues::new(spec.refresh.ranks(banks), spec.window),
            writes: Queues::new(spec.refresh.ranks(banks), spec.window),
            pending: PendingCommands::default(),
            writing: false,
            next_age: 0,
            next_refresh: spec.refresh.first(stagger),
            refreshing: None,
            refresh_turn: ((stagger + 1) % spec.refresh.turns as u64) as usize,
            decide_at: Ticks::NEVER,
            found: None,
            after_command: Ticks(0),
            counters: DramCounters::default(),
        }
    }

    /// An access is announced `now`.
    pub fn push(&mut self, spec: &ChannelSpec, access: Access, now: Ticks) {
        let Access { bank, row, write, token, sectors, at } = access;
        let waiting = Waiting { row, token, sectors, at, age: self.next_age, opened: false };
        self.next_age += 1;
        let queues = if write { &mut self.writes } else { &mut self.reads };
        let is_first = queues.oldest(bank).is_none();
        let is_seen = queues.push(bank, waiting);
        if is_seen && write == self.writing {
            self.plan_for_new(spec, bank, row, is_first);
        }
        if self.found.take().is_some() && now <= self.after_command {
            self.decide_at = self.after_command;
        }
        self.decide_at = self.decide_at.min(at);
    }

    /// Fetches what the next commands will need.
    pub(crate) fn fetch(&self) {
        if self.decide_at != Ticks::NEVER {
            fetch_all_ahead(self);
            self.ready.fetch();
            self.pending.fetch();
            fetch_all_ahead(&self.open_rows[..]);
            self.queues().fetch();
        }
    }

    /// Fetches the accesses of the next commands, once [`PseudoChannel::fetch`] has brought what tells which they are.
    pub(crate) fn fetch_accesses(&self) {
        if self.decide_at != Ticks::NEVER {
            let queues = self.queues();
            queues.fetch_first();
            self.pending.places().for_each(|place| queues.fetch_access(place));
        }
    }

    /// Bursts to write that wait.
    #[must_use]
    pub fn waiting_writes(&self) -> usize {
        self.writes.len()
    }

    /// Whether fewer reads wait than the controller sees at most.
    #[must_use]
    pub(crate) fn has_time(&self, spec: &ChannelSpec) -> bool {
        self.reads.len() < spec.window
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

    /// Issues the commands before `until` up to the first column command: its moment, and what [`PseudoChannel::decide`] gives.
    #[inline(always)]
    pub(crate) fn data_before(
        &mut self,
        spec: &ChannelSpec,
        until: Ticks,
    ) -> Option<(Ticks, (Access, Ticks))> {
        while self.decide_at < until {
            let now = self.decide_at;
            if let Some(done) = self.decide(spec) {
                return Some((now, done));
            }
        }
        None
    }

    /// Issues at most one command at [`PseudoChannel::next_decision`]. A read whose column command is issued comes
    /// back with the moment at which its data is there; so does a write, whose data is taken.
    #[inline(always)]
    pub fn decide(&mut self, spec: &ChannelSpec) -> Option<(Access, Ticks)> {
        let now = self.decide_at;
        let candidate = match self.found.take() {
            Some(found) => found,
            None => self.find(spec, now)?,
        };
        let done = self.issue(spec, candidate, now);
        self.after_command = now + spec.clock;
        self.decide_at = if self.is_empty() { Ticks::NEVER } else { self.after_command };
        self.look_ahead(spec);
        done
    }

    /// The command that is issued now; none when it comes later.
    fn find(&mut self, spec: &ChannelSpec, now: Ticks) -> Option<Candidate> {
        if self.is_empty() {
            self.decide_at = Ticks::NEVER;
            return None;
        }
        if now >= self.next_refresh {
            self.refresh(spec, now);
        }
        if self.direction_changes(spec, now) {
            self.change_direction(spec);
        }
        let candidate = self.best_candidate(now)?;
        if candidate.at <= now {
            return Some(candidate);
        }
        self.decide_at = candidate.at;
        self.found = (candidate.at < self.next_refresh).then_some(candidate);
        None
    }

    /// Finds the command after one that was just issued, so that nothing need be done until its moment. Only where
    /// nothing else is done before it.
    fn look_ahead(&mut self, spec: &ChannelSpec) {
        if self.is_empty()
            || self.after_command >= self.next_refresh
            || self.direction_changes(spec, self.after_command)
        {
            return;
        }
        let next = self.best_candidate(self.after_command);
        if let Some(candidate) = next.filter(|candidate| candidate.at < self.next_refresh) {
            self.decide_at = candidate.at;
            self.found = Some(candidate);
        }
    }

    fn is_empty(&self) -> bool {
        self.reads.len() + self.writes.len() == 0
    }

    /// Whether the other direction gets its turn: writes wait until there are many of them or nothing else to do, and
    /// then go until few are left. What waits for a rank that is being refreshed does not count, unless all does.
    fn direction_changes(&self, spec: &ChannelSpec, now: Ticks) -> bool {
        let (mut reads, mut writes) = (self.reads.len(), self.writes.len());
        if let Some((rank, until)) = self.refreshing
            && now < until
        {
            let blocked = [&self.reads, &self.writes].map(|queues| queues.len_of(usize::from(rank)));
            if blocked[0] + blocked[1] < reads + writes {
                (reads, writes) = (reads - blocked[0], writes - blocked[1]);
            }
        }
        if self.writing {
            reads > 0 && writes <= spec.write_low
        } else {
            writes >= spec.write_high || reads == 0
        }
    }

    fn change_direction(&mut self, spec: &ChannelSpec) {
        self.writing = !self.writing;
        self.pending.clear();
        (0..self.open_rows.len()).for_each(|bank| self.plan(spec, bank));
        self.counters.turnarounds += 1;
    }

    /// Gives a bank without a pending command its next one: a column command for the oldest access to its open row, or
    /// else the first command towards the row of the oldest access of all.
    fn plan(&mut self, spec: &ChannelSpec, bank: usize) {
        let open_row = self.open_rows[bank];
        let column = self.column();
        let queues = self.queues_mut();
        let hit = open_row.and_then(|row| queues.oldest_of_row(bank, row));
        let Some(queued) = hit.or_else(|| queues.oldest(bank)) else { return };
        let Queued { age, at, place, .. } = queued;
        queues.fetch_access(place);
        let command = match (hit, open_row) {
            (Some(_), _) => column,
            (None, Some(_)) => Command::Precharge,
            (None, None) => Command::Activate,
        };
        let pending = PendingCommand {
            age,
            ready: self.ready.of_bank(command, bank).max(at),
            place,
            bank: bank as u16,
            group: spec.constraints.group(bank) as u16,
        };
        self.pending.add(command, pending);
    }

    /// An access to a row of a bank has come last: the bank needs something else if it needed nothing, or if it was to be
    /// closed and this row is open.
    fn plan_for_new(&mut self, spec: &ChannelSpec, bank: usize, row: u64, is_first: bool) {
        if is_first {
            self.plan(spec, bank);
        } else if self.open_rows[bank] == Some(row)
            && let Some(position) = self.pending.position(Command::Precharge, bank)
        {
            self.pending.take(Command::Precharge, position);
            self.plan(spec, bank);
        }
    }

    /// The command that can come first; among those the one that is first in the order of commands, then the oldest.
    #[inline]
    fn best_candidate(&mut self, now: Ticks) -> Option<Candidate> {
        let column = self.column();
        let mut best = Candidate { at: Ticks::NEVER, command: column, position: 0 };
        self.better_candidate(column, now, &mut best);
        self.better_candidate(Command::Activate, now, &mut best);
        self.better_candidate(Command::Precharge, now, &mut best);
        (best.at != Ticks::NEVER).then_some(best)
    }

    /// Takes a pending command of this kind if it can issue before the best so far, which wins ties.
    #[inline(always)]
    fn better_candidate(&mut self, command: Command, now: Ticks, best: &mut Candidate) {
        let earliest = self.ready.of_channel(command).max(now);
        if earliest.max(self.pending.not_before(command)) >= best.at {
            return;
        }
        let (at, position) = self.pending.first(command, self.ready.of_groups(command), earliest);
        if at < best.at {
            *best = Candidate { at, command, position };
        }
    }

    fn issue(&mut self, spec: &ChannelSpec, candidate: Candidate, now: Ticks) -> Option<(Access, Ticks)> {
        let Candidate { command, position, .. } = candidate;
        let PendingCommand { bank, place, .. } = self.pending.at(command, position);
        let (bank, place) = (usize::from(bank), place as usize);
        self.ready.issued(&spec.constraints, command, bank, now);
        match command {
            Command::Activate => {
                let (row, first) = self.open(place);
                self.counters.activates += 1;
                self.counters.row_misses += first;
                self.set_row(bank, Some(row));
                self.plan_after((command, position), self.column());
                None
            }
            Command::Precharge => {
                self.counters.precharges += 1;
                self.counters.row_conflicts += self.open(place).1;
                self.set_row(bank, None);
                self.plan_after((command, position), Command::Activate);
                None
            }
            _ => {
                let taken = self.take_access(spec, (bank, place), now);
                if self.queues_mut().is_waiting(place) {
                    // Still the oldest access to the open row.
                    let ready = self.ready.of_bank(command, bank);
                    self.pending.renew(command, position, ready);
                } else {
                    self.pending.take(command, position);
                    let admitted = self.queues_mut().admit(bank);
                    if spec.closes_rows {
                        self.close_if_idle(spec, bank);
                    }
                    self.plan(spec, bank);
                    if let Some((other, row, is_first)) = admitted.filter(|&(other, ..)| other != bank) {
                        self.plan_for_new(spec, other, row, is_first);
                    }
                }
                Some(taken)
            }
        }
    }

    /// Replaces a pending command that has issued with the next one for the same access: after an activate or precharge,
    /// which serve the oldest access of all.
    fn plan_after(&mut self, (granted, position): (Command, usize), next: Command) {
        let pending = self.pending.take(granted, position);
        let ready = self.ready.of_bank(next, usize::from(pending.bank));
        self.pending.add(next, PendingCommand { ready: pending.ready.max(ready), ..pending });
    }

    /// The column command of the present direction.
    #[inline]
    fn column(&self) -> Command {
        if self.writing { Command::Write } else { Command::Read }
    }

    /// The queues of the present direction.
    #[inline]
    fn queues(&self) -> &Queues {
        if self.writing { &self.writes } else { &self.reads }
    }

    /// The queues of the present direction, to change.
    #[inline]
    fn queues_mut(&mut self) -> &mut Queues {
        if self.writing { &mut self.writes } else { &mut self.reads }
    }

    /// A column command: its access leaves the queue, with the moment at which its data is there.
    fn take_access(
        &mut self,
        spec: &ChannelSpec,
        (bank, place): (usize, usize),
        now: Ticks,
    ) -> (Access, Ticks) {
        let counters = &mut self.counters;
        let (queues, bytes, time) = if self.writing {
            (&mut self.writes, &mut counters.written_bytes, spec.burst)
        } else {
            (&mut self.reads, &mut counters.read_bytes, spec.data_time())
        };
        let Waiting { row, token, sectors, at, opened, .. } = queues.take(bank, place);
        *bytes += spec.burst_bytes;
        counters.busy_ticks += spec.burst.0;
        counters.row_hits += u64::from(!opened);
        (Access { bank, row, write: self.writing, token, sectors, at }, now + time)
    }

    /// A column command was the last for its row, unless another access waits for it: the bank closes it by itself
    /// (auto-precharge), which takes no command.
    fn close_if_idle(&mut self, spec: &ChannelSpec, bank: usize) {
        let Some(row) = self.open_rows[bank] else { return };
        let waits = |queues: &mut Queues| queues.oldest_of_row(bank, row).is_some();
        if waits(&mut self.reads) || waits(&mut self.writes) {
            return;
        }
        let at = self.ready.of_bank(Command::Precharge, bank);
        self.ready.issued(&spec.constraints, Command::Precharge, bank, at);
        self.counters.precharges += 1;
        self.set_row(bank, None);
    }

    /// Another row of a bank is open, or none.
    fn set_row(&mut self, bank: usize, row: Option<u64>) {
        self.open_rows[bank] = row;
        self.reads.row_changes(bank);
        self.writes.row_changes(bank);
    }

    /// An activate or precharge for an access: its row, and one if it is the first for it, else nothing.
    fn open(&mut self, place: usize) -> (u64, u64) {
        let waiting = self.queues_mut().waiting_mut(place);
        (waiting.row, u64::from(!std::mem::replace(&mut waiting.opened, true)))
    }

    /// The refresh that is due is issued as soon as its banks are closed; refreshes that fell into idle time are only
    /// counted.
    #[cold]
    fn refresh(&mut self, spec: &ChannelSpec, now: Ticks) {
        while self.next_refresh + spec.refresh.duration <= now {
            self.close_for_refresh(spec);
        }
        if now < self.next_refresh {
            return;
        }
        let RefreshSpec { command, precharge, .. } = spec.refresh;
        let constraints = &spec.constraints;
        let banks = || spec.refresh.banks_of(self.refresh_turn, self.open_rows.len());
        let allowed = |bank| {
            let ready = &self.ready;
            let allowed = ready.of_bank(command, bank).max(ready.shared(constraints, command, bank));
            let is_open = self.open_rows[bank].is_some();
            let closed = is_open.then(|| ready.of_bank(Command::Precharge, bank) + precharge);
            allowed.max(closed.unwrap_or_default())
        };
        let at = banks().map(allowed).fold(self.next_refresh, Ticks::max);
        banks().for_each(|bank| self.ready.issued(constraints, command, bank, at));
        let whole_rank = command == Command::RefreshAll && spec.refresh.turns > 1;
        self.refreshing = whole_rank.then_some((self.refresh_turn as u8, at + spec.refresh.duration));
        self.close_for_refresh(spec);
    }

    /// A refresh leaves its banks closed; the next one is due an interval later.
    fn close_for_refresh(&mut self, spec: &ChannelSpec) {
        for bank in spec.refresh.banks_of(self.refresh_turn, self.open_rows.len()) {
            self.set_row(bank, None);
            self.pending.withdraw(bank);
            self.plan(spec, bank);
        }
        self.refresh_turn = (self.refresh_turn + 1) % spec.refresh.turns;
        self.next_refresh = self.next_refresh + spec.refresh.interval;
        self.counters.refreshes += 1;
    }
}

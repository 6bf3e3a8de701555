//! One memory partition: some L2 slices and the DRAM channel behind them.

mod inspect;

use crate::dram::{Access, ChannelSpec, DramMap, PseudoChannel};
use crate::fifo::Fifo;
use crate::l2::{DramRequest, DramTakes, L2Spec, Slice, SliceOutput};
use crate::map::AddressMap;
use crate::message::{Credit, HalfContent, HalfMessage, Line, Reply, Request};
use serde::{Deserialize, Serialize};
use warplab_config::{GpuConfig, TICKS_PER_CYCLE, Ticks};
use warplab_trace::PartitionCounters;
use warplab_units::{Address, Cycle, LINE_BYTES, PartitionId, SectorMask, TypedId, fetch_all_ahead};

pub use inspect::PartitionView;

/// Data under way from DRAM to a slice, one sector; ordered by time, then line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Fill {
    at: Ticks,
    line: Address,
    sectors: SectorMask,
}

/// No data comes back.
const NO_FILL: (Ticks, Address) = (Ticks::NEVER, Address(0));

/// When each unit that acts on a slice does something next.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Agenda {
    /// The first data that comes back from each pseudo-channel: its moment and line.
    fills: Vec<(Ticks, Address)>,
    /// The first of these, and its pseudo-channel.
    fill: ((Ticks, Address), usize),
    /// The first message of the other half.
    message: Ticks,
    /// The first look-up of each slice.
    look_ups: Vec<Ticks>,
}

impl Agenda {
    /// Nothing to do.
    fn new(spec: &PartitionSpec) -> Agenda {
        Agenda {
            fills: vec![NO_FILL; spec.channels as usize],
            fill: (NO_FILL, 0),
            message: Ticks::NEVER,
            look_ups: vec![Ticks::NEVER; spec.slices as usize],
        }
    }

    fn set_fill(&mut self, channel: usize, first: Option<&Fill>) {
        self.fills[channel] = first.map_or(NO_FILL, |fill| (fill.at, fill.line));
        self.fill = (NO_FILL, 0);
        for (channel, &fill) in self.fills.iter().enumerate() {
            if fill < self.fill.0 {
                self.fill = (fill, channel);
            }
        }
    }

    fn set_message(&mut self, first: Option<&HalfMessage>) {
        self.message = first.map_or(Ticks::NEVER, |message| Ticks::from(message.at));
    }

    fn set_look_up(&mut self, slice: usize, at: Ticks) {
        self.look_ups[slice] = at;
    }

    /// The one thing that happens next, and when. At one moment data comes back, the lower line first, then a message
    /// comes, then each slice looks up a request.
    #[inline]
    fn next(&self) -> (Ticks, Next) {
        let ((mut at, _), channel) = self.fill;
        let mut next = Next::Fill(channel);
        if self.message < at {
            (at, next) = (self.message, Next::Message);
        }
        for (slice, &look_up) in self.look_ups.iter().enumerate() {
            if look_up < at {
                (at, next) = (look_up, Next::LookUp(slice));
            }
        }
        (at, next)
    }

    /// Before this moment nothing happens but to a slice.
    #[inline]
    fn apart_from(&self, slice: usize) -> Ticks {
        let others = self.look_ups.iter().enumerate().filter(|&(other, _)| other != slice);
        others.fold(self.fill.0.0.min(self.message), |first, (_, &look_up)| first.min(look_up))
    }
}

/// What happens next to a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Data of a pseudo-channel comes back.
    Fill(usize),
    /// A message of the other half comes.
    Message,
    /// A slice looks up a request.
    LookUp(usize),
}

/// The specification of a memory partition.
#[derive(Clone, Debug)]
pub struct PartitionSpec {
    map: AddressMap,
    dram_map: DramMap,
    l2: L2Spec,
    channel: ChannelSpec,
    slices: u32,
    channels: u32,
    /// Waiting writes of one pseudo-channel at which the slices must wait.
    write_limit: usize,
    /// Steps by which a partition is refreshed later than the one before it, and a pseudo-channel likewise.
    refresh_stagger: [u64; 2],
    /// Steps by which the stack of each partition is refreshed later.
    stack_phases: Vec<u64>,
}

impl PartitionSpec {
    /// The partitions of a machine.
    #[must_use]
    pub fn new(config: &GpuConfig) -> PartitionSpec {
        PartitionSpec {
            map: AddressMap::new(config),
            dram_map: DramMap::new(&config.dram),
            l2: L2Spec::new(config),
            channel: ChannelSpec::new(&config.dram, config.dram_cycle()),
            slices: config.l2.slices_per_channel,
            channels: config.dram.pseudo_channels,
            write_limit: config.dram.queue as usize,
            refresh_stagger: [config.dram.refresh_partition_stagger, config.dram.refresh_channel_stagger]
                .map(u64::from),
            stack_phases: stack_phases(&config.dram.stack_refresh_phases, config.partitions()),
        }
    }
}

/// The phase of each partition's stack: stacks have as many partitions each, which follow each other.
fn stack_phases(phases: &[u32], partitions: usize) -> Vec<u64> {
    let stack = |partition: usize| partition * phases.len() / partitions;
    (0..partitions).map(|partition| phases.get(stack(partition)).map_or(0, |&phase| phase.into())).collect()
}

/// What a partition has sent.
#[derive(Clone, Debug, Default)]
pub struct PartitionOutput {
    /// To SMs.
    pub replies: Vec<Reply>,
    /// To the partition of the same number in the other half.
    pub to_other_half: Vec<HalfMessage>,
    /// To SMs: which of their requests have been taken.
    pub credits: Vec<Credit>,
}

/// One memory partition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Partition {
    slices: Vec<Slice>,
    channels: Vec<PseudoChannel>,
    /// For each pseudo-channel, which answers in order.
    fills: Vec<Fifo<Fill>>,
    /// Data and invalidations that come from the other half, in order of arrival.
    messages: Fifo<HalfMessage>,
    wanted: Vec<DramRequest>,
    agenda: Agenda,
    counters: PartitionCounters,
    /// Data that comes before this moment comes in the present epoch, for which nothing more is fetched ahead.
    #[serde(skip)]
    epoch_end: Ticks,
}

impl Partition {
    /// An idle partition with cold caches.
    #[must_use]
    pub fn new(spec: &PartitionSpec, id: PartitionId) -> Partition {
        let [of_partition, of_channel] = spec.refresh_stagger;
        let of_stack = spec.stack_phases.get(id.index()).copied().unwrap_or_default();
        let stagger =
            |channel: u32| of_stack + u64::from(id.0) * of_partition + u64::from(channel) * of_channel;
        Partition {
            slices: (0..spec.slices).map(|_| Slice::new(&spec.l2, id)).collect(),
            channels: (0..spec.channels)
                .map(|channel| PseudoChannel::new(&spec.channel, stagger(channel)))
                .collect(),
            fills: vec![Fifo::default(); spec.channels as usize],
            messages: Fifo::default(),
            wanted: Vec::new(),
            agenda: Agenda::new(spec),
            counters: PartitionCounters::default(),
            epoch_end: Ticks(0),
        }
    }

    /// A request arrives; requests of one partition must come in order of arrival.
    #[inline]
    pub fn push(&mut self, spec: &PartitionSpec, request: Request) {
        self.counters.l2_requests.enters(request.at.0);
        let slice = spec.map.slice_of(request.local_line);
        if self.slices[slice].push(&spec.l2, request) {
            self.agenda.set_look_up(slice, self.slices[slice].next_event());
        }
    }

    /// A line at home here that somebody else wrote is in L2 from before.
    pub fn leave_dirty(&mut self, spec: &PartitionSpec, line: Address) {
        let local_line = spec.map.local_line(line);
        self.slices[spec.map.slice_of(local_line)].leave_dirty(line, local_line);
    }

    /// A message of the partition of the same number in the other half arrives; they must come in order of arrival.
    pub fn push_message(&mut self, spec: &PartitionSpec, message: HalfMessage) {
        let HalfContent::Request(request) = message.content else {
            self.messages.push(message);
            self.agenda.set_message(self.messages.first());
            return;
        };
        self.counters.l2_requests.enters(request.at.0);
        let slice = spec.map.slice_of(request.local_line);
        if self.slices[slice].push_far(request) {
            self.agenda.set_look_up(slice, self.slices[slice].next_event());
        }
    }

    /// The first cycle in which something can happen, if anything is under way.
    #[must_use]
    pub fn next_event(&self) -> Option<Cycle> {
        let next = self.agenda.next().0.min(self.next_command());
        (next != Ticks::NEVER).then_some(Cycle(next.0 / TICKS_PER_CYCLE))
    }

    /// Lines that its slices hold at most.
    #[must_use]
    pub fn l2_capacity(&self) -> u64 {
        self.slices.iter().map(|slice| slice.cache().capacity()).sum()
    }

    /// Lines that its slices hold now.
    #[must_use]
    pub fn l2_lines(&self) -> u64 {
        self.slices.iter().map(|slice| slice.cache().count_lines()).sum()
    }

    /// Bytes that DRAM has read and written since the counters were last taken.
    #[must_use]
    pub fn dram_bytes(&self) -> u64 {
        self.channels
            .iter()
            .map(|channel| channel.counters().read_bytes + channel.counters().written_bytes)
            .sum()
    }

    /// Whether nothing waits and nothing is under way.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.fills.iter().all(|fills| fills.is_empty())
            && self.messages.is_empty()
            && self.slices.iter().all(Slice::is_idle)
    }

    /// What has been counted since the last [`Partition::take_counters`].
    #[must_use]
    pub fn counters(&self) -> PartitionCounters {
        let mut counters = self.counters.clone();
        for channel in &self.channels {
            counters.dram += channel.counters();
        }
        counters
    }

    /// What has been counted since the last call; the next launch starts anew.
    pub fn take_counters(&mut self) -> PartitionCounters {
        let mut counters = PartitionCounters {
            l2: std::mem::take(&mut self.counters.l2),
            dram: std::mem::take(&mut self.counters.dram),
            l2_requests: self.counters.l2_requests.take(),
            dram_requests: self.counters.dram_requests.take(),
        };
        for channel in &mut self.channels {
            counters.dram += &channel.take_counters();
        }
        counters
    }

    /// Fetches what the slices will need for what has come to them: `arrived` requests of SMs and of the other half.
    pub fn fetch_for(&mut self, spec: &PartitionSpec, until: Cycle, arrived: [usize; 2]) {
        fetch_all_ahead(&self.slices[..]);
        self.channels.iter().for_each(PseudoChannel::fetch);
        let start = self.epoch_end.to_cycle();
        self.slices.iter_mut().for_each(|slice| slice.expect(start, arrived));
        let due = self.messages.iter().take_while(|message| message.at < until);
        let data = due.filter_map(|message| match message.content {
            HalfContent::Data(line, _) | HalfContent::Invalidate(line) => Some(line),
            HalfContent::Request(_) => None,
        });
        self.for_fills(spec, Slice::fetch_slots);
        let slice_of = |line: Line| &self.slices[spec.map.slice_of(line.local)];
        data.clone().for_each(|line| slice_of(line).fetch_far_slots(line));
        self.slices.iter().for_each(|slice| slice.fetch_for_requests(until));
        self.for_fills(spec, Slice::fetch_entries);
        data.for_each(|line| slice_of(line).fetch_far_entries(line));
        self.for_fills(spec, Slice::fetch_place);
        self.channels.iter().for_each(PseudoChannel::fetch_accesses);
    }

    /// Fetches what the slices will need for the data that comes back.
    #[inline(always)]
    fn for_fills(&self, spec: &PartitionSpec, fetch: impl Fn(&Slice, Address)) {
        for fills in &self.fills {
            // Sectors of a line mostly come one after another, or by turns with those of another.
            let mut last = [None; 2];
            for &Fill { line, .. } in fills.iter() {
                if !last.contains(&Some(line)) {
                    fetch(&self.slices[spec.map.slice(line)], line);
                    last = [last[1], Some(line)];
                }
            }
        }
    }

    /// Everything that happens before `until`; replies carry the moment of their departure. The slices go ahead of the
    /// pseudo-channels as long as nothing that these have still to do can matter to them, so that each does much at once.
    pub fn advance(&mut self, spec: &PartitionSpec, until: Cycle, output: &mut PartitionOutput) {
        let until = Ticks::from(until);
        self.epoch_end = until;
        loop {
            let settled = self.settled(spec).min(until);
            if self.act_until(spec, settled, output) {
                continue;
            }
            if self.next_command() >= settled {
                return;
            }
            (0..self.channels.len()).for_each(|channel| self.issue(spec, channel, settled));
        }
    }

    /// Everything that happens to slices before `settled`, up to the first thing that asks something of DRAM; whether
    /// that was so.
    fn act_until(&mut self, spec: &PartitionSpec, settled: Ticks, output: &mut PartitionOutput) -> bool {
        loop {
            let (mut now, next) = self.agenda.next();
            if now >= settled {
                return false;
            }
            match next {
                Next::Fill(channel) => self.fill(spec, channel, output),
                Next::Message => self.take_message(spec, output),
                Next::LookUp(slice) => now = self.look_up(spec, slice, (now, settled), output),
            }
            if !self.wanted.is_empty() {
                self.ask_dram(spec, now);
                return true;
            }
        }
    }

    /// When the next command may be issued.
    fn next_command(&self) -> Ticks {
        self.channels.iter().map(PseudoChannel::next_decision).min().unwrap_or(Ticks::NEVER)
    }

    /// Before this moment no command that has not been issued matters to a slice: its data comes later. A pseudo-channel
    /// that takes no writes may take some after its next command, which comes after everything else of its moment.
    fn settled(&self, spec: &PartitionSpec) -> Ticks {
        let of_channel = |channel: &PseudoChannel| {
            let next = channel.next_decision();
            match next {
                Ticks::NEVER => next,
                _ if channel.waiting_writes() >= spec.write_limit => next + Ticks(1),
                _ => next + spec.channel.data_time(),
            }
        };
        self.channels.iter().map(of_channel).min().unwrap_or(Ticks::NEVER)
    }

    fn fill(&mut self, spec: &PartitionSpec, channel: usize, output: &mut PartitionOutput) {
        let Some(fill) = self.fills[channel].pop() else { return };
        self.agenda.set_fill(channel, self.fills[channel].first());
        self.bring_to_slice(spec.map.slice(fill.line), output, |slice, output| {
            slice.fill(&spec.l2, fill.line, fill.sectors, fill.at, output);
        });
    }

    fn take_message(&mut self, spec: &PartitionSpec, output: &mut PartitionOutput) {
        let Some(message) = self.messages.pop() else { return };
        self.agenda.set_message(self.messages.first());
        match message.content {
            HalfContent::Data(line, sectors) => {
                let arrival = (message.at, self.dram_takes(spec));
                self.bring_to_slice(spec.map.slice_of(line.local), output, |slice, output| {
                    slice.fill_copy(&spec.l2, line, sectors, arrival, output);
                });
            }
            HalfContent::Invalidate(line) => {
                self.slices[spec.map.slice_of(line.local)].invalidate_copy(line);
            }
            HalfContent::Request(_) => {}
        }
    }

    /// Which lines DRAM takes now.
    #[inline]
    fn dram_takes(&self, spec: &PartitionSpec) -> DramTakes {
        if self.channels.iter().any(|channel| channel.waiting_writes() >= spec.write_limit) {
            return DramTakes::Nothing;
        }
        let has_time = self.channels.iter().any(|channel| channel.has_time(&spec.channel));
        if has_time { DramTakes::Early } else { DramTakes::Victims }
    }

    /// A slice looks up a request, and those after it as long as nothing else happens before `settled` and nothing is asked
    /// of DRAM. When it looked up the last one.
    fn look_up(
        &mut self,
        spec: &PartitionSpec,
        number: usize,
        (mut now, settled): (Ticks, Ticks),
        output: &mut PartitionOutput,
    ) -> Ticks {
        let end = self.agenda.apart_from(number).min(settled);
        let takes = self.dram_takes(spec);
        let mut next = now;
        self.with_slice(number, output, |slice, output| {
            loop {
                slice.step(&spec.l2, now, takes, output);
                next = slice.next_event();
                if next >= end || !output.dram.is_empty() {
                    break;
                }
                now = next;
            }
        });
        self.agenda.set_look_up(number, next);
        now
    }

    /// Brings data to a slice, which may let it look up what it could not.
    #[inline(always)]
    fn bring_to_slice(
        &mut self,
        slice: usize,
        output: &mut PartitionOutput,
        act: impl FnOnce(&mut Slice, &mut SliceOutput<'_>),
    ) {
        self.with_slice(slice, output, act);
        // Data that leaves keeps the port busy, and what was blocked may try again.
        self.agenda.set_look_up(slice, self.slices[slice].next_event());
    }

    /// Lets a slice act.
    #[inline(always)]
    fn with_slice(
        &mut self,
        slice: usize,
        output: &mut PartitionOutput,
        act: impl FnOnce(&mut Slice, &mut SliceOutput<'_>),
    ) {
        let mut of_slice = SliceOutput {
            replies: &mut output.replies,
            to_other_half: &mut output.to_other_half,
            credits: &mut output.credits,
            dram: &mut self.wanted,
            counters: &mut self.counters.l2,
            queue: &mut self.counters.l2_requests,
        };
        act(&mut self.slices[slice], &mut of_slice);
    }

    /// The commands of a pseudo-channel before `until`.
    fn issue(&mut self, spec: &PartitionSpec, channel: usize, until: Ticks) {
        if self.channels[channel].next_decision() >= until {
            return;
        }
        loop {
            let was_full = self.channels[channel].waiting_writes() >= spec.write_limit;
            let Some((now, (access, done))) = self.channels[channel].data_before(&spec.channel, until) else {
                break;
            };
            if was_full && self.channels[channel].waiting_writes() < spec.write_limit {
                self.unblock(now);
            }
            if access.write {
                continue;
            }
            self.counters.dram_requests.leaves(whole_cycles(done), whole_cycles(access.at));
            let line = Address(access.token * LINE_BYTES);
            if done < self.epoch_end {
                self.fetch_for_fill(spec, channel, line);
            }
            let fills = &mut self.fills[channel];
            let is_first = fills.is_empty();
            fills.push(Fill { at: done, line, sectors: access.sectors });
            if is_first {
                self.agenda.set_fill(channel, fills.first());
            }
        }
    }

    /// Fetches what data needs that comes from a pseudo-channel before the epoch ends: what is known of its line, and the
    /// place of the line before it, of which that is there by now.
    fn fetch_for_fill(&self, spec: &PartitionSpec, channel: usize, line: Address) {
        // Sectors of a line mostly come one after another, or by turns with those of another.
        if self.fills[channel].iter().rev().take(2).any(|fill| fill.line == line) {
            return;
        }
        self.slices[spec.map.slice(line)].fetch_entries(line);
        if let Some(before) = self.fills[channel].last() {
            self.slices[spec.map.slice(before.line)].fetch_place(before.line);
        }
    }

    /// DRAM takes writes again.
    fn unblock(&mut self, now: Ticks) {
        for (number, slice) in self.slices.iter_mut().enumerate() {
            slice.unblock(now);
            self.agenda.set_look_up(number, slice.next_event());
        }
    }

    /// Gives what the slices want to the pseudo-channels, a burst a sector. Their commands of earlier moments come first.
    fn ask_dram(&mut self, spec: &PartitionSpec, now: Ticks) {
        let mut wanted = std::mem::take(&mut self.wanted);
        for &DramRequest { line, local_line, sectors, write, at } in &wanted {
            let place = spec.dram_map.place(local_line);
            if !write {
                self.counters.dram_requests.enter_together(whole_cycles(at), u64::from(sectors.count()));
            }
            let token = line.0 / LINE_BYTES;
            let access = Access { bank: place.bank, row: place.row, write, token, sectors, at };
            self.issue(spec, place.pseudo_channel, now);
            self.channels[place.pseudo_channel].push(&spec.channel, access, now);
        }
        wanted.clear();
        self.wanted = wanted;
    }
}

/// The cycle in which a moment falls.
fn whole_cycles(moment: Ticks) -> u64 {
    moment.0 / TICKS_PER_CYCLE
}

#[cfg(test)]
mod tests;

//! One memory partition: some level-two slices and the DRAM channel behind them.

use crate::dram::{Access, DramMap, PseudoChannel};
use crate::map::AddressMap;
use crate::message::{Reply, Request};
use crate::slice::{DramRequest, Slice, SliceOutput};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use warplab_config::{GpuConfig, TICKS_PER_CYCLE, Ticks};
use warplab_trace::PartitionCounters;
use warplab_units::{Address, Cycle, LINE_BYTES, PartitionId, SectorMask};

/// Data under way from DRAM to a slice; ordered by time, then line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fill {
    at: Ticks,
    line: Address,
    sector: u32,
}

/// One memory partition.
#[derive(Debug)]
pub struct Partition {
    map: AddressMap,
    dram_map: DramMap,
    slices: Vec<Slice>,
    channels: Vec<PseudoChannel>,
    fills: BinaryHeap<Reverse<Fill>>,
    wanted: Vec<DramRequest>,
    write_limit: usize,
    counters: PartitionCounters,
}

impl Partition {
    /// An idle partition with cold caches.
    #[must_use]
    pub fn new(config: &GpuConfig, id: PartitionId) -> Partition {
        let clock = config.dram_cycle();
        Partition {
            map: AddressMap::new(config),
            dram_map: DramMap::new(&config.dram),
            slices: (0..config.l2.slices_per_channel).map(|_| Slice::new(config, id)).collect(),
            channels: (0..u64::from(config.dram.pseudo_channels))
                .map(|channel| PseudoChannel::new(&config.dram, clock, u64::from(id.0) * 37 + channel * 509))
                .collect(),
            fills: BinaryHeap::new(),
            wanted: Vec::new(),
            write_limit: config.dram.queue as usize,
            counters: PartitionCounters::default(),
        }
    }

    /// A request arrives; requests of one partition must come in order of arrival.
    pub fn push(&mut self, request: Request) {
        self.counters.l2_requests.enters(request.at.0);
        self.slices[self.map.slice(request.line)].push(request);
    }

    /// The first cycle in which something can happen, if anything is under way.
    #[must_use]
    pub fn next_event(&self) -> Option<Cycle> {
        let next = self.next_tick();
        (next != Ticks::NEVER).then_some(Cycle(next.0 / TICKS_PER_CYCLE))
    }

    /// Whether nothing waits and nothing is under way.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.fills.is_empty() && self.slices.iter().all(Slice::is_idle)
    }

    /// What has been counted so far.
    #[must_use]
    pub fn counters(&self) -> PartitionCounters {
        let mut counters = self.counters.clone();
        for channel in &self.channels {
            counters.dram += channel.counters();
        }
        counters
    }

    /// Everything that happens before `until`; replies carry the moment of their departure.
    pub fn advance(&mut self, until: Cycle, replies: &mut Vec<Reply>) {
        let until = Ticks::from(until);
        while self.next_tick() < until {
            self.step(replies);
        }
    }

    fn next_tick(&self) -> Ticks {
        let slices = self.slices.iter().map(Slice::next_event);
        let channels = self.channels.iter().map(PseudoChannel::next_decision);
        let fill = self.fills.peek().map_or(Ticks::NEVER, |fill| fill.0.at);
        slices.chain(channels).chain([fill]).min().unwrap_or(Ticks::NEVER)
    }

    /// The one thing that happens next: data comes back, else a request is looked up, else DRAM issues a command.
    fn step(&mut self, replies: &mut Vec<Reply>) {
        let now = self.next_tick();
        if self.fills.peek().is_some_and(|fill| fill.0.at == now) {
            self.fill(replies);
        } else if let Some(slice) = self.slices.iter().position(|slice| slice.next_event() == now) {
            self.look_up(slice, replies);
        } else if let Some(channel) = self.channels.iter().position(|channel| channel.next_decision() == now)
        {
            self.command(channel);
        }
        self.ask_dram();
    }

    fn fill(&mut self, replies: &mut Vec<Reply>) {
        let Some(Reverse(fill)) = self.fills.pop() else { return };
        let slice = self.map.slice(fill.line);
        let set = self.map.local_line(fill.line);
        let mut output = SliceOutput {
            replies,
            dram: &mut self.wanted,
            counters: &mut self.counters.l2,
            queue: &mut self.counters.l2_requests,
        };
        self.slices[slice].fill(fill.line, set, SectorMask::single(fill.sector), fill.at, &mut output);
    }

    fn look_up(&mut self, slice: usize, replies: &mut Vec<Reply>) {
        let writes_allowed = self.channels.iter().all(|channel| channel.waiting_writes() < self.write_limit);
        let map = self.map;
        let mut output = SliceOutput {
            replies,
            dram: &mut self.wanted,
            counters: &mut self.counters.l2,
            queue: &mut self.counters.l2_requests,
        };
        self.slices[slice].step(|line| map.local_line(line), writes_allowed, &mut output);
    }

    fn command(&mut self, channel: usize) {
        let was_full = self.channels[channel].waiting_writes() >= self.write_limit;
        let Some((access, done)) = self.channels[channel].decide() else { return };
        if was_full && self.channels[channel].waiting_writes() < self.write_limit {
            self.slices.iter_mut().for_each(Slice::unblock);
        }
        if access.write {
            return;
        }
        self.counters.dram_requests.leaves(whole_cycles(done), whole_cycles(access.at));
        let line = Address(access.token / 4 * LINE_BYTES);
        self.fills.push(Reverse(Fill { at: done, line, sector: (access.token % 4) as u32 }));
    }

    /// Gives what the slices want to the pseudo-channels, a burst a sector.
    fn ask_dram(&mut self) {
        for wanted in self.wanted.drain(..) {
            let local_line = self.map.local_line(wanted.line);
            let place = self.dram_map.place(local_line);
            for sector in (0..4).filter(|&sector| wanted.sectors.contains(SectorMask::single(sector))) {
                let token = wanted.line.0 / LINE_BYTES * 4 + u64::from(sector);
                let access =
                    Access { bank: place.bank, row: place.row, write: wanted.write, token, at: wanted.at };
                if !access.write {
                    self.counters.dram_requests.enters(whole_cycles(access.at));
                }
                self.channels[place.pseudo_channel].push(access);
            }
        }
    }
}

/// The cycle in which a moment falls.
fn whole_cycles(moment: Ticks) -> u64 {
    moment.0 / TICKS_PER_CYCLE
}

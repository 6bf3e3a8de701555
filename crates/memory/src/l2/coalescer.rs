//! The L2 request coalescer in front of a slice: what one SM reads while the same sectors are on their way to a neighbour
//! comes with the neighbour's reply.

use crate::fifo::Fifo;
use crate::line_table::LineTable;
use crate::message::Request;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;
use warplab_config::GpuConfig;
use warplab_units::{Address, Cycle, SectorMask, SmId, TypedId};

/// Which SMs are neighbours, and how many a reply goes to.
#[derive(Clone, Debug)]
pub(crate) struct CoalescerSpec {
    /// The cluster of each SM.
    cluster_of_sm: Arc<[u16]>,
    most: u32,
}

impl CoalescerSpec {
    /// That of a machine, if it has coalescers.
    pub(crate) fn new(config: &GpuConfig) -> Option<CoalescerSpec> {
        let most = config.l2.coalescer_sms?;
        Some(CoalescerSpec { cluster_of_sm: config.cluster_of_sm().into(), most })
    }

    fn cluster(&self, request: &Request) -> u16 {
        self.cluster_of_sm[request.sm.index()]
    }

    /// A read whose reply leaves at `left`, that nobody has been added to.
    fn lead(&self, request: &Request, left: Cycle) -> Lead {
        let Request { sm, sectors, .. } = *request;
        Lead { cluster: self.cluster(request), sm, sectors, left, askers: 1, closed: false }
    }
}

/// What a request for a line may be added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coalesced {
    /// The reply that leaves at this moment.
    Reply(Cycle),
    /// A request that waits for data.
    Waiting,
    /// A request of the same SM: it need not be looked up, but a reply of its own passes the port (measured: shares/coalesce.txt,
    /// same_gpcs1), behind the other.
    Own(Cycle),
}

/// A read of a cluster that went to the slice, the first of its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Lead {
    cluster: u16,
    /// Who asked last.
    sm: SmId,
    sectors: SectorMask,
    /// When the reply leaves; never while it waits for data.
    left: Cycle,
    /// SMs that the reply goes to.
    askers: u32,
    /// Whether other sectors of the line were asked for: no more requests are added.
    closed: bool,
}

/// The reads of one line, in the order in which they went to the slice: mostly one cluster has asked for a line, once.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Leads {
    first: Option<Lead>,
    /// Those after it.
    rest: SmallVec<[Lead; 1]>,
}

impl Leads {
    /// The first that is the right one.
    #[inline]
    fn find(&mut self, is_right: impl Fn(&Lead) -> bool) -> Option<&mut Lead> {
        match &mut self.first {
            Some(first) if is_right(first) => Some(first),
            _ => self.rest.iter_mut().find(|lead| is_right(lead)),
        }
    }

    /// Opens a read to merging at a moment, in place of the one before, unless a closed request for the same line is in flight.
    #[inline]
    fn open(&mut self, at: Cycle, lead: Lead) {
        if let Some(before) = self.find(|other| other.cluster == lead.cluster) {
            if !before.closed || at >= before.left {
                *before = lead;
            }
        } else if self.first.is_none() {
            self.first = Some(lead);
        } else {
            self.rest.push(lead);
        }
    }

    /// Forgets those whose replies have left `now`; whether any are there still.
    #[inline]
    fn forget(&mut self, now: Cycle) -> bool {
        self.first = self.first.filter(|lead| lead.left > now);
        if !self.rest.is_empty() {
            self.rest.retain(|lead| lead.left > now);
            if self.first.is_none() && !self.rest.is_empty() {
                self.first = Some(self.rest.remove(0));
            }
        }
        self.first.is_some()
    }
}

/// The coalescer of one slice.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Coalescer {
    leads: LineTable<Leads>,
    /// Reads whose reply leaves, as they were answered.
    leaving: Fifo<(Cycle, Address)>,
}

impl Coalescer {
    /// Fetches where a line is to be found.
    pub(crate) fn fetch_slot(&self, line: Address) {
        self.leads.fetch_slot(line);
    }

    /// Fetches what is known of a line.
    pub(crate) fn fetch_entry(&self, line: Address) {
        self.leads.fetch_entry(line);
    }

    /// The lines of reads whose replies leave before `until`.
    pub(crate) fn leaving(&self, until: Cycle) -> impl Iterator<Item = Address> + Clone {
        self.leaving.iter().take_while(move |(left, _)| *left < until).map(|&(_, line)| line)
    }

    /// What a request may be added to; none where the slice has to be asked.
    pub(crate) fn follow(&mut self, spec: &CoalescerSpec, request: &Request) -> Option<Coalesced> {
        let cluster = spec.cluster(request);
        let leads = self.leads.get_mut(request.line)?;
        let lead = leads.find(|lead| lead.cluster == cluster && request.at < lead.left)?;
        lead.closed |= lead.sectors != request.sectors;
        if lead.closed || lead.askers >= spec.most {
            return None;
        }
        lead.askers += 1;
        let is_own = std::mem::replace(&mut lead.sm, request.sm) == request.sm;
        Some(match lead.left {
            Cycle::NEVER => Coalesced::Waiting,
            left if is_own => Coalesced::Own(left),
            left => Coalesced::Reply(left),
        })
    }

    /// The slice has looked up a read, which waits for data.
    pub(crate) fn waits(&mut self, spec: &CoalescerSpec, request: &Request) {
        self.leads.get_or_insert(request.line).open(request.at, spec.lead(request, Cycle::NEVER));
    }

    /// The reply of a read leaves at `left`. What it asked for was there when it came, or has passed the port at `came`.
    pub(crate) fn answered(
        &mut self,
        spec: &CoalescerSpec,
        request: &Request,
        came: Option<Cycle>,
        left: Cycle,
    ) {
        let lead = spec.lead(request, left);
        let has_waited = |other: &Lead| {
            other.cluster == lead.cluster && other.sectors == lead.sectors && other.left == Cycle::NEVER
        };
        let leads = self.leads.get_or_insert(request.line);
        match leads.find(has_waited) {
            Some(waited) => waited.left = left,
            None => leads.open(came.unwrap_or(request.at), lead),
        }
        self.leaving.push((left, request.line));
    }

    /// Whether replies leave that have to be forgotten some time.
    #[inline]
    pub(crate) fn has_answered(&self) -> bool {
        !self.leaving.is_empty()
    }

    /// Forgets the reads whose replies have left: no later than the first of the requests arrived that wait still, and than
    /// everything that happens from now on.
    pub(crate) fn forget(&mut self, now: Cycle) {
        while let Some(&(left, line)) = self.leaving.first()
            && left <= now
        {
            self.leaving.pop();
            self.leads.change(line, |leads| ((), leads.forget(now)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Coalesced, Coalescer, CoalescerSpec};
    use crate::message::Request;
    use crate::testing::{read, toy};
    use warplab_units::{Cycle, SmId};

    /// Clusters of four SMs; a reply goes to two of them.
    fn spec() -> CoalescerSpec {
        let mut config = toy();
        (config.limits.multiprocessors, config.crossbar.sms_per_cluster) = (8, 4);
        config.l2.coalescer_sms = Some(2);
        CoalescerSpec::new(&config).unwrap()
    }

    /// An SM reads sectors of line 0.
    fn read_by(sm: u16, sectors: u8, at: u64) -> Request {
        Request { sm: SmId(sm), ..read(0, 0, sectors, at) }
    }

    /// A coalescer whose first read, of SM 0 at 100, is answered at 120.
    fn answered() -> Coalescer {
        let mut coalescer = Coalescer::default();
        coalescer.answered(&spec(), &read_by(0, 0b0011, 100), None, Cycle(120));
        coalescer
    }

    #[test]
    fn a_read_of_a_neighbour_goes_with_the_reply_that_has_not_left() {
        let reply = Some(Coalesced::Reply(Cycle(120)));
        assert_eq!(answered().follow(&spec(), &read_by(3, 0b0011, 119)), reply);
        assert_eq!(answered().follow(&spec(), &read_by(3, 0b0011, 120)), None);
    }

    #[test]
    fn a_second_read_of_one_sm_has_a_reply_of_its_own() {
        let mut coalescer = answered();
        assert_eq!(coalescer.follow(&spec(), &read_by(0, 0b0011, 105)), Some(Coalesced::Own(Cycle(120))));
    }

    #[test]
    fn an_sm_of_another_cluster_asks_on_its_own() {
        assert_eq!(answered().follow(&spec(), &read_by(4, 0b0011, 110)), None);
    }

    #[test]
    fn a_reply_goes_to_so_many_and_the_next_request_takes_over() {
        let mut coalescer = answered();
        assert!(coalescer.follow(&spec(), &read_by(1, 0b0011, 105)).is_some());
        assert_eq!(coalescer.follow(&spec(), &read_by(2, 0b0011, 106)), None);
        coalescer.answered(&spec(), &read_by(2, 0b0011, 106), None, Cycle(126));
        assert_eq!(coalescer.follow(&spec(), &read_by(3, 0b0011, 121)), Some(Coalesced::Reply(Cycle(126))));
    }

    /// Requests wait for the port longer than a reply takes: the last read is the one that others go with.
    #[test]
    fn who_waited_for_the_port_goes_with_the_last_reply() {
        let mut coalescer = answered();
        assert!(coalescer.follow(&spec(), &read_by(1, 0b0011, 110)).is_some());
        assert_eq!(coalescer.follow(&spec(), &read_by(2, 0b0011, 110)), None);
        coalescer.answered(&spec(), &read_by(2, 0b0011, 110), None, Cycle(190));
        assert_eq!(coalescer.follow(&spec(), &read_by(3, 0b0011, 110)), Some(Coalesced::Reply(Cycle(190))));
    }

    /// One that came before the closed reply left leads nobody, however late it is looked up.
    #[test]
    fn a_closed_line_is_open_for_those_that_come_when_its_reply_has_left() {
        let leads = |at| {
            let mut coalescer = answered();
            assert_eq!(coalescer.follow(&spec(), &read_by(1, 0b0001, 105)), None);
            coalescer.answered(&spec(), &read_by(2, 0b0011, at), None, Cycle(190));
            coalescer.follow(&spec(), &read_by(3, 0b0011, 130)).is_some()
        };
        assert_eq!([119, 120].map(leads), [false, true]);
    }

    #[test]
    fn a_request_for_other_sectors_closes_the_line_until_the_reply_has_left() {
        let mut coalescer = answered();
        assert_eq!(coalescer.follow(&spec(), &read_by(1, 0b0001, 105)), None);
        coalescer.answered(&spec(), &read_by(1, 0b0001, 105), None, Cycle(125));
        assert_eq!(coalescer.follow(&spec(), &read_by(2, 0b0011, 110)), None);
        assert_eq!(coalescer.follow(&spec(), &read_by(2, 0b0001, 121)), None);
    }

    #[test]
    fn a_read_that_waits_for_data_takes_others_until_it_is_answered() {
        let mut coalescer = Coalescer::default();
        coalescer.waits(&spec(), &read_by(0, 0b0011, 100));
        assert_eq!(coalescer.follow(&spec(), &read_by(1, 0b0011, 500)), Some(Coalesced::Waiting));
        coalescer.answered(&spec(), &read_by(0, 0b0011, 100), Some(Cycle(590)), Cycle(600));
        assert_eq!(coalescer.follow(&spec(), &read_by(2, 0b0011, 601)), None);
    }

    /// The first read of a line is closed and leaves at 120; another waits for data until 500. Whether a third goes with it.
    fn joins_late_data(forgotten: Cycle) -> bool {
        let mut coalescer = answered();
        assert_eq!(coalescer.follow(&spec(), &read_by(1, 0b0001, 105)), None);
        coalescer.waits(&spec(), &read_by(1, 0b0001, 105));
        coalescer.forget(forgotten);
        coalescer.answered(&spec(), &read_by(1, 0b0001, 105), Some(Cycle(500)), Cycle(510));
        coalescer.follow(&spec(), &read_by(2, 0b0001, 505)).is_some()
    }

    #[test]
    fn what_has_left_by_then_does_not_keep_others_from_going_with_late_data_forgotten_or_not() {
        assert_eq!([0, 120, 500].map(|forgotten| joins_late_data(Cycle(forgotten))), [true; 3]);
    }
}

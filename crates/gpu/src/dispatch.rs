//! The block dispatcher: which block goes to which multiprocessor, and when.

use crate::placement::Placement;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use warplab_config::gpu::LaunchTiming;
use warplab_sm::BlockStart;
use warplab_units::{Cycle, SmId, TypedId};

mod clusters;

use clusters::ClusterPlaces;

/// Parts of a cycle in which the dispatcher counts.
const PARTS: u64 = 1024;

/// A place for a block that is free from a cycle on; places of the same cycle go round the SMs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct FreePlace {
    free_at: Cycle,
    /// The round, the rank of the SM in it, the SM, and whether the place is new, as one number that compares quickly.
    order: u64,
}

impl FreePlace {
    fn new(free_at: Cycle, round: u32, rank: u16, sm: SmId, is_new: bool) -> FreePlace {
        let place = u64::from(rank) << 17 | u64::from(sm.0) << 1 | u64::from(is_new);
        FreePlace { free_at, order: u64::from(round) << 33 | place }
    }

    fn sm(self) -> SmId {
        SmId((self.order >> 1) as u16)
    }

    /// Nothing has been there yet, and its multiprocessor starts blocks at its own pace.
    fn is_new(self) -> bool {
        self.order & 1 == 1
    }

    /// Without the rank: places of a cycle by round and SM.
    fn by_round(self) -> (Cycle, u64, SmId) {
        (self.free_at, self.order >> 33, self.sm())
    }
}

/// Gives blocks out, one after another for the whole chip.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Dispatcher {
    blocks: u64,
    next_block: u64,
    placement: Placement,
    /// Places to which no block has come yet, the first at the end.
    unused: Vec<FreePlace>,
    /// Places whose blocks have ended.
    freed: BinaryHeap<Reverse<FreePlace>>,
    /// When the next block can be dispatched, in parts of a cycle.
    ready: u64,
    /// Whether the end of a block takes its turn, too, when no other block follows.
    counts_ends: bool,
    interval: u64,
    block_start: u64,
    warp_start: u64,
    block_end: u64,
    /// Blocks that come together, and where, if they do.
    clusters: Option<ClusterPlaces>,
}

impl Dispatcher {
    /// A dispatcher of so many blocks, from cycle `begin` on, to SMs that hold `per_sm` each.
    pub(crate) fn new(
        timing: &LaunchTiming,
        begin: Cycle,
        blocks: u64,
        warps_per_block: u32,
        placement: Placement,
        per_sm: u32,
    ) -> Dispatcher {
        let start = begin + u64::from(timing.kernel_start);
        let first_wave = timing.first_wave.map(|wave| {
            let last_warp = u64::from(warps_per_block.saturating_sub(1)) * u64::from(timing.warp_start);
            u64::from(wave.interval).max(last_warp + u64::from(wave.gap))
        });
        let mut unused = Vec::new();
        for round in 0..per_sm {
            let of_round = blocks.saturating_sub(u64::from(round) * placement.sms() as u64);
            let sms = (0..placement.sms()).map(SmId::from_index);
            unused.extend(sms.map(|sm| {
                let rank = placement.rank(sm, of_round);
                let free_at = start + u64::from(round) * first_wave.unwrap_or(0);
                FreePlace::new(free_at, round, rank, sm, first_wave.is_some())
            }));
        }
        unused.sort_unstable_by_key(|place| Reverse(*place));
        let cycles = timing.cycles_per_block + timing.cycles_per_warp * f64::from(warps_per_block);
        Dispatcher {
            blocks,
            next_block: 0,
            placement,
            unused,
            freed: BinaryHeap::new(),
            ready: start.0 * PARTS,
            counts_ends: first_wave.is_some(),
            interval: (cycles * PARTS as f64).round() as u64,
            block_start: u64::from(timing.block_start),
            warp_start: u64::from(timing.warp_start),
            block_end: u64::from(timing.block_end),
            clusters: None,
        }
    }

    /// A block of an SM has ended; its place is free at a cycle.
    pub(crate) fn freed(&mut self, sm: SmId, at: Cycle) {
        let rank = self.placement.rank(sm, u64::MAX);
        self.clusters.iter_mut().for_each(|clusters| clusters.count(sm, false));
        self.freed.push(Reverse(FreePlace::new(at, 0, rank, sm, false)));
    }

    /// When it has taken note of the last end of a block, once all have ended.
    pub(crate) fn end(&self) -> Cycle {
        if !self.counts_ends {
            return Cycle(0);
        }
        let mut ends: Vec<Cycle> = self.freed.iter().map(|Reverse(place)| place.free_at).collect();
        ends.sort_unstable();
        let ready = ends.iter().fold(self.ready, |ready, end| ready.max(end.0 * PARTS) + self.interval);
        Cycle(ready / PARTS)
    }

    /// The place that is free first.
    #[inline]
    fn first_place(&self) -> Option<FreePlace> {
        let freed = self.freed.peek().map(|Reverse(place)| *place);
        self.unused.last().copied().into_iter().chain(freed).min()
    }

    /// Takes the place that is free first, which is this one.
    #[inline]
    fn take_place(&mut self, first: FreePlace) {
        if self.unused.last() == Some(&first) {
            self.unused.pop();
        } else {
            self.freed.pop();
        }
    }

    /// Blocks that have been given out.
    pub(crate) fn dispatched(&self) -> u64 {
        self.next_block
    }

    /// Whether every block has been given out.
    pub(crate) fn is_done(&self) -> bool {
        self.next_block == self.blocks
    }

    /// Gives no more blocks out.
    pub(crate) fn stop(&mut self) {
        self.blocks = self.next_block;
    }

    /// When the next block can be dispatched, if a place is known to be free then.
    #[inline]
    pub(crate) fn next_dispatch(&self) -> Cycle {
        if self.clusters.is_some() { self.next_cluster() } else { self.next_free().0 }
    }

    /// When the next block can be dispatched, and where.
    #[inline]
    fn next_free(&self) -> (Cycle, Option<FreePlace>) {
        let place = self.first_place().filter(|_| !self.is_done());
        let at = match place {
            Some(place) if place.is_new() => place.free_at,
            Some(place) => place.free_at.max(Cycle(self.ready / PARTS)),
            None => Cycle::NEVER,
        };
        (at, place)
    }

    /// Gives out every block whose dispatch is certain at the boundary `now`: a block that ends later frees its place
    /// no earlier than `now` plus the time that an end takes. Blocks start no earlier than `now`.
    pub(crate) fn dispatch(&mut self, now: Cycle, mut give: impl FnMut(SmId, BlockStart)) {
        let horizon = now + self.block_end;
        while let (next, Some(place)) = self.next_free()
            && next < horizon
        {
            self.take_place(place);
            give(place.sm(), self.start(place, place.free_at, now));
        }
    }

    /// The next block starts at a place from a cycle on, but not before `now`.
    #[inline]
    fn start(&mut self, place: FreePlace, free_at: Cycle, now: Cycle) -> BlockStart {
        let mut at = free_at.0 * PARTS;
        if !place.is_new() {
            at = at.max(self.ready);
            self.ready = at + self.interval;
        }
        let (block, at) = (self.next_block, (Cycle(at / PARTS) + self.block_start).max(now));
        self.next_block += 1;
        BlockStart { block, at, warp_interval: self.warp_start }
    }
}

#[cfg(test)]
mod tests {
    use super::Dispatcher;
    use crate::placement::Placement;
    use warplab_config::gpu::{FirstWave, LaunchTiming};
    use warplab_units::{Cycle, SmId};

    fn timing() -> LaunchTiming {
        LaunchTiming {
            kernel_start: 10,
            kernel_end: 0,
            flush: 0,
            cycles_per_block: 1.25,
            cycles_per_warp: 0.0,
            block_start: 100,
            warp_start: 0,
            block_end: 50,
            first_wave: None,
            system_call: 0,
        }
    }

    fn one_cluster(count: usize) -> Placement {
        Placement::in_turn(count, count)
    }

    fn dispatched(dispatcher: &mut Dispatcher, now: u64) -> Vec<(u16, u64, u64)> {
        let mut given = Vec::new();
        dispatcher.dispatch(Cycle(now), |sm, start| given.push((sm.0, start.block, start.at.0)));
        given
    }

    #[test]
    fn blocks_go_round_the_sms_at_the_rate_of_the_chip() {
        let mut dispatcher = Dispatcher::new(&timing(), Cycle(0), 9, 1, one_cluster(2), 2);
        assert_eq!(dispatched(&mut dispatcher, 0), [(0, 0, 110), (1, 1, 111), (0, 2, 112), (1, 3, 113)]);
    }

    #[test]
    fn a_place_is_given_again_when_it_is_free() {
        let mut dispatcher = Dispatcher::new(&timing(), Cycle(0), 3, 1, one_cluster(1), 1);
        assert_eq!(dispatched(&mut dispatcher, 0), [(0, 0, 110)]);
        dispatcher.freed(SmId(0), Cycle(400));
        assert_eq!(dispatched(&mut dispatcher, 350), []);
        assert_eq!(dispatched(&mut dispatcher, 360), [(0, 1, 500)]);
    }

    #[test]
    fn the_first_block_of_a_later_launch_comes_as_long_after_its_start() {
        let mut dispatcher = Dispatcher::new(&timing(), Cycle(7000), 1, 1, one_cluster(1), 1);
        assert_eq!(dispatched(&mut dispatcher, 7000), [(0, 0, 7110)]);
    }

    #[test]
    fn the_places_of_one_cycle_go_round_before_any_sm_gets_a_second_block() {
        let mut dispatcher = Dispatcher::new(&timing(), Cycle(0), 6, 1, one_cluster(3), 2);
        let sms: Vec<u16> = dispatched(&mut dispatcher, 0).into_iter().map(|(sm, _, _)| sm).collect();
        assert_eq!(sms, [0, 1, 2, 0, 1, 2]);
    }

    #[test]
    fn the_clusters_get_a_block_each_before_any_gets_a_second() {
        let mut dispatcher = Dispatcher::new(&timing(), Cycle(0), 7, 1, Placement::in_turn(5, 2), 2);
        let sms: Vec<u16> = dispatched(&mut dispatcher, 0).into_iter().map(|(sm, _, _)| sm).collect();
        assert_eq!(sms, [0, 2, 4, 1, 3, 0, 2]);
    }

    #[test]
    fn blocks_of_many_warps_are_dispatched_further_apart() {
        let per_warp = LaunchTiming { cycles_per_warp: 2.0, ..timing() };
        let mut dispatcher = Dispatcher::new(&per_warp, Cycle(0), 3, 4, one_cluster(3), 1);
        let starts: Vec<u64> = dispatched(&mut dispatcher, 0).into_iter().map(|(_, _, at)| at).collect();
        assert_eq!(starts, [110, 119, 128]);
    }

    /// Each SM starts a block every 24 cycles, or 16 cycles after the last warp of the one before.
    fn with_first_wave() -> LaunchTiming {
        let first_wave = Some(FirstWave { interval: 24, gap: 16 });
        LaunchTiming { first_wave, warp_start: 2, cycles_per_block: 10.0, ..timing() }
    }

    #[test]
    fn each_sm_starts_its_blocks_of_the_first_wave_at_its_own_pace() {
        let given = |warps| {
            dispatched(&mut Dispatcher::new(&with_first_wave(), Cycle(0), 6, warps, one_cluster(2), 3), 0)
        };
        let times = |given: &[(u16, u64, u64)]| given.iter().map(|&(_, _, at)| at).collect::<Vec<_>>();
        assert_eq!(times(&given(1)), [110, 110, 134, 134]);
        assert_eq!(times(&given(8)), [110, 110, 140, 140]);
    }

    #[test]
    fn ends_of_blocks_take_their_turns_even_when_no_block_follows() {
        let mut dispatcher = Dispatcher::new(&with_first_wave(), Cycle(0), 3, 1, one_cluster(2), 1);
        dispatched(&mut dispatcher, 0);
        dispatcher.freed(SmId(1), Cycle(400));
        dispatcher.freed(SmId(0), Cycle(400));
        assert_eq!(dispatched(&mut dispatcher, 360), [(0, 2, 500)]);
        dispatcher.freed(SmId(0), Cycle(415));
        assert_eq!(dispatcher.end(), Cycle(430));
    }

    #[test]
    fn a_dispatcher_without_a_free_place_waits_for_ever() {
        let mut dispatcher = Dispatcher::new(&timing(), Cycle(0), 2, 1, one_cluster(1), 1);
        dispatched(&mut dispatcher, 0);
        assert_eq!((dispatcher.next_dispatch(), dispatcher.is_done()), (Cycle::NEVER, false));
    }
}

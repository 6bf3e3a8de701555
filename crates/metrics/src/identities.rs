//! Laws that the counters of every finished launch obey.

use crate::format::integer_text;
use warplab_trace::{InstructionCounters, LaunchCounters, QueueCounters, SchedulerCounters, WarpState};
use warplab_units::SECTOR_BYTES;

/// The laws that the counters of a finished launch break, in words; none when all is well.
#[must_use]
pub fn identities(counters: &LaunchCounters) -> Vec<String> {
    let mut laws = Laws::default();
    for (number, scheduler) in counters.sm.schedulers.iter().enumerate() {
        laws.scheduler(number, scheduler);
    }
    laws.instructions(counters);
    laws.level_one(counters);
    laws.level_two_and_dram(counters);
    for (name, queue) in counters.queues() {
        laws.queue(name, queue);
    }
    laws.broken
}

#[derive(Default)]
struct Laws {
    broken: Vec<String>,
}

impl Laws {
    fn equal(&mut self, left: (&str, u64), right: (&str, u64)) {
        if left.1 != right.1 {
            self.break_law(left, "is not", right);
        }
    }

    fn at_most(&mut self, left: (&str, u64), right: (&str, u64)) {
        if left.1 > right.1 {
            self.break_law(left, "is more than", right);
        }
    }

    fn break_law(&mut self, left: (&str, u64), relation: &str, right: (&str, u64)) {
        let (a, b) = (integer_text(left.1), integer_text(right.1));
        self.broken.push(format!("{} ({a}) {relation} {} ({b})", left.0, right.0));
    }

    fn scheduler(&mut self, number: usize, it: &SchedulerCounters) {
        let name = |what: &str| format!("scheduler {number}: {what}");
        let selected = it.states[WarpState::Selected.index()];
        let eligible = selected + it.states[WarpState::NotSelected.index()];
        self.equal(
            (&name("warp-cycles of all states"), it.states.iter().sum()),
            ("warp-cycles", it.warp_cycles),
        );
        self.equal(
            (&name("selected warp-cycles"), selected),
            ("issue cycles", it.issue_cycles + it.further_warps),
        );
        self.equal(
            (&name("selected and not selected warp-cycles"), eligible),
            ("eligible warp-cycles", it.eligible_warp_cycles),
        );
        self.equal(
            (&name("cycles with an eligible warp"), it.eligible_cycles),
            ("issue cycles", it.issue_cycles),
        );
        self.at_most((&name("issue cycles"), it.issue_cycles), ("active cycles", it.active_cycles));
        self.at_most((&name("active cycles"), it.active_cycles), ("warp-cycles", it.warp_cycles));
    }

    fn instructions(&mut self, counters: &LaunchCounters) {
        let executed: &InstructionCounters = &counters.sm.instructions;
        let schedulers = &counters.sm.schedulers;
        let issued = schedulers.iter().map(SchedulerCounters::issued).sum();
        let replayed: u64 = schedulers.iter().map(|it| it.replayed).sum();
        self.equal(
            ("executed and replayed instructions", executed.warp + replayed),
            ("issued instructions", issued),
        );
        self.equal(
            ("instructions of all pipes", executed.by_pipe.iter().sum()),
            ("executed instructions", executed.warp),
        );
        self.equal(
            ("instructions of all opcodes", executed.by_opcode.iter().sum()),
            ("executed instructions", executed.warp),
        );
        let lanes = counters.warp_lanes;
        self.at_most(
            ("thread instructions", executed.thread),
            (&format!("{lanes} x executed instructions"), executed.warp * lanes),
        );
        self.at_most(("divergent branches", executed.divergent_branches), ("branches", executed.branches));
        self.at_most(
            ("active multiprocessors", counters.active_multiprocessors),
            ("multiprocessors", counters.multiprocessors),
        );
        self.at_most(
            ("active cycles", counters.sm.active_cycles),
            ("multiprocessors x elapsed cycles", counters.multiprocessors * counters.elapsed_cycles),
        );
    }

    fn level_one(&mut self, counters: &LaunchCounters) {
        let l1 = &counters.sm.l1;
        self.at_most(
            ("global load requests", l1.global_load_requests),
            ("global load sectors", l1.global_load_sectors),
        );
        self.at_most(
            ("global store requests", l1.global_store_requests),
            ("global store sectors", l1.global_store_sectors),
        );
        let sectors = l1.global_load_sectors + l1.local_load_sectors + l1.copied_sectors_again;
        let found = l1.global_load_sector_hits + l1.local_load_sector_hits + l1.global_load_sector_merges;
        // A machine with flat memory has no caches to count in.
        if found + l1.sectors_to_l2 > 0 {
            self.equal(
                ("level-one load hits + merges + sectors asked from level two", found + l1.sectors_to_l2),
                ("load sectors", sectors),
            );
        }
        // What one half of level two asks of the other is counted in both.
        let l2 = &counters.memory.l2;
        self.equal(
            (
                "sectors asked from level two without those of coalesced requests",
                l1.sectors_to_l2.saturating_sub(l2.coalesced_sectors),
            ),
            ("sectors read at level two", l2.read_sectors.saturating_sub(l2.far_read_sectors)),
        );
        let shared = &counters.sm.shared;
        self.at_most(
            ("bank conflicts of loads", shared.load_bank_conflicts),
            ("passes of loads", shared.load_wavefronts),
        );
        self.at_most(
            ("bank conflicts of stores", shared.store_bank_conflicts),
            ("passes of stores", shared.store_wavefronts),
        );
    }

    fn level_two_and_dram(&mut self, counters: &LaunchCounters) {
        let (l2, dram) = (&counters.memory.l2, &counters.memory.dram);
        self.at_most(("level-two read hits", l2.read_hits), ("sectors read", l2.read_sectors));
        self.at_most(("level-two write hits", l2.write_hits), ("sectors written", l2.write_sectors));
        let atomics = l2.atomic_sectors + l2.reduction_sectors;
        self.at_most(("level-two atomic hits", l2.atomic_hits), ("sectors of atomics", atomics));
        let misses = (l2.read_sectors + atomics).saturating_sub(l2.read_hits + l2.atomic_hits);
        let below = misses.saturating_sub(l2.far_read_sectors);
        self.at_most(("32 x level-two misses", below * SECTOR_BYTES), ("DRAM bytes read", dram.read_bytes));
        // Writes may still wait in the queues of DRAM when the kernel has ended.
        self.at_most(
            ("DRAM bytes written", dram.written_bytes),
            ("32 x sectors written back", l2.writeback_sectors * SECTOR_BYTES),
        );
    }

    fn queue(&mut self, name: &str, queue: &QueueCounters) {
        self.equal((&format!("{name}: arrivals"), queue.arrivals), ("departures", queue.departures));
        self.equal(
            (&format!("{name}: latencies summed"), queue.total_latency),
            ("occupancy summed over cycles", queue.occupancy_cycles()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::identities;
    use crate::test_launch::counters;

    #[test]
    fn consistent_counters_break_no_law() {
        assert_eq!(identities(&counters()), Vec::<String>::new());
    }

    #[test]
    fn a_lost_warp_cycle_is_noticed() {
        let mut counters = counters();
        counters.sm.schedulers[1].warp_cycles += 1;
        assert_eq!(
            identities(&counters),
            ["scheduler 1: warp-cycles of all states (80,000) is not warp-cycles (80,001)"]
        );
    }

    #[test]
    fn a_sector_that_came_from_nowhere_is_noticed() {
        let mut counters = counters();
        counters.sm.l1.global_load_sectors += 1;
        assert_eq!(
            identities(&counters),
            [
                "level-one load hits + merges + sectors asked from level two (32,000) is not load sectors (32,001)"
            ]
        );
    }

    #[test]
    fn what_never_left_a_queue_is_noticed() {
        let mut counters = counters();
        counters.sm.l1_misses.enters(0);
        assert_eq!(identities(&counters), ["l1_misses: arrivals (5) is not departures (4)"]);
    }

    #[test]
    fn more_threads_than_lanes_are_noticed() {
        let mut counters = counters();
        counters.sm.instructions.thread = 32 * counters.sm.instructions.warp + 1;
        assert_eq!(
            identities(&counters),
            ["thread instructions (1,280,001) is more than 32 x executed instructions (1,280,000)"]
        );
    }
}

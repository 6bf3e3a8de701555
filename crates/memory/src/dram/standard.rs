//! The timing rules of DRAM standards as tables of constraints. A standard with other rules is another such table and
//! another choice of `dram.timing_rules` in a machine file.
//!
//! Distances are sums of the timings in the machine file (`dram.clocks`); a timing that it leaves out is zero.

use super::constraints::Command::{Activate, Precharge, Read, RefreshAll, RefreshBank, Write};
use super::constraints::Level::{Bank, BankGroup, PseudoChannel};
use super::constraints::{Command, Constraint, Distance, Level};
use warplab_config::gpu::TimingRules;

/// The table that a machine file has chosen.
pub(crate) fn constraints(rules: TimingRules) -> &'static [Constraint] {
    match rules {
        TimingRules::Jedec => JEDEC,
    }
}

const fn row(level: Level, from: Command, to: Command, distance: Distance) -> Constraint {
    Constraint { level, from, to, distance, window: 1 }
}

/// Double data rate memory with bank groups, as DDR4, GDDR6, HBM2 and HBM3 have them.
#[rustfmt::skip]
const JEDEC: &[Constraint] = &[
    // Data bus: one burst after the other, and turned around between reads and writes.
    row(PseudoChannel, Read, Read, |_, burst| burst),
    row(PseudoChannel, Write, Write, |_, burst| burst),
    row(PseudoChannel, Read, Write, |t, _| t.rtw),
    row(PseudoChannel, Write, Read, |t, burst| t.cwl + burst + t.wtr_short),
    row(BankGroup, Write, Read, |t, burst| t.cwl + burst + t.wtr_long),
    // Column commands.
    row(PseudoChannel, Read, Read, |t, _| t.ccd_short),
    row(PseudoChannel, Write, Write, |t, _| t.ccd_short),
    row(BankGroup, Read, Read, |t, _| t.ccd_long),
    row(BankGroup, Write, Write, |t, _| t.ccd_long),
    row(Bank, Activate, Read, |t, _| t.rcd_read),
    row(Bank, Activate, Write, |t, _| t.rcd_write),
    // Activates.
    row(PseudoChannel, Activate, Activate, |t, _| t.rrd_short),
    row(BankGroup, Activate, Activate, |t, _| t.rrd_long),
    row(Bank, Activate, Activate, |t, _| t.rc),
    row(Bank, Precharge, Activate, |t, _| t.rp),
    Constraint { window: 4, ..row(PseudoChannel, Activate, Activate, |t, _| t.faw) },
    // Precharges.
    row(Bank, Activate, Precharge, |t, _| t.ras),
    row(Bank, Read, Precharge, |t, _| t.rtp),
    row(Bank, Write, Precharge, |t, burst| t.cwl + burst + t.wr),
    row(PseudoChannel, Precharge, Precharge, |t, _| t.ppd.unwrap_or(0)),
    // Refresh of all banks of a rank: the command is issued to each of them.
    row(Bank, RefreshAll, Activate, |t, _| t.rfc),
    // Refresh of one bank.
    row(Bank, RefreshBank, Activate, |t, _| t.bank_refresh.map_or(0, |refresh| refresh.rfc)),
    row(PseudoChannel, RefreshBank, Activate, |t, _| t.bank_refresh.map_or(0, |refresh| refresh.rrefd)),
    row(PseudoChannel, RefreshBank, RefreshBank, |t, _| t.bank_refresh.map_or(0, |refresh| refresh.rrefd)),
    row(PseudoChannel, Activate, RefreshBank, |t, _| t.rrd_short),
    row(Bank, Activate, RefreshBank, |t, _| t.rc),
    row(Bank, Precharge, RefreshBank, |t, _| t.rp),
];

#[cfg(test)]
mod tests {
    use super::super::constraints::Command::{
        self, Activate, Precharge, Read, RefreshAll, RefreshBank, Write,
    };
    use super::super::constraints::{Constraints, ReadyTimes};
    use super::super::tests::dram;
    use super::JEDEC;
    use warplab_config::Ticks;
    use warplab_config::gpu::BankRefresh;

    /// Two groups of two banks, and the optional timings.
    fn constraints() -> Constraints {
        let mut clocks = dram().clocks;
        clocks.ppd = Some(3);
        clocks.bank_refresh = Some(BankRefresh { refi: 390, rfc: 320, rrefd: 13 });
        Constraints::new(JEDEC, (2, 2), &clocks, 2, Ticks(1))
    }

    /// How long after `from` to bank 0 `to` may come: to the same bank, to another of its group, to one of another group.
    /// The moments are exact: a channel issues at them and not a tick earlier.
    fn distances(from: Command, to: Command) -> [u64; 3] {
        let constraints = constraints();
        let mut ready = ReadyTimes::new(&constraints);
        ready.issued(&constraints, from, 0, Ticks(1000));
        [0, 1, 2].map(|bank| {
            let at = ready.of_bank(to, bank).max(ready.shared(&constraints, to, bank));
            at.0.saturating_sub(1000)
        })
    }

    #[test]
    fn read_to_read_is_the_long_interval_in_a_group_and_the_short_one_outside() {
        assert_eq!(distances(Read, Read), [4, 4, 2]);
    }

    #[test]
    fn write_to_write_is_the_long_interval_in_a_group_and_the_short_one_outside() {
        assert_eq!(distances(Write, Write), [4, 4, 2]);
    }

    #[test]
    fn read_to_write_is_the_turnaround_everywhere() {
        assert_eq!(distances(Read, Write), [20, 20, 20]);
    }

    #[test]
    fn write_to_read_is_write_latency_burst_and_turnaround() {
        assert_eq!(distances(Write, Read), [10 + 2 + 10, 10 + 2 + 10, 10 + 2 + 7]);
    }

    #[test]
    fn activate_to_column_commands_is_of_one_bank() {
        assert_eq!(distances(Activate, Read), [31, 0, 0]);
        assert_eq!(distances(Activate, Write), [15, 0, 0]);
    }

    #[test]
    fn activate_to_activate_is_row_cycle_long_and_short_row_to_row() {
        assert_eq!(distances(Activate, Activate), [72, 5, 4]);
    }

    #[test]
    fn activate_read_and_write_each_keep_their_bank_open_for_a_time() {
        assert_eq!(distances(Activate, Precharge), [45, 0, 0]);
        assert_eq!(distances(Read, Precharge), [9, 0, 0]);
        assert_eq!(distances(Write, Precharge), [10 + 2 + 33, 0, 0]);
    }

    #[test]
    fn precharge_to_activate_is_of_one_bank() {
        assert_eq!(distances(Precharge, Activate), [26, 0, 0]);
    }

    #[test]
    fn precharge_to_precharge_is_everywhere_where_the_machine_has_it() {
        assert_eq!(distances(Precharge, Precharge), [3, 3, 3]);
    }

    #[test]
    fn refresh_of_all_banks_of_a_rank_blocks_each_of_them() {
        assert_eq!(distances(RefreshAll, Activate), [560, 0, 0]);
    }

    #[test]
    fn refresh_of_one_bank_blocks_it_and_delays_the_others() {
        assert_eq!(distances(RefreshBank, Activate), [320, 13, 13]);
        assert_eq!(distances(RefreshBank, RefreshBank), [13, 13, 13]);
    }

    #[test]
    fn a_bank_is_refreshed_after_its_row_cycle_and_precharge() {
        assert_eq!(distances(Activate, RefreshBank), [72, 4, 4]);
        assert_eq!(distances(Precharge, RefreshBank), [26, 0, 0]);
    }

    #[test]
    fn four_activates_fall_into_a_window_and_the_fifth_does_not() {
        let mut clocks = dram().clocks;
        clocks.faw = 100;
        let constraints = Constraints::new(JEDEC, (8, 2), &clocks, 2, Ticks(1));
        let mut ready = ReadyTimes::new(&constraints);
        let allowed = |ready: &ReadyTimes| ready.shared(&constraints, Activate, 15).0;
        for (bank, at, next) in [(0, 0, 4), (2, 10, 14), (4, 20, 24), (6, 30, 100), (8, 100, 110)] {
            ready.issued(&constraints, Activate, bank, Ticks(at));
            assert_eq!(allowed(&ready), next);
        }
    }
}

//! The constraints that the JEDEC standards share, a row each. A standard with other rules is another such table.
//!
//! Distances are sums of the timings in a machine file (`dram.clocks`); what a machine does not name is nothing.

use super::constraints::Command::{Activate, Precharge, Read, RefreshAll, RefreshBank, Write};
use super::constraints::Level::{Bank, BankGroup, PseudoChannel};
use super::constraints::{Command, Constraint, Distance, Level};

const fn row(level: Level, from: Command, to: Command, distance: Distance) -> Constraint {
    Constraint { level, from, to, distance, window: 1 }
}

/// Double data rate memory with bank groups, as DDR4, GDDR6, HBM2 and HBM3 have them.
#[rustfmt::skip]
pub(crate) const JEDEC: &[Constraint] = &[
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
    // Refresh of all banks.
    row(PseudoChannel, RefreshAll, Activate, |t, _| t.rfc),
    // Refresh of one bank.
    row(Bank, RefreshBank, Activate, |t, _| t.bank_refresh.map_or(0, |refresh| refresh.rfc)),
    row(PseudoChannel, RefreshBank, Activate, |t, _| t.bank_refresh.map_or(0, |refresh| refresh.rrefd)),
    row(PseudoChannel, RefreshBank, RefreshBank, |t, _| t.bank_refresh.map_or(0, |refresh| refresh.rrefd)),
    row(PseudoChannel, Activate, RefreshBank, |t, _| t.rrd_short),
    row(Bank, Activate, RefreshBank, |t, _| t.rc),
    row(Bank, Precharge, RefreshBank, |t, _| t.rp),
];

//! Refresh: of all banks of a rank at once, or of one bank after another.

use super::constraints::Command;
use warplab_config::Ticks;
use warplab_config::gpu::Dram;

/// How a pseudo-channel is refreshed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefreshSpec {
    /// The command: for all banks of a rank or for one bank.
    pub(crate) command: Command,
    /// From one refresh to the next.
    pub(crate) interval: Ticks,
    /// How long the banks are busy.
    pub(crate) duration: Ticks,
    /// From the precharge of a bank that is still open to the refresh.
    pub(crate) precharge: Ticks,
    /// Refreshes until all banks have been refreshed.
    pub(crate) turns: usize,
    /// Neighbouring banks of a group that are refreshed together; of one group where it is one bank after another, else of all.
    together: usize,
}

impl RefreshSpec {
    pub(crate) fn new(dram: &Dram, clock: Ticks) -> RefreshSpec {
        let clocks = &dram.clocks;
        let (command, interval, duration, turns, together) = match clocks.bank_refresh {
            Some(bank) => {
                (Command::RefreshBank, bank.refi, bank.rfc, dram.bank_groups * dram.banks_per_group, 1)
            }
            None => {
                let together = dram.banks_per_group / dram.ranks;
                (Command::RefreshAll, clocks.refi / dram.ranks, clocks.rfc, dram.ranks, together)
            }
        };
        let [interval, duration, precharge] =
            [interval, duration, clocks.rp].map(|clocks| clock * u64::from(clocks));
        let (turns, together) = (turns as usize, together as usize);
        RefreshSpec { command, interval, duration, precharge, turns, together }
    }

    /// When the first refresh is due: at a share of the interval, so that different pseudo-channels are not refreshed
    /// at once.
    pub(crate) fn first(&self, stagger: u64) -> Ticks {
        Ticks(self.interval.0 * (1 + stagger % STAGGERS) / STAGGERS)
    }

    /// The rank of each of so many banks; banks that are refreshed one after another are of one.
    pub(crate) fn ranks(&self, banks: usize) -> impl Iterator<Item = usize> + use<> {
        let RefreshSpec { command, turns, together, .. } = *self;
        (0..banks).map(move |bank| if command == Command::RefreshAll { bank / together % turns } else { 0 })
    }

    /// Of so many banks, those of one turn.
    pub(crate) fn banks_of(&self, turn: usize, banks: usize) -> impl Iterator<Item = usize> + use<> {
        let RefreshSpec { turns, together, .. } = *self;
        (0..banks).filter(move |bank| bank / together % turns == turn)
    }
}

/// Steps of a refresh interval in which `dram.refresh_*_stagger` of a machine file counts.
const STAGGERS: u64 = 1024;

//! Refresh: of all banks at once, or of one bank after another.

use super::constraints::Command;
use warplab_config::Ticks;
use warplab_config::gpu::DramClocks;

/// How a pseudo-channel is refreshed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefreshSpec {
    /// The command: for all banks or for one.
    pub(crate) command: Command,
    /// From one refresh to the next.
    pub(crate) interval: Ticks,
    /// How long the banks are busy.
    pub(crate) duration: Ticks,
    /// From the precharge of a bank that is still open to the refresh.
    pub(crate) precharge: Ticks,
}

impl RefreshSpec {
    pub(crate) fn new(clocks: &DramClocks, clock: Ticks) -> RefreshSpec {
        let (command, interval, duration) = match clocks.bank_refresh {
            Some(bank) => (Command::RefreshBank, bank.refi, bank.rfc),
            None => (Command::RefreshAll, clocks.refi, clocks.rfc),
        };
        let [interval, duration, precharge] =
            [interval, duration, clocks.rp].map(|clocks| clock * u64::from(clocks));
        RefreshSpec { command, interval, duration, precharge }
    }

    /// When the first refresh is due: at a share of the interval, so that different pseudo-channels are not refreshed
    /// at once.
    pub(crate) fn first(&self, stagger: u64) -> Ticks {
        Ticks(self.interval.0 * (1 + stagger % STAGGERS) / STAGGERS)
    }
}

/// Steps of a refresh interval in which `dram.refresh_*_stagger` of a machine file counts.
const STAGGERS: u64 = 1024;

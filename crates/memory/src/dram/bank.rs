//! One bank, and the moments before which a command must not come.

use serde::{Deserialize, Serialize};
use warplab_config::Ticks;

/// One bank: its open row and when it can take each command.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Bank {
    pub(crate) open_row: Option<u64>,
    pub(crate) next_activate: Ticks,
    pub(crate) next_read: Ticks,
    pub(crate) next_write: Ticks,
    pub(crate) next_precharge: Ticks,
}

/// Moves a moment later, never earlier.
pub(crate) fn not_before(moment: &mut Ticks, earliest: Ticks) {
    *moment = (*moment).max(earliest);
}

/// The timing constraints in ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    pub(crate) clock: Ticks,
    pub(crate) cl: Ticks,
    pub(crate) burst: Ticks,
    pub(crate) rcd_read: Ticks,
    pub(crate) rcd_write: Ticks,
    pub(crate) rp: Ticks,
    pub(crate) ras: Ticks,
    pub(crate) rc: Ticks,
    pub(crate) ccd_short: Ticks,
    pub(crate) ccd_long: Ticks,
    pub(crate) rrd_short: Ticks,
    pub(crate) rrd_long: Ticks,
    pub(crate) faw: Ticks,
    pub(crate) rtp: Ticks,
    /// Write command to precharge: latency, data and recovery.
    pub(crate) write_to_precharge: Ticks,
    /// Write command to read command, another and the same bank group.
    pub(crate) write_to_read_short: Ticks,
    pub(crate) write_to_read_long: Ticks,
    pub(crate) read_to_write: Ticks,
    pub(crate) refi: Ticks,
    pub(crate) rfc: Ticks,
}

impl Timing {
    pub(crate) fn new(dram: &warplab_config::gpu::Dram, clock: Ticks) -> Timing {
        let clocks = &dram.clocks;
        let of = |count: u32| clock * u64::from(count);
        let wires = dram.channel_bits / dram.pseudo_channels;
        let burst_clocks = (dram.burst_bytes * 8).div_ceil(wires * dram.data_rate).max(1);
        Timing {
            clock,
            cl: of(clocks.cl),
            burst: of(burst_clocks),
            rcd_read: of(clocks.rcd_read),
            rcd_write: of(clocks.rcd_write),
            rp: of(clocks.rp),
            ras: of(clocks.ras),
            rc: of(clocks.rc),
            ccd_short: of(clocks.ccd_short.max(burst_clocks)),
            ccd_long: of(clocks.ccd_long.max(burst_clocks)),
            rrd_short: of(clocks.rrd_short),
            rrd_long: of(clocks.rrd_long),
            faw: of(clocks.faw),
            rtp: of(clocks.rtp),
            write_to_precharge: of(clocks.cwl + burst_clocks + clocks.wr),
            write_to_read_short: of(clocks.cwl + burst_clocks + clocks.wtr_short),
            write_to_read_long: of(clocks.cwl + burst_clocks + clocks.wtr_long),
            read_to_write: of(clocks.rtw),
            refi: of(clocks.refi),
            rfc: of(clocks.rfc),
        }
    }
}

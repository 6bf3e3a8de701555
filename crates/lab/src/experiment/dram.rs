//! Points at which one pseudo-channel of a machine's DRAM answers a stream of reads.

use super::{Measured, Recorded, number};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warplab_config::{GpuConfig, Ticks};
use warplab_diagnostics::nearest_name;
use warplab_memory::dram::{Access, ChannelSpec, DramMap, PseudoChannel};
use warplab_run::Fault;
use warplab_units::{LINE_BYTES, SectorMask};

/// What can be named in columns. Times are in command clocks.
pub(super) const METRICS: [&str; 6] = [
    "dram.clocks",
    "dram.busy_pct",
    "dram.mean_latency_clocks",
    "dram.row_hits",
    "dram.row_misses",
    "dram.row_conflicts",
];

/// Clocks that a column of the picture stands for, the same in every picture: a burst is one column.
const CLOCKS_A_COLUMN: u64 = 2;
/// Columns of the picture.
const COLUMNS: u64 = 86;

/// In which order addresses come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    /// One burst after the other.
    Sequential,
    /// Any bank and any row.
    Random,
}

/// A stream of reads for a channel.
#[derive(Clone, Debug)]
pub(super) struct DramJob {
    config: GpuConfig,
    pattern: Pattern,
    requests: u64,
    rows: u64,
    seed: u64,
}

impl DramJob {
    /// How many requests the stream has.
    pub(super) fn requests(&self) -> u64 {
        self.requests
    }
}

/// Most requests of a stream: a minute or so.
const MOST_REQUESTS: u64 = 10_000_000;

pub(super) fn prepare(settings: &BTreeMap<String, String>, config: &GpuConfig) -> Result<DramJob, Fault> {
    let of = |name: &str, default| settings.get(name).map_or(Ok(default), |text| number::<u64>(name, text));
    let pattern = match settings.get("pattern").map(String::as_str) {
        None | Some("sequential") => Pattern::Sequential,
        Some("random") => Pattern::Random,
        Some(other) => {
            let known = ["sequential", "random"];
            let near =
                nearest_name(other, known).map_or(String::new(), |near| format!(" did you mean '{near}'?"));
            return Err(Fault::input(format!(
                "unknown pattern '{other}';{near} known: {}",
                known.join(", ")
            )));
        }
    };
    let (requests, rows) = (of("requests", 4096)?, of("rows", 16384)?);
    if requests == 0 || rows == 0 {
        return Err(Fault::input("a stream needs at least one request and one row"));
    }
    if requests > MOST_REQUESTS {
        return Err(Fault::input(format!(
            "{requests} requests are too many; a stream has at most {MOST_REQUESTS}"
        )));
    }
    Ok(DramJob { config: config.clone(), pattern, requests, rows, seed: of("seed", 1)? })
}

/// One burst on the bus, in command clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Burst {
    /// Its bank.
    pub bank: usize,
    /// When its turn at the bank came.
    pub from: u64,
    /// When its data was on the bus.
    pub data: u64,
    /// When its data had passed.
    pub end: u64,
}

pub(super) fn run(job: &DramJob) -> Measured {
    let dram = &job.config.dram;
    // The clock of a channel is one tick here: every time below is a count of command clocks.
    let spec = ChannelSpec::new(dram, Ticks(1));
    let mut channel = PseudoChannel::new(&spec, 1023);
    let wires = u64::from(dram.channel_bits / dram.pseudo_channels * dram.data_rate);
    let burst_clocks = (u64::from(dram.burst_bytes) * 8).div_ceil(wires.max(1)).max(1);
    let banks = (dram.bank_groups * dram.banks_per_group) as usize;
    let mut free = vec![0; banks];
    let mut bursts = Vec::new();
    let (mut sent, mut waiting, mut now, mut latency, mut end) = (0, 0_u32, Ticks(0), 0, 0);
    loop {
        while sent < job.requests && waiting < dram.queue {
            channel.push(&spec, Access { at: now, token: sent, write: false, ..place(job, sent) }, now);
            (sent, waiting) = (sent + 1, waiting + 1);
        }
        if channel.next_decision() == Ticks::NEVER {
            break;
        }
        now = channel.next_decision();
        let Some((access, done)) = channel.decide(&spec) else { continue };
        waiting -= 1;
        latency += done.0 - access.at.0;
        end = end.max(done.0);
        let from = std::mem::replace(&mut free[access.bank], done.0);
        let data = done.0 - burst_clocks;
        if done.0 <= CLOCKS_A_COLUMN * COLUMNS {
            bursts.push(Burst { bank: access.bank, from: from.min(data), data, end: done.0 });
        }
    }
    let counters = channel.counters();
    let values = [
        end as f64,
        counters.busy_ticks as f64 / end as f64 * 100.0,
        latency as f64 / job.requests as f64,
        counters.row_hits as f64,
        counters.row_misses as f64,
        counters.row_conflicts as f64,
    ];
    let values = METRICS.into_iter().map(str::to_owned).zip(values).collect();
    let texts = BTreeMap::from([("bursts".to_owned(), picture(&bursts))]);
    let record = Recorded { bursts, ..Recorded::default() };
    Measured { values, texts, record, ..Measured::default() }
}

/// Where a request of the stream goes.
fn place(job: &DramJob, number: u64) -> Access {
    let dram = &job.config.dram;
    let banks = u64::from(dram.bank_groups * dram.banks_per_group);
    let (bank, row) = match job.pattern {
        Pattern::Sequential => {
            // The lines of the first pseudo-channel.
            let bursts = LINE_BYTES / u64::from(dram.burst_bytes).max(1);
            let line = number / bursts.max(1) * u64::from(dram.pseudo_channels);
            let place = DramMap::new(dram).place(line);
            (place.bank, place.row)
        }
        Pattern::Random => {
            let hash = mix(number ^ job.seed << 32);
            (index(hash % banks), (hash >> 32) % job.rows)
        }
    };
    Access { bank, row, write: false, token: number, sectors: SectorMask(1), at: Ticks(0) }
}

/// A hash whose bits are all good (the finaliser of SplitMix64).
fn mix(seed: u64) -> u64 {
    let mut value = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

/// A row for each bank: `-` while it works for a burst, `#` while its data is on the bus.
fn picture(bursts: &[Burst]) -> String {
    let scale = CLOCKS_A_COLUMN;
    let columns = index(COLUMNS);
    let mut banks: Vec<usize> = bursts.iter().map(|burst| burst.bank).collect();
    banks.sort_unstable();
    banks.dedup();
    let mut text = format!("{scale} clocks per column; - access, # data on the bus\n");
    let mut bus = vec![b' '; columns];
    for bank in banks {
        let mut row = vec![b' '; columns];
        for burst in bursts.iter().filter(|burst| burst.bank == bank) {
            let data = burst.data / scale;
            let places = [burst.from / scale, data, (burst.end / scale).max(data + 1)];
            let [from, data, end] = places.map(index);
            row[from..data].fill(b'-');
            row[data..end].fill(b'#');
            bus[data..end].fill(b'#');
        }
        text.push_str(&line(&format!("bank {bank}"), &row));
    }
    text + &line("bus", &bus)
}

/// A number of a bank or of a column of the picture.
fn index(small: u64) -> usize {
    usize::try_from(small)
        .expect("there are fewer banks than a u32 counts, and fewer columns than a line has")
}

fn line(name: &str, cells: &[u8]) -> String {
    format!("{name:<8}{}", String::from_utf8_lossy(cells)).trim_end().to_owned() + "\n"
}

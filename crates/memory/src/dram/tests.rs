//! A command comes exactly when its constraints allow: never a tick earlier, never later when it is alone.

use super::{Access, ChannelSpec, PseudoChannel};
use warplab_config::Ticks;
use warplab_config::gpu::{BankRefresh, Dram, DramClocks, TimingRules};
use warplab_units::SectorMask;

/// A small channel whose clock is one tick, so that every expectation below counts command clocks.
pub(super) fn dram() -> Dram {
    Dram {
        gib: 1,
        channels: 1,
        channel_bits: 64,
        data_rate: 4,
        pseudo_channels: 2,
        bank_groups: 2,
        banks_per_group: 2,
        ranks: 1,
        row_bytes: 1024,
        pieces: None,
        closes_rows: false,
        burst_bytes: 32,
        queue: 8,
        write_high: 4,
        write_low: 1,
        refresh_partition_stagger: 37,
        refresh_channel_stagger: 509,
        stack_refresh_phases: Vec::new(),
        timing_rules: TimingRules::Jedec,
        clocks: DramClocks {
            cl: 20,
            cwl: 10,
            rcd_read: 31,
            rcd_write: 15,
            rp: 26,
            ras: 45,
            rc: 72,
            ccd_short: 2,
            ccd_long: 4,
            rrd_short: 4,
            rrd_long: 5,
            faw: 24,
            wr: 33,
            rtp: 9,
            wtr_short: 7,
            wtr_long: 10,
            rtw: 20,
            refi: 100_000,
            rfc: 560,
            ppd: None,
            bank_refresh: None,
        },
    }
}

fn read(bank: usize, row: u64, at: u64) -> Access {
    Access { bank, row, write: false, token: 0, sectors: SectorMask(1), at: Ticks(at) }
}

fn write(bank: usize, row: u64, at: u64) -> Access {
    Access { write: true, ..read(bank, row, at) }
}

/// When the data of each access was there, in the order of column commands.
fn times(dram: &Dram, accesses: &[Access]) -> Vec<u64> {
    let spec = ChannelSpec::new(dram, Ticks(1));
    let mut channel = PseudoChannel::new(&spec, 1023);
    for (token, access) in accesses.iter().enumerate() {
        channel.push(&spec, Access { token: token as u64, ..*access }, Ticks(0));
    }
    let mut done = Vec::new();
    while channel.next_decision() != Ticks::NEVER {
        done.extend(channel.decide(&spec));
    }
    let mut by_token: Vec<(u64, u64)> = done.iter().map(|(access, at)| (access.token, at.0)).collect();
    by_token.sort_unstable();
    by_token.into_iter().map(|(_, at)| at).collect()
}

/// Column command to data: 20 clocks of latency and 2 of burst.
const DATA: u64 = 22;

#[test]
fn a_read_of_a_closed_bank_takes_activate_and_column_latency() {
    assert_eq!(times(&dram(), &[read(0, 5, 100)]), [100 + 31 + DATA]);
}

#[test]
fn reads_of_an_open_row_follow_at_the_column_interval_of_their_bank_group() {
    assert_eq!(times(&dram(), &[read(0, 5, 0), read(0, 5, 0)]), [31 + DATA, 31 + 4 + DATA]);
}

#[test]
fn reads_of_two_bank_groups_follow_at_the_short_interval() {
    let opened = [read(0, 5, 0), read(2, 5, 0)];
    // The second activate comes 4 clocks later, and so does its column command.
    assert_eq!(times(&dram(), &opened), [31 + DATA, 4 + 31 + DATA]);
    let streamed = [read(0, 5, 0), read(2, 5, 0), read(0, 5, 60), read(2, 5, 60)];
    assert_eq!(times(&dram(), &streamed)[2..], [60 + DATA, 62 + DATA]);
}

#[test]
fn another_row_of_a_bank_waits_for_precharge_and_activate() {
    // Activate at 0; precharge no earlier than 45 (tRAS); activate 26 later but no earlier than 72 (tRC).
    assert_eq!(times(&dram(), &[read(0, 5, 0), read(0, 6, 0)]), [31 + DATA, 72 + 31 + DATA]);
}

#[test]
fn activates_of_one_bank_group_are_further_apart() {
    let same_group = times(&dram(), &[read(0, 5, 0), read(1, 5, 0)]);
    assert_eq!(same_group, [31 + DATA, 5 + 31 + DATA]);
}

#[test]
fn no_more_than_four_activates_fall_into_one_window() {
    let mut dram = dram();
    dram.bank_groups = 8;
    dram.clocks.faw = 40;
    let accesses: Vec<Access> = (0..5).map(|group| read(group * 2, 5, 0)).collect();
    // Activates at 0, 4, 8, 12, and the fifth at 40.
    assert_eq!(times(&dram, &accesses), [0, 4, 8, 12, 40].map(|activate| activate + 31 + DATA));
}

#[test]
fn an_open_row_goes_before_an_older_request_for_another_row() {
    let spec = ChannelSpec::new(&dram(), Ticks(1));
    let mut channel = PseudoChannel::new(&spec, 1023);
    for (token, row) in [(0, 5), (1, 6), (2, 5)] {
        channel.push(&spec, Access { token, ..read(0, row, 0) }, Ticks(0));
    }
    let mut order = Vec::new();
    while channel.next_decision() != Ticks::NEVER {
        order.extend(channel.decide(&spec).map(|(access, _)| access.token));
    }
    assert_eq!(order, [0, 2, 1]);
    let counters = channel.counters();
    assert_eq!((counters.row_misses, counters.row_hits, counters.row_conflicts), (1, 1, 1));
}

#[test]
fn a_read_after_writes_waits_for_the_turnaround() {
    let spec = ChannelSpec::new(&dram(), Ticks(1));
    let mut channel = PseudoChannel::new(&spec, 1023);
    channel.push(&spec, write(0, 5, 0), Ticks(0));
    let mut done = Vec::new();
    while done.is_empty() {
        done.extend(channel.decide(&spec));
    }
    // The write's column command came at 15 (activate to write); its data is taken at once for the accounts.
    assert_eq!(done[0].1, Ticks(15 + 2));
    channel.push(&spec, read(0, 5, 16), Ticks(0));
    let mut data = None;
    while data.is_none() {
        data = channel.decide(&spec);
    }
    // Write latency 10, burst 2, and 10 clocks to a read of the same bank group, after the command at 15.
    assert_eq!(data.map(|(_, at)| at.0), Some(15 + 10 + 2 + 10 + DATA));
}

#[test]
fn a_refresh_blocks_every_bank() {
    let mut dram = dram();
    dram.clocks.refi = 1024;
    let at = 1024 * 1024 / 1024 + 10;
    // The refresh fell due at 1024; the banks were closed, so it lasted from 1024 to 1584.
    assert_eq!(times(&dram, &[read(0, 5, at)]), [1024 + 560 + 31 + DATA]);
}

#[test]
fn a_channel_asks_for_the_next_command_exactly_when_it_is_ready() {
    let spec = ChannelSpec::new(&dram(), Ticks(1));
    let mut channel = PseudoChannel::new(&spec, 1023);
    channel.push(&spec, read(0, 5, 100), Ticks(0));
    assert_eq!((channel.next_decision(), channel.decide(&spec)), (Ticks(100), None));
    // The read is at 131 and not before.
    assert_eq!(channel.next_decision(), Ticks(131));
    assert_eq!(channel.decide(&spec).map(|(_, data)| data), Some(Ticks(131 + DATA)));
    assert_eq!(channel.next_decision(), Ticks::NEVER);
}

/// Tokens in the order of column commands.
fn order(dram: &Dram, accesses: &[Access]) -> Vec<u64> {
    let spec = ChannelSpec::new(dram, Ticks(1));
    let mut channel = PseudoChannel::new(&spec, 1023);
    for (token, access) in accesses.iter().enumerate() {
        channel.push(&spec, Access { token: token as u64, ..*access }, Ticks(0));
    }
    let mut order = Vec::new();
    while channel.next_decision() != Ticks::NEVER {
        order.extend(channel.decide(&spec).map(|(access, _)| access.token));
    }
    order
}

#[test]
fn fewer_writes_than_the_high_watermark_wait_for_all_reads() {
    let accesses = [write(0, 5, 0), write(0, 5, 0), write(0, 5, 0), read(0, 5, 0), read(0, 6, 0)];
    assert_eq!(order(&dram(), &accesses), [3, 4, 0, 1, 2]);
}

#[test]
fn writes_at_the_high_watermark_go_until_the_low_watermark_is_left() {
    let mut accesses = vec![read(0, 5, 0)];
    accesses.extend([write(0, 5, 0); 4]);
    // Four writes turn the channel; when one is left it turns back.
    assert_eq!(order(&dram(), &accesses), [1, 2, 3, 0, 4]);
}

#[test]
fn a_write_after_reads_waits_for_the_turnaround() {
    // The read's column command is at 31; the write's 20 clocks later.
    assert_eq!(times(&dram(), &[read(0, 5, 0), write(0, 5, 0)])[1], 31 + 20 + 2);
}

#[test]
fn of_accesses_that_are_ready_at_once_the_oldest_goes() {
    // All rows are open from clock 200 on; banks of different groups.
    let opened = [read(0, 5, 0), read(2, 5, 0)];
    let late = [read(2, 5, 200), read(0, 5, 200)];
    assert_eq!(order(&dram(), &[opened, late].concat()), [0, 1, 2, 3]);
}

#[test]
fn refreshes_in_idle_time_are_counted_and_close_the_rows() {
    let mut dram = dram();
    dram.clocks.refi = 1024;
    let spec = ChannelSpec::new(&dram, Ticks(1));
    let mut channel = PseudoChannel::new(&spec, 1023);
    let mut data = Vec::new();
    for at in [0, 4 * 1024 + 600] {
        channel.push(&spec, read(0, 5, at), Ticks(0));
        while channel.next_decision() != Ticks::NEVER {
            data.extend(channel.decide(&spec).map(|(_, data)| data.0));
        }
    }
    // Four refreshes passed, the last one 24 clocks ago: the row must be opened again.
    assert_eq!(data, [31 + DATA, 4 * 1024 + 600 + 31 + DATA]);
    assert_eq!((channel.counters().refreshes, channel.counters().activates), (4, 2));
}

#[test]
fn a_refresh_of_all_banks_waits_until_the_open_ones_are_closed() {
    let mut dram = dram();
    dram.clocks.refi = 1024;
    // The row is opened at 1000, read at 1031 when the refresh is due, may be closed at 1045 and is closed at 1071.
    assert_eq!(times(&dram, &[read(0, 5, 1000)]), [1071 + 560 + 31 + DATA]);
}

#[test]
fn pseudo_channels_of_different_stagger_are_refreshed_at_different_times() {
    let mut dram = dram();
    dram.clocks.refi = 1024;
    let spec = ChannelSpec::new(&dram, Ticks(1));
    let data = [0, 511].map(|stagger| {
        let mut channel = PseudoChannel::new(&spec, stagger);
        channel.push(&spec, read(0, 5, 300), Ticks(0));
        std::iter::from_fn(|| Some(channel.decide(&spec))).flatten().next().map(|(_, data)| data.0)
    });
    // The first was refreshed from 1 to 561; the second will be at 512.
    assert_eq!(data, [Some(561 + 31 + DATA), Some(300 + 31 + DATA)]);
}

fn with_bank_refresh() -> Dram {
    let mut dram = dram();
    dram.clocks.bank_refresh = Some(BankRefresh { refi: 1024, rfc: 320, rrefd: 13 });
    dram
}

#[test]
fn a_refresh_of_one_bank_blocks_that_bank_and_holds_up_the_others_briefly() {
    // Bank 0 is refreshed from 1024 to 1344; others may be activated 13 clocks after its start.
    let accesses = [read(0, 5, 1030), read(2, 5, 1030)];
    assert_eq!(times(&with_bank_refresh(), &accesses), [1344 + 31 + DATA, 1037 + 31 + DATA]);
}

#[test]
fn banks_are_refreshed_in_turn() {
    // At 2048 it is the turn of bank 1.
    let accesses = [read(0, 5, 2100), read(1, 5, 2100)];
    assert_eq!(times(&with_bank_refresh(), &accesses), [2100 + 31 + DATA, 2368 + 31 + DATA]);
}

/// Two ranks of two banks: one is refreshed from 1024 to 1584, the other from 2048 on.
fn with_two_ranks() -> Dram {
    let mut dram = Dram { ranks: 2, ..dram() };
    dram.clocks.refi = 2048;
    dram
}

#[test]
fn the_banks_of_one_rank_are_refreshed_at_once_and_those_of_the_other_go_on() {
    let accesses = [read(0, 5, 1030), read(1, 5, 1040), read(2, 5, 1030), read(3, 5, 1040)];
    let expected = [1584 + 31, 1040 + 31, 1584 + 4 + 31, 1040 + 4 + 31].map(|read| read + DATA);
    assert_eq!(times(&with_two_ranks(), &accesses), expected);
    let later = [read(0, 5, 2060), read(1, 5, 2060)];
    assert_eq!(times(&with_two_ranks(), &later), [2060 + 31 + DATA, 2048 + 560 + 31 + DATA]);
}

#[test]
fn writes_to_a_rank_that_is_refreshed_do_not_hold_up_reads() {
    let writes = [write(0, 5, 1030), write(0, 5, 1030), write(0, 5, 1030)];
    let times = times(&with_two_ranks(), &[&writes[..], &[read(1, 5, 1040)]].concat());
    assert_eq!(times[3], 1040 + 31 + DATA);
}

#[test]
fn counters_that_are_taken_start_anew() {
    let spec = ChannelSpec::new(&dram(), Ticks(1));
    let mut channel = PseudoChannel::new(&spec, 1023);
    for (at, expected) in [(0, (1, 0)), (100, (0, 1))] {
        channel.push(&spec, read(0, 5, at), Ticks(0));
        while channel.next_decision() != Ticks::NEVER {
            channel.decide(&spec);
        }
        let counters = channel.take_counters();
        assert_eq!((counters.row_misses, counters.row_hits), expected);
    }
}

#[test]
fn a_row_that_nobody_waits_for_is_closed_at_once() {
    let spec = ChannelSpec::new(&Dram { closes_rows: true, ..dram() }, Ticks(1));
    let mut channel = PseudoChannel::new(&spec, 1023);
    let mut moments = Vec::new();
    for access in [read(0, 1, 0), read(0, 2, 200)] {
        channel.push(&spec, access, access.at);
        while let Some((now, _)) = channel.data_before(&spec, Ticks::NEVER) {
            moments.push(now.0);
        }
    }
    // The second row needs no precharge, only an activate.
    assert_eq!(moments, [31, 200 + 31]);
    assert_eq!((channel.counters().row_conflicts, channel.counters().precharges), (0, 2));
}

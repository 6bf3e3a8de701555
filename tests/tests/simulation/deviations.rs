//! The differences of DEVIATIONS.md from the hardware, each pinned: when one is mended, its row and its test go.

use warplab_config::Ticks;
use warplab_memory::dram::{Access, ChannelSpec, PseudoChannel};
use warplab_tests::{case_named, cases, gpu, simulate, suite_program};
use warplab_units::SectorMask;

#[test]
fn atomic_operations_on_one_word_take_a_fifth_longer_than_those_on_the_sectors_of_a_line() {
    let config = gpu("h200");
    let program = suite_program(&config, "atomics");
    let all = cases("atomics");
    let cycles_a_sector = |name: &str, sectors: f64| {
        let simulated = simulate(&config, &program, case_named(&all, name)).expect("it runs");
        simulated.outcome.counters.elapsed_cycles as f64 / sectors
    };
    let (word, line) =
        (cycles_a_sector("red_lanes8_4B_w1", 270_336.0), cycles_a_sector("red_still_mask31", 540_672.0));
    // As on the hardware, with the launch.
    assert!((word - 1.47).abs() < 0.01 && (line - 1.21).abs() < 0.01, "{word} and {line} cycles a sector");
}

#[test]
fn the_h200_refreshes_half_of_the_banks_at_a_time_and_spaces_no_precharges() {
    let dram = gpu("h200").dram;
    let clocks = dram.clocks;
    assert_eq!((dram.ranks, clocks.bank_refresh, clocks.refi, clocks.rfc), (2, None, 6168, 457));
    assert_eq!(clocks.ppd, None);
}

#[test]
fn a_pseudo_channel_has_the_banks_of_one_stack() {
    let dram = gpu("h200").dram;
    // Stacks of eight layers and more have two and more of these.
    assert_eq!(dram.bank_groups * dram.banks_per_group, 16);
}

#[test]
fn an_activate_waits_a_clock_for_a_column_command_of_another_bank() {
    let spec = ChannelSpec::new(&gpu("h200").dram, Ticks(1));
    let mut channel = PseudoChannel::new(&spec, 1023);
    let read = |bank, at| Access {
        bank,
        row: 1,
        write: false,
        token: bank as u64,
        sectors: SectorMask(1),
        at: Ticks(at),
    };
    channel.push(&spec, read(0, 0), Ticks(0));
    channel.decide(&spec);
    // Bank 0 is read at 31, when bank 4 could be activated: with buses of their own both would happen at once.
    channel.push(&spec, read(4, 31), Ticks(31));
    let mut data = Vec::new();
    while channel.next_decision() != Ticks::NEVER {
        data.extend(channel.decide(&spec).map(|(_, data)| data.0));
    }
    assert_eq!(data, [31 + 20 + 2, 32 + 31 + 20 + 2]);
}

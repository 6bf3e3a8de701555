//! The two halves of the L2 beside the H200: `traces/h200/halves`, `traces/h200/slices` and the suites.

use warplab_memory::AddressMap;
use warplab_tests::{case_named, cases, gpu, listing, simulate, suite_program};
use warplab_units::{Address, LINE_BYTES, TypedId};

#[test]
fn a_footprint_beyond_the_near_half_costs_what_it_costs_on_the_hardware() {
    let config = gpu("h200");
    let program = suite_program(&config, "suite");
    let all = cases("suite");
    let cycles = |name: &str| {
        let simulated = simulate(&config, &program, case_named(&all, name)).expect("it runs");
        f64::from(simulated.image.buffer("cycles").expect("the clock").word(1)) / 4096.0
    };
    // The hardware reads 285 and 512: of the lines that the near half has lost, half are at home there and come from
    // DRAM, and half are still in the other.
    let (near, beyond) = (cycles("chase_l2_64KiB"), cycles("chase_l2_32768KiB"));
    assert!((280.0..290.0).contains(&near) && (490.0..535.0).contains(&beyond), "{near} and {beyond} cycles");
}

#[test]
fn sectors_that_go_on_to_their_home_are_counted_twice_as_on_the_hardware() {
    let config = gpu("h200");
    let program = listing("traces/h200/suite.sass");
    let all = cases("suite");
    for name in ["ilp_tlp_e2_b128_2e20", "copy_f4_2e20"] {
        let case = case_named(&all, name);
        // Which block comes to which half is chance: the mean of several starts counts.
        let from = |start: u32| {
            let mut config = config.clone();
            config.launch.kernel_start += start * 97;
            let counters = simulate(&config, &program, case).expect("it runs").outcome.counters;
            [counters.memory.l2.read_sectors, counters.memory.l2.write_sectors]
        };
        let runs = [0, 1, 2, 3].map(from);
        for (number, metric) in
            ["lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"].into_iter().enumerate()
        {
            let sectors = runs.iter().map(|run| run[number]).sum::<u64>() / runs.len() as u64;
            let ratio = sectors as f64 / case.metrics[metric];
            assert!(
                (0.99..1.01).contains(&ratio),
                "{name}: {sectors} {metric}, {ratio:.3} of the hardware's"
            );
        }
    }
}

#[test]
fn lines_at_any_power_of_two_distance_reach_every_partition() {
    let config = gpu("h200");
    let map = AddressMap::new(&config);
    for shift in 0..16 {
        let mut counts = vec![0u32; config.partitions()];
        for line in 0..94 * 256u64 {
            counts[map.home_partition(Address((line << shift) * LINE_BYTES)).index()] += 1;
        }
        let (least, most) = (counts.iter().min().copied(), counts.iter().max().copied());
        assert!(
            least > Some(150) && most < Some(380),
            "distance {}: {least:?} to {most:?} of 256",
            1 << shift
        );
    }
}

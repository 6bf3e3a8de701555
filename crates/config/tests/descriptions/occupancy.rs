//! Occupancy: the worked numbers of the course, vendor documents, and every case that was measured.

use std::collections::HashMap;
use warplab_config::gpu::Limits;
use warplab_config::occupancy::{Limiter, wave_shares};
use warplab_config::{KernelResources, Occupancy, load_gpu, occupancy};
use warplab_diagnostics::Source;

fn root(path: &str) -> String {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn limits(name: &str) -> Limits {
    load_gpu(&Source::new(name, root(&format!("configs/gpus/{name}.ron")))).unwrap().limits
}

fn kernel(threads_per_block: u32, registers: u32, shared: u32) -> KernelResources {
    KernelResources { threads_per_block, registers, static_shared: shared, ..KernelResources::default() }
}

fn on(name: &str, kernel: KernelResources) -> Occupancy {
    occupancy(&limits(name), &kernel)
}

#[test]
fn occupancy_registers_63_registers_take_2048_a_warp_and_leave_32_warps() {
    let found = on("h100-sxm", kernel(256, 63, 0));
    assert_eq!(
        (found.registers_per_block / found.warps_per_block, found.warps, found.fraction),
        (2048, 32, 0.5)
    );
    assert_eq!(found.limiters, [Limiter::Registers]);
}

#[test]
fn occupancy_shared_17408_bytes_leave_12_blocks() {
    let found = on("h100-sxm", kernel(128, 16, 17408));
    let before_rounding = 233_472.0 / f64::from(found.shared_per_block);
    assert_eq!(format!("{:.2}", (before_rounding * 100.0).floor() / 100.0), "12.66");
    assert_eq!((found.blocks, found.warps, found.fraction), (12, 48, 0.75));
    assert_eq!(found.limiters, [Limiter::SharedMemory]);
}

#[test]
fn occupancy_block_size_all_columns_on_hopper() {
    let rows = [
        (32, 1024, 32, 1, 32, 50.0),
        (64, 2048, 64, 2, 32, 100.0),
        (256, 2048, 64, 8, 8, 100.0),
        (512, 2048, 64, 16, 4, 100.0),
        (768, 1536, 48, 24, 2, 75.0),
        (1024, 2048, 64, 32, 2, 100.0),
    ];
    for (size, threads, warps, warps_per_block, blocks, percent) in rows {
        let found = on("h100-sxm", kernel(size, 32, 0));
        let row = (
            size,
            found.blocks * size,
            found.warps,
            found.warps_per_block,
            found.blocks,
            found.fraction * 100.0,
        );
        assert_eq!(row, (size, threads, warps, warps_per_block, blocks, percent));
    }
}

#[test]
fn occupancy_registers_16k_35_registers_allow_468_threads_and_no_group_of_512() {
    assert_eq!(limits("gt200").registers / 35, 468);
    let groups = [512, 256, 128].map(|threads| on("gt200", kernel(threads, 35, 0)).blocks);
    assert_eq!(groups, [0, 1, 3]);
}

#[test]
fn occupancy_17_16_one_register_less_lets_a_fourth_group_in() {
    // The course counts single registers; the machine gives them out in units of 512.
    let exact = Limits { register_unit: 1, ..limits("gt200") };
    let found = [17, 16].map(|registers| occupancy(&exact, &kernel(256, registers, 0)));
    assert_eq!(found.each_ref().map(|found| found.registers_per_block), [4352, 4096]);
    assert_eq!(found.each_ref().map(|found| found.limit_registers), [Some(3), Some(4)]);
    let rounded = [17, 16].map(|registers| on("gt200", kernel(256, registers, 0)));
    assert_eq!(rounded.each_ref().map(|found| found.registers_per_block), [4608, 4096]);
    assert_eq!(rounded.each_ref().map(|found| found.limit_registers), [Some(3), Some(4)]);
}

#[test]
fn cuda_calculator_2_0_the_sheet_is_right_for_18_registers_not_for_the_8_it_shows() {
    let found = on("fermi", kernel(256, 18, 1024));
    assert_eq!((found.warps_per_block, found.registers_per_block, found.shared_per_block), (8, 4608, 1024));
    assert_eq!((found.limit_warps, found.limit_registers, found.limit_shared), (6, Some(7), Some(48)));
    assert_eq!(on("fermi", kernel(256, 8, 1024)).registers_per_block, 2048);
}

#[test]
fn fermi_slots_blocks_of_512_128_and_256_threads() {
    let found = [512, 128, 256].map(|threads| on("fermi", kernel(threads, 20, 0)));
    assert_eq!(found.each_ref().map(|found| found.blocks), [3, 8, 6]);
    assert_eq!(found[1].blocks * 128, 1024);
    assert_eq!(found[1].limiters, [Limiter::Blocks]);
}

#[test]
fn r_max_a_full_ga100_multiprocessor_allows_32_registers() {
    let a100 = limits("a100");
    assert_eq!(a100.registers / (a100.warps * a100.warp_lanes), 32);
    assert_eq!([32, 33].map(|registers| on("a100", kernel(256, registers, 0)).warps), [64, 48]);
}

#[test]
fn wi_min_262144_is_for_the_128_multiprocessors_of_a_whole_ga100() {
    let a100 = limits("a100");
    let items = |multiprocessors| a100.warps * a100.warp_lanes * multiprocessors;
    assert_eq!(items(128), 262_144);
    assert_eq!(items(a100.multiprocessors), 221_184, "an A100 has 108 of them");
}

#[test]
fn thread_utilization_1000_threads_in_blocks_of_100_and_128() {
    let share = |block: u32| {
        let found = on("h100-sxm", kernel(block, 32, 0));
        1000.0 / f64::from(1000_u32.div_ceil(block) * found.warps_per_block * 32) * 100.0
    };
    assert_eq!(share(100), 78.125);
    assert_eq!(share(128), 97.656_25);
}

#[test]
fn occupancy_emprism_by_the_formulas_of_the_report() {
    let sprint = Limits { registers: 128_000, ..limits("mi100") };
    let needs =
        |registers, shared| KernelResources { scalar_registers: 64, ..kernel(256, registers, shared) };
    let found = wave_shares(&sprint, &needs(52, 24 * 1024));
    assert_eq!((found.vector_waves, found.scalar_waves, found.local_waves), (38, 40, 10));
    assert_eq!(format!("{:.3}", found.vector_share), "0.962");
    assert_eq!((found.scalar_share, found.fraction), (1.0, 0.25));
    let registers_only = wave_shares(&sprint, &needs(64, 0));
    assert_eq!((registers_only.vector_share, registers_only.vector_waves), (0.78125, 31));
}

#[test]
fn occupancy_emprism_by_the_rules_of_the_machine() {
    // Whole waves of each SIMD unit and whole groups: 4 waves of 52 registers each, two groups of 24 KB.
    let found = on("mi100", KernelResources { scalar_registers: 64, ..kernel(256, 52, 24 * 1024) });
    assert_eq!((found.limit_registers, found.limit_shared, found.warps), (Some(4), Some(2), 8));
    // 76 registers and 24 KB on the V100: 37.5 %, by registers (the report says shared memory, which allows four).
    let v100 = on("v100", kernel(256, 76, 24 * 1024));
    assert_eq!((v100.fraction, v100.limit_shared, v100.limiters), (0.375, Some(4), vec![Limiter::Registers]));
}

#[test]
fn checks_of_compute_capability_9_0() {
    assert_eq!([32, 33].map(|registers| on("h200", kernel(256, registers, 0)).blocks), [8, 6]);
    assert_eq!(on("h200", kernel(256, 32, 48 * 1024)).blocks, 4);
}

#[test]
fn the_carve_out_leaves_level_one_what_was_measured() {
    let left = |shared: u32| 256 - on("h200", kernel(256, 32, shared * 1024)).carveout_kib;
    assert_eq!([16, 128, 32].map(left), [92, 124, 28]);
    let without_shared = 256 - on("h200", kernel(1, 16, 0)).carveout_kib;
    assert_eq!(without_shared, 224, "lsu/lsu.txt: 1,664 lines in turn hit, of 1,792 a fifth misses");
}

#[test]
fn what_cannot_run_has_no_blocks_and_a_reason() {
    let found = on("h200", kernel(2000, 32, 0));
    assert_eq!(found.blocks, 0);
    assert_eq!(found.impossible.as_deref(), Some("a block of 2000 threads; 1 to 1024 are possible"));
    let shared = on("h200", kernel(256, 32, 300_000)).impossible;
    assert_eq!(
        shared.as_deref(),
        Some("300000 bytes of shared memory per block; at most 232448 are possible")
    );
}

#[test]
fn the_calculation_is_told_step_by_step() {
    let steps = on("h200", kernel(128, 63, 17408)).steps;
    let told: Vec<String> = steps.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "warps per block: 128 threads / 32 lanes, rounded up = 4",
            "blocks by warps: 64 warps / 4 warps per block = 16",
            "blocks by block slots: limit of the multiprocessor = 32",
            "registers per warp: 63 registers x 32 lanes, rounded up to 256 = 2048",
            "warps per sub-partition by registers: 16384 registers / 2048, rounded down = 8",
            "registers per block: for 4 warps = 8192",
            "blocks by registers: 65536 registers = 8",
            "bytes of shared memory per block: 17408 static + 0 dynamic + 1024 reserved, rounded up to 128 = 18432",
            "KiB of the shared carve-out: room for 16 blocks of 18432 bytes, if that is at most 132 KiB; for 8 at least = 164",
            "blocks by shared memory: 167936 bytes / 18432 bytes per block = 9",
            "resident blocks: the least of these = 8",
            "resident warps: 8 blocks x 4 warps = 32",
        ]
    );
}

/// Bytes of shared memory that each kernel of a PTX file declares, inside or before it.
fn static_shared(ptx: &str) -> HashMap<String, u32> {
    let mut outside: HashMap<&str, u32> = HashMap::new();
    let mut found = HashMap::new();
    let mut current: Option<String> = None;
    let declared = |line: &str| -> Option<u32> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let kind = words.iter().find(|word| {
            word.starts_with('.') && word.get(2..).is_some_and(|bits| bits.parse::<u32>().is_ok())
        })?;
        let elements = line.split('[').skip(1).map(|part| part.split(']').next()?.parse::<u32>().ok());
        let count = elements.sum::<Option<u32>>()?;
        Some(kind[2..].parse::<u32>().ok()? / 8 * if line.contains('[') { count } else { 1 })
    };
    for line in ptx.lines() {
        if let Some(rest) = line.split(".entry ").nth(1) {
            current = Some(rest.split('(').next().unwrap().trim().to_owned());
            found.insert(current.clone().unwrap(), 0);
        } else if line.contains(".shared") && line.contains(".align") && !line.contains(".extern") {
            let bytes = declared(line).unwrap_or(0);
            match current.as_ref().filter(|_| line.starts_with(char::is_whitespace)) {
                Some(name) => *found.get_mut(name).unwrap() += bytes,
                None => {
                    let name = line.split('[').next().unwrap().split_whitespace().last().unwrap();
                    outside.insert(name, bytes);
                }
            }
        }
        if let Some(name) = &current {
            let used: Vec<&str> = outside.keys().copied().filter(|name| line.contains(*name)).collect();
            for variable in used {
                let bytes = outside.remove(variable).unwrap_or(0);
                *found.get_mut(name).unwrap() += bytes;
            }
        }
    }
    found
}

/// Registers of a thread that the machine code of each kernel uses.
fn registers(listing: &str) -> HashMap<&str, u32> {
    let mut kernel = "";
    let mut found = HashMap::new();
    for line in listing.lines() {
        if let Some(name) = line.strip_prefix(".kernel ") {
            kernel = name;
        } else if let Some(count) = line.strip_prefix(".registers ") {
            found.insert(kernel, count.parse().unwrap());
        }
    }
    found
}

fn check_measured(suite: &str) -> usize {
    let h200 = limits("h200");
    let shared = static_shared(&root(&format!("traces/h200/{suite}.ptx")));
    let cases: HashMap<String, serde_json::Value> = root(&format!("traces/h200/{suite}.cases.jsonl"))
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|case| (case["case"].as_str().unwrap().to_owned(), case))
        .collect();
    let listing = root(&format!("traces/h200/{suite}.sass"));
    let used = registers(&listing);
    let table = root(&format!("traces/h200/{suite}.metrics.csv"));
    let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let column = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let names =
        ["registers", "shared_mem", "warps", "blocks"].map(|name| format!("launch__occupancy_limit_{name}"));
    let limit_columns = names.each_ref().map(|name| column(name));
    let (given, share) =
        (column("launch__registers_per_thread"), column("sm__maximum_warps_per_active_cycle_pct"));
    let mut faults = Vec::new();
    let mut count = 0;
    for row in rows {
        let case = &cases[row[0]];
        let threads: u64 =
            case["block"].as_array().unwrap().iter().map(|size| size.as_u64().unwrap()).product();
        let resources = KernelResources {
            threads_per_block: u32::try_from(threads).unwrap(),
            registers: used[row[1]],
            static_shared: shared[row[1]],
            dynamic_shared: u32::try_from(case["dynamic_shared_bytes"].as_u64().unwrap()).unwrap(),
            scalar_registers: 0,
        };
        let found = occupancy(&h200, &resources);
        // The profiler shows no more blocks by shared memory than there are block slots.
        let limit_shared = found.limit_shared.map(|blocks| blocks.min(found.limit_blocks));
        let limits = [found.limit_registers, limit_shared, Some(found.limit_warps), Some(found.limit_blocks)];
        let expected = limit_columns.map(|column| row[column].parse::<u32>().ok());
        let expected_share: f64 = row[share].parse().unwrap();
        assert_eq!(
            used[row[1]].max(h200.least_registers_per_thread),
            row[given].parse::<u32>().unwrap(),
            "{}",
            row[0]
        );
        if limits != expected || (found.fraction * 100.0 - expected_share).abs() > 0.005 {
            faults.push(format!(
                "{}: {resources:?}: {limits:?} {} but {expected:?} {expected_share}",
                row[0], found.fraction
            ));
        }
        count += 1;
    }
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
    count
}

#[test]
fn every_measured_case_of_the_suite_has_the_limits_that_the_profiler_reports() {
    assert_eq!(check_measured("suite"), 225);
}

#[test]
fn every_measured_case_of_the_microbenchmarks_has_the_limits_that_the_profiler_reports() {
    assert_eq!(check_measured("micro"), 247);
}

#[test]
fn every_measured_case_of_the_atomics_has_the_limits_that_the_profiler_reports() {
    assert_eq!(check_measured("atomics"), 104);
}

//! Whole reports of a hand-made launch.

use crate::{
    Device, Header, LaunchReport, PrintedOutput, details_csv, json, raw_csv, section_text, sections_text,
};
use warplab_config::{KernelResources, load_gpu, occupancy};
use warplab_diagnostics::Source;
use warplab_metrics::{Context, LaunchInfo, SectionValues, evaluate};
use warplab_trace::{LaunchCounters, SchedulerCounters, WarpState};

fn launch() -> (Header, Vec<SectionValues>, LaunchCounters) {
    let source = Source::new("h200.ron", include_str!("../../../configs/gpus/h200.ron"));
    let config = load_gpu(&source).unwrap();
    let mut scheduler = SchedulerCounters {
        active_cycles: 2_000_000,
        issue_cycles: 1_900_000,
        eligible_cycles: 1_900_000,
        warp_cycles: 4_000_000,
        eligible_warp_cycles: 3_000_000,
        ..SchedulerCounters::default()
    };
    scheduler.states[WarpState::Selected.index()] = 1_900_000;
    let mut counters = LaunchCounters {
        elapsed_cycles: 62_005,
        multiprocessors: 132,
        partitions: 96,
        ticks_per_cycle: 1024,
        ..LaunchCounters::default()
    };
    counters.sm.schedulers = vec![scheduler; 4];
    counters.sm.active_cycles = 2_000_000;
    counters.sm.instructions.warp = 7_600_000;
    let info = LaunchInfo {
        kernel: "copy\"f4\"".to_owned(),
        grid: [4096, 1, 1],
        block: [256, 1, 1],
        registers: 32,
        ..LaunchInfo::default()
    };
    let resources = KernelResources { threads_per_block: 256, registers: 32, ..KernelResources::default() };
    let occupancy = occupancy(&config.limits, &resources);
    let context = Context { counters: &counters, config: &config, occupancy: &occupancy, launch: &info };
    let sections = evaluate(&context);
    let device = Device { name: config.name.clone(), architecture: config.architecture.clone() };
    (Header { device, launch: info }, sections, counters)
}

#[test]
fn a_section_looks_as_nsight_compute_prints_it() {
    let (_, sections, _) = launch();
    let scheduler = sections.iter().find(|values| values.section.name == "scheduler").unwrap();
    assert_eq!(
        section_text(scheduler),
        "    Section: Scheduler Statistics
    ---------------------------- ----------- ------------
    Metric Name                  Metric Unit Metric Value
    ---------------------------- ----------- ------------
    One or More Eligible                   %        95.00
    Issued Warp Per Scheduler           warp         0.95
    No Eligible                            %         5.00
    Active Warps Per Scheduler          warp         2.00
    Eligible Warps Per Scheduler        warp         1.50
    ---------------------------- ----------- ------------
"
    );
}

#[test]
fn verdicts_stand_under_their_section_and_are_wrapped() {
    let (header, sections, _) = launch();
    let text = sections_text(&header, &sections[..1]);
    assert!(text.starts_with(
        "  copy\"f4\" (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0 (NVIDIA H200), CC 9.0\n"
    ));
    let verdicts: Vec<&str> = text.lines().filter(|line| line.starts_with("    INF   ")).collect();
    assert_eq!(verdicts.len(), 1);
    assert!(text.lines().all(|line| line.chars().count() <= 118), "{text}");
}

#[test]
fn details_have_a_row_a_metric_in_the_columns_of_the_profiler() {
    let (header, sections, _) = launch();
    let text = details_csv(&[(header, sections)]);
    let mut lines = text.lines();
    assert_eq!(
        lines.next().unwrap(),
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\
         \"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\""
    );
    assert!(lines.any(|line| line
        == "\"0\",\"0\",\"warplab\",\"127.0.0.1\",\"copy\"\"f4\"\"\",\"1\",\"7\",\"(256, 1, 1)\",\"(4096, 1, 1)\",\"0\",\
            \"9.0\",\"GPU Speed Of Light Throughput\",\"Elapsed Cycles\",\"cycle\",\"62,005\""));
}

#[test]
fn raw_has_a_row_a_launch_and_units_in_the_second_row() {
    let (header, sections, _) = launch();
    let text = raw_csv(&[(header.clone(), sections.clone()), (header, sections)]);
    let rows: Vec<Vec<String>> = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes())
        .records()
        .map(|record| record.unwrap().iter().map(str::to_owned).collect())
        .collect();
    assert_eq!(rows.len(), 4);
    let column = |id: &str| rows[0].iter().position(|head| head == id).unwrap();
    let elapsed = column("sm__cycles_elapsed.max");
    assert_eq!([&rows[1][elapsed], &rows[2][elapsed], &rows[3][elapsed]], ["cycle", "62,005", "62,005"]);
    let time = column("gpu__time_duration.sum");
    assert_eq!([&rows[1][time], &rows[2][time]], ["ns", "31,315.66"]);
    assert_eq!(rows[3][0], "1");
}

#[test]
fn json_has_stable_keys() {
    let (header, sections, counters) = launch();
    let report = LaunchReport { header: &header, sections: &sections, counters: &counters };
    let text = json(report, &PrintedOutput::default());
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema_version"], 1);
    assert_eq!(value["launch"]["grid"], serde_json::json!([4096, 1, 1]));
    assert_eq!(value["metrics"]["sm__cycles_elapsed.max"]["value"], 62_005);
    assert_eq!(value["metrics"]["l1tex__t_sector_hit_rate.pct"]["value"], serde_json::Value::Null);
    assert_eq!(value["counters"]["elapsed_cycles"], 62_005);
    assert_eq!(value["sections"][0]["name"], "speed-of-light");
    assert_eq!(text, json(report, &PrintedOutput::default()));
}

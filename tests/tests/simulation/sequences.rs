//! Launches one after the other, as a real H200 ran them: L2 stays warm, L1 does not (`traces/h200/sequences`).

use warplab_config::launch::Argument;
use warplab_diagnostics::Source;
use warplab_gpu::RunOptions;
use warplab_lab::reference::{self, Case};
use warplab_run::{
    KernelLaunch, NO_SYMBOLS, Sequence, SequenceOptions, SimulatedSequence, no_files, simulate_sequence,
};
use warplab_tests::{compile, gpu, read};

/// The launches of a sequence in order, each a case.
fn launches(name: &str) -> Vec<Case> {
    let lines = read("traces/h200/sequences/warm.cases.jsonl");
    let start = format!("{{\"case\":\"{name}\",\"launch\":");
    let of_sequence = lines.lines().filter_map(|line| line.strip_prefix(&start)?.split_once(','));
    let cases: String =
        of_sequence.map(|(number, rest)| format!("{{\"case\":\"{name}@{number}\",{rest}\n")).collect();
    let table = read("traces/h200/sequences/warm.metrics.csv");
    let metrics: String = table
        .lines()
        .filter_map(|row| {
            let (case, rest) = row.split_once(',')?;
            let (number, rest) = rest.split_once(',')?;
            Some(if case == "case" { format!("case,{rest}\n") } else { format!("{case}@{number},{rest}\n") })
        })
        .collect();
    reference::read(&Source::new("cases", cases), &Source::new("metrics", metrics))
        .unwrap_or_else(|fault| panic!("{fault}"))
}

fn simulated(cases: &[Case]) -> SimulatedSequence {
    let config = gpu("h200");
    let program = compile(&config, "traces/h200/sequences/warm.ptx");
    let mut declarations: Vec<Argument> = Vec::new();
    for argument in cases.iter().flat_map(|case| &case.arguments) {
        if !argument.buffers().is_empty() && !declarations.contains(argument) {
            declarations.push(argument.clone());
        }
    }
    let launches: Vec<KernelLaunch<'_>> = cases
        .iter()
        .map(|case| KernelLaunch { kernel: &case.kernel, shape: case.shape, arguments: &case.arguments })
        .collect();
    let sequence = Sequence {
        program: &program,
        launches: &launches,
        declarations: &declarations,
        buffers: &[],
        symbols: &NO_SYMBOLS,
    };
    simulate_sequence(&config, &sequence, SequenceOptions::default(), &no_files, RunOptions::default())
        .unwrap_or_else(|fault| panic!("{fault}"))
}

/// Measured and simulated bytes that each launch read from DRAM, in thousandths of the first measured.
fn read_from_dram(name: &str) -> Vec<(u64, u64)> {
    let cases = launches(name);
    let run = simulated(&cases);
    let last = cases.last().expect("a launch");
    assert_eq!(last.wrong_outputs(&run.image), [""; 0], "{name}");
    beside(&cases, &run)
}

fn beside(cases: &[Case], run: &SimulatedSequence) -> Vec<(u64, u64)> {
    let first = cases[0].metrics["dram__bytes_read.sum"];
    let share = |bytes: f64| (bytes / first * 1000.0).round() as u64;
    cases
        .iter()
        .zip(&run.launches)
        .map(|(case, launch)| {
            let simulated = launch.outcome.counters.memory.dram.read_bytes as f64;
            (share(case.metrics["dram__bytes_read.sum"]), share(simulated))
        })
        .collect()
}

#[test]
fn what_the_first_launch_read_is_in_l2_for_the_others() {
    assert_eq!(read_from_dram("warm_sum_1MiB"), [(1000, 996), (1, 0), (0, 0)]);
    assert_eq!(read_from_dram("warm_sum_8MiB"), [(1000, 1000), (0, 0), (0, 0)]);
    assert_eq!(read_from_dram("warm_scale_8MiB"), [(1000, 1000), (0, 0), (0, 0)]);
}

/// A row of DEVIATIONS.md: the two halves of L2 keep a copy each of what SMs of both read, ours keeps one.
#[test]
fn a_second_sum_of_24_mib_reads_nothing_where_the_hardware_reads_a_twelfth() {
    let cases = &launches("warm_sum_24MiB")[..2];
    assert_eq!(beside(cases, &simulated(cases)), [(1000, 1000), (86, 0)]);
}

#[test]
fn what_one_launch_wrote_is_in_l2_for_the_next_that_reads_it() {
    let cases = launches("warm_fill_sum_8MiB");
    let run = simulated(&cases);
    let read: Vec<u64> = run.launches.iter().map(|it| it.outcome.counters.memory.dram.read_bytes).collect();
    let measured: Vec<f64> = cases.iter().map(|case| case.metrics["dram__bytes_read.sum"]).collect();
    assert_eq!(read, [0, 0, 0]);
    assert!(measured.iter().all(|&bytes| bytes < 0.01 * f64::from(8 << 20)), "{measured:?}");
}

#[test]
fn l1_is_empty_at_the_start_of_every_launch() {
    let cases = launches("warm_l1_64KiB");
    let run = simulated(&cases);
    for (case, launch) in cases.iter().zip(&run.launches) {
        let misses = |hit: f64, all: f64| all - hit;
        let measured = misses(
            case.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"],
            case.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
        );
        let l1 = &launch.outcome.counters.sm.l1;
        let simulated = misses(l1.global_load_sector_hits as f64, l1.global_load_sectors as f64);
        // 64 KiB are 2,048 sectors, asked once in every launch.
        assert_eq!((measured, simulated), (2048.0, 2048.0), "{}", case.name);
    }
}

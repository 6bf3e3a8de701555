//! The counters of real launches obey the identities, and so do the metrics made of them.

use std::path::{Path, PathBuf};
use warplab_config::launch::{Argument, Init as Rule};
use warplab_config::{GpuConfig, Launch, Occupancy, load_gpu, load_launch};
use warplab_diagnostics::{Diagnostic, Source, render};
use warplab_exec::{Init, LaunchShape, MemoryImage};
use warplab_gpu::RunOptions;
use warplab_metrics::{Context, LaunchInfo, evaluate, identities};
use warplab_program::{Kernel, Program};
use warplab_trace::{LaunchCounters, WarpState};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs")
}

fn source(path: &Path) -> Source {
    Source::new(path.display().to_string(), std::fs::read_to_string(path).unwrap())
}

fn or_panic<T>(source: &Source, result: Result<T, Vec<Diagnostic>>) -> T {
    result.unwrap_or_else(|faults| panic!("{}", render(source, &faults)))
}

fn gpu(name: &str) -> GpuConfig {
    let source = source(&folder().join(format!("gpus/{name}.ron")));
    or_panic(&source, load_gpu(&source))
}

fn launch(name: &str) -> (Launch, Program) {
    let launches = folder().join("launches");
    let text = source(&launches.join(format!("{name}.ron")));
    let launch = or_panic(&text, load_launch(&text));
    let ptx = source(&launches.join(&launch.program));
    let parsed = warplab_ptx::parse(&ptx);
    let options = warplab_lower::LowerOptions::new(gpu("h200").target());
    let lowered = warplab_lower::lower(&parsed.module, &ptx, &options);
    (launch, or_panic(&ptx, lowered).program)
}

fn parameters(launch: &Launch, kernel: &Kernel, image: &mut MemoryImage) -> Vec<u8> {
    let size =
        kernel.parameters.iter().map(|parameter| parameter.offset + parameter.bytes).max().unwrap_or(0);
    let mut bytes = vec![0; size as usize];
    for (argument, parameter) in launch.arguments.iter().zip(&kernel.parameters) {
        let bits = match argument {
            Argument::Buffer { name, size, init } => {
                let rule = if *init == Rule::IndexU32 { Init::IndexU32 } else { Init::HashF32 { seed: 1 } };
                image.allocate(name.as_str(), size.bytes, rule).0
            }
            Argument::I32(value) => u64::from(value.cast_unsigned()),
            Argument::U32(value) => u64::from(*value),
            Argument::F32(value) => u64::from(value.to_bits()),
            other => panic!("{other:?}"),
        };
        let start = parameter.offset as usize;
        let end = start + parameter.bytes as usize;
        bytes[start..end].copy_from_slice(&bits.to_le_bytes()[..parameter.bytes as usize]);
    }
    bytes
}

/// Runs at most `blocks` blocks of a launch.
fn run(config: &GpuConfig, name: &str, blocks: u32) -> (LaunchCounters, Occupancy, LaunchInfo) {
    let (launch, program) = launch(name);
    let kernel = program.kernel(&launch.kernel).unwrap();
    let mut image = MemoryImage::new();
    let parameters = parameters(&launch, kernel, &mut image);
    let symbols = warplab_exec::constants::allocate_globals(&program, &mut image).unwrap();
    let shape = LaunchShape {
        grid: [launch.grid.0.min(blocks), launch.grid.1.min(blocks), 1],
        block: [launch.block.0, launch.block.1, launch.block.2],
        dynamic_shared_bytes: launch.dynamic_shared_bytes.0 as u32,
    };
    let asked = warplab_gpu::LaunchRequest {
        program: &program,
        kernel: &launch.kernel,
        shape,
        parameters: &parameters,
        symbols: &symbols,
    };
    let prepared = warplab_gpu::prepare(config, &asked).unwrap();
    let (outcome, _) = warplab_gpu::run(config, &prepared, image, RunOptions::default()).unwrap();
    let info = LaunchInfo {
        kernel: launch.kernel.clone(),
        grid: shape.grid,
        block: shape.block,
        registers: kernel.registers,
        ..LaunchInfo::default()
    };
    (outcome.counters, prepared.occupancy, info)
}

const LAUNCHES: [&str; 6] =
    ["saxpy", "vector_add", "reduction", "matmul_tiled", "transpose_padded", "histogram_shared"];

#[test]
fn counters_of_real_launches_break_no_law() {
    let mut broken = Vec::new();
    for (machine, blocks) in [("h200", 600), ("toy", 6), ("textbook", 6)] {
        let config = gpu(machine);
        for name in LAUNCHES {
            let (counters, ..) = run(&config, name, blocks);
            broken.extend(identities(&counters).into_iter().map(|law| format!("{machine}, {name}: {law}")));
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn metrics_of_a_real_launch_obey_the_identities_of_the_profiler() {
    let config = gpu("toy");
    let (counters, occupancy, launch) = run(&config, "matmul_tiled", 4);
    let context = Context { counters: &counters, config: &config, occupancy: &occupancy, launch: &launch };
    let sections = evaluate(&context);
    let value = |id: &str| {
        let mut rows = sections.iter().flat_map(|section| &section.rows);
        rows.find(|row| row.metric.id == id).unwrap().value.number().unwrap()
    };
    let stall =
        |name: &str| value(&format!("smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio"));
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "{a} is not {b}");
    let active = value("smsp__warps_active.avg.per_cycle_active");
    let eligible = value("smsp__warps_eligible.avg.per_cycle_active");
    let issued = value("smsp__issue_active.avg.per_cycle_active");
    close(WarpState::all().map(|state| stall(state.name())).sum(), active / issued);
    close(stall("not_selected"), eligible / issued - 1.0);
    close(stall("selected"), 1.0);
    let some = value("smsp__issue_active.avg.pct_of_peak_sustained_active");
    close(some + value("smsp__issue_inst0.avg.pct_of_peak_sustained_active"), 100.0);
    for queue in ["loads", "memory", "l1_misses", "send_port", "requests", "l2", "dram", "replies"] {
        close(
            value(&format!("warplab__queue_{queue}_in_flight.avg")),
            value(&format!("warplab__queue_{queue}_littles_law.product")),
        );
    }
}

//! Every file of `configs/` loads, and says what its documents say.

use std::path::{Path, PathBuf};
use warplab_config::{GpuConfig, Launch, apply_override, load_gpu, load_launch, write_gpu};
use warplab_diagnostics::{Diagnostic, Source, render};

fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs")
}

fn sources(folder: &str) -> Vec<Source> {
    let entries = std::fs::read_dir(configs().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "ron")).collect();
    paths.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| Source::new(name(path), std::fs::read_to_string(path).unwrap())).collect()
}

fn loaded<T>(source: &Source, load: fn(&Source) -> Result<T, Vec<Diagnostic>>) -> T {
    load(source).unwrap_or_else(|faults| panic!("{}", render(source, &faults)))
}

fn gpus() -> Vec<(String, GpuConfig)> {
    sources("gpus").iter().map(|source| (source.name.clone(), loaded(source, load_gpu))).collect()
}

fn launches() -> Vec<(String, Launch)> {
    sources("launches").iter().map(|source| (source.name.clone(), loaded(source, load_launch))).collect()
}

#[test]
fn every_machine_loads() {
    let names: Vec<String> = gpus().into_iter().map(|(name, _)| name).collect();
    let expected = [
        "a100", "fermi", "gt200", "h100-sxm", "h200", "hd5870", "mi100", "mi250x", "t4", "textbook", "toy",
        "v100",
    ];
    assert_eq!(names, expected);
}

#[test]
fn every_machine_that_is_written_reads_back_as_it_was() {
    for (name, config) in gpus() {
        let written = Source::new("written.ron", write_gpu(&config).unwrap());
        assert_eq!(loaded(&written, load_gpu), config, "{name}");
    }
}

#[test]
fn the_dram_of_each_machine_has_the_bandwidth_of_its_document() {
    let documents = [
        ("h200", 4.813e12),
        ("h100-sxm", 3.35e12),
        ("a100", 1.555e12),
        ("v100", 0.9e12),
        ("t4", 0.32e12),
        ("mi100", 1.2288e12),
        ("mi250x", 1.6384e12),
        ("hd5870", 0.1536e12),
    ];
    let gpus = gpus();
    for (name, expected) in documents {
        let found = gpus.iter().find(|(found, _)| found == name).unwrap().1.dram_bytes_per_second();
        assert!((found / expected - 1.0).abs() < 1e-3, "{name}: {found} bytes per second, not {expected}");
    }
}

#[test]
fn every_number_of_a_real_machine_has_its_source_on_its_line() {
    for source in sources("gpus").iter().filter(|source| !["toy", "textbook"].contains(&source.name.as_str()))
    {
        for line in source.text.lines().filter(|line| line.contains(": ") && !line.trim().starts_with("//")) {
            let names_itself =
                ["name:", "vendor:", "runnable:", "_seed:"].iter().any(|field| line.contains(field));
            assert!(names_itself || line.contains("// ") || line.ends_with("("), "{}: {line}", source.name);
        }
    }
}

#[test]
fn every_launch_loads_and_its_program_has_its_kernel() {
    let launches = launches();
    assert!(launches.len() >= 6);
    for (name, launch) in launches {
        let program = std::fs::read_to_string(configs().join("launches").join(&launch.program)).unwrap();
        assert!(!launch.expectations.is_empty(), "{name} expects nothing");
        for step in launch.steps() {
            let kernel = step.kernel;
            assert!(program.contains(&format!(".entry {kernel}(")), "{name}: no kernel {kernel}");
            let parameters =
                program.split(".entry").find(|part| part.trim_start().starts_with(kernel)).unwrap();
            let parameters = parameters.split(')').next().unwrap().matches(".param").count();
            assert_eq!(parameters, step.arguments.len(), "{name}: arguments");
        }
    }
}

#[test]
fn no_committed_kernel_names_the_machine_it_was_compiled_on() {
    for entry in std::fs::read_dir(configs().join("kernels")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let files = text.lines().filter(|line| line.trim_start().starts_with(".file"));
        files.for_each(|line| assert!(!line.contains("\"/"), "{}: {line}", path.display()));
    }
}

#[test]
fn a_changed_machine_is_checked_like_any_other() {
    let h200 = sources("gpus").into_iter().find(|source| source.name == "h200").unwrap();
    let set = |assignment: &str| {
        apply_override(&h200, warplab_config::DescriptionKind::Gpu, &Source::new("--set", assignment))
    };
    let changed = set("multiprocessor.scheduler=gto").unwrap();
    assert_eq!(
        loaded(&changed, load_gpu).multiprocessor.scheduler,
        warplab_config::gpu::SchedulerPolicy::Gto
    );
    assert_eq!(
        load_gpu(&set("l2.kib=30001").unwrap()).unwrap_err()[0].message,
        "l2.kib: 30001 KiB cannot be divided into 94 slices with sets of 16 lines"
    );
    let fault = |assignment| load_gpu(&set(assignment).unwrap()).unwrap_err()[0].message.clone();
    assert_eq!(fault("dram.ranks=3"), "dram.ranks: 3 ranks cannot share the 4 banks of a group");
    assert_eq!(
        fault("dram.clocks.refi=900"),
        "dram.clocks.refi: 900 is not above rfc, 457, for each of 2 ranks"
    );
    assert_eq!(
        fault("dram.stack_refresh_phases=[0, 1024]"),
        "dram.stack_refresh_phases: [0, 1024] has a phase above 1,023"
    );
    assert_eq!(loaded(&set("name=mine").unwrap(), load_gpu).name, "mine");
    assert_eq!(
        loaded(&set("dram.clocks.bank_refresh=None").unwrap(), load_gpu).dram.clocks.bank_refresh,
        None
    );
}

/// traces/h200/placement/cpcs.txt has the first SM of each TPC, by GPC.
#[test]
fn the_sms_of_an_h200_are_numbered_as_they_number_themselves() {
    let (_, gpu) = gpus().into_iter().find(|(name, _)| name == "h200").unwrap();
    let numbers = gpu.number_of_sm();
    let tpcs = |sms: std::ops::Range<usize>| numbers[sms].iter().copied().step_by(2).collect::<Vec<u32>>();
    assert_eq!(tpcs(0..8), [124, 126, 128, 130]);
    assert_eq!(tpcs(8..26), [14, 30, 46, 62, 76, 90, 104, 118, 122]);
    assert_eq!(tpcs(26..34), [0, 16, 32, 48]);
    assert_eq!(tpcs(34..50), [2, 18, 34, 50, 64, 78, 92, 106]);
    assert_eq!(tpcs(114..132), [12, 28, 44, 60, 74, 88, 102, 116, 120]);
}

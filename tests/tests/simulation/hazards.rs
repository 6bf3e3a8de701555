//! The hazard checker: silent over what ptxas wrote and over what this compiler writes, loud over wrong control fields.

use std::collections::BTreeSet;
use std::fmt::Write;
use warplab_config::launch::{Argument, Init, Size};
use warplab_diagnostics::Source;
use warplab_exec::LaunchShape;
use warplab_gpu::RunOptions;
use warplab_program::Program;
use warplab_program::stalls::{StallVerdict, minimum_stalls};
use warplab_tests::sweep::{MACHINE_CODE, PTX, Run, SHORT_MACHINE_CODE};
use warplab_tests::{Case, assert_golden, gpu, listing};

const SUITES: [&str; 2] = ["suite", "micro"];

/// Every hazard of some runs, a line each; checks that something was checked.
fn hazards(runs: &[Run]) -> Vec<String> {
    let mut lines = BTreeSet::new();
    for run in runs {
        let Some(hazards) = &run.hazards else { continue };
        assert!(hazards.checked_reads > 0, "{}: nothing was checked", run.case.name);
        lines.extend(hazards.lines.iter().map(|line| format!("{}: {line}", run.case.kernel)));
    }
    lines.into_iter().collect()
}

#[test]
fn machine_code_of_the_gpu_is_silent() {
    assert_eq!(hazards(&MACHINE_CODE), [""; 0]);
    let unchecked = SHORT_MACHINE_CODE.iter().filter(|run| run.hazards.is_none());
    assert_eq!(unchecked.map(|run| &run.case.name).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(hazards(&SHORT_MACHINE_CODE), [""; 0]);
}

#[test]
fn machine_code_of_the_gpu_computes_what_the_gpu_did() {
    assert_eq!(MACHINE_CODE.iter().filter_map(Run::fault).collect::<Vec<String>>(), [""; 0]);
}

#[test]
fn code_compiled_from_ptx_is_silent() {
    assert_eq!(hazards(&PTX), [""; 0]);
}

#[test]
fn no_latency_is_longer_than_what_the_compiler_keeps() {
    let config = gpu("h200");
    let sm = &config.multiprocessor;
    let table = sm.latencies.table(&sm.shared, &sm.l1);
    let kernels =
        SUITES.into_iter().flat_map(|suite| listing(&format!("traces/h200/{suite}.sass")).kernels).collect();
    let rows = minimum_stalls(&Program { kernels, ..Program::default() });
    let mut text =
        "// Both suites as ptxas 13.0 wrote them: result, reader, fewest cycles, pairs, cycles of h200.ron\n"
            .to_owned();
    for row in &rows {
        assert_ne!(row.verdict(&table), StallVerdict::TooLong, "{row:?}");
        let (result, reader) = (row.result.name(), row.reader.name());
        let cycles = table.cycles_to(row.result, row.reader);
        writeln!(text, "{result:<14} {reader:<11} {:>3} {:>6} {cycles:>3}", row.minimum, row.pairs)
            .expect("a string takes all");
    }
    assert_golden("traces/h200/minimum-stalls.txt", &text);
}

/// What the checker says of a warp that runs these lines on the H200.
fn found(code: &str) -> Vec<String> {
    let config = gpu("h200");
    let header =
        ".kernel k\n.registers 16\n.shared 256\n.parameter_base 0x210\n.parameter 0 offset=0 bytes=8\n";
    let source = Source::new("t", format!("{header}{code}"));
    let (program, faults) = warplab_program::listing::read(&source);
    assert_eq!(faults, []);
    let case = Case {
        name: "k".to_owned(),
        kernel: "k".to_owned(),
        shape: LaunchShape { grid: [2, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 },
        buffers: Vec::new(),
        left_dirty: 0,
        arguments: vec![Argument::Buffer { name: "a".to_owned(), size: Size(256).into(), init: Init::Zero }],
        checksums: Vec::new(),
        clock: Vec::new(),
        metrics: Default::default(),
    };
    let options = RunOptions { check_hazards: true, ..RunOptions::default() };
    let simulated = case.simulate(&config, &program, options).expect("it runs");
    let hazards = simulated.outcome.hazards.expect("hazards were checked");
    hazards.found.iter().map(|(place, hazard)| place.text(hazard, &program.kernels[0])).collect()
}

const LOAD: &str = "\
0000 stall=2 yield=1 wr=0 rd=- wait=000000 LDC.64 R2, c[0x0][0x210] ;
0010 stall=2 yield=0 wr=- rd=- wait=000000 ULDC.64 UR4, c[0x0][0x208] ;
0020 stall=2 yield=1 wr=1 rd=- wait=000001 LDG.E R4, desc[UR4][R2.64] ;
0030 stall=4 yield=0 wr=- rd=- wait=000010 IADD3 R4, R4, 0x1, RZ ;
0040 stall=5 yield=0 wr=- rd=- wait=000000 IADD3 R5, R4, 0x1, RZ ;
0050 stall=2 yield=1 wr=- rd=2 wait=000000 STG.E desc[UR4][R2.64], R5 ;
0060 stall=1 yield=1 wr=- rd=- wait=000100 IADD3 R5, RZ, 0x1, RZ ;
0070 stall=5 yield=1 wr=- rd=- wait=000000 EXIT ;
";

#[test]
fn right_control_fields_are_silent() {
    assert_eq!(found(LOAD), [""; 0]);
}

#[test]
fn a_stall_that_is_one_too_short_is_found() {
    let short = LOAD.replace("0030 stall=4", "0030 stall=3");
    assert_eq!(
        found(&short),
        [
            "0040 IADD3 R5, R4, 0x1, RZ: R4 is read after 3 cycles, 4 are needed (from 0030 IADD3 R4, R4, 0x1, RZ), 2 times"
        ]
    );
    let short = LOAD.replace("0040 stall=5", "0040 stall=4");
    assert_eq!(
        found(&short),
        [
            "0050 STG.E desc[UR4][R2.64], R5: R5 is read after 4 cycles, 5 are needed (from 0040 IADD3 R5, R4, 0x1, RZ), 2 times"
        ]
    );
}

#[test]
fn a_result_that_is_not_waited_for_is_found() {
    let careless = LOAD.replace("wait=000010", "wait=000000");
    assert_eq!(
        found(&careless),
        [
            "0030 IADD3 R4, R4, 0x1, RZ: R4 is read, wait counter 1 was not waited for (from 0020 LDG.E R4, desc[UR4][R2.64]), 2 times",
            "0030 IADD3 R4, R4, 0x1, RZ: R4 is written again, wait counter 1 was not waited for (from 0020 LDG.E R4, desc[UR4][R2.64]), 2 times",
        ]
    );
}

#[test]
fn a_source_that_is_overwritten_before_it_is_read_is_found() {
    let careless = LOAD.replace("wait=000100", "wait=000000");
    assert_eq!(
        found(&careless),
        [
            "0060 IADD3 R5, RZ, 0x1, RZ: R5 is overwritten before it has been read, wait counter 2 was not waited for (from 0050 STG.E desc[UR4][R2.64], R5), 2 times"
        ]
    );
    let without = careless.replace("rd=2", "rd=-");
    assert_eq!(
        found(&without),
        [
            "0060 IADD3 R5, RZ, 0x1, RZ: R5 is overwritten before it has been read, no wait counter was held (from 0050 STG.E desc[UR4][R2.64], R5), 2 times"
        ]
    );
}

#[test]
fn a_result_that_a_slower_one_overtakes_is_found() {
    let code = "\
0000 stall=1 yield=0 wr=- rd=- wait=000000 DADD R4, R2, R2 ;
0010 stall=13 yield=0 wr=- rd=- wait=000000 IADD3 R4, RZ, 0x1, RZ ;
0020 stall=5 yield=1 wr=- rd=- wait=000000 EXIT ;
";
    assert_eq!(
        found(code),
        [
            "0010 IADD3 R4, RZ, 0x1, RZ: R4 is written again after 1 cycles, 5 are needed (from 0000 DADD R4, R2, R2), 2 times"
        ]
    );
}

#[test]
fn one_counter_serves_several_results_that_come_in_order() {
    let code = "\
0000 stall=4 yield=1 wr=- rd=- wait=000000 LDS R3, [RZ] ;
0010 stall=2 yield=1 wr=0 rd=- wait=000000 LDS R2, [RZ+0x4] ;
0020 stall=5 yield=0 wr=- rd=- wait=000001 FADD R4, R3, R2 ;
0030 stall=5 yield=1 wr=- rd=- wait=000000 EXIT ;
";
    assert_eq!(found(code), [""; 0]);
    assert_eq!(found(&code.replace("wr=0", "wr=-")).len(), 2);
}

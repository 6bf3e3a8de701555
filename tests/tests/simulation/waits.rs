//! `DEPBAR` waits for its counter, and wide accesses to local memory count all their words.

use warplab_config::launch::{Argument, Init, Size};
use warplab_diagnostics::Source;
use warplab_exec::LaunchShape;
use warplab_gpu::RunOptions;
use warplab_run::{NO_SYMBOLS, Simulated, Workload, no_files, simulate};
use warplab_tests::gpu;

/// Runs a warp with one buffer of 4 KiB on the H200, the hazard checker on.
fn run(header: &str, code: &str) -> Simulated {
    let head = ".kernel k\n.registers 32\n.parameter_base 0x210\n.parameter 0 offset=0 bytes=8\n";
    let (program, faults) =
        warplab_program::listing::read(&Source::new("t", format!("{head}{header}{code}")));
    assert_eq!(faults, []);
    assert_eq!(program.refused, []);
    let workload = Workload {
        program: &program,
        kernel: "k",
        shape: LaunchShape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 },
        arguments: &[Argument::Buffer { name: "a".to_owned(), size: Size(4096).into(), init: Init::Zero }],
        buffers: &[],
        symbols: &NO_SYMBOLS,
    };
    let options = RunOptions { check_hazards: true, ..RunOptions::default() };
    simulate(&gpu("h200"), &workload, &no_files, options).expect("it runs")
}

/// Two loads that hold one counter, a `DEPBAR`, and the cycles from before the loads to after the wait.
fn depbar(most: u32) -> (u32, usize) {
    let simulated = run(
        "",
        &format!(
            "stall=2 wr=0 LDC.64 R2, c[0x0][0x210]\nstall=8 wait=000001 CS2R.32 R10, SR_CLOCKLO\n\
             stall=1 wr=0 LDG.E R4, [R2.64]\nstall=1 wr=0 LDG.E R5, [R2.64+0x400]\n\
             stall=2 DEPBAR.LE SB0, {most:#x}\nstall=8 CS2R.32 R11, SR_CLOCKLO\n\
             stall=6 IADD3 R12, R11, -R10, RZ\nstall=6 IADD3 R12, R12, R4, R5\n\
             stall=1 STG.E [R2.64], R12\nEXIT\n"
        ),
    );
    let cycles = simulated.image.buffer("a").expect("the buffer").word(0);
    let hazards = simulated.outcome.hazards.expect("hazards were checked");
    (cycles, hazards.found.len())
}

#[test]
fn depbar_waits_until_the_counter_is_at_most_its_number() {
    let ((all, none), (two, both)) = (depbar(0), depbar(2));
    assert!(all > 300, "{all}");
    assert!(two < 100, "{two}");
    // With two still under way both reads are hazards, without any none is.
    assert_eq!((none, both), (0, 2));
    let (one, _) = depbar(1);
    assert!(one > 300 && one <= all, "{one} {all}");
}

#[test]
fn wide_local_accesses_count_every_word() {
    for (suffix, words) in [("", 1), (".64", 2), (".128", 4)] {
        let simulated = run(
            ".local 64\n",
            &format!(
                "stall=4 wr=0 LDC R1, c[0x0][0x28]\nstall=6 wait=000001 IADD3 R1, R1, -0x40, RZ\n\
                 stall=1 rd=1 STL{suffix} [R1], R4\nstall=1 wr=0 wait=000010 LDL{suffix} R8, [R1]\n\
                 stall=1 wait=000001 EXIT\n"
            ),
        );
        let lsu = &simulated.outcome.counters.sm.l1;
        let loads = (lsu.local_load_requests, lsu.local_load_sectors);
        let stores = (lsu.local_store_requests, lsu.local_store_sectors);
        assert_eq!((loads, stores), ((1, 4 * words), (1, 4 * words)), "{suffix}");
    }
}

//! Differences of DEVIATIONS.md that a few instructions show: when one is mended, its row and its test go.

use warplab_config::GpuConfig;
use warplab_config::launch::{Argument, Init, Size};
use warplab_diagnostics::Source;
use warplab_exec::LaunchShape;
use warplab_gpu::RunOptions;
use warplab_program::{Opcode, Program};
use warplab_run::{CompileOptions, NO_SYMBOLS, Simulated, Workload, no_files, simulate};
use warplab_tests::{case_named, cases, gpu, listing};
use warplab_trace::{LaunchCounters, StallReason, WarpState};

/// Runs a kernel with one buffer.
pub(super) fn launch(config: &GpuConfig, program: &Program, grid: u32, block: u32, bytes: u64) -> Simulated {
    launch_with(config, program, (grid, block), bytes, RunOptions::default())
}

pub(super) fn launch_with(
    config: &GpuConfig,
    program: &Program,
    (grid, block): (u32, u32),
    bytes: u64,
    options: RunOptions<'_>,
) -> Simulated {
    let workload = Workload {
        program,
        kernel: "k",
        shape: LaunchShape { grid: [grid, 1, 1], block: [block, 1, 1], dynamic_shared_bytes: 0 },
        arguments: &[Argument::Buffer { name: "a".to_owned(), size: Size(bytes).into(), init: Init::Zero }],
        buffers: &[],
        symbols: &NO_SYMBOLS,
    };
    simulate(config, &workload, &no_files, options).expect("it runs")
}

/// A kernel of PTX: `%d1` is the buffer, `%r1` the thread of its block, `%r4` the thread of the grid.
pub(super) fn ptx(config: &GpuConfig, body: &str) -> Program {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n\
         .extern .func (.param .b64 result) malloc (.param .b64 bytes);\n\
         .visible .entry k(.param .u64 a) {{\n.reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .f32 %f<9>;\n\
         .reg .pred %p<9>;\n.shared .align 16 .b8 tile[4096];\nld.param.u64 %d1, [a]; mov.u32 %r1, %tid.x;\n\
         mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n{body}\nret; }}"
    );
    let source = Source::new("k.ptx", text);
    let (lowered, _) = warplab_run::compile(&source, config, CompileOptions::default())
        .unwrap_or_else(|faults| panic!("{}", warplab_diagnostics::render(&source, &faults)));
    lowered.program
}

/// What a kernel of PTX counts on the H200.
fn counted(body: &str, grid: u32, block: u32, bytes: u64) -> LaunchCounters {
    let config = gpu("h200");
    launch(&config, &ptx(&config, body), grid, block, bytes).outcome.counters
}

/// Runs a block of machine code: `R0` is the thread, `R2` the address of its word, which gets `R12`.
pub(super) fn machine_code(config: &GpuConfig, block: u32, code: &str) -> Simulated {
    let head = ".kernel k\n.registers 40\n.shared 4096\n.parameter_base 0x210\n.parameter 0 offset=0 bytes=8\n\
                .constant 3 data=00000000\n";
    let start = "stall=2 wr=0 LDC.64 R2, c[0x0][0x210]\nstall=2 wr=1 S2R R0, SR_TID.X\n\
                 stall=8 wait=000011 IMAD.WIDE R2, R0, 0x4, R2\n";
    let source = Source::new("k", format!("{head}{start}{code}stall=1 STG.E [R2.64], R12\nEXIT\n"));
    let (program, faults) = warplab_program::listing::read(&source);
    assert_eq!(faults, []);
    assert_eq!(program.refused, []);
    launch(config, &program, 1, block, 1 << 20)
}

/// How many instructions of a case on the H200 issue in vain.
fn replayed(suite: &str, case: &str) -> u64 {
    let program = listing(&format!("traces/h200/{suite}.sass"));
    let all = cases(suite);
    let simulated = warplab_tests::simulate(&gpu("h200"), &program, case_named(&all, case)).expect("it runs");
    simulated.outcome.counters.sm.schedulers.iter().map(|scheduler| scheduler.replayed).sum()
}

/// The cycles of machine code of one warp, between two readings of the clock.
pub(super) fn cycles(config: &GpuConfig, before: &str, code: &str, end: &str) -> u32 {
    let timed = format!(
        "{before}stall=8 CS2R.32 R10, SR_CLOCKLO\n{code}stall=8 {end}CS2R.32 R11, SR_CLOCKLO\n\
         stall=6 IADD3 R12, R11, -R10, RZ\n"
    );
    machine_code(config, config.limits.warp_lanes, &timed).image.buffer("a").expect("the buffer").word(0)
}

fn stalled(counters: &LaunchCounters, reason: StallReason) -> u64 {
    let state = WarpState::Stalled(reason).index();
    counters.sm.schedulers.iter().map(|scheduler| scheduler.states[state]).sum()
}

#[test]
fn a_prefetch_moves_nothing_and_hints_cost_nothing() {
    let address = "mul.wide.u32 %d2, %r4, 128; add.s64 %d3, %d1, %d2;";
    let prefetched = counted(
        &format!(
            "{address} prefetch.global.L2 [%d3]; prefetch.global.L1 [%d3]; prefetch.global.L2 [%d3+64];"
        ),
        1,
        32,
        1 << 16,
    );
    assert_eq!((prefetched.memory.l2.requests, prefetched.memory.dram.read_bytes), (0, 0));
    let load = |hint: &str| {
        let body = format!("{address} ld.global{hint}.u32 %r5, [%d3]; st.global.u32 [%d3], %r5;");
        counted(&body, 132, 128, 1 << 22).elapsed_cycles
    };
    let plain = load("");
    assert_eq!([".L1::evict_last", ".L2::128B", ".L1::evict_first"].map(load), [plain; 3]);
}

#[test]
fn words_of_one_bank_of_shared_memory_make_a_copy_take_longer() {
    let copied = |pitch: &str| {
        let copy = format!(
            "stall=8 IMAD R5, R0, {pitch}, RZ\nstall=1 LDGSTS.E [R5], [R2.64]\nstall=1 wr=2 LDGDEPBAR\n\
             stall=2 DEPBAR.LE SB2, 0x0\n"
        );
        machine_code(&gpu("h200"), 32, &copy).outcome.counters
    };
    let (row, column) = (copied("0x4"), copied("0x20"));
    assert_eq!(row.sm.instructions.by_opcode[Opcode::Ldgsts as usize], 1);
    assert_eq!((row.sm.shared.store_requests, row.sm.shared.store_wavefronts), (0, 0));
    assert_eq!([row, column].map(|it| (it.elapsed_cycles, it.sm.l1.copy_wavefronts)), [(4068, 2), (4075, 9)]);
}

#[test]
fn short_loops_of_four_warps_take_what_their_instructions_need() {
    let lap = "stall=1 FFMA R8, R8, R8, R8\n".repeat(16);
    let text = format!(
        "stall=6 IMAD R4, RZ, RZ, RZ\nstall=5 IADD3 R4, R4, 0x1, RZ\nstall=13 ISETP.NE.AND P0, PT, R4, 0x40, PT\n{lap}\
         stall=5 @P0 BRA 0x40\n"
    );
    let of = |threads: u32| machine_code(&gpu("h200"), threads, &text).outcome.counters.sm.active_cycles;
    assert_eq!([128, 512].map(of), [3128, 5921]);
}

#[test]
fn double_precision_behind_a_product_of_matrices_waits_for_the_unit_alone() {
    let pairs = "stall=1 HMMA.16816.F32 R8, R4, R2, RZ\nstall=1 DFMA R12, R14, R16, R18\n".repeat(16);
    let alone = "stall=1 HMMA.16816.F32 R8, R4, R2, RZ\n".repeat(16);
    let of = |text: &str| machine_code(&gpu("h200"), 32, text).outcome.counters.sm.active_cycles;
    assert_eq!([of(&pairs), of(&alone)], [441, 390]);
}

#[test]
fn a_word_that_was_stored_byte_by_byte_comes_from_memory() {
    let bytes = |parts: &str| {
        let body = format!(
            "mul.wide.u32 %d2, %r4, 4; add.s64 %d3, %d1, %d2; {parts}\n\
             ld.global.cg.u32 %r5, [%d3]; setp.eq.u32 %p1, %r5, 1; @%p1 st.global.u32 [%d3], %r5;"
        );
        counted(&body, 1, 32, 1 << 16).memory.dram.read_bytes
    };
    let by_bytes: String = (0..4).map(|byte| format!("st.global.u8 [%d3+{byte}], %r4; ")).collect();
    assert_eq!((bytes("st.global.u32 [%d3], %r4;"), bytes(&by_bytes)), (0, 128));
}

#[test]
fn lines_of_many_pages_cost_what_lines_of_one_page_do() {
    let load = |distance: u64| {
        let body = format!(
            "mul.wide.u32 %d2, %r4, {distance}; add.s64 %d3, %d1, %d2; ld.global.u32 %r5, [%d3];\n\
             setp.eq.u32 %p1, %r5, 1; @%p1 st.global.u32 [%d3], %r5;"
        );
        let counters = counted(&body, 1, 32, 64 << 20);
        (counters.sm.l1.sectors_to_l2, counters.memory.dram.read_bytes)
    };
    assert_eq!([2 << 20, 32 << 10].map(load), [(32, 32 * 64); 2]);
}

#[test]
fn a_call_of_the_driver_costs_the_cycles_of_the_machine_file_and_no_traffic() {
    let body = "{ .param .b64 a; .param .b64 b; mov.u64 %d4, 16; st.param.b64 [a], %d4; call.uni (b), malloc, (a);\n\
                ld.param.b64 %d2, [b]; } st.global.u64 [%d1], %d2;";
    let run = |cycles| {
        let mut config = gpu("h200");
        config.launch.system_call = cycles;
        let counters = launch(&config, &ptx(&config, body), 1, 1, 8).outcome.counters;
        (counters.elapsed_cycles, counters.sm.instructions.warp, counters.memory.l2.requests)
    };
    // The one request is the store of the address.
    assert_eq!([1000, 3000].map(run), [(4472, 8, 1), (6472, 8, 1)]);
}

#[test]
fn the_end_of_a_launch_takes_as_long_whatever_the_multiprocessors_hold_and_longer_after_stores_only() {
    let load = "ld.global.u32 %r5, [%d1]; setp.eq.u32 %p1, %r5, 1; @%p1 st.global.u32 [%d1], %r5;";
    let flush = |body: &str, grid: u32| {
        let elapsed = [478, 0].map(|cycles| {
            let mut config = gpu("h200");
            config.launch.flush = cycles;
            launch(&config, &ptx(&config, body), grid, 256, 4 << 20).outcome.counters.elapsed_cycles
        });
        elapsed[0] - elapsed[1]
    };
    let store = "st.global.u32 [%d1], %r4;";
    let of_grids = [132, 1024].map(|grid| flush(store, grid));
    assert_eq!((of_grids, flush(load, 1024), gpu("h200").launch.flush), ([478; 2], 0, 478));
}

#[test]
fn an_empty_launch_reads_nothing_at_l2() {
    let counters = counted("", 264, 256, 4);
    assert_eq!((counters.memory.l2.requests, counters.memory.l2.read_sectors), (0, 0));
}

#[test]
fn stores_of_single_words_pass_the_slices_more_slowly_over_small_footprints() {
    let cycles = |footprint: u32| {
        let mask = footprint - 1;
        let stores: String = (0..8)
            .map(|n| {
                format!(
                    "mad.lo.u32 %r5, %r4, 160, {}; and.b32 %r6, %r5, {mask}; cvt.u64.u32 %d2, %r6;\n\
                     add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r4;\n",
                    n * 52_000
                )
            })
            .collect();
        counted(&stores, 132, 512, u64::from(footprint)).elapsed_cycles
    };
    // The KiB of a small footprint do not lie evenly on the slices, and writes from both halves wait for each other.
    assert_eq!([64 << 10, 256 << 10, 4 << 20, 16 << 20].map(cycles), [32_813, 22_153, 18_249, 20_100]);
}

#[test]
fn a_barrier_of_the_grid_is_quick() {
    let barrier = "setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE; atom.global.add.u32 %r5, [%d1], 1;\n\
                   AGAIN: ld.volatile.global.u32 %r6, [%d1]; setp.lt.u32 %p2, %r6, 1056; @%p2 bra AGAIN;\nDONE:";
    assert_eq!(["", barrier].map(|body| counted(body, 1056, 256, 4).elapsed_cycles), [3996, 5859]);
}

#[test]
fn a_reply_to_several_multiprocessors_takes_a_slice_no_longer_than_one() {
    // A word at random of 512 lines for each lane, of lines that all multiprocessors read or of lines of their own.
    let gather = |table: &str| {
        format!(
            "mul.lo.u32 %r5, %r4, 0x9e3779b1; shr.u32 %r6, %r5, 16; xor.b32 %r5, %r5, %r6; mul.lo.u32 %r5, %r5, 0x85ebca6b;\n\
             shr.u32 %r5, %r5, 16; and.b32 %r5, %r5, 511; {table} mad.lo.u32 %r5, %r8, 512, %r5;\n\
             mul.wide.u32 %d2, %r5, 128; add.s64 %d2, %d1, %d2; ld.global.u32 %r7, [%d2];\n\
             mul.wide.u32 %d3, %r4, 4; add.s64 %d3, %d1, %d3; st.global.u32 [%d3+16777216], %r7;"
        )
    };
    let cycles = |table| counted(&gather(table), 1024, 256, 32 << 20).elapsed_cycles;
    assert_eq!(["mov.u32 %r8, 0;", "mov.u32 %r8, %smid;"].map(cycles), [6816, 8482]);
}

#[test]
fn a_constant_at_the_sum_of_a_uniform_register_is_there_at_once() {
    let config = gpu("h200");
    let time = |operand: &str| {
        let uniform = "stall=8 UMOV UR4, 0x0\nstall=2 CS2R.32 R9, SR_CLOCKLO\n";
        cycles(&config, uniform, &format!("stall=2 wr=2 LDC R5, {operand}\n"), "wait=000100 ")
    };
    assert_eq!(["c[0x3][0x0]", "c[0x3][UR4+0x0]"].map(time), [708, 38]);
}

#[test]
fn a_store_to_32_lines_holds_the_next_load_back_as_long_as_its_port() {
    let config = gpu("h200");
    let time = |distance: u32| {
        let warm = format!(
            "stall=1 wr=2 LDG.E R5, [R2.64]\nstall=8 IMAD R6, R0, {:#x}, RZ\nstall=8 wait=000100 IMAD.WIDE R6, R6, 0x1, R2\n",
            distance
        );
        cycles(
            &config,
            &warm,
            "stall=1 STG.E [R6.64+0x8000], R0\nstall=1 wr=2 LDG.E R8, [R2.64+0x40000]\n",
            "wait=000100 ",
        )
    };
    // To 1, 4, 16 and 32 lines, in front of a load that misses.
    assert_eq!([0, 16, 64, 128].map(|distance| time(distance) - time(0)), [0, 21, 45, 60]);
}

#[test]
fn a_kernel_that_only_reads_writes_nothing_to_dram() {
    let loads: String = (0..16)
        .map(|n| {
            format!(
                "ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%d3+{}]; add.u32 %r5, %r5, %r10;\n",
                n * 1056 * 256 * 16
            )
        })
        .collect();
    let body = format!(
        "mul.wide.u32 %d2, %r4, 16; add.s64 %d3, %d1, %d2; mov.u32 %r5, 0;\n{loads}\
         setp.eq.u32 %p1, %r5, 77; @%p1 st.global.u32 [%d3], %r5;"
    );
    let config = gpu("h200");
    let written = |left_dirty| {
        let options = RunOptions { left_dirty, ..RunOptions::default() };
        let dram = launch_with(&config, &ptx(&config, &body), (1056, 256), 1056 * 256 * 256, options)
            .outcome
            .counters
            .memory
            .dram;
        assert_eq!(dram.read_bytes, 1056 * 256 * 256);
        dram.written_bytes
    };
    // Nothing of its own; what others wrote leaves as far as DRAM has time for it.
    assert_eq!([written(0), written(2_400_000)], [0, 1_391_488]);
}

#[test]
fn double_precision_with_three_operands_waits_for_the_ports_of_the_registers() {
    let config = gpu("h200");
    let head = ".kernel k\n.registers 40\n.parameter_base 0x210\n.parameter 0 offset=0 bytes=8\n";
    let code = "stall=2 DFMA R4, R8, R12, R16\nstall=2 DFMA R20, R24, R28, R32\n".repeat(64);
    let (program, faults) = warplab_program::listing::read(&Source::new("k", format!("{head}{code}EXIT\n")));
    assert_eq!(faults, []);
    let counters = launch(&config, &program, 1, 1024, 4).outcome.counters;
    let stalls =
        [StallReason::MathPipeThrottle, StallReason::DispatchStall].map(|reason| stalled(&counters, reason));
    assert_eq!(stalls, [28_560, 5_056]);
}

#[test]
fn an_atomic_operation_takes_610_cycles_in_the_other_half() {
    let config = gpu("h200");
    let program = listing("traces/h200/atomics.sass");
    let all = cases("atomics");
    let each = |name: &str| {
        let simulated = warplab_tests::simulate(&config, &program, case_named(&all, name)).expect("it runs");
        simulated.image.buffer("cycles").expect("the buffer").word(1)
    };
    let cases = ["latency_atomg_spacing32", "latency_atomg_spacing1024"];
    assert_eq!(cases.map(|name| (f64::from(each(name)) / 64.0).round()), [610.0, 608.0]);
}

#[test]
fn a_branch_of_eight_ways_takes_no_longer_than_its_ways() {
    let (config, all) = (gpu("h200"), cases("micro"));
    let program = listing("traces/h200/micro.sass");
    let case = case_named(&all, "latency_switch_8");
    let simulated = warplab_tests::simulate(&config, &program, case).expect("it runs");
    // 201,735 on the machine.
    assert_eq!(simulated.image.buffer("cycles").expect("the buffer").word(1), 175_940);
}

#[test]
fn on_an_mi100_vector_memory_waits_for_the_passes_of_local_memory() {
    let config = gpu("mi100");
    let time = |distance: u32| {
        let warm = format!(
            "stall=1 wr=2 LDG.E R5, [R2.64]\nstall=8 wait=000100 IMAD R6, R0, {distance:#x}, RZ\n\
             stall=8 LOP3.LUT R6, R6, 0xffc, RZ, 0xc0, !PT\n"
        );
        cycles(&config, &warm, "stall=1 wr=3 LDS R7, [R6]\nstall=1 wr=2 LDG.E R8, [R2.64]\n", "wait=000100 ")
    };
    // Without conflicts a pass for each row of 32 lanes, and with all lanes on one bank 32.
    assert_eq!([4, 128].map(time), [176, 212]);
}

#[test]
fn a_gt200_has_a_small_cache_in_front_of_its_memory() {
    let config = gpu("gt200");
    let body = "ld.volatile.global.u32 %r5, [%d1]; bar.sync 0; ld.volatile.global.u32 %r6, [%d1];\n\
                add.u32 %r7, %r5, %r6; st.global.u32 [%d1], %r7;";
    let counters = launch(&config, &ptx(&config, body), 1, 32, 4).outcome.counters;
    // Two half-warps read twice: L1 keeps nothing, L2 does.
    assert_eq!((counters.memory.l2.read_sectors, counters.memory.l2.read_hits), (4, 3));
}

#[test]
fn a_warp_alone_repeats_what_issued_before_a_miss_was_seen_and_of_several_each_does() {
    assert_eq!(replayed("paths", "operands_512_g1_l1"), 656, "as the hardware");
    assert_eq!(replayed("paths", "cold_64_g132_b32"), 396, "as the hardware");
    assert_eq!(replayed("paths", "twice_wait0_g1024"), 35_822, "17,728 on the hardware");
}

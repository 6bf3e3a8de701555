//! Runs a few instructions on one warp.
#![allow(dead_code, missing_docs, unreachable_pub)]

use rustc_hash::FxHashMap;
use warplab_diagnostics::Source;
use warplab_exec::interpreter::step_on_image;
use warplab_exec::{
    AccessRecord, ArchitecturalState, Code, ConstantBanks, DivergenceModel, Environment, LaunchShape,
    MemoryImage, Row, SharedMemory, Step, SystemRecord,
};
use warplab_program::Program;
use warplab_program::listing::read;
use warplab_units::{LaneMask, WarpMask};

pub fn program(text: &str) -> Program {
    let text = if text.contains(".kernel") { text.to_owned() } else { format!(".kernel k\n{text}\n") };
    let (program, faults) = read(&Source::new("k", text));
    assert!(faults.is_empty(), "{faults:?}");
    program
}

/// Every lane's registers are set, then the lines run with an EXIT behind them.
pub fn run(lines: &str, registers: &[(u32, Row)]) -> ArchitecturalState {
    run_lanes(lines, registers, 32, DivergenceModel::default(), 100_000).expect("the warp ends")
}

/// As [`run`], with fewer lanes and a limit on instructions; `None` when the limit is reached.
pub fn run_lanes(
    lines: &str,
    registers: &[(u32, Row)],
    lanes: u32,
    divergence: DivergenceModel,
    limit: u32,
) -> Option<ArchitecturalState> {
    let setup = Setup { registers, threads: lanes, rows: 1, divergence, limit };
    run_warp(lines, &setup).map(|wave| wave.warp)
}

/// A warp of 64 lanes that has run to its end.
pub struct Wave {
    pub warp: ArchitecturalState,
    /// Instructions that issued.
    pub issued: u32,
    /// The lanes of the first.
    pub first_mask: WarpMask,
}

/// As [`run`], on a machine of 64 lanes, in a block of so many threads.
pub fn run_wave(lines: &str, threads: u32) -> Wave {
    let divergence = DivergenceModel::default();
    let setup = Setup { registers: &[], threads, rows: 2, divergence, limit: 1000 };
    run_warp(lines, &setup).expect("the wave ends")
}

struct Setup<'a> {
    registers: &'a [(u32, Row)],
    threads: u32,
    rows: u8,
    divergence: DivergenceModel,
    limit: u32,
}

fn run_warp(lines: &str, setup: &Setup<'_>) -> Option<Wave> {
    let &Setup { registers, threads, rows, divergence, limit } = setup;
    let program = program(&format!("{lines}\nEXIT"));
    let mut kernel = program.kernels[0].clone();
    kernel.registers = kernel.registers.max(64);
    kernel.local_bytes = 64;
    let code = Code::decode(&kernel).unwrap_or_else(|faults| panic!("{faults:?}")).with_warp_rows(rows);
    let shape = LaunchShape { grid: [1, 1, 1], block: [threads, 1, 1], dynamic_shared_bytes: 256 };
    let image = MemoryImage::new();
    let banks = ConstantBanks::load(&program, &kernel, &shape, &[], &FxHashMap::default()).unwrap();
    let mut warp = ArchitecturalState::new(&code, &shape, 0, divergence);
    for (register, value) in registers {
        warp.set_register(*register, value, LaneMask::ALL);
    }
    let mut shared = SharedMemory::new(256);
    let mut record = AccessRecord::default();
    let mut system = SystemRecord::default();
    let mut global = &image;
    let mut environment = Environment {
        banks: &banks,
        shared: &mut shared,
        global: &mut global,
        clock: 77,
        cycles_per_nanosecond: 1.0,
        sm: 3,
        sm_count: 132,
        warp_slot: 5,
        warp_slots: 64,
        block: [0; 3],
        grid_id: 1,
        record: &mut record,
        system: &mut system,
    };
    let first_mask = warp.paths.live();
    for issued in 1..=limit {
        let done = step_on_image(&code, &mut warp, &mut environment).unwrap();
        if done.step == (Step::Exited { warp_done: true }) {
            return Some(Wave { warp, issued, first_mask });
        }
        warp.paths.current()?;
    }
    None
}

pub fn same(value: u32) -> Row {
    [value; 32]
}

/// R1, R2, R3 = a, b, c; the result is R0 of lane 0.
pub fn op3(line: &str, a: u32, b: u32, c: u32) -> u32 {
    run(line, &[(1, same(a)), (2, same(b)), (3, same(c))]).register(0)[0]
}

/// R2:R3, R4:R5, R6:R7 = a, b, c; the result is R0:R1 of lane 0.
pub fn wide3(line: &str, a: u64, b: u64, c: u64) -> u64 {
    let pair =
        |first: u32, value: u64| [(first, same(value as u32)), (first + 1, same((value >> 32) as u32))];
    let registers: Vec<(u32, Row)> = [pair(2, a), pair(4, b), pair(6, c)].concat();
    let warp = run(line, &registers);
    u64::from(warp.register(0)[0]) | u64::from(warp.register(1)[0]) << 32
}

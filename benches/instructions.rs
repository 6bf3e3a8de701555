//! Nanoseconds of host time a warp instruction, executed without timing: `cargo bench -p warplab-benches --bench
//! instructions`.
#![allow(clippy::print_stdout, missing_docs)]

use rustc_hash::FxHashMap;
use warplab_diagnostics::Source;
use warplab_exec::{
    AccessRecord, ArchitecturalState, Code, ConstantBanks, DivergenceModel, Environment, Init, LaunchShape,
    MemoryImage, SharedMemory, SystemRecord, step,
};
use warplab_program::listing::read;

const CASES: &[(&str, &str)] = &[
    ("FFMA", "FFMA R5, R5, R6, R7"),
    ("FFMA immediate", "FFMA R5, R5, R6, 0.5"),
    ("IADD3", "IADD3 R5, R5, R6, R7"),
    ("IMAD", "IMAD R5, R5, R6, R7"),
    ("IMAD.WIDE", "IMAD.WIDE R8, R5, 0x4, R6"),
    ("LOP3", "LOP3.LUT R5, R5, R6, RZ, 0xc0, !PT"),
    ("ISETP", "ISETP.GE.AND P0, PT, R5, R6, PT"),
    ("DFMA", "DFMA R8, R8, R10, R6"),
    ("MUFU", "MUFU.EX2 R5, R5"),
    ("UIADD3", "UIADD3 UR4, UR4, 0x1, URZ"),
    ("MOV constant", "MOV R5, c[0x0][0x210]"),
    ("LDS", "LDS R5, [R0+0x400]"),
    ("LDG rule", "LDG.E R5, desc[UR4][R2.64]"),
    ("LDG stored", "LDG.E R5, desc[UR4][R2.64]"),
    ("STG", "STG.E desc[UR4][R2.64], R5"),
    ("BRA", "BRA 0x50"),
];

fn main() {
    for (name, line) in CASES {
        let text = format!(
            ".kernel k\nS2R R0, SR_LANEID\nLDC.64 R2, c[0x0][0x210]\nIMAD.WIDE R2, R0, 0x4, R2\nIMAD.SHL.U32 R0, R0, 0x4, RZ\nNOP\n{line}\nBRA 0x50\n"
        );
        let (program, faults) = read(&Source::new("k", text));
        assert!(faults.is_empty(), "{faults:?}");
        let kernel = &program.kernels[0];
        let code = Code::decode(kernel).unwrap();
        let shape = LaunchShape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 1024 };
        let mut image = MemoryImage::new();
        let base = image.allocate("x", 1 << 20, Init::HashF32 { seed: 1 });
        if *name == "LDG stored" {
            image.write_bytes(base, &[0]).unwrap();
        }
        let parameters = base.0.to_le_bytes();
        let banks =
            ConstantBanks::load(&program, kernel, &shape, &parameters, &FxHashMap::default()).unwrap();
        let mut warp = ArchitecturalState::new(&code, &shape, 0, DivergenceModel::default());
        let mut shared = SharedMemory::new(1024);
        let mut record = AccessRecord::default();
        let mut system = SystemRecord::default();
        let mut global = &image;
        let mut environment = Environment {
            banks: &banks,
            shared: &mut shared,
            global: &mut global,
            clock: 0,
            cycles_per_nanosecond: 1.0,
            sm: 0,
            sm_count: 1,
            warp_slot: 0,
            warp_slots: 64,
            block: [0; 3],
            grid_id: 1,
            record: &mut record,
            system: &mut system,
        };
        const COUNT: u32 = 4_000_000;
        let run = |warp: &mut ArchitecturalState, environment: &mut Environment<'_, &MemoryImage>| {
            let started = std::time::Instant::now();
            for _ in 0..COUNT {
                step(&code, warp, environment).unwrap();
            }
            started.elapsed().as_nanos() as f64 / f64::from(COUNT)
        };
        run(&mut warp, &mut environment);
        println!("{name:16} {:6.1} ns (every second one is a branch)", run(&mut warp, &mut environment));
    }
}

//! Instructions that only compute, executed without a step.

use crate::common::{program, run};
use rustc_hash::FxHashMap;
use warplab_exec::{ArchitecturalState, Code, ConstantBanks, DivergenceModel, LaunchShape, compute};
use warplab_units::{LaneMask, WarpMask};

const LINES: [&str; 7] = [
    "ISETP.LT.U32.AND P0, PT, R0, 0x5, PT",
    "FFMA R1, R0, R0, 1",
    "@P0 IADD3 R2, R0, 0x7, RZ",
    "FADD R3, -R1, R2",
    "LOP3.LUT R4, R0, 0xc, RZ, 0xc0, !PT",
    "IMAD.WIDE.U32 R6, R0, 0x10000000, RZ",
    "MOV R8, R4",
];

/// The lines executed by [`compute`], with the lane's number in `R0`.
fn computed() -> ArchitecturalState {
    let program = program(&LINES.join("\n"));
    let kernel = &program.kernels[0];
    let code = Code::decode(kernel).unwrap();
    let shape = LaunchShape { grid: [1; 3], block: [32, 1, 1], dynamic_shared_bytes: 0 };
    let banks = ConstantBanks::load(&program, kernel, &shape, &[], &FxHashMap::default()).unwrap();
    let mut warp = ArchitecturalState::new(&code, &shape, 0, DivergenceModel::default());
    warp.set_register(0, &std::array::from_fn(|lane| lane as u32), LaneMask::ALL);
    for pc in 0..LINES.len() as u32 {
        assert!(code.only_computes(pc));
        compute(&code, &mut warp, &banks, pc, WarpMask::first(32));
    }
    warp
}

#[test]
fn what_only_computes_leaves_what_a_step_leaves() {
    let warp = computed();
    let stepped = run(&LINES.join("\n"), &[(0, std::array::from_fn(|lane| lane as u32))]);
    for register in 0..9 {
        assert_eq!(warp.register(register), stepped.register(register), "R{register}");
    }
    assert_eq!(warp.predicate(0), LaneMask(0b1_1111));
    assert_eq!((warp.register(2)[4], warp.register(2)[5], warp.register(7)[31]), (11, 0, 1));
}

#[test]
fn a_path_goes_on_with_the_instruction_behind_what_it_computed() {
    let warp = computed();
    assert_eq!(warp.paths.current().map(|path| path.pc), Some(7));
}

#[test]
fn what_reads_memory_or_other_lanes_or_branches_does_not_only_compute() {
    let program =
        program("LDS R1, [R0]\nSHFL.DOWN PT, R2, R0, 0x1, 0x1f\nS2R R3, SR_TID.X\nEXIT\nMOV R4, R0");
    let code = Code::decode(&program.kernels[0]).unwrap();
    assert_eq!(
        [0, 1, 2, 3, 4, 5].map(|pc| code.only_computes(pc)),
        [false, false, false, false, true, false]
    );
}

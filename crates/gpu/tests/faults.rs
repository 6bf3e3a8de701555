//! Launches that do not run to their end say why.
#![allow(missing_docs)]

mod common;

use common::{ENDLESS, STUCK, VECTOR_ADD, WILD_STORE, h200, machine, prepared, try_prepare};
use warplab_exec::MemoryImage;
use warplab_gpu::{Device, LaunchOptions, RunFault, Watch};

fn fault_of(listing: &str, block: u32, max_cycles: u64) -> RunFault {
    let config = h200();
    let mut device = Device::new(&config, MemoryImage::new());
    let launch = prepared(&config, listing, 1, block, &[]);
    device.launch(launch, LaunchOptions { max_cycles, ..LaunchOptions::default() });
    device.run(&mut Watch::default()).expect_err("it faults")
}

#[test]
fn a_launch_stops_at_its_limit_of_cycles_and_says_where_warps_wait() {
    let text = fault_of(ENDLESS, 32, 5000).to_string();
    assert!(text.starts_with("k: not done after 5000 cycles (0 of 1 blocks have ended)"), "{text}");
    assert!(text.contains("block 0 warp 0 waits at 0x0 (line 2) BRA 0x0"), "{text}");
}

#[test]
fn a_barrier_that_nobody_completes_is_a_hang() {
    let fault = fault_of(STUCK, 64, 0);
    assert!(matches!(fault, RunFault::Hang { done: 0, blocks: 1, .. }), "{fault}");
    assert!(fault.to_string().contains("barrier"), "{fault}");
}

#[test]
fn a_phase_that_nobody_ends_is_a_hang_that_says_what_is_missing() {
    let text = fault_of(WAITS_FOR_A_PHASE, 32, 0).to_string();
    assert!(text.contains("no further progress"), "{text}");
    let barrier =
        "waits for the barrier (mbarrier) at 0x10 of shared memory, phase 0: 1 of 33 arrivals missing";
    assert!(text.contains(barrier), "{text}");
}

#[test]
fn barriers_in_shared_memory_are_refused_where_there_are_none() {
    let mut config = h200();
    config.multiprocessor.mbarriers = None;
    let text =
        try_prepare(&config, WAITS_FOR_A_PHASE, [1; 3], [32, 1, 1], &[]).expect_err("refused").to_string();
    assert!(
        text.contains(
            "SYNCS in line 5 needs barriers in shared memory (mbarrier), which NVIDIA H200 has not"
        ),
        "{text}"
    );
}

#[test]
fn warps_of_a_warpgroup_that_do_not_come_are_a_hang_that_says_so() {
    let text = fault_of(PRODUCT_OF_THREE, 128, 0).to_string();
    assert!(text.contains("no further progress"), "{text}");
    assert!(text.contains("block 0 warp 0 waits at 0x40 (line 6) HGMMA.64x8x16.F32"), "{text}");
    assert!(text.contains(": gmma, 3 of the 4 warps of its warpgroup (wgmma) have come"), "{text}");
}

#[test]
fn a_block_without_whole_warpgroups_is_told_what_it_needs() {
    let text = fault_of(PRODUCT, 160, 0).to_string();
    let why = "1 of the four warps of this warpgroup exist; a product of a warpgroup (wgmma) takes all, so that the block needs \
               whole groups of 128 threads";
    assert!(text.contains(why) && text.contains("(line 3) HGMMA.64x8x16.F32"), "{text}");
}

#[test]
fn a_matrix_beyond_shared_memory_is_told_with_its_descriptor() {
    let text = fault_of(PRODUCT_BEYOND, 128, 0).to_string();
    let why = "the first matrix of the product (wgmma) has a piece at 0x20000 of shared memory, which has 1024 bytes here; its descriptor \
               0x0000000000002000 says: start 0x20000, leading offset 0, stride offset 0, no swizzle";
    assert!(text.contains(why), "{text}");
}

#[test]
fn products_of_warpgroups_are_refused_where_there_are_none() {
    let mut config = h200();
    config.multiprocessor.warpgroups = None;
    let text = try_prepare(&config, PRODUCT, [1; 3], [128, 1, 1], &[]).expect_err("refused").to_string();
    assert!(
        text.contains("HGMMA in line 3 needs products of warpgroups (wgmma), which NVIDIA H200 has not"),
        "{text}"
    );
}

/// A product, which only ends a group.
const PRODUCT: &str = ".kernel k
stall=5 WARPGROUP.ARRIVE ;
stall=5 HGMMA.64x8x16.F32 R4, gdesc[UR4], RZ, !UPT, gsb0 ;
stall=5 WARPGROUP.DEPBAR.LE gsb0, 0x0 ;
stall=5 EXIT ;
";

/// A product of matrices beyond shared memory.
const PRODUCT_BEYOND: &str = ".kernel k
stall=5 UMOV UR4, 0x2000 ;
stall=5 HGMMA.64x8x16.F32 R4, gdesc[UR4], RZ, !UPT, gsb0 ;
stall=5 EXIT ;
";

/// The last of four warps does not come to the product.
const PRODUCT_OF_THREE: &str = ".kernel k
wr=0 S2R R0, SR_TID.X ;
stall=15 wait=000001 ISETP.GE.U32.AND P0, PT, R0, 0x60, PT ;
stall=15 NOP ;
stall=5 @P0 EXIT ;
stall=5 HGMMA.64x8x16.F32 R4, gdesc[UR4], RZ, !UPT, gsb0 ;
stall=5 EXIT ;
";

/// Of 33 threads that a barrier waits for 32 arrive.
const WAITS_FOR_A_PHASE: &str = ".kernel k
stall=5 MOV R1, 0x10 ;
stall=5 MOV R2, 0x1fffbe ;
stall=5 MOV R3, 0x7ffef800 ;
stall=5 SYNCS.EXCH.64 RZ, [R1], R2 ;
stall=5 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R1], RZ ;
stall=5 wr=0 SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R1], RZ ;
stall=5 wait=000001 @!P0 BRA 0x50 ;
stall=5 EXIT ;
";

#[test]
fn a_wild_store_is_a_fault_of_its_launch() {
    let fault = fault_of(WILD_STORE, 32, 0);
    assert!(matches!(fault, RunFault::Launch(_)), "{fault}");
}

#[test]
fn a_device_with_a_fault_gives_the_same_fault_again() {
    let config = h200();
    let mut device = Device::new(&config, MemoryImage::new());
    device.launch(prepared(&config, WILD_STORE, 1, 32, &[]), LaunchOptions::default());
    let first = device.run(&mut Watch::default()).expect_err("it faults").to_string();
    let second = device.run(&mut Watch::default()).expect_err("it still does").to_string();
    assert_eq!(first, second);
}

fn refusal(grid: [u32; 3], block: [u32; 3]) -> String {
    try_prepare(&h200(), VECTOR_ADD, grid, block, &[0; 28]).expect_err("it is refused").to_string()
}

#[test]
fn a_block_of_too_many_threads_is_refused() {
    let text = refusal([1, 1, 1], [2048, 1, 1]);
    assert!(text.contains("a block of 2048 x 1 x 1 = 2048 threads; NVIDIA H200 allows 1024"), "{text}");
}

#[test]
fn products_of_matrices_are_refused_where_there_is_no_tensor_core() {
    let product = ".kernel k\nDMMA.8x8x4 R0, R4, R6, RZ\nEXIT\n";
    let refused = |config: &warplab_config::GpuConfig| {
        let launch = try_prepare(config, product, [1, 1, 1], [32, 1, 1], &[]);
        launch.err().map(|fault| fault.to_string())
    };
    assert_eq!(refused(&h200()), None);
    let mut config = h200();
    let core = config.multiprocessor.pipes.tensor.as_mut().expect("it has tensor cores");
    core.double = None;
    let text = refused(&config).expect("it is refused");
    assert!(
        text.contains("DMMA in line 2 needs tensor cores for double precision, which NVIDIA H200 has not"),
        "{text}"
    );
    config.multiprocessor.pipes.tensor = None;
    let text = refused(&config).expect("it is refused");
    assert!(
        text.contains("DMMA in line 2 needs tensor cores, which NVIDIA H200 has not; 'warplab gpu list'"),
        "{text}"
    );
}

#[test]
fn an_empty_grid_is_refused() {
    assert!(refusal([0, 1, 1], [32, 1, 1]).contains("at least one of everything"));
}

#[test]
fn a_grid_beyond_the_limits_is_refused() {
    assert!(refusal([1, 70_000, 1], [32, 1, 1]).contains("allows at most 2147483647 x 65535 x 65535"));
}

#[test]
fn a_kernel_that_keeps_convergence_barriers_over_calls_is_refused_on_64_lanes() {
    let listing = ".kernel k\nBSSY B0, 0x20 ;\nBMOV.32.CLEAR R4, B0 ;\nBSYNC B0 ;\nEXIT ;\n";
    let on = |name| try_prepare(&machine(name), listing, [1, 1, 1], [64, 1, 1], &[]).map(|_| ());
    assert!(on("h200").is_ok());
    let text = on("mi100").expect_err("it is refused").to_string();
    assert!(text.contains("keeps convergence barriers over calls of functions"), "{text}");
}

/// The second block of a cluster ends at once; the first one waits, and reads its shared memory.
const READS_A_BLOCK_THAT_HAS_ENDED: &str = ".kernel k
.shared 64
.cluster 2 1 1
stall=7 wr=0 S2R R0, SR_CgaCtaId ;
stall=13 wait=000001 ISETP.NE.AND P0, PT, R0, RZ, PT ;
stall=5 @P0 EXIT ;
stall=5 NANOSLEEP 0x1000 ;
stall=4 MOV R2, 0x1000400 ;
stall=4 MOV R3, 0x7e00 ;
stall=1 wr=0 LD.E R4, [R2.64] ;
stall=5 wait=000001 EXIT ;
";

#[test]
fn shared_memory_of_a_block_that_has_ended_is_not_read() {
    let config = h200();
    let mut device = Device::new(&config, MemoryImage::new());
    let launch = prepared(&config, READS_A_BLOCK_THAT_HAS_ENDED, 2, 32, &[]);
    device.launch(launch, LaunchOptions::default());
    let text = device.run(&mut Watch::default()).expect_err("it faults").to_string();
    assert!(text.contains("asks for shared memory of block 1 of its cluster, which has ended"), "{text}");
}

#[test]
fn a_block_that_ends_while_a_message_is_on_its_way_is_not_read_either() {
    let config = h200();
    // The second block writes 7, waits for a time and ends; the first one reads it, and traps if it gets anything else.
    let run = |reader_waits: usize, other_waits: usize| {
        let wait = "stall=15 NOP ;\n";
        let listing = format!(
            ".kernel k\n.shared 64\n.cluster 2 1 1\n\
             stall=7 wr=0 S2R R0, SR_CgaCtaId ;\n\
             stall=13 wait=000001 ISETP.NE.AND P0, PT, R0, RZ, PT ;\n\
             stall=5 MOV R5, 0x7 ;\nstall=4 MOV R2, 0x1000400 ;\nstall=4 MOV R3, 0x7e00 ;\n\
             stall=5 @P0 BRA 0x{:x} ;\n\
             {}stall=1 wr=0 LD.E R4, [R2.64] ;\n\
             stall=13 wait=000001 ISETP.NE.AND P1, PT, R4, 0x7, PT ;\n\
             stall=5 @P1 BPT.TRAP 0x1 ;\nstall=5 EXIT ;\n\
             stall=5 STS [R2], R5 ;\n{}stall=5 EXIT ;\n",
            (6 + reader_waits + 4) * 16,
            wait.repeat(reader_waits),
            wait.repeat(other_waits),
        );
        let mut device = Device::new(&config, MemoryImage::new());
        device.launch(prepared(&config, &listing, 2, 32, &[]), LaunchOptions::default());
        device.run(&mut Watch::default()).map(|_| ()).map_err(|fault| fault.to_string())
    };
    let refused_of = |reader_waits: usize| {
        let ends: Vec<Result<(), String>> =
            (0..15).map(|more| run(reader_waits, reader_waits + more)).collect();
        let refused = ends.iter().take_while(|end| end.is_err()).count();
        for end in &ends[..refused] {
            let text = end.as_ref().expect_err("it faults");
            assert!(text.contains("shared memory of block 1 of its cluster, which has ended"), "{text}");
        }
        assert!(ends[refused..].iter().all(Result::is_ok), "{ends:?}");
        refused
    };
    assert_eq!((16..24).map(refused_of).collect::<Vec<_>>(), [5, 5, 5, 5, 5, 4, 4, 4]);
}

#[test]
fn a_cluster_has_no_more_blocks_than_it_has() {
    let third = READS_A_BLOCK_THAT_HAS_ENDED.replace("0x1000400", "0x2000400");
    let config = h200();
    let mut device = Device::new(&config, MemoryImage::new());
    let launch = prepared(&config, &third, 2, 32, &[]);
    device.launch(launch, LaunchOptions::default());
    let text = device.run(&mut Watch::default()).expect_err("it faults").to_string();
    assert!(text.contains("out of bounds") && text.contains("0x7e0002000400"), "{text}");
}

#[test]
fn clusters_are_refused_where_there_are_none_or_smaller_ones_and_where_they_do_not_fill_the_grid() {
    let refused = |config: &warplab_config::GpuConfig, grid: u32| {
        let asked = try_prepare(config, READS_A_BLOCK_THAT_HAS_ENDED, [grid, 1, 1], [32, 1, 1], &[]);
        asked.expect_err("refused").to_string()
    };
    let text = refused(&machine("a100"), 2);
    assert!(text.contains("runs in clusters of 2 x 1 x 1 blocks, which NVIDIA A100"), "{text}");
    let text = refused(&h200(), 3);
    assert!(text.contains("a grid of 3 x 1 x 1 blocks is not made of clusters of 2 x 1 x 1"), "{text}");
    let mut small = h200();
    small.multiprocessor.block_clusters.as_mut().expect("clusters").blocks = 1;
    let text = refused(&small, 2);
    assert!(text.contains("clusters of 2 blocks; NVIDIA H200 allows 1"), "{text}");
}

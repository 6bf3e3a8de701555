//! Machine code as a compiler made it, run by the interpreter: results and instruction counts of a real H200.
#![allow(missing_docs)]

use rustc_hash::FxHashMap;
use warplab_diagnostics::Source;
use warplab_exec::interpreter::{Limits, Statistics, run};
use warplab_exec::{Init, LaunchShape, MemoryImage};
use warplab_program::listing::read;

enum Argument {
    Buffer(&'static str, u64, Init),
    Number(i32),
}
use Argument::{Buffer, Number};

fn launch(listing: &str, grid: u32, block: u32, arguments: Vec<Argument>) -> (MemoryImage, Statistics) {
    let (program, faults) = read(&Source::new("listing", listing));
    assert!(faults.is_empty(), "{faults:?}");
    let mut image = MemoryImage::new();
    let mut parameters = Vec::new();
    for argument in arguments {
        match argument {
            Buffer(name, bytes, init) => {
                parameters.extend(image.allocate(name, bytes, init).0.to_le_bytes());
            }
            Number(value) => parameters.extend(value.to_le_bytes()),
        }
    }
    let shape = LaunchShape { grid: [grid, 1, 1], block: [block, 1, 1], dynamic_shared_bytes: 0 };
    let kernel = &program.kernels[0];
    let statistics =
        run(&program, kernel, shape, &parameters, &FxHashMap::default(), &image, Limits::default()).unwrap();
    (image, statistics)
}

fn checksum(image: &MemoryImage, name: &str) -> (u64, u64) {
    let buffer = image.buffer(name).unwrap();
    image.checksum(buffer, 0..buffer.words())
}

fn hash(seed: u32) -> Init {
    Init::HashF32 { seed }
}

#[test]
fn multiply_add_gives_the_hardwares_checksum_and_counts() {
    let arguments =
        vec![Buffer("a", 4 << 20, hash(1)), Buffer("b", 4 << 20, hash(2)), Buffer("c", 4 << 20, hash(3))];
    let (image, statistics) = launch(include_str!("listings/k_fma_e1.sass"), 32768, 32, arguments);
    assert_eq!(checksum(&image, "c"), (0x1cfa_de44_b5a5_8f75, 0x5640_b90a_bd7e_af1f));
    assert_eq!((statistics.warp_instructions, statistics.thread_instructions), (589_824, 18_874_368));
}

#[test]
fn a_partial_last_block_gives_the_hardwares_checksum_and_counts() {
    let zero = Buffer("c", 4 << 20, Init::Zero);
    let arguments = vec![Buffer("a", 4 << 20, hash(1)), Buffer("b", 4 << 20, hash(2)), zero, Number(1000)];
    let (image, statistics) = launch(include_str!("listings/k_vector_add.sass"), 4, 256, arguments);
    assert_eq!(checksum(&image, "c"), (0xb8ab_a1cd_bc9b_20a3, 0x7b00_47d1_9933_0e07));
    assert_eq!((statistics.warp_instructions, statistics.thread_instructions), (640, 20_192));
}

#[test]
fn nested_divergence_gives_the_hardwares_checksum_and_warp_instructions() {
    let arguments = vec![Buffer("x", 4 << 20, hash(1)), Number(16)];
    let (image, statistics) = launch(include_str!("listings/k_nested_divergence.sass"), 4096, 256, arguments);
    assert_eq!(checksum(&image, "x"), (0xda62_3530_6f09_178e, 0x6492_4f28_1f40_a65e));
    // The hardware counts 463,732,736 thread instructions here, 16 lanes per iteration of a warp more.
    assert_eq!((statistics.warp_instructions, statistics.thread_instructions), (27_262_976, 455_344_128));
}

#[test]
fn a_reduction_with_atomics_gives_the_hardwares_checksum_and_counts() {
    let input = Buffer("in", 16 << 20, Init::HashI32 { seed: 1 });
    let arguments = vec![input, Buffer("max", 4, Init::Zero), Number(4_194_304)];
    let (image, statistics) = launch(include_str!("listings/k_max_reduce.sass"), 1056, 256, arguments);
    assert_eq!(checksum(&image, "max"), (0xd942_e765_a1e3_e22f, 0xd942_e765_a1e3_e22f));
    assert_eq!((statistics.warp_instructions, statistics.thread_instructions), (1_186_592, 37_840_000));
}

#[test]
fn barriers_let_a_block_of_every_size_through() {
    for (block, count) in [(32, 722), (128, 2867), (1024, 22_887)] {
        let arguments = vec![Buffer("cycles", 256, Init::Zero), Number(64)];
        let (_, statistics) = launch(include_str!("listings/k_barriers.sass"), 1, block, arguments);
        assert_eq!(statistics.warp_instructions, count);
    }
}

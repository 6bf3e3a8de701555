//! A device and small launches for it.
#![allow(dead_code, missing_docs, unreachable_pub)]

use rustc_hash::FxHashMap;
use warplab_config::{GpuConfig, load_gpu};
use warplab_diagnostics::{Source, render};
use warplab_exec::{Init, LaunchShape, MemoryImage};
use warplab_gpu::{Device, LaunchOptions, LaunchRequest, PreparedLaunch, RunFault, prepare};
use warplab_program::listing::read;

/// `c[i] = a[i] + b[i]` for `i < n`, as a compiler made it.
pub const VECTOR_ADD: &str = include_str!("../../../exec/tests/listings/k_vector_add.sass");

/// A branch to itself.
pub const ENDLESS: &str = ".kernel k\nstall=5 BRA 0x0 ;\nEXIT ;\n";

/// Half of the block waits at a barrier that the other half never reaches.
pub const STUCK: &str = ".kernel k
stall=7 wr=0 S2R R0, SR_TID.X ;
stall=13 wait=000001 ISETP.GE.AND P0, PT, R0, 0x20, PT ;
stall=5 @P0 BAR.SYNC.DEFER_BLOCKING 0x1, 0x40 ;
stall=5 BAR.SYNC.DEFER_BLOCKING 0x0 ;
stall=5 EXIT ;
";

/// A store to address 64, where no buffer is.
pub const WILD_STORE: &str = ".kernel k
stall=4 MOV R2, 0x40 ;
stall=4 MOV R3, RZ ;
stall=1 STG.E [R2.64], R2 ;
stall=5 EXIT ;
";

/// The H200.
pub fn h200() -> GpuConfig {
    machine("h200")
}

pub fn machine(name: &str) -> GpuConfig {
    let path = format!("{}/../../configs/gpus/{name}.ron", env!("CARGO_MANIFEST_DIR"));
    let source = Source::new(path.clone(), std::fs::read_to_string(&path).expect("a machine file"));
    load_gpu(&source).unwrap_or_else(|faults| panic!("{}", render(&source, &faults)))
}

pub fn prepared(
    config: &GpuConfig,
    listing: &str,
    grid: u32,
    block: u32,
    parameters: &[u8],
) -> PreparedLaunch {
    try_prepare(config, listing, [grid, 1, 1], [block, 1, 1], parameters).expect("it fits")
}

pub fn try_prepare(
    config: &GpuConfig,
    listing: &str,
    grid: [u32; 3],
    block: [u32; 3],
    parameters: &[u8],
) -> Result<PreparedLaunch, RunFault> {
    let (program, faults) = read(&Source::new("k", listing));
    assert!(faults.is_empty(), "{faults:?}");
    let launch = LaunchRequest {
        program: &program,
        kernel: &program.kernels[0].name,
        shape: LaunchShape { grid, block, dynamic_shared_bytes: 0 },
        parameters,
        symbols: &FxHashMap::default(),
    };
    prepare(config, &launch)
}

/// Vectors `a`, `b` and `c` of so many elements, and the parameters of a vector addition on them.
pub fn vectors(elements: u32) -> (MemoryImage, Vec<u8>) {
    let mut memory = MemoryImage::new();
    let bytes = u64::from(elements) * 4;
    let inits = [("a", Init::HashF32 { seed: 1 }), ("b", Init::HashF32 { seed: 2 }), ("c", Init::Zero)];
    let mut parameters: Vec<u8> = Vec::new();
    for (name, init) in inits {
        parameters.extend(memory.allocate(name, bytes, init).0.to_le_bytes());
    }
    parameters.extend(elements.to_le_bytes());
    (memory, parameters)
}

/// A device that has been given so many vector additions of so many elements on the same vectors.
pub fn additions(config: &GpuConfig, launches: usize, elements: u32) -> Device {
    let (memory, parameters) = vectors(elements);
    let mut device = Device::new(config, memory);
    let launch = prepared(config, VECTOR_ADD, elements.div_ceil(256), 256, &parameters);
    for _ in 0..launches {
        device.launch(launch.clone(), LaunchOptions::default());
    }
    device
}

/// The checksum of a buffer.
pub fn checksum(memory: &MemoryImage, name: &str) -> (u64, u64) {
    let buffer = memory.buffer(name).expect("a buffer");
    memory.checksum(buffer, 0..buffer.words())
}

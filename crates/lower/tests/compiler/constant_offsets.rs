//! Offsets in constant memory and parameters wrap as 32-bit addresses do, and are never cut.

use crate::common::{lowered, options};

use warplab_diagnostics::Source;
use warplab_exec::interpreter::{Limits, run};
use warplab_exec::{Init, LaunchShape, MemoryImage};
use warplab_lower::lower;

fn kernel(before: &str, body: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n{before}\n\
         .visible .entry k(.param .u64 out, .param .align 4 .b8 p[64]) {{\n\
         .reg .b32 %r<8>; .reg .b64 %rd<8>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3;\n{body}\nst.global.u32 [%rd4], %r2; ret; }}\n"
    )
}

/// What four threads write; the parameter `p` holds 100, 101, 102, ...
fn written(before: &str, body: &str) -> Vec<u32> {
    let lowered = lowered("offsets.ptx", kernel(before, body), &options());
    let mut image = MemoryImage::new();
    let out = image.allocate("out", 16, Init::Zero);
    let mut parameters = out.0.to_le_bytes().to_vec();
    parameters.extend((100_u32..116).flat_map(u32::to_le_bytes));
    let shape = LaunchShape { grid: [1, 1, 1], block: [4, 1, 1], dynamic_shared_bytes: 0 };
    let kernel = lowered.program.kernel("k").expect("the kernel");
    run(&lowered.program, kernel, shape, &parameters, &Default::default(), &image, Limits::default())
        .unwrap_or_else(|fault| panic!("{fault}"));
    let bytes = image.read_bytes(out, 16).expect("the buffer");
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

fn faults(before: &str, body: &str) -> Vec<String> {
    let source = Source::new("offsets.ptx", kernel(before, body));
    let parsed = warplab_ptx::parse(&source);
    assert!(!parsed.has_errors());
    let faults = lower(&parsed.module, &source, &options()).expect_err("it must be refused");
    faults.into_iter().map(|fault| fault.message).collect()
}

#[test]
fn a_negative_offset_from_a_register_reads_the_parameter_before_it() {
    let body =
        "mov.b64 %rd2, p; add.s64 %rd5, %rd2, %rd3; add.s64 %rd5, %rd5, 40; ld.param.u32 %r2, [%rd5+-36];";
    assert_eq!(written("", body), [101, 102, 103, 104]);
    // Both beyond what an instruction holds and back.
    let body = "mov.b64 %rd2, p; add.s64 %rd5, %rd2, %rd3; add.s64 %rd5, %rd5, 1000008; ld.param.u32 %r2, [%rd5+-1000000];";
    assert_eq!(written("", body), [102, 103, 104, 105]);
}

#[test]
fn constant_memory_has_no_bytes_before_its_first_and_beyond_32_bits() {
    let constants = ".const .align 4 .b32 c[4] = {7, 8, 9, 10};";
    assert_eq!(written(constants, "ld.const.u32 %r2, [c+4];"), [8, 8, 8, 8]);
    assert_eq!(faults(constants, "ld.const.u32 %r2, [c+-8];"), ["constant memory has no byte -8"]);
    assert_eq!(
        faults(constants, "ld.const.u32 %r2, [c+4294967296];"),
        ["constant memory has no byte 4294967296"]
    );
    assert_eq!(
        faults("", "ld.param.u32 %r2, [p+9223372036854775807];"),
        ["constant memory has no byte 9223372036854776343"]
    );
}

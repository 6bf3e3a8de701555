//! Products of warpgroups, against what an H200 left: traces/h200/warpgroup.

use crate::common::{lowered, options};
use warplab_diagnostics::Source;
use warplab_exec::interpreter::{Limits, run};
use warplab_exec::{Init, LaunchShape, MemoryImage, allocate_globals};
use warplab_lower::lower;

/// FNV-1a over words.
fn checksum(bytes: &[u8]) -> u64 {
    let words = bytes.as_chunks::<4>().0.iter().map(|&word| u64::from(u32::from_le_bytes(word)));
    words.fold(0xcbf2_9ce4_8422_2325, |sum: u64, word| (sum ^ word).wrapping_mul(0x0100_0000_01b3))
}

/// Compiles and runs the kernels of a file, and holds what each leaves against the checksums beside it.
fn check(file: &str, count: usize) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/h200/warpgroup");
    let read =
        |ending: &str| std::fs::read_to_string(format!("{folder}/{file}.{ending}")).expect("the trace");
    let lowered = lowered("warpgroup.ptx", read("ptx"), &options());
    let measured = read("txt");
    let rows: Vec<&str> = measured.lines().skip(1).collect();
    assert_eq!(rows.len(), count);
    let mut wrong = Vec::new();
    for row in rows {
        let [name, grid, block, sum] = row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let [grid, block] = [grid, block].map(|it| [it.parse().expect("a number"), 1, 1]);
        let mut image = MemoryImage::new();
        let buffers = [
            image.allocate("a", 256 << 10, Init::HashF32 { seed: 0 }),
            image.allocate("b", 256 << 10, Init::HashI32 { seed: 0 }),
            image.allocate("o", 1 << 20, Init::Zero),
        ];
        let mut parameters: Vec<u8> = buffers.iter().flat_map(|buffer| buffer.0.to_le_bytes()).collect();
        parameters.extend(65536_u32.to_le_bytes());
        let kernel = lowered.program.kernel(name).expect("the kernel");
        let shape = LaunchShape { grid, block, dynamic_shared_bytes: 0 };
        let symbols = allocate_globals(&lowered.program, &mut image).expect("the variables");
        run(&lowered.program, kernel, shape, &parameters, &symbols, &image, Limits::default())
            .unwrap_or_else(|fault| panic!("{name}: {fault}"));
        let left = image.read_bytes(buffers[2], 1 << 20).expect("the results");
        if format!("{:016x}", checksum(&left)) != sum {
            wrong.push(name.to_owned());
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn every_form_leaves_what_an_h200_left() {
    check("forms", 95);
}

#[test]
fn kernels_leave_what_an_h200_left() {
    check("kernels", 7);
}

/// What is said of an instruction in a kernel of this architecture.
fn refusal(architecture: &str, line: &str) -> String {
    let text = format!(
        ".version 8.4\n.target {architecture}\n.address_size 64\n.visible .entry k() {{\n\
         .reg .b32 %r<9>; .reg .b64 %d<3>; .reg .pred %p<3>;\n{line};\nret;\n}}\n"
    );
    let source = Source::new("refused.ptx", text);
    let parsed = warplab_ptx::parse(&source);
    let fault = parsed.diagnostics.first().cloned();
    let fault = fault
        .unwrap_or_else(|| lower(&parsed.module, &source, &options()).expect_err("it is refused").remove(0));
    fault.message
}

#[test]
fn what_no_warpgroup_does_is_refused_with_a_reason() {
    let mma = "wgmma.mma_async.sync.aligned";
    let why = "'wgmma.fence.sync.aligned' is not supported on .target 'sm_90'";
    assert_eq!(refusal("sm_90", "wgmma.fence.sync.aligned"), why);
    for (line, why) in [
        (
            format!("{mma}.m64n8k16.f32.f16.f16 {{%r1, %r2}}, %d1, %d2, 1, 1, 1, 0, 0"),
            "has a sum of 4 registers, found 2",
        ),
        (
            format!("{mma}.m64n8k16.f32.f16.f16 {{%r1, %r2, %r3, %r4}}, {{%r1}}, %d2, 1, 1, 1, 0"),
            "a first matrix takes 4 registers, found 1",
        ),
        (
            format!("{mma}.m64n8k16.f32.f16.f16 {{%r1, %r2, %r3, %r4}}, %d1, %d2, 1, 2, 1, 0, 0"),
            "takes a predicate, then 1 or -1 for either matrix, then 0 or 1 for a transposed one",
        ),
        (
            format!("{mma}.m64n40k32.s32.s8.s8 {{%r1, %r2, %r3, %r4}}, %d1, %d2, 1"),
            "takes shapes m64n8k32 to m64n256k32, of 8, 24 and multiples of 16 columns",
        ),
        (
            format!("{mma}.m64n8k256.s32.b1.b1.and.popc {{%r1, %r2, %r3, %r4}}, %d1, %d2, 1"),
            "is not supported: matrices of bits are not simulated",
        ),
        (
            "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%r1, %r2, %r3, %r4}, %d1, %d2, %r5, 0, 1, 1, 1, 0, 0"
                .to_owned(),
            "is not supported: sparse matrices (.sp) are not simulated; use a dense product",
        ),
        ("wgmma.wait_group.sync.aligned %r1".to_owned(), "'wgmma.wait_group' takes a constant from 0 to 255"),
    ] {
        let said = refusal("sm_90a", &line);
        assert!(said.ends_with(why), "{line}: {said}");
    }
}

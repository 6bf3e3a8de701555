//! Products of warpgroups, against what an H200 left: traces/h200/warpgroup.

use warplab_diagnostics::Source;
use warplab_exec::interpreter::{Limits, run};
use warplab_exec::{Init, LaunchShape, MemoryImage, allocate_globals};
use warplab_program::listing;

/// FNV-1a over words.
fn checksum(bytes: &[u8]) -> u64 {
    let words = bytes.as_chunks::<4>().0.iter().map(|&word| u64::from(u32::from_le_bytes(word)));
    words.fold(0xcbf2_9ce4_8422_2325, |sum: u64, word| (sum ^ word).wrapping_mul(0x0100_0000_01b3))
}

/// Runs the kernels of a listing, and holds what each leaves against the checksums beside it.
fn check(name: &str, count: usize) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/h200/warpgroup");
    let read =
        |ending: &str| std::fs::read_to_string(format!("{folder}/{name}.{ending}")).expect("the trace");
    let (program, faults) = listing::read(&Source::new("listing", read("sass")));
    assert!(faults.is_empty(), "{}", faults[0].message);
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
        let kernel = program.kernel(name).expect("the kernel");
        let shape = LaunchShape { grid, block, dynamic_shared_bytes: 0 };
        let symbols = allocate_globals(&program, &mut image).expect("the variables");
        run(&program, kernel, shape, &parameters, &symbols, &image, Limits::default())
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

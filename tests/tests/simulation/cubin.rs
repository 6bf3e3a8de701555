//! A cubin with variables, constants, a jump table and a call computes what its source says.

use warplab_exec::interpreter::{Limits, run};
use warplab_exec::{Init, LaunchShape, MemoryImage, allocate_globals};
use warplab_tests::{project_file, read};

/// What `mix` of `small.cu` gives thread `i` of the first warp: without the other warps, `tile[127 - i]` is zero.
fn expected(i: u32, n: u32) -> u32 {
    let v = [3, 1, 4, 1][i as usize & 3] + 7 + i * n + i / n;
    match n {
        1 => v ^ 5,
        2 => v + v.count_ones(),
        3 => v << 2,
        4 => v.wrapping_neg(),
        5 => v.reverse_bits(),
        _ => v,
    }
}

#[test]
fn a_small_cubin_computes_what_its_source_says() {
    let bytes = std::fs::read(project_file("crates/sass/tests/small.cubin")).expect("the cubin");
    let program = warplab_sass::read_cubin(&bytes, &read("crates/sass/tests/small.json")).expect("no fault");
    let kernel = program.kernel("mix").expect("the kernel");
    for n in 1..=7 {
        let mut image = MemoryImage::new();
        let out = image.allocate("out", 128, Init::Zero);
        let symbols = allocate_globals(&program, &mut image).expect("the variables");
        let parameters = [out.0.to_le_bytes().as_slice(), &u32::to_le_bytes(n)].concat();
        let shape = LaunchShape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 };
        run(&program, kernel, shape, &parameters, &symbols, &image, Limits::default()).expect("no fault");
        let found = image.read_bytes(out, 128).expect("the buffer");
        let found: Vec<u32> =
            found.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let right: Vec<u32> = (0..32).map(|i| expected(i, n)).collect();
        assert_eq!(found, right, "n = {n}");
    }
}

#[test]
fn calls_of_functions_in_other_sections_are_linked() {
    let bytes = std::fs::read(project_file("crates/sass/tests/linked.cubin")).expect("the cubin");
    let program = warplab_sass::read_cubin(&bytes, &read("crates/sass/tests/linked.json")).expect("no fault");
    let inner = |a: i32| a % 7 + 5;
    let helper = |a: i32, b: i32| a * (((a & 7) - b) & 7) + inner(b);
    let first = |i: i32| helper(i, 3) + 2 * inner(i);
    let second = |i: i32| 2 * inner(helper(i, 3));
    for (name, right) in [("first", &first as &dyn Fn(i32) -> i32), ("second", &second)] {
        let mut image = MemoryImage::new();
        let out = image.allocate("out", 128, Init::Zero);
        let symbols = allocate_globals(&program, &mut image).expect("the variables");
        let kernel = program.kernel(name).expect("the kernel");
        let parameters = [out.0.to_le_bytes().as_slice(), &3_u32.to_le_bytes()].concat();
        let shape = LaunchShape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 };
        run(&program, kernel, shape, &parameters, &symbols, &image, Limits::default()).expect("no fault");
        let found = image.read_bytes(out, 128).expect("the buffer");
        let found: Vec<i32> =
            found.chunks(4).map(|word| i32::from_le_bytes(word.try_into().unwrap())).collect();
        assert_eq!(found, (0..32).map(right).collect::<Vec<i32>>(), "{name}");
    }
}

//! Kernels that copy boxes of tensors as people use them, beside an H200: programs of traces/h200/tensor.

use std::path::Path;
use warplab_config::launch::{Argument, BufferSpec, Init, Size, TensorElementName as Name, TensorMapSpec};
use warplab_exec::LaunchShape;
use warplab_exec::element::encode;
use warplab_gpu::RunOptions;
use warplab_program::Program;
use warplab_run::{Fault, NO_SYMBOLS, Workload, simulate};
use warplab_tests::{compile, gpu, listing, read};
use warplab_units::{ElementType, Number};

/// A tensor of two dimensions, without gaps.
pub(crate) fn tensor(
    buffer: &str,
    element: Name,
    sizes: [u64; 2],
    box_sizes: [u32; 2],
    swizzle: u32,
) -> Argument {
    Argument::Tensor(TensorMapSpec {
        buffer: buffer.to_owned(),
        offset: Size(0),
        element,
        sizes: sizes.to_vec(),
        strides: Vec::new(),
        box_sizes: box_sizes.to_vec(),
        steps: Vec::new(),
        swizzle,
        promotion: 0,
        fills_with_nan: false,
    })
}

/// Halves from -2 to 2 in steps of an eighth, as `programs_drive.cu` makes them: so many, behind their seed.
fn halves(path: &Path) -> Result<Vec<u8>, Fault> {
    let (seed, count) = path.to_str().and_then(|text| text.split_once('x')).expect("a seed and a count");
    let [seed, count] = [seed, count].map(|number| number.parse::<u32>().expect("a number"));
    let mix = |x: u32| {
        let x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
        let x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
        x ^ x >> 16
    };
    let number =
        |at: u32| f64::from(mix(at.wrapping_add(seed.wrapping_mul(0x9e37_79b9))) >> 8 & 31) / 8.0 - 2.0;
    let half = |at| encode(ElementType::F16, Number::Real(number(at))) as u16;
    Ok((0..count).flat_map(|at| half(at).to_le_bytes()).collect())
}

/// The arguments, the buffers and the buffer with the results of a kernel.
fn launch(kernel: &str, side: u64, blocks: u64) -> (Vec<Argument>, Vec<BufferSpec>, u64) {
    let buffer =
        |name: &str, bytes: u64, init| BufferSpec { name: name.to_owned(), size: Size(bytes).into(), init };
    let pointer = |name: &str| Argument::Pointer { buffer: name.to_owned(), offset: Size(0) };
    let square = side * side;
    match kernel {
        "gemm" => {
            let matrix = |name: &str| tensor(name, Name::F16, [side, side], [64, 128], 128);
            let numbers = [Argument::I32(side as i32), Argument::I32(side as i32)];
            let file = |seed: u32| Init::File(format!("{seed}x{square}"));
            (
                [vec![matrix("a"), matrix("b"), pointer("out")], numbers.to_vec()].concat(),
                vec![
                    buffer("a", 2 * square, file(1)),
                    buffer("b", 2 * square, file(2)),
                    buffer("out", 4 * square, Init::Zero),
                ],
                4 * square,
            )
        }
        "blur" => {
            let image = |name: &str, sides| tensor(name, Name::F32, [side, side], sides, 0);
            (
                vec![image("a", [36, 34]), image("out", [32, 32]), Argument::I32(0)],
                vec![buffer("a", 4 * square, Init::HashF32(1)), buffer("out", 4 * square, Init::Zero)],
                4 * square,
            )
        }
        _ => (
            vec![tensor("out", Name::U32, [256, 4], [256, 1], 0), pointer("in"), Argument::I32(side as i32)],
            vec![buffer("out", 4096, Init::Zero), buffer("in", 4 * side * blocks, Init::HashI32(2))],
            4096,
        ),
    }
}

/// What a kernel leaves, as a checksum, and its cycles, here and on the H200.
fn compared(program: &Program, row: &str) -> ([String; 2], [u64; 2]) {
    let [kernel, side, blocks, sum, cycles] = row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
    let [side, blocks, cycles] =
        [side, blocks, cycles].map(|number| number.parse::<u64>().expect("a number"));
    let (arguments, buffers, bytes) = launch(kernel, side, blocks);
    let (grid, threads, shared) = match kernel {
        "gemm" => ([side as u32 / 128, side as u32 / 128, 1], 384, 128 << 10),
        "blur" => ([side as u32 / 32, side as u32 / 32, 1], 256, 0),
        _ => ([blocks as u32, 1, 1], 256, 0),
    };
    let workload = Workload {
        program,
        kernel,
        shape: LaunchShape { grid, block: [threads, 1, 1], dynamic_shared_bytes: shared },
        arguments: &arguments,
        buffers: &buffers,
        symbols: &NO_SYMBOLS,
    };
    let run = simulate(&gpu("h200"), &workload, &halves, RunOptions::default()).expect("it runs");
    let place = run.image.buffer("out").expect("the results").base;
    let left = run.image.read_bytes(place, bytes).expect("the results");
    let words = left.as_chunks::<4>().0.iter().map(|&word| u64::from(u32::from_le_bytes(word)));
    let here =
        words.fold(0xcbf2_9ce4_8422_2325, |sum: u64, word| (sum ^ word).wrapping_mul(0x0100_0000_01b3));
    ([format!("{here:016x}"), sum.to_owned()], [run.outcome.counters.elapsed_cycles, cycles])
}

/// The kernels of at most so many blocks but those with sides of 2,048, all of which leave what they leave on the H200; their cycles here and there.
fn cycles(program: &Program, most: u64) -> Vec<[u64; 2]> {
    let text = read("traces/h200/tensor/programs.txt");
    let few = |row: &&str| {
        let mut numbers = row.split(',').skip(1).map_while(|number| number.parse::<u64>().ok());
        let (side, blocks) = (numbers.next(), numbers.next());
        side != Some(2048) && blocks.is_some_and(|blocks| blocks <= most)
    };
    let rows: Vec<&str> = text.lines().skip(1).filter(few).collect();
    let cycles = |row: &&str| {
        let ([here, there], cycles) = compared(program, row);
        assert_eq!(here, there, "{row}");
        cycles
    };
    rows.iter().map(cycles).collect()
}

#[test]
fn products_of_matrices_filters_and_counts_are_those_of_an_h200_from_machine_code() {
    let cycles = cycles(&listing("traces/h200/tensor/programs.sass"), 256);
    assert_eq!(cycles, [[12611, 14646], [18088, 17944], [6892, 6693], [9035, 8587]]);
}

#[test]
fn products_of_matrices_filters_and_counts_are_those_of_an_h200_from_ptx() {
    let program = compile(&gpu("h200"), "traces/h200/tensor/programs.ptx");
    assert_eq!(cycles(&program, 132), [[12597, 14646], [17968, 17944], [9101, 8587]]);
}

//! `wmma` in every shape, type, layout and space: products of small whole numbers are exact in all types.

use crate::common::{lowered, options};
use warplab_exec::interpreter::{Limits, run};
use warplab_exec::{Init, LaunchShape, MemoryImage};

/// What a matrix holds.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    S8,
    U8,
    S32,
}
use Type::{Bf16, F16, F32, F64, S8, S32, Tf32, U8};

impl Type {
    fn name(self) -> &'static str {
        ["f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s32"][self as usize]
    }

    fn bytes(self) -> usize {
        [2, 2, 4, 4, 8, 1, 1, 4][self as usize]
    }

    /// The bytes of a whole number between -8 and 8, or of an even one up to 4,096.
    fn write(self, value: i32, to: &mut [u8]) {
        let single = (value as f32).to_bits();
        match self {
            F16 if value == 0 => to.fill(0),
            F16 => {
                let exponent = (single >> 23 & 0xff) - 127 + 15;
                let half = single >> 16 & 0x8000 | exponent << 10 | single >> 13 & 0x3ff;
                to.copy_from_slice(&half.to_le_bytes()[..2]);
            }
            Bf16 => to.copy_from_slice(&single.to_le_bytes()[2..]),
            Tf32 | F32 => to.copy_from_slice(&single.to_le_bytes()),
            F64 => to.copy_from_slice(&f64::from(value).to_le_bytes()),
            S8 | U8 | S32 => to.copy_from_slice(&value.to_le_bytes()[..to.len()]),
        }
    }
}

/// A matrix in memory.
#[derive(Clone, Copy)]
struct Matrix {
    rows: usize,
    columns: usize,
    by_rows: bool,
    ty: Type,
}

impl Matrix {
    /// The leading dimension: eight or sixteen elements more than are needed.
    fn stride(self) -> usize {
        (if self.by_rows { self.columns } else { self.rows }) + 16
    }

    fn bytes(self, value: impl Fn(usize, usize) -> i32) -> Vec<u8> {
        let size = self.ty.bytes();
        let mut bytes = vec![0; 48 * 48 * size];
        for (row, column) in (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (row, column)))
        {
            let (major, minor) = if self.by_rows { (row, column) } else { (column, row) };
            let at = (major * self.stride() + minor) * size;
            self.ty.write(value(row, column), &mut bytes[at..at + size]);
        }
        bytes
    }

    fn layout(self) -> &'static str {
        if self.by_rows { "row" } else { "col" }
    }
}

/// A product: its shape, what factors and sums hold, and their registers.
struct Case {
    shape: [usize; 3],
    factor: Type,
    sum: Type,
    registers: [usize; 3],
}

const fn case(shape: [usize; 3], factor: Type, sum: Type, registers: [usize; 3]) -> Case {
    Case { shape, factor, sum, registers }
}

const CASES: &[Case] = &[
    case([16, 16, 16], F16, F32, [8, 8, 8]),
    case([32, 8, 16], F16, F32, [8, 8, 8]),
    case([8, 32, 16], F16, F32, [8, 8, 8]),
    case([16, 16, 16], F16, F16, [8, 8, 4]),
    case([32, 8, 16], F16, F16, [8, 8, 4]),
    case([8, 32, 16], F16, F16, [8, 8, 4]),
    case([16, 16, 16], Bf16, F32, [4, 4, 8]),
    case([32, 8, 16], Bf16, F32, [8, 2, 8]),
    case([8, 32, 16], Bf16, F32, [2, 8, 8]),
    case([16, 16, 8], Tf32, F32, [4, 4, 8]),
    case([16, 16, 16], S8, S32, [2, 2, 8]),
    case([32, 8, 16], S8, S32, [4, 1, 8]),
    case([8, 32, 16], U8, S32, [1, 4, 8]),
    case([8, 8, 4], F64, F64, [1, 1, 2]),
];

/// Registers of a matrix in braces; those of sums of floats, and of doubles, have names of their own.
fn registers(prefix: char, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|number| format!("%{prefix}{number}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// The PTX of a product of the matrices `a` and `b` and of `c`, which lies at `out`: at `shared`, by way of shared memory.
fn text(case: &Case, [a, b, c]: [Matrix; 3], shared: bool) -> String {
    let [m, n, k] = case.shape;
    let shape = format!("m{m}n{n}k{k}");
    let wide = if case.factor == F64 { "b64" } else { "b32" };
    let [x, y, z] = case.registers;
    let [x, y, z] = [('x', x), ('y', y), ('z', z)].map(|(prefix, count)| registers(prefix, count));
    let (factor, sum) = (case.factor.name(), case.sum.name());
    let types = match case.factor {
        F16 => format!("{sum}.{sum}"),
        _ => format!("{sum}.{factor}.{factor}.{sum}"),
    };
    let copies = |from: &str, to: usize, matrix: Matrix| {
        let words = 48 * 48 * matrix.ty.bytes() / 4;
        let copy = |at: usize| {
            format!("ld.global.b32 %r3, [{from}+{0}]; st.shared.b32 [%r2+{1}], %r3;\n", 4 * at, to + 4 * at)
        };
        (0..words).step_by(32).map(copy).collect::<String>()
    };
    let (space, places, before) = if shared {
        let copies = copies("%d4", 0, a) + &copies("%d5", 18432, b);
        (".shared", ["s".to_owned(), "s+18432".to_owned()], copies + "bar.warp.sync 0xffffffff;\n")
    } else {
        (".global", ["%d1".to_owned(), "%d2".to_owned()], String::new())
    };
    let (layout_a, layout_b, layout_c) = (a.layout(), b.layout(), c.layout());
    let [stride_a, stride_b, stride_c] = [a, b, c].map(Matrix::stride);
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 out) {{\n\
         .reg .{wide} %x<8>, %y<8>, %z<8>; .reg .b32 %r<9>; .reg .b64 %d<9>; .shared .align 32 .b8 s[36864];\n\
         ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [out];\n\
         mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; cvt.u64.u32 %d0, %r1; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;\n\
         add.u64 %d4, %d1, %d0; add.u64 %d5, %d2, %d0; mov.u32 %r4, {stride_a};\n{before}\
         wmma.load.a.sync.aligned.{layout_a}.{shape}{space}.{factor} {x}, [{}], %r4;\n\
         wmma.load.b.sync.aligned.{layout_b}.{shape}{space}.{factor} {y}, [{}], {stride_b};\n\
         wmma.load.c.sync.aligned.{layout_c}.{shape}.{sum} {z}, [%d3], {stride_c};\n\
         wmma.mma.sync.aligned.{layout_a}.{layout_b}.{shape}.{types} {z}, {x}, {y}, {z};\n\
         wmma.store.d.sync.aligned.{layout_c}.{shape}.global.{sum} [%d3], {z}, {stride_c};\nret; }}\n",
        places[0], places[1]
    )
}

/// What `out` holds after the product.
fn product(text: String, a: Vec<u8>, b: Vec<u8>, c: Vec<u8>) -> Vec<u8> {
    let lowered = lowered("fragments.ptx", text, &options());
    let mut image = MemoryImage::new();
    let length = c.len() as u64;
    let places = [("a", a), ("b", b), ("out", c)]
        .map(|(name, bytes)| image.allocate(name, bytes.len() as u64, Init::Bytes(bytes.into())));
    let arguments: Vec<u8> = places.iter().flat_map(|place| place.0.to_le_bytes()).collect();
    let shape = LaunchShape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 };
    let kernel = lowered.program.kernel("k").expect("the kernel");
    let symbols = rustc_hash::FxHashMap::default();
    run(&lowered.program, kernel, shape, &arguments, &symbols, &image, Limits::default())
        .unwrap_or_else(|fault| panic!("{fault}"));
    image.read_bytes(places[2], length).expect("the results")
}

#[test]
fn products_of_fragments_are_right_in_every_layout() {
    let signed = |row: usize, column: usize| (row * 7 + column * 3) as i32 % 9 - 4;
    let other = |row: usize, column: usize| (row * 5 + column * 11) as i32 % 7 - 3;
    let sum = |row: usize, column: usize| (row * 13 + column * 29) as i32 % 64 - 32;
    for case in CASES {
        let [m, n, k] = case.shape;
        let offset = if case.factor == U8 { 4 } else { 0 };
        let first = |row, column| signed(row, column) + offset;
        let second = |row, column| other(row, column) + offset;
        let expected = |row, column| {
            (0..k).map(|depth| first(row, depth) * second(depth, column)).sum::<i32>() + sum(row, column)
        };
        for layouts in 0..16 {
            let by_rows = |bit: usize| layouts >> bit & 1 == 0;
            let a = Matrix { rows: m, columns: k, by_rows: by_rows(0), ty: case.factor };
            let b = Matrix { rows: k, columns: n, by_rows: by_rows(1), ty: case.factor };
            let c = Matrix { rows: m, columns: n, by_rows: by_rows(2), ty: case.sum };
            let text = text(case, [a, b, c], layouts >= 8);
            let found = product(text.clone(), a.bytes(first), b.bytes(second), c.bytes(sum));
            assert!(found == c.bytes(expected), "{text}");
        }
    }
}

/// How often a listing of a kernel has each of some opcodes.
fn counts<const N: usize>(body: &str, opcodes: [&str; N]) -> [usize; N] {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b) {{\n\
         .reg .b32 %r<8>, %q<8>; .reg .b64 %d<9>; .reg .f32 %f<9>; .shared .align 32 .b8 s[2048];\n\
         ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b];\n{body}\nret; }}\n"
    );
    let listing = crate::common::within(5, text);
    opcodes.map(|opcode| listing.lines().filter(|line| line.contains(opcode)).count())
}

#[test]
fn a_product_of_halves_takes_the_instructions_that_ptxas_takes() {
    let [a, b, c] = ['r', 'q', 'f'].map(|prefix| registers(prefix, 8));
    let body = format!(
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {a}, [%d1], 16;\n\
         wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {b}, [s], 24;\n\
         wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {c}, [%d2], 16;\n\
         wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {c}, {a}, {b}, {c};\n\
         wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d2], {c}, 16;"
    );
    let found = counts(&body, ["LDG.E ", "LDSM.16.MT88.4", "LDG.E.64", "HMMA.16816.F32", "STG.E.64", "MOVM"]);
    assert_eq!(found, [4, 1, 4, 2, 4, 0]);
}

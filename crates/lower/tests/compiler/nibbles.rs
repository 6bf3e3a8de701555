//! Products of matrices of integers of four bits, against sums of products on the host.

use crate::programs::{check, kernel};

/// Register `index` of a lane.
fn register(lane: u32, index: u32) -> u32 {
    (lane * 8 + index + 1).wrapping_mul(0x9e37_79b1).rotate_left(13)
}

/// Nibble `at` of a word.
fn nibble(word: u32, at: u32, signed: bool) -> i32 {
    let nibble = (word >> (4 * at) & 15) as i32;
    if signed && nibble > 7 { nibble - 16 } else { nibble }
}

/// Rows and depth of a product, registers of its first factor, and the text of its shape.
const SHAPES: [(u32, u32, u32, &str); 3] =
    [(8, 32, 1, "m8n8k32"), (16, 32, 2, "m16n8k32"), (16, 64, 4, "m16n8k64")];

/// Element `index` of a lane's sum, without what is added.
fn product(lane: u32, index: u32, (rows, depth, _, _): (u32, u32, u32, &str), signed: [bool; 2]) -> i32 {
    let (row, column) = (lane / 4 + index / 2 * 8, lane % 4 * 2 + index % 2);
    let element = |k: u32| {
        let (part, at) = (k % 32 / 8, k % 8);
        // A register for each eight rows, and then for each 32 of the depth.
        let first = register(row % 8 * 4 + part, row / 8 + k / 32 * (rows / 8));
        let second = register(column * 4 + part, 4 + k / 32);
        nibble(first, at, signed[0]) * nibble(second, at, signed[1])
    };
    (0..depth).map(element).sum()
}

/// A kernel that leaves a product of which the types are named, plus `added`, as the sum of a lane's elements times one, two, ...
fn multiply(shape: (u32, u32, u32, &str), types: &str, added: &str) -> String {
    let (rows, depth, firsts, name) = shape;
    let loads: String = (0..6)
        .map(|index| {
            format!(
                "mad.lo.u32 %r9, %r1, 8, {}; mul.lo.u32 %r9, %r9, 0x9e3779b1; shf.l.wrap.b32 %r{}, %r9, %r9, 13;\n",
                index + 1,
                10 + index
            )
        })
        .collect();
    let list = |from: u32, count: u32| {
        (from..from + count).map(|number| format!("%r{number}")).collect::<Vec<_>>().join(", ")
    };
    let sums = rows / 4;
    let (a, b, c, d) = (list(10, firsts), list(14, depth / 32), list(20, sums), list(30, sums));
    let adds: String = (0..sums).map(|index| format!("mov.u32 %r{}, {added};", 20 + index)).collect();
    let all: String =
        (0..sums).map(|index| format!("mad.lo.u32 %r0, %r{}, {}, %r0;", 30 + index, index + 1)).collect();
    kernel(
        "",
        "",
        &format!(
            "{loads} {adds}\nmma.sync.aligned.{name}.row.col.{types} {{{d}}}, {{{a}}}, {{{b}}}, {{{c}}};\nmov.u32 %r0, 0; {all}"
        ),
    )
}

#[test]
fn products_of_nibbles_are_sums_of_products() {
    for shape in SHAPES {
        for (types, signed) in
            [("s32.s4.s4.s32", [true; 2]), ("s32.u4.s4.s32", [false, true]), ("s32.u4.u4.s32", [false; 2])]
        {
            let text = multiply(shape, types, "%r1");
            check(&text, 32, |lane| {
                let of = |index| product(lane, index, shape, signed).wrapping_add(lane as i32) as u32;
                (0..shape.0 / 4).fold(0, |all, index| of(index).wrapping_mul(index + 1).wrapping_add(all))
            });
        }
    }
}

#[test]
fn a_sum_that_does_not_fit_stays_at_the_limit_where_it_says_so() {
    let shape = SHAPES[2];
    for limit in [i32::MAX, i32::MIN] {
        let text = multiply(shape, "satfinite.s32.s4.s4.s32", &limit.to_string());
        check(&text, 32, |lane| {
            let of = |index| product(lane, index, shape, [true; 2]).saturating_add(limit) as u32;
            (0..4).fold(0, |all, index| of(index).wrapping_mul(index + 1).wrapping_add(all))
        });
    }
}

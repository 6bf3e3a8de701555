//! Which instructions let other warps go first, as ptxas marks them (traces/h200/core/alike.txt).

use crate::common::{lowered, options};
use crate::programs::kernel;
use warplab_program::Opcode;

/// Opcode, stall and whether it yields, of each instruction of a kernel that ends with `body`.
fn marked(body: &str) -> Vec<(Opcode, u8, bool)> {
    let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n{}", kernel("", "", body));
    let lowered = lowered("yields.ptx", text, &options());
    let instructions = &lowered.program.kernel("k").expect("the kernel").instructions;
    instructions.iter().map(|it| (it.opcode, it.control.stall, !it.control.yield_hint)).collect()
}

/// The lowest of what four registers are after eight rounds, in each of which they wait for nothing but the pipe.
fn rounds() -> String {
    let round = (5..9).map(|at| format!("shf.l.wrap.b32 %r{at}, %r{at}, %r1, %r1;")).collect::<String>();
    let begin = (5..9).map(|at| format!("add.u32 %r{at}, %r1, {at};")).collect::<String>();
    let end = "min.u32 %r5, %r5, %r6; min.u32 %r7, %r7, %r8; min.u32 %r0, %r5, %r7;";
    format!("{begin} {} {end}", round.repeat(8))
}

#[test]
fn arithmetic_yields_behind_a_stall_of_three_and_never_behind_one() {
    // Products and comparisons in turn do not wait for a pipe.
    let body = (0..8).map(|_| "fma.rn.f32 %f1, %f1, %f1, %f1; xor.b32 %r5, %r5, %r1;").collect::<String>();
    let end = "cvt.rzi.u32.f32 %r6, %f1; add.u32 %r0, %r5, %r6;";
    let all = marked(&format!("cvt.rn.f32.u32 %f1, %r1; mov.u32 %r5, 9; {body} {end}"));
    let of = |opcode| all.iter().filter(move |it| it.0 == opcode);
    assert!(of(Opcode::Stg).chain(of(Opcode::Exit)).chain(of(Opcode::S2r)).all(|it| !it.2));
    let computes = [Opcode::Ffma, Opcode::Lop3].into_iter().flat_map(of);
    let stalls = |least: u8, most: u8| computes.clone().filter(move |it| (least..=most).contains(&it.1));
    assert_eq!((stalls(1, 1).count(), stalls(3, 15).count()), (8, 8));
    assert!(computes.clone().filter(|it| it.1 != 2).all(|it| it.2 == (it.1 > 2)));
}

#[test]
fn a_stall_of_two_yields_when_nothing_has_for_twelve_cycles() {
    let all = marked(&rounds());
    let twos: Vec<_> = all.iter().filter(|it| it.1 == 2).collect();
    let yields: Vec<_> = (0..twos.len()).filter(|&index| twos[index].2).collect();
    // Every twelve cycles from the start, of four sums, 32 shifts and what follows them.
    assert_eq!((twos.len(), yields), (33, vec![0, 5, 11, 17, 23, 29]));
}

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
    let all = marked(&rounds());
    let of = |opcode| all.iter().filter(move |it| it.0 == opcode);
    assert!(of(Opcode::Stg).chain(of(Opcode::Exit)).chain(of(Opcode::S2r)).all(|it| !it.2));
    let computes = [Opcode::Shf, Opcode::Vimnmx, Opcode::Iadd3].into_iter().flat_map(of);
    assert_eq!(computes.clone().count(), 37);
    assert!(computes.clone().filter(|it| it.1 != 2).all(|it| it.2 == (it.1 > 2)));
}

#[test]
fn a_stall_of_two_yields_when_nothing_has_for_twelve_cycles() {
    let all = marked(&rounds());
    let twos: Vec<_> = all.iter().filter(|it| it.1 == 2).map(|it| (it.0, it.2)).collect();
    // The last of the sums, eight cycles from the start, and the first of the least, behind 32 shifts.
    assert_eq!(twos, [(Opcode::Iadd3, false), (Opcode::Vimnmx, true)]);
}

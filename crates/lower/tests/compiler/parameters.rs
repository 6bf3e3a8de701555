//! Parameters and addresses of variables are read where they are needed, as ptxas reads them.

use crate::common::{lowered, options};
use warplab_program::{Instruction, Opcode, Operand};

fn machine_code(declarations: &str, body: &str) -> Vec<Instruction> {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n{declarations}\n\
         .visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {{\n\
         .reg .b32 %r<64>; .reg .b64 %rd<16>; .reg .f32 %f<32>; .reg .pred %p<8>;\n\
         ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %rd3, %r1, 4; mov.f32 %f1, 0f3F800000;\n{body}\nret; }}"
    );
    lowered("parameters.ptx", text, &options()).program.kernels[0].instructions.clone()
}

/// Where each read of a constant stands.
fn reads(code: &[Instruction], bank: u8, offset: i32) -> Vec<usize> {
    let names = |it: &&Operand| matches!(it, Operand::Constant(constant) if constant.bank == bank && constant.offset == offset);
    let reads = code.iter().enumerate().filter(|(_, it)| it.opcode == Opcode::Ldc);
    reads.filter(|(_, it)| it.operands.iter().any(|operand| names(&operand))).map(|(at, _)| at).collect()
}

/// So many multiply-adds that no guard is worth.
fn long() -> String {
    "fma.rn.f32 %f1, %f1, %f1, 0f3F800000;\n".repeat(12)
}

#[test]
fn both_sides_of_a_branch_read_the_parameter_that_the_rest_does_not_need() {
    let (long, store) = (long(), "add.s64 %rd4, %rd2, %rd3; st.global.f32");
    let code = machine_code(
        "",
        &format!(
            "setp.lt.u32 %p1, %r1, 7; @%p1 bra ELSE; {long} {store} [%rd4], %f1; bra JOIN;\n\
             ELSE: {long} {store} [%rd4+4], %f1; {long} st.global.f32 [%rd4+64], %f1;\nJOIN:"
        ),
    );
    assert_eq!(reads(&code, 0, 0x218).len(), 2);
}

#[test]
fn the_address_of_a_variable_is_read_on_the_path_of_a_loop_that_needs_it() {
    let long = long();
    let code = machine_code(
        ".global .align 4 .b8 table[64];",
        &format!(
            "mov.u64 %rd5, table; add.s64 %rd6, %rd1, %rd3;\n\
             LOOP: .pragma \"nounroll\"; {long} setp.lt.f32 %p1, %f1, 0f00000000; @%p1 bra NEXT;\n\
             ld.global.f32 %f2, [%rd5]; mul.f32 %f1, %f1, %f2; {long} {long} st.global.f32 [%rd6], %f1;\n\
             NEXT: sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra LOOP;\n\
             st.global.f32 [%rd6], %f1;"
        ),
    );
    let branch = code.iter().position(|it| it.opcode == Opcode::Bra).expect("a branch");
    let reads = reads(&code, 4, 0);
    assert!(reads.len() == 1 && reads[0] > branch, "read at {reads:?}, the branch is at {branch}");
}

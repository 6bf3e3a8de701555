//! How many loads are under way together where registers or predicates become few.

use crate::common::{lowered, options};
use warplab_program::{Instruction, Opcode};

fn machine_code(body: &str) -> Vec<Instruction> {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 a, .param .u32 n) {{\n\
         .reg .b32 %r<64>; .reg .b64 %rd<8>; .reg .f32 %f<99>; .reg .pred %p<32>;\n\
         ld.param.u64 %rd1, [a]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3;\n{body}\nret; }}"
    );
    lowered("loads.ptx", text, &options()).program.kernels[0].instructions.clone()
}

/// How many loads stand between an instruction and the first multiply-add behind it.
fn loads_before_the_first_sum(code: &[Instruction], begin: usize) -> usize {
    let run = code[begin..].iter().take_while(|it| it.opcode != Opcode::Ffma);
    run.filter(|it| it.opcode == Opcode::Ldg).count()
}

#[test]
fn five_loads_of_four_constant_words_are_under_way_beside_twenty_sums() {
    let mut body = String::new();
    for sum in 10..30 {
        body += &format!("cvt.rn.f32.u32 %f{sum}, %r1; add.u32 %r1, %r1, 5;\n");
    }
    body += "LOOP: .pragma \"nounroll\";\n";
    for load in 0..8 {
        body += &format!("ld.global.nc.v4.f32 {{%f40, %f41, %f42, %f43}}, [%rd4+{}];\n", 16 * load);
        for word in 0..4 {
            let sum = 10 + (4 * load + word) % 20;
            body += &format!("fma.rn.f32 %f{sum}, %f{sum}, %f4{word}, %f4{word};\n");
        }
    }
    body += "add.s64 %rd4, %rd4, 512; sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra LOOP;\n";
    for sum in 10..30 {
        body += &format!("st.global.f32 [%rd4+{}], %f{sum};\n", 4 * sum);
    }
    let code = machine_code(&body);
    let first = code.iter().position(|it| it.opcode == Opcode::Ldg).expect("a load");
    assert_eq!(loads_before_the_first_sum(&code, first), 5);
}

#[test]
fn loads_under_guards_of_their_own_do_not_wait_for_one_another() {
    let mut body = "mov.f32 %f1, 0f3F800000;\n".to_owned();
    for side in 0..8 {
        body += &format!(
            "setp.lt.u32 %p{side}, %r1, {}; @%p{side} bra NEXT{side};\n\
             ld.global.f32 %f4{side}, [%rd4+{}]; fma.rn.f32 %f1, %f1, %f1, %f4{side};\nNEXT{side}:\n",
            3 * side + 5,
            64 * side
        );
    }
    body += "st.global.f32 [%rd4], %f1;";
    assert_eq!(loads_before_the_first_sum(&machine_code(&body), 0), 5);
}

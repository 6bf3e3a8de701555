//! Which loads are under way together, and what they wait for.

use crate::common::{lowered, options};
use warplab_program::{Instruction, Opcode, Operand};

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
fn four_loads_of_four_constant_words_are_under_way_beside_twenty_sums() {
    // As with ptxas 13.0, which takes 42 registers.

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
    assert_eq!(loads_before_the_first_sum(&code, first), 4);
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
    assert_eq!(loads_before_the_first_sum(&machine_code(&body), 0), 8);
}

/// Four loads, each with an `if` behind it that no guard is worth; in its side `also`.
fn loads_with_sides(also: &str) -> Vec<Instruction> {
    let long = "fma.rn.f32 %f1, %f1, %f1, 0f3F800000;\n".repeat(12);
    let mut body = "mov.f32 %f1, 0f3F800000; add.s64 %rd5, %rd1, 64;\n".to_owned();
    for load in 0..4 {
        body += &format!(
            "ld.global.f32 %f4{load}, [%rd4+{}]; setp.lt.f32 %p{load}, %f4{load}, %f1; @%p{load} bra NEXT{load};\n\
             {long} {also}\nNEXT{load}:\n",
            128 * load
        );
    }
    machine_code(&format!("{body} st.global.f32 [%rd4], %f1;"))
}

#[test]
fn loads_go_ahead_of_an_if_that_does_not_store() {
    assert_eq!(loads_before_the_first_sum(&loads_with_sides(""), 0), 4);
    let elsewhere = "st.shared.f32 [word], %f1;";
    let declared = loads_with_sides(&format!("{{ .shared .b32 word; {elsewhere} }}"));
    assert_eq!(loads_before_the_first_sum(&declared, 0), 4);
}

#[test]
fn loads_stay_behind_an_if_that_may_store_to_the_same_place() {
    assert_eq!(loads_before_the_first_sum(&loads_with_sides("st.global.f32 [%rd5], %f1;"), 0), 1);
}

#[test]
fn a_value_of_the_last_iteration_is_not_loaded_over() {
    let long = "fma.rn.f32 %f1, %f1, %f2, 0f3F800000;\n".repeat(12);
    let code = machine_code(&format!(
        "mov.f32 %f1, 0f3F800000; mov.u32 %r3, 0;\n\
         LOOP: .pragma \"nounroll\"; setp.lt.u32 %p1, %r3, 1; @%p1 bra NEXT; {long}\n\
         NEXT: ld.global.f32 %f2, [%rd4]; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r2; @%p2 bra LOOP;\n\
         st.global.f32 [%rd4], %f1;"
    ));
    assert_eq!(loads_before_the_first_sum(&code, 0), 0);
}

#[test]
fn what_others_may_write_is_not_loaded_before_a_shuffle_in_front_of_it() {
    let is_before = |constant: &str| {
        let shuffles = "shfl.sync.bfly.b32 %r1, %r1, 1, 31, 0xffffffff;\n".repeat(5);
        let code = machine_code(&format!(
            "{shuffles} ld.global{constant}.u32 %r4, [%rd4]; add.u32 %r5, %r1, %r4; st.global.u32 [%rd4], %r5;"
        ));
        let load = code.iter().position(|it| it.opcode == Opcode::Ldg);
        load < code.iter().rposition(|it| it.opcode == Opcode::Shfl)
    };
    assert_eq!([is_before(""), is_before(".nc")], [false, true]);
}

#[test]
fn a_store_to_shared_memory_does_not_hold_up_the_index_that_a_loop_steps() {
    let code = machine_code(
        ".shared .align 4 .b8 table[4096]; mov.u32 %r3, table;\n\
         LOOP: .pragma \"nounroll\"; add.u32 %r4, %r3, %r1; st.shared.u32 [%r4], %r2;\n\
         add.u32 %r1, %r1, %r2; setp.lt.u32 %p1, %r1, 4096; @%p1 bra LOOP;",
    );
    let store = code.iter().find(|it| it.opcode == Opcode::Sts).expect("a store");
    let compared = code.iter().rfind(|it| it.opcode == Opcode::Isetp).expect("a comparison");
    let base = store.operands.iter().find_map(|it| match it {
        Operand::Address(address) => address.base,
        _ => None,
    });
    assert_ne!(base, compared.operands[2].as_register(), "the index would wait until the store has read it");
}

#[test]
fn what_nothing_writes_is_loaded_once_and_the_rest_again_behind_a_store_or_barrier() {
    // As ptxas 13.0 has it: a store anywhere counts, as it may be to the same place.
    let global = "st.global.u32 [%rd4+256], %r2;";
    let loads = |load: &str| {
        let read = |between: &str| {
            let text = ["%r10", "%r12", "%r13"].map(|to| load.replace("TO", to));
            let code = machine_code(&format!(
                ".shared .align 4 .b8 table[4096]; mov.u32 %r3, table; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4;\n\
                 {} bar.sync 0; {} {between} {} add.u32 %r14, %r10, %r12; mad.lo.u32 %r15, %r13, %r2, %r14;\n\
                 st.global.u32 [%rd4+512], %r15;",
                text[0], text[1], text[2]
            ));
            code.iter().filter(|it| matches!(it.opcode, Opcode::Ldg | Opcode::Lds)).count()
        };
        ["", global, "bar.sync 0;", "bar.warp.sync -1;"].map(read)
    };
    assert_eq!(loads("ld.global.nc.u32 TO, [%rd4];"), [1, 1, 1, 1]);
    assert_eq!(loads("ld.global.u32 TO, [%rd4];"), [2, 3, 3, 3]);
    assert_eq!(loads("ld.shared.u32 TO, [%r5];"), [2, 3, 3, 3]);
    assert_eq!(loads("ld.volatile.global.u32 TO, [%rd4];"), [3, 3, 3, 3]);
}

#[test]
fn few_of_64_loads_are_waited_for_at_once_where_a_choice_takes_a_predicate_for_each() {
    // As the loss of a softmax: an exponential of each word, and a choice by its number, which needs no load.
    let mut body =
        "cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2;\n.reg .f32 %a<640>; .reg .pred %b<128>;\n"
            .to_owned();
    for word in 0..64 {
        let [a, b, c, d, e, f, g, h, i] =
            [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|part| format!("%a{}", 9 * word + part));
        let (small, chosen) = (format!("%b{}", 2 * word), format!("%b{}", 2 * word + 1));
        body += &format!(
            "ld.global.nc.f32 {a}, [%rd4+{}]; mul.f32 {b}, {a}, 0f3FB8AA3B; setp.lt.f32 {small}, {b}, 0fC2FC0000;\n\
             mul.f32 {c}, {b}, 0f3F000000; selp.f32 {d}, {c}, {b}, {small}; ex2.approx.ftz.f32 {e}, {d};\n\
             mul.f32 {f}, {e}, {e}; selp.f32 {g}, {f}, {e}, {small}; setp.eq.s32 {chosen}, %r2, {word};\n\
             selp.f32 {h}, %f1, 0f80000000, {chosen}; fma.rn.f32 {i}, {g}, %f2, {h}; st.global.f32 [%rd4+{}], {i};\n",
            128 * word,
            128 * (word + 64)
        );
    }
    let code = machine_code(&body);
    let waits = code.iter().enumerate().filter(|(at, load)| {
        let counter = load.control.write_barrier.map_or(0, |counter| 1 << counter);
        let next = &code[at + 1..(at + 4).min(code.len())];
        load.opcode == Opcode::Ldg && next.iter().any(|it| it.control.wait_mask & counter != 0)
    });
    assert_eq!(waits.count(), 4);
}

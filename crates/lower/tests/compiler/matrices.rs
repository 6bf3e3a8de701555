//! Products of matrices: the matrices stay in the registers that the program has them in.

use crate::common::{options, within};
use crate::programs::{check, kernel};
use warplab_diagnostics::Source;
use warplab_lower::lower;

/// The listing of a kernel that loads registers and stores what comes of these lines.
fn listing(body: &str) -> String {
    within(
        5,
        format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {{\n\
             .reg .f32 %f<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f64 %d<20>;\n\
             ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n{body}\nret; }}"
        ),
    )
}

/// The lines of a listing with this opcode, without what stands in front of it.
fn lines<'a>(text: &'a str, opcode: &str) -> Vec<&'a str> {
    text.lines()
        .filter_map(|line| line.find(opcode).map(|at| line[at..].split("  ").next().unwrap_or("")))
        .collect()
}

const LOADS: &str =
    "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; ld.global.v2.u32 {%r5, %r6}, [%rd1+16];\n";

#[test]
fn a_product_takes_registers_as_they_were_loaded_and_gives_them_as_they_are_stored() {
    let text = listing(&format!(
        "{LOADS}mov.f32 %f1, 0f00000000;\n\
         mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {{%f2, %f3, %f4, %f5}}, {{%r1, %r2, %r3, %r4}}, {{%r5, %r6}}, \
         {{%f1, %f1, %f1, %f1}};\nst.global.v4.f32 [%rd2], {{%f2, %f3, %f4, %f5}};"
    ));
    let products = lines(&text, "HMMA");
    assert_eq!(products.len(), 1, "{text}");
    assert!(products[0].starts_with("HMMA.16816.F32.BF16 R") && products[0].contains(", RZ"), "{text}");
    assert_eq!(lines(&text, "MOV").len(), 0, "{text}");
}

/// How many moves it takes to multiply by two pairs of registers, `first` and `second`, with something `between`.
fn moves_of_two_products(loads: &str, first: &str, between: &str, second: &str) -> usize {
    let product = |sum: &str, factor: &str| {
        format!(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{{sum}}}, {{%r1, %r2, %r3, %r4}}, {{{factor}}}, {{%f1, %f1, %f1, %f1}};\n"
        )
    };
    let [low, high] = ["%f2, %f3, %f4, %f5", "%f6, %f7, %f8, %f0"];
    let text = listing(&format!(
        "{loads}mov.f32 %f1, 0f00000000;\n{}{between}{}st.global.v4.f32 [%rd2], {{{low}}}; st.global.v4.f32 [%rd2+16], {{{high}}};",
        product(low, first),
        product(high, second)
    ));
    assert_eq!(lines(&text, "HMMA").len(), 2, "{text}");
    lines(&text, "MOV").len()
}

#[test]
fn a_factor_of_two_products_is_not_copied() {
    let loads =
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+16];\n";
    assert_eq!(moves_of_two_products(loads, "%r5, %r6", "", "%r7, %r8"), 0);
    // Those that do not lie as they are needed are, but for one register that stays where it was loaded.
    assert_eq!(moves_of_two_products(loads, "%r5, %r7", "", "%r6, %r8"), 3);
}

#[test]
fn a_factor_is_put_together_once_unless_it_changes() {
    let apart = "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+8]; ld.global.u32 %r3, [%rd1+16]; ld.global.u32 %r4, [%rd1+24];\n\
                 ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+32];\n";
    assert_eq!(moves_of_two_products(apart, "%r5, %r6", "", "%r7, %r8"), 0);
    assert_eq!(moves_of_two_products(apart, "%r5, %r7", "", "%r5, %r7"), 1);
    assert_eq!(moves_of_two_products(apart, "%r5, %r7", "add.u32 %r5, %r5, 1;", "%r5, %r7"), 3);
}

#[test]
fn every_type_has_its_instruction() {
    let opcode = |product: &str, name: &str| {
        let text = listing(&format!("{LOADS}{product}\nst.global.u32 [%rd2], %r11;"));
        lines(&text, name).first().map(|line| line.split(' ').next().unwrap_or("").to_owned())
    };
    let words = "{%r11, %r12, %r13, %r14}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r1, %r2, %r3, %r4};";
    let of = |shape: &str, operands: &str, name: &str| {
        opcode(&format!("mma.sync.aligned.{shape} {operands}"), name)
    };
    let halves = "{%r11, %r12}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r1, %r2};";
    assert_eq!(of("m16n8k16.row.col.f16.f16.f16.f16", halves, "HMMA").as_deref(), Some("HMMA.16816.F16"));
    assert_eq!(of("m16n8k32.row.col.s32.u8.s8.s32", words, "IMMA").as_deref(), Some("IMMA.16832.U8.S8"));
    let saturating = "m16n8k32.row.col.satfinite.s32.s8.s8.s32";
    assert_eq!(of(saturating, words, "IMMA").as_deref(), Some("IMMA.16832.S8.S8.SAT"));
    let moved = opcode("movmatrix.sync.aligned.m8n8.trans.b16 %r11, %r1;", "MOVM");
    assert_eq!(moved.as_deref(), Some("MOVM.16.MT88"));
}

#[test]
fn products_in_double_precision_take_pairs() {
    let text = listing(
        "ld.global.v2.f64 {%d1, %d2}, [%rd1]; ld.global.v2.f64 {%d3, %d4}, [%rd1+16];\n\
         mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d5, %d6}, {%d1}, {%d2}, {%d3, %d4};\n\
         st.global.v2.f64 [%rd2], {%d5, %d6};",
    );
    assert_eq!(lines(&text, "DMMA.8x8x4").len(), 1, "{text}");
}

/// What is wrong with a kernel of this one instruction.
fn fault(instruction: &str) -> String {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k() {{\n\
         .reg .b32 %r<20>; .reg .f32 %f<9>; .reg .b64 %d<9>; {instruction} ret; }}\n"
    );
    let source = Source::new("matrices.ptx", text);
    let parsed = warplab_ptx::parse(&source);
    let faults = if parsed.has_errors() {
        parsed.diagnostics
    } else {
        lower(&parsed.module, &source, &options()).expect_err("it is refused")
    };
    faults.into_iter().map(|fault| fault.message).collect::<Vec<_>>().join("; ")
}

#[test]
fn matrices_of_other_sizes_and_other_types_are_refused() {
    let product = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
    let few = fault(&format!(
        "{product} {{%r1, %r2, %r3, %r4}}, {{%r5, %r6}}, {{%r7, %r8}}, {{%r1, %r2, %r3, %r4}};"
    ));
    assert_eq!(few, format!("'{product}' takes matrices of 4, 4, 2 and 4 registers"));
    let many = vec!["%r1"; 300].join(", ");
    let many = fault(&format!("{product} {{{many}}}, {{%r5, %r6}}, {{%r7, %r8}}, {{%r1, %r2, %r3, %r4}};"));
    assert_eq!(many, few);
    let bits = "mma.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32";
    let refused = fault(&format!(
        "{bits} {{%r1, %r2, %r3, %r4}}, {{%r5, %r6, %r7, %r8}}, {{%r9, %r10}}, {{%r1, %r2, %r3, %r4}};"
    ));
    assert_eq!(refused, format!("'{bits}' is not supported"));
    let few = "wmma.load.a.sync.aligned.row.m16n16k16.f16";
    assert_eq!(
        fault(&format!("{few} {{%r1, %r2, %r3, %r4}}, [%d1];")),
        format!("'{few}' takes matrices of 8 registers")
    );
    let bits = "wmma.load.a.sync.aligned.row.m16n16k16.f64";
    assert_eq!(fault(&format!("{bits} {{%d1}}, [%d1];")), format!("'{bits}' is not supported"));
    let factor = "wmma.store.a.sync.aligned.row.m16n16k16.s8";
    assert_eq!(fault(&format!("{factor} [%d1], {{%r1, %r2}};")), format!("'{factor}' is not supported"));
}

#[test]
fn the_factors_of_a_product_of_bytes_may_be_of_two_formats() {
    // 0x3c is 1.5 or 1.0, 0x40 is 2.0 in both formats; 32 products.
    for (types, sum) in [("f32.e4m3.e5m2.f32", 96.0_f32), ("f32.e5m2.e4m3.f32", 64.0)] {
        let body = format!(
            "mov.u32 %r2, 0x3c3c3c3c; mov.u32 %r3, 0x40404040; mov.f32 %f1, 0f00000000;\n\
             mma.sync.aligned.m16n8k32.row.col.{types} {{%f2, %f3, %f4, %f5}}, {{%r2, %r2, %r2, %r2}}, {{%r3, %r3}}, \
             {{%f1, %f1, %f1, %f1}}; mov.b32 %r0, %f5;"
        );
        check(&kernel("", "", &body), 32, |_| sum.to_bits());
    }
}

#[test]
fn ldmatrix_gives_back_what_stmatrix_has_stored() {
    for (store, load) in [("", ""), (".trans", ".trans")] {
        let body = format!(
            "mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 16, %r2; mad.lo.u32 %r4, %r1, 0x10003, 5; add.u32 %r5, %r4, 700; \
             add.u32 %r6, %r4, 800; add.u32 %r7, %r4, 900;\n\
             stmatrix.sync.aligned.m8n8.x4{store}.shared.b16 [%r3], {{%r4, %r5, %r6, %r7}}; bar.warp.sync 0xffffffff; \
             ldmatrix.sync.aligned.m8n8.x4{load}.shared.b16 {{%r10, %r11, %r12, %r13}}, [%r3];\n\
             sub.u32 %r0, %r13, %r10; xor.b32 %r14, %r11, %r12; mad.lo.u32 %r0, %r14, 3, %r0;"
        );
        check(&kernel("", ".shared .align 16 .b8 s[512];", &body), 32, |lane| {
            let word = lane * 0x1_0003 + 5;
            (((word + 700) ^ (word + 800)) * 3).wrapping_add(900)
        });
    }
}

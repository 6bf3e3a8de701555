//! What a person reads who wrote something wrong.

use warplab_diagnostics::Source;
use warplab_ptx::{MAX_DIAGNOSTICS, parse};

/// The faults of a whole file as `line:column: message (help)`.
fn faults_of(text: &str) -> Vec<String> {
    let source = Source::new("test.ptx", text);
    let show = |fault: &warplab_diagnostics::Diagnostic| {
        let help = if fault.help.is_empty() { String::new() } else { format!(" ({})", fault.help) };
        format!("{}: {}{help}", source.position(fault.span.start), fault.message)
    };
    parse(&source).diagnostics.iter().map(show).collect()
}

/// The faults of the body of a kernel; its first line is line 6.
fn faults(body: &str) -> Vec<String> {
    faults_of(&format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{{ \
         .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<8>; .reg .f64 %fd<4>;\n\
         {body}\nret;\n}}\n"
    ))
}

#[test]
fn an_empty_file_gives_one_message() {
    assert_eq!(faults_of(" \n"), ["1:1: file is empty (PTX starts with '.version 9.0')"]);
}

#[test]
fn binary_garbage_gives_one_message() {
    assert_eq!(
        faults_of("\u{7f}ELF\u{2}\u{1}\0\0\0@#$"),
        ["1:1: this is not PTX text (a cubin or an object file must be disassembled first)"]
    );
}

#[test]
fn an_unknown_opcode_names_the_nearest() {
    assert_eq!(faults("ad.s32 %r1, %r2, %r3;"), ["6:1: unknown instruction 'ad' (did you mean 'add'?)"]);
}

#[test]
fn an_unsupported_opcode_is_named() {
    assert_eq!(
        faults("tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [a, {%r1,%r2}];"),
        ["6:1: instruction 'tex' is not supported"]
    );
}

#[test]
fn an_unknown_modifier_names_the_nearest() {
    assert_eq!(
        faults("ld.globl.f32 %f1, [%rd1];"),
        ["6:3: unknown modifier '.globl' of 'ld' (did you mean '.global'?)"]
    );
}

#[test]
fn a_modifier_of_another_opcode_lists_the_allowed_ones() {
    assert_eq!(
        faults("rem.ftz.s32 %r1, %r2, %r3;"),
        ["6:4: 'rem' does not take '.ftz' ('rem' takes .u16 .u32 .u64 .s16 .s32 .s64)"]
    );
}

#[test]
fn a_register_of_the_wrong_width_is_named() {
    assert_eq!(
        faults("add.s32 %r1, %r2, %rd3;"),
        [
            "6:19: 'add.s32' wants .s32 here, but '%rd3' is .b64 (convert it with 'cvt', or change the type of the instruction)"
        ]
    );
}

#[test]
fn an_integer_instruction_takes_no_float_register() {
    assert_eq!(
        faults("add.s32 %r1, %f2, %r3;"),
        [
            "6:14: 'add.s32' wants .s32 here, but '%f2' is .f32 (move its bits with 'mov.b32' to a register of that type)"
        ]
    );
}

#[test]
fn a_missing_operand_says_what_belongs_there() {
    assert_eq!(
        faults("add.s32 %r1, %r2;"),
        [
            "6:1: 'add.s32' takes 3 operands, found 2 (a register for the result, then a register or constant, then a register or constant)"
        ]
    );
}

#[test]
fn a_missing_type_lists_the_types() {
    assert_eq!(
        faults("mad24.lo %r1, %r2, %r3, %r4;"),
        ["6:1: 'mad24.lo' has no type (types of 'mad24': .u32 .s32)"]
    );
}

#[test]
fn an_integer_product_needs_its_half() {
    assert_eq!(faults("mul.s32 %r1, %r2, %r3;"), ["6:1: 'mul.s32' lacks a modifier (one of .lo .hi .wide)"]);
}

#[test]
fn a_fused_product_needs_its_rounding() {
    assert_eq!(
        faults("fma.f32 %f1, %f2, %f3, %f4;"),
        ["6:1: 'fma.f32' lacks a modifier (one of .rn .rz .rm .rp)"]
    );
}

#[test]
fn an_atomic_operation_has_its_types() {
    assert_eq!(
        faults("atom.global.xor.u32 %r1, [%rd1], 1;"),
        ["6:1: 'atom.global.xor.u32': '.xor' does not work on .u32 (types of '.xor': .b32 .b64)"]
    );
}

#[test]
fn a_label_defined_twice_is_reported_at_the_second() {
    assert_eq!(faults("L:\nbra L;\nL:"), ["8:1: label 'L' is defined twice"]);
}

#[test]
fn a_missing_label_names_the_nearest() {
    assert_eq!(faults("LOOP:\nbra LOPP;"), ["7:5: label 'LOPP' is not defined (did you mean 'LOOP'?)"]);
}

#[test]
fn an_undefined_register_is_reported_once() {
    assert_eq!(
        faults("mov.u32 %x1, 1;\nmov.u32 %x1, 2;\nmov.u32 %r9, 1;"),
        [
            "6:9: register '%x1' is not declared (declare it with '.reg')",
            "8:9: register '%r9' is not declared (the '.reg' directive declares fewer of them)"
        ]
    );
}

#[test]
fn an_unknown_special_register_names_the_nearest() {
    assert_eq!(
        faults("mov.u32 %r1, %tidd.x;"),
        ["6:14: register '%tidd' is not declared (did you mean '%tid'?)"]
    );
}

#[test]
fn an_unknown_symbol_names_the_nearest_parameter() {
    assert_eq!(faults("ld.param.u32 %r1, [nn];"), ["6:19: 'nn' is not declared (did you mean 'n'?)"]);
}

#[test]
fn a_register_declared_twice_is_reported() {
    assert_eq!(faults(".reg .b32 %r<4>;"), ["6:11: register '%r' is declared twice"]);
}

#[test]
fn a_guard_must_be_a_predicate() {
    assert_eq!(faults("@!%r1 bra L;\nL:"), ["6:3: guard '%r1' is not a predicate but .b32"]);
}

#[test]
fn a_missing_semicolon_costs_only_its_line() {
    assert_eq!(faults("mov.u32 %r1, 1\nmov.u32 %r2, 2;"), ["6:14: missing ';'"]);
}

#[test]
fn an_unknown_directive_names_the_nearest() {
    assert_eq!(
        faults_of(".version 9.0\n.tarjet sm_90\n"),
        ["2:1: unknown directive '.tarjet' (did you mean '.target'?)"]
    );
}

#[test]
fn a_block_without_its_end_is_reported_where_it_opens() {
    assert_eq!(faults_of(".version 9.0\n.func f()\n{\nret;\n"), ["3:1: block is never closed"]);
}

#[test]
fn several_faults_are_listed_in_one_go() {
    assert_eq!(
        faults(
            "ad.s32 %r1, %r2, %r3;\nadd.s32 %r1, [%r2], ;\nmov.u32 %r1, 0x;\nmov.u32 %r1, %r2;\nshl.b32 %r1, %r2;"
        ),
        [
            "6:1: unknown instruction 'ad' (did you mean 'add'?)",
            "7:21: expected an operand, found ';'",
            "8:14: '0x' is not a number (numbers are written 12, 0x1F, 017, 0b101, 12U, 1.5, 0f3F800000 or 0d3FF0000000000000)",
            "10:1: 'shl.b32' takes 3 operands, found 2 (a register for the result, then a register or constant, then a 32-bit register or constant)"
        ]
    );
}

#[test]
fn very_many_faults_are_counted_after_the_first_ten_thousand() {
    let found = faults(&"ad.s32 %r1, %r2, %r3;\n".repeat(MAX_DIAGNOSTICS + 10));
    assert_eq!(found.len(), MAX_DIAGNOSTICS + 1);
    assert!(found[MAX_DIAGNOSTICS].ends_with(": ... and 10 more"), "{}", found[MAX_DIAGNOSTICS]);
}

#[test]
fn a_barrier_needs_its_number() {
    assert_eq!(faults("bar.sync;"), ["6:1: 'bar.sync' takes 1 to 2 operands, found 0 (an operand)"]);
}

#[test]
fn a_synchronous_shuffle_needs_its_mask() {
    let found = faults("shfl.sync.bfly.b32 %r1, %r2, 1, 31;");
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("6:1: 'shfl.sync.bfly.b32' takes 5 operands, found 4 ("), "{found:?}");
}

#[test]
fn an_address_of_nothing_in_an_initial_value_is_reported() {
    assert_eq!(faults_of(".version 9.0\n.global .u64 p = {q9x};\n"), ["2:1: 'q9x' is not declared"]);
}

#[test]
fn an_integer_is_no_float_constant() {
    assert_eq!(
        faults("add.f32 %f1, %f2, 1;"),
        [
            "6:19: 'add.f32' wants .f32 here, not an integer (write it with a point, as in 1.0, or in bits, as in 0f3F800000)"
        ]
    );
}

#[test]
fn a_conversion_to_an_integer_needs_its_rounding() {
    assert_eq!(
        faults("cvt.s32.f32 %r1, %f1;"),
        [
            "6:1: 'cvt.s32.f32' lacks a rounding to an integer (one of .rni .rzi .rmi .rpi between 'cvt' and the types)"
        ]
    );
}

#[test]
fn a_vector_access_is_at_most_sixteen_bytes() {
    assert_eq!(
        faults("ld.global.v4.f64 {%fd0,%fd1,%fd2,%fd3}, [%rd1];"),
        ["6:1: 'ld.global.v4.f64' moves 256 bits, more than 128 (a thread moves at most 16 bytes at once)"]
    );
}

#[test]
fn a_box_of_a_tensor_has_a_coordinate_for_each_dimension() {
    let copy = |dimensions: &str, at: &str| {
        faults(&format!("cp.async.bulk.tensor{dimensions}.global.shared::cta.bulk_group [%rd1{at}], [%r3];"))
    };
    assert_eq!(copy(".2d", ", {%r1, %r2}"), [""; 0]);
    assert_eq!(
        copy(".2d", ", {%r2}"),
        [
            "6:1: 'cp.async.bulk.tensor.2d.global.shared::cta.bulk_group' has 1 coordinates, not 2 (a tensor is written \
             [map, {x, y}], with a coordinate for each dimension)"
        ]
    );
    assert_eq!(
        copy("", ", {%r2}"),
        [
            "6:1: 'cp.async.bulk.tensor.global.shared::cta.bulk_group' does not say of how many dimensions the tensor is \
             (one of .1d .2d .3d .4d .5d)"
        ]
    );
    assert_eq!(copy(".1d", ", %r2"), ["6:62: expected the coordinates of a box in braces, found '%r2'"]);
}

#[test]
fn a_prefetch_names_a_level_or_a_tensor_map() {
    assert_eq!(faults("prefetch.tensormap [%rd1];"), [""; 0]);
    assert_eq!(
        faults("prefetch [%rd1];"),
        [
            "6:1: 'prefetch' lacks a modifier (one of .L1 .L2 .L2::evict_normal .L2::evict_last .L1::evict_normal \
             .tensormap)"
        ]
    );
}

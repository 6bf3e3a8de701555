//! What a file declares has limits, and sizes are never cut to fewer bits.

use crate::common::options;
use warplab_diagnostics::{Source, render};
use warplab_lower::lower;

/// The faults of a file with these declarations, in front of the kernel and inside.
fn faults(outside: &str, parameters: &str, inside: &str) -> String {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n{outside}\n\
         .visible .entry k({parameters}) {{\n{inside}\nret;\n}}\n"
    );
    let source = Source::new("sizes.ptx", text);
    let parsed = warplab_ptx::parse(&source);
    assert!(!parsed.has_errors(), "{}", render(&source, &parsed.diagnostics));
    match lower(&parsed.module, &source, &options()) {
        Ok(_) => String::new(),
        Err(faults) => faults.iter().map(|fault| format!("{}\n", fault.message)).collect(),
    }
}

/// The faults of the text of a kernel with these directives.
fn header_faults(directives: &str) -> String {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k() {directives} {{ ret; }}\n"
    );
    let source = Source::new("sizes.ptx", text);
    let parsed = warplab_ptx::parse(&source);
    if parsed.has_errors() {
        return parsed.diagnostics.iter().map(|fault| format!("{}\n", fault.message)).collect();
    }
    lower(&parsed.module, &source, &options()).expect("no fault in lowering");
    String::new()
}

/// Registers of a kernel that needs many at a time, with these directives.
fn registers(directives: &str) -> u32 {
    let loads: String =
        (0..240).map(|at| format!("ld.volatile.global.u32 %r{at}, [%rd1+{}];\n", 4 * at)).collect();
    let sums: String = (0..240).map(|at| format!("mad.lo.u32 %s, %s, 3, %r{};\n", at * 7 % 240)).collect();
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 o) {directives} {{\n\
         .reg .b64 %rd1; .reg .b32 %r<240>; .reg .b32 %s; ld.param.u64 %rd1, [o]; mov.u32 %s, 0;\n\
         {loads}{sums}st.global.u32 [%rd1], %s; ret; }}\n"
    );
    let source = Source::new("registers.ptx", text);
    let parsed = warplab_ptx::parse(&source);
    assert!(!parsed.has_errors(), "{}", render(&source, &parsed.diagnostics));
    lower(&parsed.module, &source, &options()).expect("it is right").program.kernels[0].registers
}

#[test]
fn the_threads_of_a_block_are_multiplied_without_overflow() {
    // ptxas accepts all of these; no machine launches such a block.
    for block in
        [".maxntid 65536, 65536, 1", ".reqntid 4294967295, 4294967295, 4294967295", ".maxntid 4294967295"]
    {
        assert_eq!(header_faults(block), "", "{block}");
        assert_eq!(registers(block), registers(".maxntid 1024"), "{block}");
    }
    assert_eq!(header_faults(".maxntid 1024 .minnctapersm 4294967295"), "");
    assert_eq!(header_faults(".maxntid 5000000000"), "expected an extent, found '5000000000'\n");
    assert_eq!(header_faults(".maxntid 0"), "'.maxntid' needs numbers from 1 on, found 0\n");
    assert_eq!(header_faults(".reqntid 32, 1, 0"), "'.reqntid' needs numbers from 1 on, found 0\n");
    assert_eq!(header_faults(".maxnreg 0"), "'.maxnreg' needs numbers from 1 on, found 0\n");
    assert_eq!(
        header_faults(".maxntid 32 .minnctapersm 0"),
        "'.minnctapersm' needs numbers from 1 on, found 0\n"
    );
}

#[test]
fn more_blocks_than_fit_are_ignored_as_by_ptxas() {
    let free = registers(".maxntid 128");
    assert!(free > 200, "{free}");
    assert!(registers(".maxntid 1024") <= 64);
    assert!(registers(".maxntid 1024 .minnctapersm 2") <= 32);
    assert!(registers(".maxntid 1024 .minnctapersm 3") > 32);
    assert!(registers(".maxntid 128 .minnctapersm 16") <= 32);
    assert_eq!(registers(".maxntid 128 .minnctapersm 17"), free);
    assert_eq!(registers(".maxntid 32 .minnctapersm 33"), free);
}

#[test]
fn alignments_are_powers_of_two_of_32_bits() {
    let message = |align: &str| {
        let text = format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.global .align {align} .b8 g[4];\n\
             .visible .entry k() {{ .shared .align {align} .b8 s[4]; ret; }}\n"
        );
        let source = Source::new("sizes.ptx", text);
        let parsed = warplab_ptx::parse(&source);
        let found: Vec<String> = parsed.diagnostics.iter().map(|fault| fault.message.clone()).collect();
        if found.is_empty() {
            lower(&parsed.module, &source, &options()).expect("no fault in lowering");
        }
        found
    };
    for align in ["1", "128", "65536", "2147483648"] {
        assert!(message(align).is_empty(), "{align}");
    }
    assert_eq!(message("3"), ["alignment 3 is not a power of two"; 2]);
    assert_eq!(message("0"), ["alignment 0 is not a power of two"; 2]);
    assert_eq!(message("4294967296"), ["expected an alignment, found '4294967296'"; 2]);
}

#[test]
fn a_variable_larger_than_its_memory_is_refused_and_not_cut() {
    let local = "a thread has at most 524,288 bytes of local memory\n";
    assert_eq!(faults("", "", ".local .b8 l[4294967300];"), format!("'l' has 4294967300 bytes: {local}"));
    assert_eq!(faults("", "", ".local .b8 l[1000000000];"), format!("'l' has 1000000000 bytes: {local}"));
    assert_eq!(
        faults("", "", ".local .b8 a[524288]; .local .b8 b;"),
        format!("'b' has 1 bytes, after 524288: {local}")
    );
    assert_eq!(faults("", "", ".local .b8 l[524288];"), "");
    let constant = "a file may declare at most 65,536 bytes of constant memory\n";
    assert_eq!(faults(".const .b8 c[1000000000];", "", ""), format!("'c' has 1000000000 bytes: {constant}"));
    assert_eq!(faults(".const .b8 c[65536];", "", ""), "");
    let shared = "a kernel may declare at most 49,152 bytes of shared memory; what is more must be dynamic\n";
    assert_eq!(faults("", "", ".shared .b8 s[49153];"), format!("'s' has 49153 bytes: {shared}"));
    assert_eq!(faults("", "", ".shared .b8 s[4294967300];"), format!("'s' has 4294967300 bytes: {shared}"));
    let global = "a file may declare at most 1,099,511,627,776 bytes (1 TiB) of global memory\n";
    assert_eq!(
        faults(".global .b8 g[1152921504606846976];", "", ""),
        format!("'g' has 1152921504606846976 bytes: {global}")
    );
    assert_eq!(
        faults(".global .b8 a[1099511627776]; .global .align 16 .b8 b[9223372036854775807];", "", ""),
        format!("'b' has 9223372036854775807 bytes, after 1099511627776: {global}")
    );
    let parameters = "a kernel may have at most 32,764 bytes of parameters\n";
    assert_eq!(
        faults("", ".param .b8 p[4294967300], .param .b32 q", ""),
        format!("'p' has 4294967300 bytes: {parameters}")
    );
}

#[test]
fn values_far_behind_the_start_of_a_variable_are_refused_before_they_take_memory() {
    let far = "starts with values behind its first 268,435,456 bytes, which is the limit; leave zeroes out\n";
    assert_eq!(faults(".global .u64 a[2][1073741824] = {{1}, {2, 3}};", "", ""), format!("'a' {far}"));
    assert_eq!(
        faults(".global .b8 g; .global .u64 a[2][1073741824] = {{1}, {g}};", "", ""),
        format!("'a' {far}")
    );
    assert_eq!(faults(".global .u64 a[2][1024] = {{1}, {2}};", "", ""), "");
}

#[test]
fn vectors_longer_than_any_instruction_takes_are_refused() {
    let registers = vec!["%r1"; 300].join(", ");
    for instruction in ["ldmatrix.sync.aligned.m8n8.x4.shared.b16", "ld.shared.v4.u32", "ld.param.u32"] {
        let text = format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .b8 p[4]) {{\n\
             .shared .b8 s[64]; .reg .b32 %r<4>; {instruction} {{{registers}}}, [s]; ret; }}\n"
        );
        let source = Source::new("vectors.ptx", text);
        let parsed = warplab_ptx::parse(&source);
        assert!(parsed.has_errors() || lower(&parsed.module, &source, &options()).is_err(), "{instruction}");
    }
}

#[test]
fn the_lines_of_files_beyond_16_bits_are_left_out_and_not_taken_for_those_of_others() {
    let files: String = (1..70_000).map(|at| format!(".file {at} \"f{at}\"\n")).collect();
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k() {{ .loc 65537 1 0\n bar.sync 0; ret; }}\n{files}"
    );
    let source = Source::new("files.ptx", text);
    let parsed = warplab_ptx::parse(&source);
    assert!(!parsed.has_errors(), "{}", render(&source, &parsed.diagnostics));
    let lowered = lower(&parsed.module, &source, &options()).expect("it is right");
    let messages: Vec<&str> = lowered.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(
        messages,
        ["more than 65,536 files are named with .file; the lines of further ones are not known"]
    );
    assert_eq!(lowered.program.files.len(), 65_536);
}

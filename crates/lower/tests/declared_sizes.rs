//! What a file declares has limits, and sizes are never cut to fewer bits.
#![allow(missing_docs)]

use warplab_diagnostics::{Source, render};
use warplab_lower::{Options, lower};

/// The faults of a file with these declarations, in front of the kernel and inside.
fn faults(outside: &str, parameters: &str, inside: &str) -> String {
    let text = format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n{outside}\n\
         .visible .entry k({parameters}) {{\n{inside}\nret;\n}}\n"
    );
    let source = Source::new("sizes.ptx", text);
    let parsed = warplab_ptx::parse(&source);
    assert!(!parsed.has_errors(), "{}", render(&source, &parsed.diagnostics));
    match lower(&parsed.module, &source, &Options::default()) {
        Ok(_) => String::new(),
        Err(faults) => faults.iter().map(|fault| format!("{}\n", fault.message)).collect(),
    }
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

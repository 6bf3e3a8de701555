//! Calls that would grow a kernel without end are refused and neither eat the memory nor overflow the stack.
#![allow(missing_docs)]

use std::fmt::Write;
use warplab_diagnostics::Source;
use warplab_lower::{Options, lower};

/// The faults of a kernel that calls `f1`, with functions `f1` to `f{count}`; the body of each is made from its number.
fn faults(count: usize, body: impl Fn(usize) -> String) -> Vec<String> {
    let mut text = String::from(".version 8.5\n.target sm_90\n.address_size 64\n");
    for at in (1..=count).rev() {
        let body = if at < count { body(at) } else { String::from("st.global.u32 [%rd1], 1;") };
        writeln!(text, ".func f{at}() {{ .reg .b64 %rd1; mov.u64 %rd1, 0; {body} ret; }}").expect("a string");
    }
    text += ".visible .entry k() { call f1; ret; }\n";
    let source = Source::new("calls.ptx", text);
    let parsed = warplab_ptx::parse(&source);
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    match lower(&parsed.module, &source, &Options::default()) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.into_iter().map(|fault| fault.message).collect(),
    }
}

#[test]
fn thirty_functions_that_call_the_next_twice_stay_small() {
    let twice = |at: usize| format!("call f{0}; call f{0};", at + 1);
    assert_eq!(
        faults(30, twice),
        [
            "the calls before this one have grown the kernel to more than 250000 instructions; every call is inlined, \
          and more is not compiled"
        ]
    );
    assert!(faults(8, twice).is_empty());
}

#[test]
fn twenty_thousand_calls_in_one_another_need_no_stack() {
    let next = |at: usize| format!("call f{};", at + 1);
    assert_eq!(
        faults(20_000, next),
        ["the call of 'f257' is the 257th inside another; at most 256 can be inlined"]
    );
    assert!(faults(200, next).is_empty());
}

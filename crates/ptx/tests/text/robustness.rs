//! No nesting makes the parser overflow its stack. Damaged texts are in `tests/tests/mutations.rs` of the project.

use warplab_diagnostics::Source;
use warplab_ptx::{MAX_DIAGNOSTICS, parse};

#[test]
fn deep_nesting_is_a_fault_and_not_a_stack_overflow() {
    for open in
        ["{", "mov.b32 %r1, {", "mov.b32 %r1, {{", "mov.b32 %r1, (", "-", "~", "1+(", ".shared .b32 x = {"]
    {
        let (first, last) = open.split_at(open.len() - 1);
        let text = format!(".version 9.0\n.func f()\n{{ mov.b32 %r1, {first}{}", last.repeat(100_000));
        let found = parse(&Source::new("deep.ptx", text)).diagnostics;
        assert!(!found.is_empty() && found.len() <= MAX_DIAGNOSTICS + 1, "{open}");
    }
    for nested in ["mov.b32 %r1, ((((", "mov.b32 %r1, ----", "{{{{", "mov.b32 %r1, {{{{"] {
        let text = format!(
            ".version 9.0\n.func f()\n{{ {}",
            nested.replace(&nested[nested.len() - 4..], &nested[nested.len() - 1..].repeat(100_000))
        );
        let messages: Vec<String> = parse(&Source::new("deep.ptx", text))
            .diagnostics
            .into_iter()
            .map(|fault| fault.message)
            .collect();
        assert!(
            messages.iter().any(|message| message == "nesting is deeper than 100"),
            "{nested}: {messages:?}"
        );
    }
}

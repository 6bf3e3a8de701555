//! No text makes the parser panic.

use warplab_diagnostics::{Source, render};
use warplab_ptx::{MAX_DIAGNOSTICS, parse, print};

/// A small generator of numbers (splitmix64), the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }
}

/// The kernels of the suite that are short enough to be read thousands of times.
fn kernels() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/h200/suite.ptx");
    let text = std::fs::read_to_string(path).expect("the reference files are part of the repository");
    text.split(".visible .entry ")
        .skip(1)
        .filter(|part| part.len() < 4000)
        .map(|part| format!(".visible .entry {part}"))
        .collect()
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    let length = random.below(12).min(bytes.len() - at);
    match random.below(5) {
        0 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.below(127) as u8 + 1),
        1 => drop(bytes.drain(at..at + length)),
        2 => {
            let copy = bytes[at..at + length].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        3 => {
            let other = random.below(bytes.len() - length + 1);
            for offset in 0..length {
                bytes.swap(at + offset, other + offset);
            }
        }
        _ => {
            const WORDS: &[&str] = &[
                "{",
                "}",
                "(",
                ";",
                ".v4",
                ".param",
                "@!",
                "[",
                "0f",
                "\"",
                "/*",
                "|",
                "%",
                ".reg .b32 x<9>;",
                "-",
            ];
            bytes.splice(at..at, WORDS[random.below(WORDS.len())].bytes());
        }
    }
}

#[test]
fn ten_thousand_damaged_kernels_are_read_without_a_panic() {
    let kernels = kernels();
    assert!(kernels.len() > 20);
    let mut random = Random(7);
    for _ in 0..10_000 {
        let mut bytes = kernels[random.below(kernels.len())].clone().into_bytes();
        for _ in 0..=random.below(6) {
            mutate(&mut bytes, &mut random);
        }
        let source = Source::new("damaged.ptx", String::from_utf8_lossy(&bytes));
        let parsed = parse(&source);
        assert!(parsed.diagnostics.len() <= MAX_DIAGNOSTICS + 1);
        let _ = render(&source, &parsed.diagnostics[..parsed.diagnostics.len().min(1)]);
        let _ = print(&parsed.module);
    }
}

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

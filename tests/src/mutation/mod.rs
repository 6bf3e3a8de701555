//! Damaged inputs: one mutator for every kind of input, and a guard that ends a test that hangs or takes too much memory.
//!
//! Input number `n` of a kind depends on nothing but the kind and `n`.

mod guard;
mod mutator;

pub use guard::Guard;
pub use mutator::{Random, mutate};

use crate::long_tests;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Inputs of a kind in every test run.
const COUNT: u64 = 10_000;

/// Inputs of a kind in the long tests, unless `WARPLAB_MUTATIONS` says how many.
const LONG_COUNT: u64 = 20_000;

/// A kind of input.
pub struct InputKind<'a> {
    /// Its name, also the start of its random numbers.
    pub name: &'a str,
    /// Inputs that are right, to be damaged.
    pub seeds: Vec<Vec<u8>>,
    /// Words that mean something to the reader, beside numbers and brackets.
    pub words: &'a [&'a str],
    /// Reads an input as the program would; whether it is accepted.
    pub read: &'a dyn Fn(&[u8]) -> bool,
}

/// How many inputs of each kind are tried.
#[must_use]
pub fn count() -> u64 {
    let asked = std::env::var("WARPLAB_MUTATIONS").ok().and_then(|text| text.parse().ok());
    if long_tests() { asked.unwrap_or(LONG_COUNT) } else { COUNT }
}

/// Reads damaged inputs of a kind; every panic, a hang of five seconds, or a GiB of memory fails. At least one in ten is
/// refused, and of the undamaged ones none.
///
/// # Panics
/// When any of this is not so; the inputs lie in files that the message names.
pub fn survive(kind: &InputKind<'_>) {
    for (at, seed) in kind.seeds.iter().enumerate() {
        assert!((kind.read)(seed), "{}: the whole input {at} is refused", kind.name);
    }
    let guard = Guard::new(kind.name);
    let (mut accepted, mut panicked) = (0, Vec::new());
    let count = count();
    for number in 0..count {
        let input = input(kind, number);
        let began = guard.enter(number, &input);
        match catch_unwind(AssertUnwindSafe(|| (kind.read)(&input))) {
            Ok(good) => accepted += u64::from(good),
            Err(_) => panicked.push(guard.keep(number, &input)),
        }
        drop(began);
    }
    assert!(panicked.is_empty(), "{} of {count} panicked: {}", panicked.len(), panicked.join(", "));
    assert!(accepted * 10 <= count * 9, "only {} of {count} were refused", count - accepted);
    #[expect(clippy::print_stdout, reason = "shown with --nocapture: what the long run counted")]
    let tell = || println!("{}: {count} inputs, {accepted} accepted, {}", kind.name, guard.summary());
    tell();
}

/// A damaged input.
fn input(kind: &InputKind<'_>, number: u64) -> Vec<u8> {
    let mut random = Random::new(kind.name, number);
    let mut bytes = kind.seeds[random.below(kind.seeds.len())].clone();
    // Half of them in one place only: these come deepest into the reader.
    let more = if random.below(2) == 0 { 0 } else { random.below(6) };
    for _ in 0..=more {
        let other = &kind.seeds[random.below(kind.seeds.len())];
        mutate(&mut bytes, other, kind.words, &mut random);
    }
    bytes
}

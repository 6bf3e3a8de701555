//! When a launch has run long enough to be taken for one that never ends.

/// Where no limit is given, a launch ends with a report after so many warp instructions in which no block came or
/// ended; the largest launch of the hardware suites executes 445 million in a million blocks. Cycles are no measure: one
/// warp that follows a chain of pointers through DRAM takes a thousand million, cheaply.
pub const DEFAULT_MAX_INSTRUCTIONS: u64 = 100_000_000;

/// How a person raises the default limit.
const HINT: &str =
    "\n  this is the limit where none is given; --max-cycles N, or max_cycles in the file, sets another";

/// A limit that was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    /// The limit with its unit.
    pub(crate) after: String,
    /// How to go on, where no limit was given.
    pub(crate) hint: &'static str,
}

/// The limit that a launch has reached after so many cycles, and so many instructions since a block last came or ended:
/// the one of cycles that was given, or with 0 the one that holds where none was.
pub(crate) fn reached(max_cycles: u64, cycles: u64, instructions: u64) -> Option<Reached> {
    if max_cycles != 0 {
        let after = format!("{max_cycles} cycles");
        return (cycles >= max_cycles).then_some(Reached { after, hint: "" });
    }
    let after = || format!("{DEFAULT_MAX_INSTRUCTIONS} warp instructions without a block that came or ended");
    (instructions >= DEFAULT_MAX_INSTRUCTIONS).then(|| Reached { after: after(), hint: HINT })
}

#[cfg(test)]
mod tests {
    use super::{HINT, reached};

    #[test]
    fn a_launch_without_a_limit_ends_after_many_instructions_without_a_block_and_says_how_to_go_on() {
        let of = |cycles, instructions| {
            reached(0, cycles, instructions).map(|reached| (reached.after, reached.hint))
        };
        assert_eq!(of(u64::MAX, 99_999_999), None);
        let after = "100000000 warp instructions without a block that came or ended".to_owned();
        assert_eq!(of(0, 100_000_000), Some((after, HINT)));
        assert!(HINT.contains("--max-cycles"));
    }

    #[test]
    fn a_limit_that_is_given_is_the_only_one() {
        assert_eq!(reached(5_000_000_000, 4_999_999_999, u64::MAX), None);
        let found = reached(5_000_000_000, 5_000_000_000, 0).map(|reached| reached.after);
        assert_eq!(found, Some("5000000000 cycles".to_owned()));
    }
}

//! Warp scheduler policies: what is said of each stands in its row. What a policy does is in `warplab_sm`.

use super::RankFormula;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use warplab_diagnostics::Diagnostic;

/// Every scheduler but formulas, for `$table`: this row and its file in `crates/sm/src/scheduler` are all that there is of
/// one. The file has the name in descriptions.
#[macro_export]
macro_rules! schedulers {
    ($table:ident) => {
        $table! {
            /// Loose round robin: the first after the last issued.
            Lrr in lrr {
                option: "lrr",
                summary: "Loose round robin",
                description: "Loose round robin: the first warp after the last issued that can issue. Warps progress \
                              together and reach their long waits together.",
            }
            /// Greedy then oldest: the last issued while it can, else the oldest.
            Gto in gto {
                option: "gto",
                summary: "Greedy, then oldest",
                description: "Greedy, then oldest: the warp that issued last while it can, else the oldest. Warps drift \
                              apart, so that their waits fall at different times, and a warp reuses what it brought into the \
                              cache.",
            }
            /// The oldest.
            Oldest in oldest {
                option: "oldest",
                summary: "The oldest",
                description: "The oldest warp that can issue.",
            }
            /// Round robin inside a fetch group of eight; the next group when all of it waits (Narasiman, MICRO 2011).
            TwoLevel in two_level {
                option: "two-level",
                summary: "Round robin inside a fetch group",
                description: "Round robin inside a fetch group of eight warps; the next group when all of it waits \
                              (Narasiman and others, MICRO 2011). Groups reach their long waits at different times.",
            }
            /// Greedy then youngest (Huerta et al., MICRO 2025): the last issued while it can, else the youngest.
            Cggty in cggty {
                option: "cggty",
                summary: "Greedy, then youngest",
                description: "Greedy, then youngest: the warp that issued last while it can, else the youngest. What Huerta \
                              and others (MICRO 2025) found on NVIDIA's machines.",
            }
            /// Greedy as the compiler guides it, then the oldest block: the last issued until it has to wait or lets others go first, else
            /// a warp of the oldest block, in turn (`traces/h200/core`).
            OldestBlock in oldest_block {
                option: "oldest-block",
                summary: "Greedy, then the oldest block in turn",
                description: "Greedy, then the oldest block: the warp that issued last until it has to wait for a unit, a \
                              queue or a value, or its instruction lets others go first, which the compiler marks; \
                              else, of the oldest block that can issue, the warp whose last issue is longest ago. What an H200 does: warps of a block take turns, and \
                              blocks wait for older ones.",
            }
            /// Any, by a seeded generator.
            Random in random {
                option: "random",
                summary: "Any, by a seeded generator",
                description: "Any warp that can issue, by a seeded generator: a reference for what order is worth.",
            }
        }
    };
}

macro_rules! scheduler_policies {
    ($($(#[$doc:meta])* $policy:ident in $file:ident {
        option: $option:literal,
        summary: $summary:literal,
        description: $description:literal,
    })*) => {
        /// Which warp of those that can issue is taken.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum SchedulerPolicy {
            $($(#[$doc])* $policy,)*
            /// The one to which a formula gives the lowest number: rank("select(issued_last, first, age)").
            Rank(RankFormula),
        }

        impl SchedulerPolicy {
            /// Every policy but formulas.
            pub const ALL: [SchedulerPolicy; [$($option),*].len()] = [$(SchedulerPolicy::$policy),*];

            /// The name in descriptions.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self {
                    $(SchedulerPolicy::$policy => stringify!($file),)*
                    SchedulerPolicy::Rank(_) => "rank",
                }
            }

            /// The name on a command line.
            #[must_use]
            pub fn option(&self) -> &'static str {
                match self {
                    $(SchedulerPolicy::$policy => $option,)*
                    SchedulerPolicy::Rank(_) => "rank",
                }
            }

            /// What it takes, in a few words.
            #[must_use]
            pub fn summary(&self) -> &'static str {
                match self {
                    $(SchedulerPolicy::$policy => $summary,)*
                    SchedulerPolicy::Rank(_) => "The lowest by a formula",
                }
            }

            /// What it takes and what that is good for.
            #[must_use]
            pub fn description(&self) -> &'static str {
                match self {
                    $(SchedulerPolicy::$policy => $description,)*
                    SchedulerPolicy::Rank(_) => RANK,
                }
            }

            /// As it is written in a description.
            #[must_use]
            pub fn text(&self) -> String {
                match self {
                    SchedulerPolicy::Rank(formula) => format!("rank({:?})", formula.text()),
                    other => other.name().to_owned(),
                }
            }

            /// The policy of this name on a command line; `rank(FORMULA)` is a formula.
            ///
            /// # Errors
            /// What is wrong with the formula, with its place; nothing where no policy has the name.
            pub fn from_option(option: &str) -> Result<SchedulerPolicy, Option<String>> {
                match option.trim().strip_prefix("rank(").and_then(|rest| rest.strip_suffix(')')) {
                    Some(formula) => from_formula(formula).map_err(Some),
                    None => {
                        let known = SchedulerPolicy::ALL.into_iter().find(|policy| policy.option() == option);
                        known.ok_or(None)
                    }
                }
            }
        }
    };
}

/// What is said of formulas.
const RANK: &str = "A formula gives every warp that can issue a number, and the one with the lowest issues: \
    rank(\"select(issued_last, first, age)\") is gto. It has whole numbers, + - * / %, comparisons (1 or 0), min, max, \
    abs, select(condition, then, else), and the names age, order, slot, block, issued, since_issue, loads, global, \
    issued_last, last, ready_now, yielded, cycle, never, first. 'keep NAME = NUMBER then EXPRESSION;' before it keeps a value that \
    becomes EXPRESSION when a warp issues; 'keep warp NAME ...' one for every warp. What each name means is said by \
    'warplab explain NAME'.";

/// A formula, which may stand in quotes.
fn from_formula(formula: &str) -> Result<SchedulerPolicy, String> {
    let quoted = formula.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let formula = quoted.unwrap_or(formula);
    let read = formula.parse().map(SchedulerPolicy::Rank);
    read.map_err(|fault: Diagnostic| format!("{} (character {})", fault.message, fault.span.start + 1))
}

schedulers!(scheduler_policies);

//! Warp scheduler policies: what is said of each stands in its row. What a policy does is in `warplab_sm`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! scheduler_policies {
    ($($(#[$doc:meta])* $policy:ident {
        name: $name:literal,
        option: $option:literal,
        summary: $summary:literal,
        description: $description:literal,
    })*) => {
        /// Which warp of those that can issue is taken.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum SchedulerPolicy { $($(#[$doc])* $policy,)* }

        impl SchedulerPolicy {
            /// Every policy.
            pub const ALL: [SchedulerPolicy; [$($name),*].len()] = [$(SchedulerPolicy::$policy),*];

            /// The name in descriptions.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(SchedulerPolicy::$policy => $name,)* }
            }

            /// The name on a command line.
            #[must_use]
            pub fn option(self) -> &'static str {
                match self { $(SchedulerPolicy::$policy => $option,)* }
            }

            /// What it takes, in a few words.
            #[must_use]
            pub fn summary(self) -> &'static str {
                match self { $(SchedulerPolicy::$policy => $summary,)* }
            }

            /// What it takes and what that is good for.
            #[must_use]
            pub fn description(self) -> &'static str {
                match self { $(SchedulerPolicy::$policy => $description,)* }
            }
        }
    };
}

scheduler_policies! {
    /// Loose round robin: the first after the last issued.
    Lrr {
        name: "lrr",
        option: "lrr",
        summary: "Loose round robin",
        description: "Loose round robin: the first warp after the last issued that can issue. Warps progress \
                      together and reach their long waits together.",
    }
    /// Greedy then oldest: the last issued while it can, else the oldest.
    Gto {
        name: "gto",
        option: "gto",
        summary: "Greedy, then oldest",
        description: "Greedy, then oldest: the warp that issued last while it can, else the oldest. Warps drift \
                      apart, so that their waits fall at different times, and a warp reuses what it brought into the \
                      cache.",
    }
    /// The oldest.
    Oldest {
        name: "oldest",
        option: "oldest",
        summary: "The oldest",
        description: "The oldest warp that can issue.",
    }
    /// Round robin inside a fetch group of eight; the next group when all of it waits (Narasiman, MICRO 2011).
    TwoLevel {
        name: "two_level",
        option: "two-level",
        summary: "Round robin inside a fetch group",
        description: "Round robin inside a fetch group of eight warps; the next group when all of it waits \
                      (Narasiman and others, MICRO 2011). Groups reach their long waits at different times.",
    }
    /// Greedy then youngest (Huerta et al., MICRO 2025): the last issued while it can, else the youngest.
    Cggty {
        name: "cggty",
        option: "cggty",
        summary: "Greedy, then youngest",
        description: "Greedy, then youngest: the warp that issued last while it can, else the youngest. What Huerta \
                      and others (MICRO 2025) found on NVIDIA's machines.",
    }
    /// Any, by a seeded generator.
    Random {
        name: "random",
        option: "random",
        summary: "Any, by a seeded generator",
        description: "Any warp that can issue, by a seeded generator: a reference for what order is worth.",
    }
}

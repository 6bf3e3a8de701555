//! The one state that a resident warp has in every cycle.
//!
//! Everything that is said of a state anywhere stands in its row here: names, letters and colours of timelines, metrics
//! and explanations follow from it. A new stall reason is a row below, at its place in the order of the check.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What is said of a state.
#[derive(Clone, Copy, Debug)]
struct StateInfo {
    /// The name as metric ids spell it.
    name: &'static str,
    /// The label in reports.
    label: &'static str,
    /// The letter of a text timeline.
    letter: char,
    /// The colour of a drawn timeline.
    colour: &'static str,
    /// The row among the states of a report; what is no stall comes last.
    row: usize,
    /// The id of its metric.
    metric: &'static str,
    /// How the metric is computed, in words.
    formula: &'static str,
    /// What it means and what helps.
    description: &'static str,
}

macro_rules! info {
    ($name:literal, $label:literal, $letter:literal, $colour:literal, $row:expr, $description:literal) => {
        StateInfo {
            name: $name,
            label: $label,
            letter: $letter,
            colour: $colour,
            row: $row,
            metric: concat!("smsp__average_warps_issue_stalled_", $name, "_per_issue_active.ratio"),
            formula: concat!("warp-cycles in state ", $name, " / instructions issued"),
            description: $description,
        }
    };
}

macro_rules! stall_reasons {
    ($($(#[$doc:meta])* $reason:ident {
        name: $name:literal,
        label: $label:literal,
        letter: $letter:literal,
        colour: $colour:literal,
        row: $row:literal,
        description: $description:literal,
    })*) => {
        /// Why a warp cannot issue, in the words of Nsight Compute. The order is the order of the check.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum StallReason { $($(#[$doc])* $reason,)* }

        impl StallReason {
            /// Every reason, in the order of the check.
            pub const ALL: [StallReason; StallReason::COUNT] = [$(StallReason::$reason),*];
            /// How many reasons there are.
            pub const COUNT: usize = [$($name),*].len();
        }

        const STALLS: [StateInfo; StallReason::COUNT] =
            [$(info!($name, $label, $letter, $colour, $row, $description)),*];
    };
}

// Waits for memory are drawn in warm colours, other waits in cool ones or grey.
stall_reasons! {
    /// It has exited and its stores are outstanding.
    Drain {
        name: "drain",
        label: "Stall Drain",
        letter: 'D',
        colour: "#7b241c",
        row: 12,
        description: "The warp has executed its last instruction and waits for its stores to leave, so that its \
                      registers can be given to another block. Many stores at the end of a kernel cause it; coalesce \
                      them, or spread them over the kernel.",
    }
    /// It sleeps (`nanosleep`).
    Sleeping {
        name: "sleeping",
        label: "Stall Sleeping",
        letter: 'Z',
        colour: "#d5dbdb",
        row: 13,
        description: "The warp sleeps because it executed nanosleep.",
    }
    /// It waits for the other warps of its block.
    Barrier {
        name: "barrier",
        label: "Stall Barrier",
        letter: 'B',
        colour: "#cc79a7",
        row: 6,
        description: "The warp waits at a block barrier for the other warps of its block. Give the warps equal work \
                      between barriers, or use smaller blocks, of which more are resident and can run meanwhile.",
    }
    /// It waits for its memory operations to be seen by others.
    Membar {
        name: "membar",
        label: "Stall Membar",
        letter: 'F',
        colour: "#884ea0",
        row: 7,
        description: "The warp executed a memory fence and waits until its earlier accesses can be seen by the \
                      others. Use the narrowest scope that is right, and fewer fences.",
    }
    /// It waits for the other warps of its warpgroup.
    Gmma {
        name: "gmma",
        label: "Stall GMMA",
        letter: 'T',
        colour: "#117a65",
        row: 15,
        description: "The warp has come to a product of its warpgroup (wgmma) and waits for the other three warps. Give the four \
                      warps equal work before it. Who waits for sums is counted at barriers.",
    }
    /// It waits for the target of a branch.
    BranchResolving {
        name: "branch_resolving",
        label: "Stall Branch Resolving",
        letter: 'R',
        colour: "#999999",
        row: 8,
        description: "The warp took a branch and waits for its target. Unrolled loops and predication take fewer \
                      branches.",
    }
    /// It waits for its next instruction.
    NoInstruction {
        name: "no_instruction",
        label: "Stall No Instruction",
        letter: 'I',
        colour: "#666666",
        row: 9,
        description: "The next instruction has not come from the instruction caches: after a jump over a long \
                      distance, or in straight code longer than the cache. Shorter code and less unrolling help.",
    }
    /// It waits for a constant that the constant cache lacks.
    ImcMiss {
        name: "imc_miss",
        label: "Stall IMC Miss",
        letter: 'C',
        colour: "#333333",
        row: 10,
        description: "The warp waits for a constant that the constant cache lacks. Lanes and warps that read the \
                      same constants in the same order share them.",
    }
    /// It waits for a result from level-one cache: global or local memory.
    LongScoreboard {
        name: "long_scoreboard",
        label: "Stall Long Scoreboard",
        letter: 'L',
        colour: "#d55e00",
        row: 0,
        description: "The warp waits for a result of level one: a load of global or local memory, which may have to \
                      come from level two or DRAM. More warps, more independent loads per thread, better coalescing, \
                      and shared memory for what is used again hide or avoid it.",
    }
    /// It waits for a result from shared memory, a special function or another variable-latency unit.
    ShortScoreboard {
        name: "short_scoreboard",
        label: "Stall Short Scoreboard",
        letter: 'S',
        colour: "#e69f00",
        row: 1,
        description: "The warp waits for a result of variable latency that does not come from level one: shared \
                      memory, lane exchange, a special function, a special register. Fewer bank conflicts and more \
                      independent work help.",
    }
    /// It waits for a fixed latency.
    Wait {
        name: "wait",
        label: "Stall Wait",
        letter: 'w',
        colour: "#56b4e9",
        row: 2,
        description: "The warp waits a fixed number of cycles that the compiler wrote into the instruction before, \
                      usually for an arithmetic result. More warps, or more independent instructions in each, fill \
                      these cycles.",
    }
    /// The queue for global and local memory instructions is full.
    LgThrottle {
        name: "lg_throttle",
        label: "Stall LG Throttle",
        letter: 'G',
        colour: "#a04000",
        row: 4,
        description: "The queue of the load/store unit for global and local memory is full. Fewer and wider accesses \
                      (128 bits per thread) need fewer entries.",
    }
    /// The queue for shared memory and other input/output instructions is full.
    MioThrottle {
        name: "mio_throttle",
        label: "Stall MIO Throttle",
        letter: 'M',
        colour: "#f5b041",
        row: 5,
        description: "The queue for shared memory, lane exchange and the other input/output instructions is full. \
                      Fewer or wider accesses, or a mix with arithmetic, help.",
    }
    /// The pipe is busy.
    MathPipeThrottle {
        name: "math_pipe_throttle",
        label: "Stall Math Pipe Throttle",
        letter: 'P',
        colour: "#0072b2",
        row: 3,
        description: "The pipe that the next instruction needs is busy with another instruction. This is what a \
                      kernel bound by arithmetic looks like; a mix of instructions over more pipes helps.",
    }
    /// The dispatcher holds it back.
    DispatchStall {
        name: "dispatch_stall",
        label: "Stall Dispatch Stall",
        letter: 'd',
        colour: "#1b4f72",
        row: 11,
        description: "The dispatcher held the warp back although its instruction was ready: its registers lie in a \
                      bank whose port is taken, or a product or result of 64 bits before it takes the dispatcher longer.",
    }
    /// Anything else.
    Misc {
        name: "misc",
        label: "Stall Misc",
        letter: '?',
        colour: "#bbbbbb",
        row: 14,
        description: "The warp could not issue for another reason.",
    }
}

/// Selected and eligible warps stand out in pictures.
const NOT_SELECTED: StateInfo = info!(
    "not_selected",
    "Stall Not Selected",
    'e',
    "#f0e442",
    StallReason::COUNT,
    "The warp could have issued, but the scheduler took another. A high number says that there are more warps than \
     needed to hide latency: occupancy may be given up for more registers per thread."
);

const SELECTED: StateInfo = info!(
    "selected",
    "Selected",
    '*',
    "#009e73",
    StallReason::COUNT + 1,
    "The warp issued an instruction. A scheduler selects at most one warp per cycle."
);

impl StallReason {
    /// The name as metric ids spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        WarpState::Stalled(self).name()
    }

    /// The reason with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<StallReason> {
        StallReason::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// The letter of a text timeline.
    #[must_use]
    pub fn letter(self) -> char {
        WarpState::Stalled(self).letter()
    }
}

impl fmt::Display for StallReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The state of a resident warp in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum WarpState {
    /// It issued an instruction.
    Selected,
    /// It could have issued, but the scheduler took another.
    NotSelected,
    /// It could not issue.
    Stalled(StallReason),
}

impl WarpState {
    /// How many states there are.
    pub const COUNT: usize = StallReason::COUNT + 2;

    /// The states in the order of a report's rows.
    pub const IN_REPORT_ORDER: [WarpState; WarpState::COUNT] = {
        let mut states = [WarpState::Selected; WarpState::COUNT];
        let mut reason = 0;
        while reason < StallReason::COUNT {
            let state = WarpState::Stalled(StallReason::ALL[reason]);
            states[state.info().row] = state;
            reason += 1;
        }
        states[NOT_SELECTED.row] = WarpState::NotSelected;
        states
    };

    /// Every state: the stalls in the order of the check, then not selected, then selected.
    pub fn all() -> impl Iterator<Item = WarpState> {
        StallReason::ALL
            .into_iter()
            .map(WarpState::Stalled)
            .chain([WarpState::NotSelected, WarpState::Selected])
    }

    /// The number of this state: stalls first.
    #[must_use]
    pub fn index(self) -> usize {
        match self {
            WarpState::Stalled(reason) => reason as usize,
            WarpState::NotSelected => StallReason::COUNT,
            WarpState::Selected => StallReason::COUNT + 1,
        }
    }

    const fn info(self) -> &'static StateInfo {
        match self {
            WarpState::Selected => &SELECTED,
            WarpState::NotSelected => &NOT_SELECTED,
            WarpState::Stalled(reason) => &STALLS[reason as usize],
        }
    }

    /// The name as metric ids spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// The label in reports.
    #[must_use]
    pub const fn label(self) -> &'static str {
        self.info().label
    }

    /// The letter of a text timeline: `*` issued, `e` eligible.
    #[must_use]
    pub const fn letter(self) -> char {
        self.info().letter
    }

    /// The colour of a drawn timeline.
    #[must_use]
    pub const fn colour(self) -> &'static str {
        self.info().colour
    }

    /// The id of the metric that counts the state.
    #[must_use]
    pub const fn metric(self) -> &'static str {
        self.info().metric
    }

    /// How that metric is computed, in words.
    #[must_use]
    pub const fn formula(self) -> &'static str {
        self.info().formula
    }

    /// What the state means and what helps.
    #[must_use]
    pub const fn description(self) -> &'static str {
        self.info().description
    }
}

#[cfg(test)]
mod tests {
    use super::WarpState;

    #[test]
    fn every_state_has_its_own_number_name_and_letter() {
        let states: Vec<WarpState> = WarpState::all().collect();
        assert_eq!(states.len(), WarpState::COUNT);
        for (number, state) in states.iter().enumerate() {
            assert_eq!(state.index(), number);
            assert!(states.iter().all(|other| other == state || other.letter() != state.letter()));
            assert!(states.iter().all(|other| other == state || other.name() != state.name()));
            assert!(states.iter().all(|other| other == state || other.colour() != state.colour()));
        }
    }

    #[test]
    fn every_state_has_its_own_row_in_a_report() {
        for state in WarpState::all() {
            let rows = WarpState::IN_REPORT_ORDER.into_iter().filter(|row| *row == state);
            assert_eq!(rows.count(), 1, "{}", state.name());
        }
    }
}

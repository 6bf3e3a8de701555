//! The one state that a resident warp has in every cycle.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a warp cannot issue, in the words of Nsight Compute. The order is the order of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StallReason {
    /// It has exited and its stores are outstanding.
    Drain,
    /// It sleeps (`nanosleep`).
    Sleeping,
    /// It waits for the other warps of its block.
    Barrier,
    /// It waits for its memory operations to be seen by others.
    Membar,
    /// It waits for the target of a branch.
    BranchResolving,
    /// It waits for its next instruction.
    NoInstruction,
    /// It waits for a constant that the constant cache lacks.
    ImcMiss,
    /// It waits for a result from level-one cache: global or local memory.
    LongScoreboard,
    /// It waits for a result from shared memory, a special function or another variable-latency unit.
    ShortScoreboard,
    /// It waits for a fixed latency.
    Wait,
    /// The queue for global and local memory instructions is full.
    LgThrottle,
    /// The queue for shared memory and other input/output instructions is full.
    MioThrottle,
    /// The pipe is busy.
    MathPipeThrottle,
    /// The dispatcher holds it back.
    DispatchStall,
    /// Anything else.
    Misc,
}

impl StallReason {
    /// How many reasons there are.
    pub const COUNT: usize = 15;
    /// Every reason, in the order of the check.
    pub const ALL: [StallReason; StallReason::COUNT] = [
        StallReason::Drain,
        StallReason::Sleeping,
        StallReason::Barrier,
        StallReason::Membar,
        StallReason::BranchResolving,
        StallReason::NoInstruction,
        StallReason::ImcMiss,
        StallReason::LongScoreboard,
        StallReason::ShortScoreboard,
        StallReason::Wait,
        StallReason::LgThrottle,
        StallReason::MioThrottle,
        StallReason::MathPipeThrottle,
        StallReason::DispatchStall,
        StallReason::Misc,
    ];

    /// The name as metric ids spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StallReason::Drain => "drain",
            StallReason::Sleeping => "sleeping",
            StallReason::Barrier => "barrier",
            StallReason::Membar => "membar",
            StallReason::BranchResolving => "branch_resolving",
            StallReason::NoInstruction => "no_instruction",
            StallReason::ImcMiss => "imc_miss",
            StallReason::LongScoreboard => "long_scoreboard",
            StallReason::ShortScoreboard => "short_scoreboard",
            StallReason::Wait => "wait",
            StallReason::LgThrottle => "lg_throttle",
            StallReason::MioThrottle => "mio_throttle",
            StallReason::MathPipeThrottle => "math_pipe_throttle",
            StallReason::DispatchStall => "dispatch_stall",
            StallReason::Misc => "misc",
        }
    }

    /// The reason with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<StallReason> {
        StallReason::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// The letter of a text timeline.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            StallReason::Drain => 'D',
            StallReason::Sleeping => 'Z',
            StallReason::Barrier => 'B',
            StallReason::Membar => 'F',
            StallReason::BranchResolving => 'R',
            StallReason::NoInstruction => 'I',
            StallReason::ImcMiss => 'C',
            StallReason::LongScoreboard => 'L',
            StallReason::ShortScoreboard => 'S',
            StallReason::Wait => 'w',
            StallReason::LgThrottle => 'G',
            StallReason::MioThrottle => 'M',
            StallReason::MathPipeThrottle => 'P',
            StallReason::DispatchStall => 'd',
            StallReason::Misc => '?',
        }
    }
}

impl fmt::Display for StallReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The state of a resident warp in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

    /// The name as metric ids spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            WarpState::Selected => "selected",
            WarpState::NotSelected => "not_selected",
            WarpState::Stalled(reason) => reason.name(),
        }
    }

    /// The letter of a text timeline: `*` issued, `e` eligible.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            WarpState::Selected => '*',
            WarpState::NotSelected => 'e',
            WarpState::Stalled(reason) => reason.letter(),
        }
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
        }
    }
}

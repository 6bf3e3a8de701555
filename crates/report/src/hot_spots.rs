//! Counters of every instruction: how often it executed and what warps that came to it waited for.

use crate::table::{Align, Table};
use std::iter;
use warplab_metrics::{integer_text, real_text};
use warplab_trace::{InstructionCounts, WarpState};

/// Bytes of an encoded instruction.
const INSTRUCTION_BYTES: usize = 16;

/// An instruction as the table names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceInstruction {
    /// Opcode and operands.
    pub text: String,
    /// The line that it comes from; may be empty.
    pub place: String,
}

/// The two states that took most before an instruction, with their shares of the waiting.
fn reasons(counts: &InstructionCounts) -> String {
    let waited = counts.waited();
    let mut states: Vec<(u64, WarpState)> = WarpState::all()
        .filter(|state| *state != WarpState::Selected)
        .map(|state| (counts.states[state.index()], state))
        .filter(|(cycles, _)| *cycles > 0)
        .collect();
    states.sort_by_key(|&(cycles, state)| (std::cmp::Reverse(cycles), state.index()));
    let words = states
        .into_iter()
        .take(2)
        .map(|(cycles, state)| format!("{} {:.0} %", state.name(), 100.0 * cycles as f64 / waited as f64));
    words.collect::<Vec<_>>().join(", ")
}

/// A table with a row for every instruction of a kernel; what was counted of the last ones may be missing.
#[must_use]
pub fn hot_spots_text(instructions: &[SourceInstruction], counts: &[InstructionCounts]) -> String {
    let counts = counts.iter().copied().chain(iter::repeat(InstructionCounts::default()));
    let counts: Vec<InstructionCounts> = counts.take(instructions.len()).collect();
    let all: u64 = counts.iter().map(InstructionCounts::waited).sum();
    let mut table = Table::new([
        ("    address", Align::Right),
        ("instruction", Align::Left),
        ("executed", Align::Right),
        ("threads", Align::Right),
        ("waited", Align::Right),
        ("%", Align::Right),
        ("for", Align::Left),
        ("source", Align::Left),
    ]);
    for (index, (instruction, counts)) in instructions.iter().zip(&counts).enumerate() {
        table.row([
            format!("{:04x}", index * INSTRUCTION_BYTES),
            instruction.text.clone(),
            integer_text(counts.executed),
            integer_text(counts.threads),
            integer_text(counts.waited()),
            real_text(100.0 * counts.waited() as f64 / all.max(1) as f64),
            reasons(counts),
            instruction.place.clone(),
        ]);
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::{SourceInstruction, hot_spots_text};
    use warplab_trace::{InstructionCounts, StallReason, WarpState};

    #[test]
    fn waiting_is_charged_to_the_instruction_that_could_not_issue() {
        let instructions = ["LDG.E R2, desc[UR4][R2.64]", "FADD R0, R2, R2", "EXIT"]
            .map(|text| SourceInstruction { text: text.to_owned(), place: "line 7".to_owned() });
        let counts = |threads, states: &[(WarpState, u64)]| {
            let mut counts = InstructionCounts { executed: 1, threads, ..InstructionCounts::default() };
            states.iter().for_each(|(state, cycles)| counts.states[state.index()] = *cycles);
            counts
        };
        let long = WarpState::Stalled(StallReason::LongScoreboard);
        let load = counts(32, &[(WarpState::Selected, 1)]);
        let sum = counts(16, &[(long, 99), (WarpState::NotSelected, 1), (WarpState::Selected, 1)]);
        assert_eq!(
            hot_spots_text(&instructions, &[load, sum]),
            "    address  instruction                 executed  threads  waited       %  for                                     source
       0000  LDG.E R2, desc[UR4][R2.64]         1       32       0       0                                          line 7
       0010  FADD R0, R2, R2                    1       16     100  100.00  long_scoreboard 99 %, not_selected 1 %  line 7
       0020  EXIT                               0        0       0       0                                          line 7
"
        );
    }
}

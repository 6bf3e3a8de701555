//! Counters of every instruction: how often it executed and what warps that came to it waited for.

use crate::table::{Align, Table};
use warplab_metrics::{integer_text, real_text};
use warplab_trace::{StateInterval, WarpState};
use warplab_units::WarpMask;

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

/// How often an instruction executed, and what warps that came to it waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionCounts {
    /// How often a warp executed it.
    pub executed: u64,
    /// Threads that executed it.
    pub threads: u64,
    /// Warp-cycles in each state before it, by [`WarpState::index`].
    pub states: [u64; WarpState::COUNT],
}

impl InstructionCounts {
    const NONE: InstructionCounts =
        InstructionCounts { executed: 0, threads: 0, states: [0; WarpState::COUNT] };

    /// Warp-cycles in which a warp waited to issue the instruction.
    #[must_use]
    pub fn waited(&self) -> u64 {
        let selected = self.states[WarpState::Selected.index()];
        self.states.iter().sum::<u64>() - selected
    }

    /// The two states that took most, with their shares of the waiting.
    fn reasons(&self) -> String {
        let waited = self.waited();
        let mut states: Vec<(u64, WarpState)> = WarpState::all()
            .filter(|state| *state != WarpState::Selected)
            .map(|state| (self.states[state.index()], state))
            .filter(|(cycles, _)| *cycles > 0)
            .collect();
        states.sort_by_key(|&(cycles, state)| (std::cmp::Reverse(cycles), state.index()));
        let words = states.into_iter().take(2).map(|(cycles, state)| {
            format!("{} {:.0} %", state.name(), 100.0 * cycles as f64 / waited as f64)
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// The counts of the first `instructions` instructions of a kernel, from what was recorded of one multiprocessor.
#[must_use]
pub fn count_instructions(
    instructions: usize,
    issues: impl IntoIterator<Item = (u32, WarpMask)>,
    intervals: &[StateInterval],
) -> Vec<InstructionCounts> {
    let mut counts = vec![InstructionCounts::NONE; instructions];
    for (pc, lanes) in issues {
        if let Some(counts) = counts.get_mut(pc as usize) {
            counts.executed += 1;
            counts.threads += u64::from(lanes.count());
        }
    }
    for interval in intervals {
        if let Some(counts) = counts.get_mut(interval.pc as usize) {
            counts.states[interval.state.index()] += interval.to.since(interval.from);
        }
    }
    counts
}

/// A table with a row for every instruction of a kernel.
#[must_use]
pub fn hot_spots_text(
    instructions: &[SourceInstruction],
    issues: impl IntoIterator<Item = (u32, WarpMask)>,
    intervals: &[StateInterval],
) -> String {
    let counts = count_instructions(instructions.len(), issues, intervals);
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
            counts.reasons(),
            instruction.place.clone(),
        ]);
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::{SourceInstruction, hot_spots_text};
    use warplab_trace::{StallReason, StateInterval, WarpState};
    use warplab_units::{Cycle, WarpMask, WarpSlot};

    #[test]
    fn waiting_is_charged_to_the_instruction_that_could_not_issue() {
        let instructions = ["LDG.E R2, desc[UR4][R2.64]", "FADD R0, R2, R2"]
            .map(|text| SourceInstruction { text: text.to_owned(), place: "line 7".to_owned() });
        let interval = |pc, state, from, to| StateInterval {
            slot: WarpSlot(0),
            state,
            pc,
            from: Cycle(from),
            to: Cycle(to),
        };
        let intervals = [
            interval(0, WarpState::Selected, 0, 1),
            interval(1, WarpState::Stalled(StallReason::LongScoreboard), 1, 100),
            interval(1, WarpState::NotSelected, 100, 101),
            interval(1, WarpState::Selected, 101, 102),
        ];
        let issues = [(0, WarpMask::first(32)), (1, WarpMask::first(16))];
        assert_eq!(
            hot_spots_text(&instructions, issues, &intervals),
            "    address  instruction                 executed  threads  waited       %  for                                     source
       0000  LDG.E R2, desc[UR4][R2.64]         1       32       0       0                                          line 7
       0010  FADD R0, R2, R2                    1       16     100  100.00  long_scoreboard 99 %, not_selected 1 %  line 7
"
        );
    }
}

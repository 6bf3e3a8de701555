//! A question with a number as the answer.

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// To which cycle to go.
    Cycle,
    /// Which multiprocessor to show.
    Multiprocessor,
    /// Which memory partition to show.
    Partition,
}

/// A question and what has been typed so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prompt {
    pub(super) question: Question,
    pub(super) typed: String,
}

impl Prompt {
    /// Nothing has been typed.
    pub(super) fn new(question: Question) -> Prompt {
        Prompt { question, typed: String::new() }
    }

    /// What is asked, as a line.
    pub(super) fn text(&self) -> String {
        let question = match self.question {
            Question::Cycle => "go to cycle",
            Question::Multiprocessor => "show multiprocessor",
            Question::Partition => "show memory partition",
        };
        format!("{question}: {}_", self.typed)
    }

    /// Another character: digits count, and what groups them may stand between.
    pub(super) fn push(&mut self, character: char) {
        if character.is_ascii_digit() && self.typed.len() < 18 {
            self.typed.push(character);
        }
    }

    /// The answer.
    pub(super) fn answer(&self) -> Option<u64> {
        self.typed.parse().ok()
    }
}

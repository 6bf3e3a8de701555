//! What the threads of a kernel printed.

use serde::Serialize;

/// What one thread printed in one call of `printf`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrintedText {
    /// The block's number.
    pub block: u64,
    /// The thread's coordinates in its block.
    pub thread: [u32; 3],
    /// When, in cycles.
    pub cycle: u64,
    /// What was printed; bytes that are no UTF-8 are shown as the replacement character.
    pub text: String,
}

/// What a launch printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PrintedOutput {
    /// What each thread printed in each call, block by block and in order of time within a block.
    pub lines: Vec<PrintedText>,
    /// Earlier lines that the full buffer of the driver has lost.
    pub lost_lines: u64,
}

impl PrintedOutput {
    /// Whether nothing was printed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.lost_lines == 0
    }
}

/// The section that shows what was printed, as it was printed; empty when nothing was.
#[must_use]
pub fn printed_text(output: &PrintedOutput) -> String {
    if output.is_empty() {
        return String::new();
    }
    let title = "Section: Printed by the Kernel";
    let rule = format!("    {}\n", "-".repeat(title.len()));
    let mut text = format!("    {title}\n{rule}");
    for call in &output.lines {
        text.push_str(&call.text);
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&rule);
    if output.lost_lines > 0 {
        let lost = output.lost_lines;
        let lines = if lost == 1 { "line is" } else { "lines are" };
        text.push_str(&format!(
            "    INF   {lost} earlier {lines} lost: the buffer of the driver was full and forgot the oldest\n"
        ));
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::{PrintedOutput, PrintedText, printed_text};

    #[test]
    fn what_was_printed_stands_as_it_was_printed_and_losses_are_told() {
        let call = |text: &'static str| PrintedText { block: 0, thread: [0; 3], cycle: 0, text: text.into() };
        let output = PrintedOutput { lines: vec![call("a = 1, "), call("b = 2")], lost_lines: 3 };
        let wanted = "    Section: Printed by the Kernel\n    ------------------------------\na = 1, b = 2\n    \
                      ------------------------------\n    INF   3 earlier lines are lost: the buffer of \
                      the driver was full and forgot the oldest\n\n";
        assert_eq!(printed_text(&output), wanted);
        assert_eq!(printed_text(&PrintedOutput::default()), "");
    }
}

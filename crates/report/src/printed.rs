//! What the threads of a kernel printed.

use serde::Serialize;
use std::borrow::Cow;

/// One call of `printf`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrintedCall<'a> {
    /// The block's number.
    pub block: u64,
    /// The thread's coordinates in its block.
    pub thread: [u32; 3],
    /// When, in cycles.
    pub cycle: u64,
    /// What was printed; bytes that are no UTF-8 are shown as the replacement character.
    pub text: Cow<'a, str>,
}

/// What a launch printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PrintedOutput<'a> {
    /// The calls, block by block and in order of time within a block.
    pub calls: Vec<PrintedCall<'a>>,
    /// Earlier calls whose text the full buffer of the driver has lost.
    pub lost_calls: u64,
}

impl PrintedOutput<'_> {
    /// Whether nothing was printed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.lost_calls == 0
    }
}

/// The section that shows what was printed, as it was printed; empty when nothing was.
#[must_use]
pub fn printed_text(output: &PrintedOutput<'_>) -> String {
    if output.is_empty() {
        return String::new();
    }
    let title = "Section: Printed by the Kernel";
    let rule = format!("    {}\n", "-".repeat(title.len()));
    let mut text = format!("    {title}\n{rule}");
    for call in &output.calls {
        text.push_str(&call.text);
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&rule);
    if output.lost_calls > 0 {
        let lost = output.lost_calls;
        let calls = if lost == 1 { "call of printf is" } else { "calls of printf are" };
        text.push_str(&format!(
            "    INF   {lost} earlier {calls} lost: the buffer of the driver was full and forgot the oldest\n"
        ));
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::{PrintedCall, PrintedOutput, printed_text};

    #[test]
    fn what_was_printed_stands_as_it_was_printed_and_losses_are_told() {
        let call = |text: &'static str| PrintedCall { block: 0, thread: [0; 3], cycle: 0, text: text.into() };
        let output = PrintedOutput { calls: vec![call("a = 1, "), call("b = 2")], lost_calls: 3 };
        let wanted = "    Section: Printed by the Kernel\n    ------------------------------\na = 1, b = 2\n    \
                      ------------------------------\n    INF   3 earlier calls of printf are lost: the buffer of \
                      the driver was full and forgot the oldest\n\n";
        assert_eq!(printed_text(&output), wanted);
        assert_eq!(printed_text(&PrintedOutput::default()), "");
    }
}

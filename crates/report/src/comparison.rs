//! Two runs beside each other as text.

use crate::table::{Align, Table};
use crate::wrap::wrap;
use warplab_metrics::{Comparison, real_text};

/// Rows of the longest table when not all are asked for.
const ROWS: usize = 20;

/// A run as the comparison names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// What ran, and on what.
    pub name: String,
    /// What bounds it, in a sentence.
    pub verdict: String,
}

/// Two runs beside each other: the times, why they differ, and what else changed; everything, or what changed most.
#[must_use]
pub fn comparison_text(runs: &[Compared; 2], found: &Comparison, all: bool) -> String {
    let [before, after] = runs;
    let mut text = String::new();
    for (mark, run, time) in [("A", before, &found.times[0]), ("B", after, &found.times[1])] {
        text.push_str(&format!("  {mark}  {}: {time}\n", run.name));
        wrap(&run.verdict, 100).iter().for_each(|line| text.push_str(&format!("     {line}\n")));
    }
    if let Some(time) = found.time {
        text.push_str(&format!("\n    B takes {} times the time of A.\n", real_text(time)));
    }
    text.push_str(&why(found));
    text.push_str(&states(found, all));
    text.push_str(&differences(found, all));
    text
}

fn why(found: &Comparison) -> String {
    if found.factors.is_empty() {
        return String::new();
    }
    let mut table = table("why", "time x");
    for factor in &found.factors {
        table.row([
            factor.what.to_owned(),
            factor.before.clone(),
            factor.after.clone(),
            real_text(factor.times),
        ]);
    }
    section(&table)
}

fn states(found: &Comparison, all: bool) -> String {
    if found.states.is_empty() {
        return String::new();
    }
    let mut table = table("cycles for an issued instruction", "change");
    for change in limited(&found.states, all) {
        let sign = if change.after > change.before { "+" } else { "" };
        let moved = format!("{sign}{}", real_text(change.after - change.before));
        table.row([change.label.to_owned(), real_text(change.before), real_text(change.after), moved]);
    }
    section(&table)
}

fn differences(found: &Comparison, all: bool) -> String {
    if found.differences.is_empty() {
        return "\n    No metric differs.\n".to_owned();
    }
    let mut table = table("what changed most", "x");
    for row in limited(&found.differences, all) {
        let ratio = row.ratio.map_or_else(|| "new".to_owned(), real_text);
        table.row([row.label.to_owned(), row.before.clone(), row.after.clone(), ratio]);
    }
    let left = found.differences.len().saturating_sub(ROWS);
    let more = if all || left == 0 { String::new() } else { format!("    and {left} more: --all\n") };
    section(&table) + &more
}

fn limited<T>(rows: &[T], all: bool) -> &[T] {
    if all { rows } else { &rows[..rows.len().min(ROWS)] }
}

fn table(what: &str, last: &str) -> Table {
    Table::new([(what, Align::Left), ("A", Align::Right), ("B", Align::Right), (last, Align::Right)])
}

fn section(table: &Table) -> String {
    let lines: String = table.text().lines().map(|line| format!("    {line}\n")).collect();
    format!("\n{lines}")
}

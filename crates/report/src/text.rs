//! Sections as Nsight Compute prints them on a terminal.

use crate::header::{Header, dimensions};
use crate::wrap::wrap;
use std::fmt::Write;
use warplab_metrics::{MetricRow, SectionValues, Verdict, group_thousands};
use warplab_trace::Sample;

/// Columns of a verdict's text.
const VERDICT_WIDTH: usize = 108;

/// The section of metrics that were asked for by their ids, as `ncu` calls it.
pub(crate) const ASKED_SECTION: &str = "Command line profiler metrics";

/// The line above the sections: kernel, grid, block and machine.
#[must_use]
pub fn launch_line(header: &Header) -> String {
    let launch = &header.launch;
    let partial = if launch.partial { " (partial: stopped before the kernel ended)" } else { "" };
    let code = if launch.code.is_empty() { String::new() } else { format!("    Code: {}\n", launch.code) };
    let sample = launch.sample.as_ref().map_or(String::new(), sample_lines);
    format!(
        "  {} {}x{}, Context 1, Stream 7, Device 0 ({}), CC {}{partial}\n{code}{sample}",
        launch.kernel,
        dimensions(launch.grid),
        dimensions(launch.block),
        header.device.name,
        header.device.architecture
    )
}

/// What a sampled launch says above everything else.
fn sample_lines(sample: &Sample) -> String {
    let [simulated, blocks, cycles, error] =
        [sample.simulated_blocks, sample.blocks, sample.cycles, sample.error]
            .map(|number| group_thousands(&number.to_string()));
    format!(
        "    Sampled: {simulated} of {blocks} blocks were simulated, the others executed without time.\n    \
         All {blocks} blocks: about {cycles} +/- {error} cycles. Everything below is of the {simulated}.\n"
    )
}

/// Sections as text: the launch line, then each section with its verdicts.
#[must_use]
pub fn sections_text<'a>(header: &Header, sections: impl IntoIterator<Item = &'a SectionValues>) -> String {
    let mut text = launch_line(header);
    for section in sections {
        text.push_str(&section_text(section));
        text.push('\n');
    }
    text
}

/// One section as text.
#[must_use]
pub fn section_text(values: &SectionValues) -> String {
    let shown = values.rows.iter().filter(|row| row.metric.shown);
    let mut text = metrics_table(values.section.title, shown.map(|row| (row.metric.label, row)));
    for verdict in &values.verdicts {
        text.push('\n');
        text.push_str(&verdict_text(verdict));
    }
    text
}

/// Metrics that were asked for by their ids, as `ncu --metrics` prints them: the launch line, then one table.
#[must_use]
pub fn metrics_text(header: &Header, rows: &[MetricRow]) -> String {
    let table = metrics_table(ASKED_SECTION, rows.iter().map(|row| (row.metric.id, row)));
    format!("{}{table}\n", launch_line(header))
}

/// A table of metrics under these names.
fn metrics_table<'a>(title: &str, rows: impl Iterator<Item = (&'a str, &'a MetricRow)>) -> String {
    let heads = ["Metric Name", "Metric Unit", "Metric Value"];
    let rows: Vec<[String; 3]> = rows
        .map(|(name, row)| {
            let (unit, value) = row.metric.unit.scaled(&row.value);
            [name.to_owned(), unit.to_owned(), value]
        })
        .collect();
    let widths: [usize; 3] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([heads[column].len()]).max().unwrap_or(0)
    });
    let rule = format!("    {}\n", widths.map(|width| "-".repeat(width)).join(" "));
    let line = |name: &str, unit: &str, value: &str| {
        let [first, second, third] = widths;
        format!("    {name:<first$} {unit:>second$} {value:>third$}\n")
    };
    let mut text = format!("    Section: {title}\n{rule}");
    text.push_str(&line(heads[0], heads[1], heads[2]));
    text.push_str(&rule);
    for [name, unit, value] in &rows {
        text.push_str(&line(name, unit, value));
    }
    text.push_str(&rule);
    text
}

fn verdict_text(verdict: &Verdict) -> String {
    let mut text = String::new();
    let mut mark = verdict.kind.mark();
    for line in wrap(&verdict.text, VERDICT_WIDTH) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {mark:<5} {line}");
        mark = "";
    }
    text
}

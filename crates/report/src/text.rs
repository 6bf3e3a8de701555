//! Sections as Nsight Compute prints them on a terminal.

use crate::header::{Header, dimensions};
use crate::wrap::wrap;
use std::fmt::Write;
use warplab_metrics::{SectionValues, Verdict, group_thousands};
use warplab_trace::Sample;

/// Columns of a verdict's text.
const VERDICT_WIDTH: usize = 108;

/// The line above the sections: kernel, grid, block and machine.
#[must_use]
pub fn launch_line(header: &Header) -> String {
    let launch = &header.launch;
    let partial = if launch.partial { " (partial: stopped before the kernel ended)" } else { "" };
    let sample = launch.sample.as_ref().map_or(String::new(), sample_lines);
    format!(
        "  {} {}x{}, Context 1, Stream 7, Device 0 ({}), CC {}{partial}\n{sample}",
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
    let heads = ["Metric Name", "Metric Unit", "Metric Value"];
    let rows: Vec<[String; 3]> = values
        .rows
        .iter()
        .filter(|row| row.metric.shown)
        .map(|row| {
            let (unit, value) = row.metric.unit.scaled(&row.value);
            [row.metric.label.to_owned(), unit.to_owned(), value]
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
    let mut text = format!("    Section: {}\n{rule}", values.section.title);
    text.push_str(&line(heads[0], heads[1], heads[2]));
    text.push_str(&rule);
    for [name, unit, value] in &rows {
        text.push_str(&line(name, unit, value));
    }
    text.push_str(&rule);
    for verdict in &values.verdicts {
        text.push('\n');
        text.push_str(&verdict_text(verdict));
    }
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

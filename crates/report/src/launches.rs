//! Several launches in one table: a row a launch, and their sum.

use crate::table::{Align, Table};
use warplab_metrics::SectionValues;

/// The metrics of the table with their heads.
const COLUMNS: [(&str, &str); 7] = [
    ("Cycles", "sm__cycles_elapsed.max"),
    ("Duration", "gpu__time_duration.sum"),
    ("Instructions", "smsp__inst_executed.sum"),
    ("L1 Hit Rate", "l1tex__t_sector_hit_rate.pct"),
    ("L2 Hit Rate", "lts__t_sector_hit_rate.pct"),
    ("DRAM Read", "dram__bytes_read.sum"),
    ("DRAM Written", "dram__bytes_write.sum"),
];

/// A row for each launch (its name and its sections) and one for the sum of all.
#[must_use]
pub fn launches_text(launches: &[(String, &[SectionValues])], total: &[SectionValues]) -> String {
    let heads = [("#", Align::Right), ("Kernel", Align::Left)];
    let mut table = Table::new(heads.into_iter().chain(COLUMNS.map(|(head, _)| (head, Align::Right))));
    for (number, (kernel, sections)) in launches.iter().enumerate() {
        table.row([(number + 1).to_string(), kernel.clone()].into_iter().chain(cells(sections)));
    }
    table.row([String::new(), "sum".to_owned()].into_iter().chain(cells(total)));
    let text: String = table.text().lines().map(|line| format!("    {line}\n")).collect();
    format!("  {} launches\n{text}", launches.len())
}

fn cells(sections: &[SectionValues]) -> Vec<String> {
    COLUMNS.iter().map(|(_, id)| cell(sections, id)).collect()
}

/// The value of a metric with its unit, scaled.
fn cell(sections: &[SectionValues], id: &str) -> String {
    let rows = sections.iter().flat_map(|section| &section.rows);
    let Some(row) = rows.into_iter().find(|row| row.metric.id == id) else { return String::new() };
    let (unit, value) = row.metric.unit.scaled(&row.value);
    match unit {
        "" | "inst" | "cycle" => value,
        unit => format!("{value} {unit}"),
    }
}

//! The pages that `ncu --csv` prints, with the same columns.

use crate::header::{Header, dimensions};
use crate::text::ASKED_SECTION;
use warplab_metrics::{MetricRow, SectionValues, Value};

/// Columns in front of the metrics on both pages.
const COMMON: [&str; 11] = [
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
];

fn common(id: usize, header: &Header) -> Vec<String> {
    let launch = &header.launch;
    let words = ["0", "warplab", "127.0.0.1", &launch.kernel, "1", "7"];
    let mut cells = vec![id.to_string()];
    cells.extend(words.map(str::to_owned));
    cells.extend([
        dimensions(launch.block),
        dimensions(launch.grid),
        "0".to_owned(),
        header.device.architecture.clone(),
    ]);
    cells
}

/// The page `details`: a row a metric, in scaled units.
#[must_use]
pub fn details_csv(launches: &[(Header, Vec<SectionValues>)]) -> String {
    let mut rows = vec![details_heads()];
    for (id, (header, sections)) in launches.iter().enumerate() {
        for values in sections {
            let shown = values.rows.iter().filter(|row| row.metric.shown);
            rows.extend(shown.map(|row| details(id, header, values.section.title, row.metric.label, row)));
        }
    }
    csv_text(&rows)
}

/// The page `details` of metrics that were asked for by their ids.
#[must_use]
pub fn metrics_csv(launches: &[(Header, Vec<MetricRow>)]) -> String {
    let mut rows = vec![details_heads()];
    for (id, (header, metrics)) in launches.iter().enumerate() {
        rows.extend(metrics.iter().map(|row| details(id, header, ASKED_SECTION, row.metric.id, row)));
    }
    csv_text(&rows)
}

fn details_heads() -> Vec<String> {
    let own = ["Section Name", "Metric Name", "Metric Unit", "Metric Value"];
    COMMON.iter().chain(&own).map(ToString::to_string).collect()
}

fn details(id: usize, header: &Header, section: &str, name: &str, row: &MetricRow) -> Vec<String> {
    let (unit, value) = row.metric.unit.scaled(&row.value);
    let mut cells = common(id, header);
    cells.extend([section.to_owned(), name.to_owned(), unit.to_owned(), value]);
    cells
}

/// The page `raw`: a row a launch, a column a metric, base units in the second row.
#[must_use]
pub fn raw_csv(launches: &[(Header, Vec<SectionValues>)]) -> String {
    let mut heads: Vec<String> = COMMON.iter().map(ToString::to_string).collect();
    let mut units = vec![String::new(); COMMON.len()];
    if let Some((_, sections)) = launches.first() {
        for row in sections.iter().flat_map(|values| &values.rows) {
            heads.push(row.metric.id.to_owned());
            units.push(row.metric.unit.name().to_owned());
        }
    }
    let mut rows = vec![heads, units];
    for (id, (header, sections)) in launches.iter().enumerate() {
        let mut cells = common(id, header);
        let values = sections.iter().flat_map(|values| &values.rows);
        cells.extend(values.map(|row| match &row.value {
            Value::Absent => String::new(),
            value => row.metric.unit.base(value).1,
        }));
        rows.push(cells);
    }
    csv_text(&rows)
}

/// Rows as CSV, every cell in quotes.
fn csv_text(rows: &[Vec<String>]) -> String {
    let mut writer = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
    for row in rows {
        // Writing to memory cannot fail, and all rows of a page are equally long.
        let _ = writer.write_record(row);
    }
    writer.into_inner().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

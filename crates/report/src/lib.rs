//! Renders metrics and events: text sections, CSV pages, JSON, timelines, tables, charts.
//!
//! Everything here is a function from values to text; the same values give the same bytes. Who runs the simulator is
//! not known here.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod chart;
mod comparison;
mod correlation;
mod csv_pages;
mod export;
mod header;
mod heading;
mod hot_spots;
mod json;
mod launches;
mod legend;
mod printed;
mod scatter;
mod svg;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod timeline;
mod timeline_svg;
mod tracks;
mod wrap;

pub use chart::{Chart, ChartAxis, ChartKind, ChartRoof, Series, chart_svg, number_text};
pub use comparison::{Compared, comparison_text};
pub use correlation::{
    Correlation, correlation_csv, correlation_faults, correlation_json, correlation_svg, correlation_text,
};
pub use csv_pages::{details_csv, metrics_csv, raw_csv};
pub use export::{Column, TimelineRecord, TracedWarp, timeline_columns, timeline_csv, timeline_perfetto};
pub use header::{Device, Header};
pub use hot_spots::{SourceInstruction, hot_spots_text};
pub use json::{LaunchReport, json, sequence_json};
pub use launches::launches_text;
pub use printed::{PrintedOutput, PrintedText, printed_text};
pub use table::{Align, Table};
pub use text::{launch_line, metrics_text, section_text, sections_text};
pub use timeline::{TimelineOptions, timeline_text};
pub use timeline_svg::{TimelineIssue, TimelinePanel, WarpRecord, timeline_svg, timelines_svg};
pub use tracks::{Lane, Panel, TrackBox, Tracks, tracks_svg};
pub use wrap::wrap;

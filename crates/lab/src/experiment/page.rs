//! Rows of the course as one page: what each row is, its tables, figures, verdicts and texts.

use super::figures::figures;
use super::judge::ReferenceVerdict;
use super::report::ExperimentReport;
use super::table::tables;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use warplab_report::{Align, Table};

/// Tables of a page need not be broken: they scroll, by keys, too.
const WIDTH: usize = 100_000;

/// Colours are those of the figures.
const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 Helvetica,Arial,sans-serif;margin:0 auto;max-width:76rem;padding:0 1rem 3rem;color:#222;background:#fff}\
h1{font-size:1.7rem}h2{margin:3rem 0 .2rem;border-top:1px solid #ccc;padding-top:1rem}h3{margin:1.5rem 0 .2rem}\
a{color:#0060a0}.source,.note{color:#666;margin:.2rem 0}\
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.92rem;margin:.6rem 0}\
th{text-align:left;vertical-align:bottom;border-bottom:1px solid #888}td,th{padding:.2rem .8rem .2rem 0}td{white-space:nowrap}th{max-width:9rem}\
@media(max-width:640px){.contents :is(td,th):nth-child(n+3){display:none}}\
.number{text-align:right;font-variant-numeric:tabular-nums}\
pre{font-size:.82rem;line-height:1.25}ul{list-style:none;padding:0}li{display:flex;gap:.6rem;margin:.15rem 0;overflow-wrap:anywhere}\
.verdict{flex:none;min-width:5rem;font-weight:bold}\
.ok{color:#006d50}.known,.deviates{color:#985f00}.missed,.wrong{color:#b00020}\
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,34rem),1fr));gap:1rem}\
figure{margin:0;overflow-x:auto}figure svg{width:100%;height:auto;max-width:44rem;min-width:30rem}\
@media(prefers-color-scheme:dark){body{color:#e8e8e8;background:#16191d}a{color:#7cc0f0}.source,.note{color:#aaa}\
.ok{color:#4fd0a5}.known,.deviates{color:#f0b450}.missed,.wrong{color:#ff7a85}}";

/// A row of the course with its numbers.
#[derive(Clone, Copy, Debug)]
pub struct PageRow<'a> {
    /// Its name.
    pub id: &'a str,
    /// What it is about.
    pub what: &'a str,
    /// The text that it is from.
    pub source: &'a str,
    /// The worst that became of its references and claims.
    pub verdict: &'a str,
    /// Its experiments.
    pub reports: &'a [ExperimentReport],
}

/// The rows as a page that needs nothing else.
#[must_use]
pub fn course_page(version: &str, rows: &[PageRow<'_>]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "The course, simulated" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "The course, simulated" }
                    p.source { "warplab " (version) }
                    (contents(rows))
                    @for row in rows { (section(row)) }
                }
            }
        }
    };
    page.into_string()
}

fn contents(rows: &[PageRow<'_>]) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table.contents {
                thead { tr { th { "row" } th { "verdict" } th { "text" } th { "what" } } }
                tbody {
                    @for row in rows {
                        tr {
                            td { a href=(format!("#{}", row.id)) { (row.id) } }
                            td.(class(row.verdict)) { (row.verdict) }
                            td { (row.source) }
                            td style="white-space:normal" { (row.what) }
                        }
                    }
                }
            }
        }
    }
}

/// The class of a verdict's word.
fn class(verdict: &str) -> String {
    verdict.to_lowercase()
}

fn section(row: &PageRow<'_>) -> Markup {
    html! {
        section id=(row.id) {
            h2 { (row.id) }
            p.source { (row.source) ": " (row.what) }
            @for report in row.reports { (experiment(report)) }
        }
    }
}

fn experiment(report: &ExperimentReport) -> Markup {
    let experiment = &report.experiment;
    html! {
        h3 { (experiment.title) }
        p.source { (experiment.source) }
        @for found in tables(report, WIDTH) { (table(&found)) }
        div.figures { @for svg in figures(report) { figure tabindex="0" { (PreEscaped(svg)) } } }
        @for (point, text) in &report.texts {
            details {
                summary { @if point.is_empty() { "as text" } @else { "as text: " (point) } }
                div.scroll tabindex="0" { pre { (text) } }
            }
        }
        (verdicts(report))
        @for note in &experiment.notes { p.note { "Note: " (note) } }
        p { (experiment.why) }
    }
}

fn table(table: &Table) -> Markup {
    let aligns: Vec<Align> = table.heads().map(|(_, align)| align).collect();
    let number = |align: Align| (align == Align::Right).then_some("number");
    html! {
        div.scroll tabindex="0" {
            table {
                thead { tr {
                    @for (head, align) in table.heads() { th class=[number(align)] { (head) } }
                } }
                tbody {
                    @for row in table.rows() {
                        tr { @for (at, cell) in row.iter().enumerate() { td class=[aligns.get(at).copied().and_then(number)] { (cell) } } }
                    }
                }
            }
        }
    }
}

fn verdicts(report: &ExperimentReport) -> Markup {
    let judgements = report.judgements.iter().map(|it| (it.verdict, it.line.as_str()));
    let claims = report.claims.iter().map(|it| (it.verdict, it.line.as_str()));
    html! {
        ul {
            @for line in report.failed_expectations() { (verdict("WRONG", &line)) }
            @if report.has_expectations() && report.failed_expectations().is_empty() {
                (verdict("ok", "every launch computed what its expectations say"))
            }
            @for (found, line) in judgements.chain(claims) { (verdict(word(found), line)) }
        }
    }
}

fn verdict(word: &str, line: &str) -> Markup {
    html! { li { span.verdict.(class(word)) { (word) } span { (line) } } }
}

/// What stands in front of a verdict's line.
fn word(verdict: ReferenceVerdict) -> &'static str {
    match verdict {
        ReferenceVerdict::Holds => "ok",
        ReferenceVerdict::Shown => "shown",
        ReferenceVerdict::Known => "known",
        ReferenceVerdict::Deviates => "deviates",
        ReferenceVerdict::Missed => "MISSED",
    }
}

#[cfg(test)]
mod tests {
    use super::{PageRow, course_page, table};
    use warplab_report::{Align, Table};

    #[test]
    fn a_row_is_listed_with_a_link_to_its_section_and_its_verdict() {
        let row = PageRow { id: "its", what: "A < B", source: "a text", verdict: "deviates", reports: &[] };
        let page = course_page("1", &[row]);
        assert!(page.contains("<a href=\"#its\">its</a>") && page.contains("<section id=\"its\">"), "{page}");
        assert!(page.contains("<td class=\"deviates\">deviates</td>"), "{page}");
        assert_eq!(page.matches("A &lt; B").count(), 2, "{page}");
    }

    #[test]
    fn what_scrolls_can_be_reached_with_keys() {
        let page = course_page("1", &[]) + &table(&Table::new([("way", Align::Left)])).into_string();
        assert_eq!(page.matches("<div class=\"scroll\" tabindex=\"0\">").count(), 2, "{page}");
    }

    #[test]
    fn numbers_of_a_table_are_set_to_the_right() {
        let mut found = Table::new([("way", Align::Left), ("time", Align::Right)]);
        found.row(["one", "1.5"]);
        let page = table(&found).into_string();
        assert!(page.contains("<th>way</th><th class=\"number\">time</th>"), "{page}");
        assert!(page.contains("<td>one</td><td class=\"number\">1.5</td>"), "{page}");
    }
}

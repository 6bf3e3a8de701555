//! `warplab compare BEFORE AFTER`.

use crate::arguments::CompareArguments;
use crate::commands::run::kept_document;
use crate::failure::{Failure, Outcome};
use crate::terminal::Terminal;
use crate::{result_file, sources};
use serde_json::Value;
use std::path::Path;
use warplab_metrics::{Measured, compare};
use warplab_report::{Compared, comparison_text};
use warplab_web::{comparison_html, document_of};

/// What a run wrote.
struct Written {
    document: Value,
    /// Whether it is that of a page, with timelines and code.
    page: bool,
}

/// One launch of it.
struct Run<'a> {
    launch: &'a Value,
    compared: Compared,
    measured: Measured,
}

/// Says what changed.
pub(crate) fn run(arguments: &CompareArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let [before, after] = [read(&arguments.before)?, read(&arguments.after)?];
    let a = before.launch(arguments.launch, &arguments.before)?;
    let b = after.launch(arguments.launch, &arguments.after)?;
    let found = compare(&a.measured, &b.measured);
    let names = [a.compared.name.clone(), b.compared.name.clone()];
    if let Some(path) = &arguments.html {
        if !(before.page && after.page) {
            let message = "--html: JSON has no timelines and no code; compare two runs that warplab run -o FILE.wl kept, or \
                           two pages of warplab run --html";
            return Err(Failure::input(message));
        }
        let runs = [(&before.document, a.launch), (&after.document, b.launch)];
        sources::write(path, &comparison_html(runs, [&names[0], &names[1]], &found))?;
    }
    terminal.print(&comparison_text(&[a.compared, b.compared], &found, arguments.all))?;
    Ok(Outcome::Fine)
}

/// What changed from the first launch of a file to that of a run, whose JSON this is.
pub(crate) fn since(baseline: &Path, json: &str) -> Result<String, Failure> {
    let before = read(baseline)?;
    let document = serde_json::from_str(json).unwrap_or_default();
    let after = Written { document, page: false };
    let (a, b) = (before.launch(1, baseline)?, after.launch(1, baseline)?);
    let found = compare(&a.measured, &b.measured);
    Ok(comparison_text(&[a.compared, b.compared], &found, false))
}

fn read(path: &Path) -> Result<Written, Failure> {
    if result_file::is_one(path) {
        return Ok(Written { document: kept_document(path)?, page: true });
    }
    let text = sources::read(path)?.text;
    let told = |fault: String| Failure::input(format!("{}: {fault}", path.display()));
    if text.trim_start().starts_with('<') {
        return Ok(Written { document: document_of(&text).map_err(told)?, page: true });
    }
    let document: Value = serde_json::from_str(&text).map_err(|fault| {
        told(format!("this is nothing that run -o, run --html or run --json wrote: {fault}"))
    })?;
    match document["schema_version"].as_u64() {
        Some(1) => Ok(Written { document, page: false }),
        _ => Err(told("this is not what run --json wrote: it has no schema_version 1".to_owned())),
    }
}

impl Written {
    /// A launch, counted from 1.
    fn launch(&self, number: u32, path: &Path) -> Result<Run<'_>, Failure> {
        let several = self.document["launches"].as_array();
        let launches: Vec<&Value> = several.map_or_else(|| vec![&self.document], |all| all.iter().collect());
        let Some(&launch) = launches.get(number as usize - 1) else {
            let message = format!("--launch {number}: {} has {}", path.display(), launches.len());
            return Err(Failure::input(message));
        };
        let device = if self.page { &launch["device"] } else { &self.document["device"] };
        let word = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        let name = format!("{} on {}", word(&launch["launch"]["kernel"]), word(&device["name"]));
        Ok(Run { launch, compared: Compared { name, verdict: verdict(launch) }, measured: measured(launch) })
    }
}

/// What bounds a launch: the first sentence that the report says of it.
fn verdict(launch: &Value) -> String {
    let sections = launch["sections"].as_array().into_iter().flatten();
    let mut verdicts = sections.flat_map(|section| section["verdicts"].as_array().into_iter().flatten());
    let found = verdicts.find(|verdict| verdict["kind"] == "INF");
    found.and_then(|verdict| verdict["text"].as_str()).unwrap_or_default().to_owned()
}

/// The metrics of a launch: of JSON under `metrics`, of a page in its sections.
fn measured(launch: &Value) -> Measured {
    let of_json = launch["metrics"].as_object().into_iter().flatten();
    let of_json = of_json.map(|(id, metric)| (id.clone(), value(&metric["value"])));
    let sections = launch["sections"].as_array().into_iter().flatten();
    let metrics = sections.flat_map(|section| section["metrics"].as_array().into_iter().flatten());
    let of_page =
        metrics.filter_map(|metric| Some((metric["id"].as_str()?.to_owned(), value(&metric["value"]))));
    of_json.chain(of_page).collect()
}

fn value(json: &Value) -> warplab_metrics::Value {
    use warplab_metrics::Value as Measured;
    match json {
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(count), _) => Measured::Integer(count),
            (None, Some(real)) => Measured::Real(real),
            (None, None) => Measured::Absent,
        },
        Value::String(text) => Measured::Text(text.clone()),
        _ => Measured::Absent,
    }
}

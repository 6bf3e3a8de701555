//! Labs: what they ask, and answers held against them.

use crate::answer::Refusal;
use crate::files::Files;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use warplab_config::Lab;
use warplab_config::lab::{Answer, Change, Prediction, Setting};
use warplab_diagnostics::Source;
use warplab_lab::labs::{AnswerVerdict, Bench, LabTimeline, copies, describe, judge, read_worksheet};
use warplab_run::Fault;
use warplab_web::{Record, timeline_document};

/// What a student has answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answers<'a> {
    pub(crate) predictions: &'a BTreeMap<String, Value>,
    pub(crate) changes: &'a BTreeMap<String, Value>,
    pub(crate) copies: &'a BTreeMap<String, String>,
    pub(crate) reveal: bool,
}

/// The names of all labs, in the order of their numbers.
pub(crate) fn names(files: Files<'_>) -> Vec<String> {
    let paths = files.all.keys();
    let mut names: Vec<String> = paths
        .filter_map(|path| path.strip_prefix("labs/")?.strip_suffix("/lab.ron"))
        .map(str::to_owned)
        .collect();
    let number = |name: &str| name.split('-').next().and_then(|it| it.parse().ok()).unwrap_or(u32::MAX);
    names.sort_by_key(|name| (number(name), name.clone()));
    names
}

/// The description of a lab.
pub(crate) fn describe_lab(files: Files<'_>, name: &str) -> Result<Lab, Fault> {
    describe(&|path| files.bytes(&folder(name), path))
}

/// The text of a lab and what it asks.
pub(crate) fn lab(files: Files<'_>, name: &str) -> Result<Value, Refusal> {
    let lab = describe_lab(files, name)?;
    let read = |path: &Path| files.bytes(&folder(name), path);
    let text = files.source(&folder(name).join(&lab.text))?.text;
    let mut programs = BTreeMap::new();
    for (copy, original) in copies(&lab, &read)? {
        programs.insert(copy, files.source(&folder(name).join(original))?.text);
    }
    Ok(json!({
        "name": name,
        "title": lab.title,
        "text": text,
        "predictions": lab.predictions.iter().map(question).collect::<Vec<_>>(),
        "changes": lab.changes.iter().map(choice).collect::<Vec<_>>(),
        "checks": lab.checks.iter().map(|check| &check.text).collect::<Vec<_>>(),
        "programs": programs,
    }))
}

fn question(prediction: &Prediction) -> Value {
    let runs = match &prediction.answer {
        Answer::Number { .. } => None,
        Answer::Least { runs, .. } | Answer::Most { runs, .. } => Some(runs),
    };
    json!({ "id": prediction.id, "question": prediction.question, "runs": runs })
}

fn choice(change: &Change) -> Value {
    let scheduler = change.sets == Setting::Scheduler;
    let most = (change.most != u32::MAX).then_some(change.most);
    json!({
        "id": change.id,
        "question": change.question,
        "scheduler": scheduler,
        "least": change.least,
        "most": most,
    })
}

/// Runs a lab with a student's answers and says what held.
pub(crate) fn check(files: Files<'_>, name: &str, answers: Answers<'_>) -> Result<Value, Refusal> {
    let lab = describe_lab(files, name)?;
    let source = Source::new("the answers", worksheet(&lab, answers));
    let worksheet = match read_worksheet(&source, &lab) {
        Ok(worksheet) => worksheet,
        Err(faults) => return Err(Fault::Diagnostics(source, faults).into()),
    };
    let student = |path: &Path| {
        let copy = answers.copies.get(&*path.to_string_lossy());
        let missing = || Fault::input(format!("there is no copy {}", path.display()));
        copy.map(|text| text.clone().into_bytes()).ok_or_else(missing)
    };
    let bench = Bench {
        lab: &|path| files.bytes(&folder(name), path),
        student: &student,
        machine: &|machine, changes| files.machine(machine, changes),
    };
    let judgement = judge(&lab, &worksheet, bench)?;
    let all = judgement.predictions.iter().chain(&judgement.checks);
    let shown = judgement.timelines.iter().filter(|timeline| !timeline.secret || answers.reveal);
    Ok(json!({
        "holds": judgement.holds(),
        "held": all.clone().filter(|verdict| verdict.holds).count(),
        "of": all.count(),
        "predictions":
            judgement.predictions.iter().map(|it| verdict(it, it.holds || answers.reveal)).collect::<Vec<_>>(),
        "checks": judgement.checks.iter().map(|it| verdict(it, true)).collect::<Vec<_>>(),
        "wrong_results": judgement.wrong_results,
        "timelines": shown.map(timeline).collect::<Vec<_>>(),
        "hidden_timelines": judgement.timelines.iter().filter(|it| it.secret && !answers.reveal).count(),
    }))
}

/// A worksheet with the answers; what is not answered is blank.
fn worksheet(lab: &Lab, answers: Answers<'_>) -> String {
    let entries = |ids: Vec<&String>, given: &BTreeMap<String, Value>| {
        let entry = |id: &String| {
            let value = given.get(id).filter(|value| !value.is_null());
            let value = value.map_or("None".to_owned(), written);
            format!("    {id:?}: {value},\n")
        };
        ids.into_iter().map(entry).collect::<String>()
    };
    let predictions = entries(lab.predictions.iter().map(|it| &it.id).collect(), answers.predictions);
    let changes = entries(lab.changes.iter().map(|it| &it.id).collect(), answers.changes);
    format!("(\n  predictions: {{\n{predictions}  }},\n  changes: {{\n{changes}  }},\n)\n")
}

/// An answer as it stands in a worksheet.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

fn verdict(verdict: &AnswerVerdict, known: bool) -> Value {
    let shown = |text: &str| known.then(|| text.to_owned());
    json!({
        "id": verdict.id,
        "text": verdict.text,
        "claim": verdict.claim,
        "state": match (verdict.blank, verdict.holds) {
            (true, _) => "blank",
            (_, true) => "yes",
            _ => "no",
        },
        "simulated": shown(&verdict.simulated),
        "difference": shown(&verdict.difference),
        "hint": verdict.hint,
    })
}

fn timeline(timeline: &LabTimeline) -> Value {
    let first = timeline.intervals.iter().map(|interval| interval.from.0).min().unwrap_or(0);
    let record = Record {
        sm: 0,
        warps: Vec::new(),
        intervals: &timeline.intervals,
        issues: &[],
        window: Some(first..first + timeline.cycles),
        cut: false,
    };
    json!({ "run": timeline.run, "timeline": timeline_document(&record, timeline.schedulers) })
}

fn folder(name: &str) -> PathBuf {
    Path::new("labs").join(name)
}

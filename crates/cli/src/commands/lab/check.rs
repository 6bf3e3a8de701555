//! `warplab lab check`: hints first, numbers later.

use super::find;
use super::tries::Tries;
use crate::arguments::LabCheckArguments;
use crate::failure::{Failure, Outcome};
use crate::labs::LabLocation;
use crate::terminal::Terminal;
use crate::{machines, sources};
use serde_json::{Value, json};
use std::path::Path;
use warplab_config::Lab;
use warplab_config::lab::WORKSHEET;
use warplab_lab::labs::{AnswerVerdict, Bench, LabJudgement, LabTimeline, judge, read_worksheet};
use warplab_report::{Align, Table, TimelineOptions, timeline_text, wrap};

/// Columns of what is printed.
const WIDTH: u16 = 100;

/// Columns of a timeline: what the names of its rows and a number that begins in the last column leave.
const TIMELINE_WIDTH: usize = WIDTH as usize - 18;

/// Runs a lab with a student's answers and says what held.
pub(crate) fn check(arguments: &LabCheckArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let (place, lab) = find(&arguments.lab)?;
    let judgement = judged(&place, &lab, &arguments.folder)?;
    let tries = Tries::add(&arguments.folder, &judgement)?;
    let known = |verdict: &AnswerVerdict| verdict.holds || arguments.reveal || tries.are_over(&verdict.id);
    if arguments.json {
        let found = judgement_json(place.name(), &lab, &judgement, &known);
        terminal.print(&format!("{found:#}\n"))?;
    } else {
        terminal.print(&judgement_text(&lab, &judgement, &known, arguments.reveal))?;
    }
    Ok(if judgement.holds() { Outcome::Fine } else { Outcome::Failed })
}

/// A student's folder held against a lab.
pub(super) fn judged(place: &LabLocation, lab: &Lab, folder: &Path) -> Result<LabJudgement, Failure> {
    let source = sources::read(&folder.join(WORKSHEET))?;
    let worksheet = match read_worksheet(&source, lab) {
        Ok(worksheet) => worksheet,
        Err(faults) => return Err(Failure::Diagnostics(source, faults)),
    };
    let bench = Bench {
        lab: &|path| place.read(path),
        student: &|path| sources::for_lab(&folder.join(path)),
        machine: &machines::load,
    };
    Ok(judge(lab, &worksheet, bench)?)
}

/// Whether a person may see what was simulated for a prediction.
type Known<'a> = &'a dyn Fn(&AnswerVerdict) -> bool;

/// A judgement for graders.
pub(super) fn judgement_json(name: &str, lab: &Lab, judgement: &LabJudgement, known: Known<'_>) -> Value {
    let all = judgement.predictions.iter().chain(&judgement.checks);
    let one = |verdict: &AnswerVerdict, known: bool| {
        let text = |text: &str, shown: bool| (shown && !text.is_empty()).then(|| text.to_owned());
        json!({
            "id": text(&verdict.id, true),
            "text": verdict.text,
            "claim": text(&verdict.claim, true),
            "state": state(verdict),
            "simulated": text(&verdict.simulated, known),
            "difference": text(&verdict.difference, known),
            "hint": verdict.hint,
        })
    };
    json!({
        "lab": name,
        "title": lab.title,
        "holds": judgement.holds(),
        "held": all.clone().filter(|verdict| verdict.holds).count(),
        "of": all.count(),
        "predictions": judgement.predictions.iter().map(|it| one(it, known(it))).collect::<Vec<_>>(),
        "checks": judgement.checks.iter().map(|it| one(it, true)).collect::<Vec<_>>(),
        "wrong_results": judgement.wrong_results.iter().map(|(run, what)| json!({"run": run, "what": what})).collect::<Vec<_>>(),
    })
}

fn state(verdict: &AnswerVerdict) -> &'static str {
    match (verdict.blank, verdict.holds) {
        (true, _) => "blank",
        (_, true) => "yes",
        _ => "no",
    }
}

fn judgement_text(lab: &Lab, judgement: &LabJudgement, known: Known<'_>, reveal: bool) -> String {
    let mut text = format!("{}\n\n", lab.title);
    text.push_str(&verdicts_text("Prediction", &judgement.predictions, known));
    text.push_str(&verdicts_text("Check", &judgement.checks, &|_| true));
    for (run, line) in &judgement.wrong_results {
        text.push_str(&format!("Run {run}: {line}\n\n"));
    }
    let (hidden, shown): (Vec<_>, Vec<_>) =
        judgement.timelines.iter().partition(|timeline| timeline.secret && !reveal);
    shown.into_iter().for_each(|timeline| text.push_str(&run_text(timeline)));
    if !hidden.is_empty() {
        let names: Vec<&str> = hidden.iter().map(|timeline| timeline.run.as_str()).collect();
        let names = names.join(", ");
        text.push_str(&format!("Timelines that come when the numbers predicted of them hold: {names}\n\n"));
    }
    let all = judgement.predictions.iter().chain(&judgement.checks);
    let held = all.clone().filter(|verdict| verdict.holds).count();
    let blank = all.clone().filter(|verdict| verdict.blank).count();
    let blank = if blank == 0 { String::new() } else { format!(", {blank} blank") };
    text.push_str(&format!("{held} of {} hold{blank}\n", all.count()));
    if judgement.predictions.iter().any(|verdict| !verdict.blank && !known(verdict)) {
        text.push_str("'?' is shown after three different tries, or with --reveal\n");
    }
    text
}

fn run_text(timeline: &LabTimeline) -> String {
    let LabTimeline { run, intervals, cycles, .. } = timeline;
    let first = intervals.iter().map(|interval| interval.from.0).min().unwrap_or(0);
    let cycles = Some(first..first + cycles);
    let options = TimelineOptions { cycles, width: TIMELINE_WIDTH, ..TimelineOptions::default() };
    format!("Run {run}\n{}\n", timeline_text(intervals, &options))
}

/// A table of verdicts, and the hints for those that do not hold.
fn verdicts_text(head: &str, verdicts: &[AnswerVerdict], known: Known<'_>) -> String {
    if verdicts.is_empty() {
        return String::new();
    }
    let wanted = if head == "Check" { "Wanted" } else { "Predicted" };
    let mut table = Table::new([
        ("#", Align::Right),
        (head, Align::Left),
        (wanted, Align::Right),
        ("Simulated", Align::Right),
        ("Difference", Align::Right),
        ("Held", Align::Left),
    ])
    .within(WIDTH);
    for (number, verdict) in verdicts.iter().enumerate() {
        let shown = |text: &str| match (verdict.blank, known(verdict)) {
            (false, false) if !text.is_empty() => "?".to_owned(),
            _ => text.to_owned(),
        };
        table.row([
            (number + 1).to_string(),
            verdict.text.clone(),
            verdict.claim.clone(),
            shown(&verdict.simulated),
            shown(&verdict.difference),
            state(verdict).to_owned(),
        ]);
    }
    let mut text = table.text();
    text.push('\n');
    for (number, verdict) in verdicts.iter().enumerate() {
        let Some(hint) = &verdict.hint else { continue };
        let words = format!("Hint for {} {}: {hint}", head.to_lowercase(), number + 1);
        for line in wrap(&words, usize::from(WIDTH)) {
            text.push_str(&format!("{line}\n"));
        }
        text.push('\n');
    }
    text
}

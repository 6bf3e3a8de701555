//! `warplab lab list|show|start|check`.

use crate::failure::{Failure, Outcome};
use crate::labs::{self, Place};
use crate::terminal::Terminal;
use crate::{machines, sources};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;
use warplab_config::Lab;
use warplab_config::lab::WORKSHEET;
use warplab_lab::labs::{
    AnswerVerdict, Bench, LabJudgement, WorksheetFaults, copies, describe, judge, read_worksheet,
    worksheet_text,
};
use warplab_report::{Align, Table, TimelineOptions, timeline_text, wrap};

/// Columns of what is printed.
const WIDTH: u16 = 110;

/// Prints the labs.
pub(crate) fn list(terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let mut table = Table::new([("Lab", Align::Left), ("Title", Align::Left), ("Blanks", Align::Right)]);
    for place in labs::all() {
        let lab = describe(&|path| place.read(path))?;
        let blanks = lab.predictions.len() + lab.changes.len();
        table.row([place.name(), &lab.title, &blanks.to_string()]);
    }
    terminal.print(&table.text())?;
    Ok(Outcome::Fine)
}

/// Prints the text of a lab.
pub(crate) fn show(name: &str, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let (place, lab) = find(name)?;
    let text = place.read(Path::new(&lab.text))?;
    terminal.print(&String::from_utf8_lossy(&text))?;
    Ok(Outcome::Fine)
}

/// Writes a worksheet with blanks, and copies of the programs that the student changes.
pub(crate) fn start(name: &str, folder: &Path, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let (place, lab) = find(name)?;
    let check = format!("warplab lab check {name} {}", folder.display());
    let mut files = vec![(WORKSHEET.to_owned(), worksheet_text(&lab, &check))];
    for (copy, original) in copies(&lab, &|path| place.read(path))? {
        files.push((copy, String::from_utf8_lossy(&place.read(&original)?).into_owned()));
    }
    // A link counts as a file, wherever it leads and even if to nothing.
    if let Some((file, _)) = files.iter().find(|(file, _)| folder.join(file).symlink_metadata().is_ok()) {
        return Err(there_already(&folder.join(file)));
    }
    fs::create_dir_all(folder)
        .map_err(|error| Failure::Output(format!("{} cannot be made: {error}", folder.display())))?;
    for (file, text) in &files {
        let path = folder.join(file);
        write_new(&path, text)?;
        terminal.print(&format!("{}\n", path.display()))?;
    }
    terminal.print(&format!("Read 'warplab lab show {name}', fill in the worksheet, then: {check}\n"))?;
    Ok(Outcome::Fine)
}

/// Writes a file that is not there yet; nothing is followed or overwritten, even if it came a moment ago.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let written = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => there_already(path),
        _ => Failure::Output(format!("{} cannot be written: {error}", path.display())),
    })
}

fn there_already(path: &Path) -> Failure {
    Failure::input(format!("{} is there already; choose another folder or move it away", path.display()))
}

/// Runs a lab with a student's answers and says what held.
pub(crate) fn check(name: &str, folder: &Path, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let (place, lab) = find(name)?;
    let source = sources::read(&folder.join(WORKSHEET))?;
    let worksheet = match read_worksheet(&source, &lab) {
        Ok(worksheet) => worksheet,
        Err(WorksheetFaults { faults, only_blanks: true }) => {
            terminal.diagnostics(&source, &faults);
            return Ok(Outcome::Failed);
        }
        Err(WorksheetFaults { faults, .. }) => return Err(Failure::Diagnostics(source, faults)),
    };
    let bench = Bench {
        lab: &|path| place.read(path),
        student: &|path| sources::for_lab(&folder.join(path)),
        machine: &machines::load,
    };
    let judgement = judge(&lab, &worksheet, bench)?;
    terminal.print(&judgement_text(&lab, &judgement))?;
    Ok(if judgement.holds() { Outcome::Fine } else { Outcome::Failed })
}

fn find(name: &str) -> Result<(Place, Lab), Failure> {
    let place = labs::find(name)?;
    let lab = describe(&|path| place.read(path))?;
    Ok((place, lab))
}

fn judgement_text(lab: &Lab, judgement: &LabJudgement) -> String {
    let mut text = format!("{}\n\n", lab.title);
    text.push_str(&verdicts_text("Prediction", &judgement.predictions));
    text.push_str(&verdicts_text("Check", &judgement.checks));
    for (run, line) in &judgement.wrong_results {
        text.push_str(&format!("Run {run}: {line}\n\n"));
    }
    for (run, intervals, cycles) in &judgement.timelines {
        let first = intervals.iter().map(|interval| interval.from.0).min().unwrap_or(0);
        let options = TimelineOptions { cycles: Some(first..first + cycles), ..TimelineOptions::default() };
        text.push_str(&format!("Run {run}\n{}\n", timeline_text(intervals, &options)));
    }
    let all = judgement.predictions.iter().chain(&judgement.checks);
    let held = all.clone().filter(|verdict| verdict.holds).count();
    text.push_str(&format!("{held} of {} hold\n", all.count()));
    text
}

/// A table of verdicts, and the hints for those that do not hold.
fn verdicts_text(head: &str, verdicts: &[AnswerVerdict]) -> String {
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
        table.row([
            (number + 1).to_string(),
            verdict.text.clone(),
            verdict.claim.clone(),
            verdict.simulated.clone(),
            verdict.difference.clone(),
            if verdict.holds { "yes" } else { "no" }.to_owned(),
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

//! `warplab lab grade`: a class in one table.

use super::check::{judged, judgement_json};
use super::find;
use crate::arguments::LabGradeArguments;
use crate::failure::{Failure, Outcome};
use crate::sources;
use crate::terminal::Terminal;
use serde_json::{Value, json};
use std::path::Path;
use warplab_config::Lab;
use warplab_config::lab::WORKSHEET;
use warplab_lab::labs::{AnswerVerdict, LabJudgement, lab_of};
use warplab_report::{Align, Table};

/// What came of one folder: its lab and the judgement, or why there is none.
type Graded = Result<(String, Lab, LabJudgement), Failure>;

/// Judges every folder and prints a row for each; nothing is written.
pub(crate) fn grade(arguments: &LabGradeArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let graded: Vec<(&Path, Graded)> = arguments
        .folders
        .iter()
        .map(|folder| (folder.as_path(), graded(folder, arguments.lab.as_deref())))
        .collect();
    if arguments.json {
        let all: Vec<Value> = graded.iter().map(|(folder, graded)| json_of(folder, graded)).collect();
        terminal.print(&format!("{:#}\n", json!(all)))?;
    } else {
        terminal.print(&table(&graded))?;
    }
    let fine = graded.iter().all(|(_, graded)| graded.is_ok());
    Ok(if fine { Outcome::Fine } else { Outcome::Failed })
}

fn graded(folder: &Path, lab: Option<&str>) -> Graded {
    let named = match lab {
        Some(lab) => lab.to_owned(),
        None => lab_of(&sources::read(&folder.join(WORKSHEET))?)
            .ok_or_else(|| Failure::input("its worksheet names no lab; give --lab NAME".to_owned()))?,
    };
    let (place, lab) = find(&named)?;
    let judgement = judged(&place, &lab, folder)?;
    Ok((place.name().to_owned(), lab, judgement))
}

fn json_of(folder: &Path, graded: &Graded) -> Value {
    let folder = folder.display().to_string();
    match graded {
        Ok((name, lab, judgement)) => {
            json!({"folder": folder, "judgement": judgement_json(name, lab, judgement, &|_| true)})
        }
        Err(failure) => json!({"folder": folder, "error": failure.first_line()}),
    }
}

fn table(graded: &[(&Path, Graded)]) -> String {
    let mut table = Table::new([
        ("Folder", Align::Left),
        ("Lab", Align::Left),
        ("Held", Align::Right),
        ("Of", Align::Right),
        ("Not held", Align::Left),
        ("Blank", Align::Left),
    ])
    .within(110);
    for (folder, graded) in graded {
        let folder = folder.display().to_string();
        match graded {
            Ok((name, _, judgement)) => {
                let held = verdicts(judgement).filter(|(_, verdict)| verdict.holds).count().to_string();
                let of = verdicts(judgement).count().to_string();
                let mut wrong = names(judgement, |verdict| !verdict.holds && !verdict.blank);
                for (run, _) in &judgement.wrong_results {
                    wrong.push_str(&format!("{}result of {run}", if wrong.is_empty() { "" } else { ", " }));
                }
                let blank = names(judgement, |verdict| verdict.blank);
                table.row([folder, name.clone(), held, of, wrong, blank]);
            }
            Err(failure) => {
                let nothing = String::new;
                table.row([folder, nothing(), nothing(), nothing(), failure.first_line(), nothing()]);
            }
        }
    }
    table.text()
}

/// The verdicts with their names: predictions by their own, checks by their numbers.
fn verdicts(judgement: &LabJudgement) -> impl Iterator<Item = (String, &AnswerVerdict)> {
    let predictions = judgement.predictions.iter().map(|verdict| (verdict.id.clone(), verdict));
    let checks = judgement.checks.iter().enumerate();
    predictions.chain(checks.map(|(number, verdict)| (format!("check {}", number + 1), verdict)))
}

fn names(judgement: &LabJudgement, wanted: impl Fn(&AnswerVerdict) -> bool) -> String {
    let found = verdicts(judgement).filter(|(_, verdict)| wanted(verdict)).map(|(name, _)| name);
    found.collect::<Vec<_>>().join(", ")
}

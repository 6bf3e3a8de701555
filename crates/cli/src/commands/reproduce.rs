//! `warplab reproduce`.

use crate::arguments::ReproduceArguments;
use crate::commands::experiment;
use crate::failure::{Failure, Outcome};
use crate::laboratory::{self, Laboratory};
use crate::terminal::Terminal;
use crate::{machines, sources};
use std::path::{Path, PathBuf};
use warplab_config::{Course, CourseRow, load_course};
use warplab_diagnostics::nearest_name;
use warplab_lab::experiment::{ExperimentReport, ReferenceVerdict};
use warplab_report::{Align, Table};

/// Where the rows are, in a folder that also has the machines.
const ROWS: &str = "configs/course/rows.ron";

/// Lists or reproduces rows of the course.
pub(crate) fn run(arguments: &ReproduceArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let (path, course) = course()?;
    if arguments.list || (arguments.rows.is_empty() && !arguments.all) {
        terminal.print(&list(&course))?;
        return Ok(Outcome::Fine);
    }
    let rows = wanted(&course, arguments)?;
    let laboratory = Laboratory::open(&arguments.points)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut summary = Table::new([("row", Align::Left), ("verdict", Align::Left)]);
    let mut outcome = Outcome::Fine;
    for row in rows {
        let mut verdicts = Vec::new();
        for file in &row.experiments {
            let file = folder.join(file);
            let (_, loaded) = laboratory::load(&file)?;
            let plan = laboratory.plan(&loaded, file.parent().unwrap_or(Path::new("")), &[])?;
            let report = laboratory.run(&plan)?;
            terminal.print(&format!("== {}: {}\n", row.id, experiment::text(&report)))?;
            terminal.print("\n")?;
            if let Some(folder) = &arguments.points.svg {
                experiment::pictures(&report, &file, folder, terminal)?;
            }
            if experiment::outcome(&report) == Outcome::Failed {
                outcome = Outcome::Failed;
            }
            verdicts.push(verdict(&report));
        }
        summary.row([row.id.clone(), verdicts.join("; ")]);
    }
    terminal.print(&summary.text())?;
    if arguments.all {
        terminal.print(&not_built(&course))?;
    }
    laboratory.close(outcome)
}

/// What became of a row, in a few words.
fn verdict(report: &ExperimentReport) -> String {
    let count = |verdict| report.judgements.iter().filter(|judgement| judgement.verdict == verdict).count();
    let (missed, known, holds) =
        (count(ReferenceVerdict::Missed), count(ReferenceVerdict::Known), count(ReferenceVerdict::Holds));
    let all = missed + known + holds;
    let wrong = report.expectations.iter().filter(|expectations| !expectations.failed.is_empty()).count();
    if wrong > 0 {
        return format!("WRONG: {wrong} of {} points computed something else", report.points.len());
    }
    match (missed, known) {
        (0, 0) => format!("{holds} of {all} references hold"),
        (0, known) => format!("{holds} of {all} references hold, {known} not reached for a stated reason"),
        (missed, known) => {
            format!("MISSED: {missed} of {all} references, {known} more not reached for a stated reason")
        }
    }
}

/// The rows of the course, from the first folder that has them.
fn course() -> Result<(PathBuf, Course), Failure> {
    let folders = machines::roots();
    let path =
        folders.iter().map(|folder| folder.join(ROWS)).find(|path| path.is_file()).ok_or_else(|| {
            Failure::input(format!(
                "{ROWS} is neither here nor above the program; run this in the project's folder"
            ))
        })?;
    let source = sources::read(&path)?;
    let course = load_course(&source).map_err(|faults| Failure::Diagnostics(source, faults))?;
    Ok((path, course))
}

fn list(course: &Course) -> String {
    let mut table = Table::new([
        ("row", Align::Left),
        ("built", Align::Left),
        ("what", Align::Left),
        ("source", Align::Left),
    ]);
    for row in &course.rows {
        let built = if row.experiments.is_empty() { "not yet" } else { "yes" };
        table.row([row.id.as_str(), built, row.what.as_str(), row.source.as_str()]);
    }
    table.text() + &not_built(course)
}

/// How many rows are missing.
fn not_built(course: &Course) -> String {
    let count = course.rows.iter().filter(|row| row.experiments.is_empty()).count();
    format!(
        "{count} of {} rows are not built yet; 'warplab reproduce --list' shows which\n",
        course.rows.len()
    )
}

fn wanted<'a>(course: &'a Course, arguments: &ReproduceArguments) -> Result<Vec<&'a CourseRow>, Failure> {
    if arguments.all {
        return Ok(course.rows.iter().filter(|row| !row.experiments.is_empty()).collect());
    }
    let find = |id: &String| {
        course.rows.iter().find(|row| row.id == *id).ok_or_else(|| {
            let near = nearest_name(id, course.rows.iter().map(|row| row.id.as_str()));
            let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            Failure::input(format!("the course has no row '{id}'{near} 'warplab reproduce --list' shows all"))
        })
    };
    let rows: Vec<&CourseRow> = arguments.rows.iter().map(find).collect::<Result<_, _>>()?;
    // Nothing runs for minutes before this is said.
    let missing: Vec<&str> =
        rows.iter().filter(|row| row.experiments.is_empty()).map(|row| row.id.as_str()).collect();
    if missing.is_empty() {
        return Ok(rows);
    }
    let (rows_are, names) =
        (if missing.len() == 1 { "the row is" } else { "the rows are" }, missing.join(", "));
    Err(Failure::input(format!(
        "{rows_are} not built yet: {names}; 'warplab reproduce --list' shows which rows are"
    )))
}

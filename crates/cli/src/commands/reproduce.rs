//! `warplab reproduce`.

use crate::arguments::ReproduceArguments;
use crate::commands::experiment;
use crate::failure::{Failure, Outcome};
use crate::laboratory::{self, Laboratory, PointCount};
use crate::progress::duration_text;
use crate::terminal::Terminal;
use crate::{machines, sources};
use std::path::{Path, PathBuf};
use warplab_config::experiment::ExperimentKind;
use warplab_config::{Course, CourseRow, load_course};
use warplab_diagnostics::nearest_name;
use warplab_lab::experiment::{ExperimentReport, PageRow, Plan, ReferenceVerdict, course_page};
use warplab_report::{Align, Table};

/// Where the rows are, in a folder that also has the machines.
const ROWS: &str = "configs/course/rows.ron";
/// Widest line of the list.
const WIDTH: u16 = 100;

/// An experiment of a row, ready to run.
struct Planned {
    file: PathBuf,
    plan: Plan,
}

/// Lists or reproduces rows of the course.
pub(crate) fn run(arguments: &ReproduceArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let (path, course) = course()?;
    let folder = path.parent().unwrap_or(Path::new(""));
    if arguments.list || (arguments.rows.is_empty() && !arguments.all) {
        let laboratory = Laboratory::open(&arguments.points, terminal)?;
        terminal.print(&list(&course, folder, &laboratory)?)?;
        return Ok(Outcome::Fine);
    }
    let rows = wanted(&course, arguments)?;
    let laboratory = Laboratory::open(&arguments.points, terminal)?;
    let planned: Vec<Vec<Planned>> =
        rows.iter().map(|row| plan(row, folder, &laboratory)).collect::<Result<_, _>>()?;
    for planned in planned.iter().flatten() {
        laboratory.expect(&laboratory.count(&planned.plan)?);
    }
    let mut outcome = Outcome::Fine;
    let mut tallies = Vec::new();
    let mut reports = Vec::new();
    for (row, planned) in rows.iter().zip(&planned) {
        let mut tally = Tally::new(&row.id);
        let mut of_row = Vec::new();
        for Planned { file, plan } in planned {
            let report = laboratory.run(plan)?;
            terminal.print(&format!("== {}: {}\n", row.id, experiment::text(&report)))?;
            if let Some(folder) = &arguments.points.svg {
                experiment::pictures(&report, file, folder, terminal)?;
            }
            if experiment::outcome(&report) == Outcome::Failed {
                outcome = Outcome::Failed;
            }
            tally.add(&report);
            of_row.push(report);
        }
        tallies.push(tally);
        reports.push(of_row);
    }
    terminal.print(&summary(&tallies))?;
    if let Some(file) = &arguments.html {
        sources::write(file, &page(&rows, &tallies, &reports))?;
        terminal.note(&format!("wrote {}", file.display()));
    }
    laboratory.close(outcome)
}

/// All rows as one page.
fn page(rows: &[&CourseRow], tallies: &[Tally], reports: &[Vec<ExperimentReport>]) -> String {
    let rows = rows.iter().zip(tallies).zip(reports).map(|((row, tally), reports)| PageRow {
        id: &row.id,
        what: &row.what,
        source: &row.source,
        verdict: tally.verdict(),
        reports,
    });
    course_page(laboratory::VERSION, &rows.collect::<Vec<_>>())
}

fn plan(row: &CourseRow, folder: &Path, laboratory: &Laboratory<'_>) -> Result<Vec<Planned>, Failure> {
    let one = |file: &String| {
        let file = folder.join(file);
        let (_, loaded) = laboratory::load(&file)?;
        let plan = laboratory.plan(&loaded, file.parent().unwrap_or(Path::new("")), &[])?;
        Ok(Planned { file, plan })
    };
    row.experiments.iter().map(one).collect()
}

/// What became of the references and claims of a row.
#[derive(Default)]
struct Tally {
    row: String,
    /// How its numbers were found.
    kinds: Vec<&'static str>,
    holds: usize,
    known: usize,
    deviates: usize,
    missed: usize,
    /// Points that computed something else than their launch expects.
    wrong: usize,
}

impl Tally {
    fn new(row: &str) -> Tally {
        Tally { row: row.to_owned(), ..Tally::default() }
    }

    fn add(&mut self, report: &ExperimentReport) {
        let kind = found_by(report.experiment.kind);
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        for verdict in report.verdicts() {
            match verdict {
                ReferenceVerdict::Holds => self.holds += 1,
                ReferenceVerdict::Known => self.known += 1,
                ReferenceVerdict::Deviates => self.deviates += 1,
                ReferenceVerdict::Missed => self.missed += 1,
                ReferenceVerdict::Shown => {}
            }
        }
        self.wrong += report.expectations.iter().filter(|it| !it.failed.is_empty()).count();
    }

    /// The worst that happened.
    fn verdict(&self) -> &'static str {
        let found = [
            (self.wrong, "WRONG"),
            (self.missed, "MISSED"),
            (self.deviates, "deviates"),
            (self.known, "known"),
        ];
        found.into_iter().find(|(count, _)| *count > 0).map_or("ok", |(_, word)| word)
    }
}

/// How the numbers of an experiment are found.
fn found_by(kind: ExperimentKind) -> &'static str {
    match kind {
        ExperimentKind::Launch | ExperimentKind::Dram | ExperimentKind::Queue => "simulated",
        ExperimentKind::Occupancy => "occupancy rules",
        ExperimentKind::Formula => "arithmetic",
    }
}

/// A line for each row, the sum, and what the words mean.
fn summary(tallies: &[Tally]) -> String {
    let heads = ["row", "verdict", "found by", "hold", "known", "deviate", "missed"];
    let aligns = [Align::Left, Align::Left, Align::Left].into_iter().chain([Align::Right; 4]);
    let mut table = Table::new(heads.into_iter().zip(aligns));
    let sum = |of: fn(&Tally) -> usize| tallies.iter().map(of).sum::<usize>();
    for tally in tallies {
        let counts = [tally.holds, tally.known, tally.deviates, tally.missed].map(|count| count.to_string());
        let words = [tally.row.clone(), tally.verdict().to_owned(), tally.kinds.join(", ")];
        table.row(words.into_iter().chain(counts));
    }
    let of_verdict = |word| tallies.iter().filter(|tally| tally.verdict() == word).count();
    format!(
        "{}\n{} rows: {} ok, {} known, {} deviate, {} missed, {} wrong\n\
         {} references and claims: {} hold, {} are missed through the source (known),\n\
         {} through the simulator (deviates), {} for no stated reason (missed)\n",
        table.text(),
        tallies.len(),
        of_verdict("ok"),
        of_verdict("known"),
        of_verdict("deviates"),
        of_verdict("MISSED"),
        of_verdict("WRONG"),
        sum(|it| it.holds + it.known + it.deviates + it.missed),
        sum(|it| it.holds),
        sum(|it| it.known),
        sum(|it| it.deviates),
        sum(|it| it.missed),
    )
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

/// Every row with the points that it has, those whose results are kept, and the time that the others take.
fn list(course: &Course, folder: &Path, laboratory: &Laboratory<'_>) -> Result<String, Failure> {
    let mut table = Table::new([
        ("row", Align::Left),
        ("points", Align::Right),
        ("kept", Align::Right),
        ("to do", Align::Right),
        ("what", Align::Left),
        ("source", Align::Left),
    ])
    .within(WIDTH);
    let mut seconds = 0;
    for row in &course.rows {
        let count = count(row, folder, laboratory)?;
        let as_measured = count.open == count.points && !laboratory.is_full();
        let here = seconds_to_do(row, count.cost, || match as_measured {
            true => Ok(count.cost),
            false => measured_cost(row, folder, laboratory),
        })?;
        seconds += here;
        let kept = count.points - count.open;
        let state = [count.points.to_string(), kept.to_string(), duration_text(here)];
        table.row([row.id.clone()].into_iter().chain(state).chain([row.what.clone(), row.source.clone()]));
    }
    let time = duration_text(seconds);
    let text = format!(
        "to do: {time} of one core in all for the points that are not kept, as measured on one machine\n\
         ({ROWS} says how); for part of a row in proportion to its warp instructions.\n"
    );
    Ok(table.text() + &text)
}

/// The points of a row.
fn count(row: &CourseRow, folder: &Path, laboratory: &Laboratory<'_>) -> Result<PointCount, Failure> {
    let mut sum = PointCount { points: 0, open: 0, cost: 0 };
    for Planned { plan, .. } in plan(row, folder, laboratory)? {
        let count = laboratory.count(&plan)?;
        sum.points += count.points;
        sum.open += count.open;
        sum.cost = sum.cost.saturating_add(count.cost);
    }
    Ok(sum)
}

/// What a row cost when its seconds were measured.
fn measured_cost(row: &CourseRow, folder: &Path, laboratory: &Laboratory<'_>) -> Result<u64, Failure> {
    row.experiments.iter().try_fold(0u64, |sum, file| {
        let file = folder.join(file);
        let (_, loaded) = laboratory::load(&file)?;
        let cost = laboratory.measured_cost(&loaded, file.parent().unwrap_or(Path::new("")))?;
        Ok(sum.saturating_add(cost))
    })
}

/// Seconds that points of this cost take: the measured ones of the row, in proportion.
fn seconds_to_do(
    row: &CourseRow,
    cost: u64,
    measured: impl FnOnce() -> Result<u64, Failure>,
) -> Result<u64, Failure> {
    if cost == 0 || row.seconds == 0 {
        return Ok(0);
    }
    let seconds = u128::from(row.seconds) * u128::from(cost) / u128::from(measured()?.max(1));
    Ok(u64::try_from(seconds).unwrap_or(u64::MAX))
}

fn wanted<'a>(course: &'a Course, arguments: &ReproduceArguments) -> Result<Vec<&'a CourseRow>, Failure> {
    if arguments.all {
        return Ok(course.rows.iter().collect());
    }
    let find = |id: &String| {
        course.rows.iter().find(|row| row.id == *id).ok_or_else(|| {
            let near = nearest_name(id, course.rows.iter().map(|row| row.id.as_str()));
            let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            Failure::input(format!("the course has no row '{id}'{near} 'warplab reproduce --list' shows all"))
        })
    };
    arguments.rows.iter().map(find).collect()
}

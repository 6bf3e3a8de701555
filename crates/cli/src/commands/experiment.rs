//! `warplab experiment FILE`.

use crate::arguments::{ExperimentArguments, Switch};
use crate::commands::slurm::{OpenParts, Work, full_path};
use crate::failure::{Failure, Outcome};
use crate::laboratory::{self, Laboratory};
use crate::sources;
use crate::terminal::Terminal;
use std::fs;
use std::path::Path;
use warplab_lab::experiment::{ExperimentReport, Plan, ReferenceVerdict, csv, figures, json, tables};
use warplab_report::wrap;

/// Widest line.
const WIDTH: usize = 100;
/// Spaces before a table.
const INDENT: usize = 4;
/// Characters before prose: a mark or spaces.
const MARK: usize = 10;

/// Runs every point and prints the table.
pub(crate) fn run(arguments: &ExperimentArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let (_, experiment) = laboratory::load(arguments.file())?;
    let mut laboratory = Laboratory::open(&arguments.points, terminal)?;
    let folder = arguments.file().parent().unwrap_or(Path::new(""));
    let plan = laboratory.plan(&experiment, folder, &changes(arguments))?;
    let work = Work {
        what: "experiment",
        part: "point",
        name: stem(arguments),
        key: plan.key(),
        results: &arguments.points.results,
    };
    if let Some(file) = &arguments.slurm.points_of {
        let keys = work.parts_of(file, &|key| plan.has(key))?;
        laboratory.work_out(&plan, Some(&keys))?;
        return laboratory.close(Outcome::Fine);
    }
    if (arguments.slurm.submits || arguments.slurm.collect) && arguments.points.fresh {
        return Err(Failure::input(
            "--fresh does not go with --slurm and --collect, which look for what is known",
        ));
    }
    if arguments.slurm.submits {
        work.check_not_submitted(&arguments.slurm)?;
        work.absorb(laboratory.kept())?;
        let open = open_parts(&plan, &mut laboratory)?;
        work.submit(&arguments.slurm, &open, &task_words(arguments)?, terminal)?;
        return laboratory.close(Outcome::Fine);
    }
    if arguments.slurm.collect {
        work.absorb(laboratory.kept())?;
        let open = open_parts(&plan, &mut laboratory)?;
        if work.tell_missing(&open, terminal)? == Outcome::Failed {
            return laboratory.close(Outcome::Failed);
        }
    }
    laboratory.expect(&laboratory.count(&plan)?);
    let report = laboratory.run(&plan)?;
    if arguments.csv {
        terminal.print(&csv(&report))?;
        for line in report.failed_expectations() {
            terminal.note(&line);
        }
    } else if arguments.json {
        terminal.print(&format!("{:#}\n", json(&report)))?;
    } else {
        terminal.print(&text(&report))?;
    }
    if let Some(folder) = &arguments.points.svg {
        pictures(&report, arguments.file(), folder, terminal)?;
    }
    laboratory.close(outcome(&report))
}

fn stem(arguments: &ExperimentArguments) -> String {
    arguments.file().file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// The points whose results are not known.
fn open_parts(plan: &Plan, laboratory: &mut Laboratory<'_>) -> Result<OpenParts, Failure> {
    let open = plan.open(laboratory.kept().known(), None)?;
    let names = open.names().map(|(key, label)| (key.to_owned(), label.to_owned()));
    Ok(OpenParts { names: names.collect(), costs: open.costs() })
}

/// What a task runs: the experiment with the same changes.
fn task_words(arguments: &ExperimentArguments) -> Result<Vec<String>, Failure> {
    let mut words = vec!["experiment".to_owned(), full_path(arguments.file())?];
    words.extend(arguments.changes.iter().map(|change| format!("--set={change}")));
    words.extend(arguments.fmad.map(fmad_word));
    words.extend(arguments.points.full.then(|| "--full".to_owned()));
    words.push(format!("--memory={}", arguments.points.memory.0));
    Ok(words)
}

/// The option that says whether products and sums are fused.
pub(crate) fn fmad_word(choice: Switch) -> String {
    format!("--fmad={}", if choice.is_on() { "on" } else { "off" })
}

/// What the command line changes of the experiment.
fn changes(arguments: &ExperimentArguments) -> Vec<String> {
    let fmad = arguments.fmad.map(|choice| if choice.is_on() { "fmad=on" } else { "fmad=off" });
    arguments.changes.iter().cloned().chain(fmad.map(str::to_owned)).collect()
}

/// Failed if a reference is missed without a stated reason, or a launch did not compute what it should.
pub(crate) fn outcome(report: &ExperimentReport) -> Outcome {
    let missed = report.verdicts().any(|verdict| verdict == ReferenceVerdict::Missed);
    match missed || !report.failed_expectations().is_empty() {
        true => Outcome::Failed,
        false => Outcome::Fine,
    }
}

/// A report as text: title, table, texts, verdicts, why.
pub(crate) fn text(report: &ExperimentReport) -> String {
    let experiment = &report.experiment;
    let mut text = format!("{}\n", experiment.title);
    let prose = |text: &mut String, words: &str, mark: &str| {
        for (number, line) in wrap(words, WIDTH - MARK).into_iter().enumerate() {
            let mark = if number == 0 { mark } else { "" };
            text.push_str(&format!("{mark:<MARK$}{line}\n"));
        }
    };
    prose(&mut text, &format!("source: {}", experiment.source), "");
    for table in tables(report, WIDTH - INDENT) {
        text.push('\n');
        text.push_str(&indented(&table.text()));
    }
    for (point, shown) in &report.texts {
        let title = if point.is_empty() { String::new() } else { format!("    {point}:\n") };
        text.push_str(&format!("\n{title}{}", indented(shown)));
    }
    text.push('\n');
    let failed = report.failed_expectations();
    for line in &failed {
        prose(&mut text, line, "WRONG");
    }
    if report.has_expectations() && failed.is_empty() {
        prose(&mut text, "every launch computed what its expectations say", "ok");
    }
    for judgement in &report.judgements {
        prose(&mut text, &judgement.line, mark(judgement.verdict));
    }
    for claim in &report.claims {
        prose(&mut text, &claim.line, mark(claim.verdict));
    }
    for note in &experiment.notes {
        prose(&mut text, note, "note");
    }
    prose(&mut text, &format!("why: {}", experiment.why), "");
    text
}

/// What stands in front of a verdict's line.
fn mark(verdict: ReferenceVerdict) -> &'static str {
    match verdict {
        ReferenceVerdict::Holds => "ok",
        ReferenceVerdict::Shown => "-",
        ReferenceVerdict::Known => "known",
        ReferenceVerdict::Deviates => "deviates",
        ReferenceVerdict::Missed => "MISS",
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("{:INDENT$}{line}", "").trim_end().to_owned() + "\n").collect()
}

/// Writes the pictures of a report, named after its file.
pub(crate) fn pictures(
    report: &ExperimentReport,
    file: &Path,
    folder: &Path,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let figures = figures(report);
    fs::create_dir_all(folder)
        .map_err(|error| Failure::Output(format!("{} cannot be made: {error}", folder.display())))?;
    let stem = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    for (number, svg) in figures.iter().enumerate() {
        let name =
            if figures.len() == 1 { format!("{stem}.svg") } else { format!("{stem}-{}.svg", number + 1) };
        let path = folder.join(name);
        sources::write(&path, svg)?;
        terminal.note(&format!("wrote {}", path.display()));
    }
    Ok(())
}

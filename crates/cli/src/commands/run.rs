//! `warplab run FILE`.

use crate::arguments::{CsvPage, RunArguments};
use crate::asked_metrics::AskedMetrics;
use crate::commands::{compare, hazards};
use crate::failure::{Failure, Outcome};
use crate::job::{self, Job, JobLaunch};
use crate::result_file::{self, KeptRun};
use crate::simulate::{SimulationOptions, interrupt, simulate};
use crate::terminal::Terminal;
use crate::{checkpoint, exports, names, page, save, sources};
use serde_json::Value;
use std::path::Path;
use warplab_diagnostics::nearest_name;
use warplab_exec::{Printed, PrintedLine, PrintedLines};
use warplab_gpu::{RunOutcome, Timeline, TimelineRecording};
use warplab_lab::experiment::warp_record;
use warplab_metrics::{Context, LaunchInfo, SECTIONS, SectionValues, evaluate};
use warplab_report::{
    Align, Device, Header, LaunchReport, PrintedOutput, PrintedText, Table, TimelineOptions, details_csv,
    hot_spots_text, json, launch_line, launches_text, metrics_csv, metrics_text, printed_text, raw_csv,
    sections_text, sequence_json, timeline_svg, timeline_text,
};
use warplab_run::{Checked, LaunchResult, SimulatedSequence, check_expectations};
use warplab_trace::LaunchCounters;

/// The sections that are shown when none is asked for.
const DEFAULT_SECTIONS: [&str; 3] = ["speed-of-light", "launch", "occupancy"];

/// Cycles of a timeline that are shown when none are asked for.
const TIMELINE_CYCLES: u64 = 2_000;

/// Simulates a launch and reports.
pub(crate) fn run(arguments: &RunArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    match &arguments.import {
        Some(path) => {
            check_report(arguments)?;
            report_kept(arguments, &result_file::read(path)?, &path.display().to_string(), terminal)
        }
        None => simulate_and_report(arguments, false, terminal).map(|(outcome, _)| outcome),
    }
}

/// Refuses what no report can show, before anything runs.
fn check_report(arguments: &RunArguments) -> Result<(), Failure> {
    wanted_sections(&arguments.sections)?;
    AskedMetrics::read(&arguments.metrics).map(|_| ())
}

/// Simulates a launch and reports; with `kept`, a timeline is recorded as for a file of `-o`.
pub(crate) fn simulate_and_report(
    arguments: &RunArguments,
    kept: bool,
    terminal: &mut Terminal,
) -> Result<(Outcome, KeptRun), Failure> {
    check_report(arguments)?;
    let job = job::load(&arguments.asked(), terminal)?;
    let records = kept || wants_record(arguments);
    if records {
        job.multiprocessor(arguments.timeline_sm)?;
    }
    save::check(&arguments.save, &job.buffer_names())?;
    let chosen = only_launch(arguments, job.steps.len())?;
    if chosen.is_none() && job.steps.len() > 1 && needs_record(arguments) {
        let message =
            "a timeline and the counters of every instruction are of one launch: choose it with --launch N";
        return Err(Failure::input(message));
    }
    let recorded = chosen.unwrap_or(0);
    let options = SimulationOptions {
        jobs: arguments.jobs,
        timeline: records.then(|| recording(arguments)),
        recorded,
        check_hazards: arguments.check_hazards,
        sample: arguments.sample,
        progress: !arguments.quiet && Terminal::shows_progress(),
        checkpoints: checkpoint::read(arguments)?,
        interrupt: interrupt(terminal),
    };
    let mut printed = PrintedLines::default();
    let simulated = simulate(&job, &options, &mut printed);
    tell_printed(arguments, &printed_output(&printed), terminal)?;
    let simulated = simulated?;
    checkpoint::write(arguments, &simulated)?;
    let saved = save::write(&arguments.save, &simulated.image);
    let checked = if simulated.partial {
        Vec::new()
    } else {
        check_expectations(&job.expectations, &simulated.image, &|path| job.read(path))?
    };
    let run = KeptRun { job, simulated, printed, checked, recorded: (arguments.timeline_sm, recorded) };
    if let Some(path) = &arguments.output {
        result_file::write(path, &run)?;
    }
    report(&Run::of(arguments, &run)?, terminal)?;
    tell_expectations(arguments, &run.checked, terminal)?;
    let hazardous = tell_hazards(arguments, &run.job, &run.simulated, terminal)?;
    saved?;
    let stopped = if run.simulated.partial {
        checkpoint::tell_partial(arguments, run.job.steps.len(), &run.simulated, terminal)
    } else {
        checkpoint::tell_too_late(arguments, &run.simulated, terminal)
    };
    let fine = stopped == Outcome::Fine && run.holds() && !hazardous;
    Ok((if fine { Outcome::Fine } else { Outcome::Failed }, run))
}

/// Reports a run that was kept in a file of this name, or in memory.
pub(crate) fn report_kept(
    arguments: &RunArguments,
    kept: &KeptRun,
    name: &str,
    terminal: &mut Terminal,
) -> Result<Outcome, Failure> {
    let (sm, recorded) = kept.recorded;
    let chosen = only_launch(arguments, kept.job.steps.len())?;
    let other_sm = arguments.timeline_sm != 0 && arguments.timeline_sm != sm;
    if needs_record(arguments) && (other_sm || chosen.is_some_and(|chosen| chosen != recorded)) {
        let launch = recorded + 1;
        let message = format!("{name} has the timeline of launch {launch} on multiprocessor {sm} only");
        return Err(Failure::input(message));
    }
    tell_printed(arguments, &printed_output(&kept.printed), terminal)?;
    let run = Run { recorded: chosen.unwrap_or(recorded), ..Run::of(arguments, kept)? };
    report(&run, terminal)?;
    tell_expectations(arguments, &kept.checked, terminal)?;
    Ok(if kept.holds() { Outcome::Fine } else { Outcome::Failed })
}

/// A run as JSON.
pub(crate) fn document(kept: &KeptRun) -> String {
    let launches = kept.simulated.launches.iter().enumerate();
    let launches: Vec<Reported<'_>> =
        launches.map(|(number, result)| reported(&kept.job, number, result)).collect();
    json_text(&launches, &kept.simulated.total, &printed_output(&kept.printed))
}

/// A run as the page with everything.
pub(crate) fn html(arguments: &RunArguments, kept: &KeptRun) -> Result<String, Failure> {
    let run = Run::of(arguments, kept)?;
    Ok(page(&run, &chosen(&run)))
}

/// What the page of a run that was kept carries.
pub(crate) fn kept_document(path: &Path) -> Result<Value, Failure> {
    let KeptRun { job, simulated, recorded, .. } = result_file::read(path)?;
    let launches = simulated.launches.iter().enumerate();
    let launches: Vec<Reported<'_>> =
        launches.map(|(number, result)| reported(&job, number, result)).collect();
    let window = page::Window { sm: recorded.0, cycles: None };
    Ok(page::document(&job, &on_page(&job, &simulated, &launches), &window))
}

/// One launch or several as JSON.
fn json_text(launches: &[Reported<'_>], total: &LaunchCounters, printed: &PrintedOutput) -> String {
    let reports: Vec<LaunchReport<'_>> = launches.iter().map(Reported::report).collect();
    match reports.as_slice() {
        [one] => json(*one, printed),
        all => sequence_json(all, total, printed),
    }
}

/// The launch that alone is to be reported, counted from 0.
fn only_launch(arguments: &RunArguments, launches: usize) -> Result<Option<usize>, Failure> {
    let Some(number) = arguments.only_launch else { return Ok(None) };
    match usize::try_from(number) {
        Ok(number) if number <= launches => Ok(Some(number - 1)),
        _ => {
            let count = if launches == 1 { "one launch".to_owned() } else { format!("{launches} launches") };
            Err(Failure::input(format!("--launch {number}: the file has {count}")))
        }
    }
}

/// The names of the sections to print.
fn wanted_sections(asked: &[String]) -> Result<Vec<&'static str>, Failure> {
    let known: Vec<&'static str> = SECTIONS.iter().map(|section| section.name).collect();
    if asked.is_empty() {
        return Ok(DEFAULT_SECTIONS.to_vec());
    }
    let names = asked.iter().flat_map(|names| names.split(','));
    let mut wanted = Vec::new();
    for name in names {
        match known.iter().find(|known| **known == name) {
            _ if name == "all" => return Ok(known),
            Some(known) => wanted.push(*known),
            None => {
                let near = nearest_name(name, known.iter().copied());
                let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
                let message = format!("unknown section '{name}';{near} known: {}, all", known.join(", "));
                return Err(Failure::input(message));
            }
        }
    }
    Ok(wanted)
}

fn recording(arguments: &RunArguments) -> TimelineRecording {
    let cycles = arguments.cycles.clone().unwrap_or(0..u64::MAX);
    TimelineRecording {
        sm: arguments.timeline_sm,
        from: cycles.start,
        to: cycles.end,
        ..TimelineRecording::default()
    }
}

/// A run that has ended, and what is to be reported of it.
#[derive(Clone)]
struct Run<'a> {
    arguments: &'a RunArguments,
    job: &'a Job,
    simulated: &'a SimulatedSequence,
    printed: PrintedOutput,
    /// The sections to print.
    wanted: Vec<&'static str>,
    /// The launch that may have a timeline.
    recorded: usize,
    /// The multiprocessor of the timeline.
    sm: u16,
    /// The metrics that alone are printed.
    asked: Option<AskedMetrics>,
}

impl<'a> Run<'a> {
    fn of(arguments: &'a RunArguments, kept: &'a KeptRun) -> Result<Run<'a>, Failure> {
        let (sm, recorded) = kept.recorded;
        Ok(Run {
            arguments,
            job: &kept.job,
            simulated: &kept.simulated,
            printed: printed_output(&kept.printed),
            wanted: wanted_sections(&arguments.sections)?,
            recorded,
            sm,
            asked: AskedMetrics::read(&arguments.metrics)?,
        })
    }

    /// The launch that may have a timeline: its step and its outcome.
    fn recorded(&self) -> Option<(&'a JobLaunch, &'a RunOutcome)> {
        let result = self.simulated.launches.get(self.recorded)?;
        Some((self.job.steps.get(self.recorded)?, &result.outcome))
    }

    /// The record of the warps of one SM.
    fn timeline(&self) -> Option<&'a Timeline> {
        self.recorded()?.1.timeline.as_ref()
    }
}

/// What is reported of one launch.
struct Reported<'a> {
    /// Its number, from 0.
    number: usize,
    header: Header,
    sections: Vec<SectionValues>,
    counters: &'a LaunchCounters,
}

impl Reported<'_> {
    fn report(&self) -> LaunchReport<'_> {
        LaunchReport { header: &self.header, sections: &self.sections, counters: self.counters }
    }
}

fn header(job: &Job, result: &LaunchResult) -> Header {
    Header {
        device: Device { name: job.config.name.clone(), architecture: job.config.architecture.clone() },
        launch: LaunchInfo {
            kernel: names::demangled(&result.launch.kernel),
            code: job.loaded.read_as.road.text().to_owned(),
            ..result.launch.clone()
        },
    }
}

fn reported<'a>(job: &Job, number: usize, result: &'a LaunchResult) -> Reported<'a> {
    let header = header(job, result);
    let counters = &result.outcome.counters;
    let sections = sections(job, &header, result, counters);
    Reported { number, header, sections, counters }
}

fn sections(
    job: &Job,
    header: &Header,
    result: &LaunchResult,
    counters: &LaunchCounters,
) -> Vec<SectionValues> {
    let (config, occupancy) = (&job.config, &result.occupancy);
    evaluate(&Context { counters, config, occupancy, launch: &header.launch })
}

/// The launches that are reported: one if one was asked for, else all that have begun.
fn chosen<'a>(run: &Run<'a>) -> Vec<Reported<'a>> {
    let all = run.simulated.launches.iter().enumerate();
    let wanted = all.filter(|(number, _)| run.arguments.only_launch.is_none() || *number == run.recorded);
    wanted.map(|(number, result)| reported(run.job, number, result)).collect()
}

fn report(run: &Run<'_>, terminal: &mut Terminal) -> Result<(), Failure> {
    let (arguments, printed) = (run.arguments, &run.printed);
    let launches = chosen(run);
    if let Some(path) = &arguments.json {
        let text = json_text(&launches, &run.simulated.total, printed);
        if path == Path::new("-") {
            terminal.print(&text)?;
        } else {
            sources::write(path, &text)?;
        }
    }
    if let Some(path) = &arguments.html {
        sources::write(path, &page(run, &launches))?;
    }
    if let Some(page) = arguments.csv {
        terminal.print(&csv(run, page, launches))?;
    } else if !machine_readable(arguments) {
        for launch in &launches {
            terminal.print(&match &run.asked {
                Some(asked) => metrics_text(&launch.header, &asked.of(&launch.sections)),
                None => text(arguments, &launch.header, &launch.sections, &run.wanted),
            })?;
        }
        if launches.len() > 1 && run.asked.is_none() {
            terminal.print(&sum(run, &launches))?;
        }
        if wants_hot_spots(arguments) {
            terminal.print(&hot_spots(run))?;
        }
        if let (Some(path), Some(first)) = (&arguments.baseline, launches.first()) {
            terminal.print(&compare::since(path, &json(first.report(), printed))?)?;
        }
    }
    if arguments.timeline && !machine_readable(arguments) {
        terminal.print(&timeline(run))?;
    }
    if let Some(path) = &arguments.timeline_svg {
        sources::write(path, &picture(run))?;
    }
    let kernel = run.recorded().map_or("", |(step, _)| step.kernel.as_str());
    exports::write(arguments, run.job, run.sm, kernel, run.timeline())
}

/// A page of CSV.
fn csv(run: &Run<'_>, page: CsvPage, launches: Vec<Reported<'_>>) -> String {
    let launches = launches.into_iter().map(|launch| (launch.header, launch.sections));
    match (page, &run.asked) {
        (CsvPage::Details, None) => details_csv(&launches.collect::<Vec<_>>()),
        (CsvPage::Raw, None) => raw_csv(&launches.collect::<Vec<_>>()),
        (CsvPage::Details, Some(asked)) => {
            let rows = launches.map(|(header, sections)| (header, asked.of(&sections)));
            metrics_csv(&rows.collect::<Vec<_>>())
        }
        (CsvPage::Raw, Some(asked)) => {
            let only = launches.map(|(header, sections)| (header, asked.only(sections)));
            raw_csv(&only.collect::<Vec<_>>())
        }
    }
}

/// Everything about the launches as one page.
fn page(run: &Run<'_>, launches: &[Reported<'_>]) -> String {
    let window = page::Window { sm: run.sm, cycles: run.arguments.cycles.clone() };
    page::page(run.job, &on_page(run.job, run.simulated, launches), &window)
}

fn on_page<'a>(
    job: &'a Job,
    simulated: &'a SimulatedSequence,
    launches: &'a [Reported<'a>],
) -> Vec<page::ShownLaunch<'a>> {
    let shown = launches.iter().filter_map(|launch| {
        Some(page::ShownLaunch {
            info: &launch.header.launch,
            step: job.steps.get(launch.number)?,
            result: simulated.launches.get(launch.number)?,
            sections: &launch.sections,
        })
    });
    shown.collect()
}

/// All launches in one table with their sum.
fn sum(run: &Run<'_>, launches: &[Reported<'_>]) -> String {
    let (Some(first), Some(result)) = (launches.first(), run.simulated.launches.first()) else {
        return String::new();
    };
    let total = sections(run.job, &first.header, result, &run.simulated.total);
    let rows: Vec<(String, &[SectionValues])> = launches
        .iter()
        .map(|launch| (launch.header.launch.kernel.clone(), launch.sections.as_slice()))
        .collect();
    launches_text(&rows, &total)
}

/// Whether standard output is for a program to read.
fn machine_readable(arguments: &RunArguments) -> bool {
    arguments.csv.is_some() || arguments.json.as_deref() == Some(Path::new("-"))
}

/// The sections that are wanted; with a timeline only those that are asked for.
fn text(arguments: &RunArguments, header: &Header, sections: &[SectionValues], wanted: &[&str]) -> String {
    if arguments.timeline && arguments.sections.is_empty() {
        return launch_line(header);
    }
    sections_text(header, sections.iter().filter(|values| wanted.contains(&values.section.name)))
}

fn timeline(run: &Run<'_>) -> String {
    let arguments = run.arguments;
    let Some(timeline) = run.timeline() else {
        return format!("    Timeline of sm{}: no block ran there\n", run.sm);
    };
    let first = timeline.intervals.iter().map(|interval| interval.from.0).min().unwrap_or(0);
    let last = timeline.intervals.iter().map(|interval| interval.to.0).max().unwrap_or(0);
    let shown = arguments.cycles.clone().unwrap_or(first..last.min(first.saturating_add(TIMELINE_CYCLES)));
    let options =
        TimelineOptions { sm: u32::from(run.sm), cycles: Some(shown.clone()), ..TimelineOptions::default() };
    let mut text = timeline_text(&timeline.intervals, &options);
    if arguments.cycles.is_none() && shown.end < last {
        text.push_str(&format!("    the run goes on to cycle {last}; choose with --cycles A..B\n"));
    }
    if timeline.cut {
        text.push_str("    the record was cut; choose fewer cycles with --cycles A..B\n");
    }
    text
}

/// The picture of the timeline.
fn picture(run: &Run<'_>) -> String {
    let arguments = run.arguments;
    let kernel = run.recorded().map_or("", |(step, _)| step.kernel.as_str());
    let recorded = run.timeline().zip(run.job.loaded.program.kernel(kernel));
    let schedulers = run.job.config.limits.sub_partitions;
    let record = recorded.map(|(timeline, kernel)| warp_record(timeline, kernel, schedulers));
    let title = format!("{kernel} on {}: warps of sm{}", run.job.config.name, run.sm);
    let options = TimelineOptions {
        sm: u32::from(run.sm),
        cycles: arguments.cycles.clone(),
        ..TimelineOptions::default()
    };
    timeline_svg(&record.unwrap_or_default(), &title, &options)
}

/// Whether anything that is asked for shows a record of one multiprocessor.
fn wants_record(arguments: &RunArguments) -> bool {
    needs_record(arguments) || arguments.html.is_some() || arguments.output.is_some()
}

/// Whether anything that is asked for is nothing without such a record.
fn needs_record(arguments: &RunArguments) -> bool {
    let shown = arguments.timeline || arguments.timeline_svg.is_some();
    shown || wants_hot_spots(arguments) || exports::wanted(arguments)
}

/// Whether the counters of every instruction are wanted: only by name, for they need a record.
fn wants_hot_spots(arguments: &RunArguments) -> bool {
    arguments.sections.iter().flat_map(|names| names.split(',')).any(|name| name == "source-counters")
}

fn hot_spots(run: &Run<'_>) -> String {
    let program = &run.job.loaded.program;
    let recorded = run.recorded().and_then(|(step, outcome)| Some((step, outcome.timeline.as_ref()?)));
    let Some((kernel, timeline)) =
        recorded.and_then(|(step, timeline)| Some((program.kernel(&step.kernel)?, timeline)))
    else {
        return String::new();
    };
    let instructions = exports::instructions(kernel, &program.files);
    let text = hot_spots_text(&instructions, &timeline.instructions);
    format!("    Instructions on sm{}\n{text}\n", run.sm)
}

fn printed_output(lines: &PrintedLines) -> PrintedOutput {
    let call = |(printed, line): (&Printed, &PrintedLine)| PrintedText {
        block: printed.block,
        thread: line.thread,
        cycle: printed.cycle,
        text: String::from_utf8_lossy(&line.text).into_owned(),
    };
    PrintedOutput { lines: lines.by_block().into_iter().map(call).collect(), lost_lines: lines.lost() }
}

/// What the threads printed comes before everything else, also before the fault that ended the launch.
fn tell_printed(
    arguments: &RunArguments,
    printed: &PrintedOutput,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let text = printed_text(printed);
    if text.is_empty() {
        return Ok(());
    }
    if machine_readable(arguments) {
        terminal.note(text.trim_end());
        return Ok(());
    }
    terminal.print(&text)
}

fn tell_expectations(
    arguments: &RunArguments,
    checked: &[Checked],
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    for checked in checked {
        if machine_readable(arguments) {
            if !checked.holds || !arguments.quiet {
                terminal.note(&checked.line);
            }
        } else {
            terminal.print(&format!("{}\n{}", checked.line, mismatches(checked)))?;
        }
    }
    Ok(())
}

/// The first wrong elements as a table; empty if there are none.
fn mismatches(checked: &Checked) -> String {
    if checked.mismatches.is_empty() {
        return String::new();
    }
    let heads = ["index", "expected", "found"].map(|head| (head, Align::Right));
    let mut table = Table::new(heads);
    for mismatch in &checked.mismatches {
        table.row([mismatch.index.to_string(), mismatch.expected.clone(), mismatch.found.clone()]);
    }
    table.text().lines().map(|line| format!("    {line}\n")).collect()
}

/// Says what the hazard checker found; whether that was anything.
fn tell_hazards(
    arguments: &RunArguments,
    job: &Job,
    simulated: &SimulatedSequence,
    terminal: &mut Terminal,
) -> Result<bool, Failure> {
    let mut hazardous = false;
    for (step, result) in job.steps.iter().zip(&simulated.launches) {
        let (Some(found), Some(kernel)) = (&result.outcome.hazards, job.loaded.program.kernel(&step.kernel))
        else {
            continue;
        };
        let text = hazards::text(found, kernel, &job.loaded.program.files);
        if machine_readable(arguments) {
            terminal.note(text.trim_end());
        } else {
            terminal.print(&text)?;
        }
        hazardous |= !found.found.is_empty();
    }
    Ok(hazardous)
}

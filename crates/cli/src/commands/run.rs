//! `warplab run FILE`.

use crate::arguments::{CsvPage, RunArguments};
use crate::commands::{hazards, listing};
use crate::failure::{Failure, Outcome};
use crate::job::{self, Job};
use crate::simulate::{Options, simulate};
use crate::terminal::Terminal;
use crate::{names, save, sources};
use std::path::Path;
use warplab_diagnostics::nearest_name;
use warplab_exec::{Printed, PrintedLine, PrintedLines};
use warplab_gpu::TimelineOptions as Recording;
use warplab_metrics::{Context, LaunchInfo, SECTIONS, SectionValues, evaluate};
use warplab_program::listing::instruction_text;
use warplab_report::{
    Align, Device, Header, PrintedOutput, PrintedText, SourceInstruction, Table, TimelineOptions,
    details_csv, hot_spots_text, json, launch_line, printed_text, raw_csv, sections_text, timeline_svg,
    timeline_text,
};
use warplab_run::{Checked, Simulated, check_expectations};

/// The sections that are shown when none is asked for.
const DEFAULT_SECTIONS: [&str; 3] = ["speed-of-light", "launch", "occupancy"];

/// Cycles of a timeline that are shown when none are asked for.
const TIMELINE_CYCLES: u64 = 2_000;

/// Simulates a launch and reports.
pub(crate) fn run(arguments: &RunArguments, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let wanted = wanted_sections(&arguments.sections)?;
    let job = job::load(arguments, terminal)?;
    let multiprocessors = job.config.limits.multiprocessors;
    if wants_record(arguments) && u32::from(arguments.timeline_sm) >= multiprocessors {
        let message = format!(
            "there is no multiprocessor {}; {} has {multiprocessors}",
            arguments.timeline_sm, job.config.name
        );
        return Err(Failure::input(message));
    }
    save::check(&arguments.save, &job.buffer_names())?;
    let options = Options {
        jobs: arguments.jobs,
        timeline: wants_record(arguments).then(|| recording(arguments)),
        check_hazards: arguments.check_hazards,
        progress: !arguments.quiet && Terminal::shows_progress(),
    };
    let mut lines = PrintedLines::default();
    let simulated = simulate(&job, &options, &mut lines);
    let printed = printed_output(&lines);
    tell_printed(arguments, &printed, terminal)?;
    let simulated = simulated?;
    let saved = save::write(&arguments.save, &simulated.image);
    let checked = if simulated.outcome.partial {
        Vec::new()
    } else {
        check_expectations(&job.expectations, &simulated.image, &|path| {
            sources::for_lab(&job.folder.join(path))
        })?
    };
    report(arguments, &job, &simulated, &printed, &wanted, terminal)?;
    tell_expectations(arguments, &checked, terminal)?;
    let hazardous = tell_hazards(arguments, &job, &simulated, terminal)?;
    saved?;
    if simulated.outcome.partial {
        terminal.note("interrupted: the numbers are of a part of the launch, expectations were not checked");
        return Ok(Outcome::Failed);
    }
    let holds = checked.iter().all(|checked| checked.holds);
    Ok(if holds && !hazardous { Outcome::Fine } else { Outcome::Failed })
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

fn recording(arguments: &RunArguments) -> Recording {
    let cycles = arguments.cycles.clone().unwrap_or(0..u64::MAX);
    Recording { sm: arguments.timeline_sm, from: cycles.start, to: cycles.end, ..Recording::default() }
}

fn header(job: &Job, simulated: &Simulated) -> Header {
    Header {
        device: Device { name: job.config.name.clone(), architecture: job.config.architecture.clone() },
        launch: LaunchInfo { kernel: names::demangled(&job.kernel), ..simulated.launch.clone() },
    }
}

fn report(
    arguments: &RunArguments,
    job: &Job,
    simulated: &Simulated,
    printed: &PrintedOutput,
    wanted: &[&str],
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let header = header(job, simulated);
    let counters = &simulated.outcome.counters;
    let sections = evaluate(&Context { launch: &header.launch, ..simulated.context(&job.config) });
    if let Some(path) = &arguments.json {
        let text = json(&header, &sections, counters, printed);
        if path == Path::new("-") {
            terminal.print(&text)?;
        } else {
            sources::write(path, &text)?;
        }
    }
    if let Some(page) = arguments.csv {
        let launches = [(header, sections)];
        terminal.print(&match page {
            CsvPage::Details => details_csv(&launches),
            CsvPage::Raw => raw_csv(&launches),
        })?;
    } else if !machine_readable(arguments) {
        terminal.print(&text(arguments, &header, &sections, wanted))?;
        if wants_hot_spots(arguments) {
            terminal.print(&hot_spots(arguments, job, simulated))?;
        }
    }
    if arguments.timeline && !machine_readable(arguments) {
        terminal.print(&timeline(arguments, simulated))?;
    }
    if let Some(path) = &arguments.timeline_svg {
        sources::write(path, &picture(arguments, job, simulated))?;
    }
    Ok(())
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

fn timeline(arguments: &RunArguments, simulated: &Simulated) -> String {
    let Some(timeline) = &simulated.outcome.timeline else {
        return format!("    Timeline of sm{}: no block ran there\n", arguments.timeline_sm);
    };
    let first = timeline.intervals.iter().map(|interval| interval.from.0).min().unwrap_or(0);
    let last = timeline.intervals.iter().map(|interval| interval.to.0).max().unwrap_or(0);
    let shown = arguments.cycles.clone().unwrap_or(first..last.min(first.saturating_add(TIMELINE_CYCLES)));
    let options = TimelineOptions {
        sm: u32::from(arguments.timeline_sm),
        cycles: Some(shown.clone()),
        ..TimelineOptions::default()
    };
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
fn picture(arguments: &RunArguments, job: &Job, simulated: &Simulated) -> String {
    let intervals = simulated.outcome.timeline.as_ref().map_or(&[][..], |timeline| &timeline.intervals);
    let title = format!("{} on {}: warps of sm{}", job.kernel, job.config.name, arguments.timeline_sm);
    let options = TimelineOptions {
        sm: u32::from(arguments.timeline_sm),
        cycles: arguments.cycles.clone(),
        ..TimelineOptions::default()
    };
    timeline_svg(intervals, &title, &options)
}

/// Whether anything that is asked for needs a record of one multiprocessor.
fn wants_record(arguments: &RunArguments) -> bool {
    arguments.timeline || arguments.timeline_svg.is_some() || wants_hot_spots(arguments)
}

/// Whether the counters of every instruction are wanted: only by name, for they need a record.
fn wants_hot_spots(arguments: &RunArguments) -> bool {
    arguments.sections.iter().flat_map(|names| names.split(',')).any(|name| name == "source-counters")
}

fn hot_spots(arguments: &RunArguments, job: &Job, simulated: &Simulated) -> String {
    let (Some(timeline), Some(kernel)) =
        (&simulated.outcome.timeline, job.loaded.program.kernel(&job.kernel))
    else {
        return String::new();
    };
    let files = &job.loaded.program.files;
    let instructions: Vec<SourceInstruction> = kernel
        .instructions
        .iter()
        .map(|instruction| SourceInstruction {
            text: instruction_text(instruction),
            place: listing::place(instruction, files),
        })
        .collect();
    let issues = timeline.issues.iter().map(|&(_, _, pc, lanes)| (pc, lanes));
    let text = hot_spots_text(&instructions, issues, &timeline.intervals);
    format!("    Instructions on sm{}\n{text}\n", arguments.timeline_sm)
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
    simulated: &Simulated,
    terminal: &mut Terminal,
) -> Result<bool, Failure> {
    let (Some(found), Some(kernel)) = (&simulated.outcome.hazards, job.loaded.program.kernel(&job.kernel))
    else {
        return Ok(false);
    };
    let text = hazards::text(found, kernel, &job.loaded.program.files);
    if machine_readable(arguments) {
        terminal.note(text.trim_end());
    } else {
        terminal.print(&text)?;
    }
    Ok(!found.found.is_empty())
}

//! What a run gave: the document of the page, expectations, and what threads printed.

use crate::answer::Refusal;
use crate::files::Files;
use crate::job::Job;
use serde_json::{Value, json};
use std::path::Path;
use warplab_diagnostics::Source;
use warplab_exec::PrintedLines;
use warplab_gpu::{Progress, RunOptions, RunOutcome, Timeline, TimelineRecording};
use warplab_metrics::{Context, Measured, SectionValues, compare, evaluate};
use warplab_run::stepper::RECORDED_CYCLES;
use warplab_run::{
    Checked, Fault, LaunchResult, SequenceOptions, SimulatedSequence, check_expectations, kernel_fault,
    simulate_sequence,
};
use warplab_web::{Code, CodeCounts, Record, ResidentWarp, Shown, Text, page_document};

/// Intervals that are recorded at most: what a browser holds with ease.
const MOST_INTERVALS: usize = 1_000_000;

/// What the simulator is called on the page.
const SIMULATOR: &str = concat!(env!("CARGO_PKG_VERSION"), " in the browser");

/// Printed lines that are told at most.
const MOST_LINES: usize = 200;

/// The states of a warp, as every document has them.
pub(crate) fn states() -> Value {
    let empty = serde_json::to_value(page_document(SIMULATOR, &[])).unwrap_or_default();
    empty["states"].clone()
}

/// Runs a job to its end and documents it with what happened on multiprocessor `sm`.
pub(crate) fn run(
    files: Files<'_>,
    job: &Job,
    sm: u16,
    progress: &mut dyn FnMut(Progress),
) -> Result<Value, Refusal> {
    let ran = simulate(files, job, sm, progress)?;
    told(document(&[(job, &ran.simulated)], sm)?, &[ran])
}

/// Runs two jobs and documents the first launch of each, and what changed from one to the other.
pub(crate) fn run_beside(
    files: Files<'_>,
    jobs: [&Job; 2],
    sm: u16,
    progress: &mut dyn FnMut(Progress),
) -> Result<Value, Refusal> {
    let [a, b] = jobs;
    let ran = [simulate(files, a, sm, progress)?, simulate(files, b, sm, progress)?];
    let measured = |job: &Job, ran: &Ran| -> Measured {
        let sections = ran.simulated.launches.first().map(|result| evaluate(&context(job, result)));
        let rows = sections.into_iter().flatten().flat_map(|section| section.rows);
        rows.map(|row| (row.metric.id.to_owned(), row.value)).collect()
    };
    let found = compare(&measured(a, &ran[0]), &measured(b, &ran[1]));
    let names = jobs.map(|job| job.config.multiprocessor.scheduler.text());
    let mut document = document(&[(a, &ran[0].simulated), (b, &ran[1].simulated)], sm)?;
    let launches = document["launches"].as_array_mut();
    if let Some(launches) = launches {
        // Of several launches the first of each: they are what is compared.
        let second = ran[0].simulated.launches.len();
        *launches = [0, second].iter().filter_map(|&at| launches.get(at).cloned()).collect();
    }
    document["comparison"] = json!({ "names": names, "found": found });
    told(document, &ran)
}

/// A job that has run to its end.
struct Ran {
    simulated: SimulatedSequence,
    checked: Vec<Checked>,
    printed: PrintedLines,
}

/// The document with what is said beside it.
fn told(document: Value, ran: &[Ran]) -> Result<Value, Refusal> {
    Ok(json!({
        "document": document,
        "expectations": ran.iter().flat_map(|ran| &ran.checked).map(expectation).collect::<Vec<_>>(),
        "printed": ran.iter().flat_map(|ran| printed_lines(&ran.printed)).collect::<Vec<_>>(),
    }))
}

fn simulate(
    files: Files<'_>,
    job: &Job,
    sm: u16,
    progress: &mut dyn FnMut(Progress),
) -> Result<Ran, Refusal> {
    let mut printed = PrintedLines::default();
    let launches = job.launches();
    let timeline = TimelineRecording { sm, limit: MOST_INTERVALS, ..TimelineRecording::default() };
    let options = RunOptions {
        max_cycles: job.launch.max_cycles.unwrap_or(0),
        timeline: Some(timeline),
        progress: Some(progress),
        printed: Some(&mut printed),
        ..RunOptions::default()
    };
    let read = |path: &Path| files.bytes(&job.folder, path);
    let sequence = job.sequence(&launches);
    let simulated = simulate_sequence(&job.config, &sequence, SequenceOptions::default(), &read, options)
        .map_err(|fault| refusal(fault, job))?;
    let checked = check_expectations(&job.launch.expectations, &simulated.image, &read)?;
    Ok(Ran { simulated, checked, printed })
}

/// A fault of the kernel is told at its line of the program.
pub(crate) fn refusal(fault: Fault, job: &Job) -> Refusal {
    let Fault::Run(run) = &fault else { return fault.into() };
    match kernel_fault::at_line(run, &job.program, &job.source) {
        Some(found) => Fault::Diagnostics(job.source.clone(), vec![found]).into(),
        None => Refusal::plain(run.to_string()),
    }
}

/// The document of what launches of a job have given so far, with the last cycles of a multiprocessor.
pub(crate) fn so_far(job: &Job, outcomes: Vec<RunOutcome>, sm: u16) -> Result<Value, Refusal> {
    let launches = job.launches().into_iter().zip(outcomes);
    let results = launches
        .map(|(launch, outcome)| LaunchResult::kept(&job.config, &job.program, &launch, outcome))
        .collect::<Result<Vec<LaunchResult>, Fault>>()?;
    let mut parts = parts(job, &results, sm);
    for part in &mut parts {
        part.record = part.record.take().and_then(last_cycles);
        // Before the first block comes to the multiprocessor, nothing is counted of it.
        let nothing = CodeCounts { sm: u32::from(sm), instructions: &[] };
        part.code.iter_mut().for_each(|code| code.counts = code.counts.or(Some(nothing)));
    }
    document_of(&parts)
}

fn document(runs: &[(&Job, &SimulatedSequence)], sm: u16) -> Result<Value, Refusal> {
    let parts = runs.iter().flat_map(|(job, simulated)| parts(job, &simulated.launches, sm));
    document_of(&parts.collect::<Vec<Part<'_>>>())
}

fn document_of(parts: &[Part<'_>]) -> Result<Value, Refusal> {
    let shown: Vec<Shown<'_>> = parts.iter().map(Part::shown).collect();
    serde_json::to_value(page_document(SIMULATOR, &shown)).map_err(|fault| Refusal::plain(fault.to_string()))
}

/// What the page shows of one launch.
struct Part<'a> {
    context: Context<'a>,
    sections: Vec<SectionValues>,
    record: Option<Record<'a>>,
    code: Option<Code<'a>>,
}

impl Part<'_> {
    fn shown(&self) -> Shown<'_> {
        Shown {
            context: self.context,
            sections: &self.sections,
            record: self.record.as_ref(),
            code: self.code.as_ref(),
        }
    }
}

fn parts<'a>(job: &'a Job, results: &'a [LaunchResult], sm: u16) -> Vec<Part<'a>> {
    let launches = job.steps.iter().zip(results);
    launches
        .map(|(step, result)| Part {
            context: context(job, result),
            sections: evaluate(&context(job, result)),
            record: result.outcome.timeline.as_ref().map(|timeline| record(timeline, sm)),
            code: code(job, &step.kernel, result.outcome.timeline.as_ref(), sm),
        })
        .collect()
}

fn context<'a>(job: &'a Job, result: &'a LaunchResult) -> Context<'a> {
    Context {
        counters: &result.outcome.counters,
        config: &job.config,
        occupancy: &result.occupancy,
        launch: &result.launch,
    }
}

fn record(timeline: &Timeline, sm: u16) -> Record<'_> {
    let warps = timeline.warps.iter().map(|warp| ResidentWarp {
        slot: warp.slot.0,
        block: warp.block,
        warp: warp.warp,
        from: warp.from.0,
    });
    Record {
        sm: u32::from(sm),
        warps: warps.collect(),
        intervals: &timeline.intervals,
        issues: &timeline.issues,
        window: None,
        cut: timeline.cut,
    }
}

/// The record of the last cycles in which there was a warp.
fn last_cycles(record: Record<'_>) -> Option<Record<'_>> {
    let end = record.intervals.iter().map(|interval| interval.to.0).max()?;
    Some(Record { window: Some(end.saturating_sub(RECORDED_CYCLES)..end), ..record })
}

fn code<'a>(job: &'a Job, kernel: &str, counted: Option<&'a Timeline>, sm: u16) -> Option<Code<'a>> {
    // What nvdisasm says of real machine code is no text for people; the instructions say the same.
    let readable = job.program.architecture.is_none();
    Some(Code {
        kernel: job.program.kernel(kernel)?,
        own: readable.then(|| text(&job.source)),
        files: job.texts.iter().map(|file| file.as_ref().map(text)).collect(),
        counts: counted
            .map(|timeline| CodeCounts { sm: u32::from(sm), instructions: &timeline.instructions }),
    })
}

fn text(source: &Source) -> Text<'_> {
    Text { name: &source.name, text: &source.text }
}

fn expectation(checked: &Checked) -> Value {
    json!({ "holds": checked.holds, "line": checked.line })
}

fn printed_lines(printed: &PrintedLines) -> Vec<String> {
    let lines = printed.by_block().into_iter();
    lines.take(MOST_LINES).map(|(_, line)| String::from_utf8_lossy(&line.text).into_owned()).collect()
}

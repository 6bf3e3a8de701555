//! What `run --html` writes.

use crate::job::{Job, JobLaunch};
use crate::laboratory::VERSION;
use crate::sources;
use serde_json::Value;
use std::ops::Range;
use std::path::Path;
use warplab_diagnostics::Source;
use warplab_gpu::Timeline;
use warplab_metrics::{Context, LaunchInfo, SectionValues};
use warplab_program::{Kernel, Program};
use warplab_run::LaunchResult;
use warplab_web::{Code, CodeCounts, PageDocument, Record, ResidentWarp, Shown, Text, html, page_document};

/// A launch that the page shows.
pub(crate) struct ShownLaunch<'a> {
    /// What was launched, as reports name it.
    pub(crate) info: &'a LaunchInfo,
    /// Its step of the job.
    pub(crate) step: &'a JobLaunch,
    /// What it gave.
    pub(crate) result: &'a LaunchResult,
    /// Its metrics and verdicts.
    pub(crate) sections: &'a [SectionValues],
}

/// The multiprocessor and the cycles that a timeline shows.
pub(crate) struct Window {
    /// The multiprocessor.
    pub(crate) sm: u16,
    /// The cycles, if a person chose them.
    pub(crate) cycles: Option<Range<u64>>,
}

/// The page of some launches of a job.
pub(crate) fn page(job: &Job, launches: &[ShownLaunch<'_>], window: &Window) -> String {
    let kernel = launches.first().map_or("", |launch| launch.info.kernel.as_str());
    let title = format!("{} on {}", kernel, job.config.name);
    with_document(job, launches, window, |document| html(document, &title))
}

/// What a page of some launches carries.
pub(crate) fn document(job: &Job, launches: &[ShownLaunch<'_>], window: &Window) -> Value {
    // These types have nothing that JSON cannot hold.
    with_document(job, launches, window, |document| serde_json::to_value(document).unwrap_or_default())
}

fn with_document<T>(
    job: &Job,
    launches: &[ShownLaunch<'_>],
    window: &Window,
    take: impl FnOnce(&PageDocument<'_>) -> T,
) -> T {
    let program = &job.loaded.program;
    let files = source_files(job);
    let parts: Vec<(Option<Record<'_>>, Option<Code<'_>>)> = launches
        .iter()
        .map(|launch| {
            let timeline = launch.result.outcome.timeline.as_ref();
            let counts = timeline.map(|timeline| CodeCounts {
                sm: u32::from(window.sm),
                instructions: &timeline.instructions,
            });
            let kernel = program.kernel(&launch.step.kernel);
            let code = kernel.map(|kernel| Code { counts, ..code(job, program, kernel, &files) });
            (timeline.map(|timeline| record(timeline, window)), code)
        })
        .collect();
    let shown: Vec<Shown<'_>> = launches
        .iter()
        .zip(&parts)
        .map(|(launch, (record, code))| Shown {
            context: Context {
                counters: &launch.result.outcome.counters,
                config: &job.config,
                occupancy: &launch.result.occupancy,
                launch: launch.info,
            },
            sections: launch.sections,
            record: record.as_ref(),
            code: code.as_ref(),
        })
        .collect();
    take(&page_document(VERSION, &shown))
}

fn record<'a>(timeline: &'a Timeline, window: &Window) -> Record<'a> {
    let warps = timeline.warps.iter().map(|warp| ResidentWarp {
        slot: warp.slot.0,
        block: warp.block,
        warp: warp.warp,
        from: warp.from.0,
    });
    Record {
        sm: u32::from(window.sm),
        warps: warps.collect(),
        intervals: &timeline.intervals,
        issues: &timeline.issues,
        window: window.cycles.clone(),
        cut: timeline.cut,
    }
}

fn code<'a>(job: &'a Job, program: &'a Program, kernel: &'a Kernel, files: &'a [Option<Source>]) -> Code<'a> {
    // What nvdisasm says of real machine code is no text for people; the instructions say the same.
    let own = &job.loaded.source;
    let readable = program.architecture.is_none();
    Code {
        kernel,
        own: readable.then_some(Text { name: &own.name, text: &own.text }),
        files: files
            .iter()
            .map(|file| file.as_ref().map(|file| Text { name: &file.name, text: &file.text }))
            .collect(),
        counts: None,
    }
}

/// The files of the high-level source, where they are at hand.
pub(crate) fn source_files(job: &Job) -> Vec<Option<Source>> {
    let found = || job.loaded.program.files.iter().map(|file| source_file(job, file)).collect();
    job.kept_files.clone().unwrap_or_else(found)
}

/// A file of the high-level source, where it is at hand: under its own path, beside the program, or beside the launch
/// file.
fn source_file(job: &Job, file: &str) -> Option<Source> {
    let path = Path::new(file);
    let mut paths = vec![path.to_owned()];
    if let Some(name) = path.file_name() {
        let folders = job.loaded.read_as.path.parent().into_iter().chain([job.folder.as_path()]);
        paths.extend(folders.map(|folder| folder.join(name)));
    }
    paths.iter().find_map(|path| sources::read(path).ok())
}

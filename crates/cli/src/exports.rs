//! The timeline of a run for other programs.

use crate::arguments::RunArguments;
use crate::commands::listing;
use crate::failure::Failure;
use crate::job::Job;
use crate::sources;
use warplab_gpu::Timeline;
use warplab_program::Kernel;
use warplab_program::listing::instruction_text;
use warplab_report::{SourceInstruction, TimelineRecord, TracedWarp, timeline_csv, timeline_perfetto};

/// Whether a file is asked for that is made of a timeline.
pub(crate) fn wanted(arguments: &RunArguments) -> bool {
    arguments.timeline_perfetto.is_some() || arguments.timeline_csv.is_some()
}

/// The instructions of a kernel with the lines that they come from.
pub(crate) fn instructions(kernel: &Kernel, files: &[String]) -> Vec<SourceInstruction> {
    let named = kernel.instructions.iter().map(|instruction| SourceInstruction {
        text: instruction_text(instruction),
        place: listing::place(instruction, files),
    });
    named.collect()
}

/// Writes the files that are asked for. Without a timeline, as no block ran on the multiprocessor, they have no rows.
pub(crate) fn write(
    arguments: &RunArguments,
    job: &Job,
    sm: u16,
    kernel: &str,
    timeline: Option<&Timeline>,
) -> Result<(), Failure> {
    if !wanted(arguments) {
        return Ok(());
    }
    with_record(job, sm, kernel, timeline, |record| {
        if let Some(path) = &arguments.timeline_perfetto {
            sources::write(path, &timeline_perfetto(record))?;
        }
        if let Some(path) = &arguments.timeline_csv {
            sources::write(path, &timeline_csv(record))?;
        }
        Ok(())
    })
}

/// Calls `work` with the timeline of a kernel on a multiprocessor.
pub(crate) fn with_record<T>(
    job: &Job,
    sm: u16,
    kernel: &str,
    timeline: Option<&Timeline>,
    work: impl FnOnce(&TimelineRecord<'_>) -> T,
) -> T {
    let none = Timeline::default();
    let timeline = timeline.unwrap_or(&none);
    let program = &job.loaded.program;
    let instructions =
        program.kernel(kernel).map_or(Vec::new(), |kernel| instructions(kernel, &program.files));
    let warps: Vec<TracedWarp> = timeline.warps.iter().map(traced).collect();
    work(&TimelineRecord {
        title: &format!("{kernel} on {}", job.config.name),
        sm: u32::from(sm),
        schedulers: job.config.limits.sub_partitions as usize,
        warps: &warps,
        intervals: &timeline.intervals,
        levels: &timeline.levels,
        instructions: &instructions,
    })
}

fn traced(warp: &warplab_gpu::TimelineWarp) -> TracedWarp {
    TracedWarp { slot: warp.slot.0, block: warp.block, warp: warp.warp, from: warp.from.0 }
}

//! What is measured of a run.

use super::run::Ran;
use warplab_config::lab::Measure;
use warplab_gpu::Timeline;
use warplab_metrics::evaluate;
use warplab_program::Opcode;
use warplab_run::Fault;
use warplab_units::WarpSlot;

/// Measures a run.
///
/// # Errors
/// When there is nothing to measure: no such metric, an instruction that was never issued.
pub(super) fn measure(ran: &Ran, measure: &Measure) -> Result<f64, Fault> {
    match measure {
        Measure::Metric(id) => metric(ran, id),
        Measure::Span { from, to } => {
            let first = cycles(ran, from, None)?.first().copied();
            let last = cycles(ran, to, None)?.last().copied();
            Ok(last.unwrap_or(0) as f64 - first.unwrap_or(0) as f64)
        }
        Measure::Interval(opcode) => {
            let first_warp = timeline(ran)?.warps.first().map(|warp| warp.slot);
            let cycles = cycles(ran, opcode, first_warp)?;
            let [first, .., last] = cycles.as_slice() else {
                return Err(Fault::input(format!(
                    "the first warp of {} issued {opcode} only once",
                    ran.kernel
                )));
            };
            Ok((last - first) as f64 / (cycles.len() - 1) as f64)
        }
        Measure::Switches => {
            let issues = &timeline(ran)?.issues;
            Ok(issues.windows(2).filter(|pair| pair[0].1 != pair[1].1).count() as f64)
        }
        Measure::Warps => Ok(f64::from(ran.shape.warps(ran.config.limits.warp_lanes))),
    }
}

fn timeline(ran: &Ran) -> Result<&Timeline, Fault> {
    let none = || Fault::input(format!("no block of {} ran on the first multiprocessor", ran.kernel));
    ran.simulated.outcome.timeline.as_ref().ok_or_else(none)
}

/// The cycles in which an instruction was issued, by one warp or by all; at least one.
fn cycles(ran: &Ran, opcode: &str, slot: Option<WarpSlot>) -> Result<Vec<u64>, Fault> {
    let wanted = Opcode::from_name(opcode);
    let code = ran.program.kernel(&ran.kernel).map_or(&[][..], |kernel| &kernel.instructions);
    let is_wanted = |pc: u32| code.get(pc as usize).map(|instruction| instruction.opcode) == wanted;
    let issues = timeline(ran)?.issues.iter();
    let cycles: Vec<u64> = issues
        .filter(|&&(_, issuer, pc, _)| is_wanted(pc) && slot.is_none_or(|slot| slot == issuer))
        .map(|&(cycle, ..)| cycle.0)
        .collect();
    if cycles.is_empty() {
        return Err(Fault::input(format!(
            "{} never issued {opcode}; this lab measures when it does",
            ran.kernel
        )));
    }
    Ok(cycles)
}

fn metric(ran: &Ran, id: &str) -> Result<f64, Fault> {
    let sections = evaluate(&ran.simulated.context(&ran.config));
    let row = sections.iter().flat_map(|section| &section.rows).find(|row| row.metric.id == id);
    row.ok_or_else(|| Fault::input(format!("there is no metric '{id}'; see 'warplab explain'")))?
        .value
        .number()
        .ok_or_else(|| Fault::input(format!("the metric '{id}' has no value in this run")))
}

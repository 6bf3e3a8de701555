//! Stepping: one device, or two with different schedulers on one clock.

use crate::answer::Refusal;
use crate::document::{self, refusal};
use crate::files::Files;
use crate::job::Job;
use crate::request::{Look, SetUp, To};
use serde_json::{Value, json};
use std::path::Path;
use warplab_diagnostics::Source;
use warplab_gpu::ShownSets;
use warplab_run::stepper::{Goal, Line, Stepper, Stop, ViewOptions};
use warplab_units::{Cycle, PartitionId, SmId, WarpSlot};

/// What is stepped: one device, or two.
#[derive(Debug)]
pub(crate) struct Steps {
    devices: Vec<Device>,
}

#[derive(Debug)]
struct Device {
    job: Job,
    /// The multiprocessor whose instructions are counted.
    sm: u16,
    stepper: Stepper,
}

impl Steps {
    /// Devices at the beginning of a set-up, and of the one with the scheduler beside it.
    pub(crate) fn begin(files: Files<'_>, setup: &SetUp) -> Result<Steps, Refusal> {
        let beside = setup.beside.clone().map(|policy| SetUp { scheduler: Some(policy), ..setup.clone() });
        let setups = std::iter::once(setup).chain(&beside);
        let devices = setups.map(|setup| device(files, setup)).collect::<Result<Vec<Device>, Refusal>>()?;
        Ok(Steps { devices })
    }

    /// What does not change: machines, schedulers, texts and code.
    pub(crate) fn about(&self) -> Value {
        json!(self.devices.iter().map(Device::about).collect::<Vec<_>>())
    }

    /// Goes somewhere. What is sought is sought on device `of`; the other one goes to the same cycle.
    pub(crate) fn go(&mut self, to: To, of: usize, look: &Look) -> Value {
        let sm = SmId(look.sm);
        let Some(first) = self.devices.get_mut(of) else { return json!(null) };
        let from = first.stepper.cycle();
        let stop = first.stepper.run(goal(to, from, sm), &mut |_| true);
        let cycle = first.stepper.cycle();
        for (number, device) in self.devices.iter_mut().enumerate() {
            if number != of {
                // One that has ended, or failed, stays at its end.
                device.stepper.run(Goal::Cycle(cycle), &mut |_| true);
            }
        }
        json!({ "stop": stop_name(stop), "cycle": cycle.0, "views": self.views(look) })
    }

    /// What is shown at the present cycle.
    pub(crate) fn look(&self, look: &Look) -> Value {
        let cycle = self.devices.iter().map(|device| device.stepper.cycle().0).max();
        json!({ "stop": "reached", "cycle": cycle, "views": self.views(look) })
    }

    /// The document of what a device has counted up to the present cycle.
    pub(crate) fn so_far(&self, of: usize) -> Result<Value, Refusal> {
        let Some(device) = self.devices.get(of) else { return Ok(Value::Null) };
        let cycle = device.stepper.cycle().0;
        let document = document::so_far(&device.job, device.stepper.outcomes(), device.sm)?;
        Ok(json!({ "cycle": cycle, "document": document }))
    }

    fn views(&self, look: &Look) -> Value {
        let options = ViewOptions {
            sm: SmId(look.sm),
            lane: look.slot.map(|slot| (WarpSlot(slot), look.lane)),
            partition: look.partition.map(PartitionId),
            sets: ShownSets { first: look.first_set, most: look.sets },
        };
        json!(self.devices.iter().map(|device| device.stepper.view(&options)).collect::<Vec<_>>())
    }
}

fn device(files: Files<'_>, setup: &SetUp) -> Result<Device, Refusal> {
    let job = Job::read(files, setup)?;
    let read = |path: &Path| files.bytes(&job.folder, path);
    let stepper = Stepper::counting(&job.config, &job.sequence(&job.launches()), &read, SmId(setup.sm));
    let stepper = stepper.map_err(|fault| refusal(fault, &job))?;
    Ok(Device { job, sm: setup.sm, stepper })
}

impl Device {
    fn about(&self) -> Value {
        let readable = self.job.program.architecture.is_none();
        json!({
            "machine": self.job.config.name,
            "scheduler": self.job.config.multiprocessor.scheduler.text(),
            "multiprocessors": self.stepper.multiprocessors(),
            "partitions": self.stepper.partitions(),
            "text": readable.then_some(&self.job.source.text),
            "path": self.job.source.name,
            "files": self.job.texts.iter().map(|file| file.as_ref().map(file_text)).collect::<Vec<_>>(),
            "codes": (0..self.job.steps.len()).map(|launch| self.stepper.code(launch)).collect::<Vec<_>>(),
        })
    }
}

fn file_text(file: &Source) -> Value {
    json!({ "name": file.name, "text": file.text })
}

fn goal(to: To, from: Cycle, sm: SmId) -> Goal {
    match to {
        To::Forward(cycles) => Goal::Cycle(from + cycles),
        To::Back(cycles) => Goal::Cycle(Cycle(from.0.saturating_sub(cycles))),
        To::Cycle(cycle) => Goal::Cycle(Cycle(cycle)),
        To::Change(slot) => Goal::StateChange { sm, slot: slot.map(WarpSlot) },
        To::Line(line) => Goal::Line { sm, line: Line::Own(line) },
        To::Source { file, line } => Goal::Line { sm, line: Line::Source { file, line } },
        To::Instruction(pc) => Goal::Line { sm, line: Line::Instruction(pc) },
        To::End => Goal::End,
    }
}

fn stop_name(stop: Stop) -> &'static str {
    match stop {
        Stop::Reached => "reached",
        Stop::Ended => "ended",
        Stop::Failed => "failed",
        Stop::Interrupted => "interrupted",
    }
}

//! What launches have given so far: copies of the device are counted, which itself stays where it is.

use crate::device::{Device, DeviceState};
use crate::epoch::Epoch;
use crate::outcome::RunOutcome;
use std::sync::Arc;
use warplab_units::Cycle;

impl Device {
    /// What every launch that has begun has given up to the end of a cycle before the next boundary, in order.
    #[must_use]
    pub fn outcomes_through(&self, cycle: Cycle) -> Vec<RunOutcome> {
        let (until, now) = (cycle + 1, self.state.now);
        let mut outcomes = self.state.finished.clone();
        if until > now {
            let mut copy = self.clone();
            copy.part_of_epoch(until);
            outcomes.extend(copy.so_far());
        } else if let Some(last) = outcomes.last_mut()
            && until < now
        {
            // Nothing happens any more in the last cycles of a launch but that they pass.
            last.counters.elapsed_cycles = last.counters.elapsed_cycles.saturating_sub(now - until);
            last.partial = true;
        }
        outcomes
    }

    /// Goes to a cycle before the next boundary.
    fn part_of_epoch(&mut self, until: Cycle) {
        let Some(launch) = self.launches.get(self.state.finished.len()).map(Arc::clone) else { return };
        let epoch =
            Epoch { memory_spec: &self.memory_spec, launch: &launch, state: &mut self.state, lead: 0 };
        // A fault ends the launch; what was counted before it stays.
        if epoch.until(until).is_err() {
            self.state.now = until;
        }
    }

    /// What the launch that runs has given. The device, which is a copy, ends with it.
    pub(crate) fn so_far(mut self) -> Option<RunOutcome> {
        let launch = Arc::clone(self.launches.get(self.state.finished.len())?);
        let DeviceState { now, memory, running, .. } = &mut self.state;
        let context = launch.context(memory);
        running.as_mut()?.active_mut().for_each(|port| port.settle(*now, &context));
        let running = self.state.running.as_ref()?;
        let elapsed = self.state.now - running.begin;
        let mut counters = self.count(running, elapsed, self.state.memory_side.counters());
        counters.count_inside(self.state.now.0, self.state.memory_side.reached.max(self.state.now).0);
        Some(self.gather(running, counters, true))
    }
}

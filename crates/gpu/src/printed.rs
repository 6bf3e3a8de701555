//! What threads print, from all multiprocessors into one buffer.

use crate::running::Running;
use warplab_exec::{Printed, PrintedLines};

/// Moves what the multiprocessors have printed since the last call, in the order of (cycle, multiprocessor, sequence).
pub(crate) fn collect_printed(running: &mut Running, printed: &mut PrintedLines) {
    let mut all: Vec<Printed> = Vec::new();
    running.for_each_acting(|port| {
        let unit = port.sm.printed();
        if !unit.is_empty() {
            let (kept, lost) = unit.take();
            all.extend(kept);
            printed.add_lost(lost);
        }
    });
    // Stable: what one multiprocessor printed in one cycle stays in order.
    all.sort_by_key(|line| line.cycle);
    all.into_iter().for_each(|line| printed.push(line));
}

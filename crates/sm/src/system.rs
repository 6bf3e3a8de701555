//! Calls of the driver: what a warp prints is kept, what it asks of the heap goes to the log.

use crate::launch::LaunchSpec;
use crate::log::HeapRefusal;
use crate::multiprocessor::Multiprocessor;
use warplab_exec::{LaunchFault, Printed, PrintedLines};
use warplab_trace::StallReason;

impl Multiprocessor {
    /// A warp has called the driver at an instruction; it goes on when the call is over.
    pub(crate) fn system_call(&mut self, slot: usize, pc: u32) {
        let warp = &self.warps[slot];
        let block = self.blocks[usize::from(warp.block)].as_ref().map_or(0, |block| block.number);
        let lines = self.system.take_lines(warp.state.threads());
        if !lines.is_empty() {
            self.printed.push(Printed { cycle: self.now.0, block, lines });
        }
        if let Some(request) = self.system.heap.take() {
            self.log.push_heap(self.now, slot as u8, warp.generation, pc, &request);
        }
        self.wait_until(slot, StallReason::Misc, self.now + self.spec.system_call, None);
    }

    /// What was printed in this epoch.
    pub fn printed(&mut self) -> &mut PrintedLines {
        &mut self.printed
    }

    /// The fault of a warp whose request the heap refuses.
    #[must_use]
    pub fn heap_fault(&self, refusal: HeapRefusal, launch: &LaunchSpec) -> Box<LaunchFault> {
        self.fault_at(usize::from(refusal.slot), refusal.pc, refusal.fault, launch)
    }
}

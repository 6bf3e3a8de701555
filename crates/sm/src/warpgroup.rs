//! Products of matrices of warpgroups: the warps that meet at one, when the tensor cores form it, and who waits for sums.
//!
//! The tensor cores of all sub-partitions form a product together, one after the other in the order of their issue, so that every
//! time is known when the last of four warps comes.

use crate::blocks::ResidentBlock;
use crate::sm::Advance;
use crate::warp::Phase;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::VecDeque;
use warplab_config::gpu::Warpgroups;
use warplab_exec::{Executed, LaunchFault, WARPGROUP_WARPS, WarpgroupFault, WarpgroupStep};
use warplab_program::Instruction;
use warplab_program::warpgroup::WarpgroupShape;
use warplab_units::Cycle;

/// Bytes of a row of the first factor, and of a column of the second.
const ROW_BYTES: u32 = 32;
/// Rows of the first factor.
const ROWS: u32 = 64;

/// The four warps of a warpgroup.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Warpgroup {
    /// The slots of the warps that have come to the product at `pc`.
    come: SmallVec<[u8; WARPGROUP_WARPS as usize]>,
    pc: u32,
    /// When its warps can issue the next product.
    next: Cycle,
    /// When the last product of each group ends that may still be waited for.
    ends: VecDeque<Cycle>,
    /// When the last product ends.
    last: Cycle,
}

impl Warpgroup {
    /// When at most so many groups are under way.
    fn has_ended_but(&mut self, most: u8, now: Cycle) -> Option<Cycle> {
        while self.ends.pop_front_if(|&mut end| end <= now).is_some() {}
        let over = self.ends.len().checked_sub(usize::from(most) + 1)?;
        self.ends.get(over).copied()
    }
}

/// How many warps have come to the product at which a warp of a block waits.
pub(crate) fn come_to_product(block: &ResidentBlock, index: u32) -> Option<usize> {
    block.warpgroups.get((index / WARPGROUP_WARPS) as usize).map(|group| group.come.len())
}

/// The tensor cores of an SM, where they form products of warpgroups.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ProductUnit {
    /// When the next product can begin.
    free: Cycle,
    /// When each of the last products begins.
    begins: VecDeque<Cycle>,
}

impl ProductUnit {
    /// A product comes that can begin at `ready`: when it does, and when there is room for one more behind it.
    fn take(&mut self, ready: Cycle, interval: u64, queue: usize) -> (Cycle, Cycle) {
        let begin = self.free.max(ready);
        self.free = begin + interval;
        self.begins.push_back(begin);
        let room = if self.begins.len() > queue { self.begins.pop_front() } else { None };
        (begin, room.unwrap_or(Cycle(0)))
    }
}

/// What a product takes.
struct Needs {
    /// Cycles from its issue until it can begin.
    start: u64,
    /// Cycles until the next one can.
    interval: u64,
    /// Cycles until its sum is there.
    length: u64,
    /// Cycles in which the tensor cores form it.
    forms: u64,
    /// Cycles until its warps can issue the next one.
    issue: u64,
    /// Rows of shared memory that it reads.
    wavefronts: u64,
}

impl Needs {
    fn new(spec: &Warpgroups, instruction: &Instruction) -> Needs {
        let columns = WarpgroupShape::of(instruction).map_or(0, |shape| shape.columns);
        let forms = columns.div_ceil(spec.columns);
        let reads = |rows: u32| (rows * ROW_BYTES).div_ceil(spec.shared_bytes);
        let in_registers = instruction.has_first_in_registers();
        let wavefronts = u64::from(reads(columns) + if in_registers { 0 } else { reads(ROWS) });
        let (start, interval) = if in_registers {
            (spec.register_start, forms.max(reads(columns)).max(spec.register_interval))
        } else {
            (spec.start, forms.max(reads(columns) + reads(ROWS)))
        };
        let issue = (columns / spec.issue_columns).saturating_sub(spec.issue).max(spec.issue);
        let length = forms + spec.end;
        let [start, interval, length, forms, issue] = [start, interval, length, forms, issue].map(u64::from);
        Needs { start, interval, length, forms, issue, wavefronts }
    }
}

impl Advance<'_> {
    /// What an instruction of a warpgroup asks for.
    #[cold]
    #[inline(never)]
    pub(crate) fn at_warpgroup(
        &mut self,
        slot: usize,
        executed: &Executed,
        step: WarpgroupStep,
        next: Cycle,
    ) -> Result<(), Box<LaunchFault>> {
        let sm = &mut *self.sm;
        let warp = &mut sm.warps[slot];
        let index = (warp.state.index / WARPGROUP_WARPS) as usize;
        let Some(block) = &mut sm.blocks[usize::from(warp.block)] else { return Ok(()) };
        if block.warpgroups.len() <= index {
            block.warpgroups.resize_with(index + 1, Warpgroup::default);
        }
        let group = &mut block.warpgroups[index];
        let spec = self.context.spec.warpgroups;
        if let WarpgroupStep::Registers { more } = step {
            let late = spec.map_or(0, |spec| if more { spec.take_registers } else { spec.give_registers });
            self.go_on(slot, executed.pc, next + u64::from(late), 0);
            return Ok(());
        }
        if let WarpgroupStep::Wait { most } = step {
            // Of one that waits for no group: `WARPGROUP.ARRIVE`.
            let arrives = most == u8::MAX;
            let late = spec.filter(|_| arrives).map_or(0, |spec| spec.arrive);
            let next = next + u64::from(late);
            match group.has_ended_but(most, next) {
                Some(at) => self.wait_until(slot, Phase::ForProducts, at),
                None => self.go_on(slot, executed.pc, next, 0),
            }
            return Ok(());
        }
        if !group.come.is_empty() && group.pc != executed.pc {
            let fault = WarpgroupFault::Elsewhere.into();
            return Err(sm.fault(slot, executed.pc, fault, self.context.launch));
        }
        group.pc = executed.pc;
        group.come.push(slot as u8);
        warp.phase = Phase::AtWarpgroup;
        if group.come.len() == WARPGROUP_WARPS as usize {
            self.form_product(slot, index, executed.pc, next);
        }
        Ok(())
    }

    /// All warps of a warpgroup have come to a product: the tensor cores take it, and the warps go on.
    fn form_product(&mut self, slot: usize, index: usize, pc: u32, next: Cycle) {
        let launch = self.context.launch;
        let Some(instruction) = launch.kernel.instructions.get(pc as usize) else { return };
        let Some(spec) = &self.context.spec.warpgroups else { return };
        let sm = &mut *self.sm;
        let Some(block) = &mut sm.blocks[usize::from(sm.warps[slot].block)] else { return };
        let group = &mut block.warpgroups[index];
        let needs = Needs::new(spec, instruction);
        sm.shared_counters.product_wavefronts += needs.wavefronts;
        sm.instructions.product_cycles += needs.forms * sm.sub_partitions.len() as u64;
        let taken = sm.now.max(group.next);
        let (begin, room) = sm.products.take(taken + needs.start, needs.interval, spec.queue as usize);
        group.next = taken + needs.issue;
        // Products of warpgroups come first, on the tensor cores and in shared memory.
        sm.lsu.read_matrices(sm.now, needs.wavefronts);
        let unit = self.context.spec.pipes.tensor_unit();
        sm.sub_partitions.iter_mut().for_each(|sub| sub.hold_unit(unit, begin + needs.interval));
        group.last = begin + needs.length;
        if instruction.ends_product_group() {
            group.ends.push_back(group.last);
        }
        let go_on = next.max(taken + 1);
        for other in std::mem::take(&mut group.come) {
            let other = usize::from(other);
            self.leave_phase(other);
            if room > go_on {
                self.wait_until(other, Phase::ForProducts, room);
            } else {
                self.go_on(other, pc, go_on, 0);
            }
        }
    }
}

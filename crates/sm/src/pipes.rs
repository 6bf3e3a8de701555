//! The execution units of a sub-partition: an instruction occupies its unit for the interval of its pipe.

use crate::launch::reads_warp_number;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use warplab_config::gpu;
use warplab_program::matrix::MatrixShape;
use warplab_program::{Instruction, Modifier, Opcode, Pipe};
use warplab_units::Cycle;

/// The units of a sub-partition and their intervals, by pipe.
#[derive(Clone, Debug)]
pub(crate) struct PipeSpec {
    uses: [PipeUse; Pipe::COUNT],
    matrix: PipeUse,
    tensor: Option<gpu::TensorCore>,
    wide_product: PipeUse,
    constant_load: PipeUse,
    warp_number: PipeUse,
}

/// What an instruction takes of the units and of the dispatcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PipeUse {
    /// The unit that executes it.
    pub(crate) unit: u8,
    /// Cycles for which it occupies the unit.
    pub(crate) interval: u8,
    /// Cycles of the dispatcher beyond the one of its issue.
    pub(crate) hold: u8,
    /// Cycles from issue until the unit begins, where it holds a second instruction meanwhile; otherwise none.
    pub(crate) lead: u8,
    /// Instructions that wait for the unit in a queue; otherwise none.
    pub(crate) queue: u8,
    /// Instructions beside those of the queue that have come to the unit, and pass again when their constants are there.
    pub(crate) late: u8,
    /// Whether it comes behind those of the queue whose data is late.
    pub(crate) in_order: bool,
}

impl PipeSpec {
    pub(crate) fn new(pipes: &gpu::Pipes) -> PipeSpec {
        let short = |cycles: u32| cycles.min(u32::from(u8::MAX)) as u8;
        let of = |pipe: Pipe| {
            let (unit, interval) = match pipe {
                Pipe::Fma if pipes.fma_halves => (EITHER_HALF, 2 * pipes.interval(pipe)),
                Pipe::FmaHeavy if pipes.fma_halves => (HEAVY_HALF, pipes.interval(pipe)),
                Pipe::Fp16 if pipes.fma_halves => (BOTH_HALVES, pipes.interval(pipe)),
                _ => (pipes.unit(pipe) as u8, pipes.interval(pipe)),
            };
            PipeUse {
                unit,
                interval: short(interval),
                hold: 0,
                lead: short(pipes.lead(pipe)),
                queue: 0,
                late: 0,
                in_order: false,
            }
        };
        let (heavy, half, special) = (of(Pipe::FmaHeavy), of(Pipe::Fp16), of(Pipe::Adu));
        let warp_number = pipes.constant_load.map_or(special, |loads| PipeUse {
            unit: CONSTANT_UNIT,
            interval: short(loads.interval),
            queue: short(loads.queue),
            late: short(loads.late),
            ..special
        });
        PipeSpec {
            uses: Pipe::ALL.map(of),
            matrix: pipes.matrix.map_or(half, |timing| PipeUse {
                unit: timing.unit.map_or(Pipe::Fp16, gpu::PipeUnit::pipe) as u8,
                interval: short(timing.interval),
                ..half
            }),
            tensor: pipes.tensor,
            wide_product: pipes.wide_product.map_or(heavy, |wide| PipeUse {
                interval: short(wide.interval),
                hold: short(wide.dispatch - 1),
                ..heavy
            }),
            constant_load: PipeUse { in_order: true, ..warp_number },
            warp_number,
        }
    }

    /// How many cycles later than the smallest product in double precision another one ends: one for each row, and those for which
    /// it occupies the tensor core longer (measured: traces/h200/matrix/pace.txt).
    pub(crate) fn product_delay(&self, instruction: &Instruction) -> u16 {
        match (instruction.opcode, MatrixShape::of(instruction), self.tensor.and_then(|it| it.double)) {
            (Opcode::Dmma, Some(shape), Some(interval)) => {
                let longer = interval * shape.depth / DOUBLE_DEPTH - interval;
                (longer + shape.rows - DOUBLE_ROWS).min(u32::from(u16::MAX)) as u16
            }
            _ => 0,
        }
    }

    /// For how many cycles a product of matrices occupies the tensor core.
    fn product_interval(&self, instruction: &Instruction) -> u8 {
        let (Some(tensor), Some(shape)) = (self.tensor, MatrixShape::of(instruction)) else { return 1 };
        let cycles = match (instruction.opcode, shape.rows, shape.row_bytes()) {
            (Opcode::Dmma, ..) => tensor.double.unwrap_or(1) * shape.depth / DOUBLE_DEPTH,
            (_, 8, _) => tensor.small,
            (_, _, 16) => tensor.short,
            _ => tensor.long,
        };
        cycles.min(u32::from(u8::MAX)) as u8
    }

    /// The unit of products of matrices.
    pub(crate) fn tensor_unit(&self) -> u8 {
        self.uses[Pipe::Tensor as usize].unit
    }

    /// What an instruction takes.
    pub(crate) fn of(&self, instruction: &Instruction) -> PipeUse {
        let pipe = instruction.opcode.info().pipe;
        // A product of a warpgroup waits in a queue of its own.
        if instruction.is_warpgroup_product() {
            return self.uses[Pipe::Cbu as usize];
        }
        let wide = instruction.has(Modifier::Wide) || instruction.has(Modifier::Hi);
        match pipe {
            Pipe::Fp16 if instruction.has(Modifier::Mma) => self.matrix,
            Pipe::Tensor => {
                PipeUse { interval: self.product_interval(instruction), ..self.uses[pipe as usize] }
            }
            // One sum of single precision.
            Pipe::Fp16 if instruction.opcode == Opcode::Hadd2 && instruction.has(Modifier::F32) => {
                self.uses[Pipe::FmaHeavy as usize]
            }
            Pipe::FmaHeavy if wide && instruction.opcode == Opcode::Imad => self.wide_product,
            Pipe::Adu if matches!(instruction.opcode, Opcode::Ldc | Opcode::Ldcu) => self.constant_load,
            Pipe::Adu if reads_warp_number(instruction) => self.warp_number,
            _ if matches!(instruction.opcode, Opcode::Match | Opcode::Redux) => self.warp_number,
            _ => self.uses[pipe as usize],
        }
    }
}

/// The depth of the products in double precision whose time the configuration gives.
const DOUBLE_DEPTH: u32 = 4;
/// The rows of the smallest of them.
const DOUBLE_ROWS: u32 = 8;

/// The unit of shared memory and lane exchange, where it takes instructions beside the load/store unit's.
pub(crate) const SHARED_UNIT: u8 = Pipe::COUNT as u8;

/// The queue of constant loads and of special registers that are one for the warp, to a unit of the multiprocessor.
const CONSTANT_UNIT: u8 = SHARED_UNIT + 1;

/// The half pipes of single precision, as instructions want them: whichever is free, the heavy one, both.
const EITHER_HALF: u8 = SHARED_UNIT + 2;
const HEAVY_HALF: u8 = SHARED_UNIT + 3;
const BOTH_HALVES: u8 = SHARED_UNIT + 4;

/// Units are numbered by the pipes that they are named after; those of shared memory and constant loads and the half pipes come
/// behind.
const UNITS: usize = Pipe::COUNT + 5;

/// The unit of the multiprocessor behind the queues of its sub-partitions.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct QueuedUnit {
    /// When it can take an instruction.
    free: Cycle,
    /// When it has done the last that stays in order.
    ordered_end: Cycle,
    /// When it has done all passes of those that pass several times.
    all_passed: Cycle,
}

impl QueuedUnit {
    /// An instruction that passes at `first` passes once for each address that its lanes want, `again` cycles apart; between its
    /// passes others pass, until there is no room. When it passes last.
    fn pass_each(&mut self, interval: u64, first: Cycle, again: u64, addresses: u64) -> Cycle {
        // The first of them counts already, where the unit has more to do.
        self.all_passed = if self.all_passed > first {
            self.all_passed + (addresses - 1) * interval
        } else {
            first + addresses * interval
        };
        (first + (addresses - 1) * again).max(Cycle(self.all_passed.0 - interval))
    }
}

/// The execution units of one sub-partition, and the ready warps that want each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Pipes {
    /// Warps that want each unit.
    wants: [u64; UNITS],
    /// Units that a warp wants.
    wanted: u16,
    /// When each unit can take its next instruction.
    free: [Cycle; UNITS],
    /// When the light half pipe can.
    light_free: Cycle,
    /// When the unit with a lead has done what it has.
    lead_end: Cycle,
    /// When each of the last instructions leaves the queue that it holds.
    queue_ends: VecDeque<Cycle>,
    /// When those pass that have left the queue and wait for their constants.
    late_ends: VecDeque<Cycle>,
    /// From when on every unit is free.
    all_free: Cycle,
}

impl Pipes {
    /// A ready warp wants a unit.
    #[inline]
    pub(crate) fn want(&mut self, warp: u32, unit: u8) {
        self.wants[usize::from(unit)] |= 1 << warp;
        self.wanted |= 1 << unit;
    }

    /// A warp issues an instruction to its unit, to which it is dispatched `now`: for how long it waits in it. `queued` is
    /// the unit behind the queues, which belongs to the whole multiprocessor.
    #[inline]
    pub(crate) fn issue(&mut self, warp: u32, taken: PipeUse, now: Cycle, queued: &mut QueuedUnit) -> u64 {
        let unit = taken.unit;
        let wants = &mut self.wants[usize::from(unit)];
        *wants &= !(1 << warp);
        if *wants == 0 {
            self.wanted &= !(1 << unit);
        }
        let until = now.later(u64::from(taken.interval));
        if unit >= EITHER_HALF {
            self.take_half(unit, now, until);
        } else if taken.lead > 0 {
            return self.take_ahead(taken, now);
        } else if taken.queue > 0 {
            return self.take_queued(taken, now, queued);
        } else {
            self.free[usize::from(unit)] = until;
        }
        self.all_free = self.all_free.max(until);
        0
    }

    /// An instruction goes to a unit that holds two, the one that it executes and one that waits; it takes the next when the
    /// first has ended.
    #[inline]
    fn take_ahead(&mut self, taken: PipeUse, now: Cycle) -> u64 {
        let (first_end, begin) = (self.lead_end, now + u64::from(taken.lead));
        let waits = first_end.since(begin);
        self.lead_end = begin + waits + u64::from(taken.interval);
        self.free[usize::from(taken.unit)] = first_end;
        self.all_free = self.all_free.max(first_end);
        waits
    }

    /// An instruction goes to the queue of a unit: for how long it waits there and for constants of those before it. One that
    /// waits for constants leaves the queue if there is room for it beside.
    #[inline]
    fn take_queued(&mut self, taken: PipeUse, now: Cycle, unit: &mut QueuedUnit) -> u64 {
        let interval = u64::from(taken.interval);
        let comes = unit.free.max(now);
        let passes = if taken.in_order { comes.max(unit.ordered_end) } else { comes };
        unit.free = comes + interval;
        if unit.all_passed > passes {
            unit.all_passed += interval;
        }
        if taken.in_order {
            unit.ordered_end = passes + interval;
        }
        let leaves =
            if passes > comes && self.hold_late(taken, now, passes + interval) { comes } else { passes };
        if self.queue_ends.len() >= usize::from(taken.queue) {
            self.queue_ends.pop_front();
        }
        let before = self.queue_ends.back().map_or(Cycle(0), |&last| last);
        self.queue_ends.push_back(before.max(leaves + interval));
        self.await_queue(taken);
        passes - now
    }

    /// Lets an instruction that passes at `end` wait for that outside the queue, if there is room. Whether there is.
    fn hold_late(&mut self, taken: PipeUse, now: Cycle, end: Cycle) -> bool {
        while self.late_ends.pop_front_if(|&mut late| late <= now).is_some() {}
        let room = self.late_ends.len() < usize::from(taken.late);
        if room {
            self.late_ends.push_back(end);
        }
        room
    }

    /// The last instruction of a queue passes so many cycles later than `now` would let it, and those behind it.
    pub(crate) fn delay_queue(&mut self, taken: PipeUse, now: Cycle, cycles: u64, unit: &mut QueuedUnit) {
        unit.ordered_end += cycles;
        if !self.hold_late(taken, now, unit.ordered_end)
            && let Some(last) = self.queue_ends.back_mut()
        {
            *last += cycles;
            self.await_queue(taken);
        }
    }

    /// The last instruction of a queue, which passes at `first`, passes once for each address that its lanes want, `again` cycles
    /// apart. How many cycles after its first pass its last one comes.
    pub(crate) fn pass_again(
        &mut self,
        taken: PipeUse,
        (now, first): (Cycle, Cycle),
        (again, addresses): (u64, u8),
        unit: &mut QueuedUnit,
    ) -> u64 {
        if taken.queue == 0 || addresses <= 1 {
            return 0;
        }
        let interval = u64::from(taken.interval);
        let last = unit.pass_each(interval, first, again, u64::from(addresses));
        if !self.hold_late(taken, now, last + interval)
            && let Some(end) = self.queue_ends.back_mut()
        {
            *end = (*end).max(last + interval);
            self.await_queue(taken);
        }
        last.since(first)
    }

    /// A full queue has room when the first of its instructions has gone.
    #[inline]
    fn await_queue(&mut self, taken: PipeUse) {
        let full = self.queue_ends.len() >= usize::from(taken.queue);
        if let Some(&free) = self.queue_ends.front().filter(|_| full) {
            self.free[usize::from(taken.unit)] = free;
            self.all_free = self.all_free.max(free);
        }
    }

    /// A unit does something else until a cycle.
    pub(crate) fn hold(&mut self, unit: u8, until: Cycle) {
        let free = &mut self.free[usize::from(unit)];
        *free = (*free).max(until);
        self.all_free = self.all_free.max(until);
    }

    /// The ready warps whose unit belongs to the queues of memory and special instructions.
    #[inline]
    pub(crate) fn wanting_queued(&self) -> u64 {
        self.wants[Pipe::Xu as usize] | self.wants[usize::from(CONSTANT_UNIT)]
    }

    /// An instruction takes half pipes until a cycle.
    #[inline]
    fn take_half(&mut self, unit: u8, now: Cycle, until: Cycle) {
        let takes_light = unit == BOTH_HALVES || unit == EITHER_HALF && self.light_free <= now;
        let takes_heavy = unit != EITHER_HALF || !takes_light;
        let (mut light, mut heavy) = (self.light_free, self.free[usize::from(HEAVY_HALF)]);
        if takes_light {
            light = until;
        }
        if takes_heavy {
            heavy = until;
        }
        self.light_free = light;
        self.free[usize::from(EITHER_HALF)] = light.min(heavy);
        self.free[usize::from(HEAVY_HALF)] = heavy;
        self.free[usize::from(BOTH_HALVES)] = light.max(heavy);
    }

    /// The warps whose unit is occupied, and when the first of these units is free.
    #[inline]
    pub(crate) fn occupied(&self, now: Cycle) -> (u64, Cycle) {
        let (mut warps, mut free) = (0, Cycle::NEVER);
        if self.all_free <= now {
            return (warps, free);
        }
        let mut rest = self.wanted;
        while rest != 0 {
            let unit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.free[unit] > now {
                warps |= self.wants[unit];
                free = free.min(self.free[unit]);
            }
        }
        (warps, free)
    }
}

#[cfg(test)]
mod tests {
    use super::{BOTH_HALVES, CONSTANT_UNIT, EITHER_HALF, HEAVY_HALF, PipeUse, Pipes, QueuedUnit};
    use warplab_units::Cycle;

    /// An instruction that occupies a unit.
    fn of(unit: u8, interval: u8) -> PipeUse {
        PipeUse { unit, interval, hold: 0, lead: 0, queue: 0, late: 0, in_order: false }
    }

    /// Cycles in which one warp issues these instructions, each as soon as its unit is free.
    fn issues(instructions: &[PipeUse]) -> Vec<u64> {
        let mut pipes = Pipes::default();
        let (mut now, mut unit) = (Cycle(100), QueuedUnit::default());
        let issue = |taken: &PipeUse| {
            pipes.want(0, taken.unit);
            let (busy, free) = pipes.occupied(now);
            let at = if busy == 0 { now } else { free };
            pipes.issue(0, *taken, at, &mut unit);
            now = at + 1;
            at.0 - 100
        };
        instructions.iter().map(issue).collect()
    }

    const FFMA: PipeUse =
        PipeUse { unit: EITHER_HALF, interval: 2, hold: 0, lead: 0, queue: 0, late: 0, in_order: false };
    const IMAD: PipeUse =
        PipeUse { unit: HEAVY_HALF, interval: 2, hold: 0, lead: 0, queue: 0, late: 0, in_order: false };
    const HFMA2: PipeUse =
        PipeUse { unit: BOTH_HALVES, interval: 2, hold: 0, lead: 0, queue: 0, late: 0, in_order: false };

    #[test]
    fn a_queue_takes_so_many_before_the_first_has_gone() {
        assert_eq!(issues(&[LOAD; 6]), [0, 1, 2, 8, 16, 24]);
    }

    /// Loads of constants, eight cycles apart.
    const LOAD: PipeUse =
        PipeUse { unit: CONSTANT_UNIT, interval: 8, hold: 0, lead: 0, queue: 3, late: 0, in_order: true };

    #[test]
    fn what_waits_behind_a_late_constant_comes_late() {
        let (mut pipes, mut unit) = (Pipes::default(), QueuedUnit::default());
        assert_eq!(pipes.issue(0, LOAD, Cycle(100), &mut unit), 0);
        pipes.delay_queue(LOAD, Cycle(100), 50, &mut unit);
        assert_eq!([101, 102, 158].map(|now| pipes.issue(0, LOAD, Cycle(now), &mut unit)), [57, 64, 16]);
    }

    #[test]
    fn a_load_of_several_addresses_passes_once_for_each_and_others_pass_between() {
        let load = PipeUse { interval: 2, queue: 8, ..LOAD };
        let (mut pipes, mut unit) = (Pipes::default(), QueuedUnit::default());
        let mut last_pass = |now: u64, addresses: u8| {
            let first = Cycle(now) + pipes.issue(0, load, Cycle(now), &mut unit);
            (first + pipes.pass_again(load, (Cycle(now), first), (11, addresses), &mut unit)).0
        };
        assert_eq!([last_pass(100, 1), last_pass(101, 4), last_pass(102, 4)], [100, 102 + 33, 104 + 33]);
        // Eight loads of 32 addresses are 256 passes, two cycles each.
        let all = [0; 8].map(|_| last_pass(1000, 32));
        assert_eq!((all[0], all[4], all[7]), (1000 + 341, 1008 + 341, 1000 + 512 - 2));
    }

    #[test]
    fn loads_of_all_sub_partitions_pass_one_after_another_once_a_late_constant_is_there() {
        let (mut pipes, mut unit) = ([(); 4].map(|()| Pipes::default()), QueuedUnit::default());
        assert_eq!(pipes[0].issue(0, LOAD, Cycle(100), &mut unit), 0);
        pipes[0].delay_queue(LOAD, Cycle(100), 50, &mut unit);
        let waits = [1, 2, 3].map(|sub: usize| pipes[sub].issue(0, LOAD, Cycle(101), &mut unit));
        assert_eq!(waits, [57, 65, 73]);
    }

    #[test]
    fn loads_that_wait_for_constants_leave_the_queue_as_long_as_there_is_room_beside_it() {
        let load = PipeUse { queue: 2, late: 1, ..LOAD };
        let (mut pipes, mut unit) = (Pipes::default(), QueuedUnit::default());
        pipes.want(1, CONSTANT_UNIT);
        pipes.issue(0, load, Cycle(100), &mut unit);
        pipes.delay_queue(load, Cycle(100), 50, &mut unit);
        assert_eq!(pipes.occupied(Cycle(101)), (0, Cycle::NEVER));
        pipes.issue(0, load, Cycle(101), &mut unit);
        assert_eq!(pipes.occupied(Cycle(102)), (0b10, Cycle(108)));
        pipes.issue(0, load, Cycle(108), &mut unit);
        assert_eq!(pipes.occupied(Cycle(109)), (0b10, Cycle(166)));
    }

    #[test]
    fn a_number_of_the_warp_comes_before_late_constants() {
        let load = PipeUse { interval: 2, ..LOAD };
        let number = PipeUse { in_order: false, ..load };
        let (mut pipes, mut unit) = (Pipes::default(), QueuedUnit::default());
        assert_eq!(pipes.issue(0, load, Cycle(100), &mut unit), 0);
        pipes.delay_queue(load, Cycle(100), 50, &mut unit);
        assert_eq!(pipes.issue(0, number, Cycle(101), &mut unit), 1);
        assert_eq!(pipes.issue(0, load, Cycle(102), &mut unit), 50);
    }

    #[test]
    fn sub_partitions_share_the_unit_behind_their_queues() {
        let load = PipeUse { interval: 2, ..LOAD };
        let (mut pipes, mut unit) = ([Pipes::default(), Pipes::default()], QueuedUnit::default());
        let waits = [0, 1, 0].map(|sub: usize| pipes[sub].issue(0, load, Cycle(100), &mut unit));
        assert_eq!(waits, [0, 2, 4]);
    }

    #[test]
    fn single_precision_takes_the_light_half_or_the_heavy_one_if_that_is_taken() {
        assert_eq!(issues(&[FFMA, FFMA, FFMA, FFMA]), [0, 1, 2, 3]);
        assert_eq!(issues(&[IMAD, FFMA, IMAD, FFMA, IMAD]), [0, 1, 2, 3, 4]);
        assert_eq!(issues(&[IMAD, FFMA, FFMA, IMAD, FFMA, FFMA]), [0, 1, 2, 4, 5, 6]);
    }

    #[test]
    fn packed_half_precision_takes_both_halves() {
        assert_eq!(issues(&[HFMA2, FFMA, HFMA2, FFMA]), [0, 2, 4, 6]);
        assert_eq!(issues(&[HFMA2, HFMA2, HFMA2]), [0, 2, 4]);
    }

    #[test]
    fn a_unit_with_a_lead_holds_a_second_instruction() {
        let mufu = PipeUse { unit: 5, interval: 8, hold: 0, lead: 4, queue: 0, late: 0, in_order: false };
        assert_eq!(issues(&[mufu; 5]), [0, 1, 12, 20, 28]);
    }

    #[test]
    fn a_unit_takes_the_next_instruction_exactly_at_the_end_of_its_interval() {
        let mut pipes = Pipes::default();
        pipes.want(0, 4);
        pipes.issue(0, of(4, 8), Cycle(10), &mut QueuedUnit::default());
        pipes.want(1, 4);
        assert_eq!(pipes.occupied(Cycle(17)), (0b10, Cycle(18)));
        assert_eq!(pipes.occupied(Cycle(18)), (0, Cycle::NEVER));
    }

    #[test]
    fn a_busy_unit_holds_back_only_those_that_want_it() {
        let mut pipes = Pipes::default();
        pipes.issue(0, of(2, 20), Cycle(0), &mut QueuedUnit::default());
        pipes.want(1, 2);
        pipes.want(2, 2);
        pipes.want(3, 5);
        assert_eq!(pipes.occupied(Cycle(10)), (0b110, Cycle(20)));
    }

    #[test]
    fn the_first_of_several_busy_units_is_told() {
        let mut pipes = Pipes::default();
        for (warp, unit, until) in [(0, 1, 30), (1, 2, 20), (2, 3, 5)] {
            pipes.issue(warp, of(unit, until), Cycle(0), &mut QueuedUnit::default());
            pipes.want(warp, unit);
        }
        assert_eq!(pipes.occupied(Cycle(10)), (0b11, Cycle(20)));
    }

    #[test]
    fn a_busy_unit_that_nobody_wants_holds_nobody_back() {
        let mut pipes = Pipes::default();
        pipes.want(0, 1);
        pipes.issue(0, of(1, 30), Cycle(0), &mut QueuedUnit::default());
        assert_eq!(pipes.occupied(Cycle(10)), (0, Cycle::NEVER));
    }
}

//! Several operations of a thread as one issue: the slots of a very long instruction word.
//!
//! Instructions that follow each other are packed as far as none needs a result of another. One slot computes
//! transcendental functions and integer products, as on AMD's machines of five slots; double precision, memory, branches
//! and what waits for a wait counter of its own begin an issue of their own.

use crate::launch::IssueInfo;
use crate::sm::Advance;
use warplab_exec::{Executed, LaunchFault};
use warplab_program::{Instruction, Pipe, Role, Slot};
use warplab_units::WarpSlot;

/// For each instruction, how many of those behind it issue with it on a machine of so many slots.
pub(crate) fn packed_behind(instructions: &[Instruction], slots: u32) -> Vec<u8> {
    let behind = |first: usize| {
        let mut pack = Pack::default();
        let fit = instructions[first..].iter().take(slots as usize).take_while(|one| pack.takes(one));
        (fit.count() as u8).saturating_sub(1)
    };
    if slots < 2 {
        return vec![0; instructions.len()];
    }
    (0..instructions.len()).map(behind).collect()
}

/// The operations of one issue so far.
#[derive(Default)]
struct Pack {
    written: Vec<Slot>,
    waits: Option<u8>,
    transcendental: bool,
}

impl Pack {
    /// Adds an instruction if it fits.
    fn takes(&mut self, instruction: &Instruction) -> bool {
        let (transcendental, fits) = match instruction.opcode.info().pipe {
            Pipe::Alu | Pipe::Fma | Pipe::Fp16 => (false, true),
            Pipe::FmaHeavy | Pipe::Xu => (true, !self.transcendental),
            _ => (false, false),
        };
        let mask = instruction.control.wait_mask;
        let waits = *self.waits.get_or_insert(mask);
        let accesses = instruction.accesses();
        let slots = |role: Role| {
            let of_role = accesses.iter().filter(move |access| access.role == role);
            of_role.flat_map(|access| access.resource.slots())
        };
        let depends = slots(Role::Read).chain(slots(Role::Write)).any(|slot| self.written.contains(&slot));
        if !fits || mask & !waits != 0 || instruction.awaited_counter().is_some() || depends {
            return false;
        }
        self.transcendental |= transcendental;
        self.written.extend(slots(Role::Write));
        true
    }
}

impl Advance<'_> {
    /// Issues the instructions that are packed with one that has just issued; the warp goes on when the results of all are
    /// there, or earlier where the stall counts add up to less.
    #[inline(never)]
    pub(crate) fn issue_packed(
        &mut self,
        sub: usize,
        slot: usize,
        first: &IssueInfo,
        executed: Executed,
    ) -> Result<(), Box<LaunchFault>> {
        let (mut last, mut info) = (executed, *first);
        let (mut stalls, mut latency) = (u64::from(first.stall), fixed_latency(first));
        for _ in 0..first.packed {
            last = match self.execute(slot) {
                Ok(executed) => executed,
                Err(fault) => return Err(self.faulted(slot, fault)),
            };
            info = self.context.launch.issue[last.pc as usize];
            if self.sm.hazards.is_some() {
                self.check_hazards(slot, &last);
            }
            self.count(&info, &last);
            self.sm.sub_partitions[sub].counters.packed += 1;
            if self.sm.watched {
                self.observer.issued(self.sm.now, self.sm.id, WarpSlot(slot as u8), last.pc, last.mask);
            }
            self.hold_counters(sub, slot, &info, &last, 0);
            stalls += u64::from(info.stall);
            latency = latency.max(fixed_latency(&info));
        }
        info.stall = stalls.min(latency).clamp(1, 255) as u8;
        self.follow(slot, &info, &last, self.sm.now)
    }
}

/// The latency of an instruction whose result is timed by stall counts.
fn fixed_latency(info: &IssueInfo) -> u64 {
    if info.write_barrier.is_some() { 1 } else { u64::from(info.latency) }
}

#[cfg(test)]
mod tests {
    use super::packed_behind;
    use warplab_diagnostics::Source;
    use warplab_program::listing::read;

    /// How many instructions issue with each line, on a machine of five slots.
    fn behind(lines: &str) -> Vec<u8> {
        let (program, faults) = read(&Source::new("code", format!(".kernel k\n{lines}\n")));
        assert!(faults.is_empty(), "{faults:?}");
        packed_behind(&program.kernels[0].instructions, 5)
    }

    #[test]
    fn five_independent_operations_are_one_issue() {
        let six = (0..6).map(|n| format!("FADD R{n}, R10, R11")).collect::<Vec<_>>().join("\n");
        assert_eq!(behind(&six), [4, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn an_operation_that_needs_the_one_before_it_is_an_issue_of_its_own() {
        assert_eq!(behind("FADD R0, R10, R11\nFADD R1, R0, R11\nFADD R2, R1, R11"), [0, 0, 0]);
    }

    #[test]
    fn of_two_transcendental_functions_the_second_waits() {
        assert_eq!(behind("MUFU.EX2 R0, R10\nFADD R1, R10, R11\nMUFU.EX2 R2, R10"), [1, 1, 0]);
    }

    #[test]
    fn loads_and_branches_are_issues_of_their_own() {
        assert_eq!(behind("FADD R0, R10, R11\nLDG.E R4, desc[UR4][R2.64]\nFADD R1, R10, R11\nEXIT"), [0; 4]);
    }
}

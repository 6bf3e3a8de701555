//! The ports of the register file: one row of a register per bank and cycle, the rows that operands keep for the next
//! instruction, and one result per cycle.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};
use warplab_program::access::{Access, Resource, Role};
use warplab_program::operand::Operand;
use warplab_program::{Instruction, Modifier, Opcode, Pipe};
use warplab_units::Cycle;

/// Banks of a register file at most.
pub(crate) const MOST_BANKS: usize = 2;

/// Wide loads of which it is kept when they come: as many as a sub-partition starts in the time of one.
const MOST_WIDE: usize = 6;

/// Source operands that can keep a row.
const OPERANDS: usize = 3;

/// The numbers of a register file whose ports can be short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterFileSpec {
    /// Register `n` is in bank `n` modulo these.
    pub(crate) banks: usize,
    /// Cycles after issue in which an instruction reads.
    pub(crate) window: u64,
    /// Cycles by which late results come behind those of other arithmetic; none where results do not meet.
    pub(crate) late_result: Option<u64>,
    /// Cycles for which a result waits that would come with a wide load from shared memory.
    pub(crate) wide_load: u64,
    /// Cycles from the issue of that load.
    pub(crate) load_latency: u64,
}

/// When the result of an instruction comes to the register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultTime {
    /// It has none, or one that comes when it comes.
    None,
    /// As those of most arithmetic.
    Early,
    /// As those of double precision and of the matrix pipe.
    Late,
    /// As the four registers of a load from shared memory.
    WideLoad,
}

impl ResultTime {
    /// When the result of an instruction comes.
    pub(crate) fn of(instruction: &Instruction) -> ResultTime {
        let written = |access: &Access| {
            access.role == Role::Write && matches!(access.resource, Resource::Registers(..))
        };
        if !instruction.accesses().iter().any(written) {
            return ResultTime::None;
        }
        match instruction.opcode.info().pipe {
            Pipe::Lsu if instruction.opcode == Opcode::Lds && instruction.has(Modifier::B128) => {
                ResultTime::WideLoad
            }
            Pipe::Fp64 => ResultTime::Late,
            Pipe::Fp16 if instruction.has(Modifier::Mma) => ResultTime::Late,
            Pipe::Alu | Pipe::Fma | Pipe::FmaHeavy | Pipe::Fp16 => ResultTime::Early,
            _ => ResultTime::None,
        }
    }
}

/// A byte for each operand and bank, side by side in one word.
type Bytes = u64;

/// A bit in each byte.
const LOWEST: Bytes = Bytes::MAX / 0xff;
const HIGHEST: Bytes = LOWEST << 7;
/// The bytes of the first bank.
const FIRST_BANK: Bytes = Bytes::MAX / 0xffff * 0xff;

/// The place of the byte of an operand and a bank.
fn shift(operand: usize, bank: usize) -> usize {
    (operand * MOST_BANKS + bank) * u8::BITS as usize
}

/// All bits of the bytes whose highest bit is set.
fn whole(highest: Bytes) -> Bytes {
    (highest >> 7) * 0xff
}

/// How many bytes have their highest bit set.
fn count(highest: Bytes) -> u8 {
    ((highest >> 7).wrapping_mul(LOWEST) >> (Bytes::BITS - u8::BITS)) as u8
}

/// What an instruction reads from the register file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RegisterReads {
    /// The registers of each source operand, by bank: the first two of wide ones.
    registers: Bytes,
    /// Which of these there are: the highest bit of their bytes.
    read: Bytes,
    /// Which of these their operands keep for the next instruction, likewise.
    kept: Bytes,
    /// Which of these stand for two registers of their bank: those of matrices.
    double: Bytes,
    /// Rows to read from each bank if none has been kept.
    rows: [u8; MOST_BANKS],
    /// Cycles in which a matrix is read, where these are more than those of others.
    window: u8,
}

impl RegisterReads {
    /// What an instruction reads; it reads a register once that two operands name.
    pub(crate) fn new(spec: &RegisterFileSpec, instruction: &Instruction) -> RegisterReads {
        let mut reads = RegisterReads::default();
        // The tensor cores read what they add as they come to it.
        if instruction.is_warpgroup_product() {
            return reads;
        }
        let sources: ArrayVec<usize, OPERANDS> = instruction.source_operands().take(OPERANDS).collect();
        let mut seen: ArrayVec<u32, 32> = ArrayVec::new();
        for access in instruction.accesses() {
            let (Role::Read, Resource::Registers(first, count)) = (access.role, access.resource) else {
                continue;
            };
            let operand = sources.iter().position(|&source| Some(source) == access.operand);
            for register in (first.0..).take(count as usize) {
                let bank = register as usize % spec.banks;
                if let Some(operand) = operand {
                    reads.name(operand, bank, register as u8, keeps(instruction, sources[operand]));
                }
                if !seen.contains(&register) && seen.try_push(register).is_ok() {
                    reads.rows[bank] += 1;
                }
            }
        }
        if instruction.opcode.info().pipe == Pipe::Tensor {
            reads.window = reads.rows.into_iter().max().unwrap_or(0);
        } else {
            let most = spec.window.min(u64::from(u8::MAX)) as u8;
            reads.rows = reads.rows.map(|rows| rows.min(most));
            reads.double = 0;
        }
        reads
    }

    /// An operand reads a register of a bank, and keeps it or not.
    fn name(&mut self, operand: usize, bank: usize, register: u8, keeps: bool) {
        let shift = shift(operand, bank);
        if self.read >> shift & 0x80 == 0 {
            self.registers |= Bytes::from(register) << shift;
            self.read |= 0x80 << shift;
            self.kept |= Bytes::from(keeps) << (shift + 7);
        } else {
            self.double |= 0x80 << shift;
        }
    }
}

/// Whether an operand keeps its register.
fn keeps(instruction: &Instruction, operand: usize) -> bool {
    matches!(instruction.operands.get(operand), Some(Operand::Register { reuse: true, .. }))
}

/// The ports of the register file of a sub-partition.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Ports {
    /// When each bank can read the next row.
    free: [Cycle; MOST_BANKS],
    /// The registers that operands have kept, by bank, and the warps whose they are.
    registers: Bytes,
    warps: Bytes,
    /// Which of these there are: the highest bit of their bytes.
    kept: Bytes,
    /// The dispatch whose result would come with the last late one.
    meets_late: Cycle,
    /// When wide loads come, the first of them first; zero for none.
    wide: [Cycle; MOST_WIDE],
    /// The last dispatch whose result comes as most do.
    last_early: Cycle,
}

impl Ports {
    /// An instruction of a warp is issued `now`: for how long the dispatcher holds it back for the ports.
    #[inline]
    pub(crate) fn dispatch(
        &mut self,
        file: &RegisterFileSpec,
        warp: u32,
        (reads, result): (&RegisterReads, ResultTime),
        now: Cycle,
    ) -> u64 {
        let late = self.read(file.window, warp, reads, now);
        let at = now.later(late);
        match (result, file.late_result) {
            (ResultTime::Early, Some(_)) if self.meets_late == at => late + 1,
            (ResultTime::Early, _) => {
                let late = late + self.meet_wide(file, at);
                self.last_early = now.later(late);
                late
            }
            (ResultTime::Late, Some(behind)) => {
                self.meets_late = at.later(behind);
                late
            }
            (ResultTime::WideLoad, _) if file.wide_load > 0 => {
                self.expect_wide(at.later(file.load_latency));
                late
            }
            _ => late,
        }
    }

    /// A wide load will come; of more than can be kept the last ones count as one.
    fn expect_wide(&mut self, at: Cycle) {
        let free = self.wide.iter().position(|&wide| wide == Cycle(0));
        self.wide[free.unwrap_or(MOST_WIDE - 1)] = at;
    }

    /// An instruction with a result is dispatched: for how long it is held back as a wide load comes now or came one cycle ago
    /// and found a result in the way.
    #[inline]
    fn meet_wide(&mut self, file: &RegisterFileSpec, at: Cycle) -> u64 {
        let mut late = 0;
        while self.wide[0] != Cycle(0) && self.wide[0] <= at {
            if at.since(self.wide[0]) <= 1 && self.last_early.later(1) == at {
                late = file.wide_load;
            }
            self.wide.rotate_left(1);
            self.wide[MOST_WIDE - 1] = Cycle(0);
        }
        late
    }

    /// An instruction of a warp is issued `now`: for how long the dispatcher holds it back, so that it can read all it needs
    /// within its window. An instruction that comes after one that was held back comes after its dispatch.
    #[inline]
    pub(crate) fn read(&mut self, window: u64, warp: u32, reads: &RegisterReads, now: Cycle) -> u64 {
        let rows = self.look_up(reads, warp).map(u64::from);
        let first = now.later(1);
        let [end, other] = [0, 1].map(|bank| self.free[bank].max(first).later(rows[bank]));
        let late = end.max(other).since(first.later(window.max(u64::from(reads.window))));
        let start = first.later(late);
        self.free = [0, 1].map(|bank| self.free[bank].max(start).later(rows[bank]));
        late
    }

    /// The rows that must be read from each bank; what operands keep from now on.
    #[inline]
    fn look_up(&mut self, reads: &RegisterReads, warp: u32) -> [u8; MOST_BANKS] {
        let mut rows = reads.rows;
        if self.kept | reads.kept == 0 {
            return rows;
        }
        let warp = Bytes::from(warp as u8) * LOWEST;
        let other = (self.registers ^ reads.registers) | (self.warps ^ warp);
        // The highest bit of each byte that is zero.
        let same = !(((other & !HIGHEST) + !HIGHEST) | other) & HIGHEST;
        let found = same & self.kept & reads.read;
        if found != 0 {
            let double = found & reads.double;
            rows[0] = rows[0].saturating_sub(count(found & FIRST_BANK) + count(double & FIRST_BANK));
            rows[1] = rows[1].saturating_sub(count(found & !FIRST_BANK) + count(double & !FIRST_BANK));
        }
        let new = whole(reads.kept);
        self.registers = self.registers & !new | reads.registers & new;
        self.warps = self.warps & !new | warp & new;
        self.kept = self.kept & !reads.read | reads.kept;
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::{Ports, RegisterFileSpec, RegisterReads, ResultTime};
    use warplab_diagnostics::Source;
    use warplab_program::listing::read;
    use warplab_units::Cycle;

    const SPEC: RegisterFileSpec =
        RegisterFileSpec { banks: 2, window: 3, late_result: Some(2), wide_load: 2, load_latency: 23 };

    /// Cycles that the instructions of one warp take when each issues as soon as it may, over and over (measured:
    /// traces/h200/core/banks.txt).
    fn cycles_per_instruction(lines: &[&str]) -> f64 {
        let text = format!(".kernel k\n{}\n", lines.join("\n"));
        let (program, faults) = read(&Source::new("code", text));
        assert!(faults.is_empty(), "{faults:?}");
        let instructions = &program.kernels[0].instructions;
        let (mut ports, mut now, rounds) = (Ports::default(), Cycle(100), 1000);
        for _ in 0..rounds {
            for instruction in instructions {
                let uses = (&RegisterReads::new(&SPEC, instruction), ResultTime::of(instruction));
                now = now + ports.dispatch(&SPEC, 3, uses, now) + 1;
            }
        }
        (now.0 - 100) as f64 / (rounds * instructions.len()) as f64
    }

    fn close(lines: &[&str], expected: f64) {
        let cycles = cycles_per_instruction(lines);
        assert!((cycles - expected).abs() < 0.01, "{cycles} for {lines:?}");
    }

    /// A product of matrices reads two registers of each bank for A and for C, and one for B; it is not held back itself.
    #[test]
    fn a_product_of_matrices_keeps_the_banks_for_as_long_as_it_reads() {
        let (product, keeps) = ("HMMA.16816.F32 R8, R4, R2, R8", "HMMA.16816.F32 R8, R4.reuse, R2.reuse, R8");
        close(&[product], 5.0);
        close(&[keeps], 2.0);
        close(&[product, "NOP", "NOP", "NOP", "NOP", "LOP3.LUT R20, R22, R24, R26, 0x1e, !PT"], 9.0 / 6.0);
    }

    /// Measured: traces/h200/core/issue.txt, DFMA and FFMAs; the model has none of its units here.
    #[test]
    fn a_result_that_would_come_with_a_late_one_waits_a_cycle() {
        let (late, early) = ("DFMA R10, RZ, RZ, RZ", "FFMA R20, RZ, RZ, RZ");
        close(&[late, early], 1.0);
        close(&[late, early, early, early], 5.0 / 4.0);
        close(&[late, early, "ISETP.NE.AND P0, PT, RZ, RZ, PT", early], 1.0);
    }

    #[test]
    fn of_loads_from_shared_memory_only_those_of_128_bits_hold_results_back() {
        let among = |load| [&[load][..], &["FFMA R20, RZ, RZ, RZ"; 31]].concat();
        close(&among("LDS R10, [RZ]"), 1.0);
        close(&among("LDS.64 R10, [RZ]"), 1.0);
        close(&among("LDS.128 R12, [RZ]"), 34.0 / 32.0);
        close(&[&["LDS.128 R12, [RZ]"][..], &["FFMA RZ, RZ, RZ, RZ"; 31]].concat(), 1.0);
    }

    #[test]
    fn a_bank_gives_one_row_per_cycle() {
        close(&["FFMA R10, R26, R36, R46"], 3.0);
        close(&["FFMA R10, R26, R36, R47"], 2.0);
        close(&["FMUL R10, R26, R37"], 1.0);
    }

    #[test]
    fn a_register_that_two_operands_name_is_read_once() {
        close(&["FFMA R10, R26, R26, R26"], 1.0);
        close(&["FFMA R10, R26, R26, R28"], 2.0);
    }

    #[test]
    fn a_pair_takes_a_row_of_each_bank() {
        close(&["DFMA R10, R26, R28, R30"], 3.0);
        close(&["STG.E.128 desc[UR4][R26.64], R28"], 3.0);
    }

    #[test]
    fn instructions_read_within_three_cycles() {
        let (all, none) = ("FFMA R10, R26, R36, R46", "FFMA R11, RZ, RZ, RZ");
        close(&[all, none, none], 1.0);
        close(&[all, none], 1.5);
        close(&[all, all, all, all, none, none, none, none], 1.75);
    }

    #[test]
    fn an_operand_keeps_its_row_for_the_next_instruction_that_reads_its_bank() {
        let keeps = "FFMA R10, R26.reuse, R36, R46";
        close(&[keeps], 2.0);
        // The second takes the kept row, and keeps none.
        close(&[keeps, "FFMA R11, R26, R38, R48"], 2.5);
        close(&[keeps, "FFMA R12, R28, RZ, RZ", "FFMA R11, R26, R38, R48"], 7.0 / 3.0);
        close(&[keeps, "FFMA R12, R27, RZ, RZ", "FFMA R11, R26, R38, R48"], 5.0 / 3.0);
        close(&[keeps, "FFMA R12, RZ, R28, RZ", "FFMA R11, R26, R38, R48"], 2.0);
    }

    #[test]
    fn another_operand_does_not_see_a_row_that_was_kept() {
        close(&["FFMA R10, R26.reuse, R36, R46", "FFMA R11, R38, R26, R48"], 3.0);
    }

    #[test]
    fn a_row_that_was_kept_is_of_one_warp() {
        let (program, _) =
            read(&Source::new("code", ".kernel k\nFFMA R10, R26.reuse, R36, R46\n".to_owned()));
        let reads = RegisterReads::new(&SPEC, &program.kernels[0].instructions[0]);
        let mut ports = Ports::default();
        assert_eq!(ports.read(3, 0, &reads, Cycle(10)), 0);
        assert_eq!(ports.read(3, 1, &reads, Cycle(11)), 2);
        // Of its own it needs two rows more, not three.
        assert_eq!(ports.read(3, 1, &reads, Cycle(14)), 1);
    }
}

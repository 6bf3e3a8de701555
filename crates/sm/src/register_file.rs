//! The read ports of the register file: one row of a register per bank and cycle, and the rows that operands keep for the
//! next instruction.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};
use warplab_program::Instruction;
use warplab_program::access::{Resource, Role};
use warplab_program::operand::Operand;
use warplab_units::Cycle;

/// Banks of a register file at most.
pub(crate) const MOST_BANKS: usize = 2;

/// Source operands that can keep a row.
const OPERANDS: usize = 3;

/// The numbers of a register file whose ports can be short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterFileSpec {
    /// Register `n` is in bank `n` modulo these.
    pub(crate) banks: usize,
    /// Cycles after issue in which an instruction reads.
    pub(crate) window: u64,
}

/// No row of a register.
const NO_REGISTER: u8 = u8::MAX;

/// What an instruction reads from the register file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RegisterReads {
    /// The registers of each source operand, by bank: the first two of wide ones.
    operands: Option<[[u8; MOST_BANKS]; OPERANDS]>,
    /// The operands that keep their rows for the next instruction, one bit each.
    kept: u8,
    /// Rows to read from each bank if none has been kept.
    rows: [u8; MOST_BANKS],
}

impl RegisterReads {
    /// What an instruction reads; it reads a register once that two operands name.
    pub(crate) fn new(spec: &RegisterFileSpec, instruction: &Instruction) -> RegisterReads {
        let mut reads = RegisterReads::default();
        let mut operands = [[NO_REGISTER; MOST_BANKS]; OPERANDS];
        let sources = source_operands(instruction);
        let mut seen: ArrayVec<u32, 32> = ArrayVec::new();
        for access in instruction.accesses() {
            let (Role::Read, Resource::Registers(first, count)) = (access.role, access.resource) else {
                continue;
            };
            let operand = sources.iter().position(|&source| Some(source) == access.operand);
            for register in (first.0..).take(count as usize).map(u32::from) {
                let bank = register as usize % spec.banks;
                if let Some(operand) = operand.filter(|&operand| operand < OPERANDS)
                    && operands[operand][bank] == NO_REGISTER
                {
                    operands[operand][bank] = register as u8;
                }
                if !seen.contains(&register) && seen.try_push(register).is_ok() {
                    reads.rows[bank] += 1;
                }
            }
        }
        for (operand, &source) in sources.iter().enumerate().take(OPERANDS) {
            if let Some(Operand::Register { reuse: true, .. }) = instruction.operands.get(source) {
                reads.kept |= 1 << operand;
            }
        }
        reads.operands = reads.rows.iter().any(|&rows| rows > 0).then_some(operands);
        reads
    }
}

/// The operands that an instruction reads, predicates left out.
fn source_operands(instruction: &Instruction) -> ArrayVec<usize, 16> {
    let written = instruction.written_operands();
    let operands = instruction.operands.iter().enumerate();
    operands
        .filter(|(index, operand)| {
            let is_predicate =
                matches!(operand, Operand::Predicate { .. } | Operand::UniformPredicate { .. });
            written >> index & 1 == 0 && !is_predicate
        })
        .map(|(index, _)| index)
        .take(16)
        .collect()
}

/// A row that an operand has kept: of which warp, and its register.
type Row = u16;

const NO_ROW: Row = Row::MAX;

/// The read ports of the register file of a sub-partition.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct ReadPorts {
    /// When each bank can read the next row.
    free: [Cycle; MOST_BANKS],
    /// The rows that operands have kept, by bank.
    rows: [[Row; MOST_BANKS]; OPERANDS],
    /// Whether any has.
    keeps: bool,
}

impl Default for ReadPorts {
    fn default() -> ReadPorts {
        ReadPorts { free: [Cycle(0); MOST_BANKS], rows: [[NO_ROW; MOST_BANKS]; OPERANDS], keeps: false }
    }
}

impl ReadPorts {
    /// An instruction of a warp is issued `now`: for how long the dispatcher holds it back, so that it can read all it needs
    /// within its window.
    #[inline]
    pub(crate) fn read(&mut self, window: u64, warp: u32, reads: &RegisterReads, now: Cycle) -> u64 {
        let Some(operands) = &reads.operands else { return 0 };
        let rows =
            if self.keeps || reads.kept != 0 { self.look_up(operands, reads, warp) } else { reads.rows };
        let first = now + 1;
        let mut late = 0;
        for (free, rows) in self.free.iter().zip(rows) {
            if rows > 0 {
                let last = (*free).max(first) + u64::from(rows).min(window);
                late = late.max(last.0.saturating_sub(first.0 + window));
            }
        }
        for (free, rows) in self.free.iter_mut().zip(rows) {
            if rows > 0 {
                *free = (*free).max(first + late) + u64::from(rows).min(window);
            }
        }
        late
    }

    /// The rows that must be read from each bank; what operands keep from now on.
    fn look_up(
        &mut self,
        operands: &[[u8; MOST_BANKS]; OPERANDS],
        reads: &RegisterReads,
        warp: u32,
    ) -> [u8; MOST_BANKS] {
        let mut rows = reads.rows;
        self.keeps = false;
        for (operand, (registers, kept)) in operands.iter().zip(&mut self.rows).enumerate() {
            for (bank, (&register, kept)) in registers.iter().zip(kept).enumerate() {
                if register != NO_REGISTER {
                    let row = (warp as Row) << u8::BITS | Row::from(register);
                    rows[bank] = rows[bank].saturating_sub(u8::from(*kept == row));
                    *kept = if reads.kept >> operand & 1 != 0 { row } else { NO_ROW };
                }
                self.keeps |= *kept != NO_ROW;
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::{ReadPorts, RegisterFileSpec, RegisterReads};
    use warplab_diagnostics::Source;
    use warplab_program::listing::read;
    use warplab_units::Cycle;

    const SPEC: RegisterFileSpec = RegisterFileSpec { banks: 2, window: 3 };

    /// Cycles that the instructions of one warp take when each issues as soon as it may, over and over (measured:
    /// traces/h200/core/banks.txt).
    fn cycles_per_instruction(lines: &[&str]) -> f64 {
        let text = format!(".kernel k\n{}\n", lines.join("\n"));
        let (program, faults) = read(&Source::new("code", text));
        assert!(faults.is_empty(), "{faults:?}");
        let instructions = &program.kernels[0].instructions;
        let (mut ports, mut now, rounds) = (ReadPorts::default(), Cycle(100), 1000);
        for _ in 0..rounds {
            for instruction in instructions {
                let reads = RegisterReads::new(&SPEC, instruction);
                now = now + ports.read(SPEC.window, 3, &reads, now) + 1;
            }
        }
        (now.0 - 100) as f64 / (rounds * instructions.len()) as f64
    }

    fn close(lines: &[&str], expected: f64) {
        let cycles = cycles_per_instruction(lines);
        assert!((cycles - expected).abs() < 0.01, "{cycles} for {lines:?}");
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
        let mut ports = ReadPorts::default();
        assert_eq!(ports.read(3, 0, &reads, Cycle(10)), 0);
        assert_eq!(ports.read(3, 1, &reads, Cycle(11)), 2);
        // Of its own it needs two rows more, not three.
        assert_eq!(ports.read(3, 1, &reads, Cycle(14)), 1);
    }
}

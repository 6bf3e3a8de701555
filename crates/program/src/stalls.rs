//! The table of minimum stalls: how soon after a fixed-latency result a compiler lets each kind of reader issue, seen
//! in the stall counts of a program. Over enough code it is the compiler's own latency table.

use crate::access::Role;
use crate::instruction::Instruction;
use crate::kernel::{Kernel, Program};
use crate::latency::{LatencyClass, LatencyTable};
use crate::opcode::Opcode;
use crate::reader::Reader;
use crate::slot::Slot;
use std::collections::BTreeMap;

/// What was seen of one class of results and one kind of reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StallRow {
    /// The class of the result.
    pub result: LatencyClass,
    /// What reads it.
    pub reader: Reader,
    /// The fewest cycles from the issue of the one to the issue of the other.
    pub minimum: u32,
    /// Pairs of instructions that were seen.
    pub pairs: u32,
    /// The first pair with the minimum: the kernel, and the two indices into its code.
    pub example: (String, u32, u32),
}

/// What a latency table says of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StallVerdict {
    /// The compiler waits exactly as long as the table asks.
    Exact,
    /// The table asks for more than the compiler waits: a wrong latency.
    TooLong,
    /// The compiler was never seen to wait so little as the table allows.
    NeverSo,
}

impl StallRow {
    /// Whether the row agrees with a table.
    #[must_use]
    pub fn verdict(&self, table: &LatencyTable) -> StallVerdict {
        match u32::from(table.cycles_to(self.result, self.reader)).cmp(&self.minimum) {
            std::cmp::Ordering::Equal => StallVerdict::Exact,
            std::cmp::Ordering::Greater => StallVerdict::TooLong,
            std::cmp::Ordering::Less => StallVerdict::NeverSo,
        }
    }
}

/// The minimum stalls of a program, by class of the result and reader. Pairs are counted along straight-line code,
/// where no instruction from the one to the other waits for a wait counter.
#[must_use]
pub fn minimum_stalls(program: &Program) -> Vec<StallRow> {
    let mut rows = BTreeMap::new();
    for kernel in &program.kernels {
        add_kernel(kernel, &mut rows);
    }
    rows.into_values().collect()
}

/// A result under way: who makes it, when, and of which class.
#[derive(Clone, Copy)]
struct Result {
    pc: u32,
    issued: u32,
    class: LatencyClass,
}

fn add_kernel(kernel: &Kernel, rows: &mut BTreeMap<(LatencyClass, Reader), StallRow>) {
    let mut results: Vec<Vec<Result>> = vec![Vec::new(); Slot::COUNT];
    let mut now = 0;
    for (pc, instruction) in (0..).zip(&kernel.instructions) {
        if instruction.control.wait_mask != 0 {
            results.iter_mut().for_each(Vec::clear);
        }
        add_reads(kernel, pc, now, &results, rows);
        add_results(instruction, pc, now, &mut results);
        now = now.saturating_add(u32::from(instruction.control.stall.max(1)));
        if !instruction.falls_through() || instruction.opcode == Opcode::Call {
            results.iter_mut().for_each(Vec::clear);
        }
    }
}

fn add_reads(
    kernel: &Kernel,
    pc: u32,
    now: u32,
    results: &[Vec<Result>],
    rows: &mut BTreeMap<(LatencyClass, Reader), StallRow>,
) {
    let instruction = &kernel.instructions[pc as usize];
    for access in instruction.accesses().iter().filter(|access| access.role == Role::Read) {
        for (part, slot) in (0..).zip(access.resource.slots()) {
            let reader = Reader::of(instruction, access, part);
            for result in &results[slot.index()] {
                let row = rows.entry((result.class, reader)).or_insert_with(|| StallRow {
                    result: result.class,
                    reader,
                    minimum: u32::MAX,
                    pairs: 0,
                    example: (kernel.name.clone(), result.pc, pc),
                });
                row.pairs += 1;
                if now - result.issued < row.minimum {
                    row.minimum = now - result.issued;
                    row.example = (kernel.name.clone(), result.pc, pc);
                }
            }
        }
    }
}

fn add_results(instruction: &Instruction, pc: u32, now: u32, results: &mut [Vec<Result>]) {
    for access in instruction.accesses().iter().filter(|access| access.role == Role::Write) {
        for (part, slot) in (0..).zip(access.resource.slots()) {
            let class = LatencyClass::of_result(instruction, access.resource, part);
            let pending = &mut results[slot.index()];
            if instruction.guard.is_always() {
                pending.clear();
            }
            if !class.is_variable() {
                pending.push(Result { pc, issued: now, class });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{StallVerdict, minimum_stalls};
    use crate::latency::{LatencyClass, LatencyException, LatencyTable};
    use crate::listing::read;
    use crate::reader::Reader;
    use warplab_diagnostics::Source;

    /// Lines with control fields, from address 0.
    fn rows(code: &[(u8, &str, &str)]) -> Vec<super::StallRow> {
        let lines: String = code
            .iter()
            .enumerate()
            .map(|(index, (stall, wait, text))| {
                format!("{:04x} stall={stall} yield=0 wr=- rd=- wait={wait} {text} ;\n", index * 16)
            })
            .collect();
        let (program, faults) = read(&Source::new("t", format!(".kernel k\n{lines}")));
        assert_eq!(faults, []);
        minimum_stalls(&program)
    }

    fn seen(code: &[(u8, &str, &str)]) -> Vec<(LatencyClass, Reader, u32, u32)> {
        rows(code).into_iter().map(|row| (row.result, row.reader, row.minimum, row.pairs)).collect()
    }

    const NONE: &str = "000000";

    #[test]
    fn stalls_add_up_from_the_result_to_each_reader() {
        let rows = seen(&[
            (4, NONE, "IADD3 R0, R1, 0x1, RZ"),
            (1, NONE, "IADD3 R2, R0, 0x1, RZ"),
            (13, NONE, "ISETP.NE.AND P0, PT, R0, RZ, PT"),
            (5, NONE, "@P0 FFMA R4, R0, R0, R0"),
        ]);
        assert_eq!(
            rows,
            [
                (LatencyClass::Alu, Reader::Alu, 4, 2),
                (LatencyClass::Alu, Reader::Fma, 18, 3),
                (LatencyClass::Predicate, Reader::Guard, 13, 1),
            ]
        );
    }

    #[test]
    fn the_halves_of_a_wide_product_are_told_apart() {
        let rows = seen(&[
            (3, NONE, "IMAD.WIDE R2, R0, 0x4, R6"),
            (2, NONE, "LOP3.LUT R8, R2, 0x1, RZ, 0xc0, !PT"),
            (1, NONE, "LDG.E R0, desc[UR4][R2.64]"),
        ]);
        assert_eq!(
            rows,
            [
                (LatencyClass::FmaWide, Reader::Lsu, 5, 1),
                (LatencyClass::FmaWideLow, Reader::Alu, 3, 1),
                (LatencyClass::FmaWideLow, Reader::Lsu, 5, 1),
            ]
        );
    }

    #[test]
    fn nothing_is_counted_across_a_wait_or_a_jump() {
        let add = "IADD3 R0, R1, 0x1, RZ";
        assert_eq!(seen(&[(4, NONE, add), (1, "000001", "IADD3 R2, R0, 0x1, RZ")]), []);
        assert_eq!(seen(&[(4, NONE, add), (5, NONE, "BRA 0x0"), (1, NONE, "IADD3 R2, R0, 0x1, RZ")]), []);
    }

    #[test]
    fn a_guarded_write_leaves_the_result_before_it_in_question() {
        let rows = seen(&[
            (1, NONE, "IADD3 R0, R1, 0x1, RZ"),
            (4, NONE, "@P0 IADD3 R0, R1, 0x2, RZ"),
            (1, NONE, "IADD3 R2, R0, 0x1, RZ"),
        ]);
        assert_eq!(rows, [(LatencyClass::Alu, Reader::Alu, 4, 2)]);
    }

    #[test]
    fn a_table_is_judged_by_the_compilers_own_stalls() {
        let row = &rows(&[(4, NONE, "IADD3 R0, R1, 0x1, RZ"), (1, NONE, "IADD3 R2, R0, 0x1, RZ")])[0];
        let verdict = |cycles| row.verdict(&LatencyTable::from_fn(|_| cycles));
        assert_eq!(
            [3, 4, 5].map(verdict),
            [StallVerdict::NeverSo, StallVerdict::Exact, StallVerdict::TooLong]
        );
        let exception = LatencyException { result: LatencyClass::Alu, reader: Reader::Alu, cycles: 4 };
        let table = LatencyTable::from_fn(|_| 9).with_exceptions([exception]);
        assert_eq!(row.verdict(&table), StallVerdict::Exact);
    }
}

//! `warplab listing FILE --stalls`.

use warplab_program::instruction::INSTRUCTION_BYTES;
use warplab_program::stalls::{StallVerdict, minimum_stalls};
use warplab_program::{LatencyTable, Program};
use warplab_report::{Align, Table};

/// The table of minimum stalls of a program beside the latencies of a machine.
pub(crate) fn text(program: &Program, latencies: &LatencyTable) -> String {
    let mut table = Table::new([
        ("result", Align::Left),
        ("reader", Align::Left),
        ("minimum", Align::Right),
        ("pairs", Align::Right),
        ("table", Align::Right),
        ("verdict", Align::Left),
        ("first seen", Align::Left),
    ]);
    let rows = minimum_stalls(program);
    for row in &rows {
        let verdict = match row.verdict(latencies) {
            StallVerdict::Exact => "",
            StallVerdict::TooLong => "WRONG: the table is longer",
            StallVerdict::NeverSo => "never so short",
        };
        let (kernel, from, to) = &row.example;
        let address = |pc: &u32| u64::from(*pc) * INSTRUCTION_BYTES;
        table.row([
            row.result.name().to_owned(),
            row.reader.name().to_owned(),
            row.minimum.to_string(),
            row.pairs.to_string(),
            latencies.cycles_to(row.result, row.reader).to_string(),
            verdict.to_owned(),
            format!("{kernel} {:04x} -> {:04x}", address(from), address(to)),
        ]);
    }
    let wrong = rows.iter().filter(|row| row.verdict(latencies) == StallVerdict::TooLong).count();
    format!("{}{} rows, {wrong} of them longer in the table than in the code\n", table.text(), rows.len())
}

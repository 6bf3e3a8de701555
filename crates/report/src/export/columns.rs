//! The timeline as columns: a row for each state of a warp.

use super::{Row, TimelineRecord};
use std::collections::HashMap;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column<'a> {
    /// Numbers.
    Numbers(Vec<u64>),
    /// Names: each once, and which of them every row has.
    Names {
        /// The names, in the order of their first rows.
        names: Vec<&'a str>,
        /// The index of each row's name.
        codes: Vec<usize>,
    },
}

impl Column<'_> {
    /// A cell as text.
    #[must_use]
    pub fn text(&self, row: usize) -> String {
        match self {
            Column::Numbers(numbers) => numbers[row].to_string(),
            Column::Names { names, codes } => names[codes[row]].to_owned(),
        }
    }
}

/// The timeline as columns with their names: a row for each state of a warp, by its beginning.
#[must_use]
pub fn timeline_columns<'a>(record: &TimelineRecord<'a>) -> [(&'static str, Column<'a>); 11] {
    let rows = record.rows();
    let numbers = |of: &dyn Fn(&Row<'a>) -> u64| Column::Numbers(rows.iter().map(of).collect());
    [
        ("sm", numbers(&|_| u64::from(record.sm))),
        ("scheduler", numbers(&|row| u64::from(row.scheduler))),
        ("slot", numbers(&|row| u64::from(row.slot))),
        ("block", numbers(&|row| row.block)),
        ("warp", numbers(&|row| u64::from(row.warp))),
        ("from", numbers(&|row| row.from)),
        ("to", numbers(&|row| row.to)),
        ("state", names(rows.iter().map(|row| row.state.name()))),
        ("address", numbers(&|row| row.address)),
        ("instruction", names(rows.iter().map(|row| row.instruction))),
        ("place", names(rows.iter().map(|row| row.place))),
    ]
}

fn names<'a>(cells: impl Iterator<Item = &'a str>) -> Column<'a> {
    let mut names = Vec::new();
    let mut known = HashMap::new();
    let mut code = |name| {
        *known.entry(name).or_insert_with(|| {
            names.push(name);
            names.len() - 1
        })
    };
    let codes = cells.map(&mut code).collect();
    Column::Names { names, codes }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::{Column, timeline_columns};

    #[test]
    fn every_name_is_kept_once() {
        sample::with(|record| {
            let columns = timeline_columns(record);
            let [.., state, address, _, place] = &columns;
            let names = vec!["long_scoreboard", "selected", "not_selected"];
            assert_eq!(state, &("state", Column::Names { names, codes: vec![0, 1, 1, 2] }));
            assert_eq!(address, &("address", Column::Numbers(vec![16, 0, 16, 0])));
            assert_eq!(
                place,
                &("place", Column::Names { names: vec!["", "a.cu:3"], codes: vec![0, 1, 0, 1] })
            );
        });
    }
}

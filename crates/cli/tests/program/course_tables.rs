//! The chapter of the course's tables is what `reproduce` prints. `WARPLAB_BLESS=1 cargo test -p warplab-cli course_tables`
//! writes it anew.

use crate::book::{checkout, is_page};
use crate::common::{command, stdout};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use warplab_config::{Course, load_course};
use warplab_diagnostics::Source;

const COURSE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/course");

const START: &str = "# Tables of the course

The rows of the course, in the order of its texts, and then the tables of those that need no launch: occupancies, formulas,
queues and DRAM commands. `warplab reproduce ROW` prints the table of any row, `warplab reproduce --all --html course.html`
draws all of them. A test writes this page.

| row | source | what |
| --- | --- | --- |
";

fn course() -> Course {
    let text = fs::read_to_string(Path::new(COURSE).join("rows.ron")).unwrap();
    load_course(&Source::new("rows.ron", text)).unwrap()
}

/// Whether an experiment simulates a launch, whose cycles change with the model.
fn launches(experiment: &str) -> bool {
    let text = fs::read_to_string(Path::new(COURSE).join(experiment)).unwrap();
    text.lines().any(|line| line.trim() == "kind: launch,")
}

#[test]
fn the_tables_of_the_course_are_those_that_reproduce_prints() {
    let course = course();
    let mut page = START.to_owned();
    for row in &course.rows {
        writeln!(page, "| `{}` | {} | {} |", row.id, row.source, row.what.replace('|', "\\|")).unwrap();
    }
    let calculated = course.rows.iter().filter(|row| !row.experiments.iter().any(|path| launches(path)));
    let folder = checkout("course_tables");
    let mut count = 0;
    for row in calculated {
        let ran = command(&folder, &["reproduce".to_owned(), row.id.clone()]).assert().success();
        let printed = stdout(&ran);
        // Behind the tables comes what is said of all rows together.
        let (tables, _) = printed.split_once("\nrow ").unwrap();
        write!(page, "\n## {}\n\n```text\n{}\n```\n", row.id, tables.trim_end()).unwrap();
        count += 1;
    }
    assert!(course.rows.len() == 47 && count >= 15, "{count} of {} rows", course.rows.len());
    is_page("course_tables.md", &page);
}

//! `warplab lab new`: the start of a person's own lab.

use super::write_all;
use crate::failure::{Failure, Outcome};
use crate::terminal::Terminal;
use std::path::Path;

/// The files of a lab that runs as it is, with comments.
const FILES: [(&str, &str); 5] = [
    ("lab.ron", include_str!("../../../templates/lab/lab.ron")),
    ("text.md", include_str!("../../../templates/lab/text.md")),
    ("launch.ron", include_str!("../../../templates/lab/launch.ron")),
    ("kernel.ptx", include_str!("../../../templates/lab/kernel.ptx")),
    ("solution/worksheet.ron", include_str!("../../../templates/lab/solution/worksheet.ron")),
];

/// Writes the start of a lab into a folder.
pub(crate) fn new(folder: &Path, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let files = FILES.map(|(name, text)| (name.to_owned(), text.to_owned()));
    write_all(folder, &files, terminal)?;
    let folder = folder.display();
    let lab = if folder.to_string().contains('/') { folder.to_string() } else { format!("./{folder}") };
    terminal.print(&format!(
        "Read lab.ron, then: warplab lab start {lab} STUDENT, and warplab lab check {lab} {lab}/solution\n"
    ))?;
    Ok(Outcome::Fine)
}

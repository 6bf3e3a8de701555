//! `warplab lab list|show|start|check|grade|new`.

mod check;
mod grade;
mod new;
mod tries;

pub(crate) use check::check;
pub(crate) use grade::grade;
pub(crate) use new::new;

use crate::failure::{Failure, Outcome};
use crate::labs::{self, LabLocation};
use crate::terminal::Terminal;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;
use warplab_config::Lab;
use warplab_config::lab::WORKSHEET;
use warplab_lab::labs::{copies, describe, worksheet_text};
use warplab_report::{Align, Table};

/// Prints the labs.
pub(crate) fn list(terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let mut table = Table::new([("Lab", Align::Left), ("Title", Align::Left), ("Blanks", Align::Right)]);
    for place in labs::all() {
        let lab = describe(&|path| place.read(path))?;
        let blanks = lab.predictions.len() + lab.changes.len();
        table.row([place.name(), &lab.title, &blanks.to_string()]);
    }
    terminal.print(&table.text())?;
    Ok(Outcome::Fine)
}

/// Prints the text of a lab.
pub(crate) fn show(name: &str, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let (place, lab) = find(name)?;
    let text = place.read(Path::new(&lab.text))?;
    terminal.print(&String::from_utf8_lossy(&text))?;
    Ok(Outcome::Fine)
}

/// Writes a worksheet with blanks, and copies of the programs that the student changes.
pub(crate) fn start(name: &str, folder: &Path, terminal: &mut Terminal) -> Result<Outcome, Failure> {
    let (place, lab) = find(name)?;
    let check = format!("warplab lab check {name} {}", folder.display());
    let mut files = vec![(WORKSHEET.to_owned(), worksheet_text(&lab, place.name(), &check))];
    for (copy, original) in copies(&lab, &|path| place.read(path))? {
        files.push((copy, String::from_utf8_lossy(&place.read(&original)?).into_owned()));
    }
    write_all(folder, &files, terminal)?;
    terminal.print(&format!("Read 'warplab lab show {name}', fill in the worksheet, then: {check}\n"))?;
    Ok(Outcome::Fine)
}

/// Writes files that are not there yet into a folder, and says which.
pub(crate) fn write_all(
    folder: &Path,
    files: &[(String, String)],
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    // A link counts as a file, wherever it leads and even if to nothing.
    if let Some((file, _)) = files.iter().find(|(file, _)| folder.join(file).symlink_metadata().is_ok()) {
        return Err(there_already(&folder.join(file)));
    }
    for (file, text) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap_or(folder))
            .map_err(|error| Failure::Output(format!("{} cannot be made: {error}", folder.display())))?;
        write_new(&path, text)?;
        terminal.print(&format!("{}\n", path.display()))?;
    }
    Ok(())
}

/// Writes a file that is not there yet; nothing is followed or overwritten, even if it came a moment ago.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let written = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => there_already(path),
        _ => Failure::Output(format!("{} cannot be written: {error}", path.display())),
    })
}

fn there_already(path: &Path) -> Failure {
    Failure::input(format!("{} is there already; choose another folder or move it away", path.display()))
}

/// A lab by its number, its name or the path of its folder.
fn find(name: &str) -> Result<(LabLocation, Lab), Failure> {
    let place = labs::find(name)?;
    let lab = describe(&|path| place.read(path))?;
    Ok((place, lab))
}

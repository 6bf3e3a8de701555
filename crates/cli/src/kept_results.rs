//! The results file: a line for each finished point of an experiment, or case of a comparison.

use crate::failure::{Failure, Outcome};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use warplab_lab::experiment::Results;

/// What is finished, and the file that it is kept in.
pub(crate) struct KeptResults {
    path: PathBuf,
    known: Results,
    /// The file once a line was added, and why nothing more is kept.
    file: Mutex<Keeper>,
}

/// Where finished points are kept.
#[derive(Default)]
struct Keeper {
    file: Option<File>,
    failure: Option<io::Error>,
}

impl KeptResults {
    /// Reads what earlier runs have finished, unless a fresh start is wanted.
    pub(crate) fn open(path: &Path, fresh: bool) -> Result<KeptResults, Failure> {
        let known = match fs::read(path) {
            _ if fresh => Results::default(),
            Ok(bytes) => Results::read(&bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Results::default(),
            Err(error) => {
                let file = path.display();
                return Err(Failure::input(format!(
                    "{file} cannot be read: {error}; give another --results"
                )));
            }
        };
        Ok(KeptResults { path: path.to_owned(), known, file: Mutex::default() })
    }

    /// What is known.
    pub(crate) fn known(&self) -> &Results {
        &self.known
    }

    /// Takes over what other results files have.
    pub(crate) fn absorb(&mut self, files: &[Vec<u8>]) {
        for bytes in files {
            let lines = self.known.absorb(bytes);
            lines.iter().for_each(|line| self.keep(line));
        }
    }

    /// Adds a line to the results file, which is made when the first line comes. What cannot be kept costs nothing
    /// but its being kept: [`KeptResults::close`] tells it once, when the tables are printed.
    pub(crate) fn keep(&self, line: &str) {
        let mut keeper = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if keeper.failure.is_none() {
            keeper.failure = keeper.write(&self.path, line).err();
        }
    }

    /// Ends a command: an error if finished points could not be kept.
    pub(crate) fn close(self, outcome: Outcome) -> Result<Outcome, Failure> {
        let keeper = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(error) = keeper.failure else { return Ok(outcome) };
        let file = self.path.display();
        Err(Failure::Output(format!(
            "{file} cannot be written: {error}; the output is complete, but these points will be run again; give another --results"
        )))
    }
}

impl Keeper {
    fn write(&mut self, path: &Path, line: &str) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(open(path)?),
        };
        // One call a line: lines of several threads or programs do not mix.
        file.write_all(line.as_bytes())
    }
}

/// A results file, ready for the next line: a torn last one is ended first.
fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
    let mut last = [b'\n'];
    if file.metadata()?.is_file() && file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

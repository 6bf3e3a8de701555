//! Buffers as files: `--save out=out.npy`.

use crate::failure::Failure;
use crate::sources;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use warplab_diagnostics::nearest_name;
use warplab_exec::{Buffer, MemoryImage};
use warplab_run::npy;

/// A buffer that is to be kept, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Save {
    /// The buffer, or a variable of the program.
    pub(crate) buffer: String,
    /// The file: .npy, or .bin for the bytes alone.
    pub(crate) path: PathBuf,
}

/// Reads `NAME=FILE`.
pub(crate) fn parse(text: &str) -> Result<Save, String> {
    let Some((buffer, path)) =
        text.split_once('=').filter(|(name, path)| !name.is_empty() && !path.is_empty())
    else {
        return Err(format!("'{text}' is not NAME=FILE, for example out=out.npy"));
    };
    let path = PathBuf::from(path);
    if !sources::has_extension(&path, "npy") && !sources::has_extension(&path, "bin") {
        return Err(format!("'{}' ends neither in .npy nor in .bin (the bytes alone)", path.display()));
    }
    Ok(Save { buffer: buffer.to_owned(), path })
}

/// Refuses names that no buffer has, before anything runs.
pub(crate) fn check(wanted: &[Save], known: &[&str]) -> Result<(), Failure> {
    match wanted.iter().find(|save| !known.contains(&save.buffer.as_str())) {
        None => Ok(()),
        Some(save) => Err(Failure::Input(format!("--save: {}", unknown_buffer(&save.buffer, known)))),
    }
}

/// Says that there is no such buffer, and which there are.
pub(crate) fn unknown_buffer(name: &str, known: &[&str]) -> String {
    let near = nearest_name(name, known.iter().copied());
    let near = near.map_or(String::new(), |near| format!(" did you mean '{near}'?"));
    let known = known.join(", ");
    format!("there is no buffer '{name}';{near} known: {known}")
}

/// Writes the buffers.
pub(crate) fn write(wanted: &[Save], image: &MemoryImage) -> Result<(), Failure> {
    for save in wanted {
        let Some(buffer) = image.buffer(&save.buffer) else { continue };
        write_one(&save.path, buffer).map_err(|error| {
            Failure::Output(format!("{} cannot be written: {error}", save.path.display()))
        })?;
    }
    Ok(())
}

fn write_one(path: &Path, buffer: &Buffer) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    if sources::has_extension(path, "npy") {
        write_npy(&mut file, buffer)?;
    } else {
        write_bytes(&mut file, buffer)?;
    }
    file.flush()
}

/// A buffer as an array.
pub(crate) fn write_npy(out: &mut impl Write, buffer: &Buffer) -> io::Result<()> {
    let element = buffer.element.unwrap_or(warplab_run::DEFAULT_ELEMENT);
    out.write_all(&npy::head(element, buffer.elements(element)))?;
    write_bytes(out, buffer)
}

fn write_bytes(out: &mut impl Write, buffer: &Buffer) -> io::Result<()> {
    let mut left = buffer.bytes;
    for index in 0..buffer.words() {
        let word = buffer.word(index).to_le_bytes();
        let part = usize::try_from(left.min(4)).unwrap_or(4);
        out.write_all(&word[..part])?;
        left -= left.min(4);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn what_to_save_is_read() {
        assert_eq!(parse("out=a/out.npy").unwrap().buffer, "out");
        assert_eq!(parse("out").unwrap_err(), "'out' is not NAME=FILE, for example out=out.npy");
        assert_eq!(
            parse("out=out.txt").unwrap_err(),
            "'out.txt' ends neither in .npy nor in .bin (the bytes alone)"
        );
    }
}

//! What must hold when the kernel has ended.

use crate::buffers::ReadFile;
use crate::fault::Fault;
use std::path::Path;
use warplab_config::launch::{Expectation, Formula, Memory, Number, Reference};
use warplab_exec::{Buffer, MemoryImage};
use warplab_metrics::integer_text;

/// One expectation that has been looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Whether it holds.
    pub holds: bool,
    /// A line for the reader.
    pub line: String,
}

/// Looks at every expectation of a launch that has ended.
///
/// # Errors
/// When an expectation cannot be looked at: no such buffer, no such file, a formula that fails.
pub fn check_expectations(
    expectations: &[Expectation],
    image: &MemoryImage,
    read: ReadFile<'_>,
) -> Result<Vec<Checked>, Fault> {
    expectations.iter().map(|expectation| check_one(expectation, image, read)).collect()
}

fn check_one(expectation: &Expectation, image: &MemoryImage, read: ReadFile<'_>) -> Result<Checked, Fault> {
    let (Expectation::Checksum { buffer: name, .. } | Expectation::AllClose { buffer: name, .. }) =
        expectation;
    let buffer = image
        .buffer(name)
        .ok_or_else(|| Fault::input(format!("an expectation is about '{name}', which is no buffer")))?;
    let result = match expectation {
        Expectation::Checksum { sum, xor, .. } => checksum(image, buffer, (*sum, *xor)),
        Expectation::AllClose { expected, relative, absolute, .. } => {
            let tolerance = Tolerance { relative: *relative, absolute: *absolute };
            all_close(image, buffer, expected, tolerance, read)?
        }
    };
    Ok(match result {
        Ok(text) => Checked { holds: true, line: format!("expectation {name}: ok ({text})") },
        Err(text) => Checked { holds: false, line: format!("expectation {name}: FAILED ({text})") },
    })
}

fn checksum(image: &MemoryImage, buffer: &Buffer, expected: (u64, u64)) -> Result<String, String> {
    let words = buffer.words();
    let (sum, xor) = image.checksum(buffer, 0..words);
    if (sum, xor) == expected {
        Ok(format!("checksum of {} words", integer_text(words)))
    } else {
        Err(format!("checksum is sum {sum} xor {xor}, expected sum {} xor {}", expected.0, expected.1))
    }
}

#[derive(Clone, Copy, Debug)]
struct Tolerance {
    relative: f64,
    absolute: f64,
}

/// The largest differences so far and the first element that is too far off.
#[derive(Debug, Default)]
struct Differences {
    relative: f64,
    whole: bool,
    wrong: u64,
    first: Option<(u64, String, String)>,
}

impl Differences {
    fn real(&mut self, index: u64, found: f32, expected: f32, tolerance: Tolerance) {
        let difference = (f64::from(found) - f64::from(expected)).abs();
        let size = f64::from(expected).abs();
        let same = found == expected || (found.is_nan() && expected.is_nan());
        if !same && size > 0.0 && difference.is_finite() {
            self.relative = self.relative.max(difference / size);
        }
        // The negation also catches differences that are no number.
        #[allow(clippy::neg_cmp_op_on_partial_ord)]
        if !same && !(difference <= tolerance.absolute + tolerance.relative * size) {
            self.mismatch(index, found.to_string(), expected.to_string());
        }
    }

    fn whole(&mut self, index: u64, found: u32, expected: i64) {
        self.whole = true;
        if i64::from(found) != expected && i64::from(found.cast_signed()) != expected {
            self.mismatch(index, found.to_string(), expected.to_string());
        }
    }

    fn mismatch(&mut self, index: u64, found: String, expected: String) {
        self.wrong += 1;
        self.first.get_or_insert((index, found, expected));
    }

    fn result(self, words: u64) -> Result<String, String> {
        let error = match self.whole {
            true => "compared exactly".to_owned(),
            false => format!("max relative error {}", error_text(self.relative)),
        };
        match self.first {
            None => Ok(format!("{} elements, {error}", integer_text(words))),
            Some((index, found, expected)) => Err(format!(
                "{} of {} elements differ, {error}; first at {index}: {found}, expected {expected}",
                integer_text(self.wrong),
                integer_text(words)
            )),
        }
    }
}

fn error_text(error: f64) -> String {
    if error == 0.0 { "0".to_owned() } else { format!("{error:.1e}") }
}

fn all_close(
    image: &MemoryImage,
    buffer: &Buffer,
    expected: &Reference,
    tolerance: Tolerance,
    read: ReadFile<'_>,
) -> Result<Result<String, String>, Fault> {
    let words = buffer.words();
    let mut differences = Differences::default();
    match expected {
        Reference::Formula(formula) => {
            let buffers = Buffers::new(formula, image)?;
            for index in 0..words {
                let found = buffer.word(index);
                match formula.evaluate(index, &buffers) {
                    Ok(Number::Real(expected)) => {
                        differences.real(index, f32::from_bits(found), expected, tolerance);
                    }
                    Ok(Number::Whole(expected)) => differences.whole(index, found, expected),
                    Err(fault) => {
                        return Err(Fault::input(format!("'{}' at {index}: {fault}", formula.text())));
                    }
                }
            }
        }
        Reference::File(path) => {
            let bytes = read(Path::new(path))?;
            if bytes.len() as u64 != words * 4 {
                let message = format!("{path} has {} bytes, the buffer {}", bytes.len(), words * 4);
                return Err(Fault::input(message));
            }
            for (index, word) in (0..words).zip(bytes.chunks_exact(4)) {
                let expected = word.iter().rev().fold(0, |bits, &byte| bits << 8 | u32::from(byte));
                let (found, expected) = (f32::from_bits(buffer.word(index)), f32::from_bits(expected));
                differences.real(index, found, expected, tolerance);
            }
        }
    }
    Ok(differences.result(words))
}

/// The buffers that a formula reads, in its order: as they are now, or as they were before the launch.
struct Buffers<'a> {
    buffers: Vec<(&'a Buffer, bool)>,
}

impl<'a> Buffers<'a> {
    fn new(formula: &Formula, image: &'a MemoryImage) -> Result<Buffers<'a>, Fault> {
        let find = |name: &str| {
            let now = image.buffer(name).map(|buffer| (buffer, false));
            now.or_else(|| image.buffer(name.strip_suffix('0')?).map(|buffer| (buffer, true)))
        };
        let reads = formula.reads().iter().map(|read| {
            let message = || Fault::input(format!("the formula reads '{}', which is no buffer", read.name));
            find(&read.name).ok_or_else(message)
        });
        Ok(Buffers { buffers: reads.collect::<Result<_, _>>()? })
    }
}

impl Memory for Buffers<'_> {
    fn word(&self, buffer: usize, index: u64) -> Option<u32> {
        let &(buffer, initial) = self.buffers.get(buffer)?;
        let words = buffer.words();
        (index < words).then(|| if initial { buffer.init.word(index, words) } else { buffer.word(index) })
    }
}

#[cfg(test)]
mod tests {
    use super::check_expectations;
    use crate::no_files;
    use warplab_config::launch::{Expectation, Reference};
    use warplab_exec::{Init, MemoryImage};

    fn expectation(formula: &str, relative: f64) -> Expectation {
        Expectation::AllClose {
            buffer: "y".to_owned(),
            expected: Reference::Formula(formula.parse().unwrap()),
            relative,
            absolute: 0.0,
        }
    }

    fn line(formula: &str, relative: f64) -> String {
        let mut image = MemoryImage::new();
        image.allocate("x", 64, Init::IndexU32);
        let y = image.allocate("y", 64, Init::Zero);
        for index in 0..16u64 {
            image.write_bytes(y + 4 * index, &(2.0 * index as f32).to_le_bytes()).unwrap();
        }
        check_expectations(&[expectation(formula, relative)], &image, &no_files).unwrap().remove(0).line
    }

    #[test]
    fn a_result_that_is_right_says_how_right() {
        assert_eq!(line("2.0 * f32(i)", 0.0), "expectation y: ok (16 elements, max relative error 0)");
        assert_eq!(
            line("2.000002 * f32(i)", 1e-5),
            "expectation y: ok (16 elements, max relative error 9.5e-7)"
        );
        assert_eq!(
            line("y0[i] + 2.0 * f32(i)", 0.0),
            "expectation y: ok (16 elements, max relative error 0)"
        );
    }

    #[test]
    fn a_result_that_is_wrong_says_where_first() {
        assert_eq!(
            line("select(i < 7, 2.0 * f32(i), 1.0)", 0.0),
            "expectation y: FAILED (9 of 16 elements differ, max relative error 2.9e1; first at 7: 14, expected 1)"
        );
    }

    #[test]
    fn a_checksum_that_is_wrong_shows_both() {
        let mut image = MemoryImage::new();
        image.allocate("y", 4, Init::Zero);
        let expected = Expectation::Checksum { buffer: "y".to_owned(), sum: 1, xor: 2 };
        let checked = check_expectations(&[expected], &image, &no_files).unwrap().remove(0);
        assert!(!checked.holds);
        assert!(checked.line.ends_with(", expected sum 1 xor 2)"), "{}", checked.line);
    }
}

//! What must hold when the kernel has ended.

use crate::buffers::{DEFAULT_ELEMENT, ReadFile, file_elements};
use crate::fault::Fault;
use crate::npy;
use serde::{Deserialize, Serialize};
use std::path::Path;
use warplab_config::launch::{ElementType, Evaluator, Expectation, Formula, Memory, Number, Reference};
use warplab_exec::element::decode;
use warplab_exec::{Buffer, MemoryImage};
use warplab_metrics::integer_text;

/// Wrong elements that are kept for the reader.
const SHOWN: usize = 10;

/// One expectation that has been looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// Whether it holds.
    pub holds: bool,
    /// A line for the reader.
    pub line: String,
    /// The first elements that are wrong: at most ten.
    pub mismatches: Vec<Mismatch>,
}

/// An element that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// Its index.
    pub index: u64,
    /// What it should be.
    pub expected: String,
    /// What it is.
    pub found: String,
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
    let differences = match expectation {
        Expectation::Checksum { sum, xor, .. } => return Ok(checksum(image, buffer, (*sum, *xor))),
        Expectation::AllClose { expected, relative, absolute, nan_equal, .. } => {
            let (relative, absolute, nan_equal) = (*relative, *absolute, *nan_equal);
            let tolerance = Tolerance { relative, absolute, nan_equal };
            match expected {
                Reference::Formula(formula) => by_formula(image, buffer, formula, tolerance)?,
                Reference::File(path) => by_file(buffer, path, tolerance, read)?,
            }
        }
    };
    let mismatches = differences.mismatches.clone();
    Ok(match differences.result() {
        Ok(text) => Checked { holds: true, line: format!("expectation {name}: ok ({text})"), mismatches },
        Err(text) => {
            Checked { holds: false, line: format!("expectation {name}: FAILED ({text})"), mismatches }
        }
    })
}

fn checksum(image: &MemoryImage, buffer: &Buffer, expected: (u64, u64)) -> Checked {
    let (name, words) = (&buffer.name, buffer.words());
    let (sum, xor) = image.checksum(buffer, 0..words);
    let holds = (sum, xor) == expected;
    let line = if holds {
        format!("expectation {name}: ok (checksum of {} words)", integer_text(words))
    } else {
        let (wanted_sum, wanted_xor) = expected;
        format!(
            "expectation {name}: FAILED (checksum is sum {sum} xor {xor}, expected sum {wanted_sum} xor {wanted_xor})"
        )
    };
    Checked { holds, line, mismatches: Vec::new() }
}

#[derive(Clone, Copy, Debug)]
struct Tolerance {
    relative: f64,
    absolute: f64,
    nan_equal: bool,
}

/// The largest difference so far and the first elements that are too far off.
#[derive(Debug)]
struct Differences {
    tolerance: Tolerance,
    elements: u64,
    relative: f64,
    /// Whether whole numbers were compared, and nothing else would do.
    exact: bool,
    wrong: u64,
    /// Whether some element is wrong only because it is no number.
    nan: bool,
    mismatches: Vec<Mismatch>,
}

impl Differences {
    fn new(tolerance: Tolerance, elements: u64) -> Differences {
        let mismatches = Vec::new();
        Differences { tolerance, elements, relative: 0.0, exact: false, wrong: 0, nan: false, mismatches }
    }

    /// Compares an element; `single` says how its numbers are shown.
    fn compare(&mut self, index: u64, found: Number, expected: Number, single: bool) {
        let tolerance = self.tolerance;
        let near = match (found, expected) {
            (Number::Whole(a), Number::Whole(b)) => {
                self.exact = tolerance.relative == 0.0 && tolerance.absolute == 0.0;
                a == b || (!self.exact && self.near(found.to_f64(), expected.to_f64()))
            }
            _ => self.near(found.to_f64(), expected.to_f64()),
        };
        if !near {
            self.mismatch(index, text(found, single), text(expected, single));
        }
    }

    fn near(&mut self, found: f64, expected: f64) -> bool {
        if found == expected {
            return true;
        }
        if found.is_nan() && expected.is_nan() {
            self.nan |= !self.tolerance.nan_equal;
            return self.tolerance.nan_equal;
        }
        let (difference, size) = ((found - expected).abs(), expected.abs());
        if size > 0.0 && difference.is_finite() {
            self.relative = self.relative.max(difference / size);
        }
        // A difference that is no number is not near.
        difference <= self.tolerance.absolute + self.tolerance.relative * size
    }

    fn mismatch(&mut self, index: u64, found: String, expected: String) {
        self.wrong += 1;
        if self.mismatches.len() < SHOWN {
            self.mismatches.push(Mismatch { index, expected, found });
        }
    }

    fn result(self) -> Result<String, String> {
        let error = match self.exact {
            true => "compared exactly".to_owned(),
            false => format!("max relative error {}", error_text(self.relative)),
        };
        let elements = integer_text(self.elements);
        match self.mismatches.first() {
            None => Ok(format!("{elements} elements, {error}")),
            Some(Mismatch { index, expected, found }) => {
                let wrong = integer_text(self.wrong);
                let nan = if self.nan { "; NaN equals NaN only with nan_equal: true" } else { "" };
                Err(format!(
                    "{wrong} of {elements} elements differ, {error}; first at {index}: {found}, expected \
                     {expected}{nan}"
                ))
            }
        }
    }
}

fn error_text(error: f64) -> String {
    if error == 0.0 { "0".to_owned() } else { format!("{error:.1e}") }
}

/// A number as its type shows it.
#[expect(clippy::cast_possible_truncation, reason = "numbers of single precision are shown as such")]
fn text(number: Number, single: bool) -> String {
    match number {
        Number::Whole(whole) => whole.to_string(),
        Number::Real(real) if single => (real as f32).to_string(),
        Number::Real(real) => real.to_string(),
    }
}

fn by_formula(
    image: &MemoryImage,
    buffer: &Buffer,
    formula: &Formula,
    tolerance: Tolerance,
) -> Result<Differences, Fault> {
    let reads = Reads::new(formula, image)?;
    let double = buffer.element == Some(ElementType::F64) || reads.has_doubles;
    let mut evaluator = Evaluator::new(formula, &reads, double);
    let elements = buffer.elements(buffer.element.unwrap_or(DEFAULT_ELEMENT));
    let mut differences = Differences::new(tolerance, elements);
    for index in 0..elements {
        let expected = evaluator.at(index);
        let expected =
            expected.map_err(|fault| Fault::input(format!("'{}' at {index}: {fault}", formula.text())))?;
        let found = match (buffer.element, expected) {
            (Some(element), _) => buffer.number(element, index),
            (None, Number::Real(_)) => buffer.number(ElementType::F32, index),
            (None, Number::Whole(expected)) => as_expected(buffer, index, expected),
        };
        differences.compare(index, found, expected, !double);
    }
    Ok(differences)
}

/// A word of a buffer without a type, signed where that is what is expected.
fn as_expected(buffer: &Buffer, index: u64, expected: i128) -> Number {
    let element = if expected < 0 { ElementType::I32 } else { ElementType::U32 };
    buffer.number(element, index)
}

fn by_file(
    buffer: &Buffer,
    path: &str,
    tolerance: Tolerance,
    read: ReadFile<'_>,
) -> Result<Differences, Fault> {
    let bytes = read(Path::new(path))?;
    let of_file = || npy::is_npy(path).then(|| npy::read(&bytes).ok()?.element()).flatten();
    let element = buffer.element.or_else(of_file).unwrap_or(DEFAULT_ELEMENT);
    let data = file_elements(path, &bytes, buffer.element)?;
    if data.len() as u64 != buffer.bytes {
        let message = format!("{path} has {} bytes, the buffer {}", data.len(), buffer.bytes);
        return Err(Fault::input(message));
    }
    let mut differences = Differences::new(tolerance, buffer.elements(element));
    for (index, bytes) in (0_u64..).zip(data.chunks_exact(element.bytes() as usize)) {
        let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        let (found, expected) = (buffer.number(element, index), decode(element, bits));
        differences.compare(index, found, expected, element != ElementType::F64);
    }
    Ok(differences)
}

/// The buffers that a formula reads, in its order: as they are now, or as they were before the launch.
struct Reads<'a> {
    buffers: Vec<(&'a Buffer, bool)>,
    /// Whether any element that is read is of double precision.
    has_doubles: bool,
}

impl<'a> Reads<'a> {
    fn new(formula: &Formula, image: &'a MemoryImage) -> Result<Reads<'a>, Fault> {
        let find = |name: &str| {
            let now = image.buffer(name).map(|buffer| (buffer, false));
            now.or_else(|| image.buffer(name.strip_suffix('0')?).map(|buffer| (buffer, true)))
        };
        let buffers = formula.reads().iter().map(|read| {
            let message = || Fault::input(format!("the formula reads '{}', which is no buffer", read.name));
            find(&read.name).ok_or_else(message)
        });
        let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
        let is_double = |(buffer, _): &(&Buffer, bool)| buffer.element == Some(ElementType::F64);
        let has_doubles = buffers.iter().any(is_double) || formula.reads().iter().any(|read| read.as_double);
        Ok(Reads { buffers, has_doubles })
    }
}

impl Memory for Reads<'_> {
    fn number(&self, buffer: usize, element: Option<ElementType>, index: u64) -> Option<Number> {
        let &(buffer, initial) = self.buffers.get(buffer)?;
        let element = element.or(buffer.element).unwrap_or(DEFAULT_ELEMENT);
        (index < buffer.elements(element)).then(|| match initial {
            true => buffer.initial_number(element, index),
            false => buffer.number(element, index),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Checked, Mismatch, check_expectations};
    use crate::no_files;
    use warplab_config::launch::{ElementType, Expectation, Number, Reference};
    use warplab_exec::{Init, MemoryImage};

    fn expectation(formula: &str, relative: f64) -> Expectation {
        Expectation::AllClose {
            buffer: "y".to_owned(),
            expected: Reference::Formula(formula.parse().unwrap()),
            relative,
            absolute: 0.0,
            nan_equal: false,
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

    /// What is said of a buffer of a type with these bytes beside a file with others.
    fn beside_file(element: Option<ElementType>, found: &[u8], file: &[u8], nan_equal: bool) -> Checked {
        let mut image = MemoryImage::new();
        let y = image.allocate("y", found.len() as u64, Init::Zero);
        image.set_element("y", element);
        image.write_bytes(y, found).unwrap();
        let expected = Reference::File("y.bin".to_owned());
        let buffer = "y".to_owned();
        let expectation = Expectation::AllClose { buffer, expected, relative: 0.0, absolute: 0.0, nan_equal };
        let read = |_: &std::path::Path| Ok(file.to_vec());
        check_expectations(&[expectation], &image, &read).unwrap().remove(0)
    }

    #[test]
    fn two_negative_integers_that_differ_are_not_equal_because_both_are_nan() {
        let (found, file) = ([(-1_i32).to_le_bytes(); 2].concat(), [(-2_i32).to_le_bytes(); 2].concat());
        assert_eq!(
            beside_file(Some(ElementType::I32), &found, &file, false).line,
            "expectation y: FAILED (2 of 2 elements differ, compared exactly; first at 0: -1, expected -2)"
        );
        assert_eq!(
            beside_file(None, &found, &file, false).line,
            "expectation y: FAILED (2 of 2 elements differ, max relative error 0; first at 0: NaN, expected NaN; NaN \
             equals NaN only with nan_equal: true)"
        );
        assert!(beside_file(None, &found, &found, true).holds);
    }

    #[test]
    fn every_element_type_is_compared_as_what_it_is() {
        for element in ElementType::ALL {
            let bytes = |number: i128| {
                let bits = warplab_exec::element::encode(element, Number::Whole(number));
                bits.to_le_bytes()[..element.bytes() as usize].repeat(8)
            };
            assert!(beside_file(Some(element), &bytes(100), &bytes(100), false).holds, "{element}");
            let wrong = beside_file(Some(element), &bytes(100), &bytes(101), false);
            assert!(wrong.line.ends_with("first at 0: 100, expected 101)"), "{element}: {}", wrong.line);
            assert_eq!(wrong.mismatches.len(), 8);
        }
    }

    #[test]
    fn a_formula_reads_every_buffer_as_its_own_type() {
        let mut image = MemoryImage::new();
        let x = image.allocate("x", 16, Init::Zero);
        image.set_element("x", Some(ElementType::I64));
        let y = image.allocate("y", 16, Init::Zero);
        image.set_element("y", Some(ElementType::F64));
        image.write_bytes(x, &[(-3_i64).to_le_bytes(), 5_i64.to_le_bytes()].concat()).unwrap();
        image.write_bytes(y, &[(-0.3_f64).to_le_bytes(), 0.5_f64.to_le_bytes()].concat()).unwrap();
        let checked = check_expectations(&[expectation("0.1 * x[i]", 1e-15)], &image, &no_files).unwrap();
        assert!(checked[0].holds, "{}", checked[0].line);
        let checked =
            check_expectations(&[expectation("f32(0.1) * x[i]", 1e-15)], &image, &no_files).unwrap();
        assert!(!checked[0].holds, "{}", checked[0].line);
    }

    #[test]
    fn at_most_ten_wrong_elements_are_kept() {
        let wrong = beside_file(Some(ElementType::U8), &[1; 12], &[2; 12], false);
        assert_eq!(wrong.mismatches.len(), 10);
        let last = Mismatch { index: 9, expected: "2".to_owned(), found: "1".to_owned() };
        assert_eq!(wrong.mismatches[9], last);
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

//! What can happen to an input.

use std::ops::Range;

/// Words of many formats.
const WORDS: [&str; 26] = [
    "(", ")", "[", "]", "{", "}", ",", ";", ":", "\"", "'", "\\", "//", "/*", "#", "|", "%", "@!", "-",
    "None", "Some(", "é", "\0", "\n", "\u{feff}", "<9>",
];

/// Numbers at the edges of types.
const NUMBERS: [&str; 22] = [
    "0",
    "1",
    "2",
    "63",
    "65",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "4294967300",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
    "-2147483649",
    "1e308",
    "1e-320",
    "0.5",
];

/// A small generator of numbers (splitmix64), the same in every run.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of an input of a kind.
    #[must_use]
    pub fn new(kind: &str, number: u64) -> Random {
        let start = kind.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        let mut random = Random(start ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit; 0 below 0.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % (limit.max(1) as u64)).expect("it is below a usize")
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    /// A range of a text of so many bytes, seldom a long one.
    fn range(&mut self, length: usize) -> Range<usize> {
        let most = if self.below(8) == 0 { 200 } else { 12 };
        let start = self.below(length);
        start..(start + self.below(most)).min(length)
    }
}

/// Damages an input in one place; `other` is an input of the same kind, `words` mean something to its reader.
pub fn mutate(bytes: &mut Vec<u8>, other: &[u8], words: &[&str], random: &mut Random) {
    let length = bytes.len();
    match random.below(14) {
        0 => bytes.iter_mut().skip(random.below(length)).take(1).for_each(|byte| *byte = random.byte()),
        1 => drop(bytes.drain(random.range(length))),
        2 => {
            let copy = bytes[random.range(length)].to_vec();
            insert(bytes, &copy, random);
        }
        3 => {
            let copy = other[random.range(other.len())].to_vec();
            insert(bytes, &copy, random);
        }
        4 => {
            let (one, two) = (random.below(length), random.below(length));
            if length > 0 {
                bytes.swap(one, two);
            }
        }
        5 => insert(bytes, WORDS[random.below(WORDS.len())].as_bytes(), random),
        6 if !words.is_empty() => insert(bytes, words[random.below(words.len())].as_bytes(), random),
        7 if random.below(8) == 0 => bytes.truncate(random.below(length)),
        8 if !words.is_empty() => {
            replace(bytes, u8::is_ascii_alphabetic, words[random.below(words.len())].as_bytes(), random);
        }
        8..=10 => {
            let word = run(other, u8::is_ascii_alphanumeric, random).map_or(&[][..], |range| &other[range]);
            replace(bytes, u8::is_ascii_alphanumeric, word, random);
        }
        _ => replace(bytes, u8::is_ascii_digit, NUMBERS[random.below(NUMBERS.len())].as_bytes(), random),
    }
}

fn insert(bytes: &mut Vec<u8>, what: &[u8], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    bytes.splice(at..at, what.iter().copied());
}

/// The next run of such bytes after some place.
fn run(bytes: &[u8], such: fn(&u8) -> bool, random: &mut Random) -> Option<Range<usize>> {
    let place = random.below(bytes.len());
    let start = place + bytes.iter().skip(place).position(such)?;
    let length = bytes[start..].iter().take_while(|byte| such(byte)).count();
    Some(start..start + length)
}

/// Replaces the next run of such bytes after some place.
fn replace(bytes: &mut Vec<u8>, such: fn(&u8) -> bool, new: &[u8], random: &mut Random) {
    if let Some(range) = run(bytes, such, random) {
        bytes.splice(range, new.iter().copied());
    }
}

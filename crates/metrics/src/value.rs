//! Values and their units.

use crate::format::{integer_text, real_text};

/// The value of a metric, in base units: bytes, nanoseconds, hertz, per cent.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A count.
    Integer(u64),
    /// A ratio or a rate.
    Real(f64),
    /// Words.
    Text(String),
    /// The launch has nothing to measure it by (a division by zero).
    Absent,
}

impl Value {
    /// One number divided by another; absent when the other is zero.
    #[must_use]
    pub fn ratio(part: f64, whole: f64) -> Value {
        if whole == 0.0 { Value::Absent } else { Value::Real(part / whole) }
    }

    /// One number as a share of another, in per cent.
    #[must_use]
    pub fn percent(part: f64, whole: f64) -> Value {
        Value::ratio(100.0 * part, whole)
    }

    /// The value as a number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match *self {
            Value::Integer(count) => Some(count as f64),
            Value::Real(real) => Some(real),
            Value::Text(_) | Value::Absent => None,
        }
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Value {
        Value::Integer(count)
    }
}

impl From<u32> for Value {
    fn from(count: u32) -> Value {
        Value::Integer(u64::from(count))
    }
}

impl From<f64> for Value {
    fn from(real: f64) -> Value {
        Value::Real(real)
    }
}

/// What a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A plain number or words.
    None,
    /// Per cent.
    Percent,
    /// A thing that is counted; the word is printed as it is.
    Count(&'static str),
    /// Bytes: printed as byte, Kbyte, Mbyte, Gbyte by size.
    Bytes,
    /// Bytes of a block of threads: likewise.
    BytesPerBlock,
    /// Bytes per second: likewise.
    BytesPerSecond,
    /// Nanoseconds: printed as ns, us, ms, s by size.
    Nanoseconds,
    /// Hertz: printed as hz, Khz, Mhz, Ghz by size.
    Hertz,
}

impl Unit {
    /// The name of the base unit.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Unit::None => "",
            Unit::Percent => "%",
            Unit::Count(name) => name,
            Unit::Bytes => "byte",
            Unit::BytesPerBlock => "byte/block",
            Unit::BytesPerSecond => "byte/s",
            Unit::Nanoseconds => "ns",
            Unit::Hertz => "hz",
        }
    }

    /// Larger units by factors of 1,000, the base unit first.
    fn steps(self) -> &'static [&'static str] {
        match self {
            Unit::Bytes => &["byte", "Kbyte", "Mbyte", "Gbyte", "Tbyte"],
            Unit::BytesPerBlock => &["byte/block", "Kbyte/block", "Mbyte/block"],
            Unit::BytesPerSecond => &["byte/s", "Kbyte/s", "Mbyte/s", "Gbyte/s", "Tbyte/s"],
            Unit::Nanoseconds => &["ns", "us", "ms", "s"],
            Unit::Hertz => &["hz", "Khz", "Mhz", "Ghz"],
            Unit::None | Unit::Percent | Unit::Count(_) => &[],
        }
    }

    /// A value in the largest unit in which it is at least one: the unit's name and the number as text.
    #[must_use]
    pub fn scaled(self, value: &Value) -> (&'static str, String) {
        let steps = self.steps();
        let (Some(number), [_, .., _]) = (value.number(), steps) else { return self.base(value) };
        let mut step = 0;
        let mut scaled = number;
        while scaled.abs() >= 1000.0 && step + 1 < steps.len() {
            scaled /= 1000.0;
            step += 1;
        }
        if step == 0 { self.base(value) } else { (steps[step], real_text(scaled)) }
    }

    /// A value in its base unit: the unit's name and the number as text.
    #[must_use]
    pub fn base(self, value: &Value) -> (&'static str, String) {
        let text = match value {
            Value::Integer(count) => integer_text(*count),
            Value::Real(real) => real_text(*real),
            Value::Text(text) => text.clone(),
            Value::Absent => "n/a".to_owned(),
        };
        (self.name(), text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Unit, Value};

    #[test]
    fn a_value_is_printed_in_the_largest_unit_in_which_it_is_at_least_one() {
        assert_eq!(Unit::Nanoseconds.scaled(&Value::Real(31_584.0)), ("us", "31.58".to_owned()));
        assert_eq!(Unit::BytesPerSecond.scaled(&Value::Real(4.813e12)), ("Tbyte/s", "4.81".to_owned()));
        assert_eq!(Unit::Bytes.scaled(&Value::Integer(999)), ("byte", "999".to_owned()));
        assert_eq!(Unit::Hertz.scaled(&Value::Real(1.98e9)), ("Ghz", "1.98".to_owned()));
        assert_eq!(Unit::Count("cycle").scaled(&Value::Integer(62_005)), ("cycle", "62,005".to_owned()));
        assert_eq!(Unit::Percent.scaled(&Value::Absent), ("%", "n/a".to_owned()));
    }

    #[test]
    fn a_ratio_to_nothing_is_absent() {
        assert_eq!(Value::ratio(1.0, 0.0), Value::Absent);
        assert_eq!(Value::percent(1.0, 4.0), Value::Real(25.0));
    }
}

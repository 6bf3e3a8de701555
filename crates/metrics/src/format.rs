//! Numbers as text: the same on every machine, with thousands separators.

/// A count with thousands separators: `62,005`.
#[must_use]
pub fn integer_text(count: u64) -> String {
    group_thousands(&count.to_string())
}

/// A real number with two digits after the point and thousands separators; exactly nothing is `0`.
#[must_use]
pub fn real_text(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return "n/a".to_owned();
    }
    let text = format!("{:.2}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((text.as_str(), "00"));
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}.{fraction}", group_thousands(whole))
}

/// A real number without what is after its point: 0 for one below 0 and for NaN, the largest for one beyond it.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "this is what `as` does with reals"
)]
pub fn whole_number(value: f64) -> u64 {
    value as u64
}

/// A text of decimal digits with a comma before every third digit from the right.
#[must_use]
pub fn group_thousands(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{integer_text, real_text, whole_number};

    #[test]
    fn thousands_are_separated() {
        assert_eq!(integer_text(0), "0");
        assert_eq!(integer_text(999), "999");
        assert_eq!(integer_text(1000), "1,000");
        assert_eq!(integer_text(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn whole_numbers_stay_within_their_type() {
        let numbers = [-1.0, f64::NAN, 7.9, 1e30].map(whole_number);
        assert_eq!(numbers, [0, 0, 7, u64::MAX]);
    }

    #[test]
    fn reals_have_two_digits_after_the_point() {
        assert_eq!(real_text(0.0), "0");
        assert_eq!(real_text(1234.567), "1,234.57");
        assert_eq!(real_text(-0.5), "-0.50");
        assert_eq!(real_text(0.001), "0.00");
        assert_eq!(real_text(f64::NAN), "n/a");
    }
}

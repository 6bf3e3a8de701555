//! From values to places, and the ticks between.

/// A scale from values to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale that shows all values; a linear one that does not fit categories starts at zero.
    pub(super) fn new(values: impl Iterator<Item = f64>, log: bool, (from, to): (f64, f64)) -> Scale {
        let usable = values.filter(|value| value.is_finite() && (!log || *value > 0.0));
        let (low, high) = usable
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low > high { (1.0, 10.0) } else { (low, high) };
        if log {
            let (low, high) = if low == high { (low / 2.0, high * 2.0) } else { (low, high) };
            let room = (high / low).powf(0.05);
            return Scale { low: (low / room).ln(), high: (high * room).ln(), log, from, to };
        }
        let low = low.min(0.0);
        let high = if high <= low { low + 1.0 } else { high + (high - low) * 0.06 };
        Scale { low, high, log, from, to }
    }

    /// A scale of numbered categories, each in the middle of its share.
    pub(super) fn of_categories(count: usize, (from, to): (f64, f64)) -> Scale {
        Scale { low: -0.5, high: count.max(1) as f64 - 0.5, log: false, from, to }
    }

    /// Where a value lies; values that a logarithmic scale cannot show lie at its start.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = match self.log {
            true if value > 0.0 => value.ln(),
            true => self.low,
            false => value,
        };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round values inside the scale.
    pub(super) fn ticks(&self) -> Vec<f64> {
        if self.log { self.log_ticks() } else { self.linear_ticks() }
    }

    fn linear_ticks(&self) -> Vec<f64> {
        let raw = (self.high - self.low) / 6.0;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|step| *step >= raw);
        let step = step.unwrap_or(raw);
        let first = whole(self.low / step, f64::ceil);
        let last = whole(self.high / step, f64::floor);
        (first..=last).map(|number| number as f64 * step).collect()
    }

    /// Powers of ten, or of two where there are few of them.
    fn log_ticks(&self) -> Vec<f64> {
        let powers = |base: f64| -> Vec<f64> {
            let (first, last) =
                (exponent((self.low / base.ln()).ceil()), exponent((self.high / base.ln()).floor()));
            (first..=last).map(|exponent| base.powi(exponent)).collect()
        };
        let of_ten = powers(10.0);
        if of_ten.len() >= 3 {
            return of_ten;
        }
        let of_two = powers(2.0);
        let every = of_two.len().div_ceil(9).max(1);
        of_two.into_iter().step_by(every).collect()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "`as` stays within the type; no scale has so many ticks")]
fn whole(value: f64, rounded: fn(f64) -> f64) -> i64 {
    rounded(value) as i64
}

/// The exponent of a power: that of the largest real has three digits.
#[expect(clippy::cast_possible_truncation, reason = "`as` stays within the type, and no power is beyond it")]
pub(crate) fn exponent(value: f64) -> i32 {
    value as i32
}

/// A tick's number: whole ones without a point, small ones with the digits that they need.
pub(super) fn tick_text(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if value.abs() >= 1e6 || value.abs() < 1e-3 {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let (whole, fraction) = text.split_once('.').map_or((text, ""), |(whole, fraction)| (whole, fraction));
    let digits = warplab_metrics::group_thousands(whole);
    if fraction.is_empty() { digits } else { format!("{digits}.{fraction}") }
}

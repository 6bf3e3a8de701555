//! From values to places, and the ticks between.

/// Values that span so much are shown on a logarithmic axis unless the chart says otherwise.
const TWO_DECADES: f64 = 100.0;

/// A scale from values to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    from: f64,
    to: f64,
}

/// Whether values are shown on a logarithmic axis: as the chart says, or where they span two decades.
pub(super) fn is_log(values: impl Iterator<Item = f64>, said: Option<bool>) -> bool {
    said.unwrap_or_else(|| {
        let (low, high) = ends(values, false);
        low > 0.0 && high / low >= TWO_DECADES
    })
}

/// The lowest and the highest value that an axis can show.
fn ends(values: impl Iterator<Item = f64>, log: bool) -> (f64, f64) {
    let usable = values.filter(|value| value.is_finite() && (!log || *value > 0.0));
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = usable.fold(none, |(low, high), value| (low.min(value), high.max(value)));
    if low > high { (1.0, 10.0) } else { (low, high) }
}

impl Scale {
    /// A scale that shows all values, a linear one from zero.
    pub(super) fn new(values: impl Iterator<Item = f64>, log: bool, (from, to): (f64, f64)) -> Scale {
        let (low, high) = ends(values, log);
        if log {
            let (low, high) = if low == high { (low / 2.0, high * 2.0) } else { (low, high) };
            let room = (high / low).powf(0.05);
            return Scale { low: (low / room).ln(), high: (high * room).ln(), log, from, to };
        }
        let low = low.min(0.0);
        let high = if high <= low { low + 1.0 } else { high + (high - low) * 0.06 };
        Scale { low, high, log, from, to }
    }

    /// The same for bars: a logarithmic one begins at the power of ten below the lowest, so that every bar has a length.
    pub(super) fn of_bars(values: impl Iterator<Item = f64>, log: bool, (from, to): (f64, f64)) -> Scale {
        let (low, high) = ends(values, log);
        let foot = 10_f64.powi(exponent((low * 0.8).log10().floor()));
        let foot = if log { foot } else { low };
        Scale::new([foot, high].into_iter(), log, (from, to)).with_foot(foot)
    }

    fn with_foot(self, foot: f64) -> Scale {
        if self.log { Scale { low: foot.ln(), ..self } } else { self }
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

    /// The values at its ends.
    pub(super) fn ends(&self) -> (f64, f64) {
        if self.log { (self.low.exp(), self.high.exp()) } else { (self.low, self.high) }
    }

    /// Where bars begin.
    pub(super) fn floor(&self) -> f64 {
        if self.log { self.from } else { self.place(0.0) }
    }

    /// Whether the scale is logarithmic.
    pub(super) fn is_log(&self) -> bool {
        self.log
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
        // A little room: the end of a scale may be a power itself, and its logarithm a little beside.
        let powers = |base: f64| -> Vec<f64> {
            let (first, last) = (self.low / base.ln() - 1e-9, self.high / base.ln() + 1e-9);
            (exponent(first.ceil())..=exponent(last.floor())).map(|exponent| base.powi(exponent)).collect()
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

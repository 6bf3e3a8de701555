//! The error of a metric over many cases.

use super::statistics::{geometric_mean, kendall_tau};
use super::{Comparison, Measure, Pair, Rule, mean, pearson};

/// The error of a metric over many cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The metric.
    pub measure: Measure,
    /// Cases in the statistics.
    pub count: usize,
    /// Cases left out because both values are too small for a relative error.
    pub small: usize,
    /// Cases left out because the hardware's value is too small, though the simulated one is not.
    pub false_positives: usize,
    /// Mean absolute error: in per cent of the hardware's value, or in percentage points.
    pub error: Option<f64>,
    /// Geometric mean of simulated / hardware; for points the mean of simulated - hardware.
    pub bias: Option<f64>,
    /// Pearson's correlation coefficient of the logarithms; for points of the values.
    pub pearson: Option<f64>,
    /// Kendall's rank correlation tau-b.
    pub tau: Option<f64>,
}

/// One case of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlier<'a> {
    /// The case.
    pub comparison: &'a Comparison,
    /// What the hardware measured.
    pub hardware: f64,
    /// What the simulator counted.
    pub simulated: f64,
    /// The absolute error: in per cent of the hardware's value, or in percentage points.
    pub error: f64,
}

/// Whether the hardware's value has an error by this rule.
fn counts(rule: Rule, value: f64) -> bool {
    match rule {
        Rule::Points => true,
        Rule::Relative { least } => value >= least && value > 0.0,
    }
}

impl Measure {
    /// The absolute error of a pair, if it has one: in per cent of the hardware's value, or in percentage points.
    #[must_use]
    pub fn error(&self, pair: &Pair) -> Option<f64> {
        let difference = (pair.simulated? - pair.hardware).abs();
        counts(self.rule, pair.hardware).then(|| match self.rule {
            Rule::Points => difference,
            Rule::Relative { .. } => 100.0 * difference / pair.hardware,
        })
    }

    /// The cases that have an error, in order.
    pub(crate) fn outliers<'a>(
        self,
        comparisons: impl IntoIterator<Item = &'a Comparison>,
    ) -> impl Iterator<Item = Outlier<'a>> {
        comparisons.into_iter().filter_map(move |comparison| {
            let pair = comparison.pair(self.id)?;
            let error = self.error(pair)?;
            Some(Outlier { comparison, hardware: pair.hardware, simulated: pair.simulated?, error })
        })
    }

    /// The cases with the largest errors, the largest first; equal ones in the order of the cases.
    pub fn worst<'a>(
        self,
        comparisons: impl IntoIterator<Item = &'a Comparison>,
        count: usize,
    ) -> Vec<Outlier<'a>> {
        let mut all: Vec<Outlier<'a>> = self.outliers(comparisons).filter(|case| case.error > 0.0).collect();
        all.sort_by(|one, other| other.error.total_cmp(&one.error));
        all.truncate(count);
        all
    }

    /// The cases of which the hardware's value is too small for a relative error, though the simulated one is not.
    pub fn false_positives<'a>(
        self,
        comparisons: impl IntoIterator<Item = &'a Comparison>,
    ) -> impl Iterator<Item = (&'a Comparison, f64, f64)> {
        comparisons.into_iter().filter_map(move |comparison| {
            let pair = comparison.pair(self.id)?;
            let simulated = pair.simulated?;
            let is_false = !counts(self.rule, pair.hardware) && counts(self.rule, simulated);
            is_false.then_some((comparison, pair.hardware, simulated))
        })
    }

    /// The error of the metric over cases.
    pub fn summary<'a>(
        self,
        comparisons: impl IntoIterator<Item = &'a Comparison, IntoIter: Clone>,
    ) -> Summary {
        let comparisons = comparisons.into_iter();
        let cases: Vec<Outlier<'a>> = self.outliers(comparisons.clone()).collect();
        let false_positives = self.false_positives(comparisons.clone()).count();
        let with_values = comparisons
            .filter(|comparison| comparison.pair(self.id).is_some_and(|pair| pair.simulated.is_some()));
        let errors: Vec<f64> = cases.iter().map(|case| case.error).collect();
        let points: Vec<(f64, f64)> = cases.iter().map(|case| (case.hardware, case.simulated)).collect();
        // A value that is zero has no logarithm; its error of 100 % stays in the mean.
        let positive = || points.iter().filter(|point| point.0 > 0.0 && point.1 > 0.0);
        let (bias, correlation) = match self.rule {
            Rule::Points => {
                let differences: Vec<f64> = points.iter().map(|point| point.1 - point.0).collect();
                (mean(&differences), pearson(&points))
            }
            Rule::Relative { .. } => {
                let ratios: Vec<f64> = positive().map(|point| point.1 / point.0).collect();
                let logarithms: Vec<(f64, f64)> =
                    positive().map(|point| (point.0.ln(), point.1.ln())).collect();
                (geometric_mean(&ratios), pearson(&logarithms))
            }
        };
        Summary {
            measure: self,
            count: cases.len(),
            small: with_values.count() - cases.len() - false_positives,
            false_positives,
            error: mean(&errors),
            bias,
            pearson: correlation,
            tau: kendall_tau(&points),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Compared, Comparison, Measure, Pair};

    fn cases(id: &'static str, values: &[(f64, f64)]) -> Vec<Comparison> {
        let case = |(index, &(hardware, simulated)): (usize, &(f64, f64))| Comparison {
            suite: "s".to_owned(),
            case: format!("c{index}"),
            kernel: "k".to_owned(),
            isa: "sass",
            group: "c".to_owned(),
            result: Ok(Compared {
                pairs: vec![Pair { id, hardware, simulated: Some(simulated) }],
                wrong_outputs: Vec::new(),
            }),
        };
        values.iter().enumerate().map(case).collect()
    }

    #[test]
    fn relative_errors_leave_out_what_is_small_and_say_so() {
        let id = "smsp__inst_executed.sum";
        let measure = Measure::find(id).unwrap();
        let cases = cases(id, &[(1000.0, 2000.0), (4000.0, 2000.0), (10.0, 999.0), (10.0, 1000.0)]);
        let summary = measure.summary(&cases);
        assert_eq!((summary.count, summary.small, summary.false_positives), (2, 1, 1));
        assert_eq!(summary.error, Some(75.0));
        assert!((summary.bias.unwrap() - 1.0).abs() < 1e-12);
        let worst: Vec<(&str, f64)> =
            measure.worst(&cases, 1).iter().map(|it| (it.comparison.case.as_str(), it.error)).collect();
        assert_eq!(worst, [("c0", 100.0)]);
        assert_eq!(measure.false_positives(&cases).map(|it| it.2).collect::<Vec<f64>>(), [1000.0]);
    }

    #[test]
    fn a_simulated_zero_is_an_error_of_a_hundred_per_cent() {
        let id = "smsp__inst_executed.sum";
        let summary = Measure::find(id).unwrap().summary(&cases(id, &[(1000.0, 0.0), (1000.0, 500.0)]));
        assert_eq!((summary.error, summary.bias), (Some(75.0), Some(0.5)));
    }

    #[test]
    fn rates_are_compared_in_points() {
        let id = "l1tex__t_sector_hit_rate.pct";
        let summary = Measure::find(id).unwrap().summary(&cases(id, &[(0.0, 10.0), (50.0, 45.0)]));
        assert_eq!((summary.count, summary.error, summary.bias), (2, Some(7.5), Some(2.5)));
    }

    #[test]
    fn nothing_has_no_statistics() {
        let summary = Measure::find("clock_cycles").unwrap().summary(&cases("clock_cycles", &[]));
        assert_eq!((summary.count, summary.error, summary.bias, summary.tau), (0, None, None, None));
    }
}

//! Statistics of two lists of numbers.

use std::cmp::Ordering;

/// The arithmetic mean; of nothing there is none.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The geometric mean of positive numbers; of nothing there is none.
#[must_use]
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    mean(&logarithms).map(f64::exp)
}

/// Pearson's correlation coefficient; none for fewer than two points or where one list does not vary.
#[must_use]
pub fn pearson(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let (sum_x, sum_y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0, y + point.1));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in points {
        let (x, y) = (x - mean_x, y - mean_y);
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    (points.len() >= 2 && xx > 0.0 && yy > 0.0).then(|| xy / (xx * yy).sqrt())
}

/// Kendall's rank correlation tau-b, which takes ties into account; none where one list does not vary.
///
/// All pairs are looked at: some hundred points are meant.
#[must_use]
pub(crate) fn kendall_tau(points: &[(f64, f64)]) -> Option<f64> {
    let (mut agreement, mut untied_x, mut untied_y) = (0_i64, 0_u64, 0_u64);
    for (index, (x, y)) in points.iter().enumerate() {
        for (other_x, other_y) in &points[..index] {
            let (by_x, by_y) = (sign(x.total_cmp(other_x)), sign(y.total_cmp(other_y)));
            agreement += by_x * by_y;
            untied_x += by_x.unsigned_abs();
            untied_y += by_y.unsigned_abs();
        }
    }
    let whole = (untied_x as f64 * untied_y as f64).sqrt();
    (whole > 0.0).then(|| agreement as f64 / whole)
}

fn sign(ordering: Ordering) -> i64 {
    match ordering {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{geometric_mean, kendall_tau, mean, pearson};

    fn near(found: Option<f64>, expected: f64) {
        let found = found.expect("there is a value");
        assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
    }

    #[test]
    fn means_of_small_lists() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
        near(geometric_mean(&[0.5, 2.0, 8.0]), 2.0);
        assert_eq!((mean(&[]), geometric_mean(&[])), (None, None));
    }

    #[test]
    fn pearson_is_one_on_a_line_and_minus_one_on_a_falling_one() {
        near(pearson(&[(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)]), 1.0);
        near(pearson(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), -1.0);
    }

    #[test]
    fn pearson_of_three_points_by_hand() {
        // Deviations (-1, 0, 1) and (0, -1, 1): products sum to 1, squares to 2 and 2.
        near(pearson(&[(1.0, 2.0), (2.0, 1.0), (3.0, 3.0)]), 0.5);
    }

    #[test]
    fn what_does_not_vary_has_no_correlation() {
        assert_eq!(pearson(&[(1.0, 5.0), (2.0, 5.0)]), None);
        assert_eq!(pearson(&[(1.0, 5.0)]), None);
        assert_eq!(pearson(&[]), None);
        assert_eq!(kendall_tau(&[(1.0, 5.0), (2.0, 5.0)]), None);
        assert_eq!(kendall_tau(&[]), None);
    }

    #[test]
    fn tau_counts_pairs_in_the_same_order() {
        // Of six pairs one is turned round: (5 - 1) / 6.
        near(kendall_tau(&[(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 4.0)]), 4.0 / 6.0);
    }

    #[test]
    fn tau_takes_ties_out_of_the_whole() {
        // Pairs: 2 agree, 1 is tied in x; untied by x 2, by y 3: 2 / sqrt(6).
        near(kendall_tau(&[(1.0, 1.0), (1.0, 2.0), (2.0, 3.0)]), 2.0 / 6.0_f64.sqrt());
    }
}

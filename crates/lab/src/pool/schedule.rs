//! Which run starts when, and with how many cores.

/// What each core beyond the first adds to the speed of a run: 1.75 times on two cores, 12 times on sixteen. Measured
/// on two cores are 1.85 to 2.0 times, on sixteen 6 to 10 (streaming, FFMA).
const GAIN_PER_CORE: f64 = 0.75;

/// The cores of the next run: one while there are runs for all, then the free ones are shared among the last.
pub(super) fn cores_of_next(free: usize, runs_left: usize) -> usize {
    (free / runs_left.max(1)).max(1)
}

/// How many of the most expensive runs go first, one after the other with all cores, so that all end soonest. Without
/// them a run that takes longer than the others together would end on one core while the others are idle.
pub(super) fn runs_with_all_cores(descending_costs: &[u64], cores: usize) -> usize {
    let most = if cores < 2 { 0 } else { cores.min(descending_costs.len()) };
    let mut best = (f64::INFINITY, 0);
    for first in 0..=most {
        let (wide, others) = descending_costs.split_at(first);
        let end = wide.iter().map(|&cost| time(cost, cores)).sum::<f64>() + end_of(others, cores);
        if end < best.0 {
            best = (end, first);
        }
    }
    best.1
}

fn time(cost: u64, cores: usize) -> f64 {
    cost as f64 / (1.0 + GAIN_PER_CORE * (cores as f64 - 1.0))
}

/// When the last of these runs ends, as [`cores_of_next`] deals the cores.
fn end_of(costs: &[u64], cores: usize) -> f64 {
    // Runs that are going on: their ends and cores. There are never more than cores.
    let mut running: Vec<(f64, usize)> = Vec::new();
    let (mut now, mut free) = (0.0, cores);
    for (index, &cost) in costs.iter().enumerate() {
        if free == 0 {
            let earliest = running.iter().enumerate().min_by(|a, b| a.1.0.total_cmp(&b.1.0));
            if let Some((place, &(end, cores))) = earliest {
                running.swap_remove(place);
                (now, free) = (end, cores);
            }
        }
        let taken = cores_of_next(free, costs.len() - index);
        running.push((now + time(cost, taken), taken));
        free -= taken;
    }
    running.iter().map(|&(end, _)| end).fold(now, f64::max)
}

#[cfg(test)]
mod tests {
    use super::{cores_of_next, runs_with_all_cores};

    #[test]
    fn the_last_runs_share_the_free_cores() {
        assert_eq!(
            [(4, 9), (4, 4), (4, 2), (3, 2), (1, 1)].map(|(free, left)| cores_of_next(free, left)),
            [1, 1, 2, 1, 1]
        );
    }

    #[test]
    fn three_equal_runs_on_two_cores_begin_with_one_on_both() {
        assert_eq!(runs_with_all_cores(&[10, 10, 10], 2), 1);
    }

    #[test]
    fn four_equal_runs_on_two_cores_have_one_core_each() {
        assert_eq!(runs_with_all_cores(&[10, 10, 10, 10], 2), 0);
    }

    #[test]
    fn one_core_has_nothing_to_deal() {
        assert_eq!(runs_with_all_cores(&[10, 1], 1), 0);
    }
}

//! States of a device to go back to: few, and close together near where one is.

use std::collections::BTreeMap;
use warplab_gpu::DeviceState;
use warplab_units::Cycle;

/// Snapshots by the first cycle that can be shown from them.
#[derive(Clone, Debug)]
pub(super) struct Snapshots {
    kept: BTreeMap<Cycle, DeviceState>,
    most: usize,
}

impl Snapshots {
    /// The beginning, which is always kept, and room for `most` in all.
    pub(super) fn new(beginning: DeviceState, most: usize) -> Snapshots {
        Snapshots { kept: BTreeMap::from([(Cycle(0), beginning)]), most: most.max(2) }
    }

    /// The last snapshot from which a cycle can be shown.
    pub(super) fn before(&self, cycle: Cycle) -> Option<(Cycle, &DeviceState)> {
        self.kept.range(..=cycle).next_back().map(|(&from, state)| (from, state))
    }

    /// Whether a snapshot at `from` is worth its room on the way to a cycle `rest` cycles later: the nearer to the
    /// destination, the closer they lie.
    pub(super) fn is_wanted(&self, from: Cycle, rest: u64) -> bool {
        let since = self.before(from).map_or(u64::MAX, |(before, _)| from - before);
        since > 0 && since >= (rest / 2).min(from.0 / 16)
    }

    /// Keeps a state. Where there is no more room, the one goes that leaves the smallest gap for its distance from here.
    pub(super) fn keep(&mut self, from: Cycle, state: DeviceState) {
        self.kept.insert(from, state);
        if self.kept.len() > self.most
            && let Some(least) = least_useful(&self.kept.keys().copied().collect::<Vec<Cycle>>(), from)
        {
            self.kept.remove(&least);
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }
}

/// The cycle whose snapshot is missed least at `here`, neither the first nor `here` itself.
fn least_useful(cycles: &[Cycle], here: Cycle) -> Option<Cycle> {
    let inner = cycles.iter().enumerate().skip(1).filter(|(_, cycle)| **cycle != here);
    let gap = |&(number, &cycle): &(usize, &Cycle)| {
        let after = cycles.get(number + 1).map_or(u64::MAX, |after| *after - cycles[number - 1]);
        let distance = here.0.abs_diff(cycle.0);
        // Fixed point: gaps are compared by their share of the distance.
        u128::from(after) * 1024 / u128::from(distance.max(1))
    };
    inner.min_by_key(gap).map(|(_, &cycle)| cycle)
}

#[cfg(test)]
mod tests {
    use super::least_useful;
    use warplab_units::Cycle;

    fn left_after(count: u64, most: usize) -> Vec<u64> {
        let mut kept = vec![Cycle(0)];
        for cycle in (100..=count).step_by(100) {
            kept.push(Cycle(cycle));
            if kept.len() > most {
                let gone = least_useful(&kept, Cycle(cycle)).unwrap();
                kept.retain(|cycle| *cycle != gone);
            }
        }
        kept.into_iter().map(|cycle| cycle.0).collect()
    }

    #[test]
    fn the_first_and_the_newest_snapshot_stay_and_the_gaps_grow_with_the_distance() {
        let left = left_after(10_000, 8);
        assert_eq!((left.len(), left[0], left[7]), (8, 0, 10_000));
        let gaps: Vec<u64> = left.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.windows(2).all(|pair| pair[0] >= pair[1]), "{left:?}");
        assert_eq!(gaps[6], 100);
    }

    #[test]
    fn with_the_first_and_the_newest_alone_none_may_go() {
        assert_eq!(least_useful(&[Cycle(0), Cycle(5)], Cycle(5)), None);
    }
}

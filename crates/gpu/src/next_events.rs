//! When each of many units next does something.

use serde::{Deserialize, Serialize};
use warplab_units::Cycle;

/// The next event of each unit, side by side: finding those that are due does not touch the units themselves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NextEvents(Vec<Cycle>);

impl NextEvents {
    /// So many units that do nothing.
    pub(crate) fn never(units: usize) -> NextEvents {
        NextEvents(vec![Cycle::NEVER; units])
    }

    /// The first event of all, or never.
    pub(crate) fn first(&self) -> Cycle {
        self.0.iter().copied().min().unwrap_or(Cycle::NEVER)
    }

    /// A unit does something no later than `at`.
    pub(crate) fn no_later(&mut self, unit: usize, at: Cycle) {
        self.0[unit] = self.0[unit].min(at);
    }

    /// The next event of a unit.
    pub(crate) fn of(&self, unit: usize) -> Cycle {
        self.0[unit]
    }

    /// All units, to be looked at and changed.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Cycle] {
        &mut self.0
    }

    /// The units that do something before `end`, ascending.
    pub(crate) fn due(&self, end: Cycle) -> impl Iterator<Item = usize> {
        let units = self.0.iter().enumerate();
        units.filter(move |(_, at)| **at < end).map(|(unit, _)| unit)
    }
}

/// The units with these numbers, which ascend.
pub(crate) fn chosen<'a, T>(units: &'a mut [T], numbers: &'a [usize]) -> impl Iterator<Item = &'a mut T> {
    let mut rest = units.iter_mut();
    let mut next = 0;
    numbers.iter().filter_map(move |&number| {
        let unit = rest.nth(number - next);
        next = number + 1;
        unit
    })
}

#[cfg(test)]
mod tests {
    use super::{NextEvents, chosen};
    use warplab_units::Cycle;

    #[test]
    fn units_are_due_before_the_end_only() {
        let mut next = NextEvents::never(3);
        next.no_later(2, Cycle(9));
        next.no_later(0, Cycle(10));
        assert_eq!(next.due(Cycle(10)).collect::<Vec<usize>>(), [2]);
        assert_eq!(next.first(), Cycle(9));
    }

    #[test]
    fn chosen_units_come_in_order() {
        let mut units = [10, 11, 12, 13];
        assert_eq!(chosen(&mut units, &[0, 2, 3]).collect::<Vec<&mut i32>>(), [&10, &12, &13]);
    }

    #[test]
    fn a_later_event_does_not_put_off_an_earlier_one() {
        let mut next = NextEvents::never(1);
        next.no_later(0, Cycle(5));
        next.no_later(0, Cycle(7));
        assert_eq!(next.first(), Cycle(5));
    }
}

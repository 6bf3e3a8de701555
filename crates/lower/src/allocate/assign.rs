//! Ranges take registers one after another, the lowest that are free over all their segments.

use super::banks::Together;
use super::{Class, Classes, Failure, Segment, alignment, spills, weights_of};
use crate::code::{Code, DESCRIPTOR};
use crate::liveness::Numbering;
use std::collections::BTreeMap;

/// What is taken of one real register: from each start, until when and by which class.
#[derive(Clone, Debug, Default)]
struct Taken(BTreeMap<u32, (u32, usize)>);

impl Taken {
    fn is_free(&self, segments: &[Segment]) -> bool {
        segments.iter().all(|&(start, end)| {
            self.0.range(..end).next_back().is_none_or(|(_, &(taken_end, _))| taken_end <= start)
        })
    }

    /// When the register was last in use before a position; 0 if never.
    fn last_before(&self, position: u32) -> u32 {
        self.0.range(..=position).next_back().map_or(0, |(_, &(end, _))| end)
    }

    fn take(&mut self, segments: &[Segment], class: usize) {
        for &(start, end) in segments {
            self.0.insert(start, (end, class));
        }
    }

    fn give_back(&mut self, segments: &[Segment]) {
        for (start, _) in segments {
            self.0.remove(start);
        }
    }

    /// The classes that are in the way of some segments.
    fn in_the_way(&self, segments: &[Segment], found: &mut Vec<usize>) {
        for &(start, end) in segments {
            let below = self.0.range(..end).rev();
            found.extend(below.map(|(_, it)| it).take_while(|it| it.0 > start).map(|it| it.1));
        }
    }
}

/// Registers being given to classes.
struct Assignment<'a> {
    classes: &'a [Option<Class>],
    limits: [u32; 3],
    taken: [Vec<Taken>; 3],
    homes: Vec<Option<u32>>,
    /// Where each register is to rest as long as possible: the values that had better be in different banks.
    rested: Option<&'a Together>,
    /// The first uniform register that is given to values.
    first_uniform: u32,
}

/// In which order values take registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// As they come to life; of those that do so together, wide groups first, which are harder to place.
    ByStart,
    /// Wide groups before all others.
    WideFirst,
}

/// The owner of the stack pointer.
const NOBODY: usize = usize::MAX;

impl Assignment<'_> {
    fn start(&self, number: usize) -> Option<u32> {
        let class = self.classes[number].as_ref()?;
        class.units.iter().filter_map(|unit| unit.first()).map(|it| it.0).min()
    }

    /// The registers where a class has room.
    fn room<'c>(&'c self, class: &'c Class) -> impl Iterator<Item = u32> + 'c {
        let first = if class.kind == 2 { self.first_uniform } else { 0 };
        let room = self.limits[class.kind].saturating_sub(crate::code::number(class.units.len()) - 1);
        (first..room).step_by(alignment(class.units.len()) as usize)
    }

    fn is_free(&self, class: &Class, home: u32) -> bool {
        let mut units = class.units.iter().enumerate();
        units.all(|(index, unit)| self.taken[class.kind][home as usize + index].is_free(unit))
    }

    /// Finds room for a class; says whether there is some.
    fn place(&mut self, number: usize) -> bool {
        let classes = self.classes;
        let Some(class) = &classes[number] else { return true };
        if class.units.iter().all(Vec::is_empty) {
            return true;
        }
        let Some(home) = self.home_for(number, class) else { return false };
        for (index, unit) in class.units.iter().enumerate() {
            self.taken[class.kind][home as usize + index].take(unit, number);
        }
        self.homes[number] = Some(home);
        true
    }

    /// The first register where a class has room, or the one that rested longest.
    fn home_for(&self, number: usize, class: &Class) -> Option<u32> {
        let mut free = self.room(class).filter(|&home| self.is_free(class, home));
        if let (Some(together), 0) = (self.rested, class.kind) {
            let begin = self.start(number).unwrap_or(0);
            let last_use = |home: u32| {
                let units = 0..class.units.len();
                units.map(|index| self.taken[0][home as usize + index].last_before(begin)).max().unwrap_or(0)
            };
            let conflicts = match class.units.len() {
                1 => together.conflicts(number, |other| self.known_home(other)),
                _ => [0; 2],
            };
            free.min_by_key(|&home| (conflicts[home as usize % 2], last_use(home), home))
        } else {
            free.next()
        }
    }

    /// The first register of a class, as far as its bank is known: groups begin in the first bank.
    fn known_home(&self, number: usize) -> Option<u32> {
        let is_group = || self.classes[number].as_ref().is_some_and(|class| class.units.len() > 1);
        self.homes[number].or_else(|| is_group().then_some(0))
    }

    fn remove(&mut self, number: usize) {
        if let (Some(class), Some(home)) = (&self.classes[number], self.homes[number].take()) {
            for (index, unit) in class.units.iter().enumerate() {
                self.taken[class.kind][home as usize + index].give_back(unit);
            }
        }
    }

    /// What to spill so that a class finds room: what lives longest where it does and is used least, perhaps itself.
    fn victim(&self, number: usize, weights: &[u64]) -> usize {
        let Some(class) = &self.classes[number] else { return number };
        let mut found = vec![number];
        for taken in &self.taken[class.kind] {
            class.units.iter().for_each(|unit| taken.in_the_way(unit, &mut found));
        }
        found.sort_unstable();
        found.dedup();
        let length = |it: usize| -> u64 {
            let units = self.classes[it].iter().flat_map(|class| &class.units);
            units.flatten().map(|&(start, end)| u64::from(end.saturating_sub(start))).sum()
        };
        let units = |it: usize| self.classes[it].as_ref().map_or(1, |class| class.units.len() as u64);
        let worth = found.into_iter().filter(|&it| it != NOBODY && length(it) > 12 * units(it));
        worth.min_by_key(|&it| weights[it] * 1_000_000 / length(it).max(1)).unwrap_or(number)
    }
}

/// A real register for every value, or what must be spilled.
pub(super) fn assign(
    code: &Code,
    numbering: &Numbering,
    classes: &mut Classes,
    (limit, turn): (u32, Order),
    rested: Option<&Together>,
) -> Result<Vec<Option<u32>>, Failure> {
    let limits = [limit, 7, 62];
    let mut assignment = Assignment {
        classes: &classes.classes,
        limits,
        taken: limits.map(|limit| vec![Taken::default(); limit as usize]),
        homes: vec![None; numbering.total],
        rested,
        first_uniform: if code.calls { DESCRIPTOR.0 + 2 } else { DESCRIPTOR.0 },
    };
    // R1 is the stack pointer.
    assignment.taken[0][1].take(&[(0, u32::MAX)], NOBODY);
    let mut order: Vec<usize> = (0..numbering.total).filter(|&it| classes.classes[it].is_some()).collect();
    order.sort_by_key(|&number| {
        let size = classes.classes[number].as_ref().map_or(0, |class| class.units.len());
        let (start, wide_first) = (assignment.start(number), std::cmp::Reverse(size));
        match turn {
            Order::ByStart => (None, start, wide_first),
            Order::WideFirst => (Some(wide_first), start, wide_first),
        }
    });
    let mut weights: Option<Vec<u64>> = None;
    let mut victims: Vec<usize> = Vec::new();
    for &number in &order {
        while !assignment.place(number) {
            if classes.classes[number].as_ref().is_some_and(|class| class.kind == 2) {
                return Err(Failure::Uniform);
            }
            let weights = weights.get_or_insert_with(|| weights_of(code, numbering, &classes.parent));
            let victim = assignment.victim(number, weights);
            assignment.remove(victim);
            victims.push(victim);
            if victim == number {
                break;
            }
        }
    }
    let homes = assignment.homes;
    if !victims.is_empty() {
        return Err(spills(code, numbering, classes, &victims));
    }
    let place = |number: usize| {
        let (root, offset) = classes.find(number);
        homes[root].map(|home| home + offset)
    };
    Ok((0..numbering.total).map(place).collect())
}

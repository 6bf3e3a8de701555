//! The cores and the memory that runs take before they begin and give back when they end.

use super::Need;
use super::schedule::{cores_of_next, runs_with_all_cores};
use super::spread::expensive_first;
use std::sync::{Condvar, Mutex, MutexGuard};

const NO_PANIC: &str = "the lock is never held over a panic";

/// What is left for runs that have not begun.
pub(super) struct Resources<'a> {
    needs: &'a [Need],
    order: Vec<usize>,
    cores: usize,
    memory_bytes: u64,
    /// The first so many in the order have all cores.
    with_all_cores: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Runs that have begun.
    begun: usize,
    cores_taken: usize,
    memory_taken: u64,
}

/// A run that may begin. Its cores and memory are given back when this goes, also by a panic.
pub(super) struct Turn<'a> {
    resources: &'a Resources<'a>,
    /// Which item.
    pub(super) index: usize,
    /// Its cores.
    pub(super) cores: usize,
}

impl<'a> Resources<'a> {
    /// All of it, for runs that need so much.
    pub(super) fn new(needs: &'a [Need], cores: usize, memory_bytes: u64) -> Resources<'a> {
        let costs: Vec<u64> = needs.iter().map(|need| need.cost).collect();
        let order = expensive_first(&costs);
        let descending: Vec<u64> = order.iter().map(|&index| costs[index]).collect();
        let with_all_cores = runs_with_all_cores(&descending, cores);
        let (state, changed) = Default::default();
        Resources { needs, order, cores, memory_bytes, with_all_cores, state, changed }
    }

    /// Waits until the next run can begin; none when all have begun.
    pub(super) fn take(&'a self) -> Option<Turn<'a>> {
        let state = self.changed.wait_while(self.lock(), |state| self.must_wait(state));
        let mut state = state.expect(NO_PANIC);
        let &index = self.order.get(state.begun)?;
        let cores = match state.begun < self.with_all_cores {
            true => self.cores,
            false => cores_of_next(self.cores - state.cores_taken, self.order.len() - state.begun),
        };
        state.begun += 1;
        state.cores_taken += cores;
        state.memory_taken += self.memory_of(index);
        self.changed.notify_all();
        Some(Turn { resources: self, index, cores })
    }

    /// What a run takes of the memory: all of it where it needs more.
    fn memory_of(&self, index: usize) -> u64 {
        self.needs[index].memory_bytes.min(self.memory_bytes)
    }

    /// Whether the next run lacks cores or memory.
    fn must_wait(&self, state: &State) -> bool {
        let Some(&index) = self.order.get(state.begun) else { return false };
        let free = self.cores - state.cores_taken;
        let lacks_cores = if state.begun < self.with_all_cores { free < self.cores } else { free == 0 };
        lacks_cores || self.memory_of(index) > self.memory_bytes - state.memory_taken
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect(NO_PANIC)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.resources.lock();
        state.cores_taken -= self.cores;
        state.memory_taken -= self.resources.memory_of(self.index);
        self.resources.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::{Need, Resources};

    #[test]
    fn a_small_run_does_not_pass_a_large_one_that_waits() {
        let need = |cost, memory_bytes| Need { cost, memory_bytes };
        let needs = [need(3, 6), need(2, 10), need(1, 1)];
        let resources = Resources::new(&needs, 3, 10);
        let first = resources.take().expect("the first can begin");
        let waits = |resources: &Resources<'_>| resources.must_wait(&resources.lock());
        assert!(waits(&resources), "6 and 10 are more than 10");
        drop(first);
        assert!(!waits(&resources));
        assert_eq!(resources.take().map(|turn| turn.index), Some(1));
    }

    /// The cores of runs of these costs on four cores, as far as all can be at work at once.
    fn cores_of(costs: &[u64]) -> Vec<usize> {
        let needs: Vec<Need> = costs.iter().map(|&cost| Need { cost, memory_bytes: 0 }).collect();
        let resources = Resources::new(&needs, 4, 0);
        let mut turns = Vec::new();
        while turns.len() < needs.len() && !resources.must_wait(&resources.lock()) {
            turns.extend(resources.take());
        }
        turns.iter().map(|turn| turn.cores).collect()
    }

    #[test]
    fn many_runs_have_a_core_each() {
        assert_eq!(cores_of(&[1; 8]), [1; 4]);
    }

    #[test]
    fn fewer_runs_than_cores_share_them() {
        assert_eq!(cores_of(&[1; 2]), [2, 2]);
    }

    #[test]
    fn a_run_that_would_outlast_all_others_has_all_cores_first() {
        assert_eq!(cores_of(&[1, 1, 100, 1, 1]), [4]);
    }

    #[test]
    fn runs_that_do_not_fit_the_cores_evenly_begin_with_some_on_all_cores() {
        assert_eq!(cores_of(&[1; 6]), [4]);
    }
}

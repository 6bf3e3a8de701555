//! The one place that knows of threads.

/// How many units must have something to do in an epoch, or a thread is not worth waking.
const FEW: usize = 8;

/// Whether so many units are worth several threads.
pub(crate) fn is_worth_it(units: usize) -> bool {
    units >= FEW && threads() > 1
}

/// Applies `work` to every item, on the threads of the current pool.
#[cfg(feature = "parallel")]
pub(crate) fn for_each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync + Send) {
    use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
    items.par_iter_mut().for_each(work);
}

/// How many threads there are.
#[cfg(feature = "parallel")]
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}

/// Applies `work` to every item.
#[cfg(not(feature = "parallel"))]
pub(crate) fn for_each<T>(items: &mut [T], work: impl Fn(&mut T)) {
    items.iter_mut().for_each(work);
}

/// How many threads there are.
#[cfg(not(feature = "parallel"))]
pub(crate) fn threads() -> usize {
    1
}

//! The one place that knows of threads.

/// Applies `work` to every item, on the threads of the current pool where there is one.
#[cfg(feature = "parallel")]
pub(crate) fn for_each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync + Send) {
    use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
    if items.len() < 2 || threads() < 2 {
        items.iter_mut().for_each(work);
    } else {
        items.par_iter_mut().for_each(work);
    }
}

/// Does both, at once where there are threads.
#[cfg(feature = "parallel")]
pub(crate) fn both(one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
    if threads() < 2 {
        one();
        other();
    } else {
        rayon::join(one, other);
    }
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

/// Does both.
#[cfg(not(feature = "parallel"))]
pub(crate) fn both(one: impl FnOnce(), other: impl FnOnce()) {
    one();
    other();
}

/// How many threads there are.
#[cfg(not(feature = "parallel"))]
pub(crate) fn threads() -> usize {
    1
}

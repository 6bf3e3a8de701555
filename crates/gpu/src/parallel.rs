//! The one place that knows of threads.

/// Applies `work` to every item, on the threads of the current pool where there is one.
#[cfg(feature = "parallel")]
pub(crate) fn for_each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync + Send) {
    use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
    if items.len() < 2 || rayon::current_num_threads() < 2 {
        items.iter_mut().for_each(work);
    } else {
        items.par_iter_mut().for_each(work);
    }
}

/// Applies `work` to every item.
#[cfg(not(feature = "parallel"))]
pub(crate) fn for_each<T>(items: &mut [T], work: impl Fn(&mut T)) {
    items.iter_mut().for_each(work);
}

//! Many pieces of work, each on one thread, as many at once as there are threads.

/// Does `work` on every item, the first of `order` first, and gives the results in the order of the items. On so many
/// threads; `threads` 0 takes those of the host.
#[cfg(feature = "parallel")]
pub fn on_all<I: Sync, T: Send>(
    items: &[I],
    order: &[usize],
    threads: usize,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    assert_eq!(items.len(), order.len(), "every item has its turn");
    let next = AtomicUsize::new(0);
    let results = Mutex::new((0..items.len()).map(|_| None).collect::<Vec<Option<T>>>());
    let worker = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
        while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = pool.install(|| work(&items[index]));
            results.lock().expect("no worker failed")[index] = Some(result);
        }
    };
    let host = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = if threads == 0 { host() } else { threads };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            scope.spawn(worker);
        }
    });
    let results = results.into_inner().expect("no worker failed");
    results.into_iter().map(|result| result.expect("every item had its turn")).collect()
}

/// Does `work` on every item, and gives the results in the order of the items.
#[cfg(not(feature = "parallel"))]
pub fn on_all<I, T>(items: &[I], order: &[usize], _threads: usize, work: impl Fn(&I) -> T) -> Vec<T> {
    assert_eq!(items.len(), order.len(), "every item has its turn");
    items.iter().map(work).collect()
}

#[cfg(test)]
mod tests {
    use super::on_all;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        let order: Vec<usize> = (0..100).rev().collect();
        let squares: Vec<u64> = items.iter().map(|item| item * item).collect();
        assert_eq!(on_all(&items, &order, 3, |item| item * item), squares);
    }
}

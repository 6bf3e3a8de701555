//! Many pieces of work, each on one thread, as many at once as there are threads.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

/// Memory of buffers at once when nothing else is asked for: 12 GiB.
pub const DEFAULT_MEMORY_BYTES: u64 = 12 << 30;

/// Does `work` on every item, the first of `order` first, and gives the results in the order of the items. On so many
/// threads; `threads` 0 takes those of the host.
#[cfg(feature = "parallel")]
pub fn on_all<I: Sync, T: Send>(
    items: &[I],
    order: &[usize],
    threads: usize,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    on_all_within(items, order, threads, (u64::MAX, |_| 0), work)
}

/// As [`on_all`]; `budget` is the bytes of memory that all work together may need at once, and how many an item
/// needs. An item that needs more than there are is done alone.
#[cfg(feature = "parallel")]
pub fn on_all_within<I: Sync, T: Send>(
    items: &[I],
    order: &[usize],
    threads: usize,
    budget: (u64, impl Fn(&I) -> u64 + Sync),
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let (limit, bytes) = budget;
    let memory = Memory { limit, ..Memory::default() };
    assert_eq!(items.len(), order.len(), "every item has its turn");
    let next = AtomicUsize::new(0);
    let results = Mutex::new((0..items.len()).map(|_| None).collect::<Vec<Option<T>>>());
    let worker = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
        while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let taken = memory.take(bytes(&items[index]));
            let result = pool.install(|| work(&items[index]));
            drop(taken);
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

/// Memory that workers take before they begin, in the order in which they ask: nobody with little passes one who
/// waits for much.
#[cfg(feature = "parallel")]
#[derive(Default)]
struct Memory {
    limit: u64,
    state: std::sync::Mutex<MemoryState>,
    changed: std::sync::Condvar,
}

#[cfg(feature = "parallel")]
#[derive(Default)]
struct MemoryState {
    /// Bytes that workers have.
    taken: u64,
    /// How many workers have asked.
    asked: u64,
    /// How many of them were served.
    served: u64,
}

/// Bytes that a worker has; given back when it ends, also by a panic.
#[cfg(feature = "parallel")]
struct Taken<'a> {
    memory: &'a Memory,
    bytes: u64,
}

#[cfg(feature = "parallel")]
impl Memory {
    /// Waits for its turn, and then until there are so many bytes, or nobody else has any.
    fn take(&self, bytes: u64) -> Taken<'_> {
        let mut state = self.lock();
        let turn = state.asked;
        state.asked += 1;
        let must_wait = |state: &mut MemoryState| {
            state.served < turn || (state.taken > 0 && state.taken.saturating_add(bytes) > self.limit)
        };
        let mut state = self.changed.wait_while(state, must_wait).expect(NO_PANIC);
        state.served += 1;
        state.taken += bytes;
        self.changed.notify_all();
        Taken { memory: self, bytes }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, MemoryState> {
        self.state.lock().expect(NO_PANIC)
    }
}

#[cfg(feature = "parallel")]
const NO_PANIC: &str = "the lock is never held over a panic";

#[cfg(feature = "parallel")]
impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.memory.lock().taken -= self.bytes;
        self.memory.changed.notify_all();
    }
}

/// As [`on_all`]: one item after the other needs no budget.
#[cfg(not(feature = "parallel"))]
pub fn on_all_within<I, T>(
    items: &[I],
    order: &[usize],
    threads: usize,
    _budget: (u64, impl Fn(&I) -> u64),
    work: impl Fn(&I) -> T,
) -> Vec<T> {
    on_all(items, order, threads, work)
}

/// Does `work` on every item, and gives the results in the order of the items.
#[cfg(not(feature = "parallel"))]
pub fn on_all<I, T>(items: &[I], order: &[usize], _threads: usize, work: impl Fn(&I) -> T) -> Vec<T> {
    assert_eq!(items.len(), order.len(), "every item has its turn");
    items.iter().map(work).collect()
}

#[cfg(test)]
mod tests {
    use super::{on_all, on_all_within};

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        let order: Vec<usize> = (0..100).rev().collect();
        let squares: Vec<u64> = items.iter().map(|item| item * item).collect();
        assert_eq!(on_all(&items, &order, 3, |item| item * item), squares);
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn work_at_once_stays_within_the_budget() {
        use std::sync::atomic::{AtomicU64, Ordering};
        let items: Vec<u64> = vec![7, 3, 5, 9, 20, 1, 2, 4];
        let order: Vec<usize> = (0..items.len()).collect();
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let work = |item: &u64| {
            let sum = now.fetch_add(*item, Ordering::SeqCst) + item;
            most.fetch_max(sum, Ordering::SeqCst);
            std::thread::yield_now();
            now.fetch_sub(*item, Ordering::SeqCst);
        };
        on_all_within(&items, &order, 4, (10, |item| *item), work);
        // The item of 20 is done although there are only 10, and alone.
        assert_eq!(most.into_inner(), 20);
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn who_asks_for_little_does_not_pass_who_waits_for_much() {
        let memory = super::Memory { limit: 10, ..super::Memory::default() };
        let served = std::sync::Mutex::new(Vec::new());
        let serve = |bytes| {
            let _taken = memory.take(bytes);
            served.lock().expect("no worker failed").push(bytes);
        };
        let until_asked = |count| {
            while memory.lock().asked < count {
                std::thread::yield_now();
            }
        };
        let first = memory.take(6);
        std::thread::scope(|scope| {
            scope.spawn(|| serve(10));
            until_asked(2);
            scope.spawn(|| serve(1));
            until_asked(3);
            drop(first);
        });
        assert_eq!(served.into_inner().expect("no worker failed"), [10, 1]);
    }
}

//! Many runs on the cores of one machine: over the runs first, inside a run where there are fewer runs than cores.
//!
//! The runs start in the order of their expected cost, the most expensive first. Who starts next waits for memory, and
//! nobody passes it. What a run computes does not depend on its number of cores.

#![warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

#[cfg(feature = "parallel")]
mod resources;
#[cfg(feature = "parallel")]
mod schedule;
mod spread;

pub use spread::spread;

/// Bytes that the buffers of all runs at once may have if nothing else is asked for: 12 GiB.
pub const DEFAULT_MEMORY_BYTES: u64 = 12 << 30;

/// What all runs together may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Cores; 0 takes those of the host.
    pub cores: usize,
    /// Bytes that the buffers of all runs at once may have. A run that needs more runs alone.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { cores: 0, memory_bytes: DEFAULT_MEMORY_BYTES }
    }
}

/// What one run needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// How long it takes beside others, in any unit.
    pub cost: u64,
    /// Bytes of its buffers.
    pub memory_bytes: u64,
}

/// Does `work` on every item within the limits, and gives the results in the order of the items.
#[cfg(feature = "parallel")]
pub fn on_all<I: Sync, T: Send>(
    items: &[I],
    limits: Limits,
    need: impl Fn(&I) -> Need,
    work: impl Fn(&I) -> T + Sync,
) -> Vec<T> {
    use std::sync::Mutex;
    let needs: Vec<Need> = items.iter().map(need).collect();
    let host = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let cores = if limits.cores == 0 { host() } else { limits.cores };
    let resources = resources::Resources::new(&needs, cores, limits.memory_bytes);
    let results = Mutex::new(items.iter().map(|_| None).collect::<Vec<Option<T>>>());
    let worker = || {
        while let Some(turn) = resources.take() {
            let run = || work(&items[turn.index]);
            // A host without so many threads does the same with those it has.
            let result = match rayon::ThreadPoolBuilder::new().num_threads(turn.cores).build() {
                Ok(pool) => pool.install(run),
                Err(_) => run(),
            };
            results.lock().expect("no run failed")[turn.index] = Some(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..cores.min(items.len()) {
            if std::thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
    let results = results.into_inner().expect("no run failed");
    results.into_iter().map(|result| result.expect("every item had its turn")).collect()
}

/// Does `work` on every item, one after the other.
#[cfg(not(feature = "parallel"))]
pub fn on_all<I, T>(
    items: &[I],
    _limits: Limits,
    _need: impl Fn(&I) -> Need,
    work: impl Fn(&I) -> T,
) -> Vec<T> {
    items.iter().map(work).collect()
}

#[cfg(all(test, feature = "parallel"))]
mod tests {
    use super::{Limits, Need, on_all};
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        let squares: Vec<u64> = items.iter().map(|item| item * item).collect();
        let need = |item: &u64| Need { cost: *item, memory_bytes: 0 };
        let limits = Limits { cores: 3, ..Limits::default() };
        assert_eq!(on_all(&items, limits, need, |item| item * item), squares);
    }

    #[test]
    fn runs_at_once_stay_within_the_memory() {
        let items: Vec<u64> = vec![7, 3, 5, 9, 20, 1, 2, 4];
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let work = |item: &u64| {
            let sum = now.fetch_add(*item, Ordering::SeqCst) + item;
            most.fetch_max(sum, Ordering::SeqCst);
            std::thread::yield_now();
            now.fetch_sub(*item, Ordering::SeqCst);
        };
        let need = |item: &u64| Need { cost: 1, memory_bytes: *item };
        on_all(&items, Limits { cores: 4, memory_bytes: 10 }, need, work);
        // The item of 20 is done although there are only 10, and alone.
        assert_eq!(most.into_inner(), 20);
    }

    #[test]
    fn a_run_alone_has_all_cores() {
        let limits = Limits { cores: 4, ..Limits::default() };
        assert_eq!(on_all(&[()], limits, |()| Need::default(), |()| rayon::current_num_threads()), [4]);
    }
}

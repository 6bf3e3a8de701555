//! A guard beside a test: what hangs or takes too much memory ends the process, with the input in a file.
//!
//! Memory is that of the whole process (the resident set that Linux tells, looked at twenty times a second and, for
//! its peak, at the end); elsewhere only time is guarded.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest time for one input.
const MOST_TIME: Duration = Duration::from_secs(5);

/// Most memory that the process may take beyond what it had.
const MOST_BYTES: u64 = 1 << 30;

/// How often the guard looks.
const PERIOD: Duration = Duration::from_millis(50);

#[derive(Debug)]
struct Current {
    number: u64,
    input: Vec<u8>,
    began: Instant,
}

#[derive(Debug, Default)]
struct State {
    current: Option<Current>,
    longest: Duration,
    ended: bool,
}

/// A guard of the inputs of a kind.
#[derive(Debug)]
pub struct Guard {
    kind: String,
    state: Arc<Mutex<State>>,
}

/// An input that is being read.
#[derive(Debug)]
pub struct Entered<'a>(&'a Guard);

impl Guard {
    /// Starts to guard.
    #[must_use]
    pub fn new(kind: &str) -> Guard {
        let state = Arc::new(Mutex::new(State::default()));
        let seen = Arc::clone(&state);
        let kind_seen = kind.to_owned();
        let baseline = status_bytes("VmRSS:").unwrap_or(0);
        thread::spawn(move || watch(&kind_seen, &seen, baseline));
        Guard { kind: kind.to_owned(), state }
    }

    /// An input is read now, until the value is dropped.
    pub fn enter(&self, number: u64, input: &[u8]) -> Entered<'_> {
        lock(&self.state).current = Some(Current { number, input: input.to_vec(), began: Instant::now() });
        Entered(self)
    }

    /// Keeps an input in a file, and names it.
    #[must_use]
    pub fn keep(&self, number: u64, input: &[u8]) -> String {
        keep(&self.kind, number, input)
    }

    /// The longest time that an input took, and the most memory that the process ever had.
    #[must_use]
    pub fn summary(&self) -> String {
        let peak =
            status_bytes("VmHWM:").map_or("unknown".to_owned(), |bytes| format!("{} MiB", bytes >> 20));
        format!("longest {} ms, peak of the process {peak}", lock(&self.state).longest.as_millis())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        lock(&self.state).ended = true;
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        if let Some(current) = state.current.take() {
            state.longest = state.longest.max(current.began.elapsed());
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watch(kind: &str, state: &Mutex<State>, baseline: u64) {
    loop {
        thread::sleep(PERIOD);
        let state = lock(state);
        if state.ended {
            return;
        }
        let Some(current) = &state.current else { continue };
        let more = status_bytes("VmRSS:").unwrap_or(0).saturating_sub(baseline);
        let what = if current.began.elapsed() > MOST_TIME {
            format!("takes longer than {} s", MOST_TIME.as_secs())
        } else if more > MOST_BYTES {
            format!("takes {} MiB", more >> 20)
        } else {
            continue;
        };
        let file = keep(kind, current.number, &current.input);
        // Past the capture of tests, which would be lost with the process.
        let _ = writeln!(std::io::stderr().lock(), "{kind}: input {} {what}: {file}", current.number);
        let _ = fs::write(folder().join("mutation-failure.txt"), format!("{kind} {what}: {file}\n"));
        std::process::exit(101);
    }
}

fn folder() -> PathBuf {
    std::env::temp_dir()
}

fn keep(kind: &str, number: u64, input: &[u8]) -> String {
    let path = folder().join(format!("mutation-{kind}-{number}"));
    match fs::write(&path, input) {
        Ok(()) => path.display().to_string(),
        Err(error) => format!("input {number} ({} cannot be written: {error})", path.display()),
    }
}

/// A line of `/proc/self/status`, in bytes.
fn status_bytes(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
}

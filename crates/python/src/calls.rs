//! Commands that end, or are interrupted.

use crate::WarplabError;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use warplab_cli::embed;

/// Time between two looks for signals.
const PERIOD: Duration = Duration::from_millis(50);

/// Does `work` in another thread without the lock of the interpreter. A signal whose handler raises, as that of Ctrl-C
/// does, sets the flag of the work and is raised when it has stopped.
pub(crate) fn without_lock<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<AtomicBool>) -> T + Send,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut raised = None;
    let result = py.allow_threads(|| {
        thread::scope(|scope| {
            let (ended, has_ended) = channel::<()>();
            let stop = &stop;
            let worker = scope.spawn(move || {
                // Dropped when the work ends, also by a panic.
                let _ended = ended;
                work(stop)
            });
            while has_ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none()
                    && let Err(error) = Python::with_gil(|py| py.check_signals())
                {
                    stop.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
            worker.join()
        })
    });
    let result = result.unwrap_or_else(|panic| resume_unwind(panic));
    match raised {
        Some(error) => Err(error),
        None if stop.load(Ordering::Relaxed) => Err(PyKeyboardInterrupt::new_err("interrupted")),
        None => Ok(result),
    }
}

/// What a command that could not do what it is asked to has said.
pub(crate) fn refusal(called: &embed::Called) -> PyErr {
    let said = called.notes.trim();
    if said.is_empty() {
        WarplabError::new_err(format!("warplab ended with status {}", called.status))
    } else {
        WarplabError::new_err(said.to_owned())
    }
}

/// Runs a command line without the name of the program: what it prints, and its exit status. Other statuses than those that
/// are accepted are errors.
#[pyfunction]
#[pyo3(signature = (words, accepted = vec![0]))]
pub(crate) fn call(py: Python<'_>, words: Vec<String>, accepted: Vec<u8>) -> PyResult<(String, u8)> {
    let called = without_lock(py, |stop| embed::call(&words, stop))?;
    if accepted.contains(&called.status) { Ok((called.output, called.status)) } else { Err(refusal(&called)) }
}

/// The program `warplab` with the streams and signals of this process; its exit status.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.allow_threads(|| warplab_cli::main(words))
}

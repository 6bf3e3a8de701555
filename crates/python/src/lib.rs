//! The extension module `warplab._native`: the commands of the program inside Python. The package `python/warplab` makes
//! NumPy arrays and tables of what comes from here.
//!
//! What runs long runs in a thread of its own, without the lock of the interpreter. The thread that called looks for
//! signals meanwhile, so that Ctrl-C stops a run.

mod calls;
mod run;

use pyo3::prelude::*;

pyo3::create_exception!(
    warplab,
    WarplabError,
    pyo3::exceptions::PyRuntimeError,
    "What warplab says when it cannot do what it is asked to."
);

/// The commands of the program.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::WarplabError;
    #[pymodule_export]
    use super::calls::{call, program};
    #[pymodule_export]
    use super::run::Run;
}

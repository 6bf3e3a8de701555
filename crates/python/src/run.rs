//! Runs that stay in memory.

use crate::WarplabError;
use crate::calls::{refusal, without_lock};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict};
use warplab_cli::embed::{self, Column};

/// A run that has ended.
#[pyclass(frozen, module = "warplab._native")]
pub(crate) struct Run(embed::Run);

#[pymethods]
impl Run {
    /// Does what the command line of a `run` says.
    #[staticmethod]
    fn simulate(py: Python<'_>, words: Vec<String>) -> PyResult<Run> {
        let run = without_lock(py, |stop| embed::Run::simulate(&words, stop))?;
        run.map(Run).map_err(|called| refusal(&called))
    }

    /// A run that was kept.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Run> {
        py.allow_threads(|| embed::Run::from_bytes(bytes)).map(Run).map_err(WarplabError::new_err)
    }

    /// The run as bytes, without device memory.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.allow_threads(|| self.0.bytes()).map_err(WarplabError::new_err)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Whether every expectation holds.
    #[getter]
    fn holds(&self) -> bool {
        self.0.holds()
    }

    /// The document of `run --json`.
    fn document(&self, py: Python<'_>) -> String {
        py.allow_threads(|| self.0.document())
    }

    /// The page of `run --html`.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        py.allow_threads(|| self.0.html()).map_err(WarplabError::new_err)
    }

    /// Sections of the report.
    fn report(&self, py: Python<'_>, sections: Vec<String>) -> PyResult<String> {
        py.allow_threads(|| self.0.report(&sections))
            .map_err(|said| WarplabError::new_err(said.trim().to_owned()))
    }

    /// A buffer after the run, as an .npy file.
    fn buffer<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.allow_threads(|| self.0.buffer(name)).map_err(WarplabError::new_err)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The columns of the timeline: the numbers of each as the bytes of 64-bit integers, with the names that they stand for
    /// where it has names.
    fn timeline<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        self.0.with_timeline(|timeline| {
            for (name, column) in timeline {
                match column {
                    Column::Numbers(numbers) => {
                        let bytes = integers(py, numbers.iter().copied());
                        columns.set_item(name, (bytes, py.None()))?;
                    }
                    Column::Names { names, codes } => {
                        let bytes = integers(py, codes.iter().map(|&code| code as u64));
                        columns.set_item(name, (bytes, names))?;
                    }
                }
            }
            PyResult::Ok(())
        })?;
        Ok(columns)
    }
}

/// Numbers as 64-bit integers of this host.
fn integers(py: Python<'_>, numbers: impl Iterator<Item = u64>) -> Bound<'_, PyByteArray> {
    let bytes: Vec<u8> = numbers.flat_map(u64::to_ne_bytes).collect();
    PyByteArray::new(py, &bytes)
}

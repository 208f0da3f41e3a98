//! `unspool.Limits`, and the count of threads.

use std::num::NonZeroUsize;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Bounds on what a file may ask for.
#[pyclass(frozen, module = "unspool")]
pub struct Limits(pub unspool::Limits);

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(signature = (*, max_output=None, max_window=None, max_header=None, max_elements=None, max_columns=None, max_depth=None))]
    fn new(
        max_output: Option<u64>,
        max_window: Option<u64>,
        max_header: Option<u64>,
        max_elements: Option<u64>,
        max_columns: Option<u64>,
        max_depth: Option<u16>,
    ) -> Self {
        let default = unspool::Limits::DEFAULT;
        Self(unspool::Limits {
            max_output: max_output.unwrap_or(default.max_output),
            max_window: max_window.unwrap_or(default.max_window),
            max_header: max_header.unwrap_or(default.max_header),
            max_elements: max_elements.unwrap_or(default.max_elements),
            max_columns: max_columns.unwrap_or(default.max_columns),
            max_depth: max_depth.unwrap_or(default.max_depth),
        })
    }

    #[getter]
    fn max_output(&self) -> u64 {
        self.0.max_output
    }

    #[getter]
    fn max_window(&self) -> u64 {
        self.0.max_window
    }

    #[getter]
    fn max_header(&self) -> u64 {
        self.0.max_header
    }

    #[getter]
    fn max_elements(&self) -> u64 {
        self.0.max_elements
    }

    #[getter]
    fn max_columns(&self) -> u64 {
        self.0.max_columns
    }

    #[getter]
    fn max_depth(&self) -> u16 {
        self.0.max_depth
    }

    /// Pickles the bounds, for workers.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        named.set_item("max_output", self.0.max_output)?;
        named.set_item("max_window", self.0.max_window)?;
        named.set_item("max_header", self.0.max_header)?;
        named.set_item("max_elements", self.0.max_elements)?;
        named.set_item("max_columns", self.0.max_columns)?;
        named.set_item("max_depth", self.0.max_depth)?;
        Ok((PyTuple::empty(py), named))
    }

    fn __repr__(&self) -> String {
        let limits = &self.0;
        format!(
            "Limits(max_output={}, max_window={}, max_header={}, max_elements={}, max_columns={}, max_depth={})",
            limits.max_output,
            limits.max_window,
            limits.max_header,
            limits.max_elements,
            limits.max_columns,
            limits.max_depth
        )
    }
}

/// Returns the limits of an argument, or the default.
pub fn of(limits: Option<&Bound<'_, Limits>>) -> unspool::Limits {
    limits.map_or(unspool::Limits::DEFAULT, |limits| limits.get().0)
}

/// Returns the number of threads of an argument: all processors for `None`, as on the command line.
pub fn threads(threads: Option<usize>) -> PyResult<NonZeroUsize> {
    match threads {
        None => Ok(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)),
        Some(count) => {
            NonZeroUsize::new(count).ok_or_else(|| PyValueError::new_err("expected at least one thread, found 0"))
        }
    }
}

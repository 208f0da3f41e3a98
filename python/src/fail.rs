//! Failures, as exceptions: `unspool.Error` and its subclasses, which Python code defines.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use unspool::{Class, ErrorKind};
use unspool_arrow::Misfit;

/// The reason why a call has no result.
pub enum Fail {
    /// The file or the request is refused.
    Refused(unspool::Error),
    /// A value does not fit its column.
    Misfit(Misfit),
    /// An exception of a reader, or of a signal.
    Python(PyErr),
}

pub type Result<T> = std::result::Result<T, Fail>;

impl From<unspool::Error> for Fail {
    fn from(error: unspool::Error) -> Self {
        Self::Refused(error)
    }
}

impl From<unspool_arrow::Error> for Fail {
    fn from(error: unspool_arrow::Error) -> Self {
        match error {
            unspool_arrow::Error::Refused(error) => Self::Refused(error),
            unspool_arrow::Error::Misfit(misfit) => Self::Misfit(misfit),
        }
    }
}

impl From<PyErr> for Fail {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Fail> for PyErr {
    fn from(fail: Fail) -> Self {
        match fail {
            Fail::Python(error) => error,
            Fail::Refused(error) => Python::attach(|py| refused(py, error).unwrap_or_else(|error| error)),
            Fail::Misfit(value) => Python::attach(|py| misfit(py, value).unwrap_or_else(|error| error)),
        }
    }
}

/// Returns the name of the exception of a class.
const fn class_name(class: Class) -> &'static str {
    match class {
        Class::Truncated => "TruncatedError",
        Class::Corrupt => "CorruptError",
        Class::Checksum => "ChecksumError",
        Class::Unsupported => "UnsupportedError",
        Class::Limit => "LimitError",
        Class::OutputTooSmall { .. } => "OutputTooSmallError",
        Class::WorkspaceTooSmall { .. } => "WorkspaceTooSmallError",
        Class::Misuse => "MisuseError",
    }
}

fn refused(py: Python<'_>, error: unspool::Error) -> PyResult<PyErr> {
    let class = py.import("unspool._errors")?.getattr(class_name(error.class()))?;
    let made = class.call1((error.to_string(), error.kind.name(), error.kind as u16, error.at, error.need))?;
    Ok(PyErr::from_value(made))
}

fn misfit(py: Python<'_>, misfit: Misfit) -> PyResult<PyErr> {
    let class = py.import("unspool._errors")?.getattr("MisfitError")?;
    let value = PyBytes::new(py, &misfit.value);
    let (column, row, ty) = (misfit.column, misfit.row, misfit.data_type.to_string());
    Ok(PyErr::from_value(class.call1((unspool_arrow::Error::Misfit(misfit).to_string(), column, row, value, ty))?))
}

/// Returns the error of a call with a wrong range or argument.
pub fn misuse(kind: ErrorKind) -> Fail {
    Fail::Refused(unspool::Error::new(kind, 0))
}

/// Looks for signals while a decoder runs detached from the interpreter.
pub struct Signals(Instant);

/// The time between two looks.
const EVERY: Duration = Duration::from_millis(50);

impl Signals {
    pub fn new() -> Self {
        Self(Instant::now())
    }

    /// Returns the exception of a signal, such as `KeyboardInterrupt`.
    pub fn check(&mut self) -> Result<()> {
        if self.0.elapsed() < EVERY {
            return Ok(());
        }
        self.0 = Instant::now();
        Ok(Python::attach(|py| py.check_signals())?)
    }
}

/// Runs work that calls a function now and then, which looks for signals. Its error ends the work.
pub fn watched<T>(work: impl FnOnce(&mut dyn FnMut() -> unspool::Result<()>) -> Result<T>) -> Result<T> {
    let (mut signals, mut failed) = (Signals::new(), None);
    let mut watch = || {
        signals.check().map_err(|fail| {
            failed = Some(fail);
            unspool::Error::new(ErrorKind::SinkFull, 0)
        })
    };
    let done = work(&mut watch);
    failed.map_or(done, Err)
}

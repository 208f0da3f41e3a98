//! The bytes of a file, by range: in memory, on disk, or from an object of Python.

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use unspool::{ErrorKind, Limits};

use crate::fail::{Fail, Result};

/// Bytes of a file that can be read by range.
#[pyclass(frozen, module = "unspool._unspool")]
pub struct Source {
    len: u64,
    body: Held<Body>,
}

/// A value that is dropped when its object is closed.
pub struct Held<T>(Mutex<Option<Arc<T>>>);

impl<T> Held<T> {
    pub fn new(value: T) -> Self {
        Self(Mutex::new(Some(Arc::new(value))))
    }

    /// Returns the value, or the exception of a closed file.
    pub fn get(&self) -> Result<Arc<T>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        held.ok_or_else(|| PyValueError::new_err("I/O operation on closed file").into())
    }

    /// Drops the value, once calls that use it have returned.
    pub fn close(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

enum Body {
    Memory(Py<PyBytes>),
    File(File),
    /// An object with `read_range(start, end)`.
    Reader(Py<PyAny>),
}

/// Some bytes of a file.
pub enum Data {
    Owned(Vec<u8>),
    Part(PyBackedBytes, Range<usize>),
}

impl Deref for Data {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            Self::Part(bytes, range) => bytes.get(range.clone()).unwrap_or_default(),
        }
    }
}

/// The error of a folder that is opened as a file, on every Unix. Windows does not open folders.
const EISDIR: i32 = 21;

/// Returns the exception of Python's `open`. `OSError` picks its subclass by the code.
fn os_error(error: &io::Error, path: &Path) -> PyErr {
    let text = error.to_string();
    let Some(code) = error.raw_os_error() else {
        // The path has a zero byte, and the system was not asked.
        return PyValueError::new_err(text);
    };
    let text = text.trim_end_matches(&format!(" (os error {code})")).to_owned();
    let name = path.as_os_str().to_owned();
    match cfg!(windows) {
        true => PyOSError::new_err((0, text, name, code)),
        false => PyOSError::new_err((code, text, name)),
    }
}

/// Reads at a position, not at that of the file, which processes share after a fork.
#[cfg(unix)]
fn read_at(file: &File, into: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, position)
}

/// Reads at a position.
#[cfg(windows)]
fn read_at(file: &File, into: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, position)
}

#[pymethods]
impl Source {
    /// The bytes of this object.
    #[staticmethod]
    fn memory(bytes: &Bound<'_, PyBytes>) -> Self {
        Self { len: bytes.as_bytes().len() as u64, body: Held::new(Body::Memory(bytes.clone().unbind())) }
    }

    /// The file at this path. Errors are those of Python's `open`, and name the file.
    #[staticmethod]
    fn path(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| {
            let file = File::open(&path)?;
            match file.metadata()? {
                // Unix opens folders too.
                found if found.is_dir() => Err(io::Error::from_raw_os_error(EISDIR)),
                found => Ok((found.len(), file)),
            }
        });
        let (len, file) = opened.map_err(|error: io::Error| os_error(&error, &path))?;
        Ok(Self { len, body: Held::new(Body::File(file)) })
    }

    /// An object with `read_range(start, end)`, of `len` bytes.
    #[staticmethod]
    fn reader(reader: Py<PyAny>, len: u64) -> Self {
        Self { len, body: Held::new(Body::Reader(reader)) }
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.len).unwrap_or(usize::MAX)
    }

    /// Returns the bytes of a range.
    fn read<'py>(&self, py: Python<'py>, start: u64, end: u64) -> PyResult<Bound<'py, PyBytes>> {
        let data = py.detach(|| self.get(start..end))?;
        Ok(PyBytes::new(py, &data))
    }
}

impl Source {
    /// Closes the file. Nothing more is read.
    pub fn close(&self) {
        self.body.close();
    }

    pub const fn size(&self) -> u64 {
        self.len
    }

    /// Returns the bytes of a range, all of them. Needs no interpreter, unless a reader does.
    pub fn get(&self, range: Range<u64>) -> Result<Data> {
        let short = |len: u64| unspool::Error::new(ErrorKind::Truncated, len).needing(range.end);
        if range.end > self.len || range.start > range.end {
            return Err(short(self.len).into());
        }
        let no_memory = || unspool::Error::new(ErrorKind::NoMemory, range.start).needing(range.end - range.start);
        let place = |at: u64| usize::try_from(at).map_err(|_| Fail::Refused(no_memory()));
        let (start, end) = (place(range.start)?, place(range.end)?);
        match &*self.body.get()? {
            Body::Memory(bytes) => Python::attach(|py| {
                let bytes = PyBackedBytes::from(bytes.bind(py).clone());
                Ok(Data::Part(bytes, start..end))
            }),
            Body::File(file) => {
                let mut bytes = Vec::new();
                bytes.try_reserve_exact(end - start).map_err(|_| no_memory())?;
                bytes.resize(end - start, 0);
                let mut filled = 0;
                while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
                    match read_at(file, rest, range.start + filled as u64) {
                        Ok(0) => return Err(short(range.start + filled as u64).into()),
                        Ok(len) => filled += len,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(PyErr::from(error).into()),
                    }
                }
                Ok(Data::Owned(bytes))
            }
            Body::Reader(reader) => Python::attach(|py| {
                let bytes = reader.bind(py).call_method1("read_range", (range.start, range.end))?;
                let bytes = bytes.cast_into::<PyBytes>().map_err(PyErr::from)?;
                let len = bytes.as_bytes().len();
                if len != end - start {
                    return Err(short(range.start + len as u64).into());
                }
                Ok(Data::Part(PyBackedBytes::from(bytes), 0..len))
            }),
        }
    }

    /// Returns all bytes. A file longer than the limit on output is refused.
    pub fn all(&self, limits: &Limits) -> Result<Data> {
        if self.len > limits.max_output {
            return Err(unspool::Error::new(ErrorKind::OutputLimit, 0).needing(self.len).into());
        }
        self.get(0..self.len)
    }

    /// Returns at most the first `len` bytes.
    pub fn head(&self, len: u64) -> Result<Data> {
        self.get(0..len.min(self.len))
    }
}

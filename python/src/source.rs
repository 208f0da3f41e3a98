//! The bytes of a file, by range: in memory, on disk, or from an object of Python.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::{Deref, Range};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use unspool::{ErrorKind, Limits};

use crate::fail::{Fail, Result};

/// Bytes of a file that can be read by range.
#[pyclass(frozen, module = "unspool._unspool")]
pub struct Source {
    len: u64,
    body: Body,
}

enum Body {
    Memory(Py<PyBytes>),
    File(Mutex<File>),
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

#[pymethods]
impl Source {
    /// The bytes of this object.
    #[staticmethod]
    fn memory(bytes: &Bound<'_, PyBytes>) -> Self {
        Self { len: bytes.as_bytes().len() as u64, body: Body::Memory(bytes.clone().unbind()) }
    }

    /// The file at this path.
    #[staticmethod]
    fn path(path: PathBuf) -> PyResult<Self> {
        let file = File::open(path)?;
        Ok(Self { len: file.metadata()?.len(), body: Body::File(Mutex::new(file)) })
    }

    /// An object with `read_range(start, end)`, of `len` bytes.
    #[staticmethod]
    fn reader(reader: Py<PyAny>, len: u64) -> Self {
        Self { len, body: Body::Reader(reader) }
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
        match &self.body {
            Body::Memory(bytes) => Python::attach(|py| {
                let bytes = PyBackedBytes::from(bytes.bind(py).clone());
                Ok(Data::Part(bytes, start..end))
            }),
            Body::File(file) => {
                let mut bytes = Vec::new();
                bytes.try_reserve_exact(end - start).map_err(|_| no_memory())?;
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(range.start)).map_err(PyErr::from)?;
                (&mut *file).take(range.end - range.start).read_to_end(&mut bytes).map_err(PyErr::from)?;
                if bytes.len() != end - start {
                    return Err(short(range.start + bytes.len() as u64).into());
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

//! `unspool.OnPair`.

use std::ops::Range;

use arrow_array::{ArrayRef, UInt64Array};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use unspool::onpair::{File, Progress, Search, SearchWorkspace};

use crate::arrays::{Array, Rows, Table, rows};
use crate::fail::{Fail, Result, Signals};
use crate::limits::{self, Limits};
use crate::source::{Data, Held, Source};

/// A column of strings.
#[pyclass(frozen, module = "unspool")]
pub struct OnPair {
    data: Held<Data>,
    /// The length of the file.
    size: usize,
    limits: unspool::Limits,
    len: u64,
    is_text: bool,
}

/// Rows that are decoded or searched between two looks for signals.
const BATCH: u64 = 1 << 16;

#[pymethods]
impl OnPair {
    #[new]
    #[pyo3(signature = (source, limits=None, *, text=true))]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, Source>,
        limits: Option<&Bound<'_, Limits>>,
        text: bool,
    ) -> PyResult<Self> {
        let (source, limits) = (source.get(), limits::of(limits));
        let opened = py.detach(|| {
            let data = source.all(&limits)?;
            let len = File::open(&data, &limits)?.column().rows().end;
            Ok::<_, Fail>(Self { size: data.len(), data: Held::new(data), limits, len, is_text: text })
        });
        Ok(opened?)
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.len).unwrap_or(usize::MAX)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (range, one) = match rows(index, self.len)? {
            Rows::One(row) => (row..row + 1, true),
            Rows::Some(range) => (range, false),
        };
        let array = Array(py.detach(|| self.range(range))?).into_pyobject(py)?;
        if one { array.get_item(0) } else { Ok(array.into_any()) }
    }

    /// Decodes all rows in batches.
    fn read(&self, py: Python<'_>) -> PyResult<Table> {
        let arrays = py.detach(|| {
            let (mut arrays, mut signals, mut start) = (vec![], Signals::new(), 0);
            while start < self.len {
                let end = start.saturating_add(BATCH).min(self.len);
                arrays.push(self.range(start..end)?);
                signals.check()?;
                start = end;
            }
            Ok::<_, Fail>(arrays)
        })?;
        let ty = if self.is_text { arrow_schema::DataType::Utf8View } else { arrow_schema::DataType::BinaryView };
        Table::of("value", arrays, &ty)
    }

    #[pyo3(signature = (*, equals=None, starts_with=None, contains=None))]
    fn search(
        &self,
        py: Python<'_>,
        equals: Option<Needle>,
        starts_with: Option<Needle>,
        contains: Option<Needle>,
    ) -> PyResult<Array> {
        let found = match (equals, starts_with, contains) {
            (Some(needle), None, None) => py.detach(|| self.find(&needle.0, 0)),
            (None, Some(needle), None) => py.detach(|| self.find(&needle.0, 1)),
            (None, None, Some(needle)) => py.detach(|| self.find(&needle.0, 2)),
            _ => return Err(PyValueError::new_err("expected one of equals, starts_with and contains")),
        };
        Ok(Array(std::sync::Arc::new(UInt64Array::from(found?))))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.read(py)?.into_pyobject(py)?.call_method1("__arrow_c_stream__", (requested_schema,))
    }

    fn close(&self) {
        self.data.close();
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_details))]
    fn __exit__(&self, _details: &Bound<'_, PyTuple>) {
        self.close();
    }

    fn __repr__(&self) -> String {
        format!("<unspool.OnPair: {} rows, {} bytes>", self.len, self.size)
    }
}

/// Bytes to search for, or text.
struct Needle(Vec<u8>);

impl<'a, 'py> FromPyObject<'a, 'py> for Needle {
    type Error = PyErr;

    fn extract(needle: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match needle.extract::<String>() {
            Ok(text) => Ok(Self(text.into_bytes())),
            Err(_) => Ok(Self(needle.extract::<Vec<u8>>()?)),
        }
    }
}

impl OnPair {
    fn range(&self, range: Range<u64>) -> Result<ArrayRef> {
        let data = self.data.get()?;
        let file = File::open(&data, &self.limits)?;
        Ok(unspool_arrow::onpair::decode(file.column(), range, self.is_text)?)
    }

    fn find(&self, needle: &[u8], test: usize) -> Result<Vec<u64>> {
        let data = self.data.get()?;
        let file = File::open(&data, &self.limits)?;
        let column = file.column();
        let (mut of_needle, mut of_tokens) = (vec![0; needle.len()], vec![0; column.dictionary().len()]);
        let search = match test {
            0 => Search::equals(column, needle),
            1 => Search::starts_with(column, needle),
            _ => {
                let workspace = SearchWorkspace { needle: &mut of_needle, tokens: &mut of_tokens };
                Search::contains(column, needle, workspace)?
            }
        };
        let (mut found, mut signals, mut start) = (vec![], Signals::new(), 0);
        while start < self.len {
            let end = start.saturating_add(BATCH).min(self.len);
            let mut progress = Progress::new(start..end);
            while let Some(row) = progress.next(&search) {
                found.push(row?);
            }
            signals.check()?;
            start = end;
        }
        Ok(found)
    }
}

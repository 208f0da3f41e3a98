//! `unspool.Cvc` and its columns.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::ArrayRef;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use unspool::cvc::{Column, Dtype, File, Header, Options, Piece};
use unspool::threads::in_order;
use unspool::{Checksums, ErrorKind, Verify};
use unspool_arrow::cvc::{ChunkReader, ColumnReader};

use crate::arrays::{Array, Rows, Table, rows, to_numpy};
use crate::fail::{Fail, Result, Signals, misuse};
use crate::limits::{self, Limits};
use crate::out;
use crate::source::{Data, Source};

/// A collection of vectors.
#[pyclass(frozen, module = "unspool")]
pub struct Cvc {
    source: Py<Source>,
    /// The first bytes of the file, up to the first chunk.
    head: Arc<Data>,
    limits: unspool::Limits,
}

/// Bytes that are read first. Most heads fit.
const FIRST: u64 = 64 << 10;

#[pymethods]
impl Cvc {
    #[new]
    #[pyo3(signature = (source, limits=None))]
    fn new(py: Python<'_>, source: &Bound<'_, Source>, limits: Option<&Bound<'_, Limits>>) -> PyResult<Self> {
        let (held, source, limits) = (source.clone().unbind(), source.get(), limits::of(limits));
        let head = py.detach(|| {
            let mut head = source.head(FIRST)?;
            let len = Header::read(&head, &limits)?.head_len();
            if len > head.len() as u64 {
                let rest = source.get(head.len() as u64..len)?;
                head = Data::Owned([&*head, &*rest].concat());
            }
            File::open(&head, &limits)?;
            Ok::<_, Fail>(head)
        })?;
        Ok(Self { source: held, head: Arc::new(head), limits })
    }

    /// The number of rows.
    fn __len__(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.open()?.num_vectors()).unwrap_or(usize::MAX))
    }

    #[getter]
    fn column_names(&self) -> PyResult<Vec<String>> {
        let file = self.open()?;
        let names: unspool::Result<_> = file.columns().map(|column| Ok(column?.name().to_string())).collect();
        Ok(names.map_err(Fail::from)?)
    }

    #[pyo3(signature = (name=None))]
    fn column(slf: &Bound<'_, Self>, name: Option<String>) -> PyResult<CvcColumn> {
        let this = slf.get();
        let file = this.open()?;
        let column = find(&file, name.as_deref())?;
        let dtype = column.output().map_err(Fail::from)?;
        let (dimension, len) = (column.dimension(), column.rows().end);
        Ok(CvcColumn { file: slf.clone().unbind(), name, dtype, dimension, len })
    }

    fn sections<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let file = self.open()?;
        let json = py.import("json")?;
        let dict = |section: unspool::Result<unspool::cvc::Section<'_>>| {
            let section = section.map_err(Fail::from)?;
            let dict = PyDict::new(py);
            dict.set_item("start", section.rows.start)?;
            dict.set_item("end", section.rows.end)?;
            let raw = section.metadata.raw();
            let metadata =
                if raw.is_empty() { PyDict::new(py).into_any() } else { json.call_method1("loads", (raw,))? };
            dict.set_item("metadata", metadata)?;
            Ok(dict)
        };
        file.sections().map(dict).collect()
    }

    /// Reads some columns and rows.
    #[pyo3(signature = (columns=None, rows=None))]
    fn read(&self, py: Python<'_>, columns: Option<Vec<String>>, rows: Option<(u64, u64)>) -> PyResult<Table> {
        let source = self.source.get();
        let table = py.detach(|| {
            let file = self.open()?;
            let names: Option<Vec<_>> = columns.as_ref().map(|names| names.iter().map(String::as_str).collect());
            let (start, end) = rows.unwrap_or((0, file.num_vectors()));
            let mut reader = ChunkReader::new(&file, names.as_deref(), start..end, &self.options())?;
            if names.is_some_and(|names| names.is_empty()) {
                return Ok(Table::without_columns(end - start));
            }
            let (mut batches, mut signals) = (vec![], Signals::new());
            while let Some(range) = reader.needs() {
                batches.extend(reader.feed(range.start, &source.get(range.clone())?)?);
                signals.check()?;
            }
            Ok::<_, Fail>(Table { schema: reader.schema(), batches })
        });
        Ok(table?)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, None, None)?.into_pyobject(py)?.call_method1("__arrow_c_stream__", (requested_schema,))
    }

    fn close(&self) {
        self.source.get().close();
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_details))]
    fn __exit__(&self, _details: &Bound<'_, PyTuple>) {
        self.close();
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<unspool.Cvc: {} rows, columns {:?}>", self.__len__()?, self.column_names()?))
    }
}

impl Cvc {
    fn open(&self) -> Result<File<'_>> {
        Ok(File::open(&self.head, &self.limits)?)
    }

    const fn options(&self) -> Options<'static> {
        Options { limits: self.limits, ..Options::DEFAULT }
    }

    /// Decodes some rows of a column on this thread.
    fn range(&self, source: &Source, column: &Column<'_>, rows: Range<u64>) -> Result<ArrayRef> {
        let options = self.options();
        let mut reader = ColumnReader::new(column, rows, source.size(), &options)?;
        let mut signals = Signals::new();
        while let Some(range) = reader.needs() {
            reader.feed(range.start, &source.get(range.clone())?)?;
            signals.check()?;
        }
        Ok(Arc::new(reader.finish()?))
    }

    /// Decodes some rows of a column, chunk by chunk, on several threads. The error is
    /// that of the first chunk that is refused.
    fn fill(
        &self,
        source: &Source,
        column: &Column<'_>,
        rows: Range<u64>,
        dtype: Dtype,
        bytes: &mut [u8],
        threads: NonZeroUsize,
    ) -> Result<()> {
        let mut plan = column.plan(rows)?;
        let (mut rest, mut signals, width) = (bytes, Signals::new(), dtype.width());
        let short = || unspool::Error::new(ErrorKind::OutputTooSmall, 0);
        let items = std::iter::from_fn(|| {
            let mut next = || -> Result<Option<(Piece, Data, &mut [u8])>> {
                while let Some(range) = plan.needs() {
                    let data = source.get(range.clone())?;
                    let Some(piece) = plan.piece().cloned() else {
                        plan.feed(range.start, &data, Verify::Refuse)?;
                        continue;
                    };
                    plan.skip();
                    let size = usize::try_from(piece.values().saturating_mul(width)).map_err(|_| short())?;
                    return Ok(Some((piece, data, rest.split_off_mut(..size).ok_or_else(short)?)));
                }
                Ok(None)
            };
            next().transpose()
        });
        let work = |(): &mut (), (piece, data, to): (Piece, Data, &mut [u8])| {
            let payload = piece.read(&data, Verify::Refuse, &mut Checksums::default())?;
            decode(&payload, dtype, to)
        };
        in_order(threads, items, || (), work, |()| signals.check())
    }
}

/// Decodes values of this type into bytes, in the order of the machine.
fn decode(payload: &unspool::cvc::Payload<'_>, dtype: Dtype, to: &mut [u8]) -> Result<()> {
    fn cast<T: bytemuck::Pod + unspool::cvc::Element>(
        payload: &unspool::cvc::Payload<'_>,
        to: &mut [u8],
    ) -> Result<()> {
        match bytemuck::try_cast_slice_mut::<u8, T>(to) {
            Ok(values) => Ok(payload.decode(values)?),
            // The array of a caller is aligned. This is for one that is not.
            Err(_) => {
                let mut values = vec![T::zeroed(); payload.len()];
                payload.decode(&mut values)?;
                to.iter_mut().zip(bytemuck::cast_slice(&values)).for_each(|(to, &byte)| *to = byte);
                Ok(())
            }
        }
    }
    match dtype {
        Dtype::F32 => cast::<f32>(payload, to),
        Dtype::F16 => cast::<u16>(payload, to),
        Dtype::I64 => cast::<i64>(payload, to),
        Dtype::I32 => cast::<i32>(payload, to),
        Dtype::I8 => cast::<i8>(payload, to),
        Dtype::U8 => cast::<u8>(payload, to),
    }
}

fn find<'a>(file: &File<'a>, name: Option<&str>) -> Result<Column<'a>> {
    Ok(match name {
        Some(name) => file.column(name)?,
        None => file.only_column()?,
    })
}

/// A column of a collection.
#[pyclass(frozen, module = "unspool")]
pub struct CvcColumn {
    file: Py<Cvc>,
    name: Option<String>,
    dtype: Dtype,
    dimension: u64,
    len: u64,
}

#[pymethods]
impl CvcColumn {
    fn __len__(&self) -> usize {
        usize::try_from(self.len).unwrap_or(usize::MAX)
    }

    #[getter]
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    #[getter]
    fn dtype(&self) -> &'static str {
        self.dtype.name()
    }

    #[getter]
    fn dimension(&self) -> u64 {
        self.dimension
    }

    #[getter]
    fn shape(&self) -> (u64, u64) {
        (self.len, self.dimension)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (range, one) = match rows(index, self.len)? {
            Rows::One(row) => (row..row + 1, true),
            Rows::Some(range) => (range, false),
        };
        let array = self.slice(py, range)?;
        if one { array.get_item(0) } else { Ok(array) }
    }

    /// Returns rows as a numpy array, or fills `out`.
    #[pyo3(signature = (rows=None, *, out=None, threads=None))]
    fn numpy<'py>(
        &self,
        py: Python<'py>,
        rows: Option<(u64, u64)>,
        out: Option<Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let threads = limits::threads(threads)?;
        let (start, end) = rows.unwrap_or((0, self.len));
        let count =
            end.checked_sub(start).filter(|_| end <= self.len).ok_or_else(|| misuse(ErrorKind::RangeOutside))?;
        let (file, dtype) = (self.file.get(), self.dtype);
        let source = file.source.get();
        let size = count.checked_mul(self.dimension).and_then(|values| values.checked_mul(dtype.width()));
        let allowed = size.filter(|&size| size <= file.limits.max_output);
        let Some(_) = allowed else {
            let error = unspool::Error::new(ErrorKind::OutputLimit, 0).needing(size.unwrap_or(u64::MAX));
            return Err(Fail::Refused(error).into());
        };
        // A file shorter than a byte for each value is lossless, or claims too much: its rows are
        // decoded before there is memory for the next.
        let is_plausible = count.saturating_mul(self.dimension) <= source.size();
        if out.is_none() && !is_plausible {
            return to_numpy(self.slice(py, start..end)?);
        }
        let out = match out {
            Some(out) => out,
            None => py.import("numpy")?.call_method1("empty", ((count, self.dimension), dtype.name()))?,
        };
        out::fill(py, &out, dtype.name(), Some(count.saturating_mul(self.dimension)), |bytes| {
            let opened = file.open()?;
            let column = find(&opened, self.name.as_deref())?;
            file.fill(source, &column, start..end, dtype, bytes, threads)
        })?;
        Ok(out)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.slice(py, 0..self.len)?.call_method1("__arrow_c_array__", (requested_schema,))
    }

    fn __repr__(&self) -> String {
        let name = self.name.as_deref().unwrap_or("the only column");
        format!("<unspool.CvcColumn: {name}, {} x {}, {}>", self.len, self.dimension, self.dtype.name())
    }
}

impl CvcColumn {
    fn slice<'py>(&self, py: Python<'py>, rows: Range<u64>) -> PyResult<Bound<'py, PyAny>> {
        let file = self.file.get();
        let source = file.source.get();
        let array = py.detach(|| {
            let opened = file.open()?;
            file.range(source, &find(&opened, self.name.as_deref())?, rows)
        })?;
        Ok(Array(array).into_pyobject(py)?.into_any())
    }
}

//! `unspool.Pco`.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::OnceLock;

use arrow_array::{ArrayRef, new_empty_array};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyTuple};
use unspool::ErrorKind;
use unspool::pco::{Chunk, File, NumberType, Options, Plan, decode_watched};
use unspool_arrow::pco::{Batches, data_type, decode_chunk, decode_in_threads, expected_len, number_type};

use crate::arrays::{Array, Rows, rows, to_numpy};
use crate::fail::{Fail, Result, Signals, misuse, watched};
use crate::limits::{self, Limits};
use crate::out;
use crate::source::{Data, Held, Source};

/// A column of numbers.
#[pyclass(frozen, module = "unspool")]
pub struct Pco {
    data: Held<Data>,
    /// The length of the file.
    size: usize,
    options: Options,
    ty: Option<NumberType>,
    len: OnceLock<u64>,
}

#[pymethods]
impl Pco {
    #[new]
    #[pyo3(signature = (source, limits=None))]
    fn new(py: Python<'_>, source: &Bound<'_, Source>, limits: Option<&Bound<'_, Limits>>) -> PyResult<Self> {
        let (source, limits) = (source.get(), limits::of(limits));
        let opened = py.detach(|| {
            let data = source.all(&limits)?;
            let ty = number_type(&data, &limits)?;
            let options = Options { limits, ..Options::DEFAULT };
            Ok::<_, Fail>(Self { size: data.len(), data: Held::new(data), options, ty, len: OnceLock::new() })
        });
        Ok(opened?)
    }

    #[getter]
    fn dtype(&self) -> Option<&'static str> {
        self.ty.map(dtype)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(usize::try_from(py.detach(|| self.count())?).unwrap_or(usize::MAX))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let len = py.detach(|| self.count())?;
        let (range, one) = match rows(index, len)? {
            Rows::One(row) => (row..row + 1, true),
            Rows::Some(range) => (range, false),
        };
        let array = Array(py.detach(|| self.range(range))?).into_pyobject(py)?;
        if one { array.get_item(0) } else { Ok(array.into_any()) }
    }

    #[pyo3(signature = (*, threads=None))]
    fn read(&self, py: Python<'_>, threads: Option<usize>) -> PyResult<Array> {
        let threads = limits::threads(threads)?;
        Ok(Array(py.detach(|| self.whole(threads))?))
    }

    #[pyo3(signature = (*, out=None, threads=None))]
    fn numpy<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let threads = limits::threads(threads)?;
        let Some(out) = out else {
            return match self.new_array(py, threads)? {
                Some(array) => Ok(array),
                // A copy, which the caller may change like any new array.
                None => to_numpy(Array(py.detach(|| self.whole(threads))?).into_pyobject(py)?.into_any())?
                    .call_method0("copy"),
            };
        };
        let ty = self.ty.ok_or_else(|| misuse(ErrorKind::WrongType))?;
        out::fill(py, &out, dtype(ty), None, |bytes| {
            let wrote = self.fill(bytes, ty, threads)?;
            match bytes.len() / ty.size() {
                len if len == wrote => Ok(()),
                len => Err(unspool::Error::new(ErrorKind::BadArgument, 0).needing(wrote.min(len) as u64).into()),
            }
        })?;
        Ok(out)
    }

    fn read_chunk(&self, py: Python<'_>, start: u64) -> PyResult<Array> {
        let array = py.detach(|| Ok::<_, Fail>(decode_chunk(&self.data.get()?, start, &self.options)?));
        Ok(Array(array?))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = self.read(py, Some(1))?.into_pyobject(py)?;
        array.call_method1("__arrow_c_array__", (requested_schema,))
    }

    fn chunks<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let mut chunks = vec![];
        let walked = py.detach(|| {
            self.each_chunk(|at, next, chunk| {
                let (mode, delta) = (chunk.meta.mode.name(), chunk.meta.delta.name());
                chunks.push((at, next, chunk.len, dtype(chunk.number_type()), mode, delta));
            })
        });
        walked?;
        let dict = |(start, end, len, ty, mode, delta)| {
            let dict = PyDict::new(py);
            dict.set_item::<_, u64>("start", start)?;
            dict.set_item::<_, u64>("end", end)?;
            dict.set_item::<_, usize>("len", len)?;
            dict.set_item::<_, &str>("dtype", ty)?;
            dict.set_item::<_, &str>("mode", mode)?;
            dict.set_item::<_, &str>("delta", delta)?;
            Ok(dict)
        };
        chunks.into_iter().map(dict).collect()
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
        format!("<unspool.Pco: {}, {} bytes>", self.ty.map_or("no numbers", dtype), self.size)
    }
}

impl Pco {
    /// Walks over the chunks without decoding their numbers.
    fn each_chunk(&self, mut each: impl FnMut(u64, u64, &Chunk<'_>)) -> Result<()> {
        let (mut workspace, mut chunk, mut signals) = (vec![], Chunk::new(), Signals::new());
        let data = self.data.get()?;
        let file = File::open(&data, &self.options.limits)?;
        let mut at = file.first();
        while chunk.open(&file, at, &mut ())? {
            grow(&mut workspace, chunk.workspace_len(Plan::Whole))?;
            let next = chunk.skip(&mut workspace)?;
            each(at, next, &chunk);
            at = next;
            signals.check()?;
        }
        Ok(())
    }

    /// Counts the numbers, once.
    fn count(&self) -> Result<u64> {
        if let Some(&len) = self.len.get() {
            return Ok(len);
        }
        let mut len = 0u64;
        self.each_chunk(|_, _, chunk| len = len.saturating_add(chunk.len as u64))?;
        Ok(*self.len.get_or_init(|| len))
    }

    /// Decodes to a new array of numpy, which asks for large pages. Returns `None` if the header
    /// states no count, or one that is too small or above the limit.
    fn new_array<'py>(&self, py: Python<'py>, threads: NonZeroUsize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let expected = py.detach(|| Ok::<_, Fail>(expected_len(&self.data.get()?, &self.options.limits)?))?;
        let (Some(ty), Some(len)) = (self.ty, expected) else { return Ok(None) };
        if len.saturating_mul(ty.size() as u64) > self.options.limits.max_output {
            return Ok(None);
        }
        let array = py.import("numpy")?.call_method1("empty", (len, dtype(ty)))?;
        let mut wrote = Some(0);
        out::fill(py, &array, dtype(ty), None, |bytes| {
            wrote = match self.fill(bytes, ty, threads) {
                Err(Fail::Refused(error)) if error.kind == ErrorKind::OutputTooSmall => None,
                filled => Some(filled?),
            };
            Ok(())
        })?;
        wrote.map(|wrote| array.get_item(PySlice::new(py, 0, wrote.cast_signed(), 1))).transpose()
    }

    fn range(&self, range: Range<u64>) -> Result<ArrayRef> {
        let most = usize::try_from(range.end - range.start).unwrap_or(usize::MAX).max(1);
        let mut signals = Signals::new();
        let mut parts = vec![];
        let data = self.data.get()?;
        for part in Batches::open(&data, range, most, &self.options)? {
            parts.push(part?);
            signals.check()?;
        }
        match parts.len() {
            0 => Ok(new_empty_array(&self.ty.map_or(arrow_schema::DataType::Null, data_type))),
            1 => Ok(parts.swap_remove(0)),
            _ => crate::arrays::concat(&parts),
        }
    }

    fn whole(&self, threads: NonZeroUsize) -> Result<ArrayRef> {
        let data = self.data.get()?;
        watched(|watch| Ok(decode_in_threads(&data, threads, &self.options, watch)?))
    }

    /// Decodes all numbers to the front of `bytes`. Returns their count.
    fn fill(&self, bytes: &mut [u8], ty: NumberType, threads: NonZeroUsize) -> Result<usize> {
        macro_rules! threaded {
            ($($variant:ident $native:ident)*) => {
                match ty {
                    $(NumberType::$variant if threads.get() > 1 => {
                        if let Ok(numbers) = bytemuck::try_cast_slice_mut::<u8, $native>(bytes) {
                            return watched(|watch| {
                                Ok(decode_watched(&self.data.get()?, numbers, threads, &self.options, watch)?.wrote)
                            });
                        }
                    })*
                    _ => {}
                }
            };
        }
        threaded! { U8 u8 U16 u16 U32 u32 U64 u64 I8 i8 I16 i16 I32 i32 I64 i64 F32 f32 F64 f64 }
        let data = self.data.get()?;
        let file = File::open(&data, &self.options.limits)?;
        let (mut at, mut rest, mut count, mut chunk) = (file.first(), bytes, 0usize, Chunk::new());
        let (mut workspace, mut signals) = (vec![], Signals::new());
        while chunk.open(&file, at, &mut ())? {
            if chunk.number_type() != ty {
                return Err(unspool::Error::new(ErrorKind::WrongType, chunk.page_at).into());
            }
            count = count.saturating_add(chunk.len);
            let too_small = unspool::Error::new(ErrorKind::OutputTooSmall, at).needing(count as u64);
            let out = rest.split_off_mut(..chunk.size()).ok_or(too_small)?;
            grow(&mut workspace, chunk.workspace_len(Plan::Batches))?;
            at = chunk.decode_bytes(out, &mut workspace, &mut ())?;
            signals.check()?;
        }
        Ok(count)
    }
}

fn grow(workspace: &mut Vec<u64>, len: u64) -> Result<()> {
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let no_memory = unspool::Error::new(ErrorKind::NoMemory, 0).needing(len as u64);
    workspace.try_reserve(len.saturating_sub(workspace.len())).map_err(|_| no_memory)?;
    if workspace.len() < len {
        workspace.resize(len, 0);
    }
    Ok(())
}

/// Returns the name of a type in numpy.
const fn dtype(ty: NumberType) -> &'static str {
    match ty {
        NumberType::U8 => "uint8",
        NumberType::U16 => "uint16",
        NumberType::U32 => "uint32",
        NumberType::U64 => "uint64",
        NumberType::I8 => "int8",
        NumberType::I16 => "int16",
        NumberType::I32 => "int32",
        NumberType::I64 => "int64",
        NumberType::F16 => "float16",
        NumberType::F32 => "float32",
        NumberType::F64 => "float64",
    }
}

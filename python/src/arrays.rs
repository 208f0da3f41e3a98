//! Results: `unspool.Array` and `unspool.Table`, which Arrow and numpy read without a copy.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{
    Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array as _, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::{PyBufferError, PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PyMemoryView, PySlice, PyString, PyTuple};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

fn arrow(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An immutable column of decoded values.
#[pyclass(frozen, module = "unspool")]
pub struct Array(pub ArrayRef);

#[pymethods]
impl Array {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The name of the Arrow type.
    #[getter]
    fn type_name(&self) -> String {
        self.0.data_type().to_string()
    }

    /// The number of nulls.
    #[getter]
    fn null_count(&self) -> usize {
        self.0.null_count()
    }

    /// The length of each dimension: rows, and the values of each row if it has several.
    #[getter]
    fn shape(&self) -> Vec<usize> {
        shape(&self.0)
    }

    /// Returns the row, or an array of some rows without a copy.
    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match rows(index, self.0.len() as u64)? {
            Rows::One(row) => item(py, &self.0, usize::try_from(row).unwrap_or(usize::MAX)),
            Rows::Some(range) => {
                let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
                let slice = self.0.slice(place(range.start), place(range.end - range.start));
                Ok(Array(slice).into_pyobject(py)?.into_any())
            }
        }
    }

    /// Returns all values as objects of Python.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, &self.0)
    }

    /// Describes the values to numpy, which reads them in place. They must not be written.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Plain { address, width, kind } = plain(&self.0).map_err(PyTypeError::new_err)?;
        let dict = PyDict::new(py);
        dict.set_item("version", 3)?;
        dict.set_item("shape", PyTuple::new(py, shape(&self.0))?)?;
        let order = if width == 1 {
            '|'
        } else if cfg!(target_endian = "little") {
            '<'
        } else {
            '>'
        };
        dict.set_item("typestr", format!("{order}{kind}{width}"))?;
        dict.set_item("data", (address, true))?;
        Ok(dict)
    }

    /// Returns a view of the values in place, which must not be written. From version 3.12 of
    /// Python on, this is the buffer protocol: `memoryview` calls it.
    fn __buffer__<'py>(slf: &Bound<'py, Self>, flags: i32) -> PyResult<Bound<'py, PyAny>> {
        // The view is checked against them by whoever asked for it.
        let _ = flags;
        let (py, array) = (slf.py(), &slf.get().0);
        let Plain { address, width, kind } = plain(array).map_err(PyBufferError::new_err)?;
        let mut shape = shape(array);
        let rows = shape.first().copied().unwrap_or(0);
        let row = shape.iter().skip(1).product::<usize>().saturating_mul(width);
        let memory = if rows > 0 {
            let bytes = py.import("ctypes")?.getattr("c_ubyte")?.mul(rows.saturating_mul(row))?;
            let memory = bytes.call_method1("from_address", (address,))?;
            // The memory is this array's, which lives as long as a view of it.
            memory.setattr("array", slf)?;
            memory
        } else {
            // A view without rows is cut out of one with a row: no other has a second dimension.
            shape.iter_mut().take(1).for_each(|rows| *rows = 1);
            PyBytes::new(py, &vec![0; row]).into_any()
        };
        let view = PyMemoryView::from(&memory)?.call_method0("toreadonly")?.call_method1("cast", ("B",))?;
        let no_format = |error: PyErr| PyBufferError::new_err(error.value(py).to_string());
        let view = view.call_method1("cast", (letter(kind, width), PyList::new(py, shape)?)).map_err(no_format)?;
        if rows > 0 { Ok(view) } else { view.get_item(PySlice::new(py, 0, 0, 1)) }
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.data_type()).map_err(arrow)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The protocol allows to ignore a wish for another type.
        drop(requested_schema);
        let (array, schema) = to_ffi(&self.0.to_data()).map_err(arrow)?;
        let array: FFI_ArrowArray = array;
        Ok((PyCapsule::new_with_value(py, schema, SCHEMA)?, PyCapsule::new_with_value(py, array, ARRAY)?))
    }

    fn __repr__(&self) -> String {
        let shape: Vec<_> = shape(&self.0).iter().map(ToString::to_string).collect();
        format!("<unspool.Array: {}, {}>", shape.join(" x "), self.0.data_type())
    }
}

/// Record batches of one schema.
#[pyclass(frozen, module = "unspool")]
pub struct Table {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
}

#[pymethods]
impl Table {
    /// The number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Returns the columns by name, with all values as objects of Python.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (i, field) in self.schema.fields().iter().enumerate() {
            let values = PyList::empty(py);
            for batch in &self.batches {
                let column = list(py, batch.column(i))?;
                column.iter().try_for_each(|value| values.append(value))?;
            }
            dict.set_item(field.name(), values)?;
        }
        Ok(dict)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.schema).map_err(arrow)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches: Vec<_> = self.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }

    fn __repr__(&self) -> String {
        let fields = self.schema.fields().iter();
        let fields: Vec<_> = fields.map(|field| format!("{}: {}", field.name(), field.data_type())).collect();
        format!("<unspool.Table: {} rows, {}>", self.__len__(), fields.join(", "))
    }
}

impl Table {
    /// A table of this many rows.
    pub fn without_columns(rows: u64) -> Self {
        let schema = Arc::new(Schema::empty());
        let options = RecordBatchOptions::new().with_row_count(usize::try_from(rows).ok());
        let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), vec![], &options);
        Self { schema, batches: batch.into_iter().collect() }
    }

    /// A table of one column.
    pub fn of(name: &str, arrays: Vec<ArrayRef>, ty: &DataType) -> PyResult<Self> {
        let schema = Arc::new(Schema::new(vec![Field::new(name, ty.clone(), false)]));
        let batch = |array| RecordBatch::try_new(Arc::clone(&schema), vec![array]);
        let batches: Result<Vec<_>, _> = arrays.into_iter().map(batch).collect();
        Ok(Self { schema: Arc::clone(&schema), batches: batches.map_err(arrow)? })
    }
}

/// Returns a view of an array as numpy's.
pub fn to_numpy(array: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    array.py().import("numpy")?.call_method1("asarray", (array,))
}

/// Joins arrays of plain numbers of one type.
pub fn concat(parts: &[ArrayRef]) -> crate::fail::Result<ArrayRef> {
    let mut parts = parts.iter().map(|part| part.to_data());
    let broken = || unspool::Error::new(unspool::ErrorKind::WrongType, 0);
    let first = parts.next().ok_or_else(broken)?;
    let width = first.data_type().primitive_width().ok_or_else(broken)?;
    let bytes = |data: &arrow_data::ArrayData| {
        let all = data.buffers().first().map_or(&[][..], |buffer| buffer.as_slice()).to_vec();
        let start = data.offset() * width;
        all.get(start..start + data.len() * width).unwrap_or_default().to_vec()
    };
    let mut joined = arrow_buffer::MutableBuffer::from(bytes(&first));
    let mut len = first.len();
    for part in parts {
        joined.extend_from_slice(&bytes(&part));
        len += part.len();
    }
    let data = arrow_data::ArrayData::builder(first.data_type().clone()).len(len).add_buffer(joined.into());
    Ok(arrow_array::make_array(data.build().map_err(|_| broken())?))
}

/// Rows that an index selects.
pub enum Rows {
    One(u64),
    Some(std::ops::Range<u64>),
}

/// Reads an index: an integer, or a slice of step 1. Negative ones count from the end.
pub fn rows(index: &Bound<'_, PyAny>, len: u64) -> PyResult<Rows> {
    let signed = i64::try_from(len).map_err(|_| PyIndexError::new_err("more rows than an index can count"))?;
    if let Ok(slice) = index.cast::<PySlice>() {
        let found = slice.indices(isize::try_from(signed)?)?;
        if found.step != 1 {
            return Err(PyValueError::new_err(format!("expected a slice of step 1, found step {}", found.step)));
        }
        let start = u64::try_from(found.start)?;
        return Ok(Rows::Some(start..start.max(u64::try_from(found.stop)?)));
    }
    let row: i64 = index.extract()?;
    let row = if row < 0 { row + signed } else { row };
    match u64::try_from(row) {
        Ok(row) if row < len => Ok(Rows::One(row)),
        _ => Err(PyIndexError::new_err(format!("there are {len} rows"))),
    }
}

/// Returns the flat values of an array of lists, or the array itself.
fn values(array: &ArrayRef) -> ArrayRef {
    match array.as_fixed_size_list_opt() {
        Some(list) => Arc::clone(list.values()),
        None => Arc::clone(array),
    }
}

fn shape(array: &ArrayRef) -> Vec<usize> {
    match array.as_fixed_size_list_opt() {
        Some(list) => vec![list.len(), usize::try_from(list.value_length()).unwrap_or(0)],
        None => vec![array.len()],
    }
}

/// Numbers in a row in memory.
struct Plain {
    address: usize,
    /// Bytes of a number.
    width: usize,
    /// The letter of numpy for the type.
    kind: char,
}

/// Returns the place of an array's numbers, or a message why it is not plain.
fn plain(array: &ArrayRef) -> Result<Plain, String> {
    let values = values(array);
    if array.null_count() > 0 {
        return Err("plain numbers have no nulls; read this array with Arrow".to_owned());
    }
    let Some(kind) = kind(values.data_type()) else {
        let ty = array.data_type();
        return Err(format!("{ty} is no type of plain numbers; read this array with Arrow"));
    };
    let data = values.to_data();
    let width = values.data_type().primitive_width().unwrap_or(1);
    let bytes = data.buffers().first().map_or(&[][..], |buffer| buffer.as_slice());
    let start = bytes.get(data.offset().saturating_mul(width)..).unwrap_or_default();
    Ok(Plain { address: start.as_ptr() as usize, width, kind })
}

/// Returns the letter of the module `struct` for a type of numbers.
const fn letter(kind: char, width: usize) -> &'static str {
    match (kind, width) {
        ('f', 2) => "e",
        ('f', 4) => "f",
        ('f', _) => "d",
        ('i', 1) => "b",
        ('i', 2) => "h",
        ('i', 4) => "i",
        ('i', _) => "q",
        (_, 1) => "B",
        (_, 2) => "H",
        (_, 4) => "I",
        (_, _) => "Q",
    }
}

/// Returns the letter of numpy for a type of numbers.
fn kind(ty: &DataType) -> Option<char> {
    match ty {
        _ if ty.is_floating() => Some('f'),
        _ if ty.is_signed_integer() => Some('i'),
        _ if ty.is_unsigned_integer() => Some('u'),
        _ => None,
    }
}

fn list<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    let items: PyResult<Vec<_>> = (0..array.len()).map(|row| item(py, array, row)).collect();
    PyList::new(py, items?)
}

fn item<'py>(py: Python<'py>, array: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    macro_rules! number {
        ($ty:ty) => {
            array.as_primitive::<$ty>().value(row).into_pyobject(py)?.into_any()
        };
    }
    if row >= array.len() {
        return Err(PyIndexError::new_err(format!("there are {} rows", array.len())));
    }
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match array.data_type() {
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::Float32 => number!(Float32Type),
        DataType::Float64 => number!(Float64Type),
        DataType::Float16 => f64::from(array.as_primitive::<Float16Type>().value(row)).into_pyobject(py)?.into_any(),
        DataType::Decimal128(..) => {
            let text = array.as_primitive::<Decimal128Type>().value_as_string(row);
            py.import("decimal")?.call_method1("Decimal", (text,))?
        }
        DataType::Utf8View => PyString::new(py, array.as_string_view().value(row)).into_any(),
        DataType::BinaryView => PyBytes::new(py, array.as_binary_view().value(row)).into_any(),
        DataType::FixedSizeList(..) => list(py, &array.as_fixed_size_list().value(row))?.into_any(),
        other => return Err(PyTypeError::new_err(format!("no object of Python for {other}"))),
    })
}

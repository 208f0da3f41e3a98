//! CVC: columns of vectors as `FixedSizeList`.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float16Type, Float32Type, Int8Type, Int32Type, Int64Type, UInt8Type};
use arrow_array::{ArrayRef, FixedSizeListArray, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use unspool::cvc::{Column, Dtype, Element, File, Options, Payload, Plan};
use unspool::{ErrorKind, Limits};

use crate::{Result, lengthen, memory_for};

/// Returns the Arrow type of single values.
pub const fn value_type(dtype: Dtype) -> DataType {
    match dtype {
        Dtype::F32 => DataType::Float32,
        Dtype::F16 => DataType::Float16,
        Dtype::I64 => DataType::Int64,
        Dtype::I32 => DataType::Int32,
        Dtype::I8 => DataType::Int8,
        Dtype::U8 => DataType::UInt8,
    }
}

/// The field of the values within a list.
fn item(dtype: Dtype) -> FieldRef {
    Arc::new(Field::new("item", value_type(dtype), false))
}

/// Returns the field of a column. The only column of a file without a schema is called `vector`.
pub fn field(column: &Column<'_>) -> Result<Field> {
    let list = DataType::FixedSizeList(item(column.output()?), list_len(column)?);
    let name = column.name().to_string();
    Ok(Field::new(if name.is_empty() { "vector".to_owned() } else { name }, list, false))
}

fn list_len(column: &Column<'_>) -> Result<i32> {
    let len = column.dimension();
    i32::try_from(len).map_err(|_| unspool::Error::new(ErrorKind::ElementLimit, 0).needing(len).into())
}

/// Returns the schema of some columns of a file, in this order, or of all if `columns` is `None`.
pub fn schema(file: &File<'_>, columns: Option<&[&str]>) -> Result<Schema> {
    let fields: Result<Vec<_>> = picked(file, columns)?.iter().map(field).collect();
    Ok(Schema::new(fields?))
}

fn picked<'a>(file: &File<'a>, columns: Option<&[&str]>) -> Result<Vec<Column<'a>>> {
    let found: unspool::Result<_> = match columns {
        None => file.columns().collect(),
        Some(names) => names.iter().map(|name| file.column(name)).collect(),
    };
    Ok(found?)
}

/// Decoded values, in the vector that becomes the buffer.
enum Values {
    F32(Vec<f32>),
    F16(Vec<u16>),
    I64(Vec<i64>),
    I32(Vec<i32>),
    I8(Vec<i8>),
    U8(Vec<u8>),
}

/// Runs an expression with the vector of any type.
macro_rules! with_values {
    ($values:expr, $vec:ident => $run:expr) => {
        match $values {
            Values::F32($vec) => $run,
            Values::F16($vec) => $run,
            Values::I64($vec) => $run,
            Values::I32($vec) => $run,
            Values::I8($vec) => $run,
            Values::U8($vec) => $run,
        }
    };
}

impl Values {
    const fn new(dtype: Dtype) -> Self {
        match dtype {
            Dtype::F32 => Self::F32(Vec::new()),
            Dtype::F16 => Self::F16(Vec::new()),
            Dtype::I64 => Self::I64(Vec::new()),
            Dtype::I32 => Self::I32(Vec::new()),
            Dtype::I8 => Self::I8(Vec::new()),
            Dtype::U8 => Self::U8(Vec::new()),
        }
    }

    fn into_array(self) -> ArrayRef {
        fn array<T: ArrowPrimitiveType>(values: Vec<impl ArrowNativeType>) -> ArrayRef {
            let len = values.len();
            Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::new(Buffer::from_vec(values), 0, len), None))
        }
        match self {
            Self::F32(values) => array::<Float32Type>(values),
            Self::F16(values) => array::<Float16Type>(values),
            Self::I64(values) => array::<Int64Type>(values),
            Self::I32(values) => array::<Int32Type>(values),
            Self::I8(values) => array::<Int8Type>(values),
            Self::U8(values) => array::<UInt8Type>(values),
        }
    }
}

/// Decodes some rows of a column of a file that is read in ranges.
///
/// Asks for the chunks that hold the rows, one after another, and for nothing else. The caller
/// fetches them from a file or a server.
///
/// ```
/// use unspool::Limits;
/// use unspool::cvc::{File, Header, Options};
/// use unspool_arrow::cvc::ColumnReader;
/// # let bytes = include_bytes!("../../tests/vectors/cvc/v1_fp16.cvc");
/// let head = Header::read(bytes, &Limits::DEFAULT)?.head_len() as usize;
/// let file = File::open(&bytes[..head], &Limits::DEFAULT)?;
/// let (column, len) = (file.only_column()?, bytes.len() as u64);
/// let mut reader = ColumnReader::new(&column, 1..3, len, &Options::DEFAULT)?;
/// while let Some(range) = reader.needs() {
///     reader.feed(range.start, &bytes[range.start as usize..range.end as usize])?;
/// }
/// assert_eq!(reader.finish()?.value_length(), 16);
/// # Ok::<(), unspool_arrow::Error>(())
/// ```
pub struct ColumnReader<'a> {
    plan: Plan<'a>,
    values: Values,
    dtype: Dtype,
    list_len: i32,
    rows: u64,
    options: Options<'a>,
    /// Values to reserve at once: all, if the file is long enough to hold them.
    reserve: usize,
}

impl<'a> ColumnReader<'a> {
    /// Starts with a column and its rows, in a file of `len` bytes.
    pub fn new(column: &Column<'a>, rows: Range<u64>, len: u64, options: &Options<'a>) -> Result<Self> {
        let dtype = column.output()?;
        let list_len = list_len(column)?;
        let plan = column.plan(rows.clone())?;
        let count = rows.end.saturating_sub(rows.start);
        let overflow = unspool::Error::new(ErrorKind::SizeOverflow, 0);
        let values = count.checked_mul(column.dimension()).ok_or(overflow)?;
        let size = values.checked_mul(dtype.width()).ok_or(overflow)?;
        if size > options.limits.max_output {
            return Err(unspool::Error::new(ErrorKind::OutputLimit, 0).needing(size).into());
        }
        // No encoding but the lossless one takes less than a byte for a value. Columns may share
        // bytes.
        let reserve = if values <= len { usize::try_from(values).unwrap_or(0) } else { 0 };
        Ok(Self { plan, values: Values::new(dtype), dtype, list_len, rows: count, options: *options, reserve })
    }

    /// Returns the range of the file to feed next; `None` when all rows are decoded.
    pub fn needs(&self) -> Option<Range<u64>> {
        self.plan.needs()
    }

    /// Takes the bytes of [`needs`](Self::needs), which start at `at`.
    pub fn feed(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        fn append<T: Element>(values: &mut Vec<T>, reserve: &mut usize, payload: &Payload<'_>) -> Result<()> {
            let start = values.len();
            let all = std::mem::take(reserve);
            values
                .try_reserve_exact(all)
                .map_err(|_| unspool::Error::new(ErrorKind::NoMemory, 0).needing(all as u64))?;
            lengthen(values, payload.len())?;
            payload.decode(values.get_mut(start..).unwrap_or_default())?;
            Ok(())
        }
        if let Some(payload) = self.plan.feed(at, bytes, self.options.verify)? {
            let reserve = &mut self.reserve;
            with_values!(&mut self.values, values => append(values, reserve, &payload))?;
        }
        Ok(())
    }

    /// Returns the array, after all ranges were fed.
    pub fn finish(self) -> Result<FixedSizeListArray> {
        if let Some(range) = self.plan.needs() {
            return Err(unspool::Error::new(ErrorKind::RangeOutside, range.start).needing(range.end).into());
        }
        list(self.values, self.dtype, self.list_len, self.rows)
    }
}

/// Decodes some rows of a column of a file in memory.
pub fn decode(src: &[u8], column: &Column<'_>, rows: Range<u64>, options: &Options<'_>) -> Result<FixedSizeListArray> {
    let (dtype, list_len, count) = (column.output()?, list_len(column)?, rows.end.saturating_sub(rows.start));
    let values = match dtype {
        Dtype::F32 => Values::F32(column.decode_to_vec(src, rows, options)?),
        Dtype::F16 => Values::F16(column.decode_to_vec(src, rows, options)?),
        Dtype::I64 => Values::I64(column.decode_to_vec(src, rows, options)?),
        Dtype::I32 => Values::I32(column.decode_to_vec(src, rows, options)?),
        Dtype::I8 => Values::I8(column.decode_to_vec(src, rows, options)?),
        Dtype::U8 => Values::U8(column.decode_to_vec(src, rows, options)?),
    };
    list(values, dtype, list_len, count)
}

/// Decodes the rows of a [`Piece`](unspool::cvc::Piece): this many lists of `list_len` values.
/// Takes the memory of `spent` if nobody else holds that array.
pub fn decode_payload(
    payload: &Payload<'_>,
    dtype: Dtype,
    list_len: i32,
    rows: u64,
    spent: Option<FixedSizeListArray>,
    limits: &Limits,
) -> Result<FixedSizeListArray> {
    let size = (payload.len() as u64).saturating_mul(dtype.width());
    if size > limits.max_output {
        return Err(unspool::Error::new(ErrorKind::OutputLimit, 0).needing(size).into());
    }
    let (mut values, spent) = (Values::new(dtype), spent.map(|spent| spent.into_parts().2));
    with_values!(&mut values, values => {
        *values = memory_for(payload.len(), spent)?;
        payload.decode(values)?;
    });
    list(values, dtype, list_len, rows)
}

/// Makes the list array of all values.
fn list(values: Values, dtype: Dtype, list_len: i32, rows: u64) -> Result<FixedSizeListArray> {
    let outside = unspool::Error::new(ErrorKind::RangeOutside, 0);
    let rows = usize::try_from(rows).map_err(|_| outside)?;
    let array = FixedSizeListArray::try_new_with_length(item(dtype), list_len, values.into_array(), None, rows);
    array.map_err(|_| outside.into())
}

/// Decodes some columns and rows of a file in memory, one record batch of at most `batch` rows
/// after another.
///
/// A record batch is a struct: `StructArray::from(batch)` converts it.
///
/// ```
/// # let bytes = include_bytes!("../../tests/vectors/cvc/v1_fp16.cvc");
/// let options = unspool::cvc::Options::DEFAULT;
/// let batches = unspool_arrow::cvc::Batches::open(bytes, None, 0..100, 64, &options)?;
/// let lengths: Vec<_> = batches.map(|batch| batch.unwrap().num_rows()).collect();
/// assert_eq!(lengths, [64, 36]);
/// # Ok::<(), unspool_arrow::Error>(())
/// ```
pub struct Batches<'a> {
    src: &'a [u8],
    columns: Vec<Column<'a>>,
    schema: SchemaRef,
    rows: Range<u64>,
    batch: u64,
    options: Options<'a>,
}

impl<'a> Batches<'a> {
    /// Opens a file to decode these columns, in this order, or all if `columns` is `None`.
    pub fn open(
        src: &'a [u8],
        columns: Option<&[&str]>,
        rows: Range<u64>,
        batch: usize,
        options: &Options<'a>,
    ) -> Result<Self> {
        let file = File::open(src, &options.limits)?;
        if rows.start > rows.end || rows.end > file.num_vectors() || batch == 0 {
            return Err(unspool::Error::new(ErrorKind::RangeOutside, 0).into());
        }
        let columns = picked(&file, columns)?;
        let fields: Result<Vec<_>> = columns.iter().map(field).collect();
        let schema = Arc::new(Schema::new(fields?));
        Ok(Self { src, columns, schema, rows, batch: batch as u64, options: *options })
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn read(&self, rows: Range<u64>) -> Result<RecordBatch> {
        let count = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        let columns: Result<Vec<ArrayRef>> = (self.columns.iter())
            .map(|column| Ok(Arc::new(decode(self.src, column, rows.clone(), &self.options)?) as _))
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let batch = RecordBatch::try_new_with_options(self.schema(), columns?, &options);
        batch.map_err(|_| unspool::Error::new(ErrorKind::RangeOutside, 0).into())
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<RecordBatch>;

    /// Returns the next batch; `None` after the last row, or after an error.
    fn next(&mut self) -> Option<Result<RecordBatch>> {
        if self.rows.is_empty() {
            return None;
        }
        let end = self.rows.start.saturating_add(self.batch).min(self.rows.end);
        let read = self.read(self.rows.start..end);
        self.rows.start = if read.is_ok() { end } else { self.rows.end };
        Some(read)
    }
}

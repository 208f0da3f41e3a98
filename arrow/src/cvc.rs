//! CVC: columns of vectors as `FixedSizeList`.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float16Type, Float32Type, Int8Type, Int32Type, Int64Type, UInt8Type};
use arrow_array::{ArrayRef, FixedSizeListArray, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use unspool::cvc::{Column, Dtype, File, Options, Payload, Piece, Pieces, Plan, Workspace};
use unspool::{Checksums, ErrorKind, Limits, Verify};

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
    field_of(column, column.output()?)
}

fn field_of(column: &Column<'_>, dtype: Dtype) -> Result<Field> {
    let list = DataType::FixedSizeList(item(dtype), list_len(column)?);
    let name = column.name().to_string();
    Ok(Field::new(if name.is_empty() { "vector".to_owned() } else { name }, list, false))
}

fn list_len(column: &Column<'_>) -> Result<i32> {
    let len = column.dimension();
    i32::try_from(len).map_err(|_| unspool::Error::new(ErrorKind::ElementLimit, 0).needing(len).into())
}

/// Returns the schema of some columns of a file, in this order, or of all if `columns` is `None`.
pub fn schema(file: &File<'_>, columns: Option<&[&str]>) -> Result<Schema> {
    Picked::open(file, columns)?.schema()
}

/// Some columns of a file, found in linear time.
struct Picked<'a> {
    /// All columns of the file, by their position.
    columns: Vec<Column<'a>>,
    /// The positions of those to decode, in their order.
    positions: Vec<usize>,
    /// Whether a column is decoded, by its position.
    is_picked: Vec<bool>,
    /// The types that they decode to, by their position.
    types: Vec<Option<Dtype>>,
    /// The memory of a workspace.
    table: Vec<u32>,
}

impl<'a> Picked<'a> {
    fn open(file: &File<'a>, names: Option<&[&str]>) -> Result<Self> {
        let columns = file.columns().collect::<unspool::Result<Vec<_>>>()?;
        let positions: Vec<usize> = match names {
            None => (0..columns.len()).collect(),
            Some(names) => {
                // If two columns share a name, the last one counts.
                let all = columns.iter().enumerate().map(|(position, column)| (column.name().to_string(), position));
                let all: HashMap<_, _> = all.collect();
                let missing = unspool::Error::new(ErrorKind::CvcNoSuchColumn, 0);
                names.iter().map(|name| all.get(*name).copied().ok_or(missing)).collect::<unspool::Result<_>>()?
            }
        };
        let (mut is_picked, mut types) = (vec![false; columns.len()], vec![None; columns.len()]);
        for &position in &positions {
            is_picked.get_mut(position).into_iter().for_each(|is_picked| *is_picked = true);
        }
        let mut table = vec![0; usize::try_from(file.workspace_len()).unwrap_or(0)];
        file.outputs(&mut Workspace::with_table(&mut table).only(&is_picked), &mut types)?;
        Ok(Self { columns, positions, is_picked, types, table })
    }

    /// Returns the columns to decode with their positions and types.
    fn iter(&self) -> impl Iterator<Item = (usize, &Column<'a>, Dtype)> {
        self.positions
            .iter()
            .filter_map(|&position| Some((position, self.columns.get(position)?, self.types.get(position).copied()??)))
    }

    /// Refuses columns of this many rows with more bytes than the limit.
    fn check_size(&self, rows: u64, limits: &Limits) -> Result<()> {
        self.iter().try_for_each(|(_, column, dtype)| values_of(column, dtype, rows, limits).map(drop))
    }

    /// Returns room for the values of the columns.
    fn values(&self) -> Columns {
        let picked = self.is_picked.iter().zip(&self.types);
        picked.map(|(is_picked, dtype)| dtype.filter(|_| *is_picked).map(Values::new)).collect()
    }

    /// Makes a record batch of the columns.
    fn batch(&self, schema: SchemaRef, columns: Columns, rows: u64) -> Result<RecordBatch> {
        let mut arrays: Vec<Option<ArrayRef>> = vec![];
        for ((values, dtype), column) in columns.into_iter().zip(&self.types).zip(&self.columns) {
            arrays.push(match values.zip(*dtype) {
                Some((values, dtype)) => Some(Arc::new(list(values, dtype, list_len(column)?, rows)?)),
                None => None,
            });
        }
        let columns = self.positions.iter().filter_map(|&position| arrays.get(position).cloned().flatten());
        batch(schema, columns.collect(), rows)
    }

    fn schema(&self) -> Result<Schema> {
        let fields: Result<Vec<_>> = self.iter().map(|(_, column, dtype)| field_of(column, dtype)).collect();
        Ok(Schema::new(fields?))
    }
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

    /// Takes memory for more values, if there is any.
    fn reserve(&mut self, more: usize) -> Result<()> {
        let reserved = with_values!(self, values => values.try_reserve_exact(more));
        Ok(reserved.map_err(|_| unspool::Error::new(ErrorKind::NoMemory, 0).needing(more as u64))?)
    }

    /// Decodes the values of a payload after those that are here.
    fn append(&mut self, payload: &Payload<'_>) -> Result<()> {
        with_values!(self, values => {
            let start = values.len();
            lengthen(values, payload.len())?;
            payload.decode(values.get_mut(start..).unwrap_or_default())?;
        });
        Ok(())
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
        let values = values_of(column, dtype, count, &options.limits)?;
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
        if let Some(payload) = self.plan.feed(at, bytes, self.options.verify)? {
            self.values.reserve(std::mem::take(&mut self.reserve))?;
            self.values.append(&payload)?;
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

/// Walks over the chunks that hold some rows and columns, and names the bytes to fetch.
///
/// Asks for the stored lengths of chunks, as far as the header does not tell where a chunk starts.
/// Thousands of columns take linear time.
///
/// ```
/// use unspool::Limits;
/// use unspool::cvc::File;
/// use unspool_arrow::cvc::Chunks;
/// # let bytes = include_bytes!("../../tests/vectors/cvc/v1_fp16.cvc");
/// let file = File::open(bytes, &Limits::DEFAULT)?;
/// let mut chunks = Chunks::open(&file, None, 20..100)?;
/// let mut lengths = vec![];
/// while let Some(range) = chunks.needs() {
///     match chunks.pieces().first() {
///         Some((_, piece)) => {
///             lengths.push(piece.rows.end - piece.rows.start);
///             chunks.skip();
///         }
///         None => chunks.feed(range.start, &bytes[range.start as usize..range.end as usize])?,
///     }
/// }
/// assert_eq!(lengths, [12, 32, 32, 4]);
/// # Ok::<(), unspool_arrow::Error>(())
/// ```
pub struct Chunks<'a> {
    picked: Picked<'a>,
    schema: SchemaRef,
    walk: Walk<'a>,
    /// The columns of the chunk that is needed next, by their position.
    pieces: Vec<(usize, Piece)>,
}

/// A walk over the chunks of a file.
enum Walk<'a> {
    /// Of a file without a schema. The header may tell where its chunks start.
    Single(Plan<'a>),
    /// Of columns.
    Columnar(Pieces<'a>),
}

impl<'a> Chunks<'a> {
    /// Starts with these rows and columns, or all columns if `columns` is `None`.
    pub fn open(file: &File<'a>, columns: Option<&[&str]>, rows: Range<u64>) -> Result<Self> {
        let picked = Picked::open(file, columns)?;
        if rows.start > rows.end || rows.end > file.num_vectors() {
            return Err(unspool::Error::new(ErrorKind::RangeOutside, 0).into());
        }
        let walk = match picked.columns.first().filter(|_| !file.is_columnar()) {
            Some(column) => Walk::Single(column.plan(rows)?),
            None => Walk::Columnar(file.pieces().within(rows)),
        };
        let mut chunks = Self { schema: Arc::new(picked.schema()?), picked, walk, pieces: vec![] };
        chunks.find();
        Ok(chunks)
    }

    /// Returns the schema of the columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Returns the columns in their order: their positions in the file, and the types of their
    /// values.
    pub fn columns(&self) -> impl Iterator<Item = (usize, &Column<'a>, Dtype)> {
        self.picked.iter()
    }

    /// Returns the bytes that are needed next: those of a chunk if there are
    /// [`pieces`](Self::pieces), else the stored length of one; `None` after the last chunk.
    pub fn needs(&self) -> Option<Range<u64>> {
        match (self.pieces.first(), &self.walk) {
            (Some((_, piece)), _) => Some(piece.range()),
            (None, Walk::Single(plan)) => plan.needs(),
            (None, Walk::Columnar(pieces)) => pieces.needs(),
        }
    }

    /// Returns the rows of the chunk that is needed next: those of each column, with its position
    /// in the file.
    pub fn pieces(&self) -> &[(usize, Piece)] {
        &self.pieces
    }

    /// Takes the stored length of a chunk, which starts at `at`. A chunk that is needed is
    /// [skipped](Self::skip) instead.
    pub fn feed(&mut self, at: u64, length: &[u8]) -> Result<()> {
        if !self.pieces.is_empty() || self.needs().is_some_and(|range| range.start != at) {
            return Err(unspool::Error::new(ErrorKind::RangeOutside, at).into());
        }
        match &mut self.walk {
            Walk::Single(plan) => {
                plan.feed(at, length, Verify::Skip)?;
                self.find();
            }
            Walk::Columnar(pieces) => {
                let workspace = &mut Workspace::with_table(&mut self.picked.table).only(&self.picked.is_picked);
                pieces.feed(at, length, workspace, |position, _, piece| {
                    self.pieces.push((position, piece.clone()));
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Goes on after the chunk that is needed.
    pub fn skip(&mut self) {
        self.pieces.clear();
        if let Walk::Single(plan) = &mut self.walk {
            plan.skip();
            self.find();
        }
    }

    /// Finds the next chunk of a file without a schema, if its length is known.
    fn find(&mut self) {
        if let Walk::Single(plan) = &self.walk {
            self.pieces.extend(plan.piece().map(|piece| (0, piece.clone())));
        }
    }
}

/// Decodes some rows and columns of a file that is read in ranges, one record batch for each chunk.
///
/// Asks for each chunk once, and for what [`Chunks`] needs. The caller fetches the bytes from a
/// file or a server.
///
/// ```
/// use unspool::Limits;
/// use unspool::cvc::{File, Header, Options};
/// use unspool_arrow::cvc::ChunkReader;
/// # let bytes = include_bytes!("../../tests/vectors/cvc/v1_fp16.cvc");
/// let head = Header::read(bytes, &Limits::DEFAULT)?.head_len() as usize;
/// let file = File::open(&bytes[..head], &Limits::DEFAULT)?;
/// let mut reader = ChunkReader::new(&file, None, 20..100, &Options::DEFAULT)?;
/// let mut lengths = vec![];
/// while let Some(range) = reader.needs() {
///     let fetched = &bytes[range.start as usize..range.end as usize];
///     lengths.extend(reader.feed(range.start, fetched)?.map(|batch| batch.num_rows()));
/// }
/// assert_eq!(lengths, [12, 32, 32, 4]);
/// # Ok::<(), unspool_arrow::Error>(())
/// ```
pub struct ChunkReader<'a> {
    chunks: Chunks<'a>,
    options: Options<'a>,
}

impl<'a> ChunkReader<'a> {
    /// Starts with these rows and columns, or all columns if `columns` is `None`.
    pub fn new(file: &File<'a>, columns: Option<&[&str]>, rows: Range<u64>, options: &Options<'a>) -> Result<Self> {
        let chunks = Chunks::open(file, columns, rows.clone())?;
        chunks.picked.check_size(rows.end - rows.start, &options.limits)?;
        Ok(Self { chunks, options: *options })
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        self.chunks.schema()
    }

    /// Returns the range of the file to feed next; `None` when all rows are decoded.
    pub fn needs(&self) -> Option<Range<u64>> {
        self.chunks.needs()
    }

    /// Takes the bytes of [`needs`](Self::needs), which start at `at`. Returns the rows of a chunk.
    pub fn feed(&mut self, at: u64, bytes: &[u8]) -> Result<Option<RecordBatch>> {
        let Some((_, first)) = self.chunks.pieces().first() else {
            self.chunks.feed(at, bytes)?;
            return Ok(None);
        };
        if first.range().start != at {
            return Err(unspool::Error::new(ErrorKind::RangeOutside, at).into());
        }
        let rows = first.rows.end - first.rows.start;
        let mut columns = self.chunks.picked.values();
        let read = |piece: &Piece, verify| piece.read(bytes, verify, &mut Checksums::default());
        let decoded = append(&mut columns, self.chunks.pieces(), self.options.verify, read);
        // A chunk is asked for once, even if it is broken.
        self.chunks.skip();
        decoded?;
        self.chunks.picked.batch(self.schema(), columns, rows).map(Some)
    }
}

/// Values of columns, by their position in the file.
type Columns = Vec<Option<Values>>;

/// Appends the rows of a chunk to its columns. `read` verifies the chunk and returns the values of
/// a column.
fn append<'b>(
    columns: &mut Columns,
    pieces: &[(usize, Piece)],
    mut verify: Verify,
    read: impl Fn(&Piece, Verify) -> unspool::Result<Payload<'b>>,
) -> Result<()> {
    for (position, piece) in pieces {
        // One checksum covers all columns of a chunk.
        let payload = read(piece, std::mem::replace(&mut verify, Verify::Skip))?;
        if let Some(Some(values)) = columns.get_mut(*position) {
            values.append(&payload)?;
        }
    }
    Ok(())
}

/// Makes a record batch of this many rows.
fn batch(schema: SchemaRef, columns: Vec<ArrayRef>, rows: u64) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(usize::try_from(rows).unwrap_or(usize::MAX)));
    let batch = RecordBatch::try_new_with_options(schema, columns, &options);
    batch.map_err(|_| unspool::Error::new(ErrorKind::RangeOutside, 0).into())
}

/// Returns the number of values in these rows of a column. Refuses more bytes than the limit.
fn values_of(column: &Column<'_>, dtype: Dtype, rows: u64, limits: &Limits) -> Result<u64> {
    let overflow = unspool::Error::new(ErrorKind::SizeOverflow, 0);
    let values = rows.checked_mul(column.dimension()).ok_or(overflow)?;
    let size = values.checked_mul(dtype.width()).ok_or(overflow)?;
    if size > limits.max_output {
        return Err(unspool::Error::new(ErrorKind::OutputLimit, 0).needing(size).into());
    }
    Ok(values)
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

/// Decodes the rows of a [`Piece`]: this many lists of `list_len` values.
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
    chunks: Chunks<'a>,
    /// The rows that are left.
    rows: Range<u64>,
    batch: u64,
    options: Options<'a>,
    /// The checksum of the chunk that is needed has been compared.
    is_verified: bool,
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
        if batch == 0 {
            return Err(unspool::Error::new(ErrorKind::RangeOutside, 0).into());
        }
        let chunks = Chunks::open(&file, columns, rows.clone())?;
        Ok(Self { src, chunks, rows, batch: batch as u64, options: *options, is_verified: false })
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> SchemaRef {
        self.chunks.schema()
    }

    /// Decodes the next rows, out of as many chunks as hold them.
    fn read(&mut self, rows: &Range<u64>) -> Result<RecordBatch> {
        let count = rows.end - rows.start;
        self.chunks.picked.check_size(count, &self.options.limits)?;
        let (mut columns, mut at) = (self.chunks.picked.values(), rows.start);
        // The last batch takes the empty chunks after it, which can be broken.
        let is_last = rows.end == self.rows.end;
        while (at < rows.end || is_last)
            && !self.chunks.picked.positions.is_empty()
            && let Some(needed) = self.chunks.needs()
        {
            let Some((_, first)) = self.chunks.pieces().first() else {
                self.chunks.feed(needed.start, part(self.src, &needed)?)?;
                continue;
            };
            let (chunk, wanted) = (first.rows.clone(), at..rows.end);
            let pieces: Vec<_> = (self.chunks.pieces().iter())
                .filter_map(|(position, piece)| {
                    Some((*position, piece.within(self.chunks.picked.columns.get(*position)?, &wanted)))
                })
                .collect();
            let verify = if self.is_verified { Verify::Skip } else { self.options.verify };
            let read = |piece: &Piece, verify| piece.read_from(self.src, verify, &mut Checksums::default());
            append(&mut columns, &pieces, verify, read)?;
            at = chunk.end.min(rows.end).max(at);
            // The rest of the chunk is for the next batch.
            self.is_verified = rows.end < chunk.end;
            if !self.is_verified {
                self.chunks.skip();
            }
        }
        self.chunks.picked.batch(self.schema(), columns, count)
    }
}

/// Returns the bytes of a range.
fn part<'a>(src: &'a [u8], range: &Range<u64>) -> Result<&'a [u8]> {
    let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
    let missing = unspool::Error::new(ErrorKind::Truncated, src.len() as u64).needing(range.end);
    Ok(src.get(start..end).ok_or(missing)?)
}

impl Iterator for Batches<'_> {
    type Item = Result<RecordBatch>;

    /// Returns the next batch; `None` after the last row, or after an error.
    fn next(&mut self) -> Option<Result<RecordBatch>> {
        if self.rows.is_empty() {
            return None;
        }
        let end = self.rows.start.saturating_add(self.batch).min(self.rows.end);
        let read = self.read(&(self.rows.start..end));
        self.rows.start = if read.is_ok() { end } else { self.rows.end };
        Some(read)
    }
}

//! CVC: chunks of vectors, read as a whole or by column.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use datafusion::arrow::array::{Array, ArrayRef, FixedSizeListArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::common::Result;
use datafusion::execution::memory_pool::MemoryReservation;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use unspool::cvc::{Column, Dtype, File, Header, Options, Piece};
use unspool::{Checksums, ErrorKind, Limits, Verify};
use unspool_arrow::cvc::{Chunks, ColumnReader, decode_payload};

use crate::io::Io;
use crate::plan::{Mapping, Plan, convert, missing};

/// The most bytes of a chunk, or of a column of it, that are read at once. Longer ones are read
/// batch by batch.
const WHOLE: u64 = 32 << 20;

/// Places of chunks that are kept at most, so that a chunk is found without a walk over those
/// before it.
const PLACES: usize = 1 << 16;

/// A file whose head is known.
pub(crate) struct Cvc {
    /// A copy, so that the bytes after the head can be freed.
    pub(crate) head: Bytes,
    limits: Limits,
    pub(crate) schema: SchemaRef,
    pub(crate) rows: u64,
}

impl Cvc {
    /// Reads the head of a file. If the bytes are too few, an error of the class `Truncated` says
    /// how many are needed.
    pub(crate) fn read(bytes: &Bytes, limits: &Limits) -> unspool_arrow::Result<Self> {
        let len = Header::read(bytes, limits)?.head_len();
        let short = unspool::Error::new(ErrorKind::Truncated, bytes.len() as u64).needing(len);
        let len = usize::try_from(len).map_err(|_| short)?;
        let head = bytes.get(..len).ok_or(short)?;
        let file = File::open(head, limits)?;
        let mut schema = unspool_arrow::cvc::schema(&file, None)?;
        // Two columns may share a name. The last one counts, and takes the place of the first.
        let mut fields: Vec<datafusion::arrow::datatypes::FieldRef> = vec![];
        for field in schema.fields() {
            match fields.iter_mut().find(|other| other.name() == field.name()) {
                Some(other) => *other = Arc::clone(field),
                None => fields.push(Arc::clone(field)),
            }
        }
        schema = Schema::new(fields);
        let rows = file.num_vectors();
        Ok(Self { head: Bytes::copy_from_slice(head), limits: *limits, schema: Arc::new(schema), rows })
    }

    fn file(&self) -> unspool::Result<File<'_>> {
        File::open(&self.head, &self.limits)
    }

    /// Returns a column by the name that its field has.
    fn column<'a>(&self, file: &File<'a>, number: usize) -> unspool::Result<Column<'a>> {
        match file.is_columnar() {
            true => file.column(self.schema.field(number).name()),
            false => file.only_column(),
        }
    }

    /// Returns the batches of the chunks whose first row is among these.
    pub(crate) async fn stream(
        self: Arc<Self>,
        io: Arc<Io>,
        plan: Arc<Plan>,
        rows: Range<u64>,
    ) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let mapping = Mapping::new(&plan.schema, &self.schema);
        let columns: Vec<_> = plan.needed.iter().filter_map(|&column| Some((column, mapping.get(column)?))).collect();
        let (chunks, fields, pieces) = self.chunks(&io, &columns, rows, plan.most_rows()).await?;
        let ahead = plan.ahead().min(2);
        let scan = Arc::new(Scan { file: self, io, plan, columns, fields, pieces, spent: Mutex::default() });
        let loaded = stream::iter(chunks).map(move |rows| Arc::clone(&scan).load(rows)).buffered(ahead);
        Ok(loaded.map_ok(Chunk::batches).try_flatten().boxed())
    }

    /// Finds the chunks whose first row is among these. Reads what a walk over chunks needs: the
    /// stored lengths of those that the head does not determine, and empty chunks.
    async fn chunks(
        &self,
        io: &Io,
        columns: &[(usize, usize)],
        wanted: Range<u64>,
        most: u64,
    ) -> Result<(Vec<Range<u64>>, Fields, Pieces)> {
        let (mut chunks, mut fields, mut pieces) = (vec![], Fields::new(), Pieces::new());
        if columns.is_empty() || wanted.is_empty() {
            // Rows alone are counted without chunks.
            let end = wanted.end.min(wanted.start.saturating_add(most));
            let rows = Some(wanted.start..end).filter(|rows| !rows.is_empty());
            return Ok((rows.into_iter().collect(), fields, pieces));
        }
        let file = self.file().map_err(|error| io.error(error))?;
        let names: Vec<_> = columns.iter().map(|&(_, number)| self.schema.field(number).name().as_str()).collect();
        let mut walk =
            Chunks::open(&file, file.is_columnar().then_some(&names), 0..self.rows).map_err(|error| io.error(error))?;
        // Numbers of columns and types of their values, by the positions of columns in the file.
        let walked = walk.columns().zip(columns);
        let known: HashMap<_, _> =
            walked.map(|((position, _, dtype), &(_, number))| (position, (number, dtype))).collect();
        let mut taken = 0u64;
        while let Some(range) = walk.needs() {
            let rows = walk.pieces().first().map(|(_, piece)| piece.rows.clone());
            if let Some(rows) = rows.clone().filter(|rows| !rows.is_empty()) {
                if rows.start >= wanted.end || taken >= most {
                    break;
                }
                if rows.start >= wanted.start {
                    taken = taken.saturating_add(rows.end - rows.start);
                    for (position, piece) in walk.pieces() {
                        if let Some(&(number, dtype)) = known.get(position)
                            && pieces.len() < PLACES
                        {
                            pieces.insert((rows.start, number), (piece.clone(), dtype));
                        }
                    }
                    chunks.push(rows);
                }
                walk.skip();
                continue;
            }
            let key = (range.start, range.end);
            let bytes = match fields.entry(key) {
                Entry::Occupied(read) => read.into_mut(),
                Entry::Vacant(missing) => missing.insert(io.read(range).await?),
            };
            match walk.pieces().first() {
                Some((_, piece)) => {
                    piece.read(bytes, Verify::Refuse, &mut Checksums::default()).map_err(|error| io.error(error))?;
                    walk.skip();
                }
                None => walk.feed(key.0, bytes).map_err(|error| io.error(error))?,
            }
        }
        Ok((chunks, fields, pieces))
    }
}

/// Stored lengths and empty chunks, by their ranges.
type Fields = HashMap<(u64, u64), Bytes>;

/// The chunks of columns, by their first row and the number of the column.
type Pieces = HashMap<(u64, usize), (Piece, Dtype)>;

struct Scan {
    file: Arc<Cvc>,
    io: Arc<Io>,
    plan: Arc<Plan>,
    /// The columns to read: their numbers in the table and in the file.
    columns: Vec<(usize, usize)>,
    fields: Fields,
    pieces: Pieces,
    /// The last array of each column, by its number. Its memory serves the next one, if the plan is
    /// done with it.
    spent: Mutex<HashMap<usize, (FixedSizeListArray, Option<MemoryReservation>)>>,
}

/// A chunk, with the bytes that were read of it.
struct Chunk {
    scan: Arc<Scan>,
    rows: Range<u64>,
    /// Bytes with their offsets.
    parts: Vec<(u64, Bytes)>,
    /// The checksum of the whole chunk has not been compared yet.
    unverified: bool,
    /// The memory of the bytes.
    _held: Option<MemoryReservation>,
}

impl Scan {
    async fn load(self: Arc<Self>, rows: Range<u64>) -> Result<Chunk> {
        self.io.count_groups(0, usize::from(!self.columns.is_empty()));
        let (mut ranges, mut is_whole) = (vec![], false);
        for &(_, number) in &self.columns {
            let (whole, data) = self.places(number, rows.clone())?;
            let all = self.columns.len() == self.file.schema.fields().len();
            if all && whole.end - whole.start <= WHOLE {
                // Only a whole chunk can be verified.
                (ranges, is_whole) = (vec![whole], true);
                break;
            }
            if data.end - data.start <= WHOLE {
                ranges.push(data);
            }
        }
        let bytes = self.io.read_all(&ranges).await?;
        let held = self.io.hold(bytes.iter().map(Bytes::len).sum());
        let parts = ranges.iter().map(|range| range.start).zip(bytes).collect();
        Ok(Chunk { scan: self, rows, parts, unverified: is_whole, _held: held })
    }

    /// Returns the range of the chunk that holds these rows, and that of a column's rows in it.
    fn places(&self, number: usize, rows: Range<u64>) -> Result<(Range<u64>, Range<u64>)> {
        let find = || {
            if let Some((piece, _)) = self.piece(number, &rows) {
                return Ok((piece.range(), piece.data_range()?));
            }
            let file = self.file.file()?;
            let mut walk = self.file.column(&file, number)?.plan(rows)?;
            loop {
                let Some(range) = walk.needs() else { return Ok((0..0, 0..0)) };
                match walk.piece() {
                    Some(piece) if !piece.rows.is_empty() => return Ok((piece.range(), piece.data_range()?)),
                    Some(_) => walk.skip(),
                    None => drop(walk.feed(range.start, self.field(&range), Verify::Skip)?),
                }
            }
        };
        find().map_err(|error: unspool::Error| self.io.error(error).into())
    }

    /// Returns the chunk that has these rows of a column, and no others.
    fn piece(&self, number: usize, rows: &Range<u64>) -> Option<&(Piece, Dtype)> {
        self.pieces.get(&(rows.start, number)).filter(|(piece, _)| piece.rows == *rows)
    }

    /// Returns the bytes of a stored length, which were read before.
    fn field(&self, range: &Range<u64>) -> &[u8] {
        self.fields.get(&(range.start, range.end)).map_or(&[], |bytes| bytes)
    }
}

impl Chunk {
    /// Decodes the chunk batch by batch.
    fn batches(self) -> BoxStream<'static, Result<RecordBatch>> {
        let size = if self.scan.columns.is_empty() { u64::MAX } else { self.scan.plan.batch_size as u64 };
        stream::try_unfold(self, move |mut chunk| async move {
            if chunk.rows.is_empty() {
                return Ok(None);
            }
            let rows = chunk.rows.start..chunk.rows.start.saturating_add(size).min(chunk.rows.end);
            chunk.rows.start = rows.end;
            Ok(Some((chunk.batch(rows).await?, chunk)))
        })
        .boxed()
    }

    async fn batch(&mut self, rows: Range<u64>) -> Result<RecordBatch> {
        let scan = Arc::clone(&self.scan);
        let count = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        let mut arrays = HashMap::new();
        for &(column, number) in &scan.columns {
            let (whole, data) = scan.places(number, rows.clone())?;
            let verify = std::mem::take(&mut self.unverified);
            let range = if verify { whole } else { data };
            let bytes = match self.find(&range) {
                Some(bytes) => bytes,
                None => scan.io.read(range.clone()).await?,
            };
            let array = scan.decode(number, rows.clone(), &range, &bytes).map_err(|error| scan.io.error(error))?;
            arrays.insert(column, convert(array, scan.plan.data_type(column))?);
        }
        scan.plan.finish(count, None, &[], |column| match arrays.get(&column) {
            Some(array) => Ok(Arc::clone(array)),
            None => missing(&scan.plan, column, count),
        })
    }

    /// Returns bytes that were read with the chunk.
    fn find(&self, range: &Range<u64>) -> Option<Bytes> {
        self.parts.iter().find_map(|(start, bytes)| {
            let place = |at: u64| usize::try_from(at.checked_sub(*start)?).ok();
            let (from, to) = (place(range.start)?, place(range.end)?);
            (from <= to && to <= bytes.len()).then(|| bytes.slice(from..to))
        })
    }
}

impl Scan {
    /// Decodes rows of one chunk from its bytes, or from those of the rows alone.
    fn decode(
        &self,
        number: usize,
        rows: Range<u64>,
        range: &Range<u64>,
        bytes: &[u8],
    ) -> unspool_arrow::Result<ArrayRef> {
        if let Some((piece, dtype)) = self.piece(number, &rows) {
            let payload = match range.start == piece.range().start {
                true => piece.read(bytes, Verify::Refuse, &mut Checksums::default())?,
                false => piece.read_data(range.start, bytes)?,
            };
            let DataType::FixedSizeList(_, list_len) = *self.file.schema.field(number).data_type() else {
                return Err(unspool::Error::new(ErrorKind::RangeOutside, range.start).into());
            };
            let spent = self.spent().remove(&number).map(|(spent, _)| spent);
            let (rows, limits) = (rows.end - rows.start, &self.file.limits);
            let array = decode_payload(&payload, *dtype, list_len, rows, spent, limits)?;
            let held = self.io.hold(array.get_array_memory_size());
            self.spent().insert(number, (array.clone(), held));
            return Ok(Arc::new(array));
        }
        let file = self.file.file()?;
        let column = self.file.column(&file, number)?;
        let options = Options { limits: self.file.limits, ..Options::DEFAULT };
        let mut reader = ColumnReader::new(&column, rows, self.io.meta.size, &options)?;
        let mut is_fed = false;
        while let Some(needed) = reader.needs() {
            match self.fields.get(&(needed.start, needed.end)) {
                Some(field) => reader.feed(needed.start, field)?,
                None if !is_fed => {
                    reader.feed(range.start, bytes)?;
                    is_fed = true;
                }
                None => return Err(unspool::Error::new(ErrorKind::RangeOutside, needed.start).into()),
            }
        }
        Ok(Arc::new(reader.finish()?))
    }

    fn spent(&self) -> MutexGuard<'_, HashMap<usize, (FixedSizeListArray, Option<MemoryReservation>)>> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

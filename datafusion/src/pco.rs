//! Pco: chunks of numbers, one after another, because only decoding a chunk shows where the next
//! one starts.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::Result;
use datafusion::execution::memory_pool::MemoryReservation;
use futures::stream::{BoxStream, FuturesOrdered};
use futures::{StreamExt, TryStreamExt, stream};
use unspool::pco::{Header, Options};
use unspool::{Class, Limits};
use unspool_arrow::pco::{ChunkReader, data_type};

use crate::io::Io;
use crate::plan::{Mapping, Plan, convert, missing, slices};

/// The name of the only column.
const COLUMN: &str = "value";

/// Bytes of one request.
const PIECE: u64 = 4 << 20;

/// A file whose head is known.
pub(crate) struct Pco {
    limits: Limits,
    pub(crate) schema: SchemaRef,
    /// The count that the writer expected, which may be wrong.
    pub(crate) expected: Option<u64>,
    pub(crate) head: Bytes,
}

impl Pco {
    /// Reads the header and the type of the first chunk. If the bytes are too few, an error of the
    /// class `Truncated` says how many are needed.
    pub(crate) fn read(bytes: &Bytes, limits: &Limits) -> unspool_arrow::Result<Self> {
        let header = Header::read(bytes, limits)?;
        let reader = ChunkReader::new(bytes, &Options { limits: *limits, ..Options::DEFAULT })?;
        let ty = reader.peek(bytes.get(header.len..).unwrap_or_default())?;
        let field = Field::new(COLUMN, ty.map_or(DataType::Null, data_type), ty.is_none());
        // A copy, so that the bytes after the head can be freed.
        let head = Bytes::copy_from_slice(bytes.get(..header.len).unwrap_or(bytes));
        let expected = (header.n_hint > 0).then_some(header.n_hint);
        Ok(Self { limits: *limits, schema: Arc::new(Schema::new(vec![field])), expected, head })
    }

    /// Returns the batches of the file.
    pub(crate) fn stream(
        self: Arc<Self>,
        io: Arc<Io>,
        plan: Arc<Plan>,
    ) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let options = Options { limits: self.limits, ..Options::DEFAULT };
        let reader = ChunkReader::new(&self.head, &options).map_err(|error| io.error(error))?;
        let (next, size) = (reader.at(), plan.batch_size);
        let scan = Scan {
            rows: 0,
            mapping: Mapping::new(&plan.schema, &self.schema),
            buffer: Buffer { io, next, pieces: FuturesOrdered::new(), ahead: plan.ahead(), bytes: VecDeque::new() },
            plan,
            reader,
            last: 0,
            held: None,
            spent: None,
        };
        let chunks = stream::try_unfold(scan, |mut scan| async move {
            Ok::<_, datafusion::error::DataFusionError>(scan.chunk().await?.map(|batch| (batch, scan)))
        });
        Ok(chunks.map_ok(move |batch| stream::iter(slices(&batch, size).map(Ok))).try_flatten().boxed())
    }
}

/// The bytes of a file from the next chunk on, as far as they were read.
struct Buffer {
    io: Arc<Io>,
    /// The offset of the next request.
    next: u64,
    pieces: FuturesOrdered<futures::future::BoxFuture<'static, Result<Bytes>>>,
    ahead: usize,
    bytes: VecDeque<Bytes>,
}

impl Buffer {
    fn len(&self) -> usize {
        self.bytes.iter().map(Bytes::len).sum()
    }

    /// Waits for the next piece. Returns `false` at the end of the file.
    async fn grow(&mut self) -> Result<bool> {
        while self.pieces.len() < self.ahead && self.next < self.io.meta.size {
            let range: Range<u64> = self.next..self.next.saturating_add(PIECE).min(self.io.meta.size);
            self.next = range.end;
            let io = Arc::clone(&self.io);
            self.pieces.push_back(Box::pin(async move { io.read(range).await }));
        }
        match self.pieces.try_next().await? {
            Some(piece) => {
                self.bytes.push_back(piece);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Returns all bytes as one slice.
    fn join(&mut self) -> Bytes {
        if self.bytes.len() > 1 {
            let mut joined = BytesMut::with_capacity(self.len());
            self.bytes.drain(..).for_each(|piece| joined.extend_from_slice(&piece));
            self.bytes.push_back(joined.freeze());
        }
        self.bytes.front().cloned().unwrap_or_default()
    }

    fn skip(&mut self, len: usize) {
        if let Some(front) = self.bytes.front_mut() {
            *front = front.slice(len.min(front.len())..);
        }
    }
}

struct Scan {
    plan: Arc<Plan>,
    mapping: Mapping,
    reader: ChunkReader,
    buffer: Buffer,
    /// Bytes of the chunk before.
    last: usize,
    rows: u64,
    /// The memory of the bytes and the numbers of the chunk.
    held: Option<MemoryReservation>,
    /// The numbers of the chunk. Their memory serves the next one, if the plan is done with them.
    spent: Option<ArrayRef>,
}

impl Scan {
    /// Returns the rows of the next chunk that meet the conditions.
    async fn chunk(&mut self) -> Result<Option<RecordBatch>> {
        if self.rows >= self.plan.most_rows() {
            return Ok(None);
        }
        self.spent.take().into_iter().for_each(|spent| self.reader.reuse(spent));
        let Some(array) = self.decode().await? else { return Ok(None) };
        self.spent = Some(Arc::clone(&array));
        self.buffer.io.count_groups(0, 1);
        self.rows = self.rows.saturating_add(array.len() as u64);
        let rows = array.len();
        self.held = self.buffer.io.hold(self.buffer.len().saturating_add(array.get_array_memory_size()));
        self.plan
            .finish(rows, None, &[], |column| match self.mapping.get(column) {
                Some(_) => convert(Arc::clone(&array), self.plan.data_type(column)),
                None => missing(&self.plan, column, rows),
            })
            .map(Some)
    }

    async fn decode(&mut self) -> Result<Option<ArrayRef>> {
        // A chunk that ends after the bytes is decoded again, so the next one should be complete.
        let mut need = self.last.saturating_mul(5) / 4 + 1;
        loop {
            let mut is_last = false;
            while self.buffer.len() < need && !is_last {
                is_last = !self.buffer.grow().await?;
            }
            let (bytes, at) = (self.buffer.join(), self.reader.at());
            match self.reader.next(&bytes) {
                Ok(array) => {
                    self.last = usize::try_from(self.reader.at() - at).unwrap_or(usize::MAX);
                    self.buffer.skip(self.last);
                    return Ok(array);
                }
                Err(unspool_arrow::Error::Refused(error)) if error.class() == Class::Truncated && !is_last => {
                    need = bytes.len().saturating_mul(2).max(1);
                }
                Err(error) => return Err(self.buffer.io.error(error).into()),
            }
        }
    }
}

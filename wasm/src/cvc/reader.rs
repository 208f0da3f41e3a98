//! Decodes rows of one column of a file that JavaScript reads from memory, a `Blob` or a server.
//!
//! The work is one `async` function that borrows the header while it runs. JavaScript drives it:
//! each [`Reader::step`] passes in the bytes that the previous step asked for. No promise is
//! awaited in this module, so synchronous and asynchronous callers share the code.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::future::poll_fn;
use core::ops::Range;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

use unspool::checksum::Crc32;
use unspool::cvc::{Dtype, File, Piece, Plan};
use unspool::{Checksums, Error, ErrorKind, Limits, Result, Verify};
use wasm_bindgen::prelude::*;

use super::fill::{Filler, size_of};
use super::{len, nth};
use crate::fault::Fault;
use crate::js::Uint8Array;
use crate::number;

/// Adjacent chunks are read together up to this many bytes.
const TOGETHER: f64 = 1048576.0;

/// Returns `true` if the second range extends the first and can be read with it.
#[expect(clippy::float_cmp, reason = "places in a file are whole numbers")]
fn are_together(start: f64, end: f64, next_start: f64, next_end: f64) -> bool {
    next_start == end && next_end - start <= TOGETHER
}

/// Decodes rows of one column, and asks for the bytes it needs.
#[wasm_bindgen]
pub struct Reader {
    desk: Desk,
    work: Pin<Box<dyn Future<Output = Result<()>>>>,
}

#[wasm_bindgen]
impl Reader {
    /// Decodes the rows `first..last` of a column of a file of `size` bytes. `kind` is 0 for the
    /// column's own type, 1 for `f32`, and 2 to decode nothing and collect the ranges that decoding
    /// would read. Without `verify`, it reads only the bytes of these rows and verifies no
    /// checksum.
    #[wasm_bindgen(constructor)]
    #[allow(
        clippy::too_many_arguments,
        reason = "one call across the border is cheaper than building an object for it"
    )]
    pub fn new(
        head: Vec<u8>,
        size: f64,
        column: f64,
        first: f64,
        last: f64,
        kind: u8,
        verify: bool,
        limits: &[f64],
    ) -> Self {
        let job = Job {
            head,
            size: number::to_u64(size),
            column,
            rows: number::to_u64(first)..number::to_u64(last),
            verify: if verify { Verify::Refuse } else { Verify::Skip },
            limits: crate::limits(limits),
        };
        let desk = Desk::default();
        Self { work: Box::pin(run(job, kind, desk.clone())), desk }
    }

    /// Continues with the bytes that were asked for. Returns the next need: 0 nothing, 1 bytes,
    /// 2 an output buffer.
    pub fn step(&mut self, bytes: Option<Vec<u8>>) -> core::result::Result<u8, Fault> {
        self.desk.0.borrow_mut().bytes = bytes;
        match self.work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result.map(|()| 0).map_err(Fault),
            Poll::Pending => Ok(if self.desk.0.borrow().wants_output { 2 } else { 1 }),
        }
    }

    /// Sets the output buffer that was asked for. It will be filled to its end.
    pub fn set_output(&mut self, output: Uint8Array) {
        self.desk.0.borrow_mut().output = Some(output);
    }

    /// Returns the start of the range needed next.
    pub fn start(&self) -> f64 {
        number::from_u64(self.desk.0.borrow().range.start)
    }

    /// Returns the end of that range, or the length of the output buffer needed.
    pub fn end(&self) -> f64 {
        number::from_u64(self.desk.0.borrow().range.end)
    }

    /// Returns the ranges to read as pairs of start and end.
    pub fn ranges(&self) -> Vec<f64> {
        self.desk.0.borrow().ranges.clone()
    }

    /// Returns the number of checksums that matched, that did not match, and that were not checked.
    pub fn checks(&self) -> Vec<f64> {
        let Checksums { matched, mismatched, unchecked } = self.desk.0.borrow().checksums;
        [matched, mismatched, unchecked].map(number::from_u64).to_vec()
    }
}

/// Hands data back and forth between the future and JavaScript.
#[derive(Clone, Default)]
struct Desk(Rc<RefCell<Things>>);

#[derive(Default)]
struct Things {
    wants_output: bool,
    range: Range<u64>,
    bytes: Option<Vec<u8>>,
    output: Option<Uint8Array>,
    ranges: Vec<f64>,
    checksums: Checksums,
}

impl Desk {
    /// Reads a range of the file.
    async fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>> {
        if range.is_empty() {
            return Ok(vec![]);
        }
        self.0.borrow_mut().range = range.clone();
        let bytes = wait(|| self.0.borrow_mut().bytes.take()).await;
        match number::from_len(bytes.len()) == number::from_u64(len(&range)) {
            true => Ok(bytes),
            false => Err(Error::new(ErrorKind::Truncated, range.start).needing(range.end)),
        }
    }

    fn ask_for_output(&self, bytes: u64) {
        let mut things = self.0.borrow_mut();
        (things.range, things.wants_output) = (0..bytes, true);
    }

    /// Waits for an output buffer of this many bytes in JavaScript's memory.
    async fn output(&self, bytes: u64) -> Uint8Array {
        self.ask_for_output(bytes);
        let output = wait(|| self.0.borrow_mut().output.take()).await;
        self.0.borrow_mut().wants_output = false;
        output
    }
}

/// Waits until `take` returns a value.
async fn wait<T>(mut take: impl FnMut() -> Option<T>) -> T {
    // The first poll must not take the answer to the previous request.
    let mut asked = false;
    poll_fn(|_| match core::mem::replace(&mut asked, true).then(&mut take).flatten() {
        Some(thing) => Poll::Ready(thing),
        None => Poll::Pending,
    })
    .await
}

/// The rows to decode, and how.
struct Job {
    head: Vec<u8>,
    size: u64,
    column: f64,
    rows: Range<u64>,
    verify: Verify,
    limits: Limits,
}

impl Job {
    /// Returns the range to read for a piece: the whole chunk to verify it, else its rows only.
    fn range(&self, piece: &Piece) -> Result<Range<u64>> {
        match self.verify {
            Verify::Skip => piece.data_range(),
            _ => Ok(piece.range()),
        }
    }

    /// Checks that the file reaches the end of the piece. Distinguishes a wrong chunk length from a
    /// truncated file.
    async fn check_end(&self, file: &File<'_>, piece: &Piece, desk: &Desk) -> Result<()> {
        let range = piece.range();
        let prefix = range.start..range.start.saturating_add(4);
        if range.end <= self.size {
            return Ok(());
        }
        let truncated = |need| Error::new(ErrorKind::Truncated, self.size).needing(need);
        if prefix.end > self.size {
            return Err(truncated(prefix.end));
        }
        let stored = desk.bytes(prefix).await?;
        let stored = stored.first_chunk().map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
        let payload_len = len(&range).saturating_sub(if file.has_checksums() { 8 } else { 4 });
        if stored != Some(payload_len) {
            return Err(Error::new(ErrorKind::CvcChunkLength, range.start));
        }
        piece.data_range()?;
        Err(truncated(range.end))
    }
}

/// Walks over the chunks twice. The first walk reads no values: nothing is allocated until the file
/// has proved to be long enough. If it is not, the second walk returns the error, or an earlier one
/// in the data.
async fn run(job: Job, kind: u8, desk: Desk) -> Result<()> {
    let file = File::open(&job.head, &job.limits)?;
    let column = nth(&file, job.column)?;
    let dtype = if kind == 0 { column.output()? } else { Dtype::F32 };
    let plan = column.plan(job.rows.clone())?;
    if kind < 2 {
        size_of(&column, len(&job.rows), dtype, &job.limits)?;
    }
    let mut walk = Walk { job: &job, file: &file, desk: &desk, values: 0, pieces: vec![], range: 0..0, filler: None };
    let surveyed = walk.all(plan.clone()).await;
    if kind == 2 {
        return surveyed;
    }
    let output = match surveyed {
        Ok(()) => Some(desk.output(walk.values.saturating_mul(dtype.width())).await),
        Err(_) => None,
    };
    walk.filler = Some(Filler::new(dtype, output));
    walk.all(plan).await
}

/// A walk over the chunks of a column.
struct Walk<'a> {
    job: &'a Job,
    file: &'a File<'a>,
    desk: &'a Desk,
    values: u64,
    /// Adjacent pieces that are read with one request, and their range.
    pieces: Vec<Piece>,
    range: Range<u64>,
    /// The first walk has none.
    filler: Option<Filler>,
}

impl Walk<'_> {
    async fn all(&mut self, mut plan: Plan<'_>) -> Result<()> {
        let walked = loop {
            match self.next(&mut plan).await {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.read().await?;
        walked
    }

    /// Takes the next chunk, or its length. Returns `false` after the last one.
    async fn next(&mut self, plan: &mut Plan<'_>) -> Result<bool> {
        let Some(needed) = plan.needs() else { return Ok(false) };
        let Some(piece) = plan.piece().cloned() else {
            // If the next chunk is out of bounds, the plan reports the error without a read.
            if needed.end > self.job.size && !needed.is_empty() {
                return Err(Error::new(ErrorKind::Truncated, self.job.size).needing(needed.end));
            }
            let length = self.desk.bytes(needed.clone()).await?;
            plan.feed(needed.start, &length, Verify::Skip)?;
            return Ok(true);
        };
        self.job.check_end(self.file, &piece, self.desk).await?;
        let next = self.job.range(&piece)?;
        let [start, end] = [self.range.start, self.range.end].map(number::from_u64);
        if !are_together(start, end, number::from_u64(next.start), number::from_u64(next.end)) {
            self.read().await?;
            self.range = next.start..next.start;
        }
        self.range.end = next.end;
        self.values += piece.values();
        self.pieces.push(piece);
        plan.skip();
        Ok(true)
    }

    /// Reads adjacent pieces with one request and decodes them. The first walk only notes the
    /// range.
    async fn read(&mut self) -> Result<()> {
        let (range, pieces) = (core::mem::take(&mut self.range), core::mem::take(&mut self.pieces));
        let Some(filler) = &mut self.filler else {
            if !range.is_empty() {
                self.desk.0.borrow_mut().ranges.extend([range.start, range.end].map(number::from_u64));
            }
            return Ok(());
        };
        let bytes = self.desk.bytes(range.clone()).await?;
        for piece in &pieces {
            let place = self.job.range(piece)?;
            let from = number::index(place.start.saturating_sub(range.start));
            let to = number::index(place.end.saturating_sub(range.start));
            let bytes = bytes.get(from..to).unwrap_or(&[]);
            let mut checksums = self.desk.0.borrow().checksums;
            let payload = match self.job.verify {
                Verify::Skip => {
                    checksums.unchecked += 1;
                    piece.read_data(place.start, bytes)?
                }
                verify => piece.read(bytes, verify, &mut checksums)?,
            };
            self.desk.0.borrow_mut().checksums = checksums;
            if self.job.verify != Verify::Skip {
                refuse_hidden_crc(self.job, self.file, piece, bytes, self.desk).await?;
            }
            filler.fill(&payload)?;
        }
        Ok(())
    }
}

/// Refuses a version 0 header if the last chunk has a CRC-32: its values would be decoded shifted.
/// The core does the same for a file in memory.
async fn refuse_hidden_crc(job: &Job, file: &File<'_>, piece: &Piece, chunk: &[u8], desk: &Desk) -> Result<()> {
    let end = piece.range().end;
    let more = end..end.saturating_add(4);
    let payload = chunk.get(4..).unwrap_or(&[]);
    let last = piece.chunk.saturating_add(1) == file.chunk_count();
    if file.has_checksums() || !last || payload.is_empty() || more.end > job.size {
        return Ok(());
    }
    let payload = [payload, &desk.bytes(more).await?].concat();
    let Some((stored, shifted)) = payload.split_first_chunk::<4>() else { return Ok(()) };
    match u32::from_le_bytes(*stored) == Crc32::of(shifted) {
        true => Err(Error::new(ErrorKind::CvcHiddenCrc, piece.range().start.saturating_add(4))),
        false => Ok(()),
    }
}

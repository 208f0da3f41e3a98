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
use unspool::cvc::{Column, Dtype, File, Payload, Piece, Plan};
use unspool::{Checksums, Error, ErrorKind, Limits, Result, Verify};
use wasm_bindgen::prelude::*;

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
    /// Decodes the rows `first..last` of a column of a file of `size` bytes, as the column's own
    /// type or, with `as_f32`, as `f32`. Without `verify`, it reads only the bytes of these rows
    /// and verifies no checksum.
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
        as_f32: bool,
        verify: bool,
        limits: &[f64],
    ) -> Self {
        let job = Job::new(head, size, column, first..last, verify, limits);
        let desk = Desk::default();
        Self { work: Box::pin(decode(job, as_f32, desk.clone())), desk }
    }

    /// Collects the ranges that [`new`](Self::new) would read, and decodes nothing.
    pub fn planning(
        head: Vec<u8>,
        size: f64,
        column: f64,
        first: f64,
        last: f64,
        verify: bool,
        limits: &[f64],
    ) -> Self {
        let job = Job::new(head, size, column, first..last, verify, limits);
        let desk = Desk::default();
        Self { work: Box::pin(plan(job, desk.clone())), desk }
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

    /// Returns the ranges of a plan as pairs of start and end.
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
    fn new(head: Vec<u8>, size: f64, column: f64, rows: Range<f64>, verify: bool, limits: &[f64]) -> Self {
        Self {
            head,
            size: number::to_u64(size),
            column,
            rows: number::to_u64(rows.start)..number::to_u64(rows.end),
            verify: if verify { Verify::Refuse } else { Verify::Skip },
            limits: crate::limits(limits),
        }
    }

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

/// The result of the first walk over the chunks.
#[derive(Default)]
struct Survey {
    /// Chunk lengths that are not in the header, in the order in which the plan asks for them.
    lengths: Vec<[u8; 4]>,
    pieces: u64,
    values: u64,
    /// Ranges to read; adjacent ones are merged.
    ranges: Vec<f64>,
    /// The error that ended the walk early.
    failure: Option<Error>,
}

/// Walks over the chunks without reading their values. Nothing is allocated until the file has
/// proved to be long enough.
async fn survey(job: &Job, file: &File<'_>, column: &Column<'_>, desk: &Desk) -> Result<Survey> {
    let mut survey = Survey::default();
    let mut plan = column.plan(job.rows.clone())?;
    loop {
        match survey.go_on(job, file, &mut plan, desk).await {
            Ok(true) => {}
            Ok(false) => return Ok(survey),
            Err(error) => return Ok(Survey { failure: Some(error), ..survey }),
        }
    }
}

impl Survey {
    async fn go_on(&mut self, job: &Job, file: &File<'_>, plan: &mut Plan<'_>, desk: &Desk) -> Result<bool> {
        let Some(needed) = plan.needs() else { return Ok(false) };
        if let Some(piece) = plan.piece() {
            job.check_end(file, piece, desk).await?;
            let range = job.range(piece)?;
            let [start, end] = [range.start, range.end].map(number::from_u64);
            match self.ranges.as_mut_slice() {
                [.., first, last] if are_together(*first, *last, start, end) => *last = end,
                _ => self.ranges.extend([start, end]),
            }
            self.pieces += 1;
            self.values += piece.values();
            plan.skip();
            return Ok(true);
        }
        // If the next chunk is out of bounds, the plan reports the error without a read.
        if needed.end > job.size && !needed.is_empty() {
            return Err(Error::new(ErrorKind::Truncated, job.size).needing(needed.end));
        }
        let length = desk.bytes(needed.clone()).await?;
        plan.feed(needed.start, &length, Verify::Skip)?;
        self.lengths.extend(length.first_chunk());
        Ok(true)
    }

    /// Returns the next piece in the second walk.
    fn next(&self, plan: &mut Plan<'_>, lengths: &mut usize) -> Result<Option<Piece>> {
        while let Some(needed) = plan.needs() {
            if let Some(piece) = plan.piece().cloned() {
                plan.skip();
                return Ok(Some(piece));
            }
            let length: &[u8] = self.lengths.get(*lengths).map_or(&[], <[u8; 4]>::as_slice);
            plan.feed(needed.start, length, Verify::Skip)?;
            *lengths += 1;
        }
        Ok(None)
    }
}

async fn plan(job: Job, desk: Desk) -> Result<()> {
    let file = File::open(&job.head, &job.limits)?;
    let survey = survey(&job, &file, &nth(&file, job.column)?, &desk).await?;
    desk.0.borrow_mut().ranges = survey.ranges;
    survey.failure.map_or(Ok(()), Err)
}

async fn decode(job: Job, as_f32: bool, desk: Desk) -> Result<()> {
    let file = File::open(&job.head, &job.limits)?;
    let column = nth(&file, job.column)?;
    let dtype = if as_f32 { Dtype::F32 } else { column.output()? };
    check_size(&job, &column, dtype)?;
    let survey = survey(&job, &file, &column, &desk).await?;
    let output = match survey.failure {
        None => Some(desk.output(survey.values.saturating_mul(dtype.width())).await),
        // Nothing is returned, but an earlier error in the data must be reported first.
        Some(_) => None,
    };
    let mut filler = Filler { output, filled: 0, dtype, scratch: vec![] };
    let (mut plan, mut lengths) = (column.plan(job.rows.clone())?, 0);
    let (mut together, mut range) = (vec![], 0..0);
    let mut left = survey.pieces;
    while left > 0 {
        left -= 1;
        let Some(piece) = survey.next(&mut plan, &mut lengths)? else { break };
        let next = job.range(&piece)?;
        let [start, end] = [range.start, range.end].map(number::from_u64);
        if !are_together(start, end, number::from_u64(next.start), number::from_u64(next.end)) {
            read(&job, &file, &together, range.clone(), &mut filler, &desk).await?;
            together.clear();
            range = next.start..next.start;
        }
        range.end = next.end;
        together.push(piece);
    }
    read(&job, &file, &together, range, &mut filler, &desk).await?;
    survey.failure.map_or(Ok(()), Err)
}

/// Checks the output size, as the core does before it decodes to a slice.
fn check_size(job: &Job, column: &Column<'_>, dtype: Dtype) -> Result<()> {
    column.plan(job.rows.clone())?;
    let values = len(&job.rows).checked_mul(column.dimension());
    let size = values.and_then(|values| values.checked_mul(dtype.width()));
    let size = size.ok_or(Error::new(ErrorKind::SizeOverflow, 0))?;
    // `Uint8Array::set` takes a 32-bit offset.
    if size > job.limits.max_output.min(u32::MAX.into()) {
        return Err(Error::new(ErrorKind::OutputLimit, 0).needing(size));
    }
    Ok(())
}

/// Reads adjacent pieces with one request and decodes them.
async fn read(
    job: &Job,
    file: &File<'_>,
    pieces: &[Piece],
    range: Range<u64>,
    filler: &mut Filler,
    desk: &Desk,
) -> Result<()> {
    let bytes = desk.bytes(range.clone()).await?;
    for piece in pieces {
        let place = job.range(piece)?;
        let from = number::index(place.start.saturating_sub(range.start));
        let to = number::index(place.end.saturating_sub(range.start));
        let bytes = bytes.get(from..to).unwrap_or(&[]);
        let mut checksums = desk.0.borrow().checksums;
        let payload = match job.verify {
            Verify::Skip => {
                checksums.unchecked += 1;
                piece.read_data(place.start, bytes)?
            }
            verify => piece.read(bytes, verify, &mut checksums)?,
        };
        desk.0.borrow_mut().checksums = checksums;
        if job.verify != Verify::Skip {
            refuse_hidden_crc(job, file, piece, bytes, desk).await?;
        }
        filler.fill(&payload)?;
    }
    Ok(())
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

/// Fills the output from its start.
struct Filler {
    output: Option<Uint8Array>,
    filled: u32,
    dtype: Dtype,
    scratch: Vec<u8>,
}

impl Filler {
    /// Writes bytes to the output, if there is one. Returns the new end.
    fn write(&self, bytes: &[u8]) -> u32 {
        if let Some(output) = &self.output {
            output.set(bytes, self.filled);
        }
        self.filled.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX))
    }

    fn fill(&mut self, payload: &Payload<'_>) -> Result<()> {
        // Plain values need no decoding: one copy moves them to the output.
        if let Some((dtype, raw)) = payload.plain()
            && dtype == self.dtype
        {
            self.filled = self.write(raw);
            return Ok(());
        }
        self.scratch.resize(payload.len().saturating_mul(4), 0);
        payload.decode_f32_bytes(&mut self.scratch)?;
        self.filled = self.write(&self.scratch);
        Ok(())
    }
}

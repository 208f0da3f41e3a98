//! Decodes rows of one column of a file that JavaScript reads from memory, a `Blob` or a server.
//!
//! The work is one `async` function that borrows the header while it runs. JavaScript drives it:
//! each [`Reader::step`] passes in what the previous step asked for. No promise is awaited in this
//! module, so synchronous and asynchronous callers share the code.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::future::poll_fn;
use core::ops::Range;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

use unspool::cvc::{Dtype, File, Piece};
use unspool::{Checksums, Error, ErrorKind, Limits, Result, Verify};
use wasm_bindgen::prelude::*;

use super::fill::{Filler, read_piece, size_of};
use super::{len, nth};
use crate::fault::Fault;
use crate::js::Uint8Array;
use crate::number;

/// Adjacent chunks are read together up to this many bytes.
const TOGETHER: u64 = 1 << 20;

/// The kind of a [`Reader`] that decodes to the column's own type, and of one that decodes nothing.
const AS_IT_IS: u8 = 0;
const PLAN: u8 = 2;

/// The first number of a step's result.
const DONE: f64 = 0.0;
const BYTES: f64 = 1.0;
const OUTPUT: f64 = 2.0;
const LENGTH: f64 = 3.0;

/// Decodes rows of one column, and asks for the bytes it needs.
#[wasm_bindgen]
pub struct Reader {
    desk: Desk,
    work: Pin<Box<dyn Future<Output = Result<Vec<f64>>>>>,
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
            kind,
            verify: if verify { Verify::Refuse } else { Verify::Skip },
            limits: crate::limits(limits),
        };
        let desk = Desk::default();
        Self { work: Box::pin(run(job, desk.clone())), desk }
    }

    /// Continues with the bytes or the output that was asked for. Returns one of:
    ///
    /// * 1, start and end of the bytes needed next;
    /// * 3, start and end of the length of a chunk, which every later reader needs too;
    /// * 2, and the length of the output needed next, which will be filled to its end;
    /// * 0, and the number of checksums that matched, that did not match, and that were not
    ///   checked; for a plan, the ranges as pairs of start and end.
    pub fn step(&mut self, bytes: Vec<u8>, output: Option<Uint8Array>) -> core::result::Result<Vec<f64>, Fault> {
        let desk = &mut self.desk.0;
        *desk.borrow_mut() = Things { bytes, output, need: vec![] };
        match self.work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Ok(result?),
            Poll::Pending => Ok(core::mem::take(&mut desk.borrow_mut().need)),
        }
    }
}

/// Hands data back and forth between the future and JavaScript.
#[derive(Clone, Default)]
struct Desk(Rc<RefCell<Things>>);

#[derive(Default)]
struct Things {
    need: Vec<f64>,
    bytes: Vec<u8>,
    output: Option<Uint8Array>,
}

impl Desk {
    /// Asks JavaScript for something, and waits for the next step.
    async fn ask(&self, need: Vec<f64>) -> Things {
        let mut need = Some(need);
        poll_fn(|_| match need.take() {
            Some(need) => {
                self.0.borrow_mut().need = need;
                Poll::Pending
            }
            None => Poll::Ready(self.0.take()),
        })
        .await
    }
}

/// The rows to decode, and how.
struct Job {
    head: Vec<u8>,
    size: u64,
    column: f64,
    rows: Range<u64>,
    kind: u8,
    verify: Verify,
    limits: Limits,
}

impl Job {
    /// Returns the range to read for a piece, and whether all of it is in the file: the whole chunk
    /// to verify it, else its rows only.
    fn range(&self, file: &File<'_>, piece: &Piece) -> Result<(Range<u64>, bool)> {
        let mut range = piece.range();
        let whole = range.end <= self.size;
        if whole && self.verify == Verify::Skip {
            range = piece.data_range()?;
        } else if !file.has_checksums() && piece.chunk.saturating_add(1) == file.chunk_count() {
            // Four bytes after the last chunk show whether there are checksums nevertheless.
            range.end = range.end.saturating_add(4);
        }
        Ok((range.start.min(self.size)..range.end.min(self.size), whole))
    }
}

/// Walks over the chunks, then decodes their rows. The walk reads no values: nothing is allocated
/// until the file has proved to be long enough. If it is not, the rows before that are decoded for
/// an earlier error in them.
async fn run(job: Job, desk: Desk) -> Result<Vec<f64>> {
    let file = File::open(&job.head, &job.limits)?;
    let column = nth(&file, job.column)?;
    let dtype = if job.kind == AS_IT_IS { column.output()? } else { Dtype::F32 };
    let mut plan = column.plan(job.rows.clone())?;
    let size = if job.kind == PLAN { 0 } else { size_of(&column, len(&job.rows), dtype, &job.limits)? };
    let (mut pieces, mut surveyed) = (vec![], Ok(()));
    while surveyed.is_ok()
        && let Some(needed) = plan.needs()
    {
        let truncated = |need| Err(Error::new(ErrorKind::Truncated, job.size).needing(need));
        if let Some(piece) = plan.piece().cloned() {
            match job.range(&file, &piece) {
                Ok((range, whole)) => {
                    if !whole {
                        surveyed = truncated(piece.range().end);
                    }
                    pieces.push((piece, range));
                    plan.skip();
                }
                Err(error) => surveyed = Err(error),
            }
        } else if needed.end > job.size && !needed.is_empty() {
            surveyed = truncated(needed.end);
        } else {
            // If the next chunk is out of bounds, the plan reports the error without a read.
            let length = read(&desk, LENGTH, &needed).await?;
            surveyed = plan.feed(needed.start, &length, Verify::Skip).map(drop);
        }
    }
    if job.kind == PLAN {
        surveyed?;
    }
    let output = match surveyed {
        Ok(()) if job.kind != PLAN => desk.ask(vec![OUTPUT, number::from_u64(size)]).await.output,
        _ => None,
    };
    let (mut filler, mut checksums) = (Filler::new(dtype, output), Checksums::default());
    let (mut ranges, mut rest) = (vec![DONE], pieces.as_slice());
    while let Some((_, first)) = rest.first() {
        let mut together = first.clone();
        let mut count = 0;
        for (_, next) in rest {
            if count > 0 && (next.start != together.end || next.end - together.start > TOGETHER) {
                break;
            }
            (together.end, count) = (next.end, count + 1);
        }
        let (now, later) = rest.split_at_checked(count).unwrap_or_default();
        rest = later;
        if job.kind == PLAN {
            if !together.is_empty() {
                ranges.extend([together.start, together.end].map(number::from_u64));
            }
            continue;
        }
        let bytes = read(&desk, BYTES, &together).await?;
        for (piece, range) in now {
            let payload = if job.verify == Verify::Skip && piece.range().end <= job.size {
                checksums.unchecked += 1;
                let [from, to] = [range.start, range.end].map(|at| number::index(at.wrapping_sub(together.start)));
                piece.read_data(range.start, bytes.get(from..to).unwrap_or(&[]))?
            } else {
                read_piece(&file, piece, together.start, &bytes, job.verify, &mut checksums)?
            };
            filler.fill(&payload)?;
        }
    }
    surveyed?;
    if job.kind != PLAN {
        ranges.extend([checksums.matched, checksums.mismatched, checksums.unchecked].map(number::from_u64));
    }
    Ok(ranges)
}

/// Reads a range of the file, which is of this kind.
async fn read(desk: &Desk, kind: f64, range: &Range<u64>) -> Result<Vec<u8>> {
    if range.is_empty() {
        return Ok(vec![]);
    }
    let [start, end] = [range.start, range.end].map(number::from_u64);
    let bytes = desk.ask(vec![kind, start, end]).await.bytes;
    match number::from_len(bytes.len()) == number::from_u64(len(range)) {
        true => Ok(bytes),
        false => Err(Error::new(ErrorKind::Truncated, range.start).needing(range.end)),
    }
}

//! Decoding on several threads, with the bytes and the errors of one.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Mutex;

use unspool::threads::in_order;
use unspool::{Checksums, Error, ErrorKind, Limits};

use super::pour::{PIECE, Room, write};
use super::{Stop, zeros};
use crate::memory;
use crate::source::Source;

/// The most bytes, stored and decoded, between the reader and the output.
const MOST_AHEAD: u64 = 1 << 30;

/// Makes parts so small that the files of tests have several.
pub const TINY_PARTS: bool = cfg!(any(test, feature = "fuzzing"));

/// The parts that are in work or wait, for each thread.
const PARTS_A_THREAD: u64 = 2;

/// Returns whether parts of this many bytes, stored and decoded, may be in work on all threads.
/// They may take half of the memory.
pub fn affordable(part: u64, threads: NonZeroUsize) -> bool {
    let ahead = part.saturating_mul(PARTS_A_THREAD).saturating_mul(threads.get() as u64);
    ahead <= MOST_AHEAD.min(memory::limit() / 2)
}

/// The reason why several threads stop.
pub enum Left {
    /// They have met something that one thread has to look at.
    InOrder,
    /// The output is full.
    Full(Error),
}

impl From<Error> for Left {
    fn from(_: Error) -> Self {
        Left::InOrder
    }
}

impl From<Stop> for Left {
    fn from(_: Stop) -> Self {
        Left::InOrder
    }
}

/// The parts of a source, as they are read.
pub trait PartReader {
    type Part: Send;

    /// One thread works on the parts, too, because it holds only a part in memory.
    const ON_ONE_THREAD: bool = false;

    /// Reads the next part, to a buffer of the pool; `None` at the end.
    fn next(&mut self, source: &Source, pool: &Pool) -> Option<Result<Self::Part, Left>>;
}

/// Buffers that are used again, because the system clears memory that is new. Those of stored bytes
/// and of content are apart: they differ in length.
#[derive(Default)]
pub struct Pool {
    stored: Spare,
    content: Spare,
}

/// Buffers that wait to be used again. Their lengths and their bytes are of no interest.
#[derive(Default)]
struct Spare(Mutex<Vec<Vec<u8>>>);

impl Spare {
    fn take(&self) -> Option<Vec<u8>> {
        self.0.lock().ok()?.pop()
    }

    fn give(&self, buffer: Vec<u8>) {
        if let Ok(mut spare) = self.0.lock() {
            spare.push(buffer);
        }
    }
}

impl Pool {
    /// Takes a buffer for stored bytes.
    pub fn take_stored(&self) -> Vec<u8> {
        // Stored bytes that were passed on as content have come back there.
        self.stored.take().or_else(|| self.content.take()).unwrap_or_default()
    }

    /// Returns a buffer of stored bytes.
    pub fn give_stored(&self, buffer: Vec<u8>) {
        self.stored.give(buffer);
    }

    /// Takes a buffer for content.
    pub fn take(&self) -> Vec<u8> {
        self.content.take().unwrap_or_default()
    }

    /// Returns a buffer of content.
    pub fn give(&self, buffer: Vec<u8>) {
        self.content.give(buffer);
    }
}

/// The output of a part: a range of a buffer.
pub struct Content {
    pub buffer: Vec<u8>,
    pub range: Range<usize>,
    /// Decoded bytes, which count for the limit. Text has another length.
    pub decoded: u64,
    pub sums: Checksums,
}

/// Makes a buffer at least this long. What it holds is of no interest.
pub fn lengthen(buffer: &mut Vec<u8>, len: u64) -> Result<(), Error> {
    if (buffer.len() as u64) < len {
        *buffer = zeros(len)?;
    }
    Ok(())
}

/// Returns a sink that appends to a buffer.
pub fn append(buffer: &mut Vec<u8>) -> impl FnMut(&[u8]) -> Result<(), Error> {
    |bytes| {
        let no_memory = |_| Error::new(ErrorKind::NoMemory, 0).needing(bytes.len() as u64);
        buffer.try_reserve(bytes.len()).map_err(no_memory)?;
        buffer.extend_from_slice(bytes);
        Ok(())
    }
}

/// Counts the files that several threads have decoded to their end.
#[cfg(test)]
pub static TOGETHER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// Decodes the parts of a source on several threads, and writes them in order.
///
/// If there are no parts, or one of them is not as expected, one thread decodes everything with
/// `one_thread`, and writes what is missing. So it is the one that meets the first error of a file.
/// A stream cannot be read again; it is decoded in order.
pub fn decode<R: Room, P: PartReader, W>(
    source: &mut Source,
    limits: &Limits,
    to: &mut R,
    parts: impl FnOnce(&Source) -> Option<P>,
    init: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, P::Part, &Pool) -> Result<Content, Left> + Sync,
    one_thread: impl FnOnce(&mut Source, &mut Rest<'_, R>) -> Result<Checksums, Stop>,
) -> Result<Checksums, Stop> {
    let mut rest = Rest { to, wrote: 0, skip: 0, piece: vec![] };
    let threads = source.threads();
    if (threads.get() > 1 || P::ON_ONE_THREAD) && source.len().is_some() {
        let (mut sums, mut total, pool) = (Checksums::default(), 0u64, Pool::default());
        let work = |workspace: &mut W, part: P::Part| work(workspace, part, &pool);
        let ended = parts(source).map_or(Err(Left::InOrder), |mut parts| {
            let parts = std::iter::from_fn(|| parts.next(source, &pool));
            in_order(threads, parts, init, work, |content| {
                total = total.saturating_add(content.decoded);
                if total > limits.max_output {
                    return Err(Left::InOrder);
                }
                sums.matched += content.sums.matched;
                sums.unchecked += content.sums.unchecked;
                pool.give(rest.pass(content.buffer, content.range).map_err(Left::Full)?);
                Ok(())
            })
        });
        match ended {
            Ok(()) => {
                #[cfg(test)]
                TOGETHER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                return Ok(sums);
            }
            Err(Left::Full(error)) => return Err(error.into()),
            Err(Left::InOrder) => source.rewind(),
        }
        rest.again();
    }
    one_thread(source, &mut rest)
}

/// Room for what was not written yet.
pub struct Rest<'t, R> {
    to: &'t mut R,
    wrote: u64,
    /// Bytes to drop: they were written.
    skip: u64,
    piece: Vec<u8>,
}

impl<R> Rest<'_, R> {
    /// Drops what was written so far, because it is decoded again.
    pub fn again(&mut self) {
        self.skip = self.wrote;
    }
}

impl<R: Room> Room for Rest<'_, R> {
    fn room(&mut self) -> Result<&mut [u8], Error> {
        if self.skip == 0 {
            return self.to.room();
        }
        self.piece.resize(usize::try_from(self.skip).unwrap_or(PIECE).min(PIECE), 0);
        Ok(&mut self.piece)
    }

    fn advance(&mut self, len: usize) -> Result<(), Error> {
        if self.skip == 0 {
            self.wrote += len as u64;
            return self.to.advance(len);
        }
        self.skip -= len as u64;
        Ok(())
    }

    fn pass(&mut self, buffer: Vec<u8>, range: Range<usize>) -> Result<Vec<u8>, Error> {
        if self.skip == 0 {
            self.wrote += range.len() as u64;
            return self.to.pass(buffer, range);
        }
        write(buffer.get(range).unwrap_or_default(), self)?;
        Ok(buffer)
    }
}

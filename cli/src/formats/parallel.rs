//! Decoding on several threads, with the bytes and the errors of one.

use std::num::NonZeroUsize;
use std::sync::Mutex;

use unspool::threads::in_order;
use unspool::{Checksums, Error, Limits};

use super::pour::{PIECE, Room, write};
use super::{Stop, zeros};
use crate::source::Source;

/// The most bytes, stored and decoded, between the reader and the output.
const MOST_AHEAD: u64 = 1 << 30;

/// The parts that are in work or wait, for each thread.
const PARTS_A_THREAD: u64 = 2;

/// Returns whether parts of this many bytes, stored and decoded, may be in work on all threads.
pub fn affordable(part: u64, threads: NonZeroUsize) -> bool {
    part.saturating_mul(PARTS_A_THREAD).saturating_mul(threads.get() as u64) <= MOST_AHEAD
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
pub type Parts<'s, I> = Box<dyn Iterator<Item = Result<I, Left>> + 's>;

/// The content of a part: the first `len` bytes of a buffer that is used again.
pub struct Content {
    pub buffer: Vec<u8>,
    pub len: usize,
    pub sums: Checksums,
}

/// Makes a buffer at least this long. What it holds is of no interest.
pub fn lengthen(buffer: &mut Vec<u8>, len: u64) -> Result<(), Error> {
    if (buffer.len() as u64) < len {
        *buffer = zeros(len)?;
    }
    Ok(())
}

/// Counts the files that several threads have decoded to their end.
#[cfg(test)]
pub static TOGETHER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// Decodes the parts of a source on several threads, and writes them in order.
///
/// If there are no parts, or one of them is not as expected, one thread decodes everything with
/// `one_thread`, and writes what is missing. So it is the one that meets the first error of a file.
/// A stream cannot be read again; it is decoded in order.
pub fn decode<R: Room, I: Send, W>(
    source: &mut Source,
    limits: &Limits,
    to: &mut R,
    parts: impl FnOnce(&mut Source) -> Option<Parts<'_, I>>,
    init: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, I, Vec<u8>) -> Result<Content, Left> + Sync,
    one_thread: impl FnOnce(&mut Source, &mut Rest<'_, R>) -> Result<Checksums, Stop>,
) -> Result<Checksums, Stop> {
    let mut rest = Rest { to, wrote: 0, skip: 0, piece: vec![] };
    let threads = source.threads();
    if threads.get() > 1 && source.len().is_some() {
        let (mut sums, spare) = (Checksums::default(), Mutex::new(Vec::<Vec<u8>>::new()));
        let work = |workspace: &mut W, part: I| {
            let buffer = spare.lock().ok().and_then(|mut spare| spare.pop());
            work(workspace, part, buffer.unwrap_or_default())
        };
        let ended = parts(source).map_or(Err(Left::InOrder), |parts| {
            in_order(threads, parts, init, work, |Content { buffer, len, sums: part }| {
                if rest.wrote.saturating_add(len as u64) > limits.max_output {
                    return Err(Left::InOrder);
                }
                sums.matched += part.matched;
                sums.unchecked += part.unchecked;
                write(buffer.get(..len).unwrap_or_default(), &mut rest).map_err(Left::Full)?;
                if let Ok(mut spare) = spare.lock() {
                    spare.push(buffer);
                }
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
        rest.skip = rest.wrote;
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
}

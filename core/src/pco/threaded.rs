//! Decodes the chunks of a file on several threads.

use alloc::vec::Vec;
use core::num::NonZeroUsize;

use memchr::memmem;

use super::decode::{by_plan, each_chunk, grow, part_for};
use super::file::Chunk;
use super::header::Header;
use super::number::{Number, cast_mut};
use super::plan::Options;
use crate::num::{index, u64_from};
use crate::threads::in_order;
use crate::{Done, Error, ErrorKind, Limits, Result};

/// Decodes a file as [`decode`](super::decode) does, its chunks on up to `threads` threads: the
/// same numbers, and the same error.
///
/// Nothing in a file tells where a chunk ends. The next one is searched by its first bytes, which
/// are mostly those of this one; where that fails, the symbols of the chunk are read. A place that
/// was guessed wrong is found out, and decoded again.
///
/// Each thread allocates the workspace that its chunks need, and no other memory. After an error,
/// one thread decodes again from the start, to find the error that comes first.
///
/// ```
/// use std::num::NonZeroUsize;
/// use unspool::pco::{Options, decode_threaded};
/// # let bytes = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
/// let (mut numbers, threads) = ([0u32; 777], NonZeroUsize::new(2).unwrap());
/// let done = decode_threaded(bytes, &mut numbers, threads, &Options::DEFAULT)?;
/// assert_eq!((done.wrote, done.parts, numbers[776]), (777, 1, 776));
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode_threaded<T: Number + Send>(
    src: &[u8],
    dst: &mut [T],
    threads: NonZeroUsize,
    options: &Options,
) -> Result<Done> {
    decode_watched(src, dst, threads, options, &mut || Ok(()))
}

/// Decodes a file as [`decode_threaded`] does, and calls `watch` on the calling thread after every
/// chunk or few chunks. An error of it ends the decode.
///
/// ```
/// use std::num::NonZeroUsize;
/// use unspool::pco::{Options, decode_watched};
/// use unspool::{Error, ErrorKind};
/// # let bytes = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
/// let (mut numbers, threads) = ([0u32; 777], NonZeroUsize::new(2).unwrap());
/// let stop = Error::new(ErrorKind::SinkFull, 0);
/// let done = decode_watched(bytes, &mut numbers, threads, &Options::DEFAULT, &mut || Err(stop));
/// assert_eq!(done, Err(stop));
/// ```
pub fn decode_watched<T: Number + Send>(
    src: &[u8],
    dst: &mut [T],
    threads: NonZeroUsize,
    options: &Options,
    watch: &mut dyn FnMut() -> Result<()>,
) -> Result<Done> {
    if threads.get() > 1
        && let Some(ended) = decode_pieces(src, dst, threads, options, watch)
    {
        return ended;
    }
    let (mut done, mut workspace) = (Done::default(), Vec::new());
    each_chunk(src, &options.limits, &mut done, &mut (), |chunk, at, done, _| {
        let out = part_for(chunk, at, dst, done.wrote)?;
        let next = decode_chunk(chunk, out, &mut workspace, options, &mut done.wrote)?;
        watch()?;
        Ok(next)
    })?;
    Ok(done)
}

/// Decodes a chunk with a workspace that grows. Returns the offset of the next chunk.
fn decode_chunk<T: Number>(
    chunk: &Chunk<'_>,
    out: &mut [T],
    workspace: &mut Vec<u64>,
    options: &Options,
    wrote: &mut usize,
) -> Result<u64> {
    let plan = options.plan;
    grow(workspace, chunk.workspace_len(plan))?;
    by_plan!(plan, COMPACT => {
        chunk.bits::<T::Bits, COMPACT>(Some(T::TYPE), cast_mut(out), workspace, plan, wrote, &mut ())
    })
}

/// Wrong guesses in a file, after which one thread decodes all of it.
const MAX_WRONG: usize = 8;

/// Places that are tried in a chunk. A crafted page could name any number of them, each with long
/// metadata.
const MAX_TRIED: usize = 64;

/// Numbers that are worth handing them to a thread.
const PIECE: usize = 1 << 16;

/// Decodes pieces of whole chunks by themselves. `None` after any error but that of `watch`: it may
/// hide an earlier one.
fn decode_pieces<T: Number + Send>(
    src: &[u8],
    dst: &mut [T],
    threads: NonZeroUsize,
    options: &Options,
    watch: &mut dyn FnMut() -> Result<()>,
) -> Option<Result<Done>> {
    let header = Header::parse(src, &mut ()).ok()?;
    let (mut at, mut done, mut wrong) = (u64_from(header.len), Done::default(), 0);
    // Believed once: a file whose count is too low would be a new start for each chunk.
    let mut hint = header.n_hint;
    while *src.get(index(at))? != 0 {
        let rest = dst.get_mut(done.wrote..)?;
        let left = core::mem::take(&mut hint).saturating_sub(u64_from(done.wrote));
        let pieces = Pieces { src, header: &header, options, at: Some(at), rest, left, workspace: Vec::new() };
        let decode = |workspace: &mut Vec<u64>, piece: Piece<'_, T>| {
            let (mut at, mut wrote, mut chunk, mut chunks) = (piece.at, 0, Chunk::new(), 0);
            while let Some(out) = piece.out.get_mut(wrote..).filter(|out| !out.is_empty()) {
                let rest = src.get(index(at)..).unwrap_or_default();
                chunk.read(rest, &header, at, &options.limits, &mut ())?.ok_or(GUESSED)?;
                let out = out.get_mut(..chunk.len).ok_or(GUESSED)?;
                at = decode_chunk(&chunk, out, workspace, options, &mut wrote)?;
                chunks += 1;
            }
            Ok((at, wrote, chunks, piece.next))
        };
        let mut stopped = None;
        let ran = in_order(threads, pieces, Vec::new, decode, |(end, wrote, chunks, next)| {
            at = end;
            done.wrote = done.wrote.saturating_add(wrote);
            done.content = done.content.saturating_add(u64_from(wrote.saturating_mul(size_of::<T>())));
            done.parts += chunks;
            let allowed = done.content <= options.limits.max_output;
            allowed.then_some(()).ok_or(Error::new(ErrorKind::OutputLimit, at))?;
            watch().inspect_err(|&error| stopped = Some(error))?;
            next.is_none_or(|next| next == end).then_some(()).ok_or(GUESSED)
        });
        match ran {
            Ok(()) => {}
            Err(error) if stopped == Some(error) => return Some(Err(error)),
            Err(GUESSED) if wrong < MAX_WRONG => wrong += 1,
            Err(_) => return None,
        }
    }
    done.read = index(at.saturating_add(1));
    Some(Ok(done))
}

impl Chunk<'_> {
    /// Guesses where this chunk ends, in less time than [`skip`](Self::skip) takes: at the next
    /// place where a chunk of its type and length starts, as far as metadata shows.
    ///
    /// Only decoding this chunk shows whether the guess is right. `None` if no such place is in the
    /// input, for example because the next chunk is shorter.
    ///
    /// ```
    /// use unspool::Limits;
    /// use unspool::pco::{Chunk, Header};
    /// # let file = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
    /// # let end = file.len() - 1;
    /// // A file of one chunk, and the same chunk again.
    /// let header = Header::read(file, &Limits::DEFAULT)?;
    /// let twice = [&file[..end], &file[header.len..]].concat();
    /// let (mut chunk, at) = (Chunk::new(), header.len as u64);
    /// chunk.read(&twice[header.len..], &header, at, &Limits::DEFAULT, &mut ())?;
    /// assert_eq!(chunk.guess_end(&header, &Limits::DEFAULT), Some(end as u64));
    /// # Ok::<(), unspool::Error>(())
    /// ```
    pub fn guess_end(&self, header: &Header, limits: &Limits) -> Option<u64> {
        // Writers make chunks of the same length, or with one number less.
        let [low, needle @ .., _, _, _, _, _] = u64_from(self.len.wrapping_sub(1)).to_le_bytes();
        // Pages are seldom longer than their numbers.
        let page = self.page();
        let page = page.get(..self.size().saturating_mul(2)).unwrap_or(page);
        let alike = memmem::find_iter(page, &needle).filter_map(|found| {
            let start = page.get(found.checked_sub(2)?..)?;
            let &[ty, other] = start.first_chunk()?;
            (ty == self.number_type() as u8 && low.abs_diff(other) <= 1).then_some(start)
        });
        let mut tried = alike.take(MAX_TRIED).map(|start| {
            let at = self.page_at.saturating_add(u64_from(page.len() - start.len()));
            let rest = self.page().get(page.len() - start.len()..)?;
            Chunk::new().read(rest, header, at, limits, &mut ()).ok()?.map(|_| at)
        });
        tried.find_map(|at| at)
    }
}

/// The end of a chunk was guessed, and is somewhere else. No file leads to this error.
const GUESSED: Error = Error::new(ErrorKind::RangeOutside, u64::MAX);

/// Whole chunks in a row.
struct Piece<'d, T> {
    at: u64,
    out: &'d mut [T],
    /// Where the next piece starts, perhaps; `None` for the last one.
    next: Option<u64>,
}

/// Walks over the pieces of a file.
struct Pieces<'s, 'd, T> {
    src: &'s [u8],
    header: &'s Header,
    options: &'s Options,
    /// The next chunk; `None` after the last one.
    at: Option<u64>,
    rest: &'d mut [T],
    /// Numbers until the end, as the header expects; 0 if it does not know.
    left: u64,
    workspace: Vec<u64>,
}

impl<'d, T: Number> Pieces<'_, 'd, T> {
    fn piece(&mut self, start: u64) -> Result<Option<Piece<'d, T>>> {
        let (mut at, mut len, mut chunk) = (start, 0usize, Chunk::new());
        self.at = None;
        while len < PIECE {
            let rest = self.src.get(index(at)..).unwrap_or_default();
            if chunk.read(rest, self.header, at, &self.options.limits, &mut ())?.is_none() {
                break;
            }
            len = len.saturating_add(chunk.len);
            let is_last = self.left > 0 && self.left <= u64_from(chunk.len);
            self.left = self.left.saturating_sub(u64_from(chunk.len));
            self.at = if is_last { None } else { Some(self.after(&chunk)?) };
            match self.at {
                Some(next) => at = next,
                None => break,
            }
        }
        if len == 0 {
            return Ok(None);
        }
        let out = self.rest.split_off_mut(..len).ok_or(Error::new(ErrorKind::OutputTooSmall, start))?;
        Ok(Some(Piece { at: start, out, next: self.at }))
    }

    /// Finds the end of a chunk: the next place where a chunk of its type and length starts, as far
    /// as its metadata shows. Without one, reads the symbols.
    fn after(&mut self, chunk: &Chunk<'_>) -> Result<u64> {
        if let Some(end) = chunk.guess_end(self.header, &self.options.limits) {
            return Ok(end);
        }
        grow(&mut self.workspace, chunk.workspace_len(self.options.plan))?;
        by_plan!(self.options.plan, COMPACT => chunk.skip_in::<COMPACT>(&mut self.workspace, self.options.plan))
    }
}

impl<'d, T: Number> Iterator for Pieces<'_, 'd, T> {
    type Item = Result<Piece<'d, T>>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at?;
        self.piece(at).transpose()
    }
}

//! The doors of whole files: decode, to a slice, a sink or a vector; measure; inspect; salvage.

use super::file::{Chunk, File};
use super::header::Header;
use super::number::{Number, cast_mut};
use super::plan::Options;
#[cfg(feature = "alloc")]
use crate::heap::lengthen;
use crate::num::{index, u64_from};
use crate::{Done, Error, ErrorKind, Limits, Name, Part, Result, Sink, Trace, Value};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// Calls a function for tables that are compact or not. A constant says so, so that a program links
/// the tables that it uses.
macro_rules! by_plan {
    ($plan:expr, $compact:ident => $call:expr) => {
        match $plan.is_compact() {
            true => {
                const $compact: bool = true;
                $call
            }
            false => {
                const $compact: bool = false;
                $call
            }
        }
    };
}
#[cfg(feature = "threads")]
pub(super) use by_plan;

/// Bytes of scratch that [`decode_to`] and [`inspect`] need: a batch of 256 numbers of 64 bits.
pub const SCRATCH_LEN: usize = 2048;

/// Decodes a file whose chunks all have type `T`. `wrote` of the result counts numbers.
///
/// `workspace` must suffice for the neediest chunk. If it does not, the error holds the need of
/// that chunk. [`workspace_len`] returns the need of the first one.
///
/// ```
/// use unspool::pco::{Options, decode};
/// # let bytes = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
/// let (mut numbers, mut workspace) = ([0u32; 777], [0; 200]);
/// let done = decode(bytes, &mut numbers, &mut workspace, &Options::DEFAULT, &mut ())?;
/// assert_eq!((done.wrote, done.parts, numbers[776]), (777, 1, 776));
/// # Ok::<(), unspool::Error>(())
/// ```
// Inlined, so that a program with constant options links only the tables that it uses.
#[inline(always)]
pub fn decode<T: Number>(
    src: &[u8],
    dst: &mut [T],
    workspace: &mut [u64],
    options: &Options,
    trace: &mut impl Trace,
) -> Result<Done> {
    let mut done = Done::default();
    by_plan!(options.plan, COMPACT => decode_in::<T, COMPACT>(src, dst, workspace, options, &mut done, trace))?;
    Ok(done)
}

/// Decodes what is sound in a file, up to the first error: numbers in whole batches of 256. See
/// [`decode`].
///
/// `workspace` must suffice for a plan that reads in batches. Numbers of `dst` after the sound ones
/// may have been overwritten.
#[inline(always)]
pub fn salvage<T: Number>(
    src: &[u8],
    dst: &mut [T],
    workspace: &mut [u64],
    options: &Options,
) -> (Done, Option<Error>) {
    // Where the output is the history, numbers before an error are latents yet.
    let (mut done, options) = (Done::default(), &Options { plan: options.plan.in_batches(), ..*options });
    let ended =
        by_plan!(options.plan, COMPACT => decode_in::<T, COMPACT>(src, dst, workspace, options, &mut done, &mut ()));
    (done, ended.err())
}

#[inline(never)]
fn decode_in<T: Number, const COMPACT: bool>(
    src: &[u8],
    dst: &mut [T],
    workspace: &mut [u64],
    options: &Options,
    done: &mut Done,
    trace: &mut impl Trace,
) -> Result<()> {
    each_chunk(src, &options.limits, done, trace, |chunk, at, done, trace| {
        let out = part_for(chunk, at, dst, done.wrote)?;
        chunk.bits::<T::Bits, COMPACT>(Some(T::TYPE), cast_mut(out), workspace, options.plan, &mut done.wrote, trace)
    })
}

/// Returns the part of an output of `T` that a chunk fills, after the `wrote` numbers before it. A
/// chunk of another type is refused before one that is too long.
#[inline(always)]
pub(super) fn part_for<'d, T: Number>(
    chunk: &Chunk<'_>,
    at: u64,
    dst: &'d mut [T],
    wrote: usize,
) -> Result<&'d mut [T]> {
    chunk.check_type(T::TYPE)?;
    let too_small = Error::new(ErrorKind::OutputTooSmall, at).needing(u64_from(wrote.saturating_add(chunk.len)));
    dst.get_mut(wrote..).and_then(|rest| rest.get_mut(..chunk.len)).ok_or(too_small)
}

/// Decodes a file of any types into little-endian bytes. `wrote` of the result counts bytes.
///
/// `workspace` must suffice for the neediest chunk and a plan that reads in batches. It is faster
/// if `dst` is aligned like the numbers.
#[inline(always)]
pub fn decode_bytes(
    src: &[u8],
    dst: &mut [u8],
    workspace: &mut [u64],
    options: &Options,
    trace: &mut impl Trace,
) -> Result<Done> {
    by_plan!(options.plan, COMPACT => decode_bytes_in::<COMPACT>(src, dst, workspace, options, trace))
}

#[inline(never)]
fn decode_bytes_in<const COMPACT: bool>(
    src: &[u8],
    dst: &mut [u8],
    workspace: &mut [u64],
    options: &Options,
    trace: &mut impl Trace,
) -> Result<Done> {
    let mut done = Done::default();
    each_chunk(src, &options.limits, &mut done, trace, |chunk, at, done, trace| {
        let need = done.wrote.saturating_add(chunk.size());
        let too_small = Error::new(ErrorKind::OutputTooSmall, at).needing(u64_from(need));
        let out = dst.get_mut(done.wrote..need).ok_or(too_small)?;
        done.wrote = need;
        chunk.bytes::<COMPACT>(out, workspace, options.plan, &mut 0, trace)
    })?;
    Ok(done)
}

/// Decodes a file of any types to a sink of little-endian bytes, a few batches at a time. `wrote`
/// of the result counts bytes.
///
/// `workspace` must suffice for the neediest chunk and a plan that reads in batches. `scratch` has
/// [`SCRATCH_LEN`] bytes or more.
///
/// ```
/// use unspool::Count;
/// use unspool::pco::{Options, SCRATCH_LEN, decode_to};
/// # let bytes = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
/// let (mut count, mut workspace, mut scratch) = (Count::default(), [0; 200], [0; SCRATCH_LEN]);
/// decode_to(bytes, &mut count, &mut workspace, &mut scratch, &Options::DEFAULT)?;
/// assert_eq!(count, Count(4 * 777));
/// # Ok::<(), unspool::Error>(())
/// ```
#[inline(always)]
pub fn decode_to(
    src: &[u8],
    sink: &mut impl Sink,
    workspace: &mut [u64],
    scratch: &mut [u8],
    options: &Options,
) -> Result<Done> {
    let mut done =
        by_plan!(options.plan, COMPACT => decode_to_in::<COMPACT>(src, sink, workspace, scratch, options, &mut ()))?;
    done.wrote = index(done.content);
    Ok(done)
}

/// Decodes a file without an output, and emits its structure to `trace`: the same fields and errors
/// as decoding it.
///
/// `workspace` and `scratch` as for [`decode_to`].
#[inline(always)]
pub fn inspect(
    src: &[u8],
    workspace: &mut [u64],
    scratch: &mut [u8],
    options: &Options,
    trace: &mut impl Trace,
) -> Result<Done> {
    let nowhere = &mut |_: &[u8]| Ok(());
    by_plan!(options.plan, COMPACT => decode_to_in::<COMPACT>(src, nowhere, workspace, scratch, options, trace))
}

#[inline(never)]
fn decode_to_in<const COMPACT: bool>(
    src: &[u8],
    sink: &mut dyn Sink,
    workspace: &mut [u64],
    scratch: &mut [u8],
    options: &Options,
    trace: &mut impl Trace,
) -> Result<Done> {
    let mut done = Done::default();
    if scratch.len() < SCRATCH_LEN {
        return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(u64_from(SCRATCH_LEN)));
    }
    each_chunk(src, &options.limits, &mut done, trace, |chunk, _, _, trace| {
        chunk.decode_to::<COMPACT>(sink, workspace, scratch, options.plan, trace)
    })?;
    Ok(done)
}

/// Counts the numbers of a file, from symbols alone where chunks have any. Only walking over a
/// chunk shows where the next one starts.
///
/// `workspace` as for [`decode`].
#[inline(always)]
pub fn decoded_len(src: &[u8], workspace: &mut [u64], options: &Options) -> Result<u64> {
    by_plan!(options.plan, COMPACT => decoded_len_in::<COMPACT>(src, workspace, options))
}

#[inline(never)]
fn decoded_len_in<const COMPACT: bool>(src: &[u8], workspace: &mut [u64], options: &Options) -> Result<u64> {
    let mut len = 0u64;
    each_chunk(src, &options.limits, &mut Done::default(), &mut (), |chunk, _, _, _| {
        len = len.saturating_add(u64_from(chunk.len));
        chunk.skip_in::<COMPACT>(workspace, options.plan)
    })?;
    Ok(len)
}

/// Returns the words of workspace that the first chunk of a file needs; 0 without chunks.
///
/// Chunks after it may need more, if the writer chose other tables for them. Then decoding refuses
/// with their need.
pub fn workspace_len(src: &[u8], options: &Options) -> Result<u64> {
    let (file, mut chunk) = (File::open(src, &options.limits)?, Chunk::new());
    let some = chunk.open(&file, file.first(), &mut ())?;
    Ok(if some { chunk.workspace_len(options.plan) } else { 0 })
}

/// Calls `each` with every chunk, its offset, what was done before it, and the trace; it returns
/// the offset of the next chunk.
#[inline(never)]
pub(super) fn each_chunk<T: Trace>(
    src: &[u8],
    limits: &Limits,
    done: &mut Done,
    trace: &mut T,
    mut each: impl FnMut(&Chunk<'_>, u64, &mut Done, &mut T) -> Result<u64>,
) -> Result<()> {
    let header = Header::parse(src, trace)?;
    // In place, because a chunk is large.
    let (mut at, mut chunk) = (u64_from(header.len), Chunk::new());
    done.read = header.len;
    while chunk.read(src.get(index(at)..).unwrap_or(&[]), &header, at, limits, trace)?.is_some() {
        let content = done.content.saturating_add(u64_from(chunk.size()));
        if content > limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, at).needing(content));
        }
        at = each(&chunk, at, done, trace)?;
        (done.read, done.content) = (index(at), content);
        done.parts = done.parts.saturating_add(1);
    }
    let end = at.saturating_add(1);
    done.read = index(end);
    if trace.listens() && end < u64_from(src.len()) {
        trace.bytes(Part::Padding, Name::TrailingBytes, end..u64_from(src.len()), Value::None);
    }
    Ok(())
}

/// Decodes a file whose chunks all have type `T`.
///
/// ```
/// use unspool::pco::{Options, decode_to_vec};
/// # let bytes = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
/// let numbers: Vec<u32> = decode_to_vec(bytes, &Options::DEFAULT)?;
/// assert_eq!(numbers, (0..777).collect::<Vec<u32>>());
/// # Ok::<(), unspool::Error>(())
/// ```
#[cfg(feature = "alloc")]
pub fn decode_to_vec<T: Number>(src: &[u8], options: &Options) -> Result<Vec<T>> {
    let (mut numbers, mut workspace) = (Vec::<T>::new(), Vec::new());
    each_chunk(src, &options.limits, &mut Done::default(), &mut (), |chunk, _, _, trace| {
        chunk.check_type(T::TYPE)?;
        let (start, plan) = (numbers.len(), options.plan);
        lengthen(&mut numbers, chunk.len)?;
        grow(&mut workspace, chunk.workspace_len(plan))?;
        let out = numbers.get_mut(start..).unwrap_or(&mut []);
        let (out, workspace, ty) = (cast_mut(out), &mut workspace, Some(T::TYPE));
        by_plan!(plan, COMPACT => chunk.bits::<T::Bits, COMPACT>(ty, out, workspace, plan, &mut 0, trace))
    })?;
    Ok(numbers)
}

/// Decodes a file chunk by chunk, and calls `each` with every chunk and its little-endian numbers.
/// Only one chunk is in memory at a time. Of a corrupt chunk `each` gets the sound numbers, before
/// the error is returned.
///
/// ```
/// # let bytes = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
/// let mut numbers = vec![];
/// unspool::pco::decode_chunks(bytes, &unspool::Limits::DEFAULT, &mut (), |_, bytes| {
///     numbers.extend_from_slice(bytes);
///     Ok(())
/// })?;
/// assert_eq!(numbers.len(), 777 * 4);
/// # Ok::<(), unspool::Error>(())
/// ```
#[cfg(feature = "alloc")]
pub fn decode_chunks(
    src: &[u8],
    limits: &Limits,
    trace: &mut impl Trace,
    mut each: impl FnMut(&Chunk<'_>, &[u8]) -> Result<()>,
) -> Result<Done> {
    let (mut done, mut numbers, mut workspace) = (Done::default(), Vec::new(), Vec::new());
    each_chunk(src, limits, &mut done, trace, |chunk, _, _, trace| {
        grow(&mut workspace, chunk.workspace_len(super::plan::Plan::Batches))?;
        grow(&mut numbers, u64_from(chunk.size()))?;
        let room = numbers.get_mut(..chunk.size()).unwrap_or(&mut []);
        let (count, ended) = chunk.salvage_bytes(room, &mut workspace, trace);
        each(chunk, room.get(..count.saturating_mul(chunk.number_type().size())).unwrap_or(&[]))?;
        ended
    })?;
    Ok(done)
}

/// Makes a vector at least this long.
#[cfg(feature = "alloc")]
pub(super) fn grow<T: Clone + Default>(vec: &mut Vec<T>, len: u64) -> Result<()> {
    let more = index(len).saturating_sub(vec.len());
    lengthen(vec, more)
}

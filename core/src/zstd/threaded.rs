//! Decodes the frames of a file on several threads.

use alloc::vec::Vec;
use core::num::NonZeroUsize;

use super::decode::decode;
use super::detect::{Claim, flavour};
use super::file::File;
use super::header::cut;
use super::options::Options;
use super::walk::Walk;
use super::workspace::Workspace;
use crate::heap::zeros;
use crate::num::{copy, index, u64_from};
use crate::threads::in_order;
use crate::{Done, Error, ErrorKind, Result};

/// The longest frame of unknown size that is decoded to memory of its own.
const MAX_BUFFER: u64 = 32 << 20;

/// Decodes a file as [`decode`] does, its frames on up to `threads` threads: the same bytes, and
/// the same error.
///
/// Threads help with files of several frames, such as those of `pzstd` and seekable files. The
/// headers of all frames are read first.
///
/// * If the headers or a seek table contain all sizes, each thread has a [`Workspace`], and no
///   other memory.
/// * If they do not, two frames for each thread are decoded to memory of their own, at most 32 MiB
///   each, and copied. If a frame may be longer, one thread decodes the file.
/// * After an error, one thread decodes again from the start, to find the error that comes first.
///
/// ```
/// use std::num::NonZeroUsize;
/// use unspool::zstd;
/// let file = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst".repeat(2);
/// let (mut out, threads) = ([0; 6], NonZeroUsize::new(2).unwrap());
/// let done = zstd::decode_threaded(&file, &mut out, threads, &zstd::Options::DEFAULT)?;
/// assert_eq!((&out, done.parts), (b"zstzst", 2));
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode_threaded(src: &[u8], dst: &mut [u8], threads: NonZeroUsize, options: &Options<'_>) -> Result<Done> {
    if threads.get() > 1
        && let Ok(done) = decode_frames(src, dst, threads, options)
    {
        return Ok(done);
    }
    decode(src, dst, &mut Workspace::new(), options, &mut ())
}

/// Decodes each frame by itself. Any error may hide an earlier one.
fn decode_frames(src: &[u8], dst: &mut [u8], threads: NonZeroUsize, options: &Options<'_>) -> Result<Done> {
    let options = &Options { flavour: Some(flavour(src, options)), ..*options };
    let too_small = Error::new(ErrorKind::OutputTooSmall, 0);
    let (mut count, mut all_sized, mut longest) = (0u64, true, 0);
    for frame in frames(src, options) {
        let frame = frame?;
        count += 1;
        all_sized &= frame.size.is_some();
        longest = longest.max(frame.size.unwrap_or(frame.most));
    }
    if count < 2 || !all_sized && longest > MAX_BUFFER {
        return Err(too_small);
    }
    // The output is split for the threads, or else filled from their buffers.
    let len = dst.len();
    let (mut parts, mut rest) = if all_sized { (dst, Default::default()) } else { (Default::default(), dst) };
    let pieces = frames(src, options).map(|frame| {
        let frame = frame?;
        let part = match frame.size {
            Some(size) if all_sized => Some(parts.split_off_mut(..index(size)).ok_or(too_small)?),
            _ => None,
        };
        Ok((frame, part))
    });
    let decode = |workspace: &mut Workspace, (frame, part): (Frame<'_>, Option<&mut [u8]>)| {
        let mut buffer = Vec::new();
        if part.is_none() {
            buffer = zeros(frame.size.unwrap_or(frame.most).min(u64_from(len)))?;
        }
        let to = part.unwrap_or(&mut buffer);
        let done = decode(frame.bytes, to, workspace, options, &mut ())?;
        // A seek table may lie.
        if frame.size.is_some_and(|size| size != done.content) {
            return Err(Error::new(ErrorKind::ZstdSeekTable, 0));
        }
        Ok((done, buffer))
    };
    let mut total = Done { read: src.len(), ..Done::default() };
    in_order(threads, pieces, Workspace::new, decode, |(done, buffer): (Done, Vec<u8>)| {
        if !all_sized {
            let part = rest.split_off_mut(..done.wrote).ok_or(too_small)?;
            copy(&buffer, part);
        }
        total.wrote = total.wrote.saturating_add(done.wrote);
        total.content = total.content.saturating_add(done.content);
        total.add_parts(&done);
        let allowed = total.content <= options.limits.max_output;
        allowed.then_some(()).ok_or(Error::new(ErrorKind::OutputLimit, 0))
    })?;
    Ok(total)
}

/// A frame of data whose headers were read.
struct Frame<'s> {
    bytes: &'s [u8],
    /// Bytes that it decodes to, from its header or a seek table.
    size: Option<u64>,
    /// The most bytes that its blocks can hold.
    most: u64,
}

/// Returns the frames of a file that are not skippable.
fn frames<'s>(src: &'s [u8], options: &Options<'_>) -> impl Iterator<Item = Result<Frame<'s>>> {
    let file = File::open(src, &options.limits).ok();
    let mut table = file.into_iter().flat_map(|file| file.frames()).peekable();
    let mut walk = Walk::new(flavour(src, options), options.magicless);
    let mut at = 0usize;
    core::iter::from_fn(move || {
        while at != src.len() {
            let start = at;
            let claim = match Claim::read(&mut walk, src, at, |_, _, _| ()) {
                Ok(claim) => claim,
                Err(fault) => return Some(Err(fault.into())),
            };
            at = claim.end;
            if !claim.is_data {
                continue;
            }
            let Some(bytes) = src.get(start..at) else { return Some(Err(cut(src).into())) };
            let range = u64_from(start)..u64_from(at);
            while table.next_if(|frame| frame.range.end <= range.start).is_some() {}
            let listed = table.next_if(|frame| frame.range == range);
            let size = walk.header.content_size.or(listed.map(|frame| frame.content.end - frame.content.start));
            return Some(Ok(Frame { bytes, size, most: claim.most }));
        }
        None
    })
}

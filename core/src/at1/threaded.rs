//! Decodes the streams or the frames of a file on several threads.

use alloc::vec::Vec;
use core::num::NonZeroUsize;

use super::body::{Bodies, Body, Content};
use super::decode::{decode, grow, raw, scratch_len, structured};
use super::header::{Container, Header};
use super::output::Output;
use super::scratch::{BUFFER, Lent, Scratch, Workspace};
use crate::checksum::Sha256;
use crate::heap::{append, zeros};
use crate::num::{copy, index, u64_from};
use crate::options::Options;
use crate::threads::in_order;
use crate::{Checksums, Done, Error, ErrorKind, Result, Verify};

/// Decodes a file as [`decode`] does, on up to `threads` threads: the same bytes, and the same
/// error.
///
/// * Of a whole file, the streams are decoded on the threads, and the rows are put together by one.
///   Each thread has a [`Workspace`]; the scratch is that of [`decode`], and is allocated.
/// * Frames are decoded by themselves, two for each thread at a time, to memory of their own. None
///   takes more than the output has. After an error, one thread decodes again from the start, to
///   find the error that comes first.
///
/// ```
/// use std::num::NonZeroUsize;
/// use unspool::at1::{self, Options};
/// # let file = b"AT1\x02\x04\x08\x04meta\x02\x06\x02\x01\x01\x01,\x02\x09row_modes\x02\x02\x01\x01\
/// #     \x0Bfieldcounts\x02\x02\x02\x02\x08coltypes\x02\x02\x01\x02\x09col_index\x02\x02\x02\x04\
/// #     \x06values\x02\x06\x02\x02\x02\xEC\x0Ed\x0Aquotemodes\x02\x02\0\0\
/// #     \x06header\x02\x08id,price";
/// let (mut out, threads) = ([0; 64], NonZeroUsize::new(2).unwrap());
/// let done = at1::decode_threaded(file, &mut out, threads, &Options::DEFAULT)?;
/// assert_eq!(&out[..done.wrote], b"id,price\n1,9.50\n2,10.00\n");
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode_threaded(src: &[u8], dst: &mut [u8], threads: NonZeroUsize, options: &Options) -> Result<Done> {
    if threads.get() > 1
        && let Ok(header) = Header::read(src, &options.limits)
        && header.container == Container::Frames
        && let Ok(done) = decode_frames(src, dst, &header, threads, options)
    {
        return Ok(done);
    }
    let mut workspace = Workspace::with_threads(threads);
    // If the measure fails, decoding reports the error that comes first.
    let mut scratch = zeros(scratch_len(src, options).unwrap_or(0))?;
    loop {
        match decode(src, dst, &mut workspace, &mut scratch, options, &mut ()) {
            Ok(done) => return Ok(done),
            Err(error) => grow(&mut scratch, error)?,
        }
    }
}

impl Workspace {
    /// Returns an empty workspace. If streams are decoded together, this number of threads decodes
    /// them, each with a workspace of its own.
    pub const fn with_threads(threads: NonZeroUsize) -> Self {
        Self { threads: if threads.get() > 1 { Some(threads) } else { None }, ..Self::new() }
    }
}

/// Decodes each frame by itself. Any error may hide an earlier one.
fn decode_frames(
    src: &[u8],
    dst: &mut [u8],
    header: &Header,
    threads: NonZeroUsize,
    options: &Options,
) -> Result<Done> {
    let limits = &options.limits;
    let most = u64_from(dst.len()).min(limits.max_output);
    let mut bodies = Bodies::new(src, header, limits);
    let frames = core::iter::from_fn(|| {
        let mut body = Body::NONE;
        bodies.next(&mut body, &mut ()).map(|is_body| is_body.then_some(body)).transpose()
    });
    let decode = |(workspace, scratch): &mut (Workspace, Vec<u8>), body: Body<'_>| {
        let mut text = Vec::new();
        loop {
            match decode_frame(&body, header, workspace, scratch, options, most, &mut text) {
                Ok(()) => return Ok(text),
                Err(error) => grow(scratch, error)?,
            }
        }
    };
    let stored = header.hash.filter(|_| options.verify != Verify::Skip);
    let (mut hash, mut rest, mut wrote) = (stored.map(|_| Sha256::new()), dst, 0u64);
    in_order(
        threads,
        frames,
        || (Workspace::new(), Vec::new()),
        decode,
        |text: Vec<u8>| {
            wrote = wrote.saturating_add(u64_from(text.len()));
            let part = rest.split_off_mut(..text.len()).filter(|_| wrote <= most);
            copy(&text, part.ok_or(Error::new(ErrorKind::OutputTooSmall, 0))?);
            hash.iter_mut().for_each(|hash| hash.update(&text));
            Ok(())
        },
    )?;
    let mut checksums = Checksums::default();
    match stored.zip(hash) {
        Some((stored, hash)) => {
            checksums.count(stored == hash.value(), options.verify, ErrorKind::At1Hash, index(header.body_end))?;
        }
        None => checksums.unchecked = 1,
    }
    Ok(Done { read: src.len(), wrote: index(wrote), content: wrote, parts: bodies.count, checksums, ..Done::default() })
}

/// Decodes a frame to `text`, which starts empty.
fn decode_frame(
    body: &Body<'_>,
    header: &Header,
    workspace: &mut Workspace,
    scratch: &mut [u8],
    options: &Options,
    most: u64,
    text: &mut Vec<u8>,
) -> Result<()> {
    text.clear();
    let mut sink = |bytes: &[u8]| match u64_from(text.len().saturating_add(bytes.len())) <= most {
        true => append(text, bytes),
        false => Err(Error::new(ErrorKind::SinkFull, 0)),
    };
    let mut scratch = Scratch::new(scratch);
    let buffer = scratch.take(BUFFER)?;
    let mut out = Output::sink(&mut sink, buffer, false, &options.limits);
    let lent = Lent { scratch, workspace, limits: &options.limits };
    match &body.content {
        Content::Raw(entry) => raw(entry, lent, &mut out)?,
        Content::Set(set) => structured(header, set, lent, &mut out)?,
    }
    out.flush();
    out.refusal().map_or(Ok(()), Err)
}

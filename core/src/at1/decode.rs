//! Whole files: the header, one body or many frames, the hash.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::body::{Content, each_body};
use super::codecs;
use super::header::Header;
#[cfg(feature = "alloc")]
use super::header::{Codec, Container};
use super::output::Output;
use super::scratch::{BUFFER, Lent, Scratch, Workspace, of_streams};
use super::streams::{Entry, Set};
#[cfg(feature = "alloc")]
use crate::heap::{lengthen, zeros};
use crate::num::index;
#[cfg(feature = "alloc")]
use crate::num::u64_from;
use crate::options::Options;
use crate::{Checksums, Class, Done, Error, ErrorKind, Limits, Result, Sink, Trace, Verify};

/// Decodes a file to a slice.
///
/// Bytes of `dst` after the decoded ones may be overwritten. `trace` receives the structure that
/// [`inspect`] emits, each frame before it is decoded.
pub fn decode<T: Trace>(
    src: &[u8],
    dst: &mut [u8],
    workspace: &mut Workspace,
    scratch: &mut [u8],
    options: &Options,
    trace: &mut T,
) -> Result<Done> {
    let header = Header::parse(src, trace)?;
    let mut out = Output::slice(dst, is_hashed(&header, options), &options.limits);
    run(src, &header, &mut out, workspace, Scratch::new(scratch), options, trace)
}

/// Decodes a file to a sink. The sink also gets everything before an error.
///
/// Takes scratch for a buffer and for raw payloads, which [`decode`] decodes in place.
#[inline(never)]
pub fn decode_to<S: Sink>(
    src: &[u8],
    sink: &mut S,
    workspace: &mut Workspace,
    scratch: &mut [u8],
    options: &Options,
) -> Result<Done> {
    let header = Header::read(src, &options.limits)?;
    let mut scratch = Scratch::new(scratch);
    let buffer = scratch.take(BUFFER)?;
    let mut out = Output::sink(sink, buffer, is_hashed(&header, options), &options.limits);
    run(src, &header, &mut out, workspace, scratch, options, &mut ())
}

/// Decodes everything before the first error. Returns the length of that prefix and the error.
pub fn salvage(
    src: &[u8],
    dst: &mut [u8],
    workspace: &mut Workspace,
    scratch: &mut [u8],
    options: &Options,
) -> (Done, Option<Error>) {
    let header = match Header::read(src, &options.limits) {
        Ok(header) => header,
        Err(error) => return (Done::default(), Some(error)),
    };
    let mut out = Output::slice(dst, is_hashed(&header, options), &options.limits);
    match run(src, &header, &mut out, workspace, Scratch::new(scratch), options, &mut ()) {
        Ok(done) => (done, None),
        Err(error) => (Done { wrote: index(out.written()), content: out.written(), ..Done::default() }, Some(error)),
    }
}

/// Returns the decoded length. Reads everything that [`decode`] reads, but writes nothing. On a
/// machine with short addresses, the largest address is the limit.
pub fn decoded_len(src: &[u8], workspace: &mut Workspace, scratch: &mut [u8], options: &Options) -> Result<u64> {
    let header = Header::read(src, &options.limits)?;
    let mut out = Output::counting(&options.limits);
    run(src, &header, &mut out, workspace, Scratch::new(scratch), options, &mut ()).map(|done| done.content)
}

/// Decodes a file to a new vector.
///
/// Counts the output first. Allocates scratch for at most what the bytes of the streams can hold.
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], options: &Options) -> Result<Vec<u8>> {
    let mut workspace = Workspace::new();
    // If the measure fails, decoding reports the error that comes first.
    let mut scratch = zeros(scratch_len(src, options).unwrap_or(0))?;
    let counted = growing(&mut scratch, |scratch| decoded_len(src, &mut workspace, scratch, options));
    let Ok(len) = counted else {
        // Counting passes over the content of raw payloads. An error in it comes first.
        let header = Header::read(src, &options.limits)?;
        if header.codec == Codec::Raw || header.container == Container::Frames {
            let nowhere = &mut |_: &[u8]| Ok(());
            growing(&mut scratch, |scratch| decode_to(src, nowhere, &mut workspace, scratch, options))?;
        }
        return counted.map(|_| Vec::new());
    };
    let mut out = zeros(len)?;
    decode(src, &mut out, &mut workspace, &mut scratch, options, &mut ())?;
    Ok(out)
}

/// Runs `run` again with more scratch as long as it asks for more.
#[cfg(feature = "alloc")]
fn growing<T>(scratch: &mut Vec<u8>, mut run: impl FnMut(&mut [u8]) -> Result<T>) -> Result<T> {
    loop {
        match run(scratch) {
            Err(error) => grow(scratch, error)?,
            done => return done,
        }
    }
}

/// Lengthens scratch if the error asks for more. Returns any other error.
///
/// Call it before decoding a file again. It at least doubles the scratch: frames may each ask for a
/// little more, and as many restarts as frames would take quadratic time.
#[cfg(feature = "alloc")]
pub fn grow(scratch: &mut Vec<u8>, error: Error) -> Result<()> {
    match error {
        Error { kind: ErrorKind::WorkspaceTooSmall, need, .. } if need > u64_from(scratch.len()) => {
            let missing = index(need).saturating_sub(scratch.len());
            let twice = missing.max(scratch.len());
            lengthen(scratch, twice).or_else(|_| lengthen(scratch, missing))
        }
        error => Err(error),
    }
}

/// Emits the structure of a file down to the blocks of each payload. Builds tables but decodes
/// nothing: errors in the content show in [`decode`].
pub fn inspect<T: Trace>(src: &[u8], workspace: &mut Workspace, options: &Options, trace: &mut T) -> Result<Done> {
    let header = Header::parse(src, trace)?;
    let parts = each_body(src, &header, &options.limits, trace, |content, trace| {
        emit(content, &header, workspace, &options.limits, trace)?;
        Ok(true)
    })?;
    header.emit_trailer(src, trace);
    let mut checksums = Checksums::default();
    *(if header.hash.is_some() { &mut checksums.matched } else { &mut checksums.unchecked }) = 1;
    Ok(Done { read: src.len(), parts, checksums, ..Done::default() })
}

/// Emits the content of a body.
fn emit<T: Trace>(
    content: &Content<'_>,
    header: &Header,
    workspace: &mut Workspace,
    limits: &Limits,
    trace: &mut T,
) -> Result<()> {
    match content {
        Content::Raw(entry) => entry.trace_unnamed(workspace, limits, trace),
        Content::Set(set) => set.trace(|name| codecs::reads(header.codec, name), workspace, &of_streams(limits), trace),
    }
}

/// Returns the scratch that [`decode`] and [`decoded_len`] take, as far as the headers of streams
/// say. Decodes nothing.
///
/// Most files take no more. The content of a stream can ask for more, for row groups or a
/// dictionary. Decoding then reports the size with an error of the class `WorkspaceTooSmall`,
/// before it writes anything of that body. If the caller decodes again, it gets the output of
/// earlier frames again.
pub fn scratch_len(src: &[u8], options: &Options) -> Result<u64> {
    scratch_lens(src, &options.limits).map(|(slice, _)| slice)
}

/// Returns the scratch that [`decode_to`] takes, under the same conditions as [`scratch_len`].
pub fn scratch_len_to(src: &[u8], options: &Options) -> Result<u64> {
    scratch_lens(src, &options.limits).map(|(_, sink)| sink)
}

/// Returns the scratch for a slice and for a sink.
#[inline(never)]
fn scratch_lens(src: &[u8], limits: &Limits) -> Result<(u64, u64)> {
    let header = Header::read(src, limits)?;
    let (mut slice, mut sink) = (0u64, 0u64);
    each_body(src, &header, limits, &mut (), |content, ()| {
        match content {
            Content::Raw(entry) => match entry.scratch_len(limits) {
                Ok(len) => sink = sink.max(len),
                Err(error) if error.class() == Class::Limit => return Err(error),
                // Decoding reports a better error, but needs a workspace for it.
                Err(_) => {}
            },
            Content::Set(set) => {
                let lens = of_set(&header, set, &of_streams(limits))?;
                (slice, sink) = (slice.max(lens.0), sink.max(lens.1));
            }
        }
        Ok(true)
    })?;
    Ok((slice, sink.saturating_add(BUFFER)))
}

/// Returns the scratch for the streams that the codec reads, and for the tables it builds, as far
/// as stream sizes say.
#[inline(never)]
fn of_set(header: &Header, set: &Set<'_>, limits: &Limits) -> Result<(u64, u64)> {
    let (mut slice, mut for_sink) = (0u64, 0u64);
    for entry in set.entries() {
        let entry = entry?;
        if !codecs::reads(header.codec, entry.name) {
            continue;
        }
        let extra = codecs::extra(header.codec, &entry, limits)?;
        slice = slice.saturating_add(entry.scratch_len(limits)?).saturating_add(extra.always);
        for_sink = for_sink.saturating_add(extra.for_sink);
        if slice > limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, entry.at).needing(slice));
        }
    }
    Ok((slice, slice.saturating_add(for_sink)))
}

/// Returns whether the output has to be hashed.
fn is_hashed(header: &Header, options: &Options) -> bool {
    header.hash.is_some() && options.verify != Verify::Skip
}

/// Decodes a file to any output. A refusal by the output precedes any other error.
#[inline(never)]
fn run<T: Trace>(
    src: &[u8],
    header: &Header,
    out: &mut Output<'_>,
    workspace: &mut Workspace,
    scratch: Scratch<'_>,
    options: &Options,
    trace: &mut T,
) -> Result<Done> {
    let mut lent = Lent { scratch, workspace, limits: &options.limits };
    let done = walk(src, header, out, &mut lent, options.verify, trace);
    let done = out.refusal().map_or(done, Err);
    out.flush();
    out.refusal().filter(|_| done.is_ok()).map_or(done, Err)
}

/// Walks over a file: decodes each body, then compares the hash.
#[inline(never)]
fn walk<T: Trace>(
    src: &[u8],
    header: &Header,
    out: &mut Output<'_>,
    lent: &mut Lent<'_, '_>,
    verify: Verify,
    trace: &mut T,
) -> Result<Done> {
    let parts = each_body(src, header, lent.limits, trace, |content, trace| {
        if T::LISTENS && trace.listens() {
            // Decoding meets the same error, unless it meets another one first.
            let _ = emit(content, header, lent.workspace, lent.limits, trace);
        }
        match content {
            Content::Raw(entry) => raw(entry, lent.after(0), out)?,
            Content::Set(set) => structured(header, set, lent.after(0), out)?,
        }
        Ok(!out.is_full())
    })?;
    // The limit of the output may end the walk before the trailer.
    if !out.is_full() {
        header.emit_trailer(src, trace);
    }
    let mut checksums = Checksums::default();
    match header.hash.zip(out.hash()) {
        Some((stored, ours)) => {
            checksums.count(stored == ours, verify, ErrorKind::At1Hash, index(header.body_end))?;
        }
        None => checksums.unchecked = 1,
    }
    let written = out.written();
    Ok(Done { read: src.len(), wrote: index(written), content: written, parts, checksums, ..Done::default() })
}

/// Decodes a body that is one stream.
#[inline(never)]
pub(super) fn raw<'a>(entry: &Entry<'a>, mut lent: Lent<'_, 'a>, out: &mut Output<'_>) -> Result<()> {
    let size = entry.decoded_size(lent.limits);
    let size = match size {
        Ok(size) => size,
        Err(error) => return Err(entry.broken(error, &mut lent)),
    };
    if !out.has_sink() {
        return out.fill(size, |place| entry.decode(place, lent.workspace, lent.limits));
    }
    out.put(entry.load(size, &mut lent)?.bytes);
    Ok(())
}

/// Decodes a body that is a set of streams.
#[inline(never)]
pub(super) fn structured<'a>(header: &Header, set: &Set<'a>, lent: Lent<'_, 'a>, out: &mut Output<'_>) -> Result<()> {
    let limits = of_streams(lent.limits);
    codecs::decode(header, set, &mut Lent { limits: &limits, ..lent }, out)
}

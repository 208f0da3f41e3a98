//! Decodes whole inputs.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::walk::Walk;
use super::workspace::Workspace;
use crate::num::index;
use crate::options::Options;
use crate::{Count, Done, End, Error, ErrorKind, Result, Shifted, Sink, Status, Trace};
#[cfg(feature = "alloc")]
use {super::workspace::WINDOW_SIZE, crate::heap, crate::num::u64_from};

/// Decodes a file. The output is the only window.
pub fn decode(
    src: &[u8],
    dst: &mut [u8],
    workspace: &mut Workspace,
    options: &Options,
    trace: &mut impl Trace,
) -> Result<Done> {
    let (done, error) = run(Walk::new(workspace, dst, false, options), src, trace);
    error.map_or(Ok(done), Err)
}

/// Decodes a file to a sink, through a window of [`WINDOW_SIZE`](super::WINDOW_SIZE) bytes.
/// Everything before an error is written before the error returns.
pub fn decode_to(
    src: &[u8],
    sink: &mut impl Sink,
    workspace: &mut Workspace,
    window: &mut [u8],
    options: &Options,
) -> Result<Done> {
    pour(&mut Walk::new(workspace, window, true, options), src, sink, &mut ())
}

/// Decodes a file to a new vector, which grows with the decoded bytes and never beyond the limit on
/// output.
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], options: &Options) -> Result<Vec<u8>> {
    let (mut out, mut window) = (Vec::new(), heap::zeros(u64_from(WINDOW_SIZE))?);
    let mut sink = |bytes: &[u8]| heap::append(&mut out, bytes);
    decode_to(src, &mut sink, &mut Workspace::new(), &mut window, options)?;
    Ok(out)
}

/// Returns how many bytes a file decodes to. A file may lie about its size, so it is inflated, and
/// the output dropped.
pub fn decoded_len(src: &[u8], workspace: &mut Workspace, window: &mut [u8], options: &Options) -> Result<u64> {
    Ok(inspect(src, workspace, window, options, &mut ())?.content)
}

/// Emits every field of a file, and verifies its checksums. Only inflating finds the end of a
/// member, so this takes as long as decoding.
pub fn inspect(
    src: &[u8],
    workspace: &mut Workspace,
    window: &mut [u8],
    options: &Options,
    trace: &mut impl Trace,
) -> Result<Done> {
    let walk = &mut Walk::new(workspace, window, true, options);
    Ok(Done { wrote: 0, ..pour(walk, src, &mut Count(0), trace)? })
}

/// Decodes the sound part of a file: all bytes before the first error. If the checksum or size of a
/// member differs, the member is left out.
///
/// [`Checksums::matched`](crate::Checksums) counts the verified members; one that was cut is not
/// among them.
pub fn salvage(src: &[u8], dst: &mut [u8], workspace: &mut Workspace, options: &Options) -> (Done, Option<Error>) {
    run(Walk::new(workspace, dst, false, options), src, &mut ())
}

/// Walks over a whole input, to an output that takes all of it.
fn run(mut walk: Walk<'_>, src: &[u8], trace: &mut impl Trace) -> (Done, Option<Error>) {
    match pour(&mut walk, src, &mut Count(0), trace) {
        Ok(done) => (done, None),
        Err(error) => {
            let mut done = walk.done(index(error.at).min(src.len()));
            if matches!(error.kind, ErrorKind::GzipCrc | ErrorKind::GzipSize) {
                done.content = walk.member_start();
                done.wrote = index(done.content);
            }
            (done, Some(error))
        }
    }
}

/// Walks over a whole input, and moves the bytes of a window to the sink.
fn pour(walk: &mut Walk<'_>, src: &[u8], sink: &mut impl Sink, trace: &mut impl Trace) -> Result<Done> {
    let (mut rest, trace) = (src, &mut Shifted::new(trace, 0));
    loop {
        let status = walk.go(&mut rest, End::Here, (&mut [], &mut 0), trace)?;
        sink.write(walk.drain())?;
        if status == Status::Done {
            return Ok(walk.done(src.len() - rest.len()));
        }
    }
}

//! Whole files, in one piece.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::options::Options;
use super::output::Output;
use super::walk::Walk;
use super::workspace::Workspace;
use crate::num::index;
use crate::step::{StepGuard, pour};
use crate::{Done, End, Error, ErrorKind, Result, Shifted, Sink, Trace};

/// Decodes a file. The output is the only window there is.
pub fn decode(
    src: &[u8],
    dst: &mut [u8],
    workspace: &mut Workspace,
    options: &Options,
    trace: &mut impl Trace,
) -> Result<Done> {
    let (walk, read) = run(src, &mut Output::Slice(dst), workspace, options, &mut Shifted::new(trace, 0));
    Ok(walk.done(read?, true))
}

/// Decodes a file to a sink, through a window of [`WINDOW_SIZE`](super::WINDOW_SIZE) bytes. What comes before an error is written before
/// it is returned.
pub fn decode_to(
    src: &[u8],
    sink: &mut impl Sink,
    workspace: &mut Workspace,
    window: &mut [u8],
    options: &Options,
) -> Result<Done> {
    let done = through(src, sink, workspace, window, options, &mut Shifted::new(&mut (), 0))?;
    Ok(Done { wrote: index(done.content), ..done })
}

/// Decodes a file to a new vector, which grows with what is decoded and never beyond the limit on output.
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], options: &Options) -> Result<Vec<u8>> {
    let (mut out, mut workspace) = (Vec::new(), Workspace::new());
    let mut output = Output::Vec(&mut out);
    let (walk, read) = run(src, &mut output, &mut workspace, options, &mut Shifted::new(&mut (), 0));
    out.truncate(walk.done(read?, true).wrote);
    Ok(out)
}

/// Returns how many bytes a file decodes to. Nothing in a file can be believed to say so: it is inflated, and thrown away.
pub fn decoded_len(src: &[u8], workspace: &mut Workspace, window: &mut [u8], options: &Options) -> Result<u64> {
    Ok(inspect(src, workspace, window, options, &mut ())?.content)
}

/// Emits where everything in a file lies, and verifies its checksums. Where a member ends only inflating tells, so that this takes as
/// much time as decoding.
pub fn inspect(
    src: &[u8],
    workspace: &mut Workspace,
    window: &mut [u8],
    options: &Options,
    trace: &mut impl Trace,
) -> Result<Done> {
    through(src, &mut |_: &[u8]| Ok(()), workspace, window, options, &mut Shifted::new(trace, 0))
}

/// Decodes as much of a file as is sound: all bytes before the place of the first error, but for a member whose checksum or size differs.
///
/// [`Checksums::matched`](crate::Checksums) says how many members have been verified; one that was cut is not among them.
pub fn salvage(src: &[u8], dst: &mut [u8], workspace: &mut Workspace, options: &Options) -> (Done, Option<Error>) {
    let (walk, read) = run(src, &mut Output::Slice(dst), workspace, options, &mut Shifted::new(&mut (), 0));
    let mut done = walk.done(src.len(), true);
    match read {
        Ok(read) => done.read = read,
        Err(error) => {
            done.read = index(error.at).min(src.len());
            if matches!(error.kind, ErrorKind::GzipCrc | ErrorKind::GzipSize) {
                done.wrote = index(walk.member_start());
                done.content = walk.member_start();
            }
        }
    }
    (done, read.err())
}

/// Walks over a file that is all there, to an output that is.
fn run(
    src: &[u8],
    output: &mut Output<'_>,
    workspace: &mut Workspace,
    options: &Options,
    trace: &mut Shifted<'_>,
) -> (Walk, Result<usize>) {
    let mut walk = Walk::new(options, true);
    let mut rest = src;
    let end = walk.go(&mut rest, End::Here, (&mut [], &mut 0), output, workspace, trace);
    (walk, end.map(|_| src.len() - rest.len()))
}

/// Walks over a file that is all there, through a window.
fn through(
    src: &[u8],
    sink: &mut impl Sink,
    workspace: &mut Workspace,
    window: &mut [u8],
    options: &Options,
    trace: &mut Shifted<'_>,
) -> Result<Done> {
    let (mut walk, mut output) = (Walk::new(options, true), Output::ring(window)?);
    let mut guard = StepGuard::NEW;
    let read = pour(src, sink, |src, dst| {
        guard.error()?;
        let (mut rest, mut wrote) = (src, 0);
        let status = walk.go(&mut rest, End::Here, (dst, &mut wrote), &mut output, workspace, trace);
        guard.step(src.len() - rest.len(), wrote, status, walk.at)
    })?;
    Ok(walk.done(read, false))
}

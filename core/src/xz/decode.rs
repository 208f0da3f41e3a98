//! Whole files, in one piece.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::file::File;
use super::index::claimed_len;
use super::options::{Options, Streams};
use super::parser::Parser;
#[cfg(feature = "alloc")]
use super::room::{count, impossible, room};
use super::stream::Decoder;
use super::window::{Kind, Window};
use super::workspace::Workspace;
use crate::num::{index, u64_from};
use crate::step::pour;
use crate::{Done, End, Error, ErrorKind, Result, Sink, Trace};

/// Decodes a file. The output is the only dictionary there is.
pub fn decode<T: Trace>(
    src: &[u8],
    dst: &mut [u8],
    workspace: &mut Workspace,
    options: &Options,
    trace: &mut T,
) -> Result<Done> {
    let claimed = claim(src, dst.len(), options)?;
    run(src, Window::new(Kind::Output, dst), workspace, options, trace, |error| match error.kind {
        // The index said that there is room enough, and was wrong.
        ErrorKind::OutputTooSmall if claimed => Error::new(ErrorKind::XzIndex, error.at),
        _ => error,
    })
}

/// Decodes a file to a sink, through a window: see [`Decoder`]. What comes before an error is written before it is returned.
pub fn decode_to(
    src: &[u8],
    sink: &mut impl Sink,
    workspace: &mut Workspace,
    window: &mut [u8],
    options: &Options,
) -> Result<Done> {
    let mut decoder = Decoder::new(workspace, window, options);
    let read = pour(src, sink, |src, dst| decoder.step(src, End::Here, dst))?;
    Ok(decoder.done(read))
}

/// Decodes as much of a file as is sound: all bytes before the place of the first error, but for a block whose check differs.
///
/// [`Checksums::matched`](crate::Checksums) says how many blocks have been verified; a block that was cut is not among them.
pub fn salvage(src: &[u8], dst: &mut [u8], workspace: &mut Workspace, options: &Options) -> (Done, Option<Error>) {
    let (mut parser, mut window) = (Parser::new(options), Window::new(Kind::Output, dst));
    let (mut rest, mut wrote) = (src, 0);
    let end = parser.go(&mut rest, End::Here, (&mut [], &mut wrote), &mut window, workspace, &mut ());
    let mut done = parser.done(src.len() - rest.len(), &window);
    if let Err(error) = end {
        done.read = index(error.at).min(src.len());
        done.wrote = window.salvaged(workspace);
        if error.kind == ErrorKind::XzCheck {
            done.wrote = index(parser.produced - parser.block.content);
        }
        done.content = u64_from(done.wrote);
    }
    (done, end.err())
}

/// Returns how many bytes a file decodes to, by its indexes. Nothing else is read, so that it is quick, and is to be believed no more
/// than the file. With other [streams](Options::streams) than all of them, the headers of blocks and chunks are counted instead.
pub fn decoded_len(src: &[u8], workspace: &mut Workspace, options: &Options) -> Result<u64> {
    if options.streams != Streams::All {
        return Ok(inspect(src, workspace, options, &mut ())?.content);
    }
    File::open(src, &options.limits)?.decoded_len()
}

/// Compares what the index claims with the limit and the room, before anything is written. Returns whether there is an index to ask.
#[cfg_attr(feature = "small", inline(never))]
fn claim(src: &[u8], room: usize, options: &Options) -> Result<bool> {
    let Some(content) = claimed_len(src, options) else { return Ok(false) };
    if content > options.limits.max_output {
        return Err(Error::new(ErrorKind::OutputLimit, 0).needing(content));
    }
    if content > u64_from(room) {
        return Err(Error::new(ErrorKind::OutputTooSmall, 0).needing(content));
    }
    Ok(true)
}

/// Emits where everything in a file lies, and compares all sizes, the index and the footers with what is there.
///
/// Nothing is decoded; what only shows in the content is for [`decode`] to find.
pub fn inspect<T: Trace>(src: &[u8], workspace: &mut Workspace, options: &Options, trace: &mut T) -> Result<Done> {
    run(src, Window::new(Kind::Nowhere, &mut []), workspace, options, trace, |error| error)
}

/// Decodes a file to a new vector.
///
/// What the index claims is not believed: the vector is as long as the chunks in the file say, and no longer than its bytes can decode to.
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], options: &Options) -> Result<Vec<u8>> {
    let mut workspace = Workspace::new();
    claim(src, usize::MAX, options)?;
    let (content, known) = count(src, Parser::new(options), &mut workspace);
    let mut out = room(content, src.len())?;
    // Where the structure breaks, the content may have broken before.
    let window = Window::new(Kind::Output, &mut out);
    let wrote = run(src, window, &mut workspace, options, &mut (), |error| impossible(error, known))?.wrote;
    out.truncate(wrote);
    Ok(out)
}

/// Walks over a file that is all there. An error goes through `refuse`.
fn run<T: Trace>(
    src: &[u8],
    mut window: Window<'_>,
    workspace: &mut Workspace,
    options: &Options,
    trace: &mut T,
    refuse: impl FnOnce(Error) -> Error,
) -> Result<Done> {
    let mut parser = Parser::new(options);
    let (mut rest, mut wrote) = (src, 0);
    match parser.go(&mut rest, End::Here, (&mut [], &mut wrote), &mut window, workspace, trace) {
        Ok(_) => Ok(parser.done(src.len() - rest.len(), &window)),
        Err(error) => Err(refuse(error)),
    }
}

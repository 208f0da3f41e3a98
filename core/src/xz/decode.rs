//! Decodes whole inputs.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::file::File;
use super::options::{Options, Streams};
use super::stream::Decoder;
#[cfg(feature = "alloc")]
use super::to_vec::{Input, to_vec};
use super::whole::{Goal, Slice, Whole};
use super::workspace::{Tables, Workspace};
use crate::num::{index, u64_from};
use crate::step::pour;
use crate::{Done, End, Error, Result, Sink, Trace};

/// Decodes a file. The output is the only dictionary. The workspace is a [`Workspace`] or
/// [`Tables`].
///
/// If the output is too small, the error shows at the chunk that does not fit. Its `need` is the
/// length of the content up to the end of that chunk; [`decoded_len`] returns the whole length.
pub fn decode<T: Trace>(
    src: &[u8],
    dst: &mut [u8],
    workspace: &mut impl AsMut<Tables>,
    options: &Options,
    trace: &mut T,
) -> Result<Done> {
    Whole::new(src, Slice::new(dst), workspace.as_mut(), options, trace).file(Goal::Decode)
}

/// Decodes a file to a sink, through a window as of a [`Decoder`]. Everything before an error is
/// written before the error returns.
pub fn decode_to(
    src: &[u8],
    sink: &mut impl Sink,
    workspace: &mut Workspace,
    window: &mut [u8],
    options: &Options,
) -> Result<Done> {
    let mut decoder = Decoder::new(workspace, window, options);
    pour(src, sink, |src, dst| decoder.step(src, End::Here, dst))?;
    Ok(decoder.done())
}

/// Decodes the sound part of a file: all bytes before the first error. If the check of a block
/// differs, the block is left out.
///
/// [`Checksums::matched`](crate::Checksums) counts the verified blocks; one that was cut is not
/// among them.
pub fn salvage(
    src: &[u8],
    dst: &mut [u8],
    workspace: &mut impl AsMut<Tables>,
    options: &Options,
) -> (Done, Option<Error>) {
    let trace = &mut ();
    let mut whole = Whole::new(src, Slice::new(dst), workspace.as_mut(), options, trace);
    match whole.file(Goal::Decode) {
        Ok(done) => (done, None),
        Err(error) => {
            let wrote = whole.salvaged(&error);
            (whole.done(index(error.at).min(src.len()), wrote, u64_from(wrote)), Some(error))
        }
    }
}

/// Returns how many bytes a file decodes to, according to its indexes. Nothing else is read: it is
/// fast, and a file may lie. Unless all [streams](Options::streams) are decoded, it counts by the
/// headers of blocks and chunks instead.
pub fn decoded_len(src: &[u8], workspace: &mut impl AsMut<Tables>, options: &Options) -> Result<u64> {
    if options.streams != Streams::All {
        return Ok(inspect(src, workspace, options, &mut ())?.content);
    }
    File::open(src, &options.limits)?.decoded_len()
}

/// Emits every field of a file, and compares all sizes, the index and the footers with its bytes.
///
/// Nothing is decoded: errors in the content are for [`decode`] to find.
pub fn inspect<T: Trace>(
    src: &[u8],
    workspace: &mut impl AsMut<Tables>,
    options: &Options,
    trace: &mut T,
) -> Result<Done> {
    Whole::new(src, Slice::new(&mut []), workspace.as_mut(), options, trace).file(Goal::Count)
}

/// Decodes a file to a new vector.
///
/// It does not trust the index: the vector is as long as the chunks in the file claim, and at most
/// as long as its bytes can decode to.
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], options: &Options) -> Result<Vec<u8>> {
    to_vec(src, Input::File, options)
}

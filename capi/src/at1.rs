//! AT-1.

use core::ffi::c_void;

use unspool::at1::{self, Container, Header, Options, Workspace};
use unspool::{Done, Error, ErrorKind, Result};

#[cfg(feature = "at1")]
use crate::common::choices;
use crate::common::{
    Buffers, Place, UnspoolBuffers, UnspoolDone, UnspoolLimits, UnspoolOptions, decoded, limits_of, reply, whole_file,
};
use crate::error::{UnspoolError, UnspoolErrorKind};
use crate::memory::{Checked, NULL, input, lacking, tables};

/// Words of a workspace.
#[cfg(feature = "small")]
pub const UNSPOOL_AT1_WORKSPACE_WORDS: usize = 4430;
/// Words of a workspace.
#[cfg(not(feature = "small"))]
pub const UNSPOOL_AT1_WORKSPACE_WORDS: usize = 6378;
/// Bytes of a workspace.
pub const UNSPOOL_AT1_WORKSPACE_SIZE: usize = UNSPOOL_AT1_WORKSPACE_WORDS * 8;

/// Tables for the formats of the streams in a file. Needs no initialisation, and no clearing
/// between uses.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolAt1Workspace {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_AT1_WORKSPACE_WORDS],
}

const _: () = assert!(size_of::<Workspace>() <= UNSPOOL_AT1_WORKSPACE_SIZE, "the C struct has too few words");

/// The header and trailer of a file, and the memory that it takes to decode it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolAt1Info {
    /// Bytes of scratch for decoding, according to the headers of the streams. Their contents may
    /// need more: an error of the class `WORKSPACE_TOO_SMALL`, before any of that body is written.
    /// Start over with as much, or with twice the last amount if that is more: each frame may need
    /// a little more, and the output of the frames before it is repeated.
    pub scratch_len: u64,
    /// The same for `unspool_at1_decode_to`.
    pub scratch_len_to: u64,
    /// The codec that made the file, by its byte: 4 for a table, 255 for any file.
    pub codec: u8,
    /// 1 if the file ends with a SHA-256 of the decoded bytes.
    pub hashed: u8,
    /// 1 if the body is one set of streams, 0 if it consists of frames.
    pub whole: u8,
}

/// # Safety
///
/// As for [`choices`].
#[cfg(feature = "at1")]
pub(crate) unsafe fn options_of(with: *const UnspoolOptions) -> Checked<Options> {
    let mut chosen = Options::DEFAULT;
    // SAFETY: the same promise.
    unsafe { choices(&mut chosen.limits, &mut chosen.verify, with)? };
    Ok(chosen)
}

/// Returns the memory of a call that takes a whole file, and sets its options.
///
/// # Safety
///
/// As for [`whole_file`] and [`workspace_of`].
#[inline(always)]
unsafe fn prepared<'a>(
    chosen: &mut Options,
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
) -> Checked<(Buffers<'a>, &'a mut Workspace)> {
    // SAFETY: the same promises.
    unsafe {
        let lent = whole_file(&mut chosen.limits, &mut chosen.verify, buffers, options)?;
        let workspace = workspace_of(lent.workspace)?;
        Ok((lent, workspace))
    }
}

/// # Safety
///
/// As for [`tables`].
pub(crate) unsafe fn workspace_of<'a>((memory, len): Place) -> Checked<&'a mut Workspace> {
    // SAFETY: the same promise. Empty workspaces are all zeros, which a test compares. What is not
    // cleared consists of numbers.
    unsafe { tables::<Workspace>(memory, len, Workspace::CLEARED) }
}

/// Bytes of the smallest workspace.
const LEAST: usize = size_of::<Workspace>();

/// Returns the bytes of a workspace in this build: at most `UNSPOOL_AT1_WORKSPACE_SIZE`.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_at1_workspace_len() -> usize {
    size_of::<Workspace>()
}

/// Reads the header and trailer of a whole file; decodes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_info(
    src: *const c_void,
    src_len: usize,
    limits: *const UnspoolLimits,
    info: *mut UnspoolAt1Info,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(info, error, || {
            let src = input(src.cast(), src_len)?;
            let options = Options { limits: limits_of(limits)?, ..Options::DEFAULT };
            let header = Header::read(src, &options.limits)?;
            Ok(UnspoolAt1Info {
                scratch_len: at1::scratch_len(src, &options)?,
                scratch_len_to: at1::scratch_len_to(src, &options)?,
                codec: header.codec as u8,
                hashed: header.hash.is_some().into(),
                whole: (header.container == Container::Whole).into(),
            })
        })
    }
}

/// Counts the bytes that `src` decodes to. Reads everything as `unspool_at1_decode` does, with the
/// same workspace and scratch, but writes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_decoded_len(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    len: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(len, error, || {
            let mut chosen = Options::DEFAULT;
            let (lent, workspace) = prepared(&mut chosen, buffers, options).map_err(lacking::<Workspace>)?;
            count(lent.src, workspace, lent.scratch, &chosen)
        })
    }
}

/// Counts in a stack frame of its own, which is not added to that of the call from C.
#[inline(never)]
fn count(src: &[u8], workspace: &mut Workspace, scratch: &mut [u8], options: &Options) -> Result<u64> {
    at1::decoded_len(src, workspace, scratch, options)
}

/// Decodes a whole file from `src` to `dst`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_decode(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = |chosen: &mut Options| prepared(chosen, buffers, options);
        decoded((done, error), (Options::DEFAULT, LEAST), ready, |(lent, workspace), chosen| {
            whole(lent.src, lent.dst, workspace, lent.scratch, chosen)
        })
    }
}

/// Decodes a file in a stack frame of its own, which is not added to that of the call from C.
#[inline(never)]
fn whole(src: &[u8], dst: &mut [u8], workspace: &mut Workspace, scratch: &mut [u8], options: &Options) -> Result<Done> {
    at1::decode(src, dst, workspace, scratch, options, &mut ())
}

/// Takes decoded bytes in order; they are borrowed for the call. Any return value but 0 ends
/// decoding with the error `SINK_FULL`.
pub type UnspoolAt1Write = Option<unsafe extern "C" fn(context: *mut c_void, bytes: *const c_void, len: usize) -> u8>;

/// Decodes the whole file in `src` to a function that takes it piece by piece, if there is no
/// memory for all of it. `dst` is not used.
///
/// The input must be complete: the parts of a line are spread over the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_decode_to(
    buffers: *const UnspoolBuffers,
    write: UnspoolAt1Write,
    context: *mut c_void,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = |chosen: &mut Options| Ok((write.ok_or(NULL)?, prepared(chosen, buffers, options)?));
        decoded((done, error), (Options::DEFAULT, LEAST), ready, |(write, (lent, workspace)), chosen| {
            let mut sink = |bytes: &[u8]| match write(context, bytes.as_ptr().cast(), bytes.len()) {
                0 => Ok(()),
                _ => Err(Error::new(ErrorKind::SinkFull, 0)),
            };
            at1::decode_to(lent.src, &mut sink, workspace, lent.scratch, chosen)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "reads padding, which has no value")]
    fn an_empty_workspace_is_all_zeros() {
        static EMPTY: Workspace = Workspace::new();
        assert!(crate::memory::is_zeros(&EMPTY));
    }
}

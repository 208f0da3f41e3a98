//! AT-1.

use core::ffi::c_void;

use unspool::at1::{self, Container, Header, Options, Workspace};
use unspool::{Done, Error, ErrorKind, Result};

use crate::common::{UnspoolLimits, limits};
use crate::error::{UnspoolError, UnspoolErrorKind, report};
use crate::memory::{answer, apart, input, output, stretch, zeroed};

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

/// The result of decoding a whole file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolAt1Done {
    /// Bytes of the input that were used: all of it.
    pub read: usize,
    /// Bytes of the output that are filled. The bytes after them may have been used as scratch.
    pub wrote: usize,
    /// 1 if the hash was compared and is equal.
    pub hashed: u8,
}

impl From<Done> for UnspoolAt1Done {
    fn from(Done { read, wrote, checksums, .. }: Done) -> Self {
        Self { read, wrote, hashed: (checksums.matched > 0).into() }
    }
}

/// # Safety
///
/// As for [`limits`].
unsafe fn options(with: *const UnspoolLimits) -> Result<Options> {
    // SAFETY: the same promise.
    Ok(Options { limits: unsafe { limits(with)? }, ..Options::DEFAULT })
}

/// # Safety
///
/// As for [`zeroed`].
pub(crate) unsafe fn workspace<'a>(workspace: *mut c_void, len: usize) -> Result<&'a mut Workspace> {
    // SAFETY: the same promise. A workspace consists of numbers, arrays of numbers, and enums whose
    // first variant is 0; `Workspace::new` is all zeros, which a test compares.
    unsafe { zeroed::<Workspace>(workspace, len) }
}

/// Returns the bytes of a workspace in this build: at most `UNSPOOL_AT1_WORKSPACE_SIZE`.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_at1_workspace_len() -> usize {
    size_of::<Workspace>()
}

/// Reads the header and trailer of a whole file; decodes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_info(
    src: *const u8,
    src_len: usize,
    with_limits: *const UnspoolLimits,
    info: *mut UnspoolAt1Info,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            let src = input(src, src_len)?;
            let options = options(with_limits)?;
            let header = Header::read(src, &options.limits)?;
            let told = UnspoolAt1Info {
                scratch_len: at1::scratch_len(src, &options)?,
                scratch_len_to: at1::scratch_len_to(src, &options)?,
                codec: header.codec as u8,
                hashed: header.hash.is_some().into(),
                whole: (header.container == Container::Whole).into(),
            };
            answer(info, told);
            Ok(())
        };
        report(error, read())
    }
}

/// Counts the bytes that a file decodes to. Reads everything as `unspool_at1_decode` does, but
/// writes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_decoded_len(
    src: *const u8,
    src_len: usize,
    scratch: *mut u8,
    scratch_len: usize,
    space: *mut c_void,
    space_len: usize,
    with_limits: *const UnspoolLimits,
    len: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let count = || {
            let options = options(with_limits)?;
            apart(&[stretch(src, src_len)], &[stretch(scratch, scratch_len), stretch(space, space_len)])?;
            let (src, scratch) = (input(src, src_len)?, output(scratch, scratch_len)?);
            answer(len, at1::decoded_len(src, workspace(space, space_len)?, scratch, &options)?);
            Ok(())
        };
        report(error, count())
    }
}

/// Decodes a whole file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_decode(
    src: *const u8,
    src_len: usize,
    dst: *mut u8,
    dst_len: usize,
    scratch: *mut u8,
    scratch_len: usize,
    space: *mut c_void,
    space_len: usize,
    with_limits: *const UnspoolLimits,
    done: *mut UnspoolAt1Done,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            let options = options(with_limits)?;
            let written = [stretch(dst, dst_len), stretch(scratch, scratch_len), stretch(space, space_len)];
            apart(&[stretch(src, src_len)], &written)?;
            let (src, dst, scratch) = (input(src, src_len)?, output(dst, dst_len)?, output(scratch, scratch_len)?);
            let workspace = workspace(space, space_len)?;
            answer(done, whole(src, dst, workspace, scratch, &options)?.into());
            Ok(())
        };
        report(error, decode())
    }
}

/// Decodes a file in a stack frame of its own, which is not added to that of the call from C.
#[inline(never)]
fn whole(src: &[u8], dst: &mut [u8], workspace: &mut Workspace, scratch: &mut [u8], options: &Options) -> Result<Done> {
    at1::decode(src, dst, workspace, scratch, options, &mut ())
}

/// Takes decoded bytes in order; they are borrowed for the call. Any return value but 0 ends
/// decoding with the error `SINK_FULL`.
pub type UnspoolAt1Write = Option<unsafe extern "C" fn(context: *mut c_void, bytes: *const u8, len: usize) -> u8>;

/// Decodes a whole file to a function that takes it piece by piece, if there is no memory for all
/// of it.
///
/// The format cannot stream further than that: the parts of a line are all over the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_decode_to(
    src: *const u8,
    src_len: usize,
    write: UnspoolAt1Write,
    context: *mut c_void,
    scratch: *mut u8,
    scratch_len: usize,
    space: *mut c_void,
    space_len: usize,
    with_limits: *const UnspoolLimits,
    done: *mut UnspoolAt1Done,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            let write = write.ok_or(Error::new(ErrorKind::NullPointer, 0))?;
            let options = options(with_limits)?;
            apart(&[stretch(src, src_len)], &[stretch(scratch, scratch_len), stretch(space, space_len)])?;
            let (src, scratch) = (input(src, src_len)?, output(scratch, scratch_len)?);
            let mut sink = |bytes: &[u8]| match write(context, bytes.as_ptr(), bytes.len()) {
                0 => Ok(()),
                _ => Err(Error::new(ErrorKind::SinkFull, 0)),
            };
            let workspace = workspace(space, space_len)?;
            answer(done, at1::decode_to(src, &mut sink, workspace, scratch, &options)?.into());
            Ok(())
        };
        report(error, decode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_workspace_is_all_zeros() {
        static EMPTY: Workspace = Workspace::new();
        assert!(crate::memory::is_zeros(&EMPTY));
    }
}

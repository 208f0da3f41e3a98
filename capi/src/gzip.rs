//! gzip.

use core::ffi::c_void;

use unspool::gzip::{self, Decoder, Options, Workspace};
use unspool::{Limits, Result, Verify};

use crate::common::{UnspoolEnd, UnspoolLimits, UnspoolStep, advance, limits, report_step, start};
use crate::error::{UnspoolError, UnspoolErrorKind, report};
use crate::memory::{Opaque, answer, apart, fits, input, made, output, stretch};

/// Words of a workspace.
pub const UNSPOOL_GZIP_WORKSPACE_WORDS: usize = 1450;
/// Bytes of a workspace.
pub const UNSPOOL_GZIP_WORKSPACE_SIZE: usize = UNSPOOL_GZIP_WORKSPACE_WORDS * 8;
/// Bytes of a window: the largest distance of deflate.
pub const UNSPOOL_GZIP_WINDOW_SIZE: usize = 32768;

const _: () = assert!(UNSPOOL_GZIP_WINDOW_SIZE == gzip::WINDOW_SIZE, "the header says another size of a window");

/// The code tables of a decoder. Needs no initialisation, and no clearing between uses.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolGzipWorkspace {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_GZIP_WORKSPACE_WORDS],
}

const _: () = assert!(size_of::<Workspace>() <= UNSPOOL_GZIP_WORKSPACE_SIZE, "the C struct has too few words");

/// Words of a decoder.
pub const UNSPOOL_GZIP_DECODER_WORDS: usize = 52;
/// Bytes of a decoder.
pub const UNSPOOL_GZIP_DECODER_SIZE: usize = UNSPOOL_GZIP_DECODER_WORDS * 8;

/// A decoder of a stream.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolGzipDecoder {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_GZIP_DECODER_WORDS],
}

impl Opaque for UnspoolGzipDecoder {
    type Value = Decoder<'static>;
    const TAG: u32 = 0x475A_0001;
}

const _: () = fits::<UnspoolGzipDecoder>();

/// The contents of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolGzipInfo {
    /// Bytes that it decodes to.
    pub content_size: u64,
    /// Members in a row, each with an equal checksum.
    pub members: u64,
}

/// The result of decoding a whole file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolGzipDone {
    /// Bytes of the input that were used.
    pub read: usize,
    /// Bytes of the output that are filled.
    pub wrote: usize,
    /// Members in a row.
    pub members: u64,
    /// Checksums that were compared and are equal.
    pub checks: u64,
}

/// # Safety
///
/// As for [`made`].
unsafe fn workspace<'a>(workspace: *mut c_void, len: usize) -> Result<&'a mut Workspace> {
    // SAFETY: the same promise.
    unsafe { made(workspace, len, Workspace::new) }
}

const fn options(limits: Limits, skip_checks: u8) -> Options {
    let verify = if skip_checks == 0 { Verify::Refuse } else { Verify::Skip };
    Options { limits, verify }
}

/// Returns the bytes of a workspace in this build: at most `UNSPOOL_GZIP_WORKSPACE_SIZE`.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_gzip_workspace_len() -> usize {
    size_of::<Workspace>()
}

/// Counts the contents of a whole file. A file may lie about its size, so it is decoded through a
/// window of `UNSPOOL_GZIP_WINDOW_SIZE` bytes, and its checksums are compared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_gzip_info(
    src: *const u8,
    src_len: usize,
    space: *mut c_void,
    space_len: usize,
    window: *mut u8,
    window_len: usize,
    with_limits: *const UnspoolLimits,
    info: *mut UnspoolGzipInfo,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            let options = options(limits(with_limits)?, 0);
            apart(&[stretch(src, src_len)], &[stretch(space, space_len), stretch(window, window_len)])?;
            let (src, workspace) = (input(src, src_len)?, workspace(space, space_len)?);
            let done = gzip::inspect(src, workspace, output(window, window_len)?, &options, &mut ())?;
            answer(info, UnspoolGzipInfo { content_size: done.content, members: done.parts });
            Ok(())
        };
        report(error, read())
    }
}

/// Decodes a whole file, all of its members. The output is the only window.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_gzip_decode(
    src: *const u8,
    src_len: usize,
    dst: *mut u8,
    dst_len: usize,
    space: *mut c_void,
    space_len: usize,
    with_limits: *const UnspoolLimits,
    skip_checks: u8,
    done: *mut UnspoolGzipDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            let options = options(limits(with_limits)?, skip_checks);
            apart(&[stretch(src, src_len)], &[stretch(dst, dst_len), stretch(space, space_len)])?;
            let (src, dst, workspace) = (input(src, src_len)?, output(dst, dst_len)?, workspace(space, space_len)?);
            let decoded = gzip::decode(src, dst, workspace, &options, &mut ())?;
            let unspool::Done { read, wrote, parts: members, checksums, .. } = decoded;
            answer(done, UnspoolGzipDone { read, wrote, members, checks: checksums.matched });
            Ok(())
        };
        report(error, decode())
    }
}

/// Starts a stream. The decoder borrows workspace and window until it is no longer used. The window
/// has `UNSPOOL_GZIP_WINDOW_SIZE` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_gzip_init(
    decoder: *mut UnspoolGzipDecoder,
    space: *mut c_void,
    space_len: usize,
    window: *mut u8,
    window_len: usize,
    with_limits: *const UnspoolLimits,
    skip_checks: u8,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let options = limits(with_limits).map(|limits| options(limits, skip_checks));
        let (space, window) = ((space, space_len), (window, window_len));
        report(error, start(decoder, space, window, (options, (0, 0)), workspace, Decoder::new))
    }
}

/// Reads `src` and writes `dst`, as far as both allow. An error stays.
///
/// Wait for input, space or the end: a second call in a row that can do nothing ends the stream
/// with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_gzip_step(
    decoder: *mut UnspoolGzipDecoder,
    src: *const u8,
    src_len: usize,
    at_end: UnspoolEnd,
    dst: *mut u8,
    dst_len: usize,
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(step, error, advance(decoder, (src, src_len), at_end, (dst, dst_len), Decoder::step)) }
}

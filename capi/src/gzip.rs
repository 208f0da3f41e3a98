//! gzip.

use unspool::gzip::{self, Decoder, Options, Workspace};

use crate::common::{
    Place, UnspoolBuffers, UnspoolDone, UnspoolOptions, UnspoolStep, advance, choices, lend, reply_done, report_step,
    start,
};
use crate::error::{UnspoolError, UnspoolErrorKind, report};
use crate::memory::{Checked, Opaque, Span, fits, held, lacking, made};

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
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_GZIP_DECODER_WORDS: usize = 42;
/// Words of a decoder.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_GZIP_DECODER_WORDS: usize = 64;
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

/// # Safety
///
/// As for [`choices`].
unsafe fn options_of(with: *const UnspoolOptions) -> Checked<Options> {
    let mut chosen = Options::DEFAULT;
    // SAFETY: the same promise.
    unsafe { choices(&mut chosen.limits, &mut chosen.verify, with)? };
    Ok(chosen)
}

/// # Safety
///
/// As for [`made`].
unsafe fn workspace_of<'a>((memory, len): Place) -> Checked<&'a mut Workspace> {
    // SAFETY: the same promise.
    unsafe { made(memory, len, Workspace::new) }
}

/// Returns the bytes of a workspace in this build: at most `UNSPOOL_GZIP_WORKSPACE_SIZE`.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_gzip_workspace_len() -> usize {
    size_of::<Workspace>()
}

/// Decodes a whole file, compares its checksums and keeps nothing of it. Needs a workspace and a
/// window of `UNSPOOL_GZIP_WINDOW_SIZE` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_gzip_inspect(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply_done(done, error, || {
            let (options, lent) = (options_of(options)?, lend(buffers, [])?);
            let workspace = workspace_of(lent.workspace).map_err(lacking::<Workspace>)?;
            gzip::inspect(lent.src, workspace, lent.window, &options, &mut ())
        })
    }
}

/// Decodes a whole file from `src` to `dst`, all of its members. The output is the only window.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_gzip_decode(
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply_done(done, error, || {
            let (options, lent) = (options_of(options)?, lend(buffers, [])?);
            let workspace = workspace_of(lent.workspace).map_err(lacking::<Workspace>)?;
            gzip::decode(lent.src, lent.dst, workspace, &options, &mut ())
        })
    }
}

/// Starts a stream. The decoder borrows workspace and window until it is no longer used. The window
/// has `UNSPOOL_GZIP_WINDOW_SIZE` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_gzip_init(
    decoder: *mut UnspoolGzipDecoder,
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let choose = |chosen: &mut Options, _: &mut [Span; 2]| options_of(options).map(|asked| *chosen = asked);
        report(error, &start(decoder, buffers, choose, workspace_of, Decoder::new))
    }
}

/// Reads `src` and writes `dst` of a step, as far as both allow. An error stays.
///
/// Wait for input, space or the end: a second call in a row that can do nothing ends the stream
/// with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_gzip_step(
    decoder: *mut UnspoolGzipDecoder,
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report_step(step, error, |step| advance(decoder, step, Decoder::step)) }
}

/// Returns the progress of a stream: the members that it has completed, and their checksums.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_gzip_done(
    decoder: *const UnspoolGzipDecoder,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { reply_done(done, error, || Ok(held(decoder)?.done())) }
}

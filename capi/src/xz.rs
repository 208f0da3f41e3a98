//! xz.

use core::ffi::c_void;

use unspool::xz::{self, Decoder, File, Literals, Options, Streams, Tables, Workspace};
use unspool::{Done, Error, ErrorKind, Limits, Result, Verify};

use crate::common::{UnspoolEnd, UnspoolLimits, UnspoolStep, advance, limits, relend, report_step, start};
use crate::error::{UnspoolError, UnspoolErrorKind, report};
use crate::memory::{Opaque, answer, apart, fits, input, large_enough, output, stretch, zeroed};

/// Words of a workspace.
pub const UNSPOOL_XZ_WORKSPACE_WORDS: usize = 4000;
/// Bytes of a workspace.
pub const UNSPOOL_XZ_WORKSPACE_SIZE: usize = UNSPOOL_XZ_WORKSPACE_WORDS * 8;

/// The probabilities of a decoder. Needs no initialisation, and no clearing between uses.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolXzWorkspace {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_XZ_WORKSPACE_WORDS],
}

const _: () = assert!(size_of::<Workspace>() <= UNSPOOL_XZ_WORKSPACE_SIZE, "the C struct has too few words");

/// Bytes of a workspace without contexts of literals, for the calls that take a whole file. It is
/// enough for those that decode nothing.
pub const UNSPOOL_XZ_TABLES_SIZE: usize = 5632;
/// Bytes for each context of literals, of which a file has 2 to the power of lc + lp: 8 by default,
/// at most 16.
pub const UNSPOOL_XZ_CONTEXT_SIZE: usize = 1536;

const _: () = assert!(size_of::<Tables<[Literals; 0]>>() <= UNSPOOL_XZ_TABLES_SIZE);
const _: () = assert!(size_of::<Literals>() == UNSPOOL_XZ_CONTEXT_SIZE);

/// Words of a decoder.
pub const UNSPOOL_XZ_DECODER_WORDS: usize = 60;
/// Bytes of a decoder.
pub const UNSPOOL_XZ_DECODER_SIZE: usize = UNSPOOL_XZ_DECODER_WORDS * 8;

/// A decoder of a stream.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolXzDecoder {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_XZ_DECODER_WORDS],
}

impl Opaque for UnspoolXzDecoder {
    type Value = Decoder<'static>;
    const TAG: u32 = 0x585A_0001;
}

const _: () = fits::<UnspoolXzDecoder>();

/// The contents of a file, by its headers and its index.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolXzInfo {
    /// Bytes that it decodes to.
    pub content_size: u64,
    /// Bytes of window that a stream of this file needs.
    pub stream_buffer: u64,
    /// Streams in a row.
    pub streams: u64,
    /// Blocks in all streams.
    pub blocks: u64,
    /// Blocks that have a check.
    pub checks: u64,
}

/// The result of a call that decodes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolXzDone {
    /// Bytes of the input that were used.
    pub read: usize,
    /// Bytes of the output that are filled.
    pub wrote: usize,
    /// Their offset in the content.
    pub content_start: u64,
    /// Checks that were compared and are equal.
    pub checks: u64,
}

/// # Safety
///
/// As for [`zeroed`].
unsafe fn workspace<'a>(workspace: *mut c_void, len: usize) -> Result<&'a mut Workspace> {
    // SAFETY: the same promise. A workspace consists of numbers, arrays of numbers, and enums whose
    // first variant is 0; `Workspace::new` is all zeros, which a test compares.
    unsafe { zeroed::<Workspace>(workspace, len) }
}

/// Clears memory of the caller, and returns it as tables with as many contexts as fit.
///
/// # Safety
///
/// As for [`zeroed`].
unsafe fn tables<'a>(memory: *mut c_void, len: usize) -> Result<&'a mut Tables> {
    const CONTEXTS: usize = 16;
    let fixed = large_enough::<Tables<[Literals; 0]>>(memory, len)?;
    let (mut contexts, mut used) = (0, size_of::<Tables<[Literals; 0]>>());
    while contexts < CONTEXTS && len - used >= size_of::<Literals>() {
        (contexts, used) = (contexts + 1, used + size_of::<Literals>());
    }
    let tables = core::ptr::slice_from_raw_parts_mut(fixed.cast::<Literals>(), contexts) as *mut Tables;
    // SAFETY: aligned, and not null because the tables have a size. As large as `used`: a context
    // has no padding. Used by nobody else. They consist of numbers, arrays of numbers, and enums
    // whose first variant is 0; empty ones are all zeros, which a test compares.
    unsafe {
        fixed.cast::<u8>().write_bytes(0, used);
        Ok(&mut *tables)
    }
}

/// Turns the contexts that a file needs into bytes.
fn in_bytes(error: Error) -> Error {
    match error.kind {
        ErrorKind::WorkspaceTooSmall => {
            let bytes = size_of::<Tables<[Literals; 0]>>() as u64 + error.need * size_of::<Literals>() as u64;
            error.needing(bytes)
        }
        _ => error,
    }
}

/// Returns the bytes of a workspace in this build: at most `UNSPOOL_XZ_WORKSPACE_SIZE`.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_xz_workspace_len() -> usize {
    size_of::<Workspace>()
}

/// Reads the headers and the index of a whole file. Compares all sizes; decodes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_info(
    src: *const u8,
    src_len: usize,
    space: *mut c_void,
    space_len: usize,
    with_limits: *const UnspoolLimits,
    info: *mut UnspoolXzInfo,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            let limits = limits(with_limits)?;
            apart(&[stretch(src, src_len)], &[stretch(space, space_len)])?;
            let (src, mut tables) = (input(src, src_len)?, tables(space, space_len)?);
            let done = xz::inspect(src, &mut tables, &Options { limits, ..Options::DEFAULT }, &mut ())?;
            let told = UnspoolXzInfo {
                content_size: done.content,
                stream_buffer: done.window,
                streams: done.parts,
                blocks: done.blocks,
                checks: done.checksums.matched,
            };
            answer(info, told);
            Ok(())
        };
        report(error, read())
    }
}

/// Returns the bytes that a file decodes to, by its indexes. Reads nothing else, so a file may lie.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_decoded_size(
    src: *const u8,
    src_len: usize,
    with_limits: *const UnspoolLimits,
    size: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let count = || {
            answer(size, File::open(input(src, src_len)?, &limits(with_limits)?)?.decoded_len()?);
            Ok(())
        };
        report(error, count())
    }
}

/// Decodes a whole file: any number of streams, or with `one_stream` exactly one. The output is the
/// only window. `UNSPOOL_XZ_TABLES_SIZE` bytes of workspace do, and `UNSPOOL_XZ_CONTEXT_SIZE` more
/// for each context; if a file has more contexts, the `need` of the error is the size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_decode(
    src: *const u8,
    src_len: usize,
    dst: *mut u8,
    dst_len: usize,
    space: *mut c_void,
    space_len: usize,
    with_limits: *const UnspoolLimits,
    one_stream: u8,
    skip_checks: u8,
    done: *mut UnspoolXzDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            let options = options(limits(with_limits)?, one_stream, skip_checks);
            apart(&[stretch(src, src_len)], &[stretch(dst, dst_len), stretch(space, space_len)])?;
            let (src, dst, mut tables) = (input(src, src_len)?, output(dst, dst_len)?, tables(space, space_len)?);
            let decoded = xz::decode(src, dst, &mut tables, &options, &mut ()).map_err(in_bytes)?;
            let Done { read, wrote, checksums, .. } = decoded;
            answer(done, UnspoolXzDone { read, wrote, content_start: 0, checks: checksums.matched });
            Ok(())
        };
        report(error, decode())
    }
}

const fn options(limits: Limits, one_stream: u8, skip_checks: u8) -> Options {
    let streams = if one_stream == 0 { Streams::All } else { Streams::One };
    let verify = if skip_checks == 0 { Verify::Refuse } else { Verify::Skip };
    Options { limits, verify, streams }
}

/// Decodes only the block that holds this position of the content; `content_start` of the result is
/// the start of the block. A position after the end is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_decode_block(
    src: *const u8,
    src_len: usize,
    position: u64,
    dst: *mut u8,
    dst_len: usize,
    space: *mut c_void,
    space_len: usize,
    with_limits: *const UnspoolLimits,
    skip_checks: u8,
    done: *mut UnspoolXzDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            let options = options(limits(with_limits)?, 0, skip_checks);
            apart(&[stretch(src, src_len)], &[stretch(dst, dst_len), stretch(space, space_len)])?;
            let (src, dst, mut tables) = (input(src, src_len)?, output(dst, dst_len)?, tables(space, space_len)?);
            let file = File::open(src, &options.limits)?;
            let block = file.locate(position)?.ok_or(Error::new(ErrorKind::RangeOutside, 0))?;
            let decoded = file.decode_block(&block, dst, &mut tables, &options).map_err(in_bytes)?;
            let Done { read, wrote, checksums, .. } = decoded;
            let (content_start, checks) = (block.content.start, checksums.matched);
            answer(done, UnspoolXzDone { read, wrote, content_start, checks });
            Ok(())
        };
        report(error, decode())
    }
}

/// Starts a stream: any number of xz streams, or with `one_stream` exactly one. The decoder borrows
/// workspace and window until it is no longer used. The size of the window is `stream_buffer` of
/// `UnspoolXzInfo`. If a block needs more, the `need` of its error is the size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_init(
    decoder: *mut UnspoolXzDecoder,
    space: *mut c_void,
    space_len: usize,
    window: *mut u8,
    window_len: usize,
    with_limits: *const UnspoolLimits,
    one_stream: u8,
    skip_checks: u8,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let options = limits(with_limits).map(|limits| options(limits, one_stream, skip_checks));
        let (space, window) = ((space, space_len), (window, window_len));
        report(error, start(decoder, space, window, (options, (0, 0)), workspace, Decoder::new))
    }
}

/// Reads `src` and writes `dst`, as far as both allow. An error stays, except that of a window that
/// is too small: see `unspool_xz_lend`.
///
/// Wait for input, space or the end: a second call in a row that can do nothing ends the stream
/// with `UNSPOOL_ERROR_NO_PROGRESS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_step(
    decoder: *mut UnspoolXzDecoder,
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

/// Lends another window, after the error `UNSPOOL_ERROR_XZ_WINDOW_BUFFER` of a step, whose `need`
/// is the least size. The last window is free. At any other time the window is in use: it stays,
/// and the call returns `UNSPOOL_ERROR_WINDOW_IN_USE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_xz_lend(
    decoder: *mut UnspoolXzDecoder,
    window: *mut u8,
    window_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { report(error, relend(decoder, (window, window_len), Decoder::lend)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_workspace_is_all_zeros() {
        static EMPTY: Workspace = Workspace::new();
        assert!(crate::memory::is_zeros(&EMPTY));
        static FEW: Tables<[Literals; 1]> = Tables::new();
        assert!(crate::memory::is_zeros(&FEW));
    }
}

//! The parts that all formats share: limits, steps, and the detection of formats.

use core::ffi::{c_char, c_void};

use unspool::{End, Error, ErrorKind, Limits, Probe, Result, Status, Step};

use crate::error::{UnspoolError, UnspoolErrorKind, report};
use crate::memory::{Opaque, Stretch, answer, apart, build, clear, held_in, input, maybe, output, stretch};

/// Sizes of the opaque structs are whole words of this many bytes, and they are aligned to it.
pub const UNSPOOL_WORD: usize = 8;

/// Bounds that are compared with what a header claims, before any work is done for that claim.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolLimits {
    /// Most bytes that a whole file may decode to.
    pub max_output: u64,
    /// Most bytes of history that a streaming decoder may be asked to keep.
    pub max_window: u64,
    /// Most bytes that a header, a directory or an index may take in the file.
    pub max_header: u64,
    /// Most entries of anything that a header lists.
    pub max_elements: u64,
    /// Most columns of a table.
    pub max_columns: u64,
    /// Deepest nesting of structured headers.
    pub max_depth: u16,
}

impl UnspoolLimits {
    const fn from_core(limits: Limits) -> Self {
        let Limits { max_output, max_window, max_header, max_elements, max_columns, max_depth } = limits;
        Self { max_output, max_window, max_header, max_elements, max_columns, max_depth }
    }

    const fn to_core(self) -> Limits {
        let Self { max_output, max_window, max_header, max_elements, max_columns, max_depth } = self;
        Limits { max_output, max_window, max_header, max_elements, max_columns, max_depth }
    }
}

/// Returns the limits that a null pointer means: those for files that a person opens.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_limits_default() -> UnspoolLimits {
    UnspoolLimits::from_core(Limits::DEFAULT)
}

/// Returns the limits of the caller, or the default.
///
/// # Safety
///
/// A pointer that is not null leads to limits.
pub unsafe fn limits(limits: *const UnspoolLimits) -> Result<Limits> {
    // SAFETY: the same promise.
    Ok(unsafe { maybe(limits)? }.map_or(Limits::DEFAULT, |limits| limits.to_core()))
}

/// Says whether more input follows that of this call.
pub type UnspoolEnd = u8;

/// More input may follow.
pub const UNSPOOL_END_NOT_YET: u8 = 0;
/// This input is the last.
pub const UNSPOOL_END_HERE: u8 = 1;

/// Reads the argument of a step function.
pub fn end(end: UnspoolEnd) -> Result<End> {
    match end {
        UNSPOOL_END_NOT_YET => Ok(End::NotYet),
        UNSPOOL_END_HERE => Ok(End::Here),
        _ => Err(bad_argument()),
    }
}

/// Converts a length to a plain number.
pub fn u64_from(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// The error for an argument without a meaning.
#[cold]
pub fn bad_argument() -> Error {
    Error::new(ErrorKind::BadArgument, 0)
}

/// The one thing that a caller must do next.
pub type UnspoolStatus = u8;

/// Call again with the bytes that follow those that were read.
pub const UNSPOOL_STATUS_NEED_INPUT: u8 = 0;
/// Call again with more output space. If some was left, the next call returns the error that
/// follows the bytes written.
pub const UNSPOOL_STATUS_NEED_OUTPUT: u8 = 1;
/// The data is complete; the input after it was not read.
pub const UNSPOOL_STATUS_DONE: u8 = 2;

/// The progress of one call. After an error `read` and `wrote` are 0, so that a loop may add them
/// up first.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolStep {
    /// Bytes of the input that were used.
    pub read: usize,
    /// The filled part of the output, in the units of its length.
    pub wrote: usize,
    /// The next thing to do.
    pub status: UnspoolStatus,
}

/// Ends a step function: writes its progress, which is none after an error, and the error as
/// [`report`] does.
///
/// # Safety
///
/// Pointers that are not null lead to space for a step and for an error.
pub unsafe fn report_step(
    to: *mut UnspoolStep,
    error: *mut UnspoolError,
    result: Result<UnspoolStep>,
) -> UnspoolErrorKind {
    // SAFETY: the same promises.
    unsafe {
        answer(to, result.unwrap_or_default());
        report(error, result.map(|_| ()))
    }
}

/// Starts a decoder of bytes, whose options borrow the bytes at `read`. An error leaves the struct
/// empty.
///
/// # Safety
///
/// As for [`build`], [`output`] and the function that makes the workspace.
pub unsafe fn start<O: Opaque, W: 'static, P>(
    decoder: *mut O,
    (space, space_len): (*mut c_void, usize),
    (window, window_len): (*mut u8, usize),
    (options, read): (Result<P>, Stretch),
    workspace: unsafe fn(*mut c_void, usize) -> Result<&'static mut W>,
    make: impl FnOnce(&'static mut W, &'static mut [u8], &P) -> O::Value,
) -> Result<()> {
    apart(&[read], &[stretch(decoder, 1), stretch(space, space_len), stretch(window, window_len)])?;
    // SAFETY: the same promises.
    unsafe {
        clear(decoder, &[])?;
        let options = options?;
        let (workspace, window) = (workspace(space, space_len)?, output(window, window_len)?);
        build(decoder, |place| Ok(place.write(make(workspace, window, &options))))
    }
}

/// Runs one step of a decoder of bytes.
///
/// # Safety
///
/// As for [`input`], [`output`] and [`held_in`].
pub unsafe fn advance<O: Opaque>(
    decoder: *mut O,
    (src, src_len): (*const u8, usize),
    at_end: UnspoolEnd,
    (dst, dst_len): (*mut u8, usize),
    step: impl FnOnce(&mut O::Value, &[u8], End, &mut [u8]) -> Result<Step>,
) -> Result<UnspoolStep> {
    apart(&[stretch(src, src_len)], &[stretch(dst, dst_len), stretch(decoder, 1)])?;
    // SAFETY: the same promises.
    let (src, dst, decoder) = unsafe { (input(src, src_len)?, output(dst, dst_len)?, held_in(decoder)?) };
    step(decoder, src, end(at_end)?, dst).map(UnspoolStep::from)
}

/// Lends a decoder another window.
///
/// # Safety
///
/// As for [`output`] and [`held_in`].
pub unsafe fn relend<O: Opaque>(
    decoder: *mut O,
    (window, window_len): (*mut u8, usize),
    lend: impl FnOnce(&mut O::Value, &'static mut [u8]) -> Result<()>,
) -> Result<()> {
    apart(&[], &[stretch(decoder, 1), stretch(window, window_len)])?;
    // SAFETY: the same promises.
    unsafe { lend(held_in(decoder)?, output(window, window_len)?) }
}

impl From<Step> for UnspoolStep {
    fn from(step: Step) -> Self {
        let status = match step.status {
            Status::NeedInput => UNSPOOL_STATUS_NEED_INPUT,
            Status::NeedOutput => UNSPOOL_STATUS_NEED_OUTPUT,
            Status::Done => UNSPOOL_STATUS_DONE,
        };
        Self { read: step.read, wrote: step.wrote, status }
    }
}

/// A format of a file.
pub type UnspoolFormat = u8;

/// No known format, or too few bytes to decide.
pub const UNSPOOL_FORMAT_UNKNOWN: u8 = 0;
/// Zstandard: RFC 8878, or the draft 0.2.0 as its encoder wrote it.
pub const UNSPOOL_FORMAT_ZSTD: u8 = 1;
/// Zstandard: v0.7, or the draft as its text says.
pub const UNSPOOL_FORMAT_ZSTD_V07: u8 = 2;
/// A skippable frame, which may precede Zstandard frames or separate them.
pub const UNSPOOL_FORMAT_ZSTD_SKIPPABLE: u8 = 3;
/// xz.
pub const UNSPOOL_FORMAT_XZ: u8 = 4;
/// Pco, standalone.
pub const UNSPOOL_FORMAT_PCO: u8 = 5;
/// An OnPair column in the container `ONPAIR01`.
pub const UNSPOOL_FORMAT_ONPAIR: u8 = 6;
/// CVC embedding vectors.
pub const UNSPOOL_FORMAT_CVC: u8 = 7;
/// AT-1.
pub const UNSPOOL_FORMAT_AT1: u8 = 8;
/// gzip, which may wrap any of the others.
pub const UNSPOOL_FORMAT_GZIP: u8 = 9;

/// Detects the format of a file by its first bytes. Eight bytes are always enough. If there are
/// fewer and more could decide, `need` is how many, else 0. `need` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_probe(prefix: *const u8, prefix_len: usize, need: *mut usize) -> UnspoolFormat {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let (format, more) = match unspool::probe(input(prefix, prefix_len).unwrap_or(&[])) {
            Probe::Match(format) => (format as u8, 0),
            Probe::NeedInput { min } => (UNSPOOL_FORMAT_UNKNOWN, min),
            Probe::Unknown => (UNSPOOL_FORMAT_UNKNOWN, 0),
        };
        answer(need, more);
        format
    }
}

/// Returns the version of this library, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

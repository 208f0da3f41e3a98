//! Errors: the core's numbers, and their names for logs.

use core::ffi::c_char;
use core::mem::offset_of;

use unspool::{Class, Error, ErrorKind, Result};

use crate::memory::{Checked, answer, start_of};

/// The result of a function that can fail: 0, or the number of an error. The numbers are those of
/// the constants `UNSPOOL_ERROR_…`.
pub type UnspoolErrorKind = u32;

/// The way to handle an error: one of `UNSPOOL_CLASS_...`.
pub type UnspoolClass = u8;

/// No error.
pub const UNSPOOL_CLASS_NONE: u8 = 0;
/// The input ends too early. More of the same file may help.
pub const UNSPOOL_CLASS_TRUNCATED: u8 = 1;
/// The input contradicts itself or its format.
pub const UNSPOOL_CLASS_CORRUPT: u8 = 2;
/// Everything was read, but a checksum differs from the one in the file.
pub const UNSPOOL_CLASS_CHECKSUM: u8 = 3;
/// A legal file that this build or this library cannot decode.
pub const UNSPOOL_CLASS_UNSUPPORTED: u8 = 4;
/// The file asks for more than the limits allow.
pub const UNSPOOL_CLASS_LIMIT: u8 = 5;
/// The output is too small; `need` is the least size, in the units of its length. It may not be
/// enough if the whole is not known yet (several frames, chunks of Pco, AT-1).
/// `unspool_zstd_decoded_len`, `unspool_xz_decoded_len` and `unspool_at1_decoded_len` count all of
/// it.
pub const UNSPOOL_CLASS_OUTPUT_TOO_SMALL: u8 = 6;
/// The workspace is too small; `need` is the least size, in the units of its length. For AT-1 it
/// may not be enough: see `UnspoolAt1Info`.
pub const UNSPOOL_CLASS_WORKSPACE_TOO_SMALL: u8 = 7;
/// The call is wrong or does not fit the file, or its store failed.
pub const UNSPOOL_CLASS_MISUSE: u8 = 8;

/// The reason for which a function refuses, and the place.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolError {
    /// Offset of the byte at which it shows, from the start of the input.
    pub at: u64,
    /// The least amount that would be enough; 0 if unknown.
    pub need: u64,
    /// The number of the error; 0 for none. `unspool_error_class` returns its class.
    pub kind: UnspoolErrorKind,
}

/// Ends a function: writes the error, and returns its number.
///
/// # Safety
///
/// A pointer that is not null leads to space for an error.
#[inline(never)]
pub unsafe fn report(to: *mut UnspoolError, result: &Result<()>) -> UnspoolErrorKind {
    // SAFETY: the same promise.
    unsafe { result.as_ref().map_or_else(|error| refuse(to, error), |()| settle(to, Ok(()), 0)) }
}

/// Writes the error of a file, and returns its number.
///
/// # Safety
///
/// As for [`report`].
pub unsafe fn refuse(to: *mut UnspoolError, error: &Error) -> UnspoolErrorKind {
    const {
        assert!(offset_of!(Error, at) == offset_of!(UnspoolError, at), "the layout of C");
        assert!(offset_of!(Error, need) == offset_of!(UnspoolError, need), "the layout of C");
        assert!(offset_of!(Error, kind) == offset_of!(UnspoolError, kind), "the layout of C");
    }
    // SAFETY: the same promise; plain numbers in the same order.
    unsafe { noted(to, start_of(error)) }
}

/// Ends a function whose arguments were checked: writes the error, whose kind is all that is known,
/// and returns its number. A workspace is too small below `least` bytes.
///
/// # Safety
///
/// As for [`report`].
#[inline(never)]
pub unsafe fn settle(to: *mut UnspoolError, checked: Checked<()>, least: usize) -> UnspoolErrorKind {
    let kind = checked.map_or_else(|misuse| misuse.0 as u32, |()| 0);
    let need = if kind == ErrorKind::WorkspaceTooSmall as u32 { least } else { 0 };
    // SAFETY: the same promise.
    unsafe { noted(to, &UnspoolError { at: 0, need: need as u64, kind }) }
}

/// # Safety
///
/// As for [`report`].
unsafe fn noted(to: *mut UnspoolError, error: &UnspoolError) -> UnspoolErrorKind {
    // SAFETY: the same promise.
    unsafe { answer(to, error) };
    error.kind
}

/// Runs a function without a result and [reports](report) its error.
///
/// # Safety
///
/// As for [`report`].
pub unsafe fn run(to: *mut UnspoolError, call: impl FnOnce() -> Result<()>) -> UnspoolErrorKind {
    // SAFETY: the same promise.
    unsafe { report(to, &call()) }
}

/// The same for a function that checks its arguments first: until `call`, an error is a number in a
/// register.
///
/// # Safety
///
/// As for [`report`].
#[inline(always)]
pub unsafe fn attempt<A>(
    to: *mut UnspoolError,
    ready: impl FnOnce() -> Checked<A>,
    call: impl FnOnce(A) -> Result<()>,
) -> UnspoolErrorKind {
    // SAFETY: the same promise.
    unsafe {
        match ready() {
            Err(misuse) => settle(to, Err(misuse), 0),
            Ok(arguments) => report(to, &call(arguments)),
        }
    }
}

fn class(kind: ErrorKind) -> UnspoolClass {
    match kind.class() {
        Class::Truncated => UNSPOOL_CLASS_TRUNCATED,
        Class::Corrupt => UNSPOOL_CLASS_CORRUPT,
        Class::Checksum => UNSPOOL_CLASS_CHECKSUM,
        Class::Unsupported => UNSPOOL_CLASS_UNSUPPORTED,
        Class::Limit => UNSPOOL_CLASS_LIMIT,
        Class::OutputTooSmall { .. } => UNSPOOL_CLASS_OUTPUT_TOO_SMALL,
        Class::WorkspaceTooSmall { .. } => UNSPOOL_CLASS_WORKSPACE_TOO_SMALL,
        Class::Misuse => UNSPOOL_CLASS_MISUSE,
    }
}

/// Returns the class of an error by its number; 0 for an unknown number.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_error_class(kind: UnspoolErrorKind) -> UnspoolClass {
    position(kind).and_then(|i| ErrorKind::ALL.get(i)).map_or(UNSPOOL_CLASS_NONE, |&kind| class(kind))
}

/// Returns the name of an error, such as `ZstdChecksum`; empty for an unknown number, and in builds
/// without the feature `messages`.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_error_name(kind: UnspoolErrorKind) -> *const c_char {
    word(&NAMES, position(kind))
}

/// Returns the message of an error: what was expected. Empty for an unknown number, and in builds
/// without the feature `messages`.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_error_message(kind: UnspoolErrorKind) -> *const c_char {
    word(&MESSAGES, position(kind))
}

/// Returns the name of a class, such as `output too small`; empty for an unknown number.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_class_name(class: UnspoolClass) -> *const c_char {
    let name = match class {
        UNSPOOL_CLASS_TRUNCATED => c"truncated",
        UNSPOOL_CLASS_CORRUPT => c"corrupt",
        UNSPOOL_CLASS_CHECKSUM => c"checksum mismatch",
        UNSPOOL_CLASS_UNSUPPORTED => c"unsupported",
        UNSPOOL_CLASS_LIMIT => c"limit exceeded",
        UNSPOOL_CLASS_OUTPUT_TOO_SMALL => c"output too small",
        UNSPOOL_CLASS_WORKSPACE_TOO_SMALL => c"workspace too small",
        UNSPOOL_CLASS_MISUSE => c"misuse",
        _ => c"",
    };
    name.as_ptr()
}

fn position(kind: UnspoolErrorKind) -> Option<usize> {
    ErrorKind::ALL.iter().position(|&known| known as u32 == kind)
}

// All words of one kind in a row, each followed by the zero byte that C expects, and one more at
// the end.
static NAMES: [u8; len(false)] = joined(false);
static MESSAGES: [u8; len(true)] = joined(true);

const fn text(kind: ErrorKind, message: bool) -> &'static [u8] {
    if message { kind.message().as_bytes() } else { kind.name().as_bytes() }
}

const fn len(message: bool) -> usize {
    let (mut len, mut i) = (1, 0);
    while i < ErrorKind::ALL.len() {
        len += text(ErrorKind::ALL[i], message).len() + 1;
        i += 1;
    }
    len
}

const fn joined<const N: usize>(message: bool) -> [u8; N] {
    let (mut all, mut at, mut i) = ([0; N], 0, 0);
    while i < ErrorKind::ALL.len() {
        let text = text(ErrorKind::ALL[i], message);
        let mut j = 0;
        while j < text.len() {
            all[at] = text[j];
            at += 1;
            j += 1;
        }
        at += 1;
        i += 1;
    }
    all
}

/// Returns the word with this index: the bytes after as many zero bytes.
fn word(words: &'static [u8], index: Option<usize>) -> *const c_char {
    let mut rest = words;
    for _ in 0..index.unwrap_or(usize::MAX) {
        let Some(zero) = rest.iter().position(|&byte| byte == 0) else { break };
        match rest.get(zero.wrapping_add(1)..) {
            Some(after) if !after.is_empty() => rest = after,
            _ => return c"".as_ptr(),
        }
    }
    rest.as_ptr().cast()
}

//! OnPair: columns of strings.

use core::ffi::c_void;

use unspool::onpair::{Codes, Column, Dictionary, File, MAX_TOKEN_LEN, Progress, RowOffsets, Search, SearchWorkspace};
use unspool::{Error, ErrorKind, Result};

use crate::common::{
    UNSPOOL_STATUS_DONE, UNSPOOL_STATUS_NEED_OUTPUT, UnspoolLimits, UnspoolStep, bad_argument, limits, report_step,
    u64_from,
};
use crate::error::{UnspoolError, UnspoolErrorKind, report};
use crate::memory::{Opaque, answer, apart, build, clear, fits, held, held_in, input, maybe, output, stretch};

/// Words of a column.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_ONPAIR_COLUMN_WORDS: usize = 17;
/// Words of a column.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_ONPAIR_COLUMN_WORDS: usize = 21;
/// Bytes of a column.
pub const UNSPOOL_ONPAIR_COLUMN_SIZE: usize = UNSPOOL_ONPAIR_COLUMN_WORDS * 8;

/// A column of strings. It borrows the slices that hold it.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolOnPairColumn {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_ONPAIR_COLUMN_WORDS],
}

impl Opaque for UnspoolOnPairColumn {
    type Value = Column<'static>;
    const TAG: u32 = 0x4F50_0001;
}

const _: () = fits::<UnspoolOnPairColumn>();

/// Words of a search. Fewer with the feature `small`, for which C defines `UNSPOOL_SMALL`.
#[cfg(feature = "small")]
pub const UNSPOOL_ONPAIR_SEARCH_WORDS: usize = 34;
/// Words of a search.
#[cfg(all(not(feature = "small"), target_pointer_width = "32"))]
pub const UNSPOOL_ONPAIR_SEARCH_WORDS: usize = 112;
/// Words of a search.
#[cfg(all(not(feature = "small"), not(target_pointer_width = "32")))]
pub const UNSPOOL_ONPAIR_SEARCH_WORDS: usize = 118;
/// Bytes of a search.
pub const UNSPOOL_ONPAIR_SEARCH_SIZE: usize = UNSPOOL_ONPAIR_SEARCH_WORDS * 8;

/// A needle, prepared for one column, and the progress of its search.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolOnPairSearch {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_ONPAIR_SEARCH_WORDS],
}

/// A search and its progress.
#[derive(Debug)]
pub struct Hunt {
    search: Search<'static>,
    progress: Progress,
}

impl Opaque for UnspoolOnPairSearch {
    type Value = Hunt;
    const TAG: u32 = 0x4F50_0002;
}

const _: () = fits::<UnspoolOnPairSearch>();

/// The parts of a column without a container. All integers in them are little-endian, at any
/// alignment.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolOnPairParts {
    /// The bytes of the tokens, one after the other.
    pub dictionary: *const u8,
    /// Their length.
    pub dictionary_len: usize,
    /// The start of each token: one u32 more than there are tokens.
    pub token_offsets: *const u8,
    /// Bytes of these.
    pub token_offsets_len: usize,
    /// The codes.
    pub codes: *const u8,
    /// Bytes of the codes.
    pub codes_len: usize,
    /// The index of the first code of each row: one entry more than there are rows.
    pub row_offsets: *const u8,
    /// Bytes of these.
    pub row_offsets_len: usize,
    /// 1 to 16 if the codes are packed; 0 if each has two bytes.
    pub code_bits: u8,
    /// 4 or 8: bytes of each row offset.
    pub row_offset_width: u8,
}

/// The contents of a column.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolOnPairInfo {
    /// Rows.
    pub rows: u64,
    /// Tokens of the dictionary.
    pub tokens: u64,
    /// Codes.
    pub codes: u64,
    /// Bytes of a workspace for `unspool_onpair_widen`.
    pub workspace_len: u64,
    /// Bits of a code.
    pub code_bits: u32,
    /// 1 if the dictionary is sorted and complete, which makes searches fast.
    pub conforming: u8,
}

/// Reads a container. The column borrows the bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_open(
    column: *mut UnspoolOnPairColumn,
    bytes: *const u8,
    bytes_len: usize,
    with_limits: *const UnspoolLimits,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let open = || {
            clear(column, &[stretch(bytes, bytes_len)])?;
            let (bytes, limits) = (input(bytes, bytes_len)?, limits(with_limits)?);
            build(column, |place| Ok(best(place.write(*File::open(bytes, &limits)?.column()))))
        };
        report(error, open())
    }
}

/// Builds a column from its parts. The column borrows the bytes that the parts point to, not the
/// struct.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_open_parts(
    column: *mut UnspoolOnPairColumn,
    parts: *const UnspoolOnPairParts,
    with_limits: *const UnspoolLimits,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let open = || {
            let parts = maybe(parts);
            parts_apart(column, parts)?;
            clear(column, &[])?;
            let parts = parts?.ok_or(Error::new(ErrorKind::NullPointer, 0))?;
            let tokens = input(parts.token_offsets, parts.token_offsets_len)?;
            let dictionary = Dictionary::open(input(parts.dictionary, parts.dictionary_len)?, tokens)?;
            let offsets = input(parts.row_offsets, parts.row_offsets_len)?;
            let rows = match parts.row_offset_width {
                4 => RowOffsets::u32(offsets)?,
                8 => RowOffsets::u64(offsets)?,
                _ => return Err(bad_argument()),
            };
            let codes = input(parts.codes, parts.codes_len)?;
            let codes = match parts.code_bits {
                0 => Codes::bytes(codes)?,
                bits => Codes::packed(codes, bits.into(), usize::try_from(rows.last()).unwrap_or(usize::MAX))?,
            };
            let opened = Column::open(dictionary, codes, rows, &limits(with_limits)?)?;
            build(column, |place| Ok(best(place.write(opened))))
        };
        report(error, open())
    }
}

/// Runs in a stack frame of its own, which is gone before the column is opened.
#[inline(never)]
fn parts_apart(column: *mut UnspoolOnPairColumn, parts: Result<Option<&UnspoolOnPairParts>>) -> Result<()> {
    let Ok(Some(parts)) = parts else { return Ok(()) };
    let pieces = [
        stretch(parts, 1),
        stretch(parts.dictionary, parts.dictionary_len),
        stretch(parts.token_offsets, parts.token_offsets_len),
        stretch(parts.codes, parts.codes_len),
        stretch(parts.row_offsets, parts.row_offsets_len),
    ];
    apart(&pieces, &[stretch(column, 1)])
}

/// Returns the same column, marked as conforming if its dictionary is.
#[inline(never)]
fn best<'p>(column: &'p mut Column<'static>) -> &'p mut Column<'static> {
    if let Ok(better) = column.conforming() {
        *column = better;
    }
    column
}

/// Returns the contents of a column.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_info(
    column: *const UnspoolOnPairColumn,
    info: *mut UnspoolOnPairInfo,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let read = || {
            let column = held(column)?;
            let tokens = u64_from(column.dictionary().len());
            let told = UnspoolOnPairInfo {
                rows: column.rows().end,
                tokens,
                codes: u64_from(column.codes().len()),
                workspace_len: space(tokens),
                code_bits: column.codes().bits(),
                conforming: column.dictionary().is_conforming().into(),
            };
            answer(info, told);
            Ok(())
        };
        report(error, read())
    }
}

/// A cell and a length for each token.
fn space(tokens: u64) -> u64 {
    tokens.saturating_mul(u64_from(MAX_TOKEN_LEN + 1))
}

/// Returns the bytes that `unspool_onpair_widen` needs; 0 for a struct that holds no column.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_workspace_len(column: *const UnspoolOnPairColumn) -> u64 {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { held(column) }.map_or(0, |column| space(u64_from(column.dictionary().len())))
}

/// Decodes the column through a wide copy of its dictionary from now on. The column borrows this
/// memory. The output is the same, only faster: worth it for more than a few thousand rows. Memory
/// at a multiple of 16 bytes is read fastest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_widen(
    column: *mut UnspoolOnPairColumn,
    memory: *mut c_void,
    memory_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let widen = || {
            apart(&[], &[stretch(column, 1), stretch(memory, memory_len)])?;
            let column = held_in(column)?;
            let tokens = column.dictionary().len();
            let need = space(u64_from(tokens));
            if u64_from(memory_len) < need {
                return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(need));
            }
            let memory = output(memory.cast::<u8>(), memory_len)?;
            let (padded, lens) = memory.split_at_mut_checked(tokens.saturating_mul(MAX_TOKEN_LEN)).unwrap_or_default();
            *column = column.widened(padded.as_chunks_mut().0, lens)?;
            Ok(())
        };
        report(error, widen())
    }
}

/// Counts the bytes that the rows from `first_row` to before `end_row` decode to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_decoded_len(
    column: *const UnspoolOnPairColumn,
    first_row: u64,
    end_row: u64,
    len: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let count = || {
            answer(len, held(column)?.decoded_len(first_row..end_row)?);
            Ok(())
        };
        report(error, count())
    }
}

/// Decodes the rows from `first_row` to before `end_row`, one after the other. If the output is
/// longer, up to 16 bytes after them may be overwritten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_decode(
    column: *const UnspoolOnPairColumn,
    first_row: u64,
    end_row: u64,
    dst: *mut u8,
    dst_len: usize,
    wrote: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            apart(&[stretch(column, 1)], &[stretch(dst, dst_len)])?;
            answer(wrote, held(column)?.decode_into(first_row..end_row, output(dst, dst_len)?)?);
            Ok(())
        };
        report(error, decode())
    }
}

/// Decodes one row. If the output is longer, up to 16 bytes after it may be overwritten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_row(
    column: *const UnspoolOnPairColumn,
    row: u64,
    dst: *mut u8,
    dst_len: usize,
    wrote: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            apart(&[stretch(column, 1)], &[stretch(dst, dst_len)])?;
            answer(wrote, held(column)?.row_into(row, output(dst, dst_len)?)?);
            Ok(())
        };
        report(error, decode())
    }
}

/// Returns the bytes of a row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_row_len(
    column: *const UnspoolOnPairColumn,
    row: u64,
    len: *mut u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let count = || {
            answer(len, held(column)?.row_len(row)?);
            Ok(())
        };
        report(error, count())
    }
}

/// Decodes whole rows from `*row` on, as many as fit in the output, up to before `end_row`; `*row`
/// becomes the first that did not fit. `read` of the step counts rows. If the first row does not
/// fit, the error has its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_step(
    column: *const UnspoolOnPairColumn,
    row: *mut u64,
    end_row: u64,
    dst: *mut u8,
    dst_len: usize,
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let work = || {
            apart(&[stretch(column, 1)], &[stretch(row, 1), stretch(dst, dst_len)])?;
            let (column, mut rest) = (held(column)?, output(dst, dst_len)?);
            let [row] = output(row, 1)? else { return Err(bad_argument()) };
            let mut told = UnspoolStep { status: UNSPOOL_STATUS_DONE, ..UnspoolStep::default() };
            while *row < end_row {
                match column.row_into(*row, rest) {
                    Ok(len) => {
                        rest = rest.get_mut(len..).unwrap_or_default();
                        told.wrote = told.wrote.saturating_add(len);
                        told.read = told.read.saturating_add(1);
                        *row = row.saturating_add(1);
                    }
                    // Decoded rows leave first. The next call returns the error.
                    Err(_) if told.read > 0 => {
                        told.status = UNSPOOL_STATUS_NEED_OUTPUT;
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(told)
        };
        report_step(step, error, work())
    }
}

/// The rows that a search finds.
pub type UnspoolOnPairMatch = u8;

/// Rows that equal the needle.
pub const UNSPOOL_ONPAIR_EQUALS: u8 = 0;
/// Rows that start with the needle.
pub const UNSPOOL_ONPAIR_STARTS_WITH: u8 = 1;
/// Rows that contain the needle.
pub const UNSPOOL_ONPAIR_CONTAINS: u8 = 2;

/// Runs in a stack frame of its own, which is gone before the search is prepared.
///
/// # Safety
///
/// As for [`clear`].
#[inline(never)]
unsafe fn clear_search(
    search: *mut UnspoolOnPairSearch,
    column: *const UnspoolOnPairColumn,
    (needle, needle_len): (*const u8, usize),
    (fallback, fallback_len): (*mut u32, usize),
    (tokens, tokens_len): (*mut u8, usize),
) -> Result<()> {
    let written = [stretch(search, 1), stretch(fallback, fallback_len), stretch(tokens, tokens_len)];
    apart(&[stretch(column, 1), stretch(needle, needle_len)], &written)?;
    // SAFETY: the same promise.
    unsafe { clear(search, &[]) }
}

/// Prepares a search of this kind. A separate function, so that its frame is not added to that of
/// the call from C.
#[inline(never)]
fn prepare<'s>(
    kind: UnspoolOnPairMatch,
    column: &'s Column<'s>,
    needle: &'s [u8],
    workspace: &dyn Fn() -> Result<SearchWorkspace<'s>>,
) -> Result<Search<'s>> {
    match kind {
        UNSPOOL_ONPAIR_EQUALS => Ok(Search::equals(column, needle)),
        UNSPOOL_ONPAIR_STARTS_WITH => Ok(Search::starts_with(column, needle)),
        UNSPOOL_ONPAIR_CONTAINS => Search::contains(column, needle, workspace()?),
        _ => Err(bad_argument()),
    }
}

/// Prepares a search. It borrows the column, its struct, the needle and the memory.
///
/// Only `UNSPOOL_ONPAIR_CONTAINS` needs memory: in `fallback` an entry for each byte of the needle,
/// and for speed in `tokens` one for each token.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_search_init(
    search: *mut UnspoolOnPairSearch,
    column: *const UnspoolOnPairColumn,
    kind: UnspoolOnPairMatch,
    needle: *const u8,
    needle_len: usize,
    fallback: *mut u32,
    fallback_len: usize,
    tokens: *mut u8,
    tokens_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let start = || {
            clear_search(search, column, (needle, needle_len), (fallback, fallback_len), (tokens, tokens_len))?;
            let (column, needle) = (held(column)?, input(needle, needle_len)?);
            let workspace = || {
                let (needle, tokens) = (output(fallback, fallback_len)?, output(tokens, tokens_len)?);
                Ok(SearchWorkspace { needle, tokens })
            };
            let prepared = prepare(kind, column, needle, &workspace)?;
            build(search, |place| Ok(place.write(Hunt { search: prepared, progress: Progress::new(column.rows()) })))
        };
        report(error, start())
    }
}

/// Returns 1 if a row matches, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_search_matches(
    search: *const UnspoolOnPairSearch,
    row: u64,
    matches: *mut u8,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let look = || {
            answer(matches, held(search)?.search.matches(row)?.into());
            Ok(())
        };
        report(error, look())
    }
}

/// Returns the next row that matches, in ascending order, with 1 in `found`; 0 if there are no
/// more. An error ends the search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_search_next(
    search: *mut UnspoolOnPairSearch,
    row: *mut u64,
    found: *mut u8,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let look = || {
            let Hunt { search, progress } = held_in(search)?;
            match progress.next(search) {
                Some(match_at) => {
                    answer(row, match_at?);
                    answer(found, 1);
                }
                None => answer(found, 0),
            }
            Ok(())
        };
        report(error, look())
    }
}

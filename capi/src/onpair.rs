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
    /// Nobody's business.
    pub opaque: [u64; UNSPOOL_ONPAIR_COLUMN_WORDS],
}

impl Opaque for UnspoolOnPairColumn {
    type Value = Column<'static>;
    const TAG: u32 = 0x4F50_0001;
}

const _: () = fits::<UnspoolOnPairColumn>();

/// Words of a search. With the feature `small`, for which C defines `UNSPOOL_SMALL`, it takes fewer.
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

/// A needle, prepared for one column, and how far the search for it came.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolOnPairSearch {
    /// Nobody's business.
    pub opaque: [u64; UNSPOOL_ONPAIR_SEARCH_WORDS],
}

/// A search and how far it came.
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

/// The parts of a column that lies in no container. All integers in them are little-endian, at any alignment.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolOnPairParts {
    /// The bytes of the tokens, one behind the other.
    pub dictionary: *const u8,
    /// How many bytes that are.
    pub dictionary_len: usize,
    /// Where each token starts: a u32 more than there are tokens.
    pub token_offsets: *const u8,
    /// Bytes of these.
    pub token_offsets_len: usize,
    /// The codes.
    pub codes: *const u8,
    /// Bytes of the codes.
    pub codes_len: usize,
    /// Where the codes of each row start: an entry more than there are rows.
    pub row_offsets: *const u8,
    /// Bytes of these.
    pub row_offsets_len: usize,
    /// 1 to 16 if the codes are packed; 0 if each has two bytes.
    pub code_bits: u8,
    /// 4 or 8: bytes of each row offset.
    pub row_offset_width: u8,
}

/// What a column holds.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolOnPairInfo {
    /// How many rows there are.
    pub rows: u64,
    /// How many tokens the dictionary has.
    pub tokens: u64,
    /// How many codes there are.
    pub codes: u64,
    /// Bytes of a workspace for `unspool_onpair_widen`.
    pub workspace_len: u64,
    /// Bits of a code.
    pub code_bits: u32,
    /// 1 if the dictionary is sorted and complete, which makes searching fast.
    pub conforming: u8,
}

/// Reads a container. The bytes are lent to the column.
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

/// Puts a column together. What the parts point to is lent to the column; the struct of the parts is not.
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

/// In a stack frame of its own, which is gone before the column is opened.
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

/// The same column, with the knowledge that its dictionary is conforming if it is.
#[inline(never)]
fn best<'p>(column: &'p mut Column<'static>) -> &'p mut Column<'static> {
    if let Ok(better) = column.conforming() {
        *column = better;
    }
    column
}

/// What a column holds.
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

/// How many bytes `unspool_onpair_widen` needs; 0 for a struct that holds no column.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_workspace_len(column: *const UnspoolOnPairColumn) -> u64 {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { held(column) }.map_or(0, |column| space(u64_from(column.dictionary().len())))
}

/// From now on the column is decoded through a wide copy of its dictionary in this memory, which is lent to it. Everything comes out the
/// same, only faster: worth it for more than a few thousand rows. Memory at a multiple of 16 bytes is read fastest.
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
            let (cells, lens) = memory.split_at_mut_checked(tokens.saturating_mul(MAX_TOKEN_LEN)).unwrap_or_default();
            *column = column.widened(cells.as_chunks_mut().0, lens)?;
            Ok(())
        };
        report(error, widen())
    }
}

/// How many bytes the rows from `first_row` to before `end_row` decode to.
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

/// Decodes the rows from `first_row` to before `end_row`, one right behind the other. Of an output that is longer than they are, up to 16 bytes
/// behind them may be overwritten.
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

/// Decodes one row. Of an output that is longer than it, up to 16 bytes behind it may be overwritten.
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

/// How many bytes a row has.
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

/// Decodes whole rows from `*row` on, as many as the output has room for, up to before `end_row`; `*row` becomes the first that did not fit.
/// `read` of the step counts rows. A row that does not fit by itself is an error, which tells its length.
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
                    // What is there leaves first. The error comes again with the row.
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

/// Which rows a search finds.
pub type UnspoolOnPairMatch = u8;

/// Rows that are the needle.
pub const UNSPOOL_ONPAIR_EQUALS: u8 = 0;
/// Rows that start with the needle.
pub const UNSPOOL_ONPAIR_STARTS_WITH: u8 = 1;
/// Rows in which the needle occurs.
pub const UNSPOOL_ONPAIR_CONTAINS: u8 = 2;

/// In a stack frame of its own, which is gone before the search is prepared.
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

/// Prepares a search of this kind. A call of its own, so that its frame is not added to that of the call from C.
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

/// Prepares a search. Column, needle and memory are lent to it, the struct of the column as well.
///
/// Only `UNSPOOL_ONPAIR_CONTAINS` needs memory: in `fallback` an entry for each byte of the needle, and for speed in `tokens` one for each token.
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

/// Whether a row matches: 1 or 0.
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

/// The next row that matches, in ascending order, with 1 in `found`; 0 if there is none left. An error ends the search.
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

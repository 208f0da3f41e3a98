//! OnPair: columns of strings.

use core::ffi::c_void;

use unspool::onpair::{Codes, Column, Dictionary, File, MAX_TOKEN_LEN, Progress, RowOffsets, Search, SearchWorkspace};
use unspool::{Error, ErrorKind, Result, Status, Step};

use crate::common::{UnspoolLimits, UnspoolStep, bad_argument, describe, limits_of, reply, report_step, u64_from};
use crate::error::{UnspoolError, UnspoolErrorKind, attempt, run};
use crate::memory::{
    Checked, Empty, NOTHING, Opaque, answer, apart, clear, disjoint, filled, filled_mut, fits, held, held_in,
    held_with, input, lent_to, maybe, needed, output, relent, sized, span,
};

/// Words of a column.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_ONPAIR_COLUMN_WORDS: usize = 20;
/// Words of a column.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_ONPAIR_COLUMN_WORDS: usize = 31;
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
pub const UNSPOOL_ONPAIR_SEARCH_WORDS: usize = 43;
/// Words of a search.
#[cfg(all(not(feature = "small"), target_pointer_width = "32"))]
pub const UNSPOOL_ONPAIR_SEARCH_WORDS: usize = 118;
/// Words of a search.
#[cfg(all(not(feature = "small"), not(target_pointer_width = "32")))]
pub const UNSPOOL_ONPAIR_SEARCH_WORDS: usize = 128;
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
    pub dictionary: *const c_void,
    /// Their length.
    pub dictionary_len: usize,
    /// The start of each token: one u32 more than there are tokens.
    pub token_offsets: *const c_void,
    /// Bytes of these.
    pub token_offsets_len: usize,
    /// The codes.
    pub codes: *const c_void,
    /// Bytes of the codes.
    pub codes_len: usize,
    /// The index of the first code of each row: one entry more than there are rows.
    pub row_offsets: *const c_void,
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
    /// 1 after `unspool_onpair_conform` has succeeded.
    pub conforming: u8,
}

/// Reads a container. The column borrows the bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_open(
    column: *mut UnspoolOnPairColumn,
    src: *const c_void,
    src_len: usize,
    limits: *const UnspoolLimits,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let ready = || {
            let empty = clear(column, &[NOTHING, NOTHING, span(src.cast::<u8>(), src_len), NOTHING, NOTHING])?;
            Ok((empty, filled(src.cast(), src_len), limits_of(limits)?))
        };
        attempt(error, ready, |(empty, bytes, limits)| {
            empty.build(|place| Ok(place.write(*File::open(bytes, &limits)?.column())))
        })
    }
}

/// Builds a column from its parts. The column borrows the bytes that the parts point to, not the
/// struct.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_open_parts(
    column: *mut UnspoolOnPairColumn,
    parts: *const UnspoolOnPairParts,
    limits: *const UnspoolLimits,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let empty = clear_parts(column, maybe(parts))?;
            let parts = needed(parts)?;
            let tokens = input(parts.token_offsets.cast(), parts.token_offsets_len)?;
            let dictionary = Dictionary::open(input(parts.dictionary.cast(), parts.dictionary_len)?, tokens)?;
            let offsets = input(parts.row_offsets.cast(), parts.row_offsets_len)?;
            let rows = match parts.row_offset_width {
                4 => RowOffsets::u32(offsets)?,
                8 => RowOffsets::u64(offsets)?,
                _ => return Err(bad_argument()),
            };
            let codes = input(parts.codes.cast(), parts.codes_len)?;
            let codes = match parts.code_bits {
                0 => Codes::bytes(codes)?,
                bits => Codes::packed(codes, bits.into(), usize::try_from(rows.last()).unwrap_or(usize::MAX))?,
            };
            let opened = Column::open(dictionary, codes, rows, &limits_of(limits)?)?;
            empty.build(|place| Ok(place.write(opened)))
        })
    }
}

/// Empties the struct, and notes the memory of the parts. Runs in a stack frame of its own, which
/// is gone before the column is opened.
///
/// # Safety
///
/// As for [`clear`].
#[inline(never)]
unsafe fn clear_parts<'a>(
    column: *mut UnspoolOnPairColumn,
    parts: Checked<Option<&UnspoolOnPairParts>>,
) -> Checked<Empty<'a, UnspoolOnPairColumn>> {
    let part = |data: *const c_void, len| span(data.cast::<u8>(), len);
    let lent = match parts {
        Ok(Some(parts)) => {
            apart(span(column, 1), &[span(parts, 1)])?;
            [
                NOTHING,
                part(parts.dictionary, parts.dictionary_len),
                part(parts.token_offsets, parts.token_offsets_len),
                part(parts.codes, parts.codes_len),
                part(parts.row_offsets, parts.row_offsets_len),
            ]
        }
        _ => [NOTHING; 5],
    };
    // SAFETY: the same promise.
    unsafe { clear(column, &lent) }
}

/// Checks that the dictionary is conforming, that is, sorted and complete: then searches are
/// faster. Reads all tokens. An error says why it is not; the column stays as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_conform(
    column: *mut UnspoolOnPairColumn,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let of = held_in(column)?;
            *of = of.conforming()?;
            Ok(())
        })
    }
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
        describe(info, error, || {
            let column = held(column)?;
            let tokens = u64_from(column.dictionary().len());
            Ok(UnspoolOnPairInfo {
                rows: column.rows().end,
                tokens,
                codes: u64_from(column.codes().len()),
                workspace_len: workspace_of(tokens),
                code_bits: column.codes().bits(),
                conforming: column.dictionary().is_conforming().into(),
            })
        })
    }
}

/// A cell and a length for each token.
fn workspace_of(tokens: u64) -> u64 {
    tokens.saturating_mul(u64_from(MAX_TOKEN_LEN + 1))
}

/// Returns the bytes that `unspool_onpair_widen` needs; 0 for a struct that holds no column.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_workspace_len(column: *const UnspoolOnPairColumn) -> u64 {
    // SAFETY: the caller keeps the promises of the header.
    unsafe { held(column) }.map_or(0, |column| workspace_of(u64_from(column.dictionary().len())))
}

/// Decodes the column through a wide copy of its dictionary from now on. The column borrows the
/// workspace. The output is the same, only faster: worth it for more than a few thousand rows. A
/// workspace at a multiple of 16 bytes is read fastest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_widen(
    column: *mut UnspoolOnPairColumn,
    workspace: *mut c_void,
    workspace_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let wide = span(workspace.cast::<u8>(), workspace_len);
            apart(wide, &[span(column, 1)])?;
            // The last workspace is free.
            let [_, others @ ..] = lent_to(column.cast_const())?;
            apart(wide, others)?;
            let of = held_in(column)?;
            let tokens = of.dictionary().len();
            let need = workspace_of(u64_from(tokens));
            if u64_from(workspace_len) < need {
                return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(need));
            }
            let memory = output(workspace.cast::<u8>(), workspace_len)?;
            let (padded, lens) = memory.split_at_mut_checked(tokens.saturating_mul(MAX_TOKEN_LEN)).unwrap_or_default();
            *of = of.widened(padded.as_chunks_mut().0, lens)?;
            relent(column, 0, wide)
        })
    }
}

/// Returns the column of a struct, and an output that overlaps nothing that it reads.
///
/// # Safety
///
/// As for [`held`] and [`output`].
#[inline(always)]
unsafe fn reader<'a>(
    column: *const UnspoolOnPairColumn,
    (dst, dst_len): (*mut c_void, usize),
) -> Checked<(&'a Column<'static>, &'a mut [u8])> {
    // SAFETY: the same promises.
    unsafe {
        let dst = (dst.cast::<u8>(), dst_len);
        apart(span(dst.0, dst.1), &[span(column, 1)])?;
        let (value, lent) = held_with(column)?;
        apart(span(dst.0, dst.1), lent)?;
        Ok((value, filled_mut(dst.0, dst.1)))
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
    unsafe { reply(len, error, || held(column)?.decoded_len(first_row..end_row)) }
}

/// Decodes the rows from `first_row` to before `end_row`, one after the other. If the output is
/// longer, up to 16 bytes after them may be overwritten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_decode(
    column: *const UnspoolOnPairColumn,
    first_row: u64,
    end_row: u64,
    dst: *mut c_void,
    dst_len: usize,
    wrote: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(wrote, error, || {
            let (column, dst) = reader(column, (dst, dst_len))?;
            column.decode_into(first_row..end_row, dst)
        })
    }
}

/// Decodes one row. If the output is longer, up to 16 bytes after it may be overwritten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_row(
    column: *const UnspoolOnPairColumn,
    row: u64,
    dst: *mut c_void,
    dst_len: usize,
    wrote: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(wrote, error, || {
            let (column, dst) = reader(column, (dst, dst_len))?;
            column.row_into(row, dst)
        })
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
    unsafe { reply(len, error, || held(column)?.row_len(row)) }
}

/// Decodes whole rows from `*row` on, as many as fit in the output of the step, up to before
/// `end_row`; `*row` becomes the first that did not fit. `read` of the step counts rows; its input
/// and `end` are not used. If the first row does not fit, the error has its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_step(
    column: *const UnspoolOnPairColumn,
    row: *mut u64,
    end_row: u64,
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        report_step(step, error, |asked| {
            disjoint(&[span(column, 1), span(row, 1), asked.dst()], 1)?;
            apart(span(row, 1), lent_to(column)?)?;
            let (column, mut rest) = reader(column, (asked.dst, asked.dst_len))?;
            let [row] = output(row, 1)? else { return Err(bad_argument()) };
            let mut step = Step { read: 0, wrote: 0, status: Status::Done };
            while *row < end_row {
                match column.row_into(*row, rest) {
                    Ok(len) => {
                        rest = rest.get_mut(len..).unwrap_or_default();
                        step.wrote = step.wrote.saturating_add(len);
                        step.read = step.read.saturating_add(1);
                        *row = row.saturating_add(1);
                    }
                    // Decoded rows leave first. The next call returns the error.
                    Err(_) if step.read > 0 => {
                        step.status = Status::NeedOutput;
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(step)
        })
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

/// The needle of a search. Only `UNSPOOL_ONPAIR_CONTAINS` needs memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolOnPairNeedle {
    /// `sizeof(UnspoolOnPairNeedle)`.
    pub size: usize,
    /// The needle.
    pub needle: *const c_void,
    /// Bytes of the needle.
    pub needle_len: usize,
    /// An entry for each byte of the needle.
    pub fallback: *mut u32,
    /// Entries, not bytes.
    pub fallback_len: usize,
    /// A byte for each token of the dictionary, for speed; or null.
    pub tokens: *mut u8,
    /// The number of these bytes.
    pub tokens_len: usize,
    /// The rows to find.
    pub kind: UnspoolOnPairMatch,
}

/// Runs in a stack frame of its own, which is gone before the search is prepared.
///
/// # Safety
///
/// As for [`clear`].
#[inline(never)]
unsafe fn clear_search<'a>(
    search: *mut UnspoolOnPairSearch,
    column: *const UnspoolOnPairColumn,
    asked: &UnspoolOnPairNeedle,
) -> Checked<Empty<'a, UnspoolOnPairSearch>> {
    let [fallback, tokens] = [span(asked.fallback, asked.fallback_len), span(asked.tokens, asked.tokens_len)];
    let needle = span(asked.needle.cast::<u8>(), asked.needle_len);
    // SAFETY: the same promise.
    unsafe {
        let search_span = span(search, 1);
        disjoint(&[span(column, 1), span(asked, 1), needle, search_span, fallback, tokens], 3)?;
        for written in [search_span, fallback, tokens] {
            apart(written, lent_to(column)?)?;
        }
        clear(search, &[NOTHING; 5])
    }
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

/// Prepares a search. It borrows the column, its struct, and the memory of the needle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_onpair_search_init(
    search: *mut UnspoolOnPairSearch,
    column: *const UnspoolOnPairColumn,
    needle: *const UnspoolOnPairNeedle,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let asked = sized(needle)?.ok_or(Error::new(ErrorKind::NullPointer, 0))?;
            let empty = clear_search(search, column, asked)?;
            let column = held(column)?;
            let needle = input(asked.needle.cast(), asked.needle_len)?;
            let workspace = || {
                let needle = output(asked.fallback, asked.fallback_len)?;
                Ok(SearchWorkspace { needle, tokens: output(asked.tokens, asked.tokens_len)? })
            };
            let prepared = prepare(asked.kind, column, needle, &workspace)?;
            empty.build(|place| Ok(place.write(Hunt { search: prepared, progress: Progress::new(column.rows()) })))
        })
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
    unsafe { reply(matches, error, || Ok(held(search)?.search.matches(row)?.into())) }
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
        reply(found, error, || {
            let Hunt { search, progress } = held_in(search)?;
            match progress.next(search) {
                Some(match_at) => {
                    answer(row, &match_at?);
                    Ok(1)
                }
                None => Ok(0),
            }
        })
    }
}

//! Questions to AT-1 tables in row groups (codecs 7 and 8), answered from as few bytes of a file as possible.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use unspool::at1::{Ask, Column, Filter, Next, Options, Query, Request, Row, Stats, Test, Workspace};
use unspool::{Count, Error, ErrorKind, Result, SliceSink};

use crate::at1::workspace;
use crate::common::{UnspoolLimits, bad_argument, limits, u64_from};
use crate::error::{UnspoolError, UnspoolErrorKind, report};
use crate::memory::{
    Opaque, Stretch, answer, apart, build, clear, fits, held, held_in, input, maybe, noted, output, room, stretch,
};

/// Which column is meant: by its name, or if that is null by its number, from 0. A name is a path of JSON, or a field of the header line.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolAt1Column {
    /// The name, or null.
    pub name: *const u8,
    /// Bytes of the name.
    pub name_len: usize,
    /// The number, where there is no name.
    pub number: usize,
}

/// A condition that a row must meet: its value in a column equals something, or lies in a range. Numbers are compared exactly, as the digits
/// that they are, both here and in the file.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolAt1Filter {
    /// Whose values are looked at.
    pub column: UnspoolAt1Column,
    /// What the value is equal to, as bytes in a column of texts and as a number in one of numbers; null for a range.
    pub equal: *const u8,
    /// Bytes of it.
    pub equal_len: usize,
    /// The lowest number that is meant, `"-12.50"`, or null if there is none.
    pub low: *const u8,
    /// Bytes of it.
    pub low_len: usize,
    /// The highest number that is meant, or null if there is none.
    pub high: *const u8,
    /// Bytes of it.
    pub high_len: usize,
}

/// What is wanted of the rows that meet all conditions.
pub type UnspoolAt1Ask = u8;

/// The rows with all columns, and their lines. The request names no columns.
pub const UNSPOOL_AT1_ROWS: u8 = 0;
/// The rows with the columns that the request names, in that order.
pub const UNSPOOL_AT1_COLUMNS: u8 = 1;
/// How many rows there are. The request names no columns.
pub const UNSPOOL_AT1_COUNT: u8 = 2;
/// The sum of the numbers in the one column that the request names.
pub const UNSPOOL_AT1_SUM: u8 = 3;
/// The smallest number in the one column that the request names.
pub const UNSPOOL_AT1_MIN: u8 = 4;
/// The largest number in the one column that the request names.
pub const UNSPOOL_AT1_MAX: u8 = 5;

/// A question. It may lie in read-only memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolAt1Request {
    /// What a row must meet, all of it.
    pub filters: *const UnspoolAt1Filter,
    /// How many conditions these are.
    pub filters_len: usize,
    /// Which columns are asked for.
    pub columns: *const UnspoolAt1Column,
    /// How many columns these are.
    pub columns_len: usize,
    /// The first so many rows that meet all conditions are looked at, no more; 0 for all.
    pub limit: u64,
    /// What is wanted of them.
    pub ask: UnspoolAt1Ask,
}

/// Words of a term.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_AT1_TERM_WORDS: usize = 4;
/// Words of a term.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_AT1_TERM_WORDS: usize = 7;

/// Where a query keeps one of the conditions or columns of its request.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolAt1Term {
    /// Nobody's business.
    pub opaque: [u64; UNSPOOL_AT1_TERM_WORDS],
}

/// Words of a query.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_AT1_QUERY_WORDS: usize = 74;
/// Words of a query.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_AT1_QUERY_WORDS: usize = 89;
/// Bytes of a query.
pub const UNSPOOL_AT1_QUERY_SIZE: usize = UNSPOOL_AT1_QUERY_WORDS * 8;

/// A question on its way to an answer.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolAt1Query {
    /// Nobody's business.
    pub opaque: [u64; UNSPOOL_AT1_QUERY_WORDS],
}

/// A query with what was lent to it.
#[derive(Debug)]
pub struct Asked {
    query: Query<'static>,
    scratch: &'static mut [u8],
    workspace: &'static mut Workspace,
}

impl Asked {
    fn scratch(&self) -> Stretch {
        stretch(self.scratch.as_ptr(), self.scratch.len())
    }

    fn space(&self) -> Stretch {
        stretch(&raw const *self.workspace, 1)
    }

    fn row(&self) -> Result<Row<'_>> {
        self.query.row(self.scratch).ok_or(Error::new(ErrorKind::RangeOutside, 0))
    }
}

impl Opaque for UnspoolAt1Query {
    type Value = Asked;
    const TAG: u32 = 0x4131_0001;
}

const _: () = fits::<UnspoolAt1Query>();

/// What a query stopped at.
pub type UnspoolAt1NextKind = u8;

/// It needs the bytes of the file from `start` to before `end`.
pub const UNSPOOL_AT1_NEXT_BYTES: u8 = 0;
/// There is a row, to be looked at until the next step, which gets the same bytes again: `start` and `end` say which they were.
pub const UNSPOOL_AT1_NEXT_ROW: u8 = 1;
/// All is done.
pub const UNSPOOL_AT1_NEXT_NOTHING: u8 = 2;

/// What a query stopped at.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolAt1Next {
    /// Where the bytes start that come next, also behind a row.
    pub start: u64,
    /// Where they end.
    pub end: u64,
    /// Which row of the table it is, from 0. Lines that are no rows do not count.
    pub row: u64,
    /// How many values the row has.
    pub values: usize,
    /// Which of these there is.
    pub kind: UnspoolAt1NextKind,
}

/// What came out besides rows.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolAt1Answer {
    /// Rows that met all conditions, as far as the limit.
    pub rows: u64,
    /// Of these, the rows whose value is no number. Sum, minimum and maximum are over the others.
    pub without_number: u64,
    /// The sum times ten to the power of `sum_scale`: its low 64 bits. As an `int64_t` they are all of it, if nothing is above.
    pub sum_low: u64,
    /// Its high 64 bits: 0 or -1 if nothing is above `sum_low` but the sign.
    pub sum_high: i64,
    /// Digits of the sum behind the point.
    pub sum_scale: u32,
    /// The smallest or largest number, as the first row that has it writes it, until the next step; null if there is none.
    pub best: *const u8,
    /// Bytes of it.
    pub best_len: usize,
}

/// How much of the file was needed.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolAt1Stats {
    /// Row groups of the table.
    pub groups: u64,
    /// Groups that the zone maps ruled out.
    pub skipped: u64,
    /// Groups of which blocks were read.
    pub read: u64,
    /// Bytes of the blocks that were read.
    pub block_bytes_read: u64,
    /// Bytes of all blocks.
    pub block_bytes_total: u64,
}

/// # Safety
///
/// As for [`input`].
unsafe fn text(bytes: *const u8, len: usize) -> Result<Option<&'static [u8]>> {
    // SAFETY: the same promise.
    let text = unsafe { input(bytes, len)? };
    Ok((!bytes.is_null()).then_some(text))
}

/// # Safety
///
/// A name that is not null is so long.
unsafe fn column(column: &UnspoolAt1Column) -> Result<Column<'static>> {
    // SAFETY: the same promise.
    let name = unsafe { text(column.name, column.name_len)? };
    Ok(name.map_or(Column::Number(column.number), Column::Name))
}

/// # Safety
///
/// Each pointer that is not null leads to as many bytes as its length says.
unsafe fn filter(filter: &UnspoolAt1Filter) -> Result<Filter<'static>> {
    // SAFETY: the same promise.
    unsafe {
        let (low, high) = (text(filter.low, filter.low_len)?, text(filter.high, filter.high_len)?);
        let test = match (text(filter.equal, filter.equal_len)?, low, high) {
            (None, low, high) => Test::Range { low, high },
            (Some(value), None, None) => Test::Equal(value),
            _ => return Err(bad_argument()),
        };
        Ok(Filter { column: column(&filter.column)?, test })
    }
}

/// Reads a request, and keeps its conditions and columns in the terms.
///
/// # Safety
///
/// The lists of the request are as long as it says, and so are their names and values, which nobody changes while the query is used. The terms
/// are nobody else's.
unsafe fn read(request: &UnspoolAt1Request, terms: *mut UnspoolAt1Term, terms_len: usize) -> Result<Request<'static>> {
    // SAFETY: the same promise.
    unsafe {
        let terms: &'static mut [MaybeUninit<UnspoolAt1Term>] = room(terms, terms_len)?;
        let (filters, columns) =
            (input(request.filters, request.filters_len)?, input(request.columns, request.columns_len)?);
        let need = filters.len().saturating_add(columns.len());
        if need > terms.len() {
            return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(u64_from(need)));
        }
        let (for_filters, for_columns) = terms.split_at_mut_checked(filters.len()).unwrap_or_default();
        let filters = noted(for_filters, filters.iter().map(|one| filter(one)))?;
        let columns = noted(for_columns, columns.iter().map(|one| column(one)))?;
        let ask = match (request.ask, columns) {
            (UNSPOOL_AT1_ROWS, []) => Ask::Rows,
            (UNSPOOL_AT1_COLUMNS, columns) => Ask::Columns(columns),
            (UNSPOOL_AT1_COUNT, []) => Ask::Count,
            (UNSPOOL_AT1_SUM, [column]) => Ask::Sum(*column),
            (UNSPOOL_AT1_MIN, [column]) => Ask::Min(*column),
            (UNSPOOL_AT1_MAX, [column]) => Ask::Max(*column),
            _ => return Err(bad_argument()),
        };
        Ok(Request { filters, ask, limit: if request.limit == 0 { u64::MAX } else { request.limit } })
    }
}

/// Starts a query with the first bytes of a file, however many: if they are too few, an error of the class `TRUNCATED` says in `need` how many
/// there must be, and if terms or scratch are, one of the class `WORKSPACE_TOO_SMALL`. Then call again with more.
///
/// Terms, scratch and workspace are lent to the query until it is no longer used, and so are the names and values that the request points to. There is
/// a term for each condition and each column. Request, conditions, columns and the first bytes of the file are not needed any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_init(
    query: *mut UnspoolAt1Query,
    request: *const UnspoolAt1Request,
    terms: *mut UnspoolAt1Term,
    terms_len: usize,
    head: *const u8,
    head_len: usize,
    scratch: *mut u8,
    scratch_len: usize,
    space: *mut c_void,
    space_len: usize,
    with_limits: *const UnspoolLimits,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let start = || {
            let (asked, limits) = (maybe(request), limits(with_limits));
            let lists = match asked {
                Ok(Some(asked)) => {
                    [stretch(asked.filters, asked.filters_len), stretch(asked.columns, asked.columns_len)]
                }
                _ => [(0, 0); 2],
            };
            let [filters, columns] = lists;
            let written = [
                stretch(query, 1),
                stretch(terms, terms_len),
                stretch(scratch, scratch_len),
                stretch(space, space_len),
            ];
            apart(&[stretch(request, 1), filters, columns, stretch(head, head_len)], &written)?;
            clear(query, &[])?;
            let limits = limits?;
            let request = read(asked?.ok_or(Error::new(ErrorKind::NullPointer, 0))?, terms, terms_len)?;
            let (head, scratch) = (input(head, head_len)?, output(scratch, scratch_len)?);
            let workspace = workspace(space, space_len)?;
            build(query, |place| {
                let options = Options { limits, ..Options::DEFAULT };
                let asked = place.write(Asked { query: Query::new(request, &options), scratch, workspace });
                asked.query.open(head, asked.workspace, asked.scratch)?;
                Ok(asked)
            })
        };
        report(error, start())
    }
}

/// Gives a query a longer scratch, where that is what a step asked for. What it knows is copied there, and the last scratch is no longer used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_lend(
    query: *mut UnspoolAt1Query,
    scratch: *mut u8,
    scratch_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let lend = || {
            let asked = held_in(query)?;
            let written = [stretch(query, 1), stretch(scratch, scratch_len), asked.space(), asked.scratch()];
            apart(&[], &written)?;
            let longer = output(scratch, scratch_len)?;
            let Some((front, _)) = longer.split_at_mut_checked(asked.scratch.len()) else {
                return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(u64_from(asked.scratch.len())));
            };
            for (to, from) in front.iter_mut().zip(&*asked.scratch) {
                *to = *from;
            }
            asked.scratch = longer;
            Ok(())
        };
        report(error, lend())
    }
}

/// Goes on with bytes of the file from byte `at` on, up to the next row that meets all conditions, and says what it stopped at.
///
/// The first call needs no bytes. Bytes must hold what the last step asked for, or the first of the blocks in it, and may hold more, also the whole
/// file: as much of it as there is room for will do, if a block has room. Behind a row, the next call gets the same bytes again. An error that is
/// not about the scratch ends the query. `next` is written only where there is no error.
///
/// Bytes that do not hold the first of the blocks are not looked at, and the same are asked for again, as often as that happens: stop if there are no
/// more of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_step(
    query: *mut UnspoolAt1Query,
    at: u64,
    bytes: *const u8,
    bytes_len: usize,
    next: *mut UnspoolAt1Next,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let step = || {
            let asked = held_in(query)?;
            apart(&[stretch(bytes, bytes_len)], &[stretch(query, 1), asked.space(), asked.scratch()])?;
            let bytes = input(bytes, bytes_len)?;
            let told = match asked.query.step(at, bytes, asked.workspace, asked.scratch)? {
                Next::Bytes(needs) => {
                    let kind = UNSPOOL_AT1_NEXT_BYTES;
                    UnspoolAt1Next { start: needs.start, end: needs.end, kind, ..UnspoolAt1Next::default() }
                }
                Next::Row => {
                    let row = asked.row()?;
                    // These bytes come next, because they may hold the blocks of more rows.
                    let (start, end) = (at, at.saturating_add(u64_from(bytes.len())));
                    UnspoolAt1Next { start, end, row: row.number(), values: row.len(), kind: UNSPOOL_AT1_NEXT_ROW }
                }
                Next::Nothing => UnspoolAt1Next { kind: UNSPOOL_AT1_NEXT_NOTHING, ..UnspoolAt1Next::default() },
            };
            answer(next, told);
            Ok(())
        };
        report(error, step())
    }
}

/// A value of the row that the last step stopped at, byte for byte as it stands in the file. It lies in the scratch until the next step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_value(
    query: *const UnspoolAt1Query,
    i: usize,
    value: *mut *const u8,
    value_len: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let show = || {
            let found = held(query)?.row()?.value(i).ok_or(Error::new(ErrorKind::RangeOutside, 0))?;
            answer(value, found.as_ptr());
            answer(value_len, found.len());
            Ok(())
        };
        report(error, show())
    }
}

/// The line of the row that the last step stopped at, as it was, without a line feed. Only for `UNSPOOL_AT1_ROWS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_line(
    query: *const UnspoolAt1Query,
    dst: *mut u8,
    dst_len: usize,
    wrote: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let write = || {
            let asked = held(query)?;
            apart(&[stretch(query, 1), asked.scratch()], &[stretch(dst, dst_len)])?;
            let (row, dst) = (asked.row()?, output(dst, dst_len)?);
            let mut sink = SliceSink::new(dst);
            if let Err(error) = row.write_line(&mut sink) {
                let mut count = Count::default();
                row.write_line(&mut count)?;
                let kind = if error.kind == ErrorKind::SinkFull { ErrorKind::OutputTooSmall } else { error.kind };
                return Err(Error { kind, ..error }.needing(count.0));
            }
            answer(wrote, sink.written());
            Ok(())
        };
        report(error, write())
    }
}

/// The low and the high half of a number.
fn halves(number: i128) -> (u64, i64) {
    match number.to_le_bytes().as_chunks() {
        ([low, high], []) => (u64::from_le_bytes(*low), i64::from_le_bytes(*high)),
        _ => (0, 0),
    }
}

/// What came out so far besides rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_answer(
    query: *const UnspoolAt1Query,
    so_far: *mut UnspoolAt1Answer,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let tell = || {
            let asked = held(query)?;
            let found = asked.query.answer(asked.scratch);
            let (sum_low, sum_high) = halves(found.sum.value);
            let told = UnspoolAt1Answer {
                rows: found.rows,
                without_number: found.without_number,
                sum_low,
                sum_high,
                sum_scale: found.sum.scale,
                best: found.best.map_or(core::ptr::null(), <[u8]>::as_ptr),
                best_len: found.best.map_or(0, <[u8]>::len),
            };
            answer(so_far, told);
            Ok(())
        };
        report(error, tell())
    }
}

/// How much of the file was needed so far.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_stats(
    query: *const UnspoolAt1Query,
    stats: *mut UnspoolAt1Stats,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let tell = || {
            let Stats { groups, skipped, read, block_bytes_read, block_bytes_total } = held(query)?.query.stats();
            answer(stats, UnspoolAt1Stats { groups, skipped, read, block_bytes_read, block_bytes_total });
            Ok(())
        };
        report(error, tell())
    }
}

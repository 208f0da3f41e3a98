//! Queries on AT-1 tables in row groups (codecs 7 and 8), which read as few bytes of a file as
//! possible.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use unspool::at1::{Ask, ColumnRef, Filter, Next, Options, Query, Request, Row, Stats, Test, Workspace};
use unspool::{Count, Error, ErrorKind, Result, SliceSink};

use crate::at1::workspace_of;
use crate::common::{UnspoolBuffers, UnspoolLimits, bad_argument, compared, limits_of, reply, u64_from};
use crate::error::{UnspoolError, UnspoolErrorKind, run};
use crate::memory::{
    Checked, NOTHING, Opaque, Span, answer, apart, clear, disjoint, fits, held, held_in, input, lacking, lent_to,
    maybe, needed, noted, output, room, span,
};

/// Names a column: by its name, or if that is null by its number, from 0. A name is a path of JSON,
/// or a field of the header line.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolAt1Column {
    /// The name, or null.
    pub name: *const c_void,
    /// Bytes of the name.
    pub name_len: usize,
    /// The number, if there is no name.
    pub number: usize,
}

/// A condition for a row: its value in a column equals a given one, or is in a range. Numbers are
/// compared exactly, by their digits, here and in the file.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolAt1Filter {
    /// The column.
    pub column: UnspoolAt1Column,
    /// The value to equal, as bytes in a column of texts and as a number in one of numbers; null
    /// for a range.
    pub equal: *const c_void,
    /// Bytes of it.
    pub equal_len: usize,
    /// The lowest number of the range, such as -12.50, as text; null if unbounded.
    pub low: *const c_void,
    /// Bytes of it.
    pub low_len: usize,
    /// The highest number of the range; null if unbounded.
    pub high: *const c_void,
    /// Bytes of it.
    pub high_len: usize,
}

/// The result to return for the rows that meet all conditions.
pub type UnspoolAt1Ask = u8;

/// The rows with all columns, and their lines. The request names no columns.
pub const UNSPOOL_AT1_ROWS: u8 = 0;
/// The rows with the columns that the request names, in that order.
pub const UNSPOOL_AT1_COLUMNS: u8 = 1;
/// The number of rows. The request names no columns.
pub const UNSPOOL_AT1_COUNT: u8 = 2;
/// The sum of the numbers in the one column that the request names.
pub const UNSPOOL_AT1_SUM: u8 = 3;
/// The smallest number in the one column that the request names.
pub const UNSPOOL_AT1_MIN: u8 = 4;
/// The largest number in the one column that the request names.
pub const UNSPOOL_AT1_MAX: u8 = 5;

/// A request. It may be in read-only memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolAt1Request {
    /// The conditions; a row must meet all of them.
    pub filters: *const UnspoolAt1Filter,
    /// The number of conditions.
    pub filters_len: usize,
    /// The columns.
    pub columns: *const UnspoolAt1Column,
    /// The number of columns.
    pub columns_len: usize,
    /// The most rows to read that meet all conditions; 0 for all.
    pub limit: u64,
    /// The result, one of `UNSPOOL_AT1_ROWS` and the others.
    pub ask: UnspoolAt1Ask,
}

/// Words of a term.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_AT1_TERM_WORDS: usize = 4;
/// Words of a term.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_AT1_TERM_WORDS: usize = 7;

/// Memory for one of the conditions or columns of a request.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolAt1Term {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_AT1_TERM_WORDS],
}

/// Words of a query.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_AT1_QUERY_WORDS: usize = 74;
/// Words of a query.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_AT1_QUERY_WORDS: usize = 99;
/// Bytes of a query.
pub const UNSPOOL_AT1_QUERY_SIZE: usize = UNSPOOL_AT1_QUERY_WORDS * 8;

/// A query in progress.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolAt1Query {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_AT1_QUERY_WORDS],
}

/// A query with the memory that was lent to it.
#[derive(Debug)]
pub struct Asked {
    query: Query<'static>,
    scratch: &'static mut [u8],
    workspace: &'static mut Workspace,
}

impl Asked {
    fn scratch(&self) -> Span {
        span(self.scratch.as_ptr(), self.scratch.len())
    }

    fn space(&self) -> Span {
        span(&raw const *self.workspace, 1)
    }

    /// Refuses memory that overlaps a text of the request.
    fn apart_from_texts(&self, memory: Span) -> Checked<()> {
        let request = self.query.request();
        request.filters.iter().try_for_each(|filter| apart_from_filter(filter, &[memory]))?;
        request.ask.columns().iter().try_for_each(|column| apart_from_name(*column, &[memory]))
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

/// The reason for which a query stopped.
pub type UnspoolAt1NextKind = u8;

/// It needs the bytes of the file from `start` to before `end`.
pub const UNSPOOL_AT1_NEXT_BYTES: u8 = 0;
/// A row was found, which is valid until the next step. The next step takes the same bytes again:
/// `start` and `end` name them.
pub const UNSPOOL_AT1_NEXT_ROW: u8 = 1;
/// The query is complete.
pub const UNSPOOL_AT1_NEXT_NOTHING: u8 = 2;

/// The state at which a query stopped.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolAt1Next {
    /// The start of the bytes to pass next, also after a row.
    pub start: u64,
    /// Their end.
    pub end: u64,
    /// The number of the row in the table, from 0. Lines that are not rows do not count.
    pub row: u64,
    /// The number of values in the row.
    pub values: usize,
    /// The reason, one of `UNSPOOL_AT1_NEXT_BYTES` and the others.
    pub kind: UnspoolAt1NextKind,
}

/// The results of a query other than rows.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolAt1Answer {
    /// Rows that met all conditions, up to the limit.
    pub rows: u64,
    /// Those of them whose value is not a number. Sum, minimum and maximum are over the others.
    pub without_number: u64,
    /// The sum times ten to the power of `sum_scale`: its low 64 bits. If it fits in an `int64_t`,
    /// these are all of it.
    pub sum_low: u64,
    /// Its high 64 bits: 0 or -1 if they only repeat the sign of `sum_low`.
    pub sum_high: i64,
    /// Digits of the sum after the decimal point.
    pub sum_scale: u32,
    /// The smallest or largest number, as written in the first row that has it; valid until the
    /// next step, null if there is none.
    pub best: *const c_void,
    /// Bytes of it.
    pub best_len: usize,
}

/// The share of the file that a query read.
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
unsafe fn text(bytes: *const c_void, len: usize) -> Result<Option<&'static [u8]>> {
    // SAFETY: the same promise.
    let text = unsafe { input(bytes.cast(), len)? };
    Ok((!bytes.is_null()).then_some(text))
}

/// # Safety
///
/// A name that is not null has that length.
unsafe fn column(column: &UnspoolAt1Column) -> Result<ColumnRef<'static>> {
    // SAFETY: the same promise.
    let name = unsafe { text(column.name, column.name_len)? };
    Ok(name.map_or(ColumnRef::Number(column.number), ColumnRef::Name))
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

/// The range of a text; nothing if there is none.
fn text_span(text: Option<&[u8]>) -> Span {
    text.map_or(NOTHING, |text| span(text.as_ptr(), text.len()))
}

/// Refuses memory that overlaps the name of a column.
fn apart_from_name(column: ColumnRef<'_>, memory: &[Span]) -> Checked<()> {
    match column {
        ColumnRef::Name(name) => apart(text_span(Some(name)), memory),
        ColumnRef::Number(_) => Ok(()),
    }
}

/// Refuses memory that overlaps the texts of a condition.
fn apart_from_filter(filter: &Filter<'_>, memory: &[Span]) -> Checked<()> {
    let texts = match filter.test {
        Test::Equal(value) => [Some(value), None],
        Test::Range { low, high } => [low, high],
    };
    texts.into_iter().try_for_each(|text| apart(text_span(text), memory))?;
    apart_from_name(filter.column, memory)
}

/// Returns the conditions and the columns of a request.
///
/// # Safety
///
/// They have the lengths that the request says.
unsafe fn lists(request: &UnspoolAt1Request) -> Checked<(&'static [UnspoolAt1Filter], &'static [UnspoolAt1Column])> {
    // SAFETY: the same promise.
    unsafe { Ok((input(request.filters, request.filters_len)?, input(request.columns, request.columns_len)?)) }
}

/// Refuses memory that overlaps a text of the request. Leaves other errors to [`read`].
///
/// # Safety
///
/// As for [`lists`], [`filter`] and [`column`].
unsafe fn apart_from_texts(request: &UnspoolAt1Request, memory: &[Span]) -> Checked<()> {
    // SAFETY: the same promise.
    unsafe {
        let (filters, columns) = lists(request).unwrap_or_default();
        filters.iter().flat_map(|one| filter(one)).try_for_each(|one| apart_from_filter(&one, memory))?;
        columns.iter().flat_map(|one| column(one)).try_for_each(|one| apart_from_name(one, memory))
    }
}

/// Reads a request, and keeps its conditions and columns in the terms.
///
/// # Safety
///
/// The lists of the request have the lengths that it says, and so have their names and values,
/// which nobody changes while the query is used. Nobody else uses the terms.
unsafe fn read(request: &UnspoolAt1Request, terms: *mut UnspoolAt1Term, terms_len: usize) -> Result<Request<'static>> {
    // SAFETY: the same promise.
    unsafe {
        let terms: &'static mut [MaybeUninit<UnspoolAt1Term>] = room(terms, terms_len)?;
        let (filters, columns) = lists(request)?;
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

/// Starts a query with the first bytes of a file in `src`, a workspace and scratch. If the bytes
/// are too few, the error is of the class `TRUNCATED`, and its `need` is how many there must be. If
/// terms or scratch are too small, it is of the class `WORKSPACE_TOO_SMALL`. Then call again with
/// more.
///
/// The query borrows terms, scratch and workspace until it is no longer used, and also the names
/// and values that the request points to. It takes a term for each condition and each column.
/// Request, conditions, columns and the first bytes of the file are free after the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_init(
    query: *mut UnspoolAt1Query,
    request: *const UnspoolAt1Request,
    terms: *mut UnspoolAt1Term,
    terms_len: usize,
    buffers: *const UnspoolBuffers,
    limits: *const UnspoolLimits,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let asked = maybe(request).ok().flatten();
            let [filters, columns] = asked.map_or([NOTHING; 2], |asked| {
                [span(asked.filters, asked.filters_len), span(asked.columns, asked.columns_len)]
            });
            let written = [span(query, 1), span(terms, terms_len)];
            let memory = compared(buffers, [span(request, 1), filters, columns], written)?;
            if let Some(asked) = asked {
                apart_from_texts(asked, &[written[0], written[1], memory.scratch(), memory.workspace()])?;
            }
            let empty = clear(query, &[NOTHING, NOTHING, NOTHING, span(terms, terms_len), NOTHING])?;
            let limits = limits_of(limits)?;
            let request = read(needed(request)?, terms, terms_len)?;
            let lent = memory.slices();
            let workspace = workspace_of(lent.workspace).map_err(lacking::<Workspace>)?;
            let (head, scratch) = (lent.src, lent.scratch);
            empty.build(|place| {
                let options = Options { limits, ..Options::DEFAULT };
                let asked = place.write(Asked { query: Query::new(request, &options), scratch, workspace });
                asked.query.open(head, asked.workspace, asked.scratch)?;
                Ok(asked)
            })
        })
    }
}

/// Lends a query a longer scratch, after a step asked for it. The state of the query is copied, and
/// the last scratch is free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_lend(
    query: *mut UnspoolAt1Query,
    scratch: *mut c_void,
    scratch_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let asked = held_in(query)?;
            let new = span(scratch.cast::<u8>(), scratch_len);
            disjoint(&[span(query, 1), new, asked.space(), asked.scratch()], 0)?;
            apart(new, lent_to(query.cast_const())?)?;
            asked.apart_from_texts(new)?;
            let longer = output(scratch.cast::<u8>(), scratch_len)?;
            let Some((front, _)) = longer.split_at_mut_checked(asked.scratch.len()) else {
                return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(u64_from(asked.scratch.len())));
            };
            for (to, from) in front.iter_mut().zip(&*asked.scratch) {
                *to = *from;
            }
            asked.scratch = longer;
            Ok(())
        })
    }
}

/// Reads bytes of the file from byte `at` on, up to the next row that meets all conditions, and
/// reports why it stopped.
///
/// The first call needs no bytes. Pass at least the first block of the range that the last step
/// named. More bytes are allowed, up to the whole file. After a row, pass the same bytes again. An
/// error that is not about the scratch ends the query. `next` is written only if there is no error.
///
/// Bytes without the first of the blocks are not read, and the same are requested again. Stop if
/// the file has no more of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_step(
    query: *mut UnspoolAt1Query,
    at: u64,
    src: *const c_void,
    src_len: usize,
    next: *mut UnspoolAt1Next,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(next, error, || {
            let asked = held_in(query)?;
            let bytes = (src.cast::<u8>(), src_len);
            disjoint(&[span(bytes.0, bytes.1), span(query, 1), asked.space(), asked.scratch()], 1)?;
            let bytes = input(bytes.0, bytes.1)?;
            Ok(match asked.query.step(at, bytes, asked.workspace, asked.scratch)? {
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
            })
        })
    }
}

/// A value of the current row, byte for byte as in the file. It is in the scratch until the next
/// step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_value(
    query: *const UnspoolAt1Query,
    number: usize,
    value: *mut *const c_void,
    value_len: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let found = held(query)?.row()?.value(number).ok_or(Error::new(ErrorKind::RangeOutside, 0))?;
            answer(value, &found.as_ptr().cast());
            answer(value_len, &found.len());
            Ok(())
        })
    }
}

/// The line of the current row, unchanged, without a line feed. Only for `UNSPOOL_AT1_ROWS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_line(
    query: *const UnspoolAt1Query,
    dst: *mut c_void,
    dst_len: usize,
    wrote: *mut usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(wrote, error, || {
            let (asked, dst) = (held(query)?, (dst.cast::<u8>(), dst_len));
            disjoint(&[span(query, 1), asked.scratch(), asked.space(), span(dst.0, dst.1)], 3)?;
            apart(span(dst.0, dst.1), lent_to(query)?)?;
            asked.apart_from_texts(span(dst.0, dst.1))?;
            let (row, dst) = (asked.row()?, output(dst.0, dst.1)?);
            let mut sink = SliceSink::new(dst);
            if let Err(error) = row.write_line(&mut sink) {
                let mut count = Count::default();
                row.write_line(&mut count)?;
                let kind = if error.kind == ErrorKind::SinkFull { ErrorKind::OutputTooSmall } else { error.kind };
                return Err(Error { kind, ..error }.needing(count.0));
            }
            Ok(sink.written())
        })
    }
}

/// Splits a number into its low and its high half.
fn halves(number: i128) -> (u64, i64) {
    match number.to_le_bytes().as_chunks() {
        ([low, high], []) => (u64::from_le_bytes(*low), i64::from_le_bytes(*high)),
        _ => (0, 0),
    }
}

/// Returns the results so far, other than rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_answer(
    query: *const UnspoolAt1Query,
    answer: *mut UnspoolAt1Answer,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(answer, error, || {
            let asked = held(query)?;
            let found = asked.query.answer(asked.scratch);
            let (sum_low, sum_high) = halves(found.sum.value);
            Ok(UnspoolAt1Answer {
                rows: found.rows,
                without_number: found.without_number,
                sum_low,
                sum_high,
                sum_scale: found.sum.scale,
                best: found.best.map_or(core::ptr::null(), |best| best.as_ptr().cast()),
                best_len: found.best.map_or(0, <[u8]>::len),
            })
        })
    }
}

/// Returns the share of the file that was read so far.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_at1_query_stats(
    query: *const UnspoolAt1Query,
    stats: *mut UnspoolAt1Stats,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(stats, error, || {
            let Stats { groups, skipped, read, block_bytes_read, block_bytes_total } = held(query)?.query.stats();
            Ok(UnspoolAt1Stats { groups, skipped, read, block_bytes_read, block_bytes_total })
        })
    }
}

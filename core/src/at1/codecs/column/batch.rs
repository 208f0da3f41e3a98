//! Rows of a table, several at a time: each column is printed to cells, then the cells are joined.
//!
//! Appending field by field decides the kind of each field anew, and each decision waits for the
//! one before. A batch decides once a column, and most of its loops have no branch that depends on
//! a value.
//!
//! A batch appends all of its rows or changes nothing. In that case the caller appends the rows
//! field by field, which finds each error at its byte.

use super::{
    BITS, COUNT, Columns, END, ENTRIES, Flags, Found, KNOWN, NEXT, NUMBER, Record, SOURCE, SUM, USED, exception, kind,
    next, string, strings,
};
use crate::at1::codecs::map::NumberText;
use crate::at1::digits::{Decimal, HighDigits, brief};
use crate::at1::output::{Output, SLACK, first_line_feed};
use crate::at1::scratch::Word;
use crate::at1::streams::lines::line_len;
use crate::bits::{u64_at, varint, zigzag};
use crate::num::{copy, index, u64_from};
use crate::steps;

/// Cells of a batch. With its other parts, a batch takes 29 KB of stack.
const CELLS: usize = 512;

/// The most columns of a table that is appended in batches.
const MAX_COLUMNS: usize = 32;

/// Entries of dictionaries whose numbers are remembered.
const MEMO: usize = 256;

/// The number of a value that the map of its column has no room for.
const UNKNOWN: u32 = u32::MAX;

/// A field and the delimiter before it, in the memory of a batch.
struct Cell<'b> {
    text: &'b mut [u8; SLACK],
    /// Bytes of the text; [`OUTSIDE`] if the field is too long for it.
    len: &'b mut u8,
}

/// Length of a cell that holds start and length of a field in `values` instead.
const OUTSIDE: u8 = u8::MAX;

/// Bytes of a cell that are copied if no cell of a batch has more.
const NARROW: usize = 16;

/// Returns start and length of a field outside of the cell with this text.
fn outside([_, field @ ..]: &[u8; SLACK]) -> (usize, usize) {
    (index(u64_at(field, 0)), index(u64_at(field, 8)))
}

impl Cell<'_> {
    /// Fills the cell with the first `len` of 16 bytes, after `skip` bytes, 0 or 1.
    #[inline(always)]
    fn brief(&mut self, skip: usize, bytes: [u8; 16], len: usize) {
        let [_, field @ ..] = &mut *self.text;
        if let Some(place) = field.get_mut(skip..).and_then(<[u8]>::first_chunk_mut) {
            *place = bytes;
        }
        self.set_len(len.wrapping_add(skip));
    }

    /// Sets the length of the field.
    #[inline(always)]
    fn set_len(&mut self, len: usize) {
        let [low, ..] = len.wrapping_add(1).to_le_bytes();
        *self.len = low;
    }

    /// Fills the cell with a part of `values`.
    #[inline(always)]
    fn span(&mut self, values: &[u8], start: usize, len: usize) {
        match values.get(start..).and_then(<[u8]>::first_chunk) {
            Some(bytes) if len <= 16 => self.brief(0, *bytes, len),
            _ => self.long_span(values, start, len),
        }
    }

    #[cold]
    fn long_span(&mut self, values: &[u8], start: usize, len: usize) {
        let [_, field @ ..] = &mut *self.text;
        if len <= field.len() {
            copy(values.get(start..start.saturating_add(len)).unwrap_or_default(), field);
            self.set_len(len);
        } else {
            let place = u128::from(u64_from(start)) | u128::from(u64_from(len)) << 64;
            self.brief(0, place.to_le_bytes(), 0);
            *self.len = OUTSIDE;
        }
    }

    /// Fills the cell with a number.
    #[inline(always)]
    fn number(&mut self, number: Decimal, high: &mut HighDigits) {
        let Some((text, len)) = brief(number, high) else { return self.long_number(number) };
        let [_, sign, ..] = &mut *self.text;
        *sign = b'-';
        self.brief(usize::from(number.value < 0), text.to_le_bytes(), len);
    }

    #[cold]
    fn long_number(&mut self, number: Decimal) {
        let mut buffer = NumberText::NONE;
        let text = buffer.print(number);
        let [_, field @ ..] = &mut *self.text;
        copy(text, field);
        self.set_len(text.len());
    }
}

/// A number that an entry of a dictionary has among the values of its column.
#[derive(Clone, Copy, Default)]
struct Known {
    column: usize,
    /// The entry, from 1 on.
    entry: usize,
    number: u32,
}

/// The memory of a batch.
pub(crate) struct Batch {
    /// The texts of the cells of row 0, of row 1 and so on.
    texts: [[u8; SLACK]; CELLS],
    /// Their lengths.
    lens: [u8; CELLS],
    /// The number of each value that a column is derived from.
    numbers: [u32; CELLS],
    /// The cursors of the columns after the batch.
    after: [Record; MAX_COLUMNS],
    memo: [Known; MEMO],
    columns: usize,
}

impl Batch {
    /// Returns the memory for a table with this number of columns.
    pub(crate) fn new(columns: usize, delimiter: u8) -> Self {
        let mut batch = Self {
            texts: [[delimiter; SLACK]; CELLS],
            lens: [0; CELLS],
            numbers: [0; CELLS],
            after: [[Word::default(); super::WORDS]; MAX_COLUMNS],
            memo: [Known::default(); MEMO],
            columns,
        };
        // A row starts with the line feed that ends the one before it.
        let mut at = 0usize;
        while let Some([first, ..]) = batch.texts.get_mut(at) {
            *first = b'\n';
            at = at.saturating_add(columns.max(1));
        }
        batch
    }

    /// Returns the most rows of a batch.
    pub(crate) fn rows(&self) -> usize {
        CELLS.checked_div(self.columns).unwrap_or(0)
    }

    /// Returns the number of a cell.
    #[inline(always)]
    const fn place(&self, row: usize, column: usize) -> usize {
        row.wrapping_mul(self.columns).wrapping_add(column)
    }

    /// Returns a cell.
    #[inline(always)]
    fn cell(&mut self, place: usize) -> Option<Cell<'_>> {
        Some(Cell { text: self.texts.get_mut(place)?, len: self.lens.get_mut(place)? })
    }

    /// Fills a cell with a value.
    #[inline(always)]
    fn put(&mut self, place: usize, found: Found, flags: Flags, values: &[u8]) -> Option<()> {
        let mut cell = self.cell(place)?;
        match found {
            Found::Span(start, len) => cell.span(values, start, len),
            Found::Number(value) => cell.number(flags.number(value), &mut HighDigits::default()),
        }
        Some(())
    }

    /// Fills a cell with one of these strings.
    #[inline(always)]
    fn put_string(&mut self, place: usize, strings: &[[Word; 2]], number: usize, values: &[u8]) -> Option<()> {
        let [start, len] = strings.get(number)?.map(u64::from_le_bytes).map(index);
        self.cell(place)?.span(values, start, len);
        Some(())
    }

    /// Calls `fill` for each cell of a column.
    #[inline(always)]
    fn each(&mut self, column: usize, rows: usize, mut fill: impl FnMut(Cell<'_>) -> Option<()>) -> Option<()> {
        let mut at = column;
        for _ in 0..rows {
            fill(self.cell(at)?)?;
            at = at.wrapping_add(self.columns);
        }
        Some(())
    }
}

impl Columns<'_> {
    /// Returns whether batches append this table, and gain from it. They do not if fields have
    /// quotes, if there are many columns, or if columns are derived from anything but a small
    /// dictionary.
    #[inline(never)]
    pub(crate) fn gain_from_batches(&self) -> bool {
        let is_plain = self.records.iter().all(|record| {
            let flags = Flags::of(record);
            // The numbers of other values are found by a hash of each, which takes longer here.
            let is_numbered = flags.kind == kind::DICTIONARY && ENTRIES.place(record) <= MEMO;
            flags.quote == 0 && (!flags.keep || is_numbered)
        });
        is_plain && (1..=MAX_COLUMNS).contains(&self.records.len())
    }

    /// Appends rows that have all columns, each after a line feed. Returns `false`, with nothing
    /// changed, if a row has an error or if the output may refuse some of them.
    #[inline(never)]
    pub(crate) fn append_rows(&mut self, rows: usize, batch: &mut Batch, out: &mut Output<'_>) -> bool {
        steps::count(rows.saturating_mul(batch.columns));
        let filled = (0..batch.columns).try_for_each(|column| self.fill_column(column, rows, batch));
        if filled.is_none() || !self.join(rows, batch, out) {
            return false;
        }
        for (record, after) in self.records.iter_mut().zip(&mut batch.after) {
            // The map of a column numbers a value once, so that it may be ahead.
            KNOWN.set(after, KNOWN.get(record));
            *record = *after;
        }
        true
    }

    /// Prints the next values of a column to its cells.
    fn fill_column(&mut self, column: usize, rows: usize, batch: &mut Batch) -> Option<()> {
        let mut record = *self.records.get(column)?;
        let flags = Flags::of(&record);
        let values = self.values;
        let (start, end) = (NEXT.place(&record), END.place(&record));
        match flags.kind {
            kind::TEXT => {
                let mut at = start;
                batch.each(column, rows, |mut cell| {
                    let rest = values.bytes.get(at..end)?;
                    let len = match rest.first_chunk() {
                        Some(bytes) if first_line_feed(*bytes) < 16 => {
                            let len = first_line_feed(*bytes);
                            cell.brief(0, *bytes, len);
                            len
                        }
                        _ => {
                            let len = line_len(rest);
                            cell.span(values.bytes, at, len);
                            len
                        }
                    };
                    at = at.saturating_add(len).saturating_add(1);
                    Some(())
                })?;
                NEXT.set_place(&mut record, at);
            }
            kind::INTEGER | kind::DECIMAL => {
                let mut deltas = Deltas::of(values.bytes, &record, rows)?;
                let mut high = HighDigits::default();
                match flags.number(0).scale {
                    None => batch.each(column, rows, |mut cell| {
                        cell.number(Decimal { value: deltas.next()?, scale: None }, &mut high);
                        Some(())
                    })?,
                    scale => batch.each(column, rows, |mut cell| {
                        cell.number(Decimal { value: deltas.next()?, scale }, &mut high);
                        Some(())
                    })?,
                }
                deltas.store(&mut record);
            }
            kind::EXCEPTIONS => {
                let used = USED.get(&record);
                if used.saturating_add(u64_from(rows)) > COUNT.get(&record) {
                    return None;
                }
                let bits = values.bytes.get(BITS.place(&record)..)?;
                let mut deltas = Deltas::of(values.bytes, &record, rows)?;
                for row in 0..rows {
                    let at = index(used).wrapping_add(row);
                    let found = match bits.get(at >> 3)? >> (at & 7) & 1 {
                        1 => Found::Number(deltas.next()?),
                        _ => exception(values, &mut record).ok()?,
                    };
                    batch.put(batch.place(row, column), found, flags, values.bytes)?;
                }
                deltas.store(&mut record);
            }
            kind::DICTIONARY => {
                if USED.get(&record).saturating_add(u64_from(rows)) > COUNT.get(&record) {
                    return None;
                }
                let bytes = values.bytes.get(start..end)?;
                let strings = strings(self.tables, &record)?;
                let (mut at, mut place) = (0usize, column);
                for _ in 0..rows {
                    // Most dictionaries have few entries.
                    let entry = match *bytes.get(at)? {
                        byte @ 0..0x80 => {
                            at = at.wrapping_add(1);
                            byte.into()
                        }
                        _ => index(take(bytes, &mut at)?),
                    };
                    batch.put_string(place, strings, entry, values.bytes)?;
                    *batch.numbers.get_mut(place)? = low(entry);
                    place = place.wrapping_add(batch.columns);
                }
                if flags.keep {
                    for row in 0..rows {
                        let place = batch.place(row, column);
                        let entry = index((*batch.numbers.get(place)?).into());
                        *batch.numbers.get_mut(place)? = self.known(column, entry, &mut batch.memo);
                    }
                }
                NEXT.set_place(&mut record, start.wrapping_add(at));
            }
            kind::DERIVED => {
                let source = SOURCE.place(&record);
                // Lagging columns read the source on their own.
                if USED.get(self.records.get(source)?) != USED.get(&record) {
                    return None;
                }
                let strings = strings(self.tables, &record)?;
                let mut place = column;
                for _ in 0..rows {
                    let number = *batch.numbers.get(place.wrapping_sub(column).wrapping_add(source))?;
                    batch.put_string(place, strings, index(number.into()), values.bytes)?;
                    place = place.wrapping_add(batch.columns);
                }
            }
            _ => {
                for row in 0..rows {
                    let used = USED.get(&record);
                    let found = next(values, self.tables, &mut record).ok()?;
                    USED.set(&mut record, used.saturating_add(1));
                    batch.put(batch.place(row, column), found, flags, values.bytes)?;
                }
            }
        }
        USED.set(&mut record, USED.get(self.records.get(column)?).saturating_add(u64_from(rows)));
        if flags.keep {
            let last = *batch.numbers.get(batch.place(rows.saturating_sub(1), column))?;
            // The row after this one may read it.
            NUMBER.set(&mut record, if last == UNKNOWN { u64_from(usize::MAX) } else { last.into() });
        }
        *batch.after.get_mut(column)? = record;
        Some(())
    }

    /// Returns the number of an entry of a dictionary among the distinct values of its column.
    #[inline(always)]
    fn known(&mut self, column: usize, entry: usize, memo: &mut [Known; MEMO]) -> u32 {
        let Some(known) = memo.get_mut(entry.wrapping_add(column.wrapping_mul(61)) & (MEMO - 1)) else {
            return UNKNOWN;
        };
        let next = entry.saturating_add(1);
        if (known.column, known.entry) != (column, next) {
            let found = self.records.get(column).and_then(|record| string(self.tables, record, entry));
            let number = found.map_or(UNKNOWN, |found| low(self.number(column, found)));
            *known = Known { column, entry: next, number };
        }
        known.number
    }

    /// Appends the cells of a batch. Returns `false`, with nothing appended, if the output may
    /// refuse some of them.
    ///
    /// # Contract of the hot path
    ///
    /// A cell is copied whole, and the next one overwrites what it has too much. Nothing here may
    /// depend on the kind of a column.
    fn join(&self, rows: usize, batch: &Batch, out: &mut Output<'_>) -> bool {
        let cells = rows.saturating_mul(batch.columns);
        let lens = batch.lens.get(..cells).unwrap_or_default();
        let cells = || batch.texts.iter().zip(lens);
        let field = |text: &[u8; SLACK]| {
            let (start, len) = outside(text);
            self.values.bytes.get(start..start.saturating_add(len)).unwrap_or_default()
        };
        let longest = lens.iter().fold(0, |longest, &len| len.max(longest));
        let all: u64 = if longest == OUTSIDE {
            let len = |(text, &len): (&[u8; SLACK], &u8)| {
                if len == OUTSIDE { u64_from(field(text).len()).saturating_add(1) } else { len.into() }
            };
            cells().map(len).sum()
        } else {
            lens.iter().map(|&len| u64::from(len)).sum()
        };
        let narrow = |place: &mut [u8]| {
            let mut at = 0usize;
            for (text, &len) in cells() {
                if let Some(place) = place.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<NARROW>)
                    && let Some(text) = text.first_chunk()
                {
                    *place = *text;
                }
                at = at.wrapping_add(len.into());
            }
            at
        };
        let any = |place: &mut [u8]| {
            let mut at = 0usize;
            for (text, &len) in cells() {
                let rest = place.get_mut(at..).unwrap_or_default();
                if let Some(place) = rest.first_chunk_mut() {
                    *place = *text;
                }
                if len == OUTSIDE {
                    let field = field(text);
                    copy(field, rest.get_mut(1..).unwrap_or_default());
                    at = at.wrapping_add(field.len()).wrapping_add(1);
                } else {
                    at = at.wrapping_add(len.into());
                }
            }
            at
        };
        let is_narrow = usize::from(longest) <= NARROW;
        let whole = |place: &mut [u8]| (if is_narrow { narrow(place) } else { any(place) }, ());
        if out.append_at_most(all, whole).is_some() {
            return true;
        }
        if !out.passes_on(all) {
            return false;
        }
        for (text, &len) in cells() {
            if len == OUTSIDE {
                let [delimiter, ..] = *text;
                out.byte(delimiter);
                out.put(field(text));
            } else {
                out.put_short(text, len.into());
            }
        }
        true
    }
}

/// A cursor over the differences of a column.
struct Deltas<'a> {
    bytes: &'a [u8],
    start: usize,
    at: usize,
    sum: i64,
    /// Every difference of the batch has one byte.
    is_short: bool,
}

impl<'a> Deltas<'a> {
    fn of(values: &'a [u8], record: &Record, rows: usize) -> Option<Self> {
        let start = NEXT.place(record);
        let bytes = values.get(start..END.place(record))?;
        let is_short = bytes.get(..rows).is_some_and(|bytes| bytes.iter().fold(0u8, |all, byte| all | byte) < 0x80);
        Some(Self { bytes, start, at: 0, sum: SUM.get(record).cast_signed(), is_short })
    }

    #[inline(always)]
    fn next(&mut self) -> Option<i64> {
        let code = if self.is_short {
            let byte = *self.bytes.get(self.at)?;
            self.at = self.at.wrapping_add(1);
            byte.into()
        } else {
            take(self.bytes, &mut self.at)?
        };
        self.sum = self.sum.checked_add(zigzag(code))?;
        Some(self.sum)
    }

    fn store(&self, record: &mut Record) {
        NEXT.set_place(record, self.start.saturating_add(self.at));
        SUM.set(record, self.sum.cast_unsigned());
    }
}

/// Reads a varint without a branch that depends on its length, unless that is above four bytes.
#[inline(always)]
fn take(bytes: &[u8], at: &mut usize) -> Option<u64> {
    const HIGH: u32 = 0x8080_8080;
    let rest = bytes.get(*at..)?;
    if let Some(chunk) = rest.first_chunk() {
        let word = u32::from_le_bytes(*chunk);
        let stops = !word & HIGH;
        if stops != 0 {
            *at = at.wrapping_add((stops.trailing_zeros() >> 3) as usize + 1);
            // Seven bits of each byte up to the first stop, then of two and of four together.
            let bits = word & (stops ^ stops.wrapping_sub(1)) & !HIGH;
            let pairs = bits & 0x007F_007F | bits >> 1 & 0x3F80_3F80;
            return Some(u64::from(pairs & 0x3FFF | pairs >> 2 & 0x0FFF_C000));
        }
    }
    take_long(rest, at)
}

/// Reads a varint of any length.
fn take_long(rest: &[u8], at: &mut usize) -> Option<u64> {
    let (value, len) = varint(rest).ok()?;
    *at = at.saturating_add(len);
    Some(value)
}

/// Returns the number of a value as a batch keeps it.
fn low(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_varints_of_every_length() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1 << shift) - 1, u64::MAX >> shift, 0x5555_5555_5555_5555 >> shift] {
                let mut bytes = vec![];
                let mut rest = value;
                while rest >= 0x80 {
                    bytes.push(rest as u8 | 0x80);
                    rest >>= 7;
                }
                bytes.push(rest as u8);
                let len = bytes.len();
                for after in [0, 1, 7, 8, 20] {
                    bytes.truncate(len);
                    bytes.extend([0xFF].repeat(after));
                    let mut at = 0;
                    assert_eq!((take(&bytes, &mut at), at), (Some(value), len), "{value:x}");
                }
                for cut in 0..len {
                    assert_eq!(take(&bytes[..cut], &mut 0), None);
                }
            }
        }
    }
}

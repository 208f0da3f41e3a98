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
    next, string,
};
use crate::at1::codecs::map::NumberText;
use crate::at1::digits::{Decimal, brief};
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

/// A field and the delimiter before it.
#[derive(Clone, Copy)]
struct Cell {
    text: [u8; SLACK],
    /// Bytes of the text; [`Cell::OUTSIDE`] if the field is too long for it.
    len: u8,
}

impl Cell {
    /// Length of a cell that holds start and length of a field in `values` instead.
    const OUTSIDE: u8 = u8::MAX;

    /// Fills the cell with the first `len` of 16 bytes, after `skip` bytes, 0 or 1.
    #[inline(always)]
    fn brief(&mut self, skip: usize, bytes: [u8; 16], len: usize) {
        let [_, field @ ..] = &mut self.text;
        if let Some(place) = field.get_mut(skip..).and_then(<[u8]>::first_chunk_mut) {
            *place = bytes;
        }
        self.set_len(len.wrapping_add(skip));
    }

    /// Sets the length of the field.
    #[inline(always)]
    fn set_len(&mut self, len: usize) {
        let [low, ..] = len.wrapping_add(1).to_le_bytes();
        self.len = low;
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
        let [_, field @ ..] = &mut self.text;
        if len <= field.len() {
            copy(values.get(start..start.saturating_add(len)).unwrap_or_default(), field);
            self.set_len(len);
        } else {
            let place = u128::from(u64_from(start)) | u128::from(u64_from(len)) << 64;
            self.brief(0, place.to_le_bytes(), 0);
            self.len = Self::OUTSIDE;
        }
    }

    /// Returns the bytes of delimiter and field.
    #[inline(always)]
    fn len(&self) -> u64 {
        if self.len == Self::OUTSIDE { u64_from(self.place().1).saturating_add(1) } else { self.len.into() }
    }

    /// Returns start and length of a field outside of the cell.
    fn place(&self) -> (usize, usize) {
        let [_, field @ ..] = &self.text;
        (index(u64_at(field, 0)), index(u64_at(field, 8)))
    }

    /// Fills the cell with a number.
    #[inline(always)]
    fn number(&mut self, number: Decimal) {
        let Some((text, len)) = brief(number) else { return self.long_number(number) };
        let [_, sign, ..] = &mut self.text;
        *sign = b'-';
        self.brief(usize::from(number.value < 0), text.to_le_bytes(), len);
    }

    #[cold]
    fn long_number(&mut self, number: Decimal) {
        let mut buffer = NumberText::NONE;
        let text = buffer.print(number);
        let [_, field @ ..] = &mut self.text;
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
    /// The cells of row 0, of row 1 and so on.
    cells: [Cell; CELLS],
    /// The number of each value that a column is derived from.
    numbers: [u32; CELLS],
    /// The cursors of the columns after the batch.
    after: [Record; MAX_COLUMNS],
    memo: [Known; MEMO],
    columns: usize,
    /// Bytes of all cells.
    len: u64,
}

impl Batch {
    /// Returns the memory for a table with this number of columns.
    pub(crate) fn new(columns: usize, delimiter: u8) -> Self {
        let cell = Cell { text: [delimiter; SLACK], len: 0 };
        let mut batch = Self {
            cells: [cell; CELLS],
            numbers: [0; CELLS],
            after: [[Word::default(); super::WORDS]; MAX_COLUMNS],
            memo: [Known::default(); MEMO],
            columns,
            len: 0,
        };
        // A row starts with the line feed that ends the one before it.
        let mut at = 0usize;
        while let Some(Cell { text: [first, ..], .. }) = batch.cells.get_mut(at) {
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

    /// Fills a cell with a value.
    #[inline(always)]
    fn put(&mut self, place: usize, found: Found, flags: Flags, values: &[u8]) -> Option<()> {
        let cell = self.cells.get_mut(place)?;
        match found {
            Found::Span(start, len) => cell.span(values, start, len),
            Found::Number(value) => cell.number(flags.number(value)),
        }
        self.len = self.len.wrapping_add(cell.len());
        Some(())
    }

    /// Calls `fill` for each cell of a column.
    #[inline(always)]
    fn each(&mut self, column: usize, rows: usize, mut fill: impl FnMut(&mut Cell) -> Option<()>) -> Option<()> {
        let (mut at, mut len) = (column, self.len);
        for _ in 0..rows {
            let cell = self.cells.get_mut(at)?;
            fill(cell)?;
            len = len.wrapping_add(cell.len());
            at = at.wrapping_add(self.columns);
        }
        self.len = len;
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
        batch.len = 0;
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
                batch.each(column, rows, |cell| {
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
                let mut deltas = Deltas::of(values.bytes, &record)?;
                match flags.number(0).scale {
                    None => batch.each(column, rows, |cell| {
                        cell.number(Decimal { value: deltas.next()?, scale: None });
                        Some(())
                    })?,
                    scale => batch.each(column, rows, |cell| {
                        cell.number(Decimal { value: deltas.next()?, scale });
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
                let mut deltas = Deltas::of(values.bytes, &record)?;
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
                let mut at = 0usize;
                for row in 0..rows {
                    let entry = index(take(bytes, &mut at)?);
                    let found = string(self.tables, &record, entry)?;
                    let place = batch.place(row, column);
                    batch.put(place, found, flags, values.bytes)?;
                    if flags.keep {
                        *batch.numbers.get_mut(place)? = self.known(column, entry, found, &mut batch.memo);
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
                for row in 0..rows {
                    let number = *batch.numbers.get(batch.place(row, source))?;
                    let found = string(self.tables, &record, index(number.into()))?;
                    batch.put(batch.place(row, column), found, flags, values.bytes)?;
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
    fn known(&mut self, column: usize, entry: usize, found: Found, memo: &mut [Known; MEMO]) -> u32 {
        let Some(known) = memo.get_mut(entry.wrapping_add(column.wrapping_mul(61)) & (MEMO - 1)) else {
            return UNKNOWN;
        };
        let entry = entry.saturating_add(1);
        if (known.column, known.entry) != (column, entry) {
            *known = Known { column, entry, number: low(self.number(column, found)) };
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
        let cells = batch.cells.get(..rows.saturating_mul(batch.columns)).unwrap_or_default();
        let values = self.values.bytes;
        let outside = |cell: &Cell| {
            let (start, len) = cell.place();
            values.get(start..start.saturating_add(len)).unwrap_or_default()
        };
        let whole = |place: &mut [u8]| {
            let mut at = 0usize;
            for cell in cells {
                let rest = place.get_mut(at..).unwrap_or_default();
                if let Some(place) = rest.first_chunk_mut() {
                    *place = cell.text;
                }
                if cell.len == Cell::OUTSIDE {
                    let field = outside(cell);
                    copy(field, rest.get_mut(1..).unwrap_or_default());
                    at = at.wrapping_add(field.len()).wrapping_add(1);
                } else {
                    at = at.wrapping_add(cell.len.into());
                }
            }
            (at, ())
        };
        if out.append_at_most(batch.len, whole).is_some() {
            return true;
        }
        if !out.passes_on(batch.len) {
            return false;
        }
        for cell in cells {
            if cell.len == Cell::OUTSIDE {
                let [delimiter, ..] = cell.text;
                out.byte(delimiter);
                out.put(outside(cell));
            } else {
                out.put_short(&cell.text, cell.len.into());
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
}

impl<'a> Deltas<'a> {
    fn of(values: &'a [u8], record: &Record) -> Option<Self> {
        let start = NEXT.place(record);
        let bytes = values.get(start..END.place(record))?;
        Some(Self { bytes, start, at: 0, sum: SUM.get(record).cast_signed() })
    }

    #[inline(always)]
    fn next(&mut self) -> Option<i64> {
        let delta = zigzag(take(self.bytes, &mut self.at)?);
        self.sum = self.sum.checked_add(delta)?;
        Some(self.sum)
    }

    fn store(&self, record: &mut Record) {
        NEXT.set_place(record, self.start.saturating_add(self.at));
        SUM.set(record, self.sum.cast_unsigned());
    }
}

/// Reads a varint without a branch that depends on its length, if eight bytes are left.
#[inline(always)]
fn take(bytes: &[u8], at: &mut usize) -> Option<u64> {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let rest = bytes.get(*at..)?;
    if let Some(chunk) = rest.first_chunk() {
        let word = u64::from_le_bytes(*chunk);
        let stops = !word & HIGH;
        if stops != 0 {
            *at = at.saturating_add((stops.trailing_zeros() >> 3) as usize + 1);
            // Seven bits of each byte up to the first stop, then of two, four and eight together.
            let bits = word & (stops ^ stops.wrapping_sub(1)) & !HIGH;
            let pairs = bits & 0x007F_007F_007F_007F | bits >> 1 & 0x3F80_3F80_3F80_3F80;
            let fours = pairs & 0x0000_3FFF_0000_3FFF | pairs >> 2 & 0x0FFF_C000_0FFF_C000;
            return Some(fours & 0x0FFF_FFFF | fours >> 4 & 0x00FF_FFFF_F000_0000);
        }
    }
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

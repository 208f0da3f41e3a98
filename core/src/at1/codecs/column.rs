//! The columns of a table: seven kinds of values, each read in order.
//!
//! Values are taken one after the other, so that a column is only a cursor: a [`Record`] of words
//! in the scratch. Tables of words after the records hold dictionaries and the data of derived
//! columns.
//!
//! A derived column maps each distinct value of its source to a string. The source numbers its
//! values once, for all columns that are derived from it.

pub(crate) mod batch;

use core::ops::Range;

use super::map::{Map, NumberText};
use super::shared::{ErrorKind, Fault, Lines, Numbers, Output, Scratch, Stream, Verdict, Word};
use crate::at1::budget::WorkBudget;
use crate::at1::digits::{Decimal, MAX_SCALE};
use crate::at1::streams::lines::line_len;
use crate::num::{index, u64_from};
use crate::{steps, tuning};

/// Words of a cursor.
const WORDS: usize = 16;

/// Derived columns allowed between a lagging column and the root of its chain.
const MAX_BETWEEN: usize = 16;

/// Bytes of scratch for each column.
pub(crate) const RECORD: u64 = 8 * WORDS as u64;

/// The cursor of a column: [`Flags`], then numbers. The kind of the column decides which [`Field`]s
/// it has.
type Record = [Word; WORDS];

/// A number of a record, by its word. Two fields share a word only if no kind has both.
#[derive(Clone, Copy)]
struct Field(usize);

/// Position in `values` of the next number, index, line or plane.
const NEXT: Field = Field(1);
/// End of the column in `values`.
const END: Field = Field(2);
/// Values taken so far.
const USED: Field = Field(4);
/// Number of values, if it is stored or was counted.
const COUNT: Field = Field(5);
/// Position of the bits that mark quoted fields.
const QUOTES: Field = Field(11);
// Fields of a column that others are derived from:
/// First word of the map of its distinct values.
const MAP: Field = Field(12);
/// Capacity of the map: the strings of the longest derived column.
const KEYS: Field = Field(13);
/// Distinct values so far.
const KNOWN: Field = Field(14);
/// Number of the last value in the map.
const NUMBER: Field = Field(15);
// Fields of numbers stored as differences, also between exceptions:
/// The last number, as bits.
const SUM: Field = Field(3);
// Fields of shuffled numbers:
/// The smallest number, as bits.
const SMALLEST: Field = Field(3);
// Fields of numbers with exceptions:
/// Position in `values` of the bits that are set for numbers.
const BITS: Field = Field(6);
/// Position in `values` of the next exception.
const NEXT_EXCEPTION: Field = Field(7);
/// Number of exceptions.
const EXCEPTIONS: Field = Field(9);
/// Exceptions taken so far.
const TAKEN: Field = Field(10);
// Fields of dictionaries and derived columns:
/// Position of the strings in `values`.
const STRINGS: Field = Field(6);
/// First word of the table of string positions.
const TABLE: Field = Field(8);
/// Number of strings.
const ENTRIES: Field = Field(9);
// Fields of derived columns:
/// The source column.
const SOURCE: Field = Field(7);

impl Field {
    #[inline]
    fn get(self, record: &Record) -> u64 {
        record.get(self.0).map_or(0, |&word| u64::from_le_bytes(word))
    }

    /// Returns it as a position in memory.
    #[cfg_attr(feature = "small", inline(never))]
    fn place(self, record: &Record) -> usize {
        index(self.get(record))
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn set(self, record: &mut Record, value: u64) {
        if let Some(word) = record.get_mut(self.0) {
            *word = value.to_le_bytes();
        }
    }

    #[inline]
    fn set_place(self, record: &mut Record, value: usize) {
        self.set(record, u64_from(value));
    }
}

/// The kinds of columns, as `coltypes` numbers them.
mod kind {
    /// A list of lines.
    pub(super) const TEXT: u8 = 0;
    /// Differences of integers.
    pub(super) const INTEGER: u8 = 1;
    /// Differences of decimals of one scale.
    pub(super) const DECIMAL: u8 = 2;
    /// Differences, and texts where a bit is 0.
    pub(super) const EXCEPTIONS: u8 = 3;
    /// A map of the values of another column.
    pub(super) const DERIVED: u8 = 4;
    /// Indices into a dictionary.
    pub(super) const DICTIONARY: u8 = 5;
    /// Integers above a smallest one, as planes of bytes.
    pub(super) const SHUFFLED: u8 = 6;
}

/// A value: start and length in `values`, or a number.
#[derive(Clone, Copy)]
enum Found {
    Span(usize, usize),
    Number(i64),
}

impl Found {
    /// Returns start and length, or a number and all ones.
    fn words(self) -> [u64; 2] {
        match self {
            Self::Span(start, len) => [start, len].map(u64_from),
            Self::Number(value) => [value.cast_unsigned(), u64::MAX],
        }
    }

    fn of(words: [u64; 2]) -> Self {
        match words {
            [value, u64::MAX] => Self::Number(value.cast_signed()),
            [start, len] => Self::Span(index(start), index(len)),
        }
    }

    /// Returns the text of a value. Prints a number in `buffer`.
    fn text<'t>(self, values: &'t [u8], flags: Flags, buffer: &'t mut NumberText) -> &'t [u8] {
        match self {
            Self::Span(start, len) => values.get(start..start.saturating_add(len)).unwrap_or_default(),
            Self::Number(value) => buffer.print(flags.number(value)),
        }
    }
}

/// All columns of a table.
pub(crate) struct Columns<'a> {
    values: Stream<'a>,
    quote_bits: Stream<'a>,
    records: &'a mut [Record],
    tables: &'a mut [Word],
    /// Bytes of values that were looked up for lagging columns.
    lagging: WorkBudget,
}

/// The first word of a record.
#[derive(Clone, Copy)]
struct Flags {
    kind: u8,
    scale: u8,
    quote: u8,
    keep: bool,
    width: u8,
    decimal: bool,
}

impl Flags {
    #[inline]
    fn of(record: &Record) -> Self {
        let [[kind, scale, quote, keep, width, decimal, _, _], ..] = *record;
        Self { kind, scale, quote, keep: keep != 0, width, decimal: decimal != 0 }
    }

    fn store(self, record: &mut Record) {
        let [first, ..] = record;
        *first = [self.kind, self.scale, self.quote, self.keep.into(), self.width, self.decimal.into(), 0, 0];
    }

    #[inline]
    fn number(self, value: i64) -> Decimal {
        Decimal { value, scale: self.decimal.then_some(self.scale) }
    }
}

impl<'a> Columns<'a> {
    /// Reads the head of each column and the strings of dictionaries and maps.
    #[inline(never)]
    pub(crate) fn open(
        count: usize,
        types: Stream<'a>,
        lengths: Stream<'a>,
        values: Stream<'a>,
        [quote_modes, quote_bits]: [Stream<'a>; 2],
        scratch: &mut Scratch<'a>,
    ) -> Verdict<Self> {
        // `types` may list more columns. Its size counts, so that stream headers alone say how much
        // scratch is needed.
        let records = scratch.records::<WORDS>(u64_from(types.bytes.len().max(count)))?;
        let records = records.get_mut(..count).unwrap_or_default();
        records.fill(Record::default());
        let mut columns = Self { values, quote_bits, records, tables: &mut [], lagging: WorkBudget::default() };
        let (mut types, mut lengths, mut modes) = (types.numbers(), lengths.numbers(), quote_modes.numbers());
        let mut start = 0usize;
        let mut words = 0u64;
        for column in 0..count {
            let kind = types.byte()?;
            if kind > kind::SHUFFLED {
                return Err(types.fault(ErrorKind::At1ColumnType));
            }
            let end = start.saturating_add(lengths.index()?);
            if end > values.bytes.len() {
                return Err(lengths.fault(ErrorKind::At1StreamShort));
            }
            words = columns.head(column, kind, start..end, modes.byte()?, words)?;
            start = end;
        }
        for record in columns.records.iter_mut().filter(|record| Flags::of(record).keep) {
            MAP.set(record, words);
            words = words.saturating_add(Map::words(KEYS.get(record)));
        }
        columns.tables = scratch.records::<1>(words)?.as_flattened_mut();
        columns.tables.fill(Word::default());
        columns.fill()?;
        columns.place_quotes()?;
        Ok(columns)
    }

    /// Returns the number of columns.
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.records.len()
    }

    /// Reads the head of a column. `words` is the length of the tables; returns the new length.
    fn head(&mut self, column: usize, kind: u8, at: Range<usize>, quote: u8, mut words: u64) -> Verdict<u64> {
        let end = at.end;
        let mut numbers = part(self.values, at.start, end);
        let mut flags = Flags { kind, scale: 0, quote, keep: false, width: 0, decimal: kind == kind::DECIMAL };
        let mut record = Record::default();
        TABLE.set(&mut record, words);
        if kind == kind::EXCEPTIONS {
            flags.decimal = match numbers.byte()? {
                0 => false,
                1 => true,
                _ => return Err(numbers.fault(ErrorKind::At1ColumnType)),
            };
        }
        if flags.decimal {
            flags.scale = numbers.byte()?;
            if flags.scale > MAX_SCALE {
                return Err(numbers.fault(ErrorKind::At1Scale));
            }
        }
        match kind {
            kind::EXCEPTIONS => {
                let count = numbers.index()?;
                COUNT.set_place(&mut record, count);
                BITS.set_place(&mut record, numbers.position(end));
                numbers.bytes(count.div_ceil(8))?;
                let texts = numbers.count()?;
                if texts > count {
                    return Err(numbers.fault(ErrorKind::At1StreamShort));
                }
                EXCEPTIONS.set_place(&mut record, texts);
                NEXT_EXCEPTION.set_place(&mut record, numbers.position(end));
                for _ in 0..texts {
                    numbers.string()?;
                }
            }
            kind::DERIVED => {
                let source = numbers.index()?;
                if source >= column {
                    return Err(numbers.fault(ErrorKind::At1DerivedSource));
                }
                let entries = u64_from(numbers.count()?);
                if let Some(source) = self.records.get_mut(source) {
                    Flags { keep: true, ..Flags::of(source) }.store(source);
                    KEYS.set(source, KEYS.get(source).max(entries));
                }
                SOURCE.set_place(&mut record, source);
                ENTRIES.set(&mut record, entries);
                STRINGS.set_place(&mut record, numbers.position(end));
                // A cursor of its own precedes the table, for rows in which the source gets ahead.
                words = words.saturating_add(u64_from(WORDS));
                TABLE.set(&mut record, words);
                words = words.saturating_add(entries.saturating_mul(2));
            }
            kind::DICTIONARY => {
                let (count, entries) = (numbers.count()?, numbers.count()?);
                COUNT.set_place(&mut record, count);
                ENTRIES.set_place(&mut record, entries);
                STRINGS.set_place(&mut record, numbers.position(end));
                for _ in 0..entries {
                    numbers.string()?;
                }
                if count > numbers.rest().len() {
                    return Err(numbers.fault(ErrorKind::At1StreamShort));
                }
                words = words.saturating_add(u64_from(entries).saturating_mul(2));
            }
            kind::SHUFFLED => {
                let count = numbers.index()?;
                SMALLEST.set(&mut record, numbers.signed()?.cast_unsigned());
                flags.width = numbers.byte()?;
                if !(1..=8).contains(&flags.width) {
                    return Err(numbers.fault(ErrorKind::At1Scale));
                }
                if count.checked_mul(flags.width.into()).is_none_or(|bytes| bytes > numbers.rest().len()) {
                    return Err(numbers.fault(ErrorKind::At1StreamShort));
                }
                COUNT.set_place(&mut record, count);
            }
            _ => {}
        }
        NEXT.set_place(&mut record, numbers.position(end));
        END.set_place(&mut record, end);
        flags.store(&mut record);
        if let Some(slot) = self.records.get_mut(column) {
            *slot = record;
        }
        Ok(words)
    }

    /// Fills the tables: positions of strings, and for each derived column a cursor at its root.
    #[inline(never)]
    fn fill(&mut self) -> Verdict<()> {
        for record in self.records.iter() {
            steps::count(1);
            match Flags::of(record).kind {
                kind::DICTIONARY => {}
                kind::DERIVED => {
                    // A derived source comes before this column and has found its root.
                    let source = self.records.get(SOURCE.place(record)).copied().unwrap_or_default();
                    let derived = Flags::of(&source).kind == kind::DERIVED;
                    let root =
                        own_cursor(self.tables, TABLE.place(&source)).filter(|_| derived).map_or(source, |root| *root);
                    if let Some(own) = own_cursor(self.tables, TABLE.place(record)) {
                        copy_record(&root, own);
                    }
                }
                _ => continue,
            }
            let end = END.place(record);
            let mut strings = part(self.values, STRINGS.place(record), end);
            let table = self.tables.get_mut(TABLE.place(record)..).unwrap_or_default().as_chunks_mut::<2>().0;
            for span in table.iter_mut().take(ENTRIES.place(record)) {
                let len = strings.string()?.len();
                *span = [strings.position(end).saturating_sub(len), len].map(|value| u64_from(value).to_le_bytes());
            }
        }
        Ok(())
    }

    /// Finds the quote bits of each column that has both quoted and other fields. Columns follow
    /// each other in whole bytes.
    fn place_quotes(&mut self) -> Verdict<()> {
        if self.records.iter().all(|record| Flags::of(record).quote < 2) {
            return Ok(());
        }
        let mut at = 0u64;
        for column in 0..self.records.len() {
            let count = self.count(column)?;
            let Some(record) = self.records.get_mut(column) else { continue };
            COUNT.set(record, count);
            if Flags::of(record).quote >= 2 {
                QUOTES.set(record, at);
                at = at.saturating_add(count.div_ceil(8));
            }
        }
        if at > u64_from(self.quote_bits.bytes.len()) {
            return Err(self.quote_bits.fault(ErrorKind::At1StreamShort, self.quote_bits.bytes.len()));
        }
        Ok(())
    }

    /// Returns the number of values of a column. Earlier columns must be counted.
    fn count(&self, column: usize) -> Verdict<u64> {
        let record = self.record(column)?;
        let part = rest(self.values, record);
        let kind = Flags::of(record).kind;
        if kind != kind::DERIVED {
            steps::count(part.rest().len());
        }
        Ok(match kind {
            kind::TEXT => Lines::new(part.stream()).left(),
            kind::INTEGER | kind::DECIMAL => u64_from(part.rest().iter().filter(|&&byte| byte < 0x80).count()),
            // The same as its source.
            kind::DERIVED => COUNT.get(self.record(SOURCE.place(record))?),
            _ => COUNT.get(record),
        })
    }

    /// Returns the cursor of a column.
    fn record(&self, column: usize) -> Verdict<&Record> {
        self.records.get(column).ok_or(Fault::new(ErrorKind::At1ListShort, 0))
    }

    /// Appends the next field of a column.
    ///
    /// # Contract of the hot path
    ///
    /// Takes one value in each call. Most columns are texts or differences, without quotes, and
    /// nothing is derived from them: these kinds are handled here, without building a [`Found`].
    /// Everything else is in [`any_field`](Self::any_field). Handle no other kind here: rows call
    /// this once a field, inlined. The caller checks `column`. Measurements:
    /// `docs/tried/at1.md`.
    #[inline]
    pub(crate) fn field(&mut self, column: usize, out: &mut Output<'_>) -> Verdict<()> {
        let Some(record) = self.records.get_mut(column) else { return Ok(()) };
        let flags = Flags::of(record);
        let plain = flags.quote == 0 && !flags.keep;
        match flags.kind {
            // The fast path: no quotes, and no derived column needs the value.
            kind::TEXT if plain => {
                let start = NEXT.place(record);
                let rest = self.values.bytes.get(start..END.place(record)).ok_or_else(|| short(self.values, record))?;
                let len = out.put_line(rest);
                NEXT.set_place(record, start.saturating_add(len).saturating_add(1));
                Ok(())
            }
            kind::INTEGER | kind::DECIMAL if plain => {
                flags.number(difference(self.values, record)?).put(out);
                Ok(())
            }
            _ => self.any_field(column, out),
        }
    }

    /// Appends the next field of any kind, with quotes if it has them.
    fn any_field(&mut self, column: usize, out: &mut Output<'_>) -> Verdict<()> {
        let record = self.record(column)?;
        let (flags, used) = (Flags::of(record), USED.get(record));
        let found = match self.records.get_mut(column) {
            Some(record) if flags.kind != kind::DERIVED => next(self.values, self.tables, record)?,
            _ => self.derived(column, out.written())?,
        };
        let number = if flags.keep { self.number(column, found) } else { 0 };
        let Some(record) = self.records.get_mut(column) else { return Ok(()) };
        USED.set(record, used.saturating_add(1));
        NUMBER.set_place(record, number);
        let quote = match flags.quote {
            0 => false,
            1 => true,
            _ => {
                let at = index(QUOTES.get(record).saturating_add(used >> 3));
                let bits = self.quote_bits.bytes.get(at).copied();
                bits.ok_or_else(|| self.quote_bits.fault(ErrorKind::At1StreamShort, at))? >> (used & 7) & 1 == 1
            }
        };
        match found {
            _ if quote => quoted(found, self.values.bytes, flags, out),
            Found::Span(start, len) => {
                out.put(self.values.bytes.get(start..start.saturating_add(len)).unwrap_or_default());
            }
            Found::Number(value) => flags.number(value).put(out),
        }
        Ok(())
    }

    /// Returns the next value of a derived column.
    fn derived(&mut self, column: usize, written: u64) -> Verdict<Found> {
        let record = self.record(column)?;
        let source = self.record(SOURCE.place(record))?;
        // Both columns take a value in each row that has both fields. In a row that ends between
        // them, the source gets ahead.
        let number = if USED.get(source) == USED.get(record).saturating_add(1) {
            NUMBER.place(source)
        } else {
            self.after(column, written)?
        };
        self.mapped(column, number)
    }

    /// Returns the number of the source value for a lagging column. Reads it with its own cursor
    /// over the root, and maps it through the columns between, which have all numbered it.
    #[cold]
    #[inline(never)]
    fn after(&mut self, column: usize, written: u64) -> Verdict<usize> {
        let record = self.record(column)?;
        let fault = self.values.fault(ErrorKind::At1DerivedAhead, STRINGS.place(record));
        // The columns between, the nearest first.
        let mut between = [0; MAX_BETWEEN];
        let mut len = 0usize;
        let mut source = SOURCE.place(record);
        while let Some(other) = self.records.get(source)
            && Flags::of(other).kind == kind::DERIVED
        {
            *between.get_mut(len).ok_or(fault)? = source;
            (source, len) = (SOURCE.place(other), len.saturating_add(1));
        }
        let (used, table) = (USED.get(record), TABLE.place(record));
        let mut own = *own_cursor(self.tables, table).ok_or(fault)?;
        let mut value = loop {
            steps::count(1);
            let (value, taken) = (next(self.values, self.tables, &mut own)?, USED.get(&own));
            USED.set(&mut own, taken.saturating_add(1));
            if taken >= used {
                break value;
            }
        };
        if let Some(place) = own_cursor(self.tables, table) {
            copy_record(&own, place);
        }
        let mut between = between.get(..len).unwrap_or_default().iter().rev();
        loop {
            // Each lagging column reads the value again.
            if let Found::Span(_, len) = value
                && self.lagging.is_overspent(u64_from(len), written)
            {
                return Err(fault);
            }
            steps::count(1);
            let number = self.number(source, value);
            let Some(&next) = between.next() else { return Ok(number) };
            (source, value) = (next, self.mapped(next, number)?);
        }
    }

    /// Returns the number of a value among the distinct values of its column. If the map is full,
    /// returns a number that no derived column has a string for.
    #[inline(never)]
    fn number(&mut self, column: usize, value: Found) -> usize {
        let Some(record) = self.records.get_mut(column) else { return usize::MAX };
        let flags = Flags::of(record);
        let (mut own, mut buffer, bytes) = (NumberText::NONE, NumberText::NONE, value.words()[0].to_le_bytes());
        let key = match value {
            // Without exceptions, no text of the column can equal a number.
            Found::Number(_) if !tuning::LEAN && flags.kind != kind::EXCEPTIONS => &bytes,
            _ => value.text(self.values.bytes, flags, &mut own),
        };
        steps::count(key.len());
        let keys = KEYS.place(record);
        let words = self.tables.get_mut(MAP.place(record)..).unwrap_or_default();
        let mut map = Map::new(words, keys, KNOWN.place(record));
        let same = |other: [u64; 2]| match (value, Found::of(other)) {
            (Found::Number(one), Found::Number(other)) => one == other,
            // An exception may read like a number.
            (_, other) => other.text(self.values.bytes, flags, &mut buffer) == key,
        };
        // After a value without a number, no later value may get one.
        let (number, known) = map.find(key, value.words(), same).unwrap_or((usize::MAX, keys));
        KNOWN.set_place(record, known);
        number
    }

    /// Returns the string of a derived column for a value of its source.
    fn mapped(&self, column: usize, number: usize) -> Verdict<Found> {
        let record = self.record(column)?;
        let missing = || self.values.fault(ErrorKind::At1DerivedMap, STRINGS.place(record));
        string(self.tables, record, number).ok_or_else(missing)
    }
}

/// Returns a part of `values`.
#[inline]
fn part(values: Stream<'_>, at: usize, end: usize) -> Numbers<'_> {
    values.part(at, end).unwrap_or_default().numbers()
}

/// Returns the unread part of a column.
#[inline]
fn rest<'a>(values: Stream<'a>, record: &Record) -> Numbers<'a> {
    part(values, NEXT.place(record), END.place(record))
}

/// Returns start and length of each string of a column.
fn strings<'t>(tables: &'t [Word], record: &Record) -> Option<&'t [[Word; 2]]> {
    tables.get(TABLE.place(record)..)?.as_chunks().0.get(..ENTRIES.place(record))
}

/// Returns the string of this number.
fn string(tables: &[Word], record: &Record, number: usize) -> Option<Found> {
    let [start, len] = strings(tables, record)?.get(number)?.map(u64::from_le_bytes).map(index);
    Some(Found::Span(start, len))
}

/// Returns the own cursor of a derived column, which precedes its table.
fn own_cursor(tables: &mut [Word], table: usize) -> Option<&mut Record> {
    tables.get_mut(table.checked_sub(WORDS)?..)?.first_chunk_mut()
}

/// Copies a record. As a function, because the compiler would otherwise link `memmove` for records
/// that might overlap.
#[inline(never)]
const fn copy_record(from: &Record, to: &mut Record) {
    *to = *from;
}

/// Appends a value in quotes, with each quote doubled.
#[cold]
#[inline(never)]
fn quoted(found: Found, values: &[u8], flags: Flags, out: &mut Output<'_>) {
    let mut buffer = NumberText::NONE;
    let mut text = found.text(values, flags, &mut buffer);
    out.byte(b'"');
    while let Some((head, tail)) = memchr::memchr(b'"', text).and_then(|at| text.split_at_checked(at + 1)) {
        out.put(head);
        out.byte(b'"');
        text = tail;
    }
    out.put(text);
    out.byte(b'"');
}

/// Returns the next value of a column that is not derived.
fn next(values: Stream<'_>, tables: &[Word], record: &mut Record) -> Verdict<Found> {
    let flags = Flags::of(record);
    let used = USED.get(record);
    if flags.kind >= kind::EXCEPTIONS && used >= COUNT.get(record) {
        return Err(short(values, record));
    }
    match flags.kind {
        kind::INTEGER | kind::DECIMAL => difference(values, record).map(Found::Number),
        kind::EXCEPTIONS => {
            let at = BITS.place(record).saturating_add(index(used >> 3));
            let bits = values.bytes.get(at).copied().unwrap_or(0);
            if bits >> (used & 7) & 1 == 1 {
                return difference(values, record).map(Found::Number);
            }
            exception(values, record)
        }
        kind::DICTIONARY => {
            let mut numbers = rest(values, record);
            let entry = numbers.index()?;
            NEXT.set_place(record, numbers.position(END.place(record)));
            string(tables, record, entry).ok_or_else(|| numbers.fault(ErrorKind::At1DictionaryIndex))
        }
        kind::SHUFFLED => {
            let count = COUNT.place(record);
            let numbers = rest(values, record);
            // A plane for each byte of a number. Not by `step_by`, which divides.
            let (mut at, mut above) = (index(used), 0);
            for plane in 0..flags.width {
                let byte = numbers.rest().get(at).copied().unwrap_or(0);
                above |= u64::from(byte) << (8 * (plane & 7));
                at = at.wrapping_add(count);
            }
            let value = SMALLEST.get(record).cast_signed().checked_add_unsigned(above);
            Ok(Found::Number(value.ok_or_else(|| numbers.fault(ErrorKind::At1SumOverflow))?))
        }
        _ => {
            let start = NEXT.place(record);
            let rest = values.bytes.get(start..END.place(record)).ok_or_else(|| short(values, record))?;
            let len = line_len(rest);
            NEXT.set_place(record, start.saturating_add(len).saturating_add(1));
            Ok(Found::Span(start, len))
        }
    }
}

/// Returns the next number of a column of differences.
#[inline]
fn difference(values: Stream<'_>, record: &mut Record) -> Verdict<i64> {
    let mut numbers = rest(values, record);
    let mut sum = SUM.get(record).cast_signed();
    numbers.add_to(&mut sum)?;
    NEXT.set_place(record, numbers.position(END.place(record)));
    SUM.set(record, sum.cast_unsigned());
    Ok(sum)
}

/// Returns the next exception of a column of numbers.
fn exception(values: Stream<'_>, record: &mut Record) -> Verdict<Found> {
    let taken = TAKEN.get(record);
    if taken >= EXCEPTIONS.get(record) {
        return Err(short(values, record));
    }
    let end = END.place(record);
    let mut strings = part(values, NEXT_EXCEPTION.place(record), end);
    let len = strings.string()?.len();
    let next = strings.position(end);
    NEXT_EXCEPTION.set_place(record, next);
    TAKEN.set(record, taken.saturating_add(1));
    Ok(Found::Span(next.saturating_sub(len), len))
}

/// Returns the fault of a column with too few values.
#[cold]
fn short(values: Stream<'_>, record: &Record) -> Fault {
    values.fault(ErrorKind::At1ListShort, NEXT.place(record))
}

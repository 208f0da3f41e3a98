//! The columns of a table: seven types of value, each read in order.
//!
//! A column needs no more than a cursor, because its values are taken one after the other. A cursor is a [`Record`] of words in the scratch;
//! dictionaries and what derived columns need are tables of words after the records.
//!
//! A derived column says what becomes of each distinct value of its source. Which of them a value is, is found out once where the source takes
//! it, however many columns are derived from it.

use core::marker::PhantomData;

use super::map::{Map, NumberText};
use crate::ErrorKind;
use crate::at1::budget::WorkBudget;
use crate::at1::digits::{Decimal, MAX_SCALE};
use crate::at1::output::Output;
use crate::at1::scratch::Scratch;
use crate::at1::streams::lines::{Lines, line_len};
use crate::at1::streams::numbers::{Numbers, Stream};
use crate::at1::streams::record::Word;
use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
use crate::steps;

/// Words that a cursor remembers.
const WORDS: usize = 16;

/// Through so many derived columns a column may be derived that lags behind its source.
const MAX_BETWEEN: usize = 16;

/// Bytes of scratch for each column.
pub(crate) const RECORD: u64 = 8 * WORDS as u64;

/// The cursor of a column: [`Flags`], then numbers. Which numbers depends on the kind of column; each is a [`Field`].
type Record = [Word; WORDS];

/// A number of a record: its word, and its type. Two fields share a word only if no kind of column has both.
#[derive(Clone, Copy)]
struct Field<T> {
    word: usize,
    number: PhantomData<T>,
}

impl<T> Field<T> {
    const fn new(word: usize) -> Self {
        Self { word, number: PhantomData }
    }
}

/// Where the next number, index, line or plane starts in `values`.
const NEXT: Field<usize> = Field::new(1);
/// Where the column ends in `values`.
const END: Field<usize> = Field::new(2);
/// How many values have been taken.
const USED: Field<u64> = Field::new(4);
/// How many values there are, where the column says so, or somebody had to know.
const COUNT: Field<u64> = Field::new(5);
/// Where the bits of the column start that say which fields are quoted.
const QUOTES: Field<u64> = Field::new(11);
// Of a column that others are derived from:
/// The first word of the map of its distinct values.
const MAP: Field<usize> = Field::new(12);
/// How many of them the map has room for: as many as the longest of the derived columns has strings.
const KEYS: Field<usize> = Field::new(13);
/// How many there have been.
const KNOWN: Field<usize> = Field::new(14);
/// Which of them the last value was.
const NUMBER: Field<usize> = Field::new(15);

/// Numbers that are stored as differences, also those between exceptions.
mod differences {
    use super::Field;
    /// The last number.
    pub(super) const SUM: Field<i64> = Field::new(3);
}

/// Shuffled numbers.
mod shuffled {
    use super::Field;
    pub(super) const SMALLEST: Field<i64> = Field::new(3);
}

/// Numbers with exceptions.
mod exceptions {
    use super::Field;
    /// Where the bits start in `values` that are set for numbers.
    pub(super) const BITS: Field<usize> = Field::new(6);
    /// Where the next exception starts in `values`.
    pub(super) const NEXT: Field<usize> = Field::new(7);
    pub(super) const COUNT: Field<u64> = Field::new(9);
    /// How many have been taken.
    pub(super) const TAKEN: Field<u64> = Field::new(10);
}

/// Strings that are picked by number, of dictionaries and derived columns.
mod strings {
    use super::Field;
    /// Where they start in `values`.
    pub(super) const START: Field<usize> = Field::new(6);
    /// The first word of the table of where each of them lies.
    pub(super) const TABLE: Field<usize> = Field::new(8);
    pub(super) const COUNT: Field<usize> = Field::new(9);
}

/// Derived columns.
mod derived {
    use super::Field;
    /// The column that it is derived from.
    pub(super) const SOURCE: Field<usize> = Field::new(7);
}

impl Field<u64> {
    #[inline]
    fn get(self, record: &Record) -> u64 {
        record.get(self.word).map_or(0, |&word| u64::from_le_bytes(word))
    }

    #[cfg_attr(feature = "small", inline(never))]
    #[cfg_attr(not(feature = "small"), inline)]
    fn set(self, record: &mut Record, value: u64) {
        if let Some(word) = record.get_mut(self.word) {
            *word = value.to_le_bytes();
        }
    }
}

impl Field<usize> {
    #[cfg_attr(feature = "small", inline(never))]
    #[cfg_attr(not(feature = "small"), inline)]
    fn get(self, record: &Record) -> usize {
        index(Field::<u64>::new(self.word).get(record))
    }

    #[inline]
    fn set(self, record: &mut Record, value: usize) {
        Field::<u64>::new(self.word).set(record, u64_from(value));
    }
}

impl Field<i64> {
    #[inline]
    fn get(self, record: &Record) -> i64 {
        Field::<u64>::new(self.word).get(record).cast_signed()
    }

    #[inline]
    fn set(self, record: &mut Record, value: i64) {
        Field::<u64>::new(self.word).set(record, value.cast_unsigned());
    }
}

/// How the values of a column are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A list of lines.
    Text,
    /// Differences of integers.
    Integer,
    /// Differences of decimals of one scale.
    Decimal,
    /// Numbers as above, and texts where a bit says so.
    Exceptions,
    /// What a map makes of another column.
    Derived,
    /// Indices into a dictionary.
    Dictionary,
    /// Integers above a smallest one, as planes of bytes.
    Shuffled,
}

impl Kind {
    const fn of(byte: u8) -> Option<Self> {
        Some(match byte {
            0 => Self::Text,
            1 => Self::Integer,
            2 => Self::Decimal,
            3 => Self::Exceptions,
            4 => Self::Derived,
            5 => Self::Dictionary,
            6 => Self::Shuffled,
            _ => return None,
        })
    }
}

/// The next value of a column.
#[derive(Clone, Copy, Debug)]
enum Text<'a> {
    Bytes(&'a [u8]),
    Number(Decimal),
}

impl Text<'_> {
    /// As it is printed; a number is printed in `room`.
    fn bytes<'t>(&'t self, room: &'t mut NumberText) -> &'t [u8] {
        match *self {
            Text::Bytes(bytes) => bytes,
            Text::Number(number) => room.print(number),
        }
    }
}

/// Where bytes lie in `values`, or a number.
#[derive(Clone, Copy)]
enum Found {
    Span(usize, usize),
    Number(i64),
}

impl Found {
    /// Where bytes start and how long they are, or a number and all ones.
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

    /// The value of a column with these flags.
    fn text(self, values: &[u8], flags: Flags) -> Text<'_> {
        match self {
            Self::Span(start, len) => Text::Bytes(values.get(start..start.saturating_add(len)).unwrap_or_default()),
            Self::Number(value) => Text::Number(flags.number(value)),
        }
    }
}

/// All columns of a table.
pub(crate) struct Columns<'a> {
    values: Stream<'a>,
    quote_bits: Stream<'a>,
    records: &'a mut [Record],
    tables: &'a mut [Word],
    /// Bytes of values that were looked up for derived columns that lag behind.
    lagging: WorkBudget,
}

/// Bytes of the flags.
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
    /// Reads the head of each column, and the strings of its dictionary or map.
    #[inline(never)]
    pub(crate) fn open(
        count: usize,
        types: Stream<'a>,
        lengths: Stream<'a>,
        values: Stream<'a>,
        [quote_modes, quote_bits]: [Stream<'a>; 2],
        scratch: &mut Scratch<'a>,
    ) -> Verdict<Self> {
        // Counted by the types, of which there may be more, so that the headers of the streams tell how much is needed.
        let room = u64_from(types.bytes.len().max(count));
        let records = scratch.take(room.saturating_mul(RECORD))?;
        records.fill(0);
        let (records, _) = records.as_chunks_mut::<8>().0.as_chunks_mut::<WORDS>();
        let records = records.get_mut(..count).unwrap_or_default();
        let mut columns = Self { values, quote_bits, records, tables: &mut [], lagging: WorkBudget::default() };
        let (mut types, mut lengths, mut modes) = (types.numbers(), lengths.numbers(), quote_modes.numbers());
        let mut start = 0usize;
        let mut words = 0u64;
        for column in 0..count {
            let kind = types.byte()?;
            let Some(known) = Kind::of(kind) else { return Err(types.fault(ErrorKind::At1ColumnType)) };
            let end = start.saturating_add(lengths.index()?);
            if end > values.bytes.len() {
                return Err(lengths.fault(ErrorKind::At1StreamShort));
            }
            words = columns.head(column, known, start..end, modes.byte()?, words)?;
            start = end;
        }
        for record in columns.records.iter_mut().filter(|record| Flags::of(record).keep) {
            MAP.set(record, index(words));
            words = words.saturating_add(Map::words(u64_from(KEYS.get(record))));
        }
        let tables = scratch.take(words.saturating_mul(8))?;
        tables.fill(0);
        columns.tables = tables.as_chunks_mut::<8>().0;
        columns.fill()?;
        columns.place_quotes()?;
        Ok(columns)
    }

    /// How many columns there are.
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.records.len()
    }

    /// The part of `values` that belongs to a column, from its next byte on.
    #[inline]
    fn resume(&self, at: usize, end: usize) -> Numbers<'a> {
        resume(self.values, at, end)
    }

    /// Reads what stands before the values of a column. The tables have `words` words so far; says how many then.
    fn head(&mut self, column: usize, kind: Kind, at: core::ops::Range<usize>, quote: u8, words: u64) -> Verdict<u64> {
        let end = at.end;
        let mut numbers = self.resume(at.start, end);
        let mut flags = Flags { kind: kind as u8, scale: 0, quote, keep: false, width: 0, decimal: false };
        let mut record = Record::default();
        let mut words = words;
        strings::TABLE.set(&mut record, index(words));
        let scale = |numbers: &mut Numbers<'_>| match numbers.byte()? {
            scale if scale <= MAX_SCALE => Ok(scale),
            _ => Err(numbers.fault(ErrorKind::At1Scale)),
        };
        match kind {
            Kind::Text | Kind::Integer => {}
            Kind::Decimal => (flags.scale, flags.decimal) = (scale(&mut numbers)?, true),
            Kind::Exceptions => {
                flags.decimal = match numbers.byte()? {
                    0 => false,
                    1 => true,
                    _ => return Err(numbers.fault(ErrorKind::At1ColumnType)),
                };
                if flags.decimal {
                    flags.scale = scale(&mut numbers)?;
                }
                let count = numbers.index()?;
                COUNT.set(&mut record, u64_from(count));
                exceptions::BITS.set(&mut record, numbers.position(end));
                numbers.bytes(count.div_ceil(8))?;
                let texts = numbers.count()?;
                if texts > count {
                    return Err(numbers.fault(ErrorKind::At1StreamShort));
                }
                exceptions::COUNT.set(&mut record, u64_from(texts));
                exceptions::NEXT.set(&mut record, numbers.position(end));
                for _ in 0..texts {
                    numbers.string()?;
                }
            }
            Kind::Derived => {
                let source = numbers.index()?;
                if source >= column {
                    return Err(numbers.fault(ErrorKind::At1DerivedSource));
                }
                let entries = numbers.count()?;
                if let Some(source) = self.records.get_mut(source) {
                    Flags { keep: true, ..Flags::of(source) }.store(source);
                    KEYS.set(source, KEYS.get(source).max(entries));
                }
                derived::SOURCE.set(&mut record, source);
                strings::COUNT.set(&mut record, entries);
                strings::START.set(&mut record, numbers.position(end));
                // Before the table a cursor of its own, for rows in which its source gets ahead.
                words = words.saturating_add(u64_from(WORDS));
                strings::TABLE.set(&mut record, index(words));
                words = words.saturating_add(u64_from(entries).saturating_mul(2));
            }
            Kind::Dictionary => {
                let count = numbers.count()?;
                let entries = numbers.count()?;
                COUNT.set(&mut record, u64_from(count));
                strings::COUNT.set(&mut record, entries);
                strings::START.set(&mut record, numbers.position(end));
                for _ in 0..entries {
                    numbers.string()?;
                }
                if count > numbers.rest().len() {
                    return Err(numbers.fault(ErrorKind::At1StreamShort));
                }
                words = words.saturating_add(u64_from(entries).saturating_mul(2));
            }
            Kind::Shuffled => {
                let count = numbers.index()?;
                shuffled::SMALLEST.set(&mut record, numbers.signed()?);
                flags.width = numbers.byte()?;
                if !(1..=8).contains(&flags.width) {
                    return Err(numbers.fault(ErrorKind::At1Scale));
                }
                if count.checked_mul(flags.width.into()).is_none_or(|bytes| bytes > numbers.rest().len()) {
                    return Err(numbers.fault(ErrorKind::At1StreamShort));
                }
                COUNT.set(&mut record, u64_from(count));
            }
        }
        NEXT.set(&mut record, numbers.position(end));
        END.set(&mut record, end);
        flags.store(&mut record);
        if let Some(slot) = self.records.get_mut(column) {
            *slot = record;
        }
        Ok(words)
    }

    /// Notes where the strings of dictionaries and derived columns lie, and where the root of each derived column starts.
    #[inline(never)]
    fn fill(&mut self) -> Verdict<()> {
        for record in self.records.iter() {
            steps::count(1);
            match Kind::of(Flags::of(record).kind) {
                Some(Kind::Dictionary) => {}
                Some(Kind::Derived) => {
                    // One that is derived itself stands before, and knows its root already.
                    let source = self.records.get(derived::SOURCE.get(record)).copied().unwrap_or_default();
                    let derived = Flags::of(&source).kind == Kind::Derived as u8;
                    let root = own_cursor(self.tables, &source).filter(|_| derived).map_or(source, |root| *root);
                    if let Some(own) = own_cursor(self.tables, record) {
                        copy_record(&root, own);
                    }
                }
                _ => continue,
            }
            let end = END.get(record);
            let mut strings = self.resume(strings::START.get(record), end);
            for entry in 0..strings::COUNT.get(record) {
                let text = strings.string()?;
                let start = strings.position(end).saturating_sub(text.len());
                let at = strings::TABLE.get(record).saturating_add(entry.saturating_mul(2));
                if let Some(span) = self.tables.get_mut(at..).and_then(<[Word]>::first_chunk_mut::<2>) {
                    *span = [start, text.len()].map(|value| u64_from(value).to_le_bytes());
                }
            }
        }
        Ok(())
    }

    /// Finds where the bits of each column start that has quoted fields and others: columns behind each other, whole bytes.
    fn place_quotes(&mut self) -> Verdict<()> {
        if self.records.iter().all(|record| Flags::of(record).quote < 2) {
            return Ok(());
        }
        let mut at = 0u64;
        for column in 0..self.records.len() {
            let count = self.count(column);
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

    /// How many values a column has, if that is known of the columns before it.
    fn count(&self, column: usize) -> u64 {
        let Some(record) = self.records.get(column) else { return 0 };
        let part = self.values.part(NEXT.get(record), END.get(record)).unwrap_or_default();
        if !matches!(Kind::of(Flags::of(record).kind), Some(Kind::Derived)) {
            steps::count(part.bytes.len());
        }
        match Kind::of(Flags::of(record).kind) {
            Some(Kind::Text) => Lines::new(part).left(),
            Some(Kind::Integer | Kind::Decimal) => u64_from(part.bytes.iter().filter(|&&byte| byte < 0x80).count()),
            // As many as its source.
            Some(Kind::Derived) => self.records.get(derived::SOURCE.get(record)).map_or(0, |source| COUNT.get(source)),
            _ => COUNT.get(record),
        }
    }

    /// Appends the next field of a column.
    #[inline]
    pub(crate) fn field<O: Output>(&mut self, column: usize, out: &mut O) -> Verdict<()> {
        let Some(record) = self.records.get_mut(column) else { return Ok(()) };
        let flags = Flags::of(record);
        let plain = flags.quote == 0 && !flags.keep;
        match flags.kind {
            // The two types that most columns are of, without quotes and with nobody who wants to know the value again.
            0 if plain => {
                let start = NEXT.get(record);
                let rest = self.values.bytes.get(start..END.get(record)).ok_or_else(|| short(self.values, record))?;
                let len = out.put_line(rest);
                NEXT.set(record, start.saturating_add(len).saturating_add(1));
                Ok(())
            }
            1 | 2 if plain => {
                let mut numbers = rest(self.values, record);
                let mut sum = differences::SUM.get(record);
                numbers.add_to(&mut sum)?;
                NEXT.set(record, numbers.position(END.get(record)));
                differences::SUM.set(record, sum);
                flags.number(sum).put(out);
                Ok(())
            }
            _ => self.any_field(column, out),
        }
    }

    #[cold]
    fn short_at(&self, column: usize) -> Fault {
        self.records.get(column).map_or(Fault::new(ErrorKind::At1ListShort, 0), |record| short(self.values, record))
    }

    /// [`field`](Self::field) of any type, with quotes if there are.
    fn any_field<O: Output>(&mut self, column: usize, out: &mut O) -> Verdict<()> {
        let Some(record) = self.records.get(column) else { return Ok(()) };
        let flags = Flags::of(record);
        let used = USED.get(record);
        let found = match Kind::of(flags.kind) {
            Some(Kind::Derived) => self.derived(column, out.written())?,
            _ => self.next(column)?,
        };
        let number = if flags.keep { self.number(column, found) } else { 0 };
        let Some(record) = self.records.get_mut(column) else { return Ok(()) };
        USED.set(record, used.saturating_add(1));
        NUMBER.set(record, number);
        let text = found.text(self.values.bytes, flags);
        let quote = match flags.quote {
            0 => false,
            1 => true,
            _ => {
                let at = index(QUOTES.get(record).saturating_add(used >> 3));
                let bits = self.quote_bits.bytes.get(at).copied();
                bits.ok_or_else(|| self.quote_bits.fault(ErrorKind::At1StreamShort, at))? >> (used & 7) & 1 == 1
            }
        };
        match text {
            text if quote => quoted(text, out),
            Text::Bytes(bytes) => out.put(bytes),
            Text::Number(number) => number.put(out),
        }
        Ok(())
    }

    /// The next value of a column that is not derived.
    fn next(&mut self, column: usize) -> Verdict<Found> {
        match self.records.get_mut(column) {
            Some(record) => next(self.values, self.tables, record),
            None => Err(self.short_at(column)),
        }
    }

    /// The next value of a derived column: what becomes of the value of its source.
    fn derived(&mut self, column: usize, written: u64) -> Verdict<Found> {
        let at = |place: usize| self.records.get(place);
        let Some(record) = at(column) else { return Err(self.short_at(column)) };
        let Some(source) = at(derived::SOURCE.get(record)) else { return Err(self.short_at(column)) };
        // Both take a value in each row that has both fields. In a row that ends between them the source gets ahead.
        let number = if USED.get(source) == USED.get(record).saturating_add(1) {
            NUMBER.get(source)
        } else {
            self.behind(column, written)?
        };
        self.mapped(column, number)
    }

    /// Which value of its source a derived column is at which lags behind. It comes from a cursor of the column's own over
    /// the column at the root, through the columns between, all of which know what they have seen.
    #[cold]
    #[inline(never)]
    fn behind(&mut self, column: usize, written: u64) -> Verdict<usize> {
        let Some(record) = self.records.get(column) else { return Err(self.short_at(column)) };
        let fault = self.values.fault(ErrorKind::At1DerivedAhead, strings::START.get(record));
        // The columns between, the nearest first.
        let mut between = [0; MAX_BETWEEN];
        let mut len = 0usize;
        let mut source = derived::SOURCE.get(record);
        while let Some(other) = self.records.get(source)
            && Flags::of(other).kind == Kind::Derived as u8
        {
            *between.get_mut(len).ok_or(fault)? = source;
            (source, len) = (derived::SOURCE.get(other), len.saturating_add(1));
        }
        let mut own = *own_cursor(self.tables, record).ok_or(fault)?;
        let mut value = loop {
            steps::count(1);
            let (value, taken) = (next(self.values, self.tables, &mut own)?, USED.get(&own));
            USED.set(&mut own, taken.saturating_add(1));
            if taken >= USED.get(record) {
                break value;
            }
        };
        if let Some(place) = own_cursor(self.tables, record) {
            copy_record(&own, place);
        }
        let mut between = between.get(..len).unwrap_or_default().iter().rev();
        loop {
            // Here a value is read again for each column that lags behind.
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

    /// Which of the distinct values of a column this is, as they come; a number that no derived column has a string for if there
    /// are too many.
    #[inline(never)]
    fn number(&mut self, column: usize, value: Found) -> usize {
        let Some(record) = self.records.get_mut(column) else { return usize::MAX };
        let flags = Flags::of(record);
        let (mut own, mut room) = (NumberText::NONE, NumberText::NONE);
        let text = value.text(self.values.bytes, flags);
        let key = text.bytes(&mut own);
        steps::count(key.len());
        let keys = KEYS.get(record);
        let words = self.tables.get_mut(MAP.get(record)..).unwrap_or_default();
        let mut map = Map::new(words, keys, KNOWN.get(record));
        let same = |other: [u64; 2]| match (value, Found::of(other)) {
            (Found::Number(one), Found::Number(other)) => one == other,
            // An exception may read like a number.
            (_, other) => other.text(self.values.bytes, flags).bytes(&mut room) == key,
        };
        // Where one has no place, no other may get its number.
        let (number, known) = map.find(key, value.words(), same).unwrap_or((usize::MAX, keys));
        KNOWN.set(record, known);
        number
    }

    /// What becomes of this one of the distinct values of its source in a derived column.
    fn mapped(&self, column: usize, number: usize) -> Verdict<Found> {
        let Some(record) = self.records.get(column) else { return Err(self.short_at(column)) };
        let missing = || self.values.fault(ErrorKind::At1DerivedMap, strings::START.get(record));
        string(self.tables, record, number).ok_or_else(missing)
    }
}

/// The part of `values` that belongs to a column, from its next byte on.
#[inline]
fn resume(values: Stream<'_>, at: usize, end: usize) -> Numbers<'_> {
    values.part(at, end).unwrap_or_default().numbers()
}

/// The string of this number in the table of a column.
fn string(tables: &[Word], record: &Record, number: usize) -> Option<Found> {
    if number >= strings::COUNT.get(record) {
        return None;
    }
    let at = strings::TABLE.get(record).saturating_add(number.saturating_mul(2));
    let [start, len] = tables.get(at..)?.first_chunk::<2>()?.map(u64::from_le_bytes).map(index);
    Some(Found::Span(start, len))
}

/// The cursor of its own that a derived column has before its table.
fn own_cursor<'t>(tables: &'t mut [Word], record: &Record) -> Option<&'t mut Record> {
    tables.get_mut(strings::TABLE.get(record).checked_sub(WORDS)?..)?.first_chunk_mut()
}

/// Two records that are known to be two: the compiler would have them overlap, and link what copies such things.
#[inline(never)]
const fn copy_record(from: &Record, to: &mut Record) {
    *to = *from;
}

/// Appends a value between quotes, with each quote in it doubled.
#[cold]
#[inline(never)]
fn quoted<O: Output>(text: Text<'_>, out: &mut O) {
    out.byte(b'"');
    match text {
        Text::Bytes(mut rest) => {
            while let Some((head, tail)) = memchr::memchr(b'"', rest).and_then(|at| rest.split_at_checked(at + 1)) {
                out.put(head);
                out.byte(b'"');
                rest = tail;
            }
            out.put(rest);
        }
        Text::Number(number) => number.put(out),
    }
    out.byte(b'"');
}

/// The next value of a cursor over a column that is not derived.
fn next(values: Stream<'_>, tables: &[Word], record: &mut Record) -> Verdict<Found> {
    let flags = Flags::of(record);
    let used = USED.get(record);
    let kind = Kind::of(flags.kind);
    if matches!(kind, Some(Kind::Exceptions | Kind::Dictionary | Kind::Shuffled)) && used >= COUNT.get(record) {
        return Err(short(values, record));
    }
    match kind {
        Some(Kind::Integer | Kind::Decimal) => difference(values, record),
        Some(Kind::Exceptions) => {
            let at = exceptions::BITS.get(record).saturating_add(index(used >> 3));
            let bits = values.bytes.get(at).copied().unwrap_or(0);
            if bits >> (used & 7) & 1 == 1 { difference(values, record) } else { exception(values, record) }
        }
        Some(Kind::Dictionary) => {
            let mut numbers = rest(values, record);
            let entry = numbers.index()?;
            NEXT.set(record, numbers.position(END.get(record)));
            string(tables, record, entry).ok_or_else(|| numbers.fault(ErrorKind::At1DictionaryIndex))
        }
        Some(Kind::Shuffled) => {
            let count = index(COUNT.get(record));
            let numbers = rest(values, record);
            let planes = numbers.rest().iter().skip(index(used)).step_by(count.max(1)).take(flags.width.into());
            let above = planes.zip(0..8).fold(0, |sum, (&byte, plane)| sum | u64::from(byte) << (8 * plane));
            let value = shuffled::SMALLEST.get(record).checked_add_unsigned(above);
            Ok(Found::Number(value.ok_or_else(|| numbers.fault(ErrorKind::At1SumOverflow))?))
        }
        _ => {
            let start = NEXT.get(record);
            let rest = values.bytes.get(start..END.get(record)).ok_or_else(|| short(values, record))?;
            let len = line_len(rest);
            NEXT.set(record, start.saturating_add(len).saturating_add(1));
            Ok(Found::Span(start, len))
        }
    }
}

/// The part of `values` that a column has not read.
#[inline]
fn rest<'a>(values: Stream<'a>, record: &Record) -> Numbers<'a> {
    resume(values, NEXT.get(record), END.get(record))
}

/// The next number of a column of differences.
#[inline]
fn difference(values: Stream<'_>, record: &mut Record) -> Verdict<Found> {
    let mut numbers = rest(values, record);
    let mut sum = differences::SUM.get(record);
    let value = numbers.add_to(&mut sum)?;
    NEXT.set(record, numbers.position(END.get(record)));
    differences::SUM.set(record, sum);
    Ok(Found::Number(value))
}

/// The next exception of a column of numbers.
fn exception(values: Stream<'_>, record: &mut Record) -> Verdict<Found> {
    let taken = exceptions::TAKEN.get(record);
    if taken >= exceptions::COUNT.get(record) {
        return Err(short(values, record));
    }
    let end = END.get(record);
    let mut strings = resume(values, exceptions::NEXT.get(record), end);
    let text = strings.string()?;
    let next = strings.position(end);
    exceptions::NEXT.set(record, next);
    exceptions::TAKEN.set(record, taken.saturating_add(1));
    Ok(Found::Span(next.saturating_sub(text.len()), text.len()))
}

/// A column has fewer values than are wanted.
#[cold]
fn short(values: Stream<'_>, record: &Record) -> Fault {
    values.fault(ErrorKind::At1ListShort, NEXT.get(record))
}

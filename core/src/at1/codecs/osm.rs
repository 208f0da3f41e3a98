//! Codec 2: an OpenStreetMap extract, as columns of nodes, ways and relations.

use super::shared::{
    Decode, Entry, ErrorKind, Extra, Header, Lent, Limits, Numbers, Output, Result, Set, Stream, Texts, Verdict, Word,
    each_line,
};
use crate::at1::digits;
use crate::at1::streams::record::{Memory, RecordReader, RecordWriter, STREAM, ends};
use crate::num::u64_from;

/// The streams of nodes, ways and relations: six common streams, then their own.
const KINDS: [&[&[u8]]; 3] = [
    &[b"n_id", b"n_ts", b"n_ver", b"n_tagcnt", b"n_tagkey", b"n_tagval", b"n_lat", b"n_lon"],
    &[b"w_id", b"w_ts", b"w_ver", b"w_tagcnt", b"w_tagkey", b"w_tagval", b"w_ndcnt", b"w_ndref"],
    &[
        b"r_id",
        b"r_ts",
        b"r_ver",
        b"r_tagcnt",
        b"r_tagkey",
        b"r_tagval",
        b"r_memcnt",
        b"r_memtype",
        b"r_memref",
        b"r_memrole",
    ],
];

/// The names of the elements in the order of [`KINDS`].
const ELEMENTS: [&[u8]; 3] = [b"node", b"way", b"relation"];

/// The most streams of a kind.
const COLUMNS: usize = 10;

/// A column: a cursor over its stream, and the running sum of a stream of differences.
#[derive(Default)]
struct DeltaCursor<'a> {
    numbers: Numbers<'a>,
    sum: i64,
}

impl DeltaCursor<'_> {
    fn next(&mut self) -> Verdict<i64> {
        self.numbers.add_to(&mut self.sum)
    }
}

/// The state of a kind that is not active: the rest of each stream, and its sum.
type Record = [[Word; STREAM + 1]; COLUMNS];

/// Decodes the streams of a kind and stores their state in a record.
#[inline(never)]
fn load<'a>(names: &[&[u8]], record: &mut Record, set: &Set<'a>, lent: &mut Lent<'_, 'a>) -> Result<()> {
    let mut streams = [Stream::default(); COLUMNS];
    let at = lent.scratch.taken();
    set.load_into(names, &mut streams, lent)?;
    for ((stream, end), words) in streams.iter().zip(ends(&streams, at)).zip(record) {
        *words = Default::default();
        RecordWriter::new(words).stream(stream, end);
    }
    Ok(())
}

/// An extract whose streams are decoded.
///
/// One kind of element is active at a time. Usually all nodes precede all ways, and those all
/// relations.
pub(crate) struct Extract<'a> {
    trailing: bool,
    elements: &'a [u8],
    verbatim: Numbers<'a>,
    keys: Texts<'a>,
    roles: Texts<'a>,
    /// The columns of the active kind.
    columns: [DeltaCursor<'a>; COLUMNS],
    /// The active kind; none at first.
    awake: usize,
    records: &'a mut [Record],
    memory: Memory<'a>,
}

impl<'a> Decode<'a, 5> for Extract<'a> {
    const NAMES: [&'static [u8]; 5] = [b"meta", b"opcodes", b"verbatim", b"tag_keys", b"roles"];

    fn reads(name: &[u8]) -> bool {
        Self::NAMES.contains(&name) || KINDS.iter().any(|names| names.contains(&name))
    }

    fn extra(entry: &Entry<'_>, _: &Limits) -> Result<Extra> {
        let records = if entry.name == b"meta" { size_of::<[Record; KINDS.len()]>() } else { 0 };
        Ok(Extra { always: u64_from(records), for_sink: 0 })
    }

    fn open(streams: &[Stream<'a>; 5], _: &Header, set: &Set<'a>, lent: &mut Lent<'_, 'a>) -> Result<Self> {
        let &[meta, elements, verbatim, keys, roles] = streams;
        let trailing = meta.numbers().byte()? == 1;
        let (keys, roles) = (Texts::terminated(keys, &mut lent.scratch)?, Texts::terminated(roles, &mut lent.scratch)?);
        let (records, _) = lent.scratch.records(u64_from(KINDS.len() * COLUMNS))?.as_chunks_mut::<COLUMNS>();
        let base = lent.scratch.taken();
        let mut used = 0;
        for (names, record) in KINDS.iter().zip(&mut *records) {
            let mut rest = lent.after(used);
            load(names, record, set, &mut rest)?;
            used = rest.scratch.taken().saturating_sub(base);
        }
        let memory = Memory { file: set.src(), scratch: lent.scratch.take(used)?, base };
        Ok(Self {
            trailing,
            elements: elements.bytes,
            verbatim: verbatim.numbers(),
            keys,
            roles,
            columns: Default::default(),
            awake: KINDS.len(),
            records,
            memory,
        })
    }

    fn append(&mut self, out: &mut Output<'_>, _: &mut Lent<'_, 'a>) -> Verdict<()> {
        let elements = self.elements;
        let mut elements = elements.iter();
        each_line(u64_from(elements.len()), self.trailing, out, |out| match elements.next().copied().unwrap_or(0) {
            0 => self.verbatim.string().map(|line| out.put(line)),
            kind => self.element(usize::from(kind.clamp(1, 3)).saturating_sub(1), out),
        })
    }
}

impl Extract<'_> {
    /// Saves the active kind and activates another one.
    #[inline(never)]
    fn wake(&mut self, kind: usize) {
        if let Some(record) = self.records.get_mut(self.awake) {
            for (column, [left, .., sum]) in self.columns.iter().zip(record) {
                *left = u64_from(column.numbers.rest().len()).to_le_bytes();
                *sum = column.sum.cast_unsigned().to_le_bytes();
            }
        }
        if let Some(record) = self.records.get(kind) {
            for (column, words) in self.columns.iter_mut().zip(record) {
                let mut words = RecordReader::new(words);
                column.numbers = words.stream(&self.memory).numbers();
                column.sum = words.number().cast_signed();
            }
        }
        self.awake = kind;
    }

    /// Appends an element with its members and tags.
    fn element(&mut self, kind: usize, out: &mut Output<'_>) -> Verdict<()> {
        if kind != self.awake {
            self.wake(kind);
        }
        let name = ELEMENTS.get(kind).copied().unwrap_or_default();
        let [id, time, version, tags, keys, values, own @ ..] = &mut self.columns;
        out.put(b"  <");
        out.put(name);
        out.put(b" id=\"");
        digits::signed(id.next()?, out);
        out.put(b"\" version=\"");
        digits::unsigned(version.numbers.unsigned()?, out);
        out.put(b"\" timestamp=\"");
        timestamp(time.next()?, &time.numbers, out)?;
        out.byte(b'"');
        // Of a node: latitude, longitude. Of a way: number of nodes, nodes. Of a relation: number
        // of members, their kinds, the members, their roles.
        let [first, second, third, roles] = own;
        let mut members = 0;
        if kind == 0 {
            out.put(b" lat=\"");
            coordinate(first.next()?, out);
            out.put(b"\" lon=\"");
            coordinate(second.next()?, out);
            out.byte(b'"');
        } else {
            members = first.numbers.unsigned()?;
        }
        let tags = tags.numbers.unsigned()?;
        let is_empty = members == 0 && tags == 0;
        out.put(if is_empty { &b"/>"[..] } else { b">" });
        for _ in 0..members {
            if kind == 1 {
                out.put(b"\n    <nd ref=\"");
                digits::signed(second.next()?, out);
            } else {
                let element = ELEMENTS.get(second.numbers.index()?);
                let element = element.ok_or_else(|| second.numbers.fault(ErrorKind::At1Token))?;
                out.put(b"\n    <member type=\"");
                out.put(element);
                out.put(b"\" ref=\"");
                digits::signed(third.next()?, out);
                out.put(b"\" role=\"");
                out.put(self.roles.pick(&mut roles.numbers)?);
            }
            out.put(b"\"/>");
        }
        for _ in 0..tags {
            let key = self.keys.pick(&mut keys.numbers)?;
            out.put(b"\n    <tag k=\"");
            out.put(key);
            out.put(b"\" v=\"");
            out.put(values.numbers.string()?);
            out.put(b"\"/>");
        }
        if !is_empty {
            out.put(b"\n  </");
            out.put(name);
            out.byte(b'>');
        }
        Ok(())
    }
}

/// Appends a coordinate of seven decimals without trailing zeros.
fn coordinate(ten_millionths: i64, out: &mut Output<'_>) {
    let (mut value, mut scale) = (ten_millionths, 7u8);
    while scale > 0 && value % 10 == 0 {
        (value, scale) = (value / 10, scale - 1);
    }
    match scale {
        0 => digits::signed(value, out),
        _ => digits::fixed(value, scale, out),
    }
}

/// Appends seconds since 1970, which were read from `numbers`, as a date and a time. Refuses, and
/// appends nothing, if the year does not have four digits.
fn timestamp(seconds: i64, numbers: &Numbers<'_>, out: &mut Output<'_>) -> Verdict<()> {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400).cast_unsigned());
    let (year, month, day) = date(days).ok_or_else(|| numbers.fault(ErrorKind::At1Time))?;
    let digit = |n: u64| b'0'.saturating_add(u8::try_from(n % 10).unwrap_or(0));
    out.put(&[digit(year / 1000), digit(year / 100)]);
    for (n, after) in [
        (year % 100, b'-'),
        (month, b'-'),
        (day, b'T'),
        (second / 3600, b':'),
        (second / 60 % 60, b':'),
        (second % 60, b'Z'),
    ] {
        out.put(&[digit(n / 10), digit(n), after]);
    }
    Ok(())
}

/// Returns year, month and day of a day since 1970 in the proleptic Gregorian calendar. Returns
/// `None` if the year does not have four digits.
fn date(days: i64) -> Option<(u64, u64, u64)> {
    // Days since 1 March of the year -400: a year that starts in March ends with its leap day.
    let days = u64::try_from(days.checked_add(719_468 + 146_097)?).ok()?;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months of 31, 30, 31, 30, 31 days repeat: 153 days in five months.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = (era.checked_mul(400)? + year + u64::from(month <= 2)).checked_sub(400)?;
    (year <= 9999).then_some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_lose_their_zeros() {
        for (value, text) in [
            (0, "0"),
            (10_000_000, "1"),
            (-5, "-0.0000005"),
            (525_200_000, "52.52"),
            (-1_800_000_000, "-180"),
            (134_050_001, "13.4050001"),
            (100, "0.00001"),
        ] {
            assert_eq!(Output::printed(|out| coordinate(value, out)), text);
        }
    }

    #[test]
    fn prints_timestamps() {
        let numbers = Numbers::default();
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (1_704_067_199, "2023-12-31T23:59:59Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
            (-62_135_596_800, "0001-01-01T00:00:00Z"),
            (-62_162_208_001, "0000-02-27T23:59:59Z"),
        ] {
            assert_eq!(Output::printed(|out| assert_eq!(timestamp(seconds, &numbers, out), Ok(()))), text);
        }
        for seconds in [253_402_300_800, i64::MAX, i64::MIN, -70_000_000_000] {
            let refusal = Err(numbers.fault(ErrorKind::At1Time));
            assert_eq!(Output::printed(|out| assert_eq!(timestamp(seconds, &numbers, out), refusal)), "");
        }
        // Each day of four hundred years follows the day before it.
        let mut last = date(-1).unwrap();
        for day in 0..146_097 {
            let next = date(day).unwrap();
            let same_month = (next.0, next.1) == (last.0, last.1) && next.2 == last.2 + 1;
            let new_month =
                next.2 == 1 && last.2 >= 28 && (next.1 == last.1 + 1 || (next.0, next.1) == (last.0 + 1, 1));
            assert!(same_month || new_month, "{last:?} {next:?}");
            last = next;
        }
    }
}

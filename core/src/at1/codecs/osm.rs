//! Codec 2: an OpenStreetMap extract, as columns of nodes, ways and relations.

use super::shared::{Decode, Extra, Reads, apart, each_line};
use crate::Limits;
use crate::at1::digits;
use crate::at1::header::Header;
use crate::at1::output::Output;
use crate::at1::scratch::Lent;
use crate::at1::streams::Entry;
use crate::at1::streams::Set;
use crate::at1::streams::numbers::{Numbers, Stream};
use crate::at1::streams::record::STREAM;
use crate::at1::streams::record::{Memory, Reader, Word, Writer, ends};
use crate::at1::streams::texts::Texts;
use crate::fault::{Fault, Verdict};
use crate::num::u64_from;
use crate::{ErrorKind, Result};

/// The streams that all elements share.
const SHARED: [&[u8]; 5] = [b"meta", b"opcodes", b"verbatim", b"tag_keys", b"roles"];

/// The streams of nodes, of ways and of relations: what they have in common, and behind it what is theirs alone.
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

/// The most streams of a kind.
const COLUMNS: usize = 10;

/// The codec.
pub(crate) struct Osm;

impl Decode for Osm {
    const READS: Reads = Reads::Rule(reads);

    fn extra(entry: &Entry<'_>, _: &Limits) -> Result<Extra> {
        Ok(Extra { always: if entry.name == b"meta" { RECORDS } else { 0 }, for_sink: 0 })
    }

    fn decode<'a, O: Output>(_: &Header, set: &Set<'a>, lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()> {
        apart(lent, |lent| Extract::open(set, lent), |extract, _| extract.all(out))
    }
}

/// Bytes of scratch for the kinds that wait.
const RECORDS: u64 = (KINDS.len() * size_of::<Record>()) as u64;

/// Whether a stream of this name is read.
fn reads(name: &[u8]) -> bool {
    SHARED.contains(&name) || KINDS.iter().any(|names| names.contains(&name))
}

/// The numbers of a stream, and the sum of those that have been read, for streams of differences.
#[derive(Default)]
struct Sums<'a> {
    numbers: Numbers<'a>,
    sum: i64,
}

impl Sums<'_> {
    fn next(&mut self) -> Verdict<i64> {
        self.numbers.add_to(&mut self.sum)
    }
}

/// A kind of element that waits: the rest of each of its streams, and its sum.
type Record = [[Word; STREAM + 1]; COLUMNS];

/// The columns of the kind that is read.
#[derive(Default)]
struct Columns<'a> {
    id: Sums<'a>,
    time: Sums<'a>,
    version: Sums<'a>,
    tag_count: Sums<'a>,
    tag_key: Sums<'a>,
    tag_value: Sums<'a>,
    own: [Sums<'a>; 4],
}

impl<'a> Columns<'a> {
    /// Decodes the streams of one of [`KINDS`] and leaves them in a record.
    #[inline(never)]
    fn load(names: &[&[u8]], record: &mut Record, set: &Set<'a>, lent: &mut Lent<'_, 'a>) -> Result<()> {
        let mut streams = [Stream::default(); COLUMNS];
        let at = lent.scratch.taken();
        set.load_into(names, &mut streams, lent)?;
        for ((stream, end), words) in streams.iter().zip(ends(&streams, at)).zip(record) {
            Writer::new(words).stream(stream, end);
        }
        Ok(())
    }

    /// All of them, in the order of [`KINDS`].
    fn each(&mut self) -> [&mut Sums<'a>; COLUMNS] {
        let Self { id, time, version, tag_count, tag_key, tag_value, own: [a, b, c, d] } = self;
        [id, time, version, tag_count, tag_key, tag_value, a, b, c, d]
    }

    /// Writes down where they stand, for [`resume`](Self::resume).
    fn save(&mut self, record: &mut Record) {
        for (column, words) in self.each().into_iter().zip(record) {
            let [left, .., sum] = words;
            *left = u64_from(column.numbers.rest().len()).to_le_bytes();
            *sum = column.sum.cast_unsigned().to_le_bytes();
        }
    }

    /// Goes on where they stood.
    fn resume(&mut self, record: &Record, memory: Memory<'a>) {
        for (column, words) in self.each().into_iter().zip(record) {
            let mut words = Reader::new(words, memory);
            column.numbers = words.stream().numbers();
            column.sum = words.number().cast_signed();
        }
    }

    /// Appends the start of an element up to its timestamp.
    fn head<O: Output>(&mut self, name: &[u8], out: &mut O) -> Verdict<()> {
        out.put(b"  <");
        out.put(name);
        out.put(b" id=\"");
        digits::signed(self.id.next()?, out);
        out.put(b"\" version=\"");
        digits::unsigned(self.version.numbers.unsigned()?, out);
        out.put(b"\" timestamp=\"");
        let seconds = self.time.next()?;
        timestamp(seconds, out).ok_or_else(|| self.time.numbers.fault(ErrorKind::At1Time))?;
        out.byte(b'"');
        Ok(())
    }

    /// Appends so many tags, each on its own line.
    fn tags<O: Output>(&mut self, count: u64, keys: &Texts<'_>, out: &mut O) -> Verdict<()> {
        for _ in 0..count {
            let key = self.tag_key.numbers.index()?;
            let key = keys.get(key).ok_or_else(|| self.tag_key.numbers.fault(ErrorKind::At1TextNumber))?;
            out.put(b"\n    <tag k=\"");
            out.put(key);
            out.put(b"\" v=\"");
            out.put(self.tag_value.numbers.string()?);
            out.put(b"\"/>");
        }
        Ok(())
    }
}

/// Appends the end of an element.
fn close<O: Output>(name: &[u8], children: bool, out: &mut O) {
    if !children {
        return out.put(b"/>");
    }
    out.put(b"\n  </");
    out.put(name);
    out.byte(b'>');
}

/// An extract whose streams are decoded.
///
/// One kind of element is awake at a time: as a rule all nodes stand before all ways, and those before all relations.
struct Extract<'a> {
    trailing: bool,
    elements: &'a [u8],
    verbatim: Numbers<'a>,
    keys: Texts<'a>,
    roles: Texts<'a>,
    columns: Columns<'a>,
    /// Which of [`KINDS`] is awake; none at first.
    awake: usize,
    records: &'a mut [Record],
    memory: Memory<'a>,
}

impl<'a> Extract<'a> {
    fn open(set: &Set<'a>, lent: &mut Lent<'_, 'a>) -> Result<Self> {
        let streams = set.load(&SHARED, lent, |streams, _| Ok::<_, Fault>(*streams))?;
        let [meta, elements, verbatim, keys, roles] = streams;
        let (trailing, elements, verbatim) = (meta.numbers().byte()? == 1, elements.bytes, verbatim.numbers());
        let (keys, roles) = (Texts::terminated(keys, &mut lent.scratch)?, Texts::terminated(roles, &mut lent.scratch)?);
        let (words, _) = lent.scratch.take(RECORDS)?.as_chunks_mut::<8>().0.as_chunks_mut::<{ STREAM + 1 }>();
        let (records, _) = words.as_chunks_mut::<COLUMNS>();
        let base = lent.scratch.taken();
        let mut used = 0;
        for (names, record) in KINDS.iter().zip(&mut *records) {
            record.fill([[0; 8]; STREAM + 1]);
            let mut rest = lent.behind(used);
            Columns::load(names, record, set, &mut rest)?;
            used = rest.scratch.taken().saturating_sub(base);
        }
        let (columns, awake) = (Columns::default(), KINDS.len());
        let memory = Memory { file: set.src(), scratch: lent.scratch.take(used)?, base };
        Ok(Self { trailing, elements, verbatim, keys, roles, columns, awake, records, memory })
    }

    /// Appends all of the file.
    fn all<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        let elements = self.elements;
        let mut elements = elements.iter();
        each_line(u64_from(elements.len()), self.trailing, out, |out| {
            let element = elements.next().copied().unwrap_or(0);
            if element == 0 {
                out.put(self.verbatim.string()?);
                return Ok(());
            }
            self.wake(usize::from(element.clamp(1, 3)).saturating_sub(1));
            match element {
                1 => self.a_node(out),
                2 => self.a_way(out),
                _ => self.a_relation(out),
            }
        })
    }

    /// Goes on with this one of [`KINDS`].
    #[inline]
    fn wake(&mut self, kind: usize) {
        if kind != self.awake {
            self.change(kind);
        }
    }

    #[inline(never)]
    fn change(&mut self, kind: usize) {
        if let Some(record) = self.records.get_mut(self.awake) {
            self.columns.save(record);
        }
        if let Some(record) = self.records.get(kind) {
            self.columns.resume(record, self.memory);
        }
        self.awake = kind;
    }

    fn a_node<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        let columns = &mut self.columns;
        columns.head(b"node", out)?;
        let [latitude, longitude, ..] = &mut columns.own;
        out.put(b" lat=\"");
        coordinate(latitude.next()?, out);
        out.put(b"\" lon=\"");
        coordinate(longitude.next()?, out);
        out.byte(b'"');
        let tags = columns.tag_count.numbers.unsigned()?;
        if tags > 0 {
            out.byte(b'>');
        }
        columns.tags(tags, &self.keys, out)?;
        close(b"node", tags > 0, out);
        Ok(())
    }

    fn a_way<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        let columns = &mut self.columns;
        columns.head(b"way", out)?;
        let [count, node, ..] = &mut columns.own;
        let (nodes, tags) = (count.numbers.unsigned()?, columns.tag_count.numbers.unsigned()?);
        let children = nodes > 0 || tags > 0;
        if children {
            out.byte(b'>');
        }
        for _ in 0..nodes {
            out.put(b"\n    <nd ref=\"");
            digits::signed(node.next()?, out);
            out.put(b"\"/>");
        }
        columns.tags(tags, &self.keys, out)?;
        close(b"way", children, out);
        Ok(())
    }

    fn a_relation<O: Output>(&mut self, out: &mut O) -> Verdict<()> {
        let columns = &mut self.columns;
        columns.head(b"relation", out)?;
        let [count, kinds, member, roles] = &mut columns.own;
        let (members, tags) = (count.numbers.unsigned()?, columns.tag_count.numbers.unsigned()?);
        let children = members > 0 || tags > 0;
        if children {
            out.byte(b'>');
        }
        for _ in 0..members {
            let kind: &[u8] = match kinds.numbers.unsigned()? {
                0 => b"node",
                1 => b"way",
                2 => b"relation",
                _ => return Err(kinds.numbers.fault(ErrorKind::At1Token)),
            };
            out.put(b"\n    <member type=\"");
            out.put(kind);
            out.put(b"\" ref=\"");
            digits::signed(member.next()?, out);
            out.put(b"\" role=\"");
            let role = roles.numbers.index()?;
            out.put(self.roles.get(role).ok_or_else(|| roles.numbers.fault(ErrorKind::At1TextNumber))?);
            out.put(b"\"/>");
        }
        columns.tags(tags, &self.keys, out)?;
        close(b"relation", children, out);
        Ok(())
    }
}

/// Appends a coordinate of seven digits behind the point, without zeros at the end.
fn coordinate<O: Output>(ten_millionths: i64, out: &mut O) {
    let (mut value, mut scale) = (ten_millionths, 7u8);
    while scale > 0 && value % 10 == 0 {
        (value, scale) = (value / 10, scale - 1);
    }
    match scale {
        0 => digits::signed(value, out),
        _ => digits::fixed(value, scale, out),
    }
}

/// Appends seconds since 1970 as a date and a time, in years of four digits. Returns `None` for other years, and appends nothing.
fn timestamp<O: Output>(seconds: i64, out: &mut O) -> Option<()> {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400).cast_unsigned());
    let (year, month, day) = date(days)?;
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
    Some(())
}

/// Year, month and day of a day since 1970, in the Gregorian calendar for all time, if the year has four digits.
fn date(days: i64) -> Option<(u64, u64, u64)> {
    // Days since 1 March of the year -400: a year that starts in March ends with its leap day.
    let days = u64::try_from(days.checked_add(719_468 + 146_097)?).ok()?;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months of 31, 30, 31, 30, 31 days, over and over: 153 days in five of them.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = (era.checked_mul(400)? + year + u64::from(month <= 2)).checked_sub(400)?;
    (year <= 9999).then_some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::at1::output::Slice;
    use crate::num::index;

    fn written(write: impl Fn(&mut Slice<'_>)) -> String {
        let mut room = [0; 64];
        let mut out = Slice::new(&mut room, false, &Limits::DEFAULT);
        write(&mut out);
        let len = index(out.written());
        String::from_utf8(room[..len].to_vec()).unwrap()
    }

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
            assert_eq!(written(|out| coordinate(value, out)), text);
        }
    }

    #[test]
    fn timestamps() {
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
            assert_eq!(written(|out| assert_eq!(timestamp(seconds, out), Some(()))), text);
        }
        for seconds in [253_402_300_800, i64::MAX, i64::MIN, -70_000_000_000] {
            assert_eq!(written(|out| assert_eq!(timestamp(seconds, out), None)), "");
        }
        // Every day of four hundred years follows the one before it.
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

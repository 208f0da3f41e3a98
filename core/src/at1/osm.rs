//! Codec 2: an OpenStreetMap extract, as columns of nodes, ways and relations.

use super::digits;
use super::numbers::{Numbers, Stream};
use super::output::Output;
use super::scratch::Scratch;
use super::table::Texts;
use crate::{ErrorKind, Result};

/// The streams of an extract, in the order that [`Extract::open`] wants them: of the file, of tags, of nodes, of ways, of
/// relations.
pub(super) const NAMES: [&[u8]; 31] = [
    b"meta",
    b"opcodes",
    b"verbatim",
    b"tag_keys",
    b"roles",
    b"n_id",
    b"n_ts",
    b"n_ver",
    b"n_tagcnt",
    b"n_tagkey",
    b"n_tagval",
    b"w_id",
    b"w_ts",
    b"w_ver",
    b"w_tagcnt",
    b"w_tagkey",
    b"w_tagval",
    b"r_id",
    b"r_ts",
    b"r_ver",
    b"r_tagcnt",
    b"r_tagkey",
    b"r_tagval",
    b"n_lat",
    b"n_lon",
    b"w_ndcnt",
    b"w_ndref",
    b"r_memcnt",
    b"r_memtype",
    b"r_memref",
    b"r_memrole",
];

/// Numbers that are stored as differences.
#[derive(Clone, Copy, Default)]
struct Sum<'a> {
    numbers: Numbers<'a>,
    sum: i64,
}

impl<'a> Sum<'a> {
    fn new(stream: &Stream<'a>) -> Self {
        Self { numbers: stream.numbers(), sum: 0 }
    }

    fn next(&mut self) -> Result<i64> {
        self.numbers.add_to(&mut self.sum)
    }
}

/// What nodes, ways and relations have in common.
struct Common<'a> {
    id: Sum<'a>,
    time: Sum<'a>,
    version: Numbers<'a>,
    tag_count: Numbers<'a>,
    tag_key: Numbers<'a>,
    tag_value: Numbers<'a>,
}

impl<'a> Common<'a> {
    fn new([id, time, version, tag_count, tag_key, tag_value]: [&Stream<'a>; 6]) -> Self {
        Self {
            id: Sum::new(id),
            time: Sum::new(time),
            version: version.numbers(),
            tag_count: tag_count.numbers(),
            tag_key: tag_key.numbers(),
            tag_value: tag_value.numbers(),
        }
    }

    /// Appends the start of an element up to its timestamp.
    fn head<O: Output>(&mut self, name: &[u8], out: &mut O) -> Result<()> {
        out.put(b"  <")?;
        out.put(name)?;
        out.put(b" id=\"")?;
        digits::signed(self.id.next()?, out)?;
        out.put(b"\" version=\"")?;
        digits::unsigned(self.version.unsigned()?, out)?;
        out.put(b"\" timestamp=\"")?;
        let seconds = self.time.next()?;
        timestamp(seconds, out)?.ok_or_else(|| self.time.numbers.error(ErrorKind::At1Time))?;
        out.byte(b'"')
    }

    /// Appends so many tags, each on its own line.
    fn tags<O: Output>(&mut self, count: u64, keys: &Texts<'_>, out: &mut O) -> Result<()> {
        for _ in 0..count {
            let key = self.tag_key.index()?;
            let key = keys.get(key).ok_or_else(|| self.tag_key.error(ErrorKind::At1TextNumber))?;
            out.put(b"\n    <tag k=\"")?;
            out.put(key)?;
            out.put(b"\" v=\"")?;
            out.put(self.tag_value.string()?)?;
            out.put(b"\"/>")?;
        }
        Ok(())
    }
}

/// Appends the end of an element.
fn close<O: Output>(name: &[u8], children: bool, out: &mut O) -> Result<()> {
    if !children {
        return out.put(b"/>");
    }
    out.put(b"\n  </")?;
    out.put(name)?;
    out.byte(b'>')
}

/// An extract whose streams are decoded.
pub(super) struct Extract<'a> {
    trailing: bool,
    elements: &'a [u8],
    verbatim: Numbers<'a>,
    keys: Texts<'a>,
    roles: Texts<'a>,
    nodes: Common<'a>,
    ways: Common<'a>,
    relations: Common<'a>,
    latitude: Sum<'a>,
    longitude: Sum<'a>,
    node_count: Numbers<'a>,
    node: Sum<'a>,
    member_count: Numbers<'a>,
    member_type: Numbers<'a>,
    member: Sum<'a>,
    member_role: Numbers<'a>,
}

impl<'a> Extract<'a> {
    pub(super) fn open(streams: &[Stream<'a>; 31], scratch: &mut Scratch<'a>) -> Result<Self> {
        let [meta, elements, verbatim, keys, roles, rest @ ..] = streams;
        let [n0, n1, n2, n3, n4, n5, w0, w1, w2, w3, w4, w5, r0, r1, r2, r3, r4, r5, rest @ ..] = rest;
        let [latitude, longitude, node_count, node, member_count, member_type, member, member_role] = rest;
        Ok(Self {
            trailing: meta.numbers().byte()? == 1,
            elements: elements.bytes,
            verbatim: verbatim.numbers(),
            keys: Texts::terminated(*keys, scratch)?,
            roles: Texts::terminated(*roles, scratch)?,
            nodes: Common::new([n0, n1, n2, n3, n4, n5]),
            ways: Common::new([w0, w1, w2, w3, w4, w5]),
            relations: Common::new([r0, r1, r2, r3, r4, r5]),
            latitude: Sum::new(latitude),
            longitude: Sum::new(longitude),
            node_count: node_count.numbers(),
            node: Sum::new(node),
            member_count: member_count.numbers(),
            member_type: member_type.numbers(),
            member: Sum::new(member),
            member_role: member_role.numbers(),
        })
    }

    /// Appends all of the file.
    pub(super) fn all<O: Output>(&mut self, out: &mut O) -> Result<()> {
        for (at, &element) in self.elements.iter().enumerate() {
            if at > 0 {
                out.byte(b'\n')?;
            }
            match element {
                0 => out.put(self.verbatim.string()?)?,
                1 => self.a_node(out)?,
                2 => self.a_way(out)?,
                _ => self.a_relation(out)?,
            }
        }
        if self.trailing {
            out.byte(b'\n')?;
        }
        Ok(())
    }

    fn a_node<O: Output>(&mut self, out: &mut O) -> Result<()> {
        self.nodes.head(b"node", out)?;
        out.put(b" lat=\"")?;
        coordinate(self.latitude.next()?, out)?;
        out.put(b"\" lon=\"")?;
        coordinate(self.longitude.next()?, out)?;
        out.byte(b'"')?;
        let tags = self.nodes.tag_count.unsigned()?;
        if tags > 0 {
            out.byte(b'>')?;
        }
        self.nodes.tags(tags, &self.keys, out)?;
        close(b"node", tags > 0, out)
    }

    fn a_way<O: Output>(&mut self, out: &mut O) -> Result<()> {
        self.ways.head(b"way", out)?;
        let (nodes, tags) = (self.node_count.unsigned()?, self.ways.tag_count.unsigned()?);
        let children = nodes > 0 || tags > 0;
        if children {
            out.byte(b'>')?;
        }
        for _ in 0..nodes {
            out.put(b"\n    <nd ref=\"")?;
            digits::signed(self.node.next()?, out)?;
            out.put(b"\"/>")?;
        }
        self.ways.tags(tags, &self.keys, out)?;
        close(b"way", children, out)
    }

    fn a_relation<O: Output>(&mut self, out: &mut O) -> Result<()> {
        self.relations.head(b"relation", out)?;
        let (members, tags) = (self.member_count.unsigned()?, self.relations.tag_count.unsigned()?);
        let children = members > 0 || tags > 0;
        if children {
            out.byte(b'>')?;
        }
        for _ in 0..members {
            let kind: &[u8] = match self.member_type.unsigned()? {
                0 => b"node",
                1 => b"way",
                2 => b"relation",
                _ => return Err(self.member_type.error(ErrorKind::At1Token)),
            };
            out.put(b"\n    <member type=\"")?;
            out.put(kind)?;
            out.put(b"\" ref=\"")?;
            digits::signed(self.member.next()?, out)?;
            out.put(b"\" role=\"")?;
            let role = self.member_role.index()?;
            out.put(self.roles.get(role).ok_or_else(|| self.member_role.error(ErrorKind::At1TextNumber))?)?;
            out.put(b"\"/>")?;
        }
        self.relations.tags(tags, &self.keys, out)?;
        close(b"relation", children, out)
    }
}

/// Appends a coordinate of seven digits behind the point, without zeros at the end.
fn coordinate<O: Output>(ten_millionths: i64, out: &mut O) -> Result<()> {
    let (mut value, mut scale) = (ten_millionths, 7u8);
    while scale > 0 && value % 10 == 0 {
        (value, scale) = (value / 10, scale - 1);
    }
    match scale {
        0 => digits::signed(value, out),
        _ => digits::fixed(value, scale, out),
    }
}

/// Appends seconds since 1970 as a date and a time, in years of four digits. `None` for other years; nothing is appended then.
fn timestamp<O: Output>(seconds: i64, out: &mut O) -> Result<Option<()>> {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400).cast_unsigned());
    let Some((year, month, day)) = date(days) else { return Ok(None) };
    let two = |n: u64, behind: u8, out: &mut O| {
        let digit = |n: u64| b'0'.saturating_add(u8::try_from(n % 10).unwrap_or(0));
        out.put(&[digit(n / 10), digit(n), behind])
    };
    out.put(&two_digits(year / 100))?;
    two(year % 100, b'-', out)?;
    two(month, b'-', out)?;
    two(day, b'T', out)?;
    two(second / 3600, b':', out)?;
    two(second / 60 % 60, b':', out)?;
    two(second % 60, b'Z', out)?;
    Ok(Some(()))
}

fn two_digits(n: u64) -> [u8; 2] {
    [n / 10, n].map(|n| b'0'.saturating_add(u8::try_from(n % 10).unwrap_or(0)))
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
    use super::super::output::Slice;
    use super::*;
    use crate::Limits;
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
            assert_eq!(written(|out| coordinate(value, out).unwrap()), text);
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
            assert_eq!(written(|out| assert_eq!(timestamp(seconds, out), Ok(Some(())))), text);
        }
        for seconds in [253_402_300_800, i64::MAX, i64::MIN, -70_000_000_000] {
            assert_eq!(written(|out| assert_eq!(timestamp(seconds, out), Ok(None))), "");
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

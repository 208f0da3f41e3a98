//! Codec 11: lines of JSON of several shapes, each shape a table of [`qjson`](super::qjson) of its own.

use super::qcolumnar::{NAMES, RECORD, Rows};
use super::shared::{Decode, Reads};
use crate::at1::header::Header;
use crate::at1::output::Output;
use crate::at1::scratch::{Lent, below};
use crate::at1::streams::Set;
use crate::at1::streams::lines::Lines;
use crate::at1::streams::numbers::{Numbers, Stream};
use crate::at1::streams::record::{Word, ends};
use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Result};

/// The most shapes that a file may have; writers stop at half of it.
const MAX_SHAPES: usize = 64;

/// The streams that all shapes share.
const SHARED: [&[u8]; 3] = [b"meta", b"line_map", b"verbatim"];

/// The codec.
pub(crate) struct QJson2;

impl Decode for QJson2 {
    const READS: Reads = Reads::Rule(reads);

    fn decode<'a, O: Output>(_: &Header, set: &Set<'a>, lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()> {
        all(set, lent, out)
    }
}

/// Whether a stream of this name is read.
fn reads(name: &[u8]) -> bool {
    SHARED.contains(&name) || of_shape(name).is_some()
}

/// Which shape the stream `t17:meta` is of, and which of its [`NAMES`] it is.
fn of_shape(name: &[u8]) -> Option<(usize, usize)> {
    let [b't', name @ ..] = name else { return None };
    let (number, own) = name.split_at_checked(memchr::memchr(b':', name)?)?;
    let digit = |byte: u8| byte.checked_sub(b'0').filter(|&digit| digit < 10).map(usize::from);
    let shape = match *number {
        [ones] => digit(ones)?,
        [b'1'..=b'9', _] => number.iter().try_fold(0, |sum, &byte| Some(sum * 10 + digit(byte)?))?,
        _ => return None,
    };
    let own = NAMES.iter().position(|name| Some(*name) == own.get(1..))?;
    (shape < MAX_SHAPES).then_some((shape, own))
}

/// A shape that waits for its next line.
type Record = [Word; RECORD];

/// Appends all of the file.
#[inline(never)]
fn all<'a, O: Output>(set: &Set<'a>, lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()> {
    let [meta, map, verbatim] = set.load(&SHARED, lent, |streams, _| Ok::<_, Fault>(*streams))?;
    let mut fields = meta.numbers();
    let lines = fields.unsigned()?;
    let trailing = fields.byte()? != 0;
    let count = fields.index()?;
    if count > MAX_SHAPES {
        return Err(fields.fault(ErrorKind::At1Shapes).into());
    }
    let room = u64_from(count).saturating_mul(u64_from(size_of::<Record>()));
    let (records, _) = lent.scratch.take(room)?.as_chunks_mut::<8>().0.as_chunks_mut::<RECORD>();
    find(set, records)?;
    let base = lent.scratch.taken();
    let mut used = 0;
    for record in &mut *records {
        let mut rest = lent.behind(used);
        open(set, record, &mut rest)?;
        used = rest.scratch.taken().saturating_sub(base);
    }
    let scratch = lent.scratch.take(used)?;
    let mut verbatim = Lines::new(verbatim);
    let mut walk = LineMap::new(lines, map.numbers())?;
    // One shape at a time is awake, for as many lines in a row as are of it.
    while walk.line < walk.lines {
        match walk.next.checked_sub(1) {
            None => walk.run(out, |out| {
                out.put(verbatim.item()?);
                Ok(())
            })?,
            Some(shape) => {
                let record = records.get_mut(index(shape)).ok_or_else(|| walk.map.fault(ErrorKind::At1Shapes))?;
                below(|| -> Result<()> {
                    let mut rows = Rows::resume(record, set.src(), scratch, base);
                    walk.run(out, |out| rows.line(out, lent))?;
                    rows.save(record);
                    Ok(())
                })?;
            }
        }
    }
    if trailing && lines > 0 {
        out.byte(b'\n');
    }
    Ok(())
}

/// Notes in the record of each shape where the entries of its streams start; 0 for those that are not there.
#[inline(never)]
fn find(set: &Set<'_>, records: &mut [Record]) -> Result<()> {
    records.fill([[0; 8]; RECORD]);
    for entry in set.entries() {
        let entry = entry?;
        if let Some((shape, own)) = of_shape(entry.name)
            && let Some(place) = records.get_mut(shape).and_then(|record| record.get_mut(own))
        {
            if *place != [0; 8] {
                return Err(Error::new(ErrorKind::At1StreamTwice, entry.at));
            }
            *place = entry.at.to_le_bytes();
        }
    }
    Ok(())
}

/// Opens the table of a shape, which waits from then on.
#[inline(never)]
fn open<'a>(set: &Set<'a>, record: &mut Record, lent: &mut Lent<'_, 'a>) -> Result<()> {
    let mut streams = [set.missing(); NAMES.len()];
    for (stream, place) in streams.iter_mut().zip(&*record) {
        if *place != [0; 8] {
            *stream = Stream::found(u64::from_le_bytes(*place));
        }
    }
    let at = lent.scratch.taken();
    set.load_found(&mut streams, lent)?;
    let text_at = lent.scratch.taken();
    match &below(|| Rows::open(&streams, false, lent)) {
        Ok(rows) => rows.settle(record, &streams, ends(&streams, at), text_at),
        Err(error) => return Err(*error),
    }
    Ok(())
}

/// Walks over the lines of a file.
struct LineMap<'a> {
    /// Says of each line that comes which shape it has, from 1; 0 if it is verbatim.
    map: Numbers<'a>,
    lines: u64,
    line: u64,
    /// What the map says of the line that comes next.
    next: u64,
}

impl<'a> LineMap<'a> {
    fn new(lines: u64, mut map: Numbers<'a>) -> Verdict<Self> {
        let next = if lines > 0 { map.unsigned()? } else { 0 };
        Ok(Self { map, lines, line: 0, next })
    }

    /// Appends the next line, and all behind it of the same shape.
    fn run<O: Output>(&mut self, out: &mut O, mut append: impl FnMut(&mut O) -> Result<()>) -> Result<()> {
        let shape = self.next;
        while self.line < self.lines && self.next == shape {
            if self.line > 0 {
                out.byte(b'\n');
            }
            append(out)?;
            if out.is_full() {
                self.lines = 0;
            }
            self.line += 1;
            if self.line < self.lines {
                self.next = self.map.unsigned()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_streams() {
        for shape in 0..MAX_SHAPES {
            for (own, name) in NAMES.iter().enumerate() {
                let name = format!("t{shape}:{}", str::from_utf8(name).unwrap()).into_bytes();
                assert_eq!(of_shape(&name), Some((shape, own)));
                assert!(reads(&name));
            }
        }
        assert!(reads(b"line_map"));
        for name in
            ["t:meta", "t:bloom", "tx:meta", "t1x:meta", "t1meta", "t01:meta", "t64:meta", "t100:meta", "t1:bloom"]
        {
            assert!(!reads(name.as_bytes()), "{name}");
        }
    }
}

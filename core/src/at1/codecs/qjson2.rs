//! Codec 11: lines of JSON of several shapes, each shape a table of [`qjson`](super::qjson).

use super::qcolumnar::{NAMES, RECORD, Rows};
use super::shared::{
    Decode, Error, ErrorKind, Header, Lent, Lines, Numbers, Output, Result, Set, Stream, Verdict, Word, below,
};
use crate::at1::streams::record::ends;
use crate::num::{index, u64_from};

/// The most shapes of a file. Writers stop at half of it.
const MAX_SHAPES: usize = 64;

/// Returns the shape of the stream `t17:meta`, and its position in [`NAMES`].
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

/// The saved table of a shape.
type Record = [Word; RECORD];

/// A file whose streams are decoded. One shape is active at a time, for consecutive lines of that
/// shape.
pub(crate) struct Shapes<'a> {
    map: LineMap<'a>,
    trailing: bool,
    verbatim: Lines<'a>,
    file: &'a [u8],
    records: &'a mut [Record],
    /// The streams, texts and cells of all shapes. They start at byte `base` of the whole scratch.
    scratch: &'a mut [u8],
    base: u64,
}

impl<'a> Decode<'a, 3> for Shapes<'a> {
    /// The streams that all shapes share.
    const NAMES: [&'static [u8]; 3] = [b"meta", b"line_map", b"verbatim"];

    fn reads(name: &[u8]) -> bool {
        Self::NAMES.contains(&name) || of_shape(name).is_some()
    }

    fn open(streams: &[Stream<'a>; 3], _: &Header, set: &Set<'a>, lent: &mut Lent<'_, 'a>) -> Result<Self> {
        let &[meta, map, verbatim] = streams;
        let mut meta = meta.numbers();
        let (lines, trailing, count) = (meta.unsigned()?, meta.byte()? != 0, meta.index()?);
        if count > MAX_SHAPES {
            return Err(meta.fault(ErrorKind::At1Shapes).into());
        }
        let records = lent.scratch.records(u64_from(count))?;
        find(set, records)?;
        let base = lent.scratch.taken();
        let mut used = 0;
        for record in &mut *records {
            let mut rest = lent.after(used);
            open(set, record, &mut rest)?;
            used = rest.scratch.taken().saturating_sub(base);
        }
        let (scratch, map) = (lent.scratch.take(used)?, LineMap::new(lines, map.numbers())?);
        let (trailing, verbatim) = (trailing && lines > 0, Lines::new(verbatim));
        Ok(Self { map, trailing, verbatim, file: set.src(), records, scratch, base })
    }

    fn append(&mut self, out: &mut Output<'_>, lent: &mut Lent<'_, 'a>) -> Result<()> {
        let Self { map, verbatim, .. } = self;
        while map.line < map.lines {
            let Some(shape) = map.next.checked_sub(1) else {
                map.run(out, |out| Ok(verbatim.item().map(|item| out.put(item))?))?;
                continue;
            };
            let record = self.records.get_mut(index(shape)).ok_or_else(|| map.map.fault(ErrorKind::At1Shapes))?;
            below(|| match &mut Rows::resume(record, self.file, self.scratch, self.base, lent.limits) {
                Ok(rows) => {
                    rows.advance_to(record);
                    map.run(out, |out| rows.line(out, lent))?;
                    rows.save(record);
                    Ok(())
                }
                Err(error) => Err(*error),
            })?;
        }
        if self.trailing {
            out.byte(b'\n');
        }
        Ok(())
    }
}

/// Stores the offsets of the entries of each shape in its record; 0 for a missing entry. Refuses a
/// stream of a shape that the file does not have: [`reads`](Decode::reads) takes it for one that is
/// read.
#[inline(never)]
fn find(set: &Set<'_>, records: &mut [Record]) -> Result<()> {
    records.fill([[0; 8]; RECORD]);
    for entry in set.entries() {
        let entry = entry?;
        let Some((shape, own)) = of_shape(entry.name) else { continue };
        let kind = match records.get_mut(shape).and_then(|record| record.get_mut(own)) {
            Some(place) if *place == [0; 8] => {
                *place = entry.at.to_le_bytes();
                continue;
            }
            Some(_) => ErrorKind::At1StreamTwice,
            None => ErrorKind::At1Shapes,
        };
        return Err(Error::new(kind, entry.at));
    }
    Ok(())
}

/// Opens the table of a shape and saves it.
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
    match &below(|| Rows::new(&streams, false, lent)) {
        Ok(rows) => rows.settle(record, &streams, ends(&streams, at), text_at),
        Err(error) => return Err(*error),
    }
    Ok(())
}

/// A walk over the lines of a file.
struct LineMap<'a> {
    /// The shape of each following line, from 1 on. 0 is a verbatim line.
    map: Numbers<'a>,
    lines: u64,
    line: u64,
    /// The shape of the next line.
    next: u64,
}

impl<'a> LineMap<'a> {
    fn new(lines: u64, mut map: Numbers<'a>) -> Verdict<Self> {
        let next = if lines > 0 { map.unsigned()? } else { 0 };
        Ok(Self { map, lines, line: 0, next })
    }

    /// Appends the next line and all consecutive lines of the same shape.
    fn run(&mut self, out: &mut Output<'_>, mut append: impl FnMut(&mut Output<'_>) -> Result<()>) -> Result<()> {
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
    fn recognizes_names_of_streams() {
        for shape in 0..MAX_SHAPES {
            for (own, name) in NAMES.iter().enumerate() {
                let name = format!("t{shape}:{}", str::from_utf8(name).unwrap()).into_bytes();
                assert_eq!(of_shape(&name), Some((shape, own)));
                assert!(Shapes::reads(&name));
            }
        }
        assert!(Shapes::reads(b"line_map"));
        for name in
            ["t:meta", "t:bloom", "tx:meta", "t1x:meta", "t1meta", "t01:meta", "t64:meta", "t100:meta", "t1:bloom"]
        {
            assert!(!Shapes::reads(name.as_bytes()), "{name}");
        }
    }
}

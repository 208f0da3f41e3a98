//! Codec 11: lines of JSON of several shapes, each shape a table of [`qjson`](super::qjson) of its own.

use super::lines::Lines;
use super::numbers::Numbers;
use super::output::Output;
use super::qcolumnar::{NAMES, RECORD, Rows};
use super::record::{Memory, Word};
use super::scratch::{Lent, below};
use super::streams::{Prefix, Set};
use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
use crate::{ErrorKind, Result};

/// The most shapes that a file may have; writers stop at half of it.
const MAX_SHAPES: usize = 64;

/// The streams that all shapes share.
const SHARED: [&[u8]; 3] = [b"meta", b"line_map", b"verbatim"];

/// Whether a stream of this name is read.
pub(super) fn wanted(name: &[u8]) -> bool {
    let of_shape = |name: &[u8]| {
        let rest = name.strip_prefix(b"t")?;
        let digits = memchr::memchr(b':', rest)?;
        let (number, own) = rest.split_at_checked(digits)?;
        (number.iter().all(u8::is_ascii_digit) && NAMES.contains(&own.get(1..)?)).then_some(())
    };
    SHARED.contains(&name) || of_shape(name).is_some()
}

/// What the names of the streams of a shape start with: `t17:`.
fn prefix(shape: u8) -> Prefix {
    let mut prefix = Prefix::default();
    prefix.push(b't');
    if shape >= 10 {
        prefix.push(b'0' + shape / 10 % 10);
    }
    prefix.push(b'0' + shape % 10);
    prefix.push(b':');
    prefix
}

/// A shape that waits for its next line.
type Record = [Word; RECORD];

/// Appends all of the file.
#[inline(never)]
pub(super) fn all<'a, O: Output>(set: &Set<'a>, lent: &mut Lent<'_, 'a>, out: &mut O) -> Result<()> {
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
    let memory = Memory::new(set.src(), &lent.scratch);
    let mut used = 0;
    for (number, record) in (0..).zip(&mut *records) {
        let before = lent.scratch.taken();
        let mut rest = lent.behind(used);
        open(&set.of(prefix(number)), record, memory, &mut rest)?;
        used = rest.scratch.taken().saturating_sub(before);
    }
    let scratch = lent.scratch.take(used)?;
    let mut verbatim = Lines::new(verbatim);
    let mut walk = Walk::new(lines, map.numbers())?;
    // One shape at a time is awake, for as many lines in a row as are of it.
    while walk.line < walk.lines {
        match walk.next.checked_sub(1) {
            None => walk.run(out, |out| Ok(out.put(verbatim.item()?)?))?,
            Some(shape) => {
                let record = records.get_mut(index(shape)).ok_or_else(|| walk.map.fault(ErrorKind::At1Shapes))?;
                below(|| -> Result<()> {
                    let mut rows = Rows::resume(record, set.src(), scratch);
                    walk.run(out, |out| rows.line(out, lent))?;
                    rows.save(record, memory);
                    Ok(())
                })?;
            }
        }
    }
    if trailing && lines > 0 {
        out.byte(b'\n')?;
    }
    Ok(())
}

/// Opens the table of a shape, which waits from then on.
#[inline(never)]
fn open<'a>(set: &Set<'a>, record: &mut Record, memory: Memory, lent: &mut Lent<'_, 'a>) -> Result<()> {
    set.load(&NAMES, lent, |streams, lent| {
        match &Rows::open(streams, false, lent) {
            Ok(rows) => rows.save(record, memory),
            Err(error) => return Err(*error),
        }
        Ok(())
    })
}

/// Walks over the lines of a file.
struct Walk<'a> {
    /// Says of each line that comes which shape it has, from 1; 0 if it is verbatim.
    map: Numbers<'a>,
    lines: u64,
    line: u64,
    /// What the map says of the line that comes next.
    next: u64,
}

impl<'a> Walk<'a> {
    fn new(lines: u64, mut map: Numbers<'a>) -> Verdict<Self> {
        let next = if lines > 0 { map.unsigned()? } else { 0 };
        Ok(Self { map, lines, line: 0, next })
    }

    /// Appends the next line, and all behind it of the same shape.
    fn run<O: Output>(&mut self, out: &mut O, mut append: impl FnMut(&mut O) -> Result<()>) -> Result<()> {
        let shape = self.next;
        while self.line < self.lines && self.next == shape {
            if self.line > 0 {
                out.byte(b'\n')?;
            }
            append(out)?;
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
        for shape in 0..64u8 {
            for own in NAMES {
                let name = format!("t{shape}:{}", str::from_utf8(own).unwrap()).into_bytes();
                assert!(prefix(shape).matches(&name, own));
                assert!(wanted(&name));
            }
        }
        assert!(wanted(b"line_map") && !wanted(b"t:bloom") && !wanted(b"tx:meta") && !wanted(b"t1meta"));
    }
}

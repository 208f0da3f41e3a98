//! Codec 11: lines of JSON of several shapes, each shape a table of [`qjson`](super::qjson) of its own.

use super::lines::Lines;
use super::output::Output;
use super::qcolumnar::{NAMES, RECORD, Rows};
use super::record::{Memory, Word};
use super::scratch::{Scratch, Workspace};
use super::streams::Set;
use crate::num::{index, u64_from};
use crate::{ErrorKind, Limits, Result};

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

/// The name of a stream of a shape: `t17:meta`.
struct Name {
    bytes: [u8; 16],
    len: usize,
}

impl Name {
    fn new(shape: u8, own: &[u8]) -> Self {
        let mut name = Self { bytes: [0; 16], len: 0 };
        name.push(b't');
        if shape >= 10 {
            name.push(b'0' + shape / 10 % 10);
        }
        name.push(b'0' + shape % 10);
        own.iter().fold(name.pushed(b':'), |name, &byte| name.pushed(byte))
    }

    fn push(&mut self, byte: u8) {
        if let Some(room) = self.bytes.get_mut(self.len) {
            *room = byte;
            self.len += 1;
        }
    }

    fn pushed(mut self, byte: u8) -> Self {
        self.push(byte);
        self
    }

    fn get(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// A shape that waits for its next line.
type Record = [Word; RECORD];

/// Opens the table of a shape.
#[inline(never)]
fn open<'a>(
    set: &Set<'a>,
    number: u8,
    scratch: &mut Scratch<'a>,
    ws: &mut Workspace,
    limits: &Limits,
    then: impl FnOnce(&Rows<'a>),
) -> Result<()> {
    let names = NAMES.map(|own| Name::new(number, own));
    set.load(&names.each_ref().map(Name::get), scratch, ws, limits, |streams, scratch| {
        then(&Rows::open(*streams, false, scratch, limits)?);
        Ok(())
    })
}

/// Appends all of the file.
#[inline(never)]
pub(super) fn all<'a, O: Output>(
    set: &Set<'a>,
    scratch: &mut Scratch<'a>,
    out: &mut O,
    ws: &mut Workspace,
    limits: &Limits,
) -> Result<()> {
    let [meta, map, verbatim] = set.load(&SHARED, scratch, ws, limits, |streams, _| Ok(*streams))?;
    let mut fields = meta.numbers();
    let lines = fields.unsigned()?;
    let trailing = fields.byte()? != 0;
    let count = fields.index()?;
    if count > MAX_SHAPES {
        return Err(fields.error(ErrorKind::At1Shapes));
    }
    let room = u64_from(count).saturating_mul(u64_from(size_of::<Record>()));
    let (records, _) = scratch.take(room)?.as_chunks_mut::<8>().0.as_chunks_mut::<RECORD>();
    let taken = scratch.taken();
    let scratch = scratch.all();
    let memory = Memory::new(set.src(), scratch);
    let mut used = 0;
    for (number, record) in (0..).zip(&mut *records) {
        let rest = scratch.get_mut(index(used)..).unwrap_or_default();
        let mut rest = Scratch::behind(taken.saturating_add(used), rest);
        open(set, number, &mut rest, ws, limits, |rows| rows.save(record, memory))?;
        used = rest.taken().saturating_sub(taken);
    }
    let mut map = map.numbers();
    let mut verbatim = Lines::new(verbatim);
    let mut line = 0;
    // One shape at a time is awake, for as many lines in a row as are of it.
    let mut next = if lines > 0 { map.unsigned()? } else { 0 };
    while line < lines {
        let shape = next;
        let record = shape.checked_sub(1).map(|shape| records.get_mut(index(shape)));
        let mut rows = match &record {
            None => None,
            Some(None) => return Err(map.error(ErrorKind::At1Shapes)),
            Some(Some(record)) => Some(Rows::resume(&**record, set.src(), scratch)),
        };
        while line < lines && next == shape {
            if line > 0 {
                out.byte(b'\n')?;
            }
            match &mut rows {
                None => out.put(verbatim.item()?)?,
                Some(rows) => rows.line(out, ws, limits)?,
            }
            line += 1;
            if line < lines {
                next = map.unsigned()?;
            }
        }
        if let (Some(rows), Some(Some(record))) = (rows, record) {
            rows.save(record, memory);
        }
    }
    if trailing && lines > 0 {
        out.byte(b'\n')?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_streams() {
        for shape in 0..64u8 {
            for own in NAMES {
                let name = Name::new(shape, own);
                let expected = format!("t{shape}:{}", str::from_utf8(own).unwrap());
                assert_eq!(name.get(), expected.as_bytes());
                assert!(wanted(name.get()));
            }
        }
        assert!(wanted(b"line_map") && !wanted(b"t:bloom") && !wanted(b"tx:meta") && !wanted(b"t1meta"));
    }
}

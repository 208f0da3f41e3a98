//! Codec 11: lines of JSON of several shapes, each shape a table of [`qjson`](super::qjson) of its own.

use super::lines::Lines;
use super::output::Output;
use super::qcolumnar::{NAMES, Rows};
use super::scratch::{Scratch, Workspace};
use super::streams::Set;
use crate::num::index;
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
    let mut shapes = [const { None }; MAX_SHAPES];
    for (number, shape) in (0..).zip(shapes.iter_mut().take(count)) {
        let names = NAMES.map(|own| Name::new(number, own));
        *shape = Some(set.load(&names.each_ref().map(Name::get), scratch, ws, limits, |streams, scratch| {
            Rows::open(*streams, false, scratch, limits)
        })?);
    }
    let mut map = map.numbers();
    let mut verbatim = Lines::new(verbatim);
    for line in 0..lines {
        if line > 0 {
            out.byte(b'\n')?;
        }
        match map.unsigned()?.checked_sub(1) {
            None => out.put(verbatim.item()?)?,
            Some(shape) => match shapes.get_mut(index(shape)).and_then(Option::as_mut) {
                Some(rows) => rows.line(out, ws, limits)?,
                None => return Err(map.error(ErrorKind::At1Shapes)),
            },
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

//! Finds the tables of a file. Reads only the numbers of their entries.

use core::ops::Range;

use super::header::{COUNT, Header, TABLES};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Name, Part, Result, Trace, Value};

/// Walks over the tables of a file: the size of each leads to the next one.
///
/// It asks for byte ranges and emits their fields. The caller fetches them from a flash page, a
/// file or a server: five ranges with 25 bytes together, whatever the size of the file.
///
/// ```
/// use unspool::onpair::Outline;
/// let file = b"ONPAIR01\x09\x02\0\0\0ab\x03\0\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x01\0\0\0\0\x02\x04\
///     \0\0\0\0\0\x03\0\0\0\0\0\0\0\x02\0\0\0\x03\0\0\0";
/// let mut outline = Outline::new(file.len() as u64);
/// while let Some(range) = outline.needs() {
///     outline.feed(range.start, &file[range.start as usize..range.end as usize], &mut ())?;
/// }
/// let [tokens, .., row_offsets] = outline.places();
/// let tokens = &file[tokens.start as usize..tokens.end as usize];
/// assert_eq!((outline.bits(), tokens), (9, &b"ab"[..]));
/// assert_eq!(row_offsets.end, file.len() as u64);
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outline {
    len: u64,
    at: u64,
    /// Number of the part that starts at the next byte: 0 for the header, then the tables.
    part: usize,
    bits: u32,
    places: [Range<u64>; 4],
}

impl Outline {
    /// Starts an outline of a file of this length.
    pub const fn new(len: u64) -> Self {
        Self { len, at: 0, part: 0, bits: 0, places: [const { 0..0 }; 4] }
    }

    /// Returns the range to [`feed`](Self::feed) next, or `None` when all is known.
    pub fn needs(&self) -> Option<Range<u64>> {
        let len = match self.part {
            0 => u64_from(Header::LEN),
            1..=4 => u64_from(COUNT),
            _ => return None,
        };
        Some(self.at..self.at.saturating_add(len).min(self.len))
    }

    /// Bits of a code; 0 until they are known.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// The bytes of the file that hold the tokens, their offsets, the codes, and the row offsets;
    /// empty until they are known.
    pub const fn places(&self) -> &[Range<u64>; 4] {
        &self.places
    }

    /// Takes the bytes of the file from `at` on, which must hold what [`needs`](Self::needs) asks
    /// for and may hold more. After an error it needs nothing more.
    pub fn feed(&mut self, at: u64, bytes: &[u8], trace: &mut impl Trace) -> Result<()> {
        let Some(needs) = self.needs() else { return Ok(()) };
        let part = core::mem::replace(&mut self.part, usize::MAX);
        let Some(before) = needs.start.checked_sub(at) else {
            return Err(Error::new(ErrorKind::RangeOutside, needs.start).needing(needs.end));
        };
        let end = needs.end.saturating_sub(at);
        let Some(bytes) = bytes.get(index(before)..index(end)) else {
            return Err(Error::new(ErrorKind::Truncated, at.saturating_add(u64_from(bytes.len()))));
        };
        let table = part.checked_sub(1).and_then(|i| Some((TABLES.get(i)?, self.places.get_mut(i)?)));
        if let Some((table, place)) = table {
            *place = table.place(bytes, self.at, self.len, trace)?;
            trace.bytes(table.part, table.name, place.clone(), Value::None);
            self.at = place.end;
        } else {
            self.bits = Header::parse(bytes, trace)?.bits;
            self.at = needs.end;
        }
        self.part = part.saturating_add(1);
        if self.needs().is_none() && self.at < self.len {
            trace.bytes(Part::Padding, Name::TrailingBytes, self.at..self.len, Value::None);
        }
        Ok(())
    }
}

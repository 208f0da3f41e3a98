//! A decoded stream, and a cursor that reads numbers and bytes from it.

use crate::bits::{read_varint, zigzag};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Result};

/// Where a stream lies in the file. What is left of it when its start has been read lies there too, so that a cursor need not
/// remember how far it came.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place(pub(super) u64);

impl Place {
    /// The payload is the bytes themselves, and ends at the byte in the other bits; without it, the payload starts there.
    const STORED: u64 = 1 << 63;

    /// Where in the file something is wrong that shows where `left` bytes are left of the stream.
    fn with(self, left: usize) -> u64 {
        match self.0 & Self::STORED {
            0 => self.0,
            _ => (self.0 & !Self::STORED).saturating_sub(u64_from(left)),
        }
    }

    /// An error where `left` bytes are left of the stream.
    #[cold]
    pub(super) fn error(self, kind: ErrorKind, left: usize) -> Error {
        Error::new(kind, self.with(left))
    }
}

/// The bytes of a stream, and where it lies in the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stream<'a> {
    /// What it decodes to.
    pub bytes: &'a [u8],
    pub(super) place: Place,
}

impl<'a> Stream<'a> {
    /// What the payload that starts at byte `at` of the file decodes to. If the payload is `stored`, it is the bytes themselves,
    /// so that a place in them is a place in the file.
    pub const fn new(bytes: &'a [u8], at: u64, stored: bool) -> Self {
        let end = at.saturating_add(bytes.len() as u64) | Place::STORED;
        Self { bytes, place: Place(if stored { end } else { at & !Place::STORED }) }
    }

    /// Where in the file something is wrong that shows at byte `pos` of the stream: the very byte if it is stored, else
    /// the start of the payload.
    pub fn place(&self, pos: usize) -> u64 {
        self.place.with(self.bytes.len().saturating_sub(pos))
    }

    /// An error at byte `pos` of the stream.
    #[cold]
    pub fn error(&self, kind: ErrorKind, pos: usize) -> Error {
        Error::new(kind, self.place(pos))
    }

    /// A part of it as a stream of its own.
    #[inline]
    pub fn part(&self, start: usize, end: usize) -> Option<Self> {
        let bytes = self.bytes.get(start..end)?;
        // Without a branch, because columns do this for each value: nothing, or what stands behind the part.
        let stored = (self.place.0 >> 63).wrapping_neg();
        let behind = u64_from(self.bytes.len().wrapping_sub(end)) & stored;
        Some(Self { bytes, place: Place(self.place.0.wrapping_sub(behind)) })
    }

    /// Its numbers, from the start.
    pub const fn numbers(self) -> Numbers<'a> {
        Numbers { rest: self }
    }
}

/// Reads a stream from its start: varints, bytes, strings behind their lengths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers<'a> {
    rest: Stream<'a>,
}

impl<'a> Numbers<'a> {
    /// What has not been read yet, as a stream.
    #[cfg(feature = "at1")]
    pub(super) const fn stream(&self) -> Stream<'a> {
        self.rest
    }

    /// Which byte of a stream comes next, if what is read ends before byte `end` of it.
    pub const fn position(&self, end: usize) -> usize {
        end.wrapping_sub(self.rest.bytes.len())
    }

    /// What has not been read yet.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest.bytes
    }

    /// Whether all has been read.
    pub const fn is_empty(&self) -> bool {
        self.rest.bytes.is_empty()
    }

    /// An error at what was read last.
    #[cold]
    pub fn error(&self, kind: ErrorKind) -> Error {
        self.rest.error(kind, 0)
    }

    /// An unsigned number.
    #[inline]
    pub fn unsigned(&mut self) -> Result<u64> {
        match self.rest.bytes.split_first() {
            Some((&byte, rest)) if byte < 0x80 => {
                self.rest.bytes = rest;
                Ok(byte.into())
            }
            _ => self.long(),
        }
    }

    fn long(&mut self) -> Result<u64> {
        match read_varint(self.rest.bytes) {
            Ok((value, len)) => {
                self.rest.bytes = self.rest.bytes.get(len..).unwrap_or_default();
                Ok(value)
            }
            Err(Error { kind: ErrorKind::Truncated, .. }) => Err(self.short()),
            Err(error) => Err(self.error(error.kind)),
        }
    }

    /// A signed number.
    #[inline]
    pub fn signed(&mut self) -> Result<i64> {
        self.unsigned().map(zigzag)
    }

    /// Adds a signed number to a running sum.
    #[inline]
    pub fn add_to(&mut self, sum: &mut i64) -> Result<i64> {
        let delta = self.signed()?;
        *sum = sum.checked_add(delta).ok_or_else(|| self.error(ErrorKind::At1SumOverflow))?;
        Ok(*sum)
    }

    /// A number that counts or picks things in memory; one that no slice can have becomes `usize::MAX`.
    #[inline]
    pub fn index(&mut self) -> Result<usize> {
        self.unsigned().map(index)
    }

    /// The stream ends early.
    #[cold]
    fn short(&self) -> Error {
        self.error(ErrorKind::At1StreamShort)
    }

    /// One byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8> {
        let (&byte, rest) = self.rest.bytes.split_first().ok_or_else(|| self.short())?;
        self.rest.bytes = rest;
        Ok(byte)
    }

    /// The next `len` bytes.
    #[inline]
    pub fn bytes(&mut self, len: usize) -> Result<&'a [u8]> {
        let (bytes, rest) = self.rest.bytes.split_at_checked(len).ok_or_else(|| self.short())?;
        self.rest.bytes = rest;
        Ok(bytes)
    }

    /// The next bytes as an array.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (bytes, rest) = self.rest.bytes.split_first_chunk().ok_or_else(|| self.short())?;
        self.rest.bytes = rest;
        Ok(*bytes)
    }

    /// Bytes behind a number that says how many there are.
    #[inline]
    pub fn string(&mut self) -> Result<&'a [u8]> {
        let len = self.index()?;
        self.bytes(len)
    }

    /// A number of things each of which takes at least one byte of what follows. More cannot be meant.
    pub fn count(&mut self) -> Result<usize> {
        let count = self.index()?;
        if count > self.rest.bytes.len() {
            return Err(self.short());
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_bytes_and_strings_in_a_row() {
        let bytes = b"\x05\xE5\x8E\x26\x03\x02ab!\x09";
        let mut numbers = Stream::new(bytes, 100, true).numbers();
        let mut sum = i64::MAX - 1;
        assert_eq!((numbers.unsigned(), numbers.unsigned(), numbers.signed()), (Ok(5), Ok(624_485), Ok(-2)));
        assert_eq!((numbers.string(), numbers.byte()), (Ok(&b"ab"[..]), Ok(b'!')));
        assert_eq!(numbers.count(), Err(Error::new(ErrorKind::At1StreamShort, 110)));
        assert!(numbers.is_empty() && numbers.unsigned().is_err() && numbers.byte().is_err());
        let mut numbers = Stream::new(b"\x02\x02\xFF", 7, false).numbers();
        assert_eq!(numbers.add_to(&mut sum), Ok(i64::MAX));
        assert_eq!(numbers.add_to(&mut sum), Err(Error::new(ErrorKind::At1SumOverflow, 7)));
        assert_eq!(numbers.unsigned(), Err(Error::new(ErrorKind::At1StreamShort, 7)));
    }

    #[test]
    fn a_part_lies_where_it_lay_in_the_whole() {
        for (stored, places) in [(true, [102, 103, 104, 105]), (false, [100; 4])] {
            let part = Stream::new(b"abcdefgh", 100, stored).part(2, 5).unwrap();
            assert_eq!((part.bytes, [0, 1, 2, 3].map(|pos| part.place(pos))), (&b"cde"[..], places));
            assert!(part.part(2, 4).is_none());
        }
    }
}

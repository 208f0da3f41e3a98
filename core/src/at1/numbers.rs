//! A decoded stream, and a cursor that reads numbers and bytes from it.

use crate::bits::{read_varint, zigzag};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Result};

/// The bytes of a stream, and where it lies in the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stream<'a> {
    /// What it decodes to.
    pub bytes: &'a [u8],
    /// Where its payload starts in the file.
    pub at: u64,
    /// Whether the payload is the bytes themselves, so that a place in them is a place in the file.
    pub stored: bool,
}

impl<'a> Stream<'a> {
    /// Where in the file something is wrong that shows at byte `pos` of the stream: the very byte if it is stored, else
    /// the start of the payload.
    pub fn place(&self, pos: usize) -> u64 {
        if self.stored { self.at.saturating_add(u64_from(pos)) } else { self.at }
    }

    /// An error at byte `pos` of the stream.
    #[cold]
    pub fn error(&self, kind: ErrorKind, pos: usize) -> Error {
        Error::new(kind, self.place(pos))
    }

    /// A part of it as a stream of its own.
    pub fn part(&self, start: usize, end: usize) -> Option<Self> {
        let bytes = self.bytes.get(start..end)?;
        Some(Self { bytes, at: self.place(start), stored: self.stored })
    }

    /// Its numbers, from the start.
    pub const fn numbers(self) -> Numbers<'a> {
        Numbers { stream: self, pos: 0 }
    }
}

/// Reads a stream from its start: varints, bytes, strings behind their lengths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers<'a> {
    stream: Stream<'a>,
    pos: usize,
}

impl<'a> Numbers<'a> {
    /// Goes on at byte `pos` of a stream.
    #[inline]
    pub(super) const fn resume(stream: Stream<'a>, pos: usize) -> Self {
        Self { stream, pos }
    }

    /// What is read.
    #[cfg(feature = "at1")]
    pub(super) const fn stream(&self) -> Stream<'a> {
        self.stream
    }

    /// How many bytes have been read.
    pub const fn position(&self) -> usize {
        self.pos
    }

    /// What has not been read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.stream.bytes.get(self.pos..).unwrap_or_default()
    }

    /// Whether all has been read.
    pub fn is_empty(&self) -> bool {
        self.rest().is_empty()
    }

    /// An error at what was read last.
    #[cold]
    pub fn error(&self, kind: ErrorKind) -> Error {
        self.stream.error(kind, self.pos)
    }

    /// An unsigned number.
    #[inline]
    pub fn unsigned(&mut self) -> Result<u64> {
        match self.stream.bytes.get(self.pos) {
            Some(&byte) if byte < 0x80 => {
                self.pos = self.pos.saturating_add(1);
                Ok(byte.into())
            }
            _ => self.long(),
        }
    }

    fn long(&mut self) -> Result<u64> {
        match read_varint(self.rest()) {
            Ok((value, len)) => {
                self.pos = self.pos.saturating_add(len);
                Ok(value)
            }
            Err(Error { kind: ErrorKind::Truncated, .. }) => Err(self.error(ErrorKind::At1StreamShort)),
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

    /// One byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8> {
        let byte = self.stream.bytes.get(self.pos).copied();
        let byte = byte.ok_or_else(|| self.error(ErrorKind::At1StreamShort))?;
        self.pos = self.pos.saturating_add(1);
        Ok(byte)
    }

    /// The next `len` bytes.
    #[inline]
    pub fn bytes(&mut self, len: usize) -> Result<&'a [u8]> {
        let end = self.pos.saturating_add(len);
        let bytes = self.stream.bytes.get(self.pos..end).ok_or_else(|| self.error(ErrorKind::At1StreamShort))?;
        self.pos = end;
        Ok(bytes)
    }

    /// The next bytes as an array.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes = self.rest().first_chunk().copied();
        let bytes = bytes.ok_or_else(|| self.error(ErrorKind::At1StreamShort))?;
        self.pos = self.pos.saturating_add(N);
        Ok(bytes)
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
        if count > self.rest().len() {
            return Err(self.error(ErrorKind::At1StreamShort));
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
        let mut numbers = Stream { bytes, at: 100, stored: true }.numbers();
        let mut sum = i64::MAX - 1;
        assert_eq!((numbers.unsigned(), numbers.unsigned(), numbers.signed()), (Ok(5), Ok(624_485), Ok(-2)));
        assert_eq!((numbers.string(), numbers.byte()), (Ok(&b"ab"[..]), Ok(b'!')));
        assert_eq!(numbers.count(), Err(Error::new(ErrorKind::At1StreamShort, 110)));
        assert!(numbers.is_empty() && numbers.unsigned().is_err() && numbers.byte().is_err());
        let mut numbers = Stream { bytes: b"\x02\x02\xFF", at: 7, stored: false }.numbers();
        assert_eq!(numbers.add_to(&mut sum), Ok(i64::MAX));
        assert_eq!(numbers.add_to(&mut sum), Err(Error::new(ErrorKind::At1SumOverflow, 7)));
        assert_eq!(numbers.unsigned(), Err(Error::new(ErrorKind::At1StreamShort, 7)));
    }
}

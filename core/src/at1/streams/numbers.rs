//! A decoded stream, and a cursor that reads numbers and bytes from it.

use crate::bits::{varint, zigzag};
use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind};

/// The location of a stream in the file. It is kept relative to the end of the stream, so that a
/// cursor does not have to count the bytes it read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StreamPosition(pub(crate) usize);

impl StreamPosition {
    /// Flag of a stored payload. The other bits are then the end of its bytes in the file;
    /// otherwise they are the start of the payload.
    const STORED: usize = !(usize::MAX >> 1);

    /// Returns the end of the bytes in the file if they are stored there.
    pub(crate) const fn end_in_file(self) -> Option<usize> {
        match self.0 & Self::STORED {
            0 => None,
            _ => Some(self.0 & !Self::STORED),
        }
    }

    /// Returns the offset in the file of a fault with `left` bytes left of the stream.
    fn with(self, left: usize) -> usize {
        self.end_in_file().map_or(self.0, |end| end.saturating_sub(left))
    }

    /// Returns a fault with `left` bytes left of the stream.
    #[cold]
    pub(crate) fn fault(self, kind: ErrorKind, left: usize) -> Fault {
        Fault::new(kind, self.with(left))
    }
}

/// The bytes of a stream and its location in the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stream<'a> {
    /// The decoded bytes.
    pub bytes: &'a [u8],
    pub(crate) place: StreamPosition,
}

impl<'a> Stream<'a> {
    /// Returns the stream of the payload at byte `at` of the file. If it is `stored`, its bytes
    /// have offsets in the file.
    pub fn new(bytes: &'a [u8], at: u64, stored: bool) -> Self {
        // No slice is longer.
        let at = index(at).min(!StreamPosition::STORED);
        let end = at.saturating_add(bytes.len()) | StreamPosition::STORED;
        Self { bytes, place: StreamPosition(if stored { end } else { at }) }
    }

    /// Returns a stream that is not decoded yet. Only the offset of its entry is known.
    pub(crate) fn found(at: u64) -> Self {
        Self::new(b"", at, false)
    }

    /// Returns the offset in the file of byte `pos`: of the byte itself if the stream is stored,
    /// else of the payload.
    pub(crate) fn place(&self, pos: usize) -> usize {
        self.place.with(self.bytes.len().saturating_sub(pos))
    }

    /// Returns a fault at byte `pos` of the stream.
    #[cold]
    pub(crate) fn fault(&self, kind: ErrorKind, pos: usize) -> Fault {
        Fault::new(kind, self.place(pos))
    }

    /// Moves an error in bytes from `pos` on to the file. It is exact only if the stream is stored.
    #[cold]
    pub(crate) fn locate(&self, error: Error, pos: usize) -> Error {
        let inside = if self.place.end_in_file().is_some() { error.at } else { 0 };
        Error { at: u64_from(self.place(pos)).saturating_add(inside), ..error }
    }

    /// Returns a part as a stream.
    #[inline]
    pub(crate) fn part(&self, start: usize, end: usize) -> Option<Self> {
        let bytes = self.bytes.get(start..end)?;
        // Branchless, because columns do this for each value: 0, or the bytes after the part.
        let stored = (self.place.0 >> (usize::BITS - 1)).wrapping_neg();
        let after = self.bytes.len().wrapping_sub(end) & stored;
        Some(Self { bytes, place: StreamPosition(self.place.0.wrapping_sub(after)) })
    }

    /// Returns a cursor at the start.
    pub(crate) const fn numbers(self) -> Numbers<'a> {
        Numbers { rest: self }
    }
}

/// A cursor over a stream: reads varints, bytes, and strings after their lengths.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbers<'a> {
    rest: Stream<'a>,
}

impl<'a> Numbers<'a> {
    /// Returns the position of the next byte in a stream whose byte `end` is the end of this
    /// cursor.
    pub(crate) const fn position(&self, end: usize) -> usize {
        end.wrapping_sub(self.rest.bytes.len())
    }

    /// Returns the bytes left.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest.bytes
    }

    /// Skips `len` bytes.
    pub(crate) fn skip(&mut self, len: usize) {
        self.rest.bytes = self.rest.bytes.get(len..).unwrap_or_default();
    }

    /// Skips bytes until `len` are left.
    pub(crate) fn skip_to(&mut self, len: usize) {
        let rest = self.rest.bytes;
        self.rest.bytes = rest.get(rest.len().saturating_sub(len)..).unwrap_or_default();
    }

    /// Returns the bytes left as a stream.
    pub(crate) const fn stream(self) -> Stream<'a> {
        self.rest
    }

    /// Returns a fault at the next byte.
    #[cold]
    pub(crate) fn fault(&self, kind: ErrorKind) -> Fault {
        self.rest.fault(kind, 0)
    }

    /// Reads an unsigned number.
    #[inline]
    pub(crate) fn unsigned(&mut self) -> Verdict<u64> {
        match self.rest.bytes.split_first() {
            Some((&byte, rest)) if byte < 0x80 => {
                self.rest.bytes = rest;
                Ok(byte.into())
            }
            _ => self.long(),
        }
    }

    fn long(&mut self) -> Verdict<u64> {
        match varint(self.rest.bytes) {
            Ok((value, len)) => {
                self.rest.bytes = self.rest.bytes.get(len..).unwrap_or_default();
                Ok(value)
            }
            Err(Fault { kind: ErrorKind::Truncated, .. }) => Err(self.short()),
            Err(Fault { kind, .. }) => Err(self.fault(kind)),
        }
    }

    /// Reads a signed number.
    #[inline]
    pub(crate) fn signed(&mut self) -> Verdict<i64> {
        self.unsigned().map(zigzag)
    }

    /// Reads a signed number and adds it to a running sum.
    #[inline]
    pub(crate) fn add_to(&mut self, sum: &mut i64) -> Verdict<i64> {
        let delta = self.signed()?;
        *sum = sum.checked_add(delta).ok_or_else(|| self.fault(ErrorKind::At1SumOverflow))?;
        Ok(*sum)
    }

    /// Reads a number that counts or picks things in memory. Larger ones become `usize::MAX`.
    #[inline]
    pub(crate) fn index(&mut self) -> Verdict<usize> {
        self.unsigned().map(index)
    }

    /// Returns the fault of a stream that ends early.
    #[cold]
    fn short(&self) -> Fault {
        self.fault(ErrorKind::At1StreamShort)
    }

    /// Reads one byte.
    #[inline]
    pub(crate) fn byte(&mut self) -> Verdict<u8> {
        let (&byte, rest) = self.rest.bytes.split_first().ok_or_else(|| self.short())?;
        self.rest.bytes = rest;
        Ok(byte)
    }

    /// Reads the next `len` bytes.
    #[inline]
    pub(crate) fn bytes(&mut self, len: usize) -> Verdict<&'a [u8]> {
        let (bytes, rest) = self.rest.bytes.split_at_checked(len).ok_or_else(|| self.short())?;
        self.rest.bytes = rest;
        Ok(bytes)
    }

    /// Reads the next bytes as an array.
    pub(crate) fn array<const N: usize>(&mut self) -> Verdict<[u8; N]> {
        let (bytes, rest) = self.rest.bytes.split_first_chunk().ok_or_else(|| self.short())?;
        self.rest.bytes = rest;
        Ok(*bytes)
    }

    /// Reads a length and that many bytes.
    #[inline]
    pub(crate) fn string(&mut self) -> Verdict<&'a [u8]> {
        let len = self.index()?;
        self.bytes(len)
    }

    /// Reads a count of things that take at least one byte each. Refuses more than there are bytes.
    pub(crate) fn count(&mut self) -> Verdict<usize> {
        let count = self.index()?;
        if count > self.rest.bytes.len() {
            return Err(self.short());
        }
        Ok(count)
    }

    /// Reads a count from the start of a stream. A missing stream holds 0 things.
    pub(crate) fn count_or_none(&mut self) -> Verdict<usize> {
        if self.rest.bytes.is_empty() { Ok(0) } else { self.count() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_bytes_and_strings_in_a_row() {
        let bytes = b"\x05\xE5\x8E\x26\x03\x02ab!\x09";
        let mut numbers = Stream::new(bytes, 100, true).numbers();
        let mut sum = i64::MAX - 1;
        assert_eq!((numbers.unsigned(), numbers.unsigned(), numbers.signed()), (Ok(5), Ok(624_485), Ok(-2)));
        assert_eq!((numbers.string(), numbers.byte()), (Ok(&b"ab"[..]), Ok(b'!')));
        assert_eq!(numbers.count(), Err(Fault::new(ErrorKind::At1StreamShort, 110)));
        assert!(numbers.rest().is_empty() && numbers.unsigned().is_err() && numbers.byte().is_err());
        let mut numbers = Stream::new(b"\x02\x02\xFF", 7, false).numbers();
        assert_eq!(numbers.add_to(&mut sum), Ok(i64::MAX));
        assert_eq!(numbers.add_to(&mut sum), Err(Fault::new(ErrorKind::At1SumOverflow, 7)));
        assert_eq!(numbers.unsigned(), Err(Fault::new(ErrorKind::At1StreamShort, 7)));
    }

    #[test]
    fn a_part_keeps_its_place_in_the_file() {
        for (stored, places) in [(true, [102, 103, 104, 105]), (false, [100; 4])] {
            let part = Stream::new(b"abcdefgh", 100, stored).part(2, 5).unwrap();
            assert_eq!((part.bytes, [0, 1, 2, 3].map(|pos| part.place(pos))), (&b"cde"[..], places));
            assert!(part.part(2, 4).is_none());
        }
    }
}

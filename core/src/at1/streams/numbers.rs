//! A decoded stream, and a cursor that reads numbers and bytes from it.

use crate::bits::{varint, zigzag};
use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind};

/// Where a stream lies in the file. What is left of it when its start has been read ends at the same place, so that a cursor need not
/// remember how far it came.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place(pub(crate) usize);

impl Place {
    /// The payload is the bytes themselves, and ends at the byte in the other bits; without it, the payload starts there.
    const STORED: usize = !(usize::MAX >> 1);

    /// Where the bytes end in the file, if they are stored there.
    pub(crate) const fn end_in_file(self) -> Option<usize> {
        match self.0 & Self::STORED {
            0 => None,
            _ => Some(self.0 & !Self::STORED),
        }
    }

    /// Where in the file something is wrong that shows where `left` bytes are left of the stream.
    fn with(self, left: usize) -> usize {
        self.end_in_file().map_or(self.0, |end| end.saturating_sub(left))
    }

    /// A fault where `left` bytes are left of the stream.
    #[cold]
    pub(crate) fn fault(self, kind: ErrorKind, left: usize) -> Fault {
        Fault::new(kind, self.with(left))
    }
}

/// The bytes of a stream, and where it lies in the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stream<'a> {
    /// What it decodes to.
    pub bytes: &'a [u8],
    pub(crate) place: Place,
}

impl<'a> Stream<'a> {
    /// What the payload that starts at byte `at` of the file decodes to. If the payload is `stored`, it is the bytes themselves,
    /// so that a place in them is a place in the file.
    pub fn new(bytes: &'a [u8], at: u64, stored: bool) -> Self {
        // No slice is longer than that.
        let at = index(at).min(!Place::STORED);
        let end = at.saturating_add(bytes.len()) | Place::STORED;
        Self { bytes, place: Place(if stored { end } else { at }) }
    }

    /// One of a set that is not decoded yet: all that is known is where its entry starts.
    pub(crate) fn found(at: u64) -> Self {
        Self::new(b"", at, false)
    }

    /// Where in the file something is wrong that shows at byte `pos` of the stream: the very byte if it is stored, else
    /// the start of the payload.
    pub(crate) fn place(&self, pos: usize) -> usize {
        self.place.with(self.bytes.len().saturating_sub(pos))
    }

    /// A fault at byte `pos` of the stream.
    #[cold]
    pub(crate) fn fault(&self, kind: ErrorKind, pos: usize) -> Fault {
        Fault::new(kind, self.place(pos))
    }

    /// Where in the file something is wrong with what starts at byte `pos` of the stream: the very byte only if the stream is stored.
    #[cold]
    pub(crate) fn locate(&self, error: Error, pos: usize) -> Error {
        let inside = if self.place.end_in_file().is_some() { error.at } else { 0 };
        Error { at: u64_from(self.place(pos)).saturating_add(inside), ..error }
    }

    /// A part of it as a stream of its own.
    #[inline]
    pub(crate) fn part(&self, start: usize, end: usize) -> Option<Self> {
        let bytes = self.bytes.get(start..end)?;
        // Without a branch, because columns do this for each value: nothing, or the bytes after the part.
        let stored = (self.place.0 >> (usize::BITS - 1)).wrapping_neg();
        let after = self.bytes.len().wrapping_sub(end) & stored;
        Some(Self { bytes, place: Place(self.place.0.wrapping_sub(after)) })
    }

    /// Its numbers, from the start.
    pub(crate) const fn numbers(self) -> Numbers<'a> {
        Numbers { rest: self }
    }
}

/// Reads a stream from its start: varints, bytes, strings behind their lengths.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbers<'a> {
    rest: Stream<'a>,
}

impl<'a> Numbers<'a> {
    /// Which byte of a stream comes next, if what is read ends before byte `end` of it.
    pub(crate) const fn position(&self, end: usize) -> usize {
        end.wrapping_sub(self.rest.bytes.len())
    }

    /// What has not been read yet.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest.bytes
    }

    /// Steps over bytes, until `len` are left.
    pub(crate) fn skip_to(&mut self, len: usize) {
        let rest = self.rest.bytes;
        self.rest.bytes = rest.get(rest.len().saturating_sub(len)..).unwrap_or_default();
    }

    /// The same as a stream.
    pub(crate) const fn stream(self) -> Stream<'a> {
        self.rest
    }

    /// A fault at what was read last.
    #[cold]
    pub(crate) fn fault(&self, kind: ErrorKind) -> Fault {
        self.rest.fault(kind, 0)
    }

    /// An unsigned number.
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

    /// A signed number.
    #[inline]
    pub(crate) fn signed(&mut self) -> Verdict<i64> {
        self.unsigned().map(zigzag)
    }

    /// Adds a signed number to a running sum.
    #[inline]
    pub(crate) fn add_to(&mut self, sum: &mut i64) -> Verdict<i64> {
        let delta = self.signed()?;
        *sum = sum.checked_add(delta).ok_or_else(|| self.fault(ErrorKind::At1SumOverflow))?;
        Ok(*sum)
    }

    /// A number that counts or picks things in memory; one that no slice can have becomes `usize::MAX`.
    #[inline]
    pub(crate) fn index(&mut self) -> Verdict<usize> {
        self.unsigned().map(index)
    }

    /// The stream ends early.
    #[cold]
    fn short(&self) -> Fault {
        self.fault(ErrorKind::At1StreamShort)
    }

    /// One byte.
    #[inline]
    pub(crate) fn byte(&mut self) -> Verdict<u8> {
        let (&byte, rest) = self.rest.bytes.split_first().ok_or_else(|| self.short())?;
        self.rest.bytes = rest;
        Ok(byte)
    }

    /// The next `len` bytes.
    #[inline]
    pub(crate) fn bytes(&mut self, len: usize) -> Verdict<&'a [u8]> {
        let (bytes, rest) = self.rest.bytes.split_at_checked(len).ok_or_else(|| self.short())?;
        self.rest.bytes = rest;
        Ok(bytes)
    }

    /// The next bytes as an array.
    pub(crate) fn array<const N: usize>(&mut self) -> Verdict<[u8; N]> {
        let (bytes, rest) = self.rest.bytes.split_first_chunk().ok_or_else(|| self.short())?;
        self.rest.bytes = rest;
        Ok(*bytes)
    }

    /// Bytes after a number that says how many there are.
    #[inline]
    pub(crate) fn string(&mut self) -> Verdict<&'a [u8]> {
        let len = self.index()?;
        self.bytes(len)
    }

    /// A number of things each of which takes at least one byte of what follows. More cannot be meant.
    pub(crate) fn count(&mut self) -> Verdict<usize> {
        let count = self.index()?;
        if count > self.rest.bytes.len() {
            return Err(self.short());
        }
        Ok(count)
    }

    /// The same at the start of a stream, which holds nothing if it is not there.
    pub(crate) fn count_or_none(&mut self) -> Verdict<usize> {
        if self.rest.bytes.is_empty() { Ok(0) } else { self.count() }
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
        assert_eq!(numbers.count(), Err(Fault::new(ErrorKind::At1StreamShort, 110)));
        assert!(numbers.rest().is_empty() && numbers.unsigned().is_err() && numbers.byte().is_err());
        let mut numbers = Stream::new(b"\x02\x02\xFF", 7, false).numbers();
        assert_eq!(numbers.add_to(&mut sum), Ok(i64::MAX));
        assert_eq!(numbers.add_to(&mut sum), Err(Fault::new(ErrorKind::At1SumOverflow, 7)));
        assert_eq!(numbers.unsigned(), Err(Fault::new(ErrorKind::At1StreamShort, 7)));
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

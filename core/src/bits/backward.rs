//! Reads bit fields from the end of a stream, as Zstandard writes its entropy-coded streams.

use super::{bits_before, mark};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Result};

/// Reads a stream that starts below the highest set bit of its last byte and ends at its first bit.
///
/// The most significant bit of a field is read first. Before the start of the stream there are
/// zeros, and [`remaining`](Self::remaining) becomes negative. Check a stream once at its end
/// ([`is_exhausted`](Self::is_exhausted)) rather than at each field.
///
/// ```
/// use unspool::bits::BackwardBitReader;
/// // The mark is bit 10.
/// let mut bits = BackwardBitReader::new(&[0b1100_0101, 0b0000_0110]).unwrap();
/// assert_eq!(bits.take(2), 0b10);
/// assert_eq!(bits.take(5), 0b11000);
/// assert_eq!(bits.remaining(), 3);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BackwardBitReader<'a> {
    bytes: &'a [u8],
    /// Bits left; negative by the number of bits that were read past the start.
    left: i64,
}

impl<'a> BackwardBitReader<'a> {
    /// A stream without bits.
    pub(crate) const EMPTY: Self = Self { bytes: &[], left: 0 };

    /// Finds the mark: the highest bit set in the last byte. An empty stream has none, and neither
    /// has one whose last byte is zero.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        Self::open(bytes).ok_or(Error::new(ErrorKind::Truncated, u64_from(bytes.len()).saturating_sub(1)))
    }

    /// Does the same for callers that have an error of their own.
    pub(crate) fn open(bytes: &'a [u8]) -> Option<Self> {
        let bits = (u64_from(bytes.len()) * 8).wrapping_sub(mark(bytes)?.into());
        Some(Self { bytes, left: i64::try_from(bits).unwrap_or(i64::MAX) })
    }

    /// Returns the number of bits left; negative after reading past the start.
    #[inline]
    pub const fn remaining(&self) -> i64 {
        self.left
    }

    /// Returns whether every bit was read and not one more, as at the end of a well-formed stream.
    #[inline]
    pub const fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    /// Returns the next `n` bits without moving, for `n` from 0 to 56.
    #[inline]
    pub fn peek(&self, n: u32) -> u64 {
        let end = index(u64::try_from(self.left).unwrap_or(0));
        // `>> 1 >> 63 - n` is `>> 64 - n`, also for 0 bits.
        bits_before(self.bytes, end).unwrap_or(0) >> 1 >> (63 - n.min(56))
    }

    /// Reads the next `n` bits, for `n` from 0 to 56.
    #[inline]
    pub fn take(&mut self, n: u32) -> u64 {
        let bits = self.peek(n);
        self.skip(n);
        bits
    }

    /// Skips `n` bits.
    #[inline]
    pub fn skip(&mut self, n: u32) {
        self.left = self.left.saturating_sub(i64::from(n));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_at_every_bit_and_past_the_start() {
        let all = [0xB1, 0x80, 0x5A, 0, 0x55, 0xAA, 7, 0xE0, 0x12, 0x34, 0x01];
        for len in 1..=all.len() {
            let bytes = &mut all.to_vec()[..len];
            for marker in 0..8 {
                *bytes.last_mut().unwrap() = 1 << marker | all[len - 1] & ((1 << marker) - 1);
                let total = (len as i64 - 1) * 8 + marker;
                for skipped in 0..=total {
                    for width in 0..=56 {
                        let mut bits = BackwardBitReader::new(bytes).unwrap();
                        assert_eq!(bits.remaining(), total);
                        (0..skipped).for_each(|_| bits.skip(1));
                        let expected = (0..i64::from(width)).fold(0, |field, i| {
                            let at = total - skipped - 1 - i;
                            let bit = if at < 0 { 0 } else { bytes[at as usize / 8] >> (at % 8) & 1 };
                            field << 1 | u64::from(bit)
                        });
                        assert_eq!(bits.take(width), expected, "{width} bits after {skipped} of {total}");
                        assert_eq!(bits.remaining(), total - skipped - i64::from(width));
                        assert_eq!(bits.is_exhausted(), skipped + i64::from(width) == total);
                    }
                }
            }
        }
    }

    #[test]
    fn no_marker_no_stream() {
        assert!(BackwardBitReader::new(&[]).is_err());
        assert!(BackwardBitReader::new(&[1, 0]).is_err());
        assert_eq!(BackwardBitReader::new(&[1]).unwrap().remaining(), 0);
    }
}

//! Reads bit fields from the first bit on, least significant bit first.

use super::load::{mask, u64_at};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Result};

/// Reads little-endian bit fields from the start of a slice on.
///
/// ```
/// use unspool::bits::BitReader;
/// let mut bits = BitReader::new(&[0b1010_0110, 0xFF]);
/// assert_eq!(bits.take(3), Ok(0b110));
/// assert_eq!(bits.take(5), Ok(0b10100));
/// assert_eq!(bits.position(), 8);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    position: u64,
}

impl<'a> BitReader<'a> {
    /// Returns a reader at the first bit of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Returns a reader at a later bit. A bit after the end is allowed; nothing is left to read
    /// there.
    pub const fn at_bit(bytes: &'a [u8], position: u64) -> Self {
        Self { bytes, position }
    }

    /// Returns the position of the next bit, from the start of the slice.
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Returns the number of bits left.
    #[inline]
    pub const fn remaining(&self) -> u64 {
        (u64_from(self.bytes.len()) * 8).saturating_sub(self.position)
    }

    /// Returns the next `n` bits without moving, for `n` from 0 to 64; zeros stand for those after
    /// the end.
    #[inline]
    pub fn peek(&self, n: u32) -> u64 {
        let (at, shift) = (index(self.position / 8), self.position % 8);
        let low = u64_at(self.bytes, at) >> shift;
        // Up to seven bits of a long field are in the ninth byte. `<< 1 << 63 - shift` is `<< 64 -
        // shift`, also for shift 0.
        let high = if n > 57 { self.bytes.get(at.saturating_add(8)).map_or(0, |&b| u64::from(b)) } else { 0 };
        (low | high << 1 << (63 - shift)) & mask(n)
    }

    /// Reads the next `n` bits, for `n` from 0 to 64.
    #[inline]
    pub fn take(&mut self, n: u32) -> Result<u64> {
        let bits = self.peek(n);
        self.skip(u64::from(n))?;
        Ok(bits)
    }

    /// Reads the next bit.
    #[inline]
    pub fn take_bit(&mut self) -> Result<bool> {
        Ok(self.take(1)? != 0)
    }

    /// Skips `n` bits.
    #[inline]
    pub fn skip(&mut self, n: u64) -> Result<()> {
        if n > self.remaining() {
            return Err(Error::new(ErrorKind::Truncated, u64_from(self.bytes.len())));
        }
        self.position += n;
        Ok(())
    }

    /// Skips to the next byte boundary and returns the bits before it, which most formats want to
    /// be zero.
    #[inline]
    pub fn align(&mut self) -> u64 {
        let gap = self.position.wrapping_neg() & 7;
        let bits = self.peek(gap as u32);
        self.position = self.position.saturating_add(gap);
        bits
    }

    /// Returns the rest of the slice, from the byte boundary at or after the next bit.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(index(self.position.div_ceil(8))..).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: [u8; 17] =
        [1, 0x80, 0xFF, 0, 0x55, 0xAA, 7, 0xE0, 0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0x81];

    fn bit(at: u64) -> u64 {
        u64::from(BYTES[usize::try_from(at / 8).unwrap()] >> (at % 8) & 1)
    }

    #[test]
    fn every_width_at_every_bit_up_to_the_last_bit_of_the_last_byte() {
        for len in 0..=BYTES.len() {
            let total = len as u64 * 8;
            for start in 0..=total {
                for width in 0..=64u32 {
                    let mut bits = BitReader::at_bit(&BYTES[..len], start);
                    let taken = bits.take(width);
                    if start + u64::from(width) <= total {
                        let expected = (0..u64::from(width)).fold(0, |all, i| all | bit(start + i) << i);
                        assert_eq!(taken, Ok(expected), "{width} bits at {start} of {total}");
                        assert_eq!(bits.position(), start + u64::from(width));
                    } else {
                        assert_eq!(taken, Err(Error::new(ErrorKind::Truncated, len as u64)));
                        assert_eq!(bits.position(), start, "an error does not move the reader");
                    }
                }
            }
        }
    }

    #[test]
    fn aligning_gives_the_bits_in_between() {
        let mut bits = BitReader::new(&BYTES);
        assert_eq!(bits.align(), 0);
        assert_eq!(bits.position(), 0);
        bits.skip(9).unwrap();
        assert_eq!(bits.align(), 0x40);
        assert_eq!(bits.rest(), &BYTES[2..]);
        bits.skip(15 * 8).unwrap();
        assert_eq!((bits.remaining(), bits.align(), bits.rest()), (0, 0, &[][..]));
    }
}

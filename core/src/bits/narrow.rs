//! Reads bit fields from the end of a stream in words of 32 bits. On 32-bit machines, shifts of 64
//! bits are calls.

use super::mark;

/// Reads a stream as [`BackwardBitReader`](super::BackwardBitReader) does: from below the mark to
/// its first bit. Fields have up to 32 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NarrowBitReader<'a> {
    bytes: &'a [u8],
    /// The bytes before this one are not in `word` yet. Wraps below 0, where all bits are zero.
    next: usize,
    /// The next bits, at the top.
    word: u32,
    /// The number of bits in `word`.
    count: u32,
}

impl<'a> NarrowBitReader<'a> {
    /// A stream without bits.
    pub(crate) const EMPTY: Self = Self { bytes: &[], next: 0, word: 0, count: 0 };

    /// Finds the mark: the highest bit set in the last byte.
    pub(crate) fn open(bytes: &'a [u8]) -> Option<Self> {
        let mark = mark(bytes)?;
        let mut bits = Self { bytes, next: bytes.len(), word: 0, count: 0 };
        bits.take(mark);
        Some(bits)
    }

    /// Returns the next `n` bits without moving, for `n` up to 25.
    #[inline(always)]
    pub(crate) fn peek(&mut self, n: u32) -> u32 {
        if self.count < n {
            self.refill();
        }
        self.word >> 1 >> (31 - n)
    }

    /// Fills the word with as many bytes as fit.
    fn refill(&mut self) {
        while self.count <= 24 {
            self.next = self.next.wrapping_sub(1);
            let byte = self.bytes.get(self.next).copied().unwrap_or(0);
            self.word |= u32::from(byte) << (24 - self.count);
            self.count += 8;
        }
    }

    /// Skips bits that `peek` has returned.
    pub(crate) const fn skip(&mut self, n: u32) {
        self.word <<= n;
        self.count -= n;
    }

    /// Reads the next `n` bits, for `n` up to 32.
    pub(crate) fn take(&mut self, n: u32) -> u64 {
        let mut high = 0;
        if let Some(more) = n.checked_sub(16) {
            high = self.peek(more);
            self.skip(more);
        }
        let low = self.peek(n.min(16));
        self.skip(n.min(16));
        (high << 16 | low).into()
    }

    /// Returns the number of bits left; negative after reading past the start.
    pub(crate) const fn remaining(&self) -> i64 {
        (self.next << 3).wrapping_add(self.count as usize).cast_signed() as i64
    }
}

//! From the end to the first bit, in words of 32 bits: shifts of 64 bits are calls on machines that have no more.

/// Reads a stream as [`BackwardBitReader`](super::BackwardBitReader) does: from below the highest set bit of its last byte to its
/// first bit.
pub(crate) struct NarrowBackward<'a> {
    bytes: &'a [u8],
    /// The bytes before this one are not in `word` yet. Wraps below 0, where all bits are zero.
    next: usize,
    /// The next bits, at the top.
    word: u32,
    /// How many of them there are.
    count: u32,
}

impl<'a> NarrowBackward<'a> {
    /// `None` if the last byte has no bit set.
    pub(crate) fn new(bytes: &'a [u8]) -> Option<Self> {
        let (&last, rest) = bytes.split_last()?;
        let mut bits = Self { bytes, next: rest.len(), word: u32::from(last) << 24, count: 8 };
        if last == 0 {
            return None;
        }
        while bits.take(1) == 0 {}
        Some(bits)
    }

    /// The next `n` bits, up to 25.
    pub(crate) fn peek(&mut self, n: u32) -> u32 {
        while self.count < n {
            self.next = self.next.wrapping_sub(1);
            let byte = self.bytes.get(self.next).copied().unwrap_or(0);
            self.word |= u32::from(byte) << (24 - self.count);
            self.count += 8;
        }
        self.word >> 1 >> (31 - n)
    }

    /// Skips bits that were peeked at.
    pub(crate) const fn skip(&mut self, n: u32) {
        self.word <<= n;
        self.count -= n;
    }

    /// The next `n` bits, up to 32.
    pub(crate) fn take(&mut self, n: u32) -> u32 {
        let high = match n.checked_sub(16) {
            Some(more) => {
                let high = self.peek(more);
                self.skip(more);
                high
            }
            None => 0,
        };
        let low = self.peek(n.min(16));
        self.skip(n.min(16));
        high << 16 | low
    }

    /// The number of bits left; negative after reading past the start.
    pub(crate) const fn left(&self) -> isize {
        (self.next << 3).wrapping_add(self.count as usize).cast_signed()
    }
}

//! Entropy coders that more than one format uses: finite state entropy and canonical Huffman codes,
//! as in Zstandard.

#[cfg(feature = "small")]
pub(crate) mod cells;
pub(crate) mod fse;
pub(crate) mod huffman;
#[cfg(test)]
pub(crate) mod model;

/// Returns the low 32 bits.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
pub(crate) const fn low32(n: u64) -> u32 {
    n as u32
}

/// Returns the low 16 bits.
#[cfg(feature = "small")]
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
pub(crate) const fn low16(n: u32) -> u16 {
    n as u16
}

/// Returns the low 8 bits.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
pub(crate) const fn low8(n: u32) -> u8 {
    n as u8
}

//! Loads of whole words near either end of a slice. Zeros stand for the bytes that the slice does
//! not have.
//!
//! Every bit reader of the crate uses these. Inside the slice, each is one bounds check and one
//! load; the ends are out of line.

use crate::tuning::SMALL;

/// Returns the eight bytes at `at`, little-endian; `None` if the slice ends before.
///
/// For loops that find out by themselves where the input ends. What happens there costs them no
/// register: even a cold call does.
#[inline(always)]
pub(crate) fn whole_u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map(|chunk| u64::from_le_bytes(*chunk))
}

/// Returns the eight bytes at `at`, little-endian; zeros stand for those after the end of the
/// slice.
#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    match whole_u64_at(bytes, at) {
        Some(word) => word,
        None => u64::from_le_bytes(padded(bytes, at)),
    }
}

/// Returns the four bytes at `at`, little-endian; zeros stand for those after the end of the slice.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    match bytes.get(at..at.wrapping_add(4)).and_then(<[u8]>::first_chunk) {
        Some(chunk) => u32::from_le_bytes(*chunk),
        None => u32::from_le_bytes(padded(bytes, at)),
    }
}

/// Does the same for headers. If flash is short, the code is shorter and slower.
#[cfg_attr(feature = "small", inline(never))]
#[cfg_attr(not(feature = "small"), inline)]
pub(crate) fn header_u32_at(bytes: &[u8], at: usize) -> u32 {
    if !SMALL {
        return u32_at(bytes, at);
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let byte = |i| u32::from(rest.get(i).copied().unwrap_or(0));
    (0..4).rev().fold(0, |word, i| word << 8 | byte(i))
}

/// Returns up to eight little-endian bytes as a number.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    if SMALL {
        // Shifts of 64 bits take flash.
        return u64::from(header_u32_at(bytes, 4)) << 32 | u64::from(header_u32_at(bytes, 0));
    }
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Returns the last bytes of the slice, and zeros after them.
#[cold]
#[inline(never)]
fn padded<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    // Byte by byte: a copy would call `memcpy`, which is 600 bytes of flash if nothing else needs
    // it.
    let rest = bytes.get(at..).unwrap_or_default();
    core::array::from_fn(|i| rest.get(i).copied().unwrap_or(0))
}

/// Returns at least 57 bits that end before bit `end`, left-aligned: the highest is the one before
/// `end`. Zeros stand for those before the start of the slice. `None` if the slice is shorter than
/// `end`.
#[inline]
pub(crate) fn bits_before(bytes: &[u8], end: usize) -> Option<u64> {
    let byte = end.div_ceil(8);
    let unused = byte.wrapping_mul(8).wrapping_sub(end);
    let word = match byte.checked_sub(8) {
        Some(start) => whole_u64_at(bytes, start)?,
        None => padded_before(bytes, byte)?,
    };
    Some(word << (unused & 7))
}

/// Returns fewer than eight bytes from the start of the slice, and zeros before them.
#[cold]
fn padded_before(bytes: &[u8], end: usize) -> Option<u64> {
    Some(bytes.get(..end)?.iter().fold(0, |word, &byte| word >> 8 | u64::from(byte) << 56))
}

/// Returns the number of bits at the end of a backward stream that hold no data: the mark, which is
/// the highest bit set in the last byte, and the zeros above it. `None` if there is no such bit.
#[inline]
pub(crate) fn mark(bytes: &[u8]) -> Option<u32> {
    bytes.last().filter(|&&last| last != 0).map(|&last| 9 - width(last.into()))
}

/// Returns the number of bits of a number without the zeros above its highest. Small devices have
/// no instruction for it, and a loop is shorter than the function that replaces it.
#[cfg_attr(feature = "small", inline(never))]
#[cfg_attr(not(feature = "small"), inline)]
pub(crate) const fn width(number: u32) -> u32 {
    if !SMALL {
        return 32 - number.leading_zeros();
    }
    let (mut left, mut width) = (number, 0);
    while left > 0 {
        left >>= 1;
        width += 1;
    }
    width
}

/// Returns the lowest `n` bits set, for `n` from 0 to 64.
#[inline]
pub const fn mask(n: u32) -> u64 {
    if n < 64 { (1 << n) - 1 } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: [u8; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

    /// Returns the byte at `at`, or 0 outside of the slice.
    fn byte(bytes: &[u8], at: usize) -> u8 {
        bytes.get(at).copied().unwrap_or(0)
    }

    #[test]
    fn zeros_follow_the_end() {
        for len in 0..=BYTES.len() {
            let bytes = &BYTES[..len];
            for at in (0..20).chain([usize::MAX - 8, usize::MAX]) {
                let expected: [u8; 8] = std::array::from_fn(|i| at.checked_add(i).map_or(0, |at| byte(bytes, at)));
                assert_eq!(u64_at(bytes, at), u64::from_le_bytes(expected), "{at} of {len}");
                let whole = at.checked_add(8).is_some_and(|end| end <= len);
                assert_eq!(whole_u64_at(bytes, at), whole.then_some(u64::from_le_bytes(expected)), "{at} of {len}");
                assert_eq!(u32_at(bytes, at), u64::from_le_bytes(expected) as u32, "{at} of {len}");
                assert_eq!(header_u32_at(bytes, at), u32_at(bytes, at));
                let rest = bytes.get(at..).unwrap_or_default();
                assert_eq!(number(&rest[..rest.len().min(8)]), u64::from_le_bytes(expected));
            }
        }
    }

    #[test]
    fn zeros_precede_the_start() {
        for len in 0..=BYTES.len() {
            for end in 0..=BYTES.len() * 8 {
                let word = bits_before(&BYTES[..len], end);
                if end.div_ceil(8) > len {
                    assert_eq!(word, None, "{end} of {len}");
                    continue;
                }
                for back in 1..=57 {
                    let bit = |at: usize| byte(&BYTES, at / 8) >> (at % 8) & 1;
                    let expected = end.checked_sub(back).map_or(0, bit);
                    assert_eq!(word.unwrap() >> (64 - back) & 1, u64::from(expected), "{back} before {end} of {len}");
                }
            }
        }
    }
}

//! Conversions and copies that cannot truncate silently and cannot panic.

use core::ops::Range;

use crate::tuning::SMALL;

/// Converts a length to a file offset. Lossless on every target that Rust supports.
#[inline]
pub(crate) const fn u64_from(n: usize) -> u64 {
    n as u64
}

/// Converts a file offset to an index. An offset that no slice can have becomes `usize::MAX`, which
/// every `get` refuses.
#[inline]
pub(crate) fn index(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// A count or an offset that a file names. With `small` it is as wide as a slice index, which saves
/// kilobytes on 32-bit machines; a larger number is an error.
#[cfg(not(feature = "small"))]
pub(crate) type Size = u64;
#[cfg(feature = "small")]
pub(crate) type Size = usize;

/// Converts a size to 64 bits.
#[inline]
#[allow(clippy::unnecessary_cast, reason = "with `small` it is another type")]
pub(crate) const fn wide(n: Size) -> u64 {
    n as u64
}

/// Converts a length to a size.
#[inline]
#[allow(clippy::unnecessary_cast, reason = "with `small` it is the same type")]
pub(crate) const fn size(n: usize) -> Size {
    n as Size
}

/// Converts a number of 64 bits to a size, if it fits.
#[inline]
#[allow(clippy::unnecessary_fallible_conversions, clippy::useless_conversion, reason = "with `small` it may not fit")]
pub(crate) fn narrow(n: u64) -> Option<Size> {
    Size::try_from(n).ok()
}

/// Converts a number of 64 bits to a size; a larger one becomes `Size::MAX`.
#[inline]
pub(crate) fn saturated(n: u64) -> Size {
    narrow(n).unwrap_or(Size::MAX)
}

/// Converts a range of sizes to 64 bits.
#[inline]
pub(crate) const fn wide_range(range: &Range<Size>) -> Range<u64> {
    wide(range.start)..wide(range.end)
}

/// Converts a size to an index; see [`index`].
#[inline]
pub(crate) fn index_of(n: Size) -> usize {
    index(wide(n))
}

/// Returns the offset `len` bytes after `at`; an overflow becomes `Size::MAX`.
#[inline]
pub(crate) fn offset_after(at: Size, len: Size) -> Size {
    at.saturating_add(len)
}

/// Multiplies, if the product fits. `checked_mul` would take a product of twice the width, for
/// which small machines call a function.
#[cfg_attr(feature = "small", inline(never))]
pub(crate) fn times(a: Size, b: Size) -> Option<Size> {
    if !SMALL {
        return a.checked_mul(b);
    }
    const HALF: u32 = Size::BITS / 2;
    const LOW: Size = Size::MAX >> HALF;
    if a > LOW && b > LOW {
        return None;
    }
    // One of both products is 0, and neither exceeds a size.
    let middle = (a >> HALF).wrapping_mul(b & LOW).wrapping_add((b >> HALF).wrapping_mul(a & LOW));
    if middle > LOW { None } else { (middle << HALF).checked_add((a & LOW).wrapping_mul(b & LOW)) }
}

/// Splits off the last `N` bytes. `split_last_chunk`, `last_chunk`, `strip_prefix` and
/// `rchunks_exact` can leave a panic in the binary at level z: they share a function that checks,
/// which stays out of line once it has enough callers.
#[inline]
pub(crate) fn split_last<const N: usize>(bytes: &[u8]) -> Option<(&[u8], &[u8; N])> {
    let (before, last) = bytes.split_at_checked(bytes.len().checked_sub(N)?)?;
    Some((before, last.first_chunk()?))
}

/// Copies as many bytes as fit. `copy_from_slice` leaves a panic at level z, where the compiler
/// forgets that the lengths are equal. This compiles to the same `memcpy`.
#[inline]
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_checked() {
        let near = |n: Size| [n.wrapping_sub(1), n, n.wrapping_add(1)];
        let bits = 0..Size::BITS;
        let numbers = bits.flat_map(|bit| near(1 << bit)).chain(near(Size::MAX / 10)).chain(near(Size::MAX / 3));
        for (a, b) in numbers.clone().flat_map(|a| numbers.clone().map(move |b| (a, b))) {
            assert_eq!(times(a, b), a.checked_mul(b), "{a} * {b}");
        }
    }
}

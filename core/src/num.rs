//! Conversions and copies that cannot truncate silently and cannot panic.

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

/// Returns the offset `len` bytes after `at`; an overflow becomes `u64::MAX`. A function, because
/// on 32-bit machines the code is too long to repeat at every offset.
#[cfg_attr(feature = "small", inline(never))]
pub(crate) fn offset_after(at: u64, len: u64) -> u64 {
    at.saturating_add(len)
}

/// Multiplies, if the product fits.
#[cfg_attr(feature = "small", inline(never))]
pub(crate) fn times(a: u64, b: u64) -> Option<u64> {
    a.checked_mul(b)
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

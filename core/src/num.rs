//! Conversions and copies that can neither truncate silently nor panic.

/// A length as a file offset. Lossless on every target that Rust supports.
#[inline]
pub(crate) const fn u64_from(n: usize) -> u64 {
    n as u64
}

/// A file offset as an index; one that no slice can have becomes `usize::MAX`, which every `get` refuses.
#[inline]
pub(crate) fn index(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// A place in a file that lies `len` behind another; one that no file has becomes `u64::MAX`. Where 64 bits take two registers, it is too
/// much code to be repeated at every offset.
#[cfg_attr(feature = "small", inline(never))]
pub(crate) fn behind(at: u64, len: u64) -> u64 {
    at.saturating_add(len)
}

/// A product, if it fits.
#[cfg_attr(feature = "small", inline(never))]
pub(crate) fn times(a: u64, b: u64) -> Option<u64> {
    a.checked_mul(b)
}

/// The bytes before the last `N`, and those. `split_last_chunk` would leave a panic behind at opt-level z, as `last_chunk`, `strip_prefix` and
/// `rchunks_exact` would: all of them share one function that splits, which is out of line and checks once it has enough callers.
#[inline]
pub(crate) fn split_last<const N: usize>(bytes: &[u8]) -> Option<(&[u8], &[u8; N])> {
    let (before, last) = bytes.split_at_checked(bytes.len().checked_sub(N)?)?;
    Some((before, last.first_chunk()?))
}

/// Copies what fits. `copy_from_slice` would leave a panic behind at opt-level z, where the equality of the lengths is
/// forgotten; this compiles to the same `memcpy`.
#[inline]
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

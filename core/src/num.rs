//! Conversions and copies that can neither truncate silently nor panic.

#[cfg(all(
    feature = "alloc",
    any(feature = "at1-columnar", feature = "onpair", feature = "xz", feature = "zstd")
))]
use alloc::vec::Vec;

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

/// A vector of so many zeros, if there is memory for them. What the allocator has for the first vector it has for the second, and only
/// that is zeros already.
#[cfg(all(
    feature = "alloc",
    any(feature = "at1-columnar", feature = "cvc", feature = "onpair", feature = "xz", feature = "zstd")
))]
pub(crate) fn zeros<T: Clone + Default>(len: u64) -> crate::Result<Vec<T>> {
    Vec::<T>::new().try_reserve_exact(index(len)).map_err(|_| no_memory::<T>(index(len)))?;
    Ok(alloc::vec![T::default(); index(len)])
}

/// Makes a vector longer by so many zeros, if there is memory for them.
#[cfg(all(feature = "alloc", any(feature = "at1-columnar", feature = "pco", feature = "zstd")))]
pub(crate) fn lengthen<T: Clone + Default>(vec: &mut Vec<T>, more: usize) -> crate::Result<()> {
    let len = vec.len().saturating_add(more);
    vec.try_reserve(more).or_else(|_| vec.try_reserve_exact(more)).map_err(|_| no_memory::<T>(len))?;
    vec.resize(len, T::default());
    Ok(())
}

#[cfg(feature = "alloc")]
#[cold]
fn no_memory<T>(len: usize) -> crate::Error {
    crate::Error::new(crate::ErrorKind::OutputLimit, 0).needing(u64_from(len.saturating_mul(size_of::<T>())))
}

/// A place in a file that lies `len` behind another; one that no file has becomes `u64::MAX`. Where 64 bits take two registers, it is too
/// much code to be repeated at every offset.
#[cfg(feature = "cvc")]
#[cfg_attr(feature = "small", inline(never))]
pub(crate) fn behind(at: u64, len: u64) -> u64 {
    at.saturating_add(len)
}

/// A product, if it fits.
#[cfg(feature = "cvc")]
#[cfg_attr(feature = "small", inline(never))]
pub(crate) fn times(a: u64, b: u64) -> Option<u64> {
    a.checked_mul(b)
}

/// Copies what fits. `copy_from_slice` would leave a panic behind at opt-level z, where the equality of the lengths is
/// forgotten; this compiles to the same `memcpy`.
#[inline]
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

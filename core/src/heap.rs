//! Vectors that grow only if there is memory for them: what a file claims is no reason to end the program.

use alloc::vec::Vec;

use crate::num::u64_from;
use crate::{Error, ErrorKind, Result};

/// A vector of so many zeros, if there is memory for them. What the allocator has for the first vector it has for the second, and only
/// that is zeros already.
pub(crate) fn zeros<T: Clone + Default>(len: u64) -> Result<Vec<T>> {
    let len = crate::num::index(len);
    Vec::<T>::new().try_reserve_exact(len).map_err(|_| no_memory::<T>(len))?;
    Ok(alloc::vec![T::default(); len])
}

/// Makes a vector longer by so many zeros, if there is memory for them.
pub(crate) fn lengthen<T: Clone + Default>(vec: &mut Vec<T>, more: usize) -> Result<()> {
    let len = vec.len().saturating_add(more);
    vec.try_reserve(more).map_err(|_| no_memory::<T>(len))?;
    vec.resize(len, T::default());
    Ok(())
}

/// Appends bytes to a vector, if there is memory for them.
#[cfg(feature = "gzip")]
pub(crate) fn append(vec: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    vec.try_reserve(bytes.len()).map_err(|_| no_memory::<u8>(vec.len().saturating_add(bytes.len())))?;
    vec.extend_from_slice(bytes);
    Ok(())
}

#[cold]
fn no_memory<T>(len: usize) -> Error {
    Error::new(ErrorKind::NoMemory, 0).needing(u64_from(len.saturating_mul(size_of::<T>())))
}

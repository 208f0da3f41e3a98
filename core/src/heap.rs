//! Vectors that grow only if there is memory for them: a claim in a file must not end the program.

use alloc::vec::Vec;

use crate::num::u64_from;
use crate::{Error, ErrorKind, Result};

/// Returns a vector of `len` zeros, if there is memory for it. Reserves first, because only `vec!`
/// takes memory that is already zero; memory for the first vector also serves the second.
pub(crate) fn zeros<T: Clone + Default>(len: u64) -> Result<Vec<T>> {
    let len = crate::num::index(len);
    Vec::<T>::new().try_reserve_exact(len).map_err(|_| no_memory::<T>(len))?;
    Ok(alloc::vec![T::default(); len])
}

/// Appends `more` zeros to a vector, if there is memory for them.
pub(crate) fn lengthen<T: Clone + Default>(vec: &mut Vec<T>, more: usize) -> Result<()> {
    let len = vec.len().saturating_add(more);
    vec.try_reserve(more).map_err(|_| no_memory::<T>(len))?;
    vec.resize(len, T::default());
    Ok(())
}

/// Appends bytes to a vector, if there is memory for them.
#[cfg(any(feature = "gzip", feature = "threads"))]
pub(crate) fn append(vec: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    vec.try_reserve(bytes.len()).map_err(|_| no_memory::<u8>(vec.len().saturating_add(bytes.len())))?;
    vec.extend_from_slice(bytes);
    Ok(())
}

#[cold]
fn no_memory<T>(len: usize) -> Error {
    Error::new(ErrorKind::NoMemory, 0).needing(u64_from(len.saturating_mul(size_of::<T>())))
}

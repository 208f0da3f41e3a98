//! Decodes columns into Arrow arrays and record batches.
//!
//! | module | file | becomes |
//! |---|---|---|
//! | [`pco`] | a column of numbers | a primitive array: integers, floats, half floats |
//! | [`onpair`] | a column of strings | `Utf8View` or `BinaryView` |
//! | [`cvc`] | columns of vectors | `FixedSizeList`; several columns are a record batch or struct |
//! | [`at1`] | a table | record batches of integers, exact decimals and text |
//!
//! Values are decoded straight into the buffer that becomes the Arrow buffer; no copy follows. The
//! views of OnPair strings point into the decoded bytes. AT-1 holds text: its numbers are parsed,
//! its strings are copied.
//!
//! ```
//! use unspool::pco::Options;
//! # let bytes = include_bytes!("../../tests/vectors/pco/k_u32_arange.pco");
//! let column = unspool_arrow::pco::decode(bytes, &Options::DEFAULT)?;
//! assert_eq!(column.len(), 777);
//! # Ok::<(), unspool_arrow::Error>(())
//! ```
//!
//! A file is never trusted. Memory grows with what was decoded, not with what a header claims, or
//! is taken as zeroed pages that the system maps when they are written. Every claim is compared
//! with [`Limits`](unspool::Limits) first. A refusal is an [`Error`] with kind and place.
#![forbid(unsafe_code)]

pub mod at1;
pub mod cvc;
mod error;
mod numbers;
pub mod onpair;
pub mod pco;
mod views;

pub use error::{Error, Misfit, Result};

use arrow_array::{Array, ArrayRef};
use arrow_buffer::ArrowNativeType;
use unspool::ErrorKind;

/// The example of the README is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Returns a vector of `len` zeros, if there is memory for it. Its pages are mapped when they are
/// written.
fn zeros<T: Clone + Default>(len: u64) -> Result<Vec<T>> {
    let no_memory = unspool::Error::new(ErrorKind::NoMemory, 0).needing(len);
    let len = usize::try_from(len).map_err(|_| no_memory)?;
    Vec::<T>::new().try_reserve_exact(len).map_err(|_| no_memory)?;
    Ok(vec![T::default(); len])
}

/// Appends zeros to a vector, if there is memory for them.
fn lengthen<T: Clone + Default>(vec: &mut Vec<T>, more: usize) -> Result<()> {
    let len = vec.len().saturating_add(more);
    vec.try_reserve(more).map_err(|_| unspool::Error::new(ErrorKind::NoMemory, 0).needing(len as u64))?;
    vec.resize(len, T::default());
    Ok(())
}

/// Returns this many numbers, whatever they are: in the memory of an array of numbers that is long
/// enough and that nobody else holds, else zeros. Memory that is used again need not be mapped.
fn memory_for<T: ArrowNativeType>(len: usize, spent: Option<ArrayRef>) -> Result<Vec<T>> {
    let data = spent.map(|array| array.to_data());
    let buffer = data.and_then(|data| data.buffers().first().cloned());
    let mut values: Vec<T> = buffer.and_then(|buffer| buffer.into_vec().ok()).unwrap_or_default();
    if values.len() < len {
        return zeros(len as u64);
    }
    values.truncate(len);
    Ok(values)
}

//! The array of a caller, to be filled.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::fail::Result;

/// Fills `out` with `work`, which gets its bytes and runs detached from the interpreter.
///
/// `out` is a numpy array, or any object with a writable buffer. Its type must be `dtype`, its
/// values must be contiguous, and their number must be `len`, if that is known.
pub fn fill(
    py: Python<'_>,
    out: &Bound<'_, PyAny>,
    dtype: &str,
    len: Option<u64>,
    work: impl FnOnce(&mut [u8]) -> Result<()> + Send,
) -> PyResult<()> {
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (out,))?;
    let (found, wanted) = (array.getattr("dtype")?, numpy.call_method1("dtype", (dtype,))?);
    if !found.eq(&wanted)? {
        return Err(PyTypeError::new_err(format!("expected an array of {dtype}, found {found}")));
    }
    let flags = array.getattr("flags")?;
    let is = |flag: &str| flags.getattr(flag)?.is_truthy();
    if !is("c_contiguous")? || !is("writeable")? || !is("aligned")? {
        return Err(PyValueError::new_err("expected a contiguous, aligned array that can be written"));
    }
    let size: u64 = array.getattr("size")?.extract()?;
    if let Some(len) = len.filter(|&len| len != size) {
        return Err(PyValueError::new_err(format!("expected an array of {len} values, found {size}")));
    }
    let bytes = array.call_method1("reshape", (-1,))?.call_method1("view", ("uint8",))?;
    let bytes = bytes.cast_into::<PyArray1<u8>>()?;
    let mut lent = bytes.try_readwrite().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let slice = lent.as_slice_mut().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(py.detach(|| work(slice))?)
}

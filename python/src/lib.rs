//! The extension module of the Python package `unspool`.
//!
//! It holds what has to be fast: sources, decoders, and the export of results. The package around
//! it, in `python/unspool`, opens files, and connects to the libraries of its users.
//!
//! Everything that decodes runs detached from the interpreter, and looks for signals between
//! chunks, blocks and row groups.

mod arrays;
mod at1;
mod cvc;
mod fail;
mod inspect;
mod limits;
mod onpair;
mod out;
mod pco;
mod source;
mod stream;

use pyo3::prelude::*;
use unspool::{PROBE_LEN, Probe, probe};

/// Keeps memory that was freed, for the next array.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Returns the name of the format that these first bytes belong to, or `None`.
///
/// `PROBE_LEN` bytes are always enough. Fewer may be too few: then the result is `None` too.
#[pyfunction]
#[pyo3(name = "probe")]
fn probe_bytes(first: &[u8]) -> Option<&'static str> {
    match probe(first) {
        Probe::Match(format) => Some(format.name()),
        Probe::NeedInput { .. } | Probe::Unknown => None,
    }
}

#[pymodule]
fn _unspool(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("PROBE_LEN", PROBE_LEN)?;
    module.add_function(wrap_pyfunction!(probe_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(inspect::inspect, module)?)?;
    module.add_class::<limits::Limits>()?;
    module.add_class::<source::Source>()?;
    module.add_class::<arrays::Array>()?;
    // From Python 3.12 on, a method of this name is the buffer protocol once it is set.
    let array = module.getattr("Array")?;
    array.setattr("__buffer__", array.getattr("__buffer__")?)?;
    module.add_class::<arrays::Table>()?;
    module.add_class::<pco::Pco>()?;
    module.add_class::<onpair::OnPair>()?;
    module.add_class::<cvc::Cvc>()?;
    module.add_class::<cvc::CvcColumn>()?;
    module.add_class::<at1::At1>()?;
    module.add_class::<stream::Decoder>()
}

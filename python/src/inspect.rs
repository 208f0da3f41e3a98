//! `unspool.inspect`: the structure of a file.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use unspool::tree::Tree;
use unspool::{
    Count, Done, Error, ErrorKind, Format, Limits as CoreLimits, SinkStore, at1, cvc, gzip, lzma, onpair, pco, xz, zstd,
};

use crate::fail::{Fail, Result};
use crate::limits::{self, Limits};
use crate::source::Source;
use crate::stream::pass_over_xz;

/// Returns the nodes of a file as JSON, the number of those that were left out, and the error that
/// ended the walk.
#[pyfunction]
#[pyo3(signature = (source, format, limits=None, max_nodes=100_000))]
pub fn inspect(
    py: Python<'_>,
    source: &Bound<'_, Source>,
    format: &str,
    limits: Option<&Bound<'_, Limits>>,
    max_nodes: usize,
) -> PyResult<(String, u64, Option<Py<PyAny>>)> {
    let (source, limits) = (source.get(), limits::of(limits));
    let inspected = py.detach(|| {
        let bytes = source.all(&limits)?;
        let mut tree = Tree::new(max_nodes);
        let error = walk(format, &bytes, &limits, &mut tree).err();
        if let Some(Fail::Python(error)) = error {
            return Err(error.into());
        }
        let mut json = String::new();
        // Writing to a string cannot fail.
        let _ = tree.write_json(&mut json);
        Ok::<_, Fail>((json, tree.left_out, error))
    });
    let (json, left_out, error) = inspected?;
    let error = error.map(|fail| PyErr::from(fail).into_value(py).into_any());
    Ok((json, left_out, error))
}

fn walk(format: &str, bytes: &[u8], limits: &CoreLimits, tree: &mut Tree) -> Result<()> {
    let limits = *limits;
    let is = |other: Format| format == other.name();
    match () {
        () if is(Format::Pco) => {
            pco::decode_chunks(bytes, &limits, tree, |_, _| Ok(()))?;
        }
        () if is(Format::OnPair) => {
            onpair::inspect(bytes, &mut onpair::Workspace::new(), &onpair::Options { limits }, tree)?;
        }
        () if is(Format::Cvc) => {
            let options = cvc::Options { limits, ..cvc::Options::DEFAULT };
            let words = cvc::workspace_len(bytes, &options)?;
            let mut table = vec![0; usize::try_from(words).unwrap_or(0)];
            cvc::inspect(bytes, &mut cvc::Workspace::with_table(&mut table), &options, tree)?;
        }
        () if is(Format::At1) => {
            let options = at1::Options { limits, ..at1::Options::DEFAULT };
            let inspected = at1::inspect(bytes, &mut at1::Workspace::new(), &options, tree);
            let decoded = pass_over_at1(bytes, &options);
            return first(inspected, decoded, |error| error.kind == ErrorKind::At1BundleWhole);
        }
        () if is(Format::Xz) => {
            let options = xz::Options { limits, ..xz::Options::DEFAULT };
            let inspected = xz::inspect(bytes, &mut xz::Workspace::new(), &options, tree);
            return first(inspected, pass_over_xz(bytes, &limits), |_| false);
        }
        () if is(Format::Lzma) => {
            let options = lzma::Options { limits, ..lzma::Options::DEFAULT };
            let window = lzma::Header::read(bytes, &limits).ok().and_then(|header| header.window_within(&limits));
            let mut window = vec![0; usize::try_from(window.unwrap_or(0)).unwrap_or(0)];
            lzma::inspect(bytes, &mut lzma::Workspace::new(), &mut window, &options, tree)?;
        }
        () if is(Format::Gzip) => {
            let options = gzip::Options { limits, ..gzip::Options::DEFAULT };
            let mut window = vec![0; gzip::WINDOW_SIZE];
            gzip::inspect(bytes, &mut gzip::Workspace::new(), &mut window, &options, tree)?;
        }
        () if format.starts_with("zstd") => {
            let options = zstd::Options { limits, ..zstd::Options::DEFAULT };
            let inspected = zstd::inspect(bytes, &mut zstd::Workspace::new(), &options, tree);
            let decoded = pass_over_zstd(bytes, &options);
            return first(inspected, decoded, |error| error.kind == ErrorKind::ZstdDictionaryWanted);
        }
        () => return Err(PyValueError::new_err(format!("unknown format: {format}")).into()),
    }
    Ok(())
}

/// Decodes Zstandard to a store and keeps a window: content may be larger than memory. The error is
/// that of decoding to memory; a stream would limit the window of a frame in a single segment. The
/// window grows until it holds every match.
fn pass_over_zstd(bytes: &[u8], options: &zstd::Options<'_>) -> Result<()> {
    let (mut window, mut page) = (vec![0; 1 << 20], vec![0; 64 << 10]);
    let mut workspace = Box::new(zstd::Workspace::new());
    loop {
        let mut store = SinkStore::new(&mut window, Count::default());
        match zstd::decode_to_store(bytes, &mut store, &mut workspace, &mut page, options) {
            Err(Error { kind: ErrorKind::StoreFailed, at, .. }) => {
                let more = window.len();
                let no_memory = Error::new(ErrorKind::NoMemory, at).needing(2 * more as u64);
                window.try_reserve_exact(more).map_err(|_| no_memory)?;
                window.resize(2 * more, 0);
            }
            decoded => return Ok(decoded.map(drop)?),
        }
    }
}

/// Decodes a file of AT-1 and keeps nothing: a few bytes may decode to more than memory.
fn pass_over_at1(bytes: &[u8], options: &at1::Options) -> Result<()> {
    let (mut workspace, mut scratch) = (at1::Workspace::new(), vec![]);
    loop {
        match at1::decode_to(bytes, &mut Count::default(), &mut workspace, &mut scratch, options) {
            Err(error) => at1::grow(&mut scratch, error)?,
            Ok(_) => return Ok(()),
        }
    }
}

/// Returns the first error of a file. Decoding finds it, unless the error is `excused`: then the
/// file decodes only in another way.
fn first(inspected: unspool::Result<Done>, decoded: Result<()>, excused: impl Fn(&Error) -> bool) -> Result<()> {
    match decoded {
        Err(Fail::Refused(error)) if excused(&error) => Ok(inspected.map(drop)?),
        Err(fail) => Err(fail),
        Ok(()) => Ok(inspected.map(drop)?),
    }
}

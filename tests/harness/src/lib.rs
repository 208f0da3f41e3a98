//! Shared by the tests and the fuzz targets: every door of a format on one file.
//!
//! The function `agree` of each format calls all its doors. It panics if two return different bytes
//! or different errors, or if the leaves of a trace do not tile the file. It returns the verdict.
//!
//! Two errors agree if they have the same kind at the same byte. Their need may differ: a stream
//! does not know how long the file is. A door that was lent too little memory is not compared.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

pub mod at1;
pub mod cvc;
mod drive;
pub mod gzip;
mod leaves;
pub mod lzma;
mod mutate;
pub mod onpair;
pub mod pco;
mod tile;
mod whole;
pub mod xz;
pub mod zstd;

pub use drive::drive;
pub use leaves::Leaves;
pub use mutate::{Random, mutate};
pub use tile::tile;

use std::num::NonZeroUsize;

use unspool::{Class, Done, Error, Limits, Result};

/// Threads of the doors that take a number of them.
const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

/// Bytes of an output that any file fits in: its limit is met first.
fn room(limits: &Limits) -> usize {
    usize::try_from(limits.max_output).expect("a limit for tests") + 1
}

/// Asserts that a door returned the verdict of the first one.
#[track_caller]
pub fn same<T, U>(door: &str, expected: &Result<T>, found: &Result<U>) {
    let place = |error: &Error| (error.kind, error.at);
    let (expected, found) = (expected.as_ref().err().map(place), found.as_ref().err().map(place));
    assert_eq!(found, expected, "{door} returns another verdict");
}

/// Asserts the same, unless the door lacks memory that others do not need.
#[track_caller]
fn same_in_memory<T, U>(door: &str, expected: &Result<T>, found: &Result<U>) {
    if !found.as_ref().is_err_and(|error| matches!(error.class(), Class::WorkspaceTooSmall { .. })) {
        same(door, expected, found);
    }
}

/// Asserts that decoding fails if a door fails that reads less, unless that met a limit or lacks
/// memory. Returns both errors.
#[track_caller]
fn fails_too<T, U>(door: &str, whole: &Result<T>, found: &Result<U>) -> Option<(Error, Error)> {
    let found = found.as_ref().err()?;
    if matches!(found.class(), Class::Limit | Class::OutputTooSmall { .. } | Class::WorkspaceTooSmall { .. }) {
        return None;
    }
    let whole = whole.as_ref().err().unwrap_or_else(|| panic!("only {door} fails: {found:?}"));
    Some((*whole, *found))
}

/// Asserts the same of a door that reads headers in their order: decoding does not fail at a later
/// byte. It may find another error at that one.
#[track_caller]
fn no_later<T, U>(door: &str, whole: &Result<T>, found: &Result<U>) {
    if let Some((whole, found)) = fails_too(door, whole, found) {
        assert!(whole.at <= found.at, "{door} returns {found:?}, decoding {whole:?}");
    }
}

/// Runs a door with a trace, and checks its leaves. `read` returns the bytes that they tile.
fn traced<T>(
    door: &str,
    bytes: &[u8],
    run: impl FnOnce(&mut Leaves) -> Result<T>,
    read: impl FnOnce(&T) -> usize,
) -> Result<T> {
    let mut leaves = Leaves::default();
    let done = run(&mut leaves);
    leaves.assert_walk(bytes.len(), &done.as_ref().map(read), door);
    done
}

/// Runs a door with a trace, and checks its leaves, which tile what it reports as read.
pub fn traced_done(door: &str, bytes: &[u8], run: impl FnOnce(&mut Leaves) -> Result<Done>) -> Result<Done> {
    traced(door, bytes, run, |done| done.read)
}

/// Feeds a reader of ranges what it asks for.
fn ranges<R>(
    bytes: &[u8],
    reader: &mut R,
    needs: impl Fn(&R) -> Option<std::ops::Range<u64>>,
    mut feed: impl FnMut(&mut R, u64, &[u8]) -> Result<()>,
) -> Result<()> {
    while let Some(range) = needs(reader) {
        let part = usize::try_from(range.start).ok().zip(usize::try_from(range.end).ok());
        let part = part.and_then(|(start, end)| bytes.get(start..end)).expect("asks for bytes outside of the file");
        feed(reader, range.start, part)?;
    }
    Ok(())
}

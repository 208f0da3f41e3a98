//! AT-1 against its vectors: byte for byte in both wrappings and all codecs, hostile files
//! included.
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "test inputs are small")]

mod bundles;
mod codecs;
mod cut;
mod query;
mod vectors;
mod work;

use std::io::Write as _;

use serde_json::Value as Json;
use unspool::at1::{Bundle, Options, Workspace, decode_to_vec, scratch_len};
use unspool::{Class, Error, Limits};
use unspool_tests::{list, manifest, read, text, vector_folders};

/// A vector: name, bytes, decoded bytes, and entry in the manifest.
struct Vector {
    name: String,
    bytes: Vec<u8>,
    original: Vec<u8>,
    entry: Json,
}

/// Asserts the number of vectors that a test ran: `compact` of the repository, and `full` more if
/// `UNSPOOL_VECTORS` is set.
#[track_caller]
fn assert_ran(count: usize, compact: usize, full: usize) {
    let expected = if vector_folders("at1").len() > 1 { compact + full } else { compact };
    assert_eq!(count, expected, "vectors");
}

/// Runs `test` on every valid vector.
fn valid(mut test: impl FnMut(&Vector)) {
    let mut count = 0;
    for folder in vector_folders("at1") {
        for entry in list(&manifest(&folder.join("manifest.json")), "vectors") {
            let name = text(entry, "name").to_owned();
            let bytes = read(&folder.join(format!("{name}.at1")));
            let original = read(&folder.join(format!("{name}.orig")));
            test(&Vector { name, bytes, original, entry: entry.clone() });
            count += 1;
        }
    }
    assert_ran(count, 183, 321);
}

/// Returns default options with these limits.
fn with(limits: Limits) -> Options {
    Options { limits, ..Options::DEFAULT }
}

/// Decodes a file within limits that keep a test short.
fn decoded(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    decode_to_vec(bytes, &with(Limits { max_output: 64 << 20, ..Limits::DEFAULT }))
}

/// Runs with as much scratch as `run` asks for, starting from the claim of the headers.
fn with_scratch<T>(start: u64, mut run: impl FnMut(&mut [u8]) -> Result<T, Error>) -> Result<(T, Vec<u8>), Error> {
    let mut scratch = vec![0xA5; start as usize];
    loop {
        match run(&mut scratch) {
            Ok(value) => return Ok((value, scratch)),
            Err(error) if matches!(error.class(), Class::WorkspaceTooSmall { .. }) => {
                assert!(error.need > scratch.len() as u64, "asks for {} and has {}", error.need, scratch.len());
                scratch = vec![0xA5; error.need as usize];
            }
            Err(error) => return Err(error),
        }
    }
}

/// Decodes the files of a bundle one after the other.
fn unbundled(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let (options, mut workspace) = (Options::DEFAULT, Workspace::new());
    let mut out = vec![];
    let mut scratch = vec![0; scratch_len(bytes, &options)? as usize];
    for file in Bundle::open(bytes, &mut workspace, &mut scratch, &options)? {
        let file = file?;
        let mut inner = vec![0; file.entry.decoded_size(&options.limits)? as usize];
        file.entry.decode(&mut inner, &mut workspace, &options.limits)?;
        out.extend(format!("{}:", file.name).bytes());
        out.extend(decoded(&inner).map_err(|error| file.locate(error))?);
    }
    Ok(out)
}

/// Packs with xz.
fn xz(bytes: &[u8]) -> (u8, Vec<u8>) {
    let mut encoder = liblzma::write::XzEncoder::new(vec![], 6);
    encoder.write_all(bytes).unwrap();
    (0, encoder.finish().unwrap())
}

/// Packs with zstd.
fn zstd(bytes: &[u8]) -> (u8, Vec<u8>) {
    (1, zstd::bulk::compress(bytes, 3).unwrap())
}

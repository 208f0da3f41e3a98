//! Zstandard against its vectors: byte for byte in all three formats, detected without help.
//! Hostile files are refused.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

mod hostile;
mod in_place;
mod seekable;
mod store;
mod streams;
mod structure;
mod vectors;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value as Json;
use unspool::zstd::{
    Decoder, Dictionary, File, Flavour, Header, Options, Outline, SeekTableReader, Workspace, decode, decode_in_place,
    decode_to, decode_to_store, decode_to_vec, decoded_len, detect, in_place_margin, inspect, salvage, stream_buffer,
};
use unspool::{Class, Done, End, Error, ErrorKind, Limits, Name, Part, Status, Step, Symbols, Trace, Value, Verify};
use unspool_tests::store::{CheckedStore, FailingStore};
use unspool_tests::{
    Leaves, Random, assert_ran, drive, flavour, go_on, golden_verdicts, is_again, list, manifest, number, read, text,
    vector_folders,
};

/// A vector: its name, its bytes, its format, its dictionary, and its entry in the manifest.
struct Vector {
    name: String,
    bytes: Vec<u8>,
    flavour: Flavour,
    dictionary: Option<Vec<u8>>,
    entry: Json,
}

impl Vector {
    fn options(&self) -> Options<'_> {
        Options { dictionary: self.dictionary.as_deref().map(Dictionary::new), ..Options::DEFAULT }
    }

    fn told(&self) -> Options<'_> {
        Options { flavour: Some(self.flavour), ..self.options() }
    }

    /// The length of its content.
    fn size(&self) -> usize {
        number(&self.entry, "orig_size") as usize
    }
}

/// Valid vectors in the compact set.
const COMPACT: usize = 659;

/// Runs `test` on every valid vector.
fn valid(test: impl FnMut(&Vector)) {
    valid_if(|_| true, COMPACT, test);
}

/// Runs `test` on the valid vectors that are `wanted`, and asserts their number in the compact set.
/// The big set, if present, must have at least as many; those of the compact set do not run again.
fn valid_if(wanted: impl Fn(&Vector) -> bool, compact: usize, mut test: impl FnMut(&Vector)) {
    for (set, folder) in vector_folders("zstd").iter().enumerate() {
        let (mut ran, mut skipped) = (0, 0);
        for entry in list(&manifest(&folder.join("manifest.json")), "files") {
            let name = text(entry, "file");
            // Raw dictionaries have no entry of their own; all are beside the files.
            let dictionary = entry["dict"].as_str().map(|name| read(&folder.join(name)));
            let vector = Vector {
                name: name.to_owned(),
                bytes: read(&folder.join(name)),
                flavour: flavour(entry),
                dictionary,
                entry: entry.clone(),
            };
            if wanted(&vector) {
                if !is_again(&folder.join(name)) {
                    test(&vector);
                }
                ran += 1;
            } else {
                skipped += 1;
            }
        }
        println!("{ran} vectors, and {skipped} that this test does not want");
        assert!(if set == 0 { ran == compact } else { ran >= compact }, "{ran} vectors instead of {compact}");
    }
}

fn decoded(bytes: &[u8], options: &Options<'_>) -> Result<Vec<u8>, Error> {
    let limits = Limits { max_output: 1 << 28, ..Limits::DEFAULT };
    decode_to_vec(bytes, &Options { limits, ..*options })
}

/// Returns how often to decode a vector or a part of it: `most` times, or fewer if its content is
/// large, but at least twice.
fn tries(vector: &Vector, most: usize) -> usize {
    (8_000_000 / (vector.size() + 1)).clamp(2, most)
}

/// Returns where to cut a vector, for as many [`tries`].
fn cuts(vector: &Vector, most: usize) -> impl Iterator<Item = usize> + use<> {
    (0..vector.bytes.len()).step_by(vector.bytes.len() / tries(vector, most) + 1)
}

/// Calls `each` with broken copies of a vector: one bit flipped, and truncated.
fn broken(vector: &Vector, mut each: impl FnMut(&[u8])) {
    let mut random = Random(vector.bytes.len() as u64 + 1);
    for _ in 0..tries(vector, 12) {
        let mut mutated = vector.bytes.clone();
        let at = random.below(mutated.len());
        mutated[at] ^= 1 << random.below(8);
        each(&mutated);
        mutated.truncate(random.below(mutated.len()));
        each(&mutated);
    }
}

fn number_of_frames(entry: &Json) -> usize {
    match &entry["magic_offsets"] {
        Json::Array(offsets) => offsets.len(),
        _ if text(entry, "file").contains("skip") || text(entry, "file").contains("multi") => 2,
        _ => usize::try_from(number(entry, "frames")).unwrap(),
    }
}

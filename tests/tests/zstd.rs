//! Zstandard against its vectors: byte for byte in all three formats, told apart without help, and hostile files refused.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use unspool::zstd::{
    Dictionary, Flavour, Options, Workspace, decode_to_vec, decode_with, decoded_size, detect, inspect,
};
use unspool::{Class, Error, ErrorKind, Limits};
use unspool_tests::{Leaves, Random, list, manifest, number, read, text, vector_folders};

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
}

fn flavour(name: &str) -> Flavour {
    match name {
        "zstd" => Flavour::Rfc8878,
        "zstd-draft" => Flavour::Draft,
        "zstd-v07" => Flavour::V07,
        other => panic!("no format is called {other}"),
    }
}

/// Runs `test` on every valid vector; says how many there were.
fn valid(test: impl Fn(&Vector)) -> usize {
    let mut count = 0;
    for folder in vector_folders("zstd") {
        for entry in list(&manifest(&folder.join("manifest.json")), "files") {
            let name = text(entry, "file");
            // Some raw dictionaries have no entry of their own file name pattern; all lie beside the files.
            let dictionary = entry["dict"].as_str().map(|name| read(&folder.join(name)));
            let vector = Vector {
                name: name.to_owned(),
                bytes: read(&folder.join(name)),
                flavour: flavour(text(entry, "variant")),
                dictionary,
                entry: entry.clone(),
            };
            test(&vector);
            count += 1;
        }
    }
    count
}

/// SHA-256 of what a file decodes to.
fn digest(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_vector_decodes_byte_for_byte_and_is_recognised() {
    let count = valid(|vector| {
        let mut ws = Workspace::new();
        let (name, options) = (&vector.name, vector.options());
        let skippable_only = list(&vector.entry, "frames").is_empty();
        if !skippable_only && !name.ends_with("skip-only.zst") {
            assert_eq!(detect(&vector.bytes), Some(vector.flavour), "{name}");
        }
        let out = decode_to_vec(&vector.bytes, &mut ws, &Limits::DEFAULT, &options);
        let out = out.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(out.len() as u64, number(&vector.entry, "orig_size"), "{name}");
        assert_eq!(digest(&out), text(&vector.entry, "sha256"), "{name}");
        let size = decoded_size(&vector.bytes, &mut ws, &Limits::DEFAULT, &options);
        assert_eq!(size, Ok(out.len() as u64), "{name}");
        // Exactly the room that is needed, and more than that.
        for more in [0, 1, 1000] {
            let mut room = vec![0; out.len() + more];
            let done = decode_with(&vector.bytes, &mut room, &mut ws, &Limits::DEFAULT, &options, &mut ());
            let done = done.unwrap_or_else(|error| panic!("{name} with {more} more: {error}"));
            assert_eq!((done.read, done.wrote), (vector.bytes.len(), out.len()));
            assert!(room[..out.len()] == out, "{name}");
        }
        if !out.is_empty() {
            let mut room = vec![0; out.len() - 1];
            let error = decode_with(&vector.bytes, &mut room, &mut ws, &Limits::DEFAULT, &options, &mut ());
            assert!(matches!(error.unwrap_err().class(), Class::OutputTooSmall { .. }), "{name} in one byte less");
        }
    });
    println!("{count} vectors");
    assert!(count > 100);
}
